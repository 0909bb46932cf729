//! Finds and reads the configuration files, and decides who may set what. `core::policy` says what
//! the keys mean.
//!
//! Reading never fails. An unusable key is reported and keeps its default or the lower layer's
//! value, so a typo switches no gate off. An unreadable file keeps its last readable text.

mod cache;
mod check_value;
mod client_env;
mod confirmed_copy;
mod diagnostic;
pub mod keys;
mod layer;
mod merge;
mod schema;
mod show;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::{
    client_env::set_by_project,
    confirmed_copy::{hold, keep_confirmed, laxer, release},
    diagnostic::{Diagnostic, Place, nearest},
    keys::{KEYS, Key, Kind, May},
    schema::schema,
};
use self::{
    keys::{FINDERS, OTHER_VARIABLES},
    layer::Layer,
    merge::{Author, Draft},
};
use crate::{
    core::policy::Policy,
    world::{
        cached,
        file_identity::{self as file, Stamp},
    },
};

/// In bytes, of a `config.toml`.
const LARGEST: u64 = 1 << 20;

#[derive(Debug, Clone, Default)]
pub struct Sources {
    pub roz_home: PathBuf,
    /// `ROZ_CONFIG`, or else `<ROZ_HOME>/config.toml`.
    pub user_file: PathBuf,
    /// What `~` stands for. The client settings in it are the user's, not a project's.
    pub home: Option<PathBuf>,
    pub project: Option<PathBuf>,
    /// Set if the project is a linked work tree.
    pub main: Option<PathBuf>,
    pub launch_dir: Option<PathBuf>,
    /// Only variables whose names begin with `ROZ_` are read.
    pub env: Vec<(String, String)>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Loaded {
    pub policy: Policy,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
pub struct Full {
    pub policy: Policy,
    pub diagnostics: Vec<Diagnostic>,
    /// In the order of [`KEYS`].
    pub settings: Vec<Set>,
    pub files: Vec<PathBuf>,
}

#[derive(Debug)]
pub struct Set {
    pub key: &'static Key,
    pub value: Value,
    /// Empty for a default. A list or table may come from several places.
    pub origins: Vec<Origin>,
}

/// As JSON `{"file", "line", "variable", "by_project"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Origin {
    #[serde(flatten)]
    pub place: Place,
    pub by_project: bool,
}

/// For hooks: cached as long as nothing has changed.
pub fn load(sources: &Sources) -> Loaded {
    let seen = Seen::now(sources);
    if seen.is_bare() {
        return Loaded::default();
    }
    let entry = cache::entry(&sources.roz_home, &sources.user_file, sources.project.as_deref());
    if let Some(loaded) = cache::read(&entry, &seen) {
        return loaded;
    }
    anew(sources, &seen, &entry)
}

/// A separate function, so that its large stack frame is not part of every hook.
#[cold]
#[inline(never)]
fn anew(sources: &Sources, seen: &Seen, entry: &Path) -> Loaded {
    let pending = cached::begin(entry);
    let Resolved { full, readable } = resolve(sources, seen);
    for (path, text) in &readable {
        cache::keep_readable(&sources.roz_home, path, text);
    }
    let loaded = Loaded { policy: full.policy, diagnostics: full.diagnostics };
    if let Some(pending) = pending {
        cache::finish(pending, seen, &loaded);
    }
    loaded
}

/// Without the cache. Writes nothing.
pub fn load_fresh(sources: &Sources) -> Full {
    resolve(sources, &Seen::now(sources)).full
}

/// `.roz`, or `.grove` if only that exists.
pub fn project_dir(root: &Path) -> PathBuf {
    let (ours, older) = (root.join(".roz"), root.join(".grove"));
    if !ours.exists() && older.exists() { older } else { ours }
}

/// If there is no configuration, the folders need not be checked.
fn project_file(root: &Path) -> file::Seen {
    let [ours, older] = [".roz", ".grove"].map(|text| root.join(text).join("config.toml"));
    let ours = file::Seen::at(ours);
    if !ours.is_absent() {
        return ours;
    }
    let older = file::Seen::at(older);
    if older.is_absent() || root.join(".roz").exists() { ours } else { older }
}

/// The state of everything that a configuration depends on, from `stat` calls.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Seen {
    home: Option<PathBuf>,
    user: file::Seen,
    project: Option<file::Seen>,
    main: Option<file::Seen>,
    /// Read only if there are variables.
    client_settings: Vec<file::Seen>,
    /// Known variables, and the names of misspelt ones.
    variables: Vec<(String, String)>,
}

