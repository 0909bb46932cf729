//! What cannot be had back, or reaches beyond the machine: a person says yes
//! to it. A new one is a row.

use super::judged::{Class, Judged, options, shown};
use crate::{
    core::name_words::is_one,
    shell::{Certainty, HOLE, Run},
};

/// A row of the table; words are a blank apart, and none: any.
struct Critical {
    programs: &'static str,
    /// One of these is the subcommand.
    verbs: &'static str,
    /// One of these options or words has to be there.
    with: &'static str,
    /// A clause after the command.
    why: &'static str,
}

const fn row(
    programs: &'static str,
    verbs: &'static str,
    with: &'static str,
    why: &'static str,
) -> Critical {
    Critical { programs, verbs, with, why }
}

const REMOVES: &str = "removes whole folders";
const HISTORY: &str = "rewrites history";
const FORCES: &str = "overwrites what others have";
const DISK: &str = "writes to a disk itself";
const PUBLISHES: &str = "publishes";
const SECRETS: &str = "handles credentials";
const LOSES: &str = "loses work that is not committed";
const REMOTE: &str = "changes what runs elsewhere";

const CRITICAL: &[Critical] = &[
    row("rm grm", "", "-r -R --recursive", REMOVES),
    row("rimraf trash srm", "", "", REMOVES),
    row("shred wipe", "", "", "destroys what a file held"),
    row("find gfind", "", "-delete", "removes whatever it finds"),
    row(
        "git",
        "push",
        "-f --force --force-with-lease --force-if-includes --mirror --delete -d --prune",
        FORCES,
    ),
    row("git", "rebase filter-branch filter-repo update-ref replace prune", "", HISTORY),
    row("git-filter-repo bfg", "", "", HISTORY),
    row("git", "branch", "-D", HISTORY),
    row("git", "tag", "-d --delete -f --force", HISTORY),
    row("git", "reflog", "expire delete", HISTORY),
    row("git", "gc", "--prune --aggressive", HISTORY),
    row("git", "reset", "--hard --merge --keep", LOSES),
    row("git", "clean checkout worktree", "-f --force", LOSES),
    row("git", "checkout restore", ". :/ *", LOSES),
    row("git", "switch", "-f --force --discard-changes", LOSES),
    row("git", "stash", "drop clear", LOSES),
    row("git", "remote", "set-url remove rm", "changes where pushes go"),
    row("git", "credential", "", SECRETS),
    row("dd", "", "of=", DISK),
    row("mkfs mkswap fdisk sfdisk cfdisk gdisk parted wipefs blkdiscard hdparm", "", "", DISK),
    row("mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat diskutil fsck", "", "", DISK),
    row("mount umount losetup cryptsetup lvremove vgremove pvremove zfs zpool", "", "", DISK),
    row("chmod chown chgrp", "", "-R --recursive", "changes the rights of whole folders"),
    row("chmod", "", "777 0777 a+w a+rw a+rwx o+w ugo+rwx u+s g+s +s", "opens files to everybody"),
    row("setcap", "", "", "changes what programs may do"),
    row("rsync", "", "--delete --remove-source-files --del", REMOVES),
    row(
        "systemctl",
        "",
        "stop kill disable mask poweroff reboot halt isolate",
        "stops what runs on the machine",
    ),
    row("shutdown reboot halt poweroff init telinit", "", "", "stops the machine"),
    row("kill pkill killall", "", "-9 -KILL -SIGKILL", "ends programs that cannot refuse"),
    row("useradd userdel usermod groupadd groupdel passwd chpasswd visudo", "", "", SECRETS),
    row("ssh-keygen ssh-add ssh-copy-id gpg gpg2 pass op vault security keyring", "", "", SECRETS),
    row("gh", "auth", "login logout token refresh setup-git", SECRETS),
    row("gh", "secret ssh-key", "", SECRETS),
    row("aws", "configure", "", SECRETS),
    row("gcloud", "auth", "", SECRETS),
    row("az docker podman cargo npm pnpm yarn", "login", "", SECRETS),
    row("npm pnpm yarn", "token", "", SECRETS),
    row("npm pnpm yarn bun", "publish unpublish deprecate", "", PUBLISHES),
    row("cargo", "publish yank", "", PUBLISHES),
    row("twine", "upload", "", PUBLISHES),
    row("uv poetry flit hatch", "publish", "", PUBLISHES),
    row("gem docker podman", "push", "", PUBLISHES),
    row("mvn gradle ./gradlew", "deploy", "", PUBLISHES),
    row("gh", "release", "create delete edit upload", PUBLISHES),
    row("gh", "repo", "delete create edit archive rename", REMOTE),
    row("gh", "pr", "merge", REMOTE),
    row("gh", "api", "DELETE PUT POST PATCH", REMOTE),
    row("kubectl oc", "delete apply drain", "", REMOTE),
    row("helm", "uninstall install upgrade", "", REMOTE),
    row("terraform tofu terragrunt", "apply destroy", "", REMOTE),
    row("terraform tofu terragrunt", "state", "rm mv push", REMOTE),
    row("pulumi cdk serverless sls", "", "up destroy deploy remove", REMOTE),
    row("aws gcloud az", "", "rm rb delete terminate-instances delete-bucket delete-stack", REMOTE),
    row(
        "vercel netlify fly flyctl heroku firebase wrangler",
        "",
        "deploy destroy delete --prod",
        REMOTE,
    ),
    row("docker podman", "system", "prune", REMOVES),
    row("docker podman", "volume", "rm prune", REMOVES),
    row("docker podman", "rm", "-f --force", REMOVES),
    row("dropdb dropuser mysqladmin", "", "", "drops a database"),
    row(
        "psql mysql sqlite3 mariadb mongosh redis-cli",
        "",
        "DROP TRUNCATE DELETE FLUSHALL FLUSHDB drop truncate delete flushall",
        "destroys data",
    ),
    row("crontab", "", "-r", "removes every scheduled job"),
    row("iptables nft ufw firewall-cmd", "", "", "changes the firewall"),
    row(
        "apt apt-get dnf yum pacman brew",
        "",
        "remove purge uninstall autoremove -R",
        "removes programs",
    ),
];

