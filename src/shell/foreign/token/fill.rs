//! Strings in which something is put in: `$x`, `#{…}`, `${…}`, `{…}`.

use super::super::super::{HOLE, Interpreter};
use super::super::escape::unescaped;
use super::{INNER, Lexer, Piece, Token, lexed};

/// Strings in code in strings are filled this deep.
const FILLS: usize = 3;

impl Lexer<'_> {
    /// A string in which `$x`, `#{…}`, `${…}`, `{…}` are put in: holes, or the code of them.
    pub(super) fn interpolated(&mut self, text: &str, escapes: bool) -> Token {
        let mut parts: Vec<(String, Option<String>)> = Vec::new();
        let mut result = String::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            let mut inner = String::new();
            match character {
                '\\' => {
                    result.push('\\');
                    result.extend(characters.next());
                    continue;
                }
                '{' | '}'
                    if self.language == Interpreter::Python
                        && characters.next_if_eq(&character).is_some() =>
                {
                    result.push(character);
                    continue;
                }
                '$' | '#' if characters.peek() == Some(&'{') => {
                    characters.next();
                    within_braces(&mut characters, &mut inner);
                    // `${x}` of Perl is `$x`.
                    let is_name =
                        |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
                    if character == '$' && self.language == Interpreter::Perl && is_name(&inner) {
                        inner.insert(0, '$');
                    }
                }
                '{' if self.language == Interpreter::Python => {
                    within_braces(&mut characters, &mut inner);
                }
                '$' | '@'
                    if self.is(&[Interpreter::Perl, Interpreter::Php])
                        && characters.peek().is_some_and(|c| c.is_alphabetic() || *c == '_') =>
                {
                    inner.push(character);
                    while let Some(next) = characters.next_if(|c| c.is_alphanumeric() || *c == '_')
                    {
                        inner.push(next);
                    }
                    // `$x[0]`, `$x->{a}`: something else than `$x`.
                    let mut ahead = characters.clone();
                    let next = (ahead.next(), ahead.next());
                    if matches!(next, (Some('[' | '{'), _) | (Some('-'), Some('>'))) {
                        inner.clear();
                    }
                }
                character => {
                    result.push(character);
                    continue;
                }
            }
            parts.push((std::mem::take(&mut result), Some(inner)));
        }
        parts.push((result, None));
        let undone = |text: String| if escapes { unescaped(&text) } else { text };
        let parts = parts.into_iter().map(|(text, inner)| (undone(text), inner));
        self.joined(parts.collect())
    }

    /// The parts of a string, each with the code behind it.
    fn joined(&mut self, parts: Vec<(String, Option<String>)>) -> Token {
        let fills = self.fills.filter(|it| *it < FILLS && parts.len() > 1);
        let Some(depth) = fills else {
            let is_code = |text: &str| text.contains(['(', '`', '"', '\'']);
            let mut result = String::new();
            for (text, inner) in parts {
                result.push_str(&text);
                let Some(inner) = inner else { continue };
                result.push(HOLE);
                if is_code(&inner) && self.inner.len() < INNER {
                    self.inner.push(inner);
                }
            }
            return Token::Text(result);
        };
        let mut pieces = Vec::new();
        for (text, inner) in parts {
            if !text.is_empty() {
                pieces.push(Piece::Text(text));
            }
            if let Some(inner) = inner {
                let (tokens, more) = lexed(&inner, self.language, Some(depth + 1), usize::MAX);
                pieces.push(Piece::Code(tokens));
                let left = INNER.saturating_sub(self.inner.len());
                self.inner.extend(more.into_iter().take(left));
            }
        }
        Token::Filled(pieces)
    }
}

/// The string as a command for a shell.
pub(super) fn command(token: Token) -> Token {
    match token {
        Token::Text(text) => Token::Command(text),
        Token::Filled(pieces) => Token::FilledCommand(pieces),
        other => other,
    }
}

pub(super) type Characters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// What stands in braces, from behind the first one.
pub(super) fn within_braces(characters: &mut Characters<'_>, inner: &mut String) {
    let mut depth = 1_usize;
    for character in characters.by_ref() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
        inner.push(character);
    }
}
