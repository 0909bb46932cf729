//! `${x/from/to}`

use super::Walker;
use crate::shell::syntax::{Part, Word};
use crate::shell::{HOLE, limit};

impl Walker<'_> {
    pub(super) fn replace(&mut self, text: &str, operator: &str, operand: &Word) -> String {
        let (from, to) = parted(operand, operator == "//");
        let pattern = self.pattern(&from);
        let made = self.text(&to);
        // An unquoted `&` is the matched text in newer shells, and plain text in older ones.
        let quoted = to.parts.iter().map(|part| match part {
            Part::Text { text, quoted: true } => text.matches('&').count(),
            _ => 0,
        });
        let is_plain = quoted.sum::<usize>() == made.matches('&').count();
        if pattern.unknown || made.contains(HOLE) || !is_plain {
            return HOLE.to_string();
        }
        let replaced = match pattern.literal() {
            Some(from) => replaced(text, operator, &from, &made),
            None => pattern.replaced(text, operator, &made),
        };
        let replaced = replaced.filter(|text| self.budget.spend(text.len() / 256));
        replaced.unwrap_or_else(|| HOLE.to_string())
    }
}

/// The two sides of the first unquoted `/`. Right behind `//` a slash belongs to the pattern.
fn parted(operand: &Word, is_global: bool) -> (Word, Word) {
    let word = |parts: Vec<Part>| Word { parts, braces: false };
    for (place, part) in operand.parts.iter().enumerate() {
        if let Part::Text { text, quoted: false } = part
            && let first = usize::from(is_global && place == 0 && text.starts_with('/'))
            && let Some(at) = text[first..].find('/')
        {
            let (from, to) = (&text[..first + at], &text[first + at + 1..]);
            let unquoted = |text: &str| Part::Text { text: text.to_owned(), quoted: false };
            let before = operand.parts[..place].iter().cloned().chain([unquoted(from)]);
            let after =
                [unquoted(to)].into_iter().chain(operand.parts[place + 1..].iter().cloned());
            return (word(before.collect()), word(after.collect()));
        }
    }
    (operand.clone(), Word::default())
}

/// `text` with `from` replaced. `None` where that would be too long.
fn replaced(text: &str, operator: &str, from: &str, to: &str) -> Option<String> {
    let times = match (operator, from) {
        ("/" | "//", "") => return Some(text.to_owned()),
        ("//", _) => text.matches(from).count(),
        _ => 1,
    };
    if times.saturating_mul(to.len()).saturating_add(text.len()) > limit::TEXT {
        return None;
    }
    Some(match operator {
        "//" => text.replace(from, to),
        "/#" => text.strip_prefix(from).map_or(text.to_owned(), |rest| format!("{to}{rest}")),
        "/%" => text.strip_suffix(from).map_or(text.to_owned(), |rest| format!("{rest}{to}")),
        _ => text.replacen(from, to, 1),
    })
}
