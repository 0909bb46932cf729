//! Adds the server `roz mcp` to `.mcp.json`, and keeps every other byte.

use std::path::Path;

use serde_json::{Value, json};

use super::step::{Step, text_of};
use crate::{
    plugin::json_edit::Document,
    world::{files, in_a_line},
};

pub(super) fn servers(project: &Path) -> Step {
    let file = ".mcp.json".to_owned();
    let path = project.join(&file);
    let step = text_of(&path).and_then(|old| {
        let Some(new) = with_server(&old)? else { return Ok(Step::Kept { file: file.clone() }) };
        files::rewrite(&path, new.as_bytes(), false).map_err(|err| in_a_line(&err))?;
        let file = file.clone();
        let what = "the server `roz`".to_owned();
        Ok(if old.is_empty() { Step::Wrote { file } } else { Step::Added { file, what } })
    });
    let by_hand = format!("\"mcpServers\": {{ {SERVER} }}");
    step.unwrap_or_else(|why| Step::Left { file, why, by_hand })
}

const SERVER: &str = r#""roz": { "command": "roz", "args": ["mcp"] }"#;

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
