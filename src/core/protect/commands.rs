//! Rules about what would run, and about tools that are commands themselves.

use serde_json::Value;

use super::{Scene, is_in, words::Words};
use crate::{
    core::{
        event::ToolCall,
        intent::class::words,
        review::{self, REVIEWER},
    },
    shell::{self, Code, HOLE, Interpreter, Run},
};

/// What `roz hook` is called with.
pub(super) const EVENTS: &str = "session-start user-prompt pre-tool-use post-tool-use post-tool-use-failure \
    subagent-start subagent-stop stop task-completed session-end";
/// Programs that only say their arguments.
const MENTIONS: &[&str] = &["echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "expr"];

pub(super) fn line(run: &Run) -> String {
    run.argv.join(" ")
}

/// The base name of a program, however it is called.
pub(super) fn base(run: &Run) -> &str {
    let program = run.program.as_str();
    // Nearly all are short, and have none.
    match program.bytes().rposition(|it| it == b'/') {
        Some(at) => &program[at + 1..],
        None => program,
    }
}

/// The words after the program that are no options.
pub(super) fn operands(run: &Run) -> impl Iterator<Item = &str> {
    let words = run.argv.iter().skip(1).map(String::as_str);
    words.filter(|it| !it.starts_with('-') || *it == "-")
}

fn is_roz(run: &Run) -> bool {
    base(run) == "roz"
}

/// Whether a run of roz only asks how: `roz decide --help`. What stands before
/// the question are verbs and nothing else, so that it is no value of an option.
fn asks_how(run: &Run) -> bool {
    let words = &run.argv[1..];
    let Some(at) = words.iter().position(|it| it == "--help" || it == "-h") else {
        return words.first().is_some_and(|it| it == "help");
    };
    let is_verb = |it: &String| it.bytes().all(|c| c.is_ascii_lowercase() || c == b'-');
    let takes_verbs = words.first().is_some_and(|it| is_in("intent config", it));
    at <= 1 + usize::from(takes_verbs) && words[..at].iter().all(is_verb)
}

/// The words from roz's verb on, of each run of roz and of each line that
/// could not be read.
fn verbs<'a>(call: &'a ToolCall) -> impl Iterator<Item = Vec<&'a str>> {
    let read = call.runs().filter(|it| is_roz(it) && !asks_how(it));
    read.map(|it| operands(it).collect()).chain(unread_verbs(call))
}

fn unread_verbs<'a>(call: &'a ToolCall) -> impl Iterator<Item = Vec<&'a str>> {
    call.unread.iter().flat_map(|line| {
        let words: Vec<&str> = words_of(line).collect();
        let is_roz = |at: &usize| shell::last_part(words[*at]) == "roz";
        let found: Vec<usize> = (0..words.len()).filter(is_roz).collect();
        found
            .into_iter()
            .map(|at| words[at + 1..].iter().copied().take(8).collect())
            .collect::<Vec<Vec<&str>>>()
    })
}

/// The words of a line that could not be read, by any sign that may end one.
pub(super) fn words_of(line: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "\"'`;&|(){}<>=,".contains(c);
    line.split(ends).filter(|it| !it.is_empty())
}

/// The same verb under whatever name the program has: a copy, a link.
fn disguised(call: &ToolCall, verb: &str, follows: impl Fn(&[&str]) -> bool) -> Option<String> {
    let is_it = |run: &&Run| {
        let mut words = operands(run);
        // Most end here, at no cost.
        words.next() == Some(verb)
            && !is_roz(run)
            && !MENTIONS.contains(&base(run))
            && follows(&words.take(2).collect::<Vec<_>>())
    };
    call.runs().find(is_it).map(line)
}

pub(super) fn decides_without_a_token(scene: Scene) -> Option<String> {
    let is_persons =
        |words: &[&str]| words.first().is_some_and(|word| matches!(*word, "approve" | "allow"));
    if let Some(words) = verbs(scene.call).find(|words| is_persons(words)) {
        return Some(format!("roz {}", words.join(" ")));
    }
    if scene.agent.is_some_and(|it| scene.session.review.has_token(it)) {
        return None;
    }
    let is_verdict =
        |it: &&str| it.eq_ignore_ascii_case("COMPLETE") || it.eq_ignore_ascii_case("ISSUES");
    // A verb that is hidden has a reason to be.
    let decides = |words: &[&str]| words.first().is_some_and(|it| *it == "decide" || is_hidden(it));
    let found = verbs(scene.call).find(|it| decides(it));
    let found = found.map(|it| format!("roz {}", it.join(" ")));
    found
        .or_else(|| scheduled(scene.call, "decide"))
        .or_else(|| disguised(scene.call, "decide", |words| words.iter().any(is_verdict)))
}

