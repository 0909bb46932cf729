//! Looks up the intent gate's facts: the sidecar and the targets of a call. Without a sidecar this
//! costs a single look.
//!
//! Long because it contains everything for one lookup, in order.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap},
    ffi::OsString,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use chrono::{DateTime, Utc};

use super::{
    gather::{self, Lookup},
    glob_expansion::expand,
    post_call_changes,
};
use crate::{
    core::{
        bounded,
        event::{Event, ToolCall, What},
        intent::{
            call_checks,
            check_commands::Ended,
            class::{self, Discard},
            facts::{Aim, Declared, IntentFacts, Nearer, Sidecar},
            ignore::{Ignore, Treatment},
            ledger::{Record, who_changed},
            needs::Look as Needed,
            printed_files,
            scope::{Scope, Unsure, Verdict},
            selection::Unreliable,
            state::{InFlight, Start},
            target::{self, Case, Kind, Target},
            unconfirmed::UnconfirmedChange,
        },
        named_writes,
        session::Session,
        tool::Tool,
    },
    ledger::images::Images,
    observe::file_content,
    open::Roz,
    shell::{HOLE, How},
    sidecar::{
        self,
        scratch_dirs::Scratch,
        target::{Site, folders_above, has_sidecar},
        unconfirmed,
    },
    world::{
        World, changed_since, git, git_changes, in_a_line,
        links::{MAX_PATH, normal, real},
    },
};

/// More paths of one call count as a write that nobody owns.
const MAX_TARGETS: usize = 2000;

pub(super) fn aims(
    needed: Needed,
    formatted: Option<changed_since::Time>,
    lookup: Lookup,
) -> IntentFacts {
    let Lookup { input, session, roz, world } = lookup;
    let event = &input.event;
    match needed {
        Needed::Nothing => return IntentFacts::default(),
        Needed::IsDeclared => {
            let is_there = sidecar::intents_file(&roz.sidecar).symlink_metadata().is_ok();
            let sidecar = if is_there { Sidecar::There } else { Sidecar::NotAsked };
            return IntentFacts::of(Declared { sidecar, ..Declared::default() });
        }
        Needed::Declared => (),
    }
    let (cwd, scratchpad) = (lookup.cwd(), input.scratchpad.as_deref());
    let (agent, nothing) = (event.origin.agent_id.as_deref(), Ignore::default());
    let project = &roz.project;
    let look = Look { session, cwd, project, scratchpad, roz, world, agent, ignore: &nothing };
    let Some((found, ignore)) = declared(&roz.sidecar, roz) else {
        let (project, home) = (&roz.sidecar, &roz.home);
        let had = session.intent.had_sidecar();
        let until = gather::deadline(&roz.policy, world);
        let missing = || unconfirmed::missing(project, home, had, until);
        let sidecar = match &event.what {
            What::PostToolUse { .. } if !had => Sidecar::NotAsked,
            _ if had => missing().map_or(Sidecar::NotDeclared, |_| Sidecar::Absent),
            _ => missing().map_or(Sidecar::NotAsked, Sidecar::Missing),
        };
        let mut aims = IntentFacts::of(Declared { sidecar, ..Declared::default() });
        if had {
            aims.declared.doubts = unconfirmed::doubts(project, home);
        }
        match &event.what {
            What::PreToolUse(call) => {
                (aims.also, _) = look.nearer(call, look.writes(call), false);
            }
            // This call may have removed it.
            What::PostToolUse { call, .. } if had => {
                aims.aftermath = post_call_changes::look(look, call, false, formatted);
            }
            What::SessionStart { .. } => aims.also.extend(look.above()),
            _ => (),
        }
        aims.granted = granted(event, session);
        return aims;
    };
    let look = Look { ignore: &ignore, ..look };
    let mut aims = IntentFacts::of(found);
    match &event.what {
        // Files that a command prints are noted before it runs, because its line is not read again.
        What::PreToolUse(call) => {
            // What concurrent calls changed in the sidecar does not count yet.
            let beside = session.intent.beside(call.tool_use_id.as_deref());
            let doubts = beside.flat_map(|flight| look.doubts_of(flight, &call.name));
            aims.declared.doubts.extend(doubts);
            let written = look.writes(call);
            look.aim(Some(call), &written, &mut aims);
            aims.discards = look.discards(call, &aims.declared);
            aims.start = post_call_changes::start(call, roz);
            aims.unkept = look.unkept(aims.start.as_ref());
            aims.unwritable = look.unwritable();
            let (also, judged) = look.nearer(call, written, true);
            aims.also = also;
            // A path that is free for one project may belong to another.
            aims.free.retain(|text| !judged.contains(text));
            if !call.readings.is_empty() {
                aims.seen = look.seen(call);
            }
        }
        What::PostToolUse { call, succeeded } => {
            let result = input.result(call);
            if *succeeded {
                aims.seen = look.seen(call);
            }
            aims.aftermath = post_call_changes::look(look, call, result.runs_on, formatted);
            aims.ended = Ended::of(call, *succeeded, &result);
        }
        What::SessionStart { .. } => {
            aims.odd = ignore.problems().map(|problem| problem.to_string()).collect();
        }
        _ => (),
    }
    aims.granted = granted(event, session);
    aims
}

