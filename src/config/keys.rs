//! Every key of the configuration, a row each. Reading, laying over, `show`,
//! the schema and the documentation walk this table and know no key by name.
//!
//! Long because the table is.
//!
//! A new key is a field in `core::policy` and a row here; a test holds the two
//! against each other.

use serde_json::Value;

#[derive(Debug)]
pub struct Key {
    /// As in `config.toml`, dotted: also where it lies in `Policy`.
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

/// What a project's file may do with a key. A cloned repository must not be
/// able to switch a gate off or to start a program.
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
    Field {
        name: "name",
        kind: FieldKind::Text,
        required: true,
        is_program: false,
        about: "What it is called",
    },
    Field {
        name: "marker",
        kind: FieldKind::Text,
        required: false,
        is_program: false,
        about: "The file or folder by which a project is known to use it",
    },
    Field {
        name: "closes",
        kind: FieldKind::Patterns,
        required: true,
        is_program: false,
        about: "Globs over tool keys of what closes a ticket; the first `*` is its id",
    },
    Field {
        name: "in_progress",
        kind: FieldKind::Texts,
        required: false,
        is_program: true,
        about: "The command that prints the tickets in progress as JSON",
    },
];

const WRITES: &[Field] = &[
    Field {
        name: "program",
        kind: FieldKind::Text,
        required: true,
        is_program: false,
        about: "Its name, and the words of a subcommand: `buf generate`",
    },
    Field {
        name: "options",
        kind: FieldKind::Texts,
        required: false,
        is_program: false,
        about: "Options whose value is a file that it writes, as they are typed: `-o`, `--out`",
    },
    Field {
        name: "operands",
        kind: FieldKind::Word(&["all", "last", "none"]),
        required: false,
        is_program: false,
        about: "Which operands are such files; without it none where there are options, else all",
    },
    Field {
        name: "how",
        kind: FieldKind::Word(&["write", "append", "edit", "remove"]),
        required: false,
        is_program: false,
        about: "What becomes of them; without it they are written",
    },
];

