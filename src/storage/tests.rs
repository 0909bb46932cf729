//! What is true of files: hostile ones, broken ones, and those that a killed
//! process left.

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::Write as _,
    os::unix::{
        fs::{FileExt as _, MetadataExt as _, PermissionsExt as _, symlink},
        net::UnixListener,
    },
    thread,
    time::{Duration, Instant},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use super::{
    contract::{MAX_EVENTS, at, get, id, mark, record, seqs, session, soon},
    *,
};
use crate::core::trace::Mark;

struct Home {
    store: FileStore,
    dir: PathBuf,
    tmp: TempDir,
}

fn home() -> Home {
    let tmp = tempfile::tempdir().unwrap();
    let dir = tmp.path().join("home/sessions");
    Home { store: FileStore::new(dir.clone(), MAX_EVENTS), dir, tmp }
}

impl Home {
    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// Everything that lies beside each other, sorted.
    fn names(&self) -> Vec<String> {
        let name = |it: std::io::Result<fs::DirEntry>| it.unwrap().file_name().into_string();
        let mut names: Vec<_> =
            fs::read_dir(&self.dir).unwrap().map(|it| name(it).unwrap()).collect();
        names.sort();
        names
    }

    fn append_raw(&self, bytes: &str) {
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        let mut trace = options.open(self.path("s1.trace.jsonl")).unwrap();
        trace.write_all(bytes.as_bytes()).unwrap();
    }

    fn types(&self) -> Vec<(u64, String)> {
        let trace = self.store.read_trace(&id(1)).unwrap();
        trace.into_iter().map(|it| (it.seq, it.event_type)).collect()
    }
}

fn line(seq: u64) -> String {
    let event = mark(0).at(seq, at(5));
    String::from_utf8(journal::lines([&event]).unwrap()).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o777
}

#[test]
fn a_session_is_private() {
    let home = home();
    record(&home.store, 1);
    assert_eq!(mode(&home.tmp.path().join("home")), 0o700);
    assert_eq!(mode(&home.dir), 0o700);
    assert_eq!(home.names(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
    for name in home.names() {
        assert_eq!(mode(&home.path(&name)), 0o600, "{name}");
    }
}

#[test]
fn a_directory_of_ours_that_is_open_to_others_is_closed() {
    let home = home();
    fs::create_dir_all(&home.dir).unwrap();
    fs::set_permissions(&home.dir, Permissions::from_mode(0o755)).unwrap();
    record(&home.store, 1);
    assert_eq!(mode(&home.dir), 0o700);
}

#[test]
fn reading_makes_nothing() {
    let home = home();
    assert!(home.store.get_session(&id(1)).unwrap().is_none());
    home.store.delete_session(&id(1), None, soon()).unwrap();
    assert!(!home.tmp.path().join("home").exists());
}

#[test]
fn a_directory_that_was_removed_is_made_again() {
    let home = home();
    record(&home.store, 1);
    fs::remove_dir_all(&home.dir).unwrap();
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1]);
}

#[test]
fn the_home_may_be_a_link() {
    let home = home();
    let real = home.tmp.path().join("real");
    fs::create_dir_all(real.join("sessions")).unwrap();
    symlink(&real, home.tmp.path().join("home")).unwrap();
    record(&home.store, 1);
    assert!(real.join("sessions/s1.json").exists());
}

#[test]
fn the_directory_may_be_a_link_and_what_it_leads_to_keeps_its_mode() {
    let home = home();
    let real = home.tmp.path().join("real");
    fs::create_dir(&real).unwrap();
    fs::set_permissions(&real, Permissions::from_mode(0o755)).unwrap();
    fs::create_dir(home.tmp.path().join("home")).unwrap();
    symlink(&real, &home.dir).unwrap();
    record(&home.store, 1);
    assert!(real.join("s1.json").exists());
    assert_eq!(mode(&real), 0o755);
}