/// When a person allowed this call.
fn granted(event: &Event, session: &Session) -> Option<DateTime<Utc>> {
    let What::PostToolUse { call, .. } = &event.what else { return None };
    session.intent.grants(call.tool_use_id.as_deref()?)
}

/// The declarations and ignore rules of the project at `root`, if it has a sidecar.
fn declared(root: &Path, roz: &Roz) -> Option<(Declared, Ignore)> {
    let catalogue = sidecar::load(root, &roz.home)?;
    let ignore = sidecar::load_ignore(root, &catalogue);
    let sidecar = match Unreliable::find(&catalogue, ignore.as_ref()) {
        Some(unreliable) => Sidecar::Broken(unreliable),
        None => Sidecar::There,
    };
    let doubts = unconfirmed::doubts(root, &roz.home);
    let ignore = ignore.unwrap_or_default();
    let closed = |id: &str| ignore.closes(id).map(|line| (id.to_owned(), line));
    let closed = catalogue.intents.iter().filter_map(|intent| closed(&intent.id)).collect();
    Some((Declared { sidecar, catalogue, closed, doubts }, ignore))
}

/// As [`nearest_sidecar`], with the answers known so far, so that many paths cost one look per
/// folder.
fn nearest(path: &Path, known: &mut HashMap<OsString, bool>) -> Option<PathBuf> {
    let mut has = |folder: &Path| match known.get(folder.as_os_str()) {
        Some(has) => *has,
        None => *known.entry(folder.into()).or_insert(has_sidecar(folder)),
    };
    folders_above(path).find(|folder| has(folder)).map(Path::to_owned)
}

#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) session: &'a Session,
    pub(super) cwd: &'a Path,
    project: &'a Path,
    /// As the client reports it.
    scratchpad: Option<&'a Path>,
    pub(super) roz: &'a Roz,
    pub(super) world: &'a World,
    pub(super) agent: Option<&'a str>,
    pub(super) ignore: &'a Ignore,
}

