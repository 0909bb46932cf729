//! `roz confirm`: a person confirms changes by which calls weakened roz's files.

use std::fmt::Write as _;

use serde_json::json;

use super::{decide, say};
use crate::{
    config,
    core::bounded,
    observe::own_files,
    open::Roz,
    sidecar::{self, intent_store::IntentStore},
    world::World,
};

/// Confirm changes of roz's own files (humans only, at a terminal)
///
/// When an agent's call weakens one of roz's own files (a laxer key in your
/// configuration, a removed hook, another binary) or changes this project's
/// declared work, roz tells you and keeps the change on a list. This command
/// clears the list. Until then, a laxer configuration does not apply.
///
/// Examples:
///   roz confirm --list
///   roz confirm
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Only show the list
    #[arg(long)]
    list: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if !args.list {
        decide::person(world)?;
    }
    let roz = Roz::open(world, &world.cwd)?;
    let weakened = own_files::unconfirmed(&roz.home);
    let store = sidecar::governing(&roz.sidecar, &world.cwd)
        .and_then(|root| IntentStore::open(&root, &roz.home));
    let doubts = store.as_ref().map(IntentStore::doubts).unwrap_or_default();
    if !args.list {
        if let Some(store) = store.filter(|_| !doubts.is_empty()) {
            store.confirm()?;
        }
        config::release(&roz.home, &roz.user_file)?;
        own_files::leave(&roz.home, &[])?;
    }
    let declared = doubts.iter().map(|doubt| {
        json!({ "file": doubt.file, "tool": doubt.tool_name, "session_id": doubt.session_id, "at": doubt.at })
    });
    let value = json!({
        "confirmed": !args.list,
        "changes": weakened,
        "declared_work": declared.collect::<Vec<_>>(),
    });
    let mut text = String::new();
    for weakened_file in &weakened {
        let ago = say::ago(weakened_file.at, world.now);
        let _ = writeln!(text, "{} ({} call, {ago})", weakened_file.shown(), weakened_file.tool);
    }
    for doubt in &doubts {
        let _ = writeln!(text, "`{}` ({})", doubt.file, say::ago(doubt.at, world.now));
    }
    let is_empty = weakened.is_empty() && doubts.is_empty();
    text += match (is_empty, args.list) {
        (true, _) => "Nothing to confirm.\n",
        (false, true) => "Put it back, or run `roz confirm` if it is right.\n",
        (false, false) => "Confirmed.\n",
    };
    super::said(value, bounded::plain(&text))
}
