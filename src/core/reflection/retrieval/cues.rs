//! The activities that one asks an agent for, and by what they are known. Chosen from what
//! developers ask for anywhere; `activities` reads them. Where a word means something in a product
//! as well (`close the tickets`, `a container of 100 %`), it takes two to be sure.

pub(super) struct Activity {
    pub(super) name: &'static str,
    pub(super) cues: &'static [Cue],
    /// Words that say it wherever they stand.
    pub(super) said: &'static [&'static str],
}

/// A clause that begins with one of `verbs`; behind it one of `next`, or soon behind it one of
/// `what`, and none of `not`. All words are in the singular.
pub(super) struct Cue {
    pub(super) verbs: &'static [&'static str],
    pub(super) next: &'static [&'static str],
    pub(super) what: &'static [&'static str],
    pub(super) not: &'static [&'static str],
}

/// As an object: an identifier or a path; a path alone.
pub(super) const NAME: &str = "{name}";
pub(super) const PATH: &str = "{path}";
/// `v3`, `3.0.1`; `3.1` as well.
pub(super) const VERSION: &str = "{version}";
pub(super) const NUMBER: &str = "{number}";
/// A file of prose.
pub(super) const PROSE: &str = "{prose}";
/// Nothing behind the verb.
pub(super) const ALONE: &str = "";

const fn cue(verbs: &'static [&'static str], what: &'static [&'static str]) -> Cue {
    Cue { verbs, next: &[], what, not: &[] }
}

const fn next(
    verbs: &'static [&'static str],
    next: &'static [&'static str],
    not: &'static [&'static str],
) -> Cue {
    Cue { verbs, next, what: &[], not }
}

const IT: &[&str] =
    &[ALONE, "it", "this", "that", "these", "those", "them", "everything", "all", "now", "please"];

