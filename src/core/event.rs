//! What the client can tell us.

mod lines;

use std::{borrow::Cow, cell::OnceCell};

use chrono::TimeDelta;
use serde_json::Value;

use self::lines::command_lines;
use crate::{
    core::{schedule::Scheduled, tool::Tool},
    shell::{self, Reading},
};

/// A call that began longer ago has ended without a word: the client ends a command after ten minutes.
pub const LONGEST_CALL: TimeDelta = TimeDelta::minutes(11);

/// The id under which a program that starts during some call is let through. Which call it was,
/// nobody knows; its approval is used up at the end of one.
pub const STARTED: &str = "started";

/// The id of an agent that is the reviewer at work, where the client does not say which agent acts.
pub const AT_WORK: &str = "the reviewer at work";

/// How the id of a call begins where the client gives none: it is made of the call's input, so the
/// same call has the same id once more.
pub const MADE_UP: &str = "input:";

/// One hook of the client, holding only what some gate reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Event<'a> {
    pub origin: Origin,
    pub what: What<'a>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// Set inside a subagent only.
    pub agent_id: Option<String>,
    pub prompt_id: Option<String>,
    /// The client is in a permission mode in which nobody answers a question.
    pub is_unattended: bool,
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
    /// One that only a newer client knows.
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender {
    User,
    /// The client put it in: a notification, a scheduled prompt.
    Client,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stop {
    pub stop_hook_active: bool,
    /// What still runs in the background; `None` where the client does not say.
    pub background: Option<Vec<Background>>,
    /// What the client will send by itself, all of it; `None` where it does not say.
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
    /// Other names that a gate's pattern may have for it: what a client calls a tool that is known
    /// by its input alone, and the tools that hold the call.
    pub other_names: Vec<String>,
    /// Neither the name nor the input says what it does.
    pub is_unknown: bool,
    /// The input as a value; of a very large one only what gates read.
    pub input: Value,
    /// The input's own JSON text, whole.
    pub json: &'a str,
    pub tool_use_id: Option<String>,
    /// What the command lines in it would run.
    pub readings: Vec<Reading>,
    /// Lines that could not be read to the end.
    pub unread: Vec<String>,
    /// The words of the lines that could not be read.
    raw: Vec<String>,
    /// Made when they are first asked for.
    keys: OnceCell<Vec<String>>,
    /// It is beyond the reader's bounds, so it may run anything.
    is_read_in_part: bool,
}

/// Why a call may run anything, and what can be done about it.
pub const TOO_LONG: &str = "it is too long or too deeply nested; take it apart";

/// The longest line that is read, in bytes: twice what the kernel takes as an argument.
const MAX_LINE: usize = 256 * 1024;
/// Of a line with an error in it, so many words are looked at one by one; a longer one may run
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

    /// Reads the command lines of the call.
    pub fn read(&mut self, options: &shell::Options) {
        let is_read = |line: &Cow<str>| line.len() <= MAX_LINE;
        let lines: Vec<String> =
            self.command_lines().filter(is_read).map(Cow::into_owned).collect();
        self.is_read_in_part |= lines.len() < self.command_lines().count();
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
                self.read_in_part();
            }
            let words = shell::raw_words(text);
            self.raw.extend(words.iter().map(|word| format!("Bash:{word}")));
            self.unread.push(text.to_owned());
        }
        self.readings.push(reading);
    }

    /// The texts that gate patterns are matched against: the tool's name, and `Bash:…` for each
    /// command that it would run. `shell::HOLE` stands for what cannot be known.
    pub fn keys(&self) -> &[String] {
        self.keys.get_or_init(|| {
            let commands = self.readings.iter().flat_map(Reading::keys);
            let raw = self.raw.iter().cloned();
            self.names().cloned().chain(commands).chain(raw).collect()
        })
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.other_names)
    }

    /// The keys among them that were made of lines that could not be read.
    pub(crate) fn raw_keys(&self) -> &[String] {
        &self.raw
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

    /// The command lines that stand in the call itself.
    pub(crate) fn command_lines(&self) -> impl Iterator<Item = Cow<'_, str>> {
        command_lines(&self.tool, &self.input).into_iter()
    }

    pub fn read_in_part(&mut self) {
        self.is_read_in_part = true;
    }

    /// Whether not all that it would run is known.
    pub fn may_run_anything(&self) -> bool {
        self.is_read_in_part
    }

    pub fn launches(&self) -> Option<&str> {
        match &self.tool {
            Tool::Spawn { agent_type, .. } => agent_type.as_deref(),
            _ => None,
        }
    }

    /// The prompt that the call would have the client send later.
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

    /// Puts the reviewer's own id in the place of [`AT_WORK`].
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

    /// Whether the same payload once more may be this event once more. A real second stop of a turn
    /// says that the first was held.
    pub fn may_arrive_twice(&self) -> bool {
        match &self.what {
            What::Stop(stop) => !stop.stop_hook_active,
            What::Prompt { .. } => true,
            _ => false,
        }
    }
}
