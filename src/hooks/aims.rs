//! What the intent gate works with: the sidecar, and where a call would write.
//! A project without a sidecar pays for one look.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::{
    core::{
        bounded,
        event::{Event, ToolCall, What},
        intent::{
            class,
            facts::{Aim, Aims, Sidecar},
            ignore::{Ignore, Treatment},
        },
        policy::Auto,
        session::Session,
    },
    open::Roz,
    shell::How,
    sidecar::{self, target::Site},
    world::{World, read_head},
};

/// A larger file is not hashed: it cannot go stale, as far as we know.
const MAX_HASHED: usize = 16 << 20;
/// Paths of one call that are looked at.
const MAX_TARGETS: usize = 200;

pub(super) fn aims(event: &Event, session: &Session, cwd: &Path, roz: &Roz, world: &World) -> Aims {
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
        let sidecar = if is_gone { Sidecar::Absent } else { Sidecar::NotAsked };
        return Aims { sidecar, ..Aims::default() };
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
    aims.catalogue = catalogue;
    let look = Look { session, cwd, roz, world, ignore: &ignore };
    match &event.what {
        // What a command shows is looked at before it runs: afterwards nobody
        // reads the line again.
        What::PreToolUse(call) => {
            aims.targets = look.targets(call);
            aims.seen = if call.readings.is_empty() { Vec::new() } else { look.seen(call) };
        }
        What::PostToolUse { call, succeeded } => {
            aims.seen = if *succeeded { look.seen(call) } else { Vec::new() };
        }
        _ => (),
    }
    aims
}

/// `sha256:` and 64 hexadecimal digits of what a file holds.
pub(super) fn hash(path: &Path) -> Option<String> {
    let bytes = read_head(path, MAX_HASHED)?;
    let hash = Sha256::digest(&bytes);
    Some(format!("sha256:{}", bounded::hex(&hash)))
}

#[derive(Clone, Copy)]
struct Look<'a> {
    session: &'a Session,
    cwd: &'a Path,
    roz: &'a Roz,
    world: &'a World,
    ignore: &'a Ignore,
}

impl Look<'_> {
    fn site(self) -> Site {
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
        let aim = |(path, how): (String, How)| {
            let is_free = class::is_sink(&path) || self.is_scratch(&path);
            let target = site.target(&path, self.cwd);
            let treatment =
                if is_free { Treatment::default() } else { self.ignore.treats(&target, intent) };
            let hash =
                if is_free { None } else { hash(&self.roz.project.join(target.real.text())) };
            Aim { target, how, treatment, is_free, hash, changed_by: None }
        };
        written.into_iter().take(MAX_TARGETS).map(aim).collect()
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
