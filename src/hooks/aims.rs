//! What the intent gate works with: the sidecar, and where a call would write.
//! A project without a sidecar pays for one look.

use std::{
    cell::OnceCell,
    os::unix::fs::MetadataExt as _,
    path::Path,
    time::{Duration, Instant},
};

use serde_json::{Value, value::RawValue};

use super::aftermath;
use crate::{
    core::{
        event::{Event, ToolCall, What},
        intent::{
            class,
            facts::{Aim, Aims, Sidecar},
            ignore::{Ignore, Treatment},
            ledger::{Record, origin},
        },
        policy::Auto,
        session::Session,
    },
    ledger::{Ledger, images::hash_of},
    open::Roz,
    shell::How,
    sidecar::{self, target::Site},
    world::{World, in_a_line, read_head},
};

/// A larger file is known by its size and its times.
const MAX_HASHED: usize = 16 << 20;
/// Paths of one call that are looked at.
const MAX_TARGETS: usize = 200;

/// `answer`: what a tool that ran has answered.
pub(super) fn aims(
    event: &Event,
    answer: Option<&RawValue>,
    session: &Session,
    cwd: &Path,
    roz: &Roz,
    world: &World,
) -> Aims {
    if roz.policy.intent.enabled == Auto::Off {
        return Aims::default();
    }
    let is_asked = matches!(
        event.what,
        What::SessionStart { .. } | What::PreToolUse(_) | What::PostToolUse { .. }
    );
    if !is_asked {
        return Aims::default();
    }
    let Some(catalogue) = sidecar::load(&roz.project, &roz.home) else {
        let is_gone = session.intent.had_sidecar();
        if !is_gone {
            return Aims::default();
        }
        let mut aims = Aims { sidecar: Sidecar::Absent, ..Aims::default() };
        if let What::PostToolUse { call, .. } = &event.what {
            // Perhaps it is this call's doing.
            let (agent, ignore) = (event.origin.agent_id.as_deref(), &Ignore::default());
            let look = Look { session, cwd, roz, world, agent, ignore };
            aims.aftermath = aftermath::aftermath(look, call, false);
        }
        return aims;
    };
    let mut aims = Aims::default();
    let ignore = match (catalogue.broken(), sidecar::load_ignore(&roz.project, &catalogue)) {
        (Some(problem), _) => {
            aims.sidecar = Sidecar::Broken(problem.to_string());
            Ignore::default()
        }
        (None, Err(problem)) => {
            aims.sidecar = Sidecar::Broken(problem.to_string());
            Ignore::default()
        }
        (None, Ok(ignore)) => {
            aims.sidecar = Sidecar::There;
            ignore
        }
    };
    let closed = |id: &str| ignore.closes(id).map(|line| (id.to_owned(), line));
    aims.closed = catalogue.intents.iter().filter_map(|it| closed(&it.id)).collect();
    let agent = event.origin.agent_id.as_deref();
    let look = Look { session, cwd, roz, world, agent, ignore: &ignore };
    match &event.what {
        // What a command shows is looked at before it runs: afterwards nobody
        // reads the line again.
        What::PreToolUse(call) => {
            aims.targets = look.targets(call);
            aims.start = aftermath::start(call, &roz.project);
            aims.unwritable = look.unwritable();
            aims.seen = if call.readings.is_empty() { Vec::new() } else { look.seen(call) };
        }
        What::PostToolUse { call, succeeded } => {
            aims.seen = if *succeeded { look.seen(call) } else { Vec::new() };
            let runs_on = answer.is_some_and(|it| it.get().contains("\"backgroundTaskId\":\""));
            aims.aftermath = aftermath::aftermath(look, call, runs_on);
        }
        _ => (),
    }
    aims.catalogue = catalogue;
    aims
}

/// What a file holds.
#[derive(Debug, Default)]
pub(super) struct Content {
    /// None, where there are too many of them.
    pub(super) bytes: Option<Vec<u8>>,
    pub(super) length: u64,
    hash: Option<String>,
}

impl Content {
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        let (hash, length) = (Some(hash_of(&bytes)), bytes.len() as u64);
        Self { bytes: Some(bytes), length, hash }
    }

    /// As [`hash`].
    pub(super) fn hash(&self) -> Option<&str> {
        self.hash.as_deref()
    }
}

/// None where there is no file that can be read.
pub(super) fn content(path: &Path) -> Option<Content> {
    let meta = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    if meta.len() > MAX_HASHED as u64 {
        let (mtime, ctime) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
        let hash = format!("stamp:{}-{}.{}-{}.{}", meta.len(), mtime.0, mtime.1, ctime.0, ctime.1);
        return Some(Content { bytes: None, length: meta.len(), hash: Some(hash) });
    }
    Some(Content::of(read_head(path, MAX_HASHED)?))
}

/// `sha256:` and 64 hexadecimal digits of what a file holds; of a very large
/// one `stamp:`, its size and its times.
pub(super) fn hash(path: &Path) -> Option<String> {
    content(path)?.hash
}

#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    pub(super) session: &'a Session,
    pub(super) cwd: &'a Path,
    pub(super) roz: &'a Roz,
    pub(super) world: &'a World,
    pub(super) agent: Option<&'a str>,
    pub(super) ignore: &'a Ignore,
}

