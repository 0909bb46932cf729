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

/// Every text that roz has, by its name. A file of that name in `<ROZ_HOME>/templates` shadows it.
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

/// A user's own template may be this long, in bytes.
const MAX_OWN: u64 = 64 * 1024;

/// Who speaks.
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
    // What is said may end in something that there is none of.
    let mut filled = fill(text.trim_end(), value);
    filled.truncate(filled.trim_end().len());
    filled
}

/// Puts values in the place of `{{name}}`, in one pass: what a value says is
/// never taken for a placeholder. A name that means nothing here stays.
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

/// The user's own text of that name, else ours; a name that nobody knows falls back to the default
/// block. Nothing outside the folder is ever read.
fn load(name: &str, home: &Path) -> String {
    let text = own(name, home).or_else(|| built_in(name).map(str::to_owned));
    text.unwrap_or_else(|| built_in("block-default").unwrap_or_default().to_owned())
}

/// Whether there is a text of that name.
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
