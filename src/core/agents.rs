//! The agents whose own files, programs and variables are protected. All of them are, whichever one
//! a call is made by: an agent could start another one, or change what another one is told. This is
//! the one place in the core that names an agent.

use std::path::{Path, PathBuf};

use super::session_id::RUN;

/// What an agent calls its own.
pub struct Agent {
    /// The folder of its settings, in a project and in the user's home.
    folder: &'static str,
    /// Its settings in that folder.
    settings: &'static [&'static str],
    /// Settings that an administrator gives it, wherever it runs.
    managed: &'static [&'static str],
    /// Its program, and the names of its package and of the folder of its versions.
    programs: &'static [&'static str],
    package: &'static str,
    versions: &'static str,
    /// Variables that point it at other settings, or turn its hooks off.
    variables: &'static [&'static str],
    environment: Environment,
    /// How the names of its models begin, and the provider that they belong to.
    models: Option<(&'static str, &'static str)>,
    /// What roz installs there, by the end of its path: the reviewer, and hooks of its own.
    own: &'static [&'static str],
}

/// The variables that an agent sets for its hooks and its shells, or reads itself; empty, where it
/// knows none.
struct Environment {
    /// The user's folder of settings, where it is not the one in the home.
    config_dir: &'static str,
    /// The folder that it was started in.
    project_dir: &'static str,
    /// The folder of the plugin whose hook runs.
    plugin_root: &'static str,
    /// In its shells, the session.
    session_id: &'static str,
    /// In its shells, its own program.
    program: &'static str,
    /// A file whose lines set up its shells.
    shell_setup: &'static str,
}

const NONE: Agent = Agent {
    folder: "",
    settings: &[],
    managed: &[],
    programs: &[],
    package: "",
    versions: "",
    variables: &[],
    environment: Environment {
        config_dir: "",
        project_dir: "",
        plugin_root: "",
        session_id: "",
        program: "",
        shell_setup: "",
    },
    models: None,
    own: &[],
};

// The programs of the others are reviewers' second opinions, so starting one is nobody's concern.
const ALL: &[Agent] = &[
    Agent {
        folder: ".claude",
        settings: &["settings.json", "settings.local.json"],
        managed: &["/etc/claude-code", "/Library/Application Support/ClaudeCode"],
        programs: &["claude", "claude-code"],
        package: "claude-code",
        versions: "/claude/versions/",
        variables: &["CLAUDE_CONFIG_DIR", "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "CLAUDE_CODE_SIMPLE"],
        environment: Environment {
            config_dir: "CLAUDE_CONFIG_DIR",
            project_dir: "CLAUDE_PROJECT_DIR",
            plugin_root: "CLAUDE_PLUGIN_ROOT",
            session_id: "CLAUDE_CODE_SESSION_ID",
            program: "CLAUDE_CODE_EXECPATH",
            shell_setup: "CLAUDE_ENV_FILE",
        },
        models: Some(("claude-", "anthropic")),
        own: &[],
    },
    Agent {
        folder: ".codex",
        settings: &["config.toml", "hooks.json"],
        managed: &["/etc/codex"],
        variables: &["CODEX_HOME"],
        environment: Environment {
            config_dir: "CODEX_HOME",
            session_id: "CODEX_SESSION_ID",
            ..NONE.environment
        },
        models: Some(("gpt-", "openai")),
        own: &[".codex/agents/roz.toml"],
        ..NONE
    },
    Agent {
        folder: ".copilot",
        settings: &["settings.json", "config.json"],
        managed: &["/etc/github-copilot"],
        own: &[
            ".copilot/hooks/roz.json",
            ".copilot/agents/roz.agent.md",
            ".github/agents/roz.agent.md",
        ],
        environment: Environment { session_id: "COPILOT_AGENT_SESSION_ID", ..NONE.environment },
        ..NONE
    },
    Agent {
        folder: ".qwen",
        settings: &["settings.json"],
        variables: &["QWEN_CODE_STOP_HOOK_BLOCK_CAP"],
        environment: Environment { session_id: "QWEN_CODE_SESSION_ID", ..NONE.environment },
        own: &[".qwen/agents/roz.md"],
        ..NONE
    },
    Agent {
        folder: ".gemini",
        settings: &["settings.json"],
        models: Some(("gemini-", "google")),
        own: &[".gemini/agents/roz.md"],
        ..NONE
    },
    Agent {
        folder: ".opencode",
        settings: &["opencode.json", "opencode.jsonc"],
        own: &[
            "opencode/plugins/roz.js",
            "opencode/agents/roz.md",
            ".opencode/plugin/roz.js",
            ".opencode/agent/roz.md",
        ],
        ..NONE
    },
];

/// The agents' folders of settings.
pub fn folders() -> impl Iterator<Item = &'static str> + Clone {
    ALL.iter().map(|agent| agent.folder)
}

pub fn is_folder(name: &str) -> bool {
    folders().any(|folder| folder == name)
}

/// Looks a variable of the environment up.
pub type Var<'f, 'v> = &'f dyn Fn(&str) -> Option<&'v str>;

