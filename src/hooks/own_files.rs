//! Watches roz's own files during a call: the user's configuration, the plugin, the hooks in the
//! client's settings, the executable. Calls that only read are not watched.

use std::path::Path;

use crate::{
    config,
    core::{
        client_files,
        event::{Event, What},
        own_files::{Kind, WeakenedFile, may_change},
        session::SessionId,
    },
    observe::own_files::{self, Changed, Known, Watched},
    open::{self, Roz},
    world::{World, in_a_line},
};

/// Before a call that passed: records the files' content.
pub(super) fn begin(event: &Event, roz: &Roz, world: &World) {
    let What::PreToolUse(call) = &event.what else { return };
    let Some(id) = call.tool_use_id.as_deref() else { return };
    if may_change(call) && roz.home.is_dir() {
        forget_undone(roz);
        confirm_if_strict(roz, world);
        own_files::begin(&roz.home, &watched(roz, &roz.project, world), id);
    }
}

/// What the ended call weakened, and a message if that could not be recorded.
pub(super) fn end(
    event: &Event,
    session_id: &SessionId,
    roz: &Roz,
    world: &World,
) -> (Vec<WeakenedFile>, Option<String>) {
    let nothing = (Vec::new(), None);
    let What::PostToolUse { call, .. } = &event.what else { return nothing };
    let Some(id) = call.tool_use_id.as_deref() else { return nothing };
    let watched = || watched(roz, &roz.project, world);
    let Some(changed) = own_files::end(&roz.home, watched, id) else { return nothing };
    let is_other_config = changed.iter().any(|changed| changed.kind == Kind::Configuration);
    let weakened = changed.into_iter().filter_map(|changed| {
        let what = weakened_by(&changed, roz, world);
        (!what.is_empty()).then(|| WeakenedFile {
            kind: changed.kind,
            file: changed.path,
            what,
            before: changed.before,
            tool: call.name.clone(),
            session_id: session_id.to_string(),
            at: world.now,
        })
    });
    let weakened: Vec<WeakenedFile> = weakened.collect();
    let is_laxer = weakened.iter().any(|weakened_file| weakened_file.kind == Kind::Configuration);
    if is_other_config && !is_laxer {
        confirm_if_strict(roz, world);
    }
    if weakened.is_empty() {
        forget_undone(roz);
        return nothing;
    }
    let held = if is_laxer { config::hold(&roz.home, &roz.user_file) } else { Ok(()) };
    let noted = held.and_then(|()| own_files::note(&roz.home, &weakened));
    let unnoted = |err| {
        let why = in_a_line(&err);
        format!("roz: that could not be recorded ({why}), so `roz confirm` does not show it.")
    };
    (weakened, noted.err().map(unnoted))
}

/// One clause per weakened point.
fn weakened_by(changed: &Changed, roz: &Roz, world: &World) -> Vec<String> {
    let is_there = changed.path.exists();
    match changed.kind {
        Kind::Configuration => config::laxer(&roz.home, &roz.user_file, world.user_home.as_deref()),
        Kind::Settings => {
            changed.lost.iter().map(|lost| format!("no longer true: {lost}")).collect()
        }
        Kind::Plugin | Kind::Binary if !is_there => vec!["it is gone".to_owned()],
        Kind::Plugin => vec!["its content has changed".to_owned()],
        Kind::Binary => vec!["it is another binary".to_owned()],
    }
}

/// Roz's own files, and the agents' settings of this user and this project.
pub fn watched(roz: &Roz, project: &Path, world: &World) -> Vec<Watched> {
    let plugin = world.data_dir().map(|data_dir| data_dir.join("roz/plugin"));
    let plugin = plugin.into_iter().flat_map(|path| {
        [".claude-plugin/plugin.json", "hooks/hooks.json"].map(|name| path.join(name))
    });
    let of_project =
        client_files::settings_files().map(|(folder, name)| project.join(folder).join(name));
    let of_user = client_files::user_files(&|name| world.var(name), world.user_home.as_deref());
    let settings = of_user.into_iter().chain(of_project);
    let watch = |kind| move |path| Watched { kind, path };
    let mut found = vec![Watched { kind: Kind::Configuration, path: roz.user_file.clone() }];
    found.extend(plugin.map(watch(Kind::Plugin)));
    found.extend(settings.map(watch(Kind::Settings)));
    found.extend(world.own_file().map(watch(Kind::Binary)));
    found
}

/// Confirms the user's configuration if a person wrote it between two calls or if it is at least as
/// strict as before.
fn confirm_if_strict(roz: &Roz, world: &World) {
    let (home, file) = (&roz.home, &roz.user_file);
    if !own_files::has_noted(home) {
        config::keep_confirmed(home, file);
        return;
    }
    let mut waiting = own_files::unconfirmed(home);
    if waiting.iter().any(|weakened| weakened.file == *file)
        && config::laxer(home, file, world.user_home.as_deref()).is_empty()
    {
        waiting.retain(|weakened_file| weakened_file.file != *file);
        if own_files::leave(home, &waiting).is_ok() {
            let _ = config::release(home, file);
        }
    }
}

fn forget_undone(roz: &Roz) {
    if !own_files::has_noted(&roz.home) {
        return;
    }
    let waiting = own_files::unconfirmed(&roz.home);
    if !waiting.iter().any(|weakened_file| weakened_file.kind == Kind::Configuration) {
        let _ = config::release(&roz.home, &roz.user_file);
    }
    if waiting.is_empty() {
        let _ = own_files::leave(&roz.home, &[]);
    }
}

/// The user's message at the start of a session.
pub(super) fn waiting(roz: &Roz) -> Vec<String> {
    if !own_files::has_noted(&roz.home) {
        return Vec::new();
    }
    let waiting = own_files::unconfirmed(&roz.home).into_iter();
    waiting.map(|waiting| format!("roz: waits for `roz confirm`: {}", waiting.shown())).collect()
}

pub fn before_verb(world: &World) -> Option<(Roz, Known)> {
    own_files::is_watching(&open::home(world)).then_some(())?;
    let roz = Roz::open(world, &world.cwd).ok()?;
    let known = own_files::look(&watched(&roz, &roz.project, world));
    Some((roz, known))
}

/// The files that a roz command wrote are not a call's change.
pub fn after_verb((roz, before): &(Roz, Known), world: &World) {
    own_files::accept(&roz.home, &watched(roz, &roz.project, world), before);
    if !own_files::has_noted(&roz.home) {
        config::keep_confirmed(&roz.home, &roz.user_file);
    }
}
