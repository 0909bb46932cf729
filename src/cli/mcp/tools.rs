//! The tools of roz's own server in one table.

use std::error::Error;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    cli::{
        Done, Result, decide,
        intent::{self, lesson, list_and_show, new_and_expand},
        said,
    },
    core::{
        intent::{
            catalogue::Intent,
            draft::Draft,
            selection::{self, Refused},
        },
        review::reviewer::Claim,
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
    call: fn(Input, &World) -> Result,
}

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

    pub(super) fn run(
        &self,
        arguments: &Value,
        world: &World,
    ) -> std::result::Result<Done, String> {
        if let Some(missing) = self.required().find(|name| arguments[*name].is_null()) {
            return Err(format!("The argument `{missing}` is missing."));
        }
        let input = Input::deserialize(arguments).map_err(|err| format!("{err}."))?;
        (self.call)(input, world).map_err(|err| told(&*err))
    }
}

/// A refusal is a sentence, what to do about it, and a line of JSON.
fn told(err: &(dyn Error + 'static)) -> String {
    let Some(refusal) = err.downcast_ref::<Refused>() else {
        return format!("{}.", in_a_line(err));
    };
    let mut sentences = vec![refusal.message.clone()];
    sentences.extend(refusal.recovery.iter().cloned());
    format!("{}\n\n{}", sentences.join(" "), refusal.json())
}

fn project(world: &World) -> Result<(Roz, IntentStore)> {
    let launched = world.var("CLAUDE_PROJECT_DIR").map(std::path::PathBuf::from);
    let dir = launched.filter(|launched| launched.is_dir()).unwrap_or_else(|| world.cwd.clone());
    let roz = Roz::open(world, &dir)?;
    let mut store = intent::store(&roz, &dir)?;
    store.is_agents = true;
    Ok((roz, store))
}

fn select(input: Input, world: &World) -> Result {
    let (_, store) = project(world)?;
    let intent_id = input.intent_id.unwrap_or_default();
    let intent = store.choose(intent_id.trim(), "select_active_intent")?;
    said(Value::Null, store.briefing(intent).context())
}

#[expect(clippy::needless_pass_by_value, reason = "all functions of the table have one type")]
fn list(input: Input, world: &World) -> Result {
    let (_, store) = project(world)?;
    intent::is_sound(&store, "list_intents")?;
    let can_be = |intent: &&Intent| list_and_show::can_be_selected(intent, &store);
    let shown = store.catalogue.intents.iter().filter(|intent| input.all || can_be(intent));
    let intent = |intent: &Intent| {
        json!({
            "id": intent.id,
            "name": intent.name,
            "status": intent.status.word(),
            "owned_scope": intent.owned_scope,
            "can_be_selected": can_be(&intent),
        })
    };
    said(json!({ "intents": shown.map(intent).collect::<Vec<Value>>() }), "")
}

fn status(input: Input, world: &World) -> Result {
    let (_, store) = project(world)?;
    let Some(id) = input.intent_id else { return said(overview(&store), "") };
    let intent = selection::find(&store.catalogue, id.trim(), "intent_status")?;
    let mut told = list_and_show::intent_json(intent, &store);
    told["recent"] = json!(store.recent(&intent.id));
    told["lessons"] = json!(store.lessons(intent));
    said(told, "")
}

fn overview(store: &IntentStore) -> Value {
    let catalogue = &store.catalogue;
    let problems = catalogue.problems.iter().take(50).map(ToString::to_string);
    let ignore = store.ignore.as_ref().err().map(ToString::to_string);
    let open = catalogue.open().map(
        |intent| json!({ "id": intent.id, "name": intent.name, "status": intent.status.word() }),
    );
    json!({
        "reliable": catalogue.broken().is_none() && ignore.is_none(),
        "problems": problems.collect::<Vec<String>>(),
        "ignore_problem": ignore,
        "declared": catalogue.intents.len(),
        "open": open.collect::<Vec<Value>>(),
    })
}

fn create(new: Input, world: &World) -> Result {
    let draft = Draft {
        id: new.intent_id,
        name: new.name,
        owned_scope: new.owned_scope,
        constraints: new.constraints,
        acceptance_criteria: new.acceptance_criteria,
        depends_on: new.depends_on,
    };
    new_and_expand::declare(&draft, "create_intent", &project(world)?.1, world)
}

fn expand(input: Input, world: &World) -> Result {
    const TOOL: &str = "request_scope_expansion";
    let Input { intent_id, patterns, reason, .. } = input;
    let (_, store) = project(world)?;
    intent::is_sound(&store, TOOL)?;
    if reason.trim().is_empty() || patterns.is_empty() {
        return Err("Say which `patterns` are needed, and the `reason`".into());
    }
    new_and_expand::widen(
        store.choose(intent_id.unwrap_or_default().trim(), TOOL)?,
        &patterns,
        &store,
        world,
    )
}

fn learn(input: Input, world: &World) -> Result {
    let Input { lesson, intent_id, files, .. } = input;
    let (roz, store) = project(world)?;
    let said = lesson::Said {
        text: &lesson,
        intent: intent_id.as_deref(),
        files: &files,
        cwd: store.root(),
        tool: "record_lesson",
    };
    lesson::write(&said, &roz, &store, world)
}

fn post(input: Input, world: &World) -> Result {
    let Input { session, verdict, summary, message, .. } = input;
    let roz = Roz::open(world, &world.cwd)?;
    let id = roz.find_session(&session)?;
    let decision = decide::decision(&verdict, &summary, message.as_deref());
    let (value, words) = decide::post(roz, &id, decision, Claim::Permit, Vec::new(), world)?;
    said(value, words)
}
