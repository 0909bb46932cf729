//! Programs whose own text says what they do: an awk program and a sed script
//! are known to read only where all of their text is, and nothing in it writes
//! or runs; and the words of `find` and `ip`.

use crate::shell::HOLE;

fn is_unknown(word: &str) -> bool {
    word.contains(HOLE)
}

/// `words`: those behind `awk`; `is_bounded`: each of them is one, whatever it holds.
pub(super) fn awk_reads(words: &[&str], is_bounded: bool) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" => return words.next().is_some_and(|it| awk_text_reads(it)),
            // Whatever a variable holds: nothing in the text writes to a file by its name.
            "-F" | "-v" => {
                if words.next().is_none_or(|it| is_unknown(it) && !is_bounded) {
                    return false;
                }
            }
            it if is_unknown(it) && !is_bounded => {
                return false;
            }
            it if is_unknown(it) && !it.starts_with("-F") && !it.starts_with("-v") => return false,
            it if it.starts_with("-F") || it.starts_with("-v") => (),
            it if it.starts_with('-') => return false,
            // What stands behind the program is no option any more.
            it => return awk_text_reads(it),
        }
    }
    false
}

/// Only `print` and `printf` write with `>`: what stands before the first is a
/// comparison, as `>=` is everywhere. `@` loads code and calls by name.
fn awk_text_reads(text: &str) -> bool {
    if is_unknown(text) || text.contains("\\\n") || text.contains("\\\r") {
        return false;
    }
    let printed = text.find("print").map_or("", |at| &text[at..]).replace(">=", "");
    !printed.contains('>')
        && !text.replace("||", "").contains('|')
        && !text.contains("system")
        && !text.contains('@')
}

/// `words`: those behind `sed`.
pub(super) fn sed_reads(words: &[&str]) -> bool {
    let mut scripts: Vec<&str> = Vec::new();
    let mut operands: Vec<&str> = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        // A file, behind the script, and no option by its beginning.
        let is_file = is_unknown(word)
            && !word.starts_with(['-', HOLE])
            && !(scripts.is_empty() && operands.is_empty());
        if is_unknown(word) && !is_file {
            return false;
        }
        match *word {
            "--" => {
                operands.extend(rest);
                break;
            }
            "--quiet" | "--silent" | "--regexp-extended" | "--posix" | "--null-data"
            | "--separate" | "--unbuffered" | "--sandbox" | "--debug" => (),
            "--expression" => match rest.next() {
                Some(script) => scripts.push(script),
                None => return false,
            },
            it if it.starts_with("--") => match it.strip_prefix("--expression=") {
                Some(script) => scripts.push(script),
                None => return false,
            },
            it if it.len() > 1 && it.starts_with('-') => {
                let letters = it.trim_start_matches(|c| "-nErsuz".contains(c));
                let taken = match letters.get(1..) {
                    None => continue,
                    Some("") => rest.next().copied(),
                    attached => attached,
                };
                match (letters.as_bytes().first(), taken) {
                    (Some(b'e'), Some(script)) => scripts.push(script),
                    (Some(b'l'), Some(length)) if !is_unknown(length) => (),
                    _ => return false,
                }
            }
            it => operands.push(it),
        }
    }
    if scripts.is_empty() {
        match operands.first() {
            Some(script) => scripts.push(script),
            None => return false,
        }
    }
    sed_text_reads(&scripts.join("\n"))
}

