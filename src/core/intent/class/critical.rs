//! What cannot be had back, or reaches beyond the machine: a person says yes
//! to it. A new one is a row.

use super::{Class, Judged, options};
use crate::shell::{HOLE, Run};

/// A row of the table.
#[derive(Debug)]
pub struct Critical {
    /// A blank apart.
    pub programs: &'static str,
    /// The words of the subcommand; none: any.
    pub verb: &'static [&'static str],
    /// One of these options or words has to be there; none: always.
    pub with: &'static [&'static str],
    /// A clause after the command.
    pub why: &'static str,
}

const fn row(
    programs: &'static str,
    verb: &'static [&'static str],
    with: &'static [&'static str],
    why: &'static str,
) -> Critical {
    Critical { programs, verb, with, why }
}

const REMOVES: &str = "removes whole folders";
const HISTORY: &str = "rewrites history";
const FORCES: &str = "overwrites what others have";
const DISK: &str = "writes to a disk itself";
const PUBLISHES: &str = "publishes";
const SECRETS: &str = "handles credentials";
const LOSES: &str = "loses work that is not committed";
const REMOTE: &str = "changes what runs elsewhere";

pub const CRITICAL: &[Critical] = &[
    row("rm grm", &[], &["-r", "-R", "--recursive"], REMOVES),
    row("rimraf trash srm", &[], &[], REMOVES),
    row("shred wipe", &[], &[], "destroys what a file held"),
    row("find gfind", &[], &["-delete"], "removes whatever it finds"),
    row(
        "git",
        &["push"],
        &[
            "-f",
            "--force",
            "--force-with-lease",
            "--force-if-includes",
            "--mirror",
            "--delete",
            "-d",
            "--prune",
        ],
        FORCES,
    ),
    row("git", &["rebase"], &[], HISTORY),
    row("git", &["filter-branch"], &[], HISTORY),
    row("git", &["filter-repo"], &[], HISTORY),
    row("git-filter-repo bfg", &[], &[], HISTORY),
    row("git", &["commit"], &["--amend"], HISTORY),
    row("git", &["reset"], &["--hard", "--merge", "--keep"], LOSES),
    row("git", &["clean"], &["-f", "--force"], LOSES),
    row("git", &["stash", "drop"], &[], LOSES),
    row("git", &["stash", "clear"], &[], LOSES),
    row("git", &["checkout"], &["-f", "--force"], LOSES),
    row("git", &["switch"], &["-f", "--force", "--discard-changes"], LOSES),
    row("git", &["branch"], &["-D"], HISTORY),
    row("git", &["tag"], &["-d", "--delete", "-f", "--force"], HISTORY),
    row("git", &["reflog"], &["expire", "delete"], HISTORY),
    row("git", &["update-ref"], &[], HISTORY),
    row("git", &["replace"], &[], HISTORY),
    row("git", &["gc"], &["--prune", "--aggressive"], HISTORY),
    row("git", &["prune"], &[], HISTORY),
    row("git", &["worktree", "remove"], &["-f", "--force"], LOSES),
    row("git", &["remote"], &["set-url", "remove", "rm"], "changes where pushes go"),
    row("git", &["credential"], &[], SECRETS),
    row("dd", &[], &["of="], DISK),
    row(
        "mkfs mkswap fdisk sfdisk cfdisk gdisk parted wipefs blkdiscard hdparm diskutil fsck",
        &[],
        &[],
        DISK,
    ),
    row(
        "mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs",
        &[],
        &[],
        DISK,
    ),
    row("mount umount losetup cryptsetup lvremove vgremove pvremove zfs zpool", &[], &[], DISK),
    row("chmod chown chgrp", &[], &["-R", "--recursive"], "changes the rights of whole folders"),
    row(
        "chmod",
        &[],
        &["777", "0777", "a+w", "a+rw", "a+rwx", "o+w", "ugo+rwx", "u+s", "g+s", "+s"],
        "opens files to everybody",
    ),
    row("setcap", &[], &[], "changes what programs may do"),
    row("rsync", &[], &["--delete", "--remove-source-files", "--del"], REMOVES),
    row(
        "systemctl",
        &[],
        &["stop", "kill", "disable", "mask", "poweroff", "reboot", "halt", "isolate"],
        "stops what runs on the machine",
    ),
    row("shutdown reboot halt poweroff init telinit", &[], &[], "stops the machine"),
    row(
        "kill pkill killall",
        &[],
        &["-9", "-KILL", "-SIGKILL"],
        "ends programs that cannot refuse",
    ),
    row("useradd userdel usermod groupadd groupdel passwd chpasswd visudo", &[], &[], SECRETS),
    row(
        "ssh-keygen ssh-add ssh-copy-id gpg gpg2 pass op vault security keyring",
        &[],
        &[],
        SECRETS,
    ),
    row("gh", &["auth"], &["login", "logout", "token", "refresh", "setup-git"], SECRETS),
    row("gh", &["secret"], &[], SECRETS),
    row("gh", &["ssh-key"], &[], SECRETS),
    row("aws", &["configure"], &[], SECRETS),
    row("gcloud", &["auth"], &[], SECRETS),
    row("az", &["login"], &[], SECRETS),
    row("npm pnpm yarn", &["login"], &[], SECRETS),
    row("npm pnpm yarn", &["token"], &[], SECRETS),
    row("docker podman", &["login"], &[], SECRETS),
    row("cargo", &["login"], &[], SECRETS),
    row("npm pnpm yarn bun", &["publish"], &[], PUBLISHES),
    row("npm pnpm yarn", &["unpublish"], &[], PUBLISHES),
    row("npm pnpm yarn", &["deprecate"], &[], PUBLISHES),
    row("cargo", &["publish"], &[], PUBLISHES),
    row("cargo", &["yank"], &[], PUBLISHES),
    row("twine", &["upload"], &[], PUBLISHES),
    row("uv poetry flit hatch", &["publish"], &[], PUBLISHES),
    row("gem", &["push"], &[], PUBLISHES),
    row("mvn gradle ./gradlew", &["deploy"], &[], PUBLISHES),
    row("docker podman", &["push"], &[], PUBLISHES),
    row("gh", &["release"], &["create", "delete", "edit", "upload"], PUBLISHES),
    row("gh", &["repo"], &["delete", "create", "edit", "archive", "rename"], REMOTE),
    row("gh", &["pr"], &["merge"], REMOTE),
    row("gh", &["api"], &["DELETE", "PUT", "POST", "PATCH"], REMOTE),
    row("kubectl oc", &["delete"], &[], REMOTE),
    row("kubectl oc", &["apply"], &[], REMOTE),
    row("kubectl oc", &["drain"], &[], REMOTE),
    row("helm", &["uninstall"], &[], REMOTE),
    row("helm", &["install"], &[], REMOTE),
    row("helm", &["upgrade"], &[], REMOTE),
    row("terraform tofu terragrunt", &["apply"], &[], REMOTE),
    row("terraform tofu terragrunt", &["destroy"], &[], REMOTE),
    row("terraform tofu terragrunt", &["state"], &["rm", "mv", "push"], REMOTE),
    row("pulumi cdk serverless sls", &[], &["up", "destroy", "deploy", "remove"], REMOTE),
    row(
        "aws gcloud az",
        &[],
        &["rm", "rb", "delete", "terminate-instances", "delete-bucket", "delete-stack"],
        REMOTE,
    ),
    row(
        "vercel netlify fly flyctl heroku firebase wrangler",
        &[],
        &["deploy", "destroy", "delete", "--prod"],
        REMOTE,
    ),
    row("docker podman", &["system", "prune"], &[], REMOVES),
    row("docker podman", &["volume"], &["rm", "prune"], REMOVES),
    row("docker podman", &["rm"], &["-f", "--force"], REMOVES),
    row("dropdb dropuser mysqladmin", &[], &[], "drops a database"),
    row(
        "psql mysql sqlite3 mariadb mongosh redis-cli",
        &[],
        &[
            "DROP", "TRUNCATE", "DELETE", "FLUSHALL", "FLUSHDB", "drop", "truncate", "delete",
            "flushall",
        ],
        "destroys data",
    ),
    row("crontab", &[], &["-r"], "removes every scheduled job"),
    row("iptables nft ufw firewall-cmd", &[], &[], "changes the firewall"),
    row(
        "apt apt-get dnf yum pacman brew",
        &[],
        &["remove", "purge", "uninstall", "autoremove", "-R"],
        "removes programs",
    ),
];

