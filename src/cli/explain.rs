//! `roz explain`: how a command is read, and what would object to it.

use serde_json::{Value, json};

use super::{Done, advice, say, tickets};
use crate::{
    core::{
        event::TOO_LONG,
        protect::Answer,
        session::{Session, SessionId},
    },
    hooks::explain::{Explained, explain},
    open::{Roz, agent_session},
    shell::{Certainty, HOLE, How, Reading},
    world::World,
};

/// Show how a command is read, and what would object to it
///
/// Nothing is run, and no session hears of it.
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
    /// joined; what is an option of theirs stands behind a `--`
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
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    if args.tickets {
        return tickets::run(args.json, world);
    }
    let roz = Roz::open(world, &world.cwd)?;
    let (tool, input) = if let (Some(tool), Some(input)) = (&args.tool, &args.input) {
        let value: Value =
            serde_json::from_str(input).map_err(|err| format!("`--input` is no JSON: {err}"))?;
        if !value.is_object() {
            return Err("`--input` is no JSON object, as every tool's input is".into());
        }
        (tool.as_str(), input.clone())
    } else {
        // One word is a line; of several, each was a word to the shell, too.
        let line = match &args.command[..] {
            [line] => line.clone(),
            all => words(all),
        };
        if line.trim().is_empty() {
            return Err("the command line is empty: there is nothing to explain".into());
        }
        ("Bash", json!({ "command": line }).to_string())
    };
    // Who reviews, and which intent is selected, is a session's affair: that in which this runs,
    // or the newest one here.
    let named = agent_session(world);
    let id = roz.session_or_newest(named).ok();
    let session = id.and_then(|id| roz.store.get_session(&id).ok()?).map(|id| id.session);
    let session = session.unwrap_or_else(|| {
        let mut session = Session::new(nobodys(), world.now);
        session.project = Some(roz.project.clone());
        session
    });
    let explained = explain(tool, &input, &session, &roz, world);
    let warnings = roz.complaints().into_iter().chain(advice::unlikely(tool, &input));
    warnings.for_each(|warning| say::warn(warning.trim_start_matches("roz: ")));
    if args.json {
        say::print_json(&as_json(tool, &explained))?;
    } else {
        say::print(&in_words(&explained, &say::Out::new(world), roz.policy.protect.enabled))?;
    }
    Ok(Done::Well)
}

fn nobodys() -> SessionId {
    "explain".parse().expect("letters are a session's id")
}

fn as_json(tool: &str, explained: &Explained) -> Value {
    let readings = explained.readings.iter().map(reading_json);
    json!({
        "tool": tool,
        "verdict": answer(explained),
        "readings": readings.collect::<Vec<_>>(),
        "keys": explained.keys,
        "may_run_anything": explained.may_run_anything,
        "because": explained.may_run_anything.then_some(TOO_LONG),
        "gates": explained.gates.iter().map(|(pattern, key)| json!({ "pattern": pattern, "key": key })).collect::<Vec<_>>(),
        "rules": explained.rules.iter().map(|rule| json!({
            "rule": rule.rule.name,
            "answer": rule.rule.answer.word(),
            "code": rule.rule.code.word(),
            "subject": rule.subject,
            "instead": rule.rule.instead,
        })).collect::<Vec<_>>(),
        "intent": explained.intent.as_ref().map(|intent| json!({
            "code": intent.code,
            "answer": intent.answer,
            "message": intent.message,
        })),
        "closes": explained.closes,
    })
}

fn reading_json(reading: &Reading) -> Value {
    let runs = reading.runs.iter().map(|run| {
        json!({
            "program": run.program,
            "argv": run.argv,
            "assignments": run.assignments.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "certainty": certainty(run.certainty),
            "conditional": run.conditional,
        })
    });
    let writes = reading.writes.iter().map(
        |write| json!({ "path": write.path, "how": how(write.how), "certainty": certainty(write.certainty), "conditional": write.conditional }),
    );
    let reads = reading
        .reads
        .iter()
        .map(|read| json!({ "path": read.path, "certainty": certainty(read.certainty) }));
    let scripts = reading.scripts.iter().map(
        |script| json!({ "path": script.path, "arguments": script.arguments, "conditional": script.conditional }),
    );
    json!({
        "runs": runs.collect::<Vec<_>>(),
        "writes": writes.collect::<Vec<_>>(),
        "reads": reads.collect::<Vec<_>>(),
        "scripts": scripts.collect::<Vec<_>>(),
        "unreadable": reading.unreadable.map(|unreadable| unreadable.to_string()),
    })
}

