//! Names the supported agents and says which of their files, programs and environment variables are
//! protected. All agents are protected from each other: one agent could start another, or change
//! its instructions.

use std::path::{Path, PathBuf};

use super::{name_words::is_one, session_id::RUN};

struct Agent {
    /// In a project and in the user's home.
    folder: &'static str,
    /// The variable that moves the user's folder out of the home directory; empty if there is none.
    config_dir: &'static str,
    settings: &'static [&'static str],
    /// Path endings of what roz installs there: the reviewer, and hooks of its own.
    own: &'static [&'static str],
}

const ALL: &[Agent] = &[
    Agent {
        folder: ".claude",
        config_dir: "CLAUDE_CONFIG_DIR",
        settings: &["settings.json", "settings.local.json"],
        own: &[],
    },
    Agent {
        folder: ".codex",
        config_dir: "CODEX_HOME",
        settings: &["config.toml", "hooks.json"],
        own: &[".codex/agents/roz.toml"],
    },
    Agent {
        folder: ".copilot",
        config_dir: "",
        settings: &["settings.json", "config.json"],
        own: &[
            ".copilot/hooks/roz.json",
            ".copilot/agents/roz.agent.md",
            ".github/agents/roz.agent.md",
        ],
    },
    Agent {
        folder: ".qwen",
        config_dir: "",
        settings: &["settings.json"],
        own: &[".qwen/agents/roz.md"],
    },
    Agent {
        folder: ".gemini",
        config_dir: "",
        settings: &["settings.json"],
        own: &[".gemini/agents/roz.md"],
    },
    Agent {
        folder: ".opencode",
        config_dir: "",
        settings: &["opencode.json", "opencode.jsonc"],
        own: &[
            "opencode/plugins/roz.js",
            "opencode/agents/roz.md",
            ".opencode/plugin/roz.js",
            ".opencode/agent/roz.md",
        ],
    },
];

/// Settings in a project's root that an agent reads beside those in its folder.
const ROOT_SETTINGS: [&str; 2] = ["opencode.json", "opencode.jsonc"];

/// Folders of a project whose agents are started instead of one of the same name in the user's home.
const OVERRIDING: [&str; 4] =
    [".codex/agents", ".qwen/agents", ".opencode/agent", ".opencode/agents"];

/// Settings that administrators install for the whole machine.
pub const MANAGED: [&str; 4] = [
    "/etc/claude-code",
    "/Library/Application Support/ClaudeCode",
    "/etc/codex",
    "/etc/github-copilot",
];

/// Programs of agents that roz hooks into. Other agents' programs may be started: a reviewer asks
/// them for second opinions.
const PROGRAMS: [&str; 2] = ["claude", "claude-code"];

/// Variables that make an agent read other settings, or turn its hooks off.
const VARIABLES: &str = "CLAUDE_CONFIG_DIR CLAUDE_CODE_STOP_HOOK_BLOCK_CAP CLAUDE_CODE_SIMPLE \
                         CODEX_HOME QWEN_CODE_STOP_HOOK_BLOCK_CAP";

/// The session's id in an agent's shell. Claude Code's comes last: an agent that it started for a
/// second opinion has that variable, too.
const SESSION_IDS: [&str; 4] = [
    "QWEN_CODE_SESSION_ID",
    "COPILOT_AGENT_SESSION_ID",
    "CODEX_SESSION_ID",
    "CLAUDE_CODE_SESSION_ID",
];

/// The variable with the folder that an agent was started in.
pub const PROJECT_DIR: &str = "CLAUDE_PROJECT_DIR";
/// The variable with the folder of the plugin whose hook runs.
pub const PLUGIN_ROOT: &str = "CLAUDE_PLUGIN_ROOT";
/// The variable with the file whose lines set up an agent's shells.
pub const SHELL_SETUP: &str = "CLAUDE_ENV_FILE";

pub fn folders() -> impl Iterator<Item = &'static str> + Clone {
    ALL.iter().map(|agent| agent.folder)
}

pub fn is_folder(name: &str) -> bool {
    folders().any(|folder| folder == name)
}

pub type Var<'f, 'v> = &'f dyn Fn(&str) -> Option<&'v str>;

pub fn config_dirs(var: Var, home: Option<&Path>) -> Vec<PathBuf> {
    let dir = |agent: &Agent| {
        let named = var(agent.config_dir).map(PathBuf::from);
        named.or_else(|| Some(home?.join(agent.folder)))
    };
    ALL.iter().filter_map(dir).collect()
}

/// The settings files in the agents' folders of the user, and what roz installs next to them.
pub fn user_files(var: Var, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (agent, dir) in ALL.iter().zip(config_dirs(var, home)) {
        found.extend(agent.settings.iter().map(|name| dir.join(name)));
        let own = agent.own.iter().filter_map(|path| path.strip_prefix(agent.folder));
        found.extend(own.map(|rest| dir.join(rest.trim_start_matches('/'))));
    }
    found
}

pub fn session_id<'v>(var: Var<'_, 'v>) -> Option<&'v str> {
    // `roz run` sets its id in addition to the agent's own.
    let of_roz = || var("ROZ_SESSION_ID").filter(|id| !id.starts_with(RUN));
    SESSION_IDS.iter().find_map(|name| var(name)).or_else(of_roz)
}

/// Variables of an agent's shell in which a command line could refer to roz's places.
pub fn shell_variables(var: Var, session_id: &str) -> Vec<(String, String)> {
    let dirs = ALL.iter().filter_map(|agent| Some((agent.config_dir, var(agent.config_dir)?)));
    let program = [("CLAUDE_CODE_EXECPATH", PROGRAMS[0])];
    let sessions = SESSION_IDS.map(|name| (name, session_id));
    dirs.chain(program)
        .chain(sessions)
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

pub fn settings() -> impl Iterator<Item = &'static str> {
    settings_files().map(|(_, name)| name)
}

pub fn settings_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    let in_folders =
        ALL.iter().flat_map(|agent| agent.settings.iter().map(|name| (agent.folder, *name)));
    in_folders.chain(ROOT_SETTINGS.map(|name| ("", name)))
}

/// Patterns do not count: `rm *.json` in a project's root is everyday work.
pub fn is_root_settings(name: &str) -> bool {
    ROOT_SETTINGS.contains(&name)
}

pub fn is_program(name: &str) -> bool {
    PROGRAMS.contains(&name)
}

/// Whether a path or an npm package is an agent's program.
pub fn is_package(word: &str) -> bool {
    word.split(['/', '@', ':']).any(|part| part == "claude-code")
}

pub fn is_version(path: &str) -> bool {
    path.contains("/claude/versions/")
}

/// Whether a text names an agent's program as a word, and not one of its files.
pub fn names_program(text: &str, is_word_in: impl Fn(&str, &str) -> bool) -> bool {
    PROGRAMS.iter().any(|program| is_word_in(text, program)) && !text.contains(".claude")
}

pub fn is_variable(name: &str) -> bool {
    is_one(VARIABLES, name)
}

/// Whether a path is in a folder whose agents may take the place of an installed one.
pub fn may_override(path: &str) -> bool {
    OVERRIDING.iter().any(|folder| path.contains(&format!("/{folder}/")))
}

/// Whether a path is a file that roz installs for an agent, in a project or in the user's home.
pub fn is_own_file(path: &str) -> bool {
    let ends_with = |own: &&str| {
        path.strip_suffix(*own).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '.']))
    };
    ALL.iter().flat_map(|agent| agent.own).any(ends_with)
}
