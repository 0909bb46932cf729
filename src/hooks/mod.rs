//! Handles a hook: reads the client's JSON from stdin and returns roz's answer.
//!
//! [`run`] has the steps: parse, load, gather, decide, save, reply.

mod act;
mod exit_code;
pub mod explain;
mod fail_open;
mod formatter;
pub mod gather;
mod glob_expansion;
mod intent_briefing;
mod intent_facts;
mod nested_calls;
pub mod own_files;
mod post_call_changes;
mod protect_facts;
pub mod reflection_facts;
mod repositories;
mod reviewer_call_facts;
pub mod shim_judge;
pub mod shim_setup;
pub mod unknown_tools;

use std::{
    cell::OnceCell,
    mem,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use self::gather::Lookup;
pub use crate::clients::Hook;
use crate::{
    clients::{
        Capability, Client, fields,
        message::{self, Decision, Input, Printed, Reply},
    },
    core::{
        self, Cx, bounded, client_files,
        event::What,
        gate::Gate,
        intent::briefing,
        outcome::{Notice, Outcome, Verdict},
        own_files::WeakenedFile,
        policy::Auto,
        session::Session,
        trace::Mark,
    },
    open::{self, Roz},
    shell::Options,
    storage::{self, Stored},
    template::{self, Voice},
    world::{StdinError, World, changed_since, dice, files, in_a_line},
};

/// In bytes.
pub const MAX_INPUT: usize = 64 * 1024 * 1024;
/// In characters.
const MAX_REASON: usize = 1500;

#[derive(Debug, PartialEq)]
pub struct Answer {
    pub stdout: Value,
    /// For stderr, one line each, after `roz: warning: `.
    pub warnings: Vec<String>,
    /// For stderr, unchanged, with exit code 2: keeps a task open.
    pub refusal: Option<String>,
}

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("failed to open the sessions")]
    Open(#[from] open::Error),
    #[error("failed to update the session")]
    Storage(#[from] storage::Error),
}

struct Failure {
    error: Error,
    /// The decision, if it was made before the error.
    outcome: Option<Outcome>,
}

impl Failure {
    fn boxed(error: impl Into<Error>, outcome: Option<Outcome>) -> Box<Self> {
        Box::new(Self { error: error.into(), outcome })
    }
}

impl Answer {
    fn pass() -> Self {
        Self { stdout: json!({}), warnings: Vec::new(), refusal: None }
    }

    pub fn pass_with(warning: String) -> Self {
        Self { warnings: vec![warning], ..Self::pass() }
    }
}

#[derive(Clone, Copy)]
pub struct Setup {
    pub client: &'static dyn Client,
    pub gates: &'static [&'static dyn Gate],
}

impl Setup {
    pub fn of(client: &'static dyn Client) -> Self {
        Self { client, gates: core::GATES }
    }
}

/// Answers a hook of this client; `event` is the argument of `roz hook`.
///
/// This is the only place that fails open: after an error around a decision the agent goes on and
/// the user is told. A decision itself is never softened.
pub fn run(setup: Setup, event: &str, stdin: Result<Vec<u8>, StdinError>, world: &World) -> Answer {
    let bytes = match stdin {
        Ok(bytes) => bytes,
        Err(err) => return Answer::pass_with(in_a_line(&err)),
    };
    let mut warnings = Vec::new();
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(err) => {
            warnings.push("the input is not UTF-8: read as far as it is".to_owned());
            fields::made_text(err.into_bytes())
        }
    };
    let mut input = match setup.client.parse(event, &text) {
        Ok(input) => input,
        Err(message::Error::NotForUs) => return Answer::pass(),
        Err(err) => {
            if let message::Error::UnknownEvent(name) = &err {
                unknown_tools::note_event(name, world);
            }
            warnings.push(in_a_line(&err));
            return Answer { warnings, ..Answer::pass() };
        }
    };
    warnings.append(&mut input.warnings);
    exit_code::look_up_exit_code(&mut input);
    let hook = input.hook;
    let governed = nested_calls::govern_each(input, setup.gates, world);
    warnings.extend(governed.warnings);
    let Printed { stdout, refusal } = match governed.said {
        Said::Now(reply) => setup.client.render(reply, hook),
        Said::Before(stdout) => Printed { stdout, refusal: None },
    };
    Answer { stdout, warnings, refusal }
}

struct Governed {
    said: Said<Reply>,
    warnings: Vec<String>,
}

enum Said<T> {
    Now(T),
    /// The event arrived twice: its first answer.
    Before(Value),
}

impl Governed {
    fn now(reply: Reply, warnings: Vec<String>) -> Self {
        Self { said: Said::Now(reply), warnings }
    }
}

/// What was done around the call before the decision.
#[derive(Default)]
struct Around {
    /// When roz's formatters began, if any ran.
    formatted: Option<changed_since::Time>,
    /// Own files that the call weakened.
    weakened: Vec<WeakenedFile>,
}

