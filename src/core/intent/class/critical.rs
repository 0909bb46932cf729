//! Commands whose effect cannot be undone or reaches beyond this machine: a person has to confirm
//! them. To add one, add a row.

use super::{
    classification::{Class, Judged, options, shown},
    safe,
};
use crate::{
    core::{intent::target::is_env, name_words::is_one, named_writes::is_on_host},
    shell::{Certainty, HOLE, Run},
};

/// Per row: what the command does; below it the programs, the subcommands, and the options or words
/// of which one is required, if any are given.
const HERE: &str = "
removes whole folders:
    trash
    rsync | | --delete --remove-source-files --del
    docker podman | system | prune
    docker podman | volume | rm prune
    docker podman | rm | -f --force
destroys what a file held:
    shred wipe
removes whatever it finds:
    find gfind | | -delete
rewrites history:
    git | rebase filter-branch filter-repo update-ref replace prune
    git-filter-repo bfg
    git | branch | -D
    git | tag | -d --delete -f --force
    git | reflog | expire delete
    git | gc | --prune --aggressive
loses work that is not committed:
    git | reset | --hard --merge --keep
    git | clean checkout worktree | -f --force
    git | checkout restore | . :/ *
    git | switch | -f --force --discard-changes
    git | stash | drop clear
changes the rights of whole folders:
    chmod chown chgrp | | -R --recursive
opens files to everybody:
    chmod | | 777 0777 a+w a+rw a+rwx o+w ugo+rwx u+s g+s +s
";

/// The same for commands that are as serious when run on another machine.
const ANYWHERE: &str = "
removes whole folders:
    rm grm | | -r -R --recursive
    rimraf srm
overwrites what others have:
    git | push | -f --force --force-with-lease --force-if-includes --mirror --delete -d --prune
changes where pushes go:
    git | remote | set-url remove rm
handles credentials:
    git | credential
    useradd userdel usermod groupadd groupdel passwd chpasswd visudo
    ssh-keygen ssh-add ssh-copy-id gpg gpg2 pass op vault security keyring
    gh | auth | login logout token refresh setup-git
    gh | secret ssh-key
    aws | configure
    gcloud | auth
    az docker podman cargo npm pnpm yarn | login
    npm pnpm yarn | token
writes to a disk itself:
    dd | | of=
    mkfs mkswap fdisk sfdisk cfdisk gdisk parted wipefs blkdiscard hdparm
    mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat diskutil fsck
    mount umount losetup cryptsetup lvremove vgremove pvremove zfs zpool
changes what programs may do:
    setcap
stops what runs on the machine:
    systemctl | | stop kill disable mask poweroff reboot halt isolate
stops the machine:
    shutdown reboot halt poweroff init telinit
ends programs that cannot refuse:
    kill pkill killall | | -9 -KILL -SIGKILL
publishes:
    npm pnpm yarn bun | publish unpublish deprecate
    cargo | publish yank
    twine | upload
    uv poetry flit hatch | publish
    gem docker podman | push
    mvn gradle ./gradlew | deploy
    gh | release | create delete edit upload
changes what runs elsewhere:
    gh | repo | delete create edit archive rename
    gh | pr | merge
    gh | api | DELETE PUT POST PATCH
    kubectl oc | delete apply drain
    helm | uninstall install upgrade
    terraform tofu terragrunt | apply destroy
    terraform tofu terragrunt | state | rm mv push
    pulumi cdk serverless sls | | up destroy deploy remove
    aws gcloud az | | rm rb delete terminate-instances delete-bucket delete-stack
    vercel netlify fly flyctl heroku firebase wrangler | | deploy destroy delete --prod
drops a database:
    dropdb dropuser mysqladmin
destroys data:
    psql mysql sqlite3 mariadb mongosh | | DROP TRUNCATE DELETE drop truncate delete
    redis-cli | | FLUSHALL FLUSHDB flushall
removes every scheduled job:
    crontab | | -r
changes the firewall:
    iptables nft ufw firewall-cmd
removes programs:
    apt apt-get dnf yum pacman brew | | remove purge uninstall autoremove -R
";

