//! The rule about what a reviewer does until it decides: its transcript, and what its task puts out.

use super::{
    Scene,
    paths::first,
    place::{Lies, fits, has_hole, lies, same_place},
    touch::Act,
};
use crate::{
    core::event::ToolCall,
    shell::{Code, HOLE, Run},
};

/// Programs that show no more of a file than its name or its size.
const MENTIONS: &str = "echo printf git gh ls test [ stat du";

pub(super) fn reads_a_reviewer(scene: Scene) -> Option<String> {
    let Scene { ground, call, session, .. } = scene;
    let review = &session.review;
    if matches!(call.name.as_str(), "TaskOutput" | "AgentOutputTool" | "AgentOutput" | "BashOutput")
    {
        let ids = ["task_id", "agent_id", "agentId", "id", "bash_id", "shell_id"];
        let mut ids = ids.iter().filter_map(|it| call.text(it));
        if let Some(id) = ids.find(|it| review.is_reviewer(it.trim())) {
            return Some(id.to_owned());
        }
    }
    let is_reviewers = |path: &str| {
        let parts: Vec<&str> = path.split('/').filter(|it| !it.is_empty()).collect();
        let [.., folder, name] = parts[..] else { return false };
        // What a listing of that folder gave: `for f in $(ls subagents); do cat subagents/$f; done`.
        let is_any = name.chars().all(|it| it == HOLE);
        review.reviewer_ids().any(|id| {
            folder == "subagents" && (is_any || fits(name, &format!("agent-{id}.jsonl")))
                || folder == "tasks" && fits(name, &format!("{id}.output"))
                || name == format!("agent-{id}.jsonl")
        })
    };
    // A pattern of files finds it: `cat ~/.claude/**/*.jsonl`.
    let finds_it = |path: &str| {
        path.contains(['*', '?', '['])
            && review.reviewer_ids().any(|id| {
                ground.notes.iter().any(|it| matches_path(path, &format!("{it}/agent-{id}.jsonl")))
            })
    };
    let is_above = |path: &str| {
        ground.notes.iter().any(|it| lies(path, it) != Lies::Apart)
            && ground.config_dirs.iter().any(|it| lies(path, it) == Lies::Inside)
    };
    let mut ids = review.reviewer_ids();
    let has_reviewer = ids.next().is_some();
    let found = first(scene, |it| match it.touch.act {
        Act::Read | Act::Unknown | Act::Search if it.is(is_reviewers) || it.is(finds_it) => true,
        Act::Read if has_reviewer && it.is(is_above) && searched(call, &it.touch.path) => true,
        Act::Search => {
            let holds_notes = |path: &str| {
                ground.notes.iter().any(|notes| {
                    let session = notes.rsplit_once('/').map_or("", |it| it.0);
                    let is_above = || {
                        let is_clients = |it: &String| lies(path, it) == Lies::Inside;
                        lies(path, notes) == Lies::Above
                            && ground.config_dirs.iter().any(is_clients)
                    };
                    same_place(path, notes)
                        || same_place(path, session)
                        || goes_deep(call) && is_above()
                })
            };
            has_reviewer && it.is(holds_notes)
        }
        Act::Read | Act::Names | Act::Unknown | Act::Write(_) => false,
    });
    let names_one =
        |text: &str| review.reviewer_ids().any(|id| text.contains(&format!("agent-{id}.jsonl")));
    let codes = || call.readings.iter().flat_map(|it| &it.code);
    let in_code = || {
        let is_it = |it: &&Code| names_one(it) || it.contains("subagents");
        codes().find(is_it).filter(|_| has_reviewer).map(|it| it.text.clone())
    };
    // `sqlite3 :memory: "select readfile('…')"`
    let in_words = || {
        let runs = call.runs();
        let runs = runs.filter(|it| !super::is_in(MENTIONS, &it.program));
        runs.flat_map(|it| it.argv.iter().skip(1)).find(|it| names_one(it)).cloned()
    };
    // `cd …/subagents && ls | xargs cat`
    let from_there = || {
        let mut runs = call.runs();
        let is_there = |it: &String| it.trim_end_matches('/').ends_with("/subagents");
        let goes = |it: &&Run| matches!(it.program.as_str(), "cd" | "pushd");
        let folder = runs.find(|it| goes(it) && it.argv.iter().skip(1).any(is_there))?;
        let is_shown = has_reviewer && shows_what_it_finds(call);
        is_shown.then(|| folder.argv.last().cloned()).flatten()
    };
    found.or_else(in_code).or_else(in_words).or_else(from_there)
}

