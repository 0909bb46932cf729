//! Where functions are defined: their names, what they take, and their bodies.

use super::super::super::Interpreter;
use super::super::token::Token;
use super::Parser;

/// Signs that close what was left open are looked for over so many tokens.
const NEAR: usize = 256;

#[derive(Debug)]
pub(super) struct Function<'a> {
    pub(super) name: &'a str,
    pub(super) parameters: Vec<Parameter<'a>>,
    pub(super) body: &'a [Token],
    /// Its body is the value that it gives.
    pub(super) is_value: bool,
    /// It may be a method: `x.name(…)` may call it.
    pub(super) is_inner: bool,
}

#[derive(Debug)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    /// It takes all that is left: `*args`.
    pub(super) takes_rest: bool,
    /// All that are named: `**names`.
    pub(super) takes_named: bool,
    pub(super) default: &'a [Token],
}

impl<'a> Parser<'a> {
    /// `def name(…):`, `function name(…) {…}`, `sub name {…}`, and where it ends.
    pub(super) fn definition(&self) -> Option<(Function<'a>, usize)> {
        let name = self.word(1)?;
        let (parameters, behind) = if self.is_sign(2, '(') {
            self.parameters(self.at + 3)?
        } else {
            (Vec::new(), self.at + 2)
        };
        let is_block = |at: usize| matches!(self.tokens.get(at), Some(Token::Sign('{')));
        let function =
            |body, is_inner| Function { name, parameters, body, is_value: false, is_inner };
        match self.language {
            Interpreter::Python => {
                let right = self.column();
                let (body, end) = self.indented(behind, right)?;
                Some((function(body, right > 0), end))
            }
            Interpreter::JavaScript | Interpreter::Php | Interpreter::Awk | Interpreter::Perl => {
                let near = self.tokens.len().min(behind + NEAR);
                let open = (behind..near).find(|at| is_block(*at))?;
                let end = self.closed(open)?;
                Some((function(&self.tokens[open + 1..end], false), end + 1))
            }
            _ => None,
        }
    }

    /// `name = lambda …`, `name = (…) => …`, `name = function (…) {…}`, and where it ends.
    pub(super) fn assigned(&self) -> Option<(Function<'a>, usize)> {
        let name = self.word(0)?;
        let mut at = self.at + 2;
        let token = |at: usize| self.tokens.get(at);
        let is_arrow = |at: usize| {
            token(at) == Some(&Token::Sign('=')) && token(at + 1) == Some(&Token::Sign('>'))
        };
        let function = |parameters, body, is_value| Function {
            name,
            parameters,
            body,
            is_value,
            is_inner: false,
        };
        if self.language == Interpreter::Python {
            if self.word(2) != Some("lambda") {
                return None;
            }
            let (parameters, behind) = self.parameters(at + 1)?;
            let end = self.value_end(behind);
            return Some((function(parameters, &self.tokens[behind..end], true), end));
        }
        if self.language != Interpreter::JavaScript {
            return None;
        }
        if self.word(2) == Some("async") {
            at += 1;
        }
        if matches!(token(at), Some(Token::Word(word)) if word == "function") {
            let open = (at + 1..at + 3).find(|at| token(*at) == Some(&Token::Sign('(')))?;
            let (parameters, behind) = self.parameters(open + 1)?;
            let end = Some(behind).filter(|at| token(*at) == Some(&Token::Sign('{')));
            let end = self.closed(end?)?;
            return Some((function(parameters, &self.tokens[behind + 1..end], false), end + 1));
        }
        let (parameters, behind) = match token(at)? {
            Token::Word(word) if is_arrow(at + 1) => (vec![Parameter::plain(word)], at + 1),
            Token::Sign('(') => self.parameters(at + 1)?,
            _ => return None,
        };
        if !is_arrow(behind) {
            return None;
        }
        let begin = behind + 2;
        if token(begin) == Some(&Token::Sign('{')) {
            let end = self.closed(begin)?;
            return Some((function(parameters, &self.tokens[begin + 1..end], false), end + 1));
        }
        let end = self.value_end(begin);
        Some((function(parameters, &self.tokens[begin..end], true), end))
    }

