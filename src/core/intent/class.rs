//! The class of a call: it only reads, it changes something, or what it changes cannot be restored.
//!
//! A command line is SAFE if every command in it is known to only read. Unknown commands are
//! DESTRUCTIVE. CRITICAL commands are listed in a table.

mod classification;
mod critical;
mod git_discards;
mod safe;
mod tool_output_path;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::core::name_words::{is_one, is_stream_device, words};
use crate::{
    core::{event::ToolCall, intent::check_commands, tool::Tool},
    shell::{Reading, Run, Write, last_part},
};

use self::classification::shown;
pub use self::{
    classification::{Class, Judged, Purpose},
    git_discards::{Discard, discard},
};

/// Words in the name of a server's tool that reads.
const READS: &str = "\
    read get list search find fetch query show describe view status count check browse look \
    lookup inspect stat tree exists diff log history ping help info resolve explain validate \
    open snapshot screenshot wait hover";

/// Words in the name of a tool that changes something. They win over the reading ones.
const CHANGES: &str = "\
    write edit create delete remove move rename apply patch save upload put insert replace \
    update set add append close merge push commit run exec execute send post publish deploy \
    install drop reset kill start stop restart copy link truncate clear import";

#[derive(Clone, Copy)]
pub struct Known<'a> {
    /// The user's classes by tool name.
    pub overrides: &'a BTreeMap<String, String>,
    /// Paths whose changes do not matter, such as ignored files.
    pub free: &'a BTreeSet<String>,
    /// What its git commands would discard is known and may be discarded.
    pub may_discard: bool,
}

pub fn classify(call: &ToolCall, known: Known) -> Judged {
    let own = known.overrides.get(&call.name).and_then(|word| Class::of(word));
    let by_name = match (own, by_name(call)) {
        (Some(class), _) => Judged::new(class, "the configuration says so"),
        _ if writes_only(call, known.free) => {
            Judged::new(Class::Safe, "it writes temporary files only")
        }
        (None, by_name) if by_name.class > Class::Safe => by_name,
        (None, by_name) => match puts_something(call) {
            Some(field) => Judged::new(
                Class::Destructive,
                format!("{} is told in `{field}` where to put something", call.name),
            ),
            None => by_name,
        },
    };
    let is_read_whole = !call.may_run_anything;
    let hidden = if is_read_whole { Class::Safe } else { Class::Destructive };
    let mut worst = Judged::new(hidden, "it could not be read to the end");
    let is_only_commands = is_read_whole && by_name.class == Class::Safe;
    for other in call.readings.iter().map(|reading| of_reading(reading, known)).chain([by_name]) {
        if worst.class < other.class || worst.class == Class::Safe {
            worst = other;
        }
    }
    if is_only_commands && worst.class < Class::Critical {
        worst.purpose = purpose(&call.readings, known.free);
    }
    worst
}

const MOVES_WORK: &str = "add commit stash switch checkout push pull fetch merge \
    branch tag worktree remote bisect rebase";

fn purpose(readings: &[Reading], free: &BTreeSet<String>) -> Purpose {
    let moves_work = |run: &Run| {
        let words = run.words();
        words.first() == Some(&"git")
            && words.get(1).is_some_and(|verb| is_one(MOVES_WORK, verb))
            && !safe::sets_program(run)
    };
    let reads = |run: &Run| safe::is_safe(run) || is_one(FILE_PROGRAMS, &run.program);
    let is_all = |fits: &dyn Fn(&Run) -> bool| {
        let are_read = readings.iter().all(|reading| reading.unreadable.is_none());
        are_read && readings.iter().flat_map(|reading| &reading.runs).all(fits)
    };
    let has =
        |is_it: &dyn Fn(&Run) -> bool| readings.iter().flat_map(|reading| &reading.runs).any(is_it);
    if has(&check_commands::is_check)
        && is_all(&|run| reads(run) || check_commands::is_check(run))
        && !readings.iter().any(|reading| writes_kept(reading, free))
    {
        Purpose::Check
    } else if has(&moves_work)
        && is_all(&|run| reads(run) || check_commands::is_check(run) || moves_work(run))
    {
        Purpose::MoveWork
    } else {
        Purpose::Change
    }
}

fn writes_kept(reading: &Reading, free: &BTreeSet<String>) -> bool {
    reading.writes.iter().any(|write| !is_stream_device(&write.path) && !free.contains(&write.path))
}

