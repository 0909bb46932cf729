//! What the client's own files say about hooks and plugins.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{ID, MARKETPLACE, hooks_of};
use crate::{
    core::protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    world::read_text,
};

const MAX_FILE: u64 = 4 << 20;

#[derive(Debug, Clone)]
pub struct Settings {
    pub path: PathBuf,
    pub is_managed: bool,
    value: Value,
}

/// Why the client cannot use a settings file. It ignores the whole file, and refuses to write it.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is not JSON without comments, so the client ignores the whole file: {why}", path.display())]
pub struct Broken {
    pub path: PathBuf,
    pub text: String,
    why: serde_json::Error,
}

/// Whether the client can add to a settings file.
///
/// # Errors
///
/// The reason and the remedy.
pub fn check_writable(path: &Path) -> Result<(), String> {
    let again = "then run `roz install` again. Nothing was changed";
    let Ok(meta) = path.symlink_metadata() else { return Ok(()) };
    let shown = path.display();
    let text = read_text(path, MAX_FILE)
        .ok_or_else(|| format!("`{shown}` is not a file of text. Fix it, {again}"))?;
    parse(path, &text).map_err(|broken| format!("{broken}. Fix it, {again}"))?;
    if path.metadata().unwrap_or(meta).permissions().readonly() {
        return Err(format!(
            "`{shown}` is read-only. Make it writable, {again} (where a program writes it: have \
             it say `\"enabledPlugins\": {{\"{ID}\": true}}` and name the marketplace in \
             `extraKnownMarketplaces`)"
        ));
    }
    Ok(())
}

/// The client accepts a byte order mark and an empty file.
fn parse(path: &Path, text: &str) -> Result<Option<Value>, Broken> {
    let body = text.trim_start_matches('\u{feff}');
    if body.trim().is_empty() {
        return Ok(None);
    }
    match serde_json::from_str(body) {
        Ok(table) => Ok(Some(Value::Object(table))),
        Err(why) => Err(Broken { path: path.to_owned(), text: text.to_owned(), why }),
    }
}

/// All settings that apply to a project, in the order of increasing priority, and the files among
/// them that are not JSON.
pub fn read(config_dir: Option<&Path>, project: &Path) -> (Vec<Settings>, Vec<Broken>) {
    let managed = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];
    let managed = managed.map(|managed| Path::new(managed).join("managed-settings.json"));
    let mut paths: Vec<PathBuf> =
        config_dir.map(|config_dir| config_dir.join("settings.json")).into_iter().collect();
    for name in ["settings.json", "settings.local.json"] {
        let path = project.join(".claude").join(name);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let paths =
        paths.into_iter().map(|path| (path, false)).chain(managed.map(|managed| (managed, true)));
    let (mut found, mut broken) = (Vec::new(), Vec::new());
    for (path, is_managed) in paths {
        let Some(text) = read_text(&path, MAX_FILE) else { continue };
        match parse(&path, &text) {
            Ok(value) => found.extend(value.map(|value| Settings { path, is_managed, value })),
            Err(err) => broken.push(err),
        }
    }
    (found, broken)
}

pub fn marketplace(config_dir: Option<&Path>) -> Option<PathBuf> {
    let text = read_text(&config_dir?.join("plugins").join(KNOWN_MARKETPLACES), MAX_FILE)?;
    let known: Value = serde_json::from_str(&text).ok()?;
    let ours = &known[MARKETPLACE];
    let path = ours["source"]["path"].as_str().or_else(|| ours["installLocation"].as_str())?;
    Some(PathBuf::from(path))
}

/// The files of all scopes in which the client records plugins, and which may contain ours.
pub fn files(config_dir: &Path, project: &Path) -> Vec<PathBuf> {
    let plugins = config_dir.join("plugins");
    let [known, path] = [KNOWN_MARKETPLACES, INSTALLED_PLUGINS].map(|name| plugins.join(name));
    let text = read_text(&path, MAX_FILE);
    let list: Value = text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
    let entries = list["plugins"][ID].as_array().into_iter().flatten();
    let projects = entries.filter_map(|entry| entry["projectPath"].as_str()).map(Path::new);
    let of_projects: BTreeSet<PathBuf> = [project]
        .into_iter()
        .chain(projects)
        .flat_map(|path| {
            ["settings.json", "settings.local.json"].map(|name| path.join(".claude").join(name))
        })
        .collect();
    let own = [known, path, config_dir.join("settings.json")];
    own.into_iter().chain(of_projects).collect()
}