    /// The parameters from here on, and what stands behind the sign that ends them.
    fn parameters(&self, from: usize) -> Option<(Vec<Parameter<'a>>, usize)> {
        let mut parameters = Vec::new();
        let mut depth = 0_usize;
        let mut begin = from;
        for at in from..self.tokens.len().min(from + 4 * NEAR) {
            match &self.tokens[at] {
                // The `:` of a lambda.
                Token::Sign(sign @ (')' | ':')) if depth == 0 => {
                    let is_lambda = !matches!(self.tokens.get(from - 1), Some(Token::Sign('(')));
                    if (*sign == ':') == is_lambda {
                        parameters.extend(Parameter::of(&self.tokens[begin..at]));
                        return Some((parameters, at + 1));
                    }
                }
                Token::Sign(',') if depth == 0 => {
                    parameters.extend(Parameter::of(&self.tokens[begin..at]));
                    begin = at + 1;
                }
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth = depth.checked_sub(1)?,
                _ => {}
            }
        }
        None
    }

    /// How far the line of this place is moved to the right.
    pub(super) fn column(&self) -> usize {
        let before = self.tokens[..self.at].iter().rev().take(NEAR);
        let mut columns = before.filter_map(|it| match it {
            Token::Newline(right) => Some(*right),
            _ => None,
        });
        columns.next().unwrap_or(0)
    }

    /// The block of Python behind the next `:`, which ends before a line that is not farther to the
    /// right.
    fn indented(&self, from: usize, right: usize) -> Option<(&'a [Token], usize)> {
        let near = self.tokens.len().min(from + NEAR);
        let colon = (from..near).find(|at| self.tokens[*at] == Token::Sign(':'))?;
        let is_block = matches!(self.tokens.get(colon + 1), Some(Token::Newline(_)));
        let mut depth = 0_usize;
        let mut at = colon + 1;
        while let Some(token) = self.tokens.get(at) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
                Token::Newline(column) if depth == 0 => {
                    let next = self.tokens.get(at + 1);
                    let is_blank = matches!(next, Some(Token::Newline(_)) | None);
                    if !is_block || !is_blank && *column <= right {
                        break;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        self.functions.takes(at - colon);
        Some((&self.tokens[colon + 1..at], at))
    }

    /// Where a brace is closed.
    fn closed(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let closes = |token: &Token| {
            match token {
                Token::Sign('{') => depth += 1,
                Token::Sign('}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0
        };
        let length = self.tokens[open..].iter().position(closes);
        self.functions.takes(length.unwrap_or(self.tokens.len() - open));
        length.map(|it| open + it)
    }

    /// Where a value ends.
    fn value_end(&self, from: usize) -> usize {
        let mut depth = 0_usize;
        for (at, token) in self.tokens.iter().enumerate().skip(from) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}' | ';' | ',') | Token::Newline(_) if depth == 0 => {
                    self.functions.takes(at - from);
                    return at;
                }
                Token::Sign(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
        }
        self.functions.takes(self.tokens.len() - from);
        self.tokens.len()
    }
}

impl<'a> Parameter<'a> {
    fn plain(name: &'a str) -> Self {
        Self { name, takes_rest: false, takes_named: false, default: &[] }
    }

    /// `name`, `*name`, `...name`, `name: type = value`
    fn of(tokens: &'a [Token]) -> Option<Self> {
        let begin = tokens.iter().position(|it| !matches!(it, Token::Newline(_)))?;
        let tokens = &tokens[begin..];
        let sets = tokens.iter().position(|it| *it == Token::Sign('='));
        let head = &tokens[..sets.unwrap_or(tokens.len())];
        let default = sets.map_or(&[][..], |at| &tokens[at + 1..]);
        let stars = head.iter().take_while(|it| **it == Token::Sign('*')).count();
        let dots = head.iter().take_while(|it| **it == Token::Sign('.')).count();
        let mut words = head.iter().filter_map(|it| match it {
            Token::Word(word) => Some(word.as_str()),
            _ => None,
        });
        // PHP has a type before it.
        let name = words.clone().find(|it| it.starts_with('$')).or(words.next());
        let is_apart = matches!(head.first(), Some(Token::Sign('{' | '[')));
        // `*` and `/` of Python by themselves take nothing.
        let name = name.filter(|_| !is_apart).or(is_apart.then_some(""))?;
        Some(Self { name, takes_rest: stars == 1 || dots == 3, takes_named: stars == 2, default })
    }
}
