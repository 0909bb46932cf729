//! What nobody reads where it is put: the project's own settings and its sidecar, copied beside
//! it, and what lies in a temporary folder that is no project.

use super::{
    Ground, Scene,
    nearby::MANAGED,
    place::{Before, Lies, Touched, fits, lies, parts, same_place},
    touch::Act,
};
use crate::shell::{self, HOLE, How, Run};

/// Whether a file in a `.claude` or a `.roz` lies within a project, in a folder
/// that nobody reads it from: a fixture, a template.
pub(super) fn is_nobodys(path: &str, ground: &Ground) -> bool {
    let folder = path.rsplit('/').nth(1).and_then(|it| path.rfind(&format!("/{it}/")));
    let Some(folder) = folder.and_then(|it| path.get(..it)) else { return false };
    // A pattern of the last names finds nothing above them.
    let is_sure = !folder.contains(['*', '?', '[']) && !path.contains(HOLE);
    // The client has its work trees there.
    let is_clients = folder.contains("/.claude/");
    // A project that holds the user's own folders is the user's home.
    let is_home = |it: &String| ground.config_dirs.iter().any(|dir| lies(dir, it) == Lies::Inside);
    let is_read = ground.projects.iter().any(|it| same_place(folder, it));
    let is_below = |it: &String| lies(folder, it) == Lies::Inside && !is_home(it);
    is_sure && !is_clients && !is_read && ground.projects.iter().any(is_below)
}

/// Whether a path that may have a part of this name has it below a temporary folder, in which
/// neither a project of this session lies nor anything of the user's. A project may lie in such a
/// place itself, with others beside it.
pub(super) fn is_temporary(path: &str, name: &str, ground: &Ground) -> bool {
    let folder = above(path, name);
    let is_sure = !folder.contains(['*', '?', '[', HOLE]);
    let is_below =
        |it: &String| lies(folder, it) == Lies::Inside && parts(folder).count() > parts(it).count();
    let is_users = |it: &String| {
        let above = it.rsplit_once('/').map_or("", |it| it.0);
        lies(folder, above) != Lies::Apart || above.is_empty()
    };
    is_sure
        && ground.temporary.iter().any(is_below)
        && ground.projects.iter().all(|it| lies(folder, it) == Lies::Apart)
        && !ground.config_dirs.iter().any(is_users)
}

/// The folder of the first part of a path that may be called so: what is before it.
fn above<'a>(path: &'a str, name: &str) -> &'a str {
    let mut starts = path.match_indices('/').map(|it| it.0);
    let is_it = |at: &usize| {
        let rest = &path[at + 1..];
        fits(rest.split('/').next().unwrap_or_default(), name)
    };
    starts.find(is_it).map_or("", |at| &path[..at])
}

/// `cp -r . ../copy`: the project's sidecar, to where there is none yet.
pub(super) fn is_sidecar_kept_apart(touched: &Touched, ground: &Ground) -> bool {
    let is_own = |from: &String| {
        let is_it = |it: &String| {
            from.strip_prefix(it.as_str()).is_some_and(|it| it.starts_with("/.orchestration/"))
        };
        ground.projects.iter().any(is_it)
    };
    touched.touch.act == Act::Write(How::Write)
        && touched.before == Before::Absent
        && touched.copied_from.as_ref().is_some_and(is_own)
        && touched.at.iter().all(|path| is_sidecar_elsewhere(path, ground))
}

/// Whether a path is one of a sidecar beside the projects of this session.
pub(super) fn is_sidecar_elsewhere(path: &str, ground: &Ground) -> bool {
    let is_apart = |folder: &str| ground.projects.iter().all(|it| lies(folder, it) == Lies::Apart);
    path.split_once("/.orchestration/").is_some_and(|it| is_apart(it.0))
}

/// `cp -r .claude ../backup`: the project's own folder, to where no client reads settings yet.
pub(super) fn is_copy_kept_apart(touched: &Touched, scene: Scene) -> bool {
    let Scene { ground, call, .. } = scene;
    let mut runs = call.runs();
    let is_it = |run: &Run| {
        let operands: Vec<&String> =
            run.argv.iter().skip(1).filter(|it| !it.starts_with('-')).collect();
        let [source, folder] = operands[..] else { return false };
        let above = touched.touch.path.split_once("/.claude/settings").map_or("", |it| it.0);
        matches!(source.trim_end_matches('/'), ".claude" | "./.claude")
            && shell::last_part(above) == shell::last_part(folder.trim_end_matches('/'))
    };
    let is_read = |path: &str| {
        let folders = ground.projects.iter().map(|it| format!("{it}/.claude"));
        folders.chain(ground.config_dirs.iter().cloned()).any(|it| lies(path, &it) == Lies::Inside)
    };
    let is_named = runs.clone().filter(|it| it.program == "cp").any(is_it)
        && !runs.any(|it| matches!(it.program.as_str(), "cd" | "pushd"));
    // `cp -r . ../copy`: with all that stands beside it.
    let is_own = touched.copied_from.as_ref().is_some_and(|from| {
        let is_it = |it: &String| {
            from.strip_prefix(it.as_str()).is_some_and(|it| it.starts_with("/.claude/settings"))
        };
        ground.projects.iter().any(is_it)
    });
    touched.touch.act == Act::Write(How::Write)
        && (is_named || is_own)
        && !touched
            .is(|path| is_read(path) || MANAGED.iter().any(|it| lies(path, it) == Lies::Inside))
}
