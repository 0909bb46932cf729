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
    usage_log::UsageLog,
    world::{World, files, in_a_line},
};

/// What became of the learnings whose time was over.
#[derive(Debug, Default)]
pub struct Decayed {
    pub archived: Vec<Due>,
    /// What could not be put away, and why.
    pub failed: Vec<(Due, memory::Error)>,
    /// What else went wrong, a line each.
    pub warnings: Vec<String>,
}

/// What a session start spends on it at the most.
const AT_START: Duration = Duration::from_millis(500);
/// And, of that, on another writer of one file.
const FOR_A_LOCK: Duration = Duration::from_millis(100);

impl Roz {
    /// Those of `learnings` whose time is over.
    pub fn due(&self, learnings: &[Learning], view: &View, world: &World) -> Vec<Due> {
        decay::due(learnings, &view.tallies(), &self.policy.decay, world.now)
    }

    /// Puts away what is `due`, each with its line in the log.
    pub fn put_away(
        due: Vec<Due>,
        archive: impl Fn(&str) -> memory::Result<()>,
        log: &UsageLog,
        world: &World,
        until: Instant,
    ) -> Decayed {
        let mut decayed = Decayed::default();
        for learning in due {
            if Instant::now() >= until {
                break;
            }
            if let Err(err) = archive(&learning.id) {
                decayed.failed.push((learning, err));
                continue;
            }
            let (learning_id, reason) = (learning.id.clone(), learning.reason.clone());
            let entry = Entry::new(world.now, Event::Archived { learning_id, reason });
            if let Err(err) = log.append(&[entry], until) {
                decayed.warnings.push(in_a_line(&err));
            }
            decayed.archived.push(learning);
        }
        decayed.warnings.dedup();
        decayed
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
        let due = self.due(&learnings, &view, world);
        let count = due.len();
        let archive = |id: &str| library.archive_at_hand(id);
        let mut decayed = Self::put_away(due, archive, &log, world, until);
        if decayed.archived.len() + decayed.failed.len() < count {
            let _ = fs::remove_file(&mark);
        }
        // What roz does not write is somebody else's to put away.
        let failed =
            decayed.failed.iter().find(|(_, err)| !matches!(err, memory::Error::ReadOnly { .. }));
        if let Some((due, err)) = failed {
            decayed.warnings.push(format!("`{}` was not put away: {}", due.id, in_a_line(err)));
        }
        decayed.warnings
    }
}
