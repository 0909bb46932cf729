//! Which of the paths that a call touches any rule could be about. A line may
//! name thousands; nearly all lie nowhere near what is guarded, and are told
//! apart here by their folder and their name, before anybody looks at the disk
//! for each.

use std::collections::BTreeSet;

use super::{Ground, touch::is_named};
use crate::shell::HOLE;

/// Guarded wherever the client runs.
pub(super) const MANAGED: [&str; 2] =
    ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

/// What is guarded, laid out for the question.
#[derive(Debug, Default)]
pub struct Nearby {
    places: BTreeSet<String>,
    /// The places, and every folder above one.
    above: BTreeSet<String>,
}

impl Nearby {
    pub fn of(ground: &Ground) -> Self {
        let Ground { home, config_dirs, plugin, binary, path, notes, .. } = ground;
        let known = [home, config_dirs, plugin, binary, path, notes].into_iter().flatten();
        let mut nearby = Self::default();
        for place in known.map(String::as_str).chain(MANAGED) {
            nearby.add(place);
        }
        nearby
    }

    fn add(&mut self, place: &str) {
        let mut at = String::from("/");
        self.above.insert(at.clone());
        for part in parts(place) {
            if at.len() > 1 {
                at.push('/');
            }
            at.push_str(part);
            self.above.insert(at.clone());
        }
        self.places.insert(at);
    }

    /// Whether a rule could be about a file of this name in a folder, which is
    /// given as it is named and as it really is, each without `.` and `..`. No
    /// link may have that name.
    pub fn is_near(&self, folder: &str, name: &str) -> bool {
        self.is_guarded(folder) || self.is_telling(folder, name)
    }

    /// Whether whatever lies in a folder is guarded, or may be.
    pub fn is_guarded(&self, folder: &str) -> bool {
        let is_inside = || {
            let ends = folder.match_indices('/').map(|it| it.0).filter(|it| *it > 0);
            let mut above = ends.chain([folder.len()]).map(|end| &folder[..end]);
            above.any(|it| self.places.contains(it))
        };
        !folder.starts_with('/') || is_open(folder) || is_named(folder) || is_inside()
    }

    /// Whether a file is guarded, or something below it, in a folder that is not.
    pub fn is_telling(&self, folder: &str, name: &str) -> bool {
        let leads = || {
            let folder = folder.trim_end_matches('/');
            let is_above = if folder.is_empty() { "/" } else { folder };
            self.above.contains(is_above) && self.above.contains(&format!("{folder}/{name}"))
        };
        matches!(name, "" | "." | "..") || is_open(name) || is_named(name) || leads()
    }
}

fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|it| !it.is_empty() && *it != ".")
}

/// Whether it may stand for more than it says.
fn is_open(text: &str) -> bool {
    text.contains(['*', '?', '[', HOLE])
}
