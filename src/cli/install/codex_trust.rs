//! Codex silently skips hooks that nobody has trusted. Trust is recorded as digests in its
//! `config.toml`, as its own `/hooks` does.

use std::path::Path;

use serde_json::{Value, json};

use super::other_clients::Planned;
use crate::{core::bounded, world::read_text};

const BEGIN: &str = "# roz: trust in its own hooks (`roz uninstall` removes it)\n";
/// Earlier versions wrote it behind the tables. Codex puts tables of its own before it.
const END: &str = "# roz: end\n";
const MAX_FILE: u64 = 4 << 20;

/// The client's `config.toml`, with trust in these hooks of the file `hooks`.
pub(super) fn trust(
    folder: &Path,
    file: &Path,
    hooks: &str,
    groups: &[(&'static str, Value)],
) -> Planned {
    let path = folder.join("config.toml");
    let old = read_text(&path, MAX_FILE);
    let new = if old.is_none() && path.symlink_metadata().is_ok() {
        Err("it is not a file of text".to_owned())
    } else {
        with_trust(old.as_deref().unwrap_or_default(), file, hooks, groups)
    };
    Planned { path, old, new, is_whole: false }
}

fn with_trust(
    text: &str,
    file: &Path,
    hooks: &str,
    groups: &[(&'static str, Value)],
) -> Result<String, String> {
    let said: Value = serde_json::from_str(hooks.trim_start_matches('\u{feff}'))
        .map_err(|err| format!("`{}` is not JSON: {err}", file.display()))?;
    let entries = groups.iter().filter_map(|(event, group)| {
        let all = said["hooks"][*event].as_array()?;
        let at = all.iter().position(|value| value == group)?;
        let label = snake_case(event);
        let key = json!(format!("{}:{label}:{at}:0", file.display()));
        let digest = digest(&label, &group["hooks"][0]);
        Some(format!("[hooks.state.{key}]\ntrusted_hash = \"sha256:{digest}\"\n"))
    });
    let block: String = entries.collect();
    let new = if let Some((before, after)) = around_trust(text) {
        format!("{before}{BEGIN}{block}{after}")
    } else {
        let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("{text}{gap}{BEGIN}{block}")
    };
    trouble(text, &new).map_or(Ok(new), Err)
}

/// Why a text is not TOML, or cannot have these tables: they may exist in another form.
fn trouble(old: &str, new: &str) -> Option<String> {
    let line = |text: &str, at: usize| text[..at].matches('\n').count() + 1;
    if let Err(err) = old.parse::<toml::Table>() {
        let at = err.span().map_or(0, |span| span.start);
        return Some(format!("{} on line {}", err.message(), line(old, at)));
    }
    let err = new.parse::<toml::Table>().err()?;
    let hooks = old.lines().position(|line| line.trim_start().starts_with("hooks"));
    Some(match hooks {
        Some(at) => format!(
            "`hooks` on line {} is an inline table, to which none can be added: write it as a \
             table `[hooks]`",
            at + 1
        ),
        None => err.message().to_owned(),
    })
}

/// The text without the tables of an earlier installation.
pub(super) fn without_trust(text: &str) -> String {
    let Some((before, after)) = around_trust(text) else { return text.to_owned() };
    format!("{before}{}", after.replacen(END, "", 1))
}

/// What is before and after the tables of an earlier installation. They follow each other without a
/// gap; a table that Codex writes begins with an empty line.
fn around_trust(text: &str) -> Option<(&str, &str)> {
    let (before, mut after) = text.split_once(BEGIN)?;
    while let Some(rest) = after_own_table(after) {
        after = rest;
    }
    Some((before, after))
}

fn after_own_table(text: &str) -> Option<&str> {
    let (key, rest) = text.strip_prefix("[hooks.state.\"")?.split_once("\"]\n")?;
    if !key.contains("hooks.json:") || !rest.starts_with("trusted_hash") {
        return None;
    }
    let is_inside =
        |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(['[', '#']);
    let lines = rest.split_inclusive('\n').take_while(is_inside);
    Some(&rest[lines.map(str::len).sum()..])
}

/// The digest of the hook as canonical JSON: sorted keys, no blanks.
fn digest(label: &str, hook: &Value) -> String {
    let hook = json!({
        "async": false,
        "command": hook["command"],
        "timeout": hook["timeout"],
        "type": "command",
    });
    let identity = json!({ "event_name": label, "hooks": [hook] });
    bounded::sha256(identity.to_string().as_bytes())
}

fn snake_case(event: &str) -> String {
    let mut said = String::new();
    for c in event.chars() {
        if c.is_ascii_uppercase() && !said.is_empty() {
            said.push('_');
        }
        said.push(c.to_ascii_lowercase());
    }
    said
}

#[cfg(test)]
mod tests;
