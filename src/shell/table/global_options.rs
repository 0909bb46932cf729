//! The options that programs take before their subcommand, so that `git -C d push` is `git push`.

use super::grammar::{GivenOption, Grammar, lists};
use super::index::index;
use crate::shell::field::Field;

#[derive(Debug)]
pub(in crate::shell) struct Program {
    pub(in crate::shell) names: &'static str,
    pub(in crate::shell) grammar: Grammar,
    /// How many words its subcommands have (`gh issue close`). Options may come before each.
    pub(in crate::shell) levels: usize,
}

const fn row(
    names: &'static str,
    levels: usize,
    letters: &'static str,
    long: &'static str,
) -> Program {
    Program { names, levels, grammar: Grammar { letters, long } }
}

/// Subcommands of docker that do not run a command of the user, unlike `run` and `exec`.
const CONTAINERS: &[&str] =
    &["push", "pull", "build", "tag", "rmi", "rm", "kill", "stop", "login", "logout", "image"];

/// Programs, and their subcommands after which `--help` only prints help.
pub(in crate::shell) const HELPED: &[(&str, &[&str])] = &[
    ("cargo", &["publish", "yank", "owner", "login", "install"]),
    ("docker", CONTAINERS),
    ("gh", &["issue", "pr", "release", "repo", "workflow", "run", "secret", "api"]),
    ("glab", &["issue", "mr", "release", "repo"]),
    ("helm", &["install", "upgrade", "uninstall", "rollback"]),
    ("kubectl", &["delete", "apply", "drain", "scale", "rollout", "replace", "patch", "create"]),
    ("npm", &["publish", "unpublish", "deprecate", "dist-tag", "version", "access", "owner"]),
    ("pnpm", &["publish", "deploy"]),
    ("podman", CONTAINERS),
    ("terraform", &["apply", "destroy", "import", "state", "taint"]),
    ("tofu", &["apply", "destroy", "import", "state", "taint"]),
];

/// Programs, and their subcommands that change nothing with `--dry-run`.
pub(in crate::shell) const DRY_RUNS: &[(&str, &str)] = &[
    ("git", "push fetch add rm mv clean"),
    ("npm", "publish unpublish"),
    ("pnpm", "publish"),
    ("bun", "publish"),
    ("poetry", "publish"),
    ("cargo", "publish"),
    ("kubectl", "apply create delete patch replace scale"),
    ("helm", "install upgrade uninstall rollback"),
];

/// Options without a value that may come before `--dry-run`.
pub(in crate::shell) const DRY_FLAGS: &str = "-u -f -v -q -r -A --all --force --force-with-lease \
    --tags --verbose --quiet --porcelain --prune --set-upstream --follow-tags --allow-dirty";