pub static KEYS: &[Key] = &[
    key("storage.path", Kind::Path, Nothing, "The home in which `sessions/` lies")
        .from("ROZ_STORAGE_PATH"),
    key("storage.backend", Word(&["file"]), Nothing, "What keeps the sessions"),
    key(
        "hooks.deadline_ms",
        Integer { min: 100, max: 9_000 },
        Nothing,
        "After this long a hook answers what it would answer on an error",
    ),
    key(
        "review.mode",
        Word(&["always", "prompt", "never"]),
        Tighten { stricter: is_always, rule: "a project may only set \"always\"" },
        "When a review is asked for: at every prompt, at `#roz` and gated tools, never",
    )
    .from("ROZ_REVIEW_MODE"),
    key(
        "review.reviewer_timeout_seconds",
        Integer { min: 1, max: YEAR },
        Nothing,
        "How long a reviewer, or other subagents, may keep a review waiting",
    ),
    key(
        "review.max_rounds",
        Integer { min: 1, max: 1_000 },
        Nothing,
        "After this many reviews in a row that found issues, stops pass again",
    ),
    key(
        "review.coverage",
        Word(COVERAGE),
        Tighten { stricter: covers_more, rule: "a project may only make it stricter" },
        "Changes that the reviewer has not seen: they prevent an approval, the user is told, nothing",
    ),
    key(
        "review.coverage_max_files",
        Integer { min: 0, max: 1_000_000 },
        Nothing,
        "With more changed files than this, unseen ones are told and do not prevent an approval",
    ),
    key(
        "review.generated",
        List(Item::Glob),
        Nothing,
        "Globs of files that a reviewer need not look at: `*.lock`, `dist/**`",
    ),
    key("review.parallel", Switch, Nothing, "Let several reviewers work at the same time"),
    key(
        "review.gates.tools",
        List(Item::GatePattern),
        Add,
        "Globs over tool keys that want a review first: `mcp__tissue__close*`, `Bash:git push*`; \
         with a `!` before it, what they do not cover: `!Bash:git push origin wip/*`",
    ),
    key(
        "review.gates.approval_scope",
        Word(&["work", "session", "prompt", "tool"]),
        Tighten { stricter: is_work_or_tool, rule: "a project may only set \"work\" or \"tool\"" },
        "How far an approval reaches: as long as the work is the approved one, the session, \
         until the next prompt, one gated call",
    ),
    key(
        "review.gates.approval_ttl_seconds",
        Integer { min: 1, max: YEAR },
        Tighten { stricter: is_shorter, rule: "a project may only shorten it" },
        "After this long an approval has expired, whatever its scope",
    ),
    key(
        "review.gates.max_denials",
        Integer { min: 0, max: 1_000 },
        Nothing,
        "Denials in one cycle before a gate asks the user instead",
    ),
    key(
        "notify",
        Word(&["normal", "quiet"]),
        Nothing,
        "What the user is told of a review: every step of it, or only what needs the user",
    ),
    key(
        "trial",
        Switch,
        Nothing,
        "Nothing is held or denied; `roz stats` lists what would have been",
    ),
    key(
        "circuit_breaker.max_blocks",
        Integer { min: 0, max: 1_000 },
        Nothing,
        "Blocks in one cycle before the next stop passes; for both gates",
    )
    .from("ROZ_MAX_BLOCKS"),
    key(
        "circuit_breaker.cooldown_seconds",
        Integer { min: 0, max: YEAR },
        Nothing,
        "How long a tripped breaker lets stops pass",
    )
    .from("ROZ_COOLDOWN_SECONDS"),
    key(
        "protect.enabled",
        Switch,
        Nothing,
        "Keep an agent's tools from playing the client's part, the reviewer's or the user's",
    ),
    key(
        "templates.active",
        Kind::Template,
        Set,
        "The template of a block: an id, or `random` to compare several",
    ),
    key(
        "templates.weights",
        Kind::Weights,
        Set,
        "How often `random` picks which id; the files' tables are laid over one another",
    ),
    key(
        "external_models.codex",
        Kind::Path,
        StartProgram,
        "The `codex` program for second opinions; none: looked up on PATH",
    ),
    key(
        "external_models.gemini",
        Kind::Path,
        StartProgram,
        "The `gemini` program for second opinions; none: looked up on PATH",
    ),
    key(
        "trace.max_events",
        Integer { min: 0, max: 1_000_000 },
        Nothing,
        "Events that a session's trace keeps; 0 keeps none",
    )
    .from("ROZ_MAX_EVENTS"),
    // A project's number would decide over the sessions of all the others.
    key(
        "cleanup.retention_days",
        Integer { min: 1, max: 36_500 },
        Nothing,
        "Sessions without activity for this long are removed",
    )
    .from("ROZ_RETENTION_DAYS"),
    key(
        "reflection.enabled",
        Kind::Auto,
        Tighten { stricter: is_on, rule: "a project may only switch it on" },
        "The reflection gate: where there is a `learnings.md` or a ticket system, always, never",
    ),
    key(
        "ticketing.discovery",
        List(Item::Text),
        Add,
        "The ticket systems that count, in the order in which they are looked for",
    ),
    key(
        "ticketing.overrides",
        Kind::Switches(None),
        Tighten { stricter: adds_only, rule: "a project may only switch systems on" },
        "Ticket systems switched on or off, by name: `github = true`",
    ),
    key(
        "ticketing.systems",
        Kind::Rows(TICKET_SYSTEM),
        Add,
        "Ticket systems of your own, a `[[ticketing.systems]]` each",
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
        "Fewer changed lines than this are a small change",
    ),
    key(
        "gate.auto_skip.decider",
        Word(&["agent", "always", "never"]),
        Tighten { stricter: asks_more, rule: "a project may only have more asked" },
        "Whether a small change is let pass: asked after a ticket's close, always, never",
    ),
    key(
        "retrieval.max_injections",
        Integer { min: 0, max: 10 },
        Set,
        "The most learnings that are put before an agent at once; 0 for none",
    ),
    key(
        "retrieval.strategy",
        Word(&["conservative", "moderate", "aggressive"]),
        Set,
        "How sure to be of relevance; 3, 5 or 10 at once at most, capped by max_injections",
    ),
    key(
        "retrieval.on_prompt",
        Switch,
        Set,
        "Bring learnings at prompts too, not only when a session starts",
    ),
    key(
        "retrieval.recency_half_life_days",
        Integer { min: 1, max: 36_500 },
        Set,
        "A learning that nobody refers to counts half after so many days",
    ),
    key(
        "shims.enabled",
        Switch,
        Nothing,
        "Judge the programs that gates and ticket systems name when they start, whatever started them",
    ),
    // A project that calls `git` a proxy would hide `git push` behind it.
    key(
        "commands.proxies",
        List(Item::Text),
        Nothing,
        "Programs of yours that run the rest of their command line",
    ),
    key(
        "commands.writes",
        Kind::Rows(WRITES),
        Add,
        "Programs that write files which their command line names, a `[[commands.writes]]` each",
    ),
    key(
        "gate.write_gate.mode",
        Word(&["strict", "warn", "off"]),
        Tighten { stricter: is_stricter_gate, rule: "a project may only make it stricter" },
        "What becomes of a vague candidate: rejected, kept with a warning, nobody looks",
    ),
    key(
        "backends.discovery",
        List(Item::Word(&["config", "total-recall", "mcp", "markdown"])),
        Set,
        "In this order the places for learnings are looked for",
    ),
    key(
        "backends.overrides",
        Kind::Switches(Some(BACKENDS)),
        Set,
        "By name: used though it is not found, or passed over though it is",
    ),
    key(
        "backends.use",
        List(Item::Word(BACKENDS)),
        Set,
        "What `config` means in the order: these places for learnings and no others",
    ),
    key(
        "backends.mcp.command",
        Kind::Text,
        StartProgram,
        "The memory server's program, a path or a name on PATH; none: there is no server",
    ),
    key("backends.mcp.args", List(Item::Text), StartProgram, "The memory server's arguments"),
    key(
        "backends.mcp.env",
        Kind::Texts(None),
        StartProgram,
        "Variables in the memory server's environment, beside those that are there",
    ),
    key(
        "backends.mcp.tool_names",
        Kind::Texts(Some(&["write", "all", "search", "mark"])),
        StartProgram,
        "The server's tool for each thing wanted of it; none: those of \
         `@modelcontextprotocol/server-memory`",
    ),
    key(
        "decay.passive_duration_days",
        Integer { min: 1, max: 36_500 },
        Set,
        "A learning without a reference for this long is put away",
    ),
    key(
        "decay.immunity_hit_rate",
        Kind::Share,
        Set,
        "Learnings that help more often than this, of the times that they are shown, stay",
    ),
    key(
        "decay.min_dismissals",
        Integer { min: 0, max: 1_000 },
        Set,
        "A learning that was shown in vain less often is left twice the time",
    ),
    key(
        "intent.enabled",
        Kind::Auto,
        Tighten { stricter: is_on, rule: "a project may only switch it on" },
        "The intent gate: where `.orchestration/active_intents.yaml` is, always, never",
    ),
    key(
        "intent.lifetime",
        Word(&["session", "turn"]),
        Tighten { stricter: is_turn, rule: "a project may only shorten it" },
        "How long a selected intent stays selected: the session, until the next prompt",
    ),
    key(
        "intent.hitl",
        Word(&["off", "critical", "destructive"]),
        Tighten { stricter: asks_a_person_more, rule: "a project may only have more asked" },
        "What a person has to say yes to: nothing, what cannot be had back, every change",
    ),
    key(
        "intent.hitl_ttl_seconds",
        Integer { min: 0, max: YEAR },
        Tighten { stricter: is_lower, rule: "a project may only lower it" },
        "How long a person's yes to a command holds",
    ),
    key(
        "intent.opaque",
        Word(&["observe", "ask", "deny"]),
        Tighten { stricter: is_less_trusting, rule: "a project may only make it stricter" },
        "Calls whose writes cannot be known: looked at afterwards, asked about, denied",
    ),
    key(
        "intent.require_ledger",
        Switch,
        Tighten { stricter: is_on, rule: "a project may only switch it on" },
        "Refuse a write that cannot be recorded",
    ),
    key("intent.notes", Switch, Set, "Add the ledger's records to the notes of commits made here"),
    key(
        "intent.format",
        Kind::Texts(None),
        StartProgram,
        "By glob over file names: the program that formats such a file after a write",
    ),
    key(
        "intent.checks",
        List(Item::Pattern),
        Add,
        "Globs over tool keys of tests and linters besides the known ones: `Bash:./verify*`",
    ),
    key(
        "intent.classes",
        Kind::Texts(None),
        Nothing,
        "By tool: `safe`, `destructive` or `critical`, where roz's own table is wrong",
    ),
    key(
        "trust.projects",
        List(Item::Path),
        Nothing,
        "Projects whose own configuration may name programs to start",
    ),
];

