//! The shared brain, `.orchestration/CLAUDE.md`: what was learned stands below
//! `## Lessons Learned`, an item each, once. What it concerns stands behind it
//! in a comment, which readers of the rendered page do not see:
//!
//! ```text
//! - Links expire by the server's clock. <!-- roz {"intent":"INT-001","files":["src/auth/link.rs"]} -->
//! ```
//!
//! Items that people wrote without one count where they name the intent.

use serde::{Deserialize, Serialize};

use super::{
    catalogue::Intent,
    scope::{Scope, Verdict},
    target::{Case, Kind, Place, Target},
};
use crate::core::bounded;

pub const HEADING: &str = "## Lessons Learned";

/// The longest lesson, in characters.
pub const LONGEST: usize = 500;
/// So many files may be named.
pub const MOST_FILES: usize = 20;
/// So many are told at a time.
const TOLD: usize = 20;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lesson {
    pub text: String,
    pub about: About,
}

/// What a lesson concerns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent: Option<String>,
    /// From the project's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The lessons in the file, oldest first.
pub fn read(text: &str) -> Vec<Lesson> {
    let Some(section) = section(text) else { return Vec::new() };
    let lines = text.get(section).unwrap_or_default().lines();
    lines.filter_map(lesson).collect()
}

/// The file with the lesson in it; none if it says so already. Nothing else of
/// it changes.
pub fn with(text: &str, lesson: &Lesson) -> Option<String> {
    let said = normal(&lesson.text);
    if read(text).iter().any(|it| normal(&it.text) == said) {
        return None;
    }
    let eol = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let line = rendered(lesson);
    Some(if let Some(section) = section(text) {
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
    })
}

/// What was learned about the intent or its files, newest first.
pub fn of_intent(lessons: &[Lesson], intent: &Intent, case: Case) -> Vec<String> {
    let scope = Scope::new(&intent.owned_scope);
    let is_in_scope = |file: &String| {
        let place = Place::Inside(file.clone());
        let target = Target {
            written: place.clone(),
            real: place,
            kind: Kind::Absent,
            case,
            links: 0,
            guarded: None,
        };
        scope.judge(&target) == Verdict::Inside
    };
    let concerns = |it: &&Lesson| {
        it.about.intent.as_ref() == Some(&intent.id)
            || it.about.files.iter().any(is_in_scope)
            || names(&it.text, &intent.id)
    };
    lessons.iter().rev().filter(concerns).take(TOLD).map(|it| it.text.clone()).collect()
}

/// The bytes below the heading, to the next one that is as high, or the end.
/// In a fence no line is a heading; one that is never closed is none.
fn section(text: &str) -> Option<std::ops::Range<usize>> {
    let is_fence = |line: &str| line.trim_start().starts_with("```");
    let mut fences = text.lines().filter(|it| is_fence(it)).count() & !1;
    let mut start = None;
    let mut is_fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        if is_fence(bare) && fences > 0 {
            is_fenced = !is_fenced;
            fences -= 1;
        }
        let is_heading = !is_fenced && (bare.starts_with("# ") || bare.starts_with("## "));
        match start {
            Some(start) if is_heading => return Some(start..at),
            None if !is_fenced && bare.eq_ignore_ascii_case(HEADING) => {
                start = Some(at + line.trim_end().len());
            }
            _ => (),
        }
        at += line.len();
    }
    start.map(|start| start..text.len())
}

fn lesson(line: &str) -> Option<Lesson> {
    let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?.trim();
    let found = item.rsplit_once("<!-- roz ").and_then(|(text, about)| {
        let about = serde_json::from_str(about.strip_suffix("-->")?).ok()?;
        Some(Lesson { text: text.trim().to_owned(), about })
    });
    let whole = || Lesson { text: item.to_owned(), about: About::default() };
    Some(found.unwrap_or_else(whole)).filter(|it| !it.text.is_empty())
}

/// One line: what is in the comment cannot end it.
fn rendered(lesson: &Lesson) -> String {
    let text = bounded::plain_line(&one_line(&lesson.text));
    let text = text.replace("<!--", "<! --");
    if lesson.about == About::default() {
        return format!("- {text}");
    }
    let about = serde_json::to_string(&lesson.about).unwrap_or_default();
    let about = about.replace('<', "\\u003c").replace('>', "\\u003e");
    format!("- {text} <!-- roz {about} -->")
}

fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    bounded::chars(&words.join(" "), LONGEST)
}

/// What makes two lessons one.
fn normal(text: &str) -> String {
    let text = one_line(text).to_lowercase();
    text.trim_end_matches(['.', '!', ' ']).to_owned()
}

fn names(text: &str, id: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    !id.is_empty()
        && text.match_indices(id).any(|(at, _)| {
            !text[..at].ends_with(is_part) && !text[at + id.len()..].starts_with(is_part)
        })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lesson(text: &str, intent: &str, files: &[&str]) -> Lesson {
        let files = files.iter().map(|it| (*it).to_owned()).collect();
        let intent = (!intent.is_empty()).then(|| intent.to_owned());
        Lesson { text: text.to_owned(), about: About { intent, files } }
    }

    #[test]
    fn a_lesson_is_found_again_as_it_was_written() {
        let first = lesson("Mind the --> clock.", "INT-1", &["src/a-->b.rs"]);
        let text = with("", &first).unwrap();
        assert_eq!(read(&text), std::slice::from_ref(&first));
        let second = lesson("And the port.", "", &[]);
        let text = with(&text, &second).unwrap();
        assert_eq!(read(&text), [first, second]);
    }

    #[test]
    fn a_lesson_that_is_there_is_not_written_again() {
        let text = with("", &lesson("Mind the clock.", "INT-1", &[])).unwrap();
        assert_eq!(with(&text, &lesson("  mind the\nclock", "INT-2", &[])), None);
    }

    #[test]
    fn the_rest_of_the_file_stays_as_it_is() {
        let text = "# Brain\n\n```\n## Lessons Learned\n```\n\n## Lessons Learned\n\n- By hand.\n\n\
                    ## Style\r\nTabs.";
        let new = with(text, &lesson("New.", "", &[])).unwrap();
        assert_eq!(new, text.replace("- By hand.\n", "- By hand.\r\n- New.\n"));
        let texts: Vec<String> = read(&new).into_iter().map(|it| it.text).collect();
        assert_eq!(texts, ["By hand.", "New."]);
    }

    #[test]
    fn only_what_concerns_the_intent_is_told_newest_first() {
        let all = [
            lesson("of it", "INT-1", &[]),
            lesson("of another", "INT-2", &[]),
            lesson("of its files", "INT-2", &["src/a.rs"]),
            lesson("of others", "", &["docs/a.md"]),
            lesson("names INT-1, by hand", "", &[]),
            lesson("names INT-12", "", &[]),
        ];
        let intent =
            Intent { id: "INT-1".into(), owned_scope: vec!["src/**".into()], ..Intent::default() };
        let told = of_intent(&all, &intent, Case::Keeps);
        assert_eq!(told, ["names INT-1, by hand", "of its files", "of it"]);
    }

    proptest! {
        #[test]
        fn whatever_the_file_says_a_lesson_is_one_line_in_it(text in any::<String>(), said in "\\PC*\n?\\PC*") {
            let new = lesson(&said, "INT-1", &[]);
            let before = read(&text).len();
            if let Some(after) = with(&text, &new) {
                let added = usize::from(!said.trim().is_empty());
                prop_assert!(read(&after).len() >= before + added, "{after:?}");
            }
        }
    }
}
