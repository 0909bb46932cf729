//! `.mcp.json`: the client is told of the server `roz mcp`, and each byte that
//! was there stays.

use std::{fs, path::Path};

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::step::{Step, text_of};
use crate::world::{
    files::{self, Replacement},
    in_a_line,
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
    let mode = fs::symlink_metadata(&path).ok().map(|it| {
        use std::os::unix::fs::PermissionsExt as _;
        it.permissions().mode() & 0o7777
    });
    let tmp = project.join(format!(".mcp.json.{}.tmp", std::process::id()));
    let new = Replacement {
        bytes: new.as_bytes(),
        modified: None,
        durable: false,
        mode: mode.or(Some(0o644)),
    };
    match files::replace(&path, &tmp, &new) {
        Ok(()) if old.is_empty() => Step::Wrote(NAME.to_owned()),
        Ok(()) => Step::Added(NAME.to_owned(), "the server `roz`".to_owned()),
        Err(err) => Step::ByHand(NAME.to_owned(), in_a_line(&err), by_hand()),
    }
}

const SERVER: &str = r#""roz": { "command": "roz", "args": ["mcp"] }"#;

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow, rename = "mcpServers")]
    servers: Option<&'a RawValue>,
}

/// The text with roz's server in it, and each byte that was there; none if it
/// is there already.
fn with_server(text: &str) -> Result<Option<String>, String> {
    if text.trim().is_empty() {
        return Ok(Some(format!("{{\n  \"mcpServers\": {{\n    {SERVER}\n  }}\n}}\n")));
    }
    let unfit = |what: &str| format!("it is no object of servers: {what}");
    let value: Value = serde_json::from_str(text).map_err(|err| unfit(&err.to_string()))?;
    let Value::Object(fields) = &value else { return Err(unfit("not an object")) };
    if value["mcpServers"].get("roz").is_some() {
        return Ok(None);
    }
    let found: Document = serde_json::from_str(text).map_err(|err| unfit(&err.to_string()))?;
    let (at, new) = if let Some(servers) = found.servers.map(RawValue::get) {
        // It is a piece of the text.
        let at = servers.as_ptr().addr().saturating_sub(text.as_ptr().addr());
        let is_empty = value["mcpServers"].as_object().is_some_and(serde_json::Map::is_empty);
        let ends = if is_empty { "\n  " } else { "," };
        (at + 1, format!("\n    {SERVER}{ends}"))
    } else {
        let at = text.find('{').unwrap_or_default();
        let ends = if fields.is_empty() { "\n" } else { "," };
        (at + 1, format!("\n  \"mcpServers\": {{\n    {SERVER}\n  }}{ends}"))
    };
    let (Some(before), Some(after)) = (text.get(..at), text.get(at..)) else {
        return Err(unfit("it has an odd shape"));
    };
    // As the lines around them end.
    let new = if text.contains("\r\n") { new.replace('\n', "\r\n") } else { new };
    let new = format!("{before}{new}{after}");
    let mut expected = value;
    let server: Value = serde_json::from_str(&format!("{{{SERVER}}}")).unwrap_or_default();
    let servers = &mut expected["mcpServers"];
    if servers.is_null() {
        *servers = json!({});
    }
    let Value::Object(servers) = servers else { return Err(unfit("`mcpServers` is none")) };
    servers.insert("roz".to_owned(), server["roz"].clone());
    match serde_json::from_str::<Value>(&new) {
        Ok(read) if read == expected => Ok(Some(new)),
        _ => Err(unfit("it has an odd shape")),
    }
}

#[cfg(test)]
mod tests;
