//! `roz reflect`: writes down what was learned.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Done, input, say, target::Target};
use crate::{
    core::{
        bounded,
        reflection::{
            candidate::{self, Batch},
            judge::{Judgement, judge},
            learning::{Learning, Origin},
            state::{self, Done as Reflected, Status},
            usage::{self, Entry, Event},
        },
        trace::Mark,
    },
    memory::{self, Library, Shelf},
    world::{World, git, in_a_line},
};

/// Write down what was learned: JSON on standard input
///
/// Each candidate becomes a learning of its own, or is rejected with every
/// reason; a bad one does not spoil the others. `--schema` prints the fields.
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const MAX_INPUT: u64 = 4 << 20;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("standard input is not UTF-8")]
    NotText,
    #[error(
        "nothing was accepted, and nothing has changed. Fix what is named, or `roz skip WHY` where \
         there is nothing to tell"
    )]
    NothingAccepted,
    #[error("no learning could be written. `roz skip` lets the session stop without")]
    NotWritten(#[source] memory::Error),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.schema {
        say::print_json(&candidate::schema())?;
        return Ok(Done::Well);
    }
    let batch = Batch::parse(&given()?)?;
    let given = args.session_id.as_deref().or(batch.session_id.as_deref());
    let (roz, target) = Target::open(given, world)?;
    let elsewhere = Some(roz.project.as_path()).filter(|path| *path != git::root(&world.cwd));
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
    let log = roz.usage_log(&library);
    let until = Instant::now() + Duration::from_secs(5);
    let mut warnings = judged.warnings.clone();
    let mut entries = rejections(&judged, &id);
    let kept = keep(&judged.accepted, &library, &mut warnings);
    let (kept, failure) = (kept.kept, kept.failure);
    if kept.is_empty() {
        warnings
            .extend(log.append(&stamped(entries, world), until).err().map(|err| in_a_line(&err)));
        let failed = failure.map_or(Error::NothingAccepted, Error::NotWritten);
        let report =
            Report { elsewhere, kept: &kept, judged: &judged, warnings: &warnings, was_due: false };
        report.say(args.json, &id)?;
        return if args.json { Ok(Done::Badly) } else { Err(failed.into()) };
    }
    entries.extend(uses(&batch, &shelf, &id, ticket, &mut warnings));
    entries.push(reflection(&kept, &judged, &id, &tickets));
    for learning in written(&kept) {
        if let Some(old) = &learning.supersedes {
            let superseded_by = learning.id.clone();
            entries.push(Event::Corrected { learning_id: old.clone(), superseded_by });
        }
    }
    warnings.extend(log.append(&stamped(entries, world), until).err().map(|err| in_a_line(&err)));
    let done = done(&kept, &judged, &batch, world);
    let was_due = target.update(&roz, world, |session| {
        for used in &batch.learnings_used {
            session.reflection.referenced(&used.id);
        }
        let was_due = session.reflection.reflected(done.clone());
        let rejected = u32::try_from(judged.rejected.len()).unwrap_or(u32::MAX);
        let accepted = done.learnings.clone();
        session.record(&Mark::Reflection { accepted, rejected, was_due }, world.now);
        was_due || session.reflection.status() == Status::Reflected
    })?;
    let report = Report { elsewhere, kept: &kept, judged: &judged, warnings: &warnings, was_due };
    report.say(args.json, &id)?;
    Ok(Done::Well)
}

fn given() -> super::Result<String> {
    let instead = "standard input is a terminal. Give JSON: `roz reflect --schema` shows it";
    let bytes = input::read(MAX_INPUT, instead)?;
    String::from_utf8(bytes).map_err(|_| Error::NotText.into())
}

/// A learning that was accepted, and where it was written: nowhere, where it is
/// for the day and there is no daily log.
struct Kept {
    learning: Learning,
    places: Vec<&'static str>,
}

/// Those that are somewhere. An id that nothing has would be one more learning
/// in whatever counts them.
fn written(kept: &[Kept]) -> impl Iterator<Item = &Learning> {
    kept.iter().filter(|kept| !kept.places.is_empty()).map(|kept| &kept.learning)
}

struct Keeping {
    kept: Vec<Kept>,
    /// Why one could not be written.
    failure: Option<memory::Error>,
}

