//! `roz decide`: what a review came to.

use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{Done, say};
use crate::{
    core::{
        self, bounded,
        review::{
            decision::Decision,
            proof::{Claim, Posting, Standing},
        },
        session::Session,
    },
    open::Roz,
    storage,
    world::{self, World, git, process},
};

/// Post what a review came to (reviewers, and people at a terminal)
///
/// A reviewer that roz has started decides with the token that it was given,
/// in a Bash call of its own. A person decides at a terminal with `--human`;
/// the record says so.
///
/// Examples:
///   roz decide 6f0c0d0e COMPLETE "read the diff, ran the tests" --token 3f…
///   roz decide 6f0c0d0e ISSUES "no test" --message "add one for …" --token 3f…
///   roz decide 6f0c0d0e COMPLETE "seen by me" --human
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// The session under review, or a unique beginning of its id
    session: String,
    /// COMPLETE or ISSUES
    #[arg(value_enum, ignore_case = true)]
    verdict: Verdict,
    /// What was looked at, and why it is right or what is wrong, in a line
    summary: String,
    /// What the agent has to do about it (ISSUES; without it, the summary)
    #[arg(short, long)]
    message: Option<String>,
    /// What others made of it
    #[arg(short, long)]
    opinions: Option<String>,
    /// The reviewer's one-time token (or in `ROZ_REVIEW_TOKEN`)
    #[arg(short, long)]
    token: Option<String>,
    /// Decide as a person, at a terminal
    #[arg(long, conflicts_with = "token")]
    human: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "UPPER")]
enum Verdict {
    Complete,
    Issues,
}

/// What git may take to look at the work tree.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(
        "`--human` is for a person at a terminal: standard input and standard error must be one"
    )]
    NoTerminal,
    #[error(
        "`--human` is for a person, and an agent's client started this. Use a terminal of your own"
    )]
    Agent,
    #[error(
        "no token: only a reviewer that roz has started may decide (`--token`), or a person at a \
         terminal (`--human`)"
    )]
    NoToken,
    #[error("the summary is empty: say what was looked at")]
    NoSummary,
    #[error("the decision is refused")]
    Refused(#[from] core::review::proof::Refusal),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.summary.trim().is_empty() {
        return Err(Error::NoSummary.into());
    }
    let claim = claim(args, world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.find_session(&args.session)?;
    let loaded = roz.load(&id)?;
    let root = loaded.session.project.clone().unwrap_or_else(|| world.cwd.clone());
    let (tree, no_tree) = match git::tree(&root, &roz.objects(&id), Instant::now() + PATIENCE) {
        Ok(tree) => (Some(tree), None),
        Err(git::Error::NoRepository(_)) => (None, None),
        Err(err) => (None, Some(world::in_a_line(&err))),
    };
    let posting = Posting { decision: decision(args), claim, tree, no_tree };
    let until = Instant::now() + Duration::from_secs(10);
    let fresh = || Session::new(id.clone(), world.now);
    let (answer, state) =
        storage::update_from(&*roz.store, Some(loaded), &id, until, fresh, |session| {
            session.updated_at = world.now;
            let answer = core::post(session, &posting, world.now);
            (answer, session.review.phase().word())
        })?;
    let standing = answer.map_err(Error::Refused)?;
    let verdict = posting.decision.verdict();
    if args.json {
        say::print_json(&json!({
            "session_id": id,
            "decision": verdict,
            "stands": standing == Standing::Stands,
            "state": state,
            "tree": posting.tree,
        }))?;
    } else {
        say::print(&match standing {
            Standing::Stands => {
                let so = match &posting.decision {
                    Decision::Complete { .. } => "the work is approved",
                    Decision::Issues { .. } | Decision::Pending => "the agent will be told",
                };
                format!("{verdict} recorded for session {id}: {so}.\n")
            }
            Standing::Recorded(why) => {
                format!("{verdict} recorded for session {id}, and changes nothing: {why}.\n")
            }
        })?;
    }
    Ok(Done::Well)
}

fn claim(args: &Args, world: &World) -> Result<Claim, Error> {
    if args.human {
        if world.var("CLAUDECODE").is_some() || process::descends_from_client() {
            return Err(Error::Agent);
        }
        if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
            return Err(Error::NoTerminal);
        }
        return Ok(Claim::Human);
    }
    let token = args.token.as_deref().or_else(|| world.var("ROZ_REVIEW_TOKEN"));
    token.map(|it| Claim::Token(it.trim().to_owned())).ok_or(Error::NoToken)
}

fn decision(args: &Args) -> Decision {
    let kept = |text: &str| bounded::cut(text.trim(), bounded::MAX_KEPT).to_owned();
    match args.verdict {
        Verdict::Complete => Decision::Complete {
            summary: kept(&args.summary),
            second_opinions: args.opinions.as_deref().map(kept),
        },
        Verdict::Issues => Decision::Issues {
            summary: kept(&args.summary),
            message_to_agent: kept(args.message.as_deref().unwrap_or(&args.summary)),
        },
    }
}
