//! The work in a repository as a session sees it: what git says, what is approved, and who changed
//! what.

use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
    time::Instant,
};

use chrono::{DateTime, Utc};

use super::Roz;
use crate::{
    core::{
        event::ToolCall,
        reflection::tickets,
        review::{
            approval::{Approved, Row, Table},
            reviewer::Looked,
            seen::{self, Required},
            state::Opener,
            work::{self, Author, Known, Push, Work},
        },
        session::Session,
        tool_pattern,
    },
    observe::work::{self as observe, Question, Repository, Scene, State},
    storage::approvals::Approvals,
    world::{git, in_a_line},
};

/// How many other sessions are asked what they wrote.
const LOOKED_AT: usize = 50;
/// How many work trees a review may cover.
const MAX_WORKS: usize = 8;

/// Who asks, and how long an answer may take.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    pub session: &'a Session,
    pub now: DateTime<Utc>,
    pub until: Instant,
}

/// A work tree and what was found out about it.
pub struct Seen {
    pub state: State,
    pub known: Known,
}

impl Roz {
    /// The work in the work tree that holds `dir`.
    pub fn work(&self, asker: Asker, dir: &Path, question: &Question) -> Work {
        match Repository::of(dir) {
            None => Work::NoRepository,
            Some(repository) => match self.look(asker, &repository, question) {
                Ok(seen) => Work::Known(Box::new(seen.known)),
                Err(why) => Work::Unknown(why),
            },
        }
    }

    /// As [`Self::work`], with what git knows about it.
    pub fn look(
        &self,
        asker: Asker,
        repository: &Repository,
        question: &Question,
    ) -> Result<Seen, String> {
        let table = self.table(asker, repository).map_err(|err| in_a_line(&err))?;
        let others = OnceCell::new();
        let others = || {
            others.get_or_init(|| {
                let listed = self.store.list_sessions(LOOKED_AT).unwrap_or_default();
                let others = listed.into_iter().flatten();
                let own = &asker.session.session_id;
                others.filter(|session| session.session_id != *own).collect::<Vec<_>>()
            })
        };
        let is_written = |file: &Path| {
            asker.session.writes.contains(file)
                || others().iter().any(|session| session.writes.contains(file))
        };
        let is_project = asker.session.project.as_ref() == Some(&repository.root);
        let nothing = std::collections::BTreeMap::new();
        let markers = tickets::markers(&self.policy.ticketing);
        let ticket_folders: Vec<String> = markers.into_iter().map(|(_, folder)| folder).collect();
        let scene = Scene {
            home: &self.home,
            table: &table,
            dirty_before: if is_project { &asker.session.dirty } else { &nothing },
            is_written: &is_written,
            ticket_folders: &ticket_folders,
            until: asker.until,
        };
        let state = State::of(repository, &scene).map_err(|err| in_a_line(&err))?;
        let mut known = state.compare(&table, question).map_err(|err| in_a_line(&err))?;
        let compared = known.compared_with.as_ref();
        let compared =
            compared.and_then(|id| table.approvals.iter().find(|approved| approved.id == *id));
        if let Some(compared) = compared.filter(|_| known.approval.is_none()) {
            let is_anothers = compared.session != asker.session.session_id.as_str();
            for file in &mut known.changed {
                let path = repository.root.join(&file.path);
                let wrote = |session: &Session| session.writes.wrote_since(&path, compared.at);
                file.by = match others().iter().find(|session| wrote(session)) {
                    _ if wrote(asker.session) => Author::Session,
                    Some(other) => Author::Other(other.session_id.to_string()),
                    // Once another session has an approval, a write to a known file is not recorded
                    // again.
                    None if is_anothers && asker.session.writes.contains(&path) => Author::Session,
                    None => Author::Unknown,
                };
            }
        }
        Ok(Seen { state, known })
    }

    fn approvals(&self, repository: &Repository) -> Approvals {
        Approvals::of(&self.home, &repository.key())
    }

    /// The approvals of a repository.
    fn table(&self, asker: Asker, repository: &Repository) -> crate::storage::Result<Table> {
        let table = self.approvals(repository).table()?;
        let ttl = self.policy.review.gates.approval_ttl_seconds;
        let mut table = table.unexpired(ttl, asker.now);
        if table.first.is_none() && asker.session.head.is_some() {
            table.first = Some(asker.session.head.clone());
        }
        Ok(table)
    }

    /// An approval of a repository, by its id.
    pub fn approval(&self, repository: &Repository, id: &str) -> Option<Approved> {
        let table = self.approvals(repository).table().ok()?;
        table.approvals.into_iter().find(|approved| approved.id == id)
    }

    /// The work in the work tree that holds `dir`, outside any session.
    pub fn work_without_session(&self, dir: &Path, now: DateTime<Utc>, until: Instant) -> Work {
        let Ok(id) = "none".parse() else { return Work::NotAsked };
        let nobody = Session::new(id, now);
        self.work(Asker { session: &nobody, now, until }, dir, &Question::default())
    }

    /// In a repository without a default branch, the first session records the commit at which it
    /// began: what is committed after it is work.
    pub fn note_first_commit(&self, now: DateTime<Utc>, until: Instant) {
        let Some(repository) = Repository::of(&self.project) else { return };
        let approvals = self.approvals(&repository);
        if approvals.exists() || matches!(repository.default_branch(until), Ok(Some(_))) {
            return;
        }
        let first = Row::First { at: now, head: git::head(&repository.root) };
        // Without it, the beginning of the session is used.
        let _ = approvals.append(&[first], until);
    }

