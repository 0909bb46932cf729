use std::{os::unix::fs::MetadataExt as _, time::Duration};

use super::*;
use crate::{
    core::intent::{catalogue::Status, selection::FILE},
    sidecar::{
        desk::Desk,
        edit::{self, Change, Hand},
    },
};

const DECLARED: &str = "active_intents:\n  - id: INT-001\n    status: IN_PROGRESS\n    \
                        owned_scope:\n      - src/auth/**\n";

fn at() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH
}

#[test]
fn a_change_is_noted_before_it_is_made() {
    let made = tempfile::tempdir().unwrap();
    let (root, home) = (made.path().join("p"), made.path().join("h"));
    let (file, now) = (root.join(FILE), at());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, DECLARED).unwrap();
    let hand = || Hand { now, is_agents: false, until: Instant::now() + Duration::from_mins(1) };
    let change = Change::Status { id: "INT-001".to_owned(), status: Status::Completed };
    let change_it = || edit::change(&root, &home, &change, hand());
    let left = || Some(of(&std::fs::read(&file).unwrap()));
    // What cannot be noted is not made.
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("sidecars"), "").unwrap();
    change_it().unwrap_err();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), DECLARED);
    std::fs::remove_file(home.join("sidecars")).unwrap();
    // What was noted and did not come leaves in doubt what was ...
    let doubt = Doubt {
        file: FILE.to_owned(),
        before: None,
        left: left(),
        session_id: "s1".to_owned(),
        tool_name: "Bash".to_owned(),
        at: now,
        way_back: None,
    };
    found(&root, &home, &[doubt], hand().until).unwrap();
    let in_the_way = format!(".orchestration/.active_intents.{}.tmp", std::process::id());
    std::fs::create_dir(root.join(&in_the_way)).unwrap();
    change_it().unwrap_err();
    change_it().unwrap_err();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), DECLARED);
    assert_eq!(doubts(&root, &home).len(), 1);
    // ... and what came is so too, also for who goes on from there.
    std::fs::remove_dir(root.join(&in_the_way)).unwrap();
    assert!(change_it().unwrap());
    let in_doubt = doubts(&root, &home);
    assert_eq!(in_doubt.len(), 1);
    let again = Doubt { before: left(), left: Some("x".to_owned()), ..in_doubt[0].clone() };
    found(&root, &home, std::slice::from_ref(&again), hand().until).unwrap();
    let back = Doubt { before: again.left, left: left(), ..in_doubt[0].clone() };
    found(&root, &home, &[back], hand().until).unwrap();
    assert_eq!(doubts(&root, &home).len(), 1);
    // A person's own text is in none.
    std::fs::write(&file, DECLARED.replace("auth", "token")).unwrap();
    assert!(doubts(&root, &home).is_empty());
}

/// A note is made anew by a new file.
#[track_caller]
fn note(home: &Path) -> u64 {
    let notes = fs::read_dir(home.join("sidecars")).unwrap().map(|it| it.unwrap().path());
    let mut notes = notes.filter(|it| it.extension().is_some_and(|it| it == "json"));
    notes.next().unwrap().metadata().unwrap().ino()
}

#[test]
fn a_commit_without_the_intents_is_asked_once() {
    let made = tempfile::tempdir().unwrap();
    let (root, home) = (made.path().join("p"), made.path().join("h"));
    std::fs::create_dir_all(root.join(".orchestration")).unwrap();
    let git = |args: &[&str]| {
        let mut git = crate::world::process::command("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(args).current_dir(&root);
        let ran = crate::world::process::run(git, Instant::now() + Duration::from_mins(1));
        assert!(ran.unwrap().ok, "{args:?}");
    };
    let knows = || {
        know(&root, &home, Instant::now() + Duration::from_mins(1)).unwrap();
        note(&home)
    };
    git(&["init", "-q"]);
    git(&["commit", "-q", "--allow-empty", "-m", "first"]);
    std::fs::write(root.join(FILE), DECLARED).unwrap();
    let first = knows();
    assert_eq!(knows(), first);
    git(&["add", "."]);
    git(&["commit", "-qm", "second"]);
    let second = knows();
    assert_ne!(second, first);
    assert_eq!(knows(), second);
    assert_eq!(read(&path(&root, &home)).unwrap().committed, git::head(&root));
}

#[test]
fn a_yes_to_a_call_by_which_roz_wrote_nothing_leaves_no_trace() {
    let made = tempfile::tempdir().unwrap();
    let (root, home) = (made.path().join("p"), made.path().join("h"));
    std::fs::create_dir_all(root.join(".orchestration")).unwrap();
    std::fs::write(root.join(FILE), DECLARED).unwrap();
    let until = || Instant::now() + Duration::from_mins(1);
    granted(&root, &home, at(), until()).unwrap();
    assert!(!home.join("sidecars").exists());
    let own = |file: &str| Own {
        file: file.to_owned(),
        before: None,
        after: None,
        at: at(),
        by_agent: true,
        confirms: false,
    };
    for file in FILES {
        wrote(&root, &home, own(file), until()).unwrap();
    }
    let before = note(&home);
    granted(&root, &home, at() + Duration::from_secs(9), until()).unwrap();
    assert_eq!(note(&home), before, "what it wrote before was not asked about");
    granted(&root, &home, at(), until()).unwrap();
    let notes = read(&path(&root, &home)).unwrap();
    assert!(notes.own.len() == FILES.len() && notes.own.iter().all(|it| !it.by_agent));
}

#[test]
fn what_is_confirmed_is_what_was_read() {
    let made = tempfile::tempdir().unwrap();
    let (root, home) = (made.path().join("p"), made.path().join("h"));
    let (file, now) = (root.join(FILE), at());
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, DECLARED).unwrap();
    let desk = Desk::open(&root, &home).unwrap();
    let wider = DECLARED.replace("src/auth", "src");
    std::fs::write(&file, &wider).unwrap();
    let doubt = Doubt {
        file: FILE.to_owned(),
        before: Some(of(DECLARED.as_bytes())),
        left: Some(of(wider.as_bytes())),
        session_id: "s1".to_owned(),
        tool_name: "Bash".to_owned(),
        at: now,
        way_back: None,
    };
    found(&root, &home, &[doubt], Instant::now() + Duration::from_mins(1)).unwrap();
    let refused = desk.confirm(now).unwrap_err();
    assert!(refused.to_string().contains("look again"), "{refused}");
    assert_eq!(desk.doubts().len(), 1);
    Desk::open(&root, &home).unwrap().confirm(now).unwrap();
    assert!(desk.doubts().is_empty());
}
