//! The settings of the reflection gate and of its store of learnings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

sections! {
    pub struct RetrievalPolicy {
        /// Titles shown to an agent at once.
        pub max_injections: u64 = 5,
        pub strategy: Strategy,
        /// Also at prompts, not only at the start of a session.
        pub on_prompt: bool = true,
        pub recency_half_life_days: u64 = 90,
    }

    pub struct ReflectionPolicy {
        pub enabled: Auto,
    }

    pub struct TicketingPolicy {
        /// In the order in which they are looked for.
        pub discovery: Vec<String> =
            ["tissue", "beads", "tasks", "session"].map(str::to_owned).into(),
        /// Switches systems on or off by name.
        pub overrides: BTreeMap<String, bool>,
        /// Systems that the user or the project defines.
        pub systems: Vec<TicketSystem>,
        /// Systems that are enabled only by the project's file.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub of_project: Vec<String>,
    }

    #[serde(deny_unknown_fields)]
    pub struct TicketSystem {
        pub name: String,
        /// A project with this file or folder uses the system.
        pub marker: Option<String>,
        /// Globs over tool keys of calls that close a ticket: `Bash:jira done *`.
        pub closes: Vec<String>,
        /// The command that prints the tickets in progress as JSON.
        pub in_progress: Vec<String>,
    }

    pub struct GatePolicy {
        pub auto_skip: AutoSkipPolicy,
        pub write_gate: WriteGatePolicy,
    }

    pub struct AutoSkipPolicy {
        pub enabled: bool = true,
        /// Changes with fewer lines are small.
        pub line_threshold: u64 = 5,
        pub decider: Decider,
    }

    pub struct DecayPolicy {
        pub passive_duration_days: u64 = 90,
        /// From 0 to 1. Learnings with a higher hit rate never decay.
        pub immunity_hit_rate: f64 = 0.8,
        /// With fewer dismissals, decay takes twice as long.
        pub min_dismissals: u32 = 3,
    }

    pub struct WriteGatePolicy {
        pub mode: WriteGateMode,
    }

    pub struct BackendsPolicy {
        /// In the order in which they are looked for.
        pub discovery: Vec<String> =
            ["config", "total-recall", "mcp", "markdown"].map(str::to_owned).into(),
        /// Forces a backend on or off, by name.
        pub overrides: BTreeMap<String, bool>,
        /// The backends that `config` selects, exclusively.
        pub r#use: Vec<String>,
        pub mcp: McpPolicy,
    }

    /// A memory server that roz starts and talks to over standard input and output.
    pub struct McpPolicy {
        /// A path, or a name on PATH; `None`: no server.
        pub command: Option<String>,
        pub args: Vec<String>,
        pub env: BTreeMap<String, String>,
        /// The server's tools by purpose (`write`, `all`, `search`, `mark`). Empty: the tools of
        /// `@modelcontextprotocol/server-memory`.
        pub tool_names: BTreeMap<String, String>,
    }
}

/// How relevant a learning has to be, compared with the best one, for its title to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    Conservative,
    #[default]
    Moderate,
    Aggressive,
}

/// A gate's `enabled`: `"auto"`, `true` or `false`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value", into = "Value")]
pub enum Auto {
    /// On where the project has what the gate works with.
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// Small changes pass without a ticket; after a ticket's close the agent is asked and may skip.
    #[default]
    Agent,
    /// Small changes pass unasked.
    Always,
    /// No change is small.
    Never,
}

/// How vague or implausible candidates are treated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteGateMode {
    #[default]
    Strict,
    Warn,
    Off,
}

impl AutoSkipPolicy {
    pub fn covers(&self, lines: u64) -> bool {
        self.enabled && self.decider != Decider::Never && lines < self.line_threshold
    }
}

impl TicketingPolicy {
    /// In order: `discovery`, then the user's systems and those that `overrides` adds, without
    /// those that it removes.
    pub fn enabled(&self) -> impl Iterator<Item = &str> {
        let own = self.systems.iter().map(|system| system.name.as_str());
        let own = own.filter(|system| !self.discovery.iter().any(|listed| listed == system));
        let listed: Vec<&str> = self.discovery.iter().map(String::as_str).chain(own).collect();
        let added = self.overrides.iter().filter(|(_, on)| **on).map(|(name, _)| name.as_str());
        let added: Vec<&str> = added.filter(|added| !listed.contains(added)).collect();
        // Systems that are always available come last.
        let (last, listed): (Vec<&str>, Vec<&str>) =
            listed.into_iter().partition(|name| *name == "session");
        let all = listed.into_iter().chain(added).chain(last);
        all.filter(|text| self.overrides.get(*text) != Some(&false))
    }

    pub fn has(&self, system: &str) -> bool {
        self.enabled().any(|enabled| enabled == system)
    }

    /// Whether the use of this system replaces the reflection at the end of each session. A system
    /// that only the project's file enables does not: a project cannot switch anything off.
    pub fn stands_for_sessions(&self, system: &str) -> bool {
        self.has(system) && !self.of_project.iter().any(|known| known == system)
    }
}
