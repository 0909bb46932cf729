//! Words of lines with git in them: what a command of git makes, and what a loop
//! goes over.

use crate::shell::{self, HOLE, Run};

/// What a run of git makes, with nothing in it but what is git's own.
#[derive(Debug, PartialEq)]
pub(super) struct Makes {
    /// `None` where only the running line knows it.
    pub(super) folder: Option<String>,
    /// It is a work tree of the repository that is there.
    pub(super) of_this: bool,
}

/// Options with a word of their own behind them, and those without. With any
/// other (`--template`, `--config`) there may be hooks in what is made.
const VALUES: &[&str] = &[
    "-b",
    "-B",
    "-o",
    "-j",
    "--branch",
    "--origin",
    "--depth",
    "--filter",
    "--jobs",
    "--initial-branch",
    "--shallow-since",
    "--shallow-exclude",
    "--reference",
    "--reference-if-able",
];
const FLAGS: &[&str] = &[
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "--progress",
    "--single-branch",
    "--no-tags",
    "-l",
    "--local",
    "-n",
    "--no-checkout",
    "--checkout",
    "-d",
    "--detach",
    "-f",
    "--force",
    "--recursive",
    "--recurse-submodules",
    "--track",
    "--lock",
    "-s",
    "--shared",
    "--bare",
    "--mirror",
    "--sparse",
    "--dissociate",
    "--no-hardlinks",
    "--no-single-branch",
    "--shallow-submodules",
    "--orphan",
];

/// Settings that bring no code, and no templates of another's: `-c init.defaultBranch=main init`.
const HARMLESS: &[&str] = &["init.defaultbranch", "user.name", "user.email", "commit.gpgsign"];

/// Whether git makes a folder, wherever that is.
pub(super) fn may_make(run: &Run) -> bool {
    match run.words()[..] {
        // Those show work trees, lock them or take them away; `move` and `repair` make one of
        // what was another.
        [_, "worktree", "list" | "lock" | "prune" | "remove" | "unlock", ..] => false,
        [_, verb, ..] => matches!(verb, "clone" | "init" | "worktree"),
        _ => false,
    }
}

/// What it makes. Only of a run that says nothing of another configuration.
pub(super) fn makes(run: &Run) -> Option<Makes> {
    let words = run.words();
    let goes = shell::git_folders(&run.argv);
    // Between `git` and its verb there stands nothing but `-C folder`, and what does no harm.
    let before = run.argv.len().saturating_sub(words.len());
    let own = run.argv.get(1..=before).unwrap_or_default();
    let is_harmless = |it: &&[String]| {
        let key = it[1].split_once('=').map_or("", |it| it.0);
        it[0] == "-c" && HARMLESS.iter().any(|harmless| key.eq_ignore_ascii_case(harmless))
    };
    let harmless = own.chunks_exact(2).filter(is_harmless).count();
    let is_plain = before == 2 * (goes.len() + harmless);
    if !is_plain || run.assignments.iter().any(|it| it.0.starts_with("GIT_") || it.0 == "HOME") {
        return None;
    }
    let [_, verb, rest @ ..] = &words[..] else { return None };
    let (verb, rest) = match (*verb, rest) {
        ("clone" | "init", rest) => (*verb, rest),
        ("worktree", ["add", rest @ ..]) => ("worktree", rest),
        _ => return None,
    };
    let mut operands = Vec::new();
    let mut rest = rest.iter();
    let mut are_options = true;
    while let Some(&word) = rest.next() {
        if !are_options || !word.starts_with('-') {
            operands.push(word);
        } else if word == "--" {
            are_options = false;
        } else if takes_value(word)? {
            rest.next()?;
        }
    }
    let folder = match (verb, &operands[..]) {
        ("clone", [from]) => last_name(from).to_owned(),
        ("init", []) => ".".to_owned(),
        ("clone", [_, to]) | ("init", [to]) | ("worktree", [to, ..]) => (*to).to_owned(),
        _ => return None,
    };
    let of_this = verb == "worktree";
    if folder.contains(HOLE) {
        // What it makes nobody knows where is no other folder: where a word that comes to nothing
        // leaves `init` alone, what it makes here is as plain. The others would take another word.
        return (verb == "init").then_some(Makes { folder: None, of_this });
    }
    (!folder.is_empty()).then_some(Makes { folder: Some(folder), of_this })
}

/// Whether the next word is an option's, the last one's of `-qb`. `None` where one of them is not
/// known.
fn takes_value(option: &str) -> Option<bool> {
    if VALUES.contains(&option) {
        return Some(true);
    }
    if FLAGS.contains(&option) || option.split_once('=').is_some_and(|it| VALUES.contains(&it.0)) {
        return Some(false);
    }
    let letters = option.strip_prefix('-').filter(|it| !it.is_empty() && !it.starts_with('-'))?;
    for (at, letter) in letters.char_indices() {
        let is_it = |it: &&str| it.strip_prefix('-').is_some_and(|it| it.chars().eq([letter]));
        if VALUES.iter().any(is_it) {
            return Some(at + letter.len_utf8() == letters.len());
        }
        FLAGS.iter().any(is_it).then_some(())?;
    }
    Some(false)
}

/// What a folder is called that git makes of this: `d` of `https://h/d.git`.
pub(super) fn last_name(path: &str) -> &str {
    let path = path.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    path.rsplit(['/', ':']).next().unwrap_or_default()
}

/// The patterns that a line's loops go over: `*/` in `for d in */; do`. What is
/// found besides is looked at in vain.
pub(super) fn loops(line: &str) -> impl Iterator<Item = &str> {
    let is_end = |it: char| it.is_whitespace() || matches!(it, ';' | '&' | '|' | '(' | ')');
    let mut before = ["", ""];
    let mut is_within = false;
    line.split(is_end).filter(|it| !it.is_empty()).filter(move |word| {
        is_within = *word != "do" && (is_within || *word == "in" && before[0] == "for");
        before = [before[1], word];
        is_within && word.contains(['*', '?', '['])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_goes_over_its_patterns() {
        for (line, is) in [
            ("for d in */; do git -C \"$d\" pull; done", &["*/"][..]),
            ("for d in a ../*/ b?; do (cd $d; git pull); done", &["../*/", "b?"]),
            ("for d in a b; do rm *; done", &[]),
            ("for d in", &[]),
            ("for d", &[]),
        ] {
            assert_eq!(loops(line).collect::<Vec<_>>(), is, "{line}");
        }
    }
}
