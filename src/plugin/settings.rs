//! What stands in the client's own files about hooks and plugins. Read only:
//! changing them is the client's business.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{ID, MARKETPLACE};
use crate::world::read_text;

const MAX_FILE: u64 = 4 << 20;

/// One settings file.
#[derive(Debug, Clone)]
pub struct Settings {
    pub path: PathBuf,
    /// The administrator's.
    pub is_managed: bool,
    value: Value,
}

/// All settings that hold for a project, those that win last, and the files
/// among them that are no JSON.
pub fn read(config_dir: Option<&Path>, project: &Path) -> (Vec<Settings>, Vec<PathBuf>) {
    let managed = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];
    let managed = managed.map(|it| Path::new(it).join("managed-settings.json"));
    let mut paths: Vec<PathBuf> =
        config_dir.map(|it| it.join("settings.json")).into_iter().collect();
    for name in ["settings.json", "settings.local.json"] {
        let path = project.join(".claude").join(name);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let paths = paths.into_iter().map(|it| (it, false)).chain(managed.map(|it| (it, true)));
    let (mut found, mut broken) = (Vec::new(), Vec::new());
    for (path, is_managed) in paths {
        let Some(text) = read_text(&path, MAX_FILE) else { continue };
        match serde_json::from_str(text.trim_start_matches('\u{feff}')) {
            Ok(value) => found.push(Settings { path, is_managed, value }),
            Err(_) if text.trim().is_empty() => (),
            Err(_) => broken.push(path),
        }
    }
    (found, broken)
}

/// The folder from which the client reads our plugin.
pub fn marketplace(config_dir: Option<&Path>) -> Option<PathBuf> {
    let text = read_text(&config_dir?.join("plugins/known_marketplaces.json"), MAX_FILE)?;
    let known: Value = serde_json::from_str(&text).ok()?;
    let ours = &known[MARKETPLACE];
    let path = ours["source"]["path"].as_str().or_else(|| ours["installLocation"].as_str())?;
    Some(PathBuf::from(path))
}

impl Settings {
    /// The events at which it runs `roz hook` by itself.
    pub fn events(&self) -> Vec<&str> {
        let events = self.value["hooks"].as_object().into_iter().flatten();
        let runs = |groups: &Value| {
            let groups = groups.as_array().into_iter().flatten();
            groups.filter_map(|it| it["hooks"].as_array()).flatten().any(runs_roz)
        };
        events.filter(|(_, groups)| runs(groups)).map(|(event, _)| event.as_str()).collect()
    }

    /// Whether it switches our plugin on or off, if it says anything of it.
    pub fn enables_plugin(&self) -> Option<bool> {
        self.value["enabledPlugins"][ID].as_bool()
    }

    /// Other plugins of our name that it switches on.
    pub fn namesakes(&self) -> Vec<&str> {
        let plugins = self.value["enabledPlugins"].as_object().into_iter().flatten();
        let is_namesake =
            |(id, on): &(&String, &Value)| *id != ID && id.starts_with("roz@") && **on == true;
        plugins.filter(is_namesake).map(|(id, _)| id.as_str()).collect()
    }

    /// What switches the hooks of all plugins off, or on again.
    pub fn switches_hooks_off(&self) -> Option<(&'static str, bool)> {
        let says = |key: &'static str| self.value[key].as_bool().map(|it| (key, it));
        let managed = says("allowManagedHooksOnly").filter(|(_, it)| *it && self.is_managed);
        managed.or_else(|| says("disableAllHooks"))
    }

    /// The PATH that the client gives its children.
    pub fn path_variable(&self) -> Option<&str> {
        self.value["env"]["PATH"].as_str()
    }

    /// Whether a Bash call of `program` runs without a question.
    pub fn lets_run(&self, program: &str) -> bool {
        let permissions = &self.value["permissions"];
        if permissions["defaultMode"] == "bypassPermissions" {
            return true;
        }
        let rules = permissions["allow"].as_array().into_iter().flatten().filter_map(Value::as_str);
        rules.into_iter().any(|rule| {
            let Some(rest) = rule.strip_prefix("Bash") else { return false };
            let inner = rest.strip_prefix('(').and_then(|it| it.strip_suffix(')')).unwrap_or("*");
            let stem = inner.trim_end_matches('*').trim_end_matches([':', ' ']);
            stem.len() < inner.len() && program.starts_with(stem)
        })
    }
}

/// Whether a hook's command line runs `roz hook`.
fn runs_roz(hook: &Value) -> bool {
    let line = hook["command"].as_str().unwrap_or_default();
    let args = hook["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words = line.split_whitespace().chain(args).map(|it| it.trim_matches(['"', '\'']));
    let words: Vec<&str> = words.collect();
    words.windows(2).any(|it| {
        let program = it[0].rsplit('/').next().unwrap_or_default();
        program == "roz" && it[1] == "hook"
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(value: Value) -> Settings {
        Settings { path: PathBuf::new(), is_managed: false, value }
    }

    #[test]
    fn a_hook_that_runs_roz_is_found_however_it_is_written() {
        for hook in [
            json!({ "command": "roz hook stop" }),
            json!({ "command": "/home/u/.local/bin/roz", "args": ["hook", "stop"] }),
            json!({ "command": "cd /x; \"$HOME/bin/roz\" hook Stop" }),
        ] {
            let it = settings(json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }));
            assert_eq!(it.events(), ["Stop"]);
        }
        for command in ["rozz hook stop", "roz list", "echo roz; hook"] {
            let it =
                settings(json!({ "hooks": { "Stop": [{ "hooks": [{ "command": command }] }] } }));
            assert!(it.events().is_empty(), "{command}");
        }
    }

    #[test]
    fn odd_settings_say_nothing() {
        for value in
            [json!(null), json!([]), json!({ "hooks": 1 }), json!({ "hooks": { "Stop": {} } })]
        {
            let it = settings(value);
            assert!(it.events().is_empty() && it.enables_plugin().is_none());
            assert!(!it.lets_run("roz decide") && it.switches_hooks_off().is_none());
        }
    }

    #[test]
    fn a_rule_lets_run_what_begins_like_it() {
        for (rule, lets) in [
            ("Bash(roz decide:*)", true),
            ("Bash(roz *)", true),
            ("Bash(roz:*)", true),
            ("Bash(*)", true),
            ("Bash", true),
            ("Bash(roz context:*)", false),
            ("Bash(roz decide)", false),
            ("Read", false),
        ] {
            let it = settings(json!({ "permissions": { "allow": [rule] } }));
            assert_eq!(it.lets_run("roz decide"), lets, "{rule}");
        }
    }
}
