//! Anything in the place of a file that is not a regular file is refused.

use std::os::unix::net::UnixListener;

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use super::*;

/// Puts each kind of thing that is not a regular file at `name`, and calls `judge`.
fn with_each_kind(name: &str, judge: impl Fn(&Home, &str)) {
    let kinds =
        ["a symbolic link", "a FIFO", "a directory", "a socket", "a device", "a dangling link"];
    for what in kinds {
        let home = home();
        record(&home.store, 1);
        let path = home.path(name);
        let _ = fs::remove_file(&path);
        let elsewhere = home.tmp.path().join("elsewhere");
        match what {
            "a symbolic link" => {
                fs::write(&elsewhere, "mine").unwrap();
                symlink(&elsewhere, &path).unwrap();
            }
            "a FIFO" => {
                mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
            }
            "a directory" => fs::create_dir(&path).unwrap(),
            "a socket" => drop(UnixListener::bind(&path).unwrap()),
            // `/dev/full`, which only root can make.
            "a device" => {
                let mode = Mode::from_raw_mode(0o600);
                if mknodat(CWD, &path, FileType::CharacterDevice, mode, makedev(1, 7)).is_err() {
                    continue;
                }
            }
            _ => symlink(&elsewhere, &path).unwrap(),
        }
        judge(&home, if what == "a dangling link" { "a symbolic link" } else { what });
        if what == "a symbolic link" {
            assert_eq!(fs::read(&elsewhere).unwrap(), b"mine");
        } else {
            assert!(!elsewhere.exists());
        }
    }
}

#[track_caller]
fn assert_refused<T: std::fmt::Debug>(answer: Result<T>, what: &str) {
    match answer {
        Err(Error::File(files::Error::NotAFile { what: found, .. })) => assert_eq!(found, what),
        other => panic!("{what}: {other:?}"),
    }
}

#[test]
fn what_is_no_file_is_no_session() {
    with_each_kind("s1.json", |home, what| {
        assert_refused(home.store.get_session(&id(1)), what);
        for revision in [Revision::ABSENT, Revision::of(Some(b"mine"))] {
            assert_refused(home.store.put_session(&session(1), &revision, soon()), what);
        }
        let event = mark(0).at(0, at(0));
        assert_refused(home.store.append_trace(&id(1), &[event], soon()), what);
        assert_refused(home.store.list_sessions(1).unwrap().remove(0), what);
    });
}

#[test]
fn what_is_no_file_is_no_trace() {
    with_each_kind("s1.trace.jsonl", |home, what| {
        assert_refused(home.store.read_trace(&id(1)), what);
        let Stored { mut session, revision } = get(&home.store, 1);
        session.head = Some("c0ffee".into());
        assert_refused(home.store.put_session(&session, &revision, soon()), what);
        session.record(&mark(1), at(1));
        assert_refused(home.store.put_session(&session, &revision, soon()), what);
        assert_eq!(get(&home.store, 1).revision, revision);
    });
}

#[test]
fn what_is_no_file_is_no_lock() {
    with_each_kind("s1.lock", |home, what| {
        let Stored { session, revision } = get(&home.store, 1);
        assert_refused(home.store.put_session(&session, &revision, soon()), what);
        assert_refused(home.store.delete_session(&id(1), None, soon()), what);
    });
}

#[test]
fn what_is_no_file_is_removed_from_the_temporarys_place_unless_it_is_a_directory() {
    with_each_kind("s1.tmp", |home, what| {
        let Stored { mut session, revision } = get(&home.store, 1);
        session.record(&mark(1), at(1));
        let saved = home.store.put_session(&session, &revision, soon());
        if what == "a directory" {
            assert_refused(saved, what);
            assert_eq!(get(&home.store, 1).revision, revision);
            assert_eq!(seqs(&home.store), [1], "the event was taken back with the state");
        } else {
            saved.unwrap();
            assert_eq!(home.names(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
        }
    });
}

#[test]
fn what_is_no_file_can_be_deleted_unless_it_is_a_directory() {
    with_each_kind("s1.trace.jsonl", |home, what| {
        let deleted = home.store.delete_session(&id(1), None, soon());
        if what == "a directory" {
            assert_refused(deleted, what);
        } else {
            deleted.unwrap();
            assert!(home.names().is_empty());
        }
    });
}
