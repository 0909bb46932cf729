//! A client as a table: its names for events, fields and tools, and the few functions in which it
//! differs from the others.

use serde_json::{Map, Value, json, value::RawValue};

use super::{
    Capability, Client, Hook,
    claude::{self, nested_calls},
    envelope::{self, DECIDE, HOLD, Payload},
    fields,
    message::{Decision, Error, Input, MAX_TEXT, Printed, Reply},
    setup::{File, Setup},
    tool_result,
};
use crate::core::{
    bounded,
    event::ToolCall,
    outcome::Rewrite,
    tool::{REVIEWER, Tool, ToolResult},
};

#[derive(Debug)]
pub(super) struct Dialect {
    pub(super) name: &'static str,
    /// Its official name.
    pub(super) title: &'static str,
    pub(super) capabilities: &'static [Capability],
    pub(super) stop_brake: Option<u32>,
    /// Its own names for events, with the tool if the event is about a single tool.
    pub(super) events: &'static [(&'static str, Hook, &'static str)],
    /// Its own names for fields, and Claude Code's.
    pub(super) fields: &'static [(&'static str, &'static str)],
    /// Its own names for tools, Claude Code's (empty if the tool is harmless), and the same for the
    /// fields of its input.
    pub(super) tools: &'static [Row],
    /// The events that are registered, in the order in which they occur in a session.
    pub(super) registered: &'static [Hook],
    pub(super) recorded: &'static [(Hook, &'static str)],
    /// How roz is installed for it; `None` if that was never tested.
    pub(super) setup: Option<Setup>,
    /// The name of the reviewer in this client.
    pub(super) reviewer: &'static str,
    /// The server of the reviewer's own tool, if nothing else shows that a call comes from the
    /// reviewer.
    pub(super) reviewer_server: Option<&'static str>,
    /// The files and folders of a project in which an agent of its name replaces it.
    pub(super) project_reviewers: &'static [&'static str],
    /// Words in texts for the agent, and their replacements for this client.
    pub(super) words: &'static [(&'static str, &'static str)],
    /// The events at which it accepts context.
    pub(super) context: &'static [Hook],
    /// The fields of a launch that are kept, by the client's names; `None` if launches are not
    /// changed.
    pub(super) kept_at_launch: Option<&'static [&'static str]>,
    /// Whether it sends the reason of a hold back as a prompt.
    pub(super) sends_holds_as_prompts: bool,
    pub(super) is_for_us: fn(&Payload, Hook) -> bool,
    /// The name `mcp__server__tool` for a tool that is not in the table.
    pub(super) mcp: fn(&str) -> Option<String>,
    /// Whether an answer says that its call failed.
    pub(super) failed: fn(&RawValue) -> bool,
    pub(super) result: fn(&ToolCall, Option<&RawValue>) -> ToolResult,
    /// The exit code of a call, if this line of the transcript contains it.
    pub(super) recorded_exit_code: fn(&str, &str) -> Option<i32>,
    pub(super) render: fn(Reply, Hook) -> Printed,
}

pub(super) type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// The events at which clients like Claude Code accept context.
pub(super) const CONTEXT: &[Hook] = &[
    Hook::SessionStart,
    Hook::UserPrompt,
    Hook::PreToolUse,
    Hook::PostToolUse,
    Hook::PostToolUseFailure,
    Hook::SubagentStart,
];

impl Dialect {
    /// A client with Claude Code's envelope and answers, and no known differences except its tools.
    pub(super) const LIKE_CLAUDE: Self = Self {
        name: "",
        title: "",
        capabilities: &[],
        stop_brake: None,
        events: &[],
        fields: &[],
        tools: &[],
        registered: &[
            Hook::SessionStart,
            Hook::UserPrompt,
            Hook::PreToolUse,
            Hook::PostToolUse,
            Hook::PostToolUseFailure,
            Hook::SubagentStart,
            Hook::SubagentStop,
            Hook::Stop,
            Hook::SessionEnd,
        ],
        recorded: &[],
        setup: None,
        reviewer: "roz",
        reviewer_server: None,
        project_reviewers: &[],
        words: &[],
        context: CONTEXT,
        kept_at_launch: None,
        sends_holds_as_prompts: false,
        is_for_us: |_, _| true,
        mcp: |_| None,
        failed: tool_result::failed,
        result: tool_result::result,
        recorded_exit_code: |_, _| None,
        render: claude::render,
    };

