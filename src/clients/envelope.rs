//! Parses the events that a client sends as JSON, with Claude Code's field names or its own names
//! for the same fields.
//!
//! Input is read leniently, field by field: a field of the wrong type counts as absent, so that it
//! does not hide the others from a gate.

use std::{borrow::Cow, collections::BTreeMap, path::PathBuf};

use serde::{
    Deserialize, Deserializer as _,
    de::{MapAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

use super::{
    Capability, Client as _, Hook,
    dialect::Dialect,
    fields,
    message::{Error, Input},
};
use crate::core::{
    bounded,
    event::{AT_WORK, Event, MADE_UP, Origin, Sender, Source, Stop, ToolCall, What},
    name_words::is_one,
    session::SessionId,
    tool::REVIEWER,
};

/// The longest path, in bytes (Linux's `PATH_MAX`).
const MAX_PATH: usize = 4096;

/// Events of all known versions of the clients that no gate needs.
const OTHERS: &str = "\
    AfterModel BeforeModel BeforeToolSelection ConfigChange CwdChanged DirectoryAdded \
    Elicitation ElicitationResult ErrorOccurred FileChanged InstructionsLoaded Interrupt \
    MessageDisplay Notification PermissionDenied PermissionRequest PostCompact PostModelSwitch \
    PostToolBatch PreCompact PreCompress PreModelSwitch SessionDelete Setup StopFailure \
    TaskCreated TeammateIdle TodoCompleted TodoCreated UserPromptExpansion WorktreeCreate \
    WorktreeRemove";

/// Permission modes in which nobody answers a question.
const UNATTENDED: &[&str] = &["bypassPermissions", "dontAsk"];

/// The payload's fields by Claude Code's names. Only what an event needs is parsed. If a field
/// occurs twice, the last one counts, as it does for the client.
#[derive(Debug, Default)]
pub(super) struct Payload<'a>(BTreeMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Payload<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a RawValue> {
        self.0.get(name).copied()
    }
}

/// Reads the fields of an object with the client's names into a payload.
struct Fields<'p, 'de> {
    dialect: &'static Dialect,
    payload: &'p mut Payload<'de>,
}

impl<'de> Visitor<'de> for Fields<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<Name>()? {
            let value: &'de RawValue = map.next_value()?;
            let own = self.dialect.fields.iter().find(|(own, _)| *own == name.0);
            let name = own.map_or(name.0, |(_, name)| Cow::Borrowed(*name));
            if name == INNER {
                // An unreadable part of the payload is ignored.
                let _ = read(self.dialect, value.get(), self.payload);
            } else if value.get() != "null" {
                self.payload.0.insert(name, value);
            }
        }
        Ok(())
    }
}

/// Marks a field in a dialect whose own fields belong to the payload.
pub(super) const INNER: &str = "{}";

fn read<'a>(
    dialect: &'static Dialect,
    text: &'a str,
    payload: &mut Payload<'a>,
) -> Result<(), serde_json::Error> {
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_map(Fields { dialect, payload })?;
    json.end()
}

/// A key, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The longest valid name, in bytes.
const MAX_ID: usize = 256;

