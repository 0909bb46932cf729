//! `intent_map.md`: which intent is at home where. Per intent a table of the
//! files that it gave something new, with the definitions, and when.
//!
//! It is a view: the text between the markers is made of the ledger, and says
//! all that is needed to go on from it, so a record more costs no look at the
//! records before. Whoever rebuilds it gets the same bytes.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::Value;

use super::{
    catalogue::Catalogue,
    ledger::{MutationClass, Record},
    mutation::evidence::{Evidence, How, Moved},
};
use crate::core::bounded;

pub const NAME: &str = "intent_map.md";

/// The line of a `.gitattributes` beside it: each branch that is merged has
/// changed it, and it is read with the rows of both.
pub const ATTRIBUTES: &str = "intent_map.md merge=union\n";

const BEGIN: &str =
    "<!-- roz:map (between these marks roz writes; `roz intent map` writes it anew) -->";
const END: &str = "<!-- roz:map end -->";
const HEADING: &str = "# Intent map\n\nWhich intent is at home where.\n\n";

/// The longest name in it, in characters.
const LONGEST: usize = 200;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map(BTreeMap<String, BTreeMap<String, Row>>);

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Row {
    nodes: BTreeSet<String>,
    modified: String,
}

impl Map {
    /// What stands between the marks of a text.
    pub fn read(text: &str) -> Self {
        let mut map = Self::default();
        let Some((begin, end)) = marks(text) else { return map };
        let mut intent = String::new();
        for line in text[begin..end].lines() {
            if let Some(heading) = line.strip_prefix("## `") {
                heading.split('`').next().unwrap_or_default().clone_into(&mut intent);
            } else if let Some(row) = line.strip_prefix("| `") {
                let cells: Vec<&str> = row.trim_end_matches(" |").split(" | ").collect();
                if let [file, nodes, modified] = cells.as_slice() {
                    let nodes = nodes.split('`').skip(1).step_by(2).map(str::to_owned).collect();
                    let row = Row { nodes, modified: (*modified).to_owned() };
                    let file = file.trim_end_matches('`').to_owned();
                    // A merge may have left the row of either branch.
                    let files = map.0.entry(intent.clone()).or_default();
                    let known: &mut Row = files.entry(file).or_default();
                    known.nodes.extend(row.nodes);
                    known.modified = row.modified.max(std::mem::take(&mut known.modified));
                }
            }
        }
        map
    }

    /// With what a record says; answers whether that changes anything.
    pub fn add(&mut self, record: &Record) -> bool {
        let mut is_changed = false;
        for file in &record.metadata.roz.files {
            let evidence = file.evidence.as_ref().and_then(evidence);
            for it in evidence.iter().flat_map(|it| &it.moved) {
                is_changed |= self.carry(it, record.timestamp);
            }
        }
        for file in &record.metadata.roz.files {
            let evidence = file.evidence.as_ref().and_then(evidence);
            let path = plain(&file.path);
            match (file.mutation_class, &record.intent_id) {
                (Some(MutationClass::IntentEvolution), Some(intent)) => {
                    let row = self.0.entry(plain(intent)).or_default().entry(path).or_default();
                    let at = time(record.timestamp);
                    is_changed |= row.modified < at;
                    // Branches that are merged put records in another order.
                    row.modified = at.max(std::mem::take(&mut row.modified));
                    for it in evidence.iter().flat_map(|it| &it.definitions) {
                        is_changed |= match it.change {
                            How::Added | How::Modified => row.nodes.insert(plain(&it.name)),
                            How::Removed => row.nodes.remove(&plain(&it.name)),
                        };
                    }
                }
                // What is there goes by its new name, or is there no more.
                (Some(MutationClass::AstRefactor), _) => {
                    let rows = self.0.values_mut().filter_map(|it| it.get_mut(&path));
                    for (row, evidence) in rows.zip(std::iter::repeat(&evidence)) {
                        is_changed |= evidence.as_ref().is_some_and(|it| row.follow(it));
                    }
                }
                _ => (),
            }
        }
        is_changed
    }