    /// Records approvals, each in the table of its repository.
    pub fn approve(&self, rows: &[Approved], until: Instant) -> Result<(), String> {
        for row in rows {
            let repository = row.works.first().and_then(|root| Repository::of(root));
            let Some(repository) = repository else { continue };
            let approvals = self.approvals(&repository);
            let row = Row::Approved(Box::new(row.clone()));
            approvals.append(&[row], until).map_err(|err| in_a_line(&err))?;
        }
        Ok(())
    }

    /// Withdraws approvals in the tables of all these work trees.
    pub fn withdraw(
        &self,
        ids: &[String],
        roots: &[PathBuf],
        now: DateTime<Utc>,
        until: Instant,
    ) -> Result<(), String> {
        let rows: Vec<Row> =
            ids.iter().map(|id| Row::Withdrawn { at: now, approval: id.clone() }).collect();
        for repository in roots.iter().filter_map(|root| Repository::of(root)) {
            let approvals = self.approvals(&repository);
            approvals.append(&rows, until).map_err(|err| in_a_line(&err))?;
        }
        Ok(())
    }

    /// A work tree at the time a decision is posted, with what the reviewer has to see of it.
    /// `before` is its tree when the reviewer started.
    pub fn looked(&self, asker: Asker, dir: &Path, before: Option<&str>) -> Result<Looked, String> {
        let Some(repository) = Repository::of(dir) else {
            let required = written_outside(asker, dir);
            return Ok(Looked { required, ..Looked::default() });
        };
        let Seen { state, known } = self.look(asker, &repository, &Question::default())?;
        let required = required(&state, &known).map_err(|err| in_a_line(&err))?;
        let changed = before.map(|before| state.paths(before, &state.tree).unwrap_or_default());
        let changed_meanwhile = changed.into_iter().flatten().collect();
        Ok(Looked { known: Some(known), required, changed_meanwhile })
    }
}

/// Without a repository, the files that the session has written have to be seen.
pub fn written_outside(asker: Asker, dir: &Path) -> Vec<Required> {
    let since = asker.session.review.approved_at().unwrap_or(asker.session.created_at);
    let files = asker.session.writes.since(since).filter(|file| file.starts_with(dir));
    let whole = |file: &Path| {
        let (blob, content) = observe::blob(file, asker.until)?;
        let lines = content.lines().count() as u64;
        let path = file.strip_prefix(dir).unwrap_or(file).to_string_lossy().into_owned();
        let ranges = if lines == 0 { Vec::new() } else { vec![(1, lines)] };
        Some(Required { path, blob, ranges, deletions: Vec::new(), header_only: lines == 0 })
    };
    files.filter_map(whole).collect()
}

/// What a reviewer has to see: the change since the base, without what was pulled.
fn required(state: &State, known: &Known) -> Result<Vec<Required>, git::Error> {
    let files = state.files(&known.base)?;
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    if names.is_empty() {
        return Ok(Vec::new());
    }
    let diff = state.diff(&known.base, &known.tree, &names, &["-U0", "-M"])?;
    Ok(seen::required(&diff))
}

/// The work trees that a review covers: that of the waiting call, or else those of the project, of
/// `cwd`, and of everything that the session has written since the review was asked for.
pub fn roots(session: &Session, cwd: &Path) -> Vec<PathBuf> {
    let review = &session.review;
    let is_open = review.phase().is_open();
    if is_open && !review.works.is_empty() {
        return review.works.clone();
    }
    let gated = review.trigger().filter(|_| is_open && review.opener() == Opener::Gate);
    if let Some(root) = gated.and_then(|trigger| trigger.root.clone()) {
        return vec![root];
    }
    let since = if is_open { review.review_started_at } else { review.approved_at() };
    let since = since.unwrap_or(session.created_at);
    let project = session.project.as_deref().unwrap_or(cwd);
    let mut roots = vec![git::root(project)];
    roots.extend(git::find_root(cwd).filter(|root| *root != roots[0]));
    for file in session.writes.since(since) {
        let Some(root) = file.parent().and_then(git::find_root) else { continue };
        if !roots.contains(&root) && roots.len() < MAX_WORKS {
            roots.push(root);
        }
    }
    // If the project is not in a repository, the work is what was written elsewhere.
    if roots.len() > 1 && git::find_root(project).is_none() {
        roots.remove(0);
    }
    roots
}

/// What a gated call asks about the work: what it pushes, and its key. `patterns` are all that
/// match it. It is judged by what it pushes only if every gated command in it is a push, and it has
/// a key only if there is a single gated command.
pub fn question(patterns: &[&str], call: &ToolCall) -> Question {
    let matches = |key: &String| patterns.iter().any(|pattern| tool_pattern::matches(pattern, key));
    let runs = call.runs();
    let gated: Vec<_> = runs.filter(|run| run.keys().iter().any(matches)).collect();
    let is_read = !call.may_run_anything && !call.raw_keys.iter().any(matches);
    let mut pushed = (is_read && !gated.is_empty()).then(Push::default);
    for run in &gated {
        let words = run.words();
        let push = match words.split_first() {
            Some((&"git", words)) => work::push(words),
            _ => None,
        };
        match (&mut pushed, push) {
            (Some(pushed), Some(push)) => pushed.add(push),
            _ => pushed = None,
        }
    }
    let key = match gated.as_slice() {
        [] => call.keys().iter().find(|key| matches(key)).cloned(),
        [run] => run.keys().into_iter().find(|key| matches(key)),
        _ => None,
    };
    Question { push: pushed, key }
}
