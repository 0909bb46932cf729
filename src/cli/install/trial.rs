//! `roz install --trial`: the gates say what they would do, and do nothing.

use std::path::PathBuf;

use super::{Args, WRITE, told::Told};
use crate::{open::Roz, world::World};

#[derive(Debug, thiserror::Error)]
enum NoTrial {
    #[error("`{}` cannot be read as TOML. Fix it (`roz config check`), then try again", .0.display())]
    Unreadable(PathBuf),
    #[error("failed to write `{}`", .0.display())]
    Unwritable(PathBuf, #[source] std::io::Error),
}

/// Writes `trial = true` as the first line of the user's configuration, or removes it.
pub(super) fn set(
    trial: bool,
    args: &Args,
    told: &mut Told,
    world: &World,
) -> crate::cli::Result<()> {
    const LINE: &str = "trial = true";
    let path = Roz::open(world, &world.cwd)?.user_file;
    let old = match std::fs::read_to_string(&path) {
        Err(err) if err.kind() == std::io::ErrorKind::NotFound => String::new(),
        read => read.map_err(|err| NoTrial::Unwritable(path.clone(), err))?,
    };
    let kept = old.lines().filter(|line| line.trim() != LINE);
    let lines: Vec<&str> = trial.then_some(LINE).into_iter().chain(kept).collect();
    let new = lines.join("\n") + if lines.is_empty() { "" } else { "\n" };
    let is_trial = |table: toml::Table| table.get("trial").and_then(toml::Value::as_bool);
    match new.parse().map(is_trial) {
        Ok(said) if said.unwrap_or(false) == trial => (),
        _ => return Err(NoTrial::Unreadable(path).into()),
    }
    let shown = path.display();
    if !args.dry_run && new != old {
        let folder = path.parent().unwrap_or(&path);
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, new))
            .map_err(|err| NoTrial::Unwritable(path.clone(), err))?;
    }
    if trial {
        told.did(WRITE, &format!("`{LINE}` to `{shown}`: nothing is held or denied until `roz install --trial=false`."), args);
    } else {
        told.did(
            ("Removed", "Would remove"),
            &format!("`{LINE}` from `{shown}`: the gates hold."),
            args,
        );
    }
    Ok(())
}