    /// The event with that name, either the client's or ours.
    pub(super) fn hook(&self, name: &str) -> Option<Hook> {
        let own = self.events.iter().find(|(own, ..)| *own == name);
        own.map(|(_, hook, _)| *hook).or_else(|| Hook::find(name))
    }

    /// Its name for an event.
    pub(super) fn own_event(&self, hook: Hook) -> &'static str {
        let own = self.events.iter().find(|(_, item, _)| *item == hook);
        own.map_or(hook.name(), |(own, ..)| *own)
    }

    pub(super) fn tool_of_event(&self, event: &str) -> &'static str {
        let own = self.events.iter().find(|(own, ..)| *own == event);
        own.map_or("", |(_, _, tool)| *tool)
    }

    /// The type of a subagent for the gates.
    pub(super) fn agent_type(&self, named: String) -> String {
        if named == self.reviewer { REVIEWER.to_owned() } else { named }
    }

    /// The calls in a call, with Claude Code's names: itself, unless it contains others.
    pub(super) fn calls_of<'a>(
        &self,
        name: &str,
        json: &'a str,
        id: Option<&str>,
    ) -> Vec<ToolCall<'a>> {
        let mut input = fields::value(json);
        let row = self.tools.iter().find(|(own, ..)| *own == name);
        let mut tool = name.to_owned();
        if let Some((_, ours, names)) = row {
            if ours.is_empty() {
                let id = id.map(str::to_owned);
                return vec![ToolCall::new(name, Tool::Harmless, input, json, id)];
            }
            (*ours).clone_into(&mut tool);
            rename(&mut input, names);
        } else if !name.starts_with("mcp__")
            && !claude::tools::known().any(|known| known == name)
            && let Some(of_server) = (self.mcp)(name)
        {
            tool = of_server;
        }
        if let Some(server) = self.reviewer_server
            && tool == format!("mcp__{server}__{DECIDE}")
        {
            "Bash".clone_into(&mut tool);
            input = decision(&input);
        }
        // If the input is a patch, the tool's name does not matter.
        let is_patch = input.is_string();
        if is_patch {
            "apply_patch".clone_into(&mut tool);
        }
        match tool.as_str() {
            "Bash" => enter_folder(&mut input),
            "Agent" => {
                if let Some(Value::String(named)) = input.get_mut("subagent_type") {
                    *named = self.agent_type(std::mem::take(named));
                }
            }
            _ => (),
        }
        let mut calls = nested_calls::calls_in(&tool, input, json, id);
        for call in &mut calls {
            let mut names = vec![name];
            if call.name == "apply_patch" {
                names.extend(["Edit", "Write"]);
            }
            names.retain(|name| !call.names().any(|known| known == name) && !name.is_empty());
            call.other_names.extend(names.into_iter().map(str::to_owned));
        }
        calls
    }

    /// The text with the client's words.
    fn said(&self, text: &str) -> String {
        let said =
            self.words.iter().fold(text.to_owned(), |said, (ours, own)| said.replace(ours, own));
        let said =
            if self.reviewer == REVIEWER { said } else { said.replace(REVIEWER, self.reviewer) };
        bounded::chars(&said, MAX_TEXT)
    }

    /// A prompt without the context from the session's start, if the client puts that before it.
    pub(super) fn without_context(&self, prompt: String) -> String {
        let typed = prompt
            .strip_prefix("<hook_context>")
            .and_then(|told| told.rsplit_once("</hook_context>"));
        match typed {
            Some((_, typed)) if self.sends_holds_as_prompts => typed.trim_start().to_owned(),
            _ => prompt,
        }
    }

    /// The reason of an objection, which must not be blank because a client may ignore it then.
    fn reason(&self, text: &str, hook: Hook) -> String {
        let said = self.said(text);
        let begin = match hook {
            Hook::Stop if self.sends_holds_as_prompts && !said.starts_with(HOLD) => HOLD,
            _ if said.trim().is_empty() => "roz objects",
            _ => "",
        };
        format!("{begin}{said}")
    }
}