/// Variables by which the configuration itself is found. They are never taken
/// from a project.
pub(super) const FINDERS: [&str; 2] = ["ROZ_HOME", "ROZ_CONFIG"];

/// Variables that have nothing to do with the configuration.
pub(super) const OTHER_VARIABLES: [&str; 5] =
    ["ROZ_NOW", "ROZ_DICE", "ROZ_REVIEW_TOKEN", "ROZ_SESSION_ID", "ROZ_AGENT_PID"];

pub(super) fn by_variable(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|it| it.variable == Some(name))
}

/// Where a key's value lies in `document`, the JSON of a `Policy`.
pub fn slot<'a>(document: &'a mut Value, path: &str) -> &'a mut Value {
    path.split('.').fold(document, |at, name| &mut at[name])
}

impl Key {
    const fn from(self, variable: &'static str) -> Self {
        Self { variable: Some(variable), ..self }
    }
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
    rank(COVERAGE, value) > rank(COVERAGE, without)
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

/// The place of a word in a list that goes from lax to strict.
fn rank(words: &[&str], value: &Value) -> usize {
    words.iter().position(|it| value == *it).unwrap_or(0)
}

fn asks_a_person_more(value: &Value, without: &Value) -> bool {
    const WORDS: &[&str] = &["off", "critical", "destructive"];
    rank(WORDS, value) > rank(WORDS, without)
}

fn is_less_trusting(value: &Value, without: &Value) -> bool {
    const WORDS: &[&str] = &["observe", "ask", "deny"];
    rank(WORDS, value) > rank(WORDS, without)
}

fn is_lower(value: &Value, without: &Value) -> bool {
    value.as_u64() < without.as_u64()
}

fn adds_only(value: &Value, _: &Value) -> bool {
    value.as_object().is_some_and(|it| it.values().all(|it| *it == true))
}

fn asks_more(value: &Value, without: &Value) -> bool {
    let rank = |it: &Value| match it.as_str() {
        Some("always") => 0,
        Some("agent") => 1,
        _ => 2,
    };
    rank(value) > rank(without)
}

fn is_stricter_gate(value: &Value, without: &Value) -> bool {
    let laxity = |it: &Value| match it.as_str() {
        Some("strict") => 0,
        Some("warn") => 1,
        _ => 2,
    };
    laxity(value) < laxity(without)
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