#[rustfmt::skip]
pub(super) static ACTIVITIES: &[Activity] = &[
    Activity {
        name: "commit",
        cues: &[
            next(&["commit", "squash", "amend"], IT, &["offset", "transaction", "batch"]),
            next(&["commit"], &["the", "what", "my", "your", "only", "both", "separately", "with", "as", "in"],
                &["offset", "transaction", "tx", "batch", "order"]),
            cue(&["squash", "amend", "reword", "write", "make", "create", "draft", "suggest", "split", "put"],
                &["commit", "fixup", "commit message"]),
            next(&["git"], &["commit"], &[]),
        ],
        said: &["separate commit", "several commit", "two commit", "small commit", "one commit",
            "single commit", "atomic commit", "commit message"],
    },
    Activity {
        name: "pull-request",
        cues: &[
            cue(&["open", "create", "make", "put", "submit", "raise", "prepare", "send", "file", "draft",
                "publish", "push", "get", "gh", "glab"],
                &["pr", "mr", "pull request", "merge request", "for review"]),
            next(&["pr", "mr"], &["it", "this", "please"], &[]),
        ],
        said: &["request review", "request a review", "assign reviewer", "merge request for", "pull request for"],
    },
    Activity {
        name: "push",
        cues: &[
            next(&["push"], &[ALONE, "it", "this", "that", "them", "now", "please"],
                &["queue", "topic", "device", "websocket", "user", "stack", "array", "list"]),
            cue(&["push"], &["branch", "origin", "upstream", "remote", "to main", "to master"]),
        ],
        said: &["git push", "force push", "force-push"],
    },
    Activity {
        name: "rebase",
        cues: &[
            cue(&["rebase"], &["onto", "main", "master", "develop", "trunk", "upstream", "branch"]),
            next(&["rebase"], IT, &[]),
            cue(&["resolve", "fix"], &["merge conflict", "rebase conflict"]),
        ],
        said: &["git rebase", "git merge", "merge main", "merge master", "merge develop", "merge origin/main",
            "merge upstream", "pull main", "pull from main", "pull in upstream change"],
    },
    Activity {
        name: "tests",
        cues: &[Cue {
            verbs: &["write", "add", "extend", "create", "cover", "increase", "parametrise", "parametrize",
                "include", "tidy"],
            next: &[],
            what: &["test", "unittest", "spec", "test case", "coverage"],
            not: &["test mode", "test user", "test account", "test data", "test environment", "test page",
                "test button", "test mail", "test event"],
        }],
        said: &["no test", "test too", "unit test for", "regression test", "test coverage", "with test",
            "parametrised test", "parametrized test", "table-driven test", "test are missing", "add unit test"],
    },
    Activity {
        name: "run-tests",
        cues: &[
            cue(&["run", "rerun", "execute"], &["test", "suite", "test suite", "pytest", "spec"]),
            cue(&["make", "get"], &["test pass", "test green", "suite green", "suite pass"]),
            cue(&["check", "make", "verify", "ensure"], &["nothing is broken", "nothing break",
                "nothing broke", "broken anything", "still pass"]),
        ],
        said: &["whole suite", "full test suite", "test run", "broken anything", "everything is green",
            "cargo test", "go test", "npm test"],
    },
    Activity {
        name: "documentation",
        cues: &[
            cue(&["write", "update", "reword", "rewrite", "add", "improve", "fix", "edit", "prepare", "proofread",
                "extend"],
                &["readme", "readme.md", "doc", "documentation", "changelog", "release note", "user guide",
                "setup guide", "guide for", "docstring", "user manual", "the manual", "tutorial", "handbook",
                "help page", "how-to", "runbook", "onboarding page", "page for the site", PROSE]),
            next(&["document"], &["the", "how", "this", "what", "it", "that", "our", "all"], &[]),
        ],
        said: &["user guide", "write the changelog"],
    },
    Activity {
        name: "refactoring",
        cues: &[
            next(&["refactor", "restructure", "reorganise", "reorganize"],
                &[ALONE, "the", "this", "it", "that", "all", "our", "into", "to", "thing"], &[]),
            cue(&["refactor", "rename"], &[NAME]),
            cue(&["move", "split", "extract"], &[PATH]),
            cue(&["rename", "move", "split", "extract", "migrate", "consolidate", "unify", "clean", "change",
                "update", "fix", "convert"],
                &["everywhere", "all caller", "the caller", "call site", "all import", "new module", "own module",
                "code base", "codebase", "architecture", "every caller", "package or move", "across the project",
                "across the whole"]),
            cue(&["pull"], &["together", "into one"]),
        ],
        said: &["sweeping change", "all call site"],
    },
    Activity {
        name: "dependency",
        cues: &[
            cue(&["add", "use", "replace", "swap", "introduce", "try", "switch", "find", "take", "pull",
                "which", "choose", "pick"],
                &["a library", "new library", "library for", "third-party library", "unmaintained library",
                "client library", "crate", "dependency", "npm package", "helper package", "new package",
                "third-party package", "from npm", "from pypi", "from crates.io"]),
            cue(&["npm", "pnpm", "yarn", "bun", "pip", "cargo", "composer", "bundle", "poetry", "uv"],
                &["install", "add", "require"]),
        ],
        said: &["on npm", "on pypi", "on crates.io", "several sdk", "go get"],
    },
    Activity {
        name: "upgrade",
        cues: &[
            next(&["bump"], &["the", "it", "our", "all", "dep"], &[]),
            cue(&["bump", "upgrade"], &["dependency", "package", "library", "crate", "latest", "version",
                "framework", NUMBER, NAME]),
            cue(&["update", "lift"], &["dependency", "lockfile", "lock file", "to the latest", "to latest",
                VERSION]),
            cue(&["bump"], &[]),
        ],
        said: &["dependabot pr", "renovate pr"],
    },
    Activity {
        name: "containers",
        cues: &[
            cue(&["start", "run", "build", "write", "get", "spin", "bring", "use", "install", "add"],
                &["docker", "docker compose", "compose file", "container image", "docker image", "dockerfile",
                "podman", "dev container", "devcontainer"]),
        ],
        said: &["docker compose up", "docker daemon", "docker.sock", "docker environment", "docker socket",
            "testcontainer", "docker compose", "/var/run/docker.sock"],
    },
    Activity {
        name: "script",
        cues: &[Cue {
            verbs: &["write", "add", "create", "make", "replace"],
            next: &[],
            what: &["script", "one-liner", "shell script", "bash", "makefile target", "in many file with sed"],
            not: &["script tag"],
        }],
        said: &["shell script", "bash one-liner"],
    },
    Activity {
        name: "secrets",
        cues: &[
            cue(&["add", "store", "set", "put", "record", "rotate", "configure"],
                &["api key", "secret", "credential", "access token", "auth token", "environment variable",
                "env variable", "env var", "real token", "auth header"]),
        ],
        said: &["real token", "secret scanner", "own database credential", "get the api key"],
    },
    Activity {
        name: "release",
        cues: &[
            cue(&["release", "publish", "ship", "cut", "tag", "prepare", "make"],
                &["new version", "a release", "the release", "next release", "to npm", "to pypi", "to crates.io",
                VERSION]),
            next(&["release", "ship", "publish"], &["it", "this", ALONE], &["when", "if"]),
        ],
        said: &["release note", "ready to go out", "new release"],
    },
    Activity {
        name: "deploy",
        cues: &[
            next(&["deploy", "redeploy"], &[ALONE, "it", "this", "to", "the", "now", "everything"], &[]),
            cue(&["roll", "ship", "push"], &["to production", "to staging", "to prod"]),
        ],
        said: &["roll out to", "go live"],
    },
    Activity {
        name: "migration",
        cues: &[
            cue(&["write", "add", "create", "make", "drop"],
                &["migration", "schema migration", "db migration", "nullable", "not null", "foreign key",
                "index on", "column to the table"]),
        ],
        said: &["schema migration", "database migration", "db migration"],
    },
    Activity {
        name: "benchmark",
        cues: &[cue(&["benchmark"], &[]), cue(&["run", "measure", "compare"], &["benchmark", "throughput"])],
        said: &[],
    },
    Activity {
        name: "review",
        cues: &[
            cue(&["review"], &["pr", "mr", "pull request", "merge request", "diff", "branch", "my change",
                "the change", "this change", "the code"]),
            next(&["review"], &["it", "this"], &[]),
        ],
        said: &["code review"],
    },
    Activity {
        name: "issue",
        cues: &[cue(&["open", "file", "create", "close", "report"],
            &["issue", "bug report", "jira ticket", "the ticket", "this ticket"])],
        said: &["gh issue"],
    },
    Activity {
        name: "translation",
        cues: &[cue(&["translate", "localise", "localize"],
            &["into", "page", "text", "string", "ui", "app", "message", "doc", "readme"])],
        said: &["translation file"],
    },
    Activity {
        name: "lint",
        cues: &[
            cue(&["fix", "run", "apply"], &["lint", "linter", "clippy", "eslint", "formatter", "prettier",
                "rustfmt", "lint error", "compiler warning", "clippy warning"]),
            cue(&["format", "reformat", "lint"], &["code", "code base", "codebase", "source", "whole project"]),
        ],
        said: &["cargo fmt"],
    },
];
