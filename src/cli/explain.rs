//! `roz explain`: shows how a command is parsed, and which rules would object to it.

use std::fmt::{Debug, Write as _};

use serde_json::{Value, json};

use super::{
    say::{self, Out, Tone},
    target_session, tickets,
};
use crate::{
    core::{event::TOO_LONG, session::Session},
    hooks::explain::{Explained, explain},
    open::Roz,
    shell::{Certainty, HOLE},
    world::World,
};

/// Show how a command is read, and what would object to it
///
/// Nothing is run, and no session is changed.
/// RUNS: `literal` as written, `resolved` by variables, `opaque` if unknown.
/// KEYS: what patterns such as `Bash:git push*` are compared with.
/// GATE: the patterns of `review.gates.tools` that cover one of the keys.
///
/// Examples:
///   roz explain 'cd x && git push origin main'
///   roz explain --tickets
///   roz explain --tool Write --input '{"file_path": "a.md", "content": "x"}'
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
#[command(
    override_usage = "roz explain [--json] '<COMMAND LINE>'\n       roz explain [--json] --tool <NAME> --input <JSON>\n       roz explain [--json] --tickets"
)]
#[expect(clippy::doc_markdown, reason = "the help shows JSON")]
pub(super) struct Args {
    /// A command line, as the Bash tool would get it: in quotes, as one word. Several words are
    /// joined; put `--` before words that begin with `-`
    #[arg(required_unless_present_any = ["tool", "tickets"], conflicts_with_all = ["tool", "tickets"])]
    command: Vec<String>,
    /// Another tool, by the client's name for it
    #[arg(long, value_name = "NAME", requires = "input")]
    tool: Option<String>,
    /// The tool's input
    #[arg(long, value_name = "JSON", requires = "tool")]
    input: Option<String>,
    /// Show which ticket systems are used here, and what closes a ticket
    #[arg(long, conflicts_with = "tool")]
    tickets: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.tickets {
        return tickets::run(world);
    }
    let roz = Roz::open(world, &world.cwd)?;
    let (tool, input) = if let (Some(tool), Some(input)) = (&args.tool, &args.input) {
        let value: Value =
            serde_json::from_str(input).map_err(|err| format!("`--input` is not JSON: {err}"))?;
        if !value.is_object() {
            return Err("`--input` is not a JSON object, as every tool's input is".into());
        }
        (tool.as_str(), input.clone())
    } else {
        // One argument is a whole line; several are the words of one.
        let line = match &args.command[..] {
            [line] => line.clone(),
            all => words(all),
        };
        if line.trim().is_empty() {
            return Err("the command line is empty: there is nothing to explain".into());
        }
        ("Bash", json!({ "command": line }).to_string())
    };
    // The reviewer and the selected intent come from a session: the one in which this runs, or else
    // the newest one here.
    let session = target_session::existing(None, world).map(|(_, session)| session);
    let session = session.unwrap_or_else(|_| {
        let id = "explain".parse().expect("letters are a session's id");
        let mut session = Session::new(id, world.now);
        session.project = Some(roz.project.clone());
        session
    });
    let explained = explain(tool, &input, &session, &roz, world);
    for warning in roz.complaints() {
        say::warn(warning.trim_start_matches("roz: "));
    }
    let out = Out::new(world);
    let (answer, sentence) = verdict(&explained, &out);
    let remarks = remarks(&explained, roz.policy.protect.enabled);
    let words = format!("{}\n{sentence}{remarks}\n", in_words(&explained, &out));
    super::said(as_json(tool, answer, &explained), words)
}

fn as_json(tool: &str, answer: &str, explained: &Explained) -> Value {
    let gates = explained.gates.iter();
    let rules = explained.rules.iter().map(|objection| {
        json!({
            "rule": objection.rule.name,
            "answer": objection.rule.answer.word(),
            "code": objection.rule.code,
            "subject": objection.subject,
            "instead": objection.rule.instead,
        })
    });
    json!({
        "tool": tool,
        "verdict": answer,
        "readings": explained.readings,
        "keys": explained.keys,
        "may_run_anything": explained.may_run_anything,
        "because": explained.may_run_anything.then_some(TOO_LONG),
        "gates": gates.map(|(pattern, key)| json!({ "pattern": pattern, "key": key })).collect::<Vec<_>>(),
        "rules": rules.collect::<Vec<_>>(),
        "intent": explained.intent.as_ref().map(|refused| json!({
            "code": refused.code, "answer": refused.answer, "message": refused.message,
        })),
        "closes": explained.closes,
    })
}