/// Reads a payload. `word` comes from the command line, for payloads that do not name their event.
pub(super) fn parse<'a>(
    dialect: &'static Dialect,
    word: &str,
    text: &'a str,
) -> Result<Input<'a>, Error> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let mut payload = Payload::default();
    read(dialect, text, &mut payload).map_err(Error::Malformed)?;
    let mut warnings = Vec::new();
    let named =
        fields::short(payload.get("hook_event_name"), MAX_ID).filter(|name| !name.is_empty());
    let hook = match (named.as_deref(), dialect.hook(word)) {
        (None, Some(hook)) => hook,
        (None, None) => return Err(unknown(word)),
        (Some(name), on_command_line) => {
            let hook = dialect.hook(name).ok_or_else(|| unknown(name))?;
            if on_command_line != Some(hook) && !word.is_empty() {
                let name = bounded::line(name, 60);
                let word = bounded::line(word, 60);
                warnings.push(if on_command_line.is_none() {
                    let ours = hook.word();
                    format!("there is no `roz hook {word}`: for `{name}` it is `roz hook {ours}`")
                } else {
                    format!("`roz hook {word}` was sent `{name}`: taken as `{name}`")
                });
            }
            hook
        }
    };
    if !(dialect.is_for_us)(&payload, hook) {
        return Err(Error::NotForUs);
    }
    let session_id = payload.get("parent_session").or(payload.get("session_id"));
    let session_id = fields::text(session_id).ok_or(Error::NoSession)?;
    let session_id = SessionId::try_from(session_id)?;
    let mode = fields::short(payload.get("permission_mode"), MAX_ID).unwrap_or_default();
    let origin = Origin {
        agent_id: fields::id(payload.get("agent_id")),
        prompt_id: fields::id(payload.get("prompt_id")),
        is_unattended: UNATTENDED.contains(&mode.as_str()),
        model: fields::id(payload.get("model")),
    };
    let whats = payload.whats(dialect, hook).into_iter();
    let mut events: Vec<Event> = whats.map(|what| Event { origin: origin.clone(), what }).collect();
    if let Some(server) = dialect.reviewer_server {
        payload.tell_of_reviewer(server, &mut events);
    }
    let mut events = events.into_iter();
    let event = events.next().expect("a call holds itself where it holds no others");
    Ok(Input {
        client: dialect,
        hook,
        payload: text,
        session_id,
        cwd: fields::short(payload.get("cwd"), MAX_PATH)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute()),
        transcript_path: fields::short(payload.get("transcript_path"), MAX_PATH).map(PathBuf::from),
        event,
        more: events.collect(),
        exit_code: None,
        answer: payload.get("tool_response").or(payload.get("error")),
        scratchpad: fields::short(payload.get("scratchpad_dir"), MAX_PATH)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute()),
        warnings,
    })
}

fn unknown(name: &str) -> Error {
    if is_one(OTHERS, name) {
        return Error::NotForUs;
    }
    Error::UnknownEvent(bounded::line(name, 60))
}

/// The beginnings of prompts that the client sends by itself: the end of a background task, the
/// report of a subagent in auto mode, messages of teammates and other sessions, and roz's reason
/// for holding a stop.
const CLIENT_PROMPTS: &[&str] = &[
    "<task-notification>",
    "<agent-message",
    "<teammate-message",
    "<cross-session-message",
    "<system_notification>",
];

