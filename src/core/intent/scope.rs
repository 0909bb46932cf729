//! Which paths an intent owns. A write passes if both the path as written and the real path, with
//! links resolved, are owned.
//!
//! - Patterns are relative to the project's root. `*` stays within a segment, `**` crosses
//!   segments, a folder includes its content, `{a,b}` is either.
//! - `!pattern` excludes, wherever it is in the list.
//! - An unreadable pattern owns nothing. With an unreadable exclusion nothing is in scope.
//! - A change of a folder changes everything in it, so all of it has to be in scope.
//!
//! Composed and decomposed Unicode names are different, even where the file system treats them as
//! equal; at worst a write is refused.

use std::fmt;

use super::{
    glob::{self, Dialect, Glob},
    target::{Case, Kind, Place, Target, guarded},
};
use crate::{core::bounded, shell::HOLE};

const MOST_PATTERNS: usize = 2000;

#[derive(Debug, Clone, Default)]
pub struct Scope {
    owned: Vec<Glob>,
    holes: Vec<Glob>,
    problems: Vec<Complaint>,
    /// An exclusion cannot be read, or the list is too long: nothing is in scope.
    is_broken: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    pub pattern: String,
    pub what: String,
    /// Whether the pattern was left out. Otherwise it applies, but may not mean what its author
    /// wanted.
    pub refused: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    Inside,
    Ask(Unsure),
    Outside {
        /// The real path, if it is not the written one.
        real: Option<String>,
        why: Why,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsure {
    /// The file has this many hard links, and some may be out of scope.
    HardLinks(u64),
    /// Parts of the path are unknown until the command runs.
    Opaque,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    OutsideProject,
    /// Protected from every intent.
    Guarded(String),
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

    pub fn problems(&self) -> &[Complaint] {
        &self.problems
    }

    pub fn judge(&self, target: &Target) -> Verdict {
        let is_unknown = target.written.text().contains(HOLE);
        // If both are refused for the same reason, the message names the written path.
        let objection = target.places().into_iter().find_map(|place| {
            let why = if is_unknown {
                self.objects_to_folder_of(place, target)?
            } else {
                self.objects_to(place, target)?
            };
            let real = (target.written != *place).then(|| shortened(place.text()));
            Some(Verdict::Outside { real, why })
        });
        match objection {
            Some(outside) => outside,
            None if is_unknown => Verdict::Ask(Unsure::Opaque),
            None if target.kind == Kind::File && target.links > 1 => {
                Verdict::Ask(Unsure::HardLinks(target.links))
            }
            None => Verdict::Inside,
        }
    }

    /// Of a path that is known in part, the folder before the unknown part: `docs` of `docs/$f.md`.
    fn objects_to_folder_of(&self, place: &Place, target: &Target) -> Option<Why> {
        let Place::Inside(path) = place else { return Some(Why::OutsideProject) };
        let known = path.split_once(HOLE).map_or(path.as_str(), |(known, _)| known);
        let (folder, _) = known.rsplit_once('/')?;
        if let Some(what) = target.guarded.as_deref().or_else(|| guarded(folder)) {
            return Some(Why::Guarded(what.to_owned()));
        }
        let folds = target.case != Case::Keeps;
        let may_be_owned = !self.is_broken
            && self.owned.iter().any(|glob| glob.reaches_below(folder, folds))
            && !self.holes.iter().any(|hole| hole.covers(folder, folds));
        (!may_be_owned).then_some(Why::NotOwned)
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
        // `.` is the root with everything below it.
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

/// `[id]` and `[...path]`: folder names of web routers.
fn is_route(segment: &str) -> bool {
    let inner = segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    let is_range = |text: &str| text.chars().nth(1) == Some('-');
    inner.is_some_and(|inner| inner.chars().count() > 1 && is_name(inner) && !is_range(inner))
}

/// For messages: short, on one line.
pub(super) fn shortened(text: &str) -> String {
    bounded::plain_line(&bounded::chars(text, 200))
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.pattern, self.what)
    }
}
