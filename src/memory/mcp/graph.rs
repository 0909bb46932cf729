//! Learnings in the graph of the reference memory server, one entity each.
//!
//! ```text
//! name          cl_20261121_k3xq2a
//! entityType    roz_learning
//! observations  the summary, for people and for agents that read the graph
//!               roz:1 {the whole learning, as JSON}
//!               roz:status archived      after a change; the last one applies
//! ```
//!
//! Everything else in the graph is ignored.

use serde_json::{Value, json};

use super::{NAME, client::Talk};
use crate::{
    core::reflection::learning::{Learning, Status},
    memory::{Error, Problem, Reading, Result},
};

pub(super) const TOOLS: [&str; 4] =
    ["create_entities", "read_graph", "add_observations", "delete_observations"];

const KIND: &str = "roz_learning";
const RECORD: &str = "roz:1 ";
const STATUS: &str = "roz:status ";

pub(super) async fn write(talk: &Talk, item: &Learning) -> Result<()> {
    let record = serde_json::to_string(item)
        .map_err(|err| Error::Server { what: format!("cannot be given `{}`: {err}", item.id) })?;
    let observations = [item.summary.clone(), format!("{RECORD}{record}")];
    let entity = json!({ "name": item.id, "entityType": KIND, "observations": observations });
    let answer = talk.call("create_entities", json!({ "entities": [entity] })).await?;
    let made = answer["entities"].as_array().or(answer.as_array());
    match made.map(Vec::len) {
        // The server returns the entities that it has added.
        Some(0) => Err(Error::Exists { id: item.id.clone() }),
        Some(_) => Ok(()),
        None => Err(Error::Server { what: "does not say whether it kept the learning".into() }),
    }
}

pub(super) async fn mark(talk: &Talk, id: &str, status: Status) -> Result<()> {
    let graph = talk.call("read_graph", json!({})).await?;
    let no_such = || Error::NoSuch { id: id.to_owned() };
    let entity = entities(&graph).find(|entity| entity["name"] == id).ok_or_else(no_such)?;
    let learning = learning(entity).map_err(|_| no_such())?;
    if learning.status == status {
        return Ok(());
    }
    let new = format!("{STATUS}{status}");
    let old: Vec<&str> = observations(entity)
        .filter(|observation| observation.starts_with(STATUS) && *observation != new)
        .collect();
    // Add the new status first: if the next step fails, the last one still applies.
    let add = json!({ "observations": [{ "entityName": id, "contents": [new] }] });
    talk.call("add_observations", add).await?;
    if !old.is_empty() {
        let delete = json!({ "deletions": [{ "entityName": id, "observations": old }] });
        talk.call("delete_observations", delete).await?;
    }
    Ok(())
}

pub(super) fn read(graph: &Value) -> Reading {
    let mut reading = Reading::default();
    for entity in entities(graph) {
        match learning(entity) {
            Ok(learning) => reading.learnings.push(learning),
            Err(why) => {
                let name = entity["name"].as_str().unwrap_or_default();
                let what = format!("`{name}` cannot be read: {why}");
                reading.problems.push(Problem { place: NAME.into(), what });
            }
        }
    }
    reading
}

/// The entities that are learnings of roz.
fn entities(graph: &Value) -> impl Iterator<Item = &Value> {
    graph["entities"].as_array().into_iter().flatten().filter(|entity| entity["entityType"] == KIND)
}

fn observations(entity: &Value) -> impl Iterator<Item = &str> {
    entity["observations"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

fn learning(entity: &Value) -> Result<Learning, String> {
    let record = observations(entity).find_map(|observation| observation.strip_prefix(RECORD));
    let record = record.ok_or("its record is not there")?;
    let mut learning: Learning =
        serde_json::from_str(record).map_err(|err| format!("its record is broken: {err}"))?;
    let statuses = observations(entity).filter_map(|observation| observation.strip_prefix(STATUS));
    if let Some(status) = statuses.filter_map(Status::find).last() {
        learning.status = status;
    }
    Ok(learning)
}
