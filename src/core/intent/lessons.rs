//! The lessons file, `.orchestration/CLAUDE.md`: one list item per lesson below
//! `## Lessons Learned`. A comment after each, invisible in the rendered page, says what it is
//! about:
//!
//! ```text
//! - Links expire by the server's clock. <!-- roz {"intent":["INT-001"],"files":["src/auth/link.rs"]} -->
//! ```
//!
//! Items without a comment count for an intent whose id they contain.

use serde::{Deserialize, Deserializer, Serialize};

use super::{
    catalogue::Intent,
    scope::{Scope, Verdict},
    target::{Case, Kind, Place, Target},
};
use crate::core::bounded;

pub const HEADING: &str = "## Lessons Learned";

/// How that comment begins.
const OPENING: &str = "<!-- roz ";
/// Written for `@`, which the client would read as an import.
const AT: &str = "&#64;";

/// In characters.
pub const LONGEST: usize = 500;
pub const MOST_FILES: usize = 20;
const TOLD: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lesson {
    pub text: String,
    pub about: About,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// An older roz wrote a single id.
    #[serde(
        rename = "intent",
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "one_or_more"
    )]
    pub intents: Vec<String>,
    /// Relative to the project's root, with `/`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// Oldest first.
pub fn read(text: &str) -> Vec<Lesson> {
    lines(text).map(|(_, lesson)| lesson).collect()
}

/// The same, with the byte ranges of their lines.
fn lines(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, Lesson)> {
    let section = section(text).unwrap_or_default();
    let mut at = section.start;
    text.get(section).unwrap_or_default().split_inclusive('\n').filter_map(move |line| {
        let begin = at;
        at += line.len();
        Some((begin..at, lesson(line)?))
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Learned {
    New,
    /// The lesson is known, and now covers more intents or files.
    Wider,
    Known,
}

/// The file's text with the lesson added; `None` if it has it already. A known lesson gets the new
/// intents and files, and nothing else of it changes.
pub fn with(text: &str, new: &Lesson) -> (Option<String>, Learned) {
    let said = normal(&new.text);
    let same = lines(text).find(|(_, lesson)| normal(&lesson.text) == said);
    if let Some((at, known)) = same {
        let about = known.about.with(&new.about);
        if about == known.about {
            return (None, Learned::Known);
        }
        let line = &text[at.clone()];
        let bare = line.trim_end_matches(['\r', '\n']);
        let words = match bare.rsplit_once(OPENING) {
            Some((words, _)) if known.about != About::default() => words.trim_end(),
            _ => bare.trim_end(),
        };
        let (before, after) = (&text[..at.start], &text[at.start + bare.len()..]);
        return (Some(format!("{before}{words} {}{after}", about.comment())), Learned::Wider);
    }
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = rendered(new);
    let text = if let Some(section) = section(text) {
        let body = text.get(section.clone()).unwrap_or_default();
        let end = section.start + body.trim_end().len();
        let (before, after) = text.split_at(end);
        let begins = if body.trim().is_empty() { eol } else { "" };
        let ends = if after.is_empty() { eol } else { "" };
        format!("{before}{eol}{begins}{line}{ends}{after}")
    } else {
        let before = text.trim_end();
        let gap = if before.is_empty() { "" } else { "\n\n" }.replace('\n', eol);
        format!("{before}{gap}{HEADING}{eol}{eol}{line}{eol}")
    };
    (Some(text), Learned::New)
}

impl About {
    fn with(&self, more: &Self) -> Self {
        let both = |one: &[String], other: &[String]| {
            let new = other.iter().filter(|text| !one.contains(text)).cloned();
            one.iter().cloned().chain(new).collect()
        };
        Self { intents: both(&self.intents, &more.intents), files: both(&self.files, &more.files) }
    }

    /// Escaped, so that the content cannot end the comment or import a file.
    fn comment(&self) -> String {
        let about = serde_json::to_string(self).unwrap_or_default();
        let about = about.replace('<', "\\u003c").replace('>', "\\u003e").replace('@', "\\u0040");
        format!("{OPENING}{about} -->")
    }
}

fn one_or_more<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Ids {
        One(String),
        More(Vec<String>),
    }
    Ok(match Ids::deserialize(deserializer)? {
        Ids::One(id) => vec![id],
        Ids::More(ids) => ids,
    })
}

/// Newest first, about the intent or its files.
pub fn of_intent(lessons: &[Lesson], intent: &Intent, case: Case) -> Vec<String> {
    let scope = Scope::new(&intent.owned_scope);
    let is_in_scope = |file: &String| {
        let target = Target::as_written(Place::Inside(file.clone()), Kind::Absent, case);
        scope.judge(&target) == Verdict::Inside
    };
    let is_between = |c: char| !c.is_alphanumeric() && c != '-' && c != '_';
    let concerns = |lesson: &&Lesson| {
        lesson.about.intents.contains(&intent.id)
            || lesson.about.files.iter().any(is_in_scope)
            || lesson.text.split(is_between).any(|word| word == intent.id)
    };
    lessons.iter().rev().filter(concerns).take(TOLD).map(|lesson| lesson.text.clone()).collect()
}

/// The byte range below the heading, up to the next heading of the same or a higher level.
fn section(text: &str) -> Option<std::ops::Range<usize>> {
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        match start {
            Some(start) if bare.starts_with("# ") || bare.starts_with("## ") => {
                return Some(start..at);
            }
            None if bare.eq_ignore_ascii_case(HEADING) => start = Some(at + bare.len()),
            _ => (),
        }
        at += line.len();
    }
    start.map(|start| start..text.len())
}

fn lesson(line: &str) -> Option<Lesson> {
    let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?.trim();
    let found = item.rsplit_once(OPENING).and_then(|(text, about)| {
        let about = serde_json::from_str(about.strip_suffix("-->")?).ok()?;
        Some((text.trim(), about))
    });
    let (text, about) = found.unwrap_or_else(|| (item, About::default()));
    let text = text.replace(AT, "@");
    (!text.is_empty()).then_some(Lesson { text, about })
}

fn rendered(lesson: &Lesson) -> String {
    let text = bounded::plain_line(&one_line(&lesson.text));
    let text = without_imports(&text.replace("<!--", "<! --"));
    if lesson.about == About::default() {
        return format!("- {text}");
    }
    format!("- {text} {}", lesson.about.comment())
}

/// The client imports the file of an `@path` at the start of a word. As an entity, `@` is rendered
/// the same but not imported.
fn without_imports(text: &str) -> String {
    let mut res = String::with_capacity(text.len());
    let mut last = None;
    for c in text.chars() {
        match c {
            '@' if !last.is_some_and(char::is_alphanumeric) => res.push_str(AT),
            c => res.push(c),
        }
        last = Some(c);
    }
    res
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    bounded::chars(&words.join(" "), LONGEST)
}

/// Two lessons with the same normal form are the same lesson.
fn normal(text: &str) -> String {
    let text = one_line(text).to_lowercase();
    text.trim_end_matches(['.', '!', ' ']).to_owned()
}

#[cfg(test)]
mod tests;
