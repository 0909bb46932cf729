//! `intent_map.md`: which intent is at home where. Per intent a table of the
//! files that it gave something new, with the definitions, and when.
//!
//! It is a view: what stands between the marks is made of the ledger, record by
//! record, and of nothing else, so whoever makes it gets the same bytes. All
//! else in the file is the user's. A mark is one where it is a line of its own,
//! and no name is written so that it could be one.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    ops::Range,
};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    catalogue::Catalogue,
    ledger::{FileDetails, MutationClass, Record},
    mutation::evidence::{Evidence, How, Moved},
    ranges::Change,
};
use crate::core::bounded;

pub const NAME: &str = "intent_map.md";

const BEGIN: &str =
    "<!-- roz:map (between these marks roz writes; `roz intent map` writes it anew) -->";
const END: &str = "<!-- roz:map end -->";
const HEADING: &str = "# Intent map\n\nWhich intent is at home where.\n\n";

/// The longest name in it, in characters.
const LONGEST: usize = 200;

/// Why nobody knows which text in the file is roz's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unclear {
    #[error("its last mark is missing: put back the line `{END}`, or remove both marks")]
    NoEnd,
    #[error("its first mark is missing: put back the line `{BEGIN}`, or remove both marks")]
    NoBegin,
    #[error("its last mark stands before its first: put them in order, or remove both marks")]
    Reversed,
    #[error("it has marks more than once: leave one line `{BEGIN}`, and below it one line `{END}`")]
    Several,
}

/// By intents, and by paths.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Map(BTreeMap<String, BTreeMap<String, Row>>);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    nodes: BTreeSet<String>,
    modified: String,
}

/// What roz wrote into the text, with its marks; none: nothing yet.
pub fn block(text: &str) -> Result<Option<Range<usize>>, Unclear> {
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let own = bare.trim_start_matches('\u{feff}');
        let begin = at + bare.len() - own.len();
        match own {
            BEGIN => begins.push(begin),
            END => ends.push(begin + END.len()),
            _ => (),
        }
        at += line.len();
    }
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin < end => Ok(Some(*begin..*end)),
        ([_], [_]) => Err(Unclear::Reversed),
        ([_], []) => Err(Unclear::NoEnd),
        ([], [_]) => Err(Unclear::NoBegin),
        _ => Err(Unclear::Several),
    }
}

impl Map {
    /// With what a record says.
    pub fn add(&mut self, record: &Record) {
        let files: Vec<(&FileDetails, Option<Evidence>)> = record
            .metadata
            .roz
            .files
            .iter()
            .map(|it| (it, it.evidence.as_ref().and_then(evidence)))
            .collect();
        for it in files.iter().filter_map(|(_, it)| it.as_ref()).flat_map(|it| &it.moved) {
            self.carry(it, record.timestamp);
        }
        self.carry_whole(&files, record.timestamp);
        for (file, evidence) in &files {
            let evidence = evidence.as_ref();
            if file.changed.change == Change::Deleted
                || evidence.is_some_and(|it| it.from.is_some())
            {
                continue;
            }
            match (file.mutation_class, &record.intent_id) {
                (Some(MutationClass::IntentEvolution), Some(intent)) => {
                    let files = self.0.entry(intent.clone()).or_default();
                    let row = files.entry(file.path.clone()).or_default();
                    row.touch(record.timestamp);
                    for it in evidence.iter().flat_map(|it| &it.definitions) {
                        match it.change {
                            How::Added | How::Modified => row.nodes.insert(it.name.clone()),
                            How::Removed => row.nodes.remove(&it.name),
                        };
                    }
                }
                // What is there goes by its new name, or is there no more.
                (Some(MutationClass::AstRefactor), _) => {
                    let rows = self.0.values_mut().filter_map(|it| it.get_mut(&file.path));
                    for (row, evidence) in rows.zip(std::iter::repeat(evidence)) {
                        if let Some(evidence) = evidence {
                            row.follow(evidence);
                        }
                    }
                }
                _ => (),
            }
        }
        self.0.retain(|_, files| !files.is_empty());
    }

