//! What may be one value or another: what is set in a branch, and expressions with alternatives.

use super::super::super::Interpreter;
use super::super::token::Token;
use super::{Parser, Value};

/// A branch is looked for over so many tokens before what stands in it.
const NEAR: usize = 64;

impl Parser<'_> {
    /// Whether what is set at this place is perhaps not set: `if x: a = 1`, `if (x) a = 1`,
    /// `x and (a := 1)`. What goes on over several lines is told by how far it is moved to the
    /// right, or by its braces.
    pub(super) fn is_in_branch(&self) -> bool {
        use Interpreter::{Lua, Python, Ruby};
        let by_line = matches!(self.language, Python | Ruby | Lua);
        if by_line && self.column() > self.functions.column() {
            return true;
        }
        let (mut depth, mut ends, mut is_first) = (0_usize, 0_usize, true);
        for at in (self.at.saturating_sub(NEAR)..self.at).rev() {
            match &self.tokens[at] {
                // `if (x)`, and what it is about on the next line.
                Token::Newline(_) if !by_line && is_first => continue,
                Token::Newline(_) => return false,
                Token::Sign(';' | '{' | '}') if !by_line && depth == 0 => return false,
                Token::Sign(')') => depth += 1,
                Token::Sign('(') => depth = depth.saturating_sub(1),
                Token::Sign(sign @ ('&' | '|' | '?')) if depth == 0 => {
                    let before = at.checked_sub(1).and_then(|it| self.tokens.get(it));
                    if *sign == '?' || before == Some(&Token::Sign(*sign)) {
                        return true;
                    }
                }
                Token::Word(word) if word == "end" && by_line => ends += 1,
                Token::Word(word) if depth == 0 && opens_branch(word) => {
                    if ends == 0 {
                        return true;
                    }
                    ends -= usize::from(word != "else" && word != "elsif");
                }
                // Behind a line that ends otherwise another statement begins.
                _ if is_first && self.is_newline(at + 1) => return false,
                _ => {}
            }
            is_first = false;
        }
        false
    }

    fn is_newline(&self, at: usize) -> bool {
        matches!(self.tokens.get(at), Some(Token::Newline(_)))
    }

    /// `a = 1 if x`, `$a = 1 unless $x`: from behind the value.
    pub(super) fn is_followed_by_branch(&self) -> bool {
        matches!(self.language, Interpreter::Perl | Interpreter::Ruby)
            && self.word(0).is_some_and(|it| {
                matches!(it, "if" | "unless" | "while" | "until" | "for" | "foreach")
            })
    }

    /// `x or y`, `x == y`, `x ? y : z`, from behind the first of them.
    pub(super) fn otherwise(&mut self, mut value: Value) -> Value {
        while let Some(operator) = self.operator() {
            self.guessed += 1;
            self.at += operator.length();
            match operator {
                Operator::Either(_) => value = Value::one_of([value, self.plain_expression()]),
                Operator::Compares(_) => {
                    self.plain_expression();
                    value = Value::Unknown;
                }
                Operator::Chooses => {
                    self.skip_newlines();
                    let first = self.expression();
                    self.skip_newlines();
                    if !self.is_sign(0, ':') {
                        return Value::Unknown;
                    }
                    self.at += 1;
                    self.skip_newlines();
                    value = Value::one_of([first, self.expression()]);
                }
            }
        }
        value
    }

    fn operator(&self) -> Option<Operator> {
        use Interpreter::{Awk, JavaScript, Lua, Perl, Php, Python, Ruby};
        let is = |offset: usize, sign: char| self.is_sign(offset, sign);
        let words = matches!(self.language, Python | Perl | Php | Ruby | Lua);
        let found = match self.peek(0)? {
            Token::Word(word) if words && matches!(word.as_str(), "or" | "and") => {
                Operator::Either(1)
            }
            Token::Word(word)
                if self.language == Perl
                    && matches!(word.as_str(), "eq" | "ne" | "lt" | "gt" | "le" | "ge") =>
            {
                Operator::Compares(1)
            }
            Token::Sign(sign @ ('|' | '&')) if self.language != Python && is(1, *sign) => {
                Operator::Either(2)
            }
            Token::Sign('?') if self.language == JavaScript && is(1, '?') => Operator::Either(2),
            Token::Sign('/') if self.language == Perl && is(1, '/') => Operator::Either(2),
            Token::Sign('=' | '!') if is(1, '=') => Operator::Compares(2 + usize::from(is(2, '='))),
            Token::Sign('?') if matches!(self.language, JavaScript | Perl | Php | Ruby | Awk) => {
                let is_other =
                    matches!(self.peek(1), Some(Token::Sign('.' | ':' | ',' | ')' | ';')));
                return (!is_other).then_some(Operator::Chooses);
            }
            _ => return None,
        };
        self.begins_value(found.length()).then_some(found)
    }

    /// Whether a value begins there, and nothing that is done: `x or return`, `x && y = 1`.
    fn begins_value(&self, offset: usize) -> bool {
        const DOES: &[&str] =
            &["return", "die", "next", "last", "exit", "raise", "throw", "break", "continue"];
        match self.peek(offset) {
            Some(Token::Word(word)) => {
                let sets = self.is_sign(offset + 1, '=') && !self.is_sign(offset + 2, '=');
                !sets && !DOES.contains(&word.as_str())
            }
            Some(Token::Sign(sign)) => matches!(sign, '(' | '[' | '!' | '-'),
            Some(Token::Newline(_)) | None => false,
            Some(_) => true,
        }
    }

    fn skip_newlines(&mut self) {
        while matches!(self.peek(0), Some(Token::Newline(_))) {
            self.at += 1;
        }
    }
}

/// What may stand between two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    /// One of both; so many tokens.
    Either(usize),
    /// Neither of both.
    Compares(usize),
    /// `? … :`
    Chooses,
}

impl Operator {
    fn length(self) -> usize {
        match self {
            Self::Either(length) | Self::Compares(length) => length,
            Self::Chooses => 1,
        }
    }
}

fn opens_branch(word: &str) -> bool {
    matches!(
        word,
        "if" | "elif"
            | "elsif"
            | "elseif"
            | "else"
            | "unless"
            | "while"
            | "until"
            | "for"
            | "foreach"
            | "case"
            | "switch"
            | "when"
            | "match"
            | "try"
            | "except"
            | "rescue"
            | "catch"
            | "finally"
            | "and"
            | "or"
    )
}
