//! The prompts that a session scheduled. The client sends them unmarked, so they would look like
//! the user's.

use serde::{Deserialize, Serialize};

use crate::core::bounded;

const MAX: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheduled {
    pub prompt: String,
    pub recurring: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Schedule(Vec<Entry>);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Entry {
    sha256: String,
    /// The digest covers only this many characters, because the client shortens what it lists.
    beginning: Option<usize>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    recurring: bool,
    /// The id of the prompt that it arrived as. Each arrives once, unless it recurs.
    fired: Option<String>,
}

impl Schedule {
    pub(crate) fn add(&mut self, scheduled: &Scheduled) {
        let entry = Entry::of(scheduled);
        self.0.retain(|known| known.sha256 != entry.sha256);
        self.0.push(entry);
        self.bound();
    }

    /// The list is complete.
    pub(crate) fn replace(&mut self, listed: &[Scheduled]) {
        let listed: Vec<Entry> = listed.iter().map(Entry::of).collect();
        // A shortened entry may be one that is known whole.
        let is_clipped = listed.iter().any(|entry| entry.beginning.is_some());
        self.0.retain(|entry| is_clipped && !listed.contains(entry));
        self.0.extend(listed);
        self.bound();
    }

    /// Whether a prompt was scheduled. One that does not recur is used up, but the same prompt id
    /// matches again.
    pub(crate) fn takes(&mut self, prompt: &str, id: Option<&str>) -> bool {
        let id = id.unwrap_or_default();
        let mut entries = self.0.iter_mut().filter(|entry| entry.is(prompt));
        entries
            .any(|entry| entry.recurring || entry.fired.get_or_insert_with(|| id.to_owned()) == id)
    }

    fn bound(&mut self) {
        let surplus = self.0.len().saturating_sub(MAX);
        self.0.drain(..surplus);
    }
}

impl Entry {
    fn of(scheduled: &Scheduled) -> Self {
        let text = scheduled.prompt.trim();
        // How the client marks shortened text: `… [+120 chars]`.
        let clipped = text.rsplit_once("… [+").filter(|(_, rest)| rest.ends_with("chars]"));
        let known = clipped.map_or(text, |(beginning, _)| beginning);
        Self {
            sha256: bounded::sha256(known.as_bytes()),
            beginning: clipped.map(|_| known.chars().count()),
            recurring: scheduled.recurring,
            fired: None,
        }
    }

    fn is(&self, prompt: &str) -> bool {
        let known = prompt.trim().chars().take(self.beginning.unwrap_or(usize::MAX));
        bounded::sha256(known.collect::<String>().as_bytes()) == self.sha256
    }
}

#[cfg(test)]
mod tests;
