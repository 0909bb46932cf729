//! The paths that a call says it writes. Other writes are found after the call.

use std::path::Path;

use super::{event::ToolCall, mcp_paths, name_words::is_one, tool::Tool};
use crate::shell::{How, Reading, Run, Write};

/// `project` is the root of the project that judges the writes.
pub fn of(call: &ToolCall, project: &Path) -> Vec<(String, How)> {
    let mut found = by_tool(call, project);
    let writes = call.readings.iter().flat_map(|reading| {
        let is_kept = |write: &&Write| !is_remote(write, reading) && !is_work_tree(write, reading);
        reading.writes.iter().filter(is_kept)
    });
    found.extend(writes.map(|write| (write.path.clone(), write.how)));
    found
}

/// The files that a tool's input names.
fn by_tool(call: &ToolCall, project: &Path) -> Vec<(String, How)> {
    match &call.tool {
        Tool::Write { path, .. } if !path.is_empty() => vec![(path.clone(), How::Write)],
        Tool::Edit { path, .. } if !path.is_empty() => vec![(path.clone(), How::Edit)],
        // A server may run in another folder than the agent, so relative paths count from both.
        Tool::Mcp { .. } => {
            let mut found = Vec::new();
            for path in mcp_paths::named(&call.input) {
                if !path.starts_with(['/', '~']) {
                    let from_root = project.join(&path).to_string_lossy().into_owned();
                    found.push((from_root, How::Edit));
                }
                found.push((path, How::Edit));
            }
            found
        }
        // A tool of a newer client may write every path that it names.
        tool if !tool.changes_nothing_itself() => {
            let paths = ["file_path", "path", "notebook_path"];
            let named = paths.iter().filter_map(|field| call.text(field));
            named.map(|path| (path.to_owned(), How::Edit)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether the target is on another machine: `scp a host:/b`, `aws s3 cp a s3://b`.
fn is_remote(write: &Write, reading: &Reading) -> bool {
    const COPY: &str =
        "scp rsync docker podman nerdctl kubectl oc rclone aws gsutil gcloud sftp rcp";
    is_on_host(&write.path) && reading.runs.iter().any(|run| is_one(COPY, &run.program))
}

/// `host:/path`
pub fn is_on_host(path: &str) -> bool {
    path.split_once(':').is_some_and(|(host, _)| !host.is_empty() && !host.contains('/'))
}

/// Whether it is a work tree that git creates, moves or removes. Writes in it are judged by their
/// paths there.
fn is_work_tree(write: &Write, reading: &Reading) -> bool {
    let is_it = |run: &Run| {
        matches!(run.words()[..], ["git", "worktree", "add" | "move" | "remove", ..])
            && (write.how == How::Directory || run.argv.contains(&write.path))
    };
    reading.runs.iter().any(is_it)
}
