//! Judges changes of the client's settings. Only hooks, plugins and a few variables are protected;
//! other keys may change.

use serde_json::{Map, Value};

use crate::core::{
    client_files,
    event::ToolCall,
    reviewer_file,
    tool::{Replacement, Tool},
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Absent,
    Text(String),
    Unknown,
}

/// Whether the protected settings stay the same. If either text cannot be parsed, both have to be
/// equal.
pub(super) fn stays(before: &Content, after: &Content) -> bool {
    match (protected(before), protected(after)) {
        (Some(before), Some(after)) => before == after,
        _ => before == after && *before != Content::Unknown,
    }
}

/// The protected part of the settings; `None` if they cannot be parsed.
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
        } else if let Some((_, own)) = reviewer_file::SETTINGS.iter().find(|(of, _)| *of == key) {
            if let Some(reviewer) = value.get(own) {
                res.insert(key, reviewer.clone());
            }
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

pub fn is_protected_variable(name: &str) -> bool {
    name.starts_with("ROZ_") || ["PATH", "HOME"].contains(&name) || client_files::is_variable(name)
}

/// A file's content after a file tool's call. After a command line it is unknown.
pub(super) fn after(call: &ToolCall, before: &Content) -> Content {
    match &call.tool {
        Tool::Write { content: Some(content), .. } => Content::Text(content.clone()),
        Tool::Edit { replacements: Some(replacements), .. } => edited(before, replacements),
        _ => Content::Unknown,
    }
}

/// The old text has to occur exactly once, unless all occurrences are replaced. An empty old text
/// creates the file.
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
