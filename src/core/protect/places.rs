//! Where the protected things are, and how a path is related to them.
//!
//! A path counts as it is named and as it is once links are followed. Patterns (`*`, `?`, `[`) and
//! [`HOLE`]s in it may be more than one name.

use crate::{
    core::agents,
    shell::{self, HOLE},
};

/// In the client's folder `plugins`: what it has installed, and from where.
pub const INSTALLED_PLUGINS: &str = "installed_plugins.json";
pub const KNOWN_MARKETPLACES: &str = "known_marketplaces.json";

/// Names that mark a path as one that a rule may be about.
const MARKED: [&str; 5] = [".roz", ".grove", ".orchestration", "subagents", "tasks"];

/// The protected places: absolute paths, each as it is named and as it really is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// `ROZ_HOME`, and what of roz's the configuration puts elsewhere.
    pub home: Vec<String>,
    /// The client's folders of the user.
    pub config_dirs: Vec<String>,
    /// Folders of the plugin, and the client's lists of plugins.
    pub plugin: Vec<String>,
    /// This program's file, and other `roz` on PATH.
    pub binary: Vec<String>,
    /// The folders of PATH, where the call may be about a `roz` in one.
    pub path: Vec<String>,
    /// The client's notes of this session's subagents.
    pub notes: Vec<String>,
    /// The folders whose settings the client reads, and whose configuration roz does.
    pub projects: Vec<String>,
    /// The system's folders for temporary files, and the user's own.
    pub temporary: Vec<String>,
}

/// Whether a part of a path may be an agent's folder.
fn is_agents(part: &str) -> bool {
    agents::folders().any(|folder| fits(part, folder))
}

impl Places {
    /// Whether any rule could be about a path. A line may name thousands; nearly all end here.
    pub fn is_near(&self, path: &str) -> bool {
        let Self { home, config_dirs, plugin, binary, notes, .. } = self;
        let places = [home, config_dirs, plugin, binary, notes];
        let is_at = |place: &str| position(path, place) != Position::Apart;
        let is_marked =
            |part: &str| MARKED.into_iter().chain(agents::folders()).any(|name| fits(part, name));
        parts(path).any(is_marked)
            || shell::last_part(path) == "roz"
            || places.into_iter().flatten().any(|place| is_at(place))
            || agents::MANAGED.into_iter().any(is_at)
            || agents::is_own_file(path)
    }

    /// Whether the client reads its settings from a file, now or when it is started there.
    pub(super) fn is_settings(&self, path: &str) -> bool {
        let named = parts(path).collect::<Vec<_>>();
        let is_one = match named[..] {
            [.., folder, name] => {
                is_agents(folder) && agents::settings().any(|setting| fits(name, setting))
            }
            _ => false,
        };
        let of_user = self.config_dirs.iter().any(|dir| {
            agents::settings().any(|name| is_same_place(path, &format!("{dir}/{name}")))
        });
        of_user
            || is_one && !agents::folders().any(|folder| self.is_nobodys(path, folder))
            || agents::MANAGED.into_iter().any(|place| position(path, place) == Position::Inside)
    }

    /// Whether a file defines an agent: it is somewhere in a folder `agents` of a client's.
    pub(super) fn is_agent_file(&self, path: &str) -> bool {
        let named: Vec<&str> = parts(path).collect();
        named.windows(2).any(|pair| is_agents(pair[0]) && fits(pair[1], "agents"))
            || self
                .config_dirs
                .iter()
                .any(|dir| position(path, &format!("{dir}/agents")) == Position::Inside)
    }

    /// Whether a path in a folder of this name (`.roz`, a client's) is read by nobody: within a
    /// project, but not its own (a fixture, a template), or in a temporary folder.
    pub(super) fn is_nobodys(&self, path: &str, name: &str) -> bool {
        let Some(folder) = above(path, name) else { return false };
        // A project that holds the user's own folders is the user's home.
        let is_home = |project: &String| {
            self.config_dirs.iter().any(|dir| position(dir, project) == Position::Inside)
        };
        let is_read = self.projects.iter().any(|project| is_same_place(folder, project));
        let is_below =
            |project: &String| position(folder, project) == Position::Inside && !is_home(project);
        // The client has its work trees in its own folder.
        let in_work_tree = parts(folder).any(agents::is_folder);
        !in_work_tree && !is_read && self.projects.iter().any(is_below)
            || self.is_temporary(path, name)
    }

    /// Whether the folder of this name in a path is in a temporary folder that has nothing to do
    /// with the session: neither a project nor anything of the user's is there.
    pub(super) fn is_temporary(&self, path: &str, name: &str) -> bool {
        let Some(folder) = above(path, name) else { return false };
        let is_below = |place: &String| {
            position(folder, place) == Position::Inside
                && parts(folder).count() > parts(place).count()
        };
        let is_users = |dir: &String| {
            let home = dir.rsplit_once('/').map_or("", |split| split.0);
            position(folder, home) != Position::Apart
        };
        self.temporary.iter().any(is_below)
            && self.projects.iter().all(|project| position(folder, project) == Position::Apart)
            && !self.config_dirs.iter().any(is_users)
    }
}

/// What is before the first part of a path that may have this name; `None` where that is not known.
fn above<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    let is_it = |at: &usize| fits(path[at + 1..].split('/').next().unwrap_or_default(), name);
    let folder = &path[..slashes.find(is_it)?];
    (!folder.contains(['*', '?', '[', HOLE])).then_some(folder)
}

pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

/// How a path is related to a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// It is the place, or below it.
    Inside,
    /// The place is below it.
    Above,
    Apart,
}

pub(super) fn position(path: &str, place: &str) -> Position {
    let (mut named, mut expected) = (parts(path), parts(place));
    let mut seen = 0;
    loop {
        match (named.next(), expected.next()) {
            (_, None) if seen == 0 => return Position::Apart,
            (_, None) => return Position::Inside,
            (None, Some(_)) => return Position::Above,
            (Some(name), Some(part)) if !fits(name, part) => return Position::Apart,
            (Some(_), Some(_)) => seen += 1,
        }
    }
}

/// Whether two paths may be the same.
pub(super) fn is_same_place(path: &str, place: &str) -> bool {
    position(path, place) == Position::Inside && parts(path).count() == parts(place).count()
}

/// Whether a part of a path, with patterns or holes in it, may be `part`.
pub(super) fn fits(name: &str, part: &str) -> bool {
    if name == part {
        return true;
    }
    // `$name.$ext` says nothing at all.
    let says_nothing = || name.chars().all(|c| matches!(c, HOLE | '.'));
    if !name.contains(['*', '?', '[', HOLE]) || name.starts_with(HOLE) && says_nothing() {
        return false;
    }
    // A pattern does not match the dot that a name begins with, unless it says so.
    let says_dot = name.trim_start_matches(HOLE).starts_with('.');
    if part.starts_with('.') && name.starts_with(['*', '?', '[', HOLE]) && !says_dot {
        return false;
    }
    // No file has such a name; what so long a pattern matches is not worth the time.
    name.len() > shell::limit::NAME || shell::pattern_matches(&name.replace(HOLE, "*"), part)
}
