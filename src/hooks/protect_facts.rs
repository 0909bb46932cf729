//! What self-protection asks of the disk: where the protected things are, and which of them a call is
//! about. A call that writes nothing and runs no code costs
//! no look at the disk, unless a reviewer is at work.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{gather::config_dir, server_paths};
use crate::{
    core::{
        event::{Event, ToolCall, What},
        protect::{
            self, Access, Accessed, Act, INSTALLED_PLUGINS, KNOWN_MARKETPLACES, Places,
            ProtectFacts, TextBefore,
        },
        session::Session,
        tool::Tool,
    },
    open::Roz,
    shell::{self, How},
    sidecar::scratch::TEMPORARY,
    world::{
        World,
        links::{Links, normal},
        read_text,
    },
};

/// A file that a rule wants to know is at most this long, in bytes.
const MAX_TEXT: u64 = 1 << 20;

pub(super) fn protect_facts(
    event: &Event,
    session: &Session,
    cwd: &Path,
    links: &mut Links,
    (roz, world): (&Roz, &World),
) -> ProtectFacts {
    let What::PreToolUse(call) = &event.what else { return ProtectFacts::default() };
    if !roz.policy.protect.enabled {
        return ProtectFacts::default();
    }
    // What is read matters only where there is a reviewer to read of.
    let has_reviewer = session.review.reviewer_ids().next().is_some();
    let mut accesses = protect::accesses(call);
    accesses.extend(of_server(call, &roz.project));
    accesses.retain(|access| has_reviewer || access.act != Act::Read);
    let is_opaque = call.may_run_anything()
        || !call.unread.is_empty()
        || matches!(call.tool, Tool::PowerShell { .. })
        || call.readings.iter().any(|reading| !reading.code.is_empty());
    if accesses.is_empty() && !is_opaque && !has_reviewer {
        return ProtectFacts::default();
    }
    let mut places = places(session, cwd, roz, world, links);
    // The folders of PATH may be links, and many.
    let is_program =
        |it: &Access| it.takes_away || shell::last_part(it.path.trim_end_matches('/')) == "roz";
    if accesses.iter().any(is_program) {
        add_path(&mut places, world, links);
    }
    let home = world.user_home.as_deref();
    let find = |access| find(access, (cwd, home), &places, links);
    let near: Vec<Accessed> = accesses.into_iter().filter_map(find).collect();
    if !near.is_empty() {
        places.temporary = temporary(roz, world, links);
    }
    let mut facts = ProtectFacts { places, accessed: near };
    for accessed in &mut facts.accessed {
        if protect::wants_text(accessed, &facts.places) {
            accessed.before = before(accessed);
        }
    }
    facts
}

/// The paths in the input of a server's tool, or of one that only a newer client has. Where a server
/// was started, nobody knows: what is relative counts from the project, too.
fn of_server(call: &ToolCall, project: &Path) -> Vec<Access> {
    let is_servers = call.tool.is_mcp();
    if !is_servers && call.tool != Tool::Other {
        return Vec::new();
    }
    let act = protect::act_of_tool(call);
    let mut found = Vec::new();
    for path in server_paths::named(&call.input) {
        if is_servers && !path.starts_with(['/', '~']) {
            found.push(Access::new(&text(&project.join(&path)), act));
        }
        found.push(Access::new(&path, act));
    }
    found
}

/// Where a path is; `None` where no rule could be about it.
fn find(
    access: Access,
    from: (&Path, Option<&Path>),
    places: &Places,
    links: &mut Links,
) -> Option<Accessed> {
    let path = absolute(&access.path, from);
    let at = match (access.act, path.parent(), path.file_name()) {
        // A link itself is removed or replaced, what it leads to is not.
        (Act::Write(How::Remove | How::Move | How::Link), Some(folder), Some(name)) => {
            let mut at = vec![text(&normal(&path)), text(&links.real(folder).join(name))];
            at.dedup();
            at
        }
        _ => named_and_real([path].into_iter(), links),
    };
    let is_near = at.iter().any(|path| places.is_near(path));
    is_near.then_some(Accessed { access, at, before: TextBefore::NotAsked })
}

