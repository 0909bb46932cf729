//! The tools of roz's own server in one table.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    cli::{
        decide,
        intent::{self, lesson, show},
    },
    core::{
        bounded,
        intent::{
            catalogue::Intent,
            draft::{self, Draft},
            lessons::Learned,
            scope::Complaint,
            selection::{self, Refused},
        },
        review::{decision::Decision, reviewer::Claim},
    },
    open::Roz,
    sidecar::intent_store::IntentStore,
    world::{World, in_a_line},
};

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) only_reads: bool,
    /// Names of [`ARGUMENTS`]; one with a `?` is optional.
    arguments: &'static [&'static str],
    call: fn(Input, &World) -> Result<Answer, Trouble>,
}

pub(super) enum Answer {
    Text(String),
    Object(Value),
}

/// Why a tool failed.
pub(super) struct Trouble(pub(super) String);

impl<E: std::error::Error + 'static> From<E> for Trouble {
    fn from(err: E) -> Self {
        let any: &dyn std::error::Error = &err;
        match any.downcast_ref::<Refused>() {
            // The message, what to do about it, and a line of JSON.
            Some(refusal) => {
                let mut said = vec![refusal.message.clone()];
                said.extend(refusal.recovery.iter().cloned());
                Self(format!("{}\n\n{}", said.join(" "), refusal.json()))
            }
            None => Self(format!("{}.", in_a_line(any))),
        }
    }
}

/// The arguments of all tools.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Input {
    intent_id: Option<String>,
    all: bool,
    name: String,
    owned_scope: Vec<String>,
    constraints: Vec<String>,
    acceptance_criteria: Vec<String>,
    depends_on: Vec<String>,
    patterns: Vec<String>,
    /// For the user, who is asked before the call runs.
    reason: String,
    lesson: String,
    files: Vec<String>,
    session: String,
    verdict: String,
    summary: String,
    message: Option<String>,
}

/// The name, the type and the description of each argument.
const ARGUMENTS: &[(&str, &str, &str)] = &[
    ("intent_id", "string", "An intent's id, such as `INT-001`."),
    ("all", "boolean", "Include intents that are not open."),
    ("name", "string", "What the work is about, in a few words."),
    (
        "owned_scope",
        "array",
        "What it may change: patterns from the project's root. `*` stays within a folder, `**` \
         crosses folders, `!pattern` excludes. As narrow as the work is.",
    ),
    ("constraints", "array", "Rules to keep to."),
    ("acceptance_criteria", "array", "When the work is done."),
    ("depends_on", "array", "Ids of intents that come before it."),
    (
        "patterns",
        "array",
        "The paths that are needed, from the project's root; as few as possible.",
    ),
    ("reason", "string", "Why it is needed, for the user who is asked."),
    ("lesson", "string", "What to do, or not to do, and why."),
    ("files", "array", "Files that it is about, from the project's root."),
    ("session", "string", "The session under review."),
    ("verdict", "string", "`COMPLETE` or `ISSUES`."),
    ("summary", "string", "What you looked at, and why it is right or what is wrong."),
    ("message", "string", "For ISSUES: what the agent has to do."),
];

/// Self-protection asks the user about tools that declare or widen intents: see the rule `intent`
/// in its table.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "select_active_intent",
        about: "Say which declared intent you are working on, before you change anything. Answers \
                with its scope, constraints and acceptance criteria, and what was done and learned \
                before.",
        only_reads: false,
        arguments: &["intent_id"],
        call: select,
    },
    Tool {
        name: "list_intents",
        about: "The declared intents with their scopes: those that can be selected, or all.",
        only_reads: true,
        arguments: &["all?"],
        call: list,
    },
    Tool {
        name: "intent_status",
        about: "An intent's status, scope, constraints, acceptance criteria, and what is wrong \
                with it. Without an id: all open ones, and the state of the files that declare \
                them.",
        only_reads: true,
        arguments: &["intent_id?"],
        call: status,
    },
    Tool {
        name: "create_intent",
        about: "Declare a piece of work that no open intent covers. The user is asked. Select it \
                afterwards.",
        only_reads: false,
        arguments: &[
            "name",
            "owned_scope",
            "constraints?",
            "acceptance_criteria?",
            "depends_on?",
            "intent_id?",
            "reason?",
        ],
        call: create,
    },
    Tool {
        name: "request_scope_expansion",
        about: "Ask the user to let an intent change more paths. Use it when a write was refused \
                as outside the scope and the work needs it.",
        only_reads: false,
        arguments: &["intent_id", "patterns", "reason"],
        call: expand,
    },
    Tool {
        name: "record_lesson",
        about: "Write down in a sentence what was learned from a failure or a decision, for those \
                who work on the same intent or files later.",
        only_reads: false,
        arguments: &["lesson", "intent_id?", "files?"],
        call: learn,
    },
];

