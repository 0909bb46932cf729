//! The same pieces in another order.
//!
//! Functions and types may be anywhere in their container, imports anywhere among the free pieces.
//! What runs as the file is read keeps its order. Where a definition has to come before its use, it
//! does not move past what runs.

use std::collections::HashSet;

use super::change::Change;
use crate::outline::{Kind, Piece};

/// Whether the pieces that both texts have are in orders that mean the same.
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
    // Of two definitions with the same name, the later one may count.
    let mut seen = HashSet::new();
    let mut named = pieces.iter().filter(|piece| piece.is_free && !piece.names.is_empty());
    named.all(|piece| seen.insert(super::change::key(piece)))
        && sections(&change.old_order) == sections(&change.new_order)
}

fn is_free(piece: &Piece) -> bool {
    let text = String::from_utf8_lossy(piece.raw);
    match piece.kind {
        // `import "./setup"`, `import _ "embed"`: it is there for its effect.
        Kind::Import => {
            let words = text.trim_start_matches("import").trim_start();
            let has_name = !words.starts_with(['"', '\'']) && !text.contains("_ \"");
            has_name && !["*", "__future__", "macro_use"].iter().any(|word| text.contains(word))
        }
        _ => piece.is_free && !text.contains("macro_use"),
    }
}
