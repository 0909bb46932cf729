//! Which git commands of a reviewer would change the work, and which commands print a file.

use crate::{core::name_words::is_one, shell::Run};

const SHOWS: &str = "cat head tail sed nl less more bat batcat grep rg awk";

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
