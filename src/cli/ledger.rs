//! `roz ledger`: shows and checks the records of what was changed for which intent.

use std::{
    ffi::OsStr,
    fmt::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use clap::Subcommand;
use serde_json::{Value, json};

use super::say;
use crate::{
    core::{
        bounded,
        intent::ledger::{
            MutationClass, Record,
            record_schema::{self, Fault},
        },
    },
    ledger::Ledger,
    open::Roz,
    world::{World, links::normal},
};

/// Show and check what was changed for which intent
///
/// The ledger is `.orchestration/agent_trace.jsonl`, with one Agent Trace 0.1.0
/// record per line. Git ignores the file and carries its records as notes of the
/// commits with the changes: `push` sends this machine's, `pull` fetches those of
/// others.
///
/// Examples:
///   roz ledger show --intent INT-001
///   roz ledger show --file src/auth --limit 5
///   roz ledger verify              exit code 1 if a line is not as it was written
///   roz ledger export > traces.jsonl
///   git push && roz ledger push
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Show(Show),
    /// Find lines that were edited, removed, moved, doubled or inserted
    ///
    /// Each record contains the hash of its session's previous record, and the
    /// machine that wrote a session knows its last record. Lines of different
    /// sessions may be in any order. Exit code 1 if anything is wrong.
    #[command(verbatim_doc_comment)]
    Verify,
    /// Check that every line is an Agent Trace record
    Validate {
        /// Older versions could also allow other fields.
        #[arg(long = "strict", hide = true)]
        _strict: bool,
    },
    /// Print the records for other programs, one per line
    ///
    /// Fields that Agent Trace does not know are dropped, or are in
    /// `metadata["dev.roz"]`. Exit code 1 if a line could not be printed.
    #[command(verbatim_doc_comment)]
    Export {
        /// The form of the records
        #[arg(long, value_parser = ["agent-trace"], default_value = "agent-trace")]
        format: String,
    },
    /// Send the records that are in this machine's notes
    ///
    /// After the branch, and not in a pre-push hook: many hosts refuse a second push inside of one.
    /// The ref is `refs/notes/roz/<machine>`.
    ///
    /// Example:
    ///   roz ledger push
    #[command(verbatim_doc_comment)]
    Push(Remote),
    /// Fetch the records of other machines
    ///
    /// `show`, `verify` and `roz blame` read them from then on with this one's.
    ///
    /// Example:
    ///   roz ledger pull
    #[command(verbatim_doc_comment)]
    Pull(Remote),
}

/// Show the newest records, oldest first
#[derive(Debug, clap::Args)]
struct Show {
    /// Only those for this intent
    #[arg(long, value_name = "ID")]
    intent: Option<String>,
    /// Only those that changed this file, or a file in this folder
    #[arg(long, value_name = "PATH")]
    file: Option<PathBuf>,
    /// Only those of the sessions whose ids begin with this
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// How many
    #[arg(short, long, default_value_t = 20, value_parser = super::at_least_one::<usize>)]
    limit: usize,
}

#[derive(Debug, clap::Args)]
struct Remote {
    /// A remote (default: that of the branch, else `origin`, else the only one)
    remote: Option<String>,
}

/// For taking a lock, reading notes and searching branches.
const PATIENCE: Duration = Duration::from_secs(30);
const REMOTE_PATIENCE: Duration = Duration::from_mins(5);

const TOLD: usize = 50;

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let ledger = Roz::open(world, &world.cwd)?.ledger(&world.cwd);
    let remote_until = Instant::now() + REMOTE_PATIENCE;
    let gathered = |ledger: Ledger| ledger.gathered(Instant::now() + PATIENCE);
    match &args.verb {
        Verb::Push(Remote { remote }) => {
            // A commit made since the last event has no note of its records yet.
            ledger.note_commits(world.now.timestamp(), remote_until)?;
            let sent = ledger.push(remote.as_deref(), &ssh_of(world), remote_until)?;
            let words = match &sent {
                Some(sent) => format!("Records sent to {sent}.\n"),
                None => "Nothing to send: no commit has a note of this machine's. roz writes one \
                         after the next commit, unless `intent.notes` is false.\n"
                    .to_owned(),
            };
            super::said(json!({ "remote": sent }), bounded::plain(&words))
        }
        Verb::Pull(Remote { remote }) => {
            let from = ledger.pull(remote.as_deref(), &ssh_of(world), remote_until)?;
            let words = format!("Records fetched from {from}.\n");
            super::said(json!({ "remote": from }), bounded::plain(&words))
        }
        Verb::Show(args) => show(args, &gathered(ledger), world),
        Verb::Verify => verify(&gathered(ledger), world),
        Verb::Validate { .. } => validate(&gathered(ledger)),
        Verb::Export { format: _ } => export(&gathered(ledger)),
    }
}

