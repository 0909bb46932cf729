//! `roz install --trial`: starts and ends a trial by editing a line of the user's configuration.

use std::{fs, io, path::PathBuf};

use crate::{
    open::Roz,
    world::{World, files},
};

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("`{}` is not valid TOML. Fix it (`roz config check`), then try again", .0.display())]
    Invalid(PathBuf),
    #[error("failed to change `{}`", .0.display())]
    Io(PathBuf, #[source] io::Error),
}

const LINE: &str = "trial = true";

/// Writes the line as the first one, before all tables, or removes it. Returns what was done.
pub(super) fn set(trial: bool, world: &World) -> super::Result<String> {
    let path = Roz::open(world, &world.cwd)?.user_file;
    let old = match fs::read_to_string(&path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|err| Error::Io(path.clone(), err))?,
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
        return Err(Error::Invalid(path).into());
    }
    if new != old {
        let folder = path.parent().unwrap_or(&path);
        files::make_private_folder(folder)
            .and_then(|()| fs::write(&path, new))
            .map_err(|err| Error::Io(path.clone(), err))?;
    }
    let shown = path.display();
    Ok(if trial {
        format!(
            "Wrote `{LINE}` to `{shown}`: nothing is held or denied until `roz install \
             --trial=false`."
        )
    } else {
        format!("Removed `{LINE}` from `{shown}`: the gates hold.")
    })
}
