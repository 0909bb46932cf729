//! What became of learnings: the log in roz's home, and what `roz stats` makes of
//! it.

use std::{
    fs,
    os::unix::fs::symlink,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use roz::{
    core::reflection::usage::{Entry, Event, View},
    usage_log::UsageLog,
};
use serde_json::{Value, json};

use crate::support::{MORNING, Roz, give, start};

fn log(roz: &Roz) -> UsageLog {
    UsageLog::new(&roz.kept_of_project(), &roz.project().join(".roz"), &roz.home())
}

#[track_caller]
fn add(roz: &Roz, events: impl IntoIterator<Item = (i64, Event)>) {
    let entries: Vec<Entry> =
        events.into_iter().map(|(at, event)| Entry::new(day(at), event)).collect();
    log(roz).append(&entries, Instant::now() + Duration::from_secs(5)).unwrap();
}

/// So many days before the tests' morning.
fn day(ago: i64) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(MORNING).unwrap().to_utc() - TimeDelta::days(ago)
}

fn shown(id: &str, session: &str) -> Event {
    Event::Surfaced { learning_id: id.into(), session_id: session.into(), ticket_id: None }
}

fn used(id: &str, session: &str) -> Event {
    let (learning_id, session_id) = (id.into(), session.into());
    Event::Referenced { learning_id, session_id, ticket_id: None, how: None }
}

fn skipped(ticket: &str) -> Event {
    Event::Skip {
        session_id: "s0".into(),
        ticket_id: Some(ticket.into()),
        tickets: Vec::new(),
        reason: "small".into(),
        decider: "agent".into(),
        lines_changed: Some(3),
    }
}

fn reflected(ticket: &str, learning: &str) -> Event {
    Event::Reflection {
        session_id: "s1".into(),
        ticket_id: Some(ticket.into()),
        tickets: Vec::new(),
        candidates: 3,
        accepted: 1,
        learnings: vec![learning.into()],
        categories: [("pitfall".to_owned(), 1)].into(),
        criteria: [("stable_fact".to_owned(), 1)].into(),
    }
}

fn kinds(stats: &Value) -> Vec<&str> {
    let insights = stats["reflection"]["insights"].as_array().unwrap();
    insights.iter().map(|it| it["kind"].as_str().unwrap()).collect()
}

#[test]
fn stats_tell_what_became_of_learnings() {
    let roz = Roz::new();
    add(&roz, [(20, skipped("t1")), (10, reflected("t1", "cl_1"))]);
    for session in 0..12 {
        add(&roz, [(9, shown("cl_1", &format!("s{session}")))]);
    }
    add(&roz, [(8, used("cl_1", "s0"))]);
    let stats = roz.json(&["stats"]);
    let reflection = &stats["reflection"];
    assert_eq!(reflection["totals"]["surfaced"], 12);
    assert_eq!(reflection["reflections"]["candidates"], 3);
    assert_eq!(reflection["skips_by_decider"], json!({ "agent": 1 }));
    assert_eq!(reflection["skip_misses"], json!(["t1"]));
    assert_eq!(kinds(&stats), ["SkipMiss", "OverSurfaced"]);
    for insight in reflection["insights"].as_array().unwrap() {
        assert!(insight["message"].is_string() && insight["recommendation"].is_string());
    }
    let text = roz.run(&["stats"]).succeeds().stdout;
    for word in ["shown 12, used 1 (8 %)", "SkipMiss", "`t1`", "agent 1"] {
        assert!(text.contains(word), "`{word}` is not in {text}");
    }
}

/// It was searched for by those whom it helped.
#[test]
fn what_it_was_not_shown_to_is_no_share_of_the_times_that_it_was_shown() {
    let roz = Roz::new();
    for session in 0..9 {
        add(&roz, [(9, shown("cl_1", &format!("s{session}")))]);
        add(&roz, [(8, used("cl_1", &format!("other{session}")))]);
    }
    let totals = roz.json(&["stats"])["reflection"]["totals"].clone();
    let figures = ["surfaced", "referenced", "hits", "hit_rate"].map(|it| &totals[it]);
    assert_eq!(figures, [&json!(9), &json!(9), &json!(0), &json!(0.0)]);
    let text = roz.run(&["stats"]).succeeds().stdout;
    assert!(text.contains("shown 9, used 0 (0 %)"), "{text}");
    assert!(text.contains("Used without having been shown: 9."), "{text}");
    assert!(text.contains("OverSurfaced"), "{text}");
}

