//! Which of a repository's hook scripts a verb of git runs.

/// Verbs, and the hooks that they may come by.
const HOOKS: &[(&[&str], &[&str])] = &[
    (
        &["commit", "merge", "rebase", "cherry-pick", "revert", "am", "pull"],
        &[
            "pre-auto-gc",
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
    (
        &["checkout", "switch", "clone", "worktree", "stash", "bisect", "submodule"],
        &["post-checkout"],
    ),
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

/// Verbs that show what is there, and change nothing that a hook is told of.
const LOOKS: &[&str] = &[
    "archive",
    "blame",
    "cat-file",
    "check-attr",
    "check-ignore",
    "cherry",
    "config",
    "count-objects",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "for-each-ref",
    "format-patch",
    "fsck",
    "grep",
    "help",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "merge-base",
    "merge-tree",
    "name-rev",
    "range-diff",
    "rev-list",
    "rev-parse",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "status",
    "var",
    "verify-commit",
    "verify-tag",
    "version",
    "whatchanged",
];
/// Verbs that show with these words first.
const LOOKS_WITH: &[(&str, &[&str])] = &[
    ("bisect", &["log", "view", "visualize"]),
    (
        "branch",
        &[
            "-l",
            "--list",
            "-a",
            "-r",
            "--all",
            "--remotes",
            "--show-current",
            "--contains",
            "--merged",
            "--no-merged",
            "--points-at",
        ],
    ),
    ("bundle", &["verify", "list-heads"]),
    ("notes", &["list", "show"]),
    ("reflog", &["show", "exists", "list"]),
    ("remote", &["show", "get-url"]),
    ("stash", &["list", "show"]),
    ("submodule", &["status", "summary"]),
    ("tag", &["-l", "--list", "-v", "--contains", "--merged", "--no-merged", "--points-at"]),
    ("worktree", &["list"]),
];
/// Verbs that show without any word, or with no more than how much of it.
const LOOKS_ALONE: &[&str] = &["branch", "notes", "reflog", "remote", "submodule", "tag"];

/// What makes of a look something else: `branch -r -d x`. A letter counts among others, a long one
/// by its beginning.
const CHANGES: &[(&str, &str, &[&str])] = &[(
    "branch",
    "dDmMcCfut",
    &["delete", "move", "copy", "force", "edit-description", "set-upstream-to", "unset-upstream"],
)];

fn changes(verb: &str, arguments: &[&str]) -> bool {
    let Some((_, letters, long)) = CHANGES.iter().find(|it| it.0 == verb) else { return false };
    let options = arguments.iter().take_while(|it| **it != "--");
    options.filter_map(|it| it.strip_prefix('-')).any(|it| match it.strip_prefix('-') {
        Some(name) => {
            let name = name.split_once('=').map_or(name, |it| it.0);
            long.iter().any(|it| it.starts_with(name))
        }
        None => it.contains(|c| letters.contains(c)),
    })
}

/// Whether a command of git may run hooks of a repository: all but those that only look.
pub fn may_have(verb: &str, arguments: &[&str]) -> bool {
    let is_bare = matches!(arguments, [] | ["-v" | "-vv" | "-n" | "--verbose"]);
    let alone = || is_bare && LOOKS_ALONE.contains(&verb);
    let with = || {
        let row = LOOKS_WITH.iter().find(|it| it.0 == verb);
        row.zip(arguments.first()).is_some_and(|(row, first)| row.1.contains(first))
    };
    !(LOOKS.contains(&verb) || alone() || with() && !changes(verb, arguments))
}

/// Whether a verb may run what git's settings say: `config --edit`, `cat-file --textconv`.
pub fn runs_settings(verb: &str) -> bool {
    !matches!(verb, "rev-parse" | "version")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_has_no_hooks_and_everything_else_may_have() {
        let may = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            may_have(words[0], &words[1..])
        };
        for line in [
            "status -sb",
            "log",
            "diff HEAD",
            "branch",
            "branch --list x",
            "branch -a",
            "branch -r --sort=-committerdate",
            "branch --merged -- main",
            "branch -a --format %(refname)",
            "tag -l v*",
            "tag",
            "stash list",
            "stash show -p",
            "worktree list",
            "remote -v",
            "config --get a.b",
        ] {
            assert!(!may(line), "{line}");
        }
        for line in [
            "tag v1",
            "tag -a v1",
            "branch -v x",
            "remote -v update",
            "branch x",
            "branch -D x",
            "branch -r -d x",
            "branch -a -vD x",
            "branch --list --move x y",
            "branch -l --del x",
            "branch -r -f x y",
            "reset --hard",
            "add .",
            "stash",
            "stash pop",
            "worktree add d",
            "bisect good",
            "submodule update",
            "hook run x",
            "commit",
            "no-such-verb",
        ] {
            assert!(may(line), "{line}");
        }
        for (verb, hook) in [
            ("bisect", "post-checkout"),
            ("submodule", "post-checkout"),
            ("commit", "pre-auto-gc"),
            ("pull", "pre-auto-gc"),
        ] {
            assert!(of_command(verb, &[]).any(|it| it == hook), "{verb}");
        }
    }
}
