//! The configuration, as the gates read it. What a key is called, who may set
//! it and where it was set is `config`'s; what it means is here.

use std::{collections::BTreeMap, path::PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::shell;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    pub storage: StoragePolicy,
    pub hooks: HooksPolicy,
    pub review: ReviewPolicy,
    pub circuit_breaker: BreakerPolicy,
    pub protect: ProtectPolicy,
    pub templates: TemplatesPolicy,
    pub external_models: ExternalModels,
    pub trace: TracePolicy,
    pub cleanup: CleanupPolicy,
    pub reflection: ReflectionPolicy,
    pub ticketing: TicketingPolicy,
    pub gate: GatePolicy,
    pub retrieval: RetrievalPolicy,
    pub commands: CommandsPolicy,
    pub backends: BackendsPolicy,
    pub decay: DecayPolicy,
    pub trust: TrustPolicy,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StoragePolicy {
    /// The home in which `sessions/` lies; none: `<ROZ_HOME>`.
    pub path: Option<PathBuf>,
    pub backend: Backend,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    #[default]
    File,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct HooksPolicy {
    /// After this long a hook answers what it would answer on an error.
    pub deadline_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewPolicy {
    pub mode: Mode,
    /// How long a reviewer, or other subagents, may keep a review waiting.
    pub reviewer_timeout_seconds: u64,
    pub gates: GatesPolicy,
}

/// When a review is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// By every prompt of the user.
    Always,
    /// By a prompt that begins with `#roz`, and by gated tools.
    #[default]
    Prompt,
    Never,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GatesPolicy {
    /// Globs over tool keys: `mcp__tissue__close*`, `Bash:git push*`.
    pub tools: Vec<String>,
    pub approval_scope: Scope,
    pub approval_ttl_seconds: Option<u64>,
    /// Denials in one cycle before a gate asks instead.
    pub max_denials: u32,
}

/// How far an approval reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Until the session ends.
    Session,
    /// Until the user's next prompt.
    #[default]
    Prompt,
    /// One gated call.
    Tool,
}

/// For the review gate and the reflection gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BreakerPolicy {
    /// Blocks in one cycle before the next stop passes.
    pub max_blocks: u32,
    pub cooldown_seconds: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ProtectPolicy {
    pub enabled: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplatesPolicy {
    /// A template's id, or `random`.
    pub active: String,
    /// By id; only for `random`.
    pub weights: BTreeMap<String, u64>,
}

/// Where second opinions are to be had; none: looked up on PATH.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ExternalModels {
    pub codex: Option<PathBuf>,
    pub gemini: Option<PathBuf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TracePolicy {
    /// Events that a session's trace keeps; 0: none.
    pub max_events: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CleanupPolicy {
    pub retention_days: u64,
}

/// Which learnings come back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetrievalPolicy {
    /// The most learnings that are put before an agent at once.
    pub max_injections: u64,
    pub strategy: Strategy,
    /// At prompts too, not only when a session starts.
    pub on_prompt: bool,
    pub recency_half_life_days: u64,
}

/// How sure one has to be of a learning's relevance.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    Conservative,
    #[default]
    Moderate,
    Aggressive,
}

impl RetrievalPolicy {
    /// How many learnings are put before an agent at once, at most.
    pub fn limit(&self) -> usize {
        let of_strategy = match self.strategy {
            Strategy::Conservative => 3,
            Strategy::Moderate => 5,
            Strategy::Aggressive => 10,
        };
        usize::try_from(self.max_injections).unwrap_or(usize::MAX).min(of_strategy)
    }
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReflectionPolicy {
    pub enabled: Auto,
}

/// A gate that finds out by itself whether a project wants it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "AutoValue", into = "AutoValue")]
pub enum Auto {
    /// Where the project has what the gate works with.
    #[default]
    Auto,
    On,
    Off,
}

/// As it is written: `"auto"`, `true`, `false`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum AutoValue {
    Switch(bool),
    Word(AutoWord),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum AutoWord {
    Auto,
}

impl From<AutoValue> for Auto {
    fn from(value: AutoValue) -> Self {
        match value {
            AutoValue::Switch(true) => Self::On,
            AutoValue::Switch(false) => Self::Off,
            AutoValue::Word(AutoWord::Auto) => Self::Auto,
        }
    }
}

impl From<Auto> for AutoValue {
    fn from(value: Auto) -> Self {
        match value {
            Auto::Auto => Self::Word(AutoWord::Auto),
            Auto::On => Self::Switch(true),
            Auto::Off => Self::Switch(false),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TicketingPolicy {
    /// The systems that count, in the order in which they are looked for.
    pub discovery: Vec<String>,
    /// Systems switched on or off, by name.
    pub overrides: BTreeMap<String, bool>,
    /// The user's own systems.
    pub systems: Vec<TicketSystem>,
}

/// A ticket system of the user's.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TicketSystem {
    pub name: String,
    /// The file or folder by which a project is known to use it.
    pub marker: Option<String>,
    /// Globs over tool keys of what closes a ticket: `Bash:jira done *`.
    pub closes: Vec<String>,
    /// The command that prints the tickets in progress as JSON.
    pub in_progress: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GatePolicy {
    pub auto_skip: AutoSkipPolicy,
    pub write_gate: WriteGatePolicy,
}

/// When a change is too small to have taught anything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AutoSkipPolicy {
    pub enabled: bool,
    /// Fewer changed lines than this are a small change.
    pub line_threshold: u64,
    pub decider: Decider,
}

/// Who decides that a small change needs no reflection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decider {
    /// Without a ticket it passes; after a ticket's close the agent is asked,
    /// and may skip.
    #[default]
    Agent,
    /// Nobody is asked.
    Always,
    /// There are no small changes.
    Never,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandsPolicy {
    /// Programs of the user's that run the rest of their command line.
    pub proxies: Vec<String>,
}

impl CommandsPolicy {
    /// What the reading of a command line may know.
    pub fn options(&self) -> shell::Options {
        shell::Options { proxies: self.proxies.clone(), ..shell::Options::default() }
    }
}

/// When a learning that nobody uses is put away.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DecayPolicy {
    /// Without a reference.
    pub passive_duration_days: u64,
    /// Above it a learning stays, however long ago its last reference is; 0
    /// to 1.
    pub immunity_hit_rate: f64,
    /// With fewer of them it takes twice the time.
    pub min_dismissals: u32,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WriteGatePolicy {
    pub mode: WriteGateMode,
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

/// Where learnings are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BackendsPolicy {
    /// In this order they are looked for: `config`, `total-recall`, `mcp`,
    /// `markdown`.
    pub discovery: Vec<String>,
    /// By name: used though it is not found, or passed over though it is.
    pub overrides: BTreeMap<String, bool>,
    /// What `config` means: these and no others.
    pub r#use: Vec<String>,
    pub mcp: McpPolicy,
}

/// A memory server that is started and spoken to over its standard streams.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct McpPolicy {
    /// The program: a path, or a name on PATH. None: there is no server.
    pub command: Option<String>,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// By what we want (`write`, `all`, `search`, `mark`): the tool that does
    /// it. Empty: the server is `@modelcontextprotocol/server-memory`, or
    /// takes its calls.
    pub tool_names: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrustPolicy {
    /// Projects whose configuration may name programs to start.
    pub projects: Vec<PathBuf>,
}

impl Default for HooksPolicy {
    fn default() -> Self {
        Self { deadline_ms: 3000 }
    }
}

impl Default for ReviewPolicy {
    fn default() -> Self {
        Self { mode: Mode::default(), reviewer_timeout_seconds: 900, gates: GatesPolicy::default() }
    }
}

impl Default for GatesPolicy {
    fn default() -> Self {
        Self {
            tools: Vec::new(),
            approval_scope: Scope::default(),
            approval_ttl_seconds: None,
            max_denials: 10,
        }
    }
}

impl Default for TicketingPolicy {
    fn default() -> Self {
        let discovery = ["tissue", "beads", "tasks", "session"];
        Self {
            discovery: discovery.map(str::to_owned).into(),
            overrides: BTreeMap::new(),
            systems: Vec::new(),
        }
    }
}

impl Default for AutoSkipPolicy {
    fn default() -> Self {
        Self { enabled: true, line_threshold: 5, decider: Decider::default() }
    }
}

impl AutoSkipPolicy {
    /// Whether a change of so many lines is a small one.
    pub fn covers(&self, lines: u64) -> bool {
        self.enabled && self.decider != Decider::Never && lines < self.line_threshold
    }
}

impl TicketingPolicy {
    /// The systems that count, in order: those of `discovery`, the user's own,
    /// and what `overrides` adds; without what it takes away.
    pub fn enabled(&self) -> impl Iterator<Item = &str> {
        let own = self.systems.iter().map(|it| it.name.as_str());
        let own = own.filter(|it| !self.discovery.iter().any(|listed| listed == it));
        let listed: Vec<&str> = self.discovery.iter().map(String::as_str).chain(own).collect();
        let added = self.overrides.iter().filter(|(_, on)| **on).map(|(name, _)| name.as_str());
        let added: Vec<&str> = added.filter(|it| !listed.contains(it)).collect();
        // What is always there is the last resort.
        let (last, listed): (Vec<&str>, Vec<&str>) =
            listed.into_iter().partition(|it| *it == "session");
        let all = listed.into_iter().chain(added).chain(last);
        all.filter(|it| self.overrides.get(*it) != Some(&false))
    }

    pub fn has(&self, system: &str) -> bool {
        self.enabled().any(|it| it == system)
    }
}

impl Default for BreakerPolicy {
    fn default() -> Self {
        Self { max_blocks: 3, cooldown_seconds: 300 }
    }
}

impl Default for ProtectPolicy {
    fn default() -> Self {
        Self { enabled: true }
    }
}

impl Default for TemplatesPolicy {
    fn default() -> Self {
        Self { active: "default".into(), weights: [("default".to_owned(), 100)].into() }
    }
}

impl Default for TracePolicy {
    fn default() -> Self {
        Self { max_events: 500 }
    }
}

impl Default for RetrievalPolicy {
    fn default() -> Self {
        Self {
            max_injections: 5,
            strategy: Strategy::default(),
            on_prompt: true,
            recency_half_life_days: 90,
        }
    }
}

impl Default for CleanupPolicy {
    fn default() -> Self {
        Self { retention_days: 7 }
    }
}

impl Default for BackendsPolicy {
    fn default() -> Self {
        let discovery = ["config", "total-recall", "mcp", "markdown"];
        Self {
            discovery: discovery.map(str::to_owned).into(),
            overrides: BTreeMap::new(),
            r#use: Vec::new(),
            mcp: McpPolicy::default(),
        }
    }
}

impl Default for DecayPolicy {
    fn default() -> Self {
        Self { passive_duration_days: 90, immunity_hit_rate: 0.8, min_dismissals: 3 }
    }
}

impl TemplatesPolicy {
    /// The template to use: with `random`, by weight; the same roll always
    /// picks the same one.
    pub fn pick(&self, dice: u64) -> &str {
        if self.active != "random" {
            return &self.active;
        }
        let total = self.weights.values().fold(0_u128, |sum, it| sum + u128::from(*it));
        let mut rest = u128::from(dice).checked_rem(total).unwrap_or(0);
        for (id, weight) in &self.weights {
            if rest < u128::from(*weight) {
                return id;
            }
            rest -= u128::from(*weight);
        }
        "default"
    }
}

/// `seconds` after `at`, or the end of time: a number from the configuration
/// cannot overflow.
pub fn later(at: DateTime<Utc>, seconds: u64) -> DateTime<Utc> {
    i64::try_from(seconds)
        .ok()
        .and_then(TimeDelta::try_seconds)
        .and_then(|delta| at.checked_add_signed(delta))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_of_seconds_overflows() {
        let now = DateTime::UNIX_EPOCH;
        assert_eq!(later(now, u64::MAX), DateTime::<Utc>::MAX_UTC);
        assert_eq!(later(DateTime::<Utc>::MAX_UTC, 1), DateTime::<Utc>::MAX_UTC);
        assert_eq!(later(now, 60), now + TimeDelta::seconds(60));
    }

    #[test]
    fn a_template_comes_as_often_as_it_weighs() {
        let weights = [("a".to_owned(), 1), ("b".to_owned(), 3), ("c".to_owned(), 0)].into();
        let policy = TemplatesPolicy { active: "random".into(), weights };
        let picked = |id| (0..400).filter(|it| policy.pick(*it) == id).count();
        assert_eq!((picked("a"), picked("b"), picked("c")), (100, 300, 0));
    }

    #[test]
    fn no_weights_at_all_mean_the_default_template() {
        let policy = TemplatesPolicy { active: "random".into(), weights: BTreeMap::new() };
        assert_eq!(policy.pick(7), "default");
    }
}