/// Whether every command of a script is known, and neither writes nor runs.
fn sed_text_reads(script: &str) -> bool {
    if is_unknown(script) {
        return false;
    }
    let mut rest = script;
    // Each round goes past at least one character.
    while let Some(first) = rest.chars().next() {
        let tail = &rest[first.len_utf8()..];
        let next = match first {
            // Addresses, blocks and what separates commands; then commands without an argument.
            '0'..='9' | '$' | ',' | '~' | '+' | '!' | '{' | '}' | ';' | 'I' | 'M' => Some(tail),
            it if it.is_whitespace() => Some(tail),
            'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | 'q' | 'Q' | '='
            | 'l' | 'F' | 'z' => Some(tail),
            '/' => regex(tail, '/'),
            '\\' => by_delimiter(tail).and_then(|(delimiter, tail)| regex(tail, delimiter)),
            's' => by_delimiter(tail)
                .and_then(|(delimiter, tail)| delimited(regex(tail, delimiter)?, delimiter))
                .map(|(_, tail)| {
                    tail.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiIM".contains(c))
                })
                // What the flags end with: `e` and `w` are none of these.
                .filter(|tail| {
                    let end = tail.trim_start_matches([' ', '\t']);
                    end.is_empty() || end.starts_with([';', '}', '\n', '#'])
                }),
            'y' => by_delimiter(tail)
                .and_then(|(delimiter, tail)| delimited(regex(tail, delimiter)?, delimiter))
                .map(|(_, tail)| tail),
            ':' | 'b' | 't' | 'T' => Some(tail.find([';', '\n', '}']).map_or("", |at| &tail[at..])),
            'r' | 'R' | '#' => Some(tail.split_once('\n').map_or("", |(_, after)| after)),
            'a' | 'i' | 'c' => Some(after_text(tail)),
            _ => None,
        };
        match next {
            Some(next) => rest = next,
            None => return false,
        }
    }
    true
}

fn by_delimiter(text: &str) -> Option<(char, &str)> {
    let delimiter = text.chars().next().filter(|it| !matches!(it, '\\' | '\n'))?;
    Some((delimiter, &text[delimiter.len_utf8()..]))
}

/// What follows a pattern. Where a delimiter stands within brackets, programs
/// differ in where the pattern ends.
fn regex(text: &str, delimiter: char) -> Option<&str> {
    let (pattern, rest) = delimited(text, delimiter)?;
    let is_open = pattern.rfind('[').is_some_and(|at| !pattern[at..].contains(']'));
    (!is_open).then_some(rest)
}

fn delimited(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (index, character) in text.char_indices() {
        if character == '\n' {
            return None;
        }
        if character == delimiter && !escaped {
            return Some((&text[..index], &text[index + character.len_utf8()..]));
        }
        escaped = character == '\\' && !escaped;
    }
    None
}

/// The text of `a`, `i` and `c` is the rest of the line; a backslash at its
/// end adds the next one, and what programs make of more of them differs.
fn after_text(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        if !line.ends_with('\\') || line.ends_with("\\\\") {
            return after;
        }
        rest = after;
    }
    ""
}

/// Whether a word that is known in part may be an option that nobody knows.
pub(super) fn is_open(word: &str) -> bool {
    let known = word.split(HOLE).next().unwrap_or_default();
    known.is_empty() || known.starts_with('-') && !(known.starts_with("--") && known.contains('='))
}

/// Whether each word of a `find` that nobody knows is no test and no action:
/// begins as a path, or stands behind a test that takes a value. What it runs
/// is judged by itself.
pub(super) fn is_value_of_test(words: &[&str]) -> bool {
    const TESTS: &[&str] = &[
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-regex",
        "-iregex",
        "-newer",
        "-type",
        "-mtime",
        "-mmin",
        "-ctime",
        "-cmin",
        "-atime",
        "-amin",
        "-size",
        "-user",
        "-group",
        "-perm",
        "-maxdepth",
        "-mindepth",
        "-samefile",
        "-lname",
        "-inum",
        "-links",
        "-printf",
    ];
    let runs = words.iter().position(|it| matches!(*it, "-exec" | "-execdir" | "-ok" | "-okdir"));
    words.iter().enumerate().filter(|(_, it)| it.contains(HOLE)).all(|(at, it)| {
        let is_value = at > 0 && TESTS.contains(&words[at - 1]);
        is_value || runs.is_some_and(|it| it < at) || !is_open(it)
    })
}

/// `ip -br addr show dev x`, `ip route get x`.
pub(super) fn ip_reads(words: &[&str]) -> bool {
    const LOOKS: &[&str] = &[
        "-4",
        "-6",
        "-s",
        "-d",
        "-o",
        "-br",
        "-brief",
        "-j",
        "-json",
        "-p",
        "-pretty",
        "-c",
        "-color",
        "-details",
        "-stats",
        "-statistics",
        "-oneline",
    ];
    let operands = words.iter().skip_while(|it| LOOKS.contains(it)).copied().collect::<Vec<_>>();
    match operands.as_slice() {
        [] => true,
        [object, rest @ ..] => {
            !object.starts_with('-')
                && rest.first().is_none_or(|it| matches!(*it, "show" | "list" | "ls" | "get"))
        }
    }
}
