//! What the client's own files say about hooks and plugins.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::{ID, MARKETPLACE};
use crate::{
    core::protect::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    world::read_text,
};

const MAX_FILE: u64 = 4 << 20;

/// One settings file.
#[derive(Debug, Clone)]
pub struct Settings {
    pub path: PathBuf,
    /// The administrator's.
    pub is_managed: bool,
    value: Value,
}

/// Why the client cannot use a settings file: it ignores the whole file, and refuses to write it.
#[derive(Debug, thiserror::Error)]
#[error("`{}`{place}: {why}", path.display())]
pub struct Broken {
    pub path: PathBuf,
    pub text: String,
    place: String,
    why: String,
}

impl Broken {
    fn new(path: &Path, text: &str, err: &serde_json::Error) -> Self {
        let place = format!(", line {}", err.line());
        // Lines and columns count from 1, columns in bytes.
        let line = text.lines().nth(err.line().saturating_sub(1)).unwrap_or_default();
        let rest = line.as_bytes().get(err.column().saturating_sub(1)..).unwrap_or_default();
        let why = if rest.starts_with(b"/") {
            "a comment. The client reads none in its settings, and ignores the whole file"
                .to_owned()
        } else {
            let why = err.to_string();
            let why = why.split(" at line ").next().unwrap_or_default();
            format!("{why}. The client ignores the whole file")
        };
        Self { path: path.to_owned(), text: text.to_owned(), place, why }
    }
}

/// Whether the client can add to a settings file.
///
/// # Errors
///
/// Why not, with the remedy.
pub fn check_writable(path: &Path) -> Result<(), String> {
    let again = "then run `roz install` again. Nothing was changed";
    let shown = path.display();
    let Ok(meta) = path.metadata() else {
        return match path.symlink_metadata() {
            Ok(_) => Err(format!("`{shown}` is a broken link. Fix it, {again}")),
            Err(_) => Ok(()),
        };
    };
    if !meta.is_file() {
        return Err(format!("`{shown}` is not a file. Remove it, {again}"));
    }
    let Some(text) = read_text(path, MAX_FILE) else {
        return Err(format!("`{shown}` cannot be read as text. Fix it, {again}"));
    };
    if let Err(broken) = parse(path, &text) {
        return Err(format!("{broken}. Fix it, {again}"));
    }
    if meta.permissions().readonly() {
        return Err(format!(
            "`{shown}` is read-only. Make it writable, {again} (where a program writes it: have \
             it say `\"enabledPlugins\": {{\"{ID}\": true}}` and name the marketplace in \
             `extraKnownMarketplaces`)"
        ));
    }
    Ok(())
}

/// The client takes a byte order mark and a file of nothing.
fn parse(path: &Path, text: &str) -> Result<Option<Value>, Broken> {
    let body = text.trim_start_matches('\u{feff}');
    if body.trim().is_empty() {
        return Ok(None);
    }
    let table: Result<serde_json::Map<_, _>, _> = serde_json::from_str(body);
    table.map(|table| Some(Value::Object(table))).map_err(|err| Broken::new(path, body, &err))
}

/// All settings that hold for a project, those that win last, and the files
/// among them that are not JSON.
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

/// The folder from which the client reads our plugin.
pub fn marketplace(config_dir: Option<&Path>) -> Option<PathBuf> {
    let text = read_text(&registry(config_dir?, KNOWN_MARKETPLACES), MAX_FILE)?;
    let known: Value = serde_json::from_str(&text).ok()?;
    let ours = &known[MARKETPLACE];
    let path = ours["source"]["path"].as_str().or_else(|| ours["installLocation"].as_str())?;
    Some(PathBuf::from(path))
}

/// One of the client's lists of plugins.
pub fn registry(config_dir: &Path, name: &str) -> PathBuf {
    config_dir.join("plugins").join(name)
}

