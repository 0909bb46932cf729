//! What kind of thing a call does: it only reads, it changes something, or it
//! changes what cannot be had back.
//!
//! A command line is SAFE where every command in it is known to read only;
//! what is not known is DESTRUCTIVE. CRITICAL is a table of its own.

mod critical;
mod git_settings;
mod judged;
mod outputs;
mod safe;

use std::collections::{BTreeMap, BTreeSet};

pub use crate::core::words::{is_one, is_sink, words};
use crate::{
    core::{event::ToolCall, intent::checks, tool::Tool},
    shell::{Reading, Run, Write},
};

pub(super) use self::judged::options;
use self::judged::shown;
pub use self::judged::{Class, Judged};

/// Words of a server's tool that say that it reads.
const READS: &str = "\
    read get list search find fetch query show describe view status count check browse look \
    lookup inspect stat tree exists diff log history ping help info resolve explain validate \
    open snapshot screenshot wait hover";

/// Words that say that it changes something, whatever else it says.
const CHANGES: &str = "\
    write edit create delete remove move rename apply patch save upload put insert replace \
    update set add append close merge push commit run exec execute send post publish deploy \
    install drop reset kill start stop restart copy link truncate clear import";

/// The class of a call. `overrides`: the user's own word on a tool. `free`:
/// paths that it would write and that are nobody's.
pub fn classify(
    call: &ToolCall,
    overrides: &BTreeMap<String, Class>,
    free: &BTreeSet<String>,
) -> Judged {
    let judged = |class, why: String| Judged { class, why, is_check: false };
    let by_name = match (overrides.get(&call.name), by_name(call)) {
        (Some(class), _) => judged(*class, "the configuration says so".to_owned()),
        _ if writes_only(call, free) => {
            judged(Class::Safe, "it writes temporary files only".to_owned())
        }
        (None, by_name) if by_name.class > Class::Safe => by_name,
        _ if has_statement(call) => judged(
            Class::Destructive,
            format!("{} is given a statement that does more than select", call.name),
        ),
        (None, by_name) => match puts_something(call) {
            Some(field) => judged(
                Class::Destructive,
                format!("{} is told in `{field}` where to put something", call.name),
            ),
            None => by_name,
        },
    };
    let hidden = if call.may_run_anything() { Class::Destructive } else { Class::Safe };
    let mut worst = judged(hidden, "it could not be read to the end".to_owned());
    let is_check = hidden == Class::Safe
        && by_name.class == Class::Safe
        && call.readings.iter().any(has_check)
        && call.readings.iter().all(|reading| only_checks(reading, free));
    for other in call.readings.iter().map(|it| of_reading(it, free)).chain([by_name]) {
        if worst.class < other.class || worst.class == Class::Safe {
            worst = other;
        }
    }
    Judged { is_check: is_check && worst.class < Class::Critical, ..worst }
}

fn has_check(reading: &Reading) -> bool {
    reading.runs.iter().any(checks::is_check)
}

/// Whether every command of a line reads or checks, and none of them writes what somebody keeps.
fn only_checks(reading: &Reading, free: &BTreeSet<String>) -> bool {
    let fits = |run: &Run| {
        safe::is_safe(run) || checks::is_check(run) || is_one(FILE_PROGRAMS, &run.program)
    };
    reading.unreadable.is_none() && reading.runs.iter().all(fits) && !writes_kept(reading, free)
}

fn writes_kept(reading: &Reading, free: &BTreeSet<String>) -> bool {
    reading.writes.iter().any(|write| !is_sink(&write.path) && !free.contains(&write.path))
}

fn by_name(call: &ToolCall) -> Judged {
    let name = &call.name;
    let judged = |class, why: &str| Judged { class, why: format!("{name} {why}"), is_check: false };
    if call.tool.changes_nothing_itself() {
        // What a command line does, its reading says.
        return judged(Class::Safe, "changes nothing by itself");
    }
    let Some(tool) = name.strip_prefix("mcp__").and_then(|it| it.rsplit("__").next()) else {
        return judged(Class::Destructive, "changes files, or may");
    };
    if is_own_server(name) {
        return judged(Class::Safe, "is roz's own");
    }
    let words = words(tool);
    let has = |list: &str| words.iter().any(|it| is_one(list, it));
    if has(CHANGES) {
        return judged(Class::Destructive, "changes something, by its name");
    }
    if has("to") {
        // `fetch_to_file`
        return judged(Class::Destructive, "puts something somewhere, by its name");
    }
    if has(READS) {
        return judged(Class::Safe, "only reads, by its name");
    }
    judged(Class::Destructive, "may change something")
}

