//! What git runs that stands in files of its own: aliases, which may hide a
//! verb, and the hook scripts of a repository.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    io::ErrorKind,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::Instant,
};

pub(super) use super::git_places::Places;
use super::{
    git_config,
    git_moves::{self, Moves},
    git_places::{MAX_FOLDERS, is_git},
    scripts::absolute,
};
use crate::{
    core::event::{Beyond, ToolCall},
    shell::{self, Interpreter, Options, Reading, Run, Script},
    world::{self, World, git, process, try_beginning},
};

/// An alias of an alias of an alias.
const MAX_DEPTH: usize = 3;
/// So many lines and so many repositories' aliases are looked at. Beyond, a
/// line may run anything.
const MAX_LINES: usize = 64;
const MAX_ALIASED: usize = 4;
const MAX_CONFIG: u64 = 256 * 1024;
/// So many different commands of git are looked at. Beyond, a line may run anything.
const MAX_QUESTIONS: usize = 256;

/// The aliases of repositories, by their folders.
pub(super) type Known = BTreeMap<PathBuf, Option<Vec<(String, String)>>>;

/// Reads what the aliases among a call's commands stand for: of its readings
/// those up to the first place, and from the second one on.
pub(super) fn aliases(
    call: &mut ToolCall,
    (again, from): (usize, usize),
    known: &mut Known,
    (cwd, options, until, world): (&Path, &Options, Instant, &World),
) {
    let (mut again, mut from) = (again, from);
    for _ in 0..MAX_DEPTH {
        let mut lines: BTreeSet<String> = BTreeSet::new();
        let mut is_in_part = false;
        let elsewhere = OnceCell::new();
        for reading in call.readings[from..].iter().chain(&call.readings[..again]) {
            let places = OnceCell::new();
            for (at, run) in reading.runs.iter().enumerate().filter(|it| is_git(it.1)) {
                // The words are made only for what looks like no verb.
                let Some((verb, arguments)) = unknown_verb(run) else { continue };
                if lines.len() > MAX_LINES {
                    break;
                }
                let arguments = quoted(&arguments);
                // Whatever it may stand for: an unknown verb, or an unknown program.
                let unknown = format!("git ${{it}} {arguments}");
                if *elsewhere.get_or_init(|| is_elsewhere(call))
                    || git_moves::of_run(run) != Moves::No
                {
                    lines.insert(unknown);
                    continue;
                }
                let places = places.get_or_init(|| Places::of(reading, None, cwd, world));
                let (folders, are_known) = places.of_run(at, world);
                is_in_part |= !places.are_all || !are_known;
                for folder in folders {
                    let said = match known.get(&folder) {
                        Some(said) => said,
                        None if known.len() >= MAX_ALIASED => &None,
                        None => {
                            let said = looked_up(&folder, until);
                            known.entry(folder.clone()).or_insert(said)
                        }
                    };
                    let Some(said) = said else {
                        lines.insert(unknown.clone());
                        continue;
                    };
                    // Git takes the verb that is nearest.
                    if said.iter().any(|it| it.0.is_empty()) {
                        lines.insert(unknown.clone());
                    }
                    // What it stands for may be an alias there, too.
                    let goes = match folder.as_path() {
                        folder if folder == cwd => String::new(),
                        folder => {
                            format!("cd {} && ", quoted(&[folder.to_string_lossy().into_owned()]))
                        }
                    };
                    for text in said.iter().filter(|it| it.0 == verb).map(|it| &it.1) {
                        lines.insert(match text.trim_start().strip_prefix('!') {
                            Some(code) => format!("{goes}{code} {arguments}"),
                            None => format!("{goes}git {text} {arguments}"),
                        });
                    }
                }
            }
        }
        if is_in_part || lines.len() > MAX_LINES {
            call.read_in_part(Beyond::Repositories);
        }
        (again, from) = (0, call.readings.len());
        let lines: Vec<String> = lines.into_iter().take(MAX_LINES).collect();
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
    (is_word && !shell::is_git_verb(verb))
        .then(|| (verb.to_lowercase(), arguments.iter().map(|it| (*it).to_owned()).collect()))
}

fn quoted(words: &[String]) -> String {
    let words = words.iter().map(|it| format!("'{}'", it.replace('\'', "'\\''")));
    words.collect::<Vec<_>>().join(" ")
}

/// Whether an alias may stand in a configuration that a call names, or writes.
fn is_elsewhere(call: &ToolCall) -> bool {
    let is_config = |path: &str| {
        path.ends_with("gitconfig") || path.ends_with("config") && path.contains("git")
    };
    let lower = || call.json.to_lowercase();
    let includes = |it: &str| ["include.path", "includeif."].iter().any(|word| it.contains(word));
    call.json.contains("GIT_CONFIG")
        || call.readings.iter().flat_map(|it| &it.writes).any(|it| is_config(&it.path))
        || includes(&lower())
}

/// What is asked of a repository's configuration and the user's.
const ASKED: &str = r"^(alias\.|help\.autocorrect)";

/// The aliases of a repository and of the user, which git itself puts together;
/// one without a name where git corrects verbs by itself.
/// `None` if it did not answer.
fn looked_up(folder: &Path, until: Instant) -> Option<Vec<(String, String)>> {
    let mut git = process::command("git");
    git.current_dir(folder).args(["config", "--null", "--get-regexp", ASKED]);
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
    let aliases = lines.filter_map(|(key, text)| match key.strip_prefix("alias.") {
        Some(name) => Some((name.to_lowercase(), text.to_owned())),
        None => shell::corrects_verbs(text).then(|| (String::new(), text.to_owned())),
    });
    Some(aliases.collect())
}

/// What a repository has git run: its hook scripts, and the code in its
/// configuration.
#[derive(Default)]
pub(super) struct Brought {
    pub(super) hooks: Vec<Script>,
    pub(super) code: Vec<String>,
}

/// What has been asked of repositories over all the readings of a call: each
/// folder and each root once.
#[derive(Default)]
pub(super) struct Seen {
    roots: BTreeMap<PathBuf, Option<PathBuf>>,
    /// Where the hooks of a root lie, and whether all of its configuration was read.
    hooks: BTreeMap<PathBuf, (Option<PathBuf>, bool)>,
    names: BTreeMap<PathBuf, Option<Vec<OsString>>>,
}

/// What the repositories that a line's runs of git come by have them run, and
/// whether that is all.
pub(super) fn hooks(
    reading: &Reading,
    line: Option<&str>,
    seen: &mut Seen,
    (cwd, until, world): (&Path, Instant, &World),
) -> (Brought, bool) {
    let mut found = Brought::default();
    let mut are_all = true;
    let places = OnceCell::new();
    let Seen { roots, hooks: of_root, names: there } = seen;
    let moved = OnceCell::new();
    // Each verb is asked about once, and what differs in no more than its other words is no other
    // question.
    let mut asked: BTreeSet<(String, Vec<String>, bool, bool, usize, Moves)> = BTreeSet::new();
    for (at, run) in reading.runs.iter().enumerate().filter(|it| is_git(it.1)) {
        let words = run.words();
        let Some(verb) = words.get(1) else { continue };
        let names: Vec<&str> = shell::hooks_of(verb, &words[2..]).collect();
        let asks = if *verb == "hook" { words.join(" ") } else { (*verb).to_owned() };
        let may_have = shell::may_have_hooks(verb, &words[2..]);
        if !shell::runs_settings(verb) {
            continue;
        }
        let places = places.get_or_init(|| Places::of(reading, line, cwd, world));
        let goes = shell::git_folders(&run.argv);
        let place = git_moves::of_run(run);
        if asked.len() == MAX_QUESTIONS {
            are_all = false;
            break;
        }
        if !asked.insert((asks, goes, run.conditional, may_have, places.turn(at), place.clone())) {
            continue;
        }
        let (mut folders, are_known) = places.of_run(at, world);
        let mut are_known = are_known && !places.is_lost(at);
        are_known &= !*moved.get_or_init(|| git_moves::of_line(reading, line, cwd, world));
        match place {
            Moves::No => {}
            // The repository of a work tree that is there.
            Moves::To(place) => {
                let there = folders.iter().map(|it| absolute(&place, it, world));
                let roots: Vec<PathBuf> = there
                    .filter(|it| it.is_dir() && it.ends_with(".git"))
                    .filter_map(|it| it.parent().map(Path::to_owned))
                    .collect();
                are_known &= !roots.is_empty();
                folders.extend(roots);
            }
            Moves::Anywhere => are_known = false,
        }
        // A look at what may lie anywhere is no suspect.
        are_all &= places.are_all && (are_known || !may_have);
        for folder in folders {
            if roots.len() >= MAX_FOLDERS && !roots.contains_key(&folder) {
                are_all = false;
                continue;
            }
            let Some(root) = root_of(folder, roots) else { continue };
            let (hooks, all) = of_root
                .entry(root)
                .or_insert_with_key(|root| hooks_folder(root, until, world, &mut found.code));
            are_all &= *all;
            let Some(hooks) = hooks.as_ref().filter(|_| !names.is_empty()) else { continue };
            // One look at the folder for many at what it might hold.
            let there = there.entry(hooks.clone()).or_insert_with_key(|it| names_in(it));
            for name in &names {
                // A file system may fold the case.
                let is_named =
                    |it: &Vec<OsString>| it.iter().any(|it| it.eq_ignore_ascii_case(name));
                if there.as_ref().is_some_and(|it| !is_named(it)) {
                    continue;
                }
                let path = hooks.join(name);
                // git runs what may be run, and nothing else.
                let runs = path.metadata().is_ok_and(|it| it.permissions().mode() & 0o111 != 0);
                let script = Script {
                    path: path.to_string_lossy().into_owned(),
                    interpreter: Interpreter::Itself,
                    arguments: Vec::new(),
                    conditional: run.conditional,
                };
                if runs && !found.hooks.contains(&script) {
                    found.hooks.push(script);
                }
            }
        }
    }
    (found, are_all)
}

/// The repository of a folder. Many have those above them in common.
fn root_of(folder: PathBuf, known: &mut BTreeMap<PathBuf, Option<PathBuf>>) -> Option<PathBuf> {
    let above = folder.ancestors().find_map(|it| {
        let known = known.get(it).cloned();
        known.or_else(|| it.join(".git").exists().then(|| Some(it.to_owned())))
    });
    let root = above.flatten();
    known.insert(folder, root.clone());
    root
}

fn is_missing(err: &std::io::Error) -> bool {
    matches!(err.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// `None` for a folder that does not tell: git runs what is in it all the same.
fn names_in(folder: &Path) -> Option<Vec<OsString>> {
    match world::names(folder) {
        Ok(names) => Some(names),
        Err(err) => is_missing(&err).then(Vec::new),
    }
}

/// Where the hooks of the repository of a work tree lie. `code` takes on what
/// its configuration has git run; and whether that is all.
fn hooks_folder(
    root: &Path,
    until: Instant,
    world: &World,
    code: &mut Vec<String>,
) -> (Option<PathBuf>, bool) {
    // A work tree of its own, or a submodule.
    let Some((own, place)) = git::git_dirs(root) else { return (None, true) };
    let home = world.user_home.as_deref();
    let of_user = [".gitconfig", ".config/git/config"];
    let of_xdg = world.var("XDG_CONFIG_HOME").map(|it| Path::new(it).join("git/config"));
    let system = world.var("GIT_CONFIG_SYSTEM").unwrap_or("/etc/gitconfig");
    let is_off = world.var("GIT_CONFIG_NOSYSTEM").is_some_and(|it| !matches!(it, "0" | "false"));
    let system = (!is_off).then(|| PathBuf::from(system));
    let of_user = home.into_iter().flat_map(|home| of_user.map(|it| home.join(it)));
    let named = world.var("GIT_CONFIG_GLOBAL").map(PathBuf::from);
    let mut configs = vec![place.join("config"), place.join("config.worktree")];
    if own != place {
        configs.push(own.join("config.worktree"));
    }
    let mut moves = false;
    let mut includes = false;
    let mut are_all = true;
    for path in configs.into_iter().chain(of_user).chain(of_xdg).chain(named).chain(system) {
        let (text, is_whole) = match try_beginning(&path, MAX_CONFIG) {
            Ok(read) => read,
            // What is there and cannot be read may say anything. Git passes over what it may not
            // even look for.
            Err(err) => {
                let may_not_look = || {
                    err.kind() == ErrorKind::PermissionDenied && path.symlink_metadata().is_err()
                };
                are_all &= is_missing(&err) || path == Path::new("/dev/null") || may_not_look();
                continue;
            }
        };
        are_all &= is_whole;
        code.extend(git_config::code(&text));
        let text = text.to_lowercase();
        moves |= text.contains("hookspath");
        includes |= text.contains("[include");
    }
    if includes {
        match asked(root, &["config", "--null", "--list"], until) {
            Some(said) => code.extend(said.split('\0').filter_map(|it| {
                let (key, value) = it.split_once('\n')?;
                shell::is_git_code(key).then(|| git_config::worth(value))?
            })),
            None => are_all = false,
        }
    }
    if !moves && !includes {
        return (Some(place.join("hooks")), are_all);
    }
    let said = asked(root, &["rev-parse", "--git-path", "hooks"], until);
    let hooks = said.as_ref().map(|it| root.join(it.trim()));
    (hooks, are_all && said.is_some())
}

/// What git says about a work tree. `None` if it did not answer; without git,
/// there is nothing to say.
fn asked(root: &Path, arguments: &[&str], until: Instant) -> Option<String> {
    let mut git = process::command("git");
    git.current_dir(root).args(arguments);
    for name in git::PLACES {
        git.env_remove(name);
    }
    match process::run(git, until) {
        Ok(ran) => ran.ok.then(|| String::from_utf8_lossy(&ran.stdout).into_owned()),
        Err(process::Error::Start(..)) => Some(String::new()),
        Err(_) => None,
    }
}
