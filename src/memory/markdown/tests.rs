//! Files that were merged, edited, cut short, forged, or are none.

mod merges;
mod oddities;
mod properties;

use std::{fs, os::unix::fs::PermissionsExt as _};

use super::*;
use crate::memory::{contract::learning, tests::PATIENCE};

/// A project's file in a temporary folder.
struct Scene {
    _dir: tempfile::TempDir,
    backend: Markdown,
}

impl Scene {
    fn new() -> Self {
        // In memory where that can be had: every write is synced.
        let dir = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let path = dir.path().join("learnings.md");
        Self { _dir: dir, backend: Markdown::of_project(path, PATIENCE) }
    }

    fn with(text: impl AsRef<[u8]>) -> Self {
        let scene = Self::new();
        fs::write(&scene.backend.file.path, text).unwrap();
        scene
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.backend.file.path).unwrap()
    }

    /// The learnings; there is nothing to complain about.
    #[track_caller]
    fn learnings(&self) -> Vec<Learning> {
        let reading = self.backend.all().unwrap();
        assert_eq!(reading.problems, [], "{}", self.text());
        reading.learnings
    }

    /// The ids, and the problems without their folder.
    fn told(&self) -> (Vec<String>, Vec<String>) {
        let reading = self.backend.all().unwrap();
        let folder = self.backend.file.path.to_str().unwrap();
        let problems =
            reading.problems.iter().map(|problem| problem.to_string().replace(folder, "…"));
        (reading.learnings.into_iter().map(|learning| learning.id).collect(), problems.collect())
    }
}

#[test]
fn a_line_of_an_entry_that_lost_its_mark_is_named() {
    let scene = Scene::new();
    scene.backend.write(&learning(0)).unwrap();
    let id = learning(0).id;
    let mark = format!(" ^{}", id.rsplit('_').next().unwrap());
    let text = scene.text();
    let (before, detail) = text.split_once("\n> ").unwrap();
    let line = before.lines().count() + 1;
    let (begin, end) = detail.split_once(' ').unwrap();
    // As a formatter wraps a quote, and as one that does not know it is one.
    for join in ["\n> ", "\n"] {
        let scene = Scene::with(format!("{before}\n> {begin}{join}{end}"));
        let problems = scene.told().1;
        let told =
            format!("…:{line}: it is inside `{id}` but not part of it: end it with `{mark}`");
        assert!(problems.contains(&told), "{problems:?}");
    }
    let added = format!(
        "{before}\nBy hand, and between the others.\n> {detail}\nBehind it is anybody's.\n"
    );
    assert_eq!(Scene::with(added).told().1.len(), 1);
}

#[test]
fn an_entry_is_a_heading_and_labelled_lines() {
    let scene = Scene::new();
    scene.backend.write(&learning(0)).unwrap();
    let id = learning(0).id;
    let tail = id.rsplit('_').next().unwrap();
    let text = scene.text().replace(tail, "k3xq2a");
    let (head, entry) = text.split_once("\n\n## ").unwrap();
    assert!(head.starts_with("# Learnings\n"));
    assert_eq!(
        entry,
        "Run `make gen0` after touching proto/*.proto ^cl_20261121_k3xq2a\n\
         - **Status:** active ^k3xq2a\n\
         - **Category:** pattern ^k3xq2a\n\
         - **Scope:** project ^k3xq2a\n\
         - **Confidence:** high ^k3xq2a\n\
         - **Criteria:** behavior_changing, stable_fact ^k3xq2a\n\
         - **Tags:** proto, config_yaml, c++, a&#44; b ^k3xq2a\n\
         - **Files:** proto/a b&#44;c.proto, Makefile ^k3xq2a\n\
         - **Relevance:** when a .proto changes | not for docs ^k3xq2a\n\
         - **Ticket:** t-0 ^k3xq2a\n\
         - **Session:** 0199c0de-0000-7000-8000-000000000000 ^k3xq2a\n\
         > The generated files are committed. ^k3xq2a\n\
         > Nothing checks them: see gen0.go ^k3xq2a\n\
         - **Written:** 2026-11-21T10:00:00Z by roz 0.1.0 ^k3xq2a\n"
    );
}

#[test]
fn no_two_entries_have_a_line_in_common() {
    let scene = Scene::new();
    (0..8).for_each(|n| scene.backend.write(&learning(n)).unwrap());
    let text = scene.text();
    let (_, entries) = text.split_once("\n\n").unwrap();
    let mut lines: Vec<_> = entries.lines().filter(|line| !line.is_empty()).collect();
    let n = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), n);
}

/// Both files' lines, those that differ.
fn differences<'a>(before: &'a str, after: &'a str) -> Vec<(&'a str, &'a str)> {
    assert_eq!(before.lines().count(), after.lines().count());
    before.lines().zip(after.lines()).filter(|(a, b)| a != b).collect()
}

#[test]
fn archiving_changes_the_status_line_and_nothing_else() {
    let scene = Scene::with("Our own head, kept.\r\n\n```\nodd\n");
    (0..3).for_each(|n| scene.backend.write(&learning(n)).unwrap());
    fs::write(&scene.backend.file.path, scene.text() + "\n# Somebody's notes\n> quote\n\n---\nend")
        .unwrap();
    let before = scene.text();
    let id = learning(1).id;
    let mark = format::mark(&id);
    for (word, status) in [("archived", Status::Archived), ("superseded", Status::Superseded)] {
        scene.backend.mark(&id, status).unwrap();
        let after = scene.text();
        let was = format!("- **Status:** active ^{mark}");
        let is = format!("- **Status:** {word} ^{mark}");
        assert_eq!(differences(&before, &after), [(&*was, &*is)]);
        scene.backend.mark(&id, Status::Active).unwrap();
        assert_eq!(scene.text(), before);
    }
}

#[test]
fn a_projects_file_is_for_whom_the_project_is() {
    let mode = |markdown: &Markdown| {
        fs::metadata(&markdown.file.path).unwrap().permissions().mode() & 0o777
    };
    let scene = Scene::new();
    scene.backend.write(&learning(0)).unwrap();
    fs::set_permissions(&scene.backend.file.path, fs::Permissions::from_mode(0o664)).unwrap();
    scene.backend.mark(&learning(0).id, Status::Archived).unwrap();
    assert_eq!(mode(&scene.backend), 0o664);
    let dir = tempfile::tempdir().unwrap();
    let personal = Markdown::personal(dir.path().join("home/personal-learnings.md"), PATIENCE);
    personal.write(&learning(0)).unwrap();
    assert_eq!(mode(&personal), 0o600);
}
