//! Checks the binary, and the folder for roz's own files.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{Finding, Subject};
use crate::plugin::is_in_build_folder;

pub(super) fn binary(subject: &Subject) -> Option<Finding> {
    let seen = format!("roz {}, `{}`", env!("CARGO_PKG_VERSION"), subject.binary.display());
    if !is_in_build_folder(&subject.binary) {
        return Some(Finding::ok(seen));
    }
    let seen = format!("{seen}, is in a build folder: when that is cleaned, every gate is open");
    Some(Finding::warn(seen, "install it: `./install.sh`"))
}

pub(super) fn home(subject: &Subject) -> Option<Finding> {
    let findings = homes(subject).into_iter().map(|home| of_folder(&home));
    findings.max_by_key(|finding| finding.status as u8)
}

/// The home, and the folder of the sessions if the configuration names another one.
pub(super) fn homes(subject: &Subject) -> Vec<PathBuf> {
    let home = subject.sources.roz_home.clone();
    let other = subject.config.policy.storage.path.clone().filter(|path| *path != home);
    other.into_iter().chain([home]).collect()
}

fn of_folder(home: &Path) -> Finding {
    let shown = home.display();
    let is_there = |path: &&Path| path.symlink_metadata().is_ok();
    let nearest = home.ancestors().find(is_there).unwrap_or(Path::new("/"));
    if let Err(why) = is_writable(nearest) {
        return Finding::fail(
            format!("`{shown}` cannot be written: {why}"),
            "make it a writable folder with free space, or set `ROZ_HOME` to another one",
        );
    }
    match home.metadata() {
        Err(_) => Finding::ok(format!("`{shown}`, created by the first session")),
        // A private folder protects what is in it.
        Ok(meta) if meta.permissions().mode() & 0o077 != 0 => {
            Finding::warn(format!("others can read `{shown}`"), format!("chmod -R go= '{shown}'"))
        }
        Ok(_) => Finding::ok(format!("`{shown}` is writable and private")),
    }
}

fn is_writable(folder: &Path) -> Result<(), String> {
    let shown = folder.display();
    match fs::read_link(folder) {
        _ if folder.is_dir() => (),
        Ok(target) => {
            let target = target.display();
            return Err(format!("`{shown}` is a link to `{target}`, which is not a folder"));
        }
        Err(_) => return Err(format!("`{shown}` is not a folder")),
    }
    // The file has no name, so nothing is left behind.
    let mut file = tempfile::tempfile_in(folder).map_err(|err| err.to_string())?;
    file.write_all(&[0; 4096]).and_then(|()| file.sync_data()).map_err(|err| err.to_string())
}
