//! Which backends are in use, what goes where, and that nothing is lost.

use std::fs;

use super::*;
use crate::{
    core::{policy::McpPolicy, reflection::learning::Status},
    memory::contract::learning,
};

struct Scene {
    dir: tempfile::TempDir,
    places: Places,
    policy: BackendsPolicy,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let at = |text: &str| dir.path().join(text);
        let places = Places {
            roz_home: at("home/.roz"),
            user_home: Some(at("home")),
            project: at("project"),
        };
        fs::create_dir_all(&places.project).unwrap();
        Self { dir, places, policy: BackendsPolicy::default() }
    }

    fn put(self, path: &str, text: &str) -> Self {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    fn with_total_recall(self) -> Self {
        self.put("project/memory/registers/_index.md", "")
    }

    fn with_server(mut self, command: &str) -> Self {
        self.policy.mcp = McpPolicy { command: Some(command.into()), ..McpPolicy::default() };
        self
    }

    fn configured(mut self, change: impl FnOnce(&mut BackendsPolicy)) -> Self {
        change(&mut self.policy);
        self
    }

    fn library(&self) -> Library {
        Library::open(&self.places, &self.policy)
    }

    fn in_use(&self) -> Vec<&'static str> {
        self.library().project.iter().map(|used| used.backend.name()).collect()
    }

    fn has(&self, path: &str, text: &str) -> bool {
        fs::read_to_string(self.dir.path().join(path)).is_ok_and(|item| item.contains(text))
    }
}

fn scoped(scope: Scope) -> Learning {
    Learning { scope, ..learning(0) }
}

const FILE: &str = "project/.roz/learnings.md";
const PERSONAL: &str = "home/.roz/personal-learnings.md";
const LOG: &str = "project/memory/daily";

#[test]
fn what_is_found_is_in_use_and_else_the_markdown_file() {
    assert_eq!(Scene::new().in_use(), ["markdown"]);
    assert_eq!(Scene::new().with_total_recall().in_use(), ["total-recall"]);
    let all = || Scene::new().with_total_recall().with_server("x").put(FILE, "");
    assert_eq!(all().in_use(), ["total-recall", "mcp", "markdown"]);
    let order = |backends_policy: &mut BackendsPolicy| {
        backends_policy.discovery = vec!["markdown".into(), "mcp".into()];
    };
    assert_eq!(all().configured(order).in_use(), ["markdown", "mcp"]);
}

/// As the public peer writes them.
fn peers(summary: &str) -> String {
    format!(
        "## cl_20261101_001\n\n**Category:** Pitfall\n**Summary:** {summary}\n**Scope:** Project | \
         **Confidence:** High | **Status:** Active\n**Tags:** #tests\n**Criteria:** stable-fact\n\
         **Created:** 2026-11-01T10:00:00Z\n\nIn full: {summary}.\n\n---\n\n"
    )
}

#[test]
fn an_id_that_the_peer_gave_twice_is_two_learnings_and_each_has_its_own_status() {
    let (one, two) = ("cargo test hangs on port 5432", "rg beats grep in target trees");
    let read_only = Scene::new()
        .put("project/.grove/learnings.md", &peers(one))
        .put("home/.grove/personal-learnings.md", &peers(two));
    let imported = Scene::new().put(FILE, &peers(one)).put(PERSONAL, &peers(two));
    for scene in [read_only, imported] {
        let library = scene.library();
        let all = library.all();
        let found: Vec<(&str, &str)> = all
            .learnings
            .iter()
            .map(|learning| (learning.backend, &*learning.learning.summary))
            .collect();
        assert_eq!(found.iter().map(|pair| pair.1).collect::<Vec<_>>(), [one, two], "{all:?}");
        let ids: Vec<&str> = all.learnings.iter().map(|learning| &*learning.learning.id).collect();
        assert_eq!(ids[0], "cl_20261101_001");
        assert_ne!(ids[0], ids[1]);
        assert_eq!(library.all(), all, "it is called the same each time");
        let active = || {
            let shelf = scene.library().all().learnings.into_iter();
            shelf
                .filter(|shelf| shelf.learning.is_active())
                .map(|shelf| shelf.learning.summary)
                .collect::<Vec<_>>()
        };
        library.archive(ids[0]).unwrap();
        assert_eq!(active(), [two]);
        match library.archive(ids[1]) {
            Ok(()) => assert_eq!(active(), [""; 0]),
            Err(err) => assert!(matches!(err, Error::ReadOnly { .. }), "{err}"),
        }
    }
}

#[test]
fn what_the_configuration_names_is_in_use_alone() {
    let named =
        |backends_policy: &mut BackendsPolicy| backends_policy.r#use = vec!["markdown".into()];
    let all = || Scene::new().with_total_recall().with_server("x");
    assert_eq!(all().configured(named).in_use(), ["markdown"]);
    let last = |backends_policy: &mut BackendsPolicy| {
        backends_policy.r#use = vec!["markdown".into()];
        backends_policy.discovery = vec!["mcp".into(), "config".into(), "total-recall".into()];
    };
    assert_eq!(all().configured(last).in_use(), ["mcp", "markdown"]);
}

