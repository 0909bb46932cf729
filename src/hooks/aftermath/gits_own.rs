//! What of git's own folder runs something: the hooks, the settings that name a
//! program, and the files that say where those lie or which of them count. The look at the work tree leaves that folder alone, for git
//! writes there with each of its commands.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Component, Path, PathBuf},
};

use crate::{
    core::intent::{doubt::Stand, settings, state::Start},
    ledger::images::{Images, hash_of},
    world::{
        git,
        mtime_scan::{self, Time},
        read_head,
    },
};

/// So many files of a folder of hooks are looked at.
const MOST: usize = 200;
/// Of a longer configuration any change counts.
const LONGEST: usize = 1 << 20;
/// So deep a submodule lies: slashes in its name, and others that it lies within.
const DEEPEST: usize = 12;
/// So many submodules are looked at, and so many entries for them.
const MOST_MODULES: usize = 1000;
const MOST_ENTRIES: usize = 10_000;

/// How the configuration stands, of its files that are there.
#[derive(Default)]
pub(super) struct Stands {
    /// The hashes of those that lie in the project, so that there is a way back
    /// to their texts.
    pub(super) texts: Stand,
    /// What they say of what is run: of the texts the rest is nobody's business.
    pub(super) states: Stand,
}

pub(super) fn stands(project: &Path) -> Stands {
    let mut found = Stands::default();
    for own in owns(project) {
        let Some(read) = own.read() else { continue };
        if own.kind != Kind::OfModule && !Path::new(&own.name).is_absolute() {
            found.texts.insert(own.name.clone(), hash_of(&read.text));
        }
        found.states.insert(own.name, read.state());
    }
    found
}

/// What runs something and was changed since then, as paths from the project's
/// root where it lies there. `start` is of the call's beginning.
pub(super) fn changed(
    project: &Path,
    user_home: Option<&Path>,
    start: &Start,
    images: &Images,
) -> Vec<String> {
    let Some((_, common)) = git::git_dirs(project) else { return Vec::new() };
    let since = start.since;
    let mut found = Vec::new();
    let mut folders = vec![common.join("hooks")];
    for own in owns(project) {
        let read = own.read();
        let now = read.as_ref().map_or_else(nothing, Read::state);
        let Own { name, path, kind } = own;
        let before = start.of_git.as_ref();
        let before = before.map(|it| it.get(&name).cloned().unwrap_or_else(nothing));
        let is_same = before.unwrap_or_else(nothing) == now;
        // What lies in a folder that nobody ran hooks of is no hook.
        let known = start.sidecar.as_ref().and_then(|it| it.get(&name));
        let known = known.filter(|_| !is_same).and_then(|it| images.read(it));
        let said = match known {
            Some(text) => kind.settings(&text),
            None => read.map(|it| it.settings).unwrap_or_default(),
        };
        // A relative one counts from the work tree on, which a submodule says itself.
        let base = (kind == Kind::OfModule).then(|| work_tree(&path)).flatten();
        let base = base.unwrap_or_else(|| project.to_owned());
        for setting in said {
            if let Some(path) = setting.strip_prefix("core.hookspath=") {
                folders.push(match (path.strip_prefix("~/"), user_home) {
                    (Some(path), Some(home)) => home.join(path),
                    _ => base.join(path),
                });
            }
        }
        if kind == Kind::OfModule {
            let folder = path.with_file_name("hooks");
            let hooks = hooks(&folder, since).into_iter();
            found.extend(hooks.filter(|it| *it != folder).map(|it| shown(project, &it)));
        }
        // What it leads to may have been written, and not the link.
        let is_known = start.of_git.is_some();
        if !is_same && (is_known || is_touched(&path, since) || path.symlink_metadata().is_err()) {
            found.push(name);
        }
    }
    for folder in folders {
        found.extend(hooks(&folder, since).iter().map(|it| shown(project, it)));
    }
    found.sort();
    found.dedup();
    found
}

/// Where a submodule's files lie, by its configuration.
fn work_tree(config: &Path) -> Option<PathBuf> {
    let text = read_head(config, LONGEST)?;
    let settings = settings::running(&String::from_utf8_lossy(&text));
    let place = settings.iter().find_map(|it| it.strip_prefix("core.worktree="))?;
    let place = config.parent()?.join(place);
    Some(place.canonicalize().unwrap_or(place))
}

/// The hooks in a folder that were touched; the folder itself, where one is
/// gone and nothing else tells.
fn hooks(folder: &Path, since: Time) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.flatten().take(MOST).map(|it| it.path());
    let is_hook = |it: &PathBuf| it.extension().is_none_or(|it| it != "sample");
    let found: Vec<PathBuf> =
        paths.filter(|it| is_hook(it) && !it.is_dir() && is_touched(it, since)).collect();
    if found.is_empty() && is_touched(folder, since) { vec![folder.to_owned()] } else { found }
}

