//! The binary, and the folder in which roz keeps what it writes.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{Finding, Subject};
use crate::plugin::is_in_build_folder;

pub(super) fn binary(subject: &Subject) -> Finding {
    let seen = format!("roz {}, `{}`", env!("CARGO_PKG_VERSION"), subject.binary.display());
    if is_in_build_folder(&subject.binary) {
        Finding::warn(
            format!("{seen}, is in a build folder: when that is cleaned, every gate is open"),
            "install it: `./install.sh`",
        )
    } else {
        Finding::ok(seen)
    }
}

pub(super) fn home(subject: &Subject) -> Option<Finding> {
    let findings = homes(subject).into_iter().map(|home| of_folder(&home));
    findings.max_by_key(|finding| finding.status as u8)
}

/// The home, and the folder of the sessions where the configuration names another one.
pub(super) fn homes(subject: &Subject) -> Vec<PathBuf> {
    let home = subject.sources.roz_home.clone();
    let other = subject.config.policy.storage.path.clone().filter(|path| *path != home);
    other.into_iter().chain([home]).collect()
}

fn of_folder(home: &Path) -> Finding {
    let shown = home.display();
    if !home.exists() {
        let is_there = |path: &&Path| path.symlink_metadata().is_ok();
        let parent = home.ancestors().find(is_there).unwrap_or(Path::new("/"));
        return match is_writable(parent) {
            Ok(()) => Finding::ok(format!("`{shown}`, created by the first session")),
            Err(why) => Finding::fail(
                format!("`{shown}` cannot be created: {why}"),
                format!("fix `{}`, or set `ROZ_HOME` to another folder", parent.display()),
            ),
        };
    }
    if let Err(why) = is_writable(home) {
        return Finding::fail(
            format!("`{shown}` cannot be written: {why}"),
            "make it a writable folder with free space, or set `ROZ_HOME` to another one",
        );
    }
    let open = readable_by_others(home);
    if open.is_empty() {
        return Finding::ok(format!("`{shown}` is writable and private"));
    }
    let named: Vec<String> =
        open.iter().take(3).map(|path| format!("`{}`", path.display())).collect();
    Finding::warn(
        format!("others can read {} of your files: {}", open.len(), named.join(", ")),
        format!("chmod -R go= '{shown}'"),
    )
}

fn is_writable(folder: &Path) -> Result<(), String> {
    if let Ok(target) = fs::read_link(folder)
        && !folder.exists()
    {
        let (folder, target) = (folder.display(), target.display());
        return Err(format!("`{folder}` is a link to `{target}`, which does not exist"));
    }
    if !folder.is_dir() {
        return Err(format!("`{}` is not a folder", folder.display()));
    }
    // It has no name, so it leaves nothing behind.
    let mut file = tempfile::tempfile_in(folder).map_err(|err| err.to_string())?;
    file.write_all(&[0; 4096]).and_then(|()| file.sync_data()).map_err(|err| err.to_string())
}

/// The home and the session files in it that others than the user can read.
fn readable_by_others(home: &Path) -> Vec<PathBuf> {
    const LOOKED_AT: usize = 10_000;
    let sessions = home.join("sessions");
    let files = fs::read_dir(&sessions).into_iter().flatten().flatten().take(LOOKED_AT);
    let is_open = |path: &PathBuf| {
        path.symlink_metadata().is_ok_and(|metadata| {
            !metadata.is_symlink() && metadata.permissions().mode() & 0o077 != 0
        })
    };
    let all = [home.to_owned(), sessions].into_iter().chain(files.map(|file| file.path()));
    let all: Vec<PathBuf> = all.filter(is_open).collect();
    // A closed folder closes what is in it.
    if all.contains(&home.to_owned()) { all } else { Vec::new() }
}