/// Options that continue or end a stopped rebase.
const ENDS: &str = "--abort --continue --skip --quit";

/// Files with credentials: every access has to be confirmed.
const CREDENTIALS: &str = "\
    .ssh/id_ .ssh/authorized_keys .aws/credentials .netrc .git-credentials .npmrc .pypirc \
    .docker/config.json .kube/config .gnupg/ /etc/shadow /etc/sudoers .cargo/credentials \
    .config/gh/hosts.yml .claude/.credentials .aws/config .azure/ .config/gcloud/ \
    .vault-token .terraform.d/credentials .pgpass .my.cnf .htpasswd .gem/credentials \
    .m2/settings.xml .config/op/ /etc/gshadow credentials.json service-account.json id_rsa \
    id_ed25519 id_ecdsa";

pub(super) fn of(run: &Run) -> Option<Judged> {
    let words = run.words();
    let (program, rest) = words.split_first()?;
    let given = options(run);
    let verb = rest.first().copied().unwrap_or_default();
    let is_there = |with: &str| {
        given.iter().any(|text| text == with) || rest.iter().any(|text| says(text, with))
    };
    let is_row = |row: &str| {
        let mut parts = row.split('|').map(str::trim);
        let mut next = || parts.next().unwrap_or_default();
        let (programs, verbs, with) = (next(), next(), next());
        is_one(programs, program)
            && (verbs.is_empty() || is_one(verbs, verb))
            && (with.is_empty() || with.split_whitespace().any(is_there))
    };
    let is_elsewhere =
        run.is_elsewhere || *program == "rsync" && rest.last().is_some_and(|to| is_on_host(to));
    let mut why = "";
    // A rebase that has begun may be ended in any way.
    if *program == "git" && verb == "rebase" && rest.get(1).is_some_and(|text| is_one(ENDS, text)) {
        return None;
    }
    // `git clean -fdn` only lists.
    if *program == "git" && verb == "clean" && safe::is_safe(run) {
        return None;
    }
    let mut rows = HERE.lines().filter(|_| !is_elsewhere).chain(ANYWHERE.lines());
    let row = rows.find(|line| match line.strip_suffix(':') {
        Some(heading) if !line.starts_with(' ') => {
            why = heading;
            false
        }
        _ => is_row(line),
    });
    // `git push origin +main`, `:main`
    let is_forced = |text: &&str| text.starts_with('+') || text.starts_with(':') && text.len() > 1;
    // A shell that runs what the network sends.
    let is_shell = is_one("sh bash zsh dash ksh", program);
    let why = if row.is_some() {
        why
    } else if *program == "git" && verb == "push" && rest.iter().any(is_forced) {
        "overwrites what others have"
    } else if names_secret(program, rest) {
        "handles credentials"
    } else if is_shell && run.certainty == Certainty::Opaque && rest.is_empty() {
        "runs what nobody has read"
    } else {
        return None;
    };
    let why = format!("`{}` {why}", shown(&run.argv.join(" ")));
    Some(Judged::new(Class::Critical, why))
}

fn names_secret(program: &str, rest: &[&str]) -> bool {
    // These only mention the file.
    if is_one("echo printf git ls stat test [ touch", program) {
        return false;
    }
    // The first operand is the search pattern.
    let searches = is_one("grep egrep fgrep rg ag ack", program);
    let skipped = rest.iter().position(|text| !text.starts_with('-')).filter(|_| searches);
    let mut named = rest.iter().enumerate().filter(|(at, _)| Some(*at) != skipped);
    named.any(|(_, word)| {
        CREDENTIALS.split_whitespace().any(|text| word.contains(text))
            || is_env(word.rsplit(['/', '=', '@']).next().unwrap_or_default())
    })
}

/// Whether `word` equals `with`, starts with it if it ends in `=`, or is a statement that contains
/// it as a word.
fn says(word: &str, with: &str) -> bool {
    if with.ends_with('=') {
        return word.starts_with(with) && !word.starts_with(&format!("{with}/dev/null"));
    }
    if word.contains(HOLE) {
        return false;
    }
    word == with
        || word.contains(' ') && word.split(|c: char| !c.is_alphanumeric()).any(|part| part == with)
}
