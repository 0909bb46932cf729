//! Expands a glob on a command line, such as `rm src/*.rs`, to the files that it matches now.

use std::path::Path;

use glob::{MatchOptions, Pattern};

/// Files of one pattern that are judged individually.
const MAX_FILES: usize = 500;

/// As a shell does: the matching files, or the word itself if none match. A pattern with too many
/// matches is judged as if it were a file name.
pub(super) fn expand(word: &str, cwd: &Path, home: Option<&Path>) -> Vec<String> {
    let (start, pattern) = match (word.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => (home, rest),
        _ => (cwd, word),
    };
    let has_wildcard = word.contains(['*', '?', '[']);
    if !has_wildcard || start.join(pattern).symlink_metadata().is_ok() {
        return vec![word.to_owned()];
    }
    let slash = if word.ends_with('/') { "/" } else { "" };
    // Without `globstar`, which is rarely set, `**` means `*` in bash.
    let pattern = pattern.trim_end_matches('/').replace("**", "*");
    let start = Pattern::escape(start.to_string_lossy().trim_end_matches('/'));
    let absolute = if pattern.starts_with('/') { pattern } else { format!("{start}/{pattern}") };
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    let files = glob::glob_with(&absolute, options).into_iter().flatten().flatten();
    let files = files.map(|file| file.to_string_lossy().into_owned());
    let files: Vec<String> = files
        .filter(|file| names_no_hidden(&absolute, file))
        .take(MAX_FILES + 1)
        .map(|file| file + slash)
        .collect();
    if files.is_empty() || files.len() > MAX_FILES { vec![word.to_owned()] } else { files }
}

/// A shell's `*` matches a leading dot only if the pattern has one.
fn names_no_hidden(pattern: &str, file: &str) -> bool {
    let mut names = pattern.rsplit('/').zip(file.rsplit('/'));
    names.all(|(part, name)| {
        part == name
            || !name.starts_with('.')
            || part.starts_with('.') && !matches!(name, "." | "..")
    })
}

#[cfg(test)]
mod tests;
