//! Has the client run the agents' verbs without a question: rules in the text of its settings,
//! every other byte of which stays as it is.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{MAX_FILE, before::overwrite, settings::Settings};
use crate::world::read_text;

/// What the client would ask about otherwise: a reviewer's verbs, and those that agents are told to
/// run.
pub const VERBS: [&str; 7] = [
    "roz context",
    "roz decide",
    "roz learn show",
    "roz ref",
    "roz reflect",
    "roz skip",
    "roz observe",
];

/// The rules that are missing from all the settings of a project.
pub fn missing(settings: &[Settings]) -> Vec<String> {
    let is_missing = |verb: &&&str| !settings.iter().any(|it| it.lets_run(verb));
    VERBS.iter().filter(is_missing).map(|verb| format!("Bash({verb}:*)")).collect()
}

/// Adds rules to a settings file that is there.
///
/// # Errors
///
/// A clause that says why not. Then the file is as it was.
pub fn add(path: &Path, rules: &[String]) -> Result<(), String> {
    let text = read_text(path, MAX_FILE).ok_or("it is not text that can be read")?;
    let new = with_rules(&text, rules).ok_or("it says something else than the client expects")?;
    overwrite(path, &new).map_err(|err| err.to_string())
}

#[derive(Deserialize)]
struct Root<'a> {
    #[serde(borrow)]
    permissions: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Permissions<'a> {
    #[serde(borrow)]
    allow: Option<&'a RawValue>,
}

/// The text with rules at the head of `permissions.allow`; none, if that is no list.
fn with_rules(text: &str, rules: &[String]) -> Option<String> {
    let body = text.trim_start_matches('\u{feff}');
    let mut expected: Value = serde_json::from_str(body).ok()?;
    let root: Root = serde_json::from_str(body).ok()?;
    let permissions: Option<Permissions> = match root.permissions {
        Some(raw) => Some(serde_json::from_str(raw.get()).ok()?),
        None => None,
    };
    let lines: Vec<String> = rules.iter().map(|rule| format!("\n      {}", json!(rule))).collect();
    let lines = lines.join(",");
    let (list, wrapped) = match (&root.permissions, permissions.and_then(|it| it.allow)) {
        (_, Some(allow)) => (allow.get(), lines),
        (Some(permissions), None) => {
            (permissions.get(), format!("\n    \"allow\": [{lines}\n    ]"))
        }
        (None, _) => (
            body.trim_start(),
            format!("\n  \"permissions\": {{\n    \"allow\": [{lines}\n    ]\n  }}"),
        ),
    };
    // Behind the bracket.
    let at = list.as_ptr().addr() + 1 - text.as_ptr().addr();
    let is_empty = list[1..].trim_start().starts_with([']', '}']);
    let mut new = text.to_owned();
    new.insert_str(at, &(wrapped + if is_empty { "\n" } else { "," }));
    let table = expected.as_object_mut()?.entry("permissions").or_insert_with(|| json!({}));
    let allow = table.as_object_mut()?.entry("allow").or_insert_with(|| json!([]));
    let old = allow.as_array()?.clone();
    *allow = rules.iter().map(|rule| json!(rule)).chain(old).collect();
    let said: Value = serde_json::from_str(new.trim_start_matches('\u{feff}')).ok()?;
    (said == expected).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_added_and_every_other_byte_stays() {
        let rules = ["Bash(roz ref:*)".to_owned(), "Bash(roz skip:*)".to_owned()];
        for text in [
            "{}",
            " {\n}\n",
            "{\"permissions\":{}}",
            "{\"b\": 1, \"permissions\": {\"deny\": [\"x\"]}, \"a\": 2}",
            "{\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls:*)\"\n    ]\n  }\n}\n",
            "\u{feff}{\"permissions\":{\"allow\":[]}}",
        ] {
            let new = with_rules(text, &rules).unwrap();
            let said: Value = serde_json::from_str(new.trim_start_matches('\u{feff}')).unwrap();
            assert_eq!(said["permissions"]["allow"][1], "Bash(roz skip:*)", "{new}");
            let mut rest = new.chars();
            assert!(text.chars().all(|c| rest.any(|it| it == c)), "{new}");
        }
        for odd in ["", "[]", "{\"permissions\": []}", "{\"permissions\": {\"allow\": 1}}", "{"] {
            assert_eq!(with_rules(odd, &rules), None, "{odd}");
        }
    }
}
