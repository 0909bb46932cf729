//! Near duplicates.

use super::{candidate::Candidate, learning::Learning};

/// The texts that a candidate is compared with.
#[derive(Debug, Default)]
pub struct Known(Vec<(String, String)>);

impl Known {
    pub fn of<'a>(learnings: impl Iterator<Item = &'a Learning>) -> Self {
        let mut known = Self::default();
        learnings.for_each(|it| known.add(it));
        known
    }

    pub fn add(&mut self, it: &Learning) {
        self.0.push((it.id.clone(), it.summary.clone()));
    }

    /// Names the learning that says the same; one that is replaced does not
    /// count.
    pub fn objection(&self, it: &Candidate, replaced: Option<&str>) -> Option<String> {
        let found = self.0.iter().find(|(id, text)| {
            Some(id.as_str()) != replaced && text.eq_ignore_ascii_case(&it.summary)
        });
        found.map(|(id, text)| format!("`{id}` says so already: {text}"))
    }
}