fn before(accessed: &Accessed) -> TextBefore {
    let Some(real) = accessed.at.last().map(Path::new) else { return TextBefore::Unreadable };
    match real.symlink_metadata() {
        Err(err) if err.kind() == ErrorKind::NotFound => TextBefore::Absent,
        Err(_) => TextBefore::Unreadable,
        Ok(_) => read_text(real, MAX_TEXT).map_or(TextBefore::Unreadable, TextBefore::Text),
    }
}

fn absolute(path: &str, (cwd, home): (&Path, Option<&Path>)) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => cwd.join(path),
    }
}

fn places(session: &Session, cwd: &Path, roz: &Roz, world: &World, links: &mut Links) -> Places {
    let user = world.user_home.as_deref();
    let storage = roz.policy.storage.path.clone();
    let config = world.var("ROZ_CONFIG").map(PathBuf::from);
    let home = [Some(roz.home.clone()), storage, config].into_iter().flatten();
    let config_dirs = [config_dir(world), user.map(|home| home.join(".claude"))];
    let config_dirs = named_and_real(config_dirs.into_iter().flatten(), links);
    let lists = config_dirs.iter().flat_map(|dir| {
        [INSTALLED_PLUGINS, KNOWN_MARKETPLACES]
            .map(|name| Path::new(dir).join("plugins").join(name))
    });
    let installed = world.data_dir().map(|dir| dir.join("roz"));
    let loaded = world.var("CLAUDE_PLUGIN_ROOT").map(PathBuf::from);
    let loaded = loaded
        .into_iter()
        .flat_map(|root| [".claude-plugin", "hooks", "agents", "bin"].map(|it| root.join(it)));
    let plugin = named_and_real(installed.into_iter().chain(loaded).chain(lists), links);
    let notes = session.transcript_path.as_ref().map(|it| it.with_extension("").join("subagents"));
    let launched = world.var("CLAUDE_PROJECT_DIR").map(PathBuf::from);
    let projects = session.project.iter().chain([&roz.project]).chain(&roz.main);
    let projects = projects.chain(&session.cwd).cloned();
    let projects = projects.chain(launched).chain([cwd.to_owned()]);
    Places {
        home: named_and_real(home, links),
        plugin,
        binary: named_and_real(world.own_file().into_iter(), links),
        path: Vec::new(),
        notes: named_and_real(notes.into_iter(), links),
        projects: named_and_real(projects, links),
        temporary: Vec::new(),
        config_dirs,
    }
}

/// The folders of PATH, and every `roz` in one.
fn add_path(places: &mut Places, world: &World, links: &mut Links) {
    let path = world.var("PATH").unwrap_or_default();
    places.path = named_and_real(path.split(':').map(PathBuf::from), links);
    let programs = places.path.iter().map(|folder| format!("{folder}/roz"));
    places.binary.extend(programs.filter(|it| Path::new(it).exists()));
}

/// The system's folders for temporary files, and the user's own. One that holds the user's home, or
/// is in it, is not everybody's.
fn temporary(roz: &Roz, world: &World, links: &mut Links) -> Vec<String> {
    let user = world.user_home.as_deref();
    let meets_home =
        |it: &PathBuf| user.is_some_and(|user| it.starts_with(user) || user.starts_with(it));
    let own = roz.tmpdir(world).filter(|dir| !meets_home(dir));
    named_and_real(TEMPORARY.iter().map(PathBuf::from).chain(own), links)
}

/// Each as it is named, and as it is once links are followed.
fn named_and_real(paths: impl Iterator<Item = PathBuf>, links: &mut Links) -> Vec<String> {
    let mut found = Vec::new();
    for path in paths.filter(|path| path.is_absolute()) {
        for it in [text(&normal(&path)), text(&links.real(&path))] {
            if !found.contains(&it) {
                found.push(it);
            }
        }
    }
    found
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