    /// What an intent is at home at goes with it to another file.
    fn carry(&mut self, moved: &Moved, at: DateTime<Utc>) {
        for files in self.0.values_mut() {
            if files.get_mut(&moved.from).is_some_and(|it| it.nodes.remove(&moved.name)) {
                let row = files.entry(moved.to.clone()).or_default();
                row.nodes.insert(moved.name.clone());
                row.touch(at);
            }
        }
    }

    /// Files that have another name now take their rows with them, all at once:
    /// two may have changed names. Those that are gone have none.
    fn carry_whole(&mut self, files: &[(&FileDetails, Option<Evidence>)], at: DateTime<Utc>) {
        let from = |it: &Option<Evidence>| it.as_ref()?.from.clone();
        let moves: Vec<(String, &str)> =
            files.iter().filter_map(|(file, it)| Some((from(it)?, file.path.as_str()))).collect();
        for rows in self.0.values_mut() {
            let carried = moves.iter().filter_map(|(from, to)| Some((*to, rows.remove(from)?)));
            let carried: Vec<(&str, Row)> = carried.collect();
            for (_, to) in &moves {
                rows.remove(*to);
            }
            for (file, _) in files.iter().filter(|(it, _)| it.changed.change == Change::Deleted) {
                rows.remove(&file.path);
            }
            for (to, mut row) in carried {
                row.touch(at);
                rows.insert(to.to_owned(), row);
            }
        }
    }

    /// The text with this between its marks, made where there are none; all
    /// else stays as it is.
    pub fn written_into(&self, text: &str, catalogue: &Catalogue) -> Result<String, Unclear> {
        let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let body = format!("{BEGIN}\n{}\n{END}", self.rendered(catalogue)).replace('\n', eol);
        Ok(match block(text)? {
            Some(block) => format!("{}{body}{}", &text[..block.start], &text[block.end..]),
            None if text.trim().is_empty() => format!("{HEADING}{body}\n"),
            None => {
                let ends = if text.ends_with('\n') { "" } else { eol };
                format!("{text}{ends}{eol}{body}{eol}")
            }
        })
    }

    fn rendered(&self, catalogue: &Catalogue) -> String {
        let mut res = String::new();
        for (id, files) in &self.0 {
            let intent = catalogue.intents.iter().find(|it| it.id == *id);
            let name = intent.map(|it| &it.name).filter(|it| *it != id);
            let heading =
                format!("## `{}` {}", plain(id), name.map(|it| plain(it)).unwrap_or_default());
            let _ = writeln!(res, "\n{}\n", heading.trim_end());
            res.push_str("| File | AST Nodes | Last Modified |\n|---|---|---|\n");
            for (file, row) in files {
                let nodes: Vec<String> =
                    row.nodes.iter().map(|it| format!("`{}`", plain(it))).collect();
                let nodes = if nodes.is_empty() { "—".to_owned() } else { nodes.join(", ") };
                let _ = writeln!(res, "| `{}` | {nodes} | {} |", plain(file), row.modified);
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
    /// Branches that are merged put records in another order.
    fn touch(&mut self, at: DateTime<Utc>) {
        let at = at.to_rfc3339_opts(SecondsFormat::Secs, true).replace('T', " ");
        self.modified = at.max(std::mem::take(&mut self.modified));
    }

    fn follow(&mut self, evidence: &Evidence) {
        for (old, new) in &evidence.renamed {
            let renamed = |node: &String| -> String {
                let parts = node.split("::").map(|it| {
                    let parts = it.split('.').map(|it| if it == old { new.as_str() } else { it });
                    parts.collect::<Vec<_>>().join(".")
                });
                parts.collect::<Vec<_>>().join("::")
            };
            self.nodes = self.nodes.iter().map(renamed).collect();
        }
        for it in evidence.definitions.iter().filter(|it| it.change == How::Removed) {
            self.nodes.remove(&it.name);
        }
    }
}

fn evidence(value: &Value) -> Option<Evidence> {
    serde_json::from_value(value.clone()).ok()
}

/// As it can stand in a heading, and between backticks in a cell.
fn plain(text: &str) -> String {
    let text = bounded::plain_line(&bounded::chars(text.trim(), LONGEST));
    let text = text.replace('`', "'").replace('|', "¦");
    text.replace("<!", "< !").replace("-->", "-- >")
}

#[cfg(test)]
mod tests;
