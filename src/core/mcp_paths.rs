//! Finds paths in the input of a server's tool. Fields whose names suggest a path count:
//! `file_path`, `saveTo`, `{"files": [{"path": …}]}`.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::name_words::{is_one, words};

const MAX_DEPTH: usize = 128;

const PATHS: &str = "\
    path paths file files filename filenames filepath filepaths dir dirs dirname directory \
    directories folder folders uri uris dest dst destination destinations target targets output \
    outputs out outfile saveto saveas location source sources src";

/// Words in names for other content, as in `file_text`.
const OTHERS: &str = "\
    content contents text data body type kind mode encoding format description title size count id \
    line lines language branch sha";

/// Each path as written; for URLs, also decoded.
pub fn named(input: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(input, false, 0, &mut found);
    found
}

/// `holds_paths`: the surrounding field's name suggests paths.
fn collect(value: &Value, holds_paths: bool, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(text) if holds_paths => add(text, found),
        Value::Array(items) if depth < MAX_DEPTH => {
            for item in items {
                collect(item, holds_paths, depth + 1, found);
            }
        }
        Value::Object(fields) if depth < MAX_DEPTH => {
            // A move has both fields: `{"from": "a", "to": "b"}`.
            let moves = fields.contains_key("from") && fields.contains_key("to");
            for (name, inner) in fields {
                // `{"files": {"src/a.ts": "…"}}`
                let is_entry = holds_paths && name.contains(['/', '.']);
                if is_entry {
                    add(name, found);
                }
                let is_end = moves && matches!(name.as_str(), "from" | "to");
                collect(inner, is_end || !is_entry && is_path(name), depth + 1, found);
            }
        }
        _ => (),
    }
}

fn is_path(name: &str) -> bool {
    let words = words(name);
    let has = |list: &str| words.iter().any(|word| is_one(list, word));
    (has(PATHS) || is_one(PATHS, &words.concat())) && !has(OTHERS)
}

fn add(text: &str, found: &mut Vec<String>) {
    if text.is_empty() {
        return;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        // The server or its shell may expand it.
        let home = ["$HOME/", "${HOME}/"].iter().find_map(|home| text.strip_prefix(home));
        found.push(home.map_or_else(|| text.to_owned(), |rest| format!("~/{rest}")));
        return;
    };
    // Other schemes name nothing on this machine.
    if scheme.eq_ignore_ascii_case("file") {
        let path = rest.find('/').map_or(rest, |at| &rest[at..]);
        found.push(path.to_owned());
        let decoded = percent_decode_str(path).decode_utf8_lossy();
        if decoded != path {
            found.push(decoded.into_owned());
        }
    }
}

#[cfg(test)]
mod tests;
