//! Words of a line that could not be read: split crudely, so that padding a line with an unclosed
//! quote hides nothing.

use super::{Certainty, Run, limit};

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

/// Hands `each` what may run by a program that `is_first`, wherever in the line that stands, split as
/// [`raw_words`] are. What stands before it, and how much of that, hides none; a line without such a
/// word costs no more than to be split.
pub fn each_raw_run(line: &str, is_first: impl Fn(&str) -> bool, mut each: impl FnMut(&Run)) {
    let mut split = |line: &str| {
        let words: Vec<&str> = words(line).collect();
        for from in 0..words.len() {
            let first = super::last_part(words[from]);
            if is_first(first) {
                let words = &words[from..words.len().min(from + limit::RAW_LENGTH)];
                each(&Run {
                    argv: words.iter().map(|it| (*it).to_owned()).collect(),
                    program: first.to_owned(),
                    assignments: Vec::new(),
                    certainty: Certainty::Opaque,
                    conditional: true,
                    folders: Vec::new(),
                });
            }
        }
    };
    let joined: String = line.chars().filter(|c| !QUOTES.contains(*c)).collect();
    split(&joined);
    if joined.len() < line.len() {
        split(&line.replace(|c| QUOTES.contains(c), " "));
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || OPERATORS.contains(c)).filter(|word| !word.is_empty())
}

fn add_candidates(line: &str, candidates: &mut Vec<String>) {
    let words: Vec<&str> = words(line).take(limit::RAW_WORDS).collect();
    for from in 0..words.len() {
        let to = words.len().min(from + limit::RAW_LENGTH);
        let mut candidate = super::last_part(words[from]).to_owned();
        for word in &words[from + 1..to] {
            candidate.push(' ');
            candidate.push_str(word);
        }
        candidates.push(candidate);
    }
}
