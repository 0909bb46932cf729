//! What the store costs by itself, within one process: `cargo bench --bench
//! store`. What a whole hook costs, beside `/bin/true`, is another bench's.

#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta};
use roz::{
    core::{
        session::{Session, SessionId},
        trace::{DecisionTaken, Mark, StopAnswer},
    },
    storage::{FileStore, MessageStore, update},
};

fn main() {
    let tmp = tempfile::tempdir().expect("a temporary directory can be made");
    let store = FileStore::new(tmp.path().join("few"), 500);
    println!("{:>10} {:>10}  of one call", "median us", "worst us");
    measure("an update that changes nothing", 2000, || step(&store, "s1", None));
    measure("an update with one event", 2000, || step(&store, "s1", Some(&blocked())));
    measure("the same, beside a bound never reached", 2000, || {
        step(&FileStore::new(tmp.path().join("few"), 1 << 40), "s2", Some(&blocked()));
    });
    measure("an update with a decision, synced", 200, || step(&store, "s1", Some(&decided())));
    measure("a load", 2000, || {
        black_box(store.get_session(&id("s1")).expect("it can be read"));
    });
    measure("a trace of 500 events", 100, || {
        black_box(store.read_trace(&id("s1")).expect("it can be read"));
    });

    let store = FileStore::new(tmp.path().join("many"), 500);
    for n in 0..10_000 {
        step(&store, &format!("s{n}"), Some(&blocked()));
    }
    println!("\nbeside 10,000 sessions");
    measure("an update with one event", 2000, || step(&store, "s1", Some(&blocked())));
    measure("every session's last activity", 10, || {
        black_box(store.activity().expect("it can be read"));
    });
    measure("the newest 20", 10, || {
        black_box(store.list_sessions(20).expect("it can be read"));
    });
    measure("all of them, parsed", 5, || {
        black_box(store.list_sessions(usize::MAX).expect("it can be read"));
    });
    measure("leftovers", 10, || {
        black_box(store.leftovers().expect("it can be read"));
    });
}

fn measure(what: &str, times: usize, mut run: impl FnMut()) {
    let mut took: Vec<Duration> = (0..times)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        })
        .collect();
    took.sort();
    let micros = |it: Duration| it.as_secs_f64() * 1e6;
    println!("{:>10.1} {:>10.1}  {what}", micros(took[times / 2]), micros(took[times - 1]));
}

fn step(store: &FileStore, id: &str, mark: Option<&Mark>) {
    let until = Instant::now() + Duration::from_secs(3);
    let id = self::id(id);
    let new = || Session::new(id.clone(), DateTime::UNIX_EPOCH);
    let change = |session: &mut Session| {
        if let Some(mark) = mark {
            session.updated_at += TimeDelta::seconds(1);
            session.record(mark, session.updated_at);
        }
    };
    update(store, &id, until, new, change).expect("it can be saved");
}

fn id(id: &str) -> SessionId {
    id.parse().expect("it is made of letters and digits")
}

fn blocked() -> Mark {
    Mark::StopHookCalled(StopAnswer {
        answer: "block",
        reason: "the work was not reviewed".into(),
        stop_hook_active: false,
        block_count: 1,
        changed_since_approval: Vec::new(),
    })
}

fn decided() -> Mark {
    Mark::RozDecision(DecisionTaken {
        decision: "COMPLETE",
        summary: "fine".into(),
        by: "person".into(),
        has_effect: true,
        ..DecisionTaken::default()
    })
}