fn govern(mut input: Input, gates: &[&dyn Gate], world: &World) -> Governed {
    if !input.client.can(Capability::Ask) {
        input.event.origin.is_unattended = true;
    }
    let cwd = input.cwd.clone().unwrap_or_else(|| world.cwd.clone());
    let mut roz = match Roz::open(world, &cwd) {
        Ok(roz) => roz,
        Err(err) => {
            return fail_open::fail_open(&input, *Failure::boxed(err, None), None, world);
        }
    };
    let loaded = roz.store.get_session(&input.session_id);
    if let Ok(Some(Stored { session, .. })) = &loaded
        && let Some(Ok(other)) = roz.of_session(session, world)
    {
        roz = other;
    }
    let session = loaded.as_ref().ok().and_then(|loaded| Some(&loaded.as_ref()?.session));
    if !input.client.can(Capability::NameSubagents) {
        let reviewer = session.and_then(|session| session.review.reviewer_at_work());
        input.event.name_reviewer(reviewer);
    }
    let known = session.and_then(|session| session.model.clone());
    input.event.origin.model = input.event.origin.model.take().or(known);
    let id = input.session_id.clone();
    read_call(&mut input, &roz, world);
    let formatted = formatter::run(&input.event, session, &roz);
    let (weakened, unnoted) = own_files::end(&input.event, &id, &roz, world);
    let around = Around { formatted: formatted.since, weakened };
    let decided = match loaded {
        Ok(loaded) => decide(&input, &around, loaded, (gates, &roz), world),
        Err(err) => Err(Failure::boxed(err, None)),
    };
    let answer = match decided {
        Ok(Said::Before(stdout)) => Governed { said: Said::Before(stdout), warnings: Vec::new() },
        Ok(Said::Now(mut outcome)) => {
            if !matches!(outcome.verdict, Verdict::Object(_)) {
                own_files::begin(&input.event, &roz, world);
            }
            outcome.context.extend(formatted.told);
            outcome.messages.extend(unnoted);
            let effects = mem::take(&mut outcome.effects);
            let mut warnings = act::act(effects, &input, &roz, world, &mut outcome);
            if let What::SessionStart { source } = input.event.what {
                let set_up = shim_setup::set_up(&input, source, &roz, world);
                warnings.extend(set_up.err().map(|err| {
                    format!("gated programs are not judged when they start: {}", in_a_line(&err))
                }));
                outcome.messages.extend(roz.complaints());
                outcome.messages.extend(own_files::waiting(&roz));
                roz.tidy(world);
                roz.note_first_commit(world.now, deadline(input.hook, &roz, world));
                if reflection_facts::is_wanted(&roz, &cwd) {
                    let until = deadline(input.hook, &roz, world);
                    warnings.extend(roz.decay_daily(world, until));
                }
            }
            warnings.extend(note_commits(&input, &roz, world));
            Governed::now(reply(&input, &outcome, &roz, world), warnings)
        }
        Err(failure) => {
            let governed = fail_open::fail_open(&input, *failure, Some(&roz), world);
            let is_refused = |reply: &Reply| matches!(reply.decision, Decision::Object(_));
            if matches!(&governed.said, Said::Now(reply) if !is_refused(reply)) {
                own_files::begin(&input.event, &roz, world);
            }
            governed
        }
    };
    // The process ends with this answer, so freeing memory is a waste of time.
    mem::forget((input, roz));
    answer
}

/// Copies ledger records into git notes for commits since the last event. Returns what failed, in
/// one line.
fn note_commits(input: &Input, roz: &Roz, world: &World) -> Option<String> {
    // Before a tool there are no new commits, and the call waits for this hook.
    if matches!(input.event.what, What::PreToolUse(_)) || roz.policy.intent.enabled == Auto::Off {
        return None;
    }
    let until = deadline(input.hook, roz, world);
    let noted = roz.own_ledger().note_commits(world.now.timestamp(), until);
    noted.err().map(|err| format!("the ledger's notes: {}", in_a_line(&err)))
}

fn read_call(input: &mut Input, roz: &Roz, world: &World) {
    let variables = variables(input, world);
    if let What::PreToolUse(call) = &mut input.event.what {
        call.read(&Options { variables, ..roz.policy.commands.options() });
    }
}

/// The variables of an agent's shell in which a command line could refer to roz's places.
fn variables(input: &Input, world: &World) -> Vec<(String, String)> {
    let of_agents =
        client_files::shell_variables(&|name| world.var(name), input.session_id.as_str());
    let known = ["ROZ_HOME", "ROZ_CONFIG"].into_iter();
    let known = known.filter_map(|name| Some((name.to_owned(), world.var(name)?.to_owned())));
    // The shell's parent is the client, so `kill $PPID` keeps the name.
    let parent = ("PPID".to_owned(), "$PPID".to_owned());
    known.chain(of_agents).chain([parent]).collect()
}

