//! The git work trees that a call affects: that of its own folder and those that its lines switch
//! to (`cd ../b && git push`, `git -C ../b push`).

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::gather::absolute;
use crate::{
    core::{
        event::ToolCall, facts::GatesElsewhere, policy::Mode, review::gated_calls::Gated,
        tool_pattern,
    },
    open::Roz,
    shell::{HOLE, Run},
    world::{World, git, links},
};

/// A work tree, and the commands of a call that run in it.
pub(super) struct Place<'a> {
    pub(super) root: PathBuf,
    pub(super) runs: Vec<&'a Run>,
}

/// First the work tree of `cwd`, if any. A command in an unknown folder may run in any of them.
pub(super) fn places<'a>(call: &'a ToolCall, cwd: &Path, world: &World) -> Vec<Place<'a>> {
    let place = |root| Place { root, runs: Vec::new() };
    let (here, home) = (root_of(cwd), world.user_home.as_deref());
    let mut places: Vec<Place> = here.iter().cloned().map(place).collect();
    let mut roots: BTreeMap<&str, Option<PathBuf>> = BTreeMap::from([("", here)]);
    let mut anywhere = Vec::new();
    for run in call.runs() {
        let start = run.folders.is_empty().then_some("");
        for folder in run.folders.iter().map(String::as_str).chain(start) {
            if folder.contains(HOLE) {
                anywhere.push(run);
                continue;
            }
            let root = roots.entry(folder).or_insert_with(|| root_of(&absolute(folder, cwd, home)));
            let Some(root) = root else { continue };
            match places.iter_mut().find(|place| place.root == *root) {
                Some(place) => place.runs.push(run),
                None => places.push(Place { root: root.clone(), runs: vec![run] }),
            }
        }
    }
    for place in &mut places {
        place.runs.extend(&anywhere);
    }
    places
}

pub(super) fn gates_elsewhere(
    call: &ToolCall,
    cwd: &Path,
    project: &Path,
    world: &World,
) -> Vec<GatesElsewhere> {
    // Most calls stay in the project and need no look.
    if cwd == project && call.runs().all(|run| run.folders.is_empty()) {
        return Vec::new();
    }
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let others = places(call, cwd, world).into_iter().filter(|place| place.root != project);
    let gates = others.filter_map(|Place { root, runs }| {
        let roz = Roz::open(world, &root).ok()?;
        let is_on = roz.has_own_rules() && roz.policy.review.mode != Mode::Never;
        let gates = roz.policy.review.gates;
        let runs = runs.into_iter().cloned().collect();
        is_on.then_some(GatesElsewhere { root, gates, runs })
    });
    gates.collect()
}

/// For a gated call: the repositories whose gates match, and those in which the gated commands run.
pub(super) fn folders_of(
    call: &ToolCall,
    gated: &[Gated],
    cwd: &Path,
    world: &World,
) -> Vec<PathBuf> {
    let is_gated = |run: &&Run| {
        run.keys()
            .iter()
            .any(|key| gated.iter().any(|gated| tool_pattern::matches(gated.pattern, key)))
    };
    let own = call.runs().filter(is_gated).map(|run| {
        let folder = run.folders.first().filter(|folder| !folder.contains(HOLE));
        folder.map_or_else(
            || cwd.to_owned(),
            |folder| absolute(folder, cwd, world.user_home.as_deref()),
        )
    });
    let own = own.map(|folder| root_of(&folder).unwrap_or(folder));
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in own.chain(gated.iter().filter_map(|gated| gated.root.map(Path::to_owned))) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if folders.is_empty() {
        folders.push(cwd.to_owned());
    }
    folders
}

/// The work tree's root for a folder. A folder that the line creates first counts where it is
/// created.
fn root_of(folder: &Path) -> Option<PathBuf> {
    git::find_root(&folder.canonicalize().unwrap_or_else(|_| links::normal(folder)))
}
