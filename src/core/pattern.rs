//! Globs over tool keys.
//!
//! `*`, `?` and `[…]` mean what they mean to the `glob` crate; `*` crosses
//! everything, and a pattern covers a key whole.
//!
//! A key may have holes ([`HOLE`]), places where its text cannot be known. It
//! matches if some text in them would match, with two limits that keep
//! ordinary scripts out of the gates: the hole of an unknown program is one
//! word (`$CARGO test` may be `git test`, not `git push test`), and a pattern
//! that names no program (`Bash:*deploy*`) wants its words spelt out.

use glob::Pattern;

use crate::shell::HOLE;

/// Whether `pattern` covers `key`, or could cover it. A pattern that is no
/// glob matches as a prefix, so that a typo opens no gate.
pub fn matches(pattern: &str, key: &str) -> bool {
    if !key.contains(HOLE) {
        return match Pattern::new(pattern) {
            Ok(glob) => glob.matches(key),
            Err(_) => key.starts_with(pattern),
        };
    }
    match parse(pattern) {
        Some(tokens) => may_match(&tokens, key),
        None => may_match(&prefix(pattern), key),
    }
}

/// What is wrong with a pattern, if anything is.
pub fn check(pattern: &str) -> Result<(), String> {
    Pattern::new(pattern).map(drop).map_err(|err| err.msg.to_owned())
}

#[derive(Debug)]
enum Token<'a> {
    Char(char),
    AnyChar,
    AnyText,
    /// A class in its own words, matched by the `glob` crate.
    Class(&'a str),
}

fn parse(pattern: &str) -> Option<Vec<Token<'_>>> {
    Pattern::new(pattern).ok()?;
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(c) = rest.chars().next() {
        let (token, length) = match c {
            '*' => (Token::AnyText, 1),
            '?' => (Token::AnyChar, 1),
            '[' => {
                // A `]` right after `[` or `[!` is a member, not the end.
                let open = if rest[1..].starts_with('!') { 2 } else { 1 };
                let member = rest[open..].chars().next().map_or(0, char::len_utf8);
                let close = open + member + rest[open + member..].find(']')? + 1;
                (Token::Class(&rest[..close]), close)
            }
            c => (Token::Char(c), c.len_utf8()),
        };
        tokens.push(token);
        rest = &rest[length..];
    }
    Some(tokens)
}

fn prefix(pattern: &str) -> Vec<Token<'_>> {
    pattern.chars().map(Token::Char).chain([Token::AnyText]).collect()
}

/// Walks the key with the set of places in the pattern that may be reached.
fn may_match(tokens: &[Token], key: &str) -> bool {
    let names_program = names_program(tokens);
    let mut reached = vec![false; tokens.len() + 1];
    reached[0] = true;
    skip_stars(tokens, &mut reached);
    let mut in_first_word = true;
    for c in key.chars() {
        in_first_word &= c != ' ';
        if c == HOLE {
            if names_program {
                fill(tokens, &mut reached, in_first_word);
            }
            continue;
        }
        let mut next = vec![false; tokens.len() + 1];
        for (at, token) in tokens.iter().enumerate() {
            if !reached[at] {
                continue;
            }
            match token {
                Token::AnyText => next[at] = true,
                Token::AnyChar => next[at + 1] = true,
                Token::Char(it) => next[at + 1] |= *it == c,
                Token::Class(class) => {
                    let mut text = [0; 4];
                    next[at + 1] |=
                        Pattern::new(class).is_ok_and(|it| it.matches(c.encode_utf8(&mut text)));
                }
            }
        }
        skip_stars(tokens, &mut next);
        reached = next;
    }
    reached[tokens.len()]
}

/// Whether the pattern's first word is spelt out.
fn names_program(tokens: &[Token]) -> bool {
    let first = tokens.iter().take_while(|it| !matches!(it, Token::Char(' ')));
    !first.into_iter().any(|it| matches!(it, Token::AnyText))
}

/// What can be reached after a hole: every place further on; within one word,
/// as far as the word goes.
fn fill(tokens: &[Token], reached: &mut [bool], one_word: bool) {
    for at in 0..tokens.len() {
        if reached[at] && !(one_word && matches!(tokens[at], Token::Char(' '))) {
            reached[at + 1] = true;
        }
    }
}

fn skip_stars(tokens: &[Token], reached: &mut [bool]) {
    for (at, token) in tokens.iter().enumerate() {
        if reached[at] && matches!(token, Token::AnyText) {
            reached[at + 1] = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_hole_stands_for_any_text() {
        let hole = |key: &str| key.replace('_', &HOLE.to_string());
        for (pattern, key, expected) in [
            ("Bash:git push*", "Bash:_ push origin", true),
            ("Bash:git push*", "Bash:git _", true),
            ("Bash:git push*", "Bash:_", false),
            ("Bash:git push*", "Bash:git status _", false),
            ("Bash:git push*", "Bash:_ status", false),
            ("Bash:tissue status * closed", "Bash:tissue status 5 _", true),
            ("Bash:*deploy*", "Bash:echo _", false),
            ("Bash:*deploy*", "Bash:./deploy _", true),
            ("Bash:gh issue close*", "Bash:gh issue list _", false),
            ("Bash:git [pq]ush", "Bash:git _ush", true),
            ("Bash:git push", "Bash:git push _", false),
            ("Bash:git push origin*", "Bash:git _", true),
        ] {
            assert_eq!(matches(pattern, &hole(key)), expected, "{pattern} on {key}");
        }
    }

    #[test]
    fn a_pattern_that_is_no_glob_still_gates_as_a_prefix() {
        assert!(matches("Bash:git push[", "Bash:git push[x"));
        assert!(!matches("Bash:git push[", "Bash:git pull"));
        assert!(check("Bash:git push[").is_err());
    }

    proptest! {
        /// Two matchers, one meaning.
        #[test]
        fn without_holes_both_matchers_agree(
            pattern in "[ab*?\\[\\]!-]{0,8}", key in "[ab\\[\\]!-]{0,8}",
        ) {
            if let (Ok(glob), Some(tokens)) = (Pattern::new(&pattern), parse(&pattern)) {
                prop_assert_eq!(glob.matches(&key), may_match(&tokens, &key));
            }
        }
    }
}
