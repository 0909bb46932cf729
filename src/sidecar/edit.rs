//! Changes `active_intents.yaml` line by line, and keeps every other byte: comments, order, quotes
//! and line ends.
//!
//! Only the usual layout is supported: one field per line, and lists with one item per line or in
//! brackets on one line. The new text is parsed again: if it differs from the old one in more than
//! the change, nothing is written, and the error says what to type by hand.

use std::{fs, ops::Range, path::Path, time::Instant};

use chrono::{DateTime, Utc};

use super::{
    LARGEST, intents_file, lock, text, unconfirmed,
    yaml::{self, KEY},
};
use crate::{
    core::{
        bounded,
        intent::{
            catalogue::{Catalogue, Intent, NotFound, Status},
            draft, selection,
        },
    },
    world::files::{self, At as _},
};

/// The change to make.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A new status: starting, completing or archiving an intent.
    Status {
        id: String,
        status: Status,
    },
    /// More paths in the intent's `owned_scope`.
    AddPaths {
        id: String,
        paths: Vec<String>,
    },
    Append(Box<Intent>),
}

impl Change {
    /// Whether the change permits an agent more.
    fn grants(&self, text: &str) -> bool {
        match self {
            Self::AddPaths { .. } | Self::Append(_) => true,
            Self::Status { id, status } => {
                let before = yaml::parse(text.as_bytes());
                let was_open = before.find(id).is_ok_and(|intent| intent.status.can_be_selected());
                status.can_be_selected() && !was_open
            }
        }
    }

    fn by_hand(&self) -> String {
        match self {
            Self::Status { id, status } => format!("`status: {status}` in the intent {id}"),
            Self::AddPaths { id, paths } => {
                let lines: Vec<String> =
                    paths.iter().map(|path| format!("`- {}`", quoted(path))).collect();
                format!("{} below `owned_scope:` of the intent {id}", lines.join(", "))
            }
            Self::Append(intent) => {
                format!("below `{KEY}:`\n{}", rendered(intent, "  ", "\n").trim_end())
            }
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{0}")]
    NotFound(NotFound),
    #[error("an intent `{0}` is already there, on line {1}")]
    Exists(String, usize),
    /// The file is broken already, or does not exist.
    #[error("`active_intents.yaml` cannot be relied on: {0}")]
    Broken(String),
    #[error("{0}")]
    Unfit(String),
    #[error("line {line}: roz does not change YAML of this shape. By hand: {type_this}")]
    ByHand { line: usize, type_this: String },
    #[error("failed to change the intents")]
    File(#[from] files::Error),
}

/// Who makes a change, and when.
#[derive(Debug, Clone, Copy)]
pub struct Author {
    /// The new value of an existing `updated_at`.
    pub now: DateTime<Utc>,
    /// Whether an agent's client started this process.
    pub is_agents: bool,
    pub until: Instant,
}

/// Makes the change in the project's file. Returns whether anything was written, since the file may
/// say so already.
pub fn change(root: &Path, roz_home: &Path, change: &Change, hand: Author) -> Result<bool, Error> {
    let Author { now, is_agents, until } = hand;
    let path = intents_file(root);
    let _lock = lock(&path, roz_home, until)?;
    let text = text(&path, LARGEST).map_err(Error::Broken)?;
    if text.is_none() && !matches!(change, Change::Append(_)) {
        return Err(Error::Broken("it is not there".to_owned()));
    }
    let old = text.as_deref().unwrap_or_default();
    let new = apply(old, change, &draft::stamp(now))?;
    if text.as_ref() == Some(&new) {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(root);
    fs::create_dir_all(folder).at(folder)?;
    let own = unconfirmed::Own {
        file: selection::FILE.to_owned(),
        before: text.as_ref().map(|text| bounded::hash_of(text.as_bytes())),
        after: Some(bounded::hash_of(new.as_bytes())),
        at: now,
        by_agent: is_agents && change.grants(old),
    };
    // Record it first, so that a concurrent hook does not attribute the change to a call.
    unconfirmed::wrote(root, roz_home, own, until)?;
    files::rewrite(&path, new.as_bytes(), true)?;
    Ok(true)
}

/// The text after the change.
pub fn apply(text: &str, change: &Change, now: &str) -> Result<String, Error> {
    let before = yaml::parse(text.as_bytes());
    if let Some(problem) = before.broken() {
        return Err(Error::Broken(problem.to_string()));
    }
    let mut expected = before.clone();
    let mut lines = Lines::of(text, &before);
    let (line, done) = match change {
        Change::Append(intent) => {
            if let Ok(other) = before.find(&intent.id) {
                return Err(Error::Exists(other.id.clone(), other.line));
            }
            let mut new = (**intent).clone();
            if new.name.is_empty() {
                new.name.clone_from(&new.id);
            }
            expected.intents.push(new);
            (text.lines().count(), lines.append(intent))
        }
        Change::Status { id, status } => {
            let intent = found(&mut expected, id)?;
            if intent.status == *status {
                return Ok(text.to_owned());
            }
            intent.status = status.clone();
            lines.stamp(intent, now);
            (intent.line, lines.set(id, "status", status.word()))
        }
        Change::AddPaths { id, paths } => {
            let intent = found(&mut expected, id)?;
            let is_unfit =
                |path: &&String| path.trim().is_empty() || path.contains(char::is_control);
            if let Some(path) = paths.iter().find(is_unfit) {
                return Err(Error::Unfit(format!("`{}` is not a pattern", path.escape_debug())));
            }
            let new = paths.iter().filter(|path| !intent.owned_scope.contains(path));
            let new: Vec<String> = new.cloned().collect();
            if new.is_empty() {
                return Ok(text.to_owned());
            }
            lines.stamp(intent, now);
            intent.owned_scope.extend_from_slice(&new);
            (intent.line, new.iter().try_for_each(|path| lines.add_path(id, path)))
        }
    };
    let new = lines.lines.concat();
    let after = yaml::parse(new.as_bytes());
    if done.is_none() || after.broken().is_some() || !is_same(&after, &expected) {
        return Err(Error::ByHand { line, type_this: change.by_hand() });
    }
    Ok(new)
}

fn found<'c>(catalogue: &'c mut Catalogue, id: &str) -> Result<&'c mut Intent, Error> {
    let line = catalogue.find(id).map_err(Error::NotFound)?.line;
    let mut intents = catalogue.intents.iter_mut();
    let not_found = || Error::NotFound(NotFound::Unknown { nearest: None });
    intents.find(|intent| intent.line == line && intent.id == id).ok_or_else(not_found)
}

/// Whether both declare the same, apart from line numbers.
fn is_same(one: &Catalogue, other: &Catalogue) -> bool {
    let bare = |intent: &Intent| Intent { line: 0, ..intent.clone() };
    one.intents.iter().map(bare).eq(other.intents.iter().map(bare))
}

/// The lines of a file with their line ends, and where the intents begin.
struct Lines<'a> {
    lines: Vec<String>,
    intents: &'a [Intent],
    eol: &'static str,
}

impl<'a> Lines<'a> {
    fn of(text: &str, catalogue: &'a Catalogue) -> Self {
        let lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
        let is_crlf = lines.first().is_some_and(|line| line.ends_with("\r\n"));
        let eol = if is_crlf { "\r\n" } else { "\n" };
        Self { lines, intents: &catalogue.intents, eol }
    }

