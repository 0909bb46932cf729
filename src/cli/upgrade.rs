//! `roz upgrade`: prints the command that updates roz, which depends on how it was installed.

use std::path::Path;

use serde_json::json;

use crate::world::World;

/// Show how to upgrade roz
///
/// Prints the command that fits how this binary was installed, and runs nothing.
///
/// Example:
///   roz upgrade
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {}

/// A part of the binary's path, how it was installed there, and what updates it.
const WAYS: &[(&str, &str, &str)] = &[
    ("/.cargo/bin/", "cargo", "cargo install --locked roz"),
    ("/Cellar/", "Homebrew", "brew upgrade roz"),
    ("/node_modules/", "npm", "npm update --global roz"),
    ("/nix/store/", "nix", "nix profile upgrade roz"),
];

const BY_SCRIPT: (&str, &str) = ("install.sh or by hand (unknown)", "git pull && ./install.sh");

pub(super) fn run(_: &Args, world: &World) -> super::Result {
    let binary = world.binary()?;
    let real = binary.canonicalize().unwrap_or_else(|_| binary.clone());
    let (way, command) = way(&real);
    let version = env!("CARGO_PKG_VERSION");
    let value = json!({
        "version": version, "binary": binary, "installed_by": way, "command": command,
    });
    let place = if command.starts_with("git") { " in a clone (or copy a new one)" } else { "" };
    let words = format!(
        "roz {version} at `{}` was installed by {way}.\nTo upgrade, run{place}:\n  {command}\nThen \
         run `roz install` and restart the client.\n",
        binary.display()
    );
    super::said(value, words)
}

fn way(binary: &Path) -> (&'static str, &'static str) {
    let path = binary.to_string_lossy();
    let found = WAYS.iter().find(|(part, ..)| path.contains(part));
    found.map_or(BY_SCRIPT, |(_, way, command)| (way, command))
}

#[cfg(test)]
mod tests;
