use std::{
    fs,
    os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink},
    time::Duration,
};

use chrono::{DateTime, TimeDelta};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::*;
use crate::{
    core::{
        bounded,
        intent::{
            changed_lines::Changed,
            ledger::{Call, Change, FileDetails},
        },
    },
    world::files::Access,
};

struct Scene {
    dir: TempDir,
    ledger: Ledger,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("project").join(SIDECAR)).unwrap();
        let ledger = Ledger::new(&dir.path().join("project"), &dir.path().join("home"));
        Self { dir, ledger }
    }

    #[track_caller]
    fn add(&self, session: &str, number: u8) -> Appended {
        self.ledger.append(record(session, number), soon()).unwrap()
    }

    /// Why a record stays in roz's home, and that the file is untouched.
    #[track_caller]
    fn keeps_back(&self) -> String {
        let before = fs::symlink_metadata(self.ledger.path()).map(|meta| meta.len()).ok();
        let why = self.add("s9", 0).kept_back.unwrap();
        assert_eq!(fs::symlink_metadata(self.ledger.path()).map(|meta| meta.len()).ok(), before);
        why
    }

    fn text(&self) -> Vec<u8> {
        fs::read(self.ledger.path()).unwrap()
    }

    fn lines(&self) -> Vec<Vec<u8>> {
        let text = self.text();
        text.split(|byte| *byte == b'\n')
            .filter(|part| !part.is_empty())
            .map(<[u8]>::to_vec)
            .collect()
    }

    fn put(&self, lines: &[Vec<u8>]) {
        let text: Vec<u8> = lines.iter().flat_map(|line| [&line[..], b"\n"].concat()).collect();
        fs::write(self.ledger.path(), text).unwrap();
    }

    #[track_caller]
    fn problems(&self) -> Vec<String> {
        let verdict = self.ledger.verify(soon()).unwrap();
        verdict.problems.iter().map(|problem| problem.what.to_string()).collect()
    }

    #[track_caller]
    fn is_whole(&self, records: u64) {
        let verdict = self.ledger.verify(soon()).unwrap();
        assert_eq!((verdict.problems, verdict.records), (vec![], records));
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(5)
}

fn record(session: &str, number: u8) -> Record {
    let call = Call {
        now: DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(number.into()),
        dice: &[number; 32],
        session_id: &session.parse().unwrap(),
        agent_id: None,
        model: None,
        intent_id: Some("INT-001"),
        revision: None,
        tool_name: "Write",
        tool_use_id: None,
    };
    let file = FileDetails {
        path: format!("src/{number}.rs"),
        changed: Changed::between(None, Some(b"a\n")),
        mutation_class: None,
        evidence: None,
    };
    Record::of_change(&call, Change { files: vec![file], ..Change::default() })
}

#[test]
fn each_record_names_the_one_before_it_in_its_session() {
    let scene = Scene::new();
    let first = scene.add("s1", 1);
    let other = scene.add("s2", 2);
    let second = scene.add("s1", 3);
    assert_eq!((first.seq, other.seq, second.seq), (1, 1, 2));
    let records: Vec<Record> =
        scene.lines().iter().map(|line| Record::read(line).unwrap()).collect();
    let prev = |at: usize| records[at].metadata.roz.prev.as_deref();
    assert_eq!((prev(0), prev(1), prev(2)), (None, None, Some(first.hash.as_str())));
    assert_eq!(first.hash, bounded::sha256(&scene.lines()[0]));
    scene.is_whole(3);
    let newest = scene.ledger.newest(1 << 20).unwrap();
    assert_eq!(
        newest.iter().map(|record| record.files[0].path.as_str()).collect::<Vec<_>>(),
        ["src/3.rs", "src/2.rs", "src/1.rs"]
    );
    let length = scene.lines()[2].len() as u64 + 3;
    assert_eq!(scene.ledger.newest(length).unwrap().len(), 1);
}