/// The field in which a server's tool is told where to put what it reads.
fn puts_something(call: &ToolCall) -> Option<String> {
    let tool = call.name.strip_prefix("mcp__").filter(|_| !is_own_server(&call.name))?;
    let field = outputs::output(tool.rsplit("__").next().unwrap_or(tool), &call.input)?;
    Some(shown(&field))
}

/// Whether a server's tool is given a text of SQL that is not one SELECT.
fn has_statement(call: &ToolCall) -> bool {
    const VERBS: &str = "\
    insert update delete replace merge upsert create drop alter truncate grant revoke copy \
    load call exec execute do vacuum attach detach pragma set reindex rename lock begin into";
    const FIELDS: &str = "query sql statement statements queries";
    if call.tool != Tool::Mcp || is_own_server(&call.name) {
        return false;
    }
    let is_query = words(&call.name).iter().any(|it| it == "query" || it == "sql");
    FIELDS.split_whitespace().filter_map(|it| call.input.get(it)).any(|value| {
        let Some(text) = value.as_str() else { return is_query };
        let lower = text.to_lowercase();
        let mut said =
            lower.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|it| !it.is_empty());
        let first = said.clone().next().unwrap_or_default();
        let is_select = matches!(first, "select" | "with" | "explain" | "show" | "describe");
        // Any other text may be a search's; by a tool of queries it is a statement.
        (is_query || is_select || is_one(VERBS, first) && lower.contains(';'))
            && (!is_select || said.any(|it| is_one(VERBS, it)))
    })
}

/// Whether a tool is of roz's own server: its own rules say who may use it.
pub fn is_own_server(name: &str) -> bool {
    let mut parts = name.split("__");
    parts.next() == Some("mcp")
        && parts.next().is_some_and(|it| it == "roz" || it == "plugin_roz_roz")
        && parts.next().is_some()
}

/// Whether it is one of the client's own tools for one file, and that is free.
fn writes_only(call: &ToolCall, free: &BTreeSet<String>) -> bool {
    call.tool.written().is_some_and(|path| free.contains(path))
}

fn of_reading(reading: &Reading, free: &BTreeSet<String>) -> Judged {
    let by_code = || reading.code.iter().find_map(|it| critical::of_code(it));
    // `rm -rf node_modules`
    let is_free = !reading.writes.is_empty() && !writes_kept(reading, free);
    let changes_free = |run: &Run| is_free && is_one(FILE_PROGRAMS, &run.program);
    let mut runs = reading.runs.iter().filter(|run| !changes_free(run));
    if let Some(critical) = runs.find_map(critical::of).or_else(by_code) {
        return critical;
    }
    let is_kept = |it: &&Write| !is_sink(&it.path) && !free.contains(&it.path);
    let (class, why) = if reading.elevated {
        (Class::Critical, "something of it runs as another user".to_owned())
    } else if reading.unreadable.is_some() {
        (Class::Destructive, "the line could not be read to the end".to_owned())
    } else if let Some(write) = reading.writes.iter().find(is_kept) {
        (Class::Destructive, format!("it writes {}", shown(&write.path)))
    } else if let Some(script) = reading.scripts.first() {
        (Class::Destructive, format!("it runs {}", shown(&script.path)))
    } else if let Some(run) = reading.runs.iter().find(|it| !safe::is_safe(it) && !changes_free(it))
    {
        let run = shown(&run.argv.join(" "));
        (Class::Destructive, format!("what `{run}` does is not known to be reading only"))
    } else {
        (Class::Safe, "it only reads".to_owned())
    };
    Judged { class, why, is_check: false }
}

/// Programs that change the files that they name, and nothing else.
const FILE_PROGRAMS: &str =
    "rm grm rmdir unlink rimraf mkdir touch truncate cp gcp mv gmv ln tee chmod install";

#[cfg(test)]
mod tests;
