//! Brace expansion: `{a,b}` and `{1..3}`, before any other expansion.

use crate::shell::syntax::{Part, Word};
use crate::shell::{HOLE, limit};

/// A braced list within one word is refused beyond this depth of nesting.
const NESTING: usize = 16;

/// A word with braces that is longer than this is not expanded.
const LENGTH: usize = 16 * 1024;

/// Pieces of a word: a character, quoted or not, or an expansion by its place in the word.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Piece {
    Character(char, bool),
    /// The empty quoted string: `''` is a word, empty text is not.
    Nothing,
    Expansion(usize),
}

/// The words that a word expands to; one unknown word beyond the limits.
pub(super) fn expand(word: &Word) -> Vec<Word> {
    let pieces = pieces(word);
    let mut left = limit::BRACES;
    let words =
        if pieces.len() > LENGTH { None } else { alternatives(&pieces, &mut left, NESTING) };
    let Some(words) = words else { return vec![Word::text(&HOLE.to_string(), false)] };
    // A word of nothing at all is dropped, as in `{,x}`.
    words.iter().filter(|pieces| !pieces.is_empty()).map(|p| rebuild(p, word)).collect()
}

fn pieces(word: &Word) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, part) in word.parts.iter().enumerate() {
        match part {
            Part::Text { text, .. } if text.is_empty() => pieces.push(Piece::Nothing),
            Part::Text { text, quoted } => {
                pieces.extend(text.chars().map(|character| Piece::Character(character, *quoted)));
            }
            _ => pieces.push(Piece::Expansion(index)),
        }
    }
    pieces
}

fn rebuild(pieces: &[Piece], word: &Word) -> Word {
    let mut rebuilt = Word::default();
    for piece in pieces {
        match piece {
            Piece::Character(character, quoted) => {
                rebuilt.push_text(character.encode_utf8(&mut [0; 4]), *quoted);
            }
            Piece::Nothing => rebuilt.push_text("", true),
            Piece::Expansion(index) => rebuilt.parts.push(word.parts[*index].clone()),
        }
    }
    rebuilt.braces = false;
    rebuilt
}

/// `None` beyond the limits.
fn alternatives(pieces: &[Piece], left: &mut usize, depth: usize) -> Option<Vec<Vec<Piece>>> {
    if depth == 0 {
        return None;
    }
    // Every word so far is continued with every alternative.
    let mut words: Vec<Vec<Piece>> = vec![Vec::new()];
    let pairs = pairs(pieces);
    let mut at = 0;
    while at < pieces.len() {
        let inner = pairs[at].as_ref().and_then(|(end, commas)| {
            options(pieces, at, *end, commas).map(|options| (options, end + 1))
        });
        let Some((options, next)) = inner else {
            for word in &mut words {
                word.push(pieces[at]);
            }
            at += 1;
            continue;
        };
        let mut tails = Vec::new();
        for option in options {
            tails.extend(alternatives(&option, left, depth - 1)?);
        }
        let count = words.len() * tails.len();
        let size = count * (pieces.len() + 1);
        *left = left.checked_sub(count)?;
        if size > limit::TEXT {
            return None;
        }
        words = words
            .iter()
            .flat_map(|word| tails.iter().map(|tail| [&word[..], &tail[..]].concat()))
            .collect();
        at = next;
    }
    Some(words)
}

/// For each position, where the brace there ends and which commas belong to it.
fn pairs(pieces: &[Piece]) -> Vec<Option<(usize, Vec<usize>)>> {
    let mut pairs = vec![None; pieces.len()];
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Character('{', false) => open.push((index, Vec::new())),
            Piece::Character('}', false) => {
                if let Some((start, commas)) = open.pop() {
                    pairs[start] = Some((index, commas));
                }
            }
            Piece::Character(',', false) => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(index);
                }
            }
            _ => {}
        }
    }
    pairs
}

/// The options between the brace at `start` and the one at `end`.
fn options(
    pieces: &[Piece],
    start: usize,
    end: usize,
    commas: &[usize],
) -> Option<Vec<Vec<Piece>>> {
    if commas.is_empty() {
        return is_sequence(&pieces[start + 1..end])
            .then(|| vec![vec![Piece::Character(HOLE, false)]]);
    }
    let mut options = Vec::new();
    let mut from = start + 1;
    for to in commas.iter().copied().chain([end]) {
        options.push(pieces[from..to].to_vec());
        from = to + 1;
    }
    Some(options)
}

/// `1..5`, `a..e`, `1..9..2`: these are not expanded.
fn is_sequence(pieces: &[Piece]) -> bool {
    let text: Option<String> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Character(character, false) => Some(*character),
            _ => None,
        })
        .collect();
    let is_bound = |bound: &str| !bound.is_empty() && bound.chars().all(char::is_alphanumeric);
    text.is_some_and(|text| text.contains("..") && text.split("..").all(is_bound))
}
