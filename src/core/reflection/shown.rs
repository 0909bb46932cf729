//! Which learnings a session was shown, and what it did with them.
//!
//! | from | what happens | to |
//! |---|---|---|
//! | Pending | it is opened | Opened |
//! | any | an agent or the user says that it helped | Referenced |
//! | Pending | the session ends | Dismissed, unless it was shown with its text |

use serde::{Deserialize, Serialize};

use crate::core::{
    bounded,
    reflection::{learning::Learning, retrieval::Chosen},
};

#[derive(Debug, Clone, PartialEq)]
pub struct Relevant {
    pub id: String,
    pub score: f64,
    pub title: String,
    pub whole: Option<String>,
}

/// In characters; with the text above the titles, 1,000.
const MAX_TITLES: usize = 850;
const MAX_SUMMARY: usize = 120;
const MOST_WHOLE: usize = 2;
const MAX_WHOLE: usize = 3_000;

pub fn as_shown<'a>(
    chosen: &[Chosen],
    find: impl Fn(&str) -> Option<&'a Learning>,
) -> Vec<Relevant> {
    let (mut room, mut room_for_whole) = (MAX_TITLES, MAX_WHOLE);
    let mut relevant = Vec::new();
    for (at, item) in chosen.iter().enumerate() {
        let Some(learning) = find(&item.id) else { continue };
        let title = title(learning);
        // Titles without room do not count as shown.
        let Some(rest) = room.checked_sub(title.chars().count() + 1) else { continue };
        room = rest;
        let whole = Some(text(learning)).filter(|_| item.is_strong && at < MOST_WHOLE);
        let whole = whole.filter(|text| {
            let rest = room_for_whole.checked_sub(text.chars().count());
            room_for_whole = rest.unwrap_or(room_for_whole);
            rest.is_some()
        });
        relevant.push(Relevant { id: item.id.clone(), score: item.score, title, whole });
    }
    relevant
}

fn title(learning: &Learning) -> String {
    let summary = bounded::plain_line(&bounded::line(&learning.summary, MAX_SUMMARY));
    format!("- {} {}: {summary}", learning.id, learning.category)
}

/// Quoted line by line, to separate a stored text from roz's own words.
fn text(learning: &Learning) -> String {
    let quoted = |line: &str| format!("  > {}", bounded::plain_line(line));
    let lines: Vec<String> = bounded::plain(learning.detail.trim()).lines().map(quoted).collect();
    lines.join("\n")
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Injected {
    pub learning_id: String,
    pub score: f64,
    pub outcome: Use,
    /// The conversation no longer contains it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_forgotten: bool,
    /// Shown with its text, so its use is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_whole: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_failure: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Use {
    Pending,
    Opened,
    Referenced,
    Dismissed,
}

const MAX_KEPT: usize = 100;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Shown(Vec<Injected>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    Title,
    Whole,
    Failure,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    First,
    /// Shown again after being forgotten; counted once.
    Again,
    /// Already in the conversation.
    Had,
}

impl Shown {
    pub(super) fn all(&self) -> &[Injected] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn find(&mut self, learning_id: &str) -> Option<&mut Injected> {
        self.0.iter_mut().find(|injected| injected.learning_id == learning_id)
    }

    pub(super) fn put(&mut self, learning_id: &str, score: f64, how: How) -> Time {
        let is_of_failure = how == How::Failure;
        if let Some(injected) = self.find(learning_id) {
            let was_forgotten = std::mem::replace(&mut injected.is_forgotten, false);
            let is_new = was_forgotten || is_of_failure && !injected.is_of_failure;
            injected.is_of_failure |= is_of_failure;
            injected.is_whole |= how == How::Whole;
            return if is_new { Time::Again } else { Time::Had };
        }
        if self.0.len() >= MAX_KEPT {
            return Time::Had;
        }
        self.0.push(Injected {
            learning_id: learning_id.to_owned(),
            score,
            outcome: Use::Pending,
            is_forgotten: false,
            is_whole: how == How::Whole,
            is_of_failure,
        });
        Time::First
    }

    /// The conversation restarts or is compacted.
    pub(super) fn forget(&mut self) {
        for injected in &mut self.0 {
            injected.is_forgotten = true;
        }
    }

    pub(super) fn opened(&mut self, learning_id: &str) {
        if let Some(injected) = self.find(learning_id)
            && matches!(injected.outcome, Use::Pending | Use::Dismissed)
        {
            injected.outcome = Use::Opened;
        }
    }

    pub(super) fn referenced(&mut self, learning_id: &str) {
        if let Some(injected) = self.find(learning_id) {
            injected.outcome = Use::Referenced;
        }
    }

    /// At the end of a session: dismisses, once, the learnings that were neither opened nor
    /// referred to.
    pub(super) fn dismissed(&mut self) -> Vec<String> {
        let mut dismissed = Vec::new();
        for injected in &mut self.0 {
            if injected.outcome == Use::Pending && !injected.is_whole {
                injected.outcome = Use::Dismissed;
                dismissed.push(injected.learning_id.clone());
            }
        }
        dismissed
    }
}
