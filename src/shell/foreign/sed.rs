//! Scripts of sed: the `e` command and flag run a shell, the `w` command and flag write a file.

use super::super::HOLE;
use super::{Act, How};

pub(in super::super) fn read(script: &str) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut rest = script;
    // Each round goes past at least one character.
    while let Some(first) = rest.chars().next() {
        let tail = &rest[first.len_utf8()..];
        rest = match first {
            '/' => delimited(tail, '/').1,
            '\\' => match tail.chars().next() {
                Some(delimiter) => delimited(&tail[delimiter.len_utf8()..], delimiter).1,
                None => tail,
            },
            's' | 'y' => substitution(tail, &mut acts),
            'e' => {
                let (command, after) = line(tail);
                // Alone it runs what stands in the line that was read.
                let is_alone = command.trim_matches([';', '}', ' ']).is_empty();
                let command = if is_alone { HOLE.to_string() } else { command.to_owned() };
                acts.push(Act::Shell(command));
                after
            }
            'w' | 'W' => {
                let (path, after) = line(tail);
                acts.push(Act::Write(path.to_owned(), How::Write));
                after
            }
            'r' | 'R' => {
                let (path, after) = line(tail);
                acts.push(Act::Read(path.to_owned()));
                after
            }
            'a' | 'i' | 'c' | '#' => line(tail).1,
            ':' | 'b' | 't' | 'T' => tail.split_once([';', '\n', '}']).map_or("", |(_, rest)| rest),
            // Addresses, blocks, what separates commands, and commands that matter to nobody.
            _ => tail,
        };
    }
    acts
}

/// The rest of the line without blanks around it, and what follows the line.
fn line(text: &str) -> (&str, &str) {
    let (line, after) = text.split_once('\n').unwrap_or((text, ""));
    (line.trim(), after)
}

/// Text up to an unescaped delimiter, and what follows that.
fn delimited(text: &str, delimiter: char) -> (&str, &str) {
    let mut escaped = false;
    for (index, character) in text.char_indices() {
        if character == delimiter && !escaped {
            return (&text[..index], &text[index + character.len_utf8()..]);
        }
        escaped = character == '\\' && !escaped;
    }
    (text, "")
}

/// After the `s`: its parts and its flags.
fn substitution<'a>(text: &'a str, acts: &mut Vec<Act>) -> &'a str {
    let Some(delimiter) = text.chars().next() else { return "" };
    let (_, rest) = delimited(&text[delimiter.len_utf8()..], delimiter);
    let (replacement, rest) = delimited(rest, delimiter);
    let flags = rest.find(|c: char| !(c.is_ascii_digit() || "gpiImMe".contains(c)));
    let (flags, after) = rest.split_at(flags.unwrap_or(rest.len()));
    if flags.contains('e') {
        acts.push(Act::Shell(filled(replacement)));
        // Around the replacement stands the rest of the line.
        acts.push(Act::Shell(HOLE.to_string()));
    }
    if let Some(path) = after.strip_prefix('w') {
        let (path, after) = line(path);
        acts.push(Act::Write(path.to_owned(), How::Write));
        return after;
    }
    after
}

/// A replacement with holes where what was found is put in: `&`, `\1`.
fn filled(replacement: &str) -> String {
    let mut text = String::with_capacity(replacement.len());
    let mut characters = replacement.chars();
    while let Some(character) = characters.next() {
        match character {
            '&' => text.push(HOLE),
            '\\' => match characters.next() {
                Some(digit) if digit.is_ascii_digit() => text.push(HOLE),
                Some('n') => text.push('\n'),
                Some(other) => text.push(other),
                None => {}
            },
            character => text.push(character),
        }
    }
    text
}
