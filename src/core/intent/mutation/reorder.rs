//! Recognises the same definitions in another order.
//!
//! Functions and types may move within their container, and imports between such definitions.
//! Statements that run when the file is loaded keep their order, and where definitions have to
//! precede their use, none moves across such a statement.

use std::collections::HashSet;

use super::change::Change;
use crate::outline::{Kind, Piece};

pub(super) fn means_the_same(change: &Change) -> bool {
    let pieces = &change.old.pieces;
    let in_both: HashSet<usize> = {
        let old: HashSet<usize> = change.old_order.iter().copied().collect();
        change.new_order.iter().copied().filter(|number| old.contains(number)).collect()
    };
    let is_fixed = |number: &usize| !is_free(&pieces[*number]);
    let runs_in_order = change.before.language.runs_in_order;
    let sections = |order: &[usize]| -> Vec<Vec<usize>> {
        let shared: Vec<usize> =
            order.iter().copied().filter(|number| in_both.contains(number)).collect();
        if !runs_in_order {
            return vec![shared.into_iter().filter(is_fixed).collect()];
        }
        let mut sections: Vec<Vec<usize>> = shared
            .chunk_by(|one, other| !is_fixed(one) && !is_fixed(other))
            .map(<[usize]>::to_vec)
            .collect();
        for section in &mut sections {
            section.sort_unstable();
        }
        sections
    };
    // With equal names, the later definition may win.
    let mut seen = HashSet::new();
    let mut named = pieces.iter().filter(|piece| piece.is_free && !piece.names.is_empty());
    named.all(|piece| seen.insert(super::change::key(piece)))
        && sections(&change.old_order) == sections(&change.new_order)
}

fn is_free(piece: &Piece) -> bool {
    let text = String::from_utf8_lossy(piece.raw);
    match piece.kind {
        // `import "./setup"`, `import _ "embed"` have side effects.
        Kind::Import => {
            let words = text.trim_start_matches("import").trim_start();
            let has_name = !words.starts_with(['"', '\'']) && !text.contains("_ \"");
            has_name && !["*", "__future__", "macro_use"].iter().any(|word| text.contains(word))
        }
        _ => piece.is_free && !text.contains("macro_use"),
    }
}
