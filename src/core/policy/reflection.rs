//! What the reflection gate and its memory read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

sections! {
    /// Which learnings come back.
    pub struct RetrievalPolicy {
        /// The most titles that are put before an agent at once.
        pub max_injections: u64 = 5,
        pub strategy: Strategy,
        /// At prompts too, not only when a session starts.
        pub on_prompt: bool = true,
        pub recency_half_life_days: u64 = 90,
    }

    pub struct ReflectionPolicy {
        pub enabled: Auto,
    }

    pub struct TicketingPolicy {
        /// The systems that count, in the order in which they are looked for.
        pub discovery: Vec<String> =
            ["tissue", "beads", "tasks", "session"].map(str::to_owned).into(),
        /// Systems switched on or off, by name.
        pub overrides: BTreeMap<String, bool>,
        /// The user's own systems, and the project's.
        pub systems: Vec<TicketSystem>,
        /// Those that count because the project's file says so, and for no other reason.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub of_project: Vec<String>,
    }

    /// A ticket system of the user's.
    #[serde(deny_unknown_fields)]
    pub struct TicketSystem {
        pub name: String,
        /// The file or folder by which a project is known to use it.
        pub marker: Option<String>,
        /// Globs over tool keys of what closes a ticket: `Bash:jira done *`.
        pub closes: Vec<String>,
        /// The command that prints the tickets in progress as JSON.
        pub in_progress: Vec<String>,
    }

    pub struct GatePolicy {
        pub auto_skip: AutoSkipPolicy,
        pub write_gate: WriteGatePolicy,
    }

    /// When a change is too small to have taught anything.
    pub struct AutoSkipPolicy {
        pub enabled: bool = true,
        /// Fewer changed lines than this are a small change.
        pub line_threshold: u64 = 5,
        pub decider: Decider,
    }

    /// When a learning that nobody uses is put away.
    pub struct DecayPolicy {
        /// Without a reference.
        pub passive_duration_days: u64 = 90,
        /// Above it a learning stays, however long ago its last reference is; 0 to 1.
        pub immunity_hit_rate: f64 = 0.8,
        /// With fewer of them it takes twice the time.
        pub min_dismissals: u32 = 3,
    }

    pub struct WriteGatePolicy {
        pub mode: WriteGateMode,
    }

    /// Where learnings are kept.
    pub struct BackendsPolicy {
        /// In this order they are looked for.
        pub discovery: Vec<String> =
            ["config", "total-recall", "mcp", "markdown"].map(str::to_owned).into(),
        /// By name: used though it is not found, or passed over though it is.
        pub overrides: BTreeMap<String, bool>,
        /// What `config` means: these and no others.
        pub r#use: Vec<String>,
        pub mcp: McpPolicy,
    }

    /// A memory server that is started and spoken to over its standard streams.
    pub struct McpPolicy {
        /// The program: a path, or a name on PATH. None: there is no server.
        pub command: Option<String>,
        pub args: Vec<String>,
        pub env: BTreeMap<String, String>,
        /// By what we want (`write`, `all`, `search`, `mark`): the tool that does it. Empty: the
        /// server is `@modelcontextprotocol/server-memory`, or takes its calls.
        pub tool_names: BTreeMap<String, String>,
    }
}

/// How much of the best one's relevance a learning needs for its title to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    Conservative,
    #[default]
    Moderate,
    Aggressive,
}

/// A gate that finds out by itself whether a project wants it: `"auto"`, `true`, `false`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum Auto {
    /// Where the project has what the gate works with.
    #[default]
    Auto,
    On,
    Off,
}

impl From<Value> for Auto {
    fn from(value: Value) -> Self {
        value.as_bool().map_or(Self::Auto, |is_on| if is_on { Self::On } else { Self::Off })
    }
}

impl From<Auto> for Value {
    fn from(value: Auto) -> Self {
        match value {
            Auto::Auto => "auto".into(),
            Auto::On => true.into(),
            Auto::Off => false.into(),
        }
    }
}

/// Who decides that a small change needs no reflection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// Without a ticket it passes; after a ticket's close the agent is asked, and may skip.
    #[default]
    Agent,
    /// Nobody is asked.
    Always,
    /// There are no small changes.
    Never,
}

/// What becomes of a candidate that is vague, or claims what is not plausible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteGateMode {
    /// It is rejected.
    #[default]
    Strict,
    /// It is kept, with a warning.
    Warn,
    /// Nobody looks.
    Off,
}

impl AutoSkipPolicy {
    /// Whether a change of so many lines is a small one.
    pub fn covers(&self, lines: u64) -> bool {
        self.enabled && self.decider != Decider::Never && lines < self.line_threshold
    }
}

impl TicketingPolicy {
    /// The systems that count, in order: those of `discovery`, the user's own, and what `overrides`
    /// adds; without what it takes away.
    pub fn enabled(&self) -> impl Iterator<Item = &str> {
        let own = self.systems.iter().map(|system| system.name.as_str());
        let own = own.filter(|system| !self.discovery.iter().any(|listed| listed == system));
        let listed: Vec<&str> = self.discovery.iter().map(String::as_str).chain(own).collect();
        let added = self.overrides.iter().filter(|(_, on)| **on).map(|(name, _)| name.as_str());
        let added: Vec<&str> = added.filter(|added| !listed.contains(added)).collect();
        // What is always there is the last resort.
        let (last, listed): (Vec<&str>, Vec<&str>) =
            listed.into_iter().partition(|name| *name == "session");
        let all = listed.into_iter().chain(added).chain(last);
        all.filter(|text| self.overrides.get(*text) != Some(&false))
    }

    pub fn has(&self, system: &str) -> bool {
        self.enabled().any(|enabled| enabled == system)
    }

    /// Whether a system, where it is in use, stands in for asking each session. One that only the
    /// project's file knows does not: its marker and what closes are of the project's choice, and a
    /// project switches nothing off.
    pub fn stands_for_sessions(&self, system: &str) -> bool {
        self.has(system) && !self.of_project.iter().any(|known| known == system)
    }
}