impl Seen {
    fn now(sources: &Sources) -> Self {
        let held = file::Seen::at(confirmed_copy::path(&sources.roz_home, &sources.user_file));
        let user = if held.is_absent() { file::Seen::at(sources.user_file.clone()) } else { held };
        let of_project = |root: &PathBuf| {
            let file = project_file(root);
            let is_users =
                file.path.parent() == Some(&sources.roz_home) || file.is_same_file(&user);
            (!is_users).then_some(file)
        };
        let project = sources.project.as_ref().and_then(of_project);
        let main = sources.main.as_ref().and_then(of_project);
        let main = main.filter(|main| !project.as_ref().is_some_and(|own| own.is_same_file(main)));
        let variables: Vec<_> = sources.env.iter().filter_map(relevant).collect();
        let mut client_settings = Vec::new();
        if !variables.is_empty() {
            let dirs = dirs(sources);
            let files = client_env::settings_files(&dirs, sources.home.as_deref());
            client_settings = files.into_iter().map(file::Seen::at).collect();
        }
        Self { home: sources.home.clone(), user, project, main, client_settings, variables }
    }

    fn is_bare(&self) -> bool {
        let mut files = [&self.user].into_iter().chain(self.of_projects());
        files.all(file::Seen::is_absent) && self.variables.is_empty()
    }

    fn files(&self) -> impl Iterator<Item = &file::Seen> {
        [&self.user].into_iter().chain(self.of_projects()).chain(&self.client_settings)
    }

    /// In the order in which they are merged.
    fn of_projects(&self) -> impl Iterator<Item = &file::Seen> {
        self.main.iter().chain(&self.project)
    }
}

fn dirs(sources: &Sources) -> Vec<&Path> {
    sources.project.iter().chain(&sources.launch_dir).map(PathBuf::as_path).collect()
}

/// Empty variables count as unset, and other programs' variables are not reported.
fn relevant((name, value): &(String, String)) -> Option<(String, String)> {
    if value.is_empty() || !name.starts_with("ROZ_") || OTHER_VARIABLES.contains(&name.as_str()) {
        None
    } else if FINDERS.contains(&name.as_str()) || keys::by_variable(name).is_some() {
        Some((name.clone(), value.clone()))
    } else {
        intended(name).map(|_| (name.clone(), String::new()))
    }
}

/// The variable that a misspelt one was meant to be. Similarity alone is not enough, because other
/// programs may have similar names.
fn intended(name: &str) -> Option<&'static str> {
    let bare = name.strip_prefix("ROZ_").filter(|rest| (1..=64).contains(&rest.len()))?;
    let mut known = KEYS.iter().filter_map(|key| key.variable).chain(FINDERS);
    let is_end = |text: &&str| text.strip_suffix(bare).is_some_and(|rest| rest.ends_with('_'));
    let is_like = |text: &&str| strsim::osa_distance(name, text) <= (text.len() - 4) / 4;
    known.clone().find(is_end).or_else(|| known.find(is_like))
}

struct Resolved {
    full: Full,
    readable: Vec<(PathBuf, String)>,
}

