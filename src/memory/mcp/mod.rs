//! Learnings in a memory server that speaks MCP over standard input and output.
//!
//! The server is started for each request, gets five seconds, and is killed with everything that it
//! started. Its tools:
//!
//! | wanted | called with | answers | `@modelcontextprotocol/server-memory` |
//! |---|---|---|---|
//! | `write` | a learning, as JSON | anything | `create_entities` |
//! | `all` | `{}` | a list of learnings, or an object with one | `read_graph` |
//! | `mark` | `{"id", "status"}` | anything | `add_observations`, `delete_observations` |
//!
//! The first three columns are for `backends.mcp.tool_names`; without those the
//! server is taken for the reference one: see [`graph`].

mod cache;
mod client;
mod graph;

use std::{
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};

use self::client::Talk;
use super::{Error, MemoryBackend, Problem, Reading, Result, is_id};
use crate::{
    core::{
        policy::McpPolicy,
        reflection::learning::{Learning, Status},
    },
    world::files::{self, At as _},
};

/// How long a server may take, from its start to its last answer.
const PATIENCE: Duration = Duration::from_secs(5);

const NAME: &str = "mcp";

#[derive(Debug)]
pub struct Mcp {
    server: McpPolicy,
    /// Allows one writer at a time: the reference server reads its file, changes it and writes it
    /// back, so parallel changes would be lost.
    lock: PathBuf,
    /// How long to wait for another writer.
    patience: Duration,
    answer_within: Duration,
    /// Set when it did not answer in time, so that reflecting on twenty candidates waits only once.
    is_silent: AtomicBool,
}

impl Mcp {
    /// `None` if no server is configured. `lock` is created when it is needed.
    pub fn new(server: &McpPolicy, lock: PathBuf, patience: Duration) -> Option<Self> {
        server.command.as_ref()?;
        let (server, is_silent) = (server.clone(), AtomicBool::new(false));
        Some(Self { server, lock, patience, answer_within: PATIENCE, is_silent })
    }

    /// The command line.
    pub fn place(&self) -> String {
        let command = self.server.command.as_deref().unwrap_or_default();
        std::iter::once(command)
            .chain(self.server.args.iter().map(String::as_str))
            .collect::<Vec<_>>()
            .join(" ")
    }

    fn talk<T>(&self, say: impl AsyncFnOnce(&Talk) -> Result<T>) -> Result<T> {
        if self.is_silent.load(Ordering::Relaxed) {
            return Err(Error::Server { what: "did not answer before".to_owned() });
        }
        let began = Instant::now();
        let told = client::talk(&self.server, self.answer_within, say);
        let is_late = told.is_err() && began.elapsed() >= self.answer_within;
        self.is_silent.store(is_late, Ordering::Relaxed);
        told
    }

    fn is_graph(&self) -> bool {
        self.server.tool_names.is_empty()
    }

    fn tool(&self, wanted: &str) -> Result<&str> {
        let tool = self.server.tool_names.get(wanted).map(String::as_str);
        tool.filter(|tool| !tool.is_empty()).ok_or_else(|| Error::Server {
            what: format!("has no tool for `{wanted}`: name it in `backends.mcp.tool_names`"),
        })
    }

    /// The path of the cache: see [`known`].
    pub fn known(&self) -> PathBuf {
        cache::path(self.lock.parent().unwrap_or(&self.lock), &self.server)
    }

    fn locked(&self, patience: Duration) -> Result<std::fs::File> {
        let until = Instant::now() + patience;
        if let Some(dir) = self.lock.parent()
            && !dir.is_dir()
        {
            std::fs::create_dir_all(dir).at(dir)?;
        }
        let not_found = || std::io::Error::from(std::io::ErrorKind::NotFound);
        Ok(files::lock(&self.lock, until)?.ok_or_else(not_found).at(&self.lock)?)
    }
}

impl MemoryBackend for Mcp {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, learning: &Learning) -> Result<()> {
        if !is_id(&learning.id) {
            return Err(Error::BadId { id: learning.id.clone() });
        }
        let _lock = self.locked(self.patience)?;
        if self.is_graph() {
            self.talk(async |talk| graph::write(talk, learning).await)?;
        } else {
            let tool = self.tool("write")?;
            self.talk(async |talk| talk.call(tool, json!(learning)).await.map(drop))?;
        }
        let mut known = cache::read(&self.known());
        known.retain(|other| other.id != learning.id);
        known.push(learning.clone());
        cache::keep(&self.known(), &known);
        Ok(())
    }

    fn all(&self) -> Result<Reading> {
        // A concurrent writer keeps the cache up to date itself.
        let lock = self.locked(Duration::ZERO);
        let mut reading = if self.is_graph() {
            graph::read(&self.talk(async |talk| talk.call("read_graph", json!({})).await)?)
        } else {
            let tool = self.tool("all")?;
            listed(&self.talk(async |talk| talk.call(tool, json!({})).await)?)
        };
        reading.sort();
        if lock.is_ok() {
            cache::keep(&self.known(), &reading.learnings);
        }
        Ok(reading)
    }

    fn at_hand(&self) -> Result<Reading> {
        let mut reading = Reading { learnings: cache::read(&self.known()), problems: Vec::new() };
        reading.sort();
        Ok(reading)
    }

    fn mark(&self, id: &str, status: Status) -> Result<()> {
        let _lock = self.locked(self.patience)?;
        if self.is_graph() {
            self.talk(async |talk| graph::mark(talk, id, status).await)?;
        } else {
            let tool = self.tool("mark")?;
            let asked = json!({ "id": id, "status": status });
            self.talk(async |talk| talk.call(tool, asked).await.map(drop))?;
        }
        let mut known = cache::read(&self.known());
        known
            .iter_mut()
            .filter(|learning| learning.id == id)
            .for_each(|learning| learning.status = status);
        cache::keep(&self.known(), &known);
        Ok(())
    }

    fn ping(&self) -> Result<()> {
        self.is_silent.store(false, Ordering::Relaxed);
        let has = self.talk(async |talk| talk.tools().await)?;
        let mut wanted: Vec<&str> = self.server.tool_names.values().map(String::as_str).collect();
        if self.is_graph() {
            wanted.extend(graph::TOOLS);
        }
        match wanted.iter().find(|text| !has.iter().any(|tool| tool == *text)) {
            Some(missing) => Err(Error::Server { what: format!("has no tool `{missing}`") }),
            None => Ok(()),
        }
    }
}

/// The learnings in an answer, which is a list or an object with a list in it.
fn listed(answer: &Value) -> Reading {
    let none = Map::new();
    let mut lists = answer.as_object().unwrap_or(&none).values().filter_map(Value::as_array);
    let items = answer.as_array().or_else(|| lists.next());
    let mut reading = Reading::default();
    for item in items.into_iter().flatten() {
        match serde_json::from_value(item.clone()) {
            Ok(learning) => reading.learnings.push(learning),
            Err(err) => {
                let id = item["id"].as_str().unwrap_or("an item");
                let what = format!("`{id}` is not a learning: {err}");
                reading.problems.push(Problem { place: NAME.into(), what });
            }
        }
    }
    reading
}

#[cfg(test)]
mod tests;
