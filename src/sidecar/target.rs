//! Turns a path of a call into the target that a scope judges: the path as written, and with links
//! resolved.
//!
//! A link may be created between this check and the write, so the actual changes are checked again
//! after the call.

use std::{
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use super::{FOLDER, scratch_dirs::TEMPORARY};
use crate::{
    core::intent::target::{Case, HOLE, Kind, Place, Target},
    world::{
        git,
        links::{self, MAX_PATH, normal},
    },
};

/// Virtual folders of the kernel. Their links differ between processes.
const MADE_UP: [&str; 2] = ["/proc", "/dev"];

/// Names that are in no scope, and that would be moved or removed with the folder that contains
/// them.
const HELD: [&str; 5] = [".git", FOLDER, ".claude", ".roz", ".mcp.json"];

/// A project, for looking up targets of one call.
#[derive(Debug)]
pub struct Site {
    /// As given.
    root: PathBuf,
    real_root: PathBuf,
    home: Option<PathBuf>,
    /// Paths that are in no scope, as written and resolved, with a description.
    guards: Vec<(PathBuf, String)>,
    /// Whether the file system of its root ignores case.
    pub(super) case: Case,
    /// The roots of the repository's other work trees. A path in one is relative to its root.
    work_trees: Vec<PathBuf>,
}

impl Site {
    /// `home` is what `~` stands for.
    pub fn new(root: &Path, home: Option<&Path>) -> Self {
        let mut site = Self {
            root: normal(root),
            real_root: root.canonicalize().unwrap_or_else(|_| normal(root)),
            home: home.map(Path::to_owned),
            guards: Vec::new(),
            case: case_in(root),
            work_trees: Vec::new(),
        };
        // `.git` may be a file that names another folder in the project.
        if let Some((own, common)) = git::git_dirs(&site.real_root) {
            site.work_trees = git::linked_work_trees(&common);
            site.work_trees.retain(|root| *root != site.real_root);
            for dir in [own, common] {
                site.guard(&dir, "git's own folder");
            }
        }
        site
    }

    /// Excludes a path from every scope.
    pub fn guard(&mut self, path: &Path, what: &str) {
        let real = links::real(path);
        for item in [normal(path), real] {
            if !self.guards.iter().any(|(known, _)| *known == item) {
                self.guards.push((item, what.to_owned()));
            }
        }
    }

    /// `written` is relative to `cwd`, or absolute, or begins with `~/`.
    pub fn target(&self, written: &str, cwd: &Path) -> Target {
        let path = match (written.strip_prefix("~"), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => cwd.join(written),
        };
        let path = self.unknown(written, &path).unwrap_or(path);
        let lexical = normal(&path);
        let real = real(&path);
        let meta = fs::symlink_metadata(&real).ok();
        let kind = match &meta {
            Some(meta) if meta.is_dir() => Kind::Folder,
            Some(_) => Kind::File,
            None if written.ends_with('/') => Kind::Folder,
            None => Kind::Absent,
        };
        let links = meta.as_ref().filter(|meta| !meta.is_dir()).map_or(0, fs::Metadata::nlink);
        let guarded = self.guarded(&lexical, &real, kind);
        Target {
            written: self.place_as_written(&lexical),
            real: match (self.in_work_tree(&real), real.strip_prefix(&self.real_root)) {
                (Some(rest), _) | (None, Ok(rest)) => inside(rest),
                (None, Err(_)) => Place::Outside(real.to_string_lossy().into_owned()),
            },
            kind,
            case: self.case,
            links,
            guarded,
        }
    }

    /// A path of which no folder is known, or only one that holds the project, may be in the
    /// project: `$X/a`, `/home/$USER/a`.
    fn unknown(&self, written: &str, path: &Path) -> Option<PathBuf> {
        let text = path.to_str()?;
        let (known, _) = text.split_once(HOLE)?;
        let at = known.rfind('/')? + 1;
        let folder = normal(Path::new(&known[..at]));
        let is_above = self.root.starts_with(&folder) || self.real_root.starts_with(&folder);
        let is_temporary = TEMPORARY.iter().any(|place| folder == Path::new(place));
        let may_be_inside = written.starts_with(HOLE) || is_above && !is_temporary;
        may_be_inside.then(|| self.root.join(&text[at..]))
    }

    /// Whether the path leads into another work tree of the repository.
    pub fn is_in_work_tree(&self, written: &str, cwd: &Path) -> bool {
        !self.work_trees.is_empty() && {
            let real = real(&cwd.join(written));
            self.in_work_tree(&real).is_some()
        }
    }

    fn in_work_tree<'p>(&self, path: &'p Path) -> Option<&'p Path> {
        self.work_trees.iter().find_map(|root| path.strip_prefix(root).ok())
    }

    fn place_as_written(&self, path: &Path) -> Place {
        if let Some(rest) = self.in_work_tree(path) {
            return inside(rest);
        }
        for root in [&self.root, &self.real_root] {
            if let Ok(rest) = path.strip_prefix(root) {
                return inside(rest);
            }
        }
        let outside = || Place::Outside(path.to_string_lossy().into_owned());
        if MADE_UP.iter().any(|text| path.starts_with(text)) {
            return outside();
        }
        // The project may have other names than the given one.
        let is_root =
            |folder: &&Path| folder.canonicalize().is_ok_and(|path| path == self.real_root);
        let root = path.ancestors().find(is_root);
        root.and_then(|root| path.strip_prefix(root).ok()).map_or_else(outside, inside)
    }

    fn guarded(&self, lexical: &Path, real: &Path, kind: Kind) -> Option<String> {
        let goes_with = |guard: &Path| {
            [lexical, real]
                .into_iter()
                .any(|path| path.starts_with(guard) || guard.starts_with(path))
        };
        if let Some((_, what)) = self.guards.iter().find(|(guard, _)| goes_with(guard)) {
            return Some(what.clone());
        }
        let holds = |name: &&&str| fs::symlink_metadata(real.join(name)).is_ok();
        let held = HELD.iter().find(holds).filter(|_| kind == Kind::Folder)?;
        Some(format!("the folder holds a `{held}`"))
    }
}

