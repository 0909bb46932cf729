//! The interpreter that runs a piece of code, started by it once more: `[sys.executable, "-m", "x"]`.
//! Its name may be another one by then (`sys.executable = "git"`), so what is started stays unknown;
//! but where all that says what it does stands there, nothing else in the code can be it.

use super::super::super::{HOLE, Interpreter};
use super::super::Act;
use super::super::token::Token;
use super::Parser;

/// So many lists that begin with it are remembered, and so many calls.
const LISTS: usize = 64;

impl Parser<'_> {
    /// Whether an element that begins at this token is that interpreter, and nothing more.
    pub(super) fn is_itself_at(&self, at: usize) -> bool {
        let (object, name) = match self.language {
            Interpreter::Python => ("sys", "executable"),
            Interpreter::JavaScript => ("process", "execPath"),
            _ => return false,
        };
        matches!(
            self.tokens.get(at..at.saturating_add(4)),
            Some([Token::Word(first), Token::Sign('.'), Token::Word(second), Token::Sign(',')])
                if first == object && second == name
        )
    }

    /// A list that begins with it, whatever is added to it later.
    pub(super) fn remember_itself(&mut self, words: &[String]) {
        if words.len() > 1 && self.own_lists.len() < LISTS {
            self.own_lists.push(words.to_vec());
        }
    }

    /// Whether a program that is started is that interpreter, as far as the code says, with a module
    /// or a file; if so, it is started by its name as well.
    pub(super) fn starts_itself(&mut self, act: &Act) -> bool {
        let Act::Program(words) = act else { return false };
        let [first, rest @ ..] = &words[..] else { return false };
        let is_own = self.is_itself || self.own_lists.iter().any(|it| words.starts_with(it));
        if self.itself.len() >= LISTS || !first.chars().eq([HOLE]) || !is_own || !is_plain(rest) {
            return false;
        }
        let name = if self.language == Interpreter::Python { "python3" } else { "node" };
        let named = std::iter::once(name.to_owned()).chain(rest.iter().cloned());
        self.acts.push(Act::Program(named.collect()));
        self.itself.push(words.clone());
        true
    }
}

/// `-m pytest …`, `x.py …`: no code among the words, and what it runs is known.
fn is_plain(words: &[String]) -> bool {
    const QUIET: &[&str] = &["-u", "-B", "-I", "-E", "-s"];
    let begun = words.iter().take_while(|it| QUIET.contains(&it.as_str())).count();
    let words = &words[begun..];
    let is_known = |it: &String| !it.starts_with('-') && !it.contains(HOLE) && !it.is_empty();
    let says_what = match words {
        [option, module, ..] if option == "-m" => is_known(module),
        [file, ..] => is_known(file),
        [] => false,
    };
    says_what && !words.iter().any(|it| it.contains(char::is_whitespace))
}
