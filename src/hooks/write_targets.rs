//! The paths that a call would write, as it names them. What it does not name is seen afterwards.

use std::path::Path;

use super::{glob_expansion::expand, server_paths};
use crate::{
    core::{event::ToolCall, intent::class::is_one, tool::Tool},
    shell::{HOLE, How, Reading, Run, Write},
};

/// Where a call is made.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) cwd: &'a Path,
    /// The root of the project that judges the writes.
    pub(super) project: &'a Path,
    pub(super) home: Option<&'a Path>,
}

pub(super) fn of(call: &ToolCall, place: Place) -> Vec<(String, How)> {
    let mut found = by_tool(call, place.project);
    let writes = call.readings.iter().flat_map(|reading| {
        let is_kept = |write: &&Write| !is_remote(write, reading) && !is_work_tree(write, reading);
        reading.writes.iter().filter(is_kept)
    });
    for write in writes.filter(|write| !makes_nothing(write, place.cwd)) {
        let files = if write.path.contains(HOLE) {
            vec![write.path.clone()]
        } else {
            expand(&write.path, place.cwd, place.home)
        };
        found.extend(files.into_iter().map(|file| (file, write.how)));
    }
    found.dedup();
    found
}

/// The files that a tool's input names.
fn by_tool(call: &ToolCall, project: &Path) -> Vec<(String, How)> {
    match &call.tool {
        Tool::Write { path, .. } if !path.is_empty() => vec![(path.clone(), How::Write)],
        Tool::Edit { path, .. } if !path.is_empty() => vec![(path.clone(), How::Edit)],
        // A server stands where it was started, which is not where the agent stands: what is
        // relative counts from both.
        Tool::Mcp { .. } => {
            let mut found = Vec::new();
            for path in server_paths::named(&call.input) {
                if !path.starts_with(['/', '~']) {
                    let from_root = project.join(&path).to_string_lossy().into_owned();
                    found.push((from_root, How::Edit));
                }
                found.push((path, How::Edit));
            }
            found
        }
        // A tool that a newer client has: what it names, it may write.
        tool if !tool.changes_nothing_itself() => {
            let paths = ["file_path", "path", "notebook_path"];
            let named = paths.iter().filter_map(|field| call.text(field));
            named.map(|path| (path.to_owned(), How::Edit)).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether it is on another machine: `scp a host:/b`, `aws s3 cp a s3://b`.
fn is_remote(write: &Write, reading: &Reading) -> bool {
    const COPY: &str =
        "scp rsync docker podman nerdctl kubectl oc rclone aws gsutil gcloud sftp rcp";
    let host = write.path.split_once(':').map(|(host, _)| host);
    host.is_some_and(|host| !host.is_empty() && !host.contains('/'))
        && reading.runs.iter().any(|run| is_one(COPY, &run.program))
}

/// Whether it is a work tree of the repository that git makes, moves or removes: what is written
/// into one is judged by its path there.
fn is_work_tree(write: &Write, reading: &Reading) -> bool {
    let is_it = |run: &Run| {
        matches!(run.words()[..], ["git", "worktree", "add" | "move" | "remove", ..])
            && (write.how == How::Directory || run.argv.contains(&write.path))
    };
    reading.runs.iter().any(is_it)
}

/// Whether a `mkdir -p` finds its folder there already.
fn makes_nothing(write: &Write, cwd: &Path) -> bool {
    let path = &write.path;
    write.how == How::Directory
        && !path.starts_with('~')
        && !path.contains(HOLE)
        && cwd.join(path).is_dir()
}