/// Files that hold credentials: whoever touches them asks.
const CREDENTIALS: &str = "\
    .ssh/id_ .ssh/authorized_keys .aws/credentials .netrc .git-credentials .npmrc .pypirc \
    .docker/config.json .kube/config .gnupg/ /etc/shadow /etc/sudoers .cargo/credentials \
    .config/gh/hosts.yml .claude/.credentials .aws/config .azure/ .config/gcloud/ \
    .vault-token .terraform.d/credentials .pgpass .my.cnf .htpasswd .gem/credentials \
    .m2/settings.xml .config/op/ /etc/gshadow credentials.json service-account.json id_rsa \
    id_ed25519 id_ecdsa";

/// `.env` and its like hold what a program is told in secret; those that show
/// how do not.
fn is_env(word: &str) -> bool {
    const SHOWN: &str = "example sample template dist defaults schema";
    let name = word.rsplit(['/', '=', '@']).next().unwrap_or_default();
    let kind = match name.strip_prefix(".env") {
        Some("") => return true,
        Some(rest) => rest.strip_prefix('.'),
        None => None,
    };
    kind.is_some_and(|it| !it.split('.').any(|part| is_one(SHOWN, part)))
}

/// Calls in other languages that remove whole folders.
const REMOVING_CALLS: &str = "rmtree removedirs rm_rf rm_r remove_entry_secure remove_tree rimraf";

/// What code in another language is known to remove.
pub(super) fn of_code(code: &str) -> Option<Judged> {
    let call = code
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .find(|it| is_one(REMOVING_CALLS, it))?;
    Some(Judged { class: Class::Critical, why: format!("`{call}` {REMOVES}"), is_check: false })
}

/// The row that a command falls under.
pub(super) fn of(run: &Run) -> Option<Judged> {
    let words = run.words();
    let (program, rest) = words.split_first()?;
    let given = options(run);
    let verb = rest.first().copied().unwrap_or_default();
    let is_there =
        |with: &str| given.iter().any(|it| it == with) || rest.iter().any(|it| says(it, with));
    let row = CRITICAL.iter().find(|row| {
        is_one(row.programs, program)
            && (row.verbs.is_empty() || is_one(row.verbs, verb))
            && (row.with.is_empty() || row.with.split_whitespace().any(is_there))
    });
    // `git push origin +main`, `:main`
    let is_forced = |it: &&str| it.starts_with('+') || it.starts_with(':') && it.len() > 1;
    // A shell that is fed from the network.
    let is_shell = is_one("sh bash zsh dash ksh", program);
    let why = if let Some(row) = row {
        row.why
    } else if *program == "git" && verb == "push" && rest.iter().any(is_forced) {
        FORCES
    } else if names_secret(program, rest) {
        SECRETS
    } else if is_shell && run.certainty == Certainty::Opaque && rest.is_empty() {
        "runs what nobody has read"
    } else {
        return None;
    };
    let why = format!("`{}` {why}", shown(&run.argv.join(" ")));
    Some(Judged { class: Class::Critical, why, is_check: false })
}

fn names_secret(program: &str, rest: &[&str]) -> bool {
    // They only mention it.
    if is_one("echo printf git ls stat test [ touch", program) {
        return false;
    }
    // The first is what is looked for.
    let searches = is_one("grep egrep fgrep rg ag ack", program);
    let skipped = rest.iter().position(|it| !it.starts_with('-')).filter(|_| searches);
    let mut named = rest.iter().enumerate().filter(|(at, _)| Some(*at) != skipped);
    named
        .any(|(_, word)| CREDENTIALS.split_whitespace().any(|it| word.contains(it)) || is_env(word))
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