    /// What an intent is at home at goes with it to another file.
    fn carry(&mut self, moved: &Moved, at: DateTime<Utc>) -> bool {
        let (name, from, to) = (plain(&moved.name), plain(&moved.from), plain(&moved.to));
        let mut is_changed = false;
        for files in self.0.values_mut() {
            if files.get_mut(&from).is_some_and(|it| it.nodes.remove(&name)) {
                let row = files.entry(to.clone()).or_default();
                row.nodes.insert(name.clone());
                row.modified = time(at).max(std::mem::take(&mut row.modified));
                is_changed = true;
            }
        }
        is_changed
    }

    /// The text with this between its marks, made where there are none; all
    /// else stays as it is.
    pub fn written_into(&self, text: &str, catalogue: &Catalogue) -> String {
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let body = format!("{BEGIN}\n{}\n{END}", self.rendered(catalogue)).replace('\n', eol);
        match marks(text) {
            Some((begin, end)) => {
                let before = &text[..begin - BEGIN.len()];
                format!("{before}{body}{}", &text[end + END.len()..])
            }
            None if text.trim().is_empty() => format!("{HEADING}{body}\n"),
            None => format!("{}{eol}{eol}{body}{eol}", text.trim_end()),
        }
    }

    fn rendered(&self, catalogue: &Catalogue) -> String {
        let mut res = String::new();
        for (id, files) in &self.0 {
            let intent = catalogue.intents.iter().find(|it| plain(&it.id) == *id);
            let name = intent.map(|it| plain(&it.name)).filter(|it| it != id).unwrap_or_default();
            let heading = format!("## `{id}` {name}");
            let _ = writeln!(res, "\n{}\n", heading.trim_end());
            res.push_str("| File | AST Nodes | Last Modified |\n|---|---|---|\n");
            for (file, row) in files {
                let nodes: Vec<String> = row.nodes.iter().map(|it| format!("`{it}`")).collect();
                let nodes = if nodes.is_empty() { "—".to_owned() } else { nodes.join(", ") };
                let _ = writeln!(res, "| `{file}` | {nodes} | {} |", row.modified);
            }
            let list = |ids: &[String]| {
                let ids: Vec<String> = ids.iter().map(|it| format!("`{}`", plain(it))).collect();
                ids.join(", ")
            };
            for (word, ids) in intent
                .into_iter()
                .flat_map(|it| [("Depends on", &it.depends_on), ("Blocks", &it.blocks)])
                .filter(|(_, ids)| !ids.is_empty())
            {
                let _ = writeln!(res, "\n{word}: {}", list(ids));
            }
        }
        if self.0.is_empty() {
            res.push_str("\nNo intent has changed anything yet.\n");
        }
        res
    }
}

impl Row {
    fn follow(&mut self, evidence: &Evidence) -> bool {
        let before = self.nodes.clone();
        for (old, new) in &evidence.renamed {
            let (old, new) = (plain(old), plain(new));
            let renamed = |node: &String| -> String {
                let parts = node.split("::").map(|it| {
                    let parts = it.split('.').map(|it| if *it == *old { new.as_str() } else { it });
                    parts.collect::<Vec<_>>().join(".")
                });
                parts.collect::<Vec<_>>().join("::")
            };
            self.nodes = self.nodes.iter().map(renamed).collect();
        }
        for it in evidence.definitions.iter().filter(|it| it.change == How::Removed) {
            self.nodes.remove(&plain(&it.name));
        }
        self.nodes != before
    }
}

fn evidence(value: &Value) -> Option<Evidence> {
    serde_json::from_value(value.clone()).ok()
}

/// Between the end of the first mark and the beginning of the second.
fn marks(text: &str) -> Option<(usize, usize)> {
    let begin = text.find(BEGIN)? + BEGIN.len();
    Some((begin, begin + text.get(begin..)?.find(END)?))
}

/// As it can stand between backticks in a cell.
fn plain(text: &str) -> String {
    let text = bounded::plain_line(&bounded::chars(text, LONGEST));
    text.replace('`', "'").replace('|', "¦").trim().to_owned()
}

fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true).replace('T', " ")
}
