//! `roz init`: what a project needs to be governed. Adds, and never overwrites.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
};

use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::{Done, say};
use crate::{
    open::Roz,
    sidecar::FOLDER,
    world::{
        World,
        files::{self, Access, Replacement},
        in_a_line,
    },
};

/// Set this project up; nothing that is there is overwritten
///
/// With `--intent`: `.orchestration/active_intents.yaml` and `.intentignore`
/// with examples in comments, `merge=union` for the logs in `.gitattributes`,
/// and the server `roz mcp` in `.mcp.json`. From then on an agent has to select
/// an intent before it changes anything.
///
/// Example:
///   roz init --intent
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Declare what is worked on, and hold agents to it
    #[arg(long, required = true)]
    intent: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

const INTENTS: &str = "\
# What is worked on here. An agent selects the intent that it is at before it
# changes anything, and stays inside its scope. `roz intent new` adds one, and
# so does this file; `roz intent check` says what is wrong with it.
#
# active_intents:
#   - id: INT-001
#     name: Login by link
#     # An open one is DRAFT, PENDING, TODO or IN_PROGRESS.
#     status: DRAFT
#     # Patterns begin at the project's root: `*` stays within a folder, `**`
#     # crosses them, a folder is all that is in it, `!` keeps something out.
#     owned_scope:
#       - src/auth/**
#       - \"!src/auth/legacy/**\"
#     constraints:
#       - No new dependency.
#     acceptance_criteria:
#       - A link works once.
active_intents: []
";

const IGNORED: &str = "\
# Lines as in a .gitignore: what is neither scoped nor recorded.
node_modules/
target/
# A verb before a pattern says something else:
#   deny secrets/          protected from every intent
#   ask migrations/        a person is asked
#   auto docs/             no person is asked, but for critical commands
#   INT-003: deny src/x/   for that intent only
# An id by itself cannot be selected:
#   INT-009
";

const ATTRIBUTES: [&str; 2] =
    [".orchestration/agent_trace.jsonl merge=union", ".roz/stats.log merge=union"];

/// The largest file that lines are added to, in bytes.
const LARGEST: usize = 4 << 20;

#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("`{0}` is there and is no folder. Remove it first")]
    NoFolder(String),
    #[error("failed to make `{0}`")]
    Make(String, #[source] std::io::Error),
}

