//! `roz uninstall`: undoes `roz install`.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    Done,
    install::{agents, spoken},
    say,
};
use crate::{
    hooks::gather::config_dir,
    plugin::{
        Back, ID, MARKETPLACE, Place,
        client::{self, Client},
        settings,
    },
    world::{World, git},
};

/// Undo `roz install`
///
/// Removes the plugin from the client, and what was added to the client's
/// settings. Sessions, learnings, configuration and this binary stay.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only from this agent (may be given more than once); without it, from all of them
    #[arg(long, value_name = "NAME")]
    client: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let others = args.client.iter().filter(|name| *name != "claude");
    let others = others.map(|name| agents::find(name)).collect::<Result<Vec<_>, _>>()?;
    let mut told = agents::Told::default();
    if args.client.is_empty() {
        told = agents::uninstall(None, world)?;
    }
    for client in &others {
        let of_client = agents::uninstall(Some(client.name()), world)?;
        told.done.extend(of_client.done);
        told.left.extend(of_client.left);
    }
    if !args.client.is_empty() && !args.client.iter().any(|name| name == "claude") {
        return say_told(&told, args);
    }
    from_claude(args, told, world)
}

fn say_told(told: &agents::Told, args: &Args) -> super::Result {
    if args.json {
        say::print_json(&json!({ "done": told.done, "problems": told.left }))?;
    } else if told.done.is_empty() && told.left.is_empty() {
        say::print("There was nothing to take back.\n")?;
    } else {
        let lines: Vec<&str> = told.done.iter().chain(&told.left).map(String::as_str).collect();
        say::print(&(lines.join("\n") + "\n"))?;
    }
    Ok(if told.left.is_empty() { Done::Well } else { Done::Badly })
}

fn from_claude(args: &Args, others: agents::Told, world: &World) -> super::Result {
    let place = Place::new(world.data_dir().as_deref())?;
    let folder = place.folder();
    let config = config_dir(world);
    let project = git::root(&world.cwd);
    let known = settings::marketplace(config.as_deref());
    let is_foreign = known.as_deref().is_some_and(|path| path != folder);
    let (mut done, mut to_type, mut left_in) = (others.done, Vec::new(), others.left);
    if let Some(known) = known.as_ref().filter(|_| is_foreign) {
        let known = known.display();
        done.push(format!(
            "The client's marketplace `{MARKETPLACE}` is `{known}`, which is not ours: left alone."
        ));
    }
    let client = Client::find(world);
    if let Some(client) = client.as_ref().filter(|_| known.is_some() && !is_foreign) {
        ask(client, &mut done, world)?;
    }
    if !is_foreign {
        let files =
            config.as_deref().map(|config| settings::files(config, &project)).unwrap_or_default();
        let mut changed = place.put_back()?;
        let names_us = || is_named(config.as_deref(), &project, &folder);
        if names_us() {
            // There is no client to ask, or it has forgotten half of it.
            changed.extend(place.take_out(&files)?);
        }
        done.extend(changed.iter().map(told));
        place.forget_copies(config.as_deref())?;
        let (_, broken) = settings::read(config.as_deref(), &project);
        for broken in broken.iter().filter(|broken| broken.text.contains(ID)) {
            left_in.push(format!("{broken}. Fix it, then run `roz uninstall` again."));
        }
        if names_us() {
            let uninstall = client::line(&["plugin", "uninstall", ID]);
            to_type = vec![uninstall, client::line(&REMOVE)];
        }
    }
    // While the client still has it, what there is to put back is not forgotten.
    let is_done = to_type.is_empty() && left_in.is_empty();
    if is_done && place.remove()? {
        done.push(format!("Removed `{}`.", folder.display()));
    }
    let (all, _) = settings::read(config.as_deref(), &project);
    let left = settings::seconds(&all);
    if args.json {
        let value = json!({
            "plugin": folder, "done": done, "to_type": to_type, "left": left,
            "problems": left_in,
        });
        say::print_json(&value)?;
        return Ok(if is_done { Done::Well } else { Done::Badly });
    }
    if done.is_empty() && is_done {
        done.push("Nothing to undo.".to_owned());
    }
    if known.is_some() && !is_foreign && client.is_none() && is_done {
        done.push("`claude` is not on PATH, so roz edited its files itself.".to_owned());
    }
    done.extend(left_in);
    let mut text = spoken(&done, &to_type);
    for item in left {
        let _ = writeln!(
            text,
            "{item} still runs `roz hook`. That is not part of the plugin, so it stays."
        );
    }
    say::print(&text)?;
    Ok(if is_done { Done::Well } else { Done::Badly })
}

const REMOVE: [&str; 4] = ["plugin", "marketplace", "remove", MARKETPLACE];

/// Has the client let the plugin go. What it does not find is gone already.
fn ask(client: &Client, done: &mut Vec<String>, world: &World) -> super::Result<()> {
    let mut run = |dir: &Path, words: &[&str]| match client.run_in(dir, words) {
        Err(err) if !err.is_not_found() => Err(err),
        _ => {
            done.push(format!("Ran `{}`.", client::line(words)));
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

/// Whether the client, in what it notes, has our plugin or takes it from our
/// folder.
fn is_named(config: Option<&Path>, project: &Path, folder: &Path) -> bool {
    let (all, _) = settings::read(config, project);
    settings::marketplace(config).as_deref() == Some(folder)
        || all.iter().any(|settings| settings.declares_marketplace(folder))
}

fn told((path, how): &(PathBuf, Back)) -> String {
    let path = path.display();
    match how {
        Back::AsItWas => format!("Restored `{path}`."),
        Back::WithoutTheOld => {
            format!("Restored `{path}`, without the earlier installation of roz.")
        }
        Back::WithoutRoz => format!("Removed roz from `{path}`; your other changes stay."),
    }
}
