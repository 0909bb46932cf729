//! The output of the few programs whose output follows from the line: `echo`, `printf`, `cat`, and
//! `base64 -d` of an input. All other output is unknown.

use super::paths::since_start;
use super::{Call, Walker};
use crate::shell::escapes::unescaped;
use crate::shell::field::Field;
use crate::shell::limit;
use crate::shell::{HOLE, table::grammar::lists};

impl Walker<'_> {
    /// A program's output; a hole if it is unknown.
    pub(super) fn stdout(&mut self, name: &str, call: &Call) -> String {
        let words = &call.words[1..];
        let stdin = call.io.stdin.as_deref();
        let has_files = || words.iter().any(|w| !w.text.starts_with('-') || w.text == "-");
        let text = match name {
            "echo" => Some(echo(words)),
            "printf" if words.first().is_none_or(|word| word.text != "-v") => Some(printf(words)),
            "true" | "false" | ":" | "sleep" | "test" | "[" | "cd" => Some(String::new()),
            "cat" if !has_files() => stdin.map(str::to_owned),
            "tee" => stdin.map(str::to_owned),
            "which" => located_program(words),
            "command" | "type" if words.first().is_some_and(|word| lists("-v -p", &word.text)) => {
                located_program(words)
            }
            "base64" | "gbase64" if decodes(words) => stdin.and_then(decoded),
            "pwd" => match self.env.directories() {
                [only] => Some(since_start(only) + "\n"),
                _ => None,
            },
            _ => None,
        };
        text.filter(|text| self.budget.spend(text.len() / 64)).unwrap_or(HOLE.to_string())
    }
}

/// `base64 -d`
fn decodes(words: &[Field]) -> bool {
    matches!(words, [option] if option.text.starts_with("--d") || matches!(
        option.text.as_str(),
        "-d" | "-D" | "-di" | "-id"
    ))
}

/// Decodes base64; `None` if some digits are unknown.
fn decoded(input: &str) -> Option<String> {
    if input.contains(HOLE) {
        return None;
    }
    let mut bytes = Vec::with_capacity(input.len());
    let (mut bits, mut buffer) = (0, 0_u32);
    for digit in input.bytes() {
        let value = match digit {
            b'A'..=b'Z' => digit - b'A',
            b'a'..=b'z' => digit - b'a' + 26,
            b'0'..=b'9' => digit - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        buffer = buffer << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((buffer >> bits & 0xff).to_le_bytes()[0]);
        }
        buffer &= (1 << bits) - 1;
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn echo(words: &[Field]) -> String {
    let options = words.iter().take_while(|word| {
        word.text.len() > 1
            && word.text.starts_with('-')
            && word.text[1..].chars().all(|c| matches!(c, 'n' | 'e' | 'E'))
    });
    let options: Vec<&str> = options.map(|word| word.text.as_str()).collect();
    let texts: Vec<&str> = words[options.len()..].iter().map(|word| word.text.as_str()).collect();
    let mut text = texts.join(" ");
    if options.iter().any(|option| option.contains('e')) {
        text = unescaped(&text);
    }
    if !options.iter().any(|option| option.contains('n')) {
        text.push('\n');
    }
    text
}

/// `printf format arguments…`: the format is repeated until the arguments are used up.
pub(super) fn printf(words: &[Field]) -> String {
    let words =
        if words.first().is_some_and(|word| word.text == "--") { &words[1..] } else { words };
    let Some((format, arguments)) = words.split_first() else { return String::new() };
    let mut arguments = arguments.iter().map(|word| word.text.as_str()).peekable();
    let mut text = String::new();
    for _ in 0..limit::BRACES {
        let before = arguments.len();
        let mut characters = format.text.chars().peekable();
        let mut literal = String::new();
        while let Some(character) = characters.next() {
            if character != '%' {
                literal.push(character);
                continue;
            }
            text.push_str(&unescaped(&std::mem::take(&mut literal)));
            let mut plain = true;
            let conversion = loop {
                match characters.next() {
                    Some(c) if c.is_ascii_digit() || matches!(c, '-' | '.' | '+' | ' ' | '#') => {
                        plain = false;
                    }
                    conversion => break conversion,
                }
            };
            match conversion {
                Some('%') => text.push('%'),
                Some('b') => text.push_str(&unescaped(arguments.next().unwrap_or(""))),
                Some('s' | 'd' | 'i' | 'q') if plain => {
                    text.push_str(arguments.next().unwrap_or(""));
                }
                Some('s') => text.push_str(arguments.next().unwrap_or("")),
                _ => {
                    arguments.next();
                    text.push(HOLE);
                }
            }
        }
        text.push_str(&unescaped(&literal));
        if arguments.len() == 0 || arguments.len() == before {
            break;
        }
    }
    text
}

/// `command -v git` prints the path of git.
fn located_program(words: &[Field]) -> Option<String> {
    let name = words.iter().rev().find(|word| !word.text.starts_with('-'))?;
    Some(format!("/usr/bin/{}\n", name.text))
}