/// Files that hold credentials: whoever touches them asks.
const CREDENTIALS: &[&str] = &[
    ".ssh/id_",
    ".ssh/authorized_keys",
    ".aws/credentials",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".docker/config.json",
    ".kube/config",
    ".gnupg/",
    "/etc/shadow",
    "/etc/sudoers",
    ".cargo/credentials",
    ".config/gh/hosts.yml",
    ".claude/.credentials",
    ".aws/config",
    ".azure/",
    ".config/gcloud/",
    ".vault-token",
    ".terraform.d/credentials",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".gem/credentials",
    ".m2/settings.xml",
    ".config/op/",
    "/etc/gshadow",
    "credentials.json",
    "service-account.json",
    "id_rsa",
    "id_ed25519",
    "id_ecdsa",
];

/// `.env` and its like hold what a program is told in secret; those that show
/// how do not.
fn is_env(word: &str) -> bool {
    const SHOWN: &[&str] = &["example", "sample", "template", "dist", "defaults", "schema"];
    let name = word.rsplit(['/', '=', '@']).next().unwrap_or_default();
    let kind = match name.strip_prefix(".env") {
        Some("") => return true,
        Some(rest) => rest.strip_prefix('.'),
        None => None,
    };
    kind.is_some_and(|it| !it.split('.').any(|part| SHOWN.contains(&part)))
}

