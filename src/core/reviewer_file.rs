//! Detects a client's agent file with the reviewer's name.

use super::tool::is_reviewer_name;

/// Whether the front matter names the agent `roz:roz`. Names with YAML anchors or escapes are not
/// found.
pub fn names_reviewer(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let Some(front) = text.strip_prefix("---") else { return false };
    let is_name = |line: &str| {
        let (key, value) = line.split_once(':').unwrap_or_default();
        let value = value.split(" #").next().unwrap_or_default();
        let is_quote = |c: char| matches!(c, '"' | '\'') || c.is_whitespace();
        key.trim_matches(is_quote) == "name" && is_reviewer_name(value.trim_matches(is_quote))
    };
    front.lines().take_while(|line| !line.starts_with("---")).any(is_name)
}

#[cfg(test)]
mod tests;
