//! Programs that run what they are given: by their input, by words that nobody knows, or by a file
//! that the line has made of what it has read. What that may be is among the files that it reads.

use super::scripts::is_pattern;
use crate::shell::{self, Certainty, HOLE, How, Interpreter, Reading, Run};

/// The language of what a program takes from its input, from words that nobody knows, or from a
/// file that the line has made of what it has read.
pub(super) fn taken_from_input(run: &Run, reading: &Reading) -> Option<Interpreter> {
    let version = |c: char| c.is_ascii_digit() || c == '.';
    let is_dot = run.program == ".";
    let name = if is_dot { "source" } else { run.program.trim_end_matches(version) };
    let words = run.argv.get(1..).unwrap_or_default();
    let file = words.iter().find(|it| !it.starts_with('-'));
    // Options with code in them, or a module.
    let has_code = |it: &String| !it.starts_with("--") && it.contains(['c', 'e', 'm', 'p']);
    let options = || words.iter().take_while(|it| it.starts_with('-'));
    let takes_input = || {
        words.first().is_none_or(|it| it == "-")
            || file.is_none() && !options().any(has_code)
            || file.is_some_and(|it| is_made_of_something(it, reading, false))
            || takes_unknown_code(name, words)
    };
    let is_open = run.certainty == Certainty::Opaque;
    match name {
        "bash" | "sh" | "dash" | "zsh" | "ksh" | "ash" | "source" => {
            (is_open && !runs_a_file(run, reading)).then_some(Interpreter::Shell)
        }
        // One that is given a command is none of the runs.
        "ssh" | "at" | "batch" | "newgrp" => Some(Interpreter::Shell),
        "eval" => is_open.then_some(Interpreter::Shell),
        "python" if takes_input() => Some(Interpreter::Python),
        "node" if takes_input() => Some(Interpreter::JavaScript),
        // `cat rules.mk > Makefile; make`
        "make" | "gmake"
            if shell::MAKEFILES.iter().any(|it| is_made_of_something(it, reading, false)) =>
        {
            Some(Interpreter::Make)
        }
        // `xargs env < list`: words of it are a program.
        it if !it.is_empty() && run.argv.iter().all(|it| it.chars().all(|c| c == HOLE)) => {
            Some(Interpreter::Shell)
        }
        "perl" if takes_input() => Some(Interpreter::Perl),
        "ruby" if takes_input() => Some(Interpreter::Ruby),
        "php" if takes_unknown_code(name, words) => Some(Interpreter::Php),
        "deno" | "bun" if takes_unknown_code(name, words) => Some(Interpreter::JavaScript),
        "awk" | "gawk" | "mawk" if takes_unknown_code(name, words) => Some(Interpreter::Awk),
        "sqlite3" | "gdb" | "ed" | "ex" | "jshell" => Some(Interpreter::Other),
        // `sed … f > ./g; ./g`
        _ if run.program.contains('/') => {
            is_made_of_something(&run.program, reading, false).then_some(Interpreter::Itself)
        }
        _ => None,
    }
}

/// Whether a program is told code that begins, or a line of which begins, with what nobody knows:
/// `-c "$(cat file)"`.
fn takes_unknown_code(name: &str, words: &[String]) -> bool {
    let is_option = |it: &str| match name {
        "awk" | "gawk" | "mawk" => true,
        "python" => it.starts_with('-') && !it.starts_with("--") && it.ends_with('c'),
        _ if it.starts_with("--") => matches!(it, "--eval" | "--print" | "--run"),
        _ => it == "eval" || it.starts_with('-') && it.ends_with(['e', 'E', 'p', 'r']),
    };
    let is_unknown = |it: &str| it.lines().any(|line| line.trim_start().starts_with(HOLE));
    let before = std::iter::once("").chain(words.iter().map(String::as_str));
    before.zip(words).any(|(option, code)| is_option(option) && is_unknown(code))
}

/// Whether a shell is told a file, and that one lies there as it was, or the line has written all
/// of it: then it is looked at as a script, and nothing else that is read is one.
fn runs_a_file(run: &Run, reading: &Reading) -> bool {
    let of_shell = !matches!(run.program.as_str(), "." | "source");
    let mut words = run.argv.iter().skip(1);
    let file = words.find(|it| !(of_shell && it.starts_with(['-', '+'])));
    let options = run.argv.iter().skip(1).take_while(|it| it.starts_with(['-', '+']));
    // Options that take a value, code, or the input.
    let is_plain = |it: &String| !it.starts_with("--") && !it.contains(['c', 's', 'o', 'O']);
    let Some(file) = file.filter(|_| !of_shell || options.clone().all(is_plain)) else {
        return false;
    };
    let is_elsewhere = |it: &str| file.starts_with(it);
    !file.contains(HOLE)
        && !["/dev/", "/proc/"].into_iter().any(is_elsewhere)
        && !is_made_of_something(file, reading, true)
}

/// Whether the line gives a file a text that nobody knows, or may do so. What programs write to paths
/// of their own, in the place of redirections, is some of what was read only where `by_any` of them:
/// a compiler makes something else.
fn is_made_of_something<'a>(file: &'a str, reading: &'a Reading, by_any: bool) -> bool {
    if reading.writes.is_empty() {
        return false;
    }
    let plain = |mut it: &'a str| {
        while let Some(rest) = it.strip_prefix("./") {
            it = rest;
        }
        it.trim_end_matches('/')
    };
    let (path, name) = (plain(file), shell::last_part(file));
    let folder = path.rsplit_once('/').map_or(".", |it| it.0);
    let may_hold = |it: &'a str| is_pattern(it) || it.contains(HOLE) || plain(it) == folder;
    let is_output =
        |argv: &'a [String]| argv.windows(2).any(|it| it[0] == "-o" && plain(&it[1]) == path);
    if !by_any && reading.runs.iter().any(|it| is_output(&it.argv)) {
        return false;
    }
    reading.writes.iter().any(|write| {
        let mut texts = reading.texts.iter().filter(|it| it.path == write.path).peekable();
        let is_same = plain(&write.path) == path;
        match write.how {
            How::Chmod | How::Touch | How::Directory | How::Remove => false,
            _ if texts.peek().is_none() || write.path.contains(HOLE) => {
                by_any || may_hold(&write.path)
            }
            How::Write if is_same => {
                write.conditional || texts.any(|it| it.text.is_none() || it.added)
            }
            // In another folder, or in this one by another way there.
            _ => is_same || shell::last_part(&write.path) == name,
        }
    })
}
