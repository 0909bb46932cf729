//! Reads `active_intents.yaml` into a catalogue. It is lenient if nothing is lost, and strict if a
//! mistake would permit too much.
//!
//! | found | result |
//! |---|---|
//! | a text instead of a list, a missing field | read as meant |
//! | an unknown field | ignored; reported if it is similar to a known one |
//! | no id, an id twice, a key twice, a pattern that means something else in YAML | an error |
//! | more than one document, no `active_intents` | an error |
//! | an empty file | no intents |

use std::collections::BTreeMap;

use super::yaml_tree::{self, Node, broken};
use crate::core::intent::catalogue::{Catalogue, Intent, Problem, Status};

/// The largest total length of all intents with aliases expanded, in bytes.
const MOST_TEXT: usize = 16 << 20;
const LONGEST_ID: usize = 128;

pub(super) const KEY: &str = "active_intents";

/// Parses the file. Never fails: the catalogue may be broken instead.
pub fn parse(bytes: &[u8]) -> Catalogue {
    read(bytes).unwrap_or_else(of)
}

fn read(bytes: &[u8]) -> Result<Catalogue, Problem> {
    let text = std::str::from_utf8(bytes).map_err(|err| {
        let line = bytes[..err.valid_up_to()].split(|byte| *byte == b'\n').count();
        broken(line, 0, "it is not UTF-8 from here on".to_owned())
    })?;
    let tree = yaml_tree::read(text)?;
    let mut reader = Reader::default();
    reader.file(tree.as_deref())?;
    Ok(reader.catalogue)
}

pub(super) fn of(problem: Problem) -> Catalogue {
    Catalogue { intents: Vec::new(), problems: vec![problem] }
}

#[derive(Default)]
struct Reader {
    catalogue: Catalogue,
    /// The line of each id.
    ids: BTreeMap<String, usize>,
    /// The length of what has been read, plus a constant for each value.
    texts: usize,
}

impl Reader {
    fn file(&mut self, root: Option<&Node>) -> Result<(), Problem> {
        let Some(root) = root.filter(|root| !root.is_null()) else {
            self.note(0, "it declares no intents; they go below `active_intents:`");
            return Ok(());
        };
        let list = root.items().map(|_| root).or_else(|| root.get(KEY));
        let no_list = || root.broken(format!("there is no `{KEY}:` with a list below it"));
        let list = list.ok_or_else(no_list)?;
        Self::no_key_twice(root)?;
        if list.is_null() {
            return Ok(());
        }
        let not_a_list = || format!("`{KEY}` is not a list; each intent begins with `- id:`");
        let items = list.items().ok_or_else(|| list.broken(not_a_list()))?;
        for item in items.filter(|item| !item.is_null()) {
            if let Some(intent) = self.intent(item)? {
                self.add(intent);
            }
        }
        Ok(())
    }

    fn add(&mut self, intent: Intent) {
        if let Some(other) = self.ids.insert(intent.id.clone(), intent.line) {
            let Intent { id, line, .. } = &intent;
            let what = format!("two intents have the id `{id}`, on lines {other} and {line}");
            self.catalogue.problems.push(broken(*line, 0, what));
        }
        self.catalogue.intents.push(intent);
    }

    fn intent(&mut self, item: &Node) -> Result<Option<Intent>, Problem> {
        let Some(pairs) = item.pairs() else {
            let what = "an intent is a list of fields, `- id: …` first";
            self.catalogue.problems.push(item.broken(what));
            return Ok(None);
        };
        Self::no_key_twice(item)?;
        let mut intent = Intent { line: item.line, ..Intent::default() };
        for (key, value) in pairs {
            let Some(name) = key.scalar() else { continue };
            match name {
                "id" => intent.id = self.word(value)?.unwrap_or_default(),
                "name" => intent.name = self.word(value)?.unwrap_or_default(),
                "status" => {
                    if let Some(word) = self.word(value)? {
                        intent.status = Status::read(&word);
                    }
                }
                "owned_scope" => intent.owned_scope = self.patterns(value)?,
                "constraints" => intent.constraints = self.texts(value)?,
                "acceptance_criteria" => intent.acceptance_criteria = self.texts(value)?,
                "created_at" => intent.created_at = self.word(value)?,
                "updated_at" => intent.updated_at = self.word(value)?,
                "depends_on" => intent.depends_on = self.texts(value)?,
                "blocks" => intent.blocks = self.texts(value)?,
                "<<" => self.note(key.line, "`<<` is not supported: write the fields out"),
                _ => {
                    let is_like = |text: &&&str| strsim::osa_distance(name, text) <= text.len() / 5;
                    let line = key.line;
                    if let Some(field) = FIELDS.iter().find(is_like) {
                        let name = name.escape_debug();
                        let what = format!("there is no field `{name}`; did you mean `{field}`?");
                        self.note(line, &what);
                    }
                }
            }
        }
        let id = &intent.id;
        let trouble = if id.trim().is_empty() {
            Some("the intent has no id")
        } else if id.chars().count() > LONGEST_ID
            || id.contains(char::is_control)
            || id.trim() != id
        {
            Some("the id is too long, or has blanks around it, line breaks or control characters")
        } else {
            None
        };
        if let Some(what) = trouble {
            self.catalogue.problems.push(item.broken(what));
            return Ok(None);
        }
        if let Status::Unknown(word) = &intent.status {
            let word: String = word.chars().filter(|c| !c.is_control()).take(40).collect();
            let what = format!("`{word}` is not a status: {} cannot be selected", intent.id);
            self.note(item.line, &what);
        }
        if intent.name.is_empty() {
            intent.name.clone_from(&intent.id);
        }
        Ok(Some(intent))
    }

