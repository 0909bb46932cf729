//! Which paths a call touches and how: paths in a file tool's input, and those that command lines
//! would write.

use super::{program::base, protected_paths::parts};
use crate::{
    core::{
        client_files,
        event::ToolCall,
        name_words::{is_one, is_stream_device, words},
        tool::Tool,
    },
    shell::{self, Certainty, How, Reading, Run},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub path: String,
    pub act: Act,
    /// Includes everything below the path: `rm -r`, `mv` away, `chmod -R`.
    pub takes_away: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    Read,
    Write(How),
}

/// A path with its real location.
#[derive(Debug, Clone, PartialEq)]
pub struct Accessed {
    pub access: Access,
    pub at: Vec<String>,
    /// Read only if a rule needs it.
    pub before: TextBefore,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TextBefore {
    #[default]
    NotAsked,
    Absent,
    Text(String),
    Unreadable,
}

impl Access {
    pub fn new(path: &str, act: Act) -> Self {
        Self { path: path.to_owned(), act, takes_away: false }
    }
}

/// For the client's own tools. Paths in a server's input are looked up by the caller.
pub(super) fn accesses(call: &ToolCall) -> Vec<Access> {
    let mut found = Vec::new();
    let named = match &call.tool {
        Tool::Read { path, .. } | Tool::Search { path } => Some((path, Act::Read)),
        Tool::Write { path, .. } => Some((path, Act::Write(How::Write))),
        Tool::Edit { path, .. } => Some((path, Act::Write(How::Edit))),
        _ => None,
    };
    let named = named.filter(|(path, _)| !path.is_empty());
    found.extend(named.map(|(path, act)| Access::new(path, act)));
    found.extend(call.readings.iter().flat_map(of_line));
    found
}

/// Judges tools of servers and newer clients by their names.
pub(super) fn act_of_tool(call: &ToolCall) -> Act {
    const READS: &str = "read get list search find view show stat info cat fetch query grep glob tree \
        describe exists open ls head tail lookup";
    const WRITES: &str = "write edit create delete remove move rename replace update put set append insert \
        patch save copy link chmod apply make touch truncate execute exec run modify";
    let name = match &call.tool {
        Tool::Mcp { name, .. } => name,
        _ => &call.name,
    };
    let words = words(name);
    let has = |list: &str| words.iter().any(|word| is_one(list, word));
    if has(READS) && !has(WRITES) { Act::Read } else { Act::Write(How::Edit) }
}

fn of_line(reading: &Reading) -> Vec<Access> {
    let names = copied_names(reading);
    let mut found = Vec::new();
    for write in reading.writes.iter().filter(|write| !is_stream_device(&write.path)) {
        let takes_away = match write.how {
            _ if write.certainty == Certainty::Opaque => false,
            How::Remove => true,
            How::Move => !is_moved_to(reading, &write.path),
            How::Chmod => reading.runs.iter().any(is_recursive),
            _ => false,
        };
        let act = Act::Write(write.how);
        found.push(Access { path: write.path.clone(), act, takes_away });
        // Taking the client's folder away takes its settings, too.
        if takes_away && client_files::is_folder(shell::last_part(write.path.trim_end_matches('/')))
        {
            for name in client_files::settings() {
                let path = format!("{}/{name}", write.path.trim_end_matches('/'));
                found.push(Access { path, act, takes_away });
            }
        }
        if matches!(write.how, How::Write | How::Move | How::Link) {
            let folder = write.path.trim_end_matches('/');
            found.extend(names.iter().map(|name| Access::new(&format!("{folder}/{name}"), act)));
        }
    }
    found
}

/// Protected names that the line copies, moves or links: they keep their names in the target
/// folder. `cp x/settings.json .claude/`
fn copied_names(reading: &Reading) -> Vec<&str> {
    const NAMES: &str = "roz settings.json settings.local.json config.toml hooks.json installed_plugins.json \
        known_marketplaces.json";
    let copies = |run: &&Run| {
        is_one("cp mv ln install rsync scp gcp gmv gln ginstall", base(run)) && run.argv.len() > 2
    };
    let sources = reading.runs.iter().filter(copies).flat_map(|run| &run.argv[1..]);
    sources.map(|word| shell::last_part(word)).filter(|name| is_one(NAMES, name)).collect()
}

fn is_recursive(run: &Run) -> bool {
    let says_so = |word: &String| {
        word == "--recursive"
            || word.starts_with('-') && !word.starts_with("--") && word.contains('R')
    };
    is_one("chmod chown chgrp gchmod gchown", base(run)) && run.argv.iter().any(says_so)
}

/// Whether the line moves something into a path: `mv a.txt ~` takes nothing away from `~`.
fn is_moved_to(reading: &Reading, path: &str) -> bool {
    let moves = || reading.runs.iter().filter(|run| is_one("mv gmv", base(run)));
    let is_path = |run: &Run, word: &str| {
        let is_it = |whole: &str| parts(whole).eq(parts(path));
        let is_absolute = word.starts_with(['/', '~']);
        is_it(word)
            || !is_absolute && run.folders.iter().any(|folder| is_it(&format!("{folder}/{word}")))
    };
    let mut sources = moves().filter_map(|run| Some((run, moved(run)?.0)));
    let mut targets = moves().filter_map(|run| Some((run, moved(run)?.1)));
    targets.any(|(run, target)| is_path(run, target))
        && !sources.any(|(run, sources)| sources.iter().any(|source| is_path(run, source)))
}

/// (sources, target) of an `mv`.
fn moved(run: &Run) -> Option<(Vec<&str>, &str)> {
    let (mut operands, mut target) = (Vec::new(), None);
    let mut words = run.argv.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        match word.strip_prefix("--target-directory=") {
            Some(folder) => target = Some(folder),
            None if word == "-t" => target = words.next(),
            None if word.starts_with('-') => (),
            None => operands.push(word),
        }
    }
    let target = target.or_else(|| operands.pop())?;
    Some((operands, target))
}
