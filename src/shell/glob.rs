//! The tokens of glob patterns: `*`, `?`, `[…]`.

use std::iter::Peekable;
use std::str::Chars;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Character(char),
    One,
    /// Any text; it crosses blanks and slashes.
    Many,
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    /// Whether it takes this one character. [`Token::Many`] is the caller's to follow.
    pub(super) fn takes(&self, character: char) -> bool {
        match self {
            Self::Character(own) => *own == character,
            Self::One => true,
            Self::Many => false,
            Self::Set { negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&character)) != *negated
            }
        }
    }
}

pub(super) fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        tokens.push(match character {
            '*' => Token::Many,
            '?' => Token::One,
            '[' => set(&mut characters).unwrap_or(Token::Character('[')),
            character => Token::Character(character),
        });
    }
    tokens
}

/// After `[`: the set, if it is closed.
fn set(characters: &mut Peekable<Chars<'_>>) -> Option<Token> {
    let mut ahead = characters.clone();
    let negated = ahead.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    loop {
        let from = ahead.next()?;
        if from == ']' && !ranges.is_empty() {
            break;
        }
        let mut rest = ahead.clone();
        let to = match (rest.next(), rest.next()) {
            (Some('-'), Some(to)) if to != ']' => {
                ahead = rest;
                to
            }
            _ => from,
        };
        ranges.push((from, to));
    }
    *characters = ahead;
    Some(Token::Set { negated, ranges })
}
