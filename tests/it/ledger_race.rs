//! The ledger under many processes, under `kill -9`, and on a full disk. The
//! processes are this test binary itself, started again with a part to play.
//!
//! `ROZ_TEST_FULL=1` for 1,000 records a process.

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
    core::intent::{
        changed_lines::Changed,
        ledger::{Call, Change, FileDetails, Record},
    },
    ledger::{Appended, Ledger},
    storage::FileError,
};

const PART: &str = "ROZ_LEDGER_PART";
const DIR: &str = "ROZ_LEDGER_DIR";
const NUMBER: &str = "ROZ_LEDGER_NUMBER";

fn each_writes() -> u64 {
    if env::var_os("ROZ_TEST_FULL").is_some() { 1000 } else { 60 }
}

#[test]
fn sixteen_processes_lose_nothing_and_break_no_chain() {
    let tmp = scene();
    let mut children: Vec<Child> =
        (0..16).map(|number| play("writer", tmp.path(), number)).collect();
    // They stand in line for the end of their input.
    for child in &mut children {
        drop(child.stdin.take());
    }
    let start = Instant::now();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
    let records = 16 * each_writes();
    println!("{records} records in {:?}", start.elapsed());
    is_whole(tmp.path(), records);
    let expected: BTreeSet<String> =
        (0..16).flat_map(|it| (0..each_writes()).map(move |n| path(it, n))).collect();
    assert_eq!(paths(tmp.path()), expected);
}

#[test]
fn kills_lose_nothing_that_was_written_and_break_no_chain() {
    let tmp = scene();
    let mut told = 0;
    for round in 0..60_u64 {
        let mut child = play("victim", tmp.path(), round);
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut said = String::new();
        // The harness has begun the first line.
        while !said.contains("saved") {
            assert!(output.read_line(&mut said).unwrap() > 0, "round {round}: it ended by itself");
        }
        // At one moment or another, the same ones every time.
        thread::sleep(Duration::from_micros(round * 7919 % 1500));
        child.kill().unwrap();
        child.wait().unwrap();
        output.read_to_string(&mut said).unwrap();
        told += said.matches("saved\n").count() as u64;
        let checked = ledger(tmp.path()).verify(soon()).unwrap();
        assert_eq!(checked.problems, [], "round {round}");
        let records = checked.records;
        // A record may be there of which its writer could not tell any more.
        assert!((told..=told + 1).contains(&records), "round {round}: {told} told, {records}");
        told = records;
    }
    // The last one may have been killed at its line: then this one vouches for it.
    append(&ledger(tmp.path()), "s0", "end").unwrap();
    let verdict = ledger(tmp.path()).verify(soon()).unwrap();
    // A kernel may end a write between two pages: such a line is told, and is nobody's record.
    assert_eq!((verdict.problems, verdict.records), (vec![], told + 1));
    assert!(verdict.torn.len() <= 60 && verdict.unanchored.is_empty());
}

#[test]
fn a_full_disk_is_an_error_and_loses_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o size=256k none \"$0\" || exit 99; exec \"$@\"";
    let mut unshare = Command::new("unshare");
    unshare.args(["-Urm", "sh", "-c", script]).arg(tmp.path()).arg(env::current_exe().unwrap());
    match arm(&mut unshare, "filler", tmp.path(), 0).output() {
        Ok(output) if output.status.success() => {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(said.contains("1 passed"), "{said}");
        }
        Ok(output) if output.status.code() == Some(101) => {
            let said = [output.stdout, output.stderr].concat();
            panic!("{}", String::from_utf8_lossy(&said));
        }
        other => println!("not tested here, there is no user namespace: {other:?}"),
    }
}

/// Does nothing unless a test above started this process.
#[test]
fn part() {
    let Ok(part) = env::var(PART) else { return };
    let dir = PathBuf::from(env::var(DIR).unwrap());
    let number: u64 = env::var(NUMBER).unwrap().parse().unwrap();
    match part.as_str() {
        "writer" => {
            stdin().read_to_end(&mut Vec::new()).unwrap();
            let ledger = ledger(&dir);
            for n in 0..each_writes() {
                append(&ledger, &format!("s{}", number % 5), &path(number, n)).unwrap();
            }
        }
        "victim" => {
            let ledger = ledger(&dir);
            for n in 0.. {
                append(&ledger, &format!("s{}", number % 3), &path(number, n)).unwrap();
                // The parent is gone, or has killed us.
                println!("saved");
            }
        }
        "filler" => fill(&dir),
        other => panic!("there is no part `{other}`"),
    }
}

