//! What the ledger costs: `cargo bench --bench ledger`. A record costs the same
//! however many there are; checking costs a second or two for 500,000.

#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::{
    collections::HashMap,
    fs,
    hint::black_box,
    io::{BufWriter, Write as _},
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta};
use roz::{
    core::{
        bounded,
        intent::{
            changed_lines::Changed,
            ledger::{Call, Change, FileDetails, MutationClass, Record},
        },
    },
    ledger::Ledger,
};

fn main() {
    println!(
        "{:>9} {:>6} {:>11} {:>11} {:>10}",
        "records", "MB", "µs append", "µs new one", "ms verify"
    );
    for records in [0, 1_000, 50_000, 500_000] {
        measure(records);
    }
    ranges();
}

fn measure(records: u64) {
    let tmp = tempfile::tempdir().expect("a temporary directory can be made");
    let project = tmp.path().join("project");
    fs::create_dir_all(project.join(".orchestration")).expect("it can be made");
    let ledger = Ledger::new(&project, &tmp.path().join("home"));
    write(&ledger, records);
    let until = Instant::now() + Duration::from_hours(1);
    let append = |session: &str, number: u64| {
        let start = Instant::now();
        ledger.append(record(session, number), until).expect("it can be written");
        start.elapsed()
    };
    append("known", 0);
    let mut known: Vec<Duration> = (1..400).map(|it| append("known", it)).collect();
    let mut new: Vec<Duration> = (0..50).map(|it| append(&format!("new-{it}"), 0)).collect();
    let start = Instant::now();
    let checked = ledger.verify(until).expect("it can be read");
    let verify = start.elapsed();
    assert!(checked.problems.is_empty() && checked.records == records + 450);
    let megabytes = fs::metadata(ledger.path()).map_or(0, |it| it.len()) >> 20;
    println!(
        "{records:>9} {megabytes:>6} {:>11.0} {:>11.0} {:>10.0}",
        median(&mut known) * 1e6,
        median(&mut new) * 1e6,
        verify.as_secs_f64() * 1e3
    );
}

/// As `append` would, 500 a session.
fn write(ledger: &Ledger, records: u64) {
    let file = fs::File::create(ledger.path()).expect("it can be made");
    let mut file = BufWriter::new(file);
    let mut last: HashMap<u64, String> = HashMap::new();
    for number in 0..records {
        let session = number % (records / 500).max(1);
        let mut record = record(&format!("{session:08x}-0000-4000-8000-000000000000"), number);
        record.follow(number / (records / 500).max(1) + 1, last.remove(&session));
        let mut line = serde_json::to_vec(&record).expect("it is JSON");
        last.insert(session, bounded::sha256(&line));
        line.push(b'\n');
        file.write_all(&line).expect("it can be written");
    }
}

fn record(session: &str, number: u64) -> Record {
    let mut dice = [7; 32];
    dice[8..16].copy_from_slice(&number.to_le_bytes());
    let call = Call {
        now: DateTime::UNIX_EPOCH + TimeDelta::days(20_000),
        dice: &dice,
        session_id: &session.parse().expect("it is an id"),
        agent_id: None,
        model: Some("anthropic/claude-opus-4-5-20251101"),
        intent_id: Some("INT-001"),
        revision: Some("a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6e7f8a9b0"),
        tool_name: "Edit",
        tool_use_id: Some("toolu_01ABCDEFGHIJKLMNOPQRSTUV"),
    };
    let file = FileDetails {
        path: format!("src/module_{}/file.rs", number % 100),
        changed: Changed::between(Some(b"a\nb\nc\n"), Some(b"a\nB\nc\nd\n")),
        mutation_class: Some(MutationClass::IntentEvolution),
        evidence: None,
    };
    Record::of_change(&call, Change { files: vec![file], ..Change::default() })
}

/// What a write hook pays for a file's ranges.
fn ranges() {
    println!("\n{:>9} {:>14} {:>14}", "lines", "µs one line", "µs all lines");
    for lines in [250, 5_000, 100_000] {
        let text = |salt: usize| -> String {
            let line = |it| format!("    let name_{} = {};", it % 97, it + salt);
            (0..lines).map(line).collect::<Vec<_>>().join("\n")
        };
        let before = text(0);
        let one = before.replacen("= 100;", "= 1;", 1);
        let all = text(7_919_000);
        let cost = |after: &str| {
            let took = |()| {
                let start = Instant::now();
                black_box(Changed::between(Some(before.as_bytes()), Some(after.as_bytes())));
                start.elapsed()
            };
            let mut times: Vec<Duration> = [(); 9].map(took).into();
            median(&mut times) * 1e6
        };
        println!("{lines:>9} {:>14.0} {:>14.0}", cost(&one), cost(&all));
    }
}

fn median(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64()
}
