//! Detects a client's agent file with the reviewer's name.

use jsonc_parser::ParseOptions;

use super::{client_files, jsonc, tool::is_reviewer_name};
use crate::shell;

/// The reviewer's name where roz installs it as a file.
pub const INSTALLED: &str = "roz";
/// The server of the reviewer's own tool, for clients that do not tell which agent acts.
pub const SERVER: &str = "roz_reviewer";
/// Where a client's settings define them.
pub const SETTINGS: [(&str, &str); 2] = [("agent", INSTALLED), ("mcpServers", SERVER)];

/// Whether the front matter names the agent `roz:roz`. Names with YAML anchors or escapes are not
/// found.
pub fn names_reviewer(text: &str) -> bool {
    front_has_name(text, is_reviewer_name)
}

fn front_has_name(text: &str, is_it: impl Fn(&str) -> bool) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let Some(front) = text.strip_prefix("---") else { return false };
    let is_name = |line: &str| {
        let (key, value) = line.split_once(':').unwrap_or_default();
        let value = value.split(" #").next().unwrap_or_default();
        let is_quote = |c: char| matches!(c, '"' | '\'') || c.is_whitespace();
        key.trim_matches(is_quote) == "name" && is_it(value.trim_matches(is_quote))
    };
    front.lines().take_while(|line| !line.starts_with("---")).any(is_name)
}

/// Whether a project's file defines an agent that its client starts instead of the reviewer that roz
/// installed, which is called `roz` there: by the file's name, by a name in it, or by settings. Settings
/// that give the reviewer's own tool to every agent count, too.
pub fn replaces(path: &str, text: &str) -> bool {
    let is_name = |name: &str| name.trim().eq_ignore_ascii_case(INSTALLED);
    let (stem, extension) = shell::last_part(path).rsplit_once('.').unwrap_or_default();
    let toml = || text.parse::<toml::Table>().unwrap_or_default();
    match extension {
        "md" if client_files::may_override(path) => is_name(stem) || front_has_name(text, is_name),
        "toml" if client_files::may_override(path) => {
            is_name(stem) || toml().get("name").and_then(toml::Value::as_str).is_some_and(is_name)
        }
        "toml" => toml().get("agents").is_some_and(|agents| agents.get(INSTALLED).is_some()),
        "json" | "jsonc" => {
            let settings = jsonc::parse(text, &ParseOptions::default());
            let settings = settings.ok().and_then(|root| root.to_serde_value()).unwrap_or_default();
            SETTINGS.iter().any(|(key, name)| settings[*key].get(name).is_some())
        }
        _ => false,
    }
}

/// Whether a text of unknown form gives something the reviewer's name.
pub fn may_name(text: &str) -> bool {
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\') || c.is_whitespace();
    let plain = text.replace(is_quote, "").to_lowercase();
    ["name:roz", "name=roz"].iter().any(|named| plain.contains(named))
}

#[cfg(test)]
mod tests;
