//! Settings that nobody reads where they are put: the project's own, copied beside it.

use super::{
    Scene,
    nearby::MANAGED,
    place::{Lies, Touched, lies},
    touch::Act,
};
use crate::shell::{self, How, Run};

/// `cp -r .claude ../backup`: the project's own folder, to where no client reads settings yet.
pub(super) fn is_copy_kept_apart(touched: &Touched, scene: Scene) -> bool {
    let Scene { ground, call, .. } = scene;
    let mut runs = call.readings.iter().flat_map(|it| &it.runs);
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
