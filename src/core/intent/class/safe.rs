//! Programs that are known to read only, with the options that say otherwise.
//! A new one is a row.

use super::{options, programs};
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
    row("ls dir vdir stat wc du df realpath readlink basename dirname pathchk"),
    row("cat tac head tail nl rev cut paste join comm tr fold fmt column expand unexpand"),
    row("grep egrep fgrep zgrep rgrep strings od xxd hexdump cmp diff diff3 colordiff"),
    row("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32"),
    row("uname arch whoami id groups who w users uptime printenv locale nproc free vmstat lscpu"),
    row("lsblk ps pgrep pstree top htop netstat ip ifconfig ping host dig nslookup"),
    row("zcat bzcat xzcat jq apropos whatis tldr cal bc"),
    row(
        "tty getconf getent look tsort factor numfmt logname hostid pinky ldd nm objdump readelf size",
    ),
    row("tokei exa eza lsd hexyl"),
    unless("tree", &["-o", "-R"]),
    unless("file", &["-C", "--compile"]),
    unless("ag ack", &["--pager"]),
    unless("lsof", &["-D"]),
    unless("ss", &["-K", "--kill", "-D", "--diag"]),
    unless("zless zmore less more most", &["-o", "-O", "--log-file", "--LOG-FILE"]),
    unless("man", &["-P", "--pager", "-H", "--html", "-C", "--config-file"]),
    unless("info", &["-o", "--output", "--dribble", "--restore"]),
    unless("bat", &["--pager"]),
    unless("scc", &["-o", "--output"]),
    unless(
        "cloc",
        &["--out", "--report-file", "--sql", "--write-lang-def", "--extract-with", "--config"],
    ),
    unless("rg", &["--pre", "--hostname-bin"]),
    unless("fd fdfind", &["-x", "--exec", "-X", "--exec-batch"]),
    unless("date", &["-s", "--set"]),
    unless("hostname", &["-F", "--file", "-b"]),
    unless("sort", &["-o", "--output", "--compress-program"]),
    // With a command, that is a run of its own.
    row("env genv"),
    unless("history", &["-c", "-d", "-a", "-n", "-r", "-w", "-p", "-s"]),
    row("uniq"),
    unless("yq", &["-i", "--inplace", "-s", "--split-exp"]),
    row("sed gsed"),
    row("awk gawk mawk nawk"),
    unless("find gfind", &["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"]),
    row("tar gtar bsdtar"),
    row("unzip"),
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

