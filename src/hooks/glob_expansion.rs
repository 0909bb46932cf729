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
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_the_files_that_match_it_now() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        for file in ["src/a/x.rs", "src/b/x.rs", "src/b/.hidden.rs", "src/b/[x].rs", "notes"] {
            let path = root.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let expanded = |word: &str| -> Vec<String> {
            let root = format!("{}/", root.display());
            let files = expand(word, Path::new(&root), None);
            files.iter().map(|file| file.replace(&root, "")).collect()
        };
        assert_eq!(expanded("src/*/x.rs"), ["src/a/x.rs", "src/b/x.rs"]);
        assert_eq!(expanded("src/b/*.rs"), ["src/b/[x].rs", "src/b/x.rs"]);
        assert_eq!(expanded("src/b/.*"), ["src/b/.hidden.rs"]);
        assert_eq!(expanded("src/[ab]/"), ["src/a/", "src/b/"]);
        assert_eq!(expanded("src/b/[x].rs"), ["src/b/[x].rs"], "a file of that name");
        assert_eq!(expanded("*.md"), ["*.md"], "nothing matches");
        assert_eq!(expanded("notes"), ["notes"]);
    }

    #[test]
    fn the_folder_that_one_stands_in_is_no_pattern() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("app/[id]");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("page.ts"), "").unwrap();
        let page = folder.join("page.ts").to_string_lossy().into_owned();
        assert_eq!(expand("*.ts", &folder, None), [page]);
    }

    #[test]
    fn a_pattern_that_matches_too_much_is_itself() {
        let dir = tempfile::tempdir().unwrap();
        for at in 0..=MAX_FILES {
            fs::write(dir.path().join(format!("{at}.txt")), "").unwrap();
        }
        assert_eq!(expand("*.txt", dir.path(), None), ["*.txt"]);
    }
}
