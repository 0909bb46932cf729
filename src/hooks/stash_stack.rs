//! Which stash has which number, while a line makes and takes some.

/// The stashes of a repository, as they come to be numbered.
#[derive(Debug, Default)]
pub(super) struct Stack {
    /// Those that the line has put on top; whether each is sure to be there.
    made: Vec<bool>,
    /// The numbers that others had when they were taken away, if they were.
    taken: Vec<usize>,
    /// One was put on top whose text is that of any commit.
    is_open: bool,
}

/// What a name may stand for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meant {
    /// By the numbers that they had before the line. None: only what the line
    /// itself has put away.
    Old(Vec<usize>),
    Unknown,
}

/// `stash@{2}`, `2`.
pub(super) fn number(name: &str) -> Option<usize> {
    let name = name.strip_prefix("refs/").unwrap_or(name);
    let inside = match name.strip_prefix("stash") {
        Some("") => "0",
        Some(rest) => rest.strip_prefix("@{")?.strip_suffix('}')?,
        None => name,
    };
    inside.parse().ok()
}

impl Stack {
    /// Whether each stash still has the number that it had.
    pub(super) fn is_as_it_was(&self) -> bool {
        self.made.is_empty() && self.taken.is_empty() && !self.is_open
    }

    pub(super) fn makes(&mut self, is_sure: bool) {
        self.made.push(is_sure);
    }

    pub(super) fn stores(&mut self) {
        self.is_open = true;
    }

    pub(super) fn takes(&mut self, number: usize) {
        // The last one that was made stands at 0.
        let at = number.checked_add(1).and_then(|it| self.made.len().checked_sub(it));
        match at.filter(|at| self.made.get(*at) == Some(&true)) {
            Some(at) => drop(self.made.remove(at)),
            None => self.taken.push(number),
        }
    }

    pub(super) fn meant(&self, number: usize) -> Meant {
        if self.is_open {
            return Meant::Unknown;
        }
        let sure = self.made.iter().filter(|it| **it).count();
        // A place that one was taken from in vain is still taken.
        let shifted = self.taken.iter().filter(|it| **it <= number).count();
        let least = number.saturating_sub(self.made.len());
        let Some(most) = number.checked_sub(sure) else { return Meant::Old(Vec::new()) };
        Meant::Old((least..=most.saturating_add(shifted)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_what_git_takes_for_one() {
        for (name, is) in [
            ("0", Some(0)),
            ("stash", Some(0)),
            ("refs/stash", Some(0)),
            ("stash@{12}", Some(12)),
            ("stash@{1.day.ago}", None),
            ("stash^0", None),
            ("a1b2c3", None),
            ("99999999999999999999999", None),
        ] {
            assert_eq!(number(name), is, "{name}");
        }
    }

    #[test]
    fn the_largest_number_is_that_of_no_stash() {
        let mut stack = Stack::default();
        stack.takes(usize::MAX);
        stack.makes(true);
        stack.takes(usize::MAX);
        assert_eq!(stack.meant(0), Meant::Old(vec![]));
        assert!(matches!(stack.meant(usize::MAX), Meant::Old(_)));
    }

    #[test]
    fn who_puts_away_brings_back_what_was_put_away() {
        let mut stack = Stack::default();
        assert!(stack.is_as_it_was());
        assert_eq!(stack.meant(2), Meant::Old(vec![2]));
        stack.makes(true);
        assert_eq!(stack.meant(0), Meant::Old(vec![]));
        assert_eq!(stack.meant(1), Meant::Old(vec![0]));
        stack.takes(0);
        assert!(stack.is_as_it_was());
    }

    #[test]
    fn where_nothing_may_have_been_put_away_it_may_be_the_one_below() {
        let mut stack = Stack::default();
        stack.makes(false);
        assert_eq!(stack.meant(0), Meant::Old(vec![0]));
        assert_eq!(stack.meant(1), Meant::Old(vec![0, 1]));
        stack.makes(true);
        assert_eq!(stack.meant(0), Meant::Old(vec![]));
        stack.takes(1);
        assert_eq!(stack.meant(1), Meant::Old(vec![0, 1]), "it may still be there");
    }

    #[test]
    fn what_is_taken_moves_those_below_it_and_no_other() {
        let mut stack = Stack::default();
        stack.takes(1);
        assert_eq!(stack.meant(0), Meant::Old(vec![0]));
        assert_eq!(stack.meant(1), Meant::Old(vec![1, 2]), "if that was in vain");
        stack.stores();
        assert_eq!(stack.meant(0), Meant::Unknown);
    }
}
