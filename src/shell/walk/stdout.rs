//! The output of the few programs whose output follows from the line: `echo`, `printf`, `cat` and
//! `base64 -d` of an input. All other output is unknown.

use super::expand::has_glob;
use super::paths::{START, since_start};
use super::{Call, Walker};
use crate::shell::field::Field;
use crate::shell::{HOLE, table::grammar::lists};
use crate::shell::{last_part, limit};

impl Walker<'_> {
    /// A program's output; a hole where it is not known.
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
            "dirname" | "basename" | "realpath" | "readlink" => path_of(name, words),
            "find" | "fd" | "ls" | "grep" | "rg" | "git" => listed(name, words),
            "sort" | "uniq" | "head" | "tail" => stdin.and_then(unknown_names),
            _ => None,
        };
        let text = text.or_else(|| match name {
            "grep" => stdin.and_then(unknown_names),
            _ => None,
        });
        text.filter(|text| self.budget.spend(text.len() / 64)).unwrap_or(HOLE.to_string())
    }
}

/// The output of `dirname` and the like for one path.
fn path_of(name: &str, words: &[Field]) -> Option<String> {
    let mut operands = words.iter().filter(|word| !word.text.starts_with('-'));
    let path = operands
        .next()
        .map(|word| word.text.as_str())
        .filter(|path| !path.contains([HOLE, START]))?;
    let bare = path.trim_end_matches('/');
    Some(match name {
        "dirname" => bare.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned() + "\n",
        "basename" => {
            let last = last_part(bare);
            let ending = operands.next().map_or("", |word| &word.text);
            last.strip_suffix(ending).unwrap_or(last).to_owned() + "\n"
        }
        // Links are not followed.
        _ if path.starts_with(['/', '~']) => path.to_owned() + "\n",
        _ => return None,
    })
}

/// Output of a program that lists files below folders: `d/` and a hole.
fn listed(name: &str, words: &[Field]) -> Option<String> {
    let has = |options: &[&str]| words.iter().any(|word| options.contains(&&*word.text));
    let operands = || words.iter().filter(|word| !word.text.starts_with('-'));
    let folders: Vec<&Field> = match name {
        "find" => words.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect(),
        "grep" | "rg" if has(&["-l", "-rl", "-lr", "-rln", "-ril", "--files-with-matches"]) => {
            operands().skip(1).collect()
        }
        "git" if has(&["ls-files"]) => operands().skip(1).collect(),
        _ => return None,
    };
    let mut names = String::new();
    for folder in folders.iter().map(|folder| folder.text.trim_end_matches('/')) {
        names.push_str(if has_glob(folder) { "." } else { folder });
        names.push_str("/\u{FFFC}\n");
    }
    Some(if names.is_empty() { format!("./{HOLE}\n") } else { names })
}

/// The output of a filter over unknown names: any of them may pass.
fn unknown_names(input: &str) -> Option<String> {
    let is_name =
        |line: &str| line.len() > HOLE.len_utf8() && line.ends_with(HOLE) && !line.contains(' ');
    input.lines().all(is_name).then(|| input.to_owned())
}

/// `base64 -d`
fn decodes(words: &[Field]) -> bool {
    matches!(words, [option] if option.text.starts_with("--d") || matches!(
        option.text.as_str(),
        "-d" | "-D" | "-di" | "-id"
    ))
}

/// The text behind base64 digits; `None` where some are unknown.
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

/// The backslash escapes of `echo -e` and `printf`.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let number = |rest: &mut std::iter::Peekable<_>, radix: u32, most: usize| {
            let mut value = 0_u32;
            for _ in 0..most {
                let digit = rest.next_if(|byte: &u8| char::from(*byte).is_digit(radix));
                let Some(digit) = digit.and_then(|digit| char::from(digit).to_digit(radix)) else {
                    break;
                };
                value = value * radix + digit;
            }
            value
        };
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(b'a') => bytes.push(7),
            Some(b'b') => bytes.push(8),
            Some(b'e' | b'E') => bytes.push(27),
            Some(b'c') => break,
            Some(b'x') => bytes.push(number(&mut rest, 16, 2).to_le_bytes()[0]),
            Some(b'u') => push_character(&mut bytes, number(&mut rest, 16, 4)),
            Some(b'U') => push_character(&mut bytes, number(&mut rest, 16, 7)),
            Some(b'0') => bytes.push(number(&mut rest, 8, 3).to_le_bytes()[0]),
            Some(digit @ b'1'..=b'7') => {
                let first = u32::from(digit - b'0');
                let more = rest.clone().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let tail = number(&mut rest, 8, more);
                let scale = 8_u32.pow(u32::try_from(more).unwrap_or(0));
                bytes.push((first * scale + tail).to_le_bytes()[0]);
            }
            Some(b'\\') | None => bytes.push(b'\\'),
            Some(other) => bytes.extend([b'\\', other]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn push_character(bytes: &mut Vec<u8>, code: u32) {
    if let Some(character) = char::from_u32(code) {
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
}
