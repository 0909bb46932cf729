//! Looks at the project before a decision, as far as the event and the session
//! call for it: most events pay for nothing.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::TimeDelta;

use super::{Input, repositories, reviewing};
use crate::{
    clients::Capability,
    core::{
        self, Need, agent_file,
        event::{Source, ToolCall, What},
        facts::{Facts, GatesElsewhere, LaunchedBy},
        policy::Policy,
        review::{gate, work::Work},
        session::{Session, SessionId},
    },
    observe::work::Question,
    open::{
        Roz,
        work::{self, Asker},
    },
    world::{World, changes, read_beginning, read_text},
};

/// What the gates need to know about this event, as far as the project can tell.
pub(super) fn facts(input: &Input, session: &Session, roz: &Roz, world: &World) -> Facts {
    let cwd = input.cwd.as_deref().unwrap_or(&world.cwd);
    let until = deadline(&roz.policy, world);
    let asker = Asker { session, now: world.now, until };
    let mut facts = Facts::default();
    for need in core::needs(&input.event, session, &roz.policy) {
        match (need, &input.event.what) {
            (Need::Works, _) => {
                let roots = work::roots(session, cwd);
                let work = |root: &PathBuf| roz.work(asker, root, &Question::default());
                facts.works = roots.iter().map(work).collect();
            }
            (Need::WorkHere, _) => facts.work = roz.work(asker, cwd, &Question::default()),
            (Need::Roots, _) => facts.roots = work::roots(session, cwd),
            (Need::SecondOpinions, _) => {
                facts.second_opinions = Some(second_opinions(&roz.policy, world));
            }
            (Need::Dirty(source), _) => facts.dirty = dirty(source, session, roz, until),
            (Need::OpenElsewhere, _) => facts.open_elsewhere = open_elsewhere(session, roz, world),
            (Need::ReviewersOrigin, _) => {
                let dirs = [Some(project(session, roz)), session.cwd.as_deref()];
                let dirs: Vec<&Path> = dirs.into_iter().flatten().collect();
                let replaced = input.client.project_reviewer();
                let replaced = replaced.and_then(|file| {
                    dirs.iter().map(|dir| dir.join(file)).find(|file| file.exists())
                });
                facts.shadow = replaced.or_else(|| shadow(&dirs, world));
                facts.reviewer_unbriefed = !input.client.can(Capability::BriefReviewer);
                facts.reviewer_unwatched = !input.client.can(Capability::NameSubagents);
            }
            (Need::GatedWork, What::PreToolUse(call)) => {
                facts.gates_elsewhere =
                    repositories::gates_elsewhere(call, cwd, project(session, roz), world);
                facts.work = gated_work(call, &facts.gates_elsewhere, cwd, asker, (roz, world));
            }
            (Need::ReviewerChanges, What::PreToolUse(call)) => {
                let home = world.user_home.as_deref();
                facts.reviewer_changes = reviewing::changes(call, session, cwd, home, until);
            }
            (Need::Shown, What::PostToolUse { call, .. }) => {
                facts.shown = reviewing::shown(input, call, cwd, until);
            }
            (Need::LaunchedBy, _) => {
                let places = [session.transcript_path.as_deref(), input.transcript_path.as_deref()];
                let places: Vec<&Path> = places.into_iter().flatten().collect();
                let agent = input.event.origin.agent_id.as_deref().unwrap_or_default();
                facts.launched_by = launched_by(agent, &places);
            }
            (Need::GatedWork | Need::ReviewerChanges | Need::Shown, _) => (),
        }
    }
    facts
}

/// The work that a gated call carries. One that goes to several repositories waits for the first that
/// is not approved.
fn gated_work(
    call: &ToolCall,
    elsewhere: &[GatesElsewhere],
    cwd: &Path,
    asker: Asker,
    (roz, world): (&Roz, &World),
) -> Work {
    let gated = gate::gated(&roz.policy.review, elsewhere, call);
    if gated.is_empty() {
        return Work::default();
    }
    let patterns: Vec<&str> = gated.iter().map(|gated| gated.pattern).collect();
    let question = work::question(&patterns, call);
    let mut works = repositories::folders_of(call, &gated, cwd, world)
        .into_iter()
        .map(|folder| roz.work(asker, &folder, &question));
    let first = works.next().unwrap_or_default();
    let is_served = |work: &Work| work.known().is_some_and(|known| known.approval.is_some());
    let other = if is_served(&first) { works.find(|work| !is_served(work)) } else { None };
    other.unwrap_or(first)
}

/// The files that are dirty as a session begins. One that goes on from another (`/clear`, a fork)
/// takes over what was dirty when that one began.
fn dirty(
    source: Source,
    session: &Session,
    roz: &Roz,
    until: Instant,
) -> Option<BTreeMap<String, String>> {
    if !roz.project.join(".git").exists() {
        return None;
    }
    if matches!(source, Source::Clear | Source::Fork | Source::Resume) {
        let is_before = |other: &Session| {
            other.session_id != session.session_id && other.project.as_ref() == Some(&roz.project)
        };
        let listed = roz.store.list_sessions(20).unwrap_or_default();
        if let Some(before) = listed.into_iter().flatten().find(is_before) {
            return Some(before.dirty);
        }
    }
    changes::dirty(&roz.project, until).ok()
}

fn project<'a>(session: &'a Session, roz: &'a Roz) -> &'a Path {
    session.project.as_deref().unwrap_or(&roz.project)
}

/// When a hook has to have its answer: well before the client loses patience.
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
    folders.into_iter().find_map(|it| reviewers_file(&it.join("agents"), 0, &mut budget))
}

fn reviewers_file(folder: &Path, depth: usize, budget: &mut usize) -> Option<PathBuf> {
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
            if let Some(found) = reviewers_file(&path, depth + 1, budget) {
                return Some(found);
            }
        } else if path.extension().is_some_and(|it| it.eq_ignore_ascii_case("md"))
            && let Some((text, _)) = read_beginning(&path, MAX_FRONT)
            && agent_file::names_reviewer(&text)
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