fn is_touched(path: &Path, since: Time) -> bool {
    path.symlink_metadata().is_ok_and(|it| mtime_scan::changed_at(&it) >= since)
}

/// A file of git's own that says what is run.
struct Own {
    /// As it is named here.
    name: String,
    path: PathBuf,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The configuration, the repository's or the work tree's.
    Config,
    /// That of a submodule, which says itself where its work tree is.
    OfModule,
    /// It says where git's own files lie, or to what files a filter is put: all
    /// of it counts.
    Pointer,
}

impl Kind {
    fn settings(self, text: &[u8]) -> BTreeSet<String> {
        let mut settings = match self {
            Self::Config | Self::OfModule => settings::running(&String::from_utf8_lossy(text)),
            Self::Pointer => BTreeSet::new(),
        };
        settings.retain(|it| self != Self::OfModule || !it.starts_with("core.worktree="));
        settings
    }
}

fn owns(project: &Path) -> Vec<Own> {
    let Some((own, common)) = git::git_dirs(project) else { return Vec::new() };
    let named = |(path, kind): (PathBuf, Kind)| Own { name: shown(project, &path), path, kind };
    let mut found = vec![
        (common.join("config"), Kind::Config),
        (own.join("config.worktree"), Kind::Config),
        (own.join("commondir"), Kind::Pointer),
        (common.join("info/attributes"), Kind::Pointer),
    ];
    let dot_git = project.join(".git");
    if own != dot_git {
        found.push((dot_git, Kind::Pointer));
    }
    let mut look = Modules { entries: MOST_ENTRIES, found: Vec::new() };
    look.add(&common.join("modules"), DEEPEST);
    // Those of a linked work tree.
    if own != common {
        look.add(&own.join("modules"), DEEPEST);
    }
    let modules = look.found;
    found.extend(modules.into_iter().map(|it| (it.join("config"), Kind::OfModule)));
    found.into_iter().map(named).collect()
}

/// The folders of submodules; the name of one may hold slashes.
struct Modules {
    /// So many entries are still looked at.
    entries: usize,
    found: Vec<PathBuf>,
}

impl Modules {
    fn add(&mut self, folder: &Path, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.flatten() {
            let Some(left) = self.entries.checked_sub(1) else { return };
            self.entries = left;
            if !entry.file_type().is_ok_and(|it| it.is_dir()) {
                continue;
            }
            let path = entry.path();
            let has = |it: &str| path.join(it).exists();
            let is_whole = has("HEAD");
            if is_whole || has("config") || has("hooks") {
                if self.found.len() >= MOST_MODULES {
                    return;
                }
                self.add(&path.join("modules"), depth);
                self.found.push(path.clone());
            }
            // `config` and `hooks` may be submodules themselves.
            if !is_whole {
                self.add(&path, depth);
            }
        }
    }
}

/// One of them, read once.
struct Read {
    text: Vec<u8>,
    /// What it says of what is run.
    settings: BTreeSet<String>,
    /// Of one that counts as a whole, what it holds; of one that is too long to be
    /// read to its end, when it was written.
    stamp: Option<String>,
}

impl Own {
    fn read(&self) -> Option<Read> {
        let path = &self.path;
        let text = read_head(path, LONGEST)?;
        let mut stamp = (self.kind == Kind::Pointer).then(|| hash_of(&text));
        if text.len() >= LONGEST {
            let meta = path.metadata().ok()?;
            if meta.len() > LONGEST as u64 {
                let mtime = (meta.mtime(), meta.mtime_nsec());
                let ctime = (meta.ctime(), meta.ctime_nsec());
                stamp = Some(format!("stamp:{}-{mtime:?}-{ctime:?}", meta.len()));
            }
        }
        Some(Read { settings: self.kind.settings(&text), text, stamp })
    }
}

impl Read {
    /// By what it is told apart.
    fn state(&self) -> String {
        self.stamp.clone().unwrap_or_else(|| of_settings(&self.settings))
    }
}

/// The state of a file that says of nothing what is run, and of none.
fn nothing() -> String {
    of_settings(&BTreeSet::new())
}

fn of_settings(settings: &BTreeSet<String>) -> String {
    // No text of a setting holds the letter between them.
    hash_of(settings.iter().map(String::as_str).collect::<Vec<_>>().join("\0").as_bytes())
}

fn shown(project: &Path, path: &Path) -> String {
    // From a work tree of its own to the repository it goes up again.
    let goes_up = path.components().any(|it| it == Component::ParentDir);
    let real = if goes_up { path.canonicalize().ok() } else { None };
    let path = real.as_deref().unwrap_or(path);
    path.strip_prefix(project).unwrap_or(path).to_string_lossy().into_owned()
}

/// Whether the user may run the file; none where there is none.
pub(super) fn is_executable(path: &Path) -> Option<bool> {
    let meta = path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
    Some(meta.permissions().mode() & 0o100 != 0)
}
