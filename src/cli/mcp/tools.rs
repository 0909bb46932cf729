//! The tools of roz's own server, one table.

use serde::{Deserialize, de::DeserializeOwned};
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
    sidecar::desk::Desk,
    world::{World, in_a_line},
};

pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    pub(super) only_reads: bool,
    /// Of the arguments.
    pub(super) schema: fn() -> Value,
    pub(super) call: fn(&Value, &World) -> Result<Answer, Trouble>,
}

pub(super) enum Answer {
    Texts(Vec<String>),
    Object(Value),
}

/// Why a tool did not do its work.
pub(super) enum Trouble {
    Refused(Refused),
    Failed(String),
}

/// Self-protection asks the user about those that declare or widen: see the
/// rule `intent` of its table.
pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "select_active_intent",
        title: "Select the active intent",
        about: "Say which declared intent you are at. Do this before you change anything. Answers \
                with its scope, constraints and acceptance criteria, and what was done and learned \
                before.",
        only_reads: false,
        schema: || {
            object(
                json!({ "intent_id": text("The id of an open intent, as `INT-001`.") }),
                &["intent_id"],
            )
        },
        call: select,
    },
    Tool {
        name: "list_intents",
        title: "List the intents",
        about: "The declared intents with their scopes: those that can be selected, or all.",
        only_reads: true,
        schema: || {
            let all = json!({ "type": "boolean", "description": "Also those that are not open." });
            object(json!({ "all": all }), &[])
        },
        call: list,
    },
    Tool {
        name: "intent_status",
        title: "Show an intent",
        about: "How an intent stands: its status, scope, constraints, acceptance criteria, and \
                what is wrong with it. Without an id, all open ones and the state of the files \
                that declare them.",
        only_reads: true,
        schema: || object(json!({ "intent_id": text("The intent's id.") }), &[]),
        call: status,
    },
    Tool {
        name: "create_intent",
        title: "Declare a new intent",
        about: "Declare a piece of work that no open intent covers. The user is asked. Select it \
                afterwards.",
        only_reads: false,
        schema: || {
            object(
                json!({
                    "name": text("What it is about, in a few words."),
                    "owned_scope": texts("What it may change: patterns from the project's root. \
                        `*` stays within a folder, `**` crosses them, `!pattern` keeps something \
                        out. As narrow as the work is."),
                    "constraints": texts("What has to be kept to."),
                    "acceptance_criteria": texts("When it is done."),
                    "depends_on": texts("Ids of intents that come before it."),
                    "intent_id": text("Its id. Without one, the next free `INT-001`."),
                    "reason": text("Why it is needed, for the user who is asked."),
                }),
                &["name", "owned_scope"],
            )
        },
        call: create,
    },
    Tool {
        name: "request_scope_expansion",
        title: "Ask for more scope",
        about: "Ask the user to let an intent change more paths. Use it where a write was refused \
                as outside the scope, and the work needs it.",
        only_reads: false,
        schema: || {
            object(
                json!({
                    "intent_id": text("The intent's id."),
                    "patterns": texts("The paths that are needed, from the project's root, as \
                        narrow as the work is."),
                    "reason": text("Why they are needed, for the user who is asked."),
                }),
                &["intent_id", "patterns", "reason"],
            )
        },
        call: expand,
    },
    Tool {
        name: "record_lesson",
        title: "Record a lesson",
        about: "Write down what was learned from a failure or a decision, in a sentence, for those \
                who come to the same intent or files.",
        only_reads: false,
        schema: || {
            object(
                json!({
                    "lesson": text("What to do, or not to do, and why."),
                    "intent_id": text("The intent that it was learned at."),
                    "files": texts("Files that it is about, from the project's root."),
                }),
                &["lesson"],
            )
        },
        call: learn,
    },
];

/// Of a reviewer whose shell calls cannot be told from the agent's. Before the call, the hook on it
/// gives the permit.
pub(super) const REVIEWER: &[Tool] = &[Tool {
    name: "decide",
    title: "Decide the review",
    about: "Ends the review: COMPLETE if you would put your name to the work, else ISSUES with what \
            is wrong, where, and how to fix it.",
    only_reads: false,
    schema: || {
        let verdict = json!({ "type": "string", "enum": ["COMPLETE", "ISSUES"] });
        object(
            json!({
                "session": text("The session under review."),
                "verdict": verdict,
                "summary": text("What you looked at, and why it is right or what is wrong."),
                "message": text("For ISSUES: what the agent has to do."),
            }),
            &["session", "verdict", "summary"],
        )
    },
    call: post,
}];

#[derive(Deserialize)]
struct Verdict {
    session: String,
    verdict: String,
    summary: String,
    message: Option<String>,
}