/// Down to the last byte, so that every write of an append fails once.
fn fill(dir: &Path) {
    prepare(dir);
    let ledger = ledger(dir);
    let mut written = 0;
    let ballast = dir.join("ballast");
    let reserve = dir.join("reserve");
    fs::write(&reserve, vec![b'x'; 64 << 10]).unwrap();
    let mut size = 0;
    let mut failed = 0;
    while failed < 200 {
        size += 384;
        let is_full = fs::write(&ballast, vec![b'x'; size]).is_err();
        // Now of a session that is known, now of a new one.
        match append(&ledger, &format!("s{}", size % 7), &"long/".repeat(size % 400)) {
            Ok(_) => written += 1,
            Err(FileError::Io { path, .. }) => {
                assert!(path.starts_with(dir), "{}", path.display());
                failed += 1;
            }
            Err(err) => panic!("{err}"),
        }
        assert!(!is_full || size < 1 << 20, "the disk is not small");
        let verdict = ledger.verify(soon()).unwrap();
        assert_eq!((verdict.problems, verdict.records), (vec![], written));
    }
    assert!(written > 0);
    fs::remove_file(&ballast).unwrap();
    fs::remove_file(&reserve).unwrap();
    for session in 0..7 {
        append(&ledger, &format!("s{session}"), "after").unwrap();
    }
    is_whole(dir, written + 7);
}

fn scene() -> tempfile::TempDir {
    let tmp = tempfile::tempdir().unwrap();
    prepare(tmp.path());
    tmp
}

fn prepare(dir: &Path) {
    fs::create_dir_all(dir.join("project/.orchestration")).unwrap();
}

fn ledger(dir: &Path) -> Ledger {
    Ledger::new(&dir.join("project"), &dir.join("home"))
}

fn soon() -> Instant {
    Instant::now() + Duration::from_mins(1)
}

fn path(process: u64, number: u64) -> String {
    format!("src/{process}/{number}.rs")
}

fn append(ledger: &Ledger, session: &str, path: &str) -> Result<Appended, FileError> {
    let call = Call {
        now: DateTime::UNIX_EPOCH,
        dice: &[1; 32],
        session_id: &session.parse().unwrap(),
        agent_id: None,
        model: None,
        intent_id: Some("INT-001"),
        revision: None,
        tool_name: "Write",
        tool_use_id: Some(path),
    };
    let file = FileDetails {
        path: path.to_owned(),
        changed: Changed::between(None, Some(b"a\n")),
        mutation_class: None,
        evidence: None,
    };
    let change = Change { files: vec![file], ..Change::default() };
    ledger.append(Record::of_change(&call, change), soon())
}

fn paths(dir: &Path) -> BTreeSet<String> {
    let mut paths = BTreeSet::new();
    let read = |_: u64, line: &[u8]| {
        let record = Record::read(line).expect("it is a record");
        assert!(paths.insert(record.files[0].path.clone()), "it is there twice");
    };
    ledger(dir).each_line(read).unwrap();
    paths
}

#[track_caller]
fn is_whole(dir: &Path, records: u64) {
    let verdict = ledger(dir).verify(soon()).unwrap();
    assert_eq!((verdict.problems, verdict.torn, verdict.records), (vec![], vec![], records));
    assert!(verdict.unanchored.is_empty());
}

fn play(part: &str, dir: &Path, number: u64) -> Child {
    let mut command = Command::new(env::current_exe().unwrap());
    arm(&mut command, part, dir, number)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn arm<'a>(command: &'a mut Command, part: &str, dir: &Path, number: u64) -> &'a mut Command {
    command
        .args(["--exact", "ledger_race::part", "--nocapture", "--test-threads=1"])
        .env(PART, part)
        .env(DIR, dir)
        .env(NUMBER, number.to_string())
}
