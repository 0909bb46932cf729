//! What is kept of something large: a bounded piece of it, and enough to recognise the whole.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The most that is kept of a prompt or of a tool's input, in bytes.
pub const MAX_KEPT: usize = 10 * 1024;

/// A JSON value, kept whole up to [`MAX_KEPT`] bytes of JSON; above that its beginning as text,
/// with the SHA-256 (hex) and the size in bytes of the original JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TruncatedInput {
    pub value: Value,
    #[serde(default)]
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_size: Option<usize>,
}

/// A text: a plain string in JSON up to [`MAX_KEPT`] bytes, above that what a
/// [`TruncatedInput`] is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    Whole(String),
    Cut(TruncatedInput),
}

impl TruncatedInput {
    pub fn of_json(json: &str) -> Self {
        if json.len() <= MAX_KEPT
            && let Ok(value) = serde_json::from_str(json)
        {
            return Self { value, truncated: false, original_hash: None, original_size: None };
        }
        Self::beginning(json, MAX_KEPT)
    }

    fn beginning(text: &str, max: usize) -> Self {
        Self {
            value: Value::String(cut(text, max).to_owned()),
            truncated: true,
            original_hash: Some(sha256(text.as_bytes())),
            original_size: Some(text.len()),
        }
    }
}

impl Text {
    pub fn of(text: &str) -> Self {
        match text.len() {
            ..=MAX_KEPT => Self::Whole(text.to_owned()),
            _ => Self::Cut(TruncatedInput::beginning(text, MAX_KEPT)),
        }
    }

    pub fn as_str(&self) -> &str {
        match self {
            Self::Whole(text) => text,
            Self::Cut(kept) => kept.value.as_str().unwrap_or_default(),
        }
    }

    /// Keeps at most `max` bytes; the hash and size stay those of the original.
    pub fn shorten(&mut self, max: usize) {
        match self {
            Self::Whole(text) if text.len() > max => {
                *self = Self::Cut(TruncatedInput::beginning(text, max));
            }
            Self::Whole(_) => (),
            Self::Cut(kept) => shorten(&mut kept.value, max),
        }
    }
}

/// The first `max` bytes of `text` or a little less: never half a character.
pub fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// Cuts every text in a value to at most `max` bytes.
pub fn shorten(value: &mut Value, max: usize) {
    match value {
        Value::String(text) => text.truncate(text.floor_char_boundary(max)),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, max)),
        Value::Object(fields) => fields.values_mut().for_each(|value| shorten(value, max)),
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

/// Text for people: a control character, other than the end of a line, is spelt out, so that no
/// text drives a terminal, and so is one that turns the direction of reading, so that none looks
/// like another.
pub fn plain(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let is_kept = |c: char| c == '\n' || !c.is_control() && !turns(c);
    if text.chars().all(is_kept) {
        return text.to_owned();
    }
    let mut res = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\t' => res.push_str("    "),
            c if is_kept(c) => res.push(c),
            c => res.extend(c.escape_default()),
        }
    }
    res
}

pub fn plain_line(text: &str) -> String {
    plain(text).replace('\n', "\\n")
}

/// The first line of `text`, at most `max` characters of it, and an ellipsis where something is
/// missing.
pub fn line(text: &str, max: usize) -> String {
    let first = text.trim().lines().next().unwrap_or_default().trim_end();
    let mut kept: String = first.chars().take(max).collect();
    if kept.len() < text.trim().len() {
        kept.push('…');
    }
    kept
}

/// At most `max` characters of `text`, with an ellipsis where it was cut.
pub fn chars(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Whether a character stands for itself between others, with no blanks to part the words: Chinese,
/// Japanese, Korean.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3134f}'
    )
}

/// Runs of letters and digits in lower case, without the apostrophes in them; an ideograph is a run
/// of its own.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for c in text.chars() {
        if is_ideograph(c) {
            words.extend((!word.is_empty()).then(|| std::mem::take(&mut word)));
            words.push(c.to_string());
        } else if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if !matches!(c, '\'' | '’') && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// SHA-256, as 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let pair = |byte: &u8| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    bytes.iter().flat_map(pair).map(char::from).collect()
}

/// A number of things: `1 record`, `2 records`.
pub fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The beginning of a session's id, by which people tell them apart.
pub fn session_shown(id: &str) -> String {
    let short: String = id.chars().take(8).collect();
    let more = if id.chars().nth(8).is_some() { "…" } else { "" };
    plain_line(&format!("{short}{more}"))
}

#[cfg(test)]
mod tests;
