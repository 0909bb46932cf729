//! The store under many processes, under `kill -9`, and on a full disk. The
//! processes are this test binary itself, started again with a part to play.

#![expect(clippy::disallowed_methods, reason = "these tests are about processes")]
#![expect(clippy::print_stdout, reason = "a child tells its parent what is saved")]

use std::{
    collections::BTreeSet,
    env, fs,
    io::{BufRead as _, BufReader, Read as _, stdin},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use chrono::DateTime;
use roz::{
    core::{
        session::{Session, SessionId},
        trace::{DecisionTaken, Mark, TraceEvent},
    },
    storage::{Error, FileError, FileStore, MessageStore, Revision, update},
};

const PART: &str = "ROZ_TEST_PART";
const DIR: &str = "ROZ_TEST_DIR";
const MAX_EVENTS: &str = "ROZ_TEST_MAX_EVENTS";

const UNBOUNDED: u64 = 1 << 40;

#[test]
fn sixty_four_processes_on_one_session_lose_nothing() {
    const UPDATES: usize = 64 * 4;
    const APPENDS: usize = 64;
    let tmp = tempfile::tempdir().unwrap();
    let mut children: Vec<_> = (0..64).map(|_| play("writer", tmp.path(), UNBOUNDED)).collect();
    // They stand in line for the end of their input.
    for child in &mut children {
        drop(child.stdin.take());
    }
    children.into_iter().for_each(finish);
    let store = store(tmp.path(), UNBOUNDED);
    assert_eq!(count(&load(&store)), UPDATES);
    let trace = store.read_trace(&id()).unwrap();
    assert_gap_free(&trace, UPDATES + APPENDS);
    assert_eq!(labels(&trace), (1..=UPDATES).collect());
    assert_eq!(names(tmp.path()), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
    assert_eq!(load(&store).trace.seq, (UPDATES + APPENDS) as u64);
}

#[test]
fn processes_that_save_and_processes_that_delete_leave_a_whole_session_or_none() {
    let tmp = tempfile::tempdir().unwrap();
    let mut children: Vec<_> = (0..24)
        .map(|n| play(if n % 3 == 0 { "deleter" } else { "writer" }, tmp.path(), UNBOUNDED))
        .collect();
    for child in &mut children {
        drop(child.stdin.take());
    }
    children.into_iter().for_each(finish);
    let store = store(tmp.path(), UNBOUNDED);
    let Some(stored) = store.get_session(&id()).unwrap() else {
        assert!(names(tmp.path()).is_empty());
        return;
    };
    let trace = store.read_trace(&id()).unwrap();
    assert_gap_free(&trace, usize::try_from(stored.session.trace.seq).unwrap());
    assert!(trace.iter().all(|it| it.event_type != "interrupted"));
}

#[test]
fn two_hundred_kills_lose_nothing_that_was_saved() {
    let tmp = tempfile::tempdir().unwrap();
    kill_often(tmp.path(), UNBOUNDED, 200);
    let store = store(tmp.path(), UNBOUNDED);
    let saved = count(&load(&store));
    let trace = store.read_trace(&id()).unwrap();
    assert_gap_free(&trace, trace.len());
    // The last may be of a save that was killed between trace and state.
    let labels = labels(&trace);
    assert!((1..=saved).all(|it| labels.contains(&it)));
    assert!(labels.len() <= saved + 1);
    let known = load(&store).trace;
    let interrupted = trace.iter().filter(|it| it.event_type == "interrupted").count();
    println!("{saved} updates, {interrupted} interrupted, {} events", known.events);
}

#[test]
fn kills_while_the_trace_is_rewritten_lose_nothing_within_its_bound() {
    let tmp = tempfile::tempdir().unwrap();
    kill_often(tmp.path(), 4, 100);
    let store = store(tmp.path(), 4);
    // One more save, and nothing in the trace is unknown to the state.
    step(&store, false).unwrap();
    let saved = load(&store);
    let trace = store.read_trace(&id()).unwrap();
    let kept = |it: &&TraceEvent| it.event_type != "trace_compacted";
    assert_eq!(trace.last().unwrap().seq, saved.trace.seq);
    assert_eq!(trace.iter().filter(kept).count(), 4);
    let dropped = trace.iter().find_map(|it| it.payload["dropped"].as_u64()).unwrap();
    assert_eq!(dropped + 4, saved.trace.seq, "every event is kept or counted");
}

#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    on_a_small_disk("filler");
}

#[test]
fn a_read_only_disk_is_an_error_and_can_be_read() {
    on_a_small_disk("reader");
}

/// Does nothing unless a test above started this process.
#[test]
fn part() {
    let Ok(part) = env::var(PART) else { return };
    let dir = PathBuf::from(env::var(DIR).unwrap());
    let store = store(&dir, env::var(MAX_EVENTS).unwrap().parse().unwrap());
    match part.as_str() {
        "writer" => write(&store),
        "deleter" => {
            wait_for_the_start();
            for _ in 0..20 {
                store.delete_session(&id(), None, soon()).unwrap();
                thread::sleep(Duration::from_millis(1));
            }
        }
        "victim" => {
            for n in 0.. {
                // The parent is gone, or has killed us.
                println!("saved {}", step(&store, n % 7 == 0).unwrap());
            }
        }
        "filler" => fill(&store, &dir),
        "reader" => remount_and_read(&store, &dir),
        other => panic!("there is no part `{other}`"),
    }
}

fn write(store: &FileStore) {
    wait_for_the_start();
    for _ in 0..4 {
        step(store, false).unwrap();
    }
    let mark = Mark::SessionSeen.at(0, DateTime::UNIX_EPOCH);
    loop {
        match store.append_trace(&id(), std::slice::from_ref(&mark), soon()) {
            Ok(()) => return,
            // A deleter was faster.
            Err(Error::Absent { .. }) => step(store, false).map(drop).unwrap(),
            Err(err) => panic!("{err}"),
        }
    }
}

fn fill(store: &FileStore, dir: &Path) {
    step(store, false).unwrap();
    let ballast = dir.join("ballast");
    let mut size = 0;
    // Down to the last byte, so that every write of a save fails once.
    let full = loop {
        size += 512;
        let is_full = fs::write(&ballast, vec![b'x'; size]).is_err();
        match step(store, false) {
            Ok(_) => assert!(!is_full || size < 1 << 20, "the disk is not small"),
            Err(err) => break err,
        }
    };
    assert!(
        matches!(&full, Error::File(FileError::Io { path, .. }) if path.starts_with(dir)),
        "{full:?}"
    );
    let saved = count(&load(store));
    let known = load(store).trace.seq;
    for _ in 0..5 {
        let failed = step(store, false);
        assert!(matches!(failed, Err(Error::File(FileError::Io { .. }))), "{failed:?}");
    }
    assert_eq!(count(&load(store)), saved);
    assert_eq!(store.read_trace(&id()).unwrap().last().unwrap().seq, known);
    assert_eq!(names(dir), ["ballast", "s1.json", "s1.lock", "s1.trace.jsonl"]);
    fs::remove_file(&ballast).unwrap();
    assert_eq!(step(store, false).unwrap(), saved + 1);
    let trace = store.read_trace(&id()).unwrap();
    assert_gap_free(&trace, saved + 1);
}

fn remount_and_read(store: &FileStore, dir: &Path) {
    step(store, false).unwrap();
    // Bound to itself first: a plain remount is not for a user namespace.
    for options in [&["--bind"][..], &["-o", "remount,bind,ro"]] {
        let mut mount = Command::new("mount");
        mount.args(options);
        if options == ["--bind"] {
            mount.arg(dir);
        }
        assert!(mount.arg(dir).status().unwrap().success());
    }
    let failed = step(store, false);
    assert!(
        matches!(&failed, Err(Error::File(FileError::Io { path, .. })) if path.starts_with(dir)),
        "{failed:?}"
    );
    assert_eq!(count(&load(store)), 1);
    assert_eq!(store.read_trace(&id()).unwrap().len(), 1);
    let new = Session::new("s2".parse().unwrap(), DateTime::UNIX_EPOCH);
    let failed = store.put_session(&new, &Revision::ABSENT, soon());
    assert!(matches!(failed, Err(Error::File(FileError::Io { .. }))), "{failed:?}");
}

/// Kills a process that writes without a pause, `times` over, at moments that
/// a seed decides; after each the session is one that was saved, and no older
/// than the last that the process is known to have saved.
fn kill_often(dir: &Path, max_events: u64, times: usize) {
    let seed = 0x5eed_u64 + max_events;
    println!("seed {seed:#x}");
    let mut random = Random(seed);
    let store = store(dir, max_events);
    let mut before = 0;
    for round in 0..times {
        let mut child = play("victim", dir, max_events);
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("saved") {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "round {round}: it ended by itself");
        }
        thread::sleep(Duration::from_micros(random.below(2000)));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        line += &rest;
        // The last line may be torn.
        let whole = line.rsplit_once('\n').unwrap().0;
        let told: usize = whole.rsplit_once(' ').unwrap().1.parse().unwrap();
        let saved = count(&load(&store));
        assert!(before < told && told <= saved && saved <= told + 1, "round {round}: {saved}");
        before = saved;
        let known = ["s1.json", "s1.lock", "s1.tmp", "s1.trace.jsonl"];
        assert!(names(dir).iter().all(|it| known.contains(&it.as_str())), "round {round}");
    }
    step(&store, false).unwrap();
    assert_eq!(names(dir), ["s1.json", "s1.lock", "s1.trace.jsonl"]);
}

