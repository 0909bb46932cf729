//! Which files of a sidecar a line takes out of git's index. A commit that has
//! them no more is a person's word that a project is let go of: no line may
//! begin one.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use crate::{
    core::intent::doubt::FILES,
    shell::{self, HOLE},
    sidecar,
    world::{git, objects},
};

/// Of the paths that git no longer keeps, those of sidecars; where a path means
/// more than them, the files that it takes along and that the commit has which is
/// checked out. Absolute.
pub(super) fn taken_out(project: &Path, paths: &[PathBuf], until: Instant) -> Vec<String> {
    let mut found = Vec::new();
    let text = |it: &Path| it.to_string_lossy().into_owned();
    let is_plain = |it: &Path| !text(it).contains([HOLE, '*', '?', '[']);
    let is_sidecars = |it: &&PathBuf| it.iter().any(|it| it == sidecar::FOLDER);
    found.extend(paths.iter().filter(|it| is_plain(it)).filter(is_sidecars).map(|it| text(it)));
    let real = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let is_meant = |file: &&str| {
        let files = [project.join(file), real.join(file)];
        let is_it = |path: &Path| files.iter().any(|file| covers(&text(path), file));
        paths.iter().any(|it| is_it(it) || it.canonicalize().is_ok_and(|it| is_it(&it)))
    };
    let meant: Vec<&str> = FILES.into_iter().filter(is_meant).collect();
    if !found.is_empty() || meant.is_empty() {
        return found;
    }
    let Some(head) = git::head(project) else { return found };
    let has = match objects::at(project, &head, &meant, until) {
        Ok(has) => has.iter().map(Option::is_some).collect(),
        Err(_) => vec![true; meant.len()],
    };
    let there = meant.into_iter().zip(has).filter(|it| it.1);
    found.extend(there.map(|it| text(&project.join(it.0))));
    found
}

/// Whether the path is that of the file, or of a folder that it lies in; what
/// nobody knows may be any text.
fn covers(path: &str, file: &Path) -> bool {
    let pattern = path.replace(HOLE, "*");
    let is_met = |it: &Path| shell::pattern_matches(&pattern, &it.to_string_lossy());
    file.ancestors().any(|it| Path::new(path) == it || is_met(it))
}
