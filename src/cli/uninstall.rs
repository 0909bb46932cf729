//! `roz uninstall`: takes back what `roz install` did.

use std::fmt::Write as _;

use serde_json::json;

use super::{Done, install::spoken, say};
use crate::{
    hooks::gather::config_dir,
    plugin::{
        ID, MARKETPLACE, Place,
        client::{self, Client},
        settings,
    },
    world::{World, git},
};

/// Take back what `roz install` did
///
/// The plugin leaves the client, and its folder goes. Sessions, learnings and
/// configuration stay, and so does this binary.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let place = Place::new(world.data_dir().as_deref())?;
    let folder = place.folder();
    let config = config_dir(world);
    let known = settings::marketplace(config.as_deref());
    let is_ours = known.as_deref() == Some(&*folder);
    let (mut done, mut to_type) = (Vec::new(), Vec::new());
    if let Some(known) = known.filter(|_| !is_ours) {
        let known = known.display();
        done.push(format!(
            "The client's marketplace `{MARKETPLACE}` is `{known}`, not ours: left."
        ));
    }
    let forget = ["plugin", "marketplace", "remove", MARKETPLACE];
    match Client::find(world).filter(|_| is_ours) {
        Some(client) => {
            for install in client.installs()? {
                let dir = install.project_path.as_deref().unwrap_or(&world.cwd);
                let words = ["plugin", "uninstall", ID, "--scope", &install.scope];
                if dir.is_dir() {
                    client.run_in(dir, &words)?;
                    done.push(format!("Ran `{}`.", client::line(&words)));
                }
            }
            client.run(&forget)?;
            done.push(format!("Ran `{}`.", client::line(&forget)));
        }
        None if is_ours => {
            to_type = vec![client::line(&["plugin", "uninstall", ID]), client::line(&forget)];
        }
        None => (),
    }
    if settings::marketplace(config.as_deref()).is_none() {
        for path in place.put_back()? {
            done.push(format!("Put `{}` back as it was.", path.display()));
        }
        place.forget_copies(config.as_deref())?;
    }
    if place.remove()? {
        done.push(format!("Removed `{}`.", folder.display()));
    }
    let (all, _) = settings::read(config.as_deref(), &git::root(&world.cwd));
    let left = settings::seconds(&all);
    if args.json {
        let value = json!({ "plugin": folder, "done": done, "to_type": to_type, "left": left });
        say::print_json(&value)?;
        return Ok(Done::Well);
    }
    if done.is_empty() && to_type.is_empty() {
        done.push("There was nothing to take back.".to_owned());
    }
    let mut text = spoken(&done, &to_type);
    for it in left {
        let _ =
            writeln!(text, "{it} still runs `roz hook`: that was not the plugin's, so it stays.");
    }
    say::print(&text)?;
    Ok(Done::Well)
}