fn by_name(call: &ToolCall) -> Judged {
    let name = &call.name;
    let judged = |class, why: &str| Judged::new(class, format!("{name} {why}"));
    if call.tool.changes_nothing_itself() {
        // The class of a command line comes from its commands.
        return judged(Class::Safe, "changes nothing by itself");
    }
    let Tool::Mcp { name: tool, .. } = &call.tool else {
        return judged(Class::Destructive, "changes files, or may");
    };
    if call.tool.is_of_roz() {
        return judged(Class::Safe, "is roz's own");
    }
    let words = words(tool);
    let has = |list: &str| words.iter().any(|word| is_one(list, word));
    if has(CHANGES) {
        return judged(Class::Destructive, "changes something, by its name");
    }
    if has("to") {
        // `fetch_to_file`
        return judged(Class::Destructive, "puts something somewhere, by its name");
    }
    if has("query sql") && !only_selects(call) {
        return judged(Class::Destructive, "is given a statement that may change something");
    }
    if has(READS) {
        return judged(Class::Safe, "only reads, by its name");
    }
    judged(Class::Destructive, "may change something")
}

fn puts_something(call: &ToolCall) -> Option<String> {
    let Tool::Mcp { name, .. } = &call.tool else { return None };
    let field = tool_output_path::output(name, &call.input).filter(|_| !call.tool.is_of_roz())?;
    Some(shown(&field))
}

/// Whether a database call only asks: `SELECT …` without a second statement. A field of an unknown
/// name may hold the statement, too.
fn only_selects(call: &ToolCall) -> bool {
    const MODIFIES: &str = "insert update delete drop alter create truncate merge into";
    let fields = call.input.as_object().into_iter().flatten();
    let mut texts = fields.filter_map(|(name, value)| Some((name, value.as_str()?)));
    texts.all(|(name, text)| {
        let text = text.trim().trim_end_matches(';').to_lowercase();
        let mut words = text.split(|c: char| !c.is_alphanumeric());
        let first = words.next().unwrap_or_default();
        let spoils = match first {
            "show" | "describe" => "",
            "select" => "into",
            // `EXPLAIN ANALYZE DELETE …`, `WITH gone AS (DELETE …) SELECT …`
            "explain" | "with" => MODIFIES,
            _ => return !is_one("query sql statement", name) && !is_one(MODIFIES, first),
        };
        !text.contains(';') && !words.any(|word| is_one(spoils, word))
    })
}

fn writes_only(call: &ToolCall, free: &BTreeSet<String>) -> bool {
    call.tool.written().is_some_and(|path| free.contains(path))
}

fn of_reading(reading: &Reading, known: Known) -> Judged {
    let free = known.free;
    // `rm -rf node_modules`
    let is_free = !reading.writes.is_empty() && !writes_kept(reading, free);
    let changes_free =
        |run: &Run| is_free && !run.is_elsewhere && is_one(FILE_PROGRAMS, &run.program);
    let may_discard = |run: &Run| known.may_discard && discard(run).is_some();
    let is_harmless = |run: &Run| changes_free(run) || may_discard(run);
    let mut runs = reading.runs.iter().filter(|run| !is_harmless(run));
    if let Some(critical) = runs.find_map(critical::of) {
        return critical;
    }
    let is_kept = |write: &&Write| !is_stream_device(&write.path) && !free.contains(&write.path);
    let (class, why) = if reading.elevated {
        (Class::Critical, "something of it runs as another user".to_owned())
    } else if reading.unreadable.is_some() {
        (Class::Destructive, "the line could not be read to the end".to_owned())
    } else if let Some(write) = reading.writes.iter().find(is_kept) {
        (Class::Destructive, format!("it writes {}", shown(&write.path)))
    } else if reading.changes_elsewhere {
        (Class::Destructive, "it changes something on another machine".to_owned())
    } else if let Some(script) = reading.scripts.iter().find(|script| !is_roz(&script.path)) {
        (Class::Destructive, format!("it runs {}", shown(&script.path)))
    } else if let Some(run) =
        reading.runs.iter().find(|run| !safe::is_safe(run) && !is_harmless(run))
    {
        let run = shown(&run.argv.join(" "));
        (Class::Destructive, format!("what `{run}` does is not known to be reading only"))
    } else {
        (Class::Safe, "it only reads".to_owned())
    };
    Judged::new(class, why)
}

/// roz itself, by the path that it names where it is not on PATH.
fn is_roz(path: &str) -> bool {
    last_part(path) == "roz"
}

const FILE_PROGRAMS: &str =
    "rm grm rmdir unlink rimraf mkdir touch truncate cp gcp mv gmv ln tee chmod install";

#[cfg(test)]
mod tests;