/// The user's variables for git's connection to a remote.
fn ssh_of(world: &World) -> Vec<(&'static str, &OsStr)> {
    let names = ["GIT_SSH", "GIT_SSH_COMMAND", "GIT_SSH_VARIANT", "GIT_ASKPASS"];
    names.into_iter().filter_map(|name| Some((name, world.var(name)?.as_ref()))).collect()
}

fn show(args: &Show, ledger: &Ledger, world: &World) -> super::Result {
    let paths = args.file.as_ref().map(|path| candidates(path, ledger.project(), &world.cwd));
    let wanted = |record: &Record| {
        args.intent.as_ref().is_none_or(|id| record.intent_id.as_ref() == Some(id))
            && args.session.as_ref().is_none_or(|id| record.session_id.starts_with(id.as_str()))
            && paths.as_ref().is_none_or(|paths| paths.iter().any(|path| record.touches(path)))
    };
    let mut found: Vec<(Record, Value)> = Vec::new();
    let mut unreadable = 0_u64;
    ledger.each_line(|_, line| match Record::read(line) {
        None => unreadable += 1,
        // Records that another roz wrote are included.
        Some(record) if wanted(&record) => {
            found.push((record, serde_json::from_slice(line).unwrap_or_default()));
        }
        Some(_) => (),
    })?;
    // Records of other machines come after those of the file.
    found.sort_by_key(|(record, _)| record.timestamp);
    let found = found.split_off(found.len().saturating_sub(args.limit));
    if unreadable > 0 {
        let lines = say::counted(unreadable, "line");
        say::warn(&format!("{lines} cannot be read: `roz ledger verify` tells more"));
    }
    let heading = ["TIME", "SESSION", "INTENT", "CLASS", "TOOL", "WHAT"];
    let rows = found.iter().map(|(record, _)| row(record));
    let words = match found.len() {
        0 => "No such records.\n".to_owned(),
        _ => say::Out::new(world).table(&heading, rows),
    };
    let records: Vec<Value> = found.into_iter().map(|(_, value)| value).collect();
    super::said(json!({ "records": records, "unreadable": unreadable }), words)
}

/// The possible paths in the ledger: relative to the working directory, or to the project's root.
fn candidates(path: &Path, project: &Path, cwd: &Path) -> Vec<String> {
    let found = [cwd, project].map(|from| {
        let path = normal(&from.join(path));
        Some(path.strip_prefix(project).ok()?.to_str()?.to_owned())
    });
    // The root contains everything, and `touches` does not accept an empty path.
    found.into_iter().flatten().filter(|path| !path.is_empty()).collect()
}

fn row(record: &Record) -> Vec<String> {
    let cell = |text: &str, max| bounded::chars(&bounded::plain_line(text), max);
    let time = record.timestamp.with_timezone(&chrono::Local).format("%Y-%m-%d %H:%M:%S");
    vec![
        time.to_string(),
        bounded::plain_line(&record.session_id).chars().take(8).collect(),
        cell(record.intent_id.as_deref().unwrap_or("-"), 20),
        class(record).to_owned(),
        cell(record.metadata.roz.tool_name.as_deref().unwrap_or("-"), 20),
        what(record),
    ]
}

pub(super) fn class(record: &Record) -> &'static str {
    match record.mutation_class {
        Some(MutationClass::AstRefactor) => "refactor",
        Some(MutationClass::IntentEvolution) => "evolution",
        None => "-",
    }
}

/// `src/a.rs:3-5,9, src/b.rs`, or what was refused.
fn what(record: &Record) -> String {
    let mut parts = Vec::new();
    if let Some(refusal) = &record.metadata.roz.refusal {
        let word = if record.is_refusal() { "refused" } else { "against the rules" };
        let about = refusal.file.as_ref().or(refusal.command.as_ref());
        let about = about.map(|about| format!(" {about}")).unwrap_or_default();
        parts.push(format!("{word}: {}{about}", refusal.code));
    }
    if let Some(why) = &record.metadata.roz.not_looked {
        parts.push(format!("not looked at further: {why}"));
    }
    parts.extend(record.files.iter().map(|file| {
        let ranges: Vec<String> = file
            .conversations
            .iter()
            .flat_map(|conversation| &conversation.ranges)
            .map(|range| match (range.start_line, range.end_line) {
                (start, end) if start == end => start.to_string(),
                (start, end) => format!("{start}-{end}"),
            })
            .collect();
        let colon = if ranges.is_empty() { "" } else { ":" };
        format!("{}{colon}{}", file.path, ranges.join(","))
    }));
    parts.join(", ")
}