    fn no_key_twice(map: &Node) -> Result<(), Problem> {
        let mut seen: Vec<(&str, usize)> = Vec::new();
        for (key, _) in map.pairs().into_iter().flatten() {
            let line = key.line;
            let Some(name) = key.scalar() else { continue };
            // Fields that are not read may occur twice.
            if !FIELDS.contains(&name) {
                continue;
            }
            if let Some((_, first)) = seen.iter().find(|(text, _)| *text == name) {
                let what = format!("`{name}` is given twice, on lines {first} and {line}");
                return Err(key.broken(what));
            }
            seen.push((name, line));
        }
        Ok(())
    }

    /// A text. A list or a map is converted to one.
    fn word(&mut self, value: &Node) -> Result<Option<String>, Problem> {
        if value.is_null() && value.tag.is_none() {
            return Ok(None);
        }
        self.one(value).map(Some)
    }

    fn texts(&mut self, value: &Node) -> Result<Vec<String>, Problem> {
        let Some(items) = value.items() else {
            return Ok(self.word(value)?.into_iter().collect());
        };
        let mut res = Vec::new();
        for item in items {
            res.extend(self.word(item)?);
        }
        Ok(res)
    }

    /// As [`Reader::texts`], but accepts only texts, because a part of a pattern would be another
    /// pattern.
    fn patterns(&mut self, value: &Node) -> Result<Vec<String>, Problem> {
        let items: Vec<&Node> = value.items().map_or_else(|| vec![value], Iterator::collect);
        for item in items {
            if item.scalar().is_none() && item.tag.is_none() {
                return Err(item.broken("this is not a path: write it in quotes"));
            }
        }
        self.texts(value)
    }

    fn one(&mut self, value: &Node) -> Result<String, Problem> {
        if let Some(tag) = &value.tag {
            return Err(value.broken(format!("`{tag}` is a tag to YAML: write it in quotes")));
        }
        let text = value.scalar().map_or_else(|| in_words(value), str::to_owned);
        self.texts += text.len() + 32;
        if self.texts > MOST_TEXT {
            let most = MOST_TEXT >> 20;
            let what = format!("with its aliases in full it is longer than {most} MiB");
            return Err(value.broken(what));
        }
        Ok(text)
    }

    fn note(&mut self, line: usize, what: &str) {
        const MOST: usize = 1000;
        if self.catalogue.problems.len() < MOST {
            let what = what.to_owned();
            self.catalogue.problems.push(Problem { line, column: 0, what, breaks: false });
        }
    }
}

/// A list or a map of texts as one text, such as `must: pass`. Deeper levels are left out.
fn in_words(value: &Node) -> String {
    let word = |at: &Node| at.scalar().unwrap_or_default().to_owned();
    let items = value.items().into_iter().flatten().map(word);
    let pairs = value.pairs().into_iter().flatten();
    let pairs = pairs.map(|(key, value)| format!("{}: {}", word(key), word(value)));
    items.chain(pairs).collect::<Vec<_>>().join(", ")
}

const FIELDS: &[&str] = &[
    KEY,
    "id",
    "name",
    "status",
    "owned_scope",
    "constraints",
    "acceptance_criteria",
    "created_at",
    "updated_at",
    "depends_on",
    "blocks",
];
