//! Tests of Python that put something else in the place of what starts programs, and ask of it what
//! it was called with: `mock.call(["git", "push"])`, `run.assert_called_with(…)`. That starts nothing.

use super::super::super::Interpreter;
use super::super::super::table::calls::Function;
use super::super::token::Token;
use super::Parser;

/// What is asked of a mock, or told to it, apart from what begins with `assert_`.
const ASKED: &[&str] = &[
    "call_args",
    "call_args_list",
    "call_count",
    "called",
    "mock_calls",
    "method_calls",
    "return_value",
    "side_effect",
    "reset_mock",
];

impl Parser<'_> {
    /// Whether the name before this place, which a row has, is `call` of `unittest.mock`.
    pub(super) fn is_of_mock(&mut self, row: &Function) -> bool {
        let before = |places: usize| self.at.checked_sub(places).and_then(|at| self.tokens.get(at));
        let is_call = self.language == Interpreter::Python
            && row.kind.starts()
            && matches!(before(1), Some(Token::Word(word)) if word == "call");
        if !is_call {
            return false;
        }
        match (before(2), before(3)) {
            (Some(Token::Sign('.')), Some(Token::Word(word))) => {
                self.names.get(word).map_or(word.as_str(), String::as_str) == "mock"
                    && self.has_mocks
            }
            (Some(Token::Sign('.')), _) => false,
            _ => {
                self.has_mocks
                    && self.says("mock import")
                    && !self.says("subprocess import")
                    && !self.functions.defines("call")
            }
        }
    }

    /// `run.assert_called_with(…)`, `with patch("subprocess.run") as run`: whether the name before
    /// this place is asked what was done with it, or is only given to something.
    pub(super) fn is_asked_of(&mut self) -> bool {
        let before = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
        if self.language == Interpreter::Python
            && matches!(before, Some(Token::Word(word)) if word == "as")
        {
            return true;
        }
        let asks = |it: &str| it.starts_with("assert_") || ASKED.contains(&it);
        self.language == Interpreter::Python
            && self.is_sign(0, '.')
            && self.word(1).is_some_and(asks)
            && self.says("mock")
    }
}

/// Whether `call` and `mock` are what an import of that module says: nothing else sets them, and
/// nobody hands them on.
pub(super) fn is_in(tokens: &[Token]) -> bool {
    let (mut is_imported, mut is_other) = (false, false);
    let is_end = |it: &Token| matches!(it, Token::Newline(_) | Token::Sign(';'));
    for line in tokens.split(is_end) {
        let says = |name: &str| line.iter().any(|it| matches!(it, Token::Word(it) if it == name));
        if says("import") {
            is_imported |= says("mock") && !says("subprocess") && !says("os");
            continue;
        }
        for (at, token) in line.iter().enumerate() {
            let Token::Word(name) = token else { continue };
            let follows = match name.as_str() {
                "call" => '(',
                "mock" => '.',
                _ => continue,
            };
            let is_field = at.checked_sub(1).is_some_and(|it| line[it] == Token::Sign('.'));
            is_other |= !is_field && line.get(at + 1) != Some(&Token::Sign(follows));
        }
    }
    is_imported && !is_other
}