/// A table of commands for later that the line itself holds.
fn scheduled(call: &ToolCall, verb: &str) -> Option<String> {
    let run = call.runs().find(|it| base(it) == "crontab")?;
    let mut lines = call.command_lines();
    lines.any(|it| is_word_in(&it, "roz") && is_word_in(&it, verb)).then(|| line(run))
}

pub(super) fn is_hidden(word: &str) -> bool {
    word.contains(HOLE)
}

pub(super) fn plays_the_client(scene: Scene) -> Option<String> {
    // Beyond the reader's bounds anything may stand: a mention is enough.
    let names = ["roz", ".claude", ".orchestration"];
    let is_in_part = scene.call.may_run_anything() || scene.ground.is_in_part;
    if is_in_part && names.iter().any(|it| scene.call.json.contains(it)) {
        return Some("a command line that is too long or too deep to be read".to_owned());
    }
    let found = verbs(scene.call).find(|it| it.first() == Some(&"hook"));
    let found = found.map(|it| format!("roz {}", it.join(" ")));
    found.or_else(|| scheduled(scene.call, "hook")).or_else(|| {
        disguised(scene.call, "hook", |words| words.first().is_some_and(|it| is_in(EVENTS, it)))
    })
}

/// Code in another language that starts programs and names `roz decide`: what
/// it does cannot be followed, what it says can.
pub(super) fn code_reaches_for_roz(scene: Scene) -> Option<String> {
    const STARTS: &str =
        "spawn system popen Popen subprocess exec pty fork process pexpect expect %x shell";
    // In Python a backtick starts nothing, as long as nobody else reads what it writes.
    let is_python_alone =
        || {
            let version = |c: char| c.is_ascii_digit() || c == '.';
            scene.call.runs().map(|it| base(it).trim_end_matches(version)).all(|name| {
                name == "python" || is_in("cat cd diff echo grep head ls tail wc", name)
            })
        };
    let starts = |code: &Code| {
        let has_ticks = || code.language != Interpreter::Python || !is_python_alone();
        STARTS.split(' ').any(|it| code.contains(it)) || code.contains('`') && has_ticks()
    };
    let has_token = scene.agent.is_some_and(|it| scene.session.review.has_token(it));
    let mut codes = scene.call.readings.iter().flat_map(|it| &it.code);
    let found = codes.find(|code| {
        let reaches = is_word_in(code, "hook") || (is_word_in(code, "decide") && !has_token);
        reaches && is_word_in(code, "roz") && starts(code)
    });
    found.map(|it| it.text.clone())
}

/// Whether `word` stands in `text` by itself; `.roz` is a folder, `roz.md` a
/// file.
pub(super) fn is_word_in(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(joins) && !text[at + word.len()..].starts_with(joins))
}

pub(super) fn reconfigures_roz(scene: Scene) -> Option<String> {
    // Asking how is free.
    let asks =
        |run: &Run| run.argv.iter().any(|it| it == "--help" || it == "-h" || it == "--dry-run");
    if scene.call.runs().filter(|it| is_roz(it)).all(asks) && scene.call.unread.is_empty() {
        return None;
    }
    let mut verbs = verbs(scene.call).map(|it| (it.join(" "), it));
    let changes = |words: &[&str]| match words {
        ["clean" | "uninstall" | "install", ..] => true,
        ["config", verb, ..] => !matches!(*verb, "show" | "check" | "schema" | "help"),
        _ => false,
    };
    let found = verbs.find(|(_, words)| changes(words)).map(|(text, _)| text);
    let imports = |run: &&Run| {
        is_roz(run)
            && operands(run).next() == Some("init")
            && run.argv.iter().any(|it| it.starts_with("--import") || is_hidden(it))
    };
    found
        .or_else(|| {
            scene.call.runs().find(imports).map(|it| operands(it).collect::<Vec<_>>().join(" "))
        })
        .map(|it| format!("roz {it}"))
}

