//! Programs that are known to only read, with the options that make them write. To add one, add a
//! row.

use super::classification::options;
use crate::{
    core::name_words::is_one,
    shell::{HOLE, Run},
};

struct Row {
    /// Separated by blanks.
    programs: &'static str,
    /// Subcommands that only read, separated by blanks; empty: the program has none.
    verbs: &'static str,
    /// With one of these words it may write.
    spoils: &'static str,
    /// Without one of these words it may write; empty: none is needed.
    needs: &'static str,
}

const fn row(programs: &'static str) -> Row {
    unless(programs, "")
}

const fn unless(programs: &'static str, spoils: &'static str) -> Row {
    Row { programs, verbs: "", spoils, needs: "" }
}

const fn only(programs: &'static str, needs: &'static str, spoils: &'static str) -> Row {
    Row { programs, verbs: "", spoils, needs }
}

const fn verbs(programs: &'static str, verbs: &'static str) -> Row {
    Row { programs, verbs, spoils: "", needs: "" }
}

const SAFE: &[Row] = &[
    row(": true false test [ [[ echo printf cd pushd popd dirs pwd exit return break continue"),
    row("export local declare typeset readonly unset shift set shopt alias read getopts umask"),
    row("type which whereis command hash jobs wait sleep time times ulimit let expr seq yes"),
    row("ls dir vdir stat wc du df realpath readlink basename dirname pathchk uniq env genv"),
    row("cat tac head tail nl rev cut paste join comm tr fold fmt column expand unexpand"),
    row("grep egrep fgrep zgrep rgrep strings od xxd hexdump cmp diff diff3 colordiff"),
    row("md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32"),
    row("uname arch whoami id groups who w users uptime printenv locale nproc free vmstat lscpu"),
    row("lsblk ps pgrep pstree top htop netstat ping host dig nslookup zcat bzcat xzcat jq"),
    row("apropos whatis tldr cal bc tty getconf getent look tsort factor numfmt logname hostid"),
    row("pinky ldd nm objdump readelf size tokei exa eza lsd hexyl ag ack bat less more most"),
    row("zless zmore man info lsof"),
    unless("tree", "-o -R"),
    unless("file", "-C --compile"),
    unless("ss", "-K --kill -D --diag"),
    unless("ip", "set add del delete change replace flush append restore exec -b -batch"),
    unless("scc cloc", "-o --output --out --report-file"),
    unless("rg", "--pre --hostname-bin"),
    unless("fd fdfind", "-x --exec -X --exec-batch"),
    unless("date", "-s --set"),
    unless("sort", "-o --output --compress-program"),
    unless("history", "-c -d -a -n -r -w -p -s"),
    unless("yq", "-i --inplace -s --split-exp"),
    unless("sed gsed", "-i --in-place -f --file"),
    row("awk gawk mawk nawk"),
    unless("find gfind", "-delete -fprint -fprint0 -fprintf -fls"),
    only("tar gtar bsdtar", "-t --list", "-x -c -I --to-command --use-compress-program"),
    only("unzip", "-l -t -v -Z -z", ""),
    Row {
        programs: "git",
        verbs: "status log diff show blame annotate grep ls-files ls-tree ls-remote cat-file \
                rev-parse rev-list describe shortlog whatchanged name-rev merge-base for-each-ref \
                show-ref show-branch cherry count-objects diff-tree diff-index diff-files \
                check-ignore check-attr var version help range-diff verify-commit verify-tag fsck",
        spoils: "--output --ext-diff --upload-pack --exec --lost-found -O --open-files-in-pager",
        needs: "",
    },
    Row {
        programs: "git",
        verbs: "clean",
        // The word after `-e` is a pattern, and words after `--` are paths: `git clean -f -- -n`.
        spoils: "-e --exclude --",
        needs: "-n --dry-run",
    },
    verbs("cargo", "tree metadata search version help read-manifest pkgid verify-project"),
    verbs("rustup", "show which help"),
    verbs("go", "version list doc help"),
    Row { programs: "go", verbs: "env", spoils: "-w -u", needs: "" },
    verbs("npm pnpm", "ls list view info show outdated why help explain search ping root prefix"),
    verbs("yarn", "list info why help"),
    Row {
        programs: "pip pip3 uv",
        verbs: "list show freeze check help",
        spoils: "--log",
        needs: "",
    },
    verbs(
        "docker podman",
        "ps images logs inspect version info stats top port history diff search",
    ),
    verbs("kubectl oc", "get describe logs explain top version api-resources cluster-info"),
    verbs("terraform tofu", "show validate version output graph"),
    verbs("systemctl", "status list-units list-unit-files show cat is-active is-enabled is-failed"),
    verbs("brew apt apt-cache dnf pacman", "list info search show policy depends rdepends"),
    verbs("tissue", "list show status-of search ready help stats"),
    verbs("bd beads", "list show ready stats blocked search help info"),
    verbs(
        "roz",
        "list debug trace context stats explain config doctor status search learn learnings \
         tickets backends decide reflect skip observe ref intent ledger blame why eval help",
    ),
];