impl<'a> Payload<'a> {
    /// The events in the payload: one for each call that a tool call contains.
    fn whats(&self, dialect: &'static Dialect, hook: Hook) -> Vec<What<'a>> {
        let calls = || self.calls(dialect).into_iter();
        let ran = |succeeded| calls().map(|call| What::PostToolUse { call, succeeded }).collect();
        let agent_id = || fields::id(self.get("agent_id")).unwrap_or_default();
        let agent_type = || {
            let named = fields::short(self.get("agent_type").or(self.get("subagent_type")), MAX_ID);
            dialect.agent_type(named.unwrap_or_default())
        };
        let what = match hook {
            Hook::PreToolUse => return calls().map(What::PreToolUse).collect(),
            Hook::PostToolUse => {
                return ran(!self.get("tool_response").is_some_and(dialect.failed));
            }
            Hook::PostToolUseFailure => return ran(false),
            Hook::SessionStart => What::SessionStart { source: self.start_source() },
            Hook::UserPrompt => {
                let typed = self.get("prompt").or(self.get("subagent_prompt"));
                let text = dialect.without_context(fields::text(typed).unwrap_or_default());
                let sender = self.sender(&text, dialect);
                What::Prompt { text, sender }
            }
            Hook::SubagentStart => {
                What::SubagentStart { agent_id: agent_id(), agent_type: agent_type() }
            }
            Hook::SubagentStop => What::SubagentStop {
                agent_id: agent_id(),
                agent_type: agent_type(),
                stop_hook_active: fields::flag(self.get("stop_hook_active")),
            },
            Hook::Stop => What::Stop(Stop {
                stop_hook_active: fields::flag(self.get("stop_hook_active")),
                background: self.get("background_tasks").and_then(|tasks| {
                    let mut running = fields::background(tasks)?;
                    for task in &mut running {
                        task.agent_type = dialect.agent_type(std::mem::take(&mut task.agent_type));
                    }
                    Some(running)
                }),
                scheduled: self.get("session_crons").and_then(fields::scheduled),
            }),
            Hook::TaskCompleted => What::TaskCompleted {
                task_id: fields::id(self.get("task_id")).unwrap_or_default(),
                subject: fields::text(self.get("task_subject")).unwrap_or_default(),
            },
            Hook::SessionEnd => {
                What::SessionEnd { reason: fields::text(self.get("reason")).unwrap_or_default() }
            }
        };
        vec![what]
    }

    /// Attributes events to the reviewer if the client does not: the call that starts the reviewer
    /// is its start and its end, and only the reviewer uses the tool of its own server.
    fn tell_of_reviewer(&self, server: &str, events: &mut Vec<Event<'a>>) {
        let is_own = self.get("mcp_context").and_then(mcp_name).is_some_and(|name| {
            name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__"))
                == Some((server, DECIDE))
        });
        let Some(Event { origin, what }) = events.first_mut() else { return };
        if is_own {
            origin.agent_id = Some(AT_WORK.to_owned());
        }
        let agent_type = REVIEWER.to_owned();
        let more = match what {
            What::PreToolUse(call) if call.launches() == Some(REVIEWER) => {
                let mut began = fields::short(self.get("timestamp"), MAX_ID).unwrap_or_default();
                began.retain(|c| c.is_ascii_alphanumeric());
                What::SubagentStart { agent_id: format!("reviewer-{began}"), agent_type }
            }
            What::PostToolUse { call, .. } if call.launches() == Some(REVIEWER) => {
                let agent_id = AT_WORK.to_owned();
                What::SubagentStop { agent_id, agent_type, stop_hook_active: false }
            }
            _ => return,
        };
        let origin = origin.clone();
        events.push(Event { origin, what: more });
    }

    fn calls(&self, dialect: &'static Dialect) -> Vec<ToolCall<'a>> {
        let json = self.get("tool_input").map_or("{}", RawValue::get);
        let mut name = fields::name(self.get("tool_name"));
        if name.is_empty() {
            // The name of the event says what is done: `pre_run_command`.
            let event = fields::short(self.get("hook_event_name"), MAX_ID).unwrap_or_default();
            dialect.tool_of_event(&event).clone_into(&mut name);
        }
        if let Some(named) = self.get("mcp_context").and_then(mcp_name) {
            name = named;
        }
        let id = fields::id(self.get("tool_use_id")).or_else(|| {
            // The input is the same before and after the call.
            let who = fields::id(self.get("agent_id")).unwrap_or_default();
            let digest = || bounded::sha256(format!("{who} {name} {json}").as_bytes());
            (!dialect.can(Capability::NameCalls)).then(|| format!("{MADE_UP}{}", &digest()[..16]))
        });
        dialect.calls_of(&name, json, id.as_deref())
    }

    fn start_source(&self) -> Source {
        match fields::text(self.get("source")).unwrap_or_default().as_str() {
            "startup" | "new" => Source::Startup,
            "resume" => Source::Resume,
            "clear" => Source::Clear,
            "compact" => Source::Compact,
            "fork" => Source::Fork,
            _ => Source::Other,
        }
    }

    /// If the source is not given, it counts as the user.
    fn sender(&self, prompt: &str, dialect: &Dialect) -> Sender {
        let by_user = match fields::text(self.get("source")) {
            Some(source) => source == "user" || source == "sdk",
            None => true,
        };
        let is_hold = dialect.sends_holds_as_prompts && prompt.starts_with(HOLD);
        let is_from_client = CLIENT_PROMPTS.iter().any(|opening| prompt.starts_with(opening));
        // A subagent's prompt comes from its launch.
        let is_from_client = is_from_client || self.get("agent_id").is_some();
        if by_user && !is_from_client && !is_hold { Sender::User } else { Sender::Client }
    }
}

/// The tool with which a reviewer decides if its shell calls cannot be distinguished from the
/// agent's.
pub(super) const DECIDE: &str = "decide";

/// The beginning of the reason of a hold, to recognise it when it comes back as a prompt.
pub(super) const HOLD: &str = "roz: ";

/// `mcp__server__tool`, for a client that sends both in addition to the tool's name.
fn mcp_name(context: &RawValue) -> Option<String> {
    let context: Value = serde_json::from_str(context.get()).ok()?;
    let text = |field: &str| context.get(field)?.as_str();
    Some(format!("mcp__{}__{}", text("server_name")?, text("tool_name")?))
}
