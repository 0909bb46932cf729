//! The activities that one asks an agent for, and by what they are known. Chosen from what
//! developers ask for anywhere; `activities` reads them. Where a word means something in a product
//! as well (`close the tickets`, `a container of 100 %`), it takes two to be sure.

pub(super) struct Activity {
    pub(super) name: &'static str,
    pub(super) cues: &'static [Cue],
    /// Words that say it wherever they stand.
    pub(super) said: &'static [&'static str],
    /// What a learning calls it that says no more (`when a PR is opened`, `commit messages`).
    pub(super) nouns: &'static [&'static str],
}

/// A clause that begins with one of `verbs`; behind it one of `next`, or soon behind it one of
/// `what`, and none of `not`. All words but verbs are in the singular.
pub(super) struct Cue {
    pub(super) verbs: &'static [&'static str],
    pub(super) next: &'static [&'static str],
    pub(super) what: &'static [&'static str],
    pub(super) not: &'static [&'static str],
}

/// As an object: an identifier or a file; a file alone.
pub(super) const NAME: &str = "{name}";
pub(super) const PATH: &str = "{path}";
/// `v3`, `3.0.1`; `3.1` as well.
pub(super) const VERSION: &str = "{version}";
pub(super) const NUMBER: &str = "{number}";
/// `482`, of `#482`.
pub(super) const ISSUE: &str = "{issue}";
/// A file of prose.
pub(super) const PROSE: &str = "{prose}";
/// Tests, or a test of something: no test card.
pub(super) const TESTS: &str = "{tests}";
/// Nothing behind the verb; one word and no more; `this` and no noun.
pub(super) const ALONE: &str = "";
pub(super) const ONE: &str = "{one}";
pub(super) const THIS: &str = "{this}";

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

const fn but(
    verbs: &'static [&'static str],
    what: &'static [&'static str],
    not: &'static [&'static str],
) -> Cue {
    Cue { verbs, next: &[], what, not }
}

const IT: &[&str] = &[ALONE, "it", "that", "them", "everything", "now", "please", THIS];

