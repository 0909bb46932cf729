//! What the log of learnings costs: `cargo bench --bench usage`. 50 MB of it are
//! some ten years of a busy project.

#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::{
    fs,
    hint::black_box,
    io::Write as _,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta};
use roz::{
    core::{
        policy::DecayPolicy,
        reflection::{
            learning::{Category, Confidence, Learning, Scope, Status},
            usage::{Entry, Event, Report, View},
            usage_insights,
        },
    },
    usage_log::UsageLog,
};

fn main() {
    println!("{:>8} {:>9} {:>10} {:>10} {:>10}", "MB", "events", "ms", "ms kept", "ms one");
    for megabytes in [1, 10, 50] {
        measure(megabytes);
    }
    let view = View::default();
    let learnings: Vec<Learning> = (0..10_000).map(learning).collect();
    let (policy, now) = (DecayPolicy::default(), DateTime::UNIX_EPOCH);
    let report = took(|| {
        let report = Report::new(&view, &learnings, &policy, now);
        usage_insights::draw(&report).len() as u64
    });
    println!("\na report over 10,000 learnings, ms: {:.1}", report.as_secs_f64() * 1000.0);
    println!("peak memory, kB: {}", peak_memory());
}

/// From the first line on, with the view that was kept, and an append.
fn measure(megabytes: usize) {
    let tmp = tempfile::tempdir().expect("a temporary directory can be made");
    let log = UsageLog::new(tmp.path(), &tmp.path().join("older"), &tmp.path().join("home"));
    let mut file = fs::File::create(log.path()).expect("it can be made");
    let mut written = 0;
    let mut number = 0;
    while written < megabytes << 20 {
        let mut line = serde_json::to_vec(&entry(number)).expect("it is JSON");
        line.push(b'\n');
        file.write_all(&line).expect("it can be written");
        written += line.len();
        number += 1;
    }
    let whole = took(|| black_box(log.rebuild().expect("it can be read")).entries);
    let again = took(|| black_box(log.read().expect("it can be read")).entries);
    let until = Instant::now() + Duration::from_secs(1);
    let one = took(|| log.append(&[entry(number)], until).map_or(0, |()| 1));
    let ms = |it: Duration| it.as_secs_f64() * 1000.0;
    println!(
        "{megabytes:>8} {number:>9} {:>10.1} {:>10.1} {:>10.2}",
        ms(whole),
        ms(again),
        ms(one)
    );
}

/// A session is shown five of 500 learnings, and refers to one.
fn entry(number: i64) -> Entry {
    let at = DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::seconds(number * 300);
    let session = number / 10;
    let learning_id = format!("cl_20260102_{:06}", (session * 5 + number % 5) % 500);
    let session_id = format!("{session:08x}-0000-4000-8000-000000000000");
    let event = match number % 10 {
        0..5 => Event::Surfaced { learning_id, session_id, ticket_id: None },
        5 => Event::Referenced { learning_id, session_id, ticket_id: None, how: None },
        _ => Event::Dismissed { learning_id, session_id },
    };
    Entry::new(at, event)
}

/// They share some words with all, some with many, some with nobody.
fn learning(number: i64) -> Learning {
    Learning {
        id: format!("cl_20260102_{number:06}"),
        category: Category::ALL[usize::try_from(number % 7).unwrap_or(0)],
        summary: format!(
            "Module {} wants thing{} done before step{number}",
            number % 40,
            number % 900
        ),
        detail: "What there is to say about it.".to_owned(),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        status: Status::Active,
        criteria: Vec::new(),
        tags: vec!["rust".to_owned(), format!("area{}", number % 30)],
        context_files: Vec::new(),
        relevance: None,
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at: DateTime::UNIX_EPOCH + TimeDelta::days(20_000) + TimeDelta::hours(number),
        roz_version: None,
    }
}

fn took(run: impl FnOnce() -> u64) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}

fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("VmHWM:"));
    line.unwrap_or("unknown").trim().trim_end_matches(" kB").to_owned()
}