/// Decides and saves. Hooks run in parallel: if another one saved first, the event is decided again
/// on its state.
fn decide(
    input: &Input,
    around: &Around,
    loaded: Option<Stored>,
    (gates, roz): (&[&dyn Gate], &Roz),
    world: &World,
) -> Result<Said<Box<Outcome>>, Box<Failure>> {
    let until = deadline(input.hook, roz, world);
    let dice = dice();
    let session_id = &input.session_id;
    let mut decided = None;
    let saved = storage::update_from(
        &*roz.store,
        loaded,
        session_id,
        until,
        || fresh(input, roz, world),
        |session| {
            if input.event.may_arrive_twice()
                && let Some(answer) = session.answered_before(input.payload, world.now)
            {
                decided = Some(Said::Before(answer));
                return;
            }
            let needs = core::needs(gates, session, &input.event, &roz.policy);
            let facts = gather::facts(needs, around, Lookup { input, session, roz, world });
            let (now, policy) = (world.now, &roz.policy);
            let cx = Cx { now, dice: &dice, policy, facts: &facts, session_id };
            // Sessions of projects with their own rules are stored from the first event on, because
            // the rules apply wherever the agent goes.
            let is_start = input.hook == Hook::SessionStart;
            if session.trace.seq == 0 && !is_start && roz.has_own_rules() {
                session.record(&Mark::SessionSeen, now);
            }
            let events = session.trace.seq;
            let outcome = core::decide(gates, session, &input.event, cx);
            // A passing stop may be judged twice without harm. What counts is in the trace; other
            // events are not stored.
            let counts = input.hook == Hook::UserPrompt || outcome.verdict != Verdict::Pass;
            if input.event.may_arrive_twice() && counts && session.trace.seq > events {
                let reply = reply(input, &outcome, roz, world);
                let printed = input.client.render(reply, input.hook);
                session.answers(input.payload, printed.stdout, now);
            }
            decided = Some(Said::Now(Box::new(outcome)));
            session.updated_at = now;
        },
    );
    match (saved, decided) {
        (Ok(()), decided) => Ok(decided.unwrap_or_else(|| Said::Now(Box::default()))),
        (Err(err), Some(Said::Now(outcome))) => Err(Failure::boxed(err, Some(*outcome))),
        (Err(err), _) => Err(Failure::boxed(err, None)),
    }
}

/// The client gives SessionEnd one and a half seconds in total.
fn deadline(hook: Hook, roz: &Roz, world: &World) -> Instant {
    let until = gather::deadline(&roz.policy, world);
    match hook {
        Hook::SessionEnd => until.min(world.started + Duration::from_millis(800)),
        _ => until,
    }
}

fn fresh(input: &Input, roz: &Roz, world: &World) -> Session {
    let mut session = Session::new(input.session_id.clone(), world.now);
    session.cwd.clone_from(&input.cwd);
    session.project = input.cwd.as_ref().map(|_| roz.project.clone());
    session.transcript_path.clone_from(&input.transcript_path);
    if input.hook == Hook::SessionStart || input.hook == Hook::UserPrompt {
        session.head = crate::world::git::head(&roz.project);
    }
    session
}

fn reply(input: &Input, outcome: &Outcome, roz: &Roz, world: &World) -> Reply {
    let own_command = OnceCell::new();
    let render = |notice: &Notice| {
        let own_command = own_command.get_or_init(|| world.own_command());
        let voice = Voice { session_id: &input.session_id, home: &roz.home, roz: own_command };
        template::render(notice, voice)
    };
    let decision = match &outcome.verdict {
        Verdict::Pass => Decision::None,
        Verdict::Ask(notice) => Decision::Ask(reason(&render(notice), input)),
        Verdict::Object(notice) => Decision::Object(reason(&render(notice), input)),
    };
    let mut context: Vec<String> = outcome.context.iter().map(render).collect();
    if let Some(briefing) = &outcome.briefing {
        let others = context.iter().map(|text| briefing::units(text) + 2).sum();
        context.push(briefing.beside(others));
    }
    let updated_input = outcome.rewrite.as_ref().and_then(|rewrite| {
        let prompt = render(&rewrite.prompt);
        input.client.launch_input(input.event.call()?, rewrite, &prompt)
    });
    Reply {
        decision,
        context: context.join("\n\n"),
        message: outcome.messages.join("\n"),
        updated_input,
    }
}

/// Cut to [`MAX_REASON`] characters, with a note where the rest is.
fn reason(text: &str, input: &Input) -> String {
    if text.chars().count() <= MAX_REASON {
        return text.to_owned();
    }
    let rest = format!("\n(The rest: `roz context {}`.)", input.session_id);
    bounded::chars(text, MAX_REASON - rest.chars().count()) + &rest
}

/// Whether the session could not be saved because other hooks were at it.
fn is_taken(error: &storage::Error) -> bool {
    matches!(error, storage::Error::File(files::Error::Locked { .. }) | storage::Error::Conflict)
}

fn error_in_short(error: &dyn std::error::Error) -> String {
    bounded::chars(&in_a_line(error), 300)
}
