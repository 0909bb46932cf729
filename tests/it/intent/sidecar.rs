//! The sidecar on the disk: what is in the place of a file, what is read again, and what a change
//! leaves.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use roz::{
    core::intent::catalogue::{Catalogue, Intent, Status},
    sidecar::{
        self,
        edit::{Author, Change, Error, change},
    },
};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

const TEXT: &str =
    "active_intents:\n  - id: INT-1 # one\n    status: DRAFT\n    owned_scope: [src/**]\n";
const NOW: &str = "2026-03-01T00:00:00Z";

struct Project {
    dir: TempDir,
}

impl Project {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project/.orchestration")).unwrap();
        Self { dir }
    }

    fn with(text: impl AsRef<[u8]>) -> Self {
        let project = Self::new();
        fs::write(project.file(), text).unwrap();
        // As if it had been there for a while.
        project.age();
        project
    }

    /// A cache trusts no file that changed a moment ago; the change of times
    /// cannot be set back, so a while passes.
    fn age(&self) {
        let _ = self;
        std::thread::sleep(Duration::from_millis(80));
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    fn file(&self) -> PathBuf {
        self.root().join(".orchestration/active_intents.yaml")
    }

    fn load(&self) -> Option<Catalogue> {
        sidecar::load(&self.root(), &self.home())
    }

    #[track_caller]
    fn is_refused(&self, words: &str) {
        for catalogue in [self.load(), sidecar::load_fresh(&self.root())] {
            let catalogue = catalogue.expect("there is a sidecar");
            let said = catalogue.broken().expect("it is broken").to_string();
            assert!(said.contains(words), "{said}");
        }
    }

    fn change(&self, what: &Change) -> Result<bool, Error> {
        let until = Instant::now() + Duration::from_secs(10);
        let now = NOW.parse().unwrap();
        change(&self.root(), &self.home(), what, Author { now, is_agents: false, until })
    }

    fn entries(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.home().join("cache")) else { return Vec::new() };
        entries
            .map(|it| it.unwrap().path())
            .filter(|it| it.extension().is_some_and(|it| it == "json"))
            .collect()
    }
}

fn start() -> Change {
    Change::Status { id: "INT-1".into(), status: Status::InProgress }
}

#[test]
fn without_a_sidecar_there_is_nothing() {
    let project = Project::new();
    assert_eq!(project.load(), None);
    fs::remove_dir(project.root().join(".orchestration")).unwrap();
    assert_eq!(project.load(), None);
    fs::write(project.root().join(".orchestration"), "").unwrap();
    assert_eq!(project.load(), None);
    assert!(!project.home().exists(), "and nothing is written");
}

