//! What of the project is an intent's own. A write passes where both spellings of its target do: as
//! written, and where it really goes.
//!
//! - Patterns begin at the project's root. `*` stays within a segment, `**`
//!   crosses them, a folder covers what is below it, `{a,b}` is either.
//! - `!pattern` is a hole, wherever in the list it stands.
//! - A pattern that cannot be read admits nothing; a hole that cannot be read
//!   leaves nobody knowing what it was to keep out, so then nothing is in scope.
//! - Whatever is done to a folder is done to all that is in it: the whole of
//!   it has to be in scope.
//!
//! Not told apart: names in composed and decomposed Unicode, which some file systems take for one.
//! As a pattern that admits, that only denies.

use std::fmt;

use super::{
    glob::{self, Dialect, Glob},
    target::{Case, Kind, Place, Target, guarded},
};
use crate::{core::bounded, shell::HOLE};

/// So many patterns are read; a list that goes on is broken.
const MOST_PATTERNS: usize = 2000;

#[derive(Debug, Clone, Default)]
pub struct Scope {
    owned: Vec<Glob>,
    holes: Vec<Glob>,
    problems: Vec<Complaint>,
    /// A hole cannot be read, or the list is too long: nothing is in scope.
    is_broken: bool,
}

/// What is wrong with a pattern. Displays as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    pub pattern: String,
    pub what: String,
    /// Whether it was left out; else it applies, and may not say what was meant.
    pub refused: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    Inside,
    /// A person has to decide.
    Ask(Unsure),
    Outside {
        /// Where it really is, where that is not what was written.
        real: Option<String>,
        why: Why,
    },
}

/// Why it cannot be known whether a target is in scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsure {
    /// The file has so many names, and perhaps not all are in scope.
    HardLinks(u64),
    /// The path has parts that nobody can know beforehand.
    Opaque,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    OutsideProject,
    /// In nobody's scope.
    Guarded(String),
    /// No pattern admits all of it, a hole keeps it out, or the scope cannot be read.
    NotOwned,
}

impl Scope {
    pub fn new<T: AsRef<str>>(patterns: &[T]) -> Self {
        let mut res = Self::default();
        for pattern in patterns.iter().take(MOST_PATTERNS) {
            res.read(pattern.as_ref());
        }
        res.is_broken |= patterns.len() > MOST_PATTERNS;
        res
    }

    fn read(&mut self, pattern: &str) {
        let (text, is_hole) = match pattern.strip_prefix('!') {
            Some(text) => (text, true),
            None => (pattern, false),
        };
        let mut complain = |what: String, refused: bool| {
            self.problems.push(Complaint { pattern: shortened(pattern), what, refused });
        };
        match parse(text) {
            Err(what) => {
                complain(what, true);
                self.is_broken |= is_hole;
            }
            Ok(globs) => {
                for doubt in doubts(text, &globs) {
                    complain(doubt, false);
                }
                let list = if is_hole { &mut self.holes } else { &mut self.owned };
                list.extend(globs);
            }
        }
    }

    pub(super) fn owned(&self) -> &[Glob] {
        &self.owned
    }

    pub(super) fn holes(&self) -> &[Glob] {
        &self.holes
    }

    /// What is wrong with its patterns, in their order.
    pub fn problems(&self) -> &[Complaint] {
        &self.problems
    }

    pub fn judge(&self, target: &Target) -> Verdict {
        if target.written.text().contains(HOLE) {
            return Verdict::Ask(Unsure::Opaque);
        }
        // The same objection to both is told of what was written.
        let objection = target.places().into_iter().find_map(|place| {
            let why = self.objects_to(place, target)?;
            let real = (target.written != *place).then(|| shortened(place.text()));
            Some(Verdict::Outside { real, why })
        });
        match objection {
            Some(outside) => outside,
            None if target.kind == Kind::File && target.links > 1 => {
                Verdict::Ask(Unsure::HardLinks(target.links))
            }
            None => Verdict::Inside,
        }
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
        let kind = target.kind;
        let folds = target.case != Case::Keeps;
        let is_in_it = |item: &Glob| {
            let is_below = kind == Kind::Folder && item.reaches_below(path, folds);
            item.matches(path, Kind::Folder, folds) || is_below
        };
        let is_held_out = self.is_broken || self.holes.iter().any(is_in_it);
        let folds = target.case == Case::Folds;
        let owns = |glob: &Glob| glob.matches(path, kind, folds);
        let covers = |glob: &Glob| kind != Kind::Folder || glob.covers(path, folds);
        let is_owned = self.owned.iter().any(owns) && self.owned.iter().any(covers);
        (is_held_out || !is_owned).then_some(Why::NotOwned)
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

fn check(text: &str) -> Result<(), String> {
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
    if text.contains("://") || text.get(1..3) == Some(":/") {
        return Err("it is an address or absolute, not a path of the project".to_owned());
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
    Ok(())
}

/// What a pattern may have been meant to say.
fn doubts(text: &str, globs: &[Glob]) -> Vec<String> {
    let mut res = Vec::new();
    if globs.iter().any(Glob::is_too_broad) {
        res.push("it is too broad: it bounds nothing".to_owned());
    }
    let is_glued = |pattern: &str| {
        pattern.len() > 2 && pattern.contains("**") && !pattern.contains(['{', '}', '\\'])
    };
    if text.split('/').any(is_glued) {
        res.push("`**` crosses folders only between slashes; here it is a `*`".to_owned());
    }
    if let Some(name) = text.split('/').find(|part| is_route(part)) {
        let escaped = name.replace('[', "\\[").replace(']', "\\]");
        res.push(format!("`{name}` is one character of those; for that name write `{escaped}`"));
    }
    res
}

/// `[id]` and `[...path]`: whole segments of letters, as routers name folders.
fn is_route(segment: &str) -> bool {
    let inner = segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    let is_range = |text: &str| text.chars().nth(1) == Some('-');
    inner.is_some_and(|inner| inner.chars().count() > 1 && is_name(inner) && !is_range(inner))
}

/// Words of a file in a message: short, on one line.
pub(super) fn shortened(text: &str) -> String {
    bounded::plain_line(&bounded::chars(text, 200))
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.pattern, self.what)
    }
}
