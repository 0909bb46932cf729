//! `roz init --import`: the learnings that another program kept in `.grove/`
//! become roz's own. What lies there stays as it is.

use std::{fs, path::Path, time::Duration};

use super::step::{Step, new_file};
use crate::{
    memory::{self, Markdown, MemoryBackend as _},
    open::Roz,
    world::{World, in_a_line},
};

const PATIENCE: Duration = Duration::from_secs(5);
/// The largest `stats.log` that is copied, in bytes.
const LARGEST_LOG: u64 = 256 << 20;

pub(super) fn import(roz: &Roz, world: &World) -> Vec<Step> {
    let mut steps = Vec::new();
    let project = &roz.project;
    let older = project.join(".grove/learnings.md");
    if older.exists() {
        let _ = fs::create_dir(project.join(".roz"));
        let ours = Markdown::of_project(project.join(".roz/learnings.md"), PATIENCE);
        steps.push(copy(&older, &ours, ".roz/learnings.md"));
        steps.extend(stats(project));
    }
    let personal = world.user_home.as_ref().map(|it| it.join(".grove/personal-learnings.md"));
    if let Some(older) = personal.filter(|it| it.exists()) {
        let path = roz.home.join("personal-learnings.md");
        let shown = path.display().to_string();
        steps.push(copy(&older, &Markdown::personal(path, PATIENCE), &shown));
    }
    steps
}

/// Each learning that is not there yet, oldest first.
fn copy(from: &Path, to: &Markdown, shown: &str) -> Step {
    let failed = |why| Step::Partly(shown.to_owned(), "nothing".to_owned(), vec![why]);
    let mut read = match Markdown::of_peer(from.to_owned()).all() {
        Ok(read) => read,
        Err(err) => return failed(in_a_line(&err)),
    };
    read.learnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    let mut copied = 0_usize;
    let mut there = 0_usize;
    let mut problems: Vec<String> = read.problems.iter().map(ToString::to_string).collect();
    for learning in &read.learnings {
        match to.write(learning) {
            Ok(()) => copied += 1,
            Err(memory::Error::Exists { .. }) => there += 1,
            Err(err) => problems.push(in_a_line(&err)),
        }
    }
    if !problems.is_empty() {
        return Step::Partly(shown.to_owned(), format!("{copied} learnings"), problems);
    }
    match (copied, there) {
        (0, _) => Step::Kept(shown.to_owned()),
        (_, 0) => Step::Added(shown.to_owned(), format!("{copied} learnings")),
        (..) => Step::Added(shown.to_owned(), format!("{copied} learnings ({there} were there)")),
    }
}

/// How they were used, so that it goes on from there.
fn stats(project: &Path) -> Option<Step> {
    const NAME: &str = ".roz/stats.log";
    let older = project.join(".grove/stats.log");
    let meta = fs::symlink_metadata(&older).ok()?;
    if !meta.is_file() || meta.len() > LARGEST_LOG {
        return None;
    }
    let text = fs::read_to_string(&older).ok()?;
    Some(new_file(project, NAME, &text))
}
