//! `roz demo`: a whole session in a few seconds, through real hook processes
//! in a temporary home. Nothing outside of it is touched.

mod stage;
mod story;

use serde_json::json;

use self::stage::Stage;
use super::{Done, cage::Cage, say};
use crate::world::World;

/// Play a whole session, and show what roz answers
///
/// A prompt, a write out of scope, a gated push, a reviewer with findings, the
/// fix, the approval, a ticket and what was learned at it: on the left what the
/// client sends, on the right what roz answers. The hooks are real processes,
/// in a temporary home; nothing of yours is touched, and nothing needs a
/// network.
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
enum Error {
    #[error("the path of this binary is not to be had")]
    Binary,
    #[error("no temporary home for the demo")]
    Cage(#[source] std::io::Error),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let binary = world.own_file().ok_or(Error::Binary)?;
    let cage = Cage::new(&binary, "demo", CONFIG, world).map_err(Error::Cage)?;
    let mut stage = Stage::new(&cage, (!args.json).then(|| say::Out::new(world)));
    let played = story::play(&mut stage);
    if let Err(err) = played {
        // Whoever listened has gone.
        return Err(err.into());
    }
    if args.json {
        say::print_json(&json!({ "ok": stage.is_right(), "steps": stage.steps() }))?;
    } else {
        stage.close()?;
    }
    Ok(if stage.is_right() { Done::Well } else { Done::Badly })
}