/// What became of a file.
enum Step {
    Wrote(&'static str),
    Added(&'static str, String),
    Kept(&'static str),
    /// It is left as it is: why, and what to put into it.
    ByHand(&'static str, String, String),
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let project = Roz::open(world, &world.cwd)?.project;
    let folder = project.join(FOLDER);
    if fs::symlink_metadata(&folder).is_ok_and(|it| !it.is_dir()) {
        return Err(Error::NoFolder(folder.display().to_string()).into());
    }
    let made = fs::create_dir_all(&folder);
    made.map_err(|err| Error::Make(folder.display().to_string(), err))?;
    let steps = [
        new_file(&project, ".orchestration/active_intents.yaml", INTENTS),
        new_file(&project, ".orchestration/.intentignore", IGNORED),
        attributes(&project),
        servers(&project),
    ];
    let is_done = !steps.iter().any(|it| matches!(it, Step::ByHand(..)));
    if args.json {
        let steps: Vec<Value> = steps.iter().map(Step::as_json).collect();
        say::print_json(&json!({ "project": project, "files": steps, "done": is_done }))?;
    } else {
        let mut text: String = steps.iter().map(Step::told).collect();
        text += "Next: declare what is worked on with `roz intent new`, and commit these files.\n";
        say::print_plain(&text)?;
        if world.on_path("roz").is_empty() {
            say::warn("`roz` is not on PATH, so the client cannot start `roz mcp`");
        }
    }
    Ok(if is_done { Done::Well } else { Done::Badly })
}

fn new_file(project: &Path, name: &'static str, text: &str) -> Step {
    let path = project.join(name);
    if fs::symlink_metadata(&path).is_ok() {
        return Step::Kept(name);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let written = files::open_for(&path, &mut options, Access::Shared).and_then(|it| {
        let Some((mut file, _)) = it else { return Ok(()) };
        file.write_all(text.as_bytes()).map_err(|source| files::Error::Io { path, source })
    });
    match written {
        Ok(()) => Step::Wrote(name),
        Err(err) => Step::ByHand(name, in_a_line(&err), text.to_owned()),
    }
}

fn attributes(project: &Path) -> Step {
    const NAME: &str = ".gitattributes";
    let path = project.join(NAME);
    let all = ATTRIBUTES.join("\n");
    let old = match text_of(&path) {
        Ok(old) => old,
        Err(why) => return Step::ByHand(NAME, why, all),
    };
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let has = |wanted: &str| {
        let wanted = words(wanted);
        old.lines().map(words).any(|it| wanted.iter().all(|word| it.contains(word)))
    };
    let missing: Vec<&str> = ATTRIBUTES.into_iter().filter(|it| !has(it)).collect();
    if missing.is_empty() {
        return Step::Kept(NAME);
    }
    let gap = if old.is_empty() || old.ends_with('\n') { "" } else { "\n" };
    let lines = format!("{gap}{}\n", missing.join("\n"));
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    let written = files::open_for(&path, &mut options, Access::Shared).and_then(|it| {
        let Some((mut file, _)) = it else { return Ok(()) };
        file.write_all(lines.as_bytes()).map_err(|source| files::Error::Io { path, source })
    });
    match written {
        Ok(()) => Step::Added(NAME, missing.join(", ")),
        Err(err) => Step::ByHand(NAME, in_a_line(&err), all),
    }
}

fn servers(project: &Path) -> Step {
    const NAME: &str = ".mcp.json";
    let path = project.join(NAME);
    let by_hand = || format!("\"mcpServers\": {{ {SERVER} }}");
    let old = match text_of(&path) {
        Ok(old) => old,
        Err(why) => return Step::ByHand(NAME, why, by_hand()),
    };
    let new = match with_server(&old) {
        Ok(Some(new)) => new,
        Ok(None) => return Step::Kept(NAME),
        Err(why) => return Step::ByHand(NAME, why, by_hand()),
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
        Ok(()) if old.is_empty() => Step::Wrote(NAME),
        Ok(()) => Step::Added(NAME, "the server `roz`".to_owned()),
        Err(err) => Step::ByHand(NAME, in_a_line(&err), by_hand()),
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

/// What stands in a file, or nothing; or why that cannot be known.
fn text_of(path: &Path) -> Result<String, String> {
    let found = files::read(path).map_err(|err| in_a_line(&err))?;
    let Some((bytes, _)) = found else { return Ok(String::new()) };
    if bytes.len() > LARGEST {
        return Err(format!("it is larger than {} MiB", LARGEST >> 20));
    }
    String::from_utf8(bytes).map_err(|_| "it is no UTF-8".to_owned())
}

impl Step {
    fn told(&self) -> String {
        match self {
            Self::Wrote(name) => format!("Wrote {name}.\n"),
            Self::Added(name, what) => format!("Added to {name}: {what}.\n"),
            Self::Kept(name) => format!("Kept {name} as it is.\n"),
            Self::ByHand(name, why, what) => {
                format!("Left {name} alone: {why}. Put into it by hand:\n{}\n", what.trim_end())
            }
        }
    }

    fn as_json(&self) -> Value {
        match self {
            Self::Wrote(name) => json!({ "file": name, "did": "wrote" }),
            Self::Added(name, what) => json!({ "file": name, "did": "added", "what": what }),
            Self::Kept(name) => json!({ "file": name, "did": "kept" }),
            Self::ByHand(name, why, what) => {
                json!({ "file": name, "did": "left", "why": why, "by_hand": what })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn added(text: &str) -> String {
        let new = with_server(text).unwrap().unwrap();
        let value: Value = serde_json::from_str(&new).unwrap();
        assert_eq!(value["mcpServers"]["roz"]["command"], "roz", "{new}");
        assert_eq!(with_server(&new), Ok(None), "it is added once");
        new
    }

    #[test]
    fn a_server_is_added_and_everything_else_stays_in_its_place() {
        let text = "{\n\t\"z\": 1,\n  \"mcpServers\": {\n    \"b\": {\"command\": \"b\"},\n    \
                    \"a\": {}\n  },\n  \"c\": [1.50]\n}";
        let new = added(text);
        let own = format!("\n    {SERVER},");
        assert_eq!(new.replacen(&own, "", 1), text);
        for text in ["", "  \n", "{}", "{ \"mcpServers\": {} }", "{\"x\":{\"mcpServers\":{}}}"] {
            added(text);
        }
    }

    #[test]
    fn what_cannot_be_added_to_is_left_alone() {
        for text in [
            "{",
            "[]",
            "7",
            "{\"mcpServers\": []}",
            "{\"mcpServers\": null}",
            "{\"mcpServers\": {}, \"mcpServers\": {}}",
            "// comment\n{}",
        ] {
            assert!(with_server(text).is_err(), "{text}");
        }
    }
}
