//! The words of a line that could not be parsed. They are split crudely, so that an unclosed quote
//! hides nothing.

use super::limit;

const QUOTES: &str = "\"'\\";
const OPERATORS: &str = "`;&|(){}<>$=";

/// Possible keys of a line, without `Bash:`: the words from each word on. Operators count as
/// blanks; quotes are removed, and in a second pass replaced by blanks. Limited in number and
/// length.
pub fn raw_words(line: &str) -> Vec<String> {
    let mut candidates = Vec::new();
    for line in without_quotes(line) {
        let words: Vec<&str> = words(&line).take(limit::RAW_WORDS).collect();
        for from in 0..words.len() {
            let to = words.len().min(from + limit::RAW_LENGTH);
            let program = super::last_part(words[from]);
            candidates.push([&[program], &words[from + 1..to]].concat().join(" "));
        }
    }
    candidates
}

/// A line without its quotes, and if it has any also with blanks instead of them.
fn without_quotes(line: &str) -> impl Iterator<Item = String> {
    let is_quote = |character: char| QUOTES.contains(character);
    let joined = line.replace(is_quote, "");
    let apart = (joined.len() < line.len()).then(|| line.replace(is_quote, " "));
    std::iter::once(joined).chain(apart)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || OPERATORS.contains(c)).filter(|word| !word.is_empty())
}