fn in_words(explained: &Explained, out: &say::Out, is_protected: bool) -> String {
    let mut text = String::new();
    let mut section = |heading: &[&str], rows: Vec<Vec<String>>| {
        if !rows.is_empty() {
            let shown = out.table(heading, &rows);
            text += if text.is_empty() { "" } else { "\n" };
            text += &shown;
        }
    };
    for reading in &explained.readings {
        let sure = |item: Certainty, conditional: bool| {
            let branch = if conditional { ", in a branch" } else { "" };
            format!("{}{branch}", certainty(item))
        };
        let runs = reading.runs.iter();
        let runs =
            runs.map(|run| vec![sure(run.certainty, run.conditional), shown(&words(&run.argv))]);
        section(&["RUNS", ""], runs.collect());
        let writes = reading.writes.iter().map(|write| {
            let how = format!("{}, {}", how(write.how), sure(write.certainty, write.conditional));
            vec![how, shown(&write.path)]
        });
        section(&["WRITES", ""], writes.collect());
        let reads = reading.reads.iter();
        section(
            &["READS", ""],
            reads.map(|read| vec![sure(read.certainty, false), shown(&read.path)]).collect(),
        );
        let scripts = reading.scripts.iter();
        section(&["RUNS A SCRIPT"], scripts.map(|script| vec![shown(&script.path)]).collect());
        let unread = reading.unreadable.iter();
        section(&["NOT READ TO THE END"], unread.map(|unread| vec![unread.to_string()]).collect());
    }
    let keys = explained.keys.iter().map(|key| shown(key));
    section(&["KEYS"], keys.map(|key| vec![key]).collect());
    let gates = explained.gates.iter();
    section(
        &["GATE", "COVERS"],
        gates.map(|(pattern, key)| vec![pattern.clone(), shown(key)]).collect(),
    );
    let rules = explained.rules.iter().map(|rule| {
        vec![rule.rule.name.to_owned(), rule.rule.answer.word().to_owned(), shown(&rule.subject)]
    });
    section(&["RULE", "ANSWER", "BECAUSE OF"], rules.collect());
    text + "\n" + &verdict(explained, out, is_protected)
}

/// What becomes of the call, in a word. A gate holds it until a review has
/// approved the work, which is a refusal now.
fn answer(explained: &Explained) -> &'static str {
    match (explained.rules.first(), &explained.intent, explained.gates.first()) {
        (Some(objection), ..) => objection.rule.answer.word(),
        // A refusal is heard before a question.
        (None, Some(refused), None) => refused.answer,
        (None, Some(refused), Some(_)) if refused.answer == "deny" => refused.answer,
        (None, _, Some(_)) => Answer::Deny.word(),
        (None, None, None) => "allow",
    }
}

const RUNS_SCRIPT: &str = " It runs a script; what that starts is judged when it runs.";

fn verdict(explained: &Explained, out: &say::Out, is_protected: bool) -> String {
    let waits = |pattern: &String| {
        out.paint(say::Tone::Warn, &format!("It waits for a review (gate `{pattern}`)."))
    };
    let said = match (explained.rules.first(), &explained.intent, explained.gates.first()) {
        (None, Some(refused), gate) => {
            let word = if refused.answer == "deny" { "denies it" } else { "asks about it" };
            let head = format!("The intent gate {word} ({}).", refused.code);
            let gate = gate.map(|(pattern, _)| format!(" {}", waits(pattern))).unwrap_or_default();
            out.paint(say::Tone::Bad, &head) + " " + &refused.message + &gate
        }
        (Some(objection), ..) => {
            let answer = match objection.rule.answer.word() {
                "deny" => "Self-protection denies it",
                _ => "Self-protection asks about it",
            };
            out.paint(say::Tone::Bad, &format!("{answer} ({}).", objection.rule.name))
                + " "
                + objection.rule.instead
        }
        (None, None, Some((pattern, _))) => waits(pattern),
        (None, None, None) => out.paint(say::Tone::Good, "Nothing objects."),
    };
    let closed: Vec<&str> =
        explained.closes.iter().flat_map(|close| &close.tickets).map(String::as_str).collect();
    let closed = match (&explained.closes[..], &closed[..]) {
        ([], _) => String::new(),
        (_, []) => " It closes a ticket: the next stop asks what was learned.".to_owned(),
        (_, ids) => {
            format!(" It closes {}: the next stop asks what was learned.", ids.join(", "))
        }
    };
    let runs_script = explained.readings.iter().any(|reading| !reading.scripts.is_empty());
    let script = if runs_script { RUNS_SCRIPT } else { "" };
    let unknown = explained
        .may_run_anything
        .then(|| format!(" Not all that it would run can be read beforehand: {TOO_LONG}."));
    let off = if is_protected { "" } else { " Self-protection is switched off." };
    format!("{said}{closed}{script}{}{off}\n", unknown.unwrap_or_default())
}

/// What is unknown is an ellipsis to people.
fn shown(text: &str) -> String {
    text.replace(HOLE, "…").replace(['\n', '\t'], " ")
}

/// Words as one would type them.
fn words(argv: &[String]) -> String {
    let quoted = |text: &String| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./=:@%+,~".contains(c) || c == HOLE;
        let plain = !text.is_empty() && text.chars().all(is_plain);
        if plain { text.clone() } else { format!("'{}'", text.replace('\'', r"'\''")) }
    };
    argv.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn certainty(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Literal => "literal",
        Certainty::Resolved => "resolved",
        Certainty::Opaque => "opaque",
    }
}

fn how(how: How) -> &'static str {
    match how {
        How::Write => "write",
        How::Append => "append",
        How::Edit => "edit",
        How::Remove => "remove",
        How::Move => "move",
        How::Chmod => "chmod",
        How::Link => "link",
        How::Touch => "touch",
        How::Directory => "directory",
        How::Lock => "lock",
    }
}
