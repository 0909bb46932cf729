//! Where things lie. A path counts as it is named and as it really is once
//! links are followed; patterns and holes in it may be more than one.

use super::touch::{Act, Touch};
use crate::{
    core::event::ToolCall,
    shell::{self, HOLE, How, Run},
};

/// What lies where, as far as a call called for looking: absolute paths.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ground {
    /// `ROZ_HOME`, and what of roz's the configuration puts elsewhere.
    pub home: Vec<String>,
    /// The client's folders of the user.
    pub config_dirs: Vec<String>,
    /// Folders of the plugin, and the client's lists of plugins.
    pub plugin: Vec<String>,
    /// This program's file.
    pub binary: Vec<String>,
    /// The folders of PATH.
    pub path: Vec<String>,
    /// The client's notes of this session's subagents.
    pub notes: Vec<String>,
    /// The folders whose settings the client reads, and whose configuration
    /// roz does.
    pub projects: Vec<String>,
    /// The system's folders for temporary files, and the user's own.
    pub temporary: Vec<String>,
    pub touched: Vec<Touched>,
    /// The call touches more than was looked at.
    pub is_in_part: bool,
}

/// A touch, and where it would be done.
#[derive(Debug, Clone, PartialEq)]
pub struct Touched {
    pub touch: Touch,
    /// As it is named, and as it really is.
    pub at: Vec<String>,
    /// The file's text, where a rule asks for it.
    pub before: Before,
    /// What it would hold, where a file with a known text is put there.
    pub brought: Option<String>,
    /// Where the file is copied from, if it is one that the call leaves as it is.
    pub copied_from: Option<String>,
}

/// A file's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Before {
    #[default]
    NotAsked,
    Absent,
    Text(String),
    Unreadable,
}

impl Touched {
    pub(super) fn is(&self, is_it: impl Fn(&str) -> bool) -> bool {
        self.at.iter().any(|it| is_it(it))
    }

    pub(super) fn lies(&self, places: &[String], lies_so: Lies) -> bool {
        places.iter().any(|place| self.is(|path| lies(path, place) == lies_so))
    }

    pub(super) fn writes(&self) -> bool {
        matches!(self.touch.act, Act::Write(_))
    }

    pub(super) fn writes_or_may(&self) -> bool {
        matches!(self.touch.act, Act::Write(_) | Act::Unknown)
    }

    /// Whether it takes away what is below it.
    pub(super) fn takes_away(&self, call: &ToolCall) -> bool {
        match self.touch.act {
            Act::Write(How::Remove | How::Move) => true,
            Act::Write(How::Chmod) => call.is_recursive() || closes(call),
            _ => false,
        }
    }

    /// Whether it changes something in one of `places`, or takes one away.
    pub(super) fn changes(&self, places: &[String], call: &ToolCall) -> bool {
        self.writes_or_may() && self.lies(places, Lies::Inside)
            || self.takes_away(call) && self.lies(places, Lies::Above)
    }

    /// Whether what is taken away here may be in one of `places`: `find` takes
    /// only what it is told to find.
    pub(super) fn may_find(&self, places: &[String], call: &ToolCall) -> bool {
        let runs = call.runs();
        let begins = |run: &&Run| {
            run.program == "find"
                && (run.argv.contains(&self.touch.path) || run.argv.iter().any(|it| it == "."))
        };
        let mut finds = runs.filter(begins).peekable();
        finds.peek().is_none() || finds.any(|it| may_find(it, places))
    }
}

/// Whether a call takes from its user the right to go through a folder.
fn closes(call: &ToolCall) -> bool {
    let runs = call.runs();
    let mut modes = runs
        .filter(|it| it.program == "chmod" || it.program == "gchmod")
        .filter_map(|it| it.argv[1..].iter().find(|word| !is_option(word)));
    modes.any(|mode| {
        if mode.bytes().all(|it| it.is_ascii_digit()) {
            let of_user = mode.bytes().rev().nth(2).unwrap_or(b'0');
            return (of_user - b'0') & 1 == 0;
        }
        mode.split(',').any(|clause| {
            let Some(at) = clause.find(['-', '=', '+']) else { return clause.contains(HOLE) };
            let (who, rights) = clause.split_at(at);
            let is_users = who.is_empty() || who.contains(['u', 'a']);
            let searches = rights.contains(['x', 'X']);
            is_users
                && (rights.starts_with('-') && searches || rights.starts_with('=') && !searches)
        })
    })
}

