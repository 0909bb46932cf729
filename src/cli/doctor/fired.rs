//! Whether the hooks ran in the sessions that there were: the client's own
//! transcripts say so. Measured on 2.1.197 and 2.1.330: an `attachment` for
//! each hook of SessionStart, PreToolUse, PostToolUse and Stop, with its command
//! line, its time and, for a tool, the id of the call.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use chrono::{DateTime, Utc};
use serde_json::Value;

use super::Check;
use crate::{
    cli::say::ago,
    core::bounded,
    hooks::gather::config_dir,
    open,
    plugin::{Place, settings},
    world::{World, git, read_beginning, read_ending},
};

const NAME: &str = "fired";
/// Transcripts that are looked into, newest first.
const LOOKED_INTO: usize = 10;
/// Of each, no more than this: the newest of it.
const MAX_READ: u64 = 4 << 20;
/// A call may be refused by the client before any hook hears of it.
const CALLS: usize = 3;
const REMEDY: &str = "start the client anew (a session keeps the hooks that it began with), and \
                      see what `/hooks` lists there; then `roz install`";

/// None where no session of this project began since roz was installed.
pub(super) fn check(world: &World) -> Option<Check> {
    let config_dir = config_dir(world)?;
    let ours = Place::new(world.data_dir().as_deref()).ok().map(|it| it.folder());
    let folder = settings::marketplace(Some(&config_dir)).or(ours)?;
    let since = folder.join("hooks/hooks.json").metadata().ok()?.modified().ok()?;
    let project = git::root(&world.cwd);
    let home = open::home(world);
    let transcripts = newest(&config_dir.join("projects"), since);
    let sessions: Vec<Ran> = transcripts
        .iter()
        .filter_map(|it| Ran::read(it, &home))
        .filter(|it| it.began >= DateTime::<Utc>::from(since) && it.cwd.starts_with(&project))
        .collect();
    judged(&sessions, world.now)
}

/// The newest transcripts that were written to after `since`.
fn newest(projects: &Path, since: SystemTime) -> Vec<PathBuf> {
    const MOST: usize = 10_000;
    let folders = fs::read_dir(projects).into_iter().flatten().flatten();
    let files = folders.filter_map(|it| fs::read_dir(it.path()).ok()).flatten().flatten();
    let files = files.map(|it| it.path()).take(MOST);
    let mut found: Vec<(SystemTime, PathBuf)> = files
        .filter(|it| it.extension().is_some_and(|it| it == "jsonl"))
        .filter_map(|it| Some((it.metadata().ok()?.modified().ok()?, it)))
        .filter(|(written, _)| *written >= since)
        .collect();
    found.sort_by(|a, b| b.cmp(a));
    found.truncate(LOOKED_INTO);
    found.into_iter().map(|(_, path)| path).collect()
}

/// The newest session is what counts: the one before may have been the reason
/// why somebody mended something.
fn judged(sessions: &[Ran], now: DateTime<Utc>) -> Option<Check> {
    let newest = sessions.iter().max_by_key(|it| it.last)?;
    let mut runs: BTreeMap<&str, DateTime<Utc>> = BTreeMap::new();
    for (event, at) in sessions.iter().flat_map(|it| &it.runs) {
        let last = runs.entry(event).or_insert(*at);
        *last = (*last).max(*at);
    }
    let last = |event: &str| match runs.get(event) {
        Some(at) => format!("your {event} hook last ran {}", ago(*at, now)),
        None => format!("your {event} hook has never run"),
    };
    let session = format!("session {} ({})", newest.id, ago(newest.last, now));
    if let Some((event, said)) = &newest.failed {
        let seen = format!("in {session} the {event} hook failed: {said}");
        return Some(Check::fail(NAME, seen, "run `roz install`, then start the client anew"));
    }
    if newest.runs.is_empty() && !newest.is_known {
        let seen = format!("{session} ran without roz: {}", last("SessionStart"));
        return Some(Check::fail(NAME, seen, REMEDY));
    }
    let calls = newest.free_calls;
    if calls >= CALLS {
        let seen = format!("{}, and in {session} {calls} tools ran since", last("PreToolUse"));
        return Some(Check::fail(NAME, seen, REMEDY));
    }
    let told: Vec<String> =
        runs.iter().map(|(event, at)| format!("{event} {}", ago(*at, now))).collect();
    Some(Check::ok(NAME, if told.is_empty() { session } else { told.join(", ") }))
}

/// A session, as far as its transcript tells.
#[derive(Debug, Default)]
struct Ran {
    id: String,
    cwd: PathBuf,
    began: DateTime<Utc>,
    last: DateTime<Utc>,
    /// roz has a record of it.
    is_known: bool,
    /// By event: when our hook ran last.
    runs: BTreeMap<String, DateTime<Utc>>,
    /// A hook of ours that the client could not run, and why.
    failed: Option<(String, String)>,
    /// Calls at the end that no hook of ours was asked about.
    free_calls: usize,
}

impl Ran {
    fn read(path: &Path, home: &Path) -> Option<Self> {
        let id = path.file_stem()?.to_str()?.to_owned();
        let is_known = home.join("sessions").join(format!("{id}.json")).exists();
        let mut it = Self { id: bounded::plain_line(&id), is_known, ..Self::default() };
        let (head, _) = read_beginning(path, 1 << 16)?;
        it.began = head.lines().find_map(|line| time(&serde_json::from_str(line).ok()?))?;
        let (mut calls, mut asked) = (Vec::new(), BTreeSet::new());
        let text = read_ending(path, MAX_READ)?;
        // The first line may be half of one.
        for entry in text.lines().filter_map(|it| serde_json::from_str::<Value>(it).ok()) {
            let Some(at) = time(&entry) else { continue };
            it.last = it.last.max(at);
            if let Some(cwd) = entry["cwd"].as_str() {
                it.cwd = PathBuf::from(cwd);
            }
            let attachment = &entry["attachment"];
            if settings::runs_roz(attachment) {
                it.ran(attachment, at);
            }
            asked.extend(attachment["toolUseID"].as_str().map(str::to_owned));
            let content = entry["message"]["content"].as_array().into_iter().flatten();
            for block in content {
                // A call counts once it has an answer: until then its hook may
                // be running.
                if block["type"] == "tool_result" {
                    calls.extend(block["tool_use_id"].as_str().map(str::to_owned));
                }
            }
        }
        it.free_calls = calls.iter().rev().take_while(|it| !asked.contains(*it)).count();
        Some(it)
    }

    fn ran(&mut self, attachment: &Value, at: DateTime<Utc>) {
        let event = attachment["hookEvent"].as_str().unwrap_or_default();
        let event = bounded::chars(&bounded::plain_line(event), 40);
        let kind = attachment["type"].as_str().unwrap_or_default();
        if kind == "hook_non_blocking_error" || kind == "hook_cancelled" {
            let said = attachment["stderr"].as_str().unwrap_or(kind);
            self.failed = Some((event, bounded::chars(&bounded::plain_line(said), 200)));
            return;
        }
        // It has been mended since.
        self.failed = self.failed.take().filter(|(it, _)| *it != event);
        self.runs.insert(event, at);
    }
}

fn time(entry: &Value) -> Option<DateTime<Utc>> {
    entry["timestamp"].as_str()?.parse().ok()
}
