//! What files held before a call changed them, so that afterwards roz can say which lines are new: in
//! roz's home one folder per session, one file per text, named by its hash.
//!
//! They are bounded in size and number, the oldest are removed first, and all with their session.
//! Where one is missing, a change has no line ranges: nothing worse.

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
/// Of a session, in all.
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

    /// Where the text of that hash is kept, if it is.
    pub fn find(&self, hash: &str) -> Option<PathBuf> {
        let path = self.path(hash)?;
        fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_file()).then_some(path)
    }

    /// The text of that hash, if it is kept and still what it was.
    pub fn read(&self, hash: &str) -> Option<Vec<u8>> {
        let (bytes, _) = files::read(&self.path(hash)?).ok()??;
        (hash_of(&bytes) == hash).then_some(bytes)
    }

    /// Keeps a text, unless it is too long. Errors are ignored: see above.
    pub fn keep(&self, bytes: &[u8]) {
        let hash = hash_of(bytes);
        let Some(path) = self.path(&hash).filter(|_| bytes.len() <= LONGEST) else { return };
        // Again: it is young once more, unless an older roz was killed in the middle of it.
        if let Ok(Some((file, meta))) = files::open(&path, OpenOptions::new().write(true))
            && meta.len() == bytes.len() as u64
        {
            let _ = file.set_modified(SystemTime::now());
            return;
        }
        self.make_room(bytes.len() as u64);
        let _ = cached::replace(&path, &[bytes]);
    }

    /// The file of a hash, if it is one.
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
