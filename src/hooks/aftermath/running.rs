//! Other calls that run while one comes to its end.

use chrono::TimeDelta;

use super::Search;
use crate::core::intent::{
    aftermath::{Found, Running},
    scope::{Scope, Verdict},
    state::InFlight,
};

/// A call that began longer ago has ended without a word.
pub(in crate::hooks) const LONGEST_CALL: TimeDelta = TimeDelta::minutes(11);

impl Search<'_> {
    /// Other calls that run now. Those of other sessions matter where it is
    /// asked who changed what this one had no right to.
    pub(super) fn running(&self, changes: &[Found]) -> Vec<Running> {
        let world = self.look.world;
        let lives = |it: &InFlight| {
            let is_over = it.is_over || it.is_of_earlier_prompt;
            !is_over && world.now.signed_duration_since(it.at) < LONGEST_CALL
        };
        if changes.is_empty() {
            return Vec::new();
        }
        let own = self.look.session.intent.flights();
        let own = own.filter(|(id, it)| *id != self.id && lives(it));
        let mut found: Vec<Running> =
            own.map(|(_, it)| Running { session: None, flight: it.clone() }).collect();
        let scope = Scope::new(&self.start.scope);
        let is_own = |it: &Found| it.was_named || scope.judge(&it.target) == Verdict::Inside;
        if changes.iter().all(is_own) {
            return found;
        }
        let since = world.now.checked_sub_signed(LONGEST_CALL).unwrap_or(world.now);
        let store = &self.look.roz.store;
        for activity in store.activity().unwrap_or_default() {
            // The newest come first.
            if activity.at < since {
                break;
            }
            if activity.id == self.look.session.session_id {
                continue;
            }
            let Ok(Some(stored)) = store.look_at(&activity.id) else { continue };
            if stored.session.project.as_deref() != Some(self.project()) {
                continue;
            }
            let flights = stored.session.intent.flights().filter(|(_, it)| lives(it));
            found.extend(flights.map(|(_, it)| Running {
                session: Some(activity.id.to_string()),
                flight: it.clone(),
            }));
        }
        found
    }
}
