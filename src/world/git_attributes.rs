//! What git is told of the file that two branches both add to.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
};

use super::files::{self, Access};

/// The line of a `.gitattributes` beside the learnings, so that branches merge.
pub(crate) const LEARNINGS: &str = "learnings.md merge=union\n";

/// For whoever begins a file in a project's `folder`: the gate may be on by a ticket system's
/// marker alone, and then no `roz init` has told git.
///
/// What the user said of the folder stands, in it or above it. That it cannot be told loses nothing
/// that is written, and `roz doctor` says so.
pub(crate) fn tell_git(folder: &Path) {
    const NAME: &str = ".gitattributes";
    if is_told_above(folder, NAME) {
        return;
    }
    let path = folder.join(NAME);
    let mut options = OpenOptions::new();
    let options = options.write(true).create_new(true);
    let Ok(Some((mut file, _))) = files::open_for(&path, options, Access::Shared) else { return };
    if file.write_all(LEARNINGS.as_bytes()).is_err() {
        // Half of it would stand as the user's word.
        let _ = fs::remove_file(&path);
    }
}

fn is_told_above(folder: &Path, name: &str) -> bool {
    let (Some(project), Some(own)) = (folder.parent(), folder.file_name()) else { return false };
    let own = own.to_string_lossy();
    let Ok(Some((text, _))) = files::read(&project.join(name)) else { return false };
    String::from_utf8_lossy(&text).lines().any(|line| {
        let path = line.trim_start().trim_start_matches('/');
        path.strip_prefix(&*own).is_some_and(|rest| rest.starts_with('/'))
    })
}
