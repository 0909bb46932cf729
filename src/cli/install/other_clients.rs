//! `roz install --client`: adds the hooks and the reviewer to an agent's own files, and restores
//! these files exactly on uninstall.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Told, codex_trust};
use crate::{
    clients::{
        self, Client,
        setup::{Content, Setup},
    },
    core::bounded,
    plugin::{self, hooks_of, json_edit::Document, put},
    world::{World, files, read_text},
};

const MAX_FILE: u64 = 4 << 20;

/// What `--client` takes: the clients that roz installs. The names of others are known too, to say
/// why it does not.
pub(in crate::cli) fn named() -> impl TypedValueParser<Value = &'static dyn Client> {
    let is_shown = |name| clients::run().iter().any(|client| client.name() == name);
    let names = clients::ALL.iter().map(|client| client.name());
    let names = names.map(|name| PossibleValue::new(name).hide(!is_shown(name)));
    PossibleValuesParser::new(names).try_map(|name| {
        let client = clients::find(&name).expect("the possible values are the names of clients");
        match client.setup() {
            None if !is_claude(client) => Err(format!(
                "{} was never run with roz, so roz installs nothing there: `roz hook pre-tool-use \
                 --client {}` is what its hook before a tool has to start",
                client.title(),
                client.name()
            )),
            _ => Ok(client),
        }
    })
}

/// Whether a client is installed as a plugin, and not by its files.
pub(in crate::cli) fn is_claude(client: &dyn Client) -> bool {
    client.name() == "claude"
}

pub(in crate::cli) fn present(world: &World) -> Vec<&'static dyn Client> {
    let is_here = |client: &&'static dyn Client| {
        let setup = client.setup();
        setup.is_some_and(|setup| {
            !world.on_path(setup.program).is_empty()
                || folder(setup, world).is_some_and(|folder| folder.is_dir())
        })
    };
    clients::run().iter().copied().filter(is_here).collect()
}

pub(in crate::cli) fn folder(setup: &Setup, world: &World) -> Option<PathBuf> {
    let named = setup.variable.and_then(|name| world.var(name)).map(PathBuf::from);
    named.or_else(|| Some(world.user_home.as_ref()?.join(setup.folder)))
}

#[derive(Debug)]
pub(in crate::cli) struct Planned {
    pub(in crate::cli) path: PathBuf,
    pub(super) old: Option<String>,
    /// An error where what is there cannot be read as what the client expects: it is left alone.
    pub(super) new: Result<String, String>,
    /// All of the file is roz's, and not only a part of it.
    pub(super) is_whole: bool,
}

impl Planned {
    pub(in crate::cli) fn is_done(&self) -> bool {
        self.new.is_ok() && self.old.as_ref() == self.new.as_ref().ok()
    }

    pub(in crate::cli) fn trouble(&self) -> Option<String> {
        let why = self.new.as_ref().err()?;
        Some(format!("`{}` cannot be read as the client expects it: {why}", self.path.display()))
    }
}

pub(in crate::cli) fn plan(client: &dyn Client, world: &World) -> plugin::Result<Vec<Planned>> {
    let Some(setup) = client.setup() else { return Ok(Vec::new()) };
    let folder = folder(setup, world).ok_or(plugin::Error::NoDataDir)?;
    let binary = world.binary().map_err(plugin::Error::Binary)?;
    let binary = binary.to_str().ok_or_else(|| plugin::Error::NotText(binary.clone()))?;
    let mut planned = Vec::new();
    for file in client.files(binary) {
        let path = folder.join(file.path);
        let old = read_text(&path, MAX_FILE);
        let is_unreadable = old.is_none() && path.symlink_metadata().is_ok();
        let is_whole = matches!(file.content, Content::Whole(_));
        let new = match file.content {
            _ if is_unreadable => Err("it is not a file of text".to_owned()),
            Content::Whole(text) => Ok(text),
            Content::Hooks(groups) => {
                let text = old.as_deref().unwrap_or_default();
                let new = with_hooks(text, &groups, client.name());
                if client.name() == "codex"
                    && let Ok(hooks) = &new
                {
                    planned.push(codex_trust::trust(&folder, &path, hooks, &groups));
                }
                new
            }
        };
        planned.push(Planned { path, old, new, is_whole });
    }
    Ok(planned)
}

fn is_ours(hook: &Value, client: &str) -> bool {
    let line = hook["command"].as_str().unwrap_or_default();
    let line = line.trim_end_matches("; exit 0");
    line.contains("roz") && line.contains(" hook ") && line.ends_with(&format!("--client {client}"))
}