/// A call of the reviewer's own tool as the equivalent command.
fn decision(input: &Value) -> Value {
    let words = ["session", "verdict", "summary"].map(|field| {
        let word = input.get(field).and_then(Value::as_str).unwrap_or_default();
        format!("'{}'", word.replace('\'', r"'\''"))
    });
    json!({ "command": format!("roz decide {}", words.join(" ")) })
}

fn rename(input: &mut Value, names: &[(&str, &str)]) {
    let Some(fields) = input.as_object_mut() else { return };
    for (own, ours) in names {
        if let Some(value) = fields.remove(*own) {
            fields.insert((*ours).to_owned(), value);
        }
    }
}

/// Turns a command with a folder into a line that changes to that folder first.
fn enter_folder(input: &mut Value) {
    let text = |field: &str| input.get(field)?.as_str();
    let (Some(folder), Some(command)) = (text("workdir"), text("command")) else { return };
    if !folder.is_empty() {
        let folder = folder.replace('\'', r"'\''");
        input["command"] = format!("cd '{folder}' && {command}").into();
    }
}

impl Client for Dialect {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn capabilities(&self) -> &'static [Capability] {
        self.capabilities
    }

    fn stop_brake(&self) -> Option<u32> {
        self.stop_brake
    }

    fn setup(&self) -> Option<&Setup> {
        self.setup.as_ref()
    }

    fn recorded(&self) -> &'static [(Hook, &'static str)] {
        self.recorded
    }

    fn files(&self, binary: &str) -> Vec<File> {
        self.setup.as_ref().map(|setup| setup.files(self, binary)).unwrap_or_default()
    }

    fn parse<'a>(&'static self, word: &str, payload: &'a str) -> Result<Input<'a>, Error> {
        envelope::parse(self, word, payload)
    }

    fn calls<'a>(&self, tool: &str, json: &'a str) -> Vec<ToolCall<'a>> {
        self.calls_of(tool, json, None)
    }

    fn tools(&self) -> Vec<&'static str> {
        let own = self.tools.iter().map(|(own, ..)| *own);
        own.chain(claude::tools::known()).collect()
    }

    fn result(&self, call: &ToolCall, answer: Option<&RawValue>) -> ToolResult {
        (self.result)(call, answer)
    }

    fn launch_input(&self, call: &ToolCall, rewrite: &Rewrite, prompt: &str) -> Option<Value> {
        let kept = self.kept_at_launch?;
        if self.reviewer == REVIEWER {
            return claude::tools::launch_input(call, rewrite, prompt);
        }
        let names = self.tools.iter().find(|(own, ..)| call.names().any(|name| name == own))?.2;
        let own = |ours: &'static str| {
            names.iter().find(|(_, name)| *name == ours).map_or(ours, |(own, _)| *own)
        };
        let given: Map<String, Value> = serde_json::from_str(call.json).ok()?;
        let kept = given.into_iter().filter(|(name, _)| kept.contains(&name.as_str()));
        let mut input: Value = kept.collect();
        bounded::shorten(&mut input, claude::tools::MAX_FIELD);
        input[own("subagent_type")] = self.reviewer.into();
        input[own("prompt")] = prompt.into();
        Some(input)
    }

    fn project_reviewers(&self) -> &'static [&'static str] {
        self.project_reviewers
    }

    fn recorded_exit_code(&self, line: &str, tool_use_id: &str) -> Option<i32> {
        (self.recorded_exit_code)(line, tool_use_id)
    }

    fn render(&self, mut reply: Reply, hook: Hook) -> Printed {
        reply.decision = match reply.decision {
            Decision::Object(reason) => Decision::Object(self.reason(&reason, hook)),
            Decision::Ask(reason) => Decision::Ask(self.reason(&reason, hook)),
            Decision::None => Decision::None,
        };
        let takes_context = self.context.contains(&hook);
        reply.context = if takes_context { self.said(&reply.context) } else { String::new() };
        reply.message = bounded::chars(&reply.message, MAX_TEXT);
        (self.render)(reply, hook)
    }
}
