//! Reports calls that weakened one of roz's own files. The change waits for `roz confirm`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub use super::weakened_file::{Kind, WeakenedFile};
use crate::core::{
    Cx, bounded,
    event::ToolCall,
    intent::class::{self, Class, Known},
    outcome::{Notice, Outcome},
    protect::is_protected_variable,
    trace::Mark,
};

/// What client settings do for roz: its hooks, its plugin, and hooks being enabled.
pub fn protections(settings: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if settings["disableAllHooks"] != true {
        found.insert("hooks are enabled".to_owned());
    }
    if settings["enabledPlugins"]["roz@roz"] == true {
        found.insert("`roz@roz` is enabled".to_owned());
    }
    let variables = settings["env"].as_object().into_iter().flatten();
    let variables = variables.filter(|(name, _)| is_protected_variable(name));
    let variables: Vec<String> = variables.map(|(name, value)| format!("{name}={value}")).collect();
    found.insert(format!("variables for roz in `env`: [{}]", variables.join(", ")));
    for (event, groups) in settings["hooks"].as_object().into_iter().flatten() {
        let text = groups.to_string();
        if text.contains("roz") && text.contains("hook") {
            found.insert(format!("a roz hook runs at {event}"));
        }
    }
    found
}

/// Whether a call may change something. If so, roz's own files are read before and after it and
/// compared. File tools are left out: self-protection has judged them already.
pub fn may_change(call: &ToolCall) -> bool {
    let known = Known { overrides: &BTreeMap::new(), free: &BTreeSet::new(), may_discard: false };
    call.tool.written().is_none() && class::classify(call, known).class > Class::Safe
}

pub(super) fn decide(cx: Cx) -> Outcome {
    let mut outcome = Outcome::pass();
    for weakened in &cx.facts.weakened {
        let (shown, applies) = (weakened.shown(), weakened.applies());
        let tool = bounded::line(&weakened.tool, 60);
        outcome = outcome
            .telling_user(format!(
                "roz: changed while {tool} ran: {shown}. Put it back, or run `roz confirm` at a \
                 terminal if it is right. {applies}"
            ))
            .telling_agent(
                Notice::new("own-files")
                    .with("tool", tool)
                    .with("shown", shown.clone())
                    .with("applies", applies),
            )
            .marked(Mark::Weakened { file: weakened.file.display().to_string(), what: shown });
    }
    outcome
}
