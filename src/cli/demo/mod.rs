//! `roz demo`: a whole session in a few seconds, through real hook processes in a temporary home.
//! `roz doctor` plays the same one unseen.

mod cage;
mod stage;
mod story;

use std::path::Path;

use serde_json::json;

use self::stage::Stage;
pub(super) use self::{cage::Cage, stage::Step};
use super::{Done, say};
use crate::{core::bounded, world::World};

/// Play a whole session, and show what roz answers
///
/// A prompt, a write out of scope, a gated push, a reviewer with findings, the
/// fix, the approval, a ticket and what was learned: on the left what the client
/// sends, on the right what roz answers. The hooks are real processes in a
/// temporary home; nothing of yours is touched, and no network is needed.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What the user of the demo has configured.
const CONFIG: &str = "[review.gates]\ntools = [\"Bash:git push*\"]\n";

#[derive(Debug, thiserror::Error)]
#[error("failed to create a temporary home")]
struct NoHome(#[source] std::io::Error);

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let cage = Cage::new(&world.binary()?, "demo", CONFIG, world).map_err(NoHome)?;
    let mut stage = Stage::new(&cage, (!args.json).then(|| say::Out::new(world)));
    story::play(&mut stage)?;
    if args.json {
        say::print_json(&json!({ "ok": stage.is_right(), "steps": stage.steps() }))?;
    } else {
        stage.close()?;
    }
    Ok(if stage.is_right() { Done::Well } else { Done::Badly })
}

/// Plays the session without showing it.
pub(super) fn rehearse(binary: &Path, world: &World) -> Result<Vec<Step>, String> {
    let failed = |err: std::io::Error| bounded::line(&err.to_string(), 300);
    let no_home = |err| format!("no temporary home: {}", failed(err));
    let cage = Cage::new(binary, "canary", CONFIG, world).map_err(no_home)?;
    let mut stage = Stage::new(&cage, None);
    story::play(&mut stage).map_err(failed)?;
    Ok(stage.into_steps())
}
