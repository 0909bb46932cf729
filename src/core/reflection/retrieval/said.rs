//! A text as clauses of words, as somebody says them: `open the PR and push it` is two.

/// A clause, and its words in lower case. Before a word that is the name of something in code, or
/// of a file, stands [`NAME`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<String>,
}

/// No word: what follows it is an identifier or a path.
pub(super) const NAME: &str = "`";

/// What joins two of them.
const JOINING: &[&str] = &["and", "then", "but", "so", "or", "&", "n", "plus"];

pub(super) fn clauses(text: &str) -> Vec<Clause<'_>> {
    let mut all = Vec::new();
    let mut words = Vec::new();
    let (mut from, mut end) = (0, 0);
    let mut close = |words: &mut Vec<String>, from: usize, end: usize| {
        if !words.is_empty() {
            all.push(Clause {
                text: text.get(from..end).unwrap_or_default(),
                words: std::mem::take(words),
            });
        }
    };
    for raw in text.split_inclusive(char::is_whitespace) {
        let at = end;
        end += raw.len();
        let raw = raw.trim();
        let word = raw
            .trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '_' | '@' | '&')));
        let lower = word.to_lowercase();
        let is_joint = JOINING.contains(&lower.as_str());
        if is_joint || word.is_empty() || raw.starts_with(['(', '[', '"', '“', '«']) {
            close(&mut words, from, at);
        }
        if words.is_empty() {
            from = if is_joint { end } else { at };
        }
        if !word.is_empty() && !is_joint {
            if is_name(word) {
                words.push(NAME.to_owned());
            }
            words.push(lower);
        }
        let ends = ['.', ',', ';', ':', '!', '?', ')', ']', '"', '”', '»', '…'];
        if raw.ends_with(ends) {
            close(&mut words, from, end);
        }
    }
    close(&mut words, from, end);
    all
}

fn is_name(word: &str) -> bool {
    let has_hump =
        word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    has_hump || word.contains(['/', '\\', '_']) || word.contains("::")
}

#[cfg(test)]
mod tests {
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
        assert_eq!(words("a - b -- c\n\nd"), ["a", "b", "c", "d"]);
        assert_eq!(words(" , and … "), [""; 0]);
    }

    #[test]
    fn names_are_marked_and_keep_what_they_are_made_of() {
        assert_eq!(
            words("move src/a.rs and rename PvBuffer, in v1.2"),
            ["move ` src/a.rs", "rename ` pvbuffer", "in v1.2"]
        );
    }

    #[test]
    fn a_clause_is_a_piece_of_the_text() {
        let text = "Größe prüfen, dann „fertig“ und — push it";
        for clause in clauses(text) {
            assert!(text.contains(clause.text), "{clause:?}");
        }
        assert_eq!(
            clauses("so rebase, please").iter().map(|it| it.text).collect::<Vec<_>>(),
            ["rebase, ", "please"]
        );
    }
}
