//! The client's events and the JSON in and out. Nobody else knows the format.
//!
//! What comes in is read leniently, field by field: a field of the wrong type
//! counts as absent, so that no oddity in one of them can take a gate's eyes
//! off the rest. What goes out is exact: the client throws a reply away that
//! its schema does not know.

use std::{borrow::Cow, path::PathBuf};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{json, value::RawValue};

use super::{ClaudeCode, held_calls};
use crate::{
    clients::{
        Hook, fields,
        message::{Decision, Error, Input, MAX_TEXT, Printed, Reply},
    },
    core::{
        bounded,
        event::{Event, Origin, Sender, Source, Stop, ToolCall, What},
        session::SessionId,
    },
};

/// No path is longer than this, in bytes (Linux's `PATH_MAX`).
const MAX_PATH: usize = 4096;

/// How a hook lets us object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    /// `permissionDecision`, before a tool runs.
    Permission,
    /// A `block` at the top level.
    Decision,
    /// Exit code 2, and the reason on stderr.
    ExitCode,
    /// It does not.
    None,
}

fn channel(hook: Hook) -> Channel {
    match hook {
        Hook::PreToolUse => Channel::Permission,
        Hook::UserPrompt | Hook::PostToolUse | Hook::Stop | Hook::SubagentStop => Channel::Decision,
        Hook::TaskCompleted => Channel::ExitCode,
        Hook::SessionStart | Hook::PostToolUseFailure | Hook::SubagentStart | Hook::SessionEnd => {
            Channel::None
        }
    }
}

/// Whether the client takes `hookSpecificOutput.additionalContext` here.
fn takes_context(hook: Hook) -> bool {
    match hook {
        Hook::SessionStart
        | Hook::UserPrompt
        | Hook::PreToolUse
        | Hook::PostToolUse
        | Hook::PostToolUseFailure
        | Hook::SubagentStart => true,
        Hook::SubagentStop | Hook::Stop | Hook::TaskCompleted | Hook::SessionEnd => false,
    }
}

/// Events of the client, of all versions we know, that no gate asks for.
const OTHERS: &[&str] = &[
    "PostToolBatch",
    "Notification",
    "UserPromptExpansion",
    "StopFailure",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionRequest",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

/// Permission modes in which a question waits for ever, or is answered by nobody.
const UNATTENDED: &[&str] = &["bypassPermissions", "dontAsk"];

/// The payload's fields, unread: only what an event needs is looked into. Of a
/// field that is there twice the last one counts, as it does for the client.
#[derive(Debug, Default)]
struct Payload<'a> {
    hook_event_name: Option<&'a RawValue>,
    session_id: Option<&'a RawValue>,
    cwd: Option<&'a RawValue>,
    transcript_path: Option<&'a RawValue>,
    prompt_id: Option<&'a RawValue>,
    permission_mode: Option<&'a RawValue>,
    agent_id: Option<&'a RawValue>,
    agent_type: Option<&'a RawValue>,
    source: Option<&'a RawValue>,
    prompt: Option<&'a RawValue>,
    tool_name: Option<&'a RawValue>,
    tool_use_id: Option<&'a RawValue>,
    tool_input: Option<&'a RawValue>,
    tool_response: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    scratchpad_dir: Option<&'a RawValue>,
    stop_hook_active: Option<&'a RawValue>,
    background_tasks: Option<&'a RawValue>,
    session_crons: Option<&'a RawValue>,
    reason: Option<&'a RawValue>,
    task_id: Option<&'a RawValue>,
    task_subject: Option<&'a RawValue>,
    /// Older names, from the design documents.
    subagent_type: Option<&'a RawValue>,
    subagent_prompt: Option<&'a RawValue>,
}