fn post(arguments: &Value, world: &World) -> Result<Answer, Trouble> {
    let said: Verdict = read(arguments)?;
    let failed = |err: Box<dyn std::error::Error>| Trouble::of(&*err);
    let roz = Roz::open(world, &world.cwd).map_err(|err| Trouble::of(&err))?;
    let id = roz.find_session(&said.session).map_err(|err| Trouble::of(&err))?;
    let summary = bounded::cut(said.summary.trim(), bounded::MAX_KEPT).to_owned();
    let decision = if said.verdict == "COMPLETE" {
        Decision::Complete { summary, second_opinions: None }
    } else {
        let message = said.message.as_deref().unwrap_or(&summary);
        let message_to_agent = bounded::cut(message.trim(), bounded::MAX_KEPT).to_owned();
        Decision::Issues { summary, message_to_agent }
    };
    let posted = decide::post(roz, &id, decision, Claim::Permit, Vec::new(), world);
    Ok(Answer::Texts(vec![posted.map_err(failed)?.told()]))
}

#[expect(clippy::needless_pass_by_value, reason = "the macro takes it by reference")]
fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

fn texts(about: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": about })
}

impl Trouble {
    fn of(err: &(dyn std::error::Error + 'static)) -> Self {
        Self::Failed(format!("{}.", in_a_line(err)))
    }

    /// A sentence, what to do about it, and for refusals their line of JSON.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Refused(refusal) => {
                let mut said = vec![refusal.message.clone()];
                said.extend(refusal.recovery.iter().cloned());
                format!("{}\n\n{}", said.join(" "), refusal.json())
            }
            Self::Failed(what) => what.clone(),
        }
    }
}

impl From<Refused> for Trouble {
    fn from(refusal: Refused) -> Self {
        Self::Refused(refusal)
    }
}

fn read<T: DeserializeOwned>(arguments: &Value) -> Result<T, Trouble> {
    T::deserialize(arguments)
        .map_err(|err| Trouble::Failed(format!("The arguments are not as they should be: {err}.")))
}

fn desk(world: &World) -> Result<Desk, Trouble> {
    project(world).map(|(_, desk)| desk)
}

fn project(world: &World) -> Result<(Roz, Desk), Trouble> {
    let launched = world.var("CLAUDE_PROJECT_DIR").map(std::path::PathBuf::from);
    let dir = launched.filter(|it| it.is_dir()).unwrap_or_else(|| world.cwd.clone());
    let roz = Roz::open(world, &dir).map_err(|err| Trouble::of(&err))?;
    let mut desk = intent::desk(&roz, &dir).map_err(|err| Trouble::of(&err))?;
    desk.is_agents = true;
    Ok((roz, desk))
}

/// A desk whose catalogue can be relied on.
fn sound_desk(world: &World, tool: &str) -> Result<Desk, Trouble> {
    let desk = desk(world)?;
    match desk.catalogue.broken() {
        Some(problem) => Err(selection::unreliable(problem, tool).into()),
        None => Ok(desk),
    }
}

#[derive(Deserialize)]
struct Named {
    intent_id: String,
}

fn select(arguments: &Value, world: &World) -> Result<Answer, Trouble> {
    let Named { intent_id } = read(arguments)?;
    let (roz, desk) = project(world)?;
    let intent = desk.choose(intent_id.trim(), "select_active_intent")?;
    let briefing = desk.briefing(intent, |it| roz.text_before(desk.root(), it));
    Ok(Answer::Texts(vec![briefing.context()]))
}

#[derive(Deserialize)]
struct All {
    #[serde(default)]
    all: bool,
}

fn list(arguments: &Value, world: &World) -> Result<Answer, Trouble> {
    let All { all } = read(arguments)?;
    let desk = sound_desk(world, "list_intents")?;
    let can_be = |it: &&Intent| {
        let is_closed = desk.ignore.as_ref().is_ok_and(|ignore| ignore.closes(&it.id).is_some());
        it.status.can_be_selected() && !is_closed
    };
    let shown = desk.catalogue.intents.iter().filter(|it| all || can_be(it));
    let intents: Vec<Value> = shown
        .map(|it| {
            json!({
                "id": it.id,
                "name": it.name,
                "status": it.status.word(),
                "owned_scope": it.owned_scope,
                "can_be_selected": can_be(&it),
            })
        })
        .collect();
    Ok(Answer::Object(json!({ "intents": intents })))
}

#[derive(Deserialize)]
struct PerhapsNamed {
    #[serde(default)]
    intent_id: Option<String>,
}

