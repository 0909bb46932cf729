//! The syntax of a program's options, and how to parse words with it.

use crate::shell::field::Field;

/// The options of a program that take a value in the word after them. Every other option has
/// none.
#[derive(Debug, Clone, Copy)]
pub(in crate::shell) struct Grammar {
    /// Letters: `-u root`, `-uroot`.
    pub(in crate::shell) letters: &'static str,
    /// Long ones without dashes, separated by blanks: `--user root`, `--user=root`. Abbreviations
    /// count. Here and in the tables, `-name` is a long option with a single dash.
    pub(in crate::shell) long: &'static str,
}

pub(in crate::shell) fn words_of(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

pub(in crate::shell) fn lists(list: &'static str, word: &str) -> bool {
    !word.is_empty() && words_of(list).any(|listed| listed == word)
}

#[derive(Debug, Clone)]
pub(in crate::shell) struct GivenOption {
    /// A letter or a long name, without dashes.
    pub(in crate::shell) name: String,
    pub(in crate::shell) value: Option<Field>,
    /// Whether it is the whole name of an option with a value, and so not an abbreviation.
    is_whole: bool,
}

#[derive(Debug, Clone, Default)]
pub(in crate::shell) struct GivenOptions(Vec<GivenOption>);

#[derive(Debug, Default)]
pub(in crate::shell) struct Taken {
    pub(in crate::shell) options: GivenOptions,
    /// The positions of the words that are neither options nor their values.
    pub(in crate::shell) operands: Vec<usize>,
}

impl GivenOption {
    /// Whether it is one of these, or abbreviates one as `getopt_long` allows: `--dir` for
    /// `--directory`. A single letter abbreviates nothing.
    pub(in crate::shell) fn abbreviates(&self, names: &'static str) -> bool {
        let name = self.name.as_str();
        let may_be_cut = name.len() > 1 && !self.is_whole;
        words_of(names).any(|whole| whole == name || may_be_cut && whole.starts_with(name))
    }

    pub(in crate::shell) fn is(&self, names: &'static str) -> bool {
        lists(names, &self.name)
    }
}

impl GivenOptions {
    pub(in crate::shell) fn value(&self, names: &'static str) -> Option<&Field> {
        self.0.iter().rev().find(|option| option.is(names))?.value.as_ref()
    }

    pub(in crate::shell) fn has(&self, names: &'static str) -> bool {
        self.0.iter().any(|option| option.is(names))
    }

    pub(in crate::shell) fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }
}

impl std::ops::Deref for GivenOptions {
    type Target = [GivenOption];

    fn deref(&self) -> &[GivenOption] {
        &self.0
    }
}

impl Grammar {
    pub(in crate::shell) const NONE: Self = Self { letters: "", long: "" };

    /// The options before the first operand, and the operand's position.
    pub(in crate::shell) fn leading(&self, words: &[Field], from: usize) -> (GivenOptions, usize) {
        let mut options = GivenOptions::default();
        let mut at = from;
        while at < words.len() {
            match self.option(words, at, &mut options) {
                Some(next) => at = next,
                None if words[at].text == "--" => return (options, at + 1),
                None => break,
            }
        }
        (options, at.min(words.len()))
    }

    pub(in crate::shell) fn take(&self, words: &[Field], from: usize) -> Taken {
        let mut taken = Taken::default();
        let mut at = from;
        while at < words.len() {
            if words[at].text == "--" {
                taken.operands.extend(at + 1..words.len());
                break;
            }
            at = self.option(words, at, &mut taken.options).unwrap_or_else(|| {
                taken.operands.push(at);
                at + 1
            });
        }
        taken
    }

    /// Reads the option at a position, and returns the position after it. `None` if there is none.
    fn option(&self, words: &[Field], at: usize, options: &mut GivenOptions) -> Option<usize> {
        let word = &words[at];
        let rest = word.text.strip_prefix('-').filter(|rest| !rest.is_empty())?;
        if let Some(long) = rest.strip_prefix('-') {
            if long.is_empty() {
                return None;
            }
            if let Some((name, value)) = long.split_once('=') {
                let value = Some(word.with_text(value));
                options.0.push(self.given(self.full(name), value));
                return Some(at + 1);
            }
            let name = self.full(long);
            let takes = lists(self.long, name);
            let value = words.get(at + 1).filter(|_| takes).cloned();
            options.0.push(self.given(name, value));
            return Some(at + 1 + usize::from(takes));
        }
        // Some programs have long options with one dash.
        if rest.len() > 1 && lists(self.long, &word.text) {
            let value = words.get(at + 1).cloned();
            options.0.push(self.given(&word.text, value));
            return Some(at + 2);
        }
        if let Some((name, value)) =
            word.text.split_once('=').filter(|pair| lists(self.long, pair.0))
        {
            options.0.push(self.given(name, Some(word.with_text(value))));
            return Some(at + 1);
        }
        for (index, letter) in rest.char_indices() {
            let mut value = None;
            let mut next = at + 1;
            let takes = self.letters.contains(letter);
            if takes {
                let glued = &rest[index + letter.len_utf8()..];
                if glued.is_empty() {
                    value = words.get(at + 1).cloned();
                    next += 1;
                } else {
                    value = Some(word.with_text(glued));
                }
            }
            options.0.push(self.given(&letter.to_string(), value));
            if takes {
                return Some(next);
            }
        }
        Some(at + 1)
    }

    fn given(&self, name: &str, value: Option<Field>) -> GivenOption {
        GivenOption { name: name.to_owned(), value, is_whole: lists(self.long, name) }
    }

    /// The long name that a word of at least two letters abbreviates.
    fn full<'a>(&self, name: &'a str) -> &'a str {
        if name.len() < 2 || lists(self.long, name) {
            return name;
        }
        words_of(self.long).find(|long| long.starts_with(name)).unwrap_or(name)
    }
}
