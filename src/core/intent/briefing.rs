//! What an agent is told of intents: the one that it selected, whole, and at
//! the start of a session those that there are.

use std::fmt::Write as _;

use super::{
    catalogue::{Intent, Status},
    scope::shortened,
};
use crate::core::bounded;

/// The client keeps more than this out of the conversation, in UTF-16 units;
/// the briefing stays below it.
const LARGEST: usize = 10_000;
/// The longest piece of somebody's words.
const LONGEST_ITEM: usize = 600;
const LONGEST_NAME: usize = 200;

/// A list of the briefing: its element, the element of each item, and how much
/// of the room is its own. What one does not need the others may have.
struct Section<'a> {
    name: &'static str,
    item: &'static str,
    items: &'a [String],
    share: usize,
}

/// The selected intent: `<intent_context>`, with its scope, its constraints,
/// what it is done by, what was last done for it and what was learned about
/// it. Below 10,000 characters; what is left out is counted in `<cut>`.
pub fn context(intent: &Intent, recent: &[String], lessons: &[String]) -> String {
    let sections = [
        ("owned_scope", "path", &*intent.owned_scope, 2800),
        ("constraints", "constraint", &*intent.constraints, 2200),
        ("acceptance_criteria", "criterion", &*intent.acceptance_criteria, 1800),
        ("recent_trace", "entry", recent, 700),
        ("lessons", "lesson", lessons, 900),
    ];
    let sections = sections.map(|(name, item, items, share)| Section { name, item, items, share });
    let opening = format!(
        "<intent_context><intent id=\"{}\" name=\"{}\">",
        escaped(&intent.id, LONGEST_NAME),
        escaped(&intent.name, LONGEST_NAME)
    );
    let closing = "</intent></intent_context>";
    let frame: usize =
        sections.iter().map(|it| 2 * it.name.len() + "<></>".len() + Section::longest_cut()).sum();
    let mut room = (LARGEST - 1).saturating_sub(units(&opening) + units(closing) + frame);
    // Its own share for each; then what is left, to the first that need it.
    let mut kept = sections.each_ref().map(|it| {
        let fit = it.fit(it.share.min(room));
        room = room.saturating_sub(it.size(fit));
        fit
    });
    for (section, kept) in sections.iter().zip(&mut kept) {
        let had = section.size(*kept);
        *kept = section.fit(had + room);
        room = room.saturating_sub(section.size(*kept) - had);
    }
    let mut res = opening;
    for (section, kept) in sections.iter().zip(kept) {
        section.write(kept, &intent.id, &mut res);
    }
    res.push_str(closing);
    res
}

impl Section<'_> {
    fn rendered(&self, item: &str) -> String {
        format!("<{0}>{1}</{0}>", self.item, escaped(item, LONGEST_ITEM))
    }

    /// How many of the first items fit.
    fn fit(&self, room: usize) -> usize {
        let mut used = 0;
        let fits = |it: &&String| {
            used += units(&self.rendered(it));
            used <= room
        };
        self.items.iter().take_while(fits).count()
    }

    fn size(&self, count: usize) -> usize {
        self.items.iter().take(count).map(|it| units(&self.rendered(it))).sum()
    }

    fn longest_cut() -> usize {
        // The id may be long, and each of its characters an entity.
        format!("<cut>{} more: roz intent show </cut>", usize::MAX).len() + 300
    }

    fn write(&self, kept: usize, id: &str, res: &mut String) {
        let _ = write!(res, "<{}>", self.name);
        for item in self.items.iter().take(kept) {
            res.push_str(&self.rendered(item));
        }
        let left = self.items.len() - kept.min(self.items.len());
        if left > 0 {
            let _ = write!(res, "<cut>{left} more: roz intent show {}</cut>", escaped(id, 40));
        }
        let _ = write!(res, "</{}>", self.name);
    }
}

/// As the client counts.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// Text for XML, in an element or between `"`: its first `max` characters,
/// with an ellipsis where there are more; what XML has no word for is `�`.
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

/// Told at the start of a session: how an intent is selected, and which ones
/// are open. A dozen lines at most.
pub fn protocol(open: &[&Intent]) -> String {
    const TOLD: usize = 8;
    let mut res = String::from(
        "roz: this project declares what is worked on. Reading is free; before you change \
         anything, select the intent that you are at: the MCP tool `select_active_intent`, or \
         `roz intent select ID`. Stay inside its scope. More scope, or another intent, is the \
         user's to grant: the tools `request_scope_expansion` and `create_intent`, or `roz intent \
         expand ID PATTERN` and `roz intent new`.\n",
    );
    if open.is_empty() {
        res.push_str("No intent is open: ask the user for one.\n");
        return res;
    }
    res.push_str("Open intents:\n");
    for intent in open.iter().take(TOLD) {
        res.push_str(&one_line(intent));
        res.push('\n');
    }
    if open.len() > TOLD {
        let _ = writeln!(res, "- and {} more: `roz intent list`", open.len() - TOLD);
    }
    res
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
    let patterns = intent.owned_scope.iter().take(PATTERNS).map(|it| line(it, 60));
    let patterns: Vec<String> = patterns.collect();
    let _ = match (patterns.as_slice(), intent.owned_scope.len()) {
        ([], _) => write!(res, ": owns nothing"),
        (some, all) if all > PATTERNS => {
            write!(res, ": {} and {} more", some.join(", "), all - PATTERNS)
        }
        (some, _) => write!(res, ": {}", some.join(", ")),
    };
    res
}

#[cfg(test)]
mod tests;
