//! Which stash has which number, while a line makes and takes some.
//!
//! What nobody knows forks: each way that the stack may have come to be is
//! kept, and a number means whatever stands there in one of them.

use std::collections::BTreeSet;

/// So many ways are followed. Beyond, anything may be anywhere.
const MOST_WAYS: usize = 256;
/// Higher numbers are not followed.
const HIGHEST: usize = 100;

/// A stash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stash {
    /// The run at that place has put it away.
    OfLine(usize),
    /// By the number that it had before the line.
    Old(usize),
}

/// The stashes of a repository, as they come to be numbered.
#[derive(Debug)]
pub(super) struct Stack {
    ways: BTreeSet<Way>,
    /// Something was put there or taken that nobody knows.
    is_open: bool,
}

/// A way that the stack may be.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// Those above the others, the newest first.
    top: Vec<Stash>,
    /// The number that the first of the others had; they follow as they did.
    below: usize,
}

impl Way {
    /// None where no stack is that high.
    fn at(&self, number: usize) -> Option<Stash> {
        match number.checked_sub(self.top.len()) {
            None => self.top.get(number).copied(),
            Some(further) => self.below.checked_add(further).map(Stash::Old),
        }
    }

    fn without(&self, number: usize) -> Self {
        let mut way = self.clone();
        while way.top.len() <= number {
            way.top.push(Stash::Old(way.below));
            way.below += 1;
        }
        way.top.remove(number);
        way
    }
}

/// `stash@{2}`, `2`.
pub(super) fn number(name: &str) -> Option<usize> {
    let name = name.strip_prefix("refs/").unwrap_or(name);
    let inside = match name.strip_prefix("stash") {
        Some("") => "0",
        Some(rest) => rest.strip_prefix("@{")?.strip_suffix('}')?,
        None => name,
    };
    // Rust reads a sign, git a date.
    inside.bytes().all(|it| it.is_ascii_digit()).then(|| inside.parse().ok())?
}

impl Default for Stack {
    fn default() -> Self {
        Self { ways: BTreeSet::from([Way::default()]), is_open: false }
    }
}

impl Stack {
    /// Whether each stash still has the number that it had.
    pub(super) fn is_as_it_was(&self) -> bool {
        !self.is_open && self.ways == Self::default().ways
    }

    /// The run at `place` puts something away, or perhaps nothing.
    pub(super) fn makes(&mut self, place: usize, is_sure: bool) {
        let made = |way: &Way| {
            let mut way = way.clone();
            way.top.insert(0, Stash::OfLine(place));
            way
        };
        let made: BTreeSet<Way> = self.ways.iter().map(made).collect();
        if is_sure {
            self.ways = made;
        } else {
            self.becomes(made);
        }
    }

    /// What is put there, or taken away, is not known.
    pub(super) fn opens(&mut self) {
        self.is_open = true;
    }

    /// The one of that number is taken away: or not, where that fails.
    pub(super) fn takes(&mut self, number: usize) {
        if number > HIGHEST {
            self.opens();
            return;
        }
        let without: BTreeSet<Way> = self.ways.iter().map(|it| it.without(number)).collect();
        self.becomes(without);
    }

    fn becomes(&mut self, more: BTreeSet<Way>) {
        self.ways.extend(more);
        if self.ways.len() > MOST_WAYS {
            self.ways.clear();
            self.opens();
        }
    }

    /// What a number may stand for. None: nobody knows.
    pub(super) fn meant(&self, number: usize) -> Option<BTreeSet<Stash>> {
        (!self.is_open).then(|| self.ways.iter().filter_map(|it| it.at(number)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{Stash::*, *};

    #[track_caller]
    fn means(stack: &Stack, number: usize, meant: &[Stash]) {
        assert_eq!(stack.meant(number), Some(meant.iter().copied().collect()));
    }

    #[test]
    fn a_number_is_what_git_takes_for_one() {
        for (name, is) in [
            ("0", Some(0)),
            ("stash", Some(0)),
            ("refs/stash", Some(0)),
            ("stash@{12}", Some(12)),
            ("stash@{1.day.ago}", None),
            ("stash@{+1}", None),
            ("stash@{}", None),
            ("stash^0", None),
            ("a1b2c3", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(number(name), is, "{name}");
        }
    }

    #[test]
    fn the_largest_number_is_no_panic() {
        let mut stack = Stack::default();
        stack.makes(0, true);
        means(&stack, 0, &[OfLine(0)]);
        means(&stack, usize::MAX, &[Old(usize::MAX - 1)]);
        stack.takes(0);
        stack.takes(0);
        assert!(stack.meant(usize::MAX).is_some());
        stack.takes(usize::MAX);
        assert_eq!(stack.meant(0), None);
    }

    #[test]
    fn who_puts_away_brings_back_what_was_put_away() {
        let mut stack = Stack::default();
        assert!(stack.is_as_it_was());
        means(&stack, 2, &[Old(2)]);
        stack.makes(3, true);
        assert!(!stack.is_as_it_was());
        means(&stack, 0, &[OfLine(3)]);
        means(&stack, 1, &[Old(0)]);
        // It may be there still.
        stack.takes(0);
        means(&stack, 0, &[OfLine(3), Old(0)]);
        stack.makes(5, true);
        means(&stack, 0, &[OfLine(5)]);
    }

    #[test]
    fn where_nothing_may_have_been_put_away_it_may_be_the_one_below() {
        let mut stack = Stack::default();
        stack.makes(0, false);
        means(&stack, 0, &[OfLine(0), Old(0)]);
        means(&stack, 1, &[Old(0), Old(1)]);
        stack.makes(1, true);
        means(&stack, 0, &[OfLine(1)]);
        means(&stack, 1, &[OfLine(0), Old(0)]);
    }

    #[test]
    fn what_is_taken_moves_those_below_it_and_no_other() {
        let mut stack = Stack::default();
        stack.takes(1);
        means(&stack, 0, &[Old(0)]);
        means(&stack, 1, &[Old(1), Old(2)]);
        stack.opens();
        assert_eq!(stack.meant(0), None);
    }

    #[test]
    fn each_number_is_of_its_moment() {
        let mut stack = Stack::default();
        stack.takes(2);
        stack.takes(0);
        assert!(stack.meant(1).unwrap().contains(&Old(3)));
        let mut stack = Stack::default();
        stack.makes(0, true);
        stack.takes(1);
        stack.takes(0);
        assert!(stack.meant(0).unwrap().contains(&Old(1)));
    }

    #[test]
    fn too_many_ways_are_anything() {
        let mut stack = Stack::default();
        (0..20).for_each(|it| stack.takes(it));
        assert_eq!(stack.meant(0), None);
    }
}
