//! Paths whose parts stand apart in a line: a folder here, the names in it elsewhere.

use super::touch::{Act, is_named};
use crate::shell::{How, Reading};

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
