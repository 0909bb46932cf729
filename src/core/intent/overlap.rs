//! What two scopes have in common: a path that both own, constructed.
//!
//! Each pair of patterns is walked as one automaton, together with all that
//! keeps paths out (holes of either, places that are nobody's), from state to
//! state by a character that tells the steps apart. The first path that ends
//! well is the shortest. Exact for patterns without holes; with them, too, but
//! where a class of more than [`FROM_A_RANGE`] characters has to be picked
//! through, or the walk is longer than [`MOST_STATES`]: then a path is named
//! that both scopes' patterns take, and it is not [`Witness::certain`].
//!
//! One thing is left out on purpose: a name with an ending, as `src/jwt.ts`,
//! covers what is below it should it ever be a folder; that counts only where
//! the other scope spells it as one.

use std::collections::{BTreeSet, VecDeque};

use super::{
    glob::{self, Glob, State, Step},
    scope::Scope,
    target::{Case, Kind, guarded},
};

const MOST_STATES: usize = 20_000;
const FROM_A_RANGE: usize = 64;

/// A path that two scopes have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Witness {
    pub path: String,
    /// Whether no hole keeps it out.
    pub certain: bool,
}

/// A path in both, if there is one. It need not be there on the disk. Where
/// case cannot be known it folds: rather one overlap too many.
pub fn overlap(one: &Scope, other: &Scope, case: Case) -> Option<Witness> {
    let folds = case != Case::Keeps;
    let globs = |it: &Scope| -> Vec<Glob> {
        it.owned.iter().flat_map(|it| it.globs.iter().cloned()).collect()
    };
    let holes = [one, other].into_iter().flat_map(|it| &it.holes);
    let holes: Vec<&Glob> = holes.flat_map(|it| &it.globs).collect();
    let (ones, others) = (globs(one), globs(other));
    let mut perhaps = None;
    for a in &ones {
        for b in &others {
            if !begin_alike(a, b, folds) {
                continue;
            }
            let (a, b) = (&a.met_by(b), &b.met_by(a));
            // A `*` that takes something makes a path that is nicer to read.
            let mut found =
                Walk { a: &a.filled(), b: &b.filled(), holes: &holes, folds }.shortest();
            if !matches!(found, Ok(Some(_))) {
                found = Walk { a, b, holes: &holes, folds }.shortest();
            }
            match found {
                Ok(Some(path)) => return Some(Witness { path, certain: true }),
                Ok(None) => (),
                Err(TooLong) => {
                    let bare = Walk { a, b, holes: &[], folds }.shortest();
                    perhaps = perhaps.or(bare.ok().flatten());
                }
            }
        }
    }
    perhaps.map(|path| Witness { path, certain: false })
}

fn begin_alike(a: &Glob, b: &Glob, folds: bool) -> bool {
    a.beginning().zip(b.beginning()).all(|(a, b)| glob::is_same(a, b, folds))
}

struct Walk<'a> {
    a: &'a Glob,
    b: &'a Glob,
    holes: &'a [&'a Glob],
    folds: bool,
}

struct TooLong;

/// Where the walk is in both patterns, in the holes, and in its segment: a
/// path has no empty ones, and none that are `.` or `..`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    a: State,
    b: State,
    holes: Vec<(usize, State)>,
    segment: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Empty,
    Dot,
    Dots,
    Name,
}

