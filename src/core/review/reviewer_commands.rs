//! What a reviewer's commands would change of the work by way of git, and which commands show it
//! what a file holds.

use crate::{core::name_words::is_one, shell::Run};

/// Programs whose output is what a file holds.
const SHOWS: &str = "cat head tail sed nl less more bat batcat grep rg awk";

/// Verbs of git that change a work tree, its index or its history.
const CHANGES: &str = "\
    add am apply checkout cherry-pick clean commit merge mv pull push rebase reset restore revert rm \
    stash switch update-index";

pub fn shows(run: &Run) -> bool {
    is_one(SHOWS, &run.program)
}

pub fn changes_with_git(run: &Run) -> bool {
    let words = run.words();
    let [program, verb, rest @ ..] = words.as_slice() else { return false };
    let has = |options: &[&str]| rest.iter().any(|word| options.contains(word));
    let only_looks = match *verb {
        "stash" => matches!(rest.first(), Some(&("list" | "show"))),
        "apply" => has(&["--check", "--stat", "--numstat"]),
        "add" | "rm" | "mv" | "clean" | "push" => has(&["-n", "--dry-run"]),
        _ => false,
    };
    *program == "git" && is_one(CHANGES, verb) && !only_looks
}
