//! Rules about roz commands that are only for a person, a reviewer or the client, and about tools
//! that act like commands.

use serde_json::Value;

use super::{Context, program::base};
use crate::{
    core::{
        event::ToolCall,
        name_words::{is_one, words},
        prompt,
        tool::{REVIEWER, Tool},
    },
    shell::{HOLE, Run},
};

/// Arguments of `roz hook`.
const EVENTS: &str = "session-start user-prompt pre-tool-use post-tool-use post-tool-use-failure \
    subagent-start subagent-stop stop task-completed session-end";

pub(super) fn line(run: &Run) -> String {
    run.argv.join(" ")
}

pub(super) fn operands(run: &Run) -> impl Iterator<Item = &str> {
    let words = run.argv.iter().skip(1).map(String::as_str);
    words.filter(|word| !word.starts_with('-') || *word == "-")
}

pub(super) fn is_hidden(word: &str) -> bool {
    word.contains(HOLE)
}

fn is_roz(run: &Run) -> bool {
    base(run) == "roz"
}

/// Whether a run of roz only asks for help: `roz decide --help`. Before `--help` only subcommands
/// are accepted, so that it cannot be the value of an option.
fn asks_how(run: &Run) -> bool {
    let words = &run.argv[1..];
    let Some(at) = words.iter().position(|word| word == "--help" || word == "-h") else {
        return words.first().is_some_and(|word| word == "help");
    };
    let is_verb = |word: &String| word.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
    let takes_verbs = words.first().is_some_and(|word| is_one("intent config", word));
    at <= 1 + usize::from(takes_verbs) && words[..at].iter().all(is_verb)
}

/// Runs of roz with their words from the subcommand on.
fn verbs<'a>(call: &'a ToolCall) -> impl Iterator<Item = (&'a Run, Vec<&'a str>)> {
    let runs = call.runs().filter(|run| is_roz(run) && !asks_how(run));
    runs.map(|run| (run, operands(run).collect()))
}

fn first_verb(call: &ToolCall, is_it: impl Fn(&Run, &[&str]) -> bool) -> Option<String> {
    let found = verbs(call).find(|(run, words)| is_it(run, words));
    found.map(|(_, words)| format!("roz {}", words.join(" ")))
}

/// Finds a roz command under another program name: a copy or a link.
fn disguised(call: &ToolCall, verb: &str, follows: impl Fn(&str) -> bool) -> Option<String> {
    const SAY: &str = "echo printf grep egrep fgrep rg ag expr git";
    let is_it = |run: &&Run| {
        let mut words = operands(run);
        words.next() == Some(verb)
            && !is_roz(run)
            && !is_one(SAY, base(run))
            && words.take(2).any(&follows)
    };
    call.runs().find(is_it).map(line)
}

pub(super) fn decides_without_a_token(cx: Context) -> Option<String> {
    let call = cx.call;
    let found = first_verb(call, |_, words| matches!(words, ["approve" | "allow" | "confirm", ..]));
    if found.is_some() || cx.agent.is_some_and(|agent| cx.session.review.has_token(agent)) {
        return found;
    }
    let is_verdict =
        |word: &str| ["COMPLETE", "ISSUES"].iter().any(|text| word.eq_ignore_ascii_case(text));
    // An unknown subcommand may be `decide`, and hiding it is suspicious.
    let decides =
        |words: &[&str]| words.first().is_some_and(|word| *word == "decide" || is_hidden(word));
    first_verb(call, |_, words| decides(words)).or_else(|| disguised(call, "decide", is_verdict))
}

pub(super) fn plays_the_client(cx: Context) -> Option<String> {
    first_verb(cx.call, |_, words| matches!(words, ["hook", ..]))
        .or_else(|| disguised(cx.call, "hook", |word| is_one(EVENTS, word)))
}

pub(super) fn reconfigures_roz(cx: Context) -> Option<String> {
    let has = |run: &Run, option: &str| {
        run.argv.iter().any(|word| word.starts_with(option) || is_hidden(word))
    };
    first_verb(cx.call, |run, words| match words {
        _ if run.argv.iter().any(|word| word == "--dry-run") => false,
        ["clean" | "uninstall" | "install", ..] => true,
        ["config", verb, ..] => !is_one("show check schema help", verb),
        ["init", ..] => has(run, "--import"),
        _ => false,
    })
}

