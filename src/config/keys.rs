//! Every key of the configuration, one row each. Reading, merging, `show`, the schema and
//! `docs/configuration.md` walk this table and know no key by name.
//!
//! A new key is a field in `core::policy` and a row here; a test compares the two.
//!
//! Long because it is one table.

use serde_json::Value;

#[derive(Debug)]
pub struct Key {
    /// Dotted, as in `config.toml`; also the path of its field in `Policy`.
    pub path: &'static str,
    pub kind: Kind,
    pub project: May,
    pub variable: Option<&'static str>,
    /// One line, without a full stop.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Switch,
    /// Inclusive.
    Integer {
        min: u64,
        max: u64,
    },
    /// A number from 0 to 1.
    Share,
    Word(&'static [&'static str]),
    /// Absolute, or from `~/`.
    Path,
    /// A template's id: never a path.
    Template,
    /// Not empty.
    Text,
    /// A glob over tool keys.
    Pattern,
    /// The same, or with a `!` before it an exclusion.
    GatePattern,
    /// A glob over paths of files.
    Glob,
    List(&'static Kind),
    /// Whole numbers by template id.
    Weights,
    /// `"auto"`, true or false.
    Auto,
    /// True or false by name; the names are free or these.
    Switches(Option<&'static [&'static str]>),
    /// Texts by name; the names are free or these.
    Texts(Option<&'static [&'static str]>),
    /// An array of tables, each with these fields.
    Rows(&'static [Field]),
}

impl Kind {
    /// For a table of its own (`[templates.weights]`): the names that it may have (`None`: any) and
    /// the kind of their values.
    pub(super) fn entries(self) -> Option<(Option<&'static [&'static str]>, Kind)> {
        match self {
            Self::Weights => Some((None, Self::Integer { min: 0, max: HEAVIEST })),
            Self::Switches(names) => Some((names, Self::Switch)),
            Self::Texts(names) => Some((names, Self::Text)),
            _ => None,
        }
    }
}

const HEAVIEST: u64 = 0xffff_ffff;

#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub required: bool,
    /// It names a program to start, which an untrusted project must not do.
    pub is_program: bool,
    /// One line, without a full stop.
    pub about: &'static str,
}

/// What a project's file may do with a key. A cloned repository must not be able to switch off a
/// gate or start a program.
#[derive(Debug, Clone, Copy)]
pub enum May {
    Set,
    /// Its list is added to the user's.
    Add,
    /// Only to one of these values.
    Only(&'static [&'static str]),
    /// Only to a stricter value than without it: a lower number, a later word of the list, more
    /// switched on.
    Stricter,
    /// Only in projects of `trust.projects`, because the value is a program to start.
    StartProgram,
    Nothing,
}

use Kind::{Integer, List, Switch, Word};
use May::{Add, Nothing, Only, Set, StartProgram, Stricter};

const BACKENDS: &[&str] = &["total-recall", "mcp", "markdown"];

const YEAR: u64 = 366 * 24 * 60 * 60;

const TICKET_SYSTEM: &[Field] = &[
    required("name", Kind::Text, "Its name"),
    field("marker", Kind::Text, "A project with this file or folder uses the system"),
    required(
        "closes",
        List(&Kind::Pattern),
        "Patterns of the calls that close a ticket; the first `*` is its id",
    ),
    Field {
        is_program: true,
        ..field(
            "in_progress",
            List(&Kind::Text),
            "The command that prints the tickets in progress as JSON",
        )
    },
];

const WRITES: &[Field] = &[
    required("program", Kind::Text, "Its name, with the words of a subcommand: `buf generate`"),
    field(
        "options",
        List(&Kind::Text),
        "Options whose value is a file that it writes: `-o`, `--out`",
    ),
    field(
        "operands",
        Word(&["all", "last", "none"]),
        "Which operands are files that it writes; default: none if there are `options`, else all",
    ),
    field(
        "how",
        Word(&["write", "append", "edit", "remove"]),
        "What it does to the files; default: write",
    ),
];

