//! What an agent is told about intents: everything about the selected one, and at the start of a
//! session the list of open ones.

use std::fmt::Write as _;

use super::{
    catalogue::{Intent, Status},
    scope::shortened,
};
use crate::core::bounded;

/// In UTF-16 units. The client moves longer texts out of the conversation.
const LARGEST: usize = 10_000;
const LONGEST_ITEM: usize = 600;
const LONGEST_NAME: usize = 200;
/// Room for the note about left-out items: a long id, with each character escaped as an entity.
const LONGEST_CUT: usize = 360;

const OPENING: &str = "<intent_context><intent id=";
const CLOSING: &str = "</intent></intent_context>";

#[derive(Debug, Clone, PartialEq)]
pub struct Briefing {
    pub intent: Intent,
    /// Its last changes, newest first.
    pub recent: Vec<String>,
    /// The lessons about it, newest first.
    pub lessons: Vec<String>,
    /// Declarations that do not count yet, in one line.
    pub waits: Option<String>,
}

impl Briefing {
    /// The selected intent as `<intent_context>`. Items that do not fit are counted in `<cut>`.
    pub fn context(&self) -> String {
        self.beside(0)
    }

    /// The same, so that it and `others` stay below 10,000 characters together; the frame itself
    /// does not shrink.
    pub fn beside(&self, others: usize) -> String {
        let waits = self.waits.as_ref().map(|wait| format!("\n{wait}")).unwrap_or_default();
        let largest = LARGEST.saturating_sub(others).saturating_sub(units(&waits));
        context(&self.intent, &self.recent, &self.lessons, largest) + &waits
    }

    /// Whether `text` already contains it: an answer of roz's own server or the output of
    /// `roz intent select`, perhaps inside JSON.
    pub fn is_told_by(&self, text: &str) -> bool {
        let Some((_, said)) = text.split_once(OPENING) else { return false };
        let said = said.trim_start_matches(['\\', '"']);
        let id = escaped(&self.intent.id, LONGEST_NAME);
        let is_it = said.strip_prefix(&*id).is_some_and(|rest| rest.starts_with(['\\', '"']));
        is_it && said.contains(CLOSING)
    }
}

/// UTF-16 units, as the client counts.
pub fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn context(intent: &Intent, recent: &[String], lessons: &[String], largest: usize) -> String {
    // (name, element of its items, items, share of the room)
    let lists = [
        ("owned_scope", "path", &*intent.owned_scope, 2800),
        ("constraints", "constraint", &*intent.constraints, 2200),
        ("acceptance_criteria", "criterion", &*intent.acceptance_criteria, 1800),
        ("recent_trace", "entry", recent, 700),
        ("lessons", "lesson", lessons, 900),
    ];
    let lists = lists.map(|(name, element, items, share)| {
        let shown =
            |text: &String| format!("<{element}>{}</{element}>", escaped(text, LONGEST_ITEM));
        (name, items.iter().map(shown).collect::<Vec<String>>(), share)
    });
    let size = |items: &[String]| -> usize { items.iter().map(|text| units(text)).sum() };
    let (id, name) = (escaped(&intent.id, LONGEST_NAME), escaped(&intent.name, LONGEST_NAME));
    let mut res = format!("{OPENING}\"{id}\" name=\"{name}\">");
    let frame: usize =
        lists.iter().map(|(name, ..)| 2 * name.len() + "<></>".len() + LONGEST_CUT).sum();
    let mut room = largest.saturating_sub(1 + units(&res) + units(CLOSING) + frame);
    for (at, (name, items, share)) in lists.iter().enumerate() {
        let reserved: usize =
            lists[at + 1..].iter().map(|(_, items, share)| size(items).min(*share)).sum();
        let mut left = room.saturating_sub(reserved).max(room.min(*share));
        let fits = |item: &&String| {
            let rest = left.checked_sub(units(item));
            left = rest.unwrap_or_default();
            rest.is_some()
        };
        let kept = items.iter().take_while(fits).count();
        room = room.saturating_sub(size(&items[..kept]));
        let _ = write!(res, "<{name}>{}", items[..kept].concat());
        if kept < items.len() {
            let (more, id) = (items.len() - kept, escaped(&intent.id, 40));
            let _ = write!(res, "<cut>{more} more: roz intent show {id}</cut>");
        }
        let _ = write!(res, "</{name}>");
    }
    res + CLOSING
}

/// Escapes text for XML and cuts it to `max` characters. Characters that XML cannot express become
/// `�`.
fn escaped(text: &str, max: usize) -> String {
    let mut res = String::new();
    let mut chars = text.chars();
    for c in chars.by_ref().take(max) {
        match c {
            '&' => res.push_str("&amp;"),
            '<' => res.push_str("&lt;"),
            '>' => res.push_str("&gt;"),
            '"' => res.push_str("&quot;"),
            '\'' => res.push_str("&apos;"),
            '\n' | '\t' => res.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => res.push('\u{fffd}'),
            c => res.push(c),
        }
    }
    if chars.next().is_some() {
        res.push('…');
    }
    res
}

/// One line per open intent, nine lines at most.
pub fn listed(open: &[&Intent]) -> String {
    const TOLD: usize = 8;
    if open.is_empty() {
        return "No intent is open: ask the user for one.".to_owned();
    }
    let mut lines = vec!["Open intents:".to_owned()];
    lines.extend(open.iter().take(TOLD).map(|intent| one_line(intent)));
    if open.len() > TOLD {
        lines.push(format!("- and {} more: `roz intent list`", open.len() - TOLD));
    }
    lines.join("\n")
}

/// `- INT-001 (IN_PROGRESS) Login by link: src/auth/**, src/mail/**`
fn one_line(intent: &Intent) -> String {
    const PATTERNS: usize = 3;
    let line = |text: &str, max| bounded::plain_line(&bounded::line(text, max));
    let status = match &intent.status {
        Status::Unknown(word) => shortened(word),
        known => known.to_string(),
    };
    let mut res = format!("- {} ({status}) {}", line(&intent.id, 60), line(&intent.name, 80));
    let patterns = intent.owned_scope.iter().take(PATTERNS).map(|text| line(text, 60));
    let patterns: Vec<String> = patterns.collect();
    match intent.owned_scope.len().saturating_sub(PATTERNS) {
        _ if patterns.is_empty() => res.push_str(": owns nothing"),
        0 => res.extend([": ", &patterns.join(", ")]),
        more => res.extend([": ", &patterns.join(", "), &format!(" and {more} more")]),
    }
    res
}

#[cfg(test)]
mod tests;
