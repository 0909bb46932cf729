//! `intent_map.md`: a table for each intent with the files that were changed for it, the
//! definitions
//! and the time.
//!
//! The text between the two marker lines depends on the ledger alone, so it is the same for
//! everyone. The rest of the file is the user's. No name can be written so that it becomes a
//! marker.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    ops::Range,
};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::{
    catalogue::Catalogue,
    changed_lines::Change,
    ledger::{FileDetails, Record},
    mutation::evidence::{Evidence, How},
};
use crate::core::bounded;

pub const NAME: &str = "intent_map.md";

const BEGIN: &str =
    "<!-- roz:map (between these marks roz writes; `roz intent map` writes it anew) -->";
const END: &str = "<!-- roz:map end -->";
const HEADING: &str = "# Intent map\n\nWhich intent is at home where.\n\n";

const LONGEST: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "its marks are not clear: keep one line `{BEGIN}` and below it one line `{END}`, or remove both"
)]
pub struct Unclear;

/// By intent, then by path.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Map(BTreeMap<String, BTreeMap<String, Row>>);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    nodes: BTreeSet<String>,
    modified: String,
}

/// The range of roz's block with its markers; `None` if there is none yet.
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
        _ => Err(Unclear),
    }
}

impl Map {
    pub fn add(&mut self, record: &Record) {
        let evidence = |file: &FileDetails| -> Option<Evidence> {
            serde_json::from_value(file.evidence.clone()?).ok()
        };
        let files: Vec<(&FileDetails, Option<Evidence>)> =
            record.metadata.roz.files.iter().map(|file| (file, evidence(file))).collect();
        let from = |evidence: &Option<Evidence>| evidence.as_ref()?.from.clone();
        for rows in self.0.values_mut() {
            // A renamed file keeps its row; two files may have swapped names.
            let renamed = files.iter().filter_map(|(file, evidence)| {
                Some((file.path.clone(), rows.remove(&from(evidence)?)?))
            });
            let renamed: Vec<(String, Row)> = renamed.collect();
            rows.extend(renamed);
            for (file, _) in &files {
                if file.changed.change == Change::Deleted {
                    rows.remove(&file.path);
                }
            }
        }
        if let Some(intent) = &record.intent_id {
            let rows = self.0.entry(intent.clone()).or_default();
            let is_touched = |(file, evidence): &&(&FileDetails, Option<Evidence>)| {
                file.changed.change != Change::Deleted && from(evidence).is_none()
            };
            for (file, evidence) in files.iter().filter(is_touched) {
                let row = rows.entry(file.path.clone()).or_default();
                row.touch(record.timestamp, evidence.as_ref());
            }
        }
        self.0.retain(|_, rows| !rows.is_empty());
    }

    /// Replaces the block, or adds it; the rest of the text stays.
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
            let intent = catalogue.intents.iter().find(|intent| intent.id == *id);
            let name = intent.map(|intent| &intent.name).filter(|intent| *intent != id);
            let heading =
                format!("## `{}` {}", plain(id), name.map(|name| plain(name)).unwrap_or_default());
            let _ = writeln!(res, "\n{}\n", heading.trim_end());
            res.push_str("| File | AST Nodes | Last Modified |\n|---|---|---|\n");
            for (file, row) in files {
                let nodes: Vec<String> =
                    row.nodes.iter().map(|node| format!("`{}`", plain(node))).collect();
                let nodes = if nodes.is_empty() { "—".to_owned() } else { nodes.join(", ") };
                let _ = writeln!(res, "| `{}` | {nodes} | {} |", plain(file), row.modified);
            }
            let list = |ids: &[String]| {
                let ids: Vec<String> =
                    ids.iter().map(|text| format!("`{}`", plain(text))).collect();
                ids.join(", ")
            };
            for (word, ids) in intent
                .into_iter()
                .flat_map(|intent| [("Depends on", &intent.depends_on), ("Blocks", &intent.blocks)])
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
    fn touch(&mut self, at: DateTime<Utc>, evidence: Option<&Evidence>) {
        let at = at.to_rfc3339_opts(SecondsFormat::Secs, true).replace('T', " ");
        // Merged branches mix the order of records.
        self.modified = at.max(std::mem::take(&mut self.modified));
        for (old, _) in evidence.iter().flat_map(|evidence| &evidence.renamed) {
            self.nodes.retain(|node| node.rsplit([':', '.']).next() != Some(old));
        }
        for node in evidence.iter().flat_map(|evidence| &evidence.definitions) {
            match node.change {
                How::Added | How::Modified => self.nodes.insert(node.name.clone()),
                How::Removed => self.nodes.remove(&node.name),
            };
        }
    }
}

/// Escaped for a heading, or for backticks in a table cell.
fn plain(text: &str) -> String {
    let text = bounded::plain_line(&bounded::chars(text.trim(), LONGEST));
    let text = text.replace('`', "'").replace('|', "¦");
    text.replace("<!", "< !").replace("-->", "-- >")
}

#[cfg(test)]
mod tests;
