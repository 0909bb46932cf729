//! `roz run`: starts any agent so that gated programs are judged when they start.

use std::{ffi::OsString, io::Write as _, time::Duration, time::Instant};

use super::target_session;
use crate::{
    core::{
        bounded,
        session::{RUN, SessionId},
        trace::Mark,
    },
    hooks::shim_setup::watched,
    open::{Roz, shim_store::shell_lines},
    storage,
    world::{self, World, git, shim_start},
};

/// Start an agent whose gated programs are judged when they start
///
/// For agents whose hooks cannot set the PATH of their shells. It gets a session
/// of its own (`roz list`); `roz approve` and `roz allow` in another terminal let
/// its gated programs through.
///
/// Examples:
///   roz run -- codex
///   roz run -- aider --model o3
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The agent and its arguments
    #[arg(
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "AGENT"
    )]
    command: Vec<OsString>,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let roz = Roz::open(world, &world.cwd)?;
    let watched = watched(&roz, &world.cwd, world);
    let mut variables = Vec::new();
    if watched.names().is_empty() {
        let nothing = "roz: nothing is gated here, so the agent starts without roz";
        writeln!(std::io::stderr(), "{nothing}")?;
    } else {
        let id: SessionId = format!("{RUN}{}", bounded::hex(&world::dice()[..8])).parse()?;
        let folder = roz.link_shims(&id, &watched, &world.binary()?)?;
        begin(&roz, &id, world)?;
        let mut lines = shell_lines(&folder, &id);
        if let Some(users) = shim_start::variable("BASH_ENV") {
            let users = world::shell_word(&users.to_string_lossy());
            lines = format!("[ -r {users} ] && . {users}\n{lines}");
        }
        let mut path = folder.into_os_string();
        path.push(":");
        path.push(shim_start::variable("PATH").unwrap_or_default());
        let file = roz.write_shell_start(&id, &lines)?;
        variables.push(("BASH_ENV", file.into_os_string()));
        variables.push(("PATH", path));
        variables.push(("ROZ_SESSION_ID", id.to_string().into()));
        variables.push(("ROZ_AGENT_PID", std::process::id().to_string().into()));
    }
    let err = shim_start::become_agent(&args.command, &variables);
    let name = args.command.first().map(|command| command.to_string_lossy());
    Err(format!("failed to start `{}`: {err}", name.unwrap_or_default()).into())
}

fn begin(roz: &Roz, id: &SessionId, world: &World) -> super::Result<()> {
    let until = Instant::now() + Duration::from_secs(2);
    let new = || {
        let mut session = target_session::fresh(id, roz, world);
        session.head = git::head(&roz.project);
        session
    };
    storage::update(&*roz.store, id, until, new, |session| {
        session.record(&Mark::SessionStart { source: "run".to_owned() }, world.now);
        session.updated_at = world.now;
    })?;
    Ok(())
}