#[test]
fn what_is_no_file_is_refused_by_its_name() {
    let project = Project::with(TEXT);
    fs::rename(project.file(), project.root().join("real.yaml")).unwrap();
    symlink(project.root().join("real.yaml"), project.file()).unwrap();
    project.is_refused("it is a symbolic link");
    assert!(project.change(&start()).is_err());
    assert_eq!(fs::read_to_string(project.root().join("real.yaml")).unwrap(), TEXT);

    let project = Project::new();
    symlink("nowhere", project.file()).unwrap();
    project.is_refused("it is a symbolic link");

    let project = Project::new();
    fs::create_dir(project.file()).unwrap();
    project.is_refused("it is a directory");

    let project = Project::new();
    mknodat(CWD, project.file(), FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    project.is_refused("it is a FIFO");
    assert!(project.change(&start()).is_err());

    let project = Project::with(vec![b'#'; 20 << 20]);
    project.is_refused("it is larger than 4 MiB");

    let project = Project::with(TEXT);
    fs::set_permissions(project.file(), fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(project.file()).is_err() {
        project.is_refused("it cannot be read");
    }
}

#[test]
fn an_unchanged_file_is_read_from_the_cache_and_a_changed_one_is_not() {
    let project = Project::with(TEXT);
    let first = project.load().unwrap();
    let [entry] = &project.entries()[..] else { panic!("{:?}", project.entries()) };
    // Only who reads the entry finds what is written in it.
    let text = fs::read_to_string(entry).unwrap();
    fs::write(entry, text.replace("src/**", "from/the/cache")).unwrap();
    assert_eq!(project.load().unwrap().intents[0].owned_scope, ["from/the/cache"]);
    let meta = fs::metadata(project.file()).unwrap();
    fs::write(project.file(), TEXT.replace("src/**", "SRC/**")).unwrap();
    fs::File::options()
        .write(true)
        .open(project.file())
        .unwrap()
        .set_modified(meta.modified().unwrap())
        .unwrap();
    assert_eq!(project.load().unwrap().intents[0].owned_scope, ["SRC/**"]);
    assert_eq!(first.intents[0].owned_scope, ["src/**"]);
    for damage in ["", "{", "null", "[]"] {
        for entry in project.entries() {
            fs::write(entry, damage).unwrap();
        }
        assert_eq!(project.load().unwrap().intents[0].owned_scope, ["SRC/**"]);
    }
}

#[test]
fn a_broken_file_stays_broken_from_the_cache() {
    let project = Project::with("active_intents:\n- id: [\n");
    for _ in 0..2 {
        project.is_refused("line 2, column 7");
    }
    assert_eq!(project.entries().len(), 1);
}

#[test]
fn a_change_keeps_mode_comments_and_leaves_nothing_behind() {
    let project = Project::with(TEXT);
    fs::set_permissions(project.file(), fs::Permissions::from_mode(0o640)).unwrap();
    assert!(project.change(&start()).unwrap());
    assert_eq!(fs::read_to_string(project.file()).unwrap(), TEXT.replace("DRAFT", "IN_PROGRESS"));
    assert_eq!(fs::metadata(project.file()).unwrap().permissions().mode() & 0o777, 0o640);
    let written = fs::metadata(project.file()).unwrap();
    assert!(!project.change(&start()).unwrap(), "it says so already");
    let now = fs::metadata(project.file()).unwrap();
    assert_eq!(written.modified().unwrap(), now.modified().unwrap());
    assert_eq!(fs::read_dir(project.root().join(".orchestration")).unwrap().count(), 1);
}

#[test]
fn changes_side_by_side_all_arrive() {
    let project = Project::with(TEXT);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let project = &project;
            scope.spawn(move || {
                for i in 0..10 {
                    let path = format!("lib/{thread}-{i}/**");
                    project
                        .change(&Change::AddPaths { id: "INT-1".into(), paths: vec![path] })
                        .unwrap();
                }
            });
        }
    });
    let catalogue = sidecar::load_fresh(&project.root()).unwrap();
    assert_eq!(catalogue.intents[0].owned_scope.len(), 81);
}

#[test]
fn the_first_intent_makes_the_file() {
    let project = Project::new();
    fs::remove_dir(project.root().join(".orchestration")).unwrap();
    let intent = Intent { id: "INT-1".into(), ..Intent::default() };
    assert!(matches!(project.change(&start()), Err(Error::Broken(_))));
    assert!(project.change(&Change::Append(Box::new(intent))).unwrap());
    assert_eq!(project.load().unwrap().intents[0].id, "INT-1");
}

#[test]
fn an_ignore_file_that_cannot_be_read_is_an_error() {
    let project = Project::with(TEXT);
    let load = || sidecar::load_ignore(&project.root(), &Catalogue::default());
    let file: &Path = &project.root().join(".orchestration/.intentignore");
    assert_eq!(load().unwrap().lines().len(), 0);
    fs::write(file, "deny secrets/\n").unwrap();
    assert_eq!(load().unwrap().lines().len(), 1);
    fs::write(file, b"\xff").unwrap();
    assert!(load().unwrap_err().to_string().contains("not UTF-8"));
    fs::remove_file(file).unwrap();
    symlink("/etc/passwd", file).unwrap();
    assert!(load().unwrap_err().to_string().contains("a symbolic link"));
}