/// The tool of a reviewer whose shell calls look like the agent's. The hook before this call proves that
/// the reviewer makes it.
pub(super) const REVIEWER: &[Tool] = &[Tool {
    name: "decide",
    about: "Ends the review: COMPLETE if you would put your name to the work, else ISSUES with what \
            is wrong, where, and how to fix it.",
    only_reads: false,
    arguments: &["session", "verdict", "summary", "message?"],
    call: post,
}];

impl Tool {
    fn required(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().copied().filter(|name| !name.ends_with('?'))
    }

    /// The JSON Schema of its arguments.
    pub(super) fn schema(&self) -> Value {
        let mut properties = json!({});
        for (name, kind, about) in ARGUMENTS {
            if self.arguments.iter().any(|taken| taken.trim_end_matches('?') == *name) {
                properties[*name] = json!({ "type": kind, "description": about });
                if *kind == "array" {
                    properties[*name]["items"] = json!({ "type": "string" });
                }
            }
        }
        let required: Vec<&str> = self.required().collect();
        json!({ "type": "object", "properties": properties, "required": required })
    }

    pub(super) fn run(&self, arguments: &Value, world: &World) -> Result<Answer, Trouble> {
        if let Some(missing) = self.required().find(|name| arguments[*name].is_null()) {
            return Err(Trouble(format!("The argument `{missing}` is missing.")));
        }
        (self.call)(Input::deserialize(arguments)?, world)
    }
}

fn store(world: &World) -> Result<IntentStore, Trouble> {
    project(world).map(|(_, store)| store)
}

fn project(world: &World) -> Result<(Roz, IntentStore), Trouble> {
    let launched = world.var("CLAUDE_PROJECT_DIR").map(std::path::PathBuf::from);
    let dir = launched.filter(|launched| launched.is_dir()).unwrap_or_else(|| world.cwd.clone());
    let roz = Roz::open(world, &dir)?;
    let mut store = intent::store(&roz, &dir)?;
    store.is_agents = true;
    Ok((roz, store))
}

/// The store, if its catalogue is usable.
fn sound_store(world: &World, tool: &str) -> Result<IntentStore, Trouble> {
    let store = store(world)?;
    match store.catalogue.broken() {
        Some(problem) => Err(selection::unreliable(problem, tool).into()),
        None => Ok(store),
    }
}

fn select(input: Input, world: &World) -> Result<Answer, Trouble> {
    let intent_id = input.intent_id.unwrap_or_default();
    let (_, store) = project(world)?;
    let intent = store.choose(intent_id.trim(), "select_active_intent")?;
    let briefing = store.briefing(intent);
    Ok(Answer::Text(briefing.context()))
}

#[expect(clippy::needless_pass_by_value, reason = "all functions of the table have one type")]
fn list(input: Input, world: &World) -> Result<Answer, Trouble> {
    let store = sound_store(world, "list_intents")?;
    let can_be = |intent: &&Intent| {
        let is_closed =
            store.ignore.as_ref().is_ok_and(|ignore| ignore.closes(&intent.id).is_some());
        intent.status.can_be_selected() && !is_closed
    };
    let shown = store.catalogue.intents.iter().filter(|intent| input.all || can_be(intent));
    let intents: Vec<Value> = shown
        .map(|shown| {
            json!({
                "id": shown.id,
                "name": shown.name,
                "status": shown.status.word(),
                "owned_scope": shown.owned_scope,
                "can_be_selected": can_be(&shown),
            })
        })
        .collect();
    Ok(Answer::Object(json!({ "intents": intents })))
}

