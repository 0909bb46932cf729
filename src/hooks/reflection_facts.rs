//! Looks up the reflection gate's facts, where a rule needs them.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    path::{Component, Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Value, value::RawValue};

use super::gather::{Lookup, folder_of};
use crate::{
    core::{
        bounded,
        event::{Source, ToolCall, What},
        facts::{Diff, Learned},
        policy::Auto,
        reflection::{
            self, current_ticket,
            needs::{Occasion, ReflectionNeed},
            retrieval::{self, Chosen, Index, Query},
            shown::Relevant,
            state::{Baseline, Status, Ticket},
            tickets::{self, Closing},
        },
        session::{Session, SessionId},
    },
    memory::index::{self, Loaded},
    open::Roz,
    shell::{self, Run},
    sidecar::scratch_dirs::TEMPORARY,
    world::{self, World, git, git_changes, links, process},
};

/// For a ticket system's program.
pub const PATIENCE: Duration = Duration::from_secs(2);

/// Compared with if a repository has no commit; built into git.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// In bytes of a prompt: half from its beginning and half from its end, because the request comes
/// before or after pasted text.
const MAX_PROMPT: usize = 8 * 1024;
/// In characters, from the end of an error, where most programs say what is wrong.
const MAX_ERROR: usize = 500;
/// Changed files that are used to find learnings.
const MAX_PATHS: usize = 100;

/// Changes in these folders are not work.
const OWN_FOLDERS: [&str; 3] = [".roz/", ".grove/", ".orchestration/"];

/// `dirty` are the dirty files at the session's start, if they were looked up already.
pub(super) fn learned(
    needs: &[ReflectionNeed],
    dirty: Option<&BTreeMap<String, String>>,
    look: Lookup,
) -> Learned {
    let Lookup { roz, session, world, .. } = look;
    let (event, cwd) = (&look.input.event.what, look.cwd());
    let mut learned = Learned::default();
    for need in needs {
        match (need, event) {
            (ReflectionNeed::Closings, What::PreToolUse(call)) => {
                learned.closings = closings(call, cwd, roz, world);
                // Most calls close nothing.
                if learned.closings.is_empty() {
                    break;
                }
            }
            (ReflectionNeed::IsOn, _) => {
                learned.is_wanted = is_on(session, roz, cwd);
                if !learned.is_wanted {
                    break;
                }
                learned.system = look.stand_in();
            }
            (ReflectionNeed::Beginning, _) => {
                learned.ticket = look.ticket();
                learned.due_elsewhere = look.due_elsewhere();
            }
            (ReflectionNeed::Baseline, _) => {
                // A session that continues another has taken over its list.
                let is_own = matches!(event, What::SessionStart { source: Source::Startup });
                learned.baseline = look.baseline(dirty.filter(|_| is_own));
            }
            (ReflectionNeed::Diff, _) => learned.diff = look.diff(),
            (ReflectionNeed::Learnings(Occasion::Beginning), _) => {
                let (ticket, baseline) = (learned.ticket.as_ref(), learned.baseline.as_ref());
                learned.relevant = look.at_beginning(ticket, baseline);
            }
            (ReflectionNeed::Learnings(Occasion::Prompt), What::Prompt { text, .. }) => {
                learned.relevant = look.at_prompt(text);
            }
            (ReflectionNeed::Learnings(Occasion::Failure), What::PostToolUse { call, .. }) => {
                learned.relevant = look.at_failure(call);
            }
            (ReflectionNeed::Learnings(Occasion::Refusal), What::PreToolUse(call)) => {
                learned.relevant = look.at_refusal(call);
            }
            (ReflectionNeed::Closings | ReflectionNeed::Learnings(_), _) => (),
        }
    }
    learned
}

pub fn is_wanted(roz: &Roz, cwd: &Path) -> bool {
    match roz.policy.reflection.enabled {
        Auto::On => true,
        Auto::Off => false,
        Auto::Auto => {
            let root = roz.root_of_learnings();
            let has = |folder: &str| root.join(folder).join("learnings.md").exists();
            has(".roz") || has(".grove") || system(roz, cwd).is_some()
        }
    }
}

