//! How a learning is written as an entry of the markdown file: its lines, the mark that ends each, and
//! the escapes with their inverse.

use std::fmt::Write as _;

use chrono::SecondsFormat;

use crate::core::reflection::learning::Learning;

/// The beginning of a file.
pub(super) const HEAD: &str = "\
# Learnings

What was learned here, written by `roz reflect` for agents and people. Each line of an entry ends
in the entry's mark, so that branches merge (`merge=union`). Edit the text as you like.
";

/// How many random letters are at the end of the ids that we make.
const TAIL: usize = 6;

/// The mark at the end of each line of the entry `id`: the tail of the id if we made it, else the
/// whole id, since many entries may have a tail like `001`.
pub(in crate::memory) fn mark(id: &str) -> &str {
    let tail = id.strip_prefix("cl_").and_then(|rest| rest.rsplit_once('_')).map(|(_, tail)| tail);
    tail.filter(|tail| tail.len() >= TAIL).unwrap_or(id)
}

/// Appends the lines of the entry. `before` is the beginning of its heading.
pub(in crate::memory) fn entry(learning: &Learning, before: &str, out: &mut String) {
    let mark = mark(&learning.id);
    let texts = |them: &[String]| {
        them.iter().map(|text| escaped(text, Some(','))).collect::<Vec<_>>().join(", ")
    };
    let text = |value: &str| escaped(value, None);
    let mut lines: Vec<(&str, String)> = vec![
        ("Status", learning.status.to_string()),
        ("Category", learning.category.to_string()),
        ("Scope", learning.scope.to_string()),
        ("Confidence", learning.confidence.to_string()),
    ];
    if !learning.criteria.is_empty() {
        let criteria: Vec<_> = learning.criteria.iter().map(|criterion| criterion.word()).collect();
        lines.push(("Criteria", criteria.join(", ")));
    }
    if !learning.tags.is_empty() {
        lines.push(("Tags", texts(&learning.tags)));
    }
    if !learning.context_files.is_empty() {
        lines.push(("Files", texts(&learning.context_files)));
    }
    for (label, value) in [
        ("Relevance", &learning.relevance),
        ("Ticket", &learning.ticket_id),
        ("Session", &learning.session_id),
        ("Supersedes", &learning.supersedes),
    ] {
        lines.extend(value.as_deref().map(|value| (label, text(value))));
    }
    let mut written = learning.created_at.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    if let Some(version) = &learning.roz_version {
        written = format!("{written} by roz {}", text(version));
    }
    let _ = writeln!(out, "{before}{} ^{}", text(&learning.summary), learning.id);
    for (label, value) in lines {
        let _ = writeln!(out, "- **{label}:** {value} ^{mark}");
    }
    for line in learning.detail.split('\n') {
        let _ = writeln!(out, "> {} ^{mark}", text(line));
    }
    let _ = writeln!(out, "- **Written:** {written} ^{mark}");
}

/// `text` as part of a line. Characters that would end the line, separate items (`also`) or be
/// invisible become character references, and so does the ampersand of text that looks like one.
pub(super) fn escaped(text: &str, also: Option<char>) -> String {
    let mut res = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        let is_hidden = c.is_control() && c != '\t'
            || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
        if is_hidden || Some(c) == also || c == '&' && reference(&text[at..]).is_some() {
            let _ = write!(res, "&#{};", u32::from(c));
        } else {
            res.push(c);
        }
    }
    res
}

/// The inverse of [`escaped`].
pub(super) fn unescaped(text: &str) -> String {
    let mut res = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("&#") {
        res.push_str(&rest[..at]);
        rest = &rest[at..];
        let read = reference(rest);
        let c = read.and_then(|digits| char::from_u32(digits.parse().ok()?));
        if let (Some(digits), Some(c)) = (read, c) {
            res.push(c);
            rest = &rest["&#;".len() + digits.len()..];
        } else {
            res.push_str("&#");
            rest = &rest["&#".len()..];
        }
    }
    res.push_str(rest);
    res
}

/// The digits of the character reference at the beginning of `text`.
fn reference(text: &str) -> Option<&str> {
    let rest = text.strip_prefix("&#")?;
    let end = rest.find(|c: char| !c.is_ascii_digit())?;
    (end > 0 && rest[end..].starts_with(';')).then(|| &rest[..end])
}
