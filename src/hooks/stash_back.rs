//! Whether what a line stashes comes back in the same line, so that what roz keeps
//! in the work tree may go along.
//!
//! Whatever lies between may end the shell, go elsewhere or take the stash: there is
//! one shape that is known to bring it back, and all else does not.

use crate::{core::intent::class, shell::Reading};

/// What changes the shell that runs the line, or decides what of it runs.
const SHELLS_OWN: &[&str] = &[
    "-",
    ".",
    "alias",
    "autoload",
    "bg",
    "bind",
    "break",
    "builtin",
    "bye",
    "case",
    "cd",
    "chdir",
    "command",
    "continue",
    "coproc",
    "declare",
    "disable",
    "disown",
    "do",
    "done",
    "elif",
    "else",
    "emulate",
    "enable",
    "end",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "fc",
    "fg",
    "fi",
    "float",
    "for",
    "foreach",
    "function",
    "getopts",
    "hash",
    "if",
    "integer",
    "kill",
    "killall",
    "let",
    "local",
    "logout",
    "mapfile",
    "nocorrect",
    "noglob",
    "pkill",
    "popd",
    "print",
    "printf",
    "pushd",
    "r",
    "read",
    "readarray",
    "readonly",
    "repeat",
    "return",
    "select",
    "set",
    "setopt",
    "shift",
    "shopt",
    "source",
    "suspend",
    "then",
    "time",
    "trap",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "unsetopt",
    "until",
    "vared",
    "while",
    "zmodload",
];

/// `git stash; …; git stash pop`: plain words, with nothing quoted, expanded or
/// given to a file; one stash, at the head of its command, and one pop that nothing
/// hangs on but the stash; beyond them git only looks. `looks` are the places of the
/// runs that do no more.
pub(super) fn comes_back(reading: &Reading, text: &str, looks: impl Fn(usize) -> bool) -> bool {
    let mut writes = reading.writes.iter().chain(&reading.perhaps).map(|it| &it.path);
    let is_clear = reading.unreadable.is_none()
        && reading.scripts.is_empty()
        && reading.code.is_empty()
        && writes.all(|it| class::is_sink(it))
        && reading.texts.iter().all(|it| class::is_sink(&it.path));
    let runs = reading.runs.iter().enumerate();
    let acts = runs.filter(|(place, it)| it.program == "git" && !looks(*place)).count();
    is_clear && acts == 2 && has_the_shape(text)
}

fn has_the_shape(text: &str) -> bool {
    let (mut stashes, mut pops) = (0, 0);
    for line in text.split([';', '\n']).filter(|it| !it.trim().is_empty()) {
        let mut follows_stash = false;
        for (at, part) in line.replace("||", "|").split("&&").enumerate() {
            let commands: Vec<Vec<&str>> = part.split('|').map(|it| words(it).collect()).collect();
            let alone = commands.len() == 1;
            let (is_stash, is_pop) = (is_stash(&commands[0]), is_pop(&commands[0]));
            let is_placed = alone && (at == 0 || is_pop && follows_stash);
            let is_pair = stashes == usize::from(is_pop) && pops == 0;
            if (is_stash || is_pop) && is_placed && is_pair {
                (stashes, pops) = (1, usize::from(is_pop));
            } else if !commands.iter().all(|it| is_plain(it)) {
                return false;
            }
            follows_stash = is_stash;
        }
    }
    pops == 1
}

/// As a shell splits them, which knows these blanks alone.
fn words(command: &str) -> impl Iterator<Item = &str> {
    command.split([' ', '\t']).filter(|it| !matches!(*it, "" | "2>&1"))
}

/// All that was changed is put away.
fn is_stash(words: &[&str]) -> bool {
    match words {
        ["git", "stash"]
        | ["git", "stash", "push" | "save" | "-q" | "--quiet"]
        | ["git", "stash", "push" | "save", "-q" | "--quiet"] => true,
        ["git", "stash", "push", "-m", name] | ["git", "stash", "save", name] => {
            !name.starts_with('-') && is_word(name)
        }
        _ => false,
    }
}

fn is_pop(words: &[&str]) -> bool {
    matches!(
        words,
        ["git", "stash", "pop"] | ["git", "stash", "pop", "-q" | "--quiet" | "stash@{0}"]
    )
}

/// A command of another program than the shell itself, and no stash.
fn is_plain(words: &[&str]) -> bool {
    let Some(program) = words.first() else { return false };
    !SHELLS_OWN.contains(program)
        && !program.contains('=')
        && !matches!(words, ["git", "stash", verb, ..] if *verb != "list")
        && *words != ["git", "stash"]
        && words.iter().all(|it| is_word(it))
}

/// None that a shell makes another of; what begins with `=` is a program's path for some.
fn is_word(word: &str) -> bool {
    !word.starts_with('=')
        && word.bytes().all(|it| it.is_ascii_alphanumeric() || b"-_./=:,@+%>".contains(&it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_shape_brings_back_what_was_stashed() {
        for text in [
            "git stash; git stash pop",
            "git stash\ngit stash pop\n",
            "git stash && git stash pop",
            "git stash && cargo test; git stash pop && cargo test",
            "git status --short; git stash -q; echo x=y; git stash pop",
            "git stash push -m wip; cargo test 2>&1 | tail -20; git stash pop stash@{0}",
            "git stash save later; cargo test || true; git stash list; git stash pop -q",
        ] {
            assert!(has_the_shape(text), "{text}");
        }
        for text in [
            "git stash",
            "git stash pop; git stash",
            "git stash pop",
            "git stash; git stash; git stash pop",
            "git stash; git stash pop; git stash pop",
            "git stash; git stash pop; git stash",
            "git stash; git stash drop; git stash pop",
            "git stash; git stash clear; git stash pop",
            "git stash; git stash pop stash@{1}",
            "git stash -u; git stash pop",
            "git stash push -k; git stash pop",
            "git stash push -m -k; git stash pop",
            "git stash; false && git stash pop",
            "git stash; false && git stash\tpop",
            "git stash; false || git stash pop",
            "git stash && false && git stash pop",
            "git stash || true && git stash pop",
            "git stash; false &&\ngit stash pop",
            "git stash; cat |\ngit stash pop",
            "git stash | git stash pop",
            "git stash & git stash pop",
            "git stash; sleep 9 & git stash pop",
            "git stash; echo 'a; git stash pop ;' && false && git stash 'pop'",
            "git stash; echo a \\\n; git stash pop",
            "git stash; # x\ngit stash pop",
            "git stash; exit\ngit stash pop",
            "cd src; git stash; git stash pop",
            "set -e; git stash; cargo test; git stash pop",
            "git stash; . x; git stash pop",
            "git stash; if true; then git stash pop; fi",
            "git stash; PATH=x; git stash pop",
            "git stash; true && PATH=x; git stash pop",
            "git stash; $X; git stash pop",
            "git stash; (exit); git stash pop",
            "git stash; cat < x; git stash pop",
            "git stash; echo =x; git stash pop",
            "git stash; git stash pop2>&1",
            "git stash; git stash\u{3000}pop",
            "git stash; bye; git stash pop",
            "git stash; - exit; git stash pop",
        ] {
            assert!(!has_the_shape(text), "{text}");
        }
    }
}
