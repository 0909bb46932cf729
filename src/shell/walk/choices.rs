//! Readings of one command: a variable may have one of several values, and each combination of
//! values is a separate reading. `a=x; test && a=y; f $a $b` is walked for `f x …` and for `f y …`.

use crate::shell::limit;

#[derive(Debug)]
pub(super) struct Choice {
    name: String,
    index: usize,
    count: usize,
}

#[derive(Debug, Default)]
pub(super) struct Choices {
    made: Vec<Choice>,
    /// Whether the words have been expanded before, with other values.
    is_repeat: bool,
}

impl Choices {
    /// Which of `count` values `name` has in this reading. `None` if there are too many readings
    /// already.
    pub(super) fn choose(&mut self, name: &str, count: usize) -> Option<usize> {
        if count == 1 {
            return Some(0);
        }
        if let Some(choice) = self.made.iter().find(|choice| choice.name == name) {
            return Some(choice.index.min(count - 1));
        }
        let readings: usize = self.made.iter().map(|choice| choice.count).product();
        if readings * count > limit::CHOICES {
            return None;
        }
        self.made.push(Choice { name: name.to_owned(), index: 0, count });
        Some(0)
    }

    /// Advances to the next reading; `false` after the last.
    pub(super) fn advance(&mut self) -> bool {
        while let Some(mut choice) = self.made.pop() {
            choice.index += 1;
            if choice.index < choice.count {
                self.made.push(choice);
                return true;
            }
        }
        false
    }

    pub(super) fn is_empty(&self) -> bool {
        self.made.is_empty()
    }

    /// Sets the choices aside for a command within this one; [`Self::resume`] takes them back.
    pub(super) fn suspend(&mut self) -> Vec<Choice> {
        std::mem::take(&mut self.made)
    }

    pub(super) fn resume(&mut self, made: Vec<Choice>) {
        self.made = made;
    }

    /// Sets whether words are expanded once more, and returns the previous value.
    pub(super) fn set_repeat(&mut self, is_repeat: bool) -> bool {
        std::mem::replace(&mut self.is_repeat, is_repeat)
    }
}
