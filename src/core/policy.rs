//! The configuration as the gates read it, parsed and merged. `config` knows the keys, who may set
//! them and where each was set.

/// Sections of the configuration: structs in which each field that is not given has its default.
macro_rules! sections {
    ($($(#[$about:meta])* pub struct $name:ident {
        $($(#[$doc:meta])* pub $field:ident: $kind:ty $(= $default:expr)?,)*
    })*) => {$(
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        $(#[$about])*
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: or_default!($($default)?),)* }
            }
        }
    )*};
}

macro_rules! or_default {
    () => {
        Default::default()
    };
    ($default:expr) => {
        $default
    };
}

mod intent;
mod reflection;

use std::{collections::BTreeMap, path::PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

pub use self::{intent::*, reflection::*};
use crate::shell;

sections! {
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
        pub shims: ShimsPolicy,
        pub backends: BackendsPolicy,
        pub decay: DecayPolicy,
        pub intent: IntentPolicy,
        pub trust: TrustPolicy,
        pub notify: Notify,
        /// Gates decide and record, but every answer to the client is a pass.
        pub trial: bool,
    }

    pub struct StoragePolicy {
        /// Contains `sessions/`; `None`: `<ROZ_HOME>`.
        pub path: Option<PathBuf>,
        pub backend: Backend,
    }

    pub struct HooksPolicy {
        /// After this time a hook answers as it does on an error.
        pub deadline_ms: u64 = 3000,
    }

    pub struct ReviewPolicy {
        pub mode: Mode,
        pub reviewer_timeout_seconds: u64 = 900,
        /// Consecutive reviews that may find issues before stops pass again.
        pub max_rounds: u32 = 5,
        pub coverage: Coverage,
        /// With more changed files than this, missing coverage is reported and does not prevent an
        /// approval.
        pub coverage_max_files: u64 = 100,
        /// Globs for files that a reviewer need not look at. Without a slash, a glob matches the
        /// file's name.
        pub generated: Vec<String> = GENERATED.split_whitespace().map(str::to_owned).collect(),
        pub parallel: bool,
        pub gates: GatesPolicy,
    }

    pub struct GatesPolicy {
        /// Globs over tool keys: `mcp__tissue__close*`, `Bash:git push*`; with a leading `!`, an
        /// exclusion.
        pub tools: Vec<String>,
        /// The indexes in `tools` at which each project file's patterns start; the user's come
        /// first.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub project_files: Vec<usize>,
        pub approval_scope: Scope,
        pub approval_ttl_seconds: Option<u64>,
        /// Denials in one cycle before a gate asks instead.
        pub max_denials: u32 = 10,
    }

    pub struct BreakerPolicy {
        /// Blocks in one cycle before the next stop passes.
        pub max_blocks: u32 = 3,
        pub cooldown_seconds: u64 = 300,
    }

    pub struct ProtectPolicy {
        pub enabled: bool = true,
    }

    pub struct TemplatesPolicy {
        /// A template's id, or `random`.
        pub active: String = "default".to_owned(),
        /// By id; used only for `random`.
        pub weights: BTreeMap<String, u64> = [("default".to_owned(), 100)].into(),
    }

    /// Where to get second opinions; `None`: looked up on PATH.
    pub struct ExternalModels {
        pub codex: Option<PathBuf>,
        pub gemini: Option<PathBuf>,
    }

    pub struct TracePolicy {
        /// Per session; 0: none.
        pub max_events: u64 = 500,
    }

    pub struct CleanupPolicy {
        pub retention_days: u64 = 7,
    }

    pub struct ShimsPolicy {
        /// Judges programs that gates name when they start.
        pub enabled: bool = true,
    }

    pub struct CommandsPolicy {
        /// The user's programs that run the rest of their command line.
        pub proxies: Vec<String>,
        pub writes: Vec<WritesPolicy>,
    }

    /// An entry of `[[commands.writes]]`.
    #[serde(deny_unknown_fields)]
    pub struct WritesPolicy {
        /// The name, optionally with the words of a subcommand.
        pub program: String,
        /// Options whose value is an output file, as they are typed.
        pub options: Vec<String>,
        /// `all`, `last`, `none`; default: `none` if there are options, else `all`.
        pub operands: Option<String>,
        /// `write`, `append`, `edit`, `remove`; default: `write`.
        pub how: Option<String>,
    }

    pub struct TrustPolicy {
        /// Projects whose configuration may name programs to start.
        pub projects: Vec<PathBuf>,
    }
}