#[test]
fn stats_of_a_project_without_a_log_say_nothing_of_learnings() {
    let roz = Roz::new();
    let stats = roz.json(&["stats"]);
    assert_eq!(stats["reflection"]["insights"], json!([]));
    assert_eq!(stats["reflection"]["totals"]["hit_rate"], Value::Null);
    assert!(!roz.run(&["stats"]).succeeds().stdout.contains("earning"));
    assert!(!roz.project().join(".roz").exists());
}

#[test]
fn the_log_of_the_public_peer_is_read_where_it_lies() {
    let roz = Roz::new();
    fs::create_dir(roz.project().join(".grove")).unwrap();
    let line = r#"{"v":1,"ts":"2026-01-01T00:00:00Z","grove_version":"0.10.0","event":"surfaced","learning_id":"cl_1","session_id":"s"}"#;
    roz.write(".grove/learnings.md", "# Learnings\n");
    roz.write(".grove/stats.log", &format!("{line}\n{{ broken\n"));
    let stats = roz.json(&["stats"]);
    assert_eq!(stats["reflection"]["totals"]["surfaced"], 1);
    assert_eq!(stats["reflection"]["log"]["broken"], 1);
    assert!(
        roz.run(&["stats"]).succeeds().stdout.contains("Lines of the log that cannot be read: 1.")
    );
}

#[test]
fn a_log_that_is_none_is_named_and_the_rest_is_told() {
    let roz = Roz::new();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    symlink("/etc/hostname", roz.project().join(".roz/stats.log")).unwrap();
    let ran = roz.run(&["stats"]);
    assert!(ran.stdout.contains("No reviews in the last"), "{ran:?}");
    let said = ran.fails();
    assert!(said.contains("failed to read the log of learnings"), "{said}");
    assert!(said.contains(".roz/stats.log` is a symbolic link"), "{said}");
}

#[test]
fn what_others_wrote_into_the_log_drives_no_terminal() {
    let roz = Roz::new();
    let evil = "\u{1b}[2J\u{1b}]0;x\u{7}";
    add(&roz, [(20, skipped(evil)), (10, reflected(evil, evil))]);
    for session in 0..5 {
        add(&roz, [(9, shown(evil, &format!("s{session}")))]);
    }
    let text = roz.run(&["stats"]).succeeds().stdout;
    assert!(text.contains("SkipMiss") && text.contains("OverSurfaced"), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
}

#[test]
fn the_help_lists_every_insight_with_its_trigger() {
    let help = Roz::new().run(&["stats", "--help"]).succeeds().stdout;
    for row in roz::core::reflection::usage_insights::TABLE {
        let line = help.lines().find(|it| it.trim_start().starts_with(row.kind));
        assert!(line.is_some(), "{:?} is not in {help}", row.kind);
    }
    assert!(help.contains("helped less than 30 % of them"), "{help}");
}

#[test]
fn how_long_learnings_stay_is_the_projects_to_say() {
    let roz = Roz::with_config("decay.passive_duration_days = 30");
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/config.toml", "[decay]\nimmunity_hit_rate = 1\nmin_dismissals = 0\n");
    let config = roz.json(&["config", "show"]);
    let decay =
        json!({ "passive_duration_days": 30, "immunity_hit_rate": 1.0, "min_dismissals": 0 });
    assert_eq!(config["config"]["decay"], decay);
    roz.write(".roz/config.toml", "[decay]\nimmunity_hit_rate = 1.5\n");
    let said = roz.run(&["config", "check"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("a number from 0 to 1"), "{said:?}");
}

/// Real processes, all with something to say.
#[test]
fn twenty_processes_write_the_log_at_once_and_all_is_kept() {
    let roz = Roz::new().in_real_time();
    let children: Vec<_> = (0..20)
        .map(|n| {
            let candidate = json!({
                "category": "pitfall",
                "summary": format!("tests/case_{n}.rs needs port {} free, else bind() fails", 4000 + n),
                "detail": format!("case_{n} starts server_{n}; run `fuser -k {}/tcp` first.", 4000 + n),
                "tags": ["tests"],
                "criteria_met": ["behavior_changing"],
            });
            // And one that is rejected: two lines in one write.
            let input = json!({ "candidates": [candidate, { "summary": "short" }] }).to_string();
            let session = format!("p{n}");
            let mut child = start(&mut roz.command(&["reflect", "--session-id", &session]));
            give(&mut child, input.as_bytes());
            child
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    let view = read(&roz);
    assert_eq!((view.reflections, view.accepted, view.rejected.len()), (20, 20, 20));
    assert_eq!((view.entries, view.broken), (40, 0));
}

/// What is kept says what the log says.
#[track_caller]
fn read(roz: &Roz) -> View {
    let view = log(roz).read().unwrap();
    assert_eq!(view, log(roz).rebuild().unwrap());
    view
}
