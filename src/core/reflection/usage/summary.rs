//! Sums up the lines of a usage log.
//!
//! Neither the order of lines nor repeated lines matter, because an older roz let git merge the
//! logs of two branches. So a view can be stored and updated with only the new lines.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::{Entry, Event, Tally};
use crate::core::bounded;

type Millis = i64;

/// In bytes, for a rejected candidate's summary and reason.
const LONGEST_SUMMARY: usize = 1024;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    pub entries: u64,
    pub broken: u64,
    pub unknown: u64,
    pub reflections: u32,
    pub candidates: u32,
    pub accepted: u32,
    pub criteria: BTreeMap<String, u32>,
    pub skips_by_decider: BTreeMap<String, u32>,
    pub rejections_by_stage: BTreeMap<String, u32>,
    pub rejected: Vec<Rejected>,
    learnings: BTreeMap<String, Usage>,
    tickets: BTreeMap<String, Ticket>,
    /// Hashes of entries that are counted one by one, to skip repeated ones.
    seen: BTreeSet<u64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Rejected {
    pub ts: DateTime<Utc>,
    pub session_id: String,
    pub summary: String,
    pub tags: Vec<String>,
    pub stage: String,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct Usage {
    /// By a hash of the session: being shown again after a compaction counts once.
    uses: BTreeMap<u64, Use>,
    useful: u32,
    useless: u32,
    /// A reflection in this log created it.
    #[serde(default)]
    is_own: bool,
    tickets: BTreeSet<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    restored: Option<Millis>,
}

/// One session's first showing, and its last reference, opening and dismissal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Use {
    shown: Option<Millis>,
    referred: Option<Millis>,
    opened: Option<Millis>,
    dismissed: Option<Millis>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
struct Ticket {
    first_skipped: Option<Millis>,
    last_learned: Option<Millis>,
}

impl View {
    /// Without its line end.
    pub fn add_line(&mut self, line: &[u8]) {
        if line.trim_ascii().is_empty() {
            return;
        }
        match Entry::read(line) {
            Some(entry) => self.add(&entry),
            None => self.broken += 1,
        }
    }

    pub fn add(&mut self, entry: &Entry) {
        self.entries += 1;
        let at = entry.ts.timestamp_millis();
        match &entry.event {
            Event::Surfaced { learning_id, session_id, .. } => {
                let shown = &mut self.in_session(learning_id, session_id, at).shown;
                *shown = Some(shown.map_or(at, |shown| shown.min(at)));
            }
            Event::Referenced { learning_id, session_id, ticket_id, .. } => {
                let referred = &mut self.in_session(learning_id, session_id, at).referred;
                *referred = (*referred).max(Some(at));
                self.usage(learning_id).tickets.extend(ticket_id.clone());
            }
            Event::Opened { learning_id, session_id } => {
                let opened = &mut self.in_session(learning_id, session_id, at).opened;
                *opened = (*opened).max(Some(at));
            }
            Event::Dismissed { learning_id, session_id } => {
                let dismissed = &mut self.in_session(learning_id, session_id, at).dismissed;
                *dismissed = (*dismissed).max(Some(at));
            }
            counted => {
                if self.seen.insert(hash(at, counted)) {
                    self.count(entry.ts, counted);
                }
            }
        }
    }

    fn count(&mut self, ts: DateTime<Utc>, event: &Event) {
        let at = ts.timestamp_millis();
        match event {
            Event::Restored { learning_id } => {
                let restored = &mut self.usage(learning_id).restored;
                *restored = (*restored).max(Some(at));
            }
            Event::Rated { learning_id, useful } => {
                let usage = self.usage(learning_id);
                let rated = if *useful { &mut usage.useful } else { &mut usage.useless };
                *rated = rated.saturating_add(1);
            }
            Event::Reflection {
                ticket_id,
                tickets,
                candidates,
                accepted,
                learnings,
                criteria,
                ..
            } => {
                self.reflections = self.reflections.saturating_add(1);
                self.candidates = self.candidates.saturating_add(*candidates);
                self.accepted = self.accepted.saturating_add(*accepted);
                for (criterion, by) in criteria {
                    let count = self.criteria.entry(criterion.clone()).or_default();
                    *count = count.saturating_add(*by);
                }
                for id in learnings {
                    self.usage(id).is_own = true;
                }
                for id in ticket_id.iter().chain(tickets).filter(|_| *accepted > 0) {
                    let learned = &mut self.tickets.entry(id.clone()).or_default().last_learned;
                    *learned = (*learned).max(Some(at));
                }
            }
            Event::Skip { ticket_id, tickets, decider, .. } => {
                count(&mut self.skips_by_decider, decider);
                for id in ticket_id.iter().chain(tickets) {
                    let skipped = &mut self.tickets.entry(id.clone()).or_default().first_skipped;
                    *skipped = Some(skipped.map_or(at, |skipped| skipped.min(at)));
                }
            }
            Event::Rejected { session_id, summary, tags, stage, reason } => {
                count(&mut self.rejections_by_stage, stage);
                self.rejected.push(Rejected {
                    ts,
                    session_id: session_id.clone(),
                    summary: bounded::cut(summary, LONGEST_SUMMARY).to_owned(),
                    tags: tags.clone(),
                    stage: stage.clone(),
                    reason: bounded::cut(reason, LONGEST_SUMMARY).to_owned(),
                });
            }
            Event::Other => self.unknown += 1,
            Event::Surfaced { .. }
            | Event::Referenced { .. }
            | Event::Opened { .. }
            | Event::Dismissed { .. }
            | Event::Corrected { .. }
            | Event::Archived { .. } => (),
        }
    }

    /// Without a session id, each moment counts as a session.
    fn in_session(&mut self, learning_id: &str, session_id: &str, at: Millis) -> &mut Use {
        let key = match session_id {
            "" => fnv(at.to_le_bytes().iter()),
            named => fnv(named.as_bytes().iter()),
        };
        self.usage(learning_id).uses.entry(key).or_default()
    }

    fn usage(&mut self, learning_id: &str) -> &mut Usage {
        self.learnings.entry(learning_id.to_owned()).or_default()
    }

    pub fn tally(&self, learning_id: &str) -> Tally {
        self.learnings.get(learning_id).map(Usage::tally).unwrap_or_default()
    }

    pub fn tallies(&self) -> BTreeMap<String, Tally> {
        self.learnings.iter().map(|(id, usage)| (id.clone(), usage.tally())).collect()
    }

    /// Whether this log's project created the learning. Learnings in a shared memory are also used
    /// by projects whose logs are elsewhere.
    pub fn is_own(&self, learning_id: &str) -> bool {
        self.learnings.get(learning_id).is_some_and(|learning| learning.is_own)
    }

    pub fn skip_misses(&self) -> Vec<&str> {
        let is_miss = |ticket: &Ticket| {
            ticket.first_skipped.is_some() && ticket.first_skipped < ticket.last_learned
        };
        self.tickets
            .iter()
            .filter(|(_, ticket)| is_miss(ticket))
            .map(|(id, _)| id.as_str())
            .collect()
    }

    pub(super) fn uses_by_ticket(&self) -> impl Iterator<Item = (&str, &BTreeSet<String>)> {
        self.learnings.iter().map(|(id, usage)| (id.as_str(), &usage.tickets))
    }

    pub(super) fn first_shown(&self, learning_id: &str) -> Option<DateTime<Utc>> {
        let uses = &self.learnings.get(learning_id)?.uses;
        time(uses.values().filter_map(|one| one.shown).min()?)
    }
}

impl Usage {
    fn tally(&self) -> Tally {
        let mut tally = Tally {
            rated_useful: self.useful,
            rated_useless: self.useless,
            restored: self.restored.and_then(time),
            ..Tally::default()
        };
        let (mut shown, mut used) = (None, None);
        for Use { shown: surfaced, referred, opened, dismissed } in self.uses.values() {
            let used_at = (*referred).max(*opened);
            tally.surfaced += u32::from(surfaced.is_some());
            tally.opened += u32::from(opened.is_some());
            tally.referenced += u32::from(referred.is_some());
            tally.used += u32::from(used_at.is_some());
            tally.hits += u32::from(surfaced.is_some() && used_at.is_some());
            // A resumed session may have used the learning later.
            tally.dismissed += u32::from(dismissed.is_some() && used_at.is_none());
            tally.forgiven += u32::from(surfaced.is_some() && *surfaced <= self.restored);
            shown = shown.max(*surfaced);
            used = used.max(used_at);
        }
        tally.last_surfaced = shown.and_then(time);
        tally.last_used = used.and_then(time);
        tally
    }
}

fn count(counts: &mut BTreeMap<String, u32>, name: &str) {
    let name = if name.is_empty() { "unknown" } else { name };
    let at = counts.entry(name.to_owned()).or_default();
    *at = at.saturating_add(1);
}

fn time(at: Millis) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(at)
}

fn hash(at: Millis, event: &Event) -> u64 {
    let text = serde_json::to_vec(event).unwrap_or_default();
    fnv(at.to_le_bytes().iter().chain(&text))
}

/// FNV-1a, not secure: it only distinguishes sessions.
fn fnv<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
