//! Looks up the facts that an event and its session need before a decision; most events need none.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::TimeDelta;

use super::{
    Around, Input, intent_briefing, intent_facts, protect_facts, reflection_facts, repositories,
    reviewer_call_facts,
};
use crate::{
    clients::{Capability, Client},
    core::{
        client_files,
        event::{Source, ToolCall, What},
        facts::{Facts, GatesElsewhere},
        needs::Needs,
        policy::Policy,
        review::{gated_calls, needs::ReviewNeed, work::Work},
        reviewer_file,
        session::{Session, SessionId},
    },
    observe::work::Question,
    open::{
        Roz,
        session_work::{self, Asker},
    },
    shell::Run,
    world::{World, git_changes, read_head},
};

#[derive(Clone, Copy)]
pub(super) struct Lookup<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) session: &'a Session,
    pub(super) roz: &'a Roz,
    pub(super) world: &'a World,
}

impl<'a> Lookup<'a> {
    pub(super) fn cwd(self) -> &'a Path {
        self.input.cwd.as_deref().unwrap_or(&self.world.cwd)
    }

    pub(super) fn home(self) -> Option<&'a Path> {
        self.world.user_home.as_deref()
    }

    pub(super) fn until(self) -> Instant {
        deadline(&self.roz.policy, self.world)
    }

    fn project(self) -> &'a Path {
        self.session.project.as_deref().unwrap_or(&self.roz.project)
    }

    /// Newest first.
    pub(super) fn other_sessions(self) -> impl Iterator<Item = Session> {
        const LOOKED_AT: usize = 50;
        let (own, project) = (self.session.session_id.clone(), self.project().to_owned());
        let listed = self.roz.store.list_sessions(LOOKED_AT).unwrap_or_default();
        let is_other = move |other: &Session| {
            other.session_id != own && other.project.as_ref() == Some(&project)
        };
        listed.into_iter().flatten().filter(is_other)
    }

    fn asker(self) -> Asker<'a> {
        Asker { session: self.session, now: self.world.now, until: self.until() }
    }
}

/// `around` is what was done about the event already.
pub(super) fn facts(needs: Needs, around: &Around, look: Lookup) -> Facts {
    let mut facts = Facts { weakened: around.weakened.clone(), ..Facts::default() };
    facts.dirty = needs.dirty.and_then(|source| dirty(source, look));
    for need in needs.review {
        look_up(need, &mut facts, look);
    }
    if let What::PreToolUse(call) = &look.input.event.what {
        facts.written = reviewer_call_facts::written(call, look.cwd(), look.home());
    }
    if let Some(needs) = needs.protect {
        facts.protect = protect_facts::protect_facts(needs, look);
    }
    facts.intent = intent_facts::aims(needs.intent.look, around.formatted, look);
    facts.intent.handshake =
        needs.intent.briefing.and_then(|briefing| intent_briefing::handshake(&briefing, look));
    facts.learned = reflection_facts::learned(&needs.reflection, facts.dirty.as_ref(), look);
    facts
}

fn look_up(need: ReviewNeed, facts: &mut Facts, look: Lookup) {
    let Lookup { input, session, roz, world } = look;
    let (cwd, asker) = (look.cwd(), look.asker());
    match (need, &input.event.what) {
        (ReviewNeed::Works, _) => {
            let roots = session_work::roots(session, cwd);
            let work = |root: &PathBuf| roz.work(asker, root, &Question::default());
            facts.works = roots.iter().map(work).collect();
        }
        (ReviewNeed::WorkHere, _) => facts.work = roz.work(asker, cwd, &Question::default()),
        (ReviewNeed::OpenElsewhere, _) => facts.open_elsewhere = open_elsewhere(look),
        (ReviewNeed::Reviewer, _) => {
            facts.roots = session_work::roots(session, cwd);
            facts.second_opinions = second_opinions(&roz.policy, world);
            let dirs = [Some(look.project()), session.cwd.as_deref()];
            let dirs: Vec<&Path> = dirs.into_iter().flatten().collect();
            facts.shadow = replaced(&dirs, input.client, world).or_else(|| shadow(&dirs, world));
            facts.reviewer_unbriefed = !input.client.can(Capability::BriefReviewer);
            facts.reviewer_unwatched = !input.client.can(Capability::NameSubagents);
        }
        (ReviewNeed::GatedWork, What::PreToolUse(call)) => {
            let elsewhere = repositories::gates_elsewhere(call, cwd, look.project(), world);
            facts.work = gated_work(call, &elsewhere, look);
            facts.gates_elsewhere = elsewhere;
        }
        (ReviewNeed::ReviewerChanges, What::PreToolUse(call)) => {
            facts.reviewer_changes = reviewer_call_facts::changes(call, look);
        }
        (ReviewNeed::Shown, What::PostToolUse { call, .. }) => {
            facts.shown = reviewer_call_facts::shown(call, look);
        }
        (ReviewNeed::GatedWork | ReviewNeed::ReviewerChanges | ReviewNeed::Shown, _) => (),
    }
}

