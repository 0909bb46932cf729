//! The real layout of Total Recall, and that nobody else's text is touched.

use super::*;
use crate::core::reflection::{
    learning::Confidence,
    retrieval::{Filters, Query},
};
use crate::memory::{contract::learning, tests::PATIENCE};

/// A project in which `/recall-init` was run.
struct Scene {
    dir: tempfile::TempDir,
    backend: TotalRecall,
}

impl Scene {
    fn new() -> Self {
        Self::in_zone(|time| time.with_timezone(&FixedOffset::east_opt(0).unwrap()))
    }

    fn in_zone(local: fn(DateTime<Utc>) -> DateTime<FixedOffset>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let memory = dir.path().join("memory");
        fs::create_dir_all(memory.join("daily")).unwrap();
        fs::create_dir_all(memory.join("registers")).unwrap();
        let backend = TotalRecall { dir: memory, patience: PATIENCE, local };
        let scene = Self { dir, backend };
        scene.put("registers/_index.md", "# Register Index\n\n- people.md\n");
        scene.put(
            "registers/decisions.md",
            "# Decisions Register\n\n<!-- Add entries:\n\n## [Area]\n\n- **claim**: [what]\n\n-->\n",
        );
        scene.put("registers/open-loops.md", "# Open Loops\n\n- [None yet]\n");
        scene
    }

    fn put(&self, path: &str, text: &str) {
        fs::write(self.backend.dir.join(path), text).unwrap();
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.backend.dir.join(path)).unwrap()
    }

    #[track_caller]
    fn learnings(&self) -> Vec<Learning> {
        let reading = self.backend.all().unwrap();
        assert_eq!(reading.problems, []);
        reading.learnings
    }
}

const TODAY: &str = "daily/2026-11-21.md";

#[test]
fn it_keeps_the_contract() {
    for (_, clause) in crate::memory::contract::CLAUSES {
        let scene = Scene::new();
        clause(&scene.backend);
    }
}