/// Once on in a session, the gate stays on until the user switches it off.
pub fn is_on(session: &Session, roz: &Roz, cwd: &Path) -> bool {
    let was_on = session.reflection.first_mode().is_some();
    is_wanted(roz, cwd) || was_on && roz.policy.reflection.enabled == Auto::Auto
}

/// Tickets in temporary folders belong to fixtures and do not count.
pub(super) fn closings(call: &ToolCall, cwd: &Path, roz: &Roz, world: &World) -> Vec<Closing> {
    let tmpdir = roz.tmpdir(world);
    let meets = |a: &Path, b: &Path| a.starts_with(b) || b.starts_with(a);
    let known = TEMPORARY.iter().map(Path::new).chain(tmpdir.as_deref());
    let places: Vec<&Path> = known.filter(|place| !meets(place, &roz.project)).collect();
    let counts = |run: &Run| {
        let folder = links::normal(&folder_of(run, cwd));
        !places.iter().any(|place| folder.starts_with(place))
    };
    tickets::closings(&roz.policy.ticketing, call, counts)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    pub system: String,
    pub marker: String,
    pub found: Option<PathBuf>,
}

/// The first ticket system with a marker.
pub fn system(roz: &Roz, cwd: &Path) -> Option<String> {
    markers(roz, cwd).find(|marker| marker.found.is_some()).map(|marker| marker.system)
}

/// Looked for from `cwd` up to the project's root.
pub fn markers(roz: &Roz, cwd: &Path) -> impl Iterator<Item = Marked> {
    let is_below = cwd.starts_with(&roz.project);
    let from = if is_below { cwd } else { &roz.project };
    let dirs = from.ancestors().take_while(|folder| folder.starts_with(&roz.project));
    let dirs: Vec<PathBuf> = dirs.map(Path::to_owned).collect();
    let is_name = |marker: &str| {
        let mut parts = Path::new(marker).components();
        !marker.is_empty() && parts.all(|component| matches!(component, Component::Normal(_)))
    };
    let markers = tickets::markers(&roz.policy.ticketing);
    markers.into_iter().map(move |(system, marker)| {
        let mut places = dirs.iter().map(|dir| dir.join(&marker)).filter(|_| is_name(&marker));
        let found = places.find(|place| place.exists());
        Marked { system, marker, found }
    })
}

/// Why the ticket in progress is unknown.
#[derive(Debug, thiserror::Error)]
pub enum Unheard {
    #[error(transparent)]
    Ran(#[from] process::Error),
    #[error("`{command}` failed: {said}")]
    Failed { command: String, said: String },
    #[error("`{0}` did not answer with JSON")]
    NoJson(String),
}

/// The ticket in progress according to its system's program; `None` without a ticket or a program.
pub fn ticket(
    roz: &Roz,
    system: &str,
    cwd: &Path,
    until: Instant,
    world: &World,
) -> Result<Option<Ticket>, Unheard> {
    let words = tickets::in_progress(&roz.policy.ticketing, system);
    let Some((program, arguments)) = words.split_first() else { return Ok(None) };
    if !program.contains('/') && world.on_path(program).is_empty() {
        return Ok(None);
    }
    let mut command = process::command(program);
    command.args(arguments).current_dir(cwd);
    let ran = process::run(command, until)?;
    let command = || words.join(" ");
    if !ran.ok {
        let said = bounded::line(String::from_utf8_lossy(&ran.stderr).trim(), 200);
        return Err(Unheard::Failed { command: command(), said });
    }
    let text = String::from_utf8_lossy(&ran.stdout);
    // No output means no ticket.
    let Some(line) = text.lines().next() else { return Ok(None) };
    let listed = serde_json::from_str(&text).or_else(|_| serde_json::from_str(line));
    let listed: Value = listed.map_err(|_| Unheard::NoJson(command()))?;
    Ok(current_ticket::first(&listed, system, world.now))
}

impl Lookup<'_> {
    /// The system that replaces asking each session.
    fn stand_in(self) -> Option<String> {
        let policy = &self.roz.policy.ticketing;
        let found = markers(self.roz, self.cwd()).filter(|marker| marker.found.is_some());
        found.map(|marked| marked.system).find(|text| policy.stands_for_sessions(text))
    }