fn status(input: Input, world: &World) -> Result<Answer, Trouble> {
    let store = store(world)?;
    if let Some(id) = input.intent_id {
        let intent = selection::find(&store.catalogue, id.trim(), "intent_status")?;
        let mut told = show::intent_json(intent, &store);
        told["recent"] = json!(store.recent(&intent.id));
        told["lessons"] = json!(store.lessons(intent));
        return Ok(Answer::Object(told));
    }
    let problems: Vec<String> =
        store.catalogue.problems.iter().map(ToString::to_string).take(50).collect();
    let ignore = store.ignore.as_ref().err().map(ToString::to_string);
    let open: Vec<Value> = store
        .catalogue
        .open()
        .map(|intent| json!({ "id": intent.id, "name": intent.name, "status": intent.status.word() }))
        .collect();
    Ok(Answer::Object(json!({
        "reliable": store.catalogue.broken().is_none() && ignore.is_none(),
        "problems": problems,
        "ignore_problem": ignore,
        "declared": store.catalogue.intents.len(),
        "open": open,
    })))
}

fn create(new: Input, world: &World) -> Result<Answer, Trouble> {
    let store = sound_store(world, "create_intent")?;
    let draft = Draft {
        id: new.intent_id,
        name: new.name,
        owned_scope: new.owned_scope,
        constraints: new.constraints,
        acceptance_criteria: new.acceptance_criteria,
        depends_on: new.depends_on,
    };
    let (intent, complaints) = draft::intent(&draft, &store.catalogue, world.now)?;
    store.add(intent.clone(), world.now)?;
    let told = format!(
        "Declared {}. Select it with select_active_intent before you change anything.",
        intent.id
    );
    Ok(Answer::Text(told + &minded(&store, &intent, &complaints)))
}

fn expand(input: Input, world: &World) -> Result<Answer, Trouble> {
    let Input { intent_id, patterns, reason, .. } = input;
    let store = sound_store(world, "request_scope_expansion")?;
    if reason.trim().is_empty() || patterns.is_empty() {
        let what = "Say which `patterns` are needed, and the `reason`.";
        return Err(Trouble(what.to_owned()));
    }
    let intent = store.choose(intent_id.unwrap_or_default().trim(), "request_scope_expansion")?;
    let complaints = draft::patterns(&patterns)?;
    let added = store.expand(&intent.id, &patterns, world.now)?;
    let mut wider = intent.clone();
    wider.owned_scope.extend(added.iter().cloned());
    let told = if added.is_empty() {
        format!("{} already owns that.", intent.id)
    } else {
        format!("Granted: {} now owns {} too.", intent.id, added.join(", "))
    };
    Ok(Answer::Text(told + &minded(&store, &wider, &complaints)))
}

fn learn(input: Input, world: &World) -> Result<Answer, Trouble> {
    let Input { lesson, intent_id, files, .. } = input;
    let (roz, store) = project(world)?;
    let selected = lesson::selected(&roz, &store, world);
    let (intent, root) = (intent_id.as_deref(), store.root());
    let lesson = lesson::lesson(&lesson, intent, &files, &store, root, selected);
    let lesson = lesson.map_err(|what| Trouble(format!("{what}.")))?;
    for id in &lesson.about.intents {
        selection::find(&store.catalogue, id, "record_lesson")?;
    }
    let told = match store.learn(&lesson)? {
        Learned::New => "Recorded.",
        Learned::Wider => "This was already known; it now applies to these too.",
        Learned::Known => "This is already known.",
    };
    Ok(Answer::Text(told.to_owned()))
}

fn post(input: Input, world: &World) -> Result<Answer, Trouble> {
    let Input { session, verdict, summary, message, .. } = input;
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.find_session(&session)?;
    let summary = bounded::cut(summary.trim(), bounded::MAX_KEPT).to_owned();
    let decision = if verdict == "COMPLETE" {
        Decision::Complete { summary, second_opinions: None }
    } else {
        let message = message.as_deref().unwrap_or(&summary);
        let message_to_agent = bounded::cut(message.trim(), bounded::MAX_KEPT).to_owned();
        Decision::Issues { summary, message_to_agent }
    };
    let posted = decide::post(roz, &id, decision, Claim::Permit, Vec::new(), world);
    let posted = posted.map_err(|err| Trouble(format!("{}.", in_a_line(&*err))))?;
    Ok(Answer::Text(posted.1))
}

/// Complaints about a scope, in one line.
fn minded(store: &IntentStore, intent: &Intent, complaints: &[Complaint]) -> String {
    let mind = intent::minded(store, intent, complaints);
    let mind: Vec<String> = mind.iter().map(|text| bounded::plain_line(text)).collect();
    if mind.is_empty() { String::new() } else { format!("\nNote: {}.", mind.join("; ")) }
}