/// `chmod -x` has its mode in an option's place.
fn is_option(word: &str) -> bool {
    word.starts_with("--")
        || word.strip_prefix('-').is_some_and(|it| it.chars().all(|c| "Rvfch".contains(c)))
}

/// Whether the tests of a `find` let something in `places` through.
fn may_find(run: &Run, places: &[String]) -> bool {
    const FILES: &[&str] =
        &["", "/config.toml", "/sessions", "/sessions/x.json", "/sessions/x.trace.jsonl", "/x.md"];
    let mut patterns: Vec<(bool, String)> = Vec::new();
    for (at, word) in run.argv.iter().enumerate() {
        match word.as_str() {
            "!" | "-not" | "-o" | "-or" | "-regex" | "-iregex" | "-files0-from" => {
                return true;
            }
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                let is_name = word.ends_with("iname") || word == "-name";
                let pattern = run.argv.get(at + 1).map_or("", String::as_str);
                patterns.push((is_name, pattern.to_lowercase().replace(HOLE, "*")));
            }
            _ => (),
        }
    }
    let fits = |(is_name, pattern): &(bool, String), path: &str| {
        let text = if *is_name { shell::last_part(path) } else { path };
        // A session's file has a name that only the client knows.
        let is_ours = [".json", ".jsonl", ".lock"].iter().any(|it| pattern.ends_with(it));
        is_ours || shell::pattern_matches(pattern, &text.to_lowercase())
    };
    let mut files =
        places.iter().flat_map(|place| FILES.iter().map(move |it| format!("{place}{it}")));
    files.any(|path| patterns.iter().all(|it| fits(it, &path)))
}

pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|it| !it.is_empty() && *it != ".")
}

/// How a path lies to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lies {
    /// It is the place, or below it.
    Inside,
    /// The place is below it.
    Above,
    Apart,
}

pub(super) fn lies(path: &str, place: &str) -> Lies {
    let (mut said, mut parts_of_place) = (parts(path), parts(place));
    let mut seen = 0;
    loop {
        match (said.next(), parts_of_place.next()) {
            (_, None) if seen == 0 => return Lies::Apart,
            (_, None) => return Lies::Inside,
            (None, Some(_)) => return Lies::Above,
            (Some(said), Some(part)) if !fits(said, part) => return Lies::Apart,
            (Some(_), Some(_)) => seen += 1,
        }
    }
}

/// Whether two paths may be the same.
pub(super) fn same_place(said: &str, place: &str) -> bool {
    lies(said, place) == Lies::Inside && parts(said).count() == parts(place).count()
}

/// Whether a part of a path, with patterns or holes in it, may be `part`.
pub(super) fn fits(said: &str, part: &str) -> bool {
    if said == part {
        return true;
    }
    // `$name.$ext`, and what a loop over `*.@(a|b)` finds, says no name at all.
    let says_nothing = || said.chars().all(|it| matches!(it, HOLE | '.'));
    if !said.contains(['*', '?', '[', HOLE]) || said.starts_with(HOLE) && says_nothing() {
        return false;
    }
    // What matches any text matches none, too, and still no dot that a name begins with.
    let says_dot = said.trim_start_matches(HOLE).starts_with('.');
    if part.starts_with('.') && said.starts_with(['*', '?', '[', HOLE]) && !says_dot {
        return false;
    }
    // There is no such name; what a pattern of that length finds, nobody looks up.
    if said.len() > shell::limit::NAME {
        return true;
    }
    shell::pattern_matches(&said.replace(HOLE, "*"), part)
}

/// The parts of a path that are known for certain: those behind a hole, if
/// there is one that stands for folders.
pub(super) fn known_parts(path: &str) -> Vec<&str> {
    let known = path.rsplit(HOLE).next().unwrap_or_default();
    known.split('/').filter(|it| !it.is_empty()).collect()
}

pub(super) fn has_hole(path: &str) -> bool {
    path.contains(HOLE)
}