impl<'a> Payload<'a> {
    fn slot(&mut self, name: &str) -> Option<&mut Option<&'a RawValue>> {
        Some(match name {
            "hook_event_name" => &mut self.hook_event_name,
            "session_id" => &mut self.session_id,
            "cwd" => &mut self.cwd,
            "transcript_path" => &mut self.transcript_path,
            "prompt_id" => &mut self.prompt_id,
            "permission_mode" => &mut self.permission_mode,
            "agent_id" => &mut self.agent_id,
            "agent_type" => &mut self.agent_type,
            "source" => &mut self.source,
            "prompt" => &mut self.prompt,
            "tool_name" => &mut self.tool_name,
            "tool_use_id" => &mut self.tool_use_id,
            "tool_input" => &mut self.tool_input,
            "tool_response" => &mut self.tool_response,
            "error" => &mut self.error,
            "scratchpad_dir" => &mut self.scratchpad_dir,
            "stop_hook_active" => &mut self.stop_hook_active,
            "background_tasks" => &mut self.background_tasks,
            "session_crons" => &mut self.session_crons,
            "reason" => &mut self.reason,
            "task_id" => &mut self.task_id,
            "task_subject" => &mut self.task_subject,
            "subagent_type" => &mut self.subagent_type,
            "subagent_prompt" => &mut self.subagent_prompt,
            _ => return None,
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Payload<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;

        impl<'de> Visitor<'de> for Fields {
            type Value = Payload<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Payload<'de>, A::Error> {
                let mut payload = Payload::default();
                while let Some(name) = map.next_key::<Name>()? {
                    let value: &'de RawValue = map.next_value()?;
                    if let Some(slot) = payload.slot(&name.0)
                        && value.get() != "null"
                    {
                        *slot = Some(value);
                    }
                }
                Ok(payload)
            }
        }

        deserializer.deserialize_map(Fields)
    }
}

/// A key, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// The longest name that is taken for one, in bytes.
const MAX_ID: usize = 256;

/// Reads a payload. `word` is the command line's, for payloads that do not
/// name their event.
pub(super) fn parse<'a>(word: &str, text: &'a str) -> Result<Input<'a>, Error> {
    let text = text.trim_start_matches('\u{feff}').trim();
    let payload: Payload = serde_json::from_str(text).map_err(Error::Malformed)?;
    let mut warnings = Vec::new();
    let named = fields::short(payload.hook_event_name, MAX_ID).filter(|it| !it.is_empty());
    let hook = match (named.as_deref(), Hook::find(word)) {
        (None, Some(hook)) => hook,
        (None, None) => return Err(unknown(word)),
        (Some(name), on_command_line) => {
            let hook = Hook::find(name).ok_or_else(|| unknown(name))?;
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
    let session_id = fields::text(payload.session_id).ok_or(Error::NoSession)?;
    let session_id = SessionId::try_from(session_id)?;
    let mode = fields::short(payload.permission_mode, MAX_ID).unwrap_or_default();
    let origin = Origin {
        agent_id: fields::id(payload.agent_id),
        prompt_id: fields::id(payload.prompt_id),
        is_unattended: UNATTENDED.contains(&mode.as_str()),
    };
    let mut events =
        payload.whats(hook).into_iter().map(|what| Event { origin: origin.clone(), what });
    let event = events.next().expect("a call holds itself where it holds no others");
    Ok(Input {
        client: &ClaudeCode,
        hook,
        payload: text,
        session_id,
        cwd: fields::short(payload.cwd, MAX_PATH).map(PathBuf::from).filter(|it| it.is_absolute()),
        transcript_path: fields::short(payload.transcript_path, MAX_PATH).map(PathBuf::from),
        event,
        more: events.collect(),
        answer: payload.tool_response.or(payload.error),
        scratchpad: fields::short(payload.scratchpad_dir, MAX_PATH)
            .map(PathBuf::from)
            .filter(|it| it.is_absolute()),
        warnings,
    })
}

fn unknown(name: &str) -> Error {
    if OTHERS.contains(&name) {
        return Error::NotForUs;
    }
    Error::UnknownEvent(bounded::line(name, 60))
}

/// How prompts begin that the client sends by itself: the end of a background task, the report of a
/// subagent in auto mode, the messages of teammates and of other sessions.
const CLIENT_PROMPTS: &[&str] =
    &["<task-notification>", "<agent-message", "<teammate-message", "<cross-session-message"];

impl<'a> Payload<'a> {
    /// What the event says: one thing for each call that a tool call holds.
    fn whats(&self, hook: Hook) -> Vec<What<'a>> {
        let ran = |succeeded| {
            let calls = self.calls().into_iter();
            calls.map(|call| What::PostToolUse { call, succeeded }).collect()
        };
        let agent_id = || fields::id(self.agent_id).unwrap_or_default();
        let agent_type =
            || fields::short(self.agent_type.or(self.subagent_type), MAX_ID).unwrap_or_default();
        let what = match hook {
            Hook::PreToolUse => return self.calls().into_iter().map(What::PreToolUse).collect(),
            Hook::PostToolUse => {
                return ran(!self.tool_response.is_some_and(fields::says_it_failed));
            }
            Hook::PostToolUseFailure => return ran(false),
            Hook::SessionStart => What::SessionStart { source: self.start_source() },
            Hook::UserPrompt => {
                let text = fields::text(self.prompt.or(self.subagent_prompt)).unwrap_or_default();
                let sender = self.sender(&text);
                What::Prompt { text, sender }
            }
            Hook::SubagentStart => {
                What::SubagentStart { agent_id: agent_id(), agent_type: agent_type() }
            }
            Hook::SubagentStop => What::SubagentStop {
                agent_id: agent_id(),
                agent_type: agent_type(),
                stop_hook_active: fields::flag(self.stop_hook_active),
            },
            Hook::Stop => What::Stop(Stop {
                stop_hook_active: fields::flag(self.stop_hook_active),
                background: self.background_tasks.and_then(fields::background),
                scheduled: self.session_crons.and_then(fields::scheduled),
            }),
            Hook::TaskCompleted => What::TaskCompleted {
                task_id: fields::id(self.task_id).unwrap_or_default(),
                subject: fields::text(self.task_subject).unwrap_or_default(),
            },
            Hook::SessionEnd => {
                What::SessionEnd { reason: fields::text(self.reason).unwrap_or_default() }
            }
        };
        vec![what]
    }

    fn calls(&self) -> Vec<ToolCall<'a>> {
        let json = self.tool_input.map_or("{}", RawValue::get);
        let id = fields::id(self.tool_use_id);
        held_calls::calls_of(&fields::name(self.tool_name), json, id.as_deref())
    }

    fn start_source(&self) -> Source {
        match fields::text(self.source).unwrap_or_default().as_str() {
            "startup" => Source::Startup,
            "resume" => Source::Resume,
            "clear" => Source::Clear,
            "compact" => Source::Compact,
            "fork" => Source::Fork,
            _ => Source::Other,
        }
    }

    /// A source that is not named counts as the user.
    fn sender(&self, prompt: &str) -> Sender {
        let by_user = match fields::text(self.source) {
            Some(source) => source == "user" || source == "sdk",
            None => true,
        };
        let is_from_client = CLIENT_PROMPTS.iter().any(|opening| prompt.starts_with(opening));
        if by_user && !is_from_client { Sender::User } else { Sender::Client }
    }
}

