//! Finds definitions and whole files that moved to another file in the same call.

use std::collections::HashMap;

use super::{
    File, Meaning,
    change::{Change, Key, Part, key},
    evidence::{Moved, Step},
    reorder,
};
use crate::outline::{
    Kind, Unread,
    token::{Token, What},
};

/// (file, number of the part in it)
type Place = (usize, usize);

pub(super) fn find(files: &[File], changes: &[Result<Change, Unread>], meanings: &mut [Meaning]) {
    find_files(files, meanings);
    let is_open = |at: usize| !meanings[at].evidence.step.is_proof();
    let open: Vec<(usize, &Change)> = changes
        .iter()
        .enumerate()
        .filter_map(|(at, change)| change.as_ref().ok().map(|change| (at, change)))
        .filter(|(at, _)| is_open(*at))
        .collect();
    let pairs = pairs(&open);
    for (at, change) in open {
        let left = |(from, _): &&(Place, Place)| from.0 == at;
        let came = |(_, to): &&(Place, Place)| to.0 == at;
        let (left, came) = (pairs.iter().filter(left).count(), pairs.iter().filter(came).count());
        let is_all = code(&change.removed).count() == left && code(&change.added).count() == came;
        if left + came == 0 || !is_all || !reorder::means_the_same(change) {
            continue;
        }
        let moved = pairs.iter().filter(|(from, to)| from.0 == at || to.0 == at);
        let moved = moved.filter_map(|(from, to)| {
            let change = changes[from.0].as_ref().ok()?;
            let name = change.removed[from.1].piece.path();
            let path = |place: &Place| files[place.0].path.to_owned();
            Some(Moved { name, from: path(from), to: path(to) })
        });
        meanings[at].evidence.moved = moved.collect();
        meanings[at].decide(Step::Move);
    }
}

fn find_files(files: &[File], meanings: &mut [Meaning]) {
    let mut removed: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        if let (Some(before), None) = (file.before, file.after) {
            removed.entry(before).or_default().push(at);
        }
    }
    for (at, file) in files.iter().enumerate() {
        let (None, Some(after)) = (file.before, file.after) else { continue };
        if let Some(from) = removed.get_mut(after).and_then(Vec::pop) {
            meanings[from].decide(Step::Move);
            meanings[at].decide(Step::Move);
        }
    }
}

fn pairs(open: &[(usize, &Change)]) -> Vec<(Place, Place)> {
    let mut removed: HashMap<(&str, Key), Vec<(Place, &Part)>> = HashMap::new();
    for (file, change) in open {
        for (number, part) in code(&change.removed) {
            let key = (change.before.language.name, key(&part.piece));
            removed.entry(key).or_default().push(((*file, number), part));
        }
    }
    let mut pairs = Vec::new();
    for (file, change) in open {
        for (number, part) in code(&change.added).filter(|(_, part)| !part.piece.names.is_empty()) {
            let key = (change.before.language.name, key(&part.piece));
            let Some(candidates) = removed.get_mut(&key) else { continue };
            let is_it = |(place, old): &(Place, &Part)| {
                place.0 != *file && without_visibility(old).eq(without_visibility(part))
            };
            if let Some(found) = candidates.iter().position(is_it) {
                pairs.push((candidates.swap_remove(found).0, (*file, number)));
            }
        }
    }
    pairs
}

/// Without imports, which follow the definitions that need them.
fn code<'p, 's>(parts: &'p [Part<'s>]) -> impl Iterator<Item = (usize, &'p Part<'s>)> {
    let is_import = |part: &Part| {
        // `mod name;`
        let is_file = part.piece.kind == Kind::Module && part.piece.raw.ends_with(b";");
        part.piece.kind == Kind::Import || is_file
    };
    parts.iter().enumerate().filter(move |(_, part)| !is_import(part))
}

/// A definition that moves may have to become public for its old file.
fn without_visibility<'p, 's>(part: &'p Part<'s>) -> impl Iterator<Item = &'p Token<'s>> {
    part.tokens.all.iter().filter(|token| token.what != What::Visibility)
}
