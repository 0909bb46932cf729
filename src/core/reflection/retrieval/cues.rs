//! The activities that one asks an agent for, and by what they are known. Chosen from what
//! developers ask for anywhere; `activities` reads them.

pub(super) struct Activity {
    pub(super) name: &'static str,
    pub(super) cues: &'static [Cue],
    /// Words that say it wherever they stand.
    pub(super) said: &'static [&'static str],
}

/// A clause that begins with one of `verbs` and names one of `what` (or says anything, where that
/// is empty) and none of `not`. All words are in the singular.
pub(super) struct Cue {
    pub(super) verbs: &'static [&'static str],
    pub(super) what: &'static [&'static str],
    pub(super) not: &'static [&'static str],
}

/// As an object: an identifier or a path.
pub(super) const NAME: &str = "{name}";
/// `1.2`, `v3.0.1`.
pub(super) const VERSION: &str = "{version}";
/// A file of prose.
pub(super) const PROSE: &str = "{prose}";
/// Nothing behind the verb.
pub(super) const ALONE: &str = "";

const fn cue(verbs: &'static [&'static str], what: &'static [&'static str]) -> Cue {
    Cue { verbs, what, not: &[] }
}

const fn but(verbs: &'static [&'static str], not: &'static [&'static str]) -> Cue {
    Cue { verbs, what: &[], not }
}