/// The JSON for stdout; what this hook cannot say is left out. An explicit `allow` is never said: it
/// would skip the user's own permission prompt.
pub(super) fn render(said: Reply, hook: Hook) -> Printed {
    let cut = |text: &str| bounded::chars(text, MAX_TEXT);
    let mut reply = json!({});
    let mut specific = json!({});
    match (channel(hook), &said.decision) {
        (Channel::Permission, Decision::Ask(reason)) => {
            specific["permissionDecision"] = "ask".into();
            specific["permissionDecisionReason"] = cut(reason).into();
        }
        (Channel::Permission, Decision::Object(reason)) => {
            specific["permissionDecision"] = "deny".into();
            specific["permissionDecisionReason"] = cut(reason).into();
        }
        (Channel::Decision, Decision::Object(reason)) => {
            reply["decision"] = "block".into();
            reply["reason"] = cut(reason).into();
        }
        (Channel::ExitCode | Channel::None, _)
        | (Channel::Decision, Decision::Ask(_))
        | (_, Decision::None) => (),
    }
    if !said.context.is_empty() && takes_context(hook) {
        specific["additionalContext"] = cut(&said.context).into();
    }
    if let Some(input) = said.updated_input
        && channel(hook) == Channel::Permission
        && said.decision == Decision::None
    {
        specific["updatedInput"] = input;
    }
    if specific.as_object().is_some_and(|it| !it.is_empty()) {
        specific["hookEventName"] = hook.name().into();
        reply["hookSpecificOutput"] = specific;
    }
    if !said.message.is_empty() {
        reply["systemMessage"] = cut(&said.message).into();
    }
    let refusal = match said.decision {
        Decision::Object(reason) if channel(hook) == Channel::ExitCode => Some(reason),
        _ => None,
    };
    Printed { stdout: reply, refusal }
}
