//! The content of files before a call changes them, so that roz can tell afterwards which lines are
//! new. There is a folder per session in roz's home, with a file per text, named by its hash.
//!
//! Their size and number is limited. The oldest are removed first, and all of them with their
//! session. If one is missing, the change just has no line ranges.

use std::{
    fs::{self, OpenOptions},
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{
    core::session::SessionId,
    world::{cached, files},
};

pub use crate::core::bounded::hash_of;

/// The longest text that is kept, in bytes.
pub const LONGEST: usize = 1 << 20;
/// The most texts of a session.
const MOST: usize = 400;
const MOST_BYTES: u64 = 16 << 20;

#[derive(Debug, Clone)]
pub struct Images {
    folder: PathBuf,
}

impl Images {
    pub fn new(roz_home: &Path, session: &SessionId) -> Self {
        Self { folder: Self::all(roz_home).join(session.as_str()) }
    }

    /// The folder of all sessions' images.
    pub fn all(roz_home: &Path) -> PathBuf {
        roz_home.join("images")
    }

    /// The path of the text with that hash, if it is kept.
    pub fn find(&self, hash: &str) -> Option<PathBuf> {
        let path = self.path(hash)?;
        fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()).then_some(path)
    }

    /// The text with that hash, if it is kept and intact.
    pub fn read(&self, hash: &str) -> Option<Vec<u8>> {
        let (bytes, _) = files::read(&self.path(hash)?).ok()??;
        (hash_of(&bytes) == hash).then_some(bytes)
    }

    /// Keeps a text, unless it is too long. Errors are ignored: see above.
    pub fn keep(&self, bytes: &[u8]) {
        let hash = hash_of(bytes);
        let Some(path) = self.path(&hash).filter(|_| bytes.len() <= LONGEST) else { return };
        // The text is kept already: make it the newest, unless an older roz was killed while
        // writing it.
        if let Ok(Some((file, meta))) = files::open(&path, OpenOptions::new().write(true))
            && meta.len() == bytes.len() as u64
        {
            let _ = file.set_modified(SystemTime::now());
            return;
        }
        self.make_room(bytes.len() as u64);
        let _ = cached::replace(&path, &[bytes]);
    }

    /// The path for a hash, if it is valid.
    fn path(&self, hash: &str) -> Option<PathBuf> {
        let digits = hash.strip_prefix("sha256:")?;
        let is_hash = digits.len() == 64 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_hash.then(|| self.folder.join(digits))
    }

    fn make_room(&self, wanted: u64) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let entry = |file: fs::DirEntry| {
            let meta = file.metadata().ok()?;
            Some((meta.modified().ok()?, meta.len(), file.path()))
        };
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = entries.filter_map(entry).collect();
        let mut bytes = kept.iter().map(|(_, length, _)| length).sum::<u64>() + wanted;
        let mut count = kept.len() + 1;
        kept.sort();
        for (_, length, path) in kept {
            if count <= MOST && bytes <= MOST_BYTES {
                break;
            }
            let _ = fs::remove_file(path);
            bytes = bytes.saturating_sub(length);
            count -= 1;
        }
    }
}

#[cfg(test)]
mod tests;
