//! What git runs that stands in files of its own: aliases, which may hide a
//! verb, and the hook scripts of a repository.

use std::{
    collections::BTreeMap,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

use crate::{
    core::event::ToolCall,
    shell::{self, Interpreter, Options, Reading, Run, Script},
    world::{World, git, process, read_text},
};

/// An alias of an alias of an alias.
const MAX_DEPTH: usize = 3;
/// So many lines and so many repositories are looked at.
const MAX_LINES: usize = 16;
const MAX_FOLDERS: usize = 4;
const MAX_CONFIG: u64 = 256 * 1024;

/// Verbs that are git's own: no alias can stand in their place. One that is
/// missing here costs a look, and nothing else.
const VERBS: &str = " add am annotate apply archive bisect blame branch bundle cat-file \
    check-attr check-ignore checkout cherry cherry-pick clean clone commit commit-tree config \
    count-objects credential describe diff diff-files diff-index diff-tree difftool \
    fast-export fast-import fetch filter-branch for-each-ref format-patch fsck gc grep \
    hash-object help init log ls-files ls-remote ls-tree maintenance merge merge-base \
    merge-tree mergetool mv name-rev notes pack-objects prune pull push range-diff read-tree \
    rebase reflog remote repack replace rerere reset restore rev-list rev-parse revert rm \
    send-email shortlog show show-branch show-ref sparse-checkout stash status stripspace \
    submodule subtree switch symbolic-ref tag update-index update-ref var verify-commit \
    verify-pack verify-tag version whatchanged worktree write-tree ";

fn is_git(run: &Run) -> bool {
    run.program.rsplit('/').next() == Some("git")
}

/// Reads what the aliases among a call's commands stand for, from one of its
/// readings on.
pub(super) fn aliases(
    call: &mut ToolCall,
    from: usize,
    cwd: &Path,
    options: &Options,
    until: Instant,
    world: &World,
) {
    let mut known = BTreeMap::new();
    let mut from = from;
    for _ in 0..MAX_DEPTH {
        let mut lines: Vec<String> = Vec::new();
        for reading in &call.readings[from..] {
            for run in reading.runs.iter().filter(|it| is_git(it)) {
                // The words are made only for what looks like no verb.
                let Some((verb, arguments)) = unknown_verb(run) else { continue };
                let arguments = quoted(&arguments);
                if is_elsewhere(run, call) {
                    // Whatever it may stand for: an unknown verb, or an unknown program.
                    lines.push(format!("git ${{it}} {arguments}"));
                    continue;
                }
                for folder in folders(run, reading, cwd, world) {
                    if known.len() >= MAX_FOLDERS && !known.contains_key(&folder) {
                        continue;
                    }
                    let said =
                        known.entry(folder).or_insert_with_key(|folder| looked_up(folder, until));
                    let Some(said) = said else {
                        lines.push(format!("git ${{it}} {arguments}"));
                        continue;
                    };
                    for text in said.iter().filter(|it| it.0 == verb).map(|it| &it.1) {
                        lines.push(match text.trim_start().strip_prefix('!') {
                            Some(code) => format!("{code} {arguments}"),
                            None => format!("git {text} {arguments}"),
                        });
                    }
                }
            }
        }
        lines.sort_unstable();
        lines.dedup();
        lines.truncate(MAX_LINES);
        from = call.readings.len();
        call.read_lines(&lines, options);
    }
}

/// The verb of a run of git that git itself does not know, in small letters as
/// git compares it, and what follows.
fn unknown_verb(run: &Run) -> Option<(String, Vec<String>)> {
    let words = run.words();
    let [_, verb, arguments @ ..] = &words[..] else { return None };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
    let is_word = !verb.is_empty() && !verb.starts_with('-') && verb.chars().all(is_name);
    (is_word && !VERBS.contains(&format!(" {verb} ")))
        .then(|| (verb.to_lowercase(), arguments.iter().map(|it| (*it).to_owned()).collect()))
}

fn quoted(words: &[String]) -> String {
    let words = words.iter().map(|it| format!("'{}'", it.replace('\'', "'\\''")));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether the alias may stand in a file that cannot be looked up: another
/// configuration by the environment or an option, or one that the call itself
/// writes.
fn is_elsewhere(run: &Run, call: &ToolCall) -> bool {
    let is_place = |name: &str| {
        name.starts_with("GIT_CONFIG") || matches!(name, "GIT_DIR" | "HOME" | "XDG_CONFIG_HOME")
    };
    let is_option = |it: &String| {
        let it = it.to_lowercase();
        it.starts_with("include") || it.starts_with("--git-dir") || it.starts_with("--config-env")
    };
    let is_config = |path: &str| {
        path.ends_with("gitconfig") || path.ends_with("config") && path.contains("git")
    };
    let lower = || call.json.to_lowercase();
    run.assignments.iter().any(|(name, _)| is_place(name))
        || run.argv.iter().any(is_option)
        || call.json.contains("GIT_CONFIG")
        || ["include.path", "includeif."].iter().any(|it| lower().contains(it))
        || call.readings.iter().flat_map(|it| &it.writes).any(|it| is_config(&it.path))
}

/// Where a run of git may stand: `-C`, else where the line stands, and where it
/// goes.
fn folders(run: &Run, reading: &Reading, cwd: &Path, world: &World) -> Vec<PathBuf> {
    let mut folders = vec![cwd.to_owned()];
    let goes = reading.runs.iter().filter(|it| matches!(it.program.as_str(), "cd" | "pushd"));
    for place in goes.filter_map(|it| it.argv.get(1)) {
        folders.push(super::scripts::absolute(place, cwd, world));
    }
    let mut words = run.argv.iter();
    while let Some(word) = words.next() {
        if word == "-C"
            && let Some(place) = words.next()
        {
            for folder in &mut folders {
                *folder = super::scripts::absolute(place, folder, world);
            }
        }
    }
    folders.retain(|it| it.is_dir());
    folders.dedup();
    folders.truncate(MAX_FOLDERS);
    folders
}

/// The aliases of a repository and of the user, which git itself puts together.
/// `None` if it did not answer.
fn looked_up(folder: &Path, until: Instant) -> Option<Vec<(String, String)>> {
    let mut git = process::command("git");
    git.current_dir(folder).args(["config", "--null", "--get-regexp", r"^alias\."]);
    for name in git::PLACES {
        git.env_remove(name);
    }
    let ran = match process::run(git, until) {
        Ok(ran) => ran,
        // No git, no alias.
        Err(process::Error::Start(..)) => return Some(Vec::new()),
        Err(_) => return None,
    };
    let said = String::from_utf8_lossy(&ran.stdout);
    let lines = said.split('\0').filter_map(|it| it.split_once('\n'));
    let aliases = lines.filter_map(|(key, text)| {
        Some((key.strip_prefix("alias.")?.to_lowercase(), text.to_owned()))
    });
    Some(aliases.collect())
}

/// The hook scripts of the repositories that a line's runs of git come by.
pub(super) fn hooks(reading: &Reading, cwd: &Path, until: Instant, world: &World) -> Vec<Script> {
    let mut found = Vec::new();
    for run in reading.runs.iter().filter(|it| is_git(it)) {
        let words = run.words();
        let Some(verb) = words.get(1) else { continue };
        for folder in folders(run, reading, cwd, world) {
            let Some(hooks) = hooks_folder(&folder, until, world) else { continue };
            for name in shell::hooks_of(verb) {
                let path = hooks.join(name);
                // git runs what may be run, and nothing else.
                let runs = path.metadata().is_ok_and(|it| it.permissions().mode() & 0o111 != 0);
                let script = Script {
                    path: path.to_string_lossy().into_owned(),
                    interpreter: Interpreter::Itself,
                    arguments: Vec::new(),
                    conditional: run.conditional,
                };
                if runs && !found.contains(&script) {
                    found.push(script);
                }
            }
        }
    }
    found
}

/// Where the hooks of the repository around a folder lie.
fn hooks_folder(folder: &Path, until: Instant, world: &World) -> Option<PathBuf> {
    let (root, entry) =
        folder.ancestors().map(|it| (it, it.join(".git"))).find(|(_, it)| it.exists())?;
    let mut place = entry.clone();
    // A work tree of its own, or a submodule.
    if entry.is_file() {
        let text = read_text(&entry, MAX_CONFIG)?;
        place = root.join(text.trim().strip_prefix("gitdir:")?.trim());
        if let Some(common) = read_text(&place.join("commondir"), MAX_CONFIG) {
            place = place.join(common.trim());
        }
    }
    let home = world.user_home.as_deref();
    let of_user = [".gitconfig", ".config/git/config"];
    let of_user = home.into_iter().flat_map(|home| of_user.map(|it| home.join(it)));
    let named = world.var("GIT_CONFIG_GLOBAL").map(PathBuf::from);
    let configs = ["config", "config.worktree"].map(|it| place.join(it)).into_iter();
    let mut configs = configs.chain(of_user).chain(named);
    let says = |path: PathBuf| {
        let text = read_text(&path, MAX_CONFIG).unwrap_or_default().to_lowercase();
        text.contains("hookspath") || text.contains("[include")
    };
    if !configs.any(says) {
        return Some(place.join("hooks"));
    }
    let mut git = process::command("git");
    git.current_dir(folder).args(["rev-parse", "--git-path", "hooks"]);
    for name in git::PLACES {
        git.env_remove(name);
    }
    let ran = process::run(git, until).ok().filter(|it| it.ok)?;
    Some(folder.join(String::from_utf8_lossy(&ran.stdout).trim()))
}
