//! `roz install --trial`: starts and ends a trial by editing a line of the user's configuration.

use std::{fs, io};

use crate::{
    open::Roz,
    world::{World, files},
};

const LINE: &str = "trial = true";

/// Writes the line as the first one, before all tables, or removes it. Returns what was done.
pub(super) fn set(trial: bool, world: &World) -> super::Result<String> {
    let path = Roz::open(world, &world.cwd)?.user_file;
    let shown = path.display();
    let failed = |err: io::Error| format!("failed to change `{shown}`: {err}");
    let old = match fs::read_to_string(&path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(failed)?,
    };
    // Only above the first table: in a table the name means something else.
    let top = old.lines().take_while(|line| !line.trim_start().starts_with('[')).count();
    let is_set = |line: &str| line.split_once('=').is_some_and(|(key, _)| key.trim() == "trial");
    let kept = old.lines().enumerate().filter(|(at, line)| *at >= top || !is_set(line));
    let kept = kept.map(|(_, line)| line);
    let lines = trial.then_some(LINE).into_iter().chain(kept);
    let new: String = lines.flat_map(|line| [line, "\n"]).collect();
    let is_trial = |table: toml::Table| table.get("trial").and_then(toml::Value::as_bool);
    if new.parse().map(is_trial).map(Option::unwrap_or_default) != Ok(trial) {
        let remedy = "Fix it (`roz config check`), then try again";
        return Err(format!("`{shown}` is not valid TOML. {remedy}").into());
    }
    if new != old {
        let folder = path.parent().unwrap_or(&path);
        let written = files::make_private_folder(folder).and_then(|()| fs::write(&path, new));
        written.map_err(failed)?;
    }
    Ok(if trial {
        format!(
            "Wrote `{LINE}` to `{shown}`: nothing is held or denied until `roz install \
             --trial=false`."
        )
    } else {
        format!("Removed `{LINE}` from `{shown}`: the gates hold.")
    })
}
