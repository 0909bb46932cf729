//! Shortens what is too large to keep, with a hash that still identifies the whole; and shortens
//! and cleans texts for people.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Of a prompt or of a tool's input, in bytes.
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

/// The first `max` bytes of `text`, or fewer so that no character is split.
pub fn cut(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

pub fn shorten(value: &mut Value, max: usize) {
    match value {
        Value::String(text) => text.truncate(text.floor_char_boundary(max)),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten(item, max)),
        Value::Object(fields) => fields.values_mut().for_each(|value| shorten(value, max)),
        Value::Null | Value::Bool(_) | Value::Number(_) => (),
    }
}

/// Text that is safe to print: control characters are escaped, except for line ends, and so are
/// characters that change the direction of reading.
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

pub fn line(text: &str, max: usize) -> String {
    let first = text.trim().lines().next().unwrap_or_default().trim_end();
    let mut kept: String = first.chars().take(max).collect();
    if kept.len() < text.trim().len() {
        kept.push('…');
    }
    kept
}

pub fn chars(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
    }
}

/// Chinese, Japanese, Korean: each character counts as a word, because blanks do not separate
/// words.
pub(crate) fn is_ideograph(c: char) -> bool {
    matches!(
        c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3134f}'
    )
}

/// Runs of letters and digits in lower case, without apostrophes; an ideograph is a word of its
/// own.
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

/// As 64 hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// The name of a file's content in records: `sha256:` and 64 hexadecimal digits.
pub fn hash_of(bytes: &[u8]) -> String {
    format!("sha256:{}", sha256(bytes))
}

pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let pair = |byte: &u8| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
    bytes.iter().flat_map(pair).map(char::from).collect()
}

/// `1 record`, `2 records`.
pub fn counted(count: impl TryInto<u64>, what: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The beginning of a session's id, as people see it.
pub fn session_shown(id: &str) -> String {
    let short: String = id.chars().take(8).collect();
    let more = if id.chars().nth(8).is_some() { "…" } else { "" };
    plain_line(&format!("{short}{more}"))
}

#[cfg(test)]
mod tests;
