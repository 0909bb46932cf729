//! Finds a path that two scopes have in common.
//!
//! Each pair of patterns is walked as one automaton, one character at a time; the first path that
//! ends in both is the shortest. A character that no exclusion contains is tried first, so that
//! exclusions rarely cover the path found. Not found: overlaps of patterns that an exclusion covers
//! only in part.
//!
//! A name with an extension, such as `src/jwt.ts`, counts as a file here unless the other scope
//! writes it as a folder.

use std::collections::{BTreeSet, VecDeque};

use super::{
    glob::{self, Glob, State, Step},
    scope::Scope,
    target::{Case, Kind, guarded},
};

const MOST_STATES: usize = 20_000;

/// A path in both scopes; it need not exist. If case sensitivity is unknown, case is ignored: a
/// false overlap is better than a missed one.
pub fn overlap(one: &Scope, other: &Scope, case: Case) -> Option<String> {
    let folds = case != Case::Keeps;
    let holes: Vec<&Glob> = one.holes().iter().chain(other.holes()).collect();
    let is_held_out = |path: &str| holes.iter().any(|hole| hole.matches(path, Kind::Folder, folds));
    // Only exclusions that contain this character could cover the path.
    let is_named = |c: &char| holes.iter().any(|hole| hole.names(*c));
    let fresh = ('x'..='z').chain('a'..='w').find(|c| !is_named(c)).unwrap_or('x');
    for a in one.owned() {
        for b in other.owned() {
            if !begin_alike(a, b, folds) {
                continue;
            }
            let (a, b) = (&a.met_by(b), &b.met_by(a));
            // A path reads better if each `*` matches something.
            let filled = Walk { a: &a.filled(), b: &b.filled(), folds, fresh }.shortest();
            let found = filled.or_else(|| Walk { a, b, folds, fresh }.shortest());
            if let Some(path) = found.filter(|path| guarded(path).is_none() && !is_held_out(path)) {
                return Some(path);
            }
        }
    }
    None
}

fn begin_alike(a: &Glob, b: &Glob, folds: bool) -> bool {
    a.beginning().zip(b.beginning()).all(|(a, b)| glob::is_same(a, b, folds))
}

struct Walk<'a> {
    a: &'a Glob,
    b: &'a Glob,
    folds: bool,
    fresh: char,
}

/// (state in each pattern, whether the segment has a character): no segment of a path is empty.
type At = (State, State, bool);

impl Walk<'_> {
    fn shortest(&self) -> Option<String> {
        let start = (self.a.start(), self.b.start(), false);
        // With the path that leads there.
        let mut todo = VecDeque::from([(start, String::new())]);
        let mut seen: BTreeSet<At> = BTreeSet::from([start]);
        while let Some(((a, b, has_name), path)) = todo.pop_front() {
            let (a, b) = (self.a.closed(a), self.b.closed(b));
            let ends = |glob: &Glob, states: &[State]| {
                states.iter().any(|state| glob.accepts(*state, Kind::File))
            };
            if has_name && ends(self.a, &a) && ends(self.b, &b) {
                return Some(path);
            }
            for c in self.choices(&a, &b).into_iter().filter(|c| has_name || *c != '/') {
                for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (*a, *b))) {
                    let Some(a) = self.a.next(a, c, self.folds) else { continue };
                    let Some(b) = self.b.next(b, c, self.folds) else { continue };
                    let next = (a, b, c != '/');
                    if seen.insert(next) {
                        todo.push_back((next, format!("{path}{c}")));
                    }
                }
            }
            if seen.len() > MOST_STATES {
                return None;
            }
        }
        None
    }

    /// One character for each transition, the most readable first.
    fn choices(&self, a: &[State], b: &[State]) -> Vec<char> {
        let states =
            a.iter().map(|state| (self.a, *state)).chain(b.iter().map(|state| (self.b, *state)));
        let mut named = BTreeSet::new();
        for (glob, state) in states {
            match glob.step(state) {
                Some(Step::Char(c)) => drop(named.insert(*c)),
                Some(Step::Set { ranges, .. }) => {
                    for &(from, to) in ranges {
                        let around = [u32::from(from).checked_sub(1), u32::from(to).checked_add(1)];
                        named.extend(around.into_iter().flatten().filter_map(char::from_u32));
                        named.extend([from, to]);
                    }
                }
                Some(Step::Slash | Step::One | Step::Many | Step::Deep) | None => (),
            }
        }
        let first = [self.fresh, '/'];
        named.retain(|c| !c.is_control() && !first.contains(c));
        first.into_iter().chain(named).collect()
    }
}
