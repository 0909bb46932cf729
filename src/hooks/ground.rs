//! Where things lie that a call touches, and what self-protection guards. A
//! call that touches nothing pays for nothing.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::gather::config_dir;
use crate::{
    core::{
        event::{Event, What},
        protect::{
            self, Act, Before, Ground, INSTALLED_PLUGINS, KNOWN_MARKETPLACES, Nearby, Touch,
            Touched,
        },
        session::Session,
    },
    open::Roz,
    shell::{HOLE, How},
    sidecar::scratch::TEMPORARY,
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
    links: &mut Links,
    (roz, world): (&Roz, &World),
) -> Ground {
    let What::PreToolUse(call) = &event.what else { return Ground::default() };
    if !roz.policy.protect.enabled {
        return Ground::default();
    }
    // What is read matters only where there is a reviewer to read of, or a
    // lock to hold.
    let locks = call.runs().any(|it| it.program == "flock");
    let reads = locks || session.review.reviewer_ids().next().is_some();
    let touches = protect::touches(call, reads);
    let names_code = call.readings.iter().any(|it| !it.code.is_empty());
    if touches.is_empty() && !names_code && !removes_unknown(event) {
        return Ground::default();
    }
    let from = From { cwd, home: world.user_home.as_deref() };
    let ground = places(session, cwd, roz, world, links);
    let nearby = Nearby::of(&ground);
    let mut lay =
        Lay { from, links, nearby, folders: BTreeMap::new(), has_real_path: false, ground };
    for touch in touches {
        lay.put(touch);
    }
    // Asked only of what is near.
    if !lay.ground.touched.is_empty() {
        lay.ground.temporary = temporary(roz, world, lay.links);
    }
    lay.ground
}

/// The system's folders for temporary files, and the user's own. One that holds the user's home, or
/// lies in it, is no folder of nobody's.
fn temporary(roz: &Roz, world: &World, links: &mut Links) -> Vec<String> {
    let user = world.user_home.as_deref();
    let meets_home =
        |it: &PathBuf| user.is_some_and(|user| it.starts_with(user) || user.starts_with(it));
    let own = roz.tmpdir(world).filter(|it| !meets_home(it));
    named_and_real(TEMPORARY.iter().map(PathBuf::from).chain(own), links)
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
        [INSTALLED_PLUGINS, KNOWN_MARKETPLACES].map(|it| Path::new(dir).join("plugins").join(it))
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
    let projects = session.project.iter().chain([&roz.project]).chain(&roz.main);
    let projects = projects.chain(&session.cwd).cloned();
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
        temporary: Vec::new(),
        touched: Vec::new(),
        is_in_part: false,
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

/// Puts what a call touches on the ground.
struct Lay<'a> {
    from: From<'a>,
    links: &'a mut Links,
    nearby: Nearby,
    /// By the words that a call names them with, up to and with the last slash.
    folders: BTreeMap<String, Folder>,
    /// Whether it is known where the folders of PATH really are.
    has_real_path: bool,
    ground: Ground,
}

/// A folder that a call names.
struct Folder {
    named: String,
    real: PathBuf,
    /// The same as text, where that is another.
    other: Option<String>,
    is_guarded: bool,
}

impl Lay<'_> {
    fn put(&mut self, touch: Touch) {
        if !self.is_far(&touch.path) {
            self.add(touch);
        }
    }

    /// Whether no rule could be about a path: one that is no link, and neither
    /// it nor its folder is near anything that is guarded. Of thousands of
    /// paths nearly all end here.
    fn is_far(&mut self, path: &str) -> bool {
        let (folder, name) = path.split_at(path.rfind('/').map_or(0, |it| it + 1));
        // Where case may be ignored, the system has to be asked how it is spelled.
        if cfg!(not(target_os = "linux")) || name.starts_with('~') && folder.is_empty() {
            return false;
        }
        if !self.folders.contains_key(folder) {
            let found = self.folder(folder);
            self.folders.insert(folder.to_owned(), found);
        }
        let Some(found) = self.folders.get(folder).filter(|it| !it.is_guarded) else {
            return false;
        };
        let Folder { named, real, other, .. } = found;
        let is_telling = |it: &String| self.nearby.is_telling(it, name);
        !is_telling(named)
            && !other.as_ref().is_some_and(is_telling)
            && !self.links.is_link(&real.join(name))
    }

    fn folder(&mut self, folder: &str) -> Folder {
        let path = self.from.absolute(folder);
        let real = self.links.real(&path);
        let (named, really) = (text(&normal(&path)), text(&real));
        let is_guarded = self.nearby.is_guarded(&named) || self.nearby.is_guarded(&really);
        let other = (really != named).then_some(really);
        Folder { named, real, other, is_guarded }
    }

    fn add(&mut self, touch: Touch) {
        let path = self.from.absolute(&touch.path);
        let mut at = vec![text(&normal(&path))];
        let is_known = !touch.path.starts_with(HOLE);
        let real = if is_known { self.links.real(&path) } else { path.clone() };
        let resolved = text(&real);
        if !at.contains(&resolved) {
            at.push(resolved);
        }
        // The folders of PATH may be links themselves.
        let names_roz = real.file_name().is_some_and(|it| it == "roz") || path.ends_with("roz");
        if names_roz && !std::mem::replace(&mut self.has_real_path, true) {
            let folders = self.ground.path.iter().map(PathBuf::from);
            self.ground.path = named_and_real(folders, self.links);
            self.nearby = Nearby::of(&self.ground);
            self.folders.clear();
        }
        // With a folder of PATH goes the roz in it.
        if matches!(touch.act, Act::Write(How::Remove | How::Move | How::Chmod)) {
            let below = |it: &&String| at.iter().any(|path| Path::new(it).starts_with(path));
            let found = self.ground.path.iter().filter(below).map(|it| format!("{it}/roz"));
            let is_new = |it: &String| !self.ground.binary.contains(it) && Path::new(it).exists();
            let found: Vec<String> = found.filter(is_new).collect();
            self.ground.binary.extend(found);
        }
        // With the client's folder go the settings in it.
        if matches!(touch.act, Act::Write(How::Remove | How::Move)) && path.ends_with(".claude") {
            let is_there = real.exists();
            for name in SETTINGS.into_iter().filter(|it| !is_there || real.join(it).exists()) {
                self.add(Touch { path: format!("{}/{name}", touch.path), act: touch.act });
            }
        }
        let mut touched =
            Touched { touch, at, before: Before::NotAsked, brought: None, copied_from: None };
        if protect::wants_text(&touched, &self.ground) {
            touched.before = match real.symlink_metadata() {
                Err(err) if err.kind() == std::io::ErrorKind::NotFound => Before::Absent,
                Err(_) => Before::Unreadable,
                Ok(_) => read_text(&real, MAX_TEXT).map_or(Before::Unreadable, Before::Text),
            };
        }
        self.ground.touched.push(touched);
    }
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