// Laid out by hand, as `cargo fmt` gives each option of a row a line of its own.
#[rustfmt::skip]
pub(in crate::shell) static PROGRAMS: &[Program] = &[
    row("git", 1, "Cc", "git-dir work-tree namespace exec-path super-prefix config-env attr-source \
        list-cmds shallow-file"),
    row("gh", 2, "R", "repo hostname"),
    row("glab", 2, "R", "repo group"),
    row("hub", 1, "Cc", "git-dir work-tree"),
    row("jj", 2, "R", "repository at-operation at-op config config-file color"),
    row("hg", 1, "R", "repository cwd config encoding color pager"),
    row("svn", 1, "", "username password config-dir config-option"),
    row("tissue", 1, "", "store format color"),
    row("bd", 1, "", "db actor color"),
    row("beads", 1, "", "db actor"),
    row("roz", 2, "", "home config color"),
    row("docker", 2, "cHl", "config context host log-level tlscacert tlscert tlskey"),
    row("podman", 2, "c", "connection url root runroot log-level identity"),
    row("kubectl", 2, "nsv", "namespace context cluster user kubeconfig server token as as-group \
        request-timeout cache-dir certificate-authority"),
    row("oc", 2, "n", "namespace context kubeconfig server token"),
    row("helm", 2, "n", "namespace kube-context kubeconfig registry-config"),
    row("terraform", 2, "", "chdir -chdir"),
    row("tofu", 2, "", "chdir -chdir"),
    row("aws", 2, "", "profile region output endpoint-url query color"),
    row("gcloud", 3, "", "project account configuration format verbosity"),
    row("az", 3, "o", "subscription output query"),
    row("fly", 2, "at", "app config access-token"),
    row("heroku", 1, "ar", "app remote"),
    row("npm", 2, "cwCLm", "prefix registry tag access otp userconfig cache loglevel workspace scope"),
    row("pnpm", 2, "CF", "dir filter filter-prod registry loglevel tag access otp publish-branch \
        reporter config-dir store-dir workspace-concurrency"),
    row("yarn", 2, "", "cwd registry"),
    row("bun", 2, "", "cwd config"),
    row("cargo", 1, "ZC", "config color manifest-path"),
    row("rustup", 2, "", ""),
    row("go", 2, "C", ""),
    row("make", 1, "CfjIoWl", "directory file makefile jobs include-dir"),
    row("just", 1, "fd", "justfile working-directory set dotenv-path shell"),
    row("uv", 2, "", "directory project cache-dir config-file color"),
    row("poetry", 2, "CP", "directory project"),
    row("hatch", 1, "ep", "env project data-dir cache-dir"),
    row("lerna nx turbo", 1, "", "concurrency scope loglevel"),
    row("pip", 1, "", "proxy python log cert cache-dir timeout retries"),
    row("systemctl", 1, "HMnot", "host machine lines output type state root"),
    row("tmux", 1, "cfLST", ""),
    row("brew", 1, "", ""),
    row("apt", 1, "oct", "option config-file target-release"),
    row("apt-get", 1, "oct", "option config-file target-release"),
    row("psql", 1, "hpUd", "host port username dbname"),
    row("twine", 1, "", "config-file"),
];

/// Subcommands of git that are also programs: `git-push`.
pub(in crate::shell) const GIT_PROGRAMS: &str = "add am apply branch checkout cherry-pick clean \
    clone commit config fetch gc init merge mv notes pull push rebase remote reset restore revert \
    rm send-pack stash submodule switch tag update-ref worktree";

/// Git's own subcommands, sorted. An alias cannot replace one. A missing one only costs a look at
/// the aliases.
const GIT_VERBS: &str = "add am annotate apply archive bisect blame branch bugreport bundle \
    cat-file check-attr check-ignore check-mailmap check-ref-format checkout checkout-index cherry \
    cherry-pick clean clone column commit commit-graph commit-tree config count-objects credential \
    credential-cache credential-store describe diagnose diff diff-files diff-index diff-tree \
    difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref \
    for-each-repo format-patch fsck fsck-objects gc grep hash-object help hook index-pack init \
    init-db interpret-trailers log ls-files ls-remote ls-tree mailsplit maintenance merge \
    merge-base merge-file merge-index merge-tree mergetool mktag mktree multi-pack-index mv \
    name-rev notes pack-objects pack-redundant pack-refs patch-id prune prune-packed pull push \
    range-diff read-tree rebase receive-pack reflog remote repack replace rerere reset restore \
    rev-list rev-parse revert rm send-email send-pack shortlog show show-branch show-index \
    show-ref sparse-checkout stage stash status stripspace submodule subtree switch symbolic-ref \
    tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive \
    upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree";

pub fn is_git_verb(name: &str) -> bool {
    lists(GIT_VERBS, name)
}

/// The options of git itself, before its subcommand: names and values.
pub fn git_options(argv: &[String]) -> Vec<(String, Option<String>)> {
    // Most runs have none.
    if !argv.get(1).is_some_and(|word| word.starts_with('-')) {
        return Vec::new();
    }
    let words: Vec<Field> = argv.iter().map(|word| Field::literal(word)).collect();
    let given = find("git").map(|row| row.grammar.leading(&words, 1).0).unwrap_or_default();
    let value = |option: &GivenOption| option.value.as_ref().map(|value| value.text.clone());
    given.iter().map(|option| (option.name.clone(), value(option))).collect()
}

/// The folders that git changes to first: `-C folder`.
pub fn git_folders(argv: &[String]) -> Vec<String> {
    let given = git_options(argv).into_iter().filter(|(name, _)| name == "C");
    given.filter_map(|(_, folder)| folder).collect()
}

pub(in crate::shell) fn find(name: &str) -> Option<&'static Program> {
    index!(PROGRAMS).rows(name).map(|place| &PROGRAMS[place]).find(|row| lists(row.names, name))
}
