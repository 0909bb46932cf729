//! Commands that a program of a cloud has another machine run, where they are the value of an
//! option and no words of a command line.

use super::super::HOLE;
use super::call::{Call, quoted};
use super::field::Field;
use super::{Walker, limit};

/// A program, its verb, and the options whose values are code there.
const ROWS: &[(&str, &[&str], &[&str])] = &[
    ("aws", &["ssm", "send-command"], &["--parameters"]),
    ("aws", &["ssm", "start-session"], &["--parameters"]),
    ("az", &["vm", "run-command", "invoke"], &["--scripts"]),
    ("az", &["vm", "run-command", "create"], &["--script"]),
    ("az", &["vmss", "run-command", "invoke"], &["--scripts"]),
    ("az", &["aks", "command", "invoke"], &["--command", "-c"]),
    ("az", &["container", "exec"], &["--exec-command"]),
    ("eb", &["ssh"], &["--command", "-c", "--custom", "-e"]),
    ("doctl", &["compute", "ssh"], &["--ssh-command"]),
];

impl Walker<'_> {
    /// Walks what another machine is told. The program is asked about by its own name as well.
    pub(super) fn on_machines(&mut self, name: &str, call: &Call) {
        for (_, verbs, options) in ROWS.iter().filter(|it| it.0 == name) {
            // Between its words there may stand options.
            let mut words = call.words.iter();
            if !verbs.iter().all(|verb| words.any(|it| it.text == *verb)) {
                continue;
            }
            for text in values(words.as_slice(), options).into_iter().take(limit::CHOICES) {
                for code in codes(&text.text) {
                    self.derived(&text, |walker| walker.nested_code(&code, &call.io));
                }
            }
        }
    }
}

/// The words behind an option up to the next one: `--scripts 'make' 'git push' -g x`.
fn values(words: &[Field], options: &[&str]) -> Vec<Field> {
    let mut found = Vec::new();
    let mut is_value = false;
    for word in words {
        if options.contains(&word.text.as_str()) {
            is_value = true;
        } else if let Some((name, value)) = word.text.split_once('=')
            && options.contains(&name)
        {
            found.push(word.with_text(value));
            is_value = true;
        } else if is_value && !word.text.starts_with('-') {
            found.push(word.clone());
        } else {
            is_value = false;
        }
    }
    found
}

/// What a value has run: as it stands, as a list (`commands=["make","git push"]`), or a script that
/// is read (`@x.sh`).
fn codes(value: &str) -> Vec<String> {
    if let Some(script) = value.strip_prefix('@') {
        return vec![format!("sh {}", quoted(&[Field::literal(script)]))];
    }
    let list = ["commands=", "command="].iter().find_map(|it| value.strip_prefix(it));
    let text = list.unwrap_or(value).trim();
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(json) => {
            let json = match &json {
                serde_json::Value::Object(fields) => {
                    fields.get("commands").or(fields.get("command")).unwrap_or(&json)
                }
                json => json,
            };
            match json {
                serde_json::Value::Array(items) => {
                    items.iter().filter_map(|it| it.as_str()).map(str::to_owned).collect()
                }
                json => json.as_str().map(str::to_owned).into_iter().collect(),
            }
        }
        // A list that is cut by commas, with quotes or without: `commands=make,git push`.
        Err(_) if list.is_some() => {
            let items = text.trim_start_matches('[').trim_end_matches(']').split(',');
            items.map(|it| it.trim_matches(['"', '\'', ' ']).to_owned()).collect()
        }
        Err(_) if text.starts_with('{') => vec![HOLE.to_string()],
        Err(_) => vec![text.to_owned()],
    }
}
