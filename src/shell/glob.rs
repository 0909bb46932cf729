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

/// Whether a pattern, in a part of a path or a name, matches all of a text. Which
/// names a shell's `*` passes over is the caller's to know.
pub fn matches(pattern: &str, text: &str) -> bool {
    all_match(&tokens(pattern), &text.chars().collect::<Vec<_>>())
}

pub(super) fn all_match(tokens: &[Token], text: &[char]) -> bool {
    let (mut token, mut at) = (0, 0);
    // Where to go on when a later part fails: after the last `*`, one character further.
    let mut retry: Option<(usize, usize)> = None;
    while at < text.len() {
        match tokens.get(token) {
            Some(Token::Many) => {
                token += 1;
                retry = Some((token, at));
            }
            Some(one) if one.takes(text[at]) => {
                token += 1;
                at += 1;
            }
            _ => {
                let Some((after, from)) = retry else { return false };
                token = after;
                at = from + 1;
                retry = Some((after, at));
            }
        }
    }
    tokens[token..].iter().all(|token| *token == Token::Many)
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
    let mut is_any = false;
    loop {
        let from = ahead.next()?;
        if from == ']' && !ranges.is_empty() {
            break;
        }
        if let ('[', Some(kind @ (':' | '.' | '='))) = (from, ahead.peek().copied())
            && let Some((name, after)) = named(&ahead, kind)
        {
            match class(&name) {
                Some(known) => ranges.extend(known),
                None => is_any = true,
            }
            // Of letters beyond our own nobody knows: it leans to a match.
            if is_any || !negated {
                ranges.push(('\u{80}', char::MAX));
            }
            ahead = after;
            continue;
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
    Some(if is_any { Token::One } else { Token::Set { negated, ranges } })
}

/// The name in `[:alpha:]`, `[.x.]` or `[=x=]`, and what follows.
fn named<'a>(from: &Peekable<Chars<'a>>, kind: char) -> Option<(String, Peekable<Chars<'a>>)> {
    let mut ahead = from.clone();
    ahead.next();
    let mut name = String::new();
    loop {
        let character = ahead.next()?;
        if character == kind && ahead.next_if_eq(&']').is_some() {
            return Some((name, ahead));
        }
        name.push(character);
    }
}

/// What a class takes; none, where nobody knows it.
fn class(name: &str) -> Option<Vec<(char, char)>> {
    let (lower, upper, digit) = (('a', 'z'), ('A', 'Z'), ('0', '9'));
    Some(match name {
        "lower" => vec![lower],
        "upper" => vec![upper],
        "alpha" => vec![lower, upper],
        "digit" => vec![digit],
        "xdigit" => vec![digit, ('a', 'f'), ('A', 'F')],
        "alnum" => vec![digit, lower, upper],
        "word" => vec![digit, lower, upper, ('_', '_')],
        "punct" => vec![('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        "graph" => vec![('!', '~')],
        "print" => vec![(' ', '~')],
        "blank" => vec![(' ', ' '), ('\t', '\t')],
        "space" => vec![(' ', ' '), ('\t', '\r')],
        "cntrl" => vec![('\0', '\u{1f}'), ('\u{7f}', '\u{7f}')],
        _ => {
            let mut characters = name.chars();
            let one = characters.next()?;
            if characters.next().is_some() {
                return None;
            }
            vec![(one, one)]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_matches_as_in_a_shell() {
        for (pattern, text) in [
            ("settings.json", "settings.json"),
            ("s*[^x]*", "settings.json"),
            ("[!x]ettings.json", "settings.json"),
            ("[^x]ettings.json", "settings.json"),
            ("[[:lower:]]ettings.json", "settings.json"),
            ("[^[:digit:]]ettings.json", "settings.json"),
            ("[[:alpha:][:digit:]_]ettings*", "settings.json"),
            ("[[=s=]]ett[[.i.]]ngs?json", "settings.json"),
            ("[[:odd:]]ettings.json", "settings.json"),
            ("[^[:odd:]]ettings.json", "settings.json"),
            ("[]s]ettings.json", "settings.json"),
            ("[a-z]*[-n]", "settings.json"),
            ("a[b", "a[b"),
            ("[[:alpha", "[[:alpha"),
            ("[[:alpha:]]", "é"),
            ("**", ""),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("[^s]ettings.json", "settings.json"),
            ("[![:lower:]]ettings.json", "settings.json"),
            ("[[:digit:]]ettings.json", "settings.json"),
            ("settings", "settings.json"),
            ("a[b", "ab"),
            ("?", ""),
        ] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
    }
}