pub(super) fn widens_an_intent(cx: Context) -> Option<String> {
    const WIDENS: &str = "new expand complete archive confirm";
    // Roz's own server has other names for these commands.
    const TOOLS: &str = "create_intent request_scope_expansion";
    let found = first_verb(cx.call, |run, words| match words {
        ["intent", "start", ..] => {
            run.argv.iter().any(|word| word.starts_with("--reopen") || is_hidden(word))
        }
        ["intent", verb, ..] => is_one(WIDENS, verb) || is_hidden(verb),
        // Undoing the changes of an intent or another session exceeds this session's scope.
        ["undo", what, ..] => {
            *what != cx.session_id.as_str()
                && !run.argv.iter().any(|word| matches!(word.as_str(), "--dry-run" | "--help"))
        }
        // Anyone can send requests to the server, and no hook sees them.
        ["mcp", ..] => true,
        _ => false,
    });
    let of_server = || {
        let Tool::Mcp { server, name } = &cx.call.tool else { return None };
        let words: Vec<&str> = name.split(['_', '-', '.']).collect();
        let widens = words.contains(&"intent") && words.iter().any(|word| is_one(WIDENS, word));
        let is_it = server.contains("roz") && (widens || is_one(TOOLS, name));
        is_it.then(|| cx.call.name.clone())
    };
    found.or_else(of_server)
}

pub(super) fn replaces_the_package(cx: Context) -> Option<String> {
    const MANAGERS: &str = "cargo pip pip3 pipx uv npm pnpm yarn brew apt apt-get dnf yum pacman apk \
        zypper nix-env go binstall cargo-binstall";
    const VERBS: &str = "install uninstall remove rm i add upgrade purge binstall -S -R";
    let replaces = |run: &&Run| {
        let verb = operands(run).next().unwrap_or_default();
        // Changes the project, not the system.
        let is_of_project = base(run) == "cargo" && is_one("add rm remove", verb);
        is_one(MANAGERS, base(run))
            && !is_of_project
            && run.argv.iter().any(|word| is_one(VERBS, word))
            && operands(run).any(|word| word == "roz" || word.starts_with("roz@"))
    };
    cx.call.runs().find(replaces).map(line)
}

pub(super) fn talks_to_a_reviewer(cx: Context) -> Option<String> {
    let review = &cx.session.review;
    // Resuming an agent sends it the prompt.
    let (Tool::Message { to: addresses } | Tool::Spawn { resumes: addresses, .. }) = &cx.call.tool
    else {
        return None;
    };
    let to_all = |name: &str| name == "*" && review.reviewer_ids().next().is_some();
    let is_reviewer = |address: &&String| {
        address.split([',', ' ', ';', '@', '/', '#']).any(|name| {
            review.is_reviewer(name)
                || review.is_reviewer(name.strip_prefix("agent-").unwrap_or(name))
                || name.eq_ignore_ascii_case(REVIEWER)
                || to_all(name)
        })
    };
    addresses.iter().find(is_reviewer).cloned()
}

/// All strings in a value, at any depth.
fn texts<'a>(value: Option<&'a Value>, depth: usize, found: &mut Vec<&'a str>) {
    const MAX_DEPTH: usize = 16;
    match value {
        Some(Value::String(text)) => found.push(text),
        Some(Value::Array(values)) if depth < MAX_DEPTH => {
            for value in values {
                texts(Some(value), depth + 1, found);
            }
        }
        Some(Value::Object(fields)) if depth < MAX_DEPTH => {
            for value in fields.values() {
                texts(Some(value), depth + 1, found);
            }
        }
        _ => (),
    }
}

pub(super) fn starts_a_reviewer_by_workflow(cx: Context) -> Option<String> {
    let call = cx.call;
    (call.tool == Tool::Workflow && call.json.contains(REVIEWER)).then(|| call.name.clone())
}

/// Prompts at any depth in a scheduler's input count.
pub(super) fn schedules_a_command(cx: Context) -> Option<String> {
    const LATER: &str = "sched schedule scheduler scheduled schedules cron crontab trigger triggers remind \
        reminder timer alarm wake wakeup loop routine later delay delayed recurring automation \
        prompt session agent";
    let call = cx.call;
    let is_scheduler = match &call.tool {
        Tool::Mcp { .. } => words(&call.name).iter().any(|word| is_one(LATER, word)),
        tool => matches!(tool, Tool::Schedule { .. }),
    };
    let mut found = Vec::new();
    if is_scheduler {
        texts(Some(&call.input), 0, &mut found);
    }
    found.into_iter().find(|text| prompt::begins_with_command(text)).map(str::to_owned)
}
