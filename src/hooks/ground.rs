//! Where things lie that a call touches, and what self-protection guards. A
//! call that touches nothing pays for nothing.

use std::path::{Path, PathBuf};

use super::{
    finds,
    gather::{config_dir, deadline},
    sources::{self, Brought},
};
use crate::{
    core::{
        event::{Event, What},
        protect::{self, Act, Before, Ground, Touch, Touched},
        session::Session,
    },
    open::Roz,
    shell::{HOLE, How},
    world::{
        World,
        links::{Links, normal},
        read_text,
    },
};

/// A file that a rule wants to know is at most this long, in bytes.
const MAX_TEXT: u64 = 1 << 20;
const SETTINGS: [&str; 2] = ["settings.json", "settings.local.json"];

pub(super) fn ground(
    event: &Event,
    session: &Session,
    cwd: &Path,
    roz: &Roz,
    world: &World,
) -> Ground {
    let What::PreToolUse(call) = &event.what else { return Ground::default() };
    if !roz.policy.protect.enabled {
        return Ground::default();
    }
    // What is read matters only where there is a reviewer to read of, or a
    // lock to hold.
    let locks = call.readings.iter().flat_map(|it| &it.runs).any(|it| it.program == "flock");
    let reads = locks || session.review.reviewer_ids().next().is_some();
    let touches = protect::touches(call, reads);
    let names_code = call.readings.iter().any(|it| !it.code.is_empty());
    let finds = call.readings.iter().flat_map(|it| &it.finds).any(|it| !it.acts.is_empty());
    if touches.is_empty() && !names_code && !finds && !removes_unknown(event) {
        return Ground::default();
    }
    let from = From { cwd, home: world.user_home.as_deref() };
    let mut links = Links::default();
    let mut ground = places(session, cwd, roz, world, &mut links);
    for touch in touches {
        add(touch, from, &mut ground, &mut links);
    }
    for Brought { touch, text } in sources::brought(call, from, &ground) {
        let before = ground.touched.len();
        add(touch, from, &mut ground, &mut links);
        for touched in ground.touched.iter_mut().skip(before) {
            touched.brought.clone_from(&text);
        }
    }
    if finds {
        let project = session.project.as_deref().unwrap_or(&roz.project);
        let until = deadline(&roz.policy, world);
        let found = finds::touches(&call.readings, from, project, &ground, &mut links, until);
        for touch in found {
            add(touch, from, &mut ground, &mut links);
        }
    }
    ground
}

fn removes_unknown(event: &Event) -> bool {
    let call = event.call().into_iter();
    let mut writes = call.flat_map(|it| &it.readings).flat_map(|it| &it.writes);
    writes.any(|it| it.path.ends_with(HOLE))
}

fn places(session: &Session, cwd: &Path, roz: &Roz, world: &World, links: &mut Links) -> Ground {
    let user = world.user_home.as_deref();
    let own = roz.policy.storage.path.clone();
    let config = world.var("ROZ_CONFIG").map(PathBuf::from);
    let home = [Some(roz.home.clone()), own, config].into_iter().flatten();
    let config_dirs = [config_dir(world), user.map(|it| it.join(".claude"))];
    let config_dirs = named_and_real(config_dirs.into_iter().flatten(), links);
    let of_client = config_dirs.iter().flat_map(|dir| {
        ["installed_plugins.json", "known_marketplaces.json"]
            .map(|it| Path::new(dir).join("plugins").join(it))
    });
    let own_folder = world.data_dir().map(|it| it.join("roz"));
    let loaded = world.var("CLAUDE_PLUGIN_ROOT").map(PathBuf::from);
    let loaded = loaded
        .into_iter()
        .flat_map(|root| [".claude-plugin", "hooks", "agents", "bin"].map(|it| root.join(it)));
    let plugin = named_and_real(own_folder.into_iter().chain(loaded).chain(of_client), links);
    let notes = session.transcript_path.as_ref().map(|it| it.with_extension("").join("subagents"));
    let path = world.var("PATH").unwrap_or_default();
    let launched = world.var("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let projects = session.project.iter().chain([&roz.project]).chain(&session.cwd).cloned();
    let projects = projects.chain(launched).chain([cwd.to_owned()]);
    let projects = named_and_real(projects, links);
    Ground {
        home: named_and_real(home, links),
        config_dirs,
        plugin,
        binary: named_and_real(world.own_file().into_iter(), links),
        path: path.split(':').filter(|it| it.starts_with('/')).map(str::to_owned).collect(),
        notes: named_and_real(notes.into_iter(), links),
        projects,
        touched: Vec::new(),
    }
}

fn named_and_real(paths: impl Iterator<Item = PathBuf>, links: &mut Links) -> Vec<String> {
    let mut found = Vec::new();
    for path in paths.filter(|it| it.is_absolute()) {
        for it in [text(&normal(&path)), text(&links.real(&path))] {
            if !found.contains(&it) {
                found.push(it);
            }
        }
    }
    found
}

fn add(touch: Touch, from: From, ground: &mut Ground, links: &mut Links) {
    let path = from.absolute(&touch.path);
    let mut at = vec![text(&normal(&path))];
    let is_known = !touch.path.starts_with(HOLE);
    let real = if is_known { links.real(&path) } else { path.clone() };
    let resolved = text(&real);
    if !at.contains(&resolved) {
        at.push(resolved);
    }
    // The folders of PATH may be links themselves.
    if real.file_name().is_some_and(|it| it == "roz") || path.ends_with("roz") {
        let more = named_and_real(ground.path.iter().map(PathBuf::from), links);
        ground.path = more;
    }
    // With a folder of PATH goes the roz in it.
    if matches!(touch.act, Act::Write(How::Remove | How::Move | How::Chmod)) {
        let below = |it: &&String| at.iter().any(|path| Path::new(it).starts_with(path));
        let found = ground.path.iter().filter(below).map(|it| format!("{it}/roz"));
        let found: Vec<String> = found.filter(|it| Path::new(it).exists()).collect();
        ground.binary.extend(found);
    }
    // With the client's folder go the settings in it.
    if matches!(touch.act, Act::Write(How::Remove | How::Move)) && path.ends_with(".claude") {
        let is_there = real.exists();
        for name in SETTINGS.into_iter().filter(|it| !is_there || real.join(it).exists()) {
            let touch = Touch { path: format!("{}/{name}", touch.path), act: touch.act };
            add(touch, from, ground, links);
        }
    }
    let mut touched = Touched { touch, at, before: Before::NotAsked, brought: None };
    if protect::wants_text(&touched, ground) {
        touched.before = match real.symlink_metadata() {
            Err(err) if err.kind() == std::io::ErrorKind::NotFound => Before::Absent,
            Err(_) => Before::Unreadable,
            Ok(_) => read_text(&real, MAX_TEXT).map_or(Before::Unreadable, Before::Text),
        };
    }
    ground.touched.push(touched);
}

/// Where a path that a call names begins.
#[derive(Clone, Copy)]
pub(super) struct From<'a> {
    pub(super) cwd: &'a Path,
    pub(super) home: Option<&'a Path>,
}

impl From<'_> {
    pub(super) fn absolute(self, path: &str) -> PathBuf {
        match (path.strip_prefix('~'), self.home) {
            (Some(""), Some(home)) => home.to_owned(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => self.cwd.join(path),
        }
    }
}

pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
