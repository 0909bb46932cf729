//! `roz reflect`: writes down what was learned.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::json;

use super::{Done, input, learnings, target_session::Target};
use crate::{
    core::{
        bounded,
        reflection::{
            candidate::{self, Batch},
            judge::{Judgement, Rejected, judge},
            learning::{Learning, Origin},
            state::{self, Done as Reflected, Status},
            usage::{self, Event},
        },
        trace::Mark,
    },
    memory::{self, Library, Shelf},
    world::{World, git, in_a_line},
};

/// Write down what was learned: JSON on standard input
///
/// Each candidate becomes a learning, or is rejected with all reasons; a bad one
/// does not affect the others. `--schema` prints the fields.
///
/// Example:
///   cat <<'EOF' | roz reflect
///   {"candidates": [{
///     "category": "pitfall",
///     "summary": "bcrypt in an async handler stalls the tokio worker; use spawn_blocking",
///     "detail": "bcrypt::verify takes 250 ms of CPU: other requests timed out under load.",
///     "tags": ["tokio", "auth"],
///     "criteria_met": ["behavior_changing"]
///   }]}
///   EOF
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[expect(clippy::doc_markdown, clippy::doc_link_with_quotes, reason = "the help shows JSON")]
pub(super) struct Args {
    /// The session (default: the one named in the JSON, the one in which this
    /// runs, this project's newest)
    #[arg(long)]
    session_id: Option<String>,
    /// Print the JSON Schema of the input, with an example in it
    #[arg(long)]
    schema: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.schema {
        let schema = json!(candidate::schema());
        let words = format!("{schema:#}\n");
        return super::said(schema, words);
    }
    let instead = "standard input is a terminal. Give JSON: `roz reflect --schema` shows it";
    let text = String::from_utf8(input::read(instead)?);
    let batch = Batch::parse(&text.map_err(|_| "standard input is not UTF-8")?)?;
    let given = args.session_id.as_deref().or(batch.session_id.as_deref());
    let (roz, target) = Target::open(given, world)?;
    let session = target.session(&roz, world);
    let id = target.id.to_string();
    let tickets = session.reflection.tickets(&id);
    let ticket = tickets.first();
    let library = roz.library(world);
    let shelf = library.all();
    let known: Vec<Learning> =
        shelf.learnings.iter().map(|learning| learning.learning.clone()).collect();
    let origin = Origin {
        now: world.now,
        session_id: Some(&id),
        ticket_id: ticket.map(String::as_str),
        roz_version: env!("CARGO_PKG_VERSION"),
    };
    let judged = judge(&batch, &known, &roz.policy.gate.write_gate, &origin);
    let mut warnings = judged.warnings.clone();
    let (kept, failure) = keep(&judged.accepted, &library, &mut warnings);
    let mut events = rejections(&judged, &id);
    if !kept.is_empty() {
        events.extend(uses(&batch, &shelf, &id, ticket, &mut warnings));
        events.push(reflection(&kept, &judged, &id, &tickets));
        events.extend(written(&kept).filter_map(|learning| {
            let learning_id = learning.supersedes.clone()?;
            Some(Event::Corrected { learning_id, superseded_by: learning.id.clone() })
        }));
    }
    let logged = learnings::note(&roz.usage_log(&library), events, world);
    warnings.extend(logged.err().map(|err| in_a_line(&*err)));
    let accepted = kept.iter().map(|kept| {
        json!({
            "id": kept.learning.id, "summary": kept.learning.summary, "kept_in": kept.places,
        })
    });
    let value = json!({
        "accepted": accepted.collect::<Vec<_>>(),
        "rejected": judged.rejected,
        "warnings": warnings,
    });
    let rest = in_words(&kept, &judged, &warnings);
    if kept.is_empty() {
        let why = match failure {
            None => {
                "nothing was accepted, and nothing has changed. Fix what is named, or `roz skip \
                     WHY` where there is nothing to tell"
                    .to_owned()
            }
            Some(err) => format!(
                "no learning could be written. `roz skip` lets the session stop without: {}",
                in_a_line(&err)
            ),
        };
        return Ok(Done::Said(value, rest, Err(why)));
    }
    let done = done(&kept, &judged, &batch, world);
    let may_stop = target.update(&roz, world, |session| {
        for used in &batch.learnings_used {
            session.reflection.referenced(&used.id);
        }
        let was_due = session.reflection.reflected(done.clone());
        let rejected = count(judged.rejected.len());
        let accepted = done.learnings.clone();
        session.record(&Mark::Reflection { accepted, rejected, was_due }, world.now);
        was_due || session.reflection.status() == Status::Reflected
    })?;
    let is_here = roz.project == git::root(&world.cwd);
    let project = if is_here { String::new() } else { format!(" in {}", roz.project.display()) };
    let so = if may_stop { "; the session may stop" } else { "" };
    let (kept, of) = (written(&kept).count(), judged.accepted.len() + judged.rejected.len());
    let words = format!("Kept {kept} of {of} for session {id}{project}{so}.\n");
    super::said(value, bounded::plain(&words) + &rest)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A learning that was accepted, and where it was written: nowhere if it is ephemeral and there is
/// no daily log.
struct Kept {
    learning: Learning,
    places: Vec<&'static str>,
}

/// The learnings that were written somewhere. Others must not be counted.
fn written(kept: &[Kept]) -> impl Iterator<Item = &Learning> {
    kept.iter().filter(|kept| !kept.places.is_empty()).map(|kept| &kept.learning)
}

/// Writes as many of the accepted learnings as possible. Returns the last error.
fn keep(
    accepted: &[Learning],
    library: &Library,
    warnings: &mut Vec<String>,
) -> (Vec<Kept>, Option<memory::Error>) {
    /// Another process may take an id before we write.
    const ATTEMPTS: u32 = 20;
    let mut kept = Vec::new();
    let mut failure = None;
    for learning in accepted {
        let mut learning = learning.clone();
        let mut written = library.write(&learning);
        for salt in 1..ATTEMPTS {
            if !matches!(written, Err(memory::Error::Exists { .. })) {
                break;
            }
            learning.id = learning.make_id(salt);
            written = library.write(&learning);
        }
        match written {
            Ok(written) => {
                warnings.extend(written.warnings);
                kept.push(Kept { learning, places: written.kept_in });
            }
            Err(err) => {
                let why = in_a_line(&err);
                warnings.push(format!("`{}` was not written: {why}", learning.summary));
                failure = Some(err);
            }
        }
    }
    warnings.dedup();
    (kept, failure)
}

fn rejections(judged: &Judgement, session_id: &str) -> Vec<Event> {
    let event = |rejected: &Rejected| Event::Rejected {
        session_id: session_id.to_owned(),
        summary: bounded::chars(&rejected.summary, 200),
        tags: rejected.tags.iter().take(10).map(|tag| bounded::chars(tag, 60)).collect(),
        stage: rejected.stage.word().to_owned(),
        reason: bounded::chars(&rejected.reasons.join("; "), 500),
    };
    judged.rejected.iter().map(event).collect()
}

/// The batch's ratings of existing learnings.
fn uses(
    batch: &Batch,
    shelf: &Shelf,
    session_id: &str,
    ticket_id: Option<&String>,
    warnings: &mut Vec<String>,
) -> Vec<Event> {
    let mut events = Vec::new();
    let mut check = |id: &str| {
        let known = shelf.learnings.iter().any(|learning| learning.learning.id == id);
        if !known {
            warnings.push(format!("there is no learning `{}`", bounded::line(id, 60)));
        }
        known
    };
    for used in &batch.learnings_used {
        if check(&used.id) {
            events.push(Event::Referenced {
                learning_id: used.id.clone(),
                session_id: session_id.to_owned(),
                ticket_id: ticket_id.cloned(),
                how: used.how.as_deref().map(|how| bounded::chars(how, 500)),
            });
        }
    }
    for rating in &batch.ratings {
        if check(&rating.id) {
            events.push(Event::Rated { learning_id: rating.id.clone(), useful: rating.useful });
        }
    }
    events
}

fn reflection(kept: &[Kept], judged: &Judgement, session_id: &str, tickets: &[String]) -> Event {
    let (ticket_id, tickets) = usage::fields(tickets);
    let mut categories = BTreeMap::new();
    let mut criteria = BTreeMap::new();
    for item in kept {
        *categories.entry(item.learning.category.word().to_owned()).or_insert(0) += 1;
        for criterion in &item.learning.criteria {
            *criteria.entry(criterion.word().to_owned()).or_insert(0) += 1;
        }
    }
    Event::Reflection {
        session_id: session_id.to_owned(),
        ticket_id,
        tickets,
        candidates: count(judged.accepted.len() + judged.rejected.len()),
        accepted: count(kept.len()),
        learnings: written(kept).map(|written| written.id.clone()).collect(),
        categories,
        criteria,
    }
}

fn done(kept: &[Kept], judged: &Judgement, batch: &Batch, world: &World) -> Reflected {
    const SHOWN: usize = 20;
    let rejected = |item: &Rejected| state::Rejected {
        summary: bounded::chars(&item.summary, 200),
        stage: item.stage.word().to_owned(),
        reason: bounded::chars(&item.reasons.join("; "), 300),
    };
    Reflected {
        learnings: written(kept).map(|written| written.id.clone()).collect(),
        rejected_candidates: judged.rejected.iter().take(SHOWN).map(rejected).collect(),
        candidates_produced: count(batch.candidates.len()),
        candidates_accepted: count(kept.len()),
        notes: batch.notes.as_deref().map(|note| bounded::cut(note, state::MAX_NOTE).to_owned()),
        completed_at: world.now,
    }
}

fn in_words(kept: &[Kept], judged: &Judgement, warnings: &[String]) -> String {
    let mut text = String::new();
    for Kept { learning, places } in kept {
        let places = if places.is_empty() { "nowhere".to_owned() } else { places.join(", ") };
        let _ = writeln!(text, "  {}  {}  ({places})", learning.id, learning.summary);
    }
    for Rejected { index, stage, summary, reasons, .. } in &judged.rejected {
        let summary = bounded::line(summary, 80);
        let _ = writeln!(text, "Rejected candidate {index} ({stage}): {summary}");
        for reason in reasons {
            let _ = writeln!(text, "  - {reason}");
        }
    }
    for warning in warnings {
        let _ = writeln!(text, "Note: {warning}");
    }
    bounded::plain(&text)
}
