//! Words of a line that could not be read: split crudely, so that padding a line with an unclosed
//! quote hides nothing.

use super::limit;

const QUOTES: &str = "\"'\\";
const OPERATORS: &str = "`;&|(){}<>$=";

/// Key candidates of a line, without `Bash:`: every run of words from some word on, operators
/// taken for blanks; with quotes taken for nothing, and once more for blanks. Bounded in number
/// and length.
pub fn raw_words(line: &str) -> Vec<String> {
    let joined: String = line.chars().filter(|c| !QUOTES.contains(*c)).collect();
    let mut candidates = Vec::new();
    add_candidates(&joined, &mut candidates);
    if joined.len() < line.len() {
        let apart: String =
            line.chars().map(|c| if QUOTES.contains(c) { ' ' } else { c }).collect();
        add_candidates(&apart, &mut candidates);
    }
    candidates
}

fn add_candidates(line: &str, candidates: &mut Vec<String>) {
    let words: Vec<&str> = line
        .split(|c: char| c.is_whitespace() || OPERATORS.contains(c))
        .filter(|word| !word.is_empty())
        .take(limit::RAW_WORDS)
        .collect();
    for from in 0..words.len() {
        let to = words.len().min(from + limit::RAW_LENGTH);
        let mut candidate = words[from].rsplit('/').next().unwrap_or("").to_owned();
        for word in &words[from + 1..to] {
            candidate.push(' ');
            candidate.push_str(word);
        }
        candidates.push(candidate);
    }
}
