//! Judges a program that is about to start, called by its shim: the review gate sees the real argv,
//! with the rules and facts of a call, whatever started the program (a script, make, a variable).

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    Around, Input, error_in_short,
    gather::{self, Lookup},
    is_taken, reason, reflection_facts, repositories,
};
use crate::{
    core::{
        self, Cx,
        event::{Event, Origin, STARTED, ToolCall, What},
        outcome::{Outcome, Verdict},
        policy::Scope,
        reflection::tickets::Closing,
        review::{gate::ReviewGate, gated_calls},
        session::{Session, SessionId},
        tool::{SHELL, Tool},
        tool_pattern,
        trace::Mark,
    },
    open::{Roz, shim_store::Watched},
    shell,
    storage::update,
    template::{self, Voice},
    world::{World, dice, process},
};

#[derive(Debug)]
pub struct Start {
    pub session_id: SessionId,
    pub cwd: PathBuf,
    pub argv: Vec<String>,
}

/// Where a program that concerns a gate or a ticket system would run.
#[derive(Debug)]
pub struct Place<'a> {
    pub project: &'a Path,
    /// The affected work trees, or the folder if there is none.
    pub folders: Vec<PathBuf>,
}

#[derive(Debug, PartialEq)]
pub enum Judgement {
    /// Not roz's concern, or permitted.
    Free,
    /// Permitted; if it ends well, these tickets are closed.
    Closes(Vec<Closing>),
    Denied(String),
}

/// Argument lists have no limit, so longer ones are cut.
const LONGEST: usize = 32 * 1024;

/// `is_ours` says whether the program belongs to the agent's work on the session; it is called only
/// for programs that concern a gate or a ticket system.
pub fn judge(start: &Start, is_ours: impl Fn(&Place) -> bool, world: &World) -> Judgement {
    let Ok(mut roz) = Roz::open(world, &start.cwd) else { return Judgement::Free };
    let found = roz.store.look_at(&start.session_id).transpose();
    let Some(found) = found else { return Judgement::Free };
    let session = found.as_ref().ok().map(|stored| &stored.session);
    if session.is_some_and(|session| session.has_ended) {
        return Judgement::Free;
    }
    if let Some(Ok(other)) = session.and_then(|session| roz.of_session(session, world)) {
        roz = other;
    }
    if !roz.policy.shims.enabled {
        return Judgement::Free;
    }
    let Some(line) = quoted(&start.argv) else { return Judgement::Free };
    let input = json!({ "command": line });
    let json = input.to_string();
    let tool = Tool::Shell { command: line };
    let mut call = ToolCall::new(SHELL, tool, input, &json, Some(STARTED.to_owned()));
    let options = roz.policy.commands.options();
    call.read(&options);
    call.read_lines(&alias(&call, start), &options);
    let elsewhere = repositories::gates_elsewhere(&call, &start.cwd, &roz.project, world);
    let mut gated = gated_calls::gated(&roz.policy.review, &elsewhere, &call);
    // Patterns without a program were judged with the command line.
    gated.retain(|gated| tool_pattern::program(gated.pattern).is_some());
    let mut closings = reflection_facts::closings(&call, &start.cwd, &roz, world);
    if !closings.is_empty()
        && !session.is_some_and(|session| reflection_facts::is_on(session, &roz, &start.cwd))
    {
        closings.clear();
    }
    if gated.is_empty() && closings.is_empty() {
        return Judgement::Free;
    }
    let folders = repositories::folders_of(&call, &gated, &start.cwd, world);
    if !is_ours(&Place { project: &roz.project, folders }) {
        return Judgement::Free;
    }
    if let Err(err) = &found
        && !roz.policy.trial
    {
        return Judgement::Denied(unknown(start, &error_in_short(&err)));
    }
    let passes = roz.passes(&start.session_id, world.now);
    let is_passed = |key: &String| passes.iter().any(|pass| pass.serves(std::slice::from_ref(key)));
    if !gated.iter().all(|gated| gated.key.as_ref().is_some_and(is_passed)) {
        let event = Event { origin: Origin::default(), what: What::PreToolUse(call) };
        let why = denied(start, event, &json, &roz, world);
        if let Some(why) = why.filter(|_| !roz.policy.trial) {
            return Judgement::Denied(why);
        }
    }
    if closings.is_empty() { Judgement::Free } else { Judgement::Closes(closings) }
}

/// A cheap test without reading files: most runs of a gated program do not concern a session.
pub fn is_unwatched(argv: &[String], cwd: &Path, watched: &Watched) -> bool {
    let [program, words @ ..] = argv else { return false };
    // An option may select another repository, and an alias another subcommand.
    let is_git = program.eq_ignore_ascii_case("git");
    let is_harmless = |word: &&String| {
        is_git && matches!(word.as_str(), "--no-pager" | "-P" | "--no-optional-locks")
    };
    let Some(verb) = words.iter().find(|word| !is_harmless(word)) else { return false };
    if verb.starts_with('-') || is_git && !shell::is_git_verb(verb) {
        return false;
    }
    // A repository within the project may, too.
    let mut below = cwd.ancestors().take_while(|folder| **folder != watched.project);
    if !cwd.starts_with(&watched.project) || below.any(|path| path.join(".git").exists()) {
        return false;
    }
    if watched.closing.iter().any(|text| text.eq_ignore_ascii_case(program)) {
        return false;
    }
    // On a file system that ignores case, `GIT` starts `git`.
    let is_its = |text: &&String| {
        tool_pattern::program(text).is_some_and(|text| text.eq_ignore_ascii_case(program))
    };
    let patterns = watched.patterns.iter().filter(is_its);
    let patterns: Vec<&String> = patterns.collect();
    let reading = match quoted(argv) {
        Some(line) if !patterns.is_empty() => shell::read(&line),
        _ => return patterns.is_empty(),
    };
    reading.unreadable.is_none()
        && !patterns
            .iter()
            .any(|pattern| tool_pattern::check(pattern).is_err() || reading.may_run(pattern))
}