#[rustfmt::skip]
pub(super) static ACTIVITIES: &[Activity] = &[
    Activity {
        name: "commit",
        cues: &[
            but(&["commit", "amend"], &["transaction", "offset", "tx", "batch", "order"]),
            cue(&["squash"], &[]),
            cue(&["reword", "write", "draft", "suggest"], &["commit", "commit message"]),
            cue(&["git"], &["commit"]),
            cue(&["split", "put"], &["commit"]),
        ],
        said: &["separate commit", "several commit", "two commit", "small commit", "one commit",
            "single commit", "atomic commit", "commit message"],
    },
    Activity {
        name: "pull-request",
        cues: &[
            cue(&["open", "create", "make", "put", "submit", "raise", "prepare", "send", "file",
                "draft", "publish", "push", "get", "gh", "glab"],
                &["pr", "mr", "pull request", "merge request", "for review", "up for review"]),
        ],
        said: &["request review", "assign reviewer", "merge request for", "pull request for"],
    },
    Activity {
        name: "push",
        cues: &[cue(&["push"], &["it", "this", "that", "them", "everything", "all", "branch", "origin",
            "upstream", "now", ALONE])],
        said: &["git push"],
    },
    Activity {
        name: "rebase",
        cues: &[
            cue(&["rebase"], &[]),
            cue(&["resolve", "fix"], &["merge conflict", "conflict"]),
            cue(&["merge", "pull"], &["main", "master", "develop", "upstream"]),
        ],
        said: &["git rebase"],
    },
    Activity {
        name: "tests",
        cues: &[
            cue(&["write", "add", "extend", "create", "cover", "increase", "parametrise", "parametrize",
                "include", "tidy"], &["test", "unittest", "spec", "test case", "coverage"]),
        ],
        said: &["no test", "test too", "unit test", "regression test", "test coverage", "with test",
            "next to no test", "parametrised test", "parametrized test", "table-driven test"],
    },
    Activity {
        name: "run-tests",
        cues: &[
            cue(&["run", "rerun", "execute", "let"], &["test", "suite", "test suite", "pytest", "spec"]),
            cue(&["make", "get"], &["test pass", "test green", "suite green", "suite pass"]),
            cue(&["check", "make", "verify", "ensure"], &["nothing is broken", "nothing break",
                "nothing broke", "broken anything", "still pass", "still work"]),
            cue(&["cargo", "go", "npm"], &["test"]),
        ],
        said: &["whole suite", "full test suite", "test run", "broken anything", "everything is green"],
    },
    Activity {
        name: "documentation",
        cues: &[
            cue(&["write", "update", "reword", "rewrite", "add", "improve", "fix", "edit", "prepare",
                "proofread", "extend"],
                &["readme", "readme.md", "doc", "documentation", "changelog", "release note", "guide",
                "docstring", "manual", "tutorial", "handbook", "help page", "how-to", "runbook",
                "onboarding page", "page for", PROSE]),
            cue(&["document"], &["the", "how", "this", "what", "it", "that", "our", "a"]),
        ],
        said: &["user guide", "write the changelog"],
    },
    Activity {
        name: "refactoring",
        cues: &[
            cue(&["refactor", "restructure", "reorganise", "reorganize", "modularise", "modularize"], &[]),
            cue(&["rename", "move", "split", "extract", "migrate", "consolidate", "unify", "clean"],
                &["everything", "everywhere", "caller", "call site", "import", "package", "module",
                "code base", "codebase", "architecture", NAME]),
            cue(&["pull"], &["together", "into one"]),
            cue(&["change", "update", "fix", "convert", "migrate"], &["all import", "all caller",
                "all call", "call site", "every caller"]),
        ],
        said: &["sweeping change", "all call site"],
    },
    Activity {
        name: "dependency",
        cues: &[
            cue(&["add", "use", "replace", "swap", "introduce", "try", "switch", "find", "take", "pull",
                "which", "choose", "pick", "have"],
                &["library", "crate", "dependency", "gem", "npm", "pypi", "crates.io", "helper package",
                "npm package", "new package", "third-party package", "framework"]),
            cue(&["npm", "pnpm", "yarn", "pip", "cargo", "go", "composer", "bundle", "poetry", "uv"],
                &["install", "add", "get", "require"]),
        ],
        said: &["on npm", "on pypi", "on crates.io", "several sdk", "npm install", "cargo add"],
    },
    Activity {
        name: "upgrade",
        cues: &[
            cue(&["bump", "upgrade"], &[]),
            cue(&["update", "lift", "raise", "move", "take"], &["dependency", "lockfile", "lock file",
                "latest", VERSION]),
        ],
        said: &["dependabot pr", "renovate pr"],
    },
    Activity {
        name: "containers",
        cues: &[
            cue(&["start", "run", "build", "write", "get", "spin", "bring", "set", "use", "install"],
                &["docker", "docker compose", "compose", "compose file", "container", "container image",
                "dockerfile", "podman", "dev container", "devcontainer"]),
        ],
        said: &["docker compose up", "docker daemon", "docker.sock", "docker environment", "docker socket",
            "testcontainer", "docker compose", "/var/run/docker.sock"],
    },
    Activity {
        name: "script",
        cues: &[
            cue(&["write", "add", "create", "make", "replace"], &["script", "one-liner", "shell script",
                "makefile", "makefile target", "bash", "in many file with sed"]),
        ],
        said: &["shell script", "bash one-liner"],
    },
    Activity {
        name: "secrets",
        cues: &[
            cue(&["add", "store", "set", "put", "record", "rotate", "get", "use", "configure"],
                &["token", "secret", "credential", "password", "api key", "environment variable",
                "env variable", "env var", "auth header"]),
        ],
        said: &["api key", "real token", "secret scanner", "own database credential"],
    },
    Activity {
        name: "release",
        cues: &[
            cue(&["release", "publish", "ship", "cut", "tag", "prepare", "get", "make"],
                &["release", "version", "new version", "ready to go out", VERSION]),
        ],
        said: &["release note", "ready to go out", "new release"],
    },
    Activity {
        name: "deploy",
        cues: &[cue(&["deploy", "redeploy"], &[]), cue(&["roll", "ship", "push"], &["production", "staging", "prod"])],
        said: &["roll out to", "go live"],
    },
    Activity {
        name: "migration",
        cues: &[
            cue(&["write", "add", "create", "drop", "rename", "make"],
                &["migration", "db migration", "column", "index on", "not null"]),
        ],
        said: &["schema migration", "database migration", "backfill"],
    },
    Activity {
        name: "benchmark",
        cues: &[cue(&["benchmark", "profile"], &[]), cue(&["run", "measure", "compare"],
            &["benchmark", "throughput", "latency", "performance"])],
        said: &[],
    },
    Activity {
        name: "review",
        cues: &[cue(&["review"], &["pr", "mr", "pull request", "merge request", "change", "diff", "code",
            "branch", "this", "it"])],
        said: &["code review"],
    },
    Activity {
        name: "issue",
        cues: &[cue(&["open", "file", "create", "close", "write", "report"],
            &["issue", "ticket", "bug report"])],
        said: &["gh issue"],
    },
    Activity {
        name: "translation",
        cues: &[cue(&["translate", "localise", "localize"], &[])],
        said: &["translation file"],
    },
    Activity {
        name: "lint",
        cues: &[
            cue(&["fix", "run", "apply"], &["lint", "linter", "clippy", "eslint", "formatter", "prettier",
                "rustfmt", "warning", "lint error"]),
            cue(&["format", "reformat", "lint"], &[]),
        ],
        said: &[],
    },
];
