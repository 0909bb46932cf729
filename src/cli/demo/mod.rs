//! `roz demo`: a whole session in a few seconds, through real hook processes in a temporary home.
//! `roz doctor` plays the same one without showing it.

mod cage;
mod runner;
mod story;

use std::path::Path;

use serde_json::json;

pub(super) use self::{
    cage::Cage,
    runner::{Stage, Step, times},
};
use super::say::Out;
use crate::world::World;

/// Play a whole session, and show what roz answers
///
/// A prompt, a write out of scope, a gated push, a reviewer with findings, the
/// fix, the approval, a ticket and what was learned: on the left what the client
/// sends, on the right what roz answers. The hooks are real processes in a
/// temporary home; nothing of yours is touched, and no network is needed.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[arg(from_global)]
    json: bool,
}

const CONFIG: &str = "[review.gates]\ntools = [\"Bash:git push*\"]\n";

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let stage = play(&world.binary()?, (!args.json).then(|| Out::new(world)), world)?;
    let value = json!({ "ok": stage.is_right(), "steps": stage.steps });
    super::judged(stage.is_right(), value, stage.closing())
}

/// Plays the session, and shows it if there is an `out`.
pub(super) fn play(binary: &Path, out: Option<Out>, world: &World) -> super::Result<Stage> {
    let cage = Cage::new(binary, CONFIG, world);
    let cage = cage.map_err(|err| format!("no temporary home: {err}"))?;
    let mut stage = Stage::new(cage, out);
    story::play(&mut stage)?;
    Ok(stage)
}