pub(super) fn widens_an_intent(scene: Scene) -> Option<String> {
    const WIDENS: &[&str] = &["new", "expand", "complete", "archive", "confirm"];
    // Of roz's own server, which are called otherwise.
    const TOOLS: &[&str] = &["create_intent", "request_scope_expansion"];
    let found = verbs(scene.call).find(|words| match words[..] {
        ["intent", verb, ..] => WIDENS.contains(&verb) || is_hidden(verb),
        // The server answers whoever feeds it, and then no hook sees the tool.
        ["mcp", ..] => true,
        _ => false,
    });
    if let Some(words) = found {
        return Some(format!("roz {}", words.join(" ")));
    }
    let reopens = |run: &&Run| {
        is_roz(run)
            && operands(run).take(2).eq(["intent", "start"])
            && run.argv.iter().any(|it| it.starts_with("--reopen") || is_hidden(it))
    };
    if let Some(run) = scene.call.runs().find(reopens) {
        return Some(line(run));
    }
    let name = scene.call.name.strip_prefix("mcp__")?;
    let (server, tool) = name.split_once("__")?;
    let words: Vec<&str> = tool.split(['_', '-', '.']).collect();
    let widens = words.contains(&"intent") && words.iter().any(|it| WIDENS.contains(it));
    (server.contains("roz") && (widens || TOOLS.contains(&tool))).then(|| scene.call.name.clone())
}

pub(super) fn replaces_the_package(scene: Scene) -> Option<String> {
    static MANAGERS: Words = Words::new(
        "cargo pip pip3 pipx uv npm pnpm yarn brew apt apt-get dnf yum pacman apk zypper \
        nix-env go binstall cargo-binstall",
    );
    static VERBS: Words =
        Words::new("install uninstall remove rm i add upgrade purge binstall -S -R");
    let replaces = |run: &&Run| {
        MANAGERS.has(base(run))
            && run.argv.iter().any(|it| VERBS.has(it))
            && operands(run).any(|it| it == "roz" || it.starts_with("roz@"))
            // Into a project, not onto the system.
            && !(base(run) == "cargo" && run.argv.get(1).is_some_and(|it| it == "add" || it == "rm" || it == "remove"))
    };
    scene.call.runs().find(replaces).map(line)
}

pub(super) fn talks_to_a_reviewer(scene: Scene) -> Option<String> {
    const ADDRESSES: &[&str] =
        &["to", "recipient", "recipients", "agent_id", "agentId", "target", "name"];
    let review = &scene.session.review;
    let fields = match scene.call.name.as_str() {
        "SendMessage" => ADDRESSES,
        // An agent that is taken up again is told the prompt.
        "Agent" | "Task" => &["resume", "agent_id", "agentId"],
        _ => return None,
    };
    let mut addresses = Vec::new();
    for field in fields {
        texts(scene.call.input.get(field), 0, &mut addresses);
    }
    let to_all = |it: &str| it == "*" && review.reviewer_ids().next().is_some();
    let is_reviewer = |it: &&&str| {
        it.split([',', ' ', ';', '@', '/', '#']).any(|it| {
            let id = it.strip_prefix("agent-").unwrap_or(it);
            review.is_reviewer(it)
                || review.is_reviewer(id)
                || it.eq_ignore_ascii_case(REVIEWER)
                || to_all(it)
        })
    };
    addresses.iter().find(is_reviewer).map(|it| (*it).to_owned())
}

/// The texts in a value, however it is put together.
fn texts<'a>(value: Option<&'a Value>, depth: usize, found: &mut Vec<&'a str>) {
    const MAX_DEPTH: usize = 16;
    match value {
        Some(Value::String(text)) => found.push(text),
        Some(Value::Array(values)) if depth < MAX_DEPTH => {
            for it in values {
                texts(Some(it), depth + 1, found);
            }
        }
        Some(Value::Object(fields)) if depth < MAX_DEPTH => {
            for it in fields.values() {
                texts(Some(it), depth + 1, found);
            }
        }
        _ => (),
    }
}

pub(super) fn starts_a_reviewer_by_workflow(scene: Scene) -> Option<String> {
    let call = scene.call;
    (call.name == "Workflow" && call.json.contains(REVIEWER)).then(|| call.name.clone())
}

/// A prompt for later, however deep it lies in what a scheduler is given.
pub(super) fn schedules_a_command(scene: Scene) -> Option<String> {
    const LATER: &str = "sched schedule scheduler scheduled schedules cron crontab trigger triggers remind \
        reminder timer alarm wake wakeup loop routine later delay delayed recurring automation \
        prompt session claude";
    let call = scene.call;
    // Most calls end here.
    if !call.json.contains("roz") && !call.json.contains("\\u") && !call.json.contains("ROZ") {
        return None;
    }
    let is_scheduler = match call.name.strip_prefix("mcp__") {
        Some(name) => words(name).iter().any(|it| is_in(LATER, it)),
        None => {
            call.schedules().is_some()
                || is_in("CronCreate ScheduleWakeup RemoteTrigger Loop", &call.name)
        }
    };
    let mut found = Vec::new();
    if is_scheduler {
        texts(Some(&call.input), 0, &mut found);
    }
    found.into_iter().find(|it| review::begins_with_command(it)).map(str::to_owned)
}