fn resolve(sources: &Sources, seen: &Seen) -> Resolved {
    let mut readable = Vec::new();
    let mut draft = Draft::new(&sources.user_file);
    draft.lay(read_file(sources, &seen.user, &mut readable), Author::User);

    let author = |root: &Option<PathBuf>, policy: &Policy| Author::Project {
        trusted: root.as_deref().is_some_and(|root| is_trusted(root, policy)),
    };
    let main = author(&sources.main, draft.policy());
    let project = author(&sources.project, draft.policy());
    let own = seen.project.as_ref().filter(|project| !project.is_absent());
    let own = own.map(|file| read_file(sources, file, &mut readable));
    if let Some(file) = &seen.main {
        let mut layer = read_file(sources, file, &mut readable);
        if let Some(own) = &own {
            keep_gates(&mut layer, own);
        }
        draft.lay(layer, main);
    }
    draft.lay(own.unwrap_or_default(), project);

    let home = sources.home.as_deref();
    let names = seen.variables.iter().map(|(name, _)| name.as_str());
    let theirs = set_by_project(names, &dirs(sources), home);
    let variables = || seen.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let is_theirs = |pair: &(&str, &str)| theirs.contains(&pair.0);
    draft.lay(layer::from_variables(variables().filter(is_theirs), home), project);
    draft.lay(
        layer::from_variables(variables().filter(|variable| !is_theirs(variable)), home),
        Author::User,
    );
    for (name, value) in variables() {
        draft.diagnostics.extend(misplaced(name, theirs.contains(&name)));
        let is_named = sources.user_file != sources.roz_home.join("config.toml");
        let names_nothing = seen.user.is_absent() && is_named;
        if name == "ROZ_CONFIG" && names_nothing {
            draft.diagnostics.push(Diagnostic {
                place: Place::variable(name),
                problem: format!("there is no file {}", diagnostic::quoted(value)),
                remedy: "until there is one the user's configuration is empty".to_owned(),
            });
        }
    }

    let files = [&seen.user].into_iter().chain(seen.of_projects()).filter(|seen| !seen.is_absent());
    let files = files.map(|file| file.path.clone()).collect();
    let (policy, diagnostics, settings) = draft.finish();
    Resolved { full: Full { policy, diagnostics, settings, files }, readable }
}

/// Keeps those keys of the main work tree's file that a linked one's own file does not replace:
/// added gates and stricter values.
fn keep_gates(main: &mut Layer, own: &Layer) {
    let is_replaced = |key: &Key| {
        matches!(key.kind, Kind::Rows(_))
            && own.settings.iter().any(|setting| setting.key.path == key.path)
    };
    main.settings.retain(|setting| {
        matches!(setting.key.project, May::Add | May::Only(_) | May::Stricter)
            && !is_replaced(setting.key)
    });
}

fn misplaced(name: &str, is_projects: bool) -> Option<Diagnostic> {
    if keys::by_variable(name).is_some() {
        return None;
    }
    let place = Place::variable(name);
    if FINDERS.contains(&name) {
        return is_projects.then(|| Diagnostic {
            place,
            problem: "ignored: the project's client settings set it".to_owned(),
            remedy: "the user sets it in the environment, or in the user's settings".to_owned(),
        });
    }
    let remedy = format!("did you mean {}?", intended(name)?);
    Some(Diagnostic { place, problem: "there is no such variable".to_owned(), remedy })
}

fn is_trusted(project: &Path, policy: &Policy) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let Some(project) = real(project) else { return false };
    policy.trust.projects.iter().any(|path| real(path).as_ref() == Some(&project))
}

fn read_file(sources: &Sources, file: &file::Seen, readable: &mut Vec<(PathBuf, String)>) -> Layer {
    if file.stamp == Stamp::Absent {
        return Layer::default();
    }
    let home = sources.home.as_deref();
    let read = read_text(&file.path).and_then(|text| {
        let layer = layer::parse(&text, &file.path, home)?;
        readable.push((file.path.clone(), text));
        Ok(layer)
    });
    read.unwrap_or_else(|mut diagnostic| {
        let last = cache::last_readable(&sources.roz_home, &file.path);
        let last = last.and_then(|last| layer::parse(&last, &file.path, home).ok());
        let what =
            if last.is_some() { "its last readable version applies" } else { "it is ignored" };
        diagnostic.remedy = format!("until it is fixed {what}");
        Layer { settings: last.unwrap_or_default().settings, diagnostics: vec![diagnostic] }
    })
}

/// The caller adds the remedy.
fn read_text(path: &Path) -> Result<String, Diagnostic> {
    let broken = |problem: String, line| Diagnostic {
        place: Place::file(path, line),
        problem,
        remedy: String::new(),
    };
    let bytes = match file::read(path, LARGEST) {
        Ok(bytes) => bytes.unwrap_or_default(),
        Err(err) => return Err(broken(format!("cannot be read: {err}"), None)),
    };
    let text = String::from_utf8(bytes).map_err(|err| {
        let valid = err.utf8_error().valid_up_to();
        let line = layer::line(&String::from_utf8_lossy(err.as_bytes()), valid);
        broken("not UTF-8".to_owned(), Some(line))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}