/// Words with which `ip` does more than show.
const IP_CHANGES: &[&str] = &[
    "set", "add", "del", "delete", "change", "replace", "flush", "append", "restore", "exec", "-b",
    "-batch", "-force",
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
    ("git", "bisect", "log view"),
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

/// Variables that name a program, a file to write or a configuration that may.
fn names_program(name: &str) -> bool {
    const STARTS: &[&str] =
        &["LD_", "DYLD_", "GIT_", "CARGO", "RUST", "PYTHON", "NODE_", "npm_", "NPM_", "GO", "AWK"];
    const NAMES: &[&str] = &[
        "PATH",
        "HOME",
        "XDG_CONFIG_HOME",
        "SHELL",
        "ENV",
        "BASH_ENV",
        "BROWSER",
        "PROMPT_COMMAND",
        "LESS",
        "LESSOPEN",
        "LESSCLOSE",
        "MANOPT",
        "TAR_OPTIONS",
        "RIPGREP_CONFIG_PATH",
        "ACKRC",
        "GCONV_PATH",
        "MALLOC_TRACE",
        "KUBECONFIG",
        "DOCKER_CONFIG",
    ];
    name.ends_with("PAGER")
        || name.ends_with("EDITOR")
        || STARTS.iter().any(|it| name.starts_with(it))
        || NAMES.contains(&name)
}

/// `export GIT_TRACE=f`: it holds for what comes after.
fn sets_variable(run: &Run) -> bool {
    const SETTERS: &[&str] =
        &["export", "local", "declare", "typeset", "readonly", "read", "getopts"];
    let is_printf =
        run.program == "printf" && run.argv.get(1).is_some_and(|it| it.starts_with("-v"));
    (is_printf || SETTERS.contains(&run.program.as_str()))
        && run.argv.iter().skip(1).any(|word| {
            let name = word.split(['=', '+', '[']).next().unwrap_or_default();
            let name = name.strip_prefix("-v").filter(|_| is_printf).unwrap_or(name);
            names_program(name) || !is_printf && name.contains(HOLE)
        })
}

/// Where programs are that a name alone means, too: `/tmp/x/ls` is not `ls`.
const PROGRAMS: &[&str] = &[
    "/bin/",
    "/sbin/",
    "/usr/bin/",
    "/usr/sbin/",
    "/usr/local/bin/",
    "/usr/local/sbin/",
    "/opt/homebrew/bin/",
    "/run/current-system/sw/bin/",
];

fn is_elsewhere(program: &str) -> bool {
    program.contains('/')
        && !PROGRAMS
            .iter()
            .any(|it| program.strip_prefix(it).is_some_and(|name| !name.contains('/')))
}

/// A word that nobody knows may be any option; behind `--` it is none, nor where it begins with
/// something else than a dash, or is the value of an option that is known: `HEAD~$n`,
/// `--since=$x`.
fn may_be_option(run: &Run) -> bool {
    let mut words = run.argv.iter().skip(1).take_while(|word| *word != "--");
    words.any(|word| word.contains(HOLE) && programs::is_open(word))
}

/// Whether one of the options is of the list, or the beginning of one: long
/// options may be cut short.
fn has_option(given: &[String], list: &[&str]) -> bool {
    given.iter().any(|option| {
        list.iter().any(|it| {
            it == option
                || option.len() > 2 && option.starts_with("--") && it.starts_with(option.as_str())
        })
    })
}

pub(super) fn is_safe(run: &Run) -> bool {
    // Its environment may name a program: `GIT_PAGER=… git log`.
    if run.assignments.iter().any(|(name, _)| names_program(name)) || sets_variable(run) {
        return false;
    }
    // An assignment alone.
    if run.argv.is_empty() || run.program.is_empty() {
        return true;
    }
    let words = run.words();
    let rest = &words[1..];
    if run.program.contains(HOLE) || run.argv.first().is_some_and(|it| is_elsewhere(it)) {
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
        return bare
            || rest.get(1).is_some_and(|it| has(seconds, it))
                && is_list(&words)
                && !writes_output(run)
                && !may_be_option(run);
    }
    let Some(row) = SAFE.iter().find(|it| has(it.programs, &run.program)) else { return false };
    if !row.verbs.is_empty() {
        // An option before the verb that is not understood may be anything.
        return has(row.verbs, verb) && !writes_output(run) && !may_be_option(run);
    }
    let rest: Vec<&str> = run.argv.iter().skip(1).map(String::as_str).collect();
    let rest = rest.as_slice();
    let given = options(run);
    // The words of `find` that stand in no place of an option are looked at below.
    let is_find = row.programs == "find gfind";
    if !row.spoils.is_empty() && (!is_find && may_be_option(run) || has_option(&given, row.spoils))
    {
        return false;
    }
    let is_known = !rest.iter().any(|it| it.contains(HOLE));
    match run.program.as_str() {
        "awk" | "gawk" | "mawk" | "nawk" => programs::awk_reads(rest),
        "sed" | "gsed" => programs::sed_reads(rest),
        // `--` ends nothing here: every word is looked at.
        "find" | "gfind" => {
            programs::is_search(rest) && !rest.iter().any(|it| row.spoils.contains(it))
        }
        "env" | "genv" => rest.iter().all(|it| matches!(*it, "-0" | "--null")),
        // `uniq IN OUT`
        "uniq" => operands(rest, &["-f", "-s", "-w"]) < 2,
        "xxd" => is_known && operands(rest, &["-c", "-g", "-l", "-o", "-s", "-n", "-R"]) < 2,
        "hostname" | "ifconfig" => {
            let most = usize::from(run.program == "ifconfig");
            is_known && operands(rest, &[]) <= most
        }
        "ip" => is_known && !rest.iter().any(|word| IP_CHANGES.contains(word)),
        // `date 01020304` sets the clock.
        "date" => !rest.iter().enumerate().any(|(at, it)| {
            let is_value =
                at > 0 && matches!(rest[at - 1], "-d" | "--date" | "-r" | "--reference" | "-f");
            !is_value && it.starts_with(|c: char| c.is_ascii_digit())
        }),
        // `less +!command`
        "less" | "more" | "most" | "zless" | "zmore" => !rest.iter().any(|it| it.starts_with('+')),
        "bat" => rest.first() != Some(&"cache"),
        "jobs" => !rest.contains(&"-x"),
        // Without these it unpacks.
        "unzip" => {
            is_known
                && given.iter().any(|it| matches!(it.as_str(), "-l" | "-t" | "-v" | "-Z" | "-z"))
        }
        "tar" | "gtar" | "bsdtar" => is_known && tar_lists(rest, &given),
        _ => true,
    }
}

/// `git branch -v new` makes one, `git remote -v add` too: the first word does
/// not say all.
fn is_list(words: &[&str]) -> bool {
    let ["git", verb @ ("branch" | "tag" | "remote"), rest @ ..] = words else { return true };
    if *verb == "remote" {
        return rest.first() != Some(&"-v") || rest.len() == 1;
    }
    const LISTS: &[&str] =
        &["--list", "-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"];
    const SHAPES: &[&str] = &[
        "-a",
        "-r",
        "-v",
        "-vv",
        "-n",
        "-i",
        "--all",
        "--remotes",
        "--show-current",
        "--sort",
        "--format",
        "--color",
        "--no-color",
        "--column",
        "--no-column",
        "--ignore-case",
    ];
    let name = |it: &str| it.split('=').next().unwrap_or_default().to_owned();
    let mut options = rest.iter().filter(|it| it.starts_with('-'));
    let lists = rest.iter().any(|it| LISTS.contains(&name(it).as_str()));
    options.all(|it| LISTS.contains(&name(it).as_str()) || SHAPES.contains(&name(it).as_str()))
        && (lists || !rest.iter().any(|it| !it.starts_with('-')))
}

/// Only options that are known: many start a program or write a file.
fn tar_lists(rest: &[&str], given: &[String]) -> bool {
    const LONG: &[&str] =
        &["--list", "--file", "--verbose", "--gzip", "--bzip2", "--xz", "--zstd", "--directory"];
    let old = rest.first().filter(|it| !it.starts_with('-'));
    let is_list = given.iter().any(|it| it == "-t" || it == "--list")
        || old.is_some_and(|it| it.contains('t'));
    let is_plain = |it: &String| {
        if it.starts_with("--") {
            return LONG.contains(&it.as_str());
        }
        // Its letters are there one by one, too.
        it.trim_start_matches('-').chars().all(|c| "tvfzjJaC".contains(c))
    };
    is_list
        && given.iter().all(is_plain)
        && old.is_none_or(|it| it.chars().all(|c| "tvfzjJa".contains(c)))
        // `host:file` is fetched by another program.
        && !rest.iter().any(|it| it.contains(':'))
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

/// How many words are neither options nor the value of one of `valued`.
fn operands(words: &[&str], valued: &[&str]) -> usize {
    let mut count = 0;
    let mut words = words.iter();
    let mut is_over = false;
    while let Some(word) = words.next() {
        if !is_over && *word == "--" {
            is_over = true;
        } else if !is_over && valued.contains(word) {
            words.next();
        } else if is_over || !word.starts_with('-') || word.len() == 1 {
            count += 1;
        }
    }
    count
}

/// `git diff --output=f`, `git grep -O`, `go env -w`.
fn writes_output(run: &Run) -> bool {
    const SPOILS: &[&str] = &[
        "--output",
        "--output-directory",
        "--ext-diff",
        "--open-files-in-pager",
        "--upload-pack",
        "--exec",
        "--lost-found",
        "--config",
        "--log",
        "--toolexec",
    ];
    let words = run.words();
    let given = options(run);
    let has = |list: &[&str]| given.iter().any(|it| list.contains(&it.as_str()));
    let starts = |with: &str| run.argv.iter().any(|it| it.starts_with(with));
    match words.as_slice() {
        ["git", "grep", ..] if has(&["-O"]) => return true,
        ["go", "env", ..] if starts("-w") || starts("-u") || starts("--w") || starts("--u") => {
            return true;
        }
        ["go", ..]
            if starts("-toolexec") || starts("-exec") || starts("-mod") || starts("--mod") =>
        {
            return true;
        }
        ["terraform" | "tofu", "providers", _, ..] => return true,
        _ => (),
    }
    if run.program == "git" {
        // `--log` of `git`'s own is something else.
        let spoils: Vec<&str> = SPOILS.iter().copied().filter(|it| *it != "--log").collect();
        return has_option(&given, &spoils);
    }
    has(SPOILS)
}
