//! `roz uninstall`: undoes `roz install`.

use std::path::Path;

use super::install::{Claude, Told, other_clients};
use crate::{
    clients,
    plugin::{
        ID, MARKETPLACE, Place,
        claude_program::{self, Client},
        read_settings,
    },
    world::World,
};

/// Undo `roz install`
///
/// Removes the plugin from the client, and what was added to the client's
/// settings. Sessions, learnings, configuration and this binary stay.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only from this agent (may be given more than once); without it, from all of them
    #[arg(long, value_name = "NAME", value_parser = other_clients::named())]
    client: Vec<&'static dyn clients::Client>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let mut told = Told::default();
    if args.client.is_empty() {
        other_clients::uninstall(None, &mut told, world)?;
    }
    let (claude, others): (Vec<_>, Vec<_>) =
        args.client.iter().copied().partition(|client| other_clients::is_claude(*client));
    for client in &others {
        other_clients::uninstall(Some(client.name()), &mut told, world)?;
    }
    if others.is_empty() || !claude.is_empty() {
        from_claude(&mut told, world)?;
    }
    let is_done = told.to_type.is_empty() && told.warnings.is_empty();
    if told.done.is_empty() && is_done {
        told.done.push("Nothing to undo.".to_owned());
    }
    told.said(is_done, world)
}

fn from_claude(told: &mut Told, world: &World) -> super::Result<()> {
    let claude = Claude::new(world)?;
    let (place, config) = (&claude.place, claude.config.as_deref());
    let folder = place.folder();
    let known = claude.marketplace();
    if let Some(known) = known.as_ref().filter(|known| **known != folder) {
        let known = known.display();
        told.notes.push(format!(
            "The client's marketplace `{MARKETPLACE}` is `{known}`, which is not ours: left alone."
        ));
    } else {
        if let Some(client) = Client::find(world).filter(|_| known.is_some()) {
            ask(&client, told, world)?;
        }
        told.done.extend(place.put_back()?);
        // There is no client to ask, or it has kept a part of it.
        let is_named = || claude.marketplace() == Some(folder.clone()) || claude.is_declared();
        if let Some(config) = config.filter(|_| is_named()) {
            told.done.extend(Place::take_out(&read_settings::files(config, &claude.project))?);
        }
        config.inspect(|config| Place::forget_copies(config));
        for broken in read_settings::read(config, &claude.project).1 {
            if broken.text.contains(ID) {
                told.warnings.push(format!("{broken}. Fix it, then run `roz uninstall` again."));
            }
        }
        if is_named() {
            told.to_type =
                [&["plugin", "uninstall", ID][..], &REMOVE].map(claude_program::line).into();
        }
    }
    // Keep the note as long as the client still has the plugin.
    if told.to_type.is_empty() && told.warnings.is_empty() && place.remove()? {
        told.done.push(format!("Removed `{}`.", folder.display()));
    }
    for other in read_settings::seconds(&claude.settings()) {
        told.notes.push(format!(
            "{other} still runs `roz hook`. That is not part of the plugin, so it stays."
        ));
    }
    Ok(())
}

const REMOVE: [&str; 4] = ["plugin", "marketplace", "remove", MARKETPLACE];

/// Makes the client uninstall the plugin. What it does not find is removed already.
fn ask(client: &Client, told: &mut Told, world: &World) -> super::Result<()> {
    let mut run = |dir: &Path, words: &[&str]| match client.run_in(dir, words) {
        Err(err) if !err.is_not_found() => Err(err),
        _ => {
            told.done.push(format!("Ran `{}`.", claude_program::line(words)));
            Ok(())
        }
    };
    for install in client.installs()? {
        let dir = install.project_path.as_deref().unwrap_or(&world.cwd);
        if dir.is_dir() {
            run(dir, &["plugin", "uninstall", ID, "--scope", &install.scope])?;
        }
    }
    Ok(run(&world.cwd, &REMOVE)?)
}