/// Subcommands that only read with one of these words after them.
const PAIRS: &[(&str, &str)] = &[
    ("git stash", "list show"),
    ("git remote", "show get-url -v"),
    ("git worktree", "list"),
    ("git submodule", "status summary"),
    ("git config", "--get --get-all --get-regexp --list -l get list"),
    ("git reflog", "show list exists -n -5 -10 -20 --oneline --date=iso"),
    ("git bisect", "log view"),
    ("git notes", "list show"),
    ("gh issue", "list view status"),
    ("gh pr", "list view status diff checks"),
    ("gh repo", "view list"),
    ("gh run", "list view watch"),
    ("gh release", "list view"),
    ("gh workflow", "list view"),
    ("gh search", "issues prs repos code commits"),
    ("gh auth", "status"),
    ("docker compose", "ps logs config ls images top version"),
    ("docker image", "ls inspect history"),
    ("docker container", "ls inspect logs top stats"),
    ("aws sts", "get-caller-identity"),
];

/// Commands that only read without operands.
const BARE: &[&str] = &["git branch", "git tag", "git remote", "git reflog"];
/// With these, `git branch` and `git tag` only list, whatever follows.
const LISTS: &str = "--list -l --contains --no-contains --merged --no-merged --points-at";
const SHAPES: &str = "-a -r -v -vv -n -i --all --remotes --show-current --sort --format --color \
    --no-color --column --no-column --ignore-case";

/// Variables that name a program which a reading command starts: `GIT_PAGER=… git log`.
fn names_program(name: &str, value: &str) -> bool {
    const HARMLESS: &str = "cat less more true false : 0 1";
    let is_one_of = name.ends_with("PAGER")
        || name.ends_with("EDITOR")
        || name.starts_with("GIT_TRACE")
        || is_one("GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND BASH_ENV LD_PRELOAD LESSOPEN", name);
    is_one_of && !value.is_empty() && !is_one(HARMLESS, value)
}

/// Settings of git that start no program. With any other, `git -c … log` is not known to only read.
const SETTINGS: &str = "color. advice. user. core.quotepath= core.abbrev= core.pager=cat \
    core.pager=less log.date= pull. init.defaultbranch= merge.conflictstyle=";

pub(super) fn sets_program(run: &Run) -> bool {
    const SETTERS: &str = "export local declare typeset readonly";
    let own = run.assignments.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let set = run.argv.iter().filter(|_| is_one(SETTERS, &run.program));
    let set = set.filter_map(|word| word.split_once('='));
    if own.chain(set).any(|(name, value)| names_program(name, value)) {
        return true;
    }
    let is_odd = |setting: &str| {
        let setting = setting.to_lowercase();
        !SETTINGS.split_whitespace().any(|known| setting.starts_with(known))
    };
    let words = run.words();
    let global = run.argv.iter().take_while(|word| words.get(1) != Some(&word.as_str()));
    let global: Vec<&String> = global.collect();
    run.program == "git" && global.windows(2).any(|pair| pair[0] == "-c" && is_odd(pair[1]))
}

