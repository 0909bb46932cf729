//! Pieces of text that could be commands: the parts of code, lines without what stands before a
//! command in them.

use super::super::foreign;
use super::super::table::interpreters;
use super::super::{HOLE, Interpreter, Run};
use std::collections::BTreeMap;

/// Whether a text begins as a command does: with a name, and no sign after it.
pub(super) fn is_command_like(text: &str) -> bool {
    let Some((first, _)) = text.split_once(char::is_whitespace) else { return false };
    let joins = |c: char| c.is_ascii_alphanumeric() || "_-./~".contains(c);
    !first.starts_with('-') && first.chars().all(joins)
}

/// What code was found to write: it is asked once for each program that may be fed by it.
pub(super) type Written = BTreeMap<String, Vec<String>>;

/// The parts of a word that could be code: of a program that takes code, what its signs leave.
pub(super) fn pieces_of(
    program: &str,
    word: &str,
    pieces: &mut Vec<String>,
    written: &mut Written,
) {
    let is_sed = matches!(program, "sed" | "gsed" | "perl" | "ed" | "ex" | "vim");
    let is_code = is_sed || program == "jq" || interpreters::find(program).is_some();
    let word = word.trim();
    // A name of a file, an option: not many words, and no code.
    if !is_code && word.contains(char::is_whitespace) {
        pieces.extend(word.lines().map(str::to_owned));
    }
    if is_code {
        const SIGNS: &[char] = &['"', '\'', '`', ';', '{', '}', '(', ')', '\n'];
        let signs = |c: char| SIGNS.contains(&c) || is_sed && "/|,#!@%:\\".contains(c);
        let word = if is_sed { without_pattern(word) } else { word };
        let parts = word.split(signs).map(str::trim).filter(|it| it.contains(char::is_whitespace));
        let is_awk = interpreters::find(program).is_some_and(|it| it.language == Interpreter::Awk);
        let parts = parts.filter(|it| !is_awk || !are_fields(it));
        pieces.extend(parts.map(str::to_owned));
    }
    if let Some(row) = interpreters::find(program) {
        let key = format!("{program} {word}");
        let found = written.entry(key).or_insert_with(|| foreign::written(word, row.language));
        pieces.extend(found.iter().cloned());
    }
}

/// `, $1, $2`: what stands between the texts of awk, and says nothing by itself.
fn are_fields(code: &str) -> bool {
    let is_field = |it: &str| {
        let name = it.strip_prefix('$').unwrap_or(it);
        it.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || name == "NF"
    };
    code.split([',', ' ', '\t']).all(is_field)
}

/// `s/pattern/replacement/` without the pattern: that is what is taken away.
fn without_pattern(word: &str) -> &str {
    let Some(rest) = word.strip_prefix('s') else { return word };
    let Some(delimiter) = rest.chars().next().filter(|it| !it.is_alphanumeric()) else {
        return word;
    };
    rest[delimiter.len_utf8()..].split_once(delimiter).map_or(word, |(_, replacement)| replacement)
}

/// Text without what may stand before the command in it: the sign of a comment, of an item, of a
/// prompt; an address and a verb of `sed`.
pub(super) fn beginning(text: &str) -> &str {
    let mut text = text.trim();
    while let Some((first, rest)) = text.split_once(char::is_whitespace) {
        let is_sign = first.chars().all(|it| !it.is_alphanumeric());
        let is_verb = first.ends_with(['a', 'i', 'c'])
            && first[..first.len() - 1].chars().all(|it| it.is_ascii_digit() || "$,".contains(it));
        if !(is_sign || is_verb) || first.chars().all(|it| it == HOLE) {
            break;
        }
        text = rest.trim_start();
    }
    // `1igit push`
    let addressed = text.trim_start_matches(|it: char| it.is_ascii_digit() || "$,".contains(it));
    if addressed.len() < text.len()
        && let Some(line) = addressed.strip_prefix(['a', 'i', 'c'])
    {
        return line;
    }
    text.trim_start_matches(['#', '>', '%', '-', '+', '*', ':'])
}

/// `grep -v word`: the lines that it shows have no such word.
pub(super) fn leaves_out(run: &Run) -> bool {
    let inverts = |it: &String| match it.strip_prefix('-') {
        Some(long) if long.starts_with('-') => long == "-invert-match",
        Some(letters) => {
            letters.contains('v') && letters.bytes().all(|it| it.is_ascii_alphabetic())
        }
        None => false,
    };
    matches!(run.program.as_str(), "grep" | "egrep" | "fgrep" | "ggrep" | "rg")
        && run.argv.iter().any(inverts)
}
