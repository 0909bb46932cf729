//! Looks up where the protected places are and which paths of a call concern them.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::gather::{Lookup, absolute, config_dirs};
use crate::{
    core::{
        client_files,
        protect::{
            self, Access, Accessed, Act, INSTALLED_PLUGINS, KNOWN_MARKETPLACES, Places,
            ProtectFacts, ProtectNeeds, TextBefore,
        },
    },
    open::Roz,
    shell::How,
    sidecar::scratch_dirs::TEMPORARY,
    world::{
        World,
        links::{normal, real},
        read_text,
    },
};

const PLUGIN_PARTS: [&str; 4] = [".claude-plugin", "hooks", "agents", "bin"];
/// In bytes. Rules do not see longer files.
const MAX_TEXT: u64 = 1 << 20;

pub(super) fn protect_facts(needs: ProtectNeeds, look: Lookup) -> ProtectFacts {
    let mut places = places(look);
    if needs.path {
        add_path(&mut places, look.world);
    }
    let find = |access| find(access, look, &places);
    let accessed: Vec<Accessed> = needs.accesses.into_iter().filter_map(find).collect();
    if !accessed.is_empty() {
        places.temporary = temporary(look.roz, look.world);
    }
    let mut facts = ProtectFacts { places, accessed };
    for accessed in &mut facts.accessed {
        if protect::wants_text(accessed, &facts.places) {
            accessed.before = before(accessed);
        }
    }
    facts
}

/// `None` if no rule could be about the path.
fn find(access: Access, look: Lookup, places: &Places) -> Option<Accessed> {
    let path = absolute(&access.path, look.cwd(), look.home());
    let at = match (access.act, path.parent(), path.file_name()) {
        // These change the link itself, not its target.
        (Act::Write(How::Remove | How::Move | How::Link), Some(folder), Some(name)) => {
            let mut at = vec![text(&normal(&path)), text(&real(folder).join(name))];
            at.dedup();
            at
        }
        _ => named_and_real([path].into_iter()),
    };
    let is_near = at.iter().any(|path| places.is_near(path));
    is_near.then_some(Accessed { access, at, before: TextBefore::NotAsked })
}

fn before(accessed: &Accessed) -> TextBefore {
    let Some(file) = accessed.at.last().map(Path::new) else { return TextBefore::Unreadable };
    match file.symlink_metadata() {
        Err(err) if err.kind() == ErrorKind::NotFound => TextBefore::Absent,
        Err(_) => TextBefore::Unreadable,
        Ok(_) => read_text(file, MAX_TEXT).map_or(TextBefore::Unreadable, TextBefore::Text),
    }
}

fn places(look: Lookup) -> Places {
    let Lookup { session, roz, world, .. } = look;
    let user = world.user_home.as_deref();
    let storage = roz.policy.storage.path.clone();
    let config = world.var("ROZ_CONFIG").map(PathBuf::from);
    let home = [Some(roz.home.clone()), storage, config].into_iter().flatten();
    let at_home = client_files::folders().filter_map(|folder| Some(user?.join(folder)));
    let config_dirs = named_and_real(config_dirs(world).into_iter().chain(at_home));
    let lists = config_dirs.iter().flat_map(|dir| {
        [INSTALLED_PLUGINS, KNOWN_MARKETPLACES]
            .map(|name| Path::new(dir).join("plugins").join(name))
    });
    let installed = world.data_dir().map(|dir| dir.join("roz"));
    let parts = |root: &Path| PLUGIN_PARTS.map(|part| root.join(part));
    let loaded = world.var(client_files::PLUGIN_ROOT).map(Path::new).into_iter().flat_map(parts);
    let plugin = named_and_real(installed.into_iter().chain(loaded).chain(lists));
    let notes = session
        .transcript_path
        .as_ref()
        .map(|transcript_path| transcript_path.with_extension("").join("subagents"));
    let launched = world.var(client_files::PROJECT_DIR).map(PathBuf::from);
    let projects = session.project.iter().chain([&roz.project]).chain(&roz.main);
    let projects = projects.chain(&session.cwd).cloned();
    let projects = projects.chain(launched).chain([look.cwd().to_owned()]);
    Places {
        home: named_and_real(home),
        plugin,
        binary: named_and_real(world.own_file().into_iter()),
        path: Vec::new(),
        notes: named_and_real(notes.into_iter()),
        projects: named_and_real(projects),
        temporary: Vec::new(),
        config_dirs,
    }
}

/// The folders of PATH, and each `roz` in them.
fn add_path(places: &mut Places, world: &World) {
    let path = world.var("PATH").unwrap_or_default();
    places.path = named_and_real(path.split(':').map(PathBuf::from));
    let programs = places.path.iter().map(|folder| format!("{folder}/roz"));
    places.binary.extend(programs.filter(|program| Path::new(program).exists()));
}

/// Temporary folders of the system and the user, except one that contains the user's home or is in
/// it.
fn temporary(roz: &Roz, world: &World) -> Vec<String> {
    let user = world.user_home.as_deref();
    let meets_home =
        |path: &PathBuf| user.is_some_and(|user| path.starts_with(user) || user.starts_with(path));
    let own = roz.tmpdir(world).filter(|dir| !meets_home(dir));
    named_and_real(TEMPORARY.iter().map(PathBuf::from).chain(own))
}

/// Each as written and with links resolved.
fn named_and_real(paths: impl Iterator<Item = PathBuf>) -> Vec<String> {
    let mut found = Vec::new();
    for path in paths.filter(|path| path.is_absolute()) {
        for item in [text(&normal(&path)), text(&real(&path))] {
            if !found.contains(&item) {
                found.push(item);
            }
        }
    }
    found
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
