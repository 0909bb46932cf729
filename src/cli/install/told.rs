//! What an installation did, offers and warns of.

use std::path::{Path, PathBuf};

use super::Args;
use crate::{
    hooks::gather::config_dir,
    plugin::{
        MARKETPLACE,
        client::{self, Client},
        is_in_build_folder, settings,
    },
    world::World,
};

/// What is said at the end.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) done: Vec<String>,
    pub(super) to_type: Vec<String>,
    /// What one may want as well.
    pub(super) offers: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Told {
    /// `verbs` are what was done and what would be done.
    pub(super) fn did(&mut self, verbs: (&str, &str), what: &str, args: &Args) {
        let verb = if args.dry_run { verbs.1 } else { verbs.0 };
        self.done.push(format!("{verb} {what}"));
    }

    /// Adds to a file of the client's, unless it is a dry run.
    pub(super) fn edited(
        &mut self,
        path: &Path,
        what: &str,
        args: &Args,
        add: impl FnOnce() -> Result<(), String>,
    ) {
        let added = if args.dry_run { Ok(()) } else { add() };
        match added {
            Ok(()) => self.did(("Added", "Would add"), &format!("{what}."), args),
            Err(why) => {
                let path = path.display();
                self.warnings
                    .push(format!("`{path}` was left as it is: {why}. Add {what} by hand."));
            }
        }
    }

    pub(super) fn warn_of_binary(&mut self, binary: &Path, world: &World) {
        let path = binary.display();
        if is_in_build_folder(binary) {
            self.warnings.push(format!(
                "`{path}` is in a build folder. When that is cleaned, the hooks have no binary and \
                 every gate is open. Install the binary first (`./install.sh`)."
            ));
        }
        match world.on_path("roz").first() {
            Some(first) if first == binary => (),
            Some(first) => self.warnings.push(format!(
                "`{}` comes before `{path}` on PATH, so reviewers run that one. Remove it, or put \
                 this one's folder first.",
                first.display()
            )),
            None => self.warnings.push(format!(
                "`{path}` is not on PATH as `roz`. Hooks and reviewers find it anyway, but you \
                 cannot type `roz list`."
            )),
        }
    }

    pub(super) fn warn_of_age(&mut self, client: Option<&Client>) {
        let version = client.and_then(|client| client.version().ok());
        if let Some(version) = version.filter(|version| *version < client::STRICT_SINCE) {
            self.warnings.push(format!(
                "Claude Code {version} does not support `--strict`: before {}, it lets a tool call \
                 pass if roz cannot run.",
                client::STRICT_SINCE
            ));
        }
    }

    pub(super) fn warn_of_marketplace(&mut self, folder: &Path, world: &World) {
        let known: Option<PathBuf> = settings::marketplace(config_dir(world).as_deref());
        if let Some(known) = known.filter(|path| path != folder) {
            self.warnings.push(format!(
                "The client had a marketplace `{}` in `{}`. It is replaced by this one.",
                MARKETPLACE,
                known.display()
            ));
        }
    }
}