fn verify(ledger: &Ledger, world: &World) -> super::Result {
    let working = say::working("reading the ledger");
    let verdict = ledger.verify(Instant::now() + PATIENCE)?;
    drop(working);
    let is_whole = verdict.problems.is_empty();
    let mut value = serde_json::to_value(&verdict)?;
    let problems = value["problems"].as_array_mut().into_iter().flatten();
    for (value, problem) in problems.zip(&verdict.problems) {
        value["message"] = problem.what.to_string().into();
    }
    value["whole"] = is_whole.into();
    let out = say::Out::new(world);
    let mut text = some(verdict.problems.iter().map(|problem| {
        let session = problem.session_id.as_ref().map(|id| format!(" (session {id})"));
        let told = format!("{}{}", problem.what, session.unwrap_or_default());
        out.paint(say::Tone::Bad, &bounded::plain_line(&told))
    }));
    let torn = verdict.torn.iter();
    text += &some(torn.map(|at| format!("line {at}: its writer was stopped; nothing is missing")));
    let others = verdict.unanchored.len();
    if others > 0 {
        let _ = writeln!(
            text,
            "Sessions of other machines, of which nobody here knows whether lines at their ends were \
             cut off or added: {others}"
        );
    }
    let (records, sessions) = (verdict.records, verdict.sessions);
    let counts =
        format!("{} of {}", say::counted(records, "record"), say::counted(sessions, "session"));
    text += &if is_whole {
        out.paint(say::Tone::Good, &format!("Whole: {counts}."))
    } else {
        let problems = verdict.problems.len();
        out.paint(say::Tone::Bad, &format!("Not whole: {counts}, and problems: {problems}."))
    };
    super::judged(is_whole, value, text + "\n")
}

/// The first lines, and how many more there are.
fn some(lines: impl ExactSizeIterator<Item = String>) -> String {
    let more = lines.len().saturating_sub(TOLD);
    let mut text: String = lines.take(TOLD).map(|line| line + "\n").collect();
    if more > 0 {
        let _ = writeln!(text, "… and {more} more");
    }
    text
}

fn validate(ledger: &Ledger) -> super::Result {
    let mut records = 0_u64;
    let mut wrong: Vec<(u64, Fault)> = Vec::new();
    ledger.each_line(|number, line| match serde_json::from_slice(line) {
        Ok(value) => {
            records += 1;
            let faults = record_schema::faults(&record_schema::strict(value)).into_iter();
            wrong.extend(faults.map(|fault| (number, fault)));
        }
        Err(_) => {
            wrong.push((number, Fault { at: String::new(), what: "it is not JSON".into() }));
        }
    })?;
    let is_valid = wrong.is_empty();
    let fault =
        |(line, fault): &(u64, Fault)| json!({ "line": line, "at": fault.at, "what": fault.what });
    let faults: Vec<Value> = wrong.iter().map(fault).collect();
    let value = json!({ "valid": is_valid, "records": records, "faults": faults });
    let mut text = some(wrong.iter().map(|(line, fault)| {
        let at = if fault.at.is_empty() { "the record" } else { &fault.at };
        bounded::plain_line(&format!("line {line}: {at}: {}", fault.what))
    }));
    if is_valid {
        let _ = writeln!(text, "Valid Agent Trace: {records} records.");
    }
    super::judged(is_valid, value, text)
}

fn export(ledger: &Ledger) -> super::Result {
    let mut left_out = Vec::new();
    let mut records = Vec::new();
    ledger.each_line(|number, line| {
        let record = serde_json::from_slice(line).map(record_schema::strict).unwrap_or_default();
        if record_schema::faults(&record).is_empty() {
            records.push(record);
        } else {
            left_out.push(number);
        }
    })?;
    if !left_out.is_empty() {
        let lines = left_out.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        say::warn(&format!(
            "left out, because they are not Agent Trace: lines {}",
            bounded::line(&lines, 100)
        ));
    }
    let words: String = records.iter().map(|record| record.to_string() + "\n").collect();
    let value = json!({ "records": records, "left_out": left_out });
    super::judged(left_out.is_empty(), value, words)
}
