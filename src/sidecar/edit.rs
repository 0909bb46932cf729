//! Changes `active_intents.yaml` line by line: comments, order, quotes and
//! line ends stay as they are, and so does every byte that is not the change.
//!
//! The text is changed where the tree says that the value stands, and then
//! read again: unless it now says what it said before, but for the change,
//! nothing is written and the error says what to type by hand. So a shape that
//! nobody thought of ends in a refusal, never in another file.

use std::{fs, path::Path, time::Instant};

use chrono::{DateTime, Utc};
use granit_parser::ScalarStyle;

use super::{
    LARGEST, intents_file,
    tree::{self, At, What},
    word,
    yaml::{self, KEY},
};
use crate::{
    core::intent::{
        catalogue::{Catalogue, Intent, NotFound, Status},
        draft, selection,
    },
    world::{
        cached,
        files::{self, Replacement},
    },
};

/// What is to be changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// Selecting, completing, archiving: one word.
    Status {
        id: String,
        status: Status,
    },
    /// A path more in the intent's `owned_scope`.
    AddPath {
        id: String,
        path: String,
    },
    Append(Box<Intent>),
}

impl Change {
    /// Whether somebody may do more afterwards than before.
    fn grants(&self, text: &str) -> bool {
        match self {
            Self::AddPath { .. } | Self::Append(_) => true,
            Self::Status { id, status } => {
                let before = yaml::parse(text.as_bytes());
                let was_open = before.find(id).is_ok_and(|it| it.status.can_be_selected());
                status.can_be_selected() && !was_open
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
    /// The file is broken already, or is not there.
    #[error("`active_intents.yaml` cannot be relied on: {0}")]
    Broken(String),
    #[error("{0}")]
    Unfit(String),
    #[error("line {line}: {why}. By hand: {type_this}")]
    ByHand { line: usize, why: String, type_this: String },
    #[error("failed to change the intents")]
    File(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Who makes a change, and when.
#[derive(Debug, Clone, Copy)]
pub struct Hand {
    /// For an `updated_at` that is there.
    pub now: DateTime<Utc>,
    /// Whether an agent's client started what makes it.
    pub is_agents: bool,
    pub until: Instant,
}

/// Makes the change in the project's file. Answers whether anything was
/// written: what is so already stays untouched.
pub fn change(root: &Path, roz_home: &Path, change: &Change, hand: Hand) -> Result<bool, Error> {
    let Hand { now, is_agents, until } = hand;
    let path = intents_file(root);
    let file = |err: files::Error| Error::File(Box::new(err));
    let name = cached::hash(&[path.as_os_str().as_encoded_bytes()]);
    let lock = roz_home.join(format!("cache/intents-{name:032x}.lock"));
    let make = |dir: &Path| fs::create_dir_all(dir).map_err(|err| Error::File(Box::new(err)));
    make(&roz_home.join("cache"))?;
    let _lock = files::lock(&lock, until).map_err(file)?;
    let found = files::read(&path).map_err(file)?;
    let (text, mode) = match found {
        Some((bytes, meta)) => {
            use std::os::unix::fs::PermissionsExt as _;
            if bytes.len() as u64 > LARGEST {
                return Err(Error::Broken(format!("it is larger than {} MiB", LARGEST >> 20)));
            }
            let text = String::from_utf8(bytes);
            let text = text.map_err(|_| Error::Broken("it is no UTF-8".to_owned()))?;
            (text, Some(meta.permissions().mode() & 0o7777))
        }
        None if matches!(change, Change::Append(_)) => (String::new(), None),
        None => return Err(Error::Broken("it is not there".to_owned())),
    };
    let grants = change.grants(&text);
    let before = mode.map(|_| word::of(text.as_bytes()));
    let new = apply(&text, change, &draft::stamp(now))?;
    if new == text && mode.is_some() {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(root);
    make(folder)?;
    let tmp = folder.join(format!(".active_intents.{}.tmp", std::process::id()));
    let new = Replacement {
        bytes: new.as_bytes(),
        modified: None,
        durable: true,
        mode: mode.or(Some(0o644)),
    };
    let own = word::Own {
        file: selection::FILE.to_owned(),
        before,
        after: Some(word::of(new.bytes)),
        at: now,
        by_agent: is_agents && grants,
        confirms: false,
    };
    // First: a hook that looks in between must not take it for somebody else's.
    word::wrote(root, roz_home, own, until).map_err(|err| Error::File(Box::new(err)))?;
    files::replace(&path, &tmp, &new).map_err(file)?;
    Ok(true)
}

/// The text after the change.
pub fn apply(text: &str, change: &Change, now: &str) -> Result<String, Error> {
    let before = yaml::parse(text.as_bytes());
    if let Some(problem) = before.broken() {
        return Err(Error::Broken(problem.to_string()));
    }
    let tree = tree::read(text).map_err(|err| Error::Broken(err.to_string()))?;
    let expected = expected(&before, change, now)?;
    let Some(expected) = expected else { return Ok(text.to_owned()) };
    let file = File { text, root: tree.root().filter(|it| !it.is_null()) };
    let mut edits = match change {
        Change::Status { id, status } => {
            let intent = file.intent(id)?;
            let hand = format!("`status: {status}`");
            vec![file.set(intent, "status", status.word(), &hand)?]
        }
        Change::AddPath { id, path } => vec![file.add_path(file.intent(id)?, path)?],
        Change::Append(intent) => file.append(intent)?,
    };
    if let Change::Status { id, .. } | Change::AddPath { id, .. } = change
        && before.find(id).is_ok_and(|it| it.updated_at.is_some())
    {
        let hand = format!("`updated_at: \"{now}\"`");
        edits.push(file.set(file.intent(id)?, "updated_at", now, &hand)?);
    }
    let line = match change {
        Change::Status { id, .. } | Change::AddPath { id, .. } => {
            before.find(id).map_or(0, |it| it.line)
        }
        Change::Append(_) => text.lines().count(),
    };
    let new = spliced(text, edits);
    let after = yaml::parse(new.as_bytes());
    if after.broken().is_some() || !is_same(&after, &expected) {
        return Err(Error::ByHand {
            line,
            why: "this shape of YAML cannot be changed without changing more".to_owned(),
            type_this: by_hand(change),
        });
    }
    Ok(new)
}

/// What the file is to say; none if it says so already.
fn expected(before: &Catalogue, change: &Change, now: &str) -> Result<Option<Catalogue>, Error> {
    let mut after = before.clone();
    let find = |after: &mut Catalogue, id: &str| -> Result<usize, Error> {
        before.find(id).map_err(Error::NotFound)?;
        Ok(after.intents.iter().position(|it| it.id == id).unwrap_or_default())
    };
    let index = match change {
        Change::Status { id, status } => {
            let index = find(&mut after, id)?;
            if after.intents[index].status == *status {
                return Ok(None);
            }
            after.intents[index].status = status.clone();
            index
        }
        Change::AddPath { id, path } => {
            let index = find(&mut after, id)?;
            if path.trim().is_empty() || path.contains(char::is_control) {
                return Err(Error::Unfit(format!("`{}` is no pattern", path.escape_debug())));
            }
            if after.intents[index].owned_scope.contains(path) {
                return Ok(None);
            }
            after.intents[index].owned_scope.push(path.clone());
            index
        }
        Change::Append(intent) => {
            if let Ok(other) = before.find(&intent.id) {
                return Err(Error::Exists(other.id.clone(), other.line));
            }
            let mut intent = (**intent).clone();
            if intent.name.is_empty() {
                intent.name.clone_from(&intent.id);
            }
            after.intents.push(intent);
            return Ok(Some(after));
        }
    };
    if let Some(at) = &mut after.intents[index].updated_at {
        now.clone_into(at);
    }
    Ok(Some(after))
}

/// Lines move; what is declared does not.
fn is_same(one: &Catalogue, other: &Catalogue) -> bool {
    let bare = |it: &Intent| Intent { line: 0, ..it.clone() };
    one.intents.iter().map(bare).eq(other.intents.iter().map(bare))
}

fn by_hand(change: &Change) -> String {
    match change {
        Change::Status { id, status } => format!("`status: {status}` in the intent {id}"),
        Change::AddPath { id, path } => {
            format!("`- {}` below `owned_scope:` of the intent {id}", quoted(path))
        }
        Change::Append(intent) => {
            format!("below `{KEY}:`\n{}", rendered(intent, "  ", "\n").trim_end())
        }
    }
}

/// A piece of the text, and what takes its place.
type Edit = (std::ops::Range<usize>, String);

fn spliced(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut new = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for (range, with) in edits {
        new.push_str(text.get(done..range.start).unwrap_or_default());
        new.push_str(&with);
        done = range.end;
    }
    new.push_str(text.get(done..).unwrap_or_default());
    new
}

struct File<'t, 'a> {
    text: &'a str,
    root: Option<At<'t, 'a>>,
}

impl<'t, 'a> File<'t, 'a> {
    fn intent(&self, id: &str) -> Result<At<'t, 'a>, Error> {
        let list = self.root.and_then(yaml::list).map(At::resolved);
        let has_id = |it: &At| {
            let found = it.resolved().get("id").and_then(|(_, it)| it.resolved().scalar());
            found == Some(id)
        };
        let found = list.and_then(|it| it.items()?.find(has_id)).map(At::resolved);
        found.ok_or(Error::NotFound(NotFound::Unknown { nearest: None }))
    }

    /// A word in the place of a field's value.
    fn set(&self, intent: At, field: &str, word: &str, by_hand: &str) -> Result<Edit, Error> {
        let refuse = |line: usize, why: &str| Error::ByHand {
            line,
            why: why.to_owned(),
            type_this: by_hand.to_owned(),
        };
        let Some((key, value)) = intent.get(field) else {
            let line = intent.node().line;
            return Err(refuse(line, &format!("the intent has no `{field}`")));
        };
        let node = value.node();
        let new = match &node.what {
            What::Scalar { style: ScalarStyle::SingleQuoted, .. } => format!("'{word}'"),
            What::Scalar { style: ScalarStyle::DoubleQuoted, .. } => format!("\"{word}\""),
            What::Scalar { style: ScalarStyle::Plain, .. } if node.range.is_empty() => {
                let end = key.node().range.end;
                let rest = self.text.get(end..).unwrap_or_default();
                let colon = rest.find(':').filter(|it| rest[..*it].trim().is_empty());
                let colon = colon.ok_or_else(|| refuse(key.node().line, "it has no value"))?;
                let at = end + colon + 1;
                return Ok((at..at, format!(" {word}")));
            }
            What::Alias(_) | What::Scalar { style: ScalarStyle::Plain, .. } => word.to_owned(),
            What::Scalar { .. } | What::List { .. } | What::Map { .. } => {
                return Err(refuse(node.line, &format!("`{field}` is no single word")));
            }
        };
        Ok((node.range.clone(), new))
    }

    fn add_path(&self, intent: At, path: &str) -> Result<Edit, Error> {
        let item = quoted(path);
        let refuse = |line: usize, why: &str| Error::ByHand {
            line,
            why: why.to_owned(),
            type_this: format!("`- {item}` below `owned_scope:`"),
        };
        let Some((_, scope)) = intent.get("owned_scope") else {
            return Err(refuse(intent.node().line, "the intent has no `owned_scope`"));
        };
        let node = scope.node();
        match &node.what {
            What::Alias(_) => Err(refuse(node.line, "its `owned_scope` is another's, by an alias")),
            What::Map { .. } => Err(refuse(node.line, "its `owned_scope` is no list")),
            What::Scalar { .. } if scope.is_null() => {
                Err(refuse(node.line, "its `owned_scope` is empty"))
            }
            What::Scalar { text, .. } => {
                Ok((node.range.clone(), format!("[{}, {item}]", quoted(text))))
            }
            What::List { is_flow: true, .. } => {
                let last = scope.items().and_then(|mut it| it.next_back());
                Ok(match last {
                    Some(last) => (last.end()..last.end(), format!(", {item}")),
                    None => (node.range.start + 1..node.range.start + 1, item),
                })
            }
            What::List { is_flow: false, .. } => {
                let last = scope.items().and_then(|mut it| it.next_back());
                let last = last.ok_or_else(|| refuse(node.line, "its `owned_scope` is empty"))?;
                let margin = self
                    .dash(last)
                    .ok_or_else(|| refuse(last.node().line, "the list is not one item a line"))?;
                Ok(self.line_after(last.end(), &format!("{margin}- {item}")))
            }
        }
    }

    fn append(&self, intent: &Intent) -> Result<Vec<Edit>, Error> {
        let eol = self.eol_at(self.text.len());
        let refuse = |line: usize, why: &str| Error::ByHand {
            line,
            why: why.to_owned(),
            type_this: by_hand(&Change::Append(Box::new(intent.clone()))),
        };
        let Some(root) = self.root else {
            let begins = if self.text.is_empty() || self.text.ends_with('\n') { "" } else { eol };
            let at = self.text.len();
            let new = format!("{begins}{KEY}:{eol}{}", rendered(intent, "  ", eol));
            return Ok(vec![(at..at, new)]);
        };
        let list = yaml::list(root).ok_or_else(|| refuse(root.node().line, "it has no list"))?;
        let node = list.node();
        let items = list.items().into_iter().flatten().collect::<Vec<_>>();
        let (after, margin, replaced) = match (&node.what, items.last()) {
            (What::Alias(_), _) => return Err(refuse(node.line, "the list is an alias")),
            (_, Some(_)) if list.is_flow() => {
                return Err(refuse(node.line, "the list is in brackets"));
            }
            (_, Some(tail)) => {
                let margin = self
                    .dash(*tail)
                    .ok_or_else(|| refuse(tail.node().line, "the list is not one item a line"))?;
                (tail.end(), margin.to_owned(), None)
            }
            (_, None) => (node.range.end, "  ".to_owned(), Some(node.range.clone())),
        };
        let lines = rendered(intent, &margin, eol);
        let mut edits = vec![self.line_after(after, lines.trim_end_matches(['\r', '\n']))];
        edits.extend(replaced.filter(|it| !it.is_empty()).map(|it| (it, String::new())));
        Ok(edits)
    }

    /// What stands before the `-` of a list's item, if its line begins so.
    fn dash(&self, item: At) -> Option<&'a str> {
        let before = self.text.get(..item.node().range.start)?;
        let begins = before.rfind('\n').map_or(0, |it| it + 1);
        let line = before.get(begins..)?;
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        let margin = line.split('-').next()?;
        let is_one = line.contains('-') && margin.bytes().all(|it| it == b' ');
        is_one.then_some(margin)
    }

    /// A line more, after the one on which what ends at `end` ends.
    fn line_after(&self, end: usize, line: &str) -> Edit {
        let ended = self.text.get(..end).unwrap_or_default().trim_end().len();
        let rest = self.text.get(ended..).unwrap_or_default();
        let eol = self.eol_at(ended);
        match rest.find('\n') {
            Some(at) => (ended + at + 1..ended + at + 1, format!("{line}{eol}")),
            None => (self.text.len()..self.text.len(), format!("{eol}{line}")),
        }
    }

    /// How the line at `at` ends, or else the first of the file.
    fn eol_at(&self, at: usize) -> &'static str {
        let rest = self.text.get(at..).unwrap_or_default();
        let text = if rest.contains('\n') { rest } else { self.text };
        let is_crlf = text.find('\n').is_some_and(|it| text[..it].ends_with('\r'));
        if is_crlf { "\r\n" } else { "\n" }
    }
}

fn rendered(intent: &Intent, margin: &str, eol: &str) -> String {
    use std::fmt::Write as _;
    let mut res = format!("{margin}- id: {}{eol}", quoted(&intent.id));
    let mut field = |name: &str, value: &str| {
        let _ = write!(res, "{margin}  {name}: {}{eol}", quoted(value));
    };
    let name = if intent.name.is_empty() { &intent.id } else { &intent.name };
    field("name", name);
    field("status", intent.status.word());
    let lists = [
        ("owned_scope", &intent.owned_scope),
        ("constraints", &intent.constraints),
        ("acceptance_criteria", &intent.acceptance_criteria),
        ("depends_on", &intent.depends_on),
        ("blocks", &intent.blocks),
    ];
    for (name, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        let _ = write!(res, "{margin}  {name}:{eol}");
        for item in items {
            let _ = write!(res, "{margin}    - {}{eol}", quoted(item));
        }
    }
    for (name, at) in [("created_at", &intent.created_at), ("updated_at", &intent.updated_at)] {
        if let Some(at) = at {
            let _ = write!(res, "{margin}  {name}: {}{eol}", quoted(at));
        }
    }
    res
}

/// In double quotes. What JSON escapes, YAML reads.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