/// Descriptions of whatever makes the client run our hooks in addition to plugin [`ID`].
pub fn seconds(settings: &[Settings]) -> Vec<String> {
    let by_hand = settings.iter().filter(|setting| !setting.events().is_empty());
    let by_hand = by_hand.map(|by_hand| format!("`{}`", by_hand.path.display()));
    let namesakes = settings.iter().flat_map(Settings::namesakes);
    let all: BTreeSet<String> =
        by_hand.chain(namesakes.map(|namesake| format!("plugin `{namesake}`"))).collect();
    all.into_iter().collect()
}

impl Settings {
    pub fn marketplace(&self) -> Option<&Path> {
        let declared = &self.value["extraKnownMarketplaces"][MARKETPLACE]["source"]["path"];
        declared.as_str().map(Path::new)
    }

    pub fn events(&self) -> BTreeSet<&str> {
        let ours = hooks_of(&self.value).filter(|(_, hook)| runs_roz(hook));
        ours.map(|(event, _)| event).collect()
    }

    /// Whether it switches our plugin on or off, if it mentions it.
    pub fn enables_plugin(&self) -> Option<bool> {
        self.value["enabledPlugins"][ID].as_bool()
    }

    pub fn namesakes(&self) -> Vec<&str> {
        let plugins = self.value["enabledPlugins"].as_object().into_iter().flatten();
        let is_namesake =
            |(id, on): &(&String, &Value)| *id != ID && id.starts_with("roz@") && **on == true;
        plugins.filter(is_namesake).map(|(id, _)| id.as_str()).collect()
    }

    /// The setting that switches the hooks of all plugins off, or on again.
    pub fn switches_hooks_off(&self) -> Option<(&'static str, bool)> {
        let says = |key: &'static str| self.value[key].as_bool().map(|is_set| (key, is_set));
        let managed =
            says("allowManagedHooksOnly").filter(|(_, is_set)| *is_set && self.is_managed);
        managed.or_else(|| says("disableAllHooks"))
    }

    pub fn has_status_line(&self) -> bool {
        self.value["statusLine"].is_object()
    }

    /// A variable that the client sets. A number is converted to text.
    pub fn variable(&self, name: &str) -> Option<String> {
        match &self.value["env"][name] {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The rule in a list (`deny`, `ask`) for Bash calls of `program`.
    pub fn rule_about(&self, list: &str, program: &str) -> Option<&str> {
        let rules = self.value["permissions"][list].as_array().into_iter().flatten();
        rules.filter_map(Value::as_str).find(|rule| covers(rule, program))
    }

    pub fn lets_run(&self, program: &str) -> bool {
        self.value["permissions"]["defaultMode"] == "bypassPermissions"
            || self.rule_about("allow", program).is_some()
    }
}

/// Whether a rule covers all Bash calls that begin with `program`.
fn covers(rule: &str, program: &str) -> bool {
    let Some(rest) = rule.strip_prefix("Bash") else { return false };
    let inner = match rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => inner,
        None if rest.is_empty() => "*",
        None => return false,
    };
    let stem = inner.trim_end_matches('*').trim_end_matches([':', ' ']);
    stem.len() < inner.len() && program.starts_with(stem)
}

/// Whether a hook runs only `roz hook`, so that it can be removed.
pub(super) fn is_only_roz(hook: &Value) -> bool {
    let line = hook["command"].as_str().unwrap_or_default();
    runs_roz(hook) && !line.contains([';', '|', '&', '\n', '`', '('])
}

fn runs_roz(hook: &Value) -> bool {
    let line = hook["command"].as_str().unwrap_or_default();
    let args = hook["args"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words = line.split_whitespace().chain(args).map(|word| word.trim_matches(['"', '\'']));
    let words: Vec<&str> = words.collect();
    words.windows(2).any(|word| {
        let program = word[0].rsplit('/').next().unwrap_or_default();
        program == "roz" && word[1] == "hook"
    })
}

#[cfg(test)]
mod tests;