fn in_words(explained: &Explained, out: &Out) -> String {
    let mut tables: Vec<String> = Vec::new();
    let mut section = |heading: &[&str], rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            tables.push(out.table(heading, rows));
        }
    };
    let sure = |certainty: Certainty, conditional: bool| {
        word(certainty) + if conditional { ", in a branch" } else { "" }
    };
    for reading in &explained.readings {
        let runs = reading.runs.iter();
        let runs =
            runs.map(|run| vec![sure(run.certainty, run.conditional), shown(&words(&run.argv))]);
        section(&["RUNS", ""], runs.collect());
        let writes = reading.writes.iter().map(|write| {
            let how = format!("{}, {}", word(write.how), sure(write.certainty, write.conditional));
            vec![how, shown(&write.path)]
        });
        section(&["WRITES", ""], writes.collect());
        let reads = reading.reads.iter();
        let reads = reads.map(|read| vec![word(read.certainty), shown(&read.path)]);
        section(&["READS", ""], reads.collect());
        let scripts = reading.scripts.iter().map(|script| vec![shown(&script.path)]);
        section(&["RUNS A SCRIPT"], scripts.collect());
        let unread = reading.unreadable.iter().map(|unread| vec![unread.to_string()]);
        section(&["NOT READ TO THE END"], unread.collect());
    }
    section(&["KEYS"], explained.keys.iter().map(|key| vec![shown(key)]).collect());
    let gates = explained.gates.iter().map(|(pattern, key)| vec![pattern.clone(), shown(key)]);
    section(&["GATE", "COVERS"], gates.collect());
    let rules = explained.rules.iter().map(|objection| {
        let rule = objection.rule;
        vec![rule.name.to_owned(), rule.answer.word().to_owned(), shown(&objection.subject)]
    });
    section(&["RULE", "ANSWER", "BECAUSE OF"], rules.collect());
    tables.join("\n")
}

fn verdict(explained: &Explained, out: &Out) -> (&'static str, String) {
    let verb = |answer| if answer == "deny" { "denies it" } else { "asks about it" };
    let waits = explained.gates.first().map(|(pattern, _)| {
        out.paint(Tone::Warn, &format!("It waits for a review (gate `{pattern}`)."))
    });
    if let Some(objection) = explained.rules.first() {
        let answer = objection.rule.answer.word();
        let head = format!("Self-protection {} ({}).", verb(answer), objection.rule.name);
        return (answer, format!("{} {}", out.paint(Tone::Bad, &head), objection.rule.instead));
    }
    if let Some(refused) = &explained.intent {
        let head = format!("The intent gate {} ({}).", verb(refused.answer), refused.code);
        let head = out.paint(Tone::Bad, &head) + " " + &refused.message;
        return match waits {
            // A refusal comes before a question.
            Some(waits) => ("deny", head + " " + &waits),
            None => (refused.answer, head),
        };
    }
    match waits {
        Some(waits) => ("deny", waits),
        None => ("allow", out.paint(Tone::Good, "Nothing objects.")),
    }
}

fn remarks(explained: &Explained, is_protected: bool) -> String {
    let mut text = String::new();
    if !explained.closes.is_empty() {
        let ids: Vec<&str> =
            explained.closes.iter().flat_map(|close| &close.tickets).map(String::as_str).collect();
        let what = if ids.is_empty() { "a ticket".to_owned() } else { ids.join(", ") };
        let _ = write!(text, " It closes {what}: the next stop asks what was learned.");
    }
    if explained.readings.iter().any(|reading| !reading.scripts.is_empty()) {
        text += " It runs a script; what that starts is judged when it runs.";
    }
    if explained.may_run_anything {
        let _ = write!(text, " Not all that it would run can be read beforehand: {TOO_LONG}.");
    }
    if !is_protected {
        text += " Self-protection is switched off.";
    }
    text
}

/// The text with an ellipsis for each unknown part.
fn shown(text: &str) -> String {
    text.replace(HOLE, "…").replace(['\n', '\t'], " ")
}

fn words(argv: &[String]) -> String {
    let quoted = |text: &String| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:@%+,~".contains(c) || c == HOLE;
        let plain = !text.is_empty() && text.chars().all(is_plain);
        if plain { text.clone() } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

/// A variant's name in lower case: `literal`, `write`.
fn word(variant: impl Debug) -> String {
    format!("{variant:?}").to_lowercase()
}
