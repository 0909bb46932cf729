//! `roz install --client` and `--all`, for agents that are wired by their files.

use serde_json::json;

use super::{Args, agents};
use crate::{
    cli::say,
    clients::{Capability, Client},
    world::World,
};

/// Writes the files of other agents.
pub(super) fn connect(
    others: &[&dyn Client],
    args: &Args,
    world: &World,
) -> crate::cli::Result<()> {
    let mut all = Vec::new();
    for client in others {
        let told = agents::install(*client, args.dry_run, world)?;
        let program = client.setup().map_or_else(|| client.name(), |setup| setup.program);
        let alias = format!("alias {program}='roz run -- {program}'");
        let needs_alias = !client.can(Capability::EnvironmentFile);
        if args.json {
            all.push(json!({
                "client": client.name(), "done": told.done, "left": told.left,
                "alias": needs_alias.then_some(alias),
            }));
            continue;
        }
        let mut lines = vec![format!("{}:", client.title())];
        lines.extend(told.done.iter().map(|line| format!("  {line}")));
        lines.extend(told.left.iter().map(|line| format!("  warning: {line}")));
        if needs_alias {
            lines.push(format!(
                "  Its shells find the stand-ins of gated programs if it starts by `roz run`: put \
                 `{alias}` into your shell's start-up file."
            ));
        }
        say::print(&(lines.join("\n") + "\n"))?;
    }
    if args.json {
        say::print_json(&json!({ "clients": all, "dry_run": args.dry_run }))?;
    } else if others.is_empty() {
        say::print("No other agent was found here.\n")?;
    }
    Ok(())
}
