//! Every key of the configuration, one row each. Reading, merging, `show`, the schema and
//! `docs/configuration.md` walk this table and know no key by name.
//!
//! A new key is a field in `core::policy` and a row here; a test compares the two.
//!
//! Long because it is one table.

use serde_json::Value;

#[derive(Debug)]
pub struct Key {
    /// As in `config.toml`, dotted; also the path of its field in `Policy`.
    pub path: &'static str,
    pub kind: Kind,
    /// What a project's file may do with it.
    pub project: May,
    /// The environment variable that sets it.
    pub variable: Option<&'static str>,
    /// One line, without a full stop.
    pub about: &'static str,
}

/// What a value may be.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Switch,
    /// Both ends are valid.
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
    /// Any, but none that is empty.
    Text,
    List(Item),
    /// Whole numbers by template id.
    Weights,
    /// `"auto"`, true or false.
    Auto,
    /// True or false by names: any, or these.
    Switches(Option<&'static [&'static str]>),
    /// Texts by names: of variables, or these.
    Texts(Option<&'static [&'static str]>),
    /// An array of tables, each with these fields.
    Rows(&'static [Field]),
}

impl Kind {
    /// Whether its value is a table by itself: `[templates.weights]`.
    pub fn is_table(self) -> bool {
        matches!(self, Self::Weights | Self::Switches(_) | Self::Texts(_))
    }
}

/// A field of a row.
#[derive(Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    pub required: bool,
    /// It names a program to start: a project's needs trust.
    pub is_program: bool,
    /// One line, without a full stop.
    pub about: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    Texts,
    Patterns,
    /// One of these.
    Word(&'static [&'static str]),
}

#[derive(Debug, Clone, Copy)]
pub enum Item {
    Text,
    Path,
    /// A glob over tool keys.
    Pattern,
    /// The same, or with a `!` before it an exclusion.
    GatePattern,
    /// A glob over paths of files.
    Glob,
    /// One of these.
    Word(&'static [&'static str]),
}

/// What a project's file may do with a key. A cloned repository must not be able to switch a gate
/// off or to start a program.
#[derive(Debug, Clone, Copy)]
pub enum May {
    /// It concerns only the project.
    Set,
    /// Its list is added to the user's.
    Add,
    /// Only where `stricter(its value, what applies without it)`.
    Tighten {
        stricter: fn(&Value, &Value) -> bool,
        rule: &'static str,
    },
    /// Only the projects of `trust.projects`: the value is a program to start.
    StartProgram,
    Nothing,
}

use Kind::{Integer, List, Switch, Word};
use May::{Add, Nothing, Set, StartProgram, Tighten};

const BACKENDS: &[&str] = &["total-recall", "mcp", "markdown"];

/// From lax to strict.
const COVERAGE: &[&str] = &["off", "tell", "require"];

const YEAR: u64 = 366 * 24 * 60 * 60;

const TICKET_SYSTEM: &[Field] = &[
    required("name", FieldKind::Text, "Its name"),
    field("marker", FieldKind::Text, "A project with this file or folder uses the system"),
    required(
        "closes",
        FieldKind::Patterns,
        "Patterns of the calls that close a ticket; the first `*` is its id",
    ),
    Field {
        is_program: true,
        ..field(
            "in_progress",
            FieldKind::Texts,
            "The command that prints the tickets in progress as JSON",
        )
    },
];