fn keep(accepted: &[Learning], library: &Library, warnings: &mut Vec<String>) -> Keeping {
    /// Somebody else may take an id between our look and our writing.
    const ATTEMPTS: u32 = 20;
    let mut keeping = Keeping { kept: Vec::new(), failure: None };
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
                keeping.kept.push(Kept { learning, places: written.kept_in });
            }
            Err(err) => {
                warnings.push(format!(
                    "`{}` was not written: {}",
                    learning.summary,
                    in_a_line(&err)
                ));
                keeping.failure = Some(err);
            }
        }
    }
    warnings.dedup();
    keeping
}

fn rejections(judged: &Judgement, session_id: &str) -> Vec<Event> {
    let event = |rejected: &crate::core::reflection::judge::Rejected| Event::Rejected {
        session_id: session_id.to_owned(),
        summary: bounded::chars(&rejected.summary, 200),
        tags: rejected.tags.iter().take(10).map(|tag| bounded::chars(tag, 60)).collect(),
        stage: rejected.stage.word().to_owned(),
        reason: bounded::chars(&rejected.reasons.join("; "), 500),
    };
    judged.rejected.iter().map(event).collect()
}

/// What the batch says of learnings that were there before.
fn uses(
    batch: &Batch,
    shelf: &Shelf,
    session_id: &str,
    ticket_id: Option<&String>,
    warnings: &mut Vec<String>,
) -> Vec<Event> {
    let is_known = |id: &str| shelf.learnings.iter().any(|learning| learning.learning.id == id);
    let mut events = Vec::new();
    let mut check = |id: &str| {
        let known = is_known(id);
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
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
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

fn stamped(events: Vec<Event>, world: &World) -> Vec<Entry> {
    events.into_iter().map(|event| Entry::new(world.now, event)).collect()
}

/// For the session's own record.
fn done(kept: &[Kept], judged: &Judgement, batch: &Batch, world: &World) -> Reflected {
    const SHOWN: usize = 20;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let rejected = |item: &crate::core::reflection::judge::Rejected| state::Rejected {
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

struct Report<'a> {
    /// The project, if it is not the current one.
    elsewhere: Option<&'a Path>,
    kept: &'a [Kept],
    judged: &'a Judgement,
    warnings: &'a [String],
    was_due: bool,
}

impl Report<'_> {
    fn say(&self, as_json: bool, session_id: &str) -> super::Result<()> {
        if as_json {
            return say::print_json(&self.json());
        }
        let mut text = String::new();
        if !self.kept.is_empty() {
            let of = self.judged.accepted.len() + self.judged.rejected.len();
            let kept = written(self.kept).count();
            let so = if self.was_due { "; the session may stop" } else { "" };
            let project = self.elsewhere.map(|elsewhere| format!(" in {}", elsewhere.display()));
            let project = bounded::plain_line(&project.unwrap_or_default());
            let _ = writeln!(text, "Kept {kept} of {of} for session {session_id}{project}{so}.");
        }
        for item in self.kept {
            let places = item.places.join(", ");
            let places = if places.is_empty() { "nowhere" } else { &places };
            let _ = writeln!(text, "  {}  {}  ({places})", item.learning.id, item.learning.summary);
        }
        for rejected in &self.judged.rejected {
            let summary = bounded::line(&rejected.summary, 80);
            let _ = writeln!(
                text,
                "Rejected candidate {} ({}): {summary}",
                rejected.index, rejected.stage
            );
            for reason in &rejected.reasons {
                let _ = writeln!(text, "  - {reason}");
            }
        }
        for warning in self.warnings {
            let _ = writeln!(text, "Note: {warning}");
        }
        Ok(say::print_plain(&text)?)
    }

    fn json(&self) -> Value {
        let accepted = |kept: &Kept| json!({ "id": kept.learning.id, "summary": kept.learning.summary, "kept_in": kept.places });
        let rejected = |item: &crate::core::reflection::judge::Rejected| {
            json!({
                "index": item.index,
                "summary": item.summary,
                "stage": item.stage.word(),
                "reasons": item.reasons,
            })
        };
        json!({
            "accepted": self.kept.iter().map(accepted).collect::<Vec<_>>(),
            "rejected": self.judged.rejected.iter().map(rejected).collect::<Vec<_>>(),
            "warnings": self.warnings,
        })
    }
}
