//! Puts away the learnings that nobody uses any more.
//!
//! What is due is `core::reflection::decay`'s to say. Here it is done, and written into the log of
//! their use.

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

/// What a session start spends on it at the most.
const AT_START: Duration = Duration::from_millis(500);
/// And, of that, on another writer of one file.
const FOR_A_LOCK: Duration = Duration::from_millis(100);

impl Roz {
    /// Those of `learnings` whose time is over.
    pub fn due(&self, learnings: &[Learning], view: &View, world: &World) -> Vec<Due> {
        decay::due(learnings, &view.tallies(), &self.policy.decay, world.now)
    }

    /// Puts away what is due, at most once a day for a project; for session starts. What there was
    /// no time for waits for the next one. Answers what went wrong, a line each.
    pub fn decay_daily(&self, world: &World, until: Instant) -> Vec<String> {
        let until = until.min(Instant::now() + AT_START);
        let name = bounded::sha256(self.project.as_os_str().as_encoded_bytes());
        let cache = self.home.join("cache");
        let mark = cache.join(format!("decayed-{}", &name[..32]));
        let library = Library::open_for(&self.places(world), &self.policy.backends, FOR_A_LOCK);
        // Nothing learned, nothing to note.
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
        // Without the log nobody knows what is used.
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
                // What roz does not write is somebody else's to put away.
                Err(memory::Error::ReadOnly { .. }) => (),
                Err(err) => {
                    let said = || format!("`{id}` was not put away: {}", in_a_line(&err));
                    failed.get_or_insert_with(said);
                }
            }
        }
        warnings.dedup();
        warnings.extend(failed);
        warnings
    }
}
