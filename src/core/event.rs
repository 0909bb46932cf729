//! The events that a client reports to roz, independent of the client.

mod command_lines;

use std::{borrow::Cow, cell::OnceCell};

use chrono::TimeDelta;
use serde_json::Value;

use self::command_lines::command_lines;
use crate::{
    core::{scheduled_prompts::Scheduled, tool::Tool},
    shell::{self, Reading},
};

/// The client ends a command after ten minutes, so a call that began longer ago has ended
/// unreported.
pub const LONGEST_CALL: TimeDelta = TimeDelta::minutes(11);

/// The id for programs that start during an unknown call. It is used up at the end of any call.
pub const STARTED: &str = "started";

/// The id of the reviewer where the client does not say which agent acts.
pub const AT_WORK: &str = "the reviewer at work";

/// How ids begin that roz makes from a call's input, where the client gives none. The same call
/// gets the same id again.
pub const MADE_UP: &str = "input:";

#[derive(Debug, Clone, PartialEq)]
pub struct Event<'a> {
    pub origin: Origin,
    pub what: What<'a>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    pub agent_id: Option<String>,
    pub prompt_id: Option<String>,
    pub is_unattended: bool,
    /// The model that acts, if the client names it.
    pub model: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum What<'a> {
    SessionStart { source: Source },
    Prompt { text: String, sender: Sender },
    PreToolUse(ToolCall<'a>),
    PostToolUse { call: ToolCall<'a>, succeeded: bool },
    SubagentStart { agent_id: String, agent_type: String },
    SubagentStop { agent_id: String, agent_type: String, stop_hook_active: bool },
    Stop(Stop),
    TaskCompleted { task_id: String, subject: String },
    SessionEnd { reason: String },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    Startup,
    Resume,
    Clear,
    Compact,
    Fork,
    /// An event of a newer client.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    User,
    /// The client inserted it: a notification, a scheduled prompt.
    Client,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stop {
    pub stop_hook_active: bool,
    /// `None` where the client does not say.
    pub background: Option<Vec<Background>>,
    /// All prompts that the client will send by itself; `None` where it does not say.
    pub scheduled: Option<Vec<Scheduled>>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Background {
    pub agent_id: String,
    pub agent_type: String,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolCall<'a> {
    pub name: String,
    pub tool: Tool,
    /// Other names that a gate's pattern may use: what a client calls a tool that is known by its
    /// input alone, and the tools that contain the call.
    pub other_names: Vec<String>,
    /// Neither the name nor the input says what it does.
    pub is_unknown: bool,
    /// Of a very large input, only what gates read.
    pub input: Value,
    pub json: &'a str,
    pub tool_use_id: Option<String>,
    pub readings: Vec<Reading>,
    /// Lines that could not be read to the end.
    pub unread: Vec<String>,
    /// Keys for the words of lines that could not be read.
    pub(crate) raw_keys: Vec<String>,
    keys: OnceCell<Vec<String>>,
    /// Too long or too deeply nested to read, so it may run anything.
    pub may_run_anything: bool,
}

pub const TOO_LONG: &str = "it is too long or too deeply nested; take it apart";

/// The longest line that is read, in bytes: twice what the kernel takes as an argument.
const MAX_LINE: usize = 256 * 1024;
/// A line with a syntax error is read word by word up to this many words; a longer one may run
/// anything.
const MAX_RAW_WORDS: usize = 2000;

impl<'a> ToolCall<'a> {
    pub fn new(
        name: &str,
        tool: Tool,
        input: Value,
        json: &'a str,
        tool_use_id: Option<String>,
    ) -> Self {
        Self { name: name.to_owned(), tool, input, json, tool_use_id, ..Self::default() }
    }

    pub fn read(&mut self, options: &shell::Options) {
        let is_read = |line: &Cow<str>| line.len() <= MAX_LINE;
        let lines: Vec<String> =
            self.command_lines().filter(is_read).map(Cow::into_owned).collect();
        self.may_run_anything |= lines.len() < self.command_lines().count();
        self.read_lines(&lines, options);
    }

    /// Reads lines that the call would run, such as what an alias stands for.
    pub fn read_lines(&mut self, lines: &[String], options: &shell::Options) {
        for line in lines {
            self.add(shell::read_with(line, options), line);
        }
        self.keys = OnceCell::new();
    }

    fn add(&mut self, reading: Reading, text: &str) {
        if let Some(why) = reading.unreadable {
            let words_of_it = text.split_whitespace().take(MAX_RAW_WORDS + 1).count();
            if why.is_bound() || words_of_it > MAX_RAW_WORDS {
                self.may_run_anything = true;
            }
            let words = shell::raw_words(text);
            self.raw_keys.extend(words.iter().map(|word| format!("Bash:{word}")));
            self.unread.push(text.to_owned());
        }
        self.readings.push(reading);
    }

    /// The texts that gate patterns are matched against: the tool's name, and `Bash:…` for each
    /// command that it would run. `shell::HOLE` stands for what cannot be known.
    pub fn keys(&self) -> &[String] {
        self.keys.get_or_init(|| {
            let commands = self.readings.iter().flat_map(Reading::keys);
            let raw = self.raw_keys.iter().cloned();
            self.names().cloned().chain(commands).chain(raw).collect()
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.other_names)
    }

    pub(crate) fn runs(&self) -> impl Iterator<Item = &shell::Run> + Clone {
        self.readings.iter().flat_map(|reading| &reading.runs)
    }

    pub(crate) fn programs(&self) -> impl Iterator<Item = &str> {
        self.runs().map(|run| run.program.as_str())
    }

    pub fn text(&self, field: &str) -> Option<&str> {
        self.input.get(field)?.as_str()
    }

    pub(crate) fn command_lines(&self) -> impl Iterator<Item = Cow<'_, str>> {
        command_lines(&self.tool, &self.input).into_iter()
    }

    pub fn launches(&self) -> Option<&str> {
        match &self.tool {
            Tool::Spawn { agent_type, .. } => agent_type.as_deref(),
            _ => None,
        }
    }

    pub fn schedules(&self) -> Option<Scheduled> {
        match &self.tool {
            Tool::Schedule { prompt: Some(prompt), recurring, .. } => {
                Some(Scheduled { prompt: prompt.clone(), recurring: *recurring })
            }
            _ => None,
        }
    }
}

impl<'a> Event<'a> {
    pub fn call(&self) -> Option<&ToolCall<'a>> {
        match &self.what {
            What::PreToolUse(call) => Some(call),
            _ => None,
        }
    }

    pub fn name_reviewer(&mut self, reviewer: Option<&str>) {
        let Some(reviewer) = reviewer else { return };
        let ended = match &mut self.what {
            What::SubagentStop { agent_id, .. } => Some(agent_id),
            _ => None,
        };
        for id in [self.origin.agent_id.as_mut(), ended].into_iter().flatten() {
            if id == AT_WORK {
                reviewer.clone_into(id);
            }
        }
    }

    /// Whether the same payload may be sent twice for one event. A second real stop of a turn says
    /// that the first was blocked.
    pub fn may_arrive_twice(&self) -> bool {
        match &self.what {
            What::Stop(stop) => !stop.stop_hook_active,
            What::Prompt { .. } => true,
            _ => false,
        }
    }
}
