//! What of the project is an intent's own. A write passes where both spellings
//! of its target do: as written, and where it really goes.
//!
//! - Patterns begin at the project's root. `*` stays within a segment, `**`
//!   crosses them, a folder covers what is below it, `{a,b}` is either.
//! - `!pattern` is a hole, wherever in the list it stands.
//! - A pattern that cannot be read admits nothing; a hole that cannot be read
//!   leaves nobody knowing what it was to keep out, so then nothing is in scope.
//! - Whatever is done to a folder is done to all that is in it: the whole of
//!   it has to be in scope.
//!
//! Not told apart: names in composed and decomposed Unicode, which some file
//! systems take for one. As a pattern that admits, that only denies.

use std::fmt;

use super::{
    glob::{self, Dialect, Glob},
    target::{Case, Kind, Place, Target, guarded},
};
use crate::{core::agents, shell::HOLE};

/// So many patterns are read; a list that goes on is broken.
const MOST_PATTERNS: usize = 2000;

#[derive(Debug, Clone, Default)]
pub struct Scope {
    pub(super) owned: Vec<Pattern>,
    pub(super) holes: Vec<Pattern>,
    problems: Vec<Complaint>,
    /// Why nothing can be in scope.
    broken: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// As written.
    text: String,
    pub(super) globs: Vec<Glob>,
}

/// What is wrong with a pattern. Displays as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Its place in the list, from 0.
    pub index: usize,
    pub pattern: String,
    pub what: String,
    /// Whether it was left out; else it applies, and may not say what was meant.
    pub refused: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    Inside,
    /// A person has to say.
    Ask(Doubt),
    Outside(Reason),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// The file has so many names, and perhaps not all are in scope.
    HardLinks(u64),
    /// The path has parts that nobody can know beforehand.
    Opaque(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    /// The spelling that is not in scope.
    pub path: String,
    /// What was written, where that is not it.
    pub written: Option<String>,
    pub why: Why,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// No pattern of the scope can be used.
    Empty,
    /// A hole cannot be read.
    Broken(String),
    OutsideProject,
    /// In nobody's scope.
    Guarded(String),
    /// What the pattern keeps out.
    Hole(String),
    /// No pattern admits it.
    NotOwned,
    /// A folder of which only a part is in scope.
    InPart,
}

impl Scope {
    pub fn new<T: AsRef<str>>(patterns: &[T]) -> Self {
        let mut res = Self::default();
        for (index, pattern) in patterns.iter().map(AsRef::as_ref).enumerate() {
            if index == MOST_PATTERNS {
                res.broken = Some(format!("it has more than {MOST_PATTERNS} patterns"));
                break;
            }
            res.read(index, pattern);
        }
        res
    }

    fn read(&mut self, index: usize, pattern: &str) {
        let (text, is_hole) = match pattern.strip_prefix('!') {
            Some(text) => (text, true),
            None => (pattern, false),
        };
        let shown = shortened(pattern);
        let mut complain = |what: String, refused: bool| {
            self.problems.push(Complaint { index, pattern: shown.clone(), what, refused });
        };
        match parse(text) {
            Err(what) => {
                if is_hole {
                    self.broken.get_or_insert(format!("`{shown}`: {what}"));
                }
                complain(what, true);
            }
            Ok(globs) => {
                for doubt in doubts(text, &globs) {
                    complain(doubt, false);
                }
                let list = if is_hole { &mut self.holes } else { &mut self.owned };
                list.push(Pattern { text: shown, globs });
            }
        }
    }

    /// What is wrong with its patterns, in their order.
    pub fn problems(&self) -> &[Complaint] {
        &self.problems
    }

    pub fn judge(&self, target: &Target) -> Verdict {
        if target.written.text().contains(HOLE) {
            return self.judge_unknown(target);
        }
        // The same objection to both is told of what was written.
        let objection = target.places().into_iter().find_map(|place| {
            let why = self.objects_to(place, target)?;
            let path = shortened(place.text());
            let is_led = target.written != *place;
            let written = is_led.then(|| shortened(target.written.text()));
            Some(Reason { path, written, why })
        });
        match objection {
            Some(reason) => Verdict::Outside(reason),
            None if target.kind == Kind::File && target.links > 1 => {
                Verdict::Ask(Doubt::HardLinks(target.links))
            }
            None => Verdict::Inside,
        }
    }

