//! Compares two versions of a file: the definitions that differ, and what follows from that.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{
    Meaning,
    evidence::{How, Net, Step, Touched},
};
use crate::outline::{Kind, Outline, Piece, Source, token::Tokens};

const MOST_DEFINITIONS: usize = 100;

/// A piece with its tokens.
pub(super) struct Part<'s> {
    pub(super) piece: Piece<'s>,
    pub(super) tokens: Tokens<'s>,
}

/// Kind, container and names identify a piece in its file.
pub(super) type Key<'p> = (Kind, &'p str, &'p [String]);

pub(super) fn key<'p>(piece: &'p Piece) -> Key<'p> {
    (piece.kind, &piece.inside, &piece.names)
}

pub(super) struct Change<'s> {
    pub(super) before: &'s Source<'s>,
    pub(super) after: &'s Source<'s>,
    pub(super) old: Outline<'s>,
    pub(super) new: Outline<'s>,
    /// The pieces before and after, in order, by number. A piece that is in both texts has the same
    /// number.
    pub(super) old_order: Vec<usize>,
    pub(super) new_order: Vec<usize>,
    /// Pieces that only one of the texts has.
    pub(super) removed: Vec<Part<'s>>,
    pub(super) added: Vec<Part<'s>>,
}

impl<'s> Change<'s> {
    pub(super) fn new(before: &'s Source<'s>, after: &'s Source<'s>) -> Self {
        let (old, new) = (before.outline(), after.outline());
        let old_order: Vec<usize> = (0..old.pieces.len()).collect();
        let mut unmatched: HashMap<(Key, &[u8]), Vec<usize>> = HashMap::new();
        for (number, piece) in old.pieces.iter().enumerate().rev() {
            unmatched.entry((key(piece), piece.raw)).or_default().push(number);
        }
        let mut found: Vec<Option<usize>> = Vec::new();
        for piece in &new.pieces {
            found.push(unmatched.get_mut(&(key(piece), piece.raw)).and_then(Vec::pop));
        }
        let matched: HashSet<usize> = found.iter().flatten().copied().collect();
        let part = |source: &'s Source<'s>, piece: &Piece<'s>| Part {
            piece: piece.clone(),
            tokens: source.tokens(piece),
        };
        let mut removed: Vec<(usize, Part)> = old_order
            .iter()
            .filter(|number| !matched.contains(number))
            .map(|number| (*number, part(before, &old.pieces[*number])))
            .collect();
        let mut added = Vec::new();
        for (piece, found) in new.pieces.iter().zip(&mut found).filter(|(_, count)| count.is_none())
        {
            let new = part(after, piece);
            let is_same =
                |old: &Part| key(&old.piece) == key(piece) && old.tokens.all == new.tokens.all;
            match removed.iter().position(|(_, old)| is_same(old)) {
                Some(at) => *found = Some(removed.remove(at).0),
                None => added.push(new),
            }
        }
        let next = old.pieces.len()..;
        let new_order =
            found.into_iter().zip(next).map(|(count, new)| count.unwrap_or(new)).collect();
        let removed = removed.into_iter().map(|(_, part)| part).collect();
        Self { before, after, old, new, old_order, new_order, removed, added }
    }

    pub(super) fn concluded(&self, step: Step, renamed: Vec<(String, String)>) -> Meaning {
        let mut meaning = Meaning::of(step);
        let evidence = &mut meaning.evidence;
        evidence.language = Some(self.before.language.name.to_owned());
        evidence.net = self.net();
        let mut touched = self.touched(!renamed.is_empty());
        touched.truncate(MOST_DEFINITIONS);
        evidence.definitions = touched;
        evidence.renamed = renamed;
        meaning.decide(step);
        meaning
    }

    pub(super) fn keeps_public_definitions(&self) -> bool {
        public_paths(&self.removed) == public_paths(&self.added)
    }

    pub(super) fn net(&self) -> Net {
        let difference = |count: fn(&Part) -> usize| {
            let sum = |parts: &[Part]| signed(parts.iter().map(count).sum());
            sum(&self.added) - sum(&self.removed)
        };
        Net {
            flow: difference(|part| part.tokens.flow),
            public_names: difference(|part| {
                usize::from(part.piece.is_public) * part.piece.names.len()
            }),
            definitions: difference(|part| usize::from(part.piece.kind.is_definition())),
        }
    }

    /// The definitions that differ. After a renaming all of them still exist.
    fn touched(&self, is_renamed: bool) -> Vec<Touched> {
        let (old, new) = (keys(&self.removed), keys(&self.added));
        let touched = |part: &Part, change| Touched { name: part.piece.path(), change };
        let is_definition =
            |part: &&Part| part.piece.kind.is_definition() && !part.piece.names.is_empty();
        let mut found = Vec::new();
        for part in self.added.iter().filter(is_definition) {
            let is_there = is_renamed || old.contains(&key(&part.piece));
            found.push(touched(part, if is_there { How::Modified } else { How::Added }));
        }
        for part in self.removed.iter().filter(is_definition) {
            if !is_renamed && !new.contains(&key(&part.piece)) {
                found.push(touched(part, How::Removed));
            }
        }
        found
    }
}

fn public_paths(parts: &[Part]) -> BTreeSet<String> {
    parts.iter().filter(|part| part.piece.is_public).flat_map(|part| part.piece.paths()).collect()
}

fn keys<'p>(parts: &'p [Part]) -> HashSet<Key<'p>> {
    parts.iter().map(|part| key(&part.piece)).collect()
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
