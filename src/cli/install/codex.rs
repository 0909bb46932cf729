//! Codex skips hooks that nobody has trusted, and says nothing: their digests in its `config.toml` are
//! what its own `/hooks` writes.

use std::path::Path;

use serde_json::{Value, json};

use super::agents::Planned;
use crate::{core::bounded, world::read_text};

const BEGIN: &str = "# roz: trust in its own hooks (`roz uninstall` removes it)\n";
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
    let is_unreadable = old.is_none() && path.symlink_metadata().is_ok();
    let said: Value =
        serde_json::from_str(hooks.trim_start_matches('\u{feff}')).unwrap_or_default();
    let entries = groups.iter().filter_map(|(event, group)| {
        let all = said["hooks"][*event].as_array()?;
        let at = all.iter().position(|value| value == group)?;
        let label = snake_case(event);
        let key = json!(format!("{}:{label}:{at}:0", file.display()));
        let digest = digest(&label, &group["hooks"][0]);
        Some(format!("[hooks.state.{key}]\ntrusted_hash = \"sha256:{digest}\"\n"))
    });
    let block: String = entries.collect();
    let rest = without_trust(old.as_deref().unwrap_or_default());
    let gap = if rest.is_empty() || rest.ends_with('\n') { "" } else { "\n" };
    let new = format!("{rest}{gap}{BEGIN}{block}{END}");
    // Someone may have a table of that name in another form.
    let is_sound = new.parse::<toml::Table>().is_ok() && !is_unreadable;
    Planned { path, old, new: is_sound.then_some(new) }
}

/// The text without the block of an earlier installation.
pub(super) fn without_trust(text: &str) -> String {
    let Some((before, rest)) = text.split_once(BEGIN) else { return text.to_owned() };
    let after = rest.split_once(END).map_or("", |split| split.1);
    format!("{before}{after}")
}

/// Over the hook as canonical JSON: sorted keys, no blanks.
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
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_the_one_that_the_client_computes() {
        // Observed on 0.171.0: the client ran this hook.
        let hook = json!({ "type": "command", "command": "echo hi", "timeout": 10 });
        let text = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"echo hi","timeout":10,"type":"command"}]}"#;
        assert_eq!(digest("pre_tool_use", &hook), bounded::sha256(text.as_bytes()));
    }

    #[test]
    fn the_block_is_taken_out_to_the_byte() {
        let own = "model = \"m\"\n\n[tui]\nx = 1\n";
        let groups =
            [("PreToolUse", json!({ "hooks": [{ "command": "roz hook x", "timeout": 10 }] }))];
        let hooks = json!({ "hooks": { "PreToolUse": [groups[0].1] } }).to_string();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("config.toml"), own).unwrap();
        let file = folder.path().join("hooks.json");
        let new = trust(folder.path(), &file, &hooks, &groups).new.unwrap();
        assert!(new.starts_with(own) && new.contains(":pre_tool_use:0:0\"]"), "{new}");
        assert_eq!(without_trust(&new), own);
    }
}