/// For a gated call. If it affects several repositories: the first work that is not approved.
fn gated_work(call: &ToolCall, elsewhere: &[GatesElsewhere], look: Lookup) -> Work {
    let gated = gated_calls::gated(&look.roz.policy.review, elsewhere, call);
    if gated.is_empty() {
        return Work::default();
    }
    let patterns: Vec<&str> = gated.iter().map(|gated| gated.pattern).collect();
    let question = session_work::question(&patterns, call);
    let mut works = repositories::folders_of(call, &gated, look.cwd(), look.world)
        .into_iter()
        .map(|folder| look.roz.work(look.asker(), &folder, &question));
    let first = works.next().unwrap_or_default();
    let is_served = |work: &Work| work.known().is_some_and(|known| known.approval.is_some());
    let other = if is_served(&first) { works.find(|work| !is_served(work)) } else { None };
    other.unwrap_or(first)
}

/// Dirty files at the start of the session. A session that continues another (`/clear`, a fork)
/// takes over that one's list.
fn dirty(source: Source, look: Lookup) -> Option<BTreeMap<String, String>> {
    let project = &look.roz.project;
    if !project.join(".git").exists() {
        return None;
    }
    let goes_on = matches!(source, Source::Clear | Source::Fork | Source::Resume);
    match look.other_sessions().next().filter(|_| goes_on) {
        Some(before) => Some(before.dirty),
        None => git_changes::dirty(project, look.until()).ok(),
    }
}

/// Well before the client's own timeout.
pub(super) fn deadline(policy: &Policy, world: &World) -> Instant {
    // Limited to a day, so that the clock cannot overflow.
    let ms = policy.hooks.deadline_ms.min(86_400_000);
    world.started + Duration::from_millis(ms)
}

/// Configured programs, or else those on PATH. Starts nothing.
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

/// An agent file with the reviewer's name, which an older client would start instead.
pub fn shadow(dirs: &[&Path], world: &World) -> Option<PathBuf> {
    let dirs = dirs.iter().copied().chain(world.var(client_files::PROJECT_DIR).map(Path::new));
    let folders = dirs.flat_map(|dir| client_files::folders().map(move |folder| dir.join(folder)));
    let places = folders.chain(config_dirs(world)).map(|folder| folder.join("agents"));
    first_agent(places, &|path, text| {
        path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("md"))
            && reviewer_file::names_reviewer(text)
    })
}

/// A file of the project that takes the place of the reviewer that was installed for the client.
fn replaced(dirs: &[&Path], client: &dyn Client, world: &World) -> Option<PathBuf> {
    // In the home directory, the one that was installed is the project's own.
    let dirs = dirs.iter().filter(|dir| world.user_home.as_deref() != Some(**dir));
    let places =
        dirs.flat_map(|dir| client.project_reviewers().iter().map(|place| dir.join(place)));
    first_agent(places, &|path, text| reviewer_file::replaces(&path.to_string_lossy(), text))
}

/// The first such file at the places or below them. A folder with more entries than are looked at
/// counts as one, because its content is unknown.
fn first_agent(
    places: impl Iterator<Item = PathBuf>,
    is_it: &dyn Fn(&Path, &str) -> bool,
) -> Option<PathBuf> {
    const MAX_ENTRIES: usize = 5000;
    const MAX_FRONT: usize = 64 * 1024;
    let mut places: Vec<PathBuf> = places.collect();
    let mut looked_at = 0;
    while let Some(place) = places.pop() {
        let Ok(entries) = place.read_dir() else {
            let is_agent = |text: Vec<u8>| is_it(&place, &String::from_utf8_lossy(&text));
            if read_head(&place, MAX_FRONT).is_some_and(is_agent) {
                return Some(place);
            }
            continue;
        };
        for entry in entries.flatten() {
            looked_at += 1;
            if looked_at > MAX_ENTRIES {
                return Some(place);
            }
            // A linked folder may lead in a circle.
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) || entry.path().is_file() {
                places.push(entry.path());
            }
        }
    }
    None
}

pub(super) fn config_dirs(world: &World) -> Vec<PathBuf> {
    client_files::config_dirs(&|name| world.var(name), world.user_home.as_deref())
}

pub fn config_dir(world: &World) -> Option<PathBuf> {
    config_dirs(world).into_iter().next()
}

fn open_elsewhere(look: Lookup) -> Vec<SessionId> {
    let is_recent = |other: &Session| {
        look.world.now.signed_duration_since(other.updated_at) < TimeDelta::hours(1)
    };
    let others = look.other_sessions().filter(is_recent);
    others.filter(|other| other.review.phase().is_open()).map(|other| other.session_id).collect()
}

/// The first folder that a command may run in.
pub(super) fn folder_of(run: &Run, cwd: &Path) -> PathBuf {
    run.folders.first().map_or_else(|| cwd.to_owned(), |folder| cwd.join(folder))
}

/// Expands `~` in a path of a command line.
pub(super) fn absolute(path: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => cwd.join(path),
    }
}
