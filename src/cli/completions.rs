//! `roz completions`: scripts for shells.

use clap::CommandFactory as _;
use clap_complete::{Shell, generate};
use serde_json::json;

use super::Cli;
use crate::world::World;

/// Print the completion script for a shell
///
/// Examples:
///   roz completions bash > ~/.local/share/bash-completion/completions/roz
///   roz completions zsh  > ~/.zfunc/_roz
///   roz completions fish > ~/.config/fish/completions/roz.fish
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args, _: &World) -> super::Result {
    let mut text = Vec::new();
    generate(args.shell, &mut Cli::command(), "roz", &mut text);
    let script = String::from_utf8_lossy(&text).into_owned();
    super::said(json!({ "script": script }), script)
}
