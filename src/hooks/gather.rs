//! Looks at the project before a decision, as far as the event and the session
//! call for it: most events pay for nothing.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::TimeDelta;

use super::{repositories, wire::Input};
use crate::{
    core::{
        event::{Sender, Source, What},
        facts::{Facts, LaunchedBy, Parent, Tree},
        policy::Policy,
        review::{self, REVIEWER},
        session::{Session, SessionId},
    },
    open::Roz,
    world::{World, git, process, read_beginning, read_text},
};

/// What looking may cost at the most; the hook answers well before the client
/// loses patience.
pub(super) fn facts(input: &Input, session: &Session, roz: &Roz, world: &World) -> Facts {
    let (event, transcript) = (&input.event, input.transcript_path.as_deref());
    let mut facts = Facts::default();
    if let What::PreToolUse(call) = &event.what {
        let cwd = input.cwd.as_deref().unwrap_or(&world.cwd);
        facts.gates_elsewhere =
            repositories::gates_elsewhere(call, cwd, project(session, roz), world);
    }
    match &event.what {
        What::SessionStart { source } => {
            facts.second_opinions = Some(second_opinions(&roz.policy, world));
            if *source == Source::Fork {
                facts.open_elsewhere = open_elsewhere(session, roz, world);
            }
        }
        What::Prompt { text, sender: Sender::User } => {
            if review::may_ask(roz.policy.review.mode, text) {
                facts.head = git::head(project(session, roz));
            }
        }
        What::PreToolUse(call)
            if review::gate::gated(&roz.policy.review, &facts.gates_elsewhere, call).is_some() =>
        {
            facts.head = git::head(project(session, roz));
            facts.tree = tree(session, roz, world);
        }
        What::PreToolUse(call) => {
            if let Some(agent) = &event.origin.agent_id
                && session.review.has_token(agent)
                && review::proof::decides(call)
            {
                let places = [session.transcript_path.as_deref(), transcript];
                let places: Vec<&Path> = places.into_iter().flatten().collect();
                facts.launched_by = launched_by(agent, &places);
            }
        }
        What::Stop(_) => facts.tree = tree(session, roz, world),
        What::SubagentStart { agent_type, .. } if agent_type == REVIEWER => {
            facts.second_opinions = Some(second_opinions(&roz.policy, world));
            let dirs = [Some(project(session, roz)), session.cwd.as_deref()];
            let dirs: Vec<&Path> = dirs.into_iter().flatten().collect();
            facts.shadow = shadow(&dirs, world);
            facts.parent = parent(world);
        }
        What::Prompt { .. }
        | What::PostToolUse { .. }
        | What::SubagentStart { .. }
        | What::SubagentStop { .. }
        | What::TaskCompleted { .. }
        | What::SessionEnd { .. } => (),
    }
    facts
}

fn project<'a>(session: &'a Session, roz: &'a Roz) -> &'a Path {
    session.project.as_deref().unwrap_or(&roz.project)
}

/// What roz itself writes down: no part of the work that was approved.
const RECORDS: [&str; 8] = [
    ".roz/learnings.md",
    ".roz/stats.log",
    ".roz/.gitattributes",
    ".grove/learnings.md",
    ".grove/stats.log",
    ".grove/.gitattributes",
    ".orchestration/agent_trace.jsonl",
    ".orchestration/intent_map.md",
];

/// The work tree beside the one that was approved, if one was.
fn tree(session: &Session, roz: &Roz, world: &World) -> Tree {
    let Some(approved) = session.review.approved_tree(&roz.policy, world.now) else {
        return Tree::NotAsked;
    };
    let until = deadline(&roz.policy, world);
    let root = project(session, roz);
    let store = roz.objects(&session.session_id);
    let found = git::tree(root, &store, until).and_then(|tree| {
        if tree == approved {
            return Ok(Tree::Same);
        }
        let mut files = git::changed(root, &store, approved, &tree, until)?;
        files.retain(|it| !RECORDS.contains(&it.as_str()));
        Ok(if files.is_empty() { Tree::Same } else { Tree::Changed { tree, files } })
    });
    found.unwrap_or_else(|err| Tree::Unknown(crate::world::in_a_line(&err)))
}

/// When a hook has to have its answer.
pub(super) fn deadline(policy: &Policy, world: &World) -> Instant {
    // A day is no deadline any more, and cannot overflow the clock.
    let ms = policy.hooks.deadline_ms.min(86_400_000);
    world.started + Duration::from_millis(ms)
}

/// The programs that can give a second opinion: those of the configuration,
/// else those on PATH. Nothing is started.
pub fn second_opinions(policy: &Policy, world: &World) -> Vec<String> {
    let models = &policy.external_models;
    let known = [("codex", &models.codex), ("gemini", &models.gemini)];
    known
        .into_iter()
        .filter_map(|(name, configured)| match configured {
            Some(path) => Some(path.display().to_string()),
            None => world.on_path(name).first().map(|_| name.to_owned()),
        })
        .collect()
}

