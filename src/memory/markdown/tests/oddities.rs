//! Files written by hand, by the peer or by an attacker, and things that are not files.

use std::{os::unix::fs::symlink, time::Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;

const PEER: &str = "\
# Learnings

Some text of the project's own.

## cl_20260301_001

**Category:** pitfall
**Summary:** Never | use `**Status:** archived` in a summary
**Scope:** project | **Confidence:** high | **Status:** active
**Tags:** #tokio #build.rs
**Ticket:** iss-12 | **Session:** abc
**Context Files:** src/a.rs, src/b.rs
**Relevance:** when adding handlers
**Criteria:** Behavior-Changing, stable-fact
**Created:** 2026-03-01T09:30:00Z

The first paragraph.

The second, after a blank line:

---

and a rule in it.

---

## cl_20260302_002

**Category:** Domain
**Summary:** The second
**Scope:** team | **Confidence:** low | **Status:** archived

Detail of the second.

---
";

#[test]
fn files_of_the_peer_are_read() {
    let scene = Scene::with(PEER);
    let learnings = scene.learnings();
    assert_eq!(learnings.len(), 2);
    let first = &learnings[0];
    assert_eq!(first.id, "cl_20260301_001");
    assert_eq!(first.summary, "Never | use `**Status:** archived` in a summary");
    assert_eq!(first.status, Status::Active);
    assert_eq!(first.tags, ["tokio", "build.rs"]);
    assert_eq!(first.context_files, ["src/a.rs", "src/b.rs"]);
    assert_eq!(
        (first.ticket_id.as_deref(), first.session_id.as_deref()),
        (Some("iss-12"), Some("abc"))
    );
    assert_eq!(first.relevance.as_deref(), Some("when adding handlers"));
    assert_eq!(first.criteria.len(), 2);
    assert_eq!(first.created_at.to_rfc3339(), "2026-03-01T09:30:00+00:00");
    assert_eq!(
        first.detail,
        "The first paragraph.\n\nThe second, after a blank line:\n\n---\n\nand a rule in it."
    );
    let second = &learnings[1];
    assert_eq!(
        (second.status, second.detail.as_str()),
        (Status::Archived, "Detail of the second.")
    );
    assert_eq!(second.created_at.to_rfc3339(), "2026-03-02T00:00:00+00:00");
}

#[test]
fn an_entry_of_the_peer_is_archived_in_its_status_alone() {
    let scene = Scene::with(PEER);
    scene.backend.mark("cl_20260301_001", Status::Archived).unwrap();
    let line = "**Scope:** project | **Confidence:** high | **Status:** ";
    let expected = PEER.replace(&format!("{line}active"), &format!("{line}archived"));
    assert_eq!(scene.text(), expected);
    scene.backend.mark("cl_20260302_002", Status::Active).unwrap();
    assert_eq!(scene.learnings()[1].status, Status::Active);
}

#[test]
fn our_entries_stand_behind_those_of_the_peer() {
    let scene = Scene::with(PEER);
    scene.backend.write(&learning(0)).unwrap();
    assert!(scene.text().starts_with(PEER));
    assert_eq!(scene.learnings().len(), 3);
    assert_eq!(scene.learnings()[2], learning(0));
    // And an entry of the peer after ours.
    let again = PEER.replace("cl_2026030", "cl_2026040");
    let scene = Scene::with(scene.text() + &again);
    assert_eq!(scene.learnings().len(), 5);
}

#[test]
fn an_entry_written_by_hand_needs_little() {
    let scene = Scene::with(
        "## Ask before pushing to release ^cl_20260401_hand\n\n\
         - **Category:** process\n- **Tags:** git, release\n\n> The maintainer said so\n>\n> twice, with ctrl ^c\n\n\
         # Notes\n> not a detail\n",
    );
    let learning = scene.learnings().remove(0);
    assert_eq!(learning.summary, "Ask before pushing to release");
    assert_eq!(learning.detail, "The maintainer said so\n\ntwice, with ctrl ^c");
    assert_eq!(learning.tags, ["git", "release"]);
    assert_eq!(learning.created_at.to_rfc3339(), "2026-04-01T00:00:00+00:00");
    let before = scene.text();
    scene.backend.mark("cl_20260401_hand", Status::Archived).unwrap();
    assert_eq!(scene.learnings()[0].status, Status::Archived);
    let line = "- **Status:** archived\n";
    assert_eq!(scene.text().replace(line, ""), before);
}

#[test]
fn what_cannot_be_read_is_named_kept_and_skipped() {
    let scene = Scene::new();
    (0..5).for_each(|n| scene.backend.write(&learning(n)).unwrap());
    let broken = scene
        .text()
        .replacen("- **Category:** pattern", "- **Category:** patern", 1)
        .replacen("- **Status:** active", "- **Status:** actif", 3)
        .replacen("actif", "active", 2);
    let mut broken = broken.into_bytes();
    let at = broken.windows(4).position(|items| items == b"gen3").unwrap();
    broken[at] = 0xff;
    let scene = Scene::with(&broken);
    let (ids, problems) = scene.told();
    // 0: its category, 2: its status; 3: a heading that is not UTF-8.
    assert_eq!(ids, [learning(1).id, learning(4).id]);
    assert!(
        problems.iter().any(|problem| problem.contains("`patern` is not a category")),
        "{problems:#?}"
    );
    assert!(
        problems.iter().any(|problem| problem.contains("`actif` is not a status")),
        "{problems:#?}"
    );
    let line = broken[..at].split(|byte| *byte == b'\n').count() + 1;
    assert!(
        problems.iter().any(|problem| problem.starts_with(&format!("…:{line}: the heading"))),
        "{problems:#?}"
    );
    scene.backend.mark(&learning(4).id, Status::Archived).unwrap();
    scene.backend.write(&learning(9)).unwrap();
    let after = fs::read(&scene.backend.file.path).unwrap();
    let before = String::from_utf8_lossy(&broken).replace("active ^", "…");
    let after = String::from_utf8_lossy(&after).replace("active ^", "…").replace("archived ^", "…");
    assert!(after.starts_with(&before));
    assert!(matches!(
        scene.backend.mark(&learning(0).id, Status::Archived),
        Err(Error::NoSuch { .. })
    ));
}

#[test]
fn a_torn_line_breaks_no_entry_but_its_own() {
    let scene = Scene::new();
    (0..2).for_each(|n| scene.backend.write(&learning(n)).unwrap());
    let text = scene.text();
    let scene = Scene::with(&text[..text.len() - 30]);
    let (ids, problems) = scene.told();
    assert_eq!(ids, [learning(0).id]);
    assert!(problems[0].contains("ends before its last line"), "{problems:#?}");
    scene.backend.write(&learning(2)).unwrap();
    assert_eq!(scene.told().0, [learning(0).id, learning(2).id]);
}

#[test]
fn two_entries_of_one_id_are_named() {
    let again = PEER.replace("cl_20260302_002", "cl_20260301_001");
    let (ids, problems) = Scene::with(again).told();
    assert_eq!(ids, ["cl_20260301_001"]);
    assert!(problems[0].contains("is the id of the entry in line 5 too"), "{problems:#?}");
}

#[test]
fn what_is_no_file_is_refused_and_left() {
    let victim = tempfile::NamedTempFile::new().unwrap();
    fs::write(victim.path(), "mine").unwrap();
    type Put<'a> = &'a dyn Fn(&Path);
    let things: [(&str, Put); 4] = [
        ("a symbolic link", &|path| symlink(victim.path(), path).unwrap()),
        ("a symbolic link", &|path| symlink("/nonexistent/x", path).unwrap()),
        ("a FIFO", &|path| mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap()),
        ("a directory", &|path| fs::create_dir(path).unwrap()),
    ];
    for (name, put) in things {
        let scene = Scene::new();
        put(&scene.backend.file.path);
        let begun = Instant::now();
        let errors = [
            scene.backend.write(&learning(0)).unwrap_err(),
            scene.backend.all().unwrap_err(),
            scene.backend.ping().unwrap_err(),
        ];
        for err in errors {
            assert!(err.to_string().contains(name), "{err}");
        }
        assert!(scene.backend.mark(&learning(0).id, Status::Archived).is_err());
        assert!(begun.elapsed().as_secs() < 5);
    }
    assert_eq!(fs::read_to_string(victim.path()).unwrap(), "mine");
}

#[test]
fn a_file_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::with(PEER);
    fs::set_permissions(&scene.backend.file.path, fs::Permissions::from_mode(0o444)).unwrap();
    let refused = scene.backend.write(&learning(0));
    if rustix::process::geteuid().is_root() {
        // Root may.
        return;
    }
    assert!(refused.unwrap_err().to_string().contains("learnings.md"));
    assert_eq!(scene.text(), PEER);
    assert_eq!(scene.learnings().len(), 2);
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join(".roz"), "a file").unwrap();
    let backend = Markdown::of_project(dir.path().join(".roz/learnings.md"), PATIENCE);
    let err = backend.write(&learning(0)).unwrap_err();
    assert!(matches!(err, Error::File(files::Error::Io { .. })), "{err}");
    assert!(backend.ping().is_err());
}

#[test]
fn who_holds_the_lock_is_waited_for_and_not_for_ever() {
    let scene = Scene::with(PEER);
    let held =
        fs::OpenOptions::new().read(true).write(true).open(&scene.backend.file.path).unwrap();
    held.lock().unwrap();
    let hasty = Markdown::of_project(scene.backend.file.path.clone(), Duration::from_millis(20));
    let err = hasty.write(&learning(0)).unwrap_err();
    assert!(matches!(err, Error::File(files::Error::Locked { .. })), "{err}");
    // Reading waits for nobody.
    assert_eq!(hasty.all().unwrap().learnings.len(), 2);
}
