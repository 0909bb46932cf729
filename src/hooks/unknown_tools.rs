//! Records names of tools and events that roz does not know, for `roz doctor`: such calls pass, so
//! nobody would notice otherwise.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use crate::{
    clients,
    core::{
        bounded,
        event::{Event, What},
    },
    open,
    world::{World, open_own, read_text},
};

const MAX_TOOLS: usize = 100;
const MAX_BYTES: u64 = 64 << 10;

pub fn file(home: &Path) -> PathBuf {
    home.join("unknown-tools.txt")
}

/// The recorded names that this version still does not know.
pub fn called(home: &Path) -> Vec<String> {
    let text = read_text(&file(home), MAX_BYTES).unwrap_or_default();
    let unknown = text
        .lines()
        .filter(|name| clients::ALL.iter().all(|client| !client.tools().contains(name)));
    unknown.map(bounded::plain_line).collect()
}

pub(super) fn note<'a>(events: impl Iterator<Item = &'a Event<'a>>, world: &World) {
    for event in events {
        if let What::PreToolUse(call) = &event.what
            && call.is_unknown
        {
            note_tool(&call.name, &open::home(world));
        }
    }
}

pub(super) fn note_event(name: &str, world: &World) {
    note_tool(&format!("event {name}"), &open::home(world));
}

fn note_tool(name: &str, home: &Path) {
    let name = if name.is_empty() { "(a tool without a name)" } else { name };
    let name = bounded::plain_line(&bounded::line(name, 100));
    let noted = read_text(&file(home), MAX_BYTES).unwrap_or_default();
    let is_noted = noted.lines().any(|line| line == name) || noted.lines().count() >= MAX_TOOLS;
    // The first session creates the home folder, and write errors are ignored.
    if !is_noted && home.is_dir() {
        let line = format!("{name}\n");
        let _ = open_own(&file(home)).and_then(|mut file| file.write_all(line.as_bytes()));
    }
}