fn installed(path: &Path) -> Value {
    let text = read_text(path, MAX_FILE);
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

/// Plugins that the client has taken from a marketplace of our name and that
/// are not ours.
pub fn others_of_marketplace(config_dir: Option<&Path>, settings: &[Settings]) -> BTreeSet<String> {
    let installed = config_dir
        .map(|config_dir| installed(&registry(config_dir, INSTALLED_PLUGINS)))
        .unwrap_or_default();
    let tables = settings.iter().map(|setting| &setting.value["enabledPlugins"]);
    let ids = tables.chain([&installed["plugins"]]).filter_map(Value::as_object).flatten();
    let ids = ids.map(|(id, _)| id).filter(|id| *id != ID);
    ids.filter(|id| id.rsplit_once('@').is_some_and(|parts| parts.1 == MARKETPLACE))
        .cloned()
        .collect()
}

/// The files in which the client notes plugins and what is switched on, of
/// whatever scope: those that may name ours.
pub fn files(config_dir: &Path, project: &Path) -> Vec<PathBuf> {
    let [known, path] =
        [KNOWN_MARKETPLACES, INSTALLED_PLUGINS].map(|text| registry(config_dir, text));
    let list = installed(&path);
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

/// Whatever makes the client run our hooks besides plugin [`ID`]: in words.
pub fn seconds(settings: &[Settings]) -> Vec<String> {
    let by_hand = settings.iter().filter(|setting| !setting.events().is_empty());
    let by_hand = by_hand.map(|by_hand| format!("`{}`", by_hand.path.display()));
    let namesakes = settings.iter().flat_map(Settings::namesakes);
    let all: BTreeSet<String> =
        by_hand.chain(namesakes.map(|namesake| format!("plugin `{namesake}`"))).collect();
    all.into_iter().collect()
}

impl Settings {
    /// Whether it tells the client to take plugins from `folder`.
    pub fn declares_marketplace(&self, folder: &Path) -> bool {
        self.marketplace() == Some(folder)
    }

    /// Where it tells the client to take plugins of our marketplace from.
    pub fn marketplace(&self) -> Option<&Path> {
        let declared = &self.value["extraKnownMarketplaces"][MARKETPLACE]["source"]["path"];
        declared.as_str().map(Path::new)
    }

    /// The events at which it runs `roz hook` by itself.
    pub fn events(&self) -> Vec<&str> {
        let events = self.value["hooks"].as_object().into_iter().flatten();
        let runs = |groups: &Value| {
            let groups = groups.as_array().into_iter().flatten();
            groups.filter_map(|group| group["hooks"].as_array()).flatten().any(runs_roz)
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
        let says = |key: &'static str| self.value[key].as_bool().map(|is_set| (key, is_set));
        let managed =
            says("allowManagedHooksOnly").filter(|(_, is_set)| *is_set && self.is_managed);
        managed.or_else(|| says("disableAllHooks"))
    }

    /// Whether it sets a status line.
    pub fn has_status_line(&self) -> bool {
        self.value["statusLine"].is_object()
    }

    /// The PATH that the client gives its children.
    pub fn path_variable(&self) -> Option<&str> {
        self.value["env"]["PATH"].as_str()
    }

    /// A variable that the client sets, for itself too; a number counts as its
    /// digits.
    pub fn variable(&self, name: &str) -> Option<String> {
        match &self.value["env"][name] {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            value @ (Value::Number(_) | Value::Bool(_)) => Some(value.to_string()),
            _ => None,
        }
    }

    /// The rule of a list (`deny`, `ask`) that is about Bash calls of `program`.
    pub fn rule_about(&self, list: &str, program: &str) -> Option<&str> {
        let rules = self.value["permissions"][list].as_array().into_iter().flatten();
        rules.filter_map(Value::as_str).find(|rule| covers(rule, program))
    }

    /// Whether a Bash call of `program` runs without a question.
    pub fn lets_run(&self, program: &str) -> bool {
        let permissions = &self.value["permissions"];
        if permissions["defaultMode"] == "bypassPermissions" {
            return true;
        }
        let rules = permissions["allow"].as_array().into_iter().flatten().filter_map(Value::as_str);
        rules.into_iter().any(|rule| covers(rule, program))
    }
}

/// Whether a rule is about all Bash calls that begin with `program`.
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

/// Whether a hook runs `roz hook` and nothing else: it can be taken away.
pub(super) fn is_only_roz(hook: &Value) -> bool {
    let line = hook["command"].as_str().unwrap_or_default();
    runs_roz(hook) && !line.contains([';', '|', '&', '\n', '`', '('])
}

/// Whether a hook's command line runs `roz hook`.
pub fn runs_roz(hook: &Value) -> bool {
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