/// Where a path leads, as far as it is there in the file system's own spelling, which may differ in
/// case from ours.
fn real(path: &Path) -> PathBuf {
    let real = links::real(path);
    for there in real.ancestors() {
        if let Ok(own) = there.canonicalize() {
            let rest = real.strip_prefix(there).unwrap_or(Path::new(""));
            // Joining an empty path would add a slash.
            return if rest.as_os_str().is_empty() { own } else { own.join(rest) };
        }
    }
    real
}

/// The nearest folder above `path` with a sidecar: the project whose intents govern it, besides the
/// session's own.
pub fn nearest_sidecar(path: &Path) -> Option<PathBuf> {
    folders_above(path).find(|path| has_sidecar(path)).map(Path::to_owned)
}

/// The folders above a path, nearest first, except those with names too long for a file system.
pub fn folders_above(path: &Path) -> impl Iterator<Item = &Path> {
    path.ancestors().skip(1).filter(|folder| folder.as_os_str().len() <= MAX_PATH)
}

/// Whether a folder declares intents. A dangling link counts.
pub fn has_sidecar(folder: &Path) -> bool {
    fs::symlink_metadata(super::intents_file(folder)).is_ok()
}

fn inside(rest: &Path) -> Place {
    Place::Inside(rest.to_string_lossy().into_owned())
}

/// Finds out whether case is ignored, by looking for the sidecar, or else the project's root, under
/// its name in the other case.
fn case_in(root: &Path) -> Case {
    let sidecar = root.join(FOLDER);
    let path = if sidecar.symlink_metadata().is_ok() { &sidecar } else { root };
    let name = path.file_name().unwrap_or_default();
    let upper = name.to_ascii_uppercase();
    let other = if name == upper { name.to_ascii_lowercase() } else { upper };
    let Some(own) = fs::symlink_metadata(path).ok().filter(|_| name != other) else {
        return Case::Unknown;
    };
    match fs::symlink_metadata(path.with_file_name(other)) {
        Ok(found) if (found.dev(), found.ino()) == (own.dev(), own.ino()) => Case::Folds,
        Ok(_) => Case::Keeps,
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => Case::Keeps,
        Err(_) => Case::Unknown,
    }
}

#[cfg(test)]
mod tests;
