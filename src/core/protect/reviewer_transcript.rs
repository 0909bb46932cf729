//! The rule that hides a reviewer's transcript and task output until it decides.

use super::{
    Context,
    accesses::Act,
    program::base,
    protected_paths::{fits, is_same_place, parts},
};
use crate::{
    core::{name_words::is_one, tool::Tool},
    shell::HOLE,
};

/// Programs that print only names and sizes of files.
const SHOW_NAMES: &str = "echo printf git gh ls test [ stat du cd find";

pub(super) fn reads_a_reviewer(cx: Context) -> Option<String> {
    of_task(cx).or_else(|| of_tool(cx)).or_else(|| of_line(cx)).or_else(|| of_code(cx))
}

fn of_task(cx: Context) -> Option<String> {
    let Tool::TaskOutput { ids } = &cx.call.tool else { return None };
    ids.iter().find(|id| cx.session.review.is_reviewer(id.trim())).cloned()
}

fn of_tool(cx: Context) -> Option<String> {
    let mut reads = cx.facts.accessed.iter().filter(|accessed| accessed.access.act == Act::Read);
    let is_it = |path: &str| is_transcript(cx, path) || holds_transcripts(cx, path);
    reads.find(|read| read.is(is_it)).map(|read| read.access.path.clone())
}

/// A line that names a transcript and prints its content.
fn of_line(cx: Context) -> Option<String> {
    let runs = cx.call.runs().filter(|run| !is_one(SHOW_NAMES, base(run)));
    let mut words = runs.flat_map(|run| run.argv.iter().skip(1));
    words.find(|word| is_transcript(cx, word) || holds_transcripts(cx, word)).cloned()
}

fn of_code(cx: Context) -> Option<String> {
    let mut codes = cx.call.readings.iter().flat_map(|reading| &reading.code);
    let is_named = |text: &str| {
        cx.session.review.reviewer_ids().any(|id| text.contains(&format!("agent-{id}.jsonl")))
    };
    codes.find(|code| is_named(code)).map(|code| code.text.clone())
}

fn is_transcript(cx: Context, path: &str) -> bool {
    let named: Vec<&str> = parts(path).collect();
    let Some((name, folders)) = named.split_last() else { return false };
    let folder = folders.last().copied().unwrap_or_default();
    // `for f in $(ls subagents); do cat subagents/$f; done`
    let is_any = name.chars().all(|c| c == HOLE);
    cx.session.review.reviewer_ids().any(|id| {
        let transcript = format!("agent-{id}.jsonl");
        *name == transcript
            || folder == "subagents" && (is_any || fits(name, &transcript))
            || folder == "tasks" && fits(name, &format!("{id}.output"))
    })
}

/// Recursive searches in the transcripts' folder or the session's read them, too.
fn holds_transcripts(cx: Context, path: &str) -> bool {
    let is_it = |notes: &String| {
        let session = notes.rsplit_once('/').map_or("", |split| split.0);
        is_same_place(path, notes) || is_same_place(path, session)
    };
    cx.session.review.reviewer_ids().next().is_some()
        && path.starts_with('/')
        && cx.facts.places.notes.iter().any(is_it)
}
