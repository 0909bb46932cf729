//! Programs whose own text says what they do: an awk program and a sed script are known to read
//! only where nothing in them writes or runs.

use crate::shell::HOLE;

/// `words`: those behind `awk`.
pub(super) fn awk_reads(words: &[&str]) -> bool {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match *word {
            "--" => return words.next().is_some_and(|text| awk_text_reads(text)),
            // Whatever a variable holds: nothing in the text writes to a file by its name.
            "-F" | "-v" => drop(words.next()),
            word if word.starts_with("-F") || word.starts_with("-v") => (),
            word if word.starts_with('-') => return false,
            text => return awk_text_reads(text),
        }
    }
    false
}

/// Only `print` and `printf` write with `>`: before the first of them it is a comparison, as `>=`
/// is everywhere. `@` loads code and calls by name.
fn awk_text_reads(text: &str) -> bool {
    if text.contains(HOLE) || text.contains("\\\n") || text.contains("\\\r") {
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
    const FLAGS: &[&str] = &["--quiet", "--silent", "--regexp-extended", "--null-data"];
    let mut scripts: Vec<&str> = Vec::new();
    let mut operands = Vec::new();
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        if word == "--" {
            operands.extend(words);
            break;
        }
        let Some(option) = word.strip_prefix('-').filter(|option| !option.is_empty()) else {
            operands.push(word);
            continue;
        };
        if FLAGS.contains(&word) {
            continue;
        }
        // `-n`, `-ne SCRIPT`, `-eSCRIPT`
        let option = option.trim_start_matches(|letter| "nErsuz".contains(letter));
        match option.strip_prefix('e') {
            Some("") => scripts.extend(words.next()),
            Some(script) => scripts.push(script),
            None if option.is_empty() => (),
            None => return false,
        }
    }
    if scripts.is_empty() {
        scripts.extend(operands.first());
    }
    !scripts.is_empty() && scripts.into_iter().all(sed_text_reads)
}

/// Whether a script has no other commands than those that only print, such as `/a/,$p` and
/// `s/a/b/g`.
fn sed_text_reads(script: &str) -> bool {
    let mut letters = script.chars();
    while let Some(letter) = letters.next() {
        let is_known = match letter {
            '/' => skip(&mut letters, '/'),
            's' | 'y' => {
                letters.next().is_some_and(|end| skip(&mut letters, end) && skip(&mut letters, end))
            }
            letter => {
                letter.is_ascii_digit()
                    || letter.is_whitespace()
                    || "$,~+!{};=pPdDnNgGhHxqQlFziIM".contains(letter)
            }
        };
        if !is_known {
            return false;
        }
    }
    !script.contains(HOLE)
}

/// Goes behind the next delimiter; whether there is one.
fn skip(letters: &mut std::str::Chars, delimiter: char) -> bool {
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => drop(letters.next()),
            letter if letter == delimiter => return true,
            _ => (),
        }
    }
    false
}

/// Whether a word that is known in part may be an option that nobody knows.
pub(super) fn is_open(word: &str) -> bool {
    let known = word.split(HOLE).next().unwrap_or_default();
    known.is_empty() || known.starts_with('-') && !(known.starts_with("--") && known.contains('='))
}

/// Whether each word of a `find` that is known in part is the value of a test, or a path.
pub(super) fn is_search(words: &[&str]) -> bool {
    words.iter().enumerate().filter(|(_, word)| word.contains(HOLE)).all(|(at, word)| {
        let is_value = at > 0 && words[at - 1].starts_with('-');
        let is_run = words[..at].iter().any(|word| word.starts_with("-exec"));
        is_value || is_run || !is_open(word)
    })
}
