//! Paths whose parts stand apart in a line: a folder here, the names in it elsewhere.

use super::touch::{Act, is_named};
use crate::shell::{How, Reading, Run};

/// What a loop over a pattern, or over a listing, comes to and changes in a folder that is guarded:
/// `cd ~/.claude; for f in *; do rm $f; done`.
pub(super) fn found_here(reading: &Reading, add: &mut impl FnMut(&str, Act)) {
    for find in reading.finds.iter().filter(|it| it.is_written && !it.shows.is_empty()) {
        let pattern = find.words.iter().position(|it| it == "-path");
        let pattern = pattern.and_then(|at| find.words.get(at + 1)).filter(|it| !it.contains('/'));
        let pattern = pattern.map_or("*", String::as_str);
        for (_, start) in find.starts.iter().filter(|it| is_named(&it.1)) {
            add(&format!("{}/{pattern}", start.trim_end_matches('/')), Act::Write(How::Edit));
        }
    }
}

/// `curl --output-dir d -o f` writes `d/f`.
pub(super) fn downloads(run: &Run, add: &mut impl FnMut(&str, Act)) {
    let value = |short: &str, long: &str| {
        let at = run.argv.iter().position(|it| {
            it == long || !short.is_empty() && it.starts_with('-') && it.ends_with(short)
        });
        let joined = run.argv.iter().find_map(|it| it.strip_prefix(long)?.strip_prefix('='));
        joined.or_else(|| run.argv.get(at? + 1).map(String::as_str))
    };
    if let (Some(folder), Some(file)) = (value("", "--output-dir"), value("o", "--output")) {
        add(&format!("{}/{file}", folder.trim_end_matches('/')), Act::Write(How::Write));
    }
}
