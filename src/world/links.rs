//! Resolves paths: lexically, and through links.

use std::path::{Component, Path, PathBuf};

const MAX_LINKS: usize = 40;
/// The longest path that the system accepts, in bytes.
pub(crate) const MAX_PATH: usize = 4096;

/// The path with `.` and `..` resolved lexically.
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

/// Where a path leads once links are followed, as far as it is there; the rest as it says. A link
/// that leads nowhere yet is followed, too: writing through it makes the file. What no system takes
/// as it is counts as it says.
pub(crate) fn real(path: &Path) -> PathBuf {
    if path.as_os_str().len() > MAX_PATH {
        return normal(path);
    }
    // If case may be ignored, the system knows the actual spelling.
    if cfg!(not(target_os = "linux"))
        && let Ok(real) = path.canonicalize()
    {
        return real;
    }
    let (mut real, mut links) = (PathBuf::new(), MAX_LINKS);
    follow(path, &mut real, &mut links);
    real
}

/// Follows a path from `real`, through at most `links` links.
fn follow(path: &Path, real: &mut PathBuf, links: &mut usize) {
    for part in path.components() {
        match part {
            Component::CurDir => (),
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(name) => {
                real.push(name);
                if *links > 0
                    && let Ok(target) = real.read_link()
                {
                    *links -= 1;
                    real.pop();
                    follow(&target, real, links);
                }
            }
            // An absolute link starts again at the root.
            Component::RootDir | Component::Prefix(_) => *real = PathBuf::from("/"),
        }
    }
}

#[cfg(test)]
mod tests;