/// The folders that a variable of each agent names, as far as it is set.
fn places<'v>(var: Var<'_, 'v>, name: fn(&Environment) -> &'static str) -> Vec<&'v Path> {
    ALL.iter().filter_map(|agent| var(name(&agent.environment)).map(Path::new)).collect()
}

/// The agents' folders of the user.
pub fn config_dirs(var: Var, home: Option<&Path>) -> Vec<PathBuf> {
    let dir = |agent: &Agent| {
        let named = var(agent.environment.config_dir).map(PathBuf::from);
        named.or_else(|| Some(home?.join(agent.folder)))
    };
    ALL.iter().filter_map(dir).collect()
}

/// The files of settings in the agents' folders of the user, and what roz installs beside them.
pub fn user_files(var: Var, home: Option<&Path>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (agent, dir) in ALL.iter().zip(config_dirs(var, home)) {
        found.extend(agent.settings.iter().map(|name| dir.join(name)));
        let own = agent.own.iter().filter_map(|path| path.strip_prefix(agent.folder));
        found.extend(own.map(|rest| dir.join(rest.trim_start_matches('/'))));
    }
    found
}

/// The folders that agents were started in.
pub fn project_dirs<'v>(var: Var<'_, 'v>) -> Vec<&'v Path> {
    places(var, |environment| environment.project_dir)
}

/// The folders of the plugin whose hook runs.
pub fn plugin_roots<'v>(var: Var<'_, 'v>) -> Vec<&'v Path> {
    places(var, |environment| environment.plugin_root)
}

/// The file whose lines set up the shells of the agent whose hook runs.
pub fn shell_setup<'v>(var: Var<'_, 'v>) -> Option<&'v Path> {
    places(var, |environment| environment.shell_setup).into_iter().next()
}

/// The session in whose shell this runs, where its agent says so. One that Claude Code started, for a
/// second opinion, has that one's variables as well.
pub fn session_id<'v>(var: Var<'_, 'v>) -> Option<&'v str> {
    // That of `roz run` is beside the agent's own.
    let of_roz = || var("ROZ_SESSION_ID").filter(|id| !id.starts_with(RUN));
    ALL.iter().rev().find_map(|agent| var(agent.environment.session_id)).or_else(of_roz)
}

/// What agents' shells have in their environment, as far as a line could use it to reach for roz.
pub fn shell_variables(var: Var, session_id: &str) -> Vec<(String, String)> {
    let of_agent = |Agent { environment, programs, .. }: &Agent| {
        let config_dir =
            var(environment.config_dir).map(|dir| (environment.config_dir, dir.to_owned()));
        let program = programs.first().map(|name| (environment.program, (*name).to_owned()));
        let session = Some((environment.session_id, session_id.to_owned()));
        [config_dir, program, session]
    };
    let found = ALL.iter().flat_map(of_agent).flatten();
    let found = found.filter(|(name, _)| !name.is_empty());
    found.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Where administrators keep settings.
pub fn managed() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|agent| agent.managed).copied()
}

/// The names of settings files in an agent's folder.
pub fn settings() -> impl Iterator<Item = &'static str> {
    ALL.iter().flat_map(|agent| agent.settings).copied()
}

pub fn is_program(name: &str) -> bool {
    ALL.iter().any(|agent| agent.programs.contains(&name))
}

/// Whether a path or a package, as another program is given it, is an agent's program.
pub fn is_package(word: &str) -> bool {
    ALL.iter().any(|agent| {
        !agent.package.is_empty() && word.split(['/', '@', ':']).any(|part| part == agent.package)
    })
}

/// Whether a path is one of an agent's versions.
pub fn is_version(path: &str) -> bool {
    ALL.iter().any(|agent| !agent.versions.is_empty() && path.contains(agent.versions))
}

/// Whether a text names an agent's program as a word, and not one of its files.
pub fn names_program(text: &str, is_word_in: impl Fn(&str, &str) -> bool) -> bool {
    ALL.iter().any(|agent| {
        agent.programs.iter().any(|program| is_word_in(text, program))
            && !text.contains(agent.folder)
    })
}

/// Whether an agent relies on a variable of that name.
pub fn is_variable(name: &str) -> bool {
    ALL.iter().any(|agent| agent.variables.contains(&name))
}

/// The provider of a model, where the model's name tells it.
pub fn provider(model: &str) -> Option<&'static str> {
    let models = ALL.iter().filter_map(|agent| agent.models);
    let mut named = models.filter(|(begin, _)| model.starts_with(begin) && !model.contains('/'));
    named.next().map(|(_, provider)| provider)
}

/// The files of settings, each with its agent's folder.
pub fn settings_files() -> impl Iterator<Item = (&'static str, &'static str)> {
    ALL.iter().flat_map(|agent| agent.settings.iter().map(|name| (agent.folder, *name)))
}

/// Whether a path is a file that roz installs for an agent, in a project or in the user's home.
pub fn is_own_file(path: &str) -> bool {
    let ends_with = |own: &&str| {
        path.strip_suffix(*own).is_some_and(|rest| rest.is_empty() || rest.ends_with(['/', '.']))
    };
    ALL.iter().flat_map(|agent| agent.own).any(ends_with)
}