/// The text of a JSON file with these groups of hooks, or why its shape is another one.
fn with_hooks(
    text: &str,
    groups: &[(&'static str, Value)],
    client: &str,
) -> Result<String, String> {
    let document = Document::parse_with_comments(text)?;
    let said = document.value();
    let has = |(event, group): &(&str, Value)| {
        said["hooks"][*event].as_array().is_some_and(|list| list.contains(group))
    };
    let ours = hooks_of(&said).filter(|(_, hook)| is_ours(hook, client)).count();
    if ours == groups.len() && groups.iter().all(has) {
        return Ok(text.to_owned());
    }
    document.remove_hooks(|hook| is_ours(hook, client));
    for (event, group) in groups {
        if !document.add_elements(&["hooks"], event, std::slice::from_ref(group)) {
            return Err(format!("`hooks`, or `{event}` in it, is not what it should be"));
        }
    }
    Ok(document.text())
}

/// What an installation wrote, so that it can be undone.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Note {
    files: Vec<Written>,
    made: Vec<PathBuf>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Written {
    client: String,
    path: PathBuf,
    before: Option<String>,
    made: String,
}

fn digest(text: &str) -> String {
    bounded::sha256(text.as_bytes())
}

fn note_file(world: &World) -> plugin::Result<PathBuf> {
    Ok(world.data_dir().ok_or(plugin::Error::NoDataDir)?.join("roz/agents.json"))
}

fn read_note(world: &World) -> Note {
    let text = note_file(world).ok().and_then(|path| read_text(&path, MAX_FILE));
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}

fn write_note(note: &Note, world: &World) -> plugin::Result<()> {
    let path = note_file(world)?;
    if note.files.is_empty() {
        let _ = fs::remove_file(&path);
        return Ok(());
    }
    put(&path, &(serde_json::to_string_pretty(note).unwrap_or_default() + "\n"))
}

/// Whether a file cannot be written. Nothing is written then: a reviewer without hooks is for nothing.
fn left_alone(client: &dyn Client, planned: &[Planned], told: &mut Told) -> bool {
    let troubles: Vec<String> = planned.iter().filter_map(Planned::trouble).collect();
    for trouble in &troubles {
        told.is_unfinished = true;
        told.warnings.push(format!(
            "{trouble}. It was left as it is, and {} is not connected: fix it, then run `roz \
             install --client {}` again.",
            client.title(),
            client.name()
        ));
    }
    !troubles.is_empty()
}

pub(in crate::cli) fn connected(world: &World) -> Vec<&'static dyn Client> {
    let files = read_note(world).files;
    let is_connected =
        |client: &&'static dyn Client| files.iter().any(|written| written.client == client.name());
    clients::run().iter().copied().filter(is_connected).collect()
}

pub(in crate::cli) fn install(
    client: &dyn Client,
    told: &mut Told,
    world: &World,
) -> plugin::Result<()> {
    let mut note = read_note(world);
    let planned = plan(client, world)?;
    if left_alone(client, &planned, told) {
        return Ok(());
    }
    if told.is_dry {
        let files = planned.iter().filter(|file| !file.is_done());
        told.done.extend(files.map(|file| format!("Would write `{}`.", file.path.display())));
        return Ok(());
    }
    for file in &planned {
        let shown = file.path.display();
        let Ok(new) = &file.new else { continue };
        if file.is_done() {
            told.done.push(format!("`{shown}` is up to date."));
            continue;
        }
        let known = note.files.iter().position(|written| written.path == file.path);
        let known = known.map(|at| note.files.remove(at));
        let is_untouched =
            |known: &Written| file.old.as_deref().map(digest) == Some(known.made.clone());
        let before = match known {
            Some(known) if is_untouched(&known) => known.before,
            _ => {
                if file.is_whole && file.old.is_some() {
                    told.warnings.push(format!(
                        "`{shown}` was there, and not as roz writes it: roz replaced it. `roz \
                         uninstall --client {}` puts it back.",
                        client.name()
                    ));
                }
                file.old.as_deref().and_then(|old| without(&file.path, old, client.name()))
            }
        };
        let missing = file.path.ancestors().skip(1).take_while(|folder| !folder.exists());
        note.made.extend(missing.map(Path::to_owned));
        put(&file.path, new)?;
        note.files.push(Written {
            client: client.name().to_owned(),
            path: file.path.clone(),
            before,
            made: digest(new),
        });
        write_note(&note, world)?;
        told.done.push(format!("Wrote `{shown}`."));
    }
    Ok(())
}

/// A file's text without what an earlier installation added; `None` if nothing else is in the file.
fn without(path: &Path, text: &str, client: &str) -> Option<String> {
    let is = |end: &str| path.extension().is_some_and(|extension| extension == end);
    if is("toml") && path.ends_with("config.toml") {
        return Some(codex_trust::without_trust(text));
    }
    if !is("json") || path.ends_with("hooks/roz.json") {
        return Some(text.to_owned());
    }
    let document = Document::parse_with_comments(text).ok()?;
    let any = document.remove_hooks(|hook| is_ours(hook, client));
    Some(if any { document.text() } else { text.to_owned() })
}

pub(in crate::cli) fn uninstall(
    client: Option<&str>,
    told: &mut Told,
    world: &World,
) -> plugin::Result<()> {
    let mut note = read_note(world);
    let (mine, others): (Vec<Written>, Vec<Written>) = std::mem::take(&mut note.files)
        .into_iter()
        .partition(|written| client.is_none_or(|name| written.client == name));
    note.files = others;
    for written in mine {
        let path = &written.path;
        let shown = path.display();
        let Some(now) = read_text(path, MAX_FILE) else { continue };
        if digest(&now) == written.made {
            let done = if let Some(before) = &written.before {
                put(path, before)?;
                "Restored"
            } else {
                files::remove(path).map_err(plugin::failed)?;
                "Removed"
            };
            told.done.push(format!("{done} `{shown}`."));
            continue;
        }
        match without(path, &now, &written.client) {
            Some(rest) if rest != now => {
                put(path, &rest)?;
                told.done.push(format!("Removed roz from `{shown}`; your other changes stay."));
            }
            _ => told.warnings.push(format!("`{shown}` was changed since, so it stays.")),
        }
    }
    // The deepest folders first; folders with other files stay.
    note.made.sort_by(|a, b| b.cmp(a));
    note.made.retain(|folder| folder.exists() && fs::remove_dir(folder).is_err());
    write_note(&note, world)
}