#[rustfmt::skip]
pub(super) static ACTIVITIES: &[Activity] = &[
    Activity {
        name: "commit",
        cues: &[
            next(&["commit", "squash", "amend"], IT, &["offset", "transaction", "batch"]),
            next(&["commit"], &["all", "what", "my", "your", "only", "both", "separately", "with", "as", "in",
                "when", "after", "just", "locally"], &["offset", "transaction", "tx", "batch", "order"]),
            cue(&["commit"], &["the change", "this change", "these change", "the fix", "this fix", "the work",
                PATH]),
            cue(&["squash", "amend", "reword", "write", "make", "create", "draft", "suggest", "split", "put",
                "wrap", "undo", "revert", "save"], &["commit", "fixup", "commit message"]),
            cue(&["get"], &["committed"]),
            cue(&["check"], &["it in", "them in", "that in", "this in"]),
            next(&["git"], &["commit"], &[]),
        ],
        said: &["separate commit", "several commit", "two commit", "small commit", "one commit",
            "single commit", "atomic commit", "commit message"],
        nouns: &["commit", "commit message", "git history", "git commit"],
    },
    Activity {
        name: "pull-request",
        cues: &[
            cue(&["open", "create", "make", "put", "submit", "raise", "prepare", "send", "file", "draft",
                "publish", "push", "get", "ship", "turn", "gh", "glab"],
                &["pr", "an mr", "a mr", "the mr", "draft mr", "pull request", "merge request", "for review"]),
            cue(&["write", "update", "change"], &["pr description", "pr title", "pull request description"]),
            next(&["pr", "mr"], &["it", "this", "please"], &[]),
            next(&["pr"], &[ALONE], &[]),
        ],
        said: &["request review", "request a review", "assign reviewer", "merge request for", "pull request for",
            "pr description"],
        nouns: &["pr", "pull request", "merge request", "mr"],
    },
    Activity {
        name: "push",
        cues: &[
            next(&["push"], &[ALONE, "it", "that", "them", "now", "please", "again", "up", "when", THIS],
                &["it to", "them to", "that to", "button"]),
            cue(&["push"], &["branch", "origin", "upstream", "remote", "to main", "to master", "to github",
                "to gitlab", "the change", "your change", "my change", "the fix", "your work", "the commit",
                "the work"]),
        ],
        said: &["git push", "force push", "force-push"],
        nouns: &["push", "git push"],
    },
    Activity {
        name: "rebase",
        cues: &[
            cue(&["rebase"], &["onto", "on main", "on master", "main", "master", "develop", "trunk", "upstream",
                "branch"]),
            next(&["rebase"], IT, &[]),
            cue(&["resolve", "fix"], &["merge conflict", "rebase conflict", "conflict with main"]),
            cue(&["pull", "get", "merge", "update", "sync", "bring"], &["latest main", "from main",
                "with main", "from develop", "from master", "from upstream", "with upstream", "main into",
                "origin/main"]),
        ],
        said: &["git rebase", "git merge", "merge main", "merge master", "merge develop", "merge upstream",
            "pull main", "pull in upstream change"],
        nouns: &["rebase", "merge conflict", "updating a branch"],
    },
    Activity {
        name: "tests",
        cues: &[
            cue(&["write", "add", "extend", "create", "cover", "increase", "parametrise", "parametrize",
                "include", "tidy", "update", "rewrite", "refactor", "implement"],
                &[TESTS, "unittest", "test case", "test coverage"]),
            next(&["tests", "specs"], &[ALONE, "too", "please", "as", "for"], &[]),
            next(&["tdd"], &[ALONE, "it", "this"], &[]),
        ],
        said: &["has no test", "have no test", "are no test", "next to no test", "test too", "unit test for",
            "with unit test", "with test", "incl test", "including test", "need test", "parametrised test",
            "parametrized test", "table-driven test", "test are missing"],
        nouns: &["unit test", "testing", "test style", "test case", "regression test"],
    },
    Activity {
        name: "run-tests",
        cues: &[
            cue(&["run", "rerun", "execute"], &["test", "suite", "test suite", "pytest", "spec"]),
            cue(&["fix", "repair"], &["failing test", "broken test", "red test", "failing spec", "failed test"]),
            cue(&["make", "get"], &["test pass", "test green", "suite green", "suite pass"]),
            cue(&["check", "make", "verify", "ensure"], &["nothing is broken", "nothing break",
                "nothing broke", "broken anything", "still pass"]),
            next(&["cargo", "npm", "pnpm", "yarn", "make"], &["test"], &[]),
        ],
        said: &["whole suite", "full test suite", "broken anything", "everything is green", "cargo test",
            "go test"],
        nouns: &["test run", "running test", "test suite"],
    },
    Activity {
        name: "documentation",
        cues: &[
            cue(&["write", "update", "reword", "rewrite", "add", "improve", "fix", "edit", "prepare", "proofread",
                "extend", "mention", "note", "put", "describe", "bring"],
                &["readme", "readme.md", "doc", "documentation", "changelog", "release note", "user guide",
                "setup guide", "guide for", "docstring", "jsdoc", "user manual", "the manual", "tutorial",
                "handbook", "help page", "how-to", "runbook", "onboarding page", "page for the site", "wiki",
                "adr", PROSE]),
            next(&["document"], &["the", "how", "this", "what", "it", "that", "our", "all", NAME], &[]),
            next(&["docs"], &[ALONE, "please", "too"], &[]),
        ],
        said: &["write the changelog"],
        nouns: &["documentation", "doc", "readme", "changelog", "docstring", "user guide", "writing"],
    },
    Activity {
        name: "refactoring",
        cues: &[
            next(&["refactor", "restructure", "reorganise", "reorganize"],
                &[ALONE, "the", "this", "it", "that", "all", "our", "into", "to", "thing"], &[]),
            cue(&["refactor", "rename", "simplify", "rewrite", "dedupe"], &[NAME]),
            cue(&["move", "split", "extract", "clean"], &[PATH]),
            but(&["rename", "move", "split", "extract", "migrate", "consolidate", "unify", "clean", "change",
                "update", "fix", "convert"],
                &["everywhere", "all caller", "the caller", "call site", "all import", "new module", "own module",
                "code base", "codebase", "architecture", "every caller", "package or move", "across the project",
                "across the whole"], &["ui", "text", "banner", "label"]),
            cue(&["pull"], &["together", "into one"]),
        ],
        said: &["sweeping change", "all call site"],
        nouns: &["refactoring", "refactor", "large refactoring", "rename", "cleanup"],
    },
    Activity {
        name: "dependency",
        cues: &[
            but(&["add", "use", "replace", "swap", "introduce", "try", "switch", "find", "take", "pull",
                "which", "choose", "pick"],
                &["a library", "new library", "library for", "third-party library", "unmaintained library",
                "client library", "crate", "dependency", "npm package", "helper package", "new package",
                "third-party package", "from npm", "from pypi", "from crates.io", "sdk"], &["library of"]),
            cue(&["npm", "pnpm", "yarn", "bun", "pip", "cargo", "composer", "bundle", "poetry", "uv"],
                &["install", "add", "require"]),
            next(&["npm"], &["i"], &[]),
            next(&["install"], &[ONE], &[]),
        ],
        said: &["on npm", "on pypi", "on crates.io", "several sdk"],
        nouns: &["dependency", "new dependency", "library", "new library", "install a package", "package"],
    },
    Activity {
        name: "upgrade",
        cues: &[
            next(&["bump"], &[ONE], &[]),
            cue(&["bump"], &["to", "dep", NAME]),
            cue(&["bump", "upgrade"], &["dependency", "package", "library", "crate", "latest", "version",
                "framework", NUMBER]),
            cue(&["update", "lift"], &["dependency", "lockfile", "lock file", "to the latest", "to latest",
                VERSION]),
        ],
        said: &["dependabot pr", "renovate pr"],
        nouns: &["upgrade", "version bump", "dependency update", "dependency upgrade"],
    },
    Activity {
        name: "containers",
        cues: &[
            cue(&["start", "run", "build", "rebuild", "write", "get", "spin", "bring", "use", "install", "add"],
                &["docker", "docker compose", "compose file", "container image", "docker image", "dockerfile",
                "podman", "dev container", "devcontainer"]),
        ],
        said: &["docker compose up", "docker daemon", "docker.sock", "docker environment", "docker socket",
            "testcontainer", "docker compose", "/var/run/docker.sock"],
        nouns: &["docker", "container", "running container", "docker compose", "podman", "dockerfile"],
    },
    Activity {
        name: "script",
        cues: &[but(&["write", "add", "create", "make", "replace"],
            &["script", "one-liner", "shell script", "bash", "makefile target", "in many file with sed"],
            &["script tag"])],
        said: &["bash one-liner"],
        nouns: &["shell script", "bash script", "script", "shell"],
    },
    Activity {
        name: "secrets",
        cues: &[
            but(&["add", "store", "set", "put", "record", "rotate", "configure"],
                &["api key", "secret", "credential", "access token", "auth token", "environment variable",
                "env variable", "env var", "real token", "auth header"],
                &["form", "page", "field", "screen", "secret santa"]),
        ],
        said: &["real token", "secret scanner", "own database credential", "get the api key"],
        nouns: &["secret", "api key", "credential", "token"],
    },
    Activity {
        name: "release",
        cues: &[
            but(&["release", "publish", "ship", "cut", "tag", "prepare", "make", "draft", "start"],
                &["new version", "a release", "the release", "next release", "patch release", "minor release",
                "to npm", "to pypi", "to crates.io", VERSION], &["form", "page", "button"]),
            cue(&["cut", "tag", "ship"], &[NUMBER]),
            next(&["release", "ship", "publish"], &["it", ALONE, THIS],
                &["when", "if", "to staging", "to production", "to prod"]),
        ],
        said: &["ready to go out"],
        nouns: &["release", "new release", "releasing"],
    },
    Activity {
        name: "deploy",
        cues: &[
            next(&["deploy", "redeploy"], &[ALONE, "it", "to", "the", "now", "everything", THIS], &[]),
            cue(&["roll", "ship", "push", "release", "put"], &["to production", "to staging", "to prod",
                "on staging"]),
        ],
        said: &["roll out to"],
        nouns: &["deploy", "deployment", "production deploy"],
    },
    Activity {
        name: "migration",
        cues: &[
            cue(&["write", "add", "create", "make", "drop", "generate", "run", "alter"],
                &["migration", "schema migration", "db migration", "nullable", "not null", "foreign key",
                "column to the table"]),
        ],
        said: &["with a migration"],
        nouns: &["migration", "schema change", "database migration", "alter a table", "schema"],
    },
    Activity {
        name: "benchmark",
        cues: &[
            cue(&["benchmark"], &[]),
            cue(&["run", "measure"], &["benchmark", "throughput"]),
            cue(&["profile"], &["the query", "the endpoint", "the function", "the build", "the code", "startup",
                "the loop", "why", NAME, PATH]),
        ],
        said: &[],
        nouns: &["benchmark", "benchmarking"],
    },
    Activity {
        name: "review",
        cues: &[
            cue(&["review"], &["pr", "the mr", "pull request", "merge request", "diff", "branch", "my change",
                "the change", "this change", "the code", "commit", PATH]),
            cue(&["look", "check", "take", "give", "double"], &["my diff", "the diff", "my change",
                "what i changed", "on this branch"]),
            next(&["review"], &["it", ISSUE, THIS], &[]),
        ],
        said: &[],
        nouns: &["review", "code review", "reviewing"],
    },
    Activity {
        name: "issue",
        cues: &[
            but(&["open", "file", "create", "close", "report"],
                &["issue", "github issue", "bug report", "jira ticket", "the ticket", "this ticket"],
                &["dialog", "form", "page", "modal", "button", "date"]),
            cue(&["file", "log"], &["a bug", "an issue"]),
        ],
        said: &["gh issue"],
        nouns: &["issue", "bug report"],
    },
    Activity {
        name: "translation",
        cues: &[cue(&["translate", "localise", "localize"],
            &["into", "page", "text", "string", "ui", "app", "message", "doc", "readme"])],
        said: &[],
        nouns: &["translation", "localisation", "localization"],
    },
    Activity {
        name: "lint",
        cues: &[
            cue(&["fix", "run", "apply"], &["lint", "linter", "clippy", "eslint", "formatter", "prettier",
                "rustfmt", "lint error", "compiler warning", "clippy warning"]),
            cue(&["make"], &["linter happy", "eslint happy", "clippy happy"]),
            cue(&["format", "reformat", "lint"], &["the code", "code base", "codebase", "whole project"]),
        ],
        said: &["cargo fmt", "npm run lint", "eslint is complaining"],
        nouns: &["lint", "linter", "lint error", "code style", "formatting", "linting"],
    },
];