pub static KEYS: &[Key] = &[
    key("storage.path", Kind::Path, Nothing, "The folder that holds `sessions/`; default: roz's home")
        .from("ROZ_STORAGE_PATH"),
    key("storage.backend", Word(&["file"]), Nothing, "Where sessions are kept"),
    key(
        "hooks.deadline_ms",
        Integer { min: 100, max: 9_000 },
        Nothing,
        "Time limit of a hook; after it, it answers as after an error",
    ),
    key(
        "review.mode",
        Word(&["always", "prompt", "never"]),
        Only(&["always"]),
        "When a review is due: after every prompt, after `#roz` and before gated calls, never",
    )
    .from("ROZ_REVIEW_MODE"),
    key(
        "review.reviewer_timeout_seconds",
        Integer { min: 1, max: YEAR },
        Nothing,
        "How long a review waits for a reviewer, or for other subagents",
    ),
    key(
        "review.max_rounds",
        Integer { min: 1, max: 1_000 },
        Nothing,
        "After this many reviews in a row that found issues, stops pass",
    ),
    key(
        "review.coverage",
        Word(&["off", "tell", "require"]),
        Stricter,
        "What happens to changes that the reviewer has not seen: nothing, the user is told, they prevent an approval",
    ),
    key(
        "review.coverage_max_files",
        Integer { min: 0, max: 1_000_000 },
        Nothing,
        "With more changed files than this, the user is told of unseen ones, and the approval counts",
    ),
    key(
        "review.generated",
        List(&Kind::Glob),
        Nothing,
        "Files that a reviewer need not look at, as globs: `*.lock`, `dist/**`",
    ),
    key("review.parallel", Switch, Nothing, "Allow several reviewers at the same time"),
    key(
        "review.gates.tools",
        List(&Kind::GatePattern),
        Add,
        "Calls that need a review first, as patterns: `Bash:git push*`, `mcp__tissue__close*`; a `!` \
         in front makes an exception: `!Bash:git push origin wip/*`",
    ),
    key(
        "review.gates.approval_scope",
        Word(&["work", "session", "prompt", "tool"]),
        Only(&["work", "tool"]),
        "How long an approval holds: while the work is unchanged, for the session, until the next \
         prompt, for one gated call",
    ),
    key(
        "review.gates.approval_ttl_seconds",
        Integer { min: 1, max: YEAR },
        Stricter,
        "An approval expires after this time, whatever its scope; default: never",
    ),
    key(
        "review.gates.max_denials",
        Integer { min: 0, max: 1_000 },
        Nothing,
        "After this many denials without a review, a gate asks the user instead",
    ),
    key(
        "notify",
        Word(&["normal", "quiet"]),
        Nothing,
        "What the user hears about a review: every step, or only what needs attention",
    ),
    key("trial", Switch, Nothing, "Nothing is refused; `roz stats` lists what would have been"),
    key(
        "circuit_breaker.max_blocks",
        Integer { min: 0, max: 1_000 },
        Nothing,
        "After this many blocks in a row the next stop passes; for the review and the reflection gate",
    )
    .from("ROZ_MAX_BLOCKS"),
    key(
        "circuit_breaker.cooldown_seconds",
        Integer { min: 0, max: YEAR },
        Nothing,
        "How long stops pass after that",
    )
    .from("ROZ_COOLDOWN_SECONDS"),
    key(
        "protect.enabled",
        Switch,
        Nothing,
        "Deny tool calls that act as the client, the reviewer or the user",
    ),
    key(
        "templates.active",
        Kind::Template,
        Set,
        "The text of a held stop: the id of a template, or `random` to compare several",
    ),
    key(
        "templates.weights",
        Kind::Weights,
        Set,
        "How often `random` picks each id; a project's table is merged into the user's",
    ),
    key(
        "external_models.codex",
        Kind::Path,
        StartProgram,
        "The `codex` program for second opinions; default: found on PATH",
    ),
    key(
        "external_models.gemini",
        Kind::Path,
        StartProgram,
        "The `gemini` program for second opinions; default: found on PATH",
    ),
    key(
        "trace.max_events",
        Integer { min: 0, max: 1_000_000 },
        Nothing,
        "How many events a session's trace keeps; 0 for none",
    )
    .from("ROZ_MAX_EVENTS"),
    // The sessions of all projects are cleaned together, so no project may decide.
    key(
        "cleanup.retention_days",
        Integer { min: 1, max: 36_500 },
        Nothing,
        "Sessions without activity for this long are deleted",
    )
    .from("ROZ_RETENTION_DAYS"),
    key(
        "reflection.enabled",
        Kind::Auto,
        Only(&["true"]),
        "The reflection gate: in projects with a `learnings.md` or a ticket system, always, never",
    ),
    key(
        "ticketing.discovery",
        List(&Kind::Text),
        Add,
        "The ticket systems to look for, in this order",
    ),
    key(
        "ticketing.overrides",
        Kind::Switches(None),
        Stricter,
        "Ticket systems to switch on or off, by name: `github = true`",
    ),
    key(
        "ticketing.systems",
        Kind::Rows(TICKET_SYSTEM),
        Add,
        "Ticket systems of your own, one `[[ticketing.systems]]` each",
    ),
    key(
        "gate.auto_skip.enabled",
        Switch,
        Only(&["false"]),
        "Let small changes pass without a reflection",
    ),
    key(
        "gate.auto_skip.line_threshold",
        Integer { min: 0, max: 1_000_000 },
        Stricter,
        "A change of fewer lines than this is small",
    ),
    key(
        "gate.auto_skip.decider",
        Word(&["always", "agent", "never"]),
        Stricter,
        "Whether a small change passes: always, the agent decides after a ticket was closed, never",
    ),
    key(
        "retrieval.max_injections",
        Integer { min: 0, max: 10 },
        Set,
        "The most learnings that an agent is shown at once; 0 for none",
    ),
    key(
        "retrieval.strategy",
        Word(&["conservative", "moderate", "aggressive"]),
        Set,
        "How relevant a learning must be: `conservative` shows fewest, `aggressive` most",
    ),
    key(
        "retrieval.on_prompt",
        Switch,
        Set,
        "Show learnings at prompts too, not only when a session starts",
    ),
    key(
        "retrieval.recency_half_life_days",
        Integer { min: 1, max: 36_500 },
        Set,
        "An unused learning loses half of its weight in this many days",
    ),
    key(
        "shims.enabled",
        Switch,
        Nothing,
        "Check gated programs again when they start, whatever starts them",
    ),
    // A project that calls `git` a proxy would hide `git push` behind it.
    key(
        "commands.proxies",
        List(&Kind::Text),
        Nothing,
        "Programs of yours that run the rest of their command line, like `sudo`",
    ),
    key(
        "commands.writes",
        Kind::Rows(WRITES),
        Add,
        "Programs that write files named on their command line, one `[[commands.writes]]` each",
    ),
    key(
        "gate.write_gate.mode",
        Word(&["off", "warn", "strict"]),
        Stricter,
        "What happens to a vague learning: kept, kept with a warning, rejected",
    ),
    key(
        "backends.discovery",
        List(&Word(&["config", "total-recall", "mcp", "markdown"])),
        Set,
        "Where to look for learnings, in this order",
    ),
    key(
        "backends.overrides",
        Kind::Switches(Some(BACKENDS)),
        Set,
        "Backends to switch on or off, by name, whether or not they are found",
    ),
    key(
        "backends.use",
        List(&Word(BACKENDS)),
        Set,
        "Use these backends and no others; `config` in `backends.discovery` stands for them",
    ),
    key(
        "backends.mcp.command",
        Kind::Text,
        StartProgram,
        "The program of the memory server: a path, or a name on PATH; default: no server",
    ),
    key("backends.mcp.args", List(&Kind::Text), StartProgram, "The arguments of the memory server"),
    key(
        "backends.mcp.env",
        Kind::Texts(None),
        StartProgram,
        "Additional environment variables of the memory server",
    ),
    key(
        "backends.mcp.tool_names",
        Kind::Texts(Some(&["write", "all", "mark"])),
        StartProgram,
        "Which tool of the server does what; default: those of \
         `@modelcontextprotocol/server-memory`",
    ),
    key(
        "decay.passive_duration_days",
        Integer { min: 1, max: 36_500 },
        Set,
        "A learning that nobody used for this long is archived",
    ),
    key(
        "decay.immunity_hit_rate",
        Kind::Share,
        Set,
        "A learning that is used more often than this share of the sessions that see it is never archived",
    ),
    key(
        "decay.min_dismissals",
        Integer { min: 0, max: 1_000 },
        Set,
        "A learning that was shown unused less often than this is kept for twice the time",
    ),
    key(
        "intent.enabled",
        Kind::Auto,
        Only(&["true"]),
        "The intent gate: in projects with `.orchestration/active_intents.yaml`, always, never",
    ),
    key(
        "intent.lifetime",
        Word(&["session", "turn"]),
        Only(&["turn"]),
        "How long an intent stays selected: for the session, until the next prompt",
    ),
    key(
        "intent.hitl",
        Word(&["off", "critical", "destructive"]),
        Stricter,
        "What someone has to confirm: nothing, what cannot be undone, every change",
    ),
    key(
        "intent.hitl_ttl_seconds",
        Integer { min: 0, max: YEAR },
        Stricter,
        "How long a confirmation of a command holds",
    ),
    key(
        "intent.opaque",
        Word(&["observe", "ask", "deny"]),
        Stricter,
        "Calls of which nobody can say what they write: checked afterwards, asked about, denied",
    ),
    key(
        "intent.require_ledger",
        Switch,
        Only(&["true"]),
        "Deny a write that cannot be recorded",
    ),
    key("intent.notes", Switch, Set, "Add the records of a commit to its git notes"),
    key(
        "intent.format",
        Kind::Texts(None),
        StartProgram,
        "Formatters by glob of file names; each runs after a write to such a file",
    ),
    key(
        "intent.checks",
        List(&Kind::Pattern),
        Add,
        "Tests and linters of yours, as patterns: `Bash:./verify*`",
    ),
    key(
        "intent.classes",
        Kind::Texts(None),
        Nothing,
        "Corrections to roz's own table, by tool: `safe`, `destructive` or `critical`",
    ),
    key(
        "trust.projects",
        List(&Kind::Path),
        Nothing,
        "Projects whose own configuration may start programs",
    ),
];