fn status(arguments: &Value, world: &World) -> Result<Answer, Trouble> {
    let PerhapsNamed { intent_id } = read(arguments)?;
    let desk = desk(world)?;
    if let Some(id) = intent_id {
        let intent = selection::find(&desk.catalogue, id.trim(), "intent_status")?;
        let mut told = show::intent_json(intent, &desk);
        told["recent"] = json!(desk.recent(&intent.id));
        told["lessons"] = json!(desk.lessons(intent));
        return Ok(Answer::Object(told));
    }
    let problems: Vec<String> =
        desk.catalogue.problems.iter().map(ToString::to_string).take(50).collect();
    let ignore = desk.ignore.as_ref().err().map(ToString::to_string);
    let open: Vec<Value> = desk
        .catalogue
        .open()
        .map(|it| json!({ "id": it.id, "name": it.name, "status": it.status.word() }))
        .collect();
    Ok(Answer::Object(json!({
        "reliable": desk.catalogue.broken().is_none() && ignore.is_none(),
        "problems": problems,
        "ignore_problem": ignore,
        "declared": desk.catalogue.intents.len(),
        "open": open,
    })))
}

#[derive(Deserialize)]
struct New {
    name: String,
    owned_scope: Vec<String>,
    #[serde(default)]
    constraints: Vec<String>,
    #[serde(default)]
    acceptance_criteria: Vec<String>,
    #[serde(default)]
    depends_on: Vec<String>,
    #[serde(default)]
    intent_id: Option<String>,
}

fn create(arguments: &Value, world: &World) -> Result<Answer, Trouble> {
    let new: New = read(arguments)?;
    let desk = sound_desk(world, "create_intent")?;
    let draft = Draft {
        id: new.intent_id,
        name: new.name,
        owned_scope: new.owned_scope,
        constraints: new.constraints,
        acceptance_criteria: new.acceptance_criteria,
        depends_on: new.depends_on,
    };
    let made = draft::intent(&draft, &desk.catalogue, world.now);
    let (intent, complaints) = made.map_err(|err| Trouble::of(&err))?;
    desk.add(intent.clone(), world.now).map_err(|err| Trouble::of(&err))?;
    let mut told = vec![format!(
        "Declared {}. Call select_active_intent with it before you change anything.",
        intent.id
    )];
    told.extend(minded(&desk, &intent, &complaints));
    Ok(Answer::Texts(told))
}

#[derive(Deserialize)]
struct More {
    intent_id: String,
    patterns: Vec<String>,
    /// Read by the user, who is asked before this runs.
    reason: String,
}

fn expand(arguments: &Value, world: &World) -> Result<Answer, Trouble> {
    let More { intent_id, patterns, reason } = read(arguments)?;
    let desk = sound_desk(world, "request_scope_expansion")?;
    if reason.trim().is_empty() || patterns.is_empty() {
        let what = "Say which `patterns` are needed, and the `reason`.";
        return Err(Trouble::Failed(what.to_owned()));
    }
    let intent = desk.choose(intent_id.trim(), "request_scope_expansion")?;
    let complaints = draft::patterns(&patterns).map_err(|err| Trouble::of(&err))?;
    let added = desk.expand(&intent.id, &patterns, world.now).map_err(|err| Trouble::of(&err))?;
    let mut wider = intent.clone();
    wider.owned_scope.extend(added.iter().cloned());
    let mut told = vec![if added.is_empty() {
        format!("{} owned that already.", intent.id)
    } else {
        format!("Granted: {} now owns {} too.", intent.id, added.join(", "))
    }];
    told.extend(minded(&desk, &wider, &complaints));
    Ok(Answer::Texts(told))
}

#[derive(Deserialize)]
struct Said {
    lesson: String,
    #[serde(default)]
    intent_id: Option<String>,
    #[serde(default)]
    files: Vec<String>,
}

fn learn(arguments: &Value, world: &World) -> Result<Answer, Trouble> {
    let Said { lesson, intent_id, files } = read(arguments)?;
    let (roz, desk) = project(world)?;
    let selected = lesson::selected(&roz, &desk, world);
    let (intent, root) = (intent_id.as_deref(), desk.root());
    let lesson = lesson::lesson(&lesson, intent, &files, &desk, root, selected);
    let lesson = lesson.map_err(|err| Trouble::of(&err))?;
    for id in &lesson.about.intents {
        selection::find(&desk.catalogue, id, "record_lesson")?;
    }
    let told = match desk.learn(&lesson).map_err(|err| Trouble::of(&err))? {
        Learned::New => "Recorded.",
        Learned::Wider => "It is known already; now it concerns these too.",
        Learned::Known => "It is known already.",
    };
    Ok(Answer::Texts(vec![told.to_owned()]))
}

/// What to look out for with a scope.
fn minded(desk: &Desk, intent: &Intent, complaints: &[Complaint]) -> Option<String> {
    let mut mind = intent::doubts(complaints);
    mind.extend(intent::shared(desk, intent));
    let mind = mind.iter().map(|it| bounded::plain_line(it)).collect::<Vec<_>>();
    (!mind.is_empty()).then(|| format!("Mind: {}.", mind.join("; ")))
}
