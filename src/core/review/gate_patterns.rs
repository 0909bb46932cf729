//! Which patterns of `review.gates.tools` cover a call.
//!
//! A pattern that begins with `!` is an exclusion:
//!
//! ```toml
//! tools = ["Bash:git push*", "!Bash:git push origin wip/*"]
//! ```
//!
//! Each command of a call is judged by itself, and the last pattern that matches it wins:
//! `git push origin wip/a && git push origin main` is gated because of its second command. An
//! exclusion applies only to patterns of its own file, so that a project cannot open what its user
//! has gated, and only to commands whose words are all known.

use std::path::Path;

use crate::{
    core::{
        event::ToolCall, facts::GatesElsewhere, policy::GatesPolicy, tool::SHELL, tool_pattern,
    },
    shell::{Certainty, HOLE, Run},
};

/// A pattern that covers a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Gated<'a> {
    pub(crate) pattern: &'a str,
    /// What it matches. `None` if it matches only because parts of the call are unknown.
    pub(crate) key: Option<String>,
    /// The configuring repository, if it is not the session's.
    pub(crate) root: Option<&'a Path>,
}

/// The patterns of another repository that match commands which run there, or unknown parts of the
/// call.
pub(super) fn covering_runs<'a>(
    other: &'a GatesElsewhere,
    call: &ToolCall,
) -> impl Iterator<Item = Gated<'a>> {
    let mut units: Vec<Unit> = other.runs.iter().map(|run| Unit::of_run(run, call)).collect();
    units.extend(Unit::unread(call));
    let found = matching(&other.gates, &units, call);
    found.into_iter().map(|gated| Gated { root: Some(&other.root), ..gated })
}

/// In the patterns' order.
pub(super) fn covering<'a>(gates: &'a GatesPolicy, call: &ToolCall) -> Vec<Gated<'a>> {
    // Computed once per call: most calls match nothing.
    let matches = |text: &String| call.keys().iter().any(|key| tool_pattern::matches(text, key));
    let units = if gates.tools.iter().any(matches) { Unit::all(call) } else { Vec::new() };
    matching(gates, &units, call)
}

fn matching<'a>(gates: &'a GatesPolicy, units: &[Unit], call: &ToolCall) -> Vec<Gated<'a>> {
    let mut found = Vec::new();
    for file in gates.files() {
        for (at, pattern) in file.iter().enumerate() {
            let key = units.iter().find_map(|unit| unit.covered_by(pattern, &file[at + 1..]));
            let is_hidden = call.may_run_anything && pattern.starts_with("Bash:");
            if key.is_some() || is_hidden {
                found.push(Gated { pattern, key: key.cloned(), root: None });
            }
        }
    }
    found
}

struct Unit {
    keys: Vec<String>,
    /// Exclusions apply only to known commands.
    is_known: bool,
}

impl Unit {
    fn all(call: &ToolCall) -> Vec<Self> {
        let mut units: Vec<Self> = call.runs().map(|run| Self::of_run(run, call)).collect();
        units.extend(Self::unread(call));
        // A Bash call is only its commands; another tool may do more.
        let has_own = call.name != SHELL || units.is_empty();
        let keys: Vec<String> = call.names().skip(usize::from(!has_own)).cloned().collect();
        if !keys.is_empty() {
            units.insert(0, Self { keys, is_known: !call.may_run_anything });
        }
        units
    }

    fn unread(call: &ToolCall) -> impl Iterator<Item = Self> {
        let keys = call.raw_keys.iter();
        keys.map(|key| Self { keys: vec![key.clone()], is_known: false })
    }

    fn of_run(run: &Run, call: &ToolCall) -> Self {
        let mut keys = run.keys();
        let has_hole = keys.iter().any(|key| key.contains(HOLE));
        let is_opaque = run.certainty == Certainty::Opaque;
        if call.name == SHELL {
            keys.push(call.name.clone());
        }
        Self { keys, is_known: !has_hole && !is_opaque && !call.may_run_anything }
    }

    /// The matching key, unless one of the `later` patterns of the same file excludes it.
    fn covered_by(&self, pattern: &str, later: &[String]) -> Option<&String> {
        let key = self.keys.iter().find(|key| tool_pattern::matches(pattern, key))?;
        let is_excluded = self.is_known && later.iter().any(|text| self.is_excluded_by(text));
        (!is_excluded).then_some(key)
    }

    fn is_excluded_by(&self, pattern: &str) -> bool {
        let Some(excluded) = tool_pattern::exclusion(pattern) else { return false };
        tool_pattern::check(excluded).is_ok()
            && self.keys.iter().any(|key| tool_pattern::matches(excluded, key))
    }
}

#[cfg(test)]
mod tests;
