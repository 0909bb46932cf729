//! What is true of a store in files, beyond the contract.

mod hostile;
mod trace;

use std::{
    fs::{self, File, OpenOptions, Permissions},
    io::Write as _,
    os::unix::fs::{FileExt as _, MetadataExt as _, PermissionsExt as _, symlink},
    thread,
    time::{Duration, Instant, SystemTime},
};

use chrono::TimeDelta;
use tempfile::TempDir;

use super::{
    contract::{MAX_EVENTS, at, get, id, mark, record, seqs, session, soon},
    *,
};
use crate::core::trace::{DecisionTaken, Mark};

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

    /// The names of all files in the folder, sorted.
    fn names(&self) -> Vec<String> {
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<_> =
            fs::read_dir(&self.dir).unwrap().map(|entry| name(entry).unwrap()).collect();
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
        trace.into_iter().map(|trace_event| (trace_event.seq, trace_event.event_type)).collect()
    }
}

fn line(seq: u64) -> String {
    let event = mark(0).at(seq, at(5));
    String::from_utf8(json_lines::lines([&event]).unwrap()).unwrap()
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
    let Err(Error::File(files::Error::Io { path, .. })) = saved else { panic!("{saved:?}") };
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

#[test]
fn a_lock_that_is_held_is_waited_for_until_the_deadline() {
    let home = home();
    record(&home.store, 1);
    let lock = File::open(home.path("s1.lock")).unwrap();
    lock.lock().unwrap();
    let Stored { session, revision } = get(&home.store, 1);
    let until = Instant::now() + Duration::from_millis(30);
    let saved = home.store.put_session(&session, &revision, until);
    assert!(matches!(saved, Err(Error::File(files::Error::Locked { .. }))), "{saved:?}");
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
        let seqs: Vec<_> = kinds.iter().map(|kind| kind.0).collect();
        assert_eq!(seqs, [1, 2, 3, 4]);
        assert_eq!(kinds[2].1, "interrupted");
    }
}

#[test]
fn nothing_that_was_kept_aside_is_overwritten() {
    let home = home();
    record(&home.store, 1);
    let modified = SystemTime::UNIX_EPOCH + Duration::from_hours(500_000);
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
    let names: Vec<_> = listed
        .iter()
        .filter_map(|session| session.as_ref().ok())
        .map(|session| &session.session_id)
        .collect();
    assert_eq!(names, [&id(3), &id(1)]);
    assert_eq!(listed.len(), 3);
}

#[test]
fn a_decision_is_saved_like_anything_else() {
    let home = home();
    let decision = Mark::RozDecision(DecisionTaken {
        decision: "COMPLETE",
        summary: "fine".into(),
        has_effect: true,
        ..DecisionTaken::default()
    });
    for n in 1..100 {
        update(&home.store, &id(1), soon(), || session(1), |item| item.record(&decision, at(1)))
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
    let mut found: Vec<_> = leftovers.iter().map(|leftover| &*leftover.name).collect();
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
fn a_file_of_an_impossible_time_is_only_out_of_order() {
    let far = Duration::from_secs(1 << 60);
    assert_eq!(file::time(SystemTime::UNIX_EPOCH + far), DateTime::<Utc>::MAX_UTC);
    assert_eq!(file::time(SystemTime::UNIX_EPOCH - far), DateTime::<Utc>::MIN_UTC);
    let early = SystemTime::UNIX_EPOCH - Duration::from_millis(1500);
    assert_eq!(file::time(early), DateTime::UNIX_EPOCH - TimeDelta::milliseconds(1500));
}