impl Look<'_> {
    /// Why a change could not be recorded, where it must be.
    fn unwritable(self) -> Option<String> {
        const PATIENCE: Duration = Duration::from_millis(300);
        if !self.roz.policy.intent.require_ledger || self.session.intent.selected().is_none() {
            return None;
        }
        let ledger = Ledger::new(&self.roz.project, &self.roz.home);
        let checked = ledger.check(&self.session.session_id, Instant::now() + PATIENCE);
        checked.err().map(|err| in_a_line(&err))
    }

    pub(super) fn site(self) -> Site {
        let mut site = Site::new(&self.roz.project, self.world.user_home.as_deref());
        site.guard(&self.roz.home, "roz's own folder");
        site
    }

    fn targets(self, call: &ToolCall) -> Vec<Aim> {
        let written = writes(call);
        if written.is_empty() {
            return Vec::new();
        }
        let mut site = self.site();
        let intent = self.session.intent.selected().map(|it| it.intent_id.as_str());
        let records = OnceCell::new();
        let aim = |(path, how): (String, How)| {
            let is_free = class::is_sink(&path) || self.is_scratch(&path);
            let target = site.target(&path, self.cwd);
            let treatment =
                if is_free { Treatment::default() } else { self.ignore.treats(&target, intent) };
            let hash =
                if is_free { None } else { hash(&self.roz.project.join(target.real.text())) };
            let path = target.real.text();
            let changed_by = hash.as_ref().filter(|it| self.is_stale(call, path, it)).map(|hash| {
                let records: &Vec<Record> = records.get_or_init(|| self.newest());
                origin::of(records, path, hash, self.world.now)
            });
            Aim { target, how, treatment, is_free, hash, changed_by }
        };
        written.into_iter().take(MAX_TARGETS).map(aim).collect()
    }

    /// Whether the agent does not know what it is about to change.
    fn is_stale(self, call: &ToolCall, path: &str, hash: &str) -> bool {
        match self.session.intent.seen(self.agent, path) {
            Some(seen) => seen != hash,
            None => call.name == "Write",
        }
    }

    /// The newest records of the ledger.
    pub(super) fn newest(self) -> Vec<Record> {
        const NEAR: u64 = 256 << 10;
        Ledger::new(&self.roz.project, &self.roz.home).newest(NEAR).unwrap_or_default()
    }

    /// The temporary folder is nobody's, unless the project lies in it.
    fn is_scratch(self, path: &str) -> bool {
        let path = self.cwd.join(path);
        let has_up = path.components().any(|it| matches!(it, std::path::Component::ParentDir));
        let is_temporary = ["/tmp", "/var/tmp"].iter().any(|it| path.starts_with(it));
        is_temporary
            && !has_up
            && !self.roz.project.starts_with("/tmp")
            && !self.roz.project.starts_with("/var/tmp")
            && path
                .canonicalize()
                .map_or(true, |real| real.starts_with("/tmp") || real.starts_with("/var/tmp"))
    }

    /// What the call has read or written, as it is now.
    fn seen(self, call: &ToolCall) -> Vec<(String, String)> {
        let mut paths = reads(call);
        if let Some(id) = &call.tool_use_id
            && let Some(flight) = self.session.intent.in_flight(id)
        {
            let own = flight.before.keys().map(|it| self.roz.project.join(it));
            paths.extend(own.map(|it| it.to_string_lossy().into_owned()));
        }
        if paths.is_empty() {
            return Vec::new();
        }
        let mut site = self.site();
        let seen = |path: &String| {
            let target = site.target(path, self.cwd);
            let file = self.roz.project.join(target.real.text());
            Some((target.real.text().to_owned(), hash(&file)?))
        };
        paths.iter().take(MAX_TARGETS).filter_map(seen).collect()
    }
}

/// The paths that a call would write, as it says them.
fn writes(call: &ToolCall) -> Vec<(String, How)> {
    let mut found: Vec<(String, How)> = Vec::new();
    let field = |name: &str| call.text(name).map(str::to_owned);
    match call.name.as_str() {
        "Write" => found.extend(field("file_path").map(|it| (it, How::Write))),
        "Edit" | "MultiEdit" => found.extend(field("file_path").map(|it| (it, How::Edit))),
        "NotebookEdit" => found.extend(field("notebook_path").map(|it| (it, How::Edit))),
        name if name.starts_with("mcp__") => {
            let mut paths = Vec::new();
            named_paths(&call.input, false, 0, &mut paths);
            found.extend(paths.into_iter().map(|it| (it, How::Edit)));
        }
        _ => (),
    }
    let written = call.readings.iter().flat_map(|it| &it.writes);
    found.extend(written.map(|it| (it.path.clone(), it.how)));
    found.dedup();
    found
}

/// The files that a call has shown.
fn reads(call: &ToolCall) -> Vec<String> {
    let mut found: Vec<String> = match call.name.as_str() {
        "Read" => call.text("file_path").map(str::to_owned).into_iter().collect(),
        "NotebookRead" => call.text("notebook_path").map(str::to_owned).into_iter().collect(),
        _ => Vec::new(),
    };
    let read = call.readings.iter().flat_map(|it| &it.reads);
    found.extend(read.filter(|it| !it.path.contains(crate::shell::HOLE)).map(|it| it.path.clone()));
    found
}

/// Texts in fields whose name says that they are paths.
fn named_paths(value: &Value, says: bool, depth: usize, found: &mut Vec<String>) {
    const MAX_DEPTH: usize = 6;
    const NAMES: &[&str] =
        &["path", "file", "dir", "folder", "uri", "dest", "target", "output", "source"];
    match value {
        Value::String(text) if says && !text.contains('\n') && text.len() < 4096 => {
            found.push(text.strip_prefix("file://").unwrap_or(text).to_owned());
        }
        Value::Array(items) if depth < MAX_DEPTH => {
            for it in items {
                named_paths(it, says, depth + 1, found);
            }
        }
        Value::Object(fields) if depth < MAX_DEPTH => {
            for (name, it) in fields {
                let name = name.to_lowercase();
                let says = NAMES.iter().any(|word| name.contains(word));
                named_paths(it, says, depth + 1, found);
            }
        }
        _ => (),
    }
}
