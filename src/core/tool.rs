//! Tool calls in one vocabulary for all clients. Each client's folder in `clients` translates its
//! own tools.

use std::path::PathBuf;

/// What gate patterns call the shell of every client: `Bash:git push*`.
pub const SHELL: &str = "Bash";

/// The subagent that reviews: agent `roz` of plugin `roz`.
pub const REVIEWER: &str = "roz:roz";

pub fn is_reviewer_name(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case(REVIEWER)
}

#[derive(Debug, Clone, Default, PartialEq)]
pub enum Tool {
    /// A command line of a POSIX shell.
    Shell { command: String },
    /// A command line that the reader cannot read.
    PowerShell { command: String },
    /// `content` is the whole file, or `None` where the client does not say.
    Write { path: String, content: Option<String> },
    /// `replacements` is `None` where the client does not say.
    Edit { path: String, replacements: Option<Vec<Replacement>> },
    /// Lines are the first and the last that were requested; `None`: the whole file.
    Read { path: String, lines: Option<(u64, u64)> },
    /// Names of files, or lines in files, below a folder.
    Search { path: String },
    /// Starts a subagent; `resumes` are ids of a running one that the call may continue.
    Spawn { agent_type: Option<String>, prompt: String, resumes: Vec<String> },
    /// Several subagents, in a program that the client runs.
    Workflow,
    /// With all names that the call addresses.
    Message { to: Vec<String> },
    /// A prompt that the client sends later, here or on another machine.
    Schedule { prompt: Option<String>, recurring: bool, elsewhere: bool },
    /// A tool of an MCP server, and what the server calls it.
    Mcp { server: String, name: String },
    /// Output of a subagent or a background command, by all ids that the call names.
    TaskOutput { ids: Vec<String> },
    /// A change of the client's own list of tasks.
    TaskList,
    /// A client tool that changes nothing by itself.
    Harmless,
    /// One that may do anything.
    #[default]
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// Empty for a new file.
    pub old: String,
    pub new: String,
    /// Replace every occurrence; otherwise the old text has to occur exactly once.
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

    /// Roz's own server has its own rules.
    pub fn is_of_roz(&self) -> bool {
        matches!(self, Tool::Mcp { server, .. } if server == "roz" || server == "plugin_roz_roz")
    }

    /// According to the input alone.
    pub fn written(&self) -> Option<&str> {
        match self {
            Tool::Write { path, .. } | Tool::Edit { path, .. } => Some(path.as_str()),
            _ => None,
        }
        .filter(|path| !path.is_empty())
    }

    pub fn says_what_it_writes(&self) -> bool {
        matches!(self, Tool::Write { .. } | Tool::Edit { replacements: Some(_), .. })
    }

    /// Command lines and subagents are judged by what they do.
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

/// A tool's answer, as far as the client reports it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolResult {
    pub output: String,
    pub kept_output: Option<PathBuf>,
    pub file: Option<FilePart>,
    pub exit_code: Option<i32>,
    /// It continues in the background.
    pub runs_on: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FilePart {
    pub path: String,
    pub content: String,
    /// (first line from 1, count); `None` where the client does not say, as for a notebook.
    pub lines: Option<(u64, u64)>,
}