    /// At the start of a session.
    fn ticket(self) -> Option<Ticket> {
        let state = &self.session.reflection;
        if !matches!(state.status(), Status::Idle | Status::Active) {
            return None;
        }
        let system = system(self.roz, self.cwd())?;
        let until = self.until().min(Instant::now() + PATIENCE);
        // Without it the session starts all the same; `roz tickets` reports why.
        ticket(self.roz, &system, self.cwd(), until, self.world).ok().flatten()
    }

    /// Learnings for the ticket, the branch and the changed files. Learnings shown earlier count as
    /// new, because the conversation may have lost them.
    fn at_beginning(self, ticket: Option<&Ticket>, baseline: Option<&Baseline>) -> Vec<Relevant> {
        let state = &self.session.reflection;
        let ticket = ticket.or(state.ticket());
        let dirty = baseline.or(state.baseline()).map(|baseline| &baseline.dirty);
        let paths = dirty.into_iter().flat_map(|map| map.keys().take(MAX_PATHS).cloned());
        let query = Query {
            ticket_title: ticket.map(|ticket| ticket.title.clone()).unwrap_or_default(),
            ticket_description: ticket
                .and_then(|ticket| ticket.description.clone())
                .unwrap_or_default(),
            tags: ticket.map(|ticket| ticket.tags.clone()).unwrap_or_default(),
            branch: git::branch(&self.roz.project).unwrap_or_default(),
            paths: paths.collect(),
            ..Query::default()
        };
        self.relevant(&query, &BTreeSet::new(), Index::choose)
    }

    fn at_prompt(self, text: &str) -> Vec<Relevant> {
        let state = &self.session.reflection;
        let has = state.injected().iter().filter(|injected| !injected.is_forgotten);
        let shown = has.map(|has| has.learning_id.clone()).collect();
        let ticket = state.ticket();
        let query = Query {
            text: self.asked(text),
            tags: ticket.map(|ticket| ticket.tags.clone()).unwrap_or_default(),
            ..Query::default()
        };
        self.relevant(&query, &shown, Index::choose)
    }

    /// The searched part of a prompt, with the project's files named as in learnings.
    fn asked(self, text: &str) -> String {
        let half = MAX_PROMPT / 2;
        let seen = match text.len().checked_sub(half) {
            Some(behind) if behind > half => {
                let end = &text[text.ceil_char_boundary(behind)..];
                Cow::Owned(format!("{}\n{end}", bounded::cut(text, half)))
            }
            _ => Cow::Borrowed(text),
        };
        let project = format!("{}/", self.roz.project.display());
        let is_below = self.roz.project.parent().is_some();
        if is_below { seen.replace(&project, "") } else { seen.into_owned() }
    }

    /// Learnings for a failed command that were not shown at an earlier failure.
    fn at_failure(self, call: &ToolCall) -> Vec<Relevant> {
        let answer = self.input.answer.map_or("", RawValue::get);
        // In a JSON answer, the strings matter.
        let error: Option<String> = serde_json::from_str(answer).ok();
        self.about_failure(call, error.as_deref().unwrap_or(answer))
    }

    /// Learnings for a call that may be refused a second time for the same reason.
    fn at_refusal(self, call: &ToolCall) -> Vec<Relevant> {
        let reason = self.session.reflection.refused();
        reason.map_or_else(Vec::new, |reason| self.about_failure(call, reason))
    }

    fn about_failure(self, call: &ToolCall, error: &str) -> Vec<Relevant> {
        if !is_on(self.session, self.roz, self.cwd()) {
            return Vec::new();
        }
        let commands: Vec<_> = call.command_lines().collect();
        let end = error.char_indices().rev().nth(MAX_ERROR - 1).map_or(0, |(at, _)| at);
        let text = self.asked(&format!("{}\n{}", commands.join("\n"), &error[end..]));
        let runs = commands.iter().flat_map(|line| shell::read(line).runs);
        let programs = runs.map(|run| run.program).collect();
        let query = Query { text, programs, ..Query::default() };
        let shown = self.session.reflection.injected().iter();
        let shown =
            shown.filter(|shown| shown.is_of_failure || shown.is_whole && !shown.is_forgotten);
        let shown = shown.map(|shown| shown.learning_id.clone()).collect();
        self.relevant(&query, &shown, Index::choose_at_failure)
    }