    /// The lines of an intent.
    fn range(&self, id: &str) -> Option<Range<usize>> {
        let at = self.intents.iter().position(|intent| intent.id == id)?;
        let next = self.intents.get(at + 1).map_or(self.lines.len(), |next| next.line - 1);
        let first = self.intents[at].line - 1;
        (first < next).then_some(first..next)
    }

    /// The line of an intent's field, and the position of the value in it.
    fn field(&self, id: &str, name: &str) -> Option<(usize, Range<usize>)> {
        let range = self.range(id)?;
        let column =
            |line: &str| line.len() - line.trim_start_matches([' ', '-', '\u{feff}']).len();
        let own = column(self.lines.get(range.start)?);
        range.into_iter().find_map(|at| {
            let line = &self.lines[at];
            let rest = line.get(own..).filter(|_| column(line) == own)?;
            let rest = rest.strip_prefix(name)?.strip_prefix(':')?;
            let begins = line.len() - rest.trim_start_matches(' ').len();
            let value = &line[begins..];
            let quote = value.chars().next().filter(|first| ['"', '\''].contains(first));
            let length = match quote {
                Some(quote) => value[1..].find(quote)? + 2,
                None if value.starts_with('#') => 0,
                None => value.find(" #").unwrap_or(value.len()),
            };
            let length = value[..length].trim_end().len();
            Some((at, begins..begins + length))
        })
    }

    /// Sets an existing `updated_at`. It has to come before other changes, which may add lines.
    fn stamp(&mut self, intent: &mut Intent, now: &str) {
        if let Some(at) = &mut intent.updated_at {
            now.clone_into(at);
            self.set(&intent.id, "updated_at", now);
        }
    }

    /// Replaces the value of a field by a word.
    fn set(&mut self, id: &str, field: &str, word: &str) -> Option<()> {
        let (at, value) = self.field(id, field)?;
        let old = &self.lines[at][value.clone()];
        let new = match old.chars().next() {
            Some(quote @ ('"' | '\'')) => format!("{quote}{word}{quote}"),
            Some('&' | '*' | '!' | '|' | '>' | '[' | '{') => return None,
            Some(_) => word.to_owned(),
            None => format!(" {word}"),
        };
        // Without a value, insert right after the colon, so that a comment stays a comment.
        let place = if old.is_empty() {
            let colon = self.lines[at].find(':')? + 1;
            colon..colon
        } else {
            value
        };
        self.lines[at].replace_range(place, &new);
        Some(())
    }

