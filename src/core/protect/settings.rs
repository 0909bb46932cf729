//! What a change would make of the client's settings: only hooks, plugins and a few variables are
//! protected, and a change of another key passes.

use serde_json::{Map, Value};

use crate::core::{
    agents,
    event::ToolCall,
    tool::{Replacement, Tool},
};

/// A file as it is or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Absent,
    Text(String),
    Unknown,
}

/// Whether what is protected stays as it is. Where either side cannot be read, the file counts
/// whole.
pub(super) fn stays(before: &Content, after: &Content) -> bool {
    match (protected(before), protected(after)) {
        (Some(before), Some(after)) => before == after,
        _ => before == after && *before != Content::Unknown,
    }
}

/// What of the settings is protected; `None` if they cannot be read.
fn protected(content: &Content) -> Option<Map<String, Value>> {
    let text = match content {
        Content::Absent => return Some(Map::new()),
        Content::Unknown => return None,
        Content::Text(text) => text.trim_start_matches('\u{feff}'),
    };
    if text.trim().is_empty() {
        return Some(Map::new());
    }
    let Ok(Value::Object(settings)) = serde_json::from_str(text) else { return None };
    let mut res = Map::new();
    for (key, value) in settings {
        let name = key.to_lowercase();
        if ["hook", "plugin", "marketplace"].iter().any(|text| name.contains(text)) {
            res.insert(key, value);
        } else if key == "env" {
            let Value::Object(variables) = value else { return None };
            let kept = variables.into_iter().filter(|(name, _)| is_protected_variable(name));
            let kept: Map<String, Value> = kept.collect();
            if !kept.is_empty() {
                res.insert(key, Value::Object(kept));
            }
        }
    }
    Some(res)
}

/// Whether roz relies on a variable of that name.
pub fn is_protected_variable(name: &str) -> bool {
    name.starts_with("ROZ_") || ["PATH", "HOME"].contains(&name) || agents::is_variable(name)
}

/// What a call of the file tools makes of a file. What a command line makes of it is not known.
pub(super) fn after(call: &ToolCall, before: &Content) -> Content {
    match &call.tool {
        Tool::Write { content: Some(content), .. } => Content::Text(content.clone()),
        Tool::Edit { replacements: Some(replacements), .. } => edited(before, replacements),
        _ => Content::Unknown,
    }
}

/// The old text is there exactly once, or all of it is replaced; no old text at all makes a file.
fn edited(before: &Content, replacements: &[Replacement]) -> Content {
    let mut text = match before {
        Content::Absent => String::new(),
        Content::Text(text) => text.clone(),
        Content::Unknown => return Content::Unknown,
    };
    for Replacement { old, new, all } in replacements {
        text = match (old.is_empty(), text.matches(old).take(2).count(), all) {
            (true, _, _) if text.is_empty() => new.clone(),
            (false, 1, _) | (false, 2, true) => text.replace(old, new),
            _ => return Content::Unknown,
        };
    }
    Content::Text(text)
}