/// How much the user is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notify {
    /// One line at each event of a review.
    #[default]
    Normal,
    /// Only the first blocked stop, a tripped breaker, reviews that do not converge, and decisions
    /// posted at a terminal.
    Quiet,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    #[default]
    File,
}

/// How much a reviewer has to see for an approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// It has seen every change.
    #[default]
    Require,
    /// The user is told what the reviewer has not seen.
    Tell,
    Off,
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

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// In every session of the repository, as long as the work is the approved one.
    #[default]
    Work,
    /// Until the session ends.
    Session,
    /// Until the user's next prompt.
    Prompt,
    /// For one gated call, until one succeeds.
    Tool,
}

/// Lock files, generated and minified files.
const GENERATED: &str = "\
    *.lock *-lock.json *-lock.yaml *.lockb npm-shrinkwrap.json go.sum *.min.js *.min.css *.js.map \
    *.css.map *.pb.go *_pb2.py *_pb2_grpc.py *.g.dart *.generated.*";

impl WritesPolicy {
    fn writer(&self) -> shell::Writer {
        let operands = match self.operands.as_deref() {
            Some("last") => shell::Operands::Last,
            Some("none") => shell::Operands::None,
            None if !self.options.is_empty() => shell::Operands::None,
            Some(_) | None => shell::Operands::All,
        };
        let how = match self.how.as_deref() {
            Some("append") => shell::How::Append,
            Some("edit") => shell::How::Edit,
            Some("remove") => shell::How::Remove,
            Some(_) | None => shell::How::Write,
        };
        // Command lines are read with base names of programs and names of options.
        let (path, verb) = self.program.split_once(' ').unwrap_or((&self.program, ""));
        let program = format!("{} {verb}", shell::last_part(path));
        let options =
            self.options.iter().map(|option| option.trim_end_matches('=').to_owned()).collect();
        shell::Writer { program, options, operands, how }
    }
}

impl CommandsPolicy {
    pub fn options(&self) -> shell::Options {
        let writers = self.writes.iter().map(WritesPolicy::writer).collect();
        let proxies = self.proxies.clone();
        shell::Options { proxies, writers, ..shell::Options::default() }
    }
}

impl GatesPolicy {
    /// One slice per file: an exclusion applies only to patterns of its own file.
    pub fn files(&self) -> impl Iterator<Item = &[String]> {
        let ends = self.project_files.iter().copied().chain([self.tools.len()]);
        ends.scan(0, |from, to| {
            let file = self.tools.get(*from..to).unwrap_or_default();
            *from = to;
            Some(file)
        })
    }
}

impl TemplatesPolicy {
    /// With `random`, chosen by weight; the same number always gives the same template.
    pub fn pick(&self, dice: u64) -> &str {
        if self.active != "random" {
            return &self.active;
        }
        let total = self.weights.values().fold(0_u64, |sum, weight| sum.saturating_add(*weight));
        let mut rest = dice.checked_rem(total).unwrap_or(0);
        for (id, weight) in &self.weights {
            if rest < *weight {
                return id;
            }
            rest -= weight;
        }
        "default"
    }
}

/// Saturates: a number from the configuration cannot overflow.
pub fn later(at: DateTime<Utc>, seconds: u64) -> DateTime<Utc> {
    i64::try_from(seconds)
        .ok()
        .and_then(TimeDelta::try_seconds)
        .and_then(|delta| at.checked_add_signed(delta))
        .unwrap_or(DateTime::<Utc>::MAX_UTC)
}

#[cfg(test)]
mod tests;