    fn relevant(
        self,
        query: &Query,
        shown: &BTreeSet<String>,
        choose: fn(&Index, &retrieval::Occasion) -> Vec<Chosen>,
    ) -> Vec<Relevant> {
        let policy = &self.roz.policy.retrieval;
        if policy.max_injections == 0 {
            return Vec::new();
        }
        let library = self.roz.library(self.world);
        let load = || Ok::<Loaded, Infallible>(library.at_hand().into());
        let Ok(indexed) = index::open(&self.roz.home, &library.files(), load);
        if indexed.index.is_empty() {
            return Vec::new();
        }
        let tallies = self.roz.usage_log(&library).read().unwrap_or_default().tallies();
        let now = self.world.now;
        let on = retrieval::Occasion { query, tallies: &tallies, shown, policy, now };
        let chosen = choose(&indexed.index, &on);
        let ids: Vec<&str> = chosen.iter().map(|chosen| chosen.id.as_str()).collect();
        let Ok(learnings) = indexed.learnings(&ids);
        reflection::as_shown(&chosen, |id| learnings.iter().find(|learning| learning.id == id))
    }

    /// The work tree's state, if the session has not recorded it yet.
    fn baseline(self, dirty: Option<&BTreeMap<String, String>>) -> Option<Baseline> {
        let root = &self.roz.project;
        if !root.join(".git").exists() {
            return None;
        }
        let head = git::head(root);
        let look = || git_changes::dirty(root, self.until()).unwrap_or_default();
        Some(Baseline { head, dirty: dirty.cloned().unwrap_or_else(look) })
    }

    fn diff(self) -> Diff {
        let root = &self.roz.project;
        let baseline = self.session.reflection.baseline();
        if !root.join(".git").exists() {
            return Diff::Unknown("the project is not a git repository".to_owned());
        }
        let began_at = match baseline {
            Some(baseline) => baseline.head.clone(),
            None => self.session.head.clone().or_else(|| git::head(root)),
        };
        let base = began_at.unwrap_or_else(|| EMPTY_TREE.to_owned());
        let changed = match git_changes::since(root, &base, self.session.created_at, self.until()) {
            Ok(changed) => changed,
            Err(err) => return Diff::Unknown(world::in_a_line(&err)),
        };
        let is_work = |path: &str| !OWN_FOLDERS.iter().any(|text| path.starts_with(text));
        let was_there = |path: &str| {
            let before = baseline.and_then(|baseline| baseline.dirty.get(path));
            before.is_some_and(|before| *before == git_changes::content(&root.join(path)))
        };
        let is_own =
            |changed: &&git_changes::Changed| is_work(&changed.path) && !was_there(&changed.path);
        let lines = changed
            .iter()
            .filter(is_own)
            .fold(0_u64, |sum, changed| sum.saturating_add(changed.lines));
        let is_small = lines == 0 || self.roz.policy.gate.auto_skip.covers(lines);
        // A small diff may be due to hidden changes.
        let hidden = || {
            let stands_in = git::root(self.cwd());
            let inner = changed.iter().filter(is_own).find(|changed| changed.is_repository);
            // A link may lead into the project.
            let is_here = || stands_in.canonicalize().ok() == root.canonicalize().ok();
            if stands_in != *root && stands_in.join(".git").exists() && !is_here() {
                return Some(format!(
                    "the session is in another work tree, {}",
                    stands_in.display()
                ));
            }
            inner.map(|inner| format!("{} is a repository of its own", inner.path))
        };
        match if is_small { hidden() } else { None } {
            Some(why) => Diff::Unknown(bounded::plain_line(&why)),
            None => Diff::Lines(lines),
        }
    }

    fn due_elsewhere(self) -> Vec<SessionId> {
        let owing = self.other_sessions().filter(|other| other.reflection.status().is_open());
        owing.map(|other| other.session_id).collect()
    }
}
