//! `roz uninstall`: takes back what `roz install` did.

use serde_json::json;

use super::{Done, install::spoken, say};
use crate::{
    hooks::gather::config_dir,
    plugin::{
        ID, MARKETPLACE, Place,
        client::{self, Client},
        settings,
    },
    world::World,
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
    let known = settings::marketplace(config_dir(world).as_deref());
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
    if place.remove()? {
        done.push(format!("Removed `{}`.", folder.display()));
    }
    if args.json {
        say::print_json(&json!({ "plugin": folder, "done": done, "to_type": to_type }))?;
        return Ok(Done::Well);
    }
    if done.is_empty() && to_type.is_empty() {
        done.push("There was nothing to take back.".to_owned());
    }
    say::print(&spoken(&done, &to_type))?;
    Ok(Done::Well)
}