const WRITES: &[Field] = &[
    required(
        "program",
        FieldKind::Text,
        "Its name, with the words of a subcommand: `buf generate`",
    ),
    field(
        "options",
        FieldKind::Texts,
        "Options whose value is a file that it writes: `-o`, `--out`",
    ),
    field(
        "operands",
        FieldKind::Word(&["all", "last", "none"]),
        "Which operands are files that it writes; default: none if there are `options`, else all",
    ),
    field(
        "how",
        FieldKind::Word(&["write", "append", "edit", "remove"]),
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
        Tighten { stricter: is_always, rule: "a project may only set \"always\"" },
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
        Word(COVERAGE),
        Tighten { stricter: covers_more, rule: "a project may only make it stricter" },
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
        List(Item::Glob),
        Nothing,
        "Files that a reviewer need not look at, as globs: `*.lock`, `dist/**`",
    ),
    key("review.parallel", Switch, Nothing, "Allow several reviewers at the same time"),
    key(
        "review.gates.tools",
        List(Item::GatePattern),
        Add,
        "Calls that need a review first, as patterns: `Bash:git push*`, `mcp__tissue__close*`; a `!` \
         in front makes an exception: `!Bash:git push origin wip/*`",
    ),
    key(
        "review.gates.approval_scope",
        Word(&["work", "session", "prompt", "tool"]),
        Tighten { stricter: is_work_or_tool, rule: "a project may only set \"work\" or \"tool\"" },
        "How long an approval holds: while the work is unchanged, for the session, until the next \
         prompt, for one gated call",
    ),
    key(
        "review.gates.approval_ttl_seconds",
        Integer { min: 1, max: YEAR },
        Tighten { stricter: is_shorter, rule: "a project may only shorten it" },
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
    // The sessions of all projects are cleaned together, so no project decides.
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
        Tighten { stricter: is_on, rule: "a project may only switch it on" },
        "The reflection gate: in projects with a `learnings.md` or a ticket system, always, never",
    ),
    key(
        "ticketing.discovery",
        List(Item::Text),
        Add,
        "The ticket systems to look for, in this order",
    ),
    key(
        "ticketing.overrides",
        Kind::Switches(None),
        Tighten { stricter: adds_only, rule: "a project may only switch systems on" },
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
        Tighten { stricter: is_off, rule: "a project may only switch it off" },
        "Let small changes pass without a reflection",
    ),
    key(
        "gate.auto_skip.line_threshold",
        Integer { min: 0, max: 1_000_000 },
        Tighten { stricter: is_lower, rule: "a project may only lower it" },
        "A change of fewer lines than this is small",
    ),
    key(
        "gate.auto_skip.decider",
        Word(&["agent", "always", "never"]),
        Tighten { stricter: asks_more, rule: "a project may only have more asked" },
        "Whether a small change passes: the agent decides after a ticket was closed, always, never",
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
        List(Item::Text),
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
        Word(&["strict", "warn", "off"]),
        Tighten { stricter: is_stricter_gate, rule: "a project may only make it stricter" },
        "What happens to a vague learning: rejected, kept with a warning, kept",
    ),
    key(
        "backends.discovery",
        List(Item::Word(&["config", "total-recall", "mcp", "markdown"])),
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
        List(Item::Word(BACKENDS)),
        Set,
        "Use these backends and no others; `config` in `backends.discovery` stands for them",
    ),
    key(
        "backends.mcp.command",
        Kind::Text,
        StartProgram,
        "The program of the memory server: a path, or a name on PATH; default: no server",
    ),
    key("backends.mcp.args", List(Item::Text), StartProgram, "The arguments of the memory server"),
    key(
        "backends.mcp.env",
        Kind::Texts(None),
        StartProgram,
        "Additional environment variables of the memory server",
    ),
    key(
        "backends.mcp.tool_names",
        Kind::Texts(Some(&["write", "all", "search", "mark"])),
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
        Tighten { stricter: is_on, rule: "a project may only switch it on" },
        "The intent gate: in projects with `.orchestration/active_intents.yaml`, always, never",
    ),
    key(
        "intent.lifetime",
        Word(&["session", "turn"]),
        Tighten { stricter: is_turn, rule: "a project may only shorten it" },
        "How long an intent stays selected: for the session, until the next prompt",
    ),
    key(
        "intent.hitl",
        Word(&["off", "critical", "destructive"]),
        Tighten { stricter: asks_a_person_more, rule: "a project may only have more asked" },
        "What someone has to confirm: nothing, what cannot be undone, every change",
    ),
    key(
        "intent.hitl_ttl_seconds",
        Integer { min: 0, max: YEAR },
        Tighten { stricter: is_lower, rule: "a project may only lower it" },
        "How long a confirmation of a command holds",
    ),
    key(
        "intent.opaque",
        Word(&["observe", "ask", "deny"]),
        Tighten { stricter: is_less_trusting, rule: "a project may only make it stricter" },
        "Calls of which nobody can say what they write: checked afterwards, asked about, denied",
    ),
    key(
        "intent.require_ledger",
        Switch,
        Tighten { stricter: is_on, rule: "a project may only switch it on" },
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
        List(Item::Pattern),
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
        List(Item::Path),
        Nothing,
        "Projects whose own configuration may start programs",
    ),
];

/// Variables by which the configuration itself is found. They are never taken from a project.
pub(super) const FINDERS: [&str; 2] = ["ROZ_HOME", "ROZ_CONFIG"];

/// Variables that have nothing to do with the configuration.
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
    const fn from(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }
}

const fn field(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
    Field { name, kind, required: false, is_program: false, about }
}

const fn required(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
    Field { required: true, ..field(name, kind, about) }
}

const fn key(path: &'static str, kind: Kind, project: May, about: &'static str) -> Key {
    Key { path, kind, project, variable: None, about }
}

fn is_always(value: &Value, _: &Value) -> bool {
    value == "always"
}

fn is_work_or_tool(value: &Value, _: &Value) -> bool {
    value == "work" || value == "tool"
}

fn covers_more(value: &Value, without: &Value) -> bool {
    is_further(COVERAGE, value, without)
}

fn is_on(value: &Value, _: &Value) -> bool {
    *value == true
}

fn is_off(value: &Value, _: &Value) -> bool {
    *value == false
}

fn is_turn(value: &Value, without: &Value) -> bool {
    value == "turn" && without != "turn"
}

/// Whether a word is further down a list that goes from lax to strict.
fn is_further(words: &[&str], value: &Value, without: &Value) -> bool {
    let rank = |value: &Value| words.iter().position(|word| value == *word).unwrap_or(0);
    rank(value) > rank(without)
}

fn asks_a_person_more(value: &Value, without: &Value) -> bool {
    is_further(&["off", "critical", "destructive"], value, without)
}

fn is_less_trusting(value: &Value, without: &Value) -> bool {
    is_further(&["observe", "ask", "deny"], value, without)
}

fn is_lower(value: &Value, without: &Value) -> bool {
    value.as_u64() < without.as_u64()
}

fn adds_only(value: &Value, _: &Value) -> bool {
    value.as_object().is_some_and(|fields| fields.values().all(|value| *value == true))
}

fn asks_more(value: &Value, without: &Value) -> bool {
    is_further(&["always", "agent", "never"], value, without)
}

fn is_stricter_gate(value: &Value, without: &Value) -> bool {
    is_further(&["off", "warn", "strict"], value, without)
}

/// None at all is the longest.
fn is_shorter(value: &Value, without: &Value) -> bool {
    value.as_u64() < Some(without.as_u64().unwrap_or(u64::MAX))
}

impl May {
    /// For the schema and for people.
    pub fn rule(&self) -> &'static str {
        match self {
            May::Set => "a project may set it",
            May::Add => "a project may add to it",
            May::Tighten { rule, .. } => rule,
            May::StartProgram => "a project may set it only if it is in `trust.projects`",
            May::Nothing => "a project may not set it",
        }
    }
}

#[cfg(test)]
mod tests;
