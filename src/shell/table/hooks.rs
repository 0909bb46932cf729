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

/// The names of the hooks that a command of git may run: by its verb, and for `git hook run name`
/// by the words after it.
pub fn of_command<'a>(verb: &str, arguments: &[&'a str]) -> impl Iterator<Item = &'a str> {
    let named = match arguments {
        ["run", rest @ ..] if verb == "hook" => rest.iter().find(|it| !it.starts_with('-')),
        _ => None,
    };
    let row = HOOKS.iter().find(|(verbs, _)| verbs.contains(&verb));
    let own = row.map_or(&[][..], |(_, names)| names);
    let always = if QUIET.contains(&verb) { &[][..] } else { ALWAYS };
    named.into_iter().chain(own).chain(always).copied()
}

/// Whether a verb has hooks that people write for it.
pub fn has_own(verb: &str) -> bool {
    verb == "hook" || HOOKS.iter().any(|(verbs, _)| verbs.contains(&verb))
}

/// Whether a verb may run what git's settings say: `config --edit`, `cat-file --textconv`.
pub fn runs_settings(verb: &str) -> bool {
    !matches!(verb, "rev-parse" | "version")
}
