//! Facts about a reviewer's calls: what they showed and what they would change.

use std::path::{Path, PathBuf};

use super::gather::{Lookup, absolute, folder_of};
use crate::{
    core::{
        event::ToolCall,
        facts::{FileLines, FileOutput, Shown},
        review::reviewer_commands,
    },
    observe::work as observe,
    shell::{self, HOLE, How, Write},
    world::{git, links::normal, read_text},
};

/// In characters. The client saves a longer output to a file and shows only its beginning (measured
/// on 2.1.330).
const PREVIEW: usize = 2_000;
/// Files of one command whose content is compared with its output.
const MAX_FILES: usize = 20;

pub(super) fn shown(call: &ToolCall, look: Lookup) -> Shown {
    let (cwd, until) = (look.cwd(), look.until());
    let answer = look.input.result(call);
    let mut shown = Shown::default();
    if let Some(file) = answer.file {
        let path = cwd.join(&file.path);
        let blob = observe::blob(&path, until).map(|(blob, _)| blob).unwrap_or_default();
        let (start, count) =
            (file.lines.map_or(1, |(first, _)| first), file.content.lines().count() as u64);
        let text = match start {
            1 => file.content,
            _ => up_to(&path, start.saturating_add(count).saturating_sub(1)),
        };
        let path = path.to_string_lossy().into_owned();
        shown.reads.push(FileLines { path, blob, start, count, text });
    }
    let Some(command) = call.tool.command() else { return shown };
    let mut output = answer.output;
    if let Some(kept) = answer.kept_output {
        let end = output.char_indices().nth(PREVIEW).map_or(output.len(), |(at, _)| at);
        output.truncate(end);
        shown.kept_output = Some(kept.to_string_lossy().into_owned());
    }
    let reading = shell::read(command);
    shown.words = reading.runs.iter().map(|run| run.argv.clone()).collect();
    let showing = reading.runs.iter().filter(|run| reviewer_commands::shows(run));
    let words = showing.flat_map(|run| {
        let folder = folder_of(run, cwd);
        let words = run.argv.iter().skip(1).filter(|word| !word.contains(HOLE));
        words.map(move |word| folder.join(word))
    });
    let is_file = |path: &PathBuf| path.is_file();
    let mut named: Vec<PathBuf> = words.filter(is_file).take(MAX_FILES).collect();
    named.dedup();
    for (blob, content) in named.iter().filter_map(|path| observe::blob(path, until)) {
        shown.outputs.push(FileOutput { blob, content, text: output.clone() });
    }
    if output.contains("@@") || output.contains("diff --git") {
        shown.diffs.push(output);
    }
    shown
}

fn up_to(path: &Path, lines: u64) -> String {
    const MAX: u64 = 8 << 20;
    let text = read_text(path, MAX).unwrap_or_default();
    let lines = usize::try_from(lines).unwrap_or(usize::MAX);
    text.split_inclusive('\n').take(lines).collect()
}

pub(super) fn changes(call: &ToolCall, look: Lookup) -> Vec<String> {
    let (session, cwd, until) = (look.session, look.cwd(), look.until());
    let works = &session.review.works;
    let is_of_work = |path: &&str| {
        let file = normal(&absolute(path, cwd, look.home()));
        let Some(root) = file.parent().and_then(git::find_root) else { return false };
        let was_there = || {
            file.strip_prefix(&root)
                .is_ok_and(|path| session.dirty.contains_key(&*path.to_string_lossy()))
        };
        let is_left_behind = || {
            file.exists()
                && !was_there()
                && !session.writes.contains(&file)
                && !observe::is_tracked(&root, &file, until)
        };
        works.contains(&root) && !observe::is_ignored(&root, &file, until) && !is_left_behind()
    };
    let changed = named(call).filter(is_of_work).map(|path| format!("`{path}`"));
    let runs = call.runs();
    let of_git = runs.filter(|run| {
        let root = || git::root(&normal(&folder_of(run, cwd)));
        reviewer_commands::changes_with_git(run) && works.contains(&root())
    });
    changed.chain(of_git.map(|run| format!("`{}`", run.words()[..2].join(" ")))).collect()
}

/// Files that a call's lines write by name. What a script writes is found afterwards.
fn named<'a>(call: &'a ToolCall<'_>) -> impl Iterator<Item = &'a str> {
    let writes = call.readings.iter().flat_map(|reading| &reading.writes);
    let is_named =
        |write: &&Write| write.how != How::Directory && !write.path.contains([HOLE, '*', '?', '[']);
    call.tool.written().into_iter().chain(writes.filter(is_named).map(|write| write.path.as_str()))
}

pub(super) fn written(call: &ToolCall, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let found = named(call).map(|path| normal(&absolute(path, cwd, home)));
    let mut found: Vec<PathBuf> = found.collect();
    found.retain(|path| !path.starts_with("/dev"));
    found
}
