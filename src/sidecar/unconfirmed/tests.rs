use std::time::Duration;

use super::*;
use crate::{
    core::intent::catalogue::Status,
    sidecar::edit::{self, Author, Change},
};

const DECLARED: &str = "active_intents:\n  - id: INT-001\n    status: IN_PROGRESS\n    \
                        owned_scope:\n      - src/auth/**\n";

struct Scene {
    dir: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        let scene = Self { dir: tempfile::tempdir().unwrap() };
        fs::create_dir_all(scene.root().join(".orchestration")).unwrap();
        fs::create_dir_all(scene.home()).unwrap();
        scene.write(DECLARED);
        scene
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn write(&self, text: &str) {
        fs::write(self.root().join(FILE), text).unwrap();
    }

    fn text(&self) -> String {
        fs::read_to_string(self.root().join(FILE)).unwrap()
    }

    fn completes(&self, is_agents: bool) -> Result<bool, edit::Error> {
        let hand = Author { now: at(), is_agents, until: soon() };
        let change = Change::Status { id: "INT-001".to_owned(), status: Status::Completed };
        edit::change(&self.root(), &self.home(), &change, hand)
    }

    fn expands(&self, is_agents: bool) {
        let hand = Author { now: at(), is_agents, until: soon() };
        let change =
            Change::AddPaths { id: "INT-001".to_owned(), paths: vec!["docs/**".to_owned()] };
        edit::change(&self.root(), &self.home(), &change, hand).unwrap();
    }

    /// What a call changed, which is noted as in doubt.
    fn call(&self, run: impl FnOnce()) -> usize {
        let before = hashes(&self.root());
        run();
        let changed = changed(&self.root(), &self.home(), &before, at());
        let doubts: Vec<UnconfirmedChange> = changed
            .into_iter()
            .map(|Changed { file, before, now }| UnconfirmedChange {
                file: file.to_owned(),
                before,
                left: now,
                session_id: "s1".to_owned(),
                tool_name: "Bash".to_owned(),
                at: at(),
                way_back: None,
            })
            .collect();
        found(&self.root(), &self.home(), &doubts, soon()).unwrap();
        self.doubts()
    }

    fn doubts(&self) -> usize {
        doubts(&self.root(), &self.home()).len()
    }
}

fn at() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

fn soon() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

#[test]
fn a_file_that_a_call_changed_is_in_doubt_until_it_is_what_it_was_or_a_person_wrote_it() {
    let scene = Scene::new();
    assert_eq!(scene.call(|| scene.write("active_intents: []\n")), 1);
    assert_eq!(scene.call(|| scene.write("# more\n")), 1);
    assert_eq!(scene.call(|| scene.write(DECLARED)), 0);
    assert_eq!(scene.call(|| scene.write("active_intents: []\n")), 1);
    scene.write("active_intents: []\n# a person's\n");
    assert_eq!(scene.doubts(), 0);
}

#[test]
fn what_roz_writes_is_in_no_doubt_and_takes_no_doubt_away() {
    let scene = Scene::new();
    assert_eq!(scene.call(|| assert!(scene.completes(true).unwrap())), 0);
    let scene = Scene::new();
    let wider = DECLARED.replace("auth", "**");
    assert_eq!(scene.call(|| scene.write(&wider)), 1);
    assert!(scene.completes(false).unwrap());
    assert_eq!(scene.doubts(), 1);
    // Nor where the same call has it written.
    let scene = Scene::new();
    let both = || {
        scene.write(&wider);
        scene.completes(true).unwrap();
    };
    assert_eq!(scene.call(both), 1);
}

#[test]
fn what_an_agent_has_roz_grant_counts_once_a_person_said_yes_to_the_call() {
    let scene = Scene::new();
    assert_eq!(scene.call(|| scene.expands(false)), 0);
    let scene = Scene::new();
    assert_eq!(scene.call(|| scene.expands(true)), 1);
    granted(&scene.root(), &scene.home(), at(), soon()).unwrap();
    assert_eq!(scene.doubts(), 0);
}

#[test]
fn what_cannot_be_noted_is_not_written_and_what_cannot_be_written_stays_in_doubt() {
    let scene = Scene::new();
    fs::write(scene.home().join("sidecars"), "").unwrap();
    scene.completes(false).unwrap_err();
    assert_eq!(scene.text(), DECLARED);
    fs::remove_file(scene.home().join("sidecars")).unwrap();
    let wider = DECLARED.replace("auth", "**");
    assert_eq!(scene.call(|| scene.write(&wider)), 1);
    let tmp = ".orchestration/.active_intents.yaml.roz-tmp";
    fs::create_dir(scene.root().join(tmp)).unwrap();
    scene.completes(false).unwrap_err();
    assert_eq!((scene.text(), scene.doubts()), (wider, 1));
    fs::remove_dir(scene.root().join(tmp)).unwrap();
    assert!(scene.completes(false).unwrap());
    assert_eq!(scene.doubts(), 1);
}

#[test]
fn what_is_confirmed_is_what_was_read() {
    let scene = Scene::new();
    assert_eq!(scene.call(|| scene.write("active_intents: []\n")), 1);
    let shown = hashes(&scene.root());
    scene.write("# something else\n");
    assert!(!confirm(&scene.root(), &scene.home(), &shown, soon()).unwrap());
    scene.write("active_intents: []\n");
    assert_eq!(scene.doubts(), 1);
    assert!(confirm(&scene.root(), &scene.home(), &shown, soon()).unwrap());
    assert_eq!(scene.doubts(), 0);
}
