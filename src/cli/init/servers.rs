//! `.mcp.json`: the client is told of the server `roz mcp`, and each byte that
//! was there stays.

use std::path::Path;

use serde_json::{Value, json};

use super::step::{Step, text_of};
use crate::{
    plugin::json_edit::Document,
    world::{files, in_a_line},
};

pub(super) fn servers(project: &Path) -> Step {
    const NAME: &str = ".mcp.json";
    let path = project.join(NAME);
    let by_hand = || format!("\"mcpServers\": {{ {SERVER} }}");
    let old = match text_of(&path) {
        Ok(old) => old,
        Err(why) => return Step::ByHand(NAME.to_owned(), why, by_hand()),
    };
    let new = match with_server(&old) {
        Ok(Some(new)) => new,
        Ok(None) => return Step::Kept(NAME.to_owned()),
        Err(why) => return Step::ByHand(NAME.to_owned(), why, by_hand()),
    };
    match files::rewrite(&path, new.as_bytes(), false) {
        Ok(()) if old.is_empty() => Step::Wrote(NAME.to_owned()),
        Ok(()) => Step::Added(NAME.to_owned(), "the server `roz`".to_owned()),
        Err(err) => Step::ByHand(NAME.to_owned(), in_a_line(&err), by_hand()),
    }
}

const SERVER: &str = r#""roz": { "command": "roz", "args": ["mcp"] }"#;

/// The text with roz's server in it; none if it has it already.
fn with_server(text: &str) -> Result<Option<String>, String> {
    let unfit = || "it is not a JSON object of servers".to_owned();
    let document = Document::parse(text).ok_or_else(unfit)?;
    let server = json!({ "command": "roz", "args": ["mcp"] });
    let is_new = document.add_member(&["mcpServers"], "roz", &server);
    let text = document.text();
    let says: Value = serde_json::from_str(&text).unwrap_or_default();
    if !says["mcpServers"]["roz"].is_object() {
        return Err(unfit());
    }
    Ok(is_new.then_some(text))
}

#[cfg(test)]
mod tests;