/// An agent file that bears the reviewer's name: an older client would start
/// that one. A folder that cannot be looked through whole counts as well.
pub fn shadow(dirs: &[&Path], world: &World) -> Option<PathBuf> {
    let launch_dir = world.var("CLAUDE_PROJECT_DIR").map(Path::new);
    let dirs = dirs.iter().copied().chain(launch_dir);
    let mut folders: Vec<PathBuf> =
        dirs.map(|it| it.join(".claude")).chain(config_dir(world)).collect();
    folders.dedup();
    let mut budget = 5000;
    folders.into_iter().find_map(|it| agent_file(&it.join("agents"), 0, &mut budget))
}

fn agent_file(folder: &Path, depth: usize, budget: &mut usize) -> Option<PathBuf> {
    const MAX_DEPTH: usize = 16;
    const MAX_FRONT: u64 = 64 * 1024;
    let entries = std::fs::read_dir(folder).ok()?;
    for entry in entries.flatten() {
        if *budget == 0 || depth > MAX_DEPTH {
            return Some(folder.to_owned());
        }
        *budget -= 1;
        let path = entry.path();
        if path.is_dir() {
            if let Some(found) = agent_file(&path, depth + 1, budget) {
                return Some(found);
            }
        } else if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("md"))
            && let Some((text, _)) = read_beginning(&path, MAX_FRONT)
            && review::names_reviewer(&text)
        {
            return Some(path);
        }
    }
    None
}

/// The client's own folder of the user.
pub fn config_dir(world: &World) -> Option<PathBuf> {
    let named = world.var("CLAUDE_CONFIG_DIR").map(PathBuf::from);
    named.or_else(|| Some(world.user_home.as_ref()?.join(".claude")))
}

fn parent(world: &World) -> Parent {
    const SHELLS: &[&str] =
        &["sh", "bash", "dash", "zsh", "ksh", "mksh", "fish", "ash", "busybox", "tcsh", "csh"];
    let (pid, name) = process::parent();
    let client = world.var("CLAUDE_PID").and_then(|it| it.parse::<u32>().ok());
    match (client, pid, name) {
        (Some(client), Some(pid), _) if client == pid => Parent::Client,
        (Some(_), Some(_), name) => Parent::Stranger(name.unwrap_or_else(|| "?".into())),
        (None, _, Some(name)) if SHELLS.contains(&name.as_str()) => Parent::Stranger(name),
        (None, _, Some(name)) => Parent::Unnamed(name),
        _ => Parent::Unknown,
    }
}

/// How the client says that a subagent was started: it keeps a note beside the
/// subagent's transcript. Measured on versions 2.1.197 and 2.1.330: the note of
/// an Agent call names the call; that of a workflow lies in a folder of its own.
/// The transcript may move in the course of a session, so both its first place
/// and the one that the event names are looked at.
fn launched_by(agent: &str, transcripts: &[&Path]) -> LaunchedBy {
    let is_name = agent.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if !is_name {
        return LaunchedBy::Other("an id that is no name".to_owned());
    }
    let found =
        transcripts.iter().map(|it| note_of(agent, &it.with_extension("").join("subagents")));
    let mut said = LaunchedBy::Unknown;
    for note in found {
        match note {
            LaunchedBy::Other(_) => return note,
            LaunchedBy::Call(_) => said = note,
            LaunchedBy::NotAsked | LaunchedBy::Unknown => (),
        }
    }
    said
}

fn note_of(agent: &str, folder: &Path) -> LaunchedBy {
    const MAX_NOTE: u64 = 64 * 1024;
    let note = format!("agent-{agent}.meta.json");
    let is_note = |path: &Path| path.to_string_lossy().ends_with(".meta.json");
    let files = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut workflows = files(&folder.join("workflows")).map(|it| it.path());
    if workflows.any(|it| it.join(&note).exists()) {
        return LaunchedBy::Other("a workflow".to_owned());
    }
    if let Some(text) = read_text(&folder.join(&note), MAX_NOTE) {
        let note: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        return match note.get("toolUseId").and_then(serde_json::Value::as_str) {
            Some(id) => LaunchedBy::Call(id.to_owned()),
            None => LaunchedBy::Other("no call is named".to_owned()),
        };
    }
    // A client that keeps notes keeps one of every subagent.
    if files(folder).any(|it| is_note(&it.path())) {
        return LaunchedBy::Other("the client has no note of it".to_owned());
    }
    LaunchedBy::Unknown
}

/// Other sessions of this project with an open review, active within the hour.
fn open_elsewhere(session: &Session, roz: &Roz, world: &World) -> Vec<SessionId> {
    const LOOKED_AT: usize = 50;
    let listed = roz.store.list_sessions(LOOKED_AT).unwrap_or_default();
    let project = Some(project(session, roz));
    listed
        .into_iter()
        .flatten()
        .filter(|it| it.session_id != session.session_id && it.project.as_deref() == project)
        .filter(|it| world.now.signed_duration_since(it.updated_at) < TimeDelta::hours(1))
        .filter(|it| it.review.phase().is_open())
        .map(|it| it.session_id)
        .collect()
}
