//! Turns a notice into the words that the agent reads.

use std::path::Path;

use crate::{
    core::{outcome::Notice, session::SessionId},
    world,
};

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../templates/", $name, ".md")))),*]
    };
}

/// All texts of roz by name. A file of that name in `<ROZ_HOME>/templates` replaces one.
pub const BUILT_IN: &[(&str, &str)] = built_in![
    "again",
    "approved-already",
    "ask-breaker",
    "ask-denials",
    "ask-unknown",
    "ask-unreadable",
    "bad-session",
    "block-default",
    "brief",
    "format-failed",
    "gate-deny",
    "gate-reviewing",
    "gate-unasked",
    "intent",
    "intent-aftermath",
    "intent-lesson",
    "intent-overlap",
    "intent-protocol",
    "issues",
    "learnings",
    "no-token",
    "own-files",
    "protected",
    "reflect",
    "reflect-again",
    "reflect-elsewhere",
    "replaced",
    "reviewer",
    "reviewer-gate",
    "reviewer-hold",
    "reviewer-writes",
    "reviewing",
    "start-unasked",
    "wait-for-reviewer",
    "waiting",
];

/// The longest template of a user, in bytes.
const MAX_OWN: u64 = 64 * 1024;

/// The values that templates refer to.
#[derive(Debug, Clone, Copy)]
pub struct Voice<'a> {
    pub session_id: &'a SessionId,
    /// `<ROZ_HOME>`.
    pub home: &'a Path,
    /// How this binary is called: `roz`, or its path.
    pub roz: &'a str,
}

pub fn render(notice: &Notice, voice: Voice) -> String {
    let text = load(&notice.template, voice.home);
    let value = |name: &str| match name {
        "session_id" => Some(voice.session_id.as_str()),
        "roz" => Some(voice.roz),
        _ => {
            notice.fields.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
        }
    };
    // The text may end with an empty value.
    let mut filled = fill(text.trim_end(), value);
    filled.truncate(filled.trim_end().len());
    filled
}

/// Replaces `{{name}}` by its value in one pass, so that text in a value is never mistaken for a
/// placeholder. Unknown names stay.
pub(crate) fn fill<'a>(text: &str, value: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut res = String::with_capacity(text.len() + 256);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        res.push_str(before);
        let known =
            after.split_once("}}").and_then(|(name, rest)| Some((value(name.trim())?, rest)));
        let (text, after) = known.unwrap_or(("{{", after));
        res.push_str(text);
        rest = after;
    }
    res.push_str(rest);
    res
}

/// The user's own text with that name, else ours; for an unknown name the default block. Never
/// reads outside the folder.
fn load(name: &str, home: &Path) -> String {
    let text = own(name, home).or_else(|| built_in(name).map(str::to_owned));
    text.unwrap_or_else(|| built_in("block-default").unwrap_or_default().to_owned())
}

/// Whether there is a text with that name.
pub fn exists(name: &str, home: &Path) -> bool {
    built_in(name).is_some() || own(name, home).is_some()
}

fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(text, _)| *text == name).map(|(_, text)| *text)
}

fn own(name: &str, home: &Path) -> Option<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(is_part) {
        return None;
    }
    let path = home.join("templates").join(format!("{name}.md"));
    world::read_text(&path, MAX_OWN).filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests;