#[test]
fn the_last_line_is_missed_when_it_is_gone() {
    let scene = Scene::new();
    (1..=3).for_each(|byte| drop(scene.add("s1", byte)));
    let lines = scene.lines();
    scene.put(&lines[..2]);
    assert_eq!(scene.problems(), ["line 2: a record is gone after it, at the session's end"]);
    // Nor does the next record hide it.
    scene.add("s1", 4);
    assert_eq!(scene.problems(), ["line 3: a record is gone between line 2 and this one"]);
    fs::remove_file(scene.ledger.path()).unwrap();
    assert_eq!(scene.problems(), ["4 records are gone: the whole session"]);
}

#[test]
fn a_session_goes_on_behind_its_last_record_after_an_upgrade_from_a_roz_without_a_log() {
    let scene = Scene::new();
    (1..=2).for_each(|byte| drop(scene.add("s1", byte)));
    fs::remove_dir_all(scene.dir.path().join("home/projects")).unwrap();
    scene.put(&scene.lines()[..1]);
    assert_eq!(scene.problems(), ["line 1: a record is gone after it, at the session's end"]);
    assert_eq!(scene.add("s1", 3).seq, 3);
    assert_eq!(scene.problems(), ["line 2: a record is gone between line 1 and this one"]);
}

/// The log is long, and a hook has no time to read all of it.
#[test]
fn a_session_is_gone_on_with_from_its_own_file_without_a_look_at_the_whole_log() {
    let scene = Scene::new();
    let first = scene.add("s1", 1);
    for number in 0..200 {
        let mut record = record("s2", number);
        record.files[0].path = "x".repeat(2_000);
        scene.ledger.append(record, soon()).unwrap();
    }
    let home = scene.ledger.home.path().to_owned();
    let text = fs::read(&home).unwrap();
    let end = text.iter().position(|byte| *byte == b'\n').unwrap();
    fs::write(&home, [&vec![b'x'; end], &text[end..]].concat()).unwrap();
    let second = scene.add("s1", 2);
    assert_eq!(second.seq, 2);
    let record = scene.ledger.newest(1 << 10).unwrap().remove(0);
    assert_eq!(record.metadata.roz.prev, Some(first.hash));
}

#[test]
fn a_line_that_was_cut_off_is_written_anew_and_nothing_is_lost() {
    for torn in [&b"{\"version\":\"0.1.0\",\"id\":\"\xc3"[..], &vec![b'x'; 300 << 10]] {
        let scene = Scene::new();
        scene.add("s1", 1);
        fs::write(scene.ledger.path(), [&scene.text(), torn].concat()).unwrap();
        scene.add("s1", 2);
        scene.is_whole(2);
        // In roz's home as well.
        let home = scene.ledger.home.path().to_owned();
        fs::write(&home, [&fs::read(&home).unwrap(), torn].concat()).unwrap();
        assert_eq!(scene.add("s1", 3).seq, 3);
        scene.is_whole(3);
        assert_eq!(scene.lines().len(), 3);
    }
}

#[test]
fn a_record_that_lacks_but_its_end_is_whole() {
    let scene = Scene::new();
    scene.add("s1", 1);
    let text = scene.text();
    fs::write(scene.ledger.path(), &text[..text.len() - 1]).unwrap();
    scene.is_whole(1);
    assert_eq!(scene.add("s1", 2).seq, 2);
    scene.is_whole(2);
}

/// Killed after the record was written in roz's home, before the project's file.
#[test]
fn a_killed_writers_record_counts() {
    let scene = Scene::new();
    scene.add("s1", 1);
    let text = scene.text();
    let mark = scene.ledger.home.path().with_file_name("ahead");
    let handed_over = fs::read(&mark).unwrap();
    scene.add("s1", 2);
    fs::write(scene.ledger.path(), text).unwrap();
    fs::write(&mark, handed_over).unwrap();
    scene.is_whole(2);
    assert_eq!(scene.add("s1", 3).seq, 3);
    scene.is_whole(3);
    assert_eq!(scene.lines().len(), 3);
}

#[test]
fn a_session_goes_on_behind_its_last_record_however_far_up_that_is() {
    let scene = Scene::new();
    scene.add("s1", 1);
    for number in 0..200 {
        let mut record = record("s2", number);
        record.files[0].path = "x".repeat(2_000);
        scene.ledger.append(record, soon()).unwrap();
    }
    // The loss of its own file does not matter either.
    fs::remove_dir_all(scene.dir.path().join("home/ledger")).unwrap();
    assert_eq!(scene.add("s1", 2).seq, 2);
    scene.is_whole(202);
}

