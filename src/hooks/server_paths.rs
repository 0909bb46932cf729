//! The paths in the input of a server's tool. What a server calls its fields is not known: those
//! whose name says that they hold a path are taken for it, rather one too many, and so are the names
//! of entries below them.

use percent_encoding::percent_decode_str;
use serde_json::Value;

use crate::core::intent::class;

/// As deep as the payload may be.
const MAX_DEPTH: usize = 128;
/// A text is looked through for an object up to this length, in bytes.
const MAX_NESTED: usize = 256 * 1024;

/// Words of a field's name that say so.
const PATHS: &[&str] = &[
    "path",
    "paths",
    "file",
    "files",
    "filename",
    "filenames",
    "filepath",
    "filepaths",
    "dir",
    "dirs",
    "dirname",
    "directory",
    "directories",
    "folder",
    "folders",
    "uri",
    "uris",
    "dest",
    "dst",
    "destination",
    "destinations",
    "target",
    "targets",
    "output",
    "outputs",
    "outfile",
    "location",
    "source",
    "sources",
    "src",
];

/// Words that say that it holds something else, as in `file_text`.
const OTHERS: &[&str] = &[
    "content",
    "contents",
    "text",
    "data",
    "body",
    "type",
    "kind",
    "mode",
    "encoding",
    "format",
    "description",
    "title",
    "size",
    "count",
    "id",
    "line",
    "lines",
    "language",
    "branch",
    "sha",
];

/// Words of fields that may hold what a tool is told, as text.
const CARRIERS: &[&str] = &[
    "input",
    "args",
    "arguments",
    "params",
    "parameters",
    "payload",
    "request",
    "json",
    "edits",
    "operations",
    "actions",
    "changes",
    "moves",
];

/// Each path as it stands there, and what it is once decoded where it is an
/// address.
pub(super) fn named(input: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(input, false, 0, &mut found);
    found
}

fn collect(value: &Value, says: bool, depth: usize, found: &mut Vec<String>) {
    match value {
        Value::String(text) if says => match nested(text, depth) {
            Some(value) => collect(&value, says, depth + 1, found),
            None => add(text, found),
        },
        Value::Array(items) if depth < MAX_DEPTH => {
            for it in items {
                collect(it, says, depth + 1, found);
            }
        }
        Value::Object(fields) if depth < MAX_DEPTH => {
            // `{"from": "a", "to": "b"}` moves something; alone they say nothing.
            for names in [["from", "to"], ["old", "new"]] {
                let ends = names.map(|it| fields.get(it).and_then(Value::as_str));
                if let [Some(from), Some(to)] = ends
                    && (names[0] == "from" || says || [from, to].iter().all(|it| is_like_path(it)))
                {
                    add(from, found);
                    add(to, found);
                }
            }
            for (name, it) in fields {
                // `{"files": {"src/a.ts": "…"}}`
                let is_entry = says && name.contains(['/', '.']);
                if is_entry {
                    add(name, found);
                }
                match it.as_str().filter(|_| is_carrier(name)).and_then(|it| nested(it, depth)) {
                    Some(value) => collect(&value, false, depth + 1, found),
                    None => collect(it, !is_entry && is_path(name), depth + 1, found),
                }
            }
        }
        _ => (),
    }
}

/// The object or the list that a text is. What a file is to hold may be one as
/// well, so only some fields are asked.
fn nested(text: &str, depth: usize) -> Option<Value> {
    let is_one = depth < MAX_DEPTH && text.len() <= MAX_NESTED;
    let is_one = is_one && text.trim_start().starts_with(['{', '[']);
    is_one.then(|| serde_json::from_str(text).ok()).flatten()
}

fn is_carrier(name: &str) -> bool {
    class::words(name).iter().any(|it| CARRIERS.contains(&it.as_str()))
}

/// `src/a.ts`: no blanks or line breaks, and a slash.
fn is_like_path(text: &str) -> bool {
    text.contains('/') && !text.contains(char::is_whitespace) && !text.contains("://")
}

fn is_path(name: &str) -> bool {
    let words = class::words(name);
    let has = |list: &[&str]| words.iter().any(|it| list.contains(&it.as_str()));
    class::is_output(name) || has(PATHS) && !has(OTHERS)
}

fn add(text: &str, found: &mut Vec<String>) {
    if text.is_empty() {
        return;
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        // The server may put it in, or a shell behind it.
        let home = ["$HOME/", "${HOME}/"].iter().find_map(|it| text.strip_prefix(it));
        found.push(home.map_or_else(|| text.to_owned(), |rest| format!("~/{rest}")));
        return;
    };
    // Of another scheme it is no file of this machine.
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
