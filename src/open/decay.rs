//! Archives the learnings that nobody uses any more.
//!
//! `core::reflection::decay` decides which ones. This module archives them and records that in the
//! usage log.

use std::{
    fs,
    time::{Duration, Instant},
};

use super::{Roz, takes_the_day};
use crate::{
    core::{
        bounded,
        reflection::{
            decay::{self, Due},
            learning::Learning,
            usage::{Entry, Event, View},
        },
    },
    memory::{self, Library},
    world::{World, files, in_a_line},
};

/// The longest that a session start may spend on it.
const AT_START: Duration = Duration::from_millis(500);
/// The part of it that may be spent waiting for another writer of a file.
const FOR_A_LOCK: Duration = Duration::from_millis(100);

impl Roz {
    /// The `learnings` that have expired.
    pub fn due(&self, learnings: &[Learning], view: &View, world: &World) -> Vec<Due> {
        decay::due(learnings, &view.tallies(), &self.policy.decay, world.now)
    }

    /// For session starts: archives what is due, at most once a day per project. The next session
    /// start does what there was no time for. Returns a line for each thing that went wrong.
    pub fn decay_daily(&self, world: &World, until: Instant) -> Vec<String> {
        let until = until.min(Instant::now() + AT_START);
        let name = bounded::sha256(self.project.as_os_str().as_encoded_bytes());
        let cache = self.home.join("cache");
        let mark = cache.join(format!("decayed-{}", &name[..32]));
        let library = Library::open_for(&self.places(world), &self.policy.backends, FOR_A_LOCK);
        // There is nothing to archive.
        if !self.home.is_dir() || !library.files().iter().any(|file| file.exists()) {
            return Vec::new();
        }
        let _ = files::make_private_folder(&cache);
        if !takes_the_day(&mark) {
            return Vec::new();
        }
        let kept = library.in_files().learnings.into_iter();
        let learnings: Vec<Learning> = kept.map(|kept| kept.learning).collect();
        let log = self.usage_log(&library);
        // Only the log says which learnings are used.
        let view = match log.read() {
            Ok(view) => view,
            Err(err) => return vec![in_a_line(&err)],
        };
        let (mut warnings, mut failed) = (Vec::new(), None);
        for Due { id, reason, .. } in self.due(&learnings, &view, world) {
            if Instant::now() >= until {
                let _ = fs::remove_file(&mark);
                break;
            }
            match library.archive_at_hand(&id) {
                Ok(()) => {
                    let event = Event::Archived { learning_id: id, reason };
                    let noted = log.append(&[Entry::new(world.now, event)], until);
                    warnings.extend(noted.err().map(|err| in_a_line(&err)));
                }
                // roz does not archive what it does not write.
                Err(memory::Error::ReadOnly { .. }) => (),
                Err(err) => {
                    let said = || format!("`{id}` was not archived: {}", in_a_line(&err));
                    failed.get_or_insert_with(said);
                }
            }
        }
        warnings.dedup();
        warnings.extend(failed);
        warnings
    }
}