#[test]
fn a_home_that_cannot_be_made_is_an_error_that_names_it() {
    let home = home();
    File::create(home.tmp.path().join("home")).unwrap();
    let saved = home.store.put_session(&session(1), &Revision::ABSENT, soon());
    let Err(Error::Io { path, .. }) = saved else { panic!("{saved:?}") };
    assert_eq!(path, home.dir);
}

#[test]
fn no_save_leaves_anything_behind() {
    let home = home();
    for _ in 0..100 {
        record(&home.store, 1);
    }
    assert_eq!(home.names(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

/// Puts each kind of what is no file at `name` and lets `judge` have it.
fn with_each_kind(name: &str, judge: impl Fn(&Home, &str)) {
    for what in ["a symbolic link", "a FIFO", "a directory", "a socket", "a dangling link"] {
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
        Err(Error::NotAFile { what: found, .. }) => assert_eq!(found, what),
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

#[test]
fn a_lock_that_is_held_is_waited_for_until_the_deadline() {
    let home = home();
    record(&home.store, 1);
    let lock = File::open(home.path("s1.lock")).unwrap();
    lock.lock().unwrap();
    let Stored { session, revision } = get(&home.store, 1);
    let until = Instant::now() + Duration::from_millis(30);
    let saved = home.store.put_session(&session, &revision, until);
    assert!(matches!(saved, Err(Error::Locked { .. })), "{saved:?}");
    assert!(Instant::now() >= until);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| home.store.put_session(&session, &revision, soon()));
        drop(lock);
        waiting.join().unwrap().unwrap();
    });
}

#[test]
fn whoever_waited_for_a_deleted_lock_takes_the_one_that_came_after_it() {
    let home = home();
    record(&home.store, 1);
    let lock = File::open(home.path("s1.lock")).unwrap();
    lock.lock().unwrap();
    thread::scope(|scope| {
        let waiting = scope.spawn(|| record(&home.store, 1));
        for name in ["s1.json", "s1.trace.jsonl", "s1.lock"] {
            fs::remove_file(home.path(name)).unwrap();
        }
        drop(lock);
        waiting.join().unwrap();
    });
    assert_eq!(home.names(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn a_document_that_makes_no_sense_is_kept_aside_with_its_trace() {
    let other = serde_json::to_string(&session(2)).unwrap();
    let hollow = r#"{"version":1,"session_id":"../../x"}"#;
    for broken in ["", "{", "null", "[]", "\0\0\0", "\u{feff}{}", hollow, &other] {
        let home = home();
        record(&home.store, 2);
        fs::write(home.path("s1.json"), broken).unwrap();
        let got = home.store.get_session(&id(1));
        let Err(Error::Corrupt { path, kept_as, .. }) = got else { panic!("{got:?}") };
        assert_eq!(path, home.path("s1.json"));
        assert_eq!(fs::read_to_string(&kept_as).unwrap(), broken);
        assert!(home.store.get_session(&id(1)).unwrap().is_none());
        assert_eq!(seqs(&home.store), [1, 2]);
        record(&home.store, 1);
        let kinds = home.types();
        let seqs: Vec<_> = kinds.iter().map(|it| it.0).collect();
        assert_eq!(seqs, [1, 2, 3, 4]);
        assert_eq!(kinds[2].1, "interrupted");
    }
}

#[test]
fn nothing_that_was_kept_aside_is_overwritten() {
    let home = home();
    record(&home.store, 1);
    let modified = std::time::SystemTime::UNIX_EPOCH + Duration::from_hours(500_000);
    for n in 0..3 {
        fs::write(home.path("s1.json"), format!("broken {n}")).unwrap();
        let file = OpenOptions::new().write(true).open(home.path("s1.json")).unwrap();
        file.set_modified(modified).unwrap();
        assert!(matches!(home.store.get_session(&id(1)), Err(Error::Corrupt { .. })));
    }
    let kept = [
        ("s1.corrupt-20270115T080000Z", "broken 0"),
        ("s1.corrupt-20270115T080000Z-2", "broken 1"),
        ("s1.corrupt-20270115T080000Z-3", "broken 2"),
    ];
    for (name, text) in kept {
        assert_eq!(fs::read_to_string(home.path(name)).unwrap(), text);
    }
}

#[test]
fn a_broken_document_is_never_saved_over() {
    let home = home();
    record(&home.store, 1);
    let Stored { session, revision } = get(&home.store, 1);
    fs::write(home.path("s1.json"), "broken").unwrap();
    for revision in [revision, Revision::ABSENT] {
        let saved = home.store.put_session(&session, &revision, soon());
        assert!(matches!(saved, Err(Error::Conflict)), "{saved:?}");
    }
    let event = mark(0).at(0, at(0));
    let appended = home.store.append_trace(&id(1), &[event], soon());
    assert!(matches!(appended, Err(Error::Corrupt { .. })), "{appended:?}");
}

#[test]
fn a_document_larger_than_any_session_is_not_read_whole() {
    let home = home();
    record(&home.store, 1);
    let file = OpenOptions::new().write(true).open(home.path("s1.json")).unwrap();
    file.set_len(1 << 40).unwrap();
    assert!(matches!(home.store.get_session(&id(1)), Err(Error::Corrupt { .. })));
}

#[test]
fn a_newer_document_is_read_but_not_written() {
    let home = home();
    record(&home.store, 1);
    let text = fs::read_to_string(home.path("s1.json")).unwrap();
    let newer = text.replace(r#""version":1"#, r#""version":2,"later":{}"#);
    fs::write(home.path("s1.json"), &newer).unwrap();
    let Stored { session, revision } = get(&home.store, 1);
    assert_eq!(session.version, 2);
    let saved = home.store.put_session(&session, &revision, soon());
    assert!(matches!(saved, Err(Error::NewerVersion { version: 2, .. })), "{saved:?}");
    let event = mark(0).at(0, at(0));
    let appended = home.store.append_trace(&id(1), &[event], soon());
    assert!(matches!(appended, Err(Error::NewerVersion { version: 2, .. })), "{appended:?}");
    assert_eq!(fs::read_to_string(home.path("s1.json")).unwrap(), newer);
    assert_eq!(seqs(&home.store), [1]);
}

#[test]
fn a_newer_document_that_makes_no_sense_to_us_stays_where_it_is() {
    let home = home();
    record(&home.store, 1);
    fs::write(home.path("s1.json"), r#"{"version":7,"session_id":{"new":"shape"}}"#).unwrap();
    let got = home.store.get_session(&id(1));
    assert!(matches!(got, Err(Error::NewerVersion { version: 7, .. })), "{got:?}");
    assert_eq!(home.names(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn one_unreadable_session_hides_no_other() {
    let home = home();
    for n in [1, 2, 3] {
        home.store.put_session(&session(n), &Revision::ABSENT, soon()).unwrap();
    }
    fs::write(home.path("s2.json"), "broken").unwrap();
    fs::write(home.path("notes.txt"), "").unwrap();
    fs::write(home.path("böse.json"), "").unwrap();
    let listed = home.store.list_sessions(9).unwrap();
    let names: Vec<_> =
        listed.iter().filter_map(|it| it.as_ref().ok()).map(|it| &it.session_id).collect();
    assert_eq!(names, [&id(3), &id(1)]);
    assert_eq!(listed.len(), 3);
}

#[test]
fn events_of_a_killed_save_are_kept_and_marked() {
    let home = home();
    record(&home.store, 2);
    home.append_raw(&(line(3) + &line(4)));
    record(&home.store, 1);
    let trace = home.store.read_trace(&id(1)).unwrap();
    assert_eq!(seqs(&home.store), [1, 2, 3, 4, 5, 6]);
    assert_eq!(trace[4], Mark::Interrupted { after_seq: 2, events: 2 }.at(5, at(0)));
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 2, 3, 4, 5, 6, 7], "the mark is made once");
    assert_eq!(get(&home.store, 1).session.trace.events, 7);
}

#[test]
fn events_of_a_killed_save_are_noticed_by_a_save_without_any() {
    let home = home();
    record(&home.store, 1);
    home.append_raw(&line(2));
    update(&home.store, &id(1), soon(), || session(1), |it| it.head = Some("a".into())).unwrap();
    assert_eq!(seqs(&home.store), [1, 2, 3]);
    assert_eq!(get(&home.store, 1).session.trace.seq, 3);
}

#[test]
fn a_torn_line_swallows_no_event() {
    let home = home();
    record(&home.store, 1);
    let torn = line(2);
    home.append_raw(&torn[..torn.len() / 2]);
    assert_eq!(seqs(&home.store), [1]);
    record(&home.store, 2);
    assert_eq!(seqs(&home.store), [1, 2, 3, 4]);
    assert_eq!(home.types()[1].1, "interrupted");
}

#[test]
fn a_line_that_lacks_nothing_but_its_end_is_an_event() {
    let home = home();
    record(&home.store, 1);
    home.append_raw(line(2).trim_end());
    assert_eq!(seqs(&home.store), [1, 2]);
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 2, 3, 4]);
}

#[test]
fn a_trace_that_was_cut_or_removed_goes_on_counting() {
    let home = home();
    record(&home.store, 3);
    let trace = File::options().write(true).open(home.path("s1.trace.jsonl")).unwrap();
    trace.set_len(line(1).len() as u64 + 5).unwrap();
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 4]);
    fs::remove_file(home.path("s1.trace.jsonl")).unwrap();
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [5]);
    assert_eq!(get(&home.store, 1).session.trace.events, 1);
}

#[test]
fn zeros_in_the_trace_hide_no_event() {
    let home = home();
    record(&home.store, 1);
    let trace = File::options().write(true).open(home.path("s1.trace.jsonl")).unwrap();
    trace.write_all_at(&[0; 300], trace.metadata().unwrap().len()).unwrap();
    record(&home.store, 1);
    assert_eq!(seqs(&home.store), [1, 2, 3]);
}

#[test]
fn a_killed_compaction_loses_nothing() {
    let home = home();
    record(&home.store, 60);
    let before = fs::read(home.path("s1.json")).unwrap();
    record(&home.store, 1);
    // The state as it was before the save that rewrote the trace.
    fs::write(home.path("s1.json"), before).unwrap();
    record(&home.store, 1);
    let known = get(&home.store, 1).session.trace;
    assert_eq!((known.seq, known.dropped), (63, 31));
    let seqs = seqs(&home.store);
    assert_eq!(seqs[seqs.len() - 3..], [61, 62, 63]);
    assert!(seqs.is_sorted_by(|a, b| a < b));
}

#[test]
fn the_trace_is_rewritten_only_at_twice_its_bound() {
    let home = home();
    record(&home.store, 1);
    let ino = || fs::metadata(home.path("s1.trace.jsonl")).unwrap().ino();
    let mut inos = vec![ino()];
    let mut longest = 0;
    for _ in 0..200 {
        record(&home.store, 1);
        inos.push(ino());
        let text = fs::read_to_string(home.path("s1.trace.jsonl")).unwrap();
        longest = longest.max(text.lines().count());
    }
    inos.dedup();
    assert_eq!(longest, 61);
    assert!((5..=7).contains(&inos.len()), "{} traces", inos.len());
}

#[test]
fn a_bound_of_nothing_keeps_nothing() {
    let home = home();
    record(&home.store, 3);
    let none = FileStore::new(home.dir.clone(), 0);
    record(&none, 2);
    assert!(none.read_trace(&id(1)).unwrap().is_empty());
    assert_eq!(home.names(), ["s1.json", "s1.lock"]);
    let known = get(&none, 1).session.trace;
    assert_eq!((known.seq, known.events, known.bytes, known.dropped), (5, 0, 0, 5));
}

#[test]
fn a_decision_is_saved_like_anything_else() {
    let home = home();
    let decision = Mark::RozDecision {
        decision: "COMPLETE",
        summary: "fine".into(),
        by: "person".into(),
        tree: None,
        stands: true,
    };
    for n in 1..100 {
        update(&home.store, &id(1), soon(), || session(1), |it| it.record(&decision, at(1)))
            .unwrap();
        assert_eq!(get(&home.store, 1).session.trace.seq, n);
    }
    assert_eq!(home.names(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn leftovers_are_found_and_swept() {
    let home = home();
    record(&home.store, 1);
    let names = ["s1.tmp", "s2.lock", "s3.trace.jsonl", "s4.corrupt-1", "s5.tmp"];
    for name in names {
        fs::write(home.path(name), "").unwrap();
    }
    fs::write(home.path("notes.txt"), "").unwrap();
    let leftovers = home.store.leftovers().unwrap();
    let mut found: Vec<_> = leftovers.iter().map(Leftover::name).collect();
    found.sort_unstable();
    assert_eq!(found, names);
    for leftover in &leftovers {
        assert!(home.store.sweep(leftover, soon()).unwrap(), "{leftover:?}");
    }
    assert_eq!(home.names(), ["notes.txt", "s1.json", "s1.lock", "s1.trace.jsonl"]);
    for leftover in &leftovers {
        home.store.sweep(leftover, soon()).unwrap();
    }
    assert_eq!(home.names(), ["notes.txt", "s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn what_found_its_session_again_is_not_swept() {
    let home = home();
    record(&home.store, 1);
    let state = fs::read(home.path("s1.json")).unwrap();
    fs::remove_file(home.path("s1.json")).unwrap();
    let leftovers = home.store.leftovers().unwrap();
    assert_eq!(leftovers.len(), 2);
    fs::write(home.path("s1.json"), state).unwrap();
    for leftover in &leftovers {
        assert!(!home.store.sweep(leftover, soon()).unwrap(), "{leftover:?}");
    }
    assert_eq!(home.names(), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

#[test]
fn the_configuration_says_where_the_store_lies() {
    let tmp = tempfile::tempdir().unwrap();
    let mut policy = Policy::default();
    record(&*open(&policy, &tmp.path().join("a")).unwrap(), 1);
    assert!(tmp.path().join("a/sessions/s1.json").exists());
    policy.storage.path = Some(tmp.path().join("b"));
    record(&*open(&policy, &tmp.path().join("a")).unwrap(), 2);
    assert!(tmp.path().join("b/sessions/s1.json").exists());
}

#[test]
fn a_compaction_is_never_as_long_as_what_it_replaced() {
    let home = home();
    record(&home.store, 60);
    let names = ["s1.json", "s1.trace.jsonl"];
    let before = names.map(|it| fs::read(home.path(it)).unwrap());
    let restore = |names: &[&str]| {
        for name in names {
            let n = usize::from(*name == "s1.trace.jsonl");
            fs::write(home.path(name), &before[n]).unwrap();
        }
    };
    let say = |prompt: String| {
        let mark = Mark::ClientPrompt { prompt };
        update(&home.store, &id(1), soon(), || session(1), |it| it.record(&mark, at(1))).unwrap();
        get(&home.store, 1).session.trace.bytes
    };
    let old = before[1].len() as u64;
    let shortest = say(String::new());
    restore(&names);
    // Without a blank line at its end it would be as long, and a kill before
    // the state is saved would not show.
    assert_eq!(say("x".repeat(usize::try_from(old - shortest).unwrap())), old + 1);
    restore(&["s1.json"]);
    say(String::new());
    let types = home.types();
    assert_eq!(types[types.len() - 2].1, "interrupted");
    assert!(types.is_sorted_by(|a, b| a.0 < b.0));
}