#[test]
fn a_day_begins_as_total_recall_begins_it() {
    let scene = Scene::new();
    scene.backend.write(&learning(0)).unwrap();
    let text = scene.text(TODAY);
    let head = "# 2026-11-21\n\n## Decisions\n\n## Corrections\n\n## Commitments\n\n## Open Loops\n\n\
                ## Notes\n\n## Learnings\n\n[10:00] Run `make gen0` after touching proto/*.proto ^cl_";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn days_are_local() {
    let scene =
        Scene::in_zone(|at| at.with_timezone(&FixedOffset::east_opt(14 * 3600 + 1800).unwrap()));
    scene.backend.write(&learning(0)).unwrap();
    assert!(scene.text("daily/2026-11-22.md").contains("\n[00:30] Run"));
    assert_eq!(scene.learnings(), [learning(0)]);
}

const USERS: &str = "# 2026-11-21\n\n## Decisions\n[09:00] Use JWT\n\n## Notes\n- [09:10] lunch  \n\n\
                     Tags: #fake\r\n";

#[test]
fn nobodys_text_is_touched() {
    let scene = Scene::new();
    scene.put(TODAY, USERS);
    scene.backend.write(&learning(0)).unwrap();
    assert!(scene.text(TODAY).starts_with(&format!("{USERS}\n## Learnings\n\n[10:00] ")));
    // Others write below our section, and above it.
    let more = scene.text(TODAY).replace("Use JWT\n", "Use JWT\n[11:00] Revoke old ones\n");
    scene.put(TODAY, &(more + "\n## Later\n[12:00] more\n"));
    let before = scene.text(TODAY);
    scene.backend.write(&learning(1)).unwrap();
    scene.backend.mark(&learning(0).id, Status::Archived).unwrap();
    let after = scene.text(TODAY);
    let mut rest = after.as_str();
    for line in before.lines() {
        let at = rest.find(line).unwrap_or_else(|| panic!("`{line}` is gone from {after}"));
        rest = &rest[at + line.len()..];
    }
    let ours: Vec<_> =
        scene.learnings().into_iter().filter(|learning| learning.id.starts_with("cl_")).collect();
    assert_eq!(ours, [Learning { status: Status::Archived, ..learning(0) }, learning(1)]);
    let section = after.find("## Learnings").unwrap()..after.find("## Later").unwrap();
    assert!(after[section].contains("make gen1"), "{after}");
}

#[test]
fn a_log_is_only_ever_added_to() {
    let scene = Scene::new();
    scene.put(TODAY, USERS);
    (0..3).for_each(|n| scene.backend.write(&learning(n)).unwrap());
    for status in [Status::Archived, Status::Active, Status::Archived] {
        let before = scene.text(TODAY);
        scene.backend.mark(&learning(1).id, status).unwrap();
        assert!(scene.text(TODAY).starts_with(&before));
        let found = scene.learnings().into_iter().find(|item| item.id == learning(1).id).unwrap();
        assert_eq!(found.status, status);
    }
}

fn found(scene: &Scene, text: &str) -> Vec<String> {
    let query = Query { text: text.into(), ..Query::default() };
    let filters = Filters { statuses: Vec::new(), ..Filters::default() };
    let found = scene.backend.search(&query, &filters).unwrap();
    let all = scene.learnings();
    let summary =
        |id: &String| all.iter().find(|learning| learning.id == *id).unwrap().summary.clone();
    found.iter().map(|found| summary(&found.id)).collect()
}

#[test]
fn registers_and_all_days_are_searched_for_any_of_the_words() {
    let scene = Scene::new();
    for n in 1..=28 {
        scene.put(
            &format!("daily/2026-02-{n:02}.md"),
            &format!("# x\n\n## Notes\n[14:32] Note day{n} of tokio\n"),
        );
    }
    scene.put(
        "registers/tech-stack.md",
        "# Tech Stack\n\n## Backend\n- **claim**: axum router 0.8 ^tr0123456789\n- **confidence**: high\n\
         - **evidence**: Cargo.toml\n- **last_verified**: 2026-02-05\n- plain single line on Redis\n\n\
         ## [superseded: 2026-02-05]\n- **claim**: actix router\n",
    );
    let day7 = found(&scene, "day7 nowhere");
    assert_eq!(day7, ["Note day7 of tokio"]);
    assert_eq!(found(&scene, "day28 redis").len(), 2);
    assert_eq!(found(&scene, "axum"), ["axum router 0.8"]);
    let claims = scene.learnings();
    let axum = claims.iter().find(|claim| claim.summary.starts_with("axum")).unwrap();
    assert_eq!((axum.id.as_str(), axum.confidence), ("tr0123456789", Confidence::High));
    assert_eq!(axum.tags, ["tech-stack", "backend"]);
    assert!(axum.detail.contains("evidence: Cargo.toml"));
    assert_eq!(axum.created_at.to_rfc3339(), "2026-02-05T00:00:00+00:00");
    let actix = claims.iter().find(|claim| claim.summary.starts_with("actix")).unwrap();
    assert_eq!(actix.status, Status::Superseded);
}

#[test]
fn all_of_a_days_log_is_read_and_what_goes_on_stays_together() {
    let scene = Scene::new();
    let log = "# 2026-02-01\n\n## Notes\n\nA paragraph about walrus99\nthat goes on\n\n\
               - a bullet about narwhal77\n  with okapi55\n- [None yet]\n[09:30] a note with a time\n";
    scene.put("daily/2026-02-01.md", log);
    scene.backend.write(&learning(0)).unwrap();
    let notes: Vec<_> =
        scene.learnings().into_iter().filter(|item| item.id != learning(0).id).collect();
    let mut said: Vec<_> = notes.iter().map(|note| note.detail.as_str()).collect();
    said.sort_unstable();
    assert_eq!(
        said,
        [
            "A paragraph about walrus99\nthat goes on",
            "a bullet about narwhal77\nwith okapi55",
            "a note with a time"
        ]
    );
}

#[test]
fn what_others_wrote_is_not_archived() {
    let scene = Scene::new();
    scene.put("registers/preferences.md", "- **claim**: tabs ^tr0123456789\n");
    let refused = scene.backend.mark("tr0123456789", Status::Archived);
    assert!(matches!(refused, Err(Error::ReadOnly { .. })), "{refused:?}");
    assert_eq!(scene.text("registers/preferences.md"), "- **claim**: tabs ^tr0123456789\n");
}

#[test]
fn one_file_that_cannot_be_read_hides_no_other() {
    let scene = Scene::new();
    scene.backend.write(&learning(0)).unwrap();
    fs::create_dir(scene.backend.dir.join("daily/2026-01-01.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", scene.backend.dir.join("registers/x.md")).unwrap();
    let reading = scene.backend.all().unwrap();
    assert_eq!(reading.learnings, [learning(0)]);
    assert_eq!(reading.problems.len(), 2, "{:?}", reading.problems);
}

#[test]
fn it_is_found_by_its_rules_or_by_what_its_init_makes() {
    let scene = Scene::new();
    assert!(TotalRecall::is_in(scene.dir.path()));
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("memory/src")).unwrap();
    assert!(!TotalRecall::is_in(dir.path()));
    fs::create_dir_all(dir.path().join(".claude/rules")).unwrap();
    fs::write(dir.path().join(".claude/rules/total-recall.md"), "").unwrap();
    assert!(TotalRecall::is_in(dir.path()));
}

proptest::proptest! {
    #[test]
    fn no_log_and_no_register_is_too_odd(
        text in crate::memory::contract::text(), bytes: Vec<u8>, register: bool,
    ) {
        let scene = Scene::new();
        let file = if register { "registers/odd.md" } else { TODAY };
        for bytes in [text.as_bytes(), &bytes] {
            fs::write(scene.backend.dir.join(file), bytes).unwrap();
            scene.backend.all().unwrap();
            let _ = scene.backend.write(&learning(0));
            let ids: Vec<_> = scene.backend.all().unwrap().learnings.into_iter().map(|learning| learning.id).collect();
            proptest::prop_assert!(ids.contains(&learning(0).id));
        }
    }
}