    fn add_path(&mut self, id: &str, path: &str) -> Option<()> {
        let (at, value) = self.field(id, "owned_scope")?;
        let old = &self.lines[at][value.clone()];
        if let Some(items) = old.strip_prefix('[').and_then(|old| old.strip_suffix(']')) {
            let comma = if items.trim().is_empty() { "" } else { ", " };
            let end = value.end - 1;
            self.lines[at].insert_str(end, &format!("{comma}{}", quoted(path)));
            return Some(());
        }
        if !old.is_empty() && !old.starts_with('&') {
            return None;
        }
        let range = self.range(id)?;
        let margin = |line: &str| line.find(|c| c != ' ').unwrap_or(0);
        let is_item = |line: &String| line.trim_start().starts_with("- ");
        let first = self.lines.get(at + 1..range.end)?.iter().find(|line| is_item(line))?;
        let indent = margin(first);
        let below = (at + 1..range.end).take_while(|at| {
            let line = &self.lines[*at];
            let text = line.trim();
            text.is_empty() || text.starts_with('#') || is_item(line) && margin(line) == indent
        });
        let last = below.filter(|at| is_item(&self.lines[*at])).last()?;
        self.insert_after(last, &format!("{}- {}{}", " ".repeat(indent), quoted(path), self.eol));
        Some(())
    }

    fn append(&mut self, intent: &Intent) -> Option<()> {
        let Some(last) = self.intents.last() else {
            self.append_first(intent);
            return Some(());
        };
        let first = &self.lines[last.line - 1];
        let bare = first.trim_start_matches('\u{feff}');
        let margin = bare.find("- ").filter(|at| bare[..*at].bytes().all(|byte| byte == b' '))?;
        let is_in = |line: &String| {
            let begins = line.find(|c: char| !c.is_whitespace());
            begins.is_none_or(|at| at > margin || line.trim_start().starts_with('#'))
        };
        let is_said = |line: &String| !line.trim().is_empty() && !line.trim().starts_with('#');
        let rest = self.lines[last.line..].iter().take_while(|line| is_in(line));
        let said = rest.enumerate().filter(|(_, line)| is_said(line)).last();
        let end = last.line - 1 + said.map_or(0, |(at, _)| at + 1);
        self.insert_after(end, &rendered(intent, &" ".repeat(margin), self.eol));
        Some(())
    }

    fn append_first(&mut self, intent: &Intent) {
        let lines = rendered(intent, "  ", self.eol);
        let Some(key) = self.lines.iter().position(|line| line.starts_with(KEY)) else {
            let text = format!("{KEY}:{}{lines}", self.eol);
            match self.lines.len().checked_sub(1) {
                Some(last) => self.insert_after(last, &text),
                None => self.lines.push(text),
            }
            return;
        };
        self.lines[key] = self.lines[key].replacen("[]", "", 1);
        self.insert_after(key, &lines);
    }

    /// Inserts a line after another. At the end of a file without a final newline, the new line has
    /// none either.
    fn insert_after(&mut self, at: usize, text: &str) {
        let mut text = text.to_owned();
        if !self.lines[at].ends_with('\n') {
            self.lines[at].push_str(self.eol);
            text.truncate(text.trim_end().len());
        }
        self.lines.insert(at + 1, text);
    }
}

fn rendered(intent: &Intent, margin: &str, eol: &str) -> String {
    use std::fmt::Write as _;
    let mut text = format!("{margin}- id: {}{eol}", quoted(&intent.id));
    let mut field = |name: &str, value: &str| {
        let _ = write!(text, "{margin}  {name}: {}{eol}", quoted(value));
    };
    field("name", if intent.name.is_empty() { &intent.id } else { &intent.name });
    field("status", intent.status.word());
    let times = [("created_at", &intent.created_at), ("updated_at", &intent.updated_at)];
    for (name, at) in times {
        if let Some(at) = at {
            field(name, at);
        }
    }
    let lists = [
        ("owned_scope", &intent.owned_scope),
        ("constraints", &intent.constraints),
        ("acceptance_criteria", &intent.acceptance_criteria),
        ("depends_on", &intent.depends_on),
        ("blocks", &intent.blocks),
    ];
    for (name, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        let _ = write!(text, "{margin}  {name}:{eol}");
        for item in items {
            let _ = write!(text, "{margin}    - {}{eol}", quoted(item));
        }
    }
    text
}

/// The text in double quotes. YAML understands the escapes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