impl Look<'_> {
    /// Why the ledger cannot be written, if it has to be.
    fn unwritable(self) -> Option<String> {
        const PATIENCE: Duration = Duration::from_millis(300);
        if !self.roz.policy.intent.require_ledger || self.session.intent.selected().is_none() {
            return None;
        }
        let ledger = self.roz.own_ledger();
        let checked = ledger.check(Instant::now() + PATIENCE);
        checked.err().map(|err| in_a_line(&err))
    }

    /// Which sidecar files the call changed.
    pub(super) fn doubts_of(self, flight: &InFlight, tool: &str) -> Vec<UnconfirmedChange> {
        let (project, home) = (&self.roz.sidecar, &self.roz.home);
        let hashes = flight.start.as_ref().and_then(|start| start.sidecar.as_ref());
        let Some(hashes) = hashes else { return Vec::new() };
        let changed = unconfirmed::changed(project, home, hashes, flight.at).into_iter();
        let doubt = |changed: unconfirmed::Changed| UnconfirmedChange {
            file: changed.file.to_owned(),
            before: changed.before,
            left: changed.now,
            session_id: self.session.session_id.to_string(),
            tool_name: tool.to_owned(),
            at: self.world.now,
            way_back: None,
        };
        changed.map(doubt).collect()
    }

    /// Sidecar files whose text is not stored yet.
    fn unkept(self, start: Option<&Start>) -> Vec<String> {
        let images = Images::new(&self.roz.home, &self.session.session_id);
        let hashes = start.and_then(|start| start.sidecar.as_ref()).into_iter().flatten();
        hashes.filter(|row| images.find(row.1).is_none()).map(|row| row.0.clone()).collect()
    }

    pub(super) fn site(self) -> Site {
        let mut site = Site::new(self.project, self.world.user_home.as_deref());
        site.guard(&self.roz.home, "roz's own folder");
        site
    }

    /// Resolves writes relative to the project's root. With `call` (the session's own project),
    /// also who changed stale files.
    fn aim(self, call: Option<&ToolCall>, written: &[(String, How)], aims: &mut IntentFacts) {
        let is_cut = call.is_some_and(|call| call.may_run_anything);
        if written.is_empty() && !is_cut {
            return;
        }
        let site = self.site();
        let intent = self.session.intent.selected().map(|selected| selected.intent_id.as_str());
        let tmpdir = self.roz.tmpdir(self.world);
        let home = self.world.user_home.as_deref();
        let scratch = Scratch::new(self.project, home, self.scratchpad, tmpdir.as_deref());
        let selected = intent.and_then(|id| aims.declared.catalogue.find(id).ok());
        let scope = selected.map(|intent| Scope::new(&intent.owned_scope));
        let records = OnceCell::new();
        let mut asked_of_git = Vec::new();
        for (path, how) in written.iter().take(MAX_TARGETS) {
            let target = site.target(path, self.cwd);
            let mut is_free = class::is_stream_device(path) || scratch.holds(&target);
            let is_elsewhere = site.is_in_work_tree(path, self.cwd);
            let mut treatment = Treatment::default();
            let mut hash = None;
            if !is_free {
                treatment = self.ignore.treats(&target, intent);
                is_free = treatment.untracked.is_some() && treatment.is_plain();
            }
            if is_free {
                aims.free.insert(path.clone());
            } else if !is_elsewhere {
                hash = file_content::hash(&self.project.join(target.real.text()));
            }
            if !is_free
                && treatment.is_plain()
                && let Some(asked) = may_be_ignored(&target, *how, scope.as_ref())
            {
                asked_of_git.push((aims.targets.len(), path.clone(), asked));
            }
            let real = target.real.text();
            let is_stale = |hash: &&String| {
                call.is_some_and(|call| {
                    let is_write = call_checks::is_write(call, *how);
                    self.session.intent.is_stale(self.agent, real, hash, is_write)
                })
            };
            let changed_by = hash.as_ref().filter(is_stale).map(|hash| {
                let records: &Vec<Record> = records.get_or_init(|| self.newest());
                who_changed::of(records, real, hash, self.world.now)
            });
            aims.targets.push(Aim {
                target,
                how: *how,
                treatment,
                is_free,
                is_elsewhere,
                hash,
                changed_by,
            });
        }
        self.free_ignored(&asked_of_git, aims);
        let unknown = if is_cut {
            Some("(what a line of this length may write)".to_owned())
        } else {
            (written.len() > MAX_TARGETS).then(|| format!("(more than {MAX_TARGETS} paths)"))
        };
        aims.targets.extend(unknown.map(nobodys));
    }

    /// Marks ignored files as free. Git is asked only about files out of scope.
    fn free_ignored(self, asked: &[(usize, String, String)], aims: &mut IntentFacts) {
        if asked.is_empty() {
            return;
        }
        let paths: Vec<String> = asked.iter().map(|(_, _, path)| path.clone()).collect();
        let until = gather::deadline(&self.roz.policy, self.world);
        let ignored = git::ignored(self.project, &paths, until);
        for (at, written, _) in asked.iter().filter(|(_, _, path)| ignored.contains(path)) {
            aims.targets[*at].is_free = true;
            // `rm -rf dist/$x` stays critical.
            if !written.contains(HOLE) {
                aims.free.insert(written.clone());
            }
        }
    }

    /// What the call's git commands would discard; `None` if nothing, or if git cannot list it.
    fn discards(self, call: &ToolCall, declared: &Declared) -> Option<Vec<Aim>> {
        let discards: Vec<Discard> = call.runs().filter_map(class::discard).collect();
        let is_here = self.cwd == self.project && self.project.join(".git").exists();
        if discards.is_empty() || !is_here {
            return None;
        }
        let states =
            git_changes::states(self.project, gather::deadline(&self.roz.policy, self.world));
        let is_taken = |state: &str| discards.iter().any(|discard| discard.takes(state));
        let taken = states.ok()?.into_iter().filter(|(state, _)| is_taken(state));
        let written: Vec<(String, How)> = taken.map(|(_, path)| (path, How::Edit)).collect();
        let mut found = IntentFacts::of(declared.clone());
        self.aim(None, &written, &mut found);
        Some(found.targets)
    }

    pub(super) fn newest(self) -> Vec<Record> {
        const NEAR: u64 = 256 << 10;
        self.roz.own_ledger().newest(NEAR).unwrap_or_default()
    }

    /// Projects with sidecars that are nearer to a target than the session's. If the session's
    /// project has none and the call selects, also the project of the current folder. Returns which
    /// writes they judge, too.
    fn nearer(
        self,
        call: &ToolCall,
        written: Vec<(String, How)>,
        is_declared: bool,
    ) -> (Vec<Nearer>, BTreeSet<String>) {
        let selects = call_checks::selects(call).is_some();
        if written.is_empty() && !selects {
            return (Vec::new(), BTreeSet::new());
        }
        let own = real(self.project);
        let mut found: BTreeMap<PathBuf, Vec<(String, How)>> = BTreeMap::new();
        // By folder, since many targets are in the same one.
        let mut known = HashMap::from([(self.project.into(), is_declared)]);
        for (path, how) in written.into_iter().take(MAX_TARGETS) {
            if path.contains(HOLE) || class::is_stream_device(&path) {
                continue;
            }
            let absolute = self.cwd.join(&path);
            for spelt in [normal(&absolute), real(&absolute)] {
                let Some(root) = nearest(&spelt, &mut known) else { continue };
                let root = real(&root);
                if root != own {
                    let written = found.entry(root).or_default();
                    written.push((path.clone(), how));
                    written.dedup();
                }
            }
        }
        let judged = found.values().flatten().map(|(path, _)| path.clone()).collect();
        let nearer = found.iter().filter_map(|(root, written)| self.judge(root, written));
        let mut nearer: Vec<Nearer> = nearer.collect();
        if selects && nearer.is_empty() {
            nearer.extend(self.above());
        }
        (nearer, judged)
    }

    /// The project of the current folder, if the session's declares nothing.
    fn above(self) -> Option<Nearer> {
        let root = sidecar::governing(&self.roz.sidecar, self.cwd)?;
        if root == self.roz.sidecar { None } else { self.judge(&root, &[]) }
    }

    fn judge(self, root: &Path, written: &[(String, How)]) -> Option<Nearer> {
        let (found, ignore) = declared(root, self.roz)?;
        let mut aims = IntentFacts::of(found);
        let look = Look { project: root, scratchpad: None, ignore: &ignore, ..self };
        look.aim(None, written, &mut aims);
        let own = self.project.canonicalize().unwrap_or_else(|_| self.project.to_owned());
        let shown = root.strip_prefix(&own).unwrap_or(root).to_string_lossy().into_owned();
        let root = bounded::plain_line(&bounded::line(&shown, 120));
        Some(Nearer { root, declared: aims.declared, targets: aims.targets })
    }

    /// Files that the call read or wrote, with their present hashes.
    fn seen(self, call: &ToolCall) -> Vec<(String, String)> {
        let mut paths = self.reads(call);
        if let Some(id) = &call.tool_use_id
            && let Some(flight) = self.session.intent.in_flight(id)
        {
            let own = flight.before.keys().map(|path| self.roz.project.join(path));
            paths.extend(own.map(|path| path.to_string_lossy().into_owned()));
        }
        let mut seen = Vec::new();
        if paths.is_empty() {
            return seen;
        }
        let site = self.site();
        for path in paths.iter().take(MAX_TARGETS) {
            // In another work tree, this path is another file.
            if site.is_in_work_tree(path, self.cwd) {
                continue;
            }
            let path = site.target(path, self.cwd).real.text().to_owned();
            if let Some(hash) = file_content::hash(&self.roz.project.join(&path)) {
                seen.push((path, hash));
            }
        }
        seen
    }

    fn reads(self, call: &ToolCall) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        if let Tool::Read { path, .. } = &call.tool {
            found.push(path.clone());
        }
        let home = self.world.user_home.as_deref();
        for path in call.readings.iter().flat_map(printed_files::shown) {
            found.extend(expand(path, self.cwd, home));
        }
        // No system allows such a long path.
        found.retain(|path| path.len() <= MAX_PATH);
        found
    }

    /// The paths that a call would write, with globs expanded.
    fn writes(self, call: &ToolCall) -> Vec<(String, How)> {
        let home = self.world.user_home.as_deref();
        // `mkdir -p` of an existing folder does nothing.
        let makes_nothing = |path: &str, how: How| {
            how == How::Directory && !path.contains(HOLE) && self.cwd.join(path).is_dir()
        };
        let mut found = Vec::new();
        for (path, how) in named_writes::of(call, self.project) {
            if call.readings.is_empty() || path.contains(HOLE) {
                found.push((path, how));
            } else if !makes_nothing(&path, how) {
                let files = expand(&path, self.cwd, home).into_iter();
                found.extend(files.map(|file| (file, how)));
            }
        }
        found.dedup();
        found
    }
}

/// The path to ask git about, if being ignored would free the target: not if the target is in
/// scope, a settings file, or may hold secrets.
fn may_be_ignored(target: &Target, how: How, scope: Option<&Scope>) -> Option<String> {
    let target::Place::Inside(path) = &target.real else { return None };
    let may_pass = [Verdict::Inside, Verdict::Ask(Unsure::Opaque)];
    let is_in_scope = scope.is_some_and(|scope| may_pass.contains(&scope.judge(target)));
    let is_kept = target.written != target.real
        || target.guarded.is_some()
        || target::guarded(path).is_some()
        || target::holds_secrets(path)
        || path.contains('\0')
        || path.starts_with(HOLE);
    if is_in_scope || is_kept {
        return None;
    }
    let is_folder = target.kind == Kind::Folder || how == How::Directory;
    Some(if is_folder { format!("{path}/") } else { path.clone() })
}

/// A write to a target that is not looked up.
fn nobodys(what: String) -> Aim {
    Aim {
        target: Target::as_written(target::Place::Outside(what), Kind::Absent, Case::Unknown),
        how: How::Write,
        treatment: Treatment::default(),
        is_free: false,
        is_elsewhere: false,
        hash: None,
        changed_by: None,
    }
}
