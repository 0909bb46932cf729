//! `roz init --import`: the learnings that another program kept in `.grove/`
//! become roz's own. What lies there stays as it is.

use std::{fs, iter, path::Path, time::Duration};

use super::step::{Step, new_file};
use crate::{
    core::{bounded, reflection::learning::Learning},
    memory::{self, Markdown, MemoryBackend as _},
    open::Roz,
    world::{World, in_a_line},
};

/// Where a project's own are kept.
pub(super) const LEARNINGS: &str = ".roz/learnings.md";

const PATIENCE: Duration = Duration::from_secs(5);
/// The largest `stats.log` that is copied, in bytes.
const LARGEST_LOG: u64 = 256 << 20;

pub(super) fn import(roz: &Roz, world: &World) -> Vec<Step> {
    let mut steps = Vec::new();
    let project = &roz.project;
    let older = project.join(".grove/learnings.md");
    if older.exists() {
        let ours = Markdown::of_project(project.join(LEARNINGS), PATIENCE);
        let _ = fs::create_dir(project.join(".roz"));
        steps.extend(copy((&older, ".grove/learnings.md"), &ours, LEARNINGS));
        steps.extend(stats(project));
    }
    let personal = world.user_home.as_ref().map(|it| it.join(".grove/personal-learnings.md"));
    if let Some(older) = personal.filter(|it| it.exists()) {
        let path = roz.home.join("personal-learnings.md");
        let (from, shown) = (older.display().to_string(), path.display().to_string());
        steps.extend(copy((&older, &from), &Markdown::personal(path, PATIENCE), &shown));
    }
    steps
}

/// Each learning that is not there yet, oldest first. A file goes with what it
/// is called.
fn copy((from, from_shown): (&Path, &str), to: &Markdown, shown: &str) -> Vec<Step> {
    let failed = |why| Step::Partly(shown.to_owned(), "nothing".to_owned(), vec![why]);
    let mut read = match Markdown::of_peer(from.to_owned()).all() {
        Ok(read) => read,
        Err(err) => return vec![failed(in_a_line(&err))],
    };
    if read.learnings.is_empty() && read.problems.is_empty() {
        return vec![Step::Empty(from_shown.to_owned())];
    }
    read.learnings.sort_by(|a, b| (a.created_at, &a.id).cmp(&(b.created_at, &b.id)));
    let mut copied = 0;
    let mut there = Vec::new();
    let mut problems: Vec<String> = read.problems.iter().map(ToString::to_string).collect();
    for learning in &read.learnings {
        match to.write(learning) {
            Ok(()) => copied += 1,
            Err(memory::Error::Exists { .. }) => there.push(learning),
            Err(err) => problems.push(in_a_line(&err)),
        }
    }
    let what = match there.len() {
        0 => bounded::counted(copied, "learning"),
        1 => format!("{} (1 was there)", bounded::counted(copied, "learning")),
        more => format!("{} ({more} were there)", bounded::counted(copied, "learning")),
    };
    let done = if !problems.is_empty() {
        Step::Partly(shown.to_owned(), what, problems)
    } else if copied == 0 {
        Step::Kept(shown.to_owned())
    } else {
        Step::Added(shown.to_owned(), what)
    };
    let other = differing(&there, to);
    let differs =
        (!other.is_empty()).then(|| Step::Differs(shown.to_owned(), from_shown.to_owned(), other));
    iter::once(done).chain(differs).collect()
}

/// Those that are there with another text, or cannot be read there.
fn differing(there: &[&Learning], to: &Markdown) -> Vec<String> {
    if there.is_empty() {
        return Vec::new();
    }
    let ours = to.all().unwrap_or_default().learnings;
    let is_same = |a: &str, b: &str| a.split_whitespace().eq(b.split_whitespace());
    let has = |it: &Learning| {
        ours.iter()
            .filter(|own| own.id == it.id)
            .any(|own| is_same(&own.summary, &it.summary) && is_same(&own.detail, &it.detail))
    };
    there.iter().filter(|it| !has(it)).map(|it| it.id.clone()).collect()
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