#[test]
fn overrides_switch_a_backend_on_and_off() {
    let over = |name: &str, on| {
        let name = name.to_owned();
        move |backends_policy: &mut BackendsPolicy| {
            backends_policy.overrides.insert(name, on);
        }
    };
    let recall = || Scene::new().with_total_recall();
    assert_eq!(recall().configured(over("total-recall", false)).in_use(), ["markdown"]);
    assert_eq!(recall().configured(over("markdown", true)).in_use(), ["total-recall", "markdown"]);
}

#[test]
fn a_server_that_is_wanted_and_not_named_is_a_problem() {
    let scene =
        Scene::new().configured(|backends_policy| backends_policy.r#use = vec!["mcp".into()]);
    assert_eq!(scene.in_use(), ["markdown"]);
    assert!(scene.library().all().problems[0].what.contains("names no server"));
}

#[test]
fn a_project_with_the_older_folder_keeps_using_it() {
    let scene = Scene::new().put("project/.grove/learnings.md", "# Ours\n");
    scene.library().write(&learning(0)).unwrap();
    assert!(scene.has("project/.grove/learnings.md", "make gen0"));
    assert!(!scene.dir.path().join(FILE).exists());
    let scene = scene.put(FILE, "");
    assert!(scene.library().markdown_file().ends_with(".roz/learnings.md"));
}

#[test]
fn a_learning_goes_where_its_scope_belongs() {
    for (scope, name, place) in [
        (Scope::Project, "markdown", FILE),
        (Scope::Team, "markdown", FILE),
        (Scope::Personal, "personal", PERSONAL),
    ] {
        let scene = Scene::new();
        let written = scene.library().write(&scoped(scope)).unwrap();
        assert_eq!(written, Written { kept_in: vec![name], warnings: Vec::new() });
        assert!(scene.has(place, "make gen0"), "{place}");
        let shelf = scene.library().all();
        assert_eq!(shelf.learnings, [Kept { learning: scoped(scope), backend: name }]);
    }
}

#[test]
fn what_is_for_the_day_goes_to_the_log_or_nowhere_and_it_is_said() {
    let scene = Scene::new();
    let written = scene.library().write(&scoped(Scope::Ephemeral)).unwrap();
    assert!(written.kept_in.is_empty());
    assert!(written.warnings[0].contains("there is no daily log"), "{:?}", written.warnings);
    assert!(scene.library().all().learnings.is_empty());
    let scene = Scene::new().with_total_recall();
    let written = scene.library().write(&scoped(Scope::Ephemeral)).unwrap();
    assert_eq!(written.kept_in, ["total-recall"]);
    assert!(scene.dir.path().join(LOG).is_dir());
}

#[test]
fn what_the_daily_log_does_not_take_goes_to_the_markdown_file() {
    for also_markdown in [false, true] {
        let scene = Scene::new().with_total_recall().put(LOG, "no folder");
        let scene = if also_markdown { scene.put(FILE, "") } else { scene };
        let written = scene.library().write(&scoped(Scope::Ephemeral)).unwrap();
        assert_eq!(written.kept_in, ["markdown"]);
        assert!(written.warnings[0].contains("`total-recall` did not take"), "{written:?}");
        assert!(written.warnings[1].contains("is kept in"), "{written:?}");
        assert!(scene.has(FILE, "make gen0"));
    }
    let scene = Scene::new().with_total_recall().put(LOG, "no folder").put("project/.roz", "none");
    assert!(scene.library().write(&scoped(Scope::Ephemeral)).is_err());
}

#[test]
fn what_a_backend_does_not_take_goes_to_the_markdown_file() {
    let scene = Scene::new().with_server("/nonexistent/server");
    assert_eq!(scene.in_use(), ["mcp"]);
    let written = scene.library().write(&learning(0)).unwrap();
    assert_eq!(written.kept_in, ["markdown"]);
    assert_eq!(written.warnings.len(), 2, "{:?}", written.warnings);
    assert!(scene.has(FILE, "make gen0"));
    // It is found there, though that backend is not in use.
    let shelf = scene.library().all();
    assert_eq!(shelf.learnings.len(), 1);
    assert!(shelf.problems[0].what.contains("cannot be started"), "{:?}", shelf.problems);
    assert!(scene.library().at_hand().problems.is_empty());
}

#[test]
fn what_is_known_of_a_server_stands_in_for_it_and_decays_nowhere() {
    let scene = Scene::new().with_server("/nonexistent/server").put(FILE, "");
    let library = scene.library();
    let known = library.project.iter().find_map(|used| used.known.clone()).unwrap();
    assert!(library.files().contains(&known));
    std::fs::create_dir_all(known.parent().unwrap()).unwrap();
    std::fs::write(&known, serde_json::to_vec(&[learning(0)]).unwrap()).unwrap();
    for shelf in [library.at_hand(), library.all()] {
        assert_eq!(shelf.learnings[0].learning, learning(0));
        assert_eq!(shelf.learnings[0].backend, "mcp");
    }
    assert!(library.at_hand().problems.is_empty());
    assert!(library.all().problems[0].what.contains("cannot be started"));
    assert_eq!(library.in_files(), Shelf::default());
    let err = library.archive(&learning(0).id).unwrap_err().to_string();
    assert!(err.contains("the memory server"), "{err}");
}

#[test]
fn of_several_backends_one_that_fails_is_a_warning() {
    let scene = Scene::new().with_total_recall().put(LOG, "no folder");
    let named = |backends_policy: &mut BackendsPolicy| {
        backends_policy.r#use = vec!["total-recall".into(), "markdown".into()];
    };
    let scene = scene.configured(named);
    let written = scene.library().write(&learning(0)).unwrap();
    assert_eq!(written.kept_in, ["markdown"]);
    assert_eq!(written.warnings.len(), 1, "{:?}", written.warnings);
}

#[test]
fn what_no_place_takes_is_an_error() {
    let scene = Scene::new().put("project/.roz", "no folder").put("home/.roz", "no folder");
    assert!(scene.library().write(&learning(0)).is_err());
    assert!(scene.library().write(&scoped(Scope::Personal)).is_err());
}

#[test]
fn what_several_keep_is_shown_once_and_marked_everywhere() {
    let scene = Scene::new().with_total_recall().put(FILE, "");
    let library = scene.library();
    let written = library.write(&learning(0)).unwrap();
    assert_eq!(written.kept_in, ["total-recall", "markdown"]);
    assert_eq!(library.all().learnings.len(), 1);
    library.archive(&learning(0).id).unwrap();
    for used in &library.project {
        assert_eq!(used.backend.all().unwrap().learnings[0].status, Status::Archived);
    }
    library.restore(&learning(0).id).unwrap();
    assert!(library.all().learnings[0].learning.is_active());
}

#[test]
fn what_is_superseded_stays_so() {
    let scene = Scene::new();
    let library = scene.library();
    library.write(&learning(0)).unwrap();
    let new = Learning { supersedes: Some(learning(0).id), ..learning(1) };
    assert!(library.write(&new).unwrap().warnings.is_empty());
    assert_eq!(library.all().learnings[0].learning.status, Status::Superseded);
    let refused = library.restore(&learning(0).id);
    assert!(matches!(refused, Err(Error::Superseded { .. })), "{refused:?}");
    assert!(matches!(library.archive(&learning(0).id), Err(Error::Superseded { .. })));
    library.supersede(&learning(0).id).unwrap();
    let nothing = Learning { supersedes: Some("cl_nope".into()), ..learning(2) };
    assert!(
        library.write(&nothing).unwrap().warnings[0].contains("there is no learning `cl_nope`")
    );
}

const PEER: &str = "## cl_20260301_001\n\n**Category:** pitfall\n**Summary:** From before\n\nDetail of it.\n\n---\n";

#[test]
fn what_the_peer_keeps_of_the_user_is_read_and_never_written() {
    let scene = Scene::new().put("home/.grove/personal-learnings.md", PEER);
    let library = scene.library();
    library.write(&scoped(Scope::Personal)).unwrap();
    assert_eq!(library.all().learnings.len(), 2);
    let refused = library.archive("cl_20260301_001");
    assert!(matches!(refused, Err(Error::ReadOnly { .. })), "{refused:?}");
    assert!(matches!(library.archive("cl_nope"), Err(Error::NoSuch { .. })));
    let path = scene.dir.path().join("home/.grove/personal-learnings.md");
    assert_eq!(fs::read_to_string(path).unwrap(), PEER);
}

#[test]
fn a_ping_asks_each_and_says_where_it_is() {
    let scene = Scene::new().with_server("/nonexistent/server").put(FILE, "");
    let answers = scene.library().ping_all();
    let told: Vec<_> =
        answers.iter().map(|answer| (answer.backend, answer.answer.is_ok())).collect();
    assert_eq!(told, [("mcp", false), ("markdown", true), ("personal", true)]);
    assert!(answers[1].place.ends_with(".roz/learnings.md"));
    assert_eq!(answers[1].why, "found");
}

#[test]
fn opening_and_reading_touches_nothing() {
    let scene = Scene::new().with_total_recall();
    let library = scene.library();
    library.all();
    library.ping_all();
    assert!(library.archive("cl_nope").is_err());
    assert!(!scene.dir.path().join("home").exists());
    assert!(!scene.dir.path().join("project/.roz").exists());
    let files = library.files();
    assert!(files.iter().any(|file| file.ends_with("memory/registers/_index.md")), "{files:?}");
}
