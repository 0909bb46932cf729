//! The paths in the input of a tool that nobody knows: any text in it, at any depth, that is no
//! prose, with the user's home put in, and put together where a folder stands in one field and
//! a name in another.

use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use super::touch::{is_named, is_telling};
use crate::shell::HOLE;

const MAX_DEPTH: usize = 16;
/// Of an object or a list, so many texts are put together.
const MAX_PARTS: usize = 12;
/// A part of a path is no longer, in bytes, nor a text that holds an object.
const MAX_PART: usize = 512;
const MAX_NESTED: usize = 64 * 1024;

/// The texts in a value that may be paths. Where only fields that say so count, `is_path` begins
/// with that; `None` takes any that is no prose.
pub(super) fn paths(value: &Value, is_path: Option<bool>) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, is_path, 0, &mut found);
    found
}

fn collect(value: &Value, is_path: Option<bool>, depth: usize, found: &mut Vec<String>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::String(text) => {
            let nested = || text.len() <= MAX_NESTED && text.trim_start().starts_with(['{', '[']);
            if is_path != Some(false)
                && nested()
                && let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text)
            {
                return collect(&value, is_path, depth + 1, found);
            }
            let is_prose = text.contains(char::is_whitespace);
            if is_path.unwrap_or(!is_prose) {
                add(text, found);
            }
        }
        Value::Array(values) => {
            for it in values {
                collect(it, is_path, depth + 1, found);
            }
            if is_path != Some(false) {
                // `["~", ".roz", "config.toml"]`
                let parts: Option<Vec<&str>> =
                    values.iter().take(MAX_PARTS).map(|it| part(it)).collect();
                let path = parts.filter(|it| it.len() > 1).map(|it| it.join("/"));
                path.into_iter().filter(|it| is_named(it)).for_each(|it| add(&it, found));
            }
        }
        Value::Object(fields) => of_fields(fields, is_path, depth, found),
        _ => (),
    }
}

fn of_fields(
    fields: &Map<String, Value>,
    is_path: Option<bool>,
    depth: usize,
    found: &mut Vec<String>,
) {
    let says = |name: &str| {
        let words = ["path", "file", "dir", "folder", "uri", "source", "dest", "target"];
        let name = name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    };
    // What is put into a file that another field names is no path, whatever it looks like.
    let names_one = fields.keys().any(|it| says(it));
    let is_content =
        |name: &str| names_one && matches!(name, "content" | "contents" | "text" | "body" | "data");
    for (name, it) in fields {
        let is_path = match name.as_str() {
            it if says(it) => Some(true),
            it if is_content(it) => Some(false),
            _ => is_path,
        };
        collect(it, is_path, depth + 1, found);
        // `{"files": {"a/b": "…"}}`
        if is_path != Some(false) && name.contains('/') && !name.contains(char::is_whitespace) {
            add(name, found);
        }
    }
    // `{"dir": "~/.roz", "name": "config.toml"}`: which of them is which, only their names say.
    if is_path == Some(false) || !names_one && is_path.is_none() && fields.len() < 2 {
        return;
    }
    let texts = fields.iter().filter(|it| !is_content(it.0));
    let parts: Vec<&str> = texts.filter_map(|it| part(it.1)).take(MAX_PARTS).collect();
    for (at, folder) in parts.iter().enumerate() {
        for (other, name) in parts.iter().enumerate() {
            let is_below = at != other && !name.starts_with(['/', '~', '$', '-']);
            let folder = folder.trim_end_matches('/');
            if is_below && (is_named(folder) || is_named(name)) {
                add(&format!("{folder}/{name}"), found);
            }
        }
    }
}

/// A text that may be a part of a path.
fn part(value: &Value) -> Option<&str> {
    let text = value.as_str()?;
    let is_part = text.len() <= MAX_PART && !text.is_empty() && !text.contains("://");
    (is_part && !text.contains(char::is_whitespace)).then_some(text)
}

fn add(text: &str, found: &mut Vec<String>) {
    let path = match text.split_once("://") {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => {
            // `file://localhost/x`
            let path = rest.find('/').map_or(rest, |at| &rest[at..]);
            percent_decode_str(path).decode_utf8_lossy().into_owned()
        }
        _ => expanded(text),
    };
    if is_telling(&path) {
        found.push(path);
    }
}

/// A path with the variable at its beginning put in; a server may do so, or a shell behind it.
fn expanded(text: &str) -> String {
    let Some(rest) = text.strip_prefix('$') else { return text.to_owned() };
    let is_end = |c: char| !c.is_alphanumeric() && c != '_';
    let braced = rest.strip_prefix('{').and_then(|it| it.split_once('}'));
    let (name, rest) =
        braced.unwrap_or_else(|| rest.split_at(rest.find(is_end).unwrap_or(rest.len())));
    match name {
        "" => text.to_owned(),
        "HOME" => format!("~{rest}"),
        "PWD" | "CLAUDE_PROJECT_DIR" => format!(".{rest}"),
        _ => format!("{HOLE}{rest}"),
    }
}