    /// A path of which only the beginning is known, if that: where no pattern
    /// reaches below the folder that is known, it lies outside.
    fn judge_unknown(&self, target: &Target) -> Verdict {
        let folder = |place: &Place| {
            let known = place.text().split(HOLE).next()?.rsplit_once('/')?.0;
            Some(match place {
                Place::Inside(_) => Place::Inside(known.to_owned()),
                Place::Outside(_) => Place::Outside(known.to_owned()),
            })
        };
        let folders = target.places().map(folder);
        for place in folders.into_iter().flatten().filter(|it| !it.text().is_empty()) {
            let below = Target { kind: Kind::Folder, ..target.clone() };
            let itself = Target { kind: Kind::File, ..target.clone() };
            match self.objects_to(&place, &below) {
                None | Some(Why::InPart | Why::Broken(_) | Why::Empty) => (),
                // What the hole keeps out may be one of many there.
                Some(Why::Hole(_))
                    if !matches!(self.objects_to(&place, &itself), Some(Why::Hole(_))) => {}
                Some(why) => {
                    let path = shortened(&place.text().replace(HOLE, "…"));
                    return Verdict::Outside(Reason { path, written: None, why });
                }
            }
        }
        Verdict::Ask(Doubt::Opaque(target.written.text().to_owned()))
    }

    fn objects_to(&self, place: &Place, target: &Target) -> Option<Why> {
        let path = match place {
            Place::Outside(_) => return Some(Why::OutsideProject),
            Place::Inside(path) => path,
        };
        if let Some(what) = guarded(path) {
            return Some(Why::Guarded(what.to_owned()));
        }
        if let Some(what) = &target.guarded {
            return Some(Why::Guarded(what.clone()));
        }
        if let Some(what) = &self.broken {
            return Some(Why::Broken(what.clone()));
        }
        if self.owned.is_empty() {
            return Some(Why::Empty);
        }
        let kind = target.kind;
        let folds = target.case != Case::Keeps;
        let is_in_it = |it: &Glob| {
            let is_below = kind == Kind::Folder && it.reaches_below(path, folds);
            it.matches(path, Kind::Folder, folds) || is_below
        };
        if let Some(hole) = self.holes.iter().find(|it| it.globs.iter().any(is_in_it)) {
            return Some(Why::Hole(hole.text.clone()));
        }
        let folds = target.case == Case::Folds;
        let globs = || self.owned.iter().flat_map(|it| &it.globs);
        if !globs().any(|it| it.matches(path, kind, folds)) {
            let reaches = kind == Kind::Folder && globs().any(|it| it.reaches_below(path, folds));
            return Some(if reaches { Why::InPart } else { Why::NotOwned });
        }
        let is_whole = kind != Kind::Folder || globs().any(|it| it.covers(path, folds));
        (!is_whole).then_some(Why::InPart)
    }
}

fn parse(text: &str) -> Result<Vec<Glob>, String> {
    check(text)?;
    let mut globs: Vec<Glob> = Vec::new();
    for alternative in glob::alternatives(text)? {
        check(&alternative)?;
        let glob = Glob::parse(&alternative, Dialect::Scope)?;
        // `.` is the root, and all below it.
        let glob = if glob.names_nothing() { Glob::parse("**", Dialect::Scope)? } else { glob };
        if !globs.contains(&glob) {
            globs.push(glob);
        }
    }
    Ok(globs)
}