/// Calls in other languages that remove whole folders.
const REMOVING_CALLS: &[&str] =
    &["rmtree", "removedirs", "rm_rf", "rm_r", "remove_entry_secure", "remove_tree", "rimraf"];

/// What code in another language is known to remove.
pub(super) fn of_code(code: &str) -> Option<Judged> {
    let call = code
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .find(|it| REMOVING_CALLS.contains(it))?;
    Some(Judged { class: Class::Critical, why: format!("`{call}` {REMOVES}") })
}

/// The row that a command falls under.
pub(super) fn of(run: &Run) -> Option<Judged> {
    let critical = |why: &str| Judged {
        class: Class::Critical,
        why: format!("`{}` {why}", super::shown(&run.argv.join(" "))),
    };
    let words = run.words();
    let (program, rest) = words.split_first()?;
    let has = |list: &str| list.split_ascii_whitespace().any(|it| it == *program);
    let mut given = None;
    for row in CRITICAL.iter().filter(|it| has(it.programs)) {
        let Some((verb, rest)) = rest.split_at_checked(row.verb.len()) else { continue };
        if verb != row.verb {
            continue;
        }
        let given = given.get_or_insert_with(|| options(run));
        let is_there =
            |with: &&str| given.iter().any(|it| it == with) || rest.iter().any(|it| says(it, with));
        if row.with.is_empty() || row.with.iter().any(is_there) {
            return Some(critical(row.why));
        }
    }
    // `git push origin +main`, `:main`
    if let ["git", "push", rest @ ..] = words.as_slice()
        && rest.iter().any(|it| it.starts_with('+') || it.starts_with(':') && it.len() > 1)
    {
        return Some(critical(FORCES));
    }
    // `git checkout .`, `git restore .`
    if let ["git", "checkout" | "restore", rest @ ..] = words.as_slice()
        && rest.iter().any(|it| matches!(*it, "." | ":/" | "*"))
    {
        return Some(critical(LOSES));
    }
    let names_secret = |word: &&str| CREDENTIALS.iter().any(|it| word.contains(it)) || is_env(word);
    let mentions =
        matches!(*program, "echo" | "printf" | "git" | "ls" | "stat" | "test" | "[" | "touch");
    // The first is what is looked for.
    let searches = matches!(*program, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack");
    let skipped = rest.iter().position(|it| !it.starts_with('-')).filter(|_| searches);
    let mut named = rest.iter().enumerate().filter(|(at, _)| Some(*at) != skipped);
    if !mentions && named.any(|(_, it)| names_secret(it)) {
        return Some(critical(SECRETS));
    }
    // A shell that is fed from the network.
    let is_shell = matches!(*program, "sh" | "bash" | "zsh" | "dash" | "ksh");
    if is_shell && run.certainty == crate::shell::Certainty::Opaque && rest.is_empty() {
        return Some(critical("runs what nobody has read"));
    }
    None
}

/// Whether a word is `with`, begins so where that ends in `=`, or is a
/// statement that holds it as a word.
fn says(word: &str, with: &str) -> bool {
    if with.ends_with('=') {
        return word.starts_with(with) && !word.starts_with(&format!("{with}/dev/null"));
    }
    if word.contains(HOLE) {
        return false;
    }
    word == with
        || word.contains(' ') && word.split(|c: char| !c.is_alphanumeric()).any(|it| it == with)
}
