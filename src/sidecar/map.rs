//! Writes `intent_map.md`, under a lock, where a file of ours stands and
//! nothing else.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use super::FOLDER;
use crate::{
    core::intent::{
        catalogue::Catalogue,
        map::{Map, NAME},
    },
    world::{
        cached,
        files::{self, Replacement},
    },
};

const LARGEST: usize = 8 << 20;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to write the intent map")]
    File(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("`{}` is no UTF-8, or larger than {} MiB", .0.display(), LARGEST >> 20)]
    Unfit(PathBuf),
    #[error("`{}` is a symbolic link, not a folder", .0.display())]
    NoFolder(PathBuf),
}

/// Where it lies.
pub fn path(root: &Path) -> PathBuf {
    root.join(FOLDER).join(NAME)
}

/// Writes what `change` makes of what the map says; none: nothing. Answers
/// whether the file is another one now.
pub fn update(
    root: &Path,
    roz_home: &Path,
    catalogue: &Catalogue,
    until: Instant,
    change: impl FnOnce(Map) -> Option<Map>,
) -> Result<bool, Error> {
    let folder = root.join(FOLDER);
    if fs::symlink_metadata(&folder).is_ok_and(|it| it.is_symlink()) {
        return Err(Error::NoFolder(folder));
    }
    let path = path(root);
    let file = |err: files::Error| Error::File(Box::new(err));
    let name = cached::hash(&[path.as_os_str().as_encoded_bytes()]);
    let locks = roz_home.join("cache");
    fs::create_dir_all(&locks).map_err(|err| Error::File(Box::new(err)))?;
    let _lock = files::lock(&locks.join(format!("map-{name:032x}.lock")), until).map_err(file)?;
    let found = files::read(&path).map_err(file)?;
    let mode = found.as_ref().map(|(_, meta)| meta.permissions().mode() & 0o7777);
    let bytes = found.map(|(bytes, _)| bytes).unwrap_or_default();
    let text = String::from_utf8(bytes).ok().filter(|it| it.len() <= LARGEST);
    let text = text.ok_or_else(|| Error::Unfit(path.clone()))?;
    let Some(map) = change(Map::read(&text)) else { return Ok(false) };
    let new = map.written_into(&text, catalogue);
    if new == text {
        return Ok(false);
    }
    let tmp = folder.join(format!(".{NAME}.{}.tmp", std::process::id()));
    let new = Replacement {
        bytes: new.as_bytes(),
        modified: None,
        durable: false,
        mode: mode.or(Some(0o644)),
    };
    files::replace(&path, &tmp, &new).map_err(file)?;
    Ok(true)
}