/// Variables that locate the configuration. A project may not set them.
pub(super) const FINDERS: [&str; 2] = ["ROZ_HOME", "ROZ_CONFIG"];

pub(super) const OTHER_VARIABLES: [&str; 5] =
    ["ROZ_NOW", "ROZ_DICE", "ROZ_REVIEW_TOKEN", "ROZ_SESSION_ID", "ROZ_AGENT_PID"];

pub(super) fn by_variable(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.variable == Some(name))
}

/// Where a key's value is in `document`, the JSON of a `Policy`.
pub fn slot<'a>(document: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(document, |at, name| &mut at[name])
}

impl Key {
    /// Whether a project's value is within [`May::Only`] or [`May::Stricter`].
    pub(super) fn is_stricter(&self, value: &Value, without: &Value) -> bool {
        match (self.project, self.kind) {
            (Only(values), _) => values.contains(&value.to_string().trim_matches('"')),
            (_, Word(words)) => {
                let rank = |value: &Value| words.iter().position(|word| value == word);
                rank(value) > rank(without)
            }
            // Without a limit counts as the longest.
            (_, Integer { .. }) => value.as_u64() < Some(without.as_u64().unwrap_or(u64::MAX)),
            _ => {
                value.as_object().is_some_and(|fields| fields.values().all(|value| *value == true))
            }
        }
    }

    /// What a project may do with it, in words.
    pub fn rule(&self) -> String {
        let rule = match (self.project, self.kind) {
            (May::Set, _) => "a project may set it",
            (May::Add, _) => "a project may add to it",
            (May::Only(values), _) => {
                let shown = |value: &&str| match *value {
                    "true" | "false" => value.to_string(),
                    word => format!("{word:?}"),
                };
                let values: Vec<String> = values.iter().map(shown).collect();
                return format!("a project may only set {}", values.join(" or "));
            }
            (May::Stricter, Integer { .. }) => "a project may only lower it",
            (May::Stricter, Kind::Switches(_)) => "a project may only switch entries on",
            (May::Stricter, _) => "a project may only make it stricter",
            (May::StartProgram, _) => "a project may set it only if it is in `trust.projects`",
            (May::Nothing, _) => "a project may not set it",
        };
        rule.to_owned()
    }

    const fn from(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }
}

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, required: false, is_program: false, about }
}

const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { required: true, ..field(name, kind, about) }
}

const fn key(path: &'static str, kind: Kind, project: May, about: &'static str) -> Key {
    Key { path, kind, project, variable: None, about }
}

#[cfg(test)]
mod tests;
