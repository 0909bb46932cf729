//! Programs that are known to read only, with the options that say otherwise.
//! A new one is a row.

use super::options;
use crate::shell::{HOLE, Run};

struct Row {
    /// A blank apart.
    programs: &'static str,
    /// The subcommands that read only, a blank apart; empty: it has none.
    verbs: &'static str,
    /// With one of these options it does more.
    spoils: &'static [&'static str],
}

const fn row(programs: &'static str) -> Row {
    Row { programs, verbs: "", spoils: &[] }
}

const fn unless(programs: &'static str, spoils: &'static [&'static str]) -> Row {
    Row { programs, verbs: "", spoils }
}

const fn verbs(programs: &'static str, verbs: &'static str) -> Row {
    Row { programs, verbs, spoils: &[] }
}

const SAFE: &[Row] = &[
    row(": true false test [ [[ echo printf cd pushd popd dirs pwd exit return break continue"),
    row("export local declare typeset readonly unset shift set shopt alias read getopts umask"),
    row("type which whereis command hash jobs wait sleep time times ulimit let expr seq yes"),
    row("ls dir vdir stat file wc du df tree realpath readlink basename dirname pathchk"),
    row("cat tac head tail nl rev cut paste join comm tr fold fmt column expand unexpand"),
    row("grep egrep fgrep zgrep rgrep ag ack strings od xxd hexdump cmp diff diff3 colordiff"),
    row("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32"),
    row("uname arch whoami id groups who w users uptime printenv locale nproc free vmstat lscpu"),
    row("lsblk lsof ps pgrep pstree top htop ss netstat ip ifconfig ping host dig nslookup"),
    row("zcat bzcat xzcat zless zmore less more most jq man apropos whatis info tldr cal bc dc"),
    row(
        "tty getconf getent look tsort factor numfmt logname hostid pinky ldd nm objdump readelf size",
    ),
    row("cloc tokei scc bat exa eza lsd hexyl"),
    unless("rg", &["--pre"]),
    unless("fd fdfind", &["-x", "--exec", "-X", "--exec-batch"]),
    unless("date", &["-s", "--set"]),
    unless("hostname", &["-F", "--file", "-b"]),
    unless("sort", &["-o", "--output", "--compress-program"]),
    unless("uniq", &[]),
    unless("yq", &["-i", "--inplace"]),
    unless("sed gsed", &["-i", "--in-place"]),
    unless("awk gawk mawk nawk", &["-i"]),
    unless(
        "find gfind",
        &[
            "-delete", "-exec", "-execdir", "-ok", "-okdir", "-fprint", "-fprint0", "-fprintf",
            "-fls",
        ],
    ),
    unless(
        "tar gtar bsdtar",
        &[
            "-x",
            "-c",
            "-r",
            "-u",
            "-A",
            "--extract",
            "--create",
            "--delete",
            "--append",
            "--update",
            "--to-command",
            "--get",
        ],
    ),
    unless("unzip", &[]),
    verbs(
        "git",
        "status log diff show blame annotate grep ls-files ls-tree ls-remote cat-file rev-parse \
         rev-list describe shortlog whatchanged name-rev merge-base for-each-ref show-ref \
         show-branch cherry count-objects diff-tree diff-index diff-files check-ignore check-attr \
         var version help range-diff verify-commit verify-tag fsck",
    ),
    verbs("cargo", "tree metadata search version help read-manifest pkgid verify-project"),
    verbs("rustup", "show which help"),
    verbs("go", "version env list doc help"),
    verbs("npm pnpm", "ls list view info show outdated why help explain search ping root prefix"),
    verbs("yarn", "list info why help"),
    verbs("pip pip3 uv", "list show freeze check help"),
    verbs(
        "docker podman",
        "ps images logs inspect version info stats top port history diff search",
    ),
    verbs(
        "kubectl oc",
        "get describe logs explain top version api-resources api-versions cluster-info",
    ),
    verbs("terraform tofu", "show validate version output graph providers"),
    verbs("systemctl", "status list-units list-unit-files show cat is-active is-enabled is-failed"),
    verbs("brew apt apt-cache dnf pacman", "list info search show policy depends rdepends"),
    verbs("tissue", "list show status-of search ready help stats"),
    verbs("bd beads", "list show ready stats blocked search help info"),
    verbs(
        "roz",
        "list debug trace context stats explain config doctor status search learnings tickets backends decide reflect skip observe ref intent ledger blame why eval help",
    ),
];

/// Subcommands that read only with these words behind them.
const PAIRS: &[(&str, &str, &str)] = &[
    ("git", "stash", "list show"),
    ("git", "remote", "show get-url -v"),
    ("git", "worktree", "list"),
    ("git", "submodule", "status summary"),
    ("git", "config", "--get --get-all --get-regexp --list -l get list"),
    (
        "git",
        "branch",
        "--list -l -a -r -v -vv --show-current --contains --merged --no-merged --all --remotes",
    ),
    ("git", "tag", "--list -l --contains --points-at"),
    ("git", "reflog", "show list exists"),
    ("git", "bisect", "log view visualize"),
    ("git", "notes", "list show"),
    ("gh", "issue", "list view status"),
    ("gh", "pr", "list view status diff checks"),
    ("gh", "repo", "view list"),
    ("gh", "run", "list view watch"),
    ("gh", "release", "list view"),
    ("gh", "workflow", "list view"),
    ("gh", "search", "issues prs repos code commits"),
    ("gh", "auth", "status"),
    ("docker", "compose", "ps logs config ls images top version"),
    ("docker", "image", "ls inspect history"),
    ("docker", "container", "ls inspect logs top stats"),
    ("aws", "sts", "get-caller-identity"),
];

/// Programs that say their version, and do no more with that.
const VERSIONS: &[&str] = &["--version", "-V", "--help"];

/// Subcommands that are safe alone, and change something with an operand.
const BARE: &[(&str, &str)] = &[
    ("git", "branch"),
    ("git", "tag"),
    ("git", "remote"),
    ("git", "stash-list"),
    ("git", "reflog"),
];

pub(super) fn is_safe(run: &Run) -> bool {
    // Its environment may name a program: `GIT_PAGER=… git log`.
    let names_program = |name: &str| {
        name.ends_with("PAGER")
            || name.ends_with("EDITOR")
            || name.starts_with("LD_")
            || name.starts_with("GIT_")
            || matches!(name, "PATH" | "BASH_ENV" | "ENV" | "PROMPT_COMMAND" | "LESSOPEN")
    };
    if run.assignments.iter().any(|(name, _)| names_program(name)) {
        return false;
    }
    // An assignment alone.
    if run.argv.is_empty() || run.program.is_empty() {
        return true;
    }
    let words = run.words();
    let rest = &words[1..];
    if run.program.contains(HOLE) {
        return false;
    }
    if let [_, only] = run.argv.as_slice()
        && VERSIONS.contains(&only.as_str())
    {
        return true;
    }
    if run.program == "git" && sets_program(run) {
        return false;
    }
    let has = |list: &str, word: &str| list.split_ascii_whitespace().any(|it| it == word);
    let verb = rest.first().copied().unwrap_or_default();
    if let Some((.., seconds)) = PAIRS.iter().find(|it| it.0 == run.program && it.1 == verb) {
        let bare = BARE.iter().any(|it| it.0 == run.program && it.1 == verb) && rest.len() == 1;
        return bare || rest.get(1).is_some_and(|it| has(seconds, it));
    }
    let Some(row) = SAFE.iter().find(|it| has(it.programs, &run.program)) else { return false };
    if !row.verbs.is_empty() {
        // An option before the verb that is not understood may be anything.
        return has(row.verbs, verb) && !writes_output(run);
    }
    let given = options(run);
    let is_spoilt = row.spoils.iter().any(|it| given.iter().any(|option| option == it))
        || given.iter().any(|it| it.contains(HOLE));
    match run.program.as_str() {
        // `uniq IN OUT`
        "uniq" => operands(rest) < 2,
        // Without these it unpacks.
        "unzip" => given.iter().any(|it| matches!(it.as_str(), "-l" | "-t" | "-v" | "-Z" | "-z")),
        "tar" | "gtar" | "bsdtar" => {
            let old = rest.first().filter(|it| !it.starts_with('-'));
            let is_list = given.iter().any(|it| it == "-t" || it == "--list")
                || old.is_some_and(|it| it.contains('t'));
            is_list && !is_spoilt && old.is_none_or(|it| !it.contains(['x', 'c', 'r', 'u', 'A']))
        }
        // `sed -n '1w f'`, `awk '{ print > "f" }'`: their own writes are in
        // the reading; what they run is among its runs.
        _ => !is_spoilt,
    }
}

/// `git -c core.pager=…`, `git --exec-path=…`: what git starts is somebody's
/// choice.
fn sets_program(run: &Run) -> bool {
    const HARMLESS: &[&str] =
        &["color.", "core.quotepath", "core.abbrev", "advice.", "log.", "diff.renames"];
    let mut words = run.argv.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "-C" | "--git-dir" | "--work-tree" | "--namespace" => drop(words.next()),
            "-c" => {
                let set = words.next().map(|it| it.to_ascii_lowercase()).unwrap_or_default();
                if !HARMLESS.iter().any(|it| set.starts_with(it)) {
                    return true;
                }
            }
            it if it.starts_with("--exec-path=") || it.starts_with("--config-env") => return true,
            it if it.starts_with('-') => (),
            _ => return false,
        }
    }
    false
}

fn operands(words: &[&str]) -> usize {
    words.iter().filter(|it| !it.starts_with('-') || it.len() == 1).count()
}

/// `git diff --output=f`, `git grep -O`.
fn writes_output(run: &Run) -> bool {
    options(run).iter().any(|it| {
        matches!(
            it.as_str(),
            "--output" | "--output-directory" | "--ext-diff" | "--open-files-in-pager"
        )
    })
}