/// What no pattern may be.
fn check(text: &str) -> Result<(), String> {
    let is_drive = |text: &str| {
        let mut chars = text.chars();
        chars.next().is_some_and(|it| it.is_ascii_alphabetic())
            && chars.next() == Some(':')
            && matches!(chars.next(), None | Some('/' | '\\'))
    };
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.len() > glob::LONGEST {
        return Err(format!("it is longer than {} bytes", glob::LONGEST));
    }
    if text.contains(char::is_control) {
        return Err(
            "it has a line break or a control character; each pattern is an item of the list"
                .to_owned(),
        );
    }
    if text.contains("://") {
        return Err("it is an address, not a path".to_owned());
    }
    if is_drive(text) || text.starts_with("\\\\") {
        return Err("it is absolute; patterns begin at the project's root".to_owned());
    }
    if let Some(rest) = text.strip_prefix('/') {
        let rest = rest.trim_start_matches('/');
        let rest = if rest.is_empty() { "**" } else { rest };
        return Err(format!(
            "it is absolute; patterns begin at the project's root: `{}`",
            shortened(rest)
        ));
    }
    if text == "~" || text.starts_with("~/") {
        return Err("it begins at a home; patterns begin at the project's root".to_owned());
    }
    if text.split('/').any(|it| it == "..") {
        return Err("`..` leads out of what is named".to_owned());
    }
    Ok(())
}

/// What a pattern may have been meant to say.
fn doubts(text: &str, globs: &[Glob]) -> Vec<String> {
    let mut res = Vec::new();
    if globs.iter().any(Glob::is_too_broad) {
        res.push("it is too broad: it bounds nothing".to_owned());
    }
    let is_glued = |it: &str| it.len() > 2 && it.contains("**") && !it.contains(['{', '}', '\\']);
    if text.split('/').any(is_glued) {
        res.push("`**` crosses folders only between slashes; here it is a `*`".to_owned());
    }
    if let Some(name) = text.split('/').find(|it| is_route(it)) {
        let escaped = name.replace('[', "\\[").replace(']', "\\]");
        res.push(format!("`{name}` is one character of those; for that name write `{escaped}`"));
    }
    if text.trim() != text {
        res.push("it begins or ends with a blank, which is part of a name".to_owned());
    }
    let folder = text.trim_start_matches("./").trim_end_matches('*').trim_end_matches('/');
    let is_guarded = !folder.is_empty() && guarded(folder).is_some();
    // Of the client's folder only the settings are.
    if is_guarded && (folder == text || !agents::folders().any(|own| folder.ends_with(own))) {
        res.push("what it names is in nobody's scope".to_owned());
    }
    res
}

/// `[id]` and `[...path]`: whole segments of letters, as routers name folders.
fn is_route(segment: &str) -> bool {
    let inner = segment.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let is_name = |it: &str| it.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    let is_range = |it: &str| it.chars().nth(1) == Some('-');
    inner.is_some_and(|it| it.chars().count() > 1 && is_name(it) && !is_range(it))
}

/// Words of a file in a message: short, on one line.
pub(super) fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut short: String = text
        .chars()
        .take(LONGEST)
        .map(|it| if it.is_control() { '\u{fffd}' } else { it })
        .collect();
    if text.chars().nth(LONGEST).is_some() {
        short.push('…');
    }
    short
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.pattern, self.what)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, written, why } = self;
        if let Some(written) = written {
            write!(f, "`{written}` leads to `{path}`, and ")?;
        }
        match why {
            Why::Empty => f.write_str("the intent's scope is empty"),
            Why::Broken(what) => write!(f, "the intent's scope cannot be read: {what}"),
            Why::OutsideProject => write!(f, "`{path}` is outside the project"),
            Why::Guarded(what) => write!(f, "`{path}` is in nobody's scope: {what}"),
            Why::Hole(pattern) => {
                write!(f, "`!{}` keeps `{path}` out", pattern.trim_start_matches('!'))
            }
            Why::NotOwned => write!(f, "no pattern of the intent's scope covers `{path}`"),
            Why::InPart => write!(f, "only a part of the folder `{path}` is in the intent's scope"),
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::HardLinks(n) => {
                write!(f, "the file has {n} names (hard links), and perhaps not all are in scope")
            }
            Self::Opaque(_) => f.write_str("the path cannot be known beforehand"),
        }
    }
}
