//! Where paths lead: as they say, and once links are followed.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fs,
    io::ErrorKind,
    os::unix::ffi::{OsStrExt as _, OsStringExt as _},
    path::{Path, PathBuf},
};

const MAX_LINKS: usize = 40;
/// The system takes no longer path, in bytes.
pub(crate) const MAX_PATH: usize = 4096;
/// After so many questions about what lies in a folder, all of it is looked at
/// at once, if it is not more than that.
const MANY: usize = 16;
const MAX_NAMES: usize = 4096;

/// `.` and `..` taken for what they say.
pub(crate) fn normal(path: &Path) -> PathBuf {
    let path = path.as_os_str().as_bytes();
    let mut res = Vec::with_capacity(path.len());
    if path.first() == Some(&b'/') {
        res.push(b'/');
    }
    for name in path.split(|it| *it == b'/') {
        match name {
            b"" | b"." => (),
            b".." => up(&mut res),
            name => below(&mut res, name),
        }
    }
    PathBuf::from(OsString::from_vec(res))
}

/// The folder that a path lies in. Above the root is the root.
fn up(path: &mut Vec<u8>) {
    let slash = path.iter().rposition(|it| *it == b'/');
    path.truncate(slash.map_or(0, |at| at.max(1)));
}

fn below(path: &mut Vec<u8>, name: &[u8]) {
    if !matches!(path.last(), None | Some(b'/')) {
        path.push(b'/');
    }
    path.extend_from_slice(name);
}

/// Where paths lead once links are followed. Many have their beginning in
/// common: each part is looked at once.
#[derive(Debug, Default)]
pub(crate) struct Links {
    /// A folder that no link leads to, as the system says.
    here: Vec<u8>,
    seen: BTreeMap<Vec<u8>, Part>,
    folders: BTreeMap<Vec<u8>, Folder>,
}

#[derive(Debug, Clone)]
enum Part {
    Link(PathBuf),
    Other,
    Absent,
}

/// How far the way along a path has come. Texts and not paths, here and below: a hook asks for many
/// paths, and to take a path apart and put it together costs several times as much.
struct Way {
    /// Without a slash at its end but for the root's own.
    res: Vec<u8>,
    is_there: bool,
    /// So many are still followed.
    links: usize,
}

/// What is known of a folder.
#[derive(Debug, Default)]
struct Folder {
    asked: usize,
    /// What lies in it, in small letters (case may not matter there), and whether
    /// that may be a link; none where nobody has looked, or nobody could.
    names: Option<BTreeMap<OsString, bool>>,
}

impl Links {
    /// `here` is where a process stands, as the system says: there are no links on the way to it.
    pub(crate) fn of(here: &Path) -> Self {
        Self { here: here.as_os_str().as_bytes().to_owned(), ..Self::default() }
    }

    /// As far as the path is there; the rest as it says. A link that leads
    /// nowhere yet is followed, too: writing through it makes the file. What no
    /// system takes as it is counts as it says, for some make it shorter first.
    pub(crate) fn real(&mut self, path: &Path) -> PathBuf {
        let shorter;
        let path = if path.as_os_str().len() > MAX_PATH {
            shorter = normal(path);
            &shorter
        } else {
            path
        };
        if path.as_os_str().len() > MAX_PATH {
            return path.to_owned();
        }
        // Where case may be ignored, the system knows how it is spelled.
        if cfg!(not(target_os = "linux"))
            && let Ok(real) = path.canonicalize()
        {
            return real;
        }
        let res = Vec::with_capacity(path.as_os_str().len());
        let mut way = Way { res, is_there: true, links: MAX_LINKS };
        self.go(path.as_os_str().as_bytes(), &mut way);
        PathBuf::from(OsString::from_vec(way.res))
    }

    /// Goes along a path from where the way has come to. As deep as links are
    /// followed.
    fn go(&mut self, path: &[u8], way: &mut Way) {
        // An absolute link begins anew.
        if path.first() == Some(&b'/') {
            way.res.clear();
            way.res.push(b'/');
        }
        for name in path.split(|it| *it == b'/') {
            match name {
                b"" | b"." => (),
                b".." => {
                    up(&mut way.res);
                    // Whatever was missing is left again.
                    way.is_there = true;
                }
                name => {
                    below(&mut way.res, name);
                    if !way.is_there {
                        continue;
                    }
                    match self.part(&way.res) {
                        Part::Link(target) if way.links > 0 => {
                            way.links -= 1;
                            up(&mut way.res);
                            self.go(target.as_os_str().as_bytes(), way);
                        }
                        Part::Link(_) | Part::Other => (),
                        Part::Absent => way.is_there = false,
                    }
                }
            }
        }
    }

    fn part(&mut self, path: &[u8]) -> Part {
        let below = self.here.strip_prefix(path);
        if below.is_some_and(|it| it.is_empty() || it.starts_with(b"/")) {
            return Part::Other;
        }
        if let Some(part) = self.seen.get(path) {
            return part.clone();
        }
        if let Some((folder, name)) = parted(path)
            && let Some(names) = self.listed(folder)
        {
            match names.get(&OsStr::from_bytes(name).to_ascii_lowercase()) {
                Some(true) => (),
                Some(false) => return Part::Other,
                None => return Part::Absent,
            }
        }
        let part = match Path::new(OsStr::from_bytes(path)).read_link() {
            Ok(target) => Part::Link(target),
            Err(err) if err.kind() == ErrorKind::NotFound => Part::Absent,
            Err(_) => Part::Other,
        };
        self.seen.insert(path.to_owned(), part.clone());
        part
    }

    /// The names in a folder, if it is asked about often and they can be had.
    fn listed(&mut self, folder: &[u8]) -> Option<&BTreeMap<OsString, bool>> {
        if !self.folders.contains_key(folder) {
            self.folders.insert(folder.to_owned(), Folder::default());
        }
        let known = self.folders.get_mut(folder)?;
        known.asked = known.asked.saturating_add(1);
        if known.asked == MANY {
            known.names = names(Path::new(OsStr::from_bytes(folder)));
        }
        known.names.as_ref()
    }
}

/// A path's folder and the name in it; none for the root.
fn parted(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = path.iter().rposition(|it| *it == b'/')?;
    let (folder, name) = (&path[..at.max(1)], &path[at + 1..]);
    (!name.is_empty()).then_some((folder, name))
}

/// What lies in a folder, and what of it are links. None where that cannot be
/// had, or is too much.
fn names(folder: &Path) -> Option<BTreeMap<OsString, bool>> {
    let mut names = BTreeMap::new();
    for entry in fs::read_dir(folder).ok()? {
        let entry = entry.ok()?;
        if names.len() >= MAX_NAMES {
            return None;
        }
        *names.entry(entry.file_name().to_ascii_lowercase()).or_default() |=
            entry.file_type().ok()?.is_symlink();
    }
    Some(names)
}

#[cfg(test)]
mod tests;
