//! The prompts that a session has the client send later. They come word for
//! word and without a mark, and are not the user's.

use serde::{Deserialize, Serialize};

use crate::core::{bounded, prompt};

/// How many are remembered; those that begin with the user's word last.
const MAX: usize = 256;

/// A prompt that the client will send by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    pub prompt: String,
    /// More than once.
    pub recurring: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schedule(Vec<Entry>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    sha256: String,
    /// The digest is that of so many characters from the beginning: the client
    /// clips what it lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beginning: Option<usize>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    recurring: bool,
    /// It begins with `#roz`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    command: bool,
    /// It has come, as the prompt of that id: one of a kind comes once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fired: Option<String>,
}

impl Schedule {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A tool was called to schedule it.
    pub(crate) fn add(&mut self, scheduled: &Scheduled) {
        let entry = Entry::of(scheduled);
        self.0.retain(|it| it.sha256 != entry.sha256);
        self.0.push(entry);
        self.bound();
    }

    /// The client lists what it is going to send: all of it.
    pub(crate) fn replace(&mut self, listed: &[Scheduled]) {
        let listed: Vec<Entry> = listed.iter().map(Entry::of).collect();
        if listed.iter().any(|it| it.beginning.is_some()) {
            // What is clipped may be one of those that we know whole.
            self.0.retain(|it| !listed.contains(it));
        } else {
            self.0.clear();
        }
        self.0.extend(listed);
        self.bound();
    }

    /// Whether a prompt is one of these. One of a kind is then used up; the
    /// same prompt told twice, by its id, is the same.
    pub(crate) fn takes(&mut self, prompt: &str, id: Option<&str>) -> bool {
        let id = id.unwrap_or_default();
        let mut entries = self.0.iter_mut().filter(|it| it.is(prompt));
        entries.any(|it| it.recurring || it.fired.get_or_insert_with(|| id.to_owned()) == id)
    }

    fn bound(&mut self) {
        let surplus = self.0.len().saturating_sub(MAX);
        if surplus > 0 {
            self.0.sort_by_key(|it| it.command);
            self.0.drain(..surplus);
        }
    }
}

impl Entry {
    fn of(scheduled: &Scheduled) -> Self {
        let text = scheduled.prompt.trim();
        // `… [+120 chars]`: what the client writes where it clips.
        let clipped = text.rsplit_once("… [+").filter(|(_, rest)| rest.ends_with("chars]"));
        let known = clipped.map_or(text, |(beginning, _)| beginning);
        Self {
            sha256: bounded::sha256(known.as_bytes()),
            beginning: clipped.map(|_| known.chars().count()),
            recurring: scheduled.recurring,
            command: prompt::begins_with_command(text),
            fired: None,
        }
    }

    fn is(&self, prompt: &str) -> bool {
        let prompt = prompt.trim();
        let digest = match self.beginning {
            None => bounded::sha256(prompt.as_bytes()),
            Some(count) => {
                let beginning: String = prompt.chars().take(count).collect();
                bounded::sha256(beginning.as_bytes())
            }
        };
        digest == self.sha256
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheduled(prompt: &str, recurring: bool) -> Scheduled {
        Scheduled { prompt: prompt.into(), recurring }
    }

    #[test]
    fn one_of_a_kind_comes_once_however_often_it_is_told() {
        let mut schedule = Schedule::default();
        schedule.add(&scheduled("look again", false));
        assert!(schedule.takes("look again", Some("p1")));
        assert!(schedule.takes(" look again\n", Some("p1")));
        assert!(!schedule.takes("look again", Some("p2")), "that is the user's");
    }

    #[test]
    fn what_recurs_comes_again_until_it_is_listed_no_more() {
        let mut schedule = Schedule::default();
        schedule.add(&scheduled("look again", true));
        assert!(
            schedule.takes("look again", Some("p1")) && schedule.takes("look again", Some("p2"))
        );
        schedule.replace(&[]);
        assert!(!schedule.takes("look again", Some("p3")));
    }

    #[test]
    fn a_clipped_prompt_is_known_by_its_beginning() {
        let long = "é".repeat(1500);
        let mut schedule = Schedule::default();
        let listed = format!("{}… [+500 chars]", "é".repeat(1000));
        schedule.replace(&[scheduled(&listed, true)]);
        assert!(schedule.takes(&long, None));
        assert!(!schedule.takes("é", None));
    }

    #[test]
    fn no_number_of_others_pushes_the_users_word_out() {
        let mut schedule = Schedule::default();
        let mut listed = vec![scheduled("#roz:stop", false)];
        listed.extend((0..2 * MAX).map(|n| scheduled(&format!("prompt {n}"), false)));
        schedule.replace(&listed);
        for n in 0..2 * MAX {
            schedule.add(&scheduled(&format!("more {n}"), false));
        }
        assert!(schedule.takes("#roz:stop", Some("p1")));
    }
}
