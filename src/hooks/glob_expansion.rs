//! The files that a pattern on a command line, such as `rm src/*.rs`, matches now.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::shell;

/// Names that are looked at for one pattern.
const MAX_NAMES: usize = 4096;
/// Files of one pattern that are judged one by one.
const MAX_FILES: usize = 500;

/// What a shell makes of a word: the files that match it, else the word itself. A pattern that
/// matches too many files is judged by its own name, as if it were a file.
pub(super) fn expand(word: &str, cwd: &Path, home: Option<&Path>) -> Vec<String> {
    let itself = || vec![word.to_owned()];
    let (start, pattern) = match (word.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => (home, Path::new(rest)),
        _ => (cwd, Path::new(word)),
    };
    if !has_wildcard(word) || start.join(pattern).symlink_metadata().is_ok() {
        return itself();
    }
    let slash = if word.ends_with('/') { "/" } else { "" };
    match matching(start, pattern) {
        Some(files) if !files.is_empty() => {
            files.iter().map(|file| format!("{}{slash}", file.to_string_lossy())).collect()
        }
        _ => itself(),
    }
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

/// `None` where there is too much to look at. Names of folders in `start` are no patterns.
fn matching(start: &Path, pattern: &Path) -> Option<Vec<PathBuf>> {
    let mut found = vec![start.to_owned()];
    let mut names = 0;
    for part in pattern.components() {
        let part = part.as_os_str().to_string_lossy();
        if !has_wildcard(&part) {
            for path in &mut found {
                path.push(&*part);
            }
            continue;
        }
        let folders = std::mem::take(&mut found);
        for entry in folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten() {
            names += 1;
            if names > MAX_NAMES {
                return None;
            }
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // `*` matches no name that begins with a dot.
            let is_shown = !name.starts_with('.') || part.starts_with('.');
            if is_shown && shell::pattern_matches(&part, &name) {
                found.push(entry.path());
            }
        }
    }
    found.retain(|path| path.symlink_metadata().is_ok());
    found.sort_unstable();
    (found.len() <= MAX_FILES).then_some(found)
}

#[cfg(test)]
mod tests;
