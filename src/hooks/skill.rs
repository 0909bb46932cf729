//! The command lines in the text of a skill or a command: the client runs its
//! `!` lines by itself, without a hook of their own.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::gather::config_dir;
use crate::{
    core::event::ToolCall,
    world::{World, read_text},
};

const MAX_TEXT: u64 = 256 * 1024;
const MAX_LINES: usize = 200;

/// The lines that a Skill call would run.
pub(super) fn lines(call: &ToolCall, project: &Path, world: &World) -> Vec<String> {
    if !matches!(call.name.as_str(), "Skill" | "SlashCommand") {
        return Vec::new();
    }
    let named = ["skill", "command", "name"].into_iter().find_map(|field| call.text(field));
    let Some(name) = named else { return Vec::new() };
    let name = name.trim().trim_start_matches('/').split_whitespace().next().unwrap_or_default();
    if name.split([':', '/']).any(|it| it.is_empty() || it == ".." || it == ".") {
        return Vec::new();
    }
    let texts = files(name, project, world).into_iter().filter_map(|it| read_text(&it, MAX_TEXT));
    texts.flat_map(|text| lines_of(&text)).take(MAX_LINES).collect()
}

/// Where a skill or a command of that name may lie.
fn files(name: &str, project: &Path, world: &World) -> Vec<PathBuf> {
    let as_path = name.replace(':', "/");
    let mut folders = vec![project.join(".claude")];
    let user = config_dir(world);
    folders.extend(user.clone());
    let mut found: Vec<PathBuf> = folders
        .iter()
        .flat_map(|it| {
            let skill = it.join("skills").join(&as_path).join("SKILL.md");
            [skill, it.join("commands").join(&as_path).with_extension("md")]
        })
        .collect();
    if let (Some(user), Some((plugin, rest))) = (user, name.split_once(':')) {
        let rest = rest.replace(':', "/");
        for folder in plugin_folders(&user, plugin) {
            found.push(folder.join("skills").join(&rest).join("SKILL.md"));
            found.push(folder.join("commands").join(&rest).with_extension("md"));
        }
    }
    found
}

fn plugin_folders(user: &Path, plugin: &str) -> Vec<PathBuf> {
    let Some(text) = read_text(&user.join("plugins/installed_plugins.json"), MAX_TEXT) else {
        return Vec::new();
    };
    let installed: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(plugins) = installed.get("plugins").and_then(Value::as_object) else {
        return Vec::new();
    };
    let entries = plugins.iter().filter(|(id, _)| id.split('@').next() == Some(plugin));
    entries
        .flat_map(|(_, entry)| entry.as_array().cloned().unwrap_or_else(|| vec![entry.clone()]))
        .filter_map(|it| Some(PathBuf::from(it.get("installPath")?.as_str()?)))
        .collect()
}

/// What stands in `` !`…` `` and in fenced blocks that are marked with `!`.
fn lines_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("!`") {
        let Some((line, after)) = after.split_once('`') else { break };
        found.push(line.to_owned());
        rest = after;
    }
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("```!") {
        let Some((block, after)) = after.split_once("```") else { break };
        found.push(block.to_owned());
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_of_writing_a_line_are_found() {
        let text = "State: !`git status`\n\n```!\ngit push\necho\n```\nand `not this`";
        assert_eq!(lines_of(text), ["git status", "\ngit push\necho\n"]);
    }
}
