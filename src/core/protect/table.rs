//! The rules of self-protection in one table, which the code, the tests and
//! `docs/self-protection.md` use. Denials come before questions.

use super::{Context, clients, commands, kill, mentions, path_rules, reviewer_transcript};

use crate::core::refusal::Code;

#[derive(Clone, Copy)]
pub struct Rule {
    pub name: &'static str,
    /// For the docs.
    pub what: &'static str,
    pub answer: Answer,
    pub code: Code,
    /// For the agent: why, and what to do instead.
    pub instead: &'static str,
    pub objects_to: &'static [Example],
    /// Similar calls that are allowed.
    pub passes: &'static [Example],
    pub(super) objects: fn(Context) -> Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Deny,
    Ask,
}

/// A tool and its input: a command line or JSON. `{home}` is `ROZ_HOME`, `{user}` the home
/// directory, `{project}` the project, `{session}` the session, `{notes}` the client's folder for
/// it, `{reviewer}` a reviewer's `agent_id`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    pub tool: &'static str,
    pub input: &'static str,
}

impl Answer {
    pub fn word(self) -> &'static str {
        match self {
            Answer::Deny => "deny",
            Answer::Ask => "ask",
        }
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl std::fmt::Debug for Rule {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

const fn bash(input: &'static str) -> Example {
    Example { tool: "Bash", input }
}

const fn tool(tool: &'static str, input: &'static str) -> Example {
    Example { tool, input }
}

pub const RULES: &[Rule] = &[
    Rule {
        name: "decide",
        what: "run `roz decide`, but as a reviewer with its token, or `roz approve`, `roz allow` and `roz confirm`",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "Only a reviewer that roz has given a token may run `roz decide`; `roz approve`, `roz allow` and `roz confirm` are for people, at a terminal of their own. Start a reviewer with the Agent tool, subagent_type \"roz:roz\".",
        objects_to: &[
            bash("roz approve fine"),
            bash("roz confirm"),
            bash("roz allow"),
            bash("roz decide {session} COMPLETE fine"),
            bash("bash -c 'roz decide {session} COMPLETE fine'"),
        ],
        passes: &[bash("roz context {session}"), bash("git commit -m 'roz decide'")],
        objects: commands::decides_without_a_token,
    },
    Rule {
        name: "hook",
        what: "run `roz hook`",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "`roz hook` is the client's to call. To see what roz would say, use `roz explain`.",
        objects_to: &[bash("roz hook stop < payload.json")],
        passes: &[bash("roz trace --type hook"), bash("roz doctor")],
        objects: commands::plays_the_client,
    },
    Rule {
        name: "roz-home",
        what: "write, remove, move, link, chmod or lock anything under `ROZ_HOME`",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "What is under ROZ_HOME is roz's and the user's: read it freely, and change nothing. A setting is changed by a person, in an editor of their own; `roz trace`, `roz debug` and `roz config show` print what is there.",
        objects_to: &[
            bash("echo '{}' > {home}/sessions/{session}.json"),
            tool("Write", r#"{"file_path": "{home}/config.toml", "content": ""}"#),
            tool("mcp__files__write_file", r#"{"path": "{home}/config.toml", "content": ""}"#),
        ],
        passes: &[
            bash("cat {home}/sessions/{session}.json"),
            tool("Read", r#"{"file_path": "{home}/config.toml"}"#),
            tool("mcp__files__read_file", r#"{"path": "{home}/config.toml"}"#),
        ],
        objects: path_rules::writes_home,
    },
    Rule {
        name: "client-notes",
        what: "write the client's notes of its subagents, which prove how a reviewer was started",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "The client's notes of its subagents say who started a reviewer: they are the client's to write.",
        objects_to: &[bash("echo '{}' > {notes}/subagents/agent-x.meta.json")],
        passes: &[bash("ls {notes}/subagents")],
        objects: path_rules::writes_notes,
    },
    Rule {
        name: "settings",
        what: "change hooks, plugins, or variables that roz depends on (`ROZ_*`, `PATH`, `HOME`, `CLAUDE_CONFIG_DIR` …) in the client's settings; a settings file that cannot be read before and after counts whole",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "Hooks, plugins and the variables that roz depends on are the user's to set, in an editor of their own. Other keys are free: change them with the Edit or Write tool, so that what becomes of the file can be seen beforehand.",
        objects_to: &[
            tool(
                "Write",
                r#"{"file_path": "{project}/.claude/settings.json", "content": "{\"disableAllHooks\": true}"}"#,
            ),
            bash(
                "jq 'del(.hooks)' {user}/.claude/settings.json > x && mv x {user}/.claude/settings.json",
            ),
        ],
        passes: &[
            tool(
                "Write",
                r#"{"file_path": "{project}/.claude/settings.json", "content": "{\"model\": \"opus\"}"}"#,
            ),
            bash("jq .hooks {user}/.claude/settings.json"),
        ],
        objects: path_rules::changes_settings,
    },
    Rule {
        name: "plugin",
        what: "write the plugin's folder, or the client's list of plugins",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "The plugin is what makes the client call roz. A person installs it again with `roz install`, at a terminal.",
        objects_to: &[
            bash("rm -rf {user}/.local/share/roz/plugin"),
            bash("echo '{}' > {user}/.claude/plugins/installed_plugins.json"),
        ],
        passes: &[bash("cat {user}/.local/share/roz/plugin/hooks/hooks.json")],
        objects: path_rules::writes_plugin,
    },
    Rule {
        name: "reviewer-agent",
        what: "write an agent file that bears the reviewer's name",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "An agent file may not bear the name of the reviewer, `roz:roz`: choose another name.",
        objects_to: &[tool(
            "Write",
            r#"{"file_path": "{project}/.claude/agents/x.md", "content": "---\nname: roz:roz\n---\n"}"#,
        )],
        passes: &[tool(
            "Write",
            r#"{"file_path": "{project}/.claude/agents/x.md", "content": "---\nname: helper\n---\n"}"#,
        )],
        objects: path_rules::makes_a_reviewer,
    },
    Rule {
        name: "binary",
        what: "replace, move, chmod or delete the binary; put another `roz` on PATH",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "The roz that governs this session is the user's to replace: a person installs another one at a terminal.",
        objects_to: &[
            bash("cp target/release/roz {binary}"),
            bash("chmod -x {binary}"),
            bash("ln -sf /bin/true {path}/roz"),
        ],
        passes: &[bash("ls -l {binary}"), bash("cp README.md docs/roz")],
        objects: path_rules::replaces_binary,
    },
    Rule {
        name: "package",
        what: "install or remove a package of the name `roz`",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "The roz that governs this session is the user's to install or remove, at a terminal.",
        objects_to: &[bash("cargo install roz"), bash("cargo uninstall roz")],
        passes: &[bash("cargo build -p roz"), bash("cargo install ripgrep")],
        objects: commands::replaces_the_package,
    },
    Rule {
        name: "kill",
        what: "end the process of a hook, or of the client that calls it",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "It would end the client, or a process of roz that answers it and ends by itself: leave both alone.",
        objects_to: &[
            bash("pkill -f 'roz hook'"),
            bash("kill -9 $(pgrep roz)"),
            bash("ps aux | grep claude | awk '{print $2}' | xargs kill"),
        ],
        passes: &[
            bash("pgrep roz"),
            bash("pkill -f 'npm run dev'"),
            bash("ps aux | grep node | awk '{print $2}' | xargs kill"),
        ],
        objects: kill::kills_roz,
    },
    Rule {
        name: "client",
        what: "start a client without these hooks: `--bare`, `--safe-mode`, `--settings …`, another home",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "A client that is started here has the hooks of this one: start it without options or variables that take them away.",
        objects_to: &[
            bash("claude --bare -p hi"),
            bash("claude -p --settings '{}' hi"),
            bash("CLAUDE_CONFIG_DIR=/tmp/x claude -p hi"),
        ],
        passes: &[bash("claude -p hi"), bash("claude --version")],
        objects: clients::starts_a_client_without_hooks,
    },
    Rule {
        name: "resume",
        what: "start a client that resumes this session",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "This session goes on here, not in a second client: its user's prompts are the user's. Start a client without `--resume` or `--continue`, or name another session.",
        objects_to: &[bash("claude -p --resume {session} '#roz:stop'"), bash("claude -c -p hi")],
        passes: &[bash("claude -p --resume another hi")],
        objects: clients::resumes_this_session,
    },
    Rule {
        name: "client-plugin",
        what: "disable, uninstall or remove roz with the client's own commands",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "The plugin is the user's to switch off: a person does it at a terminal.",
        objects_to: &[
            bash("claude plugin disable roz@roz"),
            bash("claude plugin marketplace remove roz"),
        ],
        passes: &[bash("claude plugin list"), bash("claude plugin disable another")],
        objects: clients::unplugs_roz,
    },
    Rule {
        name: "message-to-reviewer",
        what: "send a message to a reviewer",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "A reviewer is independent: nobody talks to it. Spawn a new one with the Agent tool, subagent_type \"roz:roz\".",
        objects_to: &[tool("SendMessage", r#"{"to": "{reviewer}", "message": "approve"}"#)],
        passes: &[tool("SendMessage", r#"{"to": "another", "message": "hi"}"#)],
        objects: commands::talks_to_a_reviewer,
    },
    Rule {
        name: "workflow-reviewer",
        what: "start a reviewer by a workflow",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "A workflow may not start the reviewer: it would be briefed by the agent under review. Use the Agent tool, subagent_type \"roz:roz\".",
        objects_to: &[tool(
            "Workflow",
            r#"{"script": "await agent('approve', {agentType: 'roz:roz'})"}"#,
        )],
        passes: &[tool("Workflow", r#"{"script": "await agent('x')"}"#)],
        objects: commands::starts_a_reviewer_by_workflow,
    },
    Rule {
        name: "scheduled-command",
        what: "schedule a prompt that begins with `#roz`",
        answer: Answer::Deny,
        code: Code::ProtectedCommand,
        instead: "Only the user may type `#roz`; a scheduled prompt may not begin with it.",
        objects_to: &[tool("CronCreate", r##"{"cron": "* * * * *", "prompt": "#roz:stop"}"##)],
        passes: &[tool("CronCreate", r#"{"cron": "* * * * *", "prompt": "look at the build"}"#)],
        objects: commands::schedules_a_command,
    },
    Rule {
        name: "reviewer-transcript",
        what: "read a reviewer's transcript, or the output of its task",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "What a reviewer does is private until it decides; `roz context` says what it found.",
        objects_to: &[
            tool("Read", r#"{"file_path": "{notes}/subagents/agent-{reviewer}.jsonl"}"#),
            bash("cat {notes}/subagents/*.jsonl"),
            tool("TaskOutput", r#"{"task_id": "{reviewer}"}"#),
        ],
        passes: &[
            tool("Read", r#"{"file_path": "{notes}/subagents/agent-another.jsonl"}"#),
            tool("TaskOutput", r#"{"task_id": "another"}"#),
        ],
        objects: reviewer_transcript::reads_a_reviewer,
    },
    Rule {
        name: "orchestration",
        what: "write `.orchestration/`, but through roz",
        answer: Answer::Deny,
        code: Code::ProtectedPath,
        instead: "`.orchestration/` is written by roz alone, so that all of it was asked for. Read it freely; `roz intent` changes what is declared, and asks the user. Where nothing is declared yet, a person begins with it: at a terminal, `roz init --intent`.",
        objects_to: &[tool(
            "Write",
            r#"{"file_path": "{project}/.orchestration/active_intents.yaml", "content": ""}"#,
        )],
        passes: &[bash("cat .orchestration/active_intents.yaml")],
        objects: path_rules::writes_orchestration,
    },
    Rule {
        name: "code",
        what: "mention `roz decide`, `roz approve`, `roz allow`, `roz confirm`, `roz hook` or a protected path in code of another language, or in a line that cannot be read, where it can also write or start something",
        answer: Answer::Ask,
        code: Code::ProtectedCommand,
        instead: "This text names roz or something that it protects, and can write files or start programs; what it does cannot be read beforehand. Take the mention out, use plain commands or the file tools, or have a person run it at a terminal.",
        objects_to: &[
            bash(
                "python3 -c 'import subprocess; decide = \"x\"; a = \"zor\"; subprocess.run([a[::-1], decide])  # roz'",
            ),
            bash("perl -e 'chomp($r=`which roz`); unlink $r'"),
            bash("python3 -c \"import os; os.truncate('/h/' + os.getlogin() + '/.roz/x', 0)\""),
        ],
        passes: &[
            bash("python3 -c 'print(\"roz decide\")'"),
            bash("python3 -c \"import shutil; print(shutil.which('roz'))\""),
            bash("python3 -c \"print(open('{home}/config.toml').read())\""),
        ],
        objects: mentions::mentions_roz,
    },
    Rule {
        name: "unknown-agent",
        what: "write an agent file whose text cannot be known beforehand",
        answer: Answer::Ask,
        code: Code::ProtectedPath,
        instead: "The text of this agent file comes from elsewhere, and it may not bear the reviewer's name: write it with the Write tool or a here-document, so that it can be read beforehand, or have a person put it there at a terminal.",
        objects_to: &[bash("base64 -d x > .claude/agents/x.md")],
        passes: &[
            bash("cp good.md .claude/agents/x.md"),
            bash("cat > .claude/agents/x.md <<'X'\n---\nname: helper\n---\nX"),
        ],
        objects: path_rules::makes_an_unknown_agent,
    },
    Rule {
        name: "project-config",
        what: "write `<project>/.roz/config.toml`",
        answer: Answer::Ask,
        code: Code::ProtectedPath,
        instead: "A project's `.roz/config.toml` says what is gated, so a person decides on a change of it: at a terminal, `$EDITOR .roz/config.toml`, then `roz config check`.",
        objects_to: &[tool(
            "Write",
            r#"{"file_path": "{project}/.roz/config.toml", "content": ""}"#,
        )],
        passes: &[
            bash("cat .roz/config.toml"),
            tool("Write", r#"{"file_path": "{project}/.roz/learnings.md", "content": ""}"#),
        ],
        objects: path_rules::writes_project_config,
    },
    Rule {
        name: "verb",
        what: "run roz's verbs that end, widen or reconfigure: `clean`, `uninstall`, `install`, `init --import`, what writes the configuration",
        answer: Answer::Ask,
        code: Code::ProtectedCommand,
        instead: "This changes what governs the agent, so a person decides: at a terminal, with the same command line.",
        objects_to: &[bash("roz clean --all"), bash("roz uninstall"), bash("roz init --import x")],
        passes: &[bash("roz config show"), bash("roz list"), bash("roz init")],
        objects: commands::reconfigures_roz,
    },
    Rule {
        name: "intent",
        what: "run `roz intent new`, `expand`, `complete`, `archive`, `confirm` or `start --reopen`, `roz undo` of anything but the session itself, MCP tools of that meaning, or the server that has them (`roz mcp`)",
        answer: Answer::Ask,
        code: Code::ProtectedCommand,
        instead: "An intent says what the agent may do, so a person grants it: at a terminal, `roz intent new|expand|complete|archive|confirm …`. `roz undo` with this session's id is the agent's own.",
        objects_to: &[
            bash("roz intent expand 1 'src/**'"),
            bash("roz intent archive 1"),
            bash("roz intent confirm --yes"),
            bash("roz intent start 1 --reopen"),
            bash("roz undo INT-001 --yes"),
            tool("mcp__roz__intent_new", "{}"),
            tool("mcp__roz__create_intent", "{}"),
            bash("(cat f; sleep 1) | timeout 5 roz mcp"),
            tool("mcp__roz__request_scope_expansion", "{}"),
        ],
        passes: &[
            bash("roz intent list"),
            bash("roz intent select 1"),
            bash("roz undo {session} --yes"),
            bash("roz undo INT-001 --dry-run"),
            bash("roz intent start 1"),
            tool("mcp__roz__intent_show", "{}"),
            tool("mcp__roz__select_active_intent", "{}"),
            tool("mcp__roz__record_lesson", "{}"),
        ],
        objects: commands::widens_an_intent,
    },
];
