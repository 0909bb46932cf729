//! What in a line has git take another repository, or another configuration,
//! than those that lie where it stands.

use std::path::{Component, Path};

use super::{git_places::is_git, scripts};
use crate::{
    shell::{self, HOLE, How, Reading, Run},
    world::World,
};

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moves {
    No,
    /// The repository at this path.
    To(String),
    Anywhere,
}

/// Variables that say where git finds its repository and its configuration.
fn is_place(name: &str) -> bool {
    let is_config = name.starts_with("GIT_CONFIG") && name != "GIT_CONFIG_NOSYSTEM";
    is_config || matches!(name, "GIT_DIR" | "GIT_COMMON_DIR" | "HOME" | "XDG_CONFIG_HOME")
}

/// By its own environment and its own options.
pub(super) fn of_run(run: &Run) -> Moves {
    let mut found = Moves::No;
    let mut to = |path: &str| {
        let is_one = found == Moves::No && !path.contains(HOLE);
        found = if is_one { Moves::To(path.to_owned()) } else { Moves::Anywhere };
    };
    let places = run.assignments.iter().filter(|it| is_place(&it.0));
    for (name, value) in places.filter(|it| it.1 != "/dev/null") {
        if name != "GIT_DIR" {
            return Moves::Anywhere;
        }
        to(value);
    }
    for (name, value) in shell::git_options(&run.argv) {
        match (name.as_str(), value.as_deref().unwrap_or_default()) {
            ("git-dir", path) => to(path),
            ("c", it) if includes(it) => return Moves::Anywhere,
            ("config-env", _) => return Moves::Anywhere,
            _ => {}
        }
    }
    found
}

fn includes(setting: &str) -> bool {
    setting.to_lowercase().starts_with("include") || setting.starts_with(HOLE)
}

/// By what the line sets and writes besides.
pub(super) fn of_line(reading: &Reading, line: Option<&str>, cwd: &Path, world: &World) -> bool {
    reading.runs.iter().any(sets)
        || line.is_some_and(assigns)
        || reading.writes.iter().any(|it| writes(&scripts::absolute(&it.path, cwd, world), it.how))
}

/// `export GIT_DIR=x`, `git config include.path x`
fn sets(run: &Run) -> bool {
    let is_named = |it: &String| is_place(it.split_once('=').map_or(it.as_str(), |it| it.0));
    match run.program.as_str() {
        "export" | "declare" | "typeset" | "local" | "readonly" => run.argv.iter().any(is_named),
        _ if is_git(run) => match &run.words()[..] {
            [_, "config", words @ ..] => {
                let is_question = words.iter().any(|it| it.starts_with("--get"));
                !is_question && words.iter().any(|it| it.to_lowercase().starts_with("include"))
            }
            _ => false,
        },
        _ => false,
    }
}

/// `HOME=x;`, which programs are told of without an `export`; and `env -C`, of which nothing is
/// left in what `env` runs.
fn assigns(line: &str) -> bool {
    // What `is_place` knows, by what is in each of them: most lines have none of it.
    let names_any = || ["GIT_", "HOME"].iter().any(|it| line.contains(it));
    let (has_names, has_env) = (line.contains('=') && names_any(), line.contains("env"));
    let assigns = |command: &str| {
        let mut names = command.split_whitespace().map(|it| it.split_once('=').map(|it| it.0));
        names.clone().flatten().any(is_place) && names.all(|it| it.is_some())
    };
    (has_names || has_env)
        && line
            .split([';', '&', '|', '(', ')', '{', '}', '\n'])
            .any(|it| has_names && assigns(it) || has_env && leaves(it))
}

fn leaves(command: &str) -> bool {
    let mut words = command.split_whitespace();
    words.any(|it| shell::last_part(it) == "env")
        && words
            .take_while(|it| it.starts_with('-') || it.contains('='))
            .any(|it| it.starts_with("-C") || it.starts_with("--chdir"))
}

/// Whether that puts other hooks or another configuration in a repository's place, or the user's.
/// A script among the hooks is read as what the line writes.
fn writes(path: &Path, how: How) -> bool {
    let is_gits = || path.as_os_str().as_encoded_bytes().windows(3).any(|it| it == b"git");
    if matches!(how, How::Remove | How::Chmod | How::Directory | How::Lock | How::Touch)
        || !is_gits()
    {
        return false;
    }
    let parts: Vec<&str> = path
        .components()
        .filter(|it| *it != Component::CurDir)
        .filter_map(|it| it.as_os_str().to_str())
        .collect();
    let last = parts.last().copied().unwrap_or_default();
    let own = parts.iter().rposition(|it| *it == ".git");
    let is_below = own.is_some_and(|at| {
        matches!(
            &parts[at + 1..],
            [] | ["config" | "config.worktree" | "commondir" | "hooks"]
                | ["worktrees" | "modules", ..]
        )
    });
    is_below || last == ".gitconfig" || path.ends_with("git/config")
}