/// Plays a part on a disk of its own, of 64 KiB. It takes a user namespace.
fn on_a_small_disk(part: &str) {
    let tmp = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=64k none \"$0\" || exit 99; exec \"$@\"";
    let mut unshare = Command::new("unshare");
    unshare.args(["-Urm", "sh", "-c", script]).arg(tmp.path()).arg(env::current_exe().unwrap());
    let output = arm(&mut unshare, part, tmp.path(), UNBOUNDED).output();
    match output {
        Ok(output) if output.status.success() => {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("1 passed"), "{said}");
        }
        Ok(output) if output.status.code() == Some(101) => {
            panic!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        other => println!("not tested here, there is no user namespace: {other:?}"),
    }
}

fn play(part: &str, dir: &Path, max_events: u64) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    arm(&mut command, part, dir, max_events)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn arm<'a>(command: &'a mut Command, part: &str, dir: &Path, max_events: u64) -> &'a mut Command {
    command
        .args(["--exact", "store_race::part", "--nocapture", "--test-threads=1"])
        .env(PART, part)
        .env(DIR, dir)
        .env(MAX_EVENTS, max_events.to_string())
}

#[track_caller]
fn finish(child: Child) {
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn wait_for_the_start() {
    stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Counts one on, in the state and in an event that says to what.
fn step(store: &FileStore, durable: bool) -> Result<usize, Error> {
    let new = || Session::new(id(), DateTime::UNIX_EPOCH);
    update(store, &id(), soon(), new, |session| {
        let next = count(session) + 1;
        session.head = Some(next.to_string());
        let prompt = next.to_string();
        session.record(&Mark::ClientPrompt { prompt }, DateTime::UNIX_EPOCH);
        if durable {
            let decision = Mark::RozDecision(DecisionTaken {
                decision: "COMPLETE",
                summary: "so it is".into(),
                has_effect: true,
                ..DecisionTaken::default()
            });
            session.record(&decision, DateTime::UNIX_EPOCH);
        }
        next
    })
}

fn count(session: &Session) -> usize {
    session.head.as_ref().map_or(0, |it| it.parse().unwrap())
}

fn labels(trace: &[TraceEvent]) -> BTreeSet<usize> {
    let label = |it: &TraceEvent| it.payload["prompt"].as_str()?.parse().ok();
    trace.iter().filter_map(label).collect()
}

#[track_caller]
fn assert_gap_free(trace: &[TraceEvent], len: usize) {
    let seqs: Vec<_> = trace.iter().map(|it| it.seq).collect();
    assert_eq!(seqs, (1..=len as u64).collect::<Vec<_>>());
}

#[track_caller]
fn load(store: &FileStore) -> Session {
    store.get_session(&id()).unwrap().unwrap().session
}

fn names(dir: &Path) -> Vec<String> {
    let name = |it: std::io::Result<fs::DirEntry>| it.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(name).collect();
    names.sort();
    names
}

fn store(dir: &Path, max_events: u64) -> FileStore {
    FileStore::new(dir.into(), max_events)
}

fn id() -> SessionId {
    "s1".parse().unwrap()
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

/// The same numbers in every run (`SplitMix64`).
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }
}
