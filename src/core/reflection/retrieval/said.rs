//! A text as clauses of words, as somebody says them: `open the PR and push it` is two.

use std::ops::Range;

use super::words::is_path;

/// A clause: where in the text it stands, and its words in lower case. Before a word that is the
/// name of something in code stands [`NAME`], before one of a file [`PATH`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) place: Range<usize>,
    pub(super) words: Vec<String>,
    /// Something in it is quoted.
    pub(super) is_quoted: bool,
}

/// No words: what follows them is an identifier, or a path.
pub(super) const NAME: &str = "`";
pub(super) const PATH: &str = "/";

/// What joins two of them.
const JOINING: &[&str] = &["and", "then", "but", "so", "or", "&", "n", "plus", "+"];
/// No clause is longer, in words.
const LONGEST: usize = 64;

pub(super) fn clauses(text: &str) -> Vec<Clause> {
    let mut all = Vec::new();
    let mut open = Clause { place: 0..0, words: Vec::new(), is_quoted: false };
    let mut close = |open: &mut Clause, end: usize| {
        let words = std::mem::take(&mut open.words);
        let is_quoted = std::mem::take(&mut open.is_quoted);
        let place = std::mem::replace(&mut open.place, end..end).start..end;
        if !words.is_empty() {
            all.push(Clause { place, words, is_quoted });
        }
    };
    let is_border = |c: char| c.is_whitespace() || matches!(c, '—' | '–' | '+' | ',' | ';');
    let mut end = 0;
    for raw in text.split_inclusive(is_border) {
        let begin = end;
        end += raw.len();
        let token = raw.trim();
        if token.starts_with(['(', '[', '{']) {
            close(&mut open, begin);
        }
        let word = token
            .trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '@' | '&')));
        let lower = word.to_lowercase().replace('’', "'");
        if JOINING.contains(&lower.as_str()) {
            close(&mut open, begin);
            open.place.start = end;
        } else if !token.is_empty() && !token.contains(char::is_alphanumeric) {
            close(&mut open, begin);
        } else if !word.is_empty() {
            if is_file(word) {
                open.words.push(PATH.to_owned());
            } else if is_name(word) {
                open.words.push(NAME.to_owned());
            }
            open.words.push(lower);
        }
        open.is_quoted |=
            token.contains(['"', '“', '”', '„', '`', '«', '»']) || token.starts_with('\'');
        let ends = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '…', '—', '–', '+'];

        let is_end = token.trim_end_matches(['"', '”', '\'', '`', '»']).ends_with(ends);
        if is_end || raw.contains(['\n', '\r']) || open.words.len() >= LONGEST {
            close(&mut open, end);
        }
    }
    close(&mut open, end);
    all
}

fn is_file(word: &str) -> bool {
    word.contains("::") || is_path(word)
}

fn is_name(word: &str) -> bool {
    // `PRs` are several of `PR`.
    let word = word.strip_suffix('s').unwrap_or(word);
    let has_hump =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    has_hump || word.contains('_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<String> {
        clauses(text).iter().map(|it| it.words.join(" ")).collect()
    }

    #[test]
    fn clauses_end_where_one_pauses_and_where_two_are_joined() {
        assert_eq!(
            words("OK, commit it and open the PR (as a draft). Then stop!"),
            ["ok", "commit it", "open the pr", "as a draft", "stop"]
        );
        assert_eq!(
            words("a - b -- c—d, commit+push,stop / x → y"),
            ["a", "b", "c", "d", "commit", "push", "stop", "x", "y"]
        );
        assert_eq!(words(" , and … "), [""; 0]);
    }

    #[test]
    fn a_line_is_a_clause_however_it_ends_and_blanks_are_none() {
        let wanted = ["fix it", "open a pr"];
        for text in ["Fix it\nopen a PR", "Fix it\r\nopen a PR", "Fix  it\n\n  open  a  PR\n"] {
            assert_eq!(words(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn names_and_paths_are_marked() {
        assert_eq!(
            words("move src/a.rs and rename PvBuffer, in v1.2"),
            ["move / src/a.rs", "rename ` pvbuffer", "in v1.2"]
        );
    }

    #[test]
    fn what_is_quoted_is_known_as_such() {
        let is_quoted =
            |text: &str| clauses(text).iter().map(|it| it.is_quoted).collect::<Vec<_>>();
        assert_eq!(is_quoted("open the “PR”, let's stop"), [true, false]);
        assert_eq!(words("let’s open the \"PR\""), ["let's open the pr"]);
    }

    proptest! {
        #[test]
        fn clauses_are_pieces_of_the_text_in_their_order(text in any::<String>()) {
            let mut end = 0;
            for it in clauses(&text) {
                prop_assert!(it.place.start >= end && text.get(it.place.clone()).is_some());
                prop_assert!(!it.words.is_empty() && it.words.len() <= LONGEST + 1);
                end = it.place.end;
            }
        }
    }
}
