//! Which of a repository's hook scripts a verb of git runs.

/// Verbs, and the hooks that they may come by.
const HOOKS: &[(&[&str], &[&str])] = &[
    (
        &["commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull"],
        &[
            "pre-commit",
            "prepare-commit-msg",
            "commit-msg",
            "post-commit",
            "pre-merge-commit",
            "post-merge",
            "pre-rebase",
            "post-rewrite",
            "post-checkout",
            "applypatch-msg",
            "pre-applypatch",
            "post-applypatch",
        ],
    ),
    (&["checkout", "switch", "clone", "worktree", "stash"], &["post-checkout"]),
    (&["push"], &["pre-push"]),
    (&["gc", "maintenance", "fetch"], &["pre-auto-gc"]),
];
/// What nearly every verb comes by.
const ALWAYS: &[&str] = &["reference-transaction", "post-index-change", "fsmonitor-watchman"];
const QUIET: &[&str] = &["config", "help", "version", "rev-parse", "cat-file", "ls-files"];

/// The names of the hooks that a verb of git may run.
pub fn of_verb(verb: &str) -> impl Iterator<Item = &'static str> {
    let row = HOOKS.iter().find(|(verbs, _)| verbs.contains(&verb));
    let own = row.map_or(&[][..], |(_, names)| names);
    let always = if QUIET.contains(&verb) { &[][..] } else { ALWAYS };
    own.iter().chain(always).copied()
}
