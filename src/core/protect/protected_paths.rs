//! The protected places, and whether a path is one, is below one or contains one.
//!
//! Paths are compared as written and with links resolved. Patterns (`*`, `?`, `[`) and [`HOLE`]s
//! may match several names.

use crate::{
    core::client_files,
    shell::{self, HOLE},
};

/// A file in the client's folder `plugins` that lists installed plugins and their sources.
pub const INSTALLED_PLUGINS: &str = "installed_plugins.json";
pub const KNOWN_MARKETPLACES: &str = "known_marketplaces.json";

const MARKED: [&str; 5] = [".roz", ".grove", ".orchestration", "subagents", "tasks"];

/// Absolute paths, each as written and with links resolved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Places {
    /// `ROZ_HOME`, and files of roz's that the configuration places elsewhere.
    pub home: Vec<String>,
    pub config_dirs: Vec<String>,
    /// The plugin's folders, and the client's lists of plugins.
    pub plugin: Vec<String>,
    /// This executable, and other `roz` executables on PATH.
    pub binary: Vec<String>,
    /// Folders of PATH, if the call may concern a `roz` in one.
    pub path: Vec<String>,
    /// The client's transcripts of this session's subagents.
    pub notes: Vec<String>,
    /// Projects with client settings and roz configuration.
    pub projects: Vec<String>,
    pub temporary: Vec<String>,
}

fn is_agents(part: &str) -> bool {
    client_files::folders().any(|folder| fits(part, folder))
}

impl Places {
    /// A cheap test: a line may name thousands of paths, and nearly all fail here.
    pub fn is_near(&self, path: &str) -> bool {
        let Self { home, config_dirs, plugin, binary, notes, .. } = self;
        let places = [home, config_dirs, plugin, binary, notes];
        let is_at = |place: &str| position(path, place) != Position::Apart;
        let is_marked = |part: &str| {
            MARKED.into_iter().chain(client_files::folders()).any(|name| fits(part, name))
        };
        parts(path).any(is_marked)
            || shell::last_part(path) == "roz"
            || places.into_iter().flatten().any(|place| is_at(place))
            || client_files::MANAGED.into_iter().any(is_at)
            || client_files::is_own_file(path)
            || client_files::is_root_settings(shell::last_part(path))
    }

    /// Includes settings that a client would read if started there.
    pub(super) fn is_settings(&self, path: &str) -> bool {
        let named = parts(path).collect::<Vec<_>>();
        let is_one = match named[..] {
            [.., folder, name] => {
                is_agents(folder) && client_files::settings().any(|setting| fits(name, setting))
            }
            _ => false,
        };
        let of_user = self.config_dirs.iter().any(|dir| {
            client_files::settings().any(|name| is_same_place(path, &format!("{dir}/{name}")))
        });
        let name = shell::last_part(path);
        of_user
            || client_files::is_root_settings(name) && !self.is_nobodys(path, name)
            || is_one && !client_files::folders().any(|folder| self.is_nobodys(path, folder))
            || client_files::MANAGED
                .into_iter()
                .any(|place| position(path, place) == Position::Inside)
    }

    /// Agent files are anywhere below a client's `agents` or `agent` folder.
    pub(super) fn is_agent_file(&self, path: &str) -> bool {
        let named: Vec<&str> = parts(path).collect();
        let is_folder = |name: &str| fits(name, "agents") || fits(name, "agent");
        named.windows(2).any(|pair| is_agents(pair[0]) && is_folder(pair[1]))
            || self
                .config_dirs
                .iter()
                .any(|dir| position(path, &format!("{dir}/agents")) == Position::Inside)
    }

    /// Whether no client and no roz reads this path: a fixture or template within a project, or a
    /// temporary folder.
    pub(super) fn is_nobodys(&self, path: &str, name: &str) -> bool {
        let Some(folder) = above(path, name) else { return false };
        // If the user's own folders are in the project, it is the home directory.
        let is_home = |project: &String| {
            self.config_dirs.iter().any(|dir| position(dir, project) == Position::Inside)
        };
        let is_read = self.projects.iter().any(|project| is_same_place(folder, project));
        let is_below =
            |project: &String| position(folder, project) == Position::Inside && !is_home(project);
        // The client creates its work trees in its own folder.
        let in_work_tree = parts(folder).any(client_files::is_folder);
        !in_work_tree && !is_read && self.projects.iter().any(is_below)
            || self.is_temporary(path, name)
    }

    /// Whether the folder is in a temporary folder that contains neither a project nor any of the
    /// user's folders.
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

/// The path before the first part that may have this name; `None` if that is unknown.
fn above<'a>(path: &'a str, name: &str) -> Option<&'a str> {
    let mut slashes = path.match_indices('/').map(|(at, _)| at);
    let is_it = |at: &usize| fits(path[at + 1..].split('/').next().unwrap_or_default(), name);
    let folder = &path[..slashes.find(is_it)?];
    (!folder.contains(['*', '?', '[', HOLE])).then_some(folder)
}

pub(super) fn parts(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|part| !part.is_empty() && *part != ".")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// Equal or below.
    Inside,
    /// Contains the place.
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

pub(super) fn is_same_place(path: &str, place: &str) -> bool {
    position(path, place) == Position::Inside && parts(path).count() == parts(place).count()
}

pub(super) fn fits(name: &str, part: &str) -> bool {
    if name == part {
        return true;
    }
    // `$name.$ext` may be any name, so it counts as none.
    let says_nothing = || name.chars().all(|c| matches!(c, HOLE | '.'));
    if !name.contains(['*', '?', '[', HOLE]) || name.starts_with(HOLE) && says_nothing() {
        return false;
    }
    // Globs match a leading dot only explicitly.
    let says_dot = name.trim_start_matches(HOLE).starts_with('.');
    if part.starts_with('.') && name.starts_with(['*', '?', '[', HOLE]) && !says_dot {
        return false;
    }
    // No file name is that long, and matching a longer pattern costs too much.
    name.len() > shell::limit::NAME || shell::pattern_matches(&name.replace(HOLE, "*"), part)
}
