//! `roz decide`: records a review verdict.

use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::target_session::{self, Target};
use crate::{
    core::{
        self, bounded,
        review::{
            decision::Decision,
            reviewer::{Claim, Posting, Refusal, Standing},
            seen::Excuse,
        },
        session::SessionId,
    },
    open::Roz,
    world::{World, parent_processes},
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
    #[arg(value_parser = ["COMPLETE", "ISSUES"], ignore_case = true)]
    verdict: String,
    /// What was looked at, and why it is right or what is wrong, in one line
    summary: String,
    /// What the agent has to do about it (ISSUES; without it, the summary)
    #[arg(short, long)]
    message: Option<String>,
    /// What others think of it
    #[arg(short, long)]
    opinions: Option<String>,
    /// The reviewer's one-time token (or in `ROZ_REVIEW_TOKEN`)
    #[arg(short, long)]
    token: Option<String>,
    /// Do not require a look at a file, a folder or a glob, with the reason:
    /// `"src/gen/**: written by the schema compiler"`. Can be given again
    #[arg(long, value_name = "GLOB: REASON")]
    unseen: Vec<String>,
    /// Decide as a person, at a terminal
    #[arg(long, conflicts_with = "token")]
    human: bool,
}

#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    #[error("this is for humans only: run it at a terminal, or begin a prompt with `#roz:approve`")]
    NoTerminal,
    #[error(
        "this is for humans only, and an agent's client started it. Use a terminal of your own"
    )]
    Agent,
    #[error("the decision is recorded, but the table of approvals could not be written: {0}")]
    NotWritten(String),
    #[error(transparent)]
    Refused(#[from] Refusal),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.summary.trim().is_empty() {
        return Err("the summary is empty: say what was looked at".into());
    }
    let excuses = args.unseen.iter().map(|text| Excuse::parse(text));
    let excuses = excuses.collect::<Result<Vec<_>, _>>()?;
    let claim = claim(args, world)?;
    let mut decision = decision(&args.verdict, &args.summary, args.message.as_deref());
    if let Decision::Complete { second_opinions, .. } = &mut decision {
        *second_opinions = args.opinions.as_deref().map(kept);
    }
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.find_session(&args.session)?;
    let (value, words) = post(roz, &id, decision, claim, excuses, world)?;
    super::said(value, words)
}

/// Looks at the work, records the decision in the session, and stores approvals. Returns the result
/// as JSON and as a line.
pub(super) fn post(
    roz: Roz,
    id: &SessionId,
    decision: Decision,
    claim: Claim,
    excuses: Vec<Excuse>,
    world: &World,
) -> super::Result<(Value, String)> {
    let loaded = roz.load(id)?;
    let roz = roz.of_session(&loaded.session, world).unwrap_or(Ok(roz))?;
    let (asker, roots) = target_session::works(&loaded.session, world);
    let mut posting = Posting { decision, claim, works: Vec::new(), unknown: None, excuses };
    for root in &roots {
        match roz.looked(asker, root, loaded.session.review.tree_at_start(root)) {
            Ok(looked) => posting.works.push(looked),
            Err(why) => posting.unknown = Some(why),
        }
    }
    let tree = posting.works.iter().find_map(|work| Some(work.known.as_ref()?.tree.clone()));
    let target = Target { id: id.clone(), stored: Some(loaded) };
    let (answer, state) = target.update(&roz, world, |session| {
        let answer = core::post(session, &posting, &roz.policy, world.now);
        (answer, session.review.phase().word())
    })?;
    let taken = answer.map_err(Error::Refused)?;
    let until = Instant::now() + Duration::from_secs(10);
    roz.approve(&taken.approvals, until).map_err(Error::NotWritten)?;
    roz.withdraw(&taken.withdrawn, &roots, world.now, until).map_err(Error::NotWritten)?;
    let verdict = posting.decision.verdict();
    let so = match (&taken.standing, &posting.decision) {
        (Standing::Recorded(why), _) => format!(", and changes nothing: {why}"),
        (Standing::Stands, Decision::Complete { .. }) => ": the work is approved".to_owned(),
        (Standing::Stands, _) => ": the agent will be told".to_owned(),
    };
    let value = json!({
        "session_id": id,
        "decision": verdict,
        "stands": taken.standing == Standing::Stands,
        "state": state,
        "tree": tree,
        "unseen": taken.unseen,
    });
    Ok((value, format!("{verdict} recorded for session {id}{so}.\n")))
}

fn claim(args: &Args, world: &World) -> Result<Claim, Error> {
    if args.human {
        person(world)?;
        return Ok(Claim::Human);
    }
    let token = args.token.as_deref().or_else(|| world.var("ROZ_REVIEW_TOKEN"));
    Ok(token.map_or(Claim::Permit, |token| Claim::Token(token.trim().to_owned())))
}

/// Fails unless a person at a terminal runs this.
pub(super) fn person(world: &World) -> Result<(), Error> {
    if world.var("CLAUDECODE").is_some() || parent_processes::descends_from_agent() {
        return Err(Error::Agent);
    }
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return Err(Error::NoTerminal);
    }
    Ok(())
}

pub(super) fn decision(verdict: &str, summary: &str, message: Option<&str>) -> Decision {
    let message_to_agent = kept(message.unwrap_or(summary));
    let summary = kept(summary);
    if verdict.eq_ignore_ascii_case("COMPLETE") {
        Decision::Complete { summary, second_opinions: None }
    } else {
        Decision::Issues { summary, message_to_agent }
    }
}

fn kept(text: &str) -> String {
    bounded::cut(text.trim(), bounded::MAX_KEPT).to_owned()
}
