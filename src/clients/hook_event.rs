//! The events at which a client starts `roz hook`.

/// An event that reaches the gates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    SessionStart,
    UserPrompt,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    SubagentStart,
    SubagentStop,
    Stop,
    TaskCompleted,
    SessionEnd,
}

impl Hook {
    pub const ALL: [Hook; 10] = [
        Hook::SessionStart,
        Hook::UserPrompt,
        Hook::PreToolUse,
        Hook::PostToolUse,
        Hook::PostToolUseFailure,
        Hook::SubagentStart,
        Hook::SubagentStop,
        Hook::Stop,
        Hook::TaskCompleted,
        Hook::SessionEnd,
    ];

    /// Its name in Claude Code and in roz's own files.
    pub fn name(self) -> &'static str {
        match self {
            Hook::SessionStart => "SessionStart",
            Hook::UserPrompt => "UserPromptSubmit",
            Hook::PreToolUse => "PreToolUse",
            Hook::PostToolUse => "PostToolUse",
            Hook::PostToolUseFailure => "PostToolUseFailure",
            Hook::SubagentStart => "SubagentStart",
            Hook::SubagentStop => "SubagentStop",
            Hook::Stop => "Stop",
            Hook::TaskCompleted => "TaskCompleted",
            Hook::SessionEnd => "SessionEnd",
        }
    }

    /// Its name in `roz hook …`.
    pub fn word(self) -> &'static str {
        match self {
            Hook::SessionStart => "session-start",
            Hook::UserPrompt => "user-prompt",
            Hook::PreToolUse => "pre-tool-use",
            Hook::PostToolUse => "post-tool-use",
            Hook::PostToolUseFailure => "post-tool-use-failure",
            Hook::SubagentStart => "subagent-start",
            Hook::SubagentStop => "subagent-stop",
            Hook::Stop => "stop",
            Hook::TaskCompleted => "task-completed",
            Hook::SessionEnd => "session-end",
        }
    }

    /// The hook with that name, either ours or the client's.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hook| hook.word() == name || hook.name() == name)
    }
}