pub fn note_closed_tickets(
    start: &Start,
    closings: &[Closing],
    world: &World,
) -> Result<(), String> {
    let roz = Roz::open(world, &start.cwd).map_err(|err| error_in_short(&err))?;
    let until = gather::deadline(&roz.policy, world).max(Instant::now() + Duration::from_secs(2));
    let new = || Session::new(start.session_id.clone(), world.now);
    update(&*roz.store, &start.session_id, until, new, |session| {
        core::ticket_closed(session, closings, world.now);
        session.updated_at = world.now;
    })
    .map_err(|err| error_in_short(&err))
}

/// Asks the review gate and saves. `None`: permitted.
fn denied(start: &Start, event: Event, json: &str, roz: &Roz, world: &World) -> Option<String> {
    let input = Input::of_call(event, json, start.session_id.clone(), &start.cwd);
    let until = gather::deadline(&roz.policy, world);
    let dice = dice();
    let new = || Session::new(start.session_id.clone(), world.now);
    let mut decided: Option<Outcome> = None;
    let saved = update(&*roz.store, &start.session_id, until, new, |session| {
        let needs = core::needs(&[&ReviewGate], session, &input.event, &roz.policy);
        let look = Lookup { input: &input, session, roz, world };
        let facts = gather::facts(needs, &Around::default(), look);
        let (now, policy) = (world.now, &roz.policy);
        let session_id = &start.session_id;
        let cx = Cx { now, dice: &dice, policy, facts: &facts, session_id };
        decided = Some(core::decide_start(session, &input.event, cx));
        session.updated_at = now;
    });
    let Some(outcome) = decided else {
        let why = saved.err().map(|err| error_in_short(&err)).unwrap_or_default();
        return Some(unknown(start, &why));
    };
    match (&outcome.verdict, saved) {
        (Verdict::Pass, Ok(())) => None,
        (Verdict::Pass, Err(err)) => {
            // An approval for one call has to be used up; other approvals need no write, which a
            // sandbox may forbid.
            let is_for_one = roz.policy.review.gates.approval_scope == Scope::Tool
                || outcome.trace.iter().any(is_allowed_once)
                || is_taken(&err);
            is_for_one.then(|| unknown(start, &error_in_short(&err)))
        }
        (Verdict::Ask(notice) | Verdict::Object(notice), _) => {
            let own_command = world.own_command();
            let session_id = &start.session_id;
            let voice = Voice { session_id, home: &roz.home, roz: &own_command };
            let why = reason(&template::render(notice, voice), &input);
            Some(if session_id.is_of_run() { with_any_reviewer(&why, session_id) } else { why })
        }
    }
}

/// Under `roz run` the agent's own hooks, if any, know how to start a reviewer.
fn with_any_reviewer(why: &str, id: &SessionId) -> String {
    let what = why.split("\n\n").next().unwrap_or(why);
    format!(
        "{what}\n\nCommit the work, and have it reviewed as roz's hooks ask for it when you stop. \
         Without hooks the user approves: `roz approve {id}`. Then make the same call again."
    )
}

fn is_allowed_once(mark: &Mark) -> bool {
    matches!(mark, Mark::GateAllowed(answer) if answer.reason == gated_calls::ALLOWED)
}

/// For when the approvals cannot be read.
fn unknown(start: &Start, why: &str) -> String {
    format!(
        "roz: `{}` is gated, and roz cannot read the state of session {}: {why}. A person has to \
         look at it with `roz doctor`.",
        start.argv.first().map_or("", String::as_str),
        start.session_id
    )
}

/// As a command line, cut at the end: the important words come first.
fn quoted(words: &[String]) -> Option<String> {
    let mut line = String::new();
    for word in words {
        let word = shlex::try_quote(word).ok()?;
        if line.len() + word.len() > LONGEST && !line.is_empty() {
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&word);
    }
    Some(line)
}

/// Asks git once what an alias stands for. An alias that begins with `!` is a shell line, and what
/// it starts finds the real git.
fn alias(call: &ToolCall, start: &Start) -> Vec<String> {
    let Some(run) = call.runs().next().filter(|run| run.program == "git") else {
        return Vec::new();
    };
    let words = run.words();
    let is_name = |word: &&&str| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let Some(verb) = words.get(1).filter(is_name).filter(|word| !word.starts_with('-')) else {
        return Vec::new();
    };
    if shell::is_git_verb(verb) {
        return Vec::new();
    }
    let options = &run.argv[1..run.argv.len() - (words.len() - 1)];
    let mut git = process::command("git");
    git.args(options).args(["config", "--get", &format!("alias.{verb}")]).current_dir(&start.cwd);
    let until = Instant::now() + Duration::from_secs(2);
    let Ok(ran) = process::run(git, until) else { return Vec::new() };
    let text = String::from_utf8_lossy(&ran.stdout).trim().to_owned();
    let rest: Vec<String> = words.iter().skip(2).map(|word| (*word).to_owned()).collect();
    let Some(rest) = quoted(&rest) else { return Vec::new() };
    if let Some(line) = text.strip_prefix('!') {
        return vec![format!("{line} {rest}")];
    }
    let Some(git) = quoted(&run.argv[..=options.len()]) else { return Vec::new() };
    let stands_for = shlex::split(&text).and_then(|words| quoted(&words)).unwrap_or_default();
    if stands_for.is_empty() { Vec::new() } else { vec![format!("{git} {stands_for} {rest}")] }
}
