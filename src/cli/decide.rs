//! `roz decide`: records a review verdict.

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
            reviewer::{Claim, Posting, Refusal, Standing, Taken},
            seen::Excuse,
        },
        session::{Session, SessionId},
    },
    open::{
        Roz,
        work::{self, Asker},
    },
    storage,
    world::{World, ancestors},
};

/// Record a review verdict (reviewers, and people at a terminal)
///
/// A reviewer that roz has started decides with the token that it was given,
/// in a Bash call of its own. COMPLETE counts once the reviewer was shown every
/// change of the work. A person decides at a terminal with `--human`, or with
/// `roz approve`.
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
    /// Let a file, a folder or a glob pass without a look, with the reason:
    /// `"src/gen/**: written by the schema compiler"`. Can be given again
    #[arg(long, value_name = "GLOB: REASON")]
    unseen: Vec<String>,
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
pub(super) enum Error {
    #[error("this is for humans only: standard input and standard error must be a terminal")]
    NoTerminal,
    #[error(
        "this is for humans only, and an agent's client started it. Use a terminal of your own"
    )]
    Agent,
    #[error("{0}")]
    BadExcuse(String),
    #[error("the decision is recorded, but the table of approvals could not be written: {0}")]
    NotWritten(String),
    #[error(transparent)]
    NoToken(Refusal),
    #[error("the summary is empty: say what was looked at")]
    NoSummary,
    #[error("the decision is refused")]
    Refused(#[from] Refusal),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.summary.trim().is_empty() {
        return Err(Error::NoSummary.into());
    }
    let excuses = args.unseen.iter().map(|text| Excuse::parse(text));
    let excuses = excuses.collect::<Result<Vec<_>, _>>().map_err(Error::BadExcuse)?;
    let claim = claim(args, world)?;
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.find_session(&args.session)?;
    let posted = post(roz, &id, decision(args), claim, excuses, world)?;
    posted.tell(args.json)?;
    Ok(Done::Well)
}

/// A decision that was taken.
pub(super) struct Posted {
    id: SessionId,
    decision: Decision,
    taken: Taken,
    tree: Option<String>,
    state: &'static str,
}

/// Looks at the work, has the session take the decision, and writes approvals down.
pub(super) fn post(
    roz: Roz,
    id: &SessionId,
    decision: Decision,
    claim: Claim,
    excuses: Vec<Excuse>,
    world: &World,
) -> Result<Posted, Box<dyn std::error::Error>> {
    let loaded = roz.load(id)?;
    let roz = roz.of_session(&loaded.session, world).unwrap_or(Ok(roz))?;
    let until = Instant::now() + PATIENCE;
    let asker = Asker { session: &loaded.session, now: world.now, until };
    let project = loaded.session.project.clone().unwrap_or_else(|| world.cwd.clone());
    let roots = work::roots(&loaded.session, &project);
    let started = loaded.session.review.trees_at_start(&claim);
    let mut posting = Posting {
        decision,
        claim,
        works: Vec::new(),
        unknown: None,
        excuses,
        changed_meanwhile: Vec::new(),
    };
    for root in &roots {
        match roz.looked(asker, root) {
            Ok((looked, state)) => {
                let before = started.as_ref().and_then(|trees| trees.get(root));
                if let (Some(state), Some(before)) = (state, before) {
                    let changed = state.paths(before, &state.tree).unwrap_or_default();
                    posting.changed_meanwhile.extend(changed);
                }
                posting.works.push(looked);
            }
            Err(why) => posting.unknown = Some(why),
        }
    }
    let tree = posting.works.iter().find_map(|work| Some(work.known.as_ref()?.tree.clone()));
    let until = Instant::now() + Duration::from_secs(10);
    let fresh = || Session::new(id.clone(), world.now);
    let (answer, state) =
        storage::update_from(&*roz.store, Some(loaded), id, until, fresh, |session| {
            session.updated_at = world.now;
            let answer = core::post(session, &posting, &roz.policy, world.now);
            (answer, session.review.phase().word())
        })?;
    let taken = answer.map_err(|refusal| match refusal {
        Refusal::NoToken => Error::NoToken(refusal),
        refusal => Error::Refused(refusal),
    })?;
    roz.approve(&taken.approvals, until).map_err(Error::NotWritten)?;
    roz.withdraw(&taken.withdrawn, &roots, world.now, until).map_err(Error::NotWritten)?;
    Ok(Posted { id: id.clone(), decision: posting.decision, taken, tree, state })
}

impl Posted {
    pub(super) fn tell(&self, as_json: bool) -> Result<(), Box<dyn std::error::Error>> {
        let verdict = self.decision.verdict();
        let id = &self.id;
        if as_json {
            say::print_json(&json!({
                "session_id": id,
                "decision": verdict,
                "stands": self.taken.standing == Standing::Stands,
                "state": self.state,
                "tree": self.tree,
                "unseen": self.taken.unseen,
            }))?;
            return Ok(());
        }
        say::print(&self.told())?;
        Ok(())
    }

    /// What came of it, in a line.
    pub(super) fn told(&self) -> String {
        let (verdict, id) = (self.decision.verdict(), &self.id);
        match (&self.taken.standing, &self.decision) {
            (Standing::Stands, Decision::Complete { .. }) => {
                format!("{verdict} recorded for session {id}: the work is approved.\n")
            }
            (Standing::Stands, Decision::Issues { .. } | Decision::Pending) => {
                format!("{verdict} recorded for session {id}: the agent will be told.\n")
            }
            (Standing::Recorded(why), _) => {
                format!("{verdict} recorded for session {id}, and changes nothing: {why}.\n")
            }
        }
    }
}

fn claim(args: &Args, world: &World) -> Result<Claim, Error> {
    if args.human {
        person(world)?;
        return Ok(Claim::Human);
    }
    let token = args.token.as_deref().or_else(|| world.var("ROZ_REVIEW_TOKEN"));
    Ok(token.map_or(Claim::Permit, |token| Claim::Token(token.trim().to_owned())))
}

/// Refuses whoever is not a person at a terminal.
pub(super) fn person(world: &World) -> Result<(), Error> {
    if world.var("CLAUDECODE").is_some() || ancestors::descends_from_agent() {
        return Err(Error::Agent);
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Error::NoTerminal);
    }
    Ok(())
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
