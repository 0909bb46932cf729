//! The content of a file, and the hash that identifies it.

use std::{os::unix::fs::MetadataExt as _, path::Path};

use crate::{core::bounded, world::read_head};

/// In bytes. A larger file is identified by its size and its times.
const MAX_HASHED: usize = 16 << 20;

#[derive(Debug, Default)]
pub struct Content {
    /// `None` if the file is too large.
    pub bytes: Option<Vec<u8>>,
    pub hash: Option<String>,
}

impl Content {
    pub fn of(bytes: Vec<u8>) -> Self {
        Self { hash: Some(bounded::hash_of(&bytes)), bytes: Some(bytes) }
    }

    pub fn read(path: &Path) -> Option<Self> {
        let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
        if meta.len() > MAX_HASHED as u64 {
            let mtime = (meta.mtime(), meta.mtime_nsec());
            let ctime = (meta.ctime(), meta.ctime_nsec());
            let hash =
                format!("stamp:{}-{}.{}-{}.{}", meta.len(), mtime.0, mtime.1, ctime.0, ctime.1);
            return Some(Self { bytes: None, hash: Some(hash) });
        }
        Some(Self::of(read_head(path, MAX_HASHED)?))
    }
}

/// `sha256:` and 64 hexadecimal digits for the content of a file; for a very large one `stamp:`,
/// its size and its times.
pub fn hash(path: &Path) -> Option<String> {
    Content::read(path)?.hash
}
