//! What roz adds to the client's settings if the user wants it: rules that let agents run roz's own
//! commands without a question, and the status line.

use std::path::Path;

use serde_json::{Value, json};

use super::{MAX_FILE, json_edit::Document, put, read_settings::Settings};
use crate::world::{in_a_line, read_text, shell_word};

/// The commands that the client would ask about otherwise: a reviewer's, and those that agents are
/// told to run.
pub const VERBS: [&str; 7] = [
    "roz context",
    "roz decide",
    "roz learn show",
    "roz ref",
    "roz reflect",
    "roz skip",
    "roz observe",
];

fn rule(verb: &str) -> String {
    format!("Bash({verb}:*)")
}

pub fn missing_rules(settings: &[Settings]) -> Vec<String> {
    let is_missing = |verb: &&&str| !settings.iter().any(|setting| setting.lets_run(verb));
    VERBS.iter().filter(is_missing).map(|verb| rule(verb)).collect()
}

/// Adds rules to a settings file that exists, or says why not and leaves it unchanged.
pub fn add_rules(path: &Path, rules: &[String]) -> Result<(), String> {
    let rules: Vec<Value> = rules.iter().map(|rule| json!(rule)).collect();
    edit(path, |document| document.add_elements(&["permissions"], "allow", &rules))
}

/// The same, of the status line, where there is none.
pub fn add_status_line(path: &Path, binary: &Path) -> Result<(), String> {
    let command = format!("{} statusline", shell_word(&binary.to_string_lossy()));
    let value = json!({ "type": "command", "command": command });
    edit(path, |document| document.add_member(&[], STATUS_LINE, &value))
}

const STATUS_LINE: &str = "statusLine";

fn edit(path: &Path, change: impl FnOnce(&Document) -> bool) -> Result<(), String> {
    let text = read_text(path, MAX_FILE).ok_or("it cannot be read")?;
    let document = Document::parse(&text).filter(change);
    let document = document.ok_or("it does not have the shape that the client expects")?;
    put(path, &document.text()).map_err(|err| in_a_line(&err))
}

/// Takes both out of a file that said `old` before. True if there was anything.
pub(super) fn remove(document: &Document, old: &Value) -> bool {
    let had = &old["permissions"]["allow"];
    let had = |rule: &Value| had.as_array().is_some_and(|rules| rules.contains(rule));
    let any =
        document.remove_elements("permissions", "allow", |rule| is_our_rule(rule) && !had(rule));
    if old.get("permissions").is_none() {
        document.remove_if_empty(&["permissions"]);
    }
    let is_new = old.get(STATUS_LINE).is_none();
    document.remove_own_members(|name, value| is_new && name == STATUS_LINE && is_our_line(value))
        || any
}

fn is_our_rule(rule: &Value) -> bool {
    VERBS.iter().any(|verb| rule.as_str() == Some(&self::rule(verb)))
}

fn is_our_line(value: &Value) -> bool {
    let command = value["command"].as_str().unwrap_or_default();
    command.strip_suffix(" statusline").is_some_and(|program| {
        program.trim_end_matches('\'').rsplit('/').next().is_some_and(|name| name == "roz")
    })
}