impl Walk<'_> {
    fn shortest(&self) -> Result<Option<String>, TooLong> {
        let holes = self.holes.iter().enumerate().map(|(i, it)| (i, it.start())).collect();
        let start = At { a: self.a.start(), b: self.b.start(), holes, segment: Part::Empty };
        // Each with the one that it was reached from, and by what.
        let mut found: Vec<(At, usize, char)> = vec![(start.clone(), 0, '/')];
        let mut seen = BTreeSet::from([start]);
        let mut todo = VecDeque::from([0]);
        while let Some(index) = todo.pop_front() {
            let at = found[index].0.clone();
            let (a, b) = (closed(self.a, at.a), closed(self.b, at.b));
            let holes = self.closed_holes(&at.holes);
            if at.segment == Part::Name && self.ends(&a, &b, &holes) {
                let path = path(&found, index);
                if guarded(&path).is_none() {
                    return Ok(Some(path));
                }
            }
            for c in self.choices(&a, &b, &holes) {
                let Some(segment) = at.segment.then(c) else { continue };
                let next_holes = self.next_holes(&holes, c);
                if next_holes.iter().any(|(i, it)| *it == self.holes[*i].everything()) {
                    continue;
                }
                for &a in &a {
                    for &b in &b {
                        let Some(a) = self.a.next(a, c, self.folds) else { continue };
                        let Some(b) = self.b.next(b, c, self.folds) else { continue };
                        let next = At { a, b, holes: next_holes.clone(), segment };
                        if seen.insert(next.clone()) {
                            if seen.len() > MOST_STATES {
                                return Err(TooLong);
                            }
                            found.push((next, index, c));
                            todo.push_back(found.len() - 1);
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    fn closed_holes(&self, states: &[(usize, State)]) -> Vec<(usize, State)> {
        let all = states
            .iter()
            .flat_map(|(i, it)| closed(self.holes[*i], *it).into_iter().map(|it| (*i, it)));
        all.collect()
    }

    fn next_holes(&self, states: &[(usize, State)], c: char) -> Vec<(usize, State)> {
        let next = states
            .iter()
            .filter_map(|(i, it)| Some((*i, self.holes[*i].next(*it, c, self.folds)?)));
        next.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn ends(&self, a: &[State], b: &[State], holes: &[(usize, State)]) -> bool {
        a.iter().any(|it| self.a.accepts(*it, Kind::File))
            && b.iter().any(|it| self.b.accepts(*it, Kind::File))
            && !holes.iter().any(|(i, it)| self.holes[*i].accepts(*it, Kind::Folder))
    }

    /// One character for each way on that there can be, the nicest first.
    fn choices(&self, a: &[State], b: &[State], holes: &[(usize, State)]) -> Vec<char> {
        let mut named = BTreeSet::new();
        let of_holes = holes.iter().map(|(i, it)| (self.holes[*i], *it));
        let states = a.iter().map(|it| (self.a, *it)).chain(b.iter().map(|it| (self.b, *it)));
        for (glob, state) in states.chain(of_holes) {
            match glob.step(state) {
                Some(Step::Char(c)) => drop(named.insert(*c)),
                Some(Step::Set { ranges, .. }) => {
                    for &(from, to) in ranges {
                        named.extend((from..=to).take(FROM_A_RANGE));
                        let around = [u32::from(from).checked_sub(1), u32::from(to).checked_add(1)];
                        named.extend(around.into_iter().flatten().filter_map(char::from_u32));
                    }
                }
                Some(Step::Slash | Step::One | Step::Many | Step::Deep) | None => (),
            }
        }
        let first = [self.fresh(), '/'];
        named.retain(|it| !it.is_control() && !first.contains(it));
        first.into_iter().chain(named).collect()
    }

    /// A character that no hole names, where there is one.
    fn fresh(&self) -> char {
        let is_named = |c: &char| self.holes.iter().any(|it| it.names(*c));
        ('x'..='z').chain('a'..='w').chain('α'..='ω').find(|it| !is_named(it)).unwrap_or('x')
    }
}

fn closed(glob: &Glob, state: State) -> Vec<State> {
    let mut states = Vec::new();
    glob.close(state, &mut states);
    states
}

fn path(found: &[(At, usize, char)], mut index: usize) -> String {
    let mut chars = Vec::new();
    while index > 0 {
        let (_, before, c) = &found[index];
        chars.push(*c);
        index = *before;
    }
    chars.iter().rev().collect()
}

impl Part {
    fn then(self, c: char) -> Option<Self> {
        match (self, c) {
            (Self::Name, '/') => Some(Self::Empty),
            (_, '/') => None,
            (Self::Empty, '.') => Some(Self::Dot),
            (Self::Dot, '.') => Some(Self::Dots),
            _ => Some(Self::Name),
        }
    }
}
