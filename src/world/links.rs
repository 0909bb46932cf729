//! Where paths lead: as they say, and once links are followed.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

const MAX_LINKS: usize = 40;
/// The system takes no longer path, in bytes.
pub(crate) const MAX_PATH: usize = 4096;

/// `.` and `..` taken for what they say.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => (),
            Component::ParentDir => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Where paths lead once links are followed. Many have their beginning in common: each part is
/// looked at once.
#[derive(Debug, Default)]
pub(crate) struct Links {
    targets: BTreeMap<OsString, Option<PathBuf>>,
}

impl Links {
    /// As far as the path is there; the rest as it says. A link that leads nowhere yet is followed,
    /// too: writing through it makes the file. What no system takes as it is counts as it says.
    pub(crate) fn real(&mut self, path: &Path) -> PathBuf {
        if path.as_os_str().len() > MAX_PATH {
            return normal(path);
        }
        // Where case may be ignored, the system knows how it is spelled.
        if cfg!(not(target_os = "linux"))
            && let Ok(real) = path.canonicalize()
        {
            return real;
        }
        let (mut real, mut links) = (PathBuf::new(), MAX_LINKS);
        self.follow(path, &mut real, &mut links);
        real
    }

    /// Goes along a path from `real`; `links` more are followed.
    fn follow(&mut self, path: &Path, real: &mut PathBuf, links: &mut usize) {
        for part in path.components() {
            match part {
                Component::CurDir => (),
                Component::ParentDir => {
                    real.pop();
                }
                Component::Normal(name) => {
                    real.push(name);
                    if *links > 0
                        && let Some(target) = self.target(real)
                    {
                        *links -= 1;
                        real.pop();
                        self.follow(&target, real, links);
                    }
                }
                // An absolute link begins anew.
                Component::RootDir | Component::Prefix(_) => *real = PathBuf::from("/"),
            }
        }
    }

    fn target(&mut self, path: &Path) -> Option<PathBuf> {
        if let Some(known) = self.targets.get(path.as_os_str()) {
            return known.clone();
        }
        let target = path.read_link().ok();
        self.targets.insert(path.as_os_str().to_owned(), target.clone());
        target
    }
}

#[cfg(test)]
mod tests;
