//! What a tool call does, in one vocabulary for the tools of every client. A client's folder in
//! `clients` puts its own tools into these words; gates know no others.

use std::path::PathBuf;

/// What gate patterns call the shell of every client: `Bash:git push*`.
pub const SHELL: &str = "Bash";

/// The subagent that reviews: agent `roz` of plugin `roz`.
pub const REVIEWER: &str = "roz:roz";

/// Whether an agent is called by the name of our reviewer.
pub fn is_reviewer_name(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(REVIEWER)
}

/// A tool, with what a gate may want to know of the call.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Tool {
    /// A command line of a POSIX shell.
    Shell { command: String },
    /// A command line that the reader cannot read.
    PowerShell { command: String },
    /// All that a file is to hold. `content` is `None` where the client does not say.
    Write { path: String, content: Option<String> },
    /// A part of a file. `replacements` is `None` where the client does not say which.
    Edit { path: String, replacements: Option<Vec<Replacement>> },
    /// The content of a file: all of it, or the first and the last line that were asked for.
    Read { path: String, lines: Option<(u64, u64)> },
    /// Names of files, or lines in them, below a folder.
    Search { path: String },
    /// A subagent; `resumes` are the ids of a running one that the call may be for.
    Spawn { agent_type: Option<String>, prompt: String, resumes: Vec<String> },
    /// Several subagents, in a program that the client runs.
    Workflow,
    /// A text for other agents, by all the names that the call addresses.
    Message { to: Vec<String> },
    /// A prompt that the client sends later, here or on another machine.
    Schedule { prompt: Option<String>, recurring: bool, elsewhere: bool },
    /// A tool of an MCP server, and what the server calls it.
    Mcp { server: String, name: String },
    /// What a running subagent or a background command printed, by all the ids that the call names.
    TaskOutput { ids: Vec<String> },
    /// A change of the client's own list of tasks.
    TaskList,
    /// One of the client's that changes nothing by itself.
    Harmless,
    /// One that may do anything.
    #[default]
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Empty: the file is new.
    pub old: String,
    pub new: String,
    /// Wherever the old text is; otherwise it has to be there exactly once.
    pub all: bool,
}

impl Tool {
    pub fn command(&self) -> Option<&str> {
        match self {
            Tool::Shell { command } | Tool::PowerShell { command } => Some(command.as_str()),
            _ => None,
        }
        .filter(|command| !command.is_empty())
    }

    pub fn is_mcp(&self) -> bool {
        matches!(self, Tool::Mcp { .. })
    }

    /// Whether it is a tool of roz's own server: its own rules say who may use it.
    pub fn is_of_roz(&self) -> bool {
        matches!(self, Tool::Mcp { server, .. } if server == "roz" || server == "plugin_roz_roz")
    }

    /// The file that the call writes, by its input alone.
    pub fn written(&self) -> Option<&str> {
        match self {
            Tool::Write { path, .. } | Tool::Edit { path, .. } => Some(path.as_str()),
            _ => None,
        }
        .filter(|path| !path.is_empty())
    }

    /// Whether the call says by itself what it makes of which file.
    pub fn says_what_it_writes(&self) -> bool {
        matches!(self, Tool::Write { .. } | Tool::Edit { replacements: Some(_), .. })
    }

    /// Whether the call changes nothing but by what it starts: a command line, a subagent.
    /// Those are judged by themselves.
    pub fn changes_nothing_itself(&self) -> bool {
        match self {
            Tool::Shell { .. }
            | Tool::PowerShell { .. }
            | Tool::Read { .. }
            | Tool::Search { .. }
            | Tool::Spawn { .. }
            | Tool::Workflow
            | Tool::Message { .. }
            | Tool::TaskOutput { .. }
            | Tool::TaskList
            | Tool::Harmless => true,
            Tool::Schedule { elsewhere, .. } => !elsewhere,
            Tool::Write { .. } | Tool::Edit { .. } | Tool::Mcp { .. } | Tool::Other => false,
        }
    }
}

/// What a tool that ran answered, as far as a client says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    pub output: String,
    /// The file in which the client keeps a longer output, of which `output` is the beginning.
    pub kept_output: Option<PathBuf>,
    pub file: Option<FilePart>,
    pub exit_code: Option<i32>,
    /// It goes on in the background.
    pub runs_on: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilePart {
    pub path: String,
    pub content: String,
    /// The first line, from 1 on, and how many; none where the client does not say, as of a notebook.
    pub lines: Option<(u64, u64)>,
}