/// Whether a program shows files whose names the line has looked up.
fn shows_what_it_finds(call: &ToolCall) -> bool {
    const SHOWS: &str = "cat bat batcat less more head tail nl tac od xxd strings grep egrep fgrep \
        rg ag sed awk gawk jq cp mv tar base64 python python3 node perl";
    call.runs().any(|run| {
        super::is_in(SHOWS, &run.program) && run.argv.iter().skip(1).any(|it| has_hole(it))
    })
}

fn matches_path(pattern: &str, path: &str) -> bool {
    let options =
        glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::new() };
    glob::Pattern::new(pattern).is_ok_and(|it| it.matches_with(path, options))
}

/// Whether a folder is gone through by what does not name it once more: a
/// `find` whose finds are read, a search where the line has gone to.
fn searched(call: &ToolCall, folder: &str) -> bool {
    let runs = || call.runs();
    let names = |run: &Run| run.argv.iter().skip(1).any(|it| it == folder);
    // The names that it looks for, where it says any.
    let may_find = |run: &Run| {
        let pairs = || run.argv.windows(2).filter(|it| it[0] == "-name" || it[0] == "-iname");
        pairs().count() == 0
            || pairs().any(|it| {
                has_hole(&it[1])
                    || it[1].starts_with("agent")
                    || fits(&it[1], "agent-x.jsonl")
                    || fits(&it[1], "x.jsonl")
            })
    };
    let finds = |run: &Run| matches!(run.program.as_str(), "find" | "fd" | "fdfind");
    let is_found =
        runs().any(|it| finds(it) && names(it) && may_find(it)) && shows_what_it_finds(call);
    // `cd folder && grep -r word`
    let searches = |run: &Run| {
        let operands = run.argv.iter().skip(1).filter(|it| !it.starts_with('-'));
        matches!(run.program.as_str(), "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack")
            && operands.skip(1).all(|it| it == "." || it == "*")
    };
    let went = runs().any(|it| matches!(it.program.as_str(), "cd" | "pushd") && names(it));
    is_found || went && goes_deep(call) && runs().any(searches)
}

/// Whether a call reads all that lies below a folder.
fn goes_deep(call: &ToolCall) -> bool {
    let mut runs = call.runs();
    call.name == "Grep"
        || runs.any(|run| {
            let has = |letters: &str, long: &[&str]| {
                run.argv.iter().skip(1).any(|it| {
                    let cluster = it.strip_prefix('-').filter(|it| !it.starts_with('-'));
                    cluster.is_some_and(|it| it.contains(|c| letters.contains(c)))
                        || long.contains(&it.as_str())
                })
            };
            match run.program.as_str() {
                "rg" | "ag" | "ack" => true,
                "grep" | "egrep" | "fgrep" | "zgrep" => {
                    has("rR", &["--recursive", "--dereference-recursive", "--directories=recurse"])
                }
                "cp" | "gcp" | "rsync" | "scp" => has("raR", &["--recursive", "--archive"]),
                "tar" | "gtar" | "bsdtar" => {
                    let bundled = run.argv.get(1).is_some_and(|it| it.contains(['c', 'r', 'u']));
                    bundled || has("cru", &["--create", "--append", "--update"])
                }
                "zip" | "diff" => has("r", &["--recursive", "--recurse-paths"]),
                "7z" => run.argv.get(1).is_some_and(|it| it == "a"),
                "git" => run.argv.iter().any(|it| it == "grep"),
                _ => false,
            }
        })
}