pub(super) fn is_safe(run: &Run) -> bool {
    if sets_program(run) {
        return false;
    }
    // Only an assignment.
    if run.argv.is_empty() || run.program.is_empty() {
        return true;
    }
    if run.program.contains(HOLE) {
        return false;
    }
    let words = run.words();
    let Some((&first, rest)) = words.split_first() else { return false };
    if let [_, .., last] = run.argv.as_slice()
        && run.argv.len() <= 3
        && is_one("--version -V --help", last)
    {
        return true;
    }
    let given = options(run);
    let has = |list: &str| {
        given.iter().any(|text| is_one(list, text)) || rest.iter().any(|text| is_one(list, text))
    };
    let verb = rest.first().copied().unwrap_or_default();
    let command = if rest.is_empty() { first.to_owned() } else { format!("{first} {verb}") };
    if BARE.contains(&command.as_str()) && rest.len() <= 1 {
        return true;
    }
    if matches!(first, "hostname" | "ifconfig") {
        return rest.iter().all(|text| text.starts_with('-'));
    }
    if matches!(command.as_str(), "git branch" | "git tag") {
        return is_list(&rest[1..]);
    }
    if let Some((_, seconds)) = PAIRS.iter().find(|pair| pair.0 == command) {
        return rest.get(1).is_some_and(|text| is_one(seconds, text))
            && !has("--output --ext-diff");
    }
    SAFE.iter().any(|row| {
        is_one(row.programs, first)
            && (row.verbs.is_empty() || is_one(row.verbs, verb))
            && !has(row.spoils)
            && (row.needs.is_empty() || has(row.needs))
    }) && text_reads(first, rest)
}

/// `git branch -v new` creates a branch, so the first word alone is not enough.
fn is_list(rest: &[&str]) -> bool {
    let name = |word: &str| word.split('=').next().unwrap_or_default().to_owned();
    let lists = rest.iter().any(|text| is_one(LISTS, &name(text)));
    let is_shape = |text: &str| is_one(LISTS, &name(text)) || is_one(SHAPES, &name(text));
    rest.iter().all(|text| if text.starts_with('-') { is_shape(text) } else { lists })
}

/// The script of an awk or a sed is the first word that is not an option.
fn text_reads(program: &str, rest: &[&str]) -> bool {
    let mut texts = rest.iter().filter(|text| !text.starts_with('-') && text.len() > 1);
    let is_known =
        texts.clone().next().is_none_or(|text| text.chars().any(|letter| letter != HOLE));
    match program {
        // Only after `print` do `>` and `|` write; before it they are other operators.
        "awk" | "gawk" | "mawk" | "nawk" => {
            const LOADS: &[&str] = &["-f", "-i", "-o", "-l", "--file", "--include", "--load"];
            is_known
                && !rest.iter().any(|text| LOADS.iter().any(|option| text.starts_with(option)))
                && texts.all(|text| {
                    let text = text.replace(">=", "").replace("||", "");
                    let printed = text.find("print").map_or("", |at| &text[at..]);
                    !printed.contains(['>', '|'])
                        && !["system(", "| getline", "|getline"]
                            .iter()
                            .any(|item| text.contains(item))
                })
        }
        // `w FILE`, `s/a/b/w FILE`, `s/a/b/e`
        "sed" | "gsed" => {
            is_known
                && texts.all(|text| {
                    !text.starts_with("w ")
                        && !text.ends_with("/e")
                        && !["/w ", "/gw ", ";w "].iter().any(|item| text.contains(item))
                })
        }
        _ => true,
    }
}