// What is in the way.

#[test]
fn what_is_no_file_is_named_and_not_touched() {
    let scene = Scene::new();
    let path = scene.ledger.path().to_owned();
    let victim = scene.dir.path().join("victim");
    fs::write(&victim, "kept").unwrap();
    symlink(&victim, &path).unwrap();
    assert!(scene.keeps_back().contains("is a symbolic link"));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "kept");
    fs::remove_file(&path).unwrap();
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    assert!(scene.keeps_back().contains("is a FIFO"));
    assert!(fs::symlink_metadata(&path).unwrap().file_type().is_fifo());
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(scene.keeps_back().contains("is a directory"));
    assert!(in_a_line(&scene.ledger.verify(soon()).unwrap_err()).contains("is a directory"));
    fs::remove_dir(&path).unwrap();
    fs::remove_dir(path.parent().unwrap()).unwrap();
    assert!(scene.keeps_back().contains("agent_trace.jsonl"));
}

#[test]
fn what_could_not_be_written_is_written_later() {
    let scene = Scene::new();
    scene.add("s1", 1);
    fs::set_permissions(scene.ledger.path(), fs::Permissions::from_mode(0o444)).unwrap();
    // Not for the superuser, who may.
    if fs::OpenOptions::new().append(true).open(scene.ledger.path()).is_err() {
        assert!(scene.keeps_back().contains("Permission denied"));
    }
    fs::set_permissions(scene.ledger.path(), fs::Permissions::from_mode(0o644)).unwrap();
    scene.ledger.complete(soon()).unwrap();
    scene.is_whole(scene.lines().len() as u64);
}

#[test]
fn whoever_holds_the_ledger_for_long_is_not_waited_for() {
    let scene = Scene::new();
    scene.add("s1", 1);
    let lock = files::lock_for(scene.ledger.home.path(), soon(), Access::Private).unwrap();
    let err = scene.ledger.append(record("s1", 2), Instant::now()).unwrap_err();
    assert!(matches!(err, files::Error::Locked { .. }), "{err}");
    drop(lock);
    assert_eq!(scene.add("s1", 2).seq, 2);
    scene.is_whole(2);
}

#[test]
fn a_record_that_is_too_long_is_refused() {
    let scene = Scene::new();
    let mut record = record("s1", 1);
    record.metadata.roz.not_looked = Some("x".repeat(LONGEST_LINE));
    let err = scene.ledger.append(record, soon()).unwrap_err();
    assert!(in_a_line(&err).contains("longer than a line may be"));
    assert_eq!(scene.add("s1", 1).seq, 1);
}

#[test]
fn a_file_that_is_gone_is_written_again_with_all_that_was_in_it() {
    let scene = Scene::new();
    (1..=3).for_each(|number| drop(scene.add("s1", number)));
    fs::remove_file(scene.ledger.path()).unwrap();
    scene.add("s2", 4);
    assert_eq!(scene.lines().len(), 4);
    scene.is_whole(4);
}

#[test]
fn reading_says_which_line_is_which() {
    let scene = Scene::new();
    scene.add("s1", 1);
    fs::write(scene.ledger.path(), [scene.text(), b"x\n\ny".to_vec()].concat()).unwrap();
    let mut lines = Vec::new();
    scene.ledger.each_line(|number, line| lines.push((number, line.len()))).unwrap();
    assert_eq!(lines[1..], [(2, 1), (3, 0), (4, 1)]);
    let problems = scene.problems();
    assert_eq!(problems.len(), 3, "{problems:?}");
}

#[test]
fn a_ledger_of_an_older_roz_is_as_whole_as_it_was() {
    let scene = Scene::new();
    scene.add("s1", 1);
    scene.add("s2", 2);
    let kept = scene.lines();
    // What no record says, nobody holds against the ledger.
    let mut second: serde_json::Value = serde_json::from_slice(&kept[1]).unwrap();
    second["session_id"] = "s4".into();
    let lines = vec![serde_json::to_vec(&second).unwrap(), kept[0].clone(), kept[1].clone()];
    scene.put(&lines);
    assert_eq!(scene.problems(), Vec::<String>::new());
}
