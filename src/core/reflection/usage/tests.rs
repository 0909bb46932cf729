use chrono::TimeDelta;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::core::{
    policy::DecayPolicy,
    reflection::learning::{Category, Confidence, Learning, Scope, Status},
};

fn day(number: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000 + number)
}

fn shown(id: &str, session: &str) -> Event {
    Event::Surfaced { learning_id: id.into(), session_id: session.into(), ticket_id: None }
}

fn used(id: &str, session: &str, ticket: Option<&str>) -> Event {
    Event::Referenced {
        learning_id: id.into(),
        session_id: session.into(),
        ticket_id: ticket.map(str::to_owned),
        how: None,
    }
}

fn opened(id: &str, session: &str) -> Event {
    Event::Opened { learning_id: id.into(), session_id: session.into() }
}

fn dismissed(id: &str, session: &str) -> Event {
    Event::Dismissed { learning_id: id.into(), session_id: session.into() }
}

fn rejected(summary: &str, session: &str, stage: &str, reason: &str) -> Event {
    Event::Rejected {
        session_id: session.into(),
        summary: summary.into(),
        tags: Vec::new(),
        stage: stage.into(),
        reason: reason.into(),
    }
}

fn reflection(ticket: Option<&str>, learnings: &[&str], category: &str) -> Event {
    let accepted = u32::try_from(learnings.len()).unwrap();
    Event::Reflection {
        session_id: "s".into(),
        ticket_id: ticket.map(str::to_owned),
        tickets: Vec::new(),
        candidates: accepted,
        accepted,
        learnings: learnings.iter().map(|learning| (*learning).to_owned()).collect(),
        categories: [(category.to_owned(), accepted)].into(),
        criteria: BTreeMap::new(),
    }
}

fn skip(ticket: &str) -> Event {
    Event::Skip {
        session_id: "s".into(),
        ticket_id: Some(ticket.into()),
        tickets: Vec::new(),
        reason: "small".into(),
        decider: "agent".into(),
        lines_changed: Some(3),
    }
}

/// The same, of several tickets.
fn of(all: &[&str], mut event: Event) -> Event {
    if let Event::Skip { tickets, .. } | Event::Reflection { tickets, .. } = &mut event {
        *tickets = all.iter().map(|text| (*text).to_owned()).collect();
    }
    event
}

fn view(events: &[(i64, Event)]) -> View {
    let mut view = View::default();
    for (at, event) in events {
        view.add(&Entry::new(day(*at), event.clone()));
    }
    view
}

fn learning(id: &str, category: Category, at: i64, summary: &str) -> Learning {
    Learning {
        id: id.into(),
        category,
        summary: summary.into(),
        detail: "What there is to say about it, at some length.".into(),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        status: Status::Active,
        criteria: Vec::new(),
        tags: Vec::new(),
        context_files: Vec::new(),
        relevance: None,
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at: day(at),
        roz_version: None,
    }
}

fn report<'a>(view: &'a View, learnings: &'a [Learning]) -> Report<'a> {
    Report::new(view, learnings, &DecayPolicy::default(), day(100))
}

// Lines.

#[test]
fn every_event_is_read_as_it_was_written() {
    let events = [
        shown("a", "s1"),
        used("a", "s1", Some("t1")),
        opened("a", "s1"),
        dismissed("a", "s1"),
        Event::Corrected { learning_id: "a".into(), superseded_by: "b".into() },
        reflection(Some("t1"), &["a", "b"], "pitfall"),
        skip("t1"),
        of(&["t1", "t2"], skip("t1")),
        of(&["t1", "t2"], reflection(Some("t1"), &["a"], "pitfall")),
        Event::Archived { learning_id: "a".into(), reason: "unused".into() },
        Event::Restored { learning_id: "a".into() },
        rejected("a \"quoted\" é summary\n", "s1", "schema", "too short"),
        Event::Rated { learning_id: "a".into(), useful: false },
    ];
    for event in events {
        let entry = Entry::new(day(1) + TimeDelta::nanoseconds(123_456_789), event);
        let line = serde_json::to_vec(&entry).unwrap();
        assert_eq!(Entry::read(&line), Some(entry), "{}", String::from_utf8_lossy(&line));
    }
}

/// Its own fields, and others' names for ours.
#[test]
fn lines_of_the_public_peer_are_read() {
    let stamp = |mut value: serde_json::Value| {
        value["v"] = json!(1);
        value["ts"] = json!("2026-01-02T03:04:05.123Z");
        value["grove_version"] = json!("0.10.0");
        Entry::read(value.to_string().as_bytes()).map(|entry| entry.event)
    };
    let shown = stamp(json!({ "event": "surfaced", "learning_id": "cl_1", "session_id": "s" }));
    assert_eq!(shown, Some(super::tests::shown("cl_1", "s")));
    let implied = stamp(
        json!({ "event": "implicitly_referenced", "learning_id": "cl_1", "session_id": "s" }),
    );
    assert_eq!(implied, Some(opened("cl_1", "s")), "somebody had read it");
    assert_eq!(stamp(json!({ "event": "retroflect", "sessions": ["x"] })), Some(Event::Other));
    let Some(Event::Reflection { candidates, accepted, .. }) = stamp(json!({
        "event": "reflection", "session_id": "s", "candidates_produced": 3, "candidates_accepted": 1,
    })) else {
        panic!()
    };
    assert_eq!((candidates, accepted), (3, 1));
    let Some(Event::Skip { lines_changed, ticket_id, .. }) = stamp(json!({
        "event": "skip", "session_id": "s", "ticket_id": null, "decider": "auto",
        "lines_changed": 4, "reason": "small",
    })) else {
        panic!()
    };
    assert_eq!((lines_changed, ticket_id), (Some(4), None));
}

#[test]
fn what_is_no_entry_is_counted_and_hides_nothing() {
    let mut view = View::default();
    let good = serde_json::to_string(&Entry::new(day(1), shown("a", "s"))).unwrap();
    let no_time = r#"{"event":"surfaced","learning_id":"a"}"#;
    let no_subject = r#"{"ts":"2026-01-02T03:04:05Z","event":"surfaced"}"#;
    for line in ["", "  ", "{", &good[..30], "<<<<<<< HEAD", "[]", "7", no_time, no_subject, &good]
    {
        view.add_line(line.as_bytes());
    }
    view.add_line(b"\xff\xfe");
    assert_eq!((view.entries, view.broken), (1, 8));
    assert_eq!(view.tally("a").surfaced, 1);
}

proptest! {
    #[test]
    fn no_bytes_are_too_odd(bytes: Vec<u8>) {
        View::default().add_line(&bytes);
    }

    /// Any type in any field, any time.
    #[test]
    fn no_fields_are_too_odd(
        event in "surfaced|opened|referenced|dismissed|corrected|reflection|skip|archived|restored|rejected|rated",
        year in -9999_i32..=9999, name in "learning_id|summary|accepted|criteria|useful|tags|lines_changed",
        value in "-1|1e300|18446744073709551616|null|true|\"x\"|\\[1,\"a\",\\[\\]\\]|\\{\"a\":-3,\"b\":\\{\\}\\}",
    ) {
        let mut view = View::default();
        let line = format!(
            r#"{{"ts":"{year:05}-02-03T04:05:06Z","event":"{event}","id":"a","{name}":{value}}}"#
        );
        view.add_line(line.as_bytes());
        view.add_line(format!(r#"{{"ts":"+262142-01-01T00:00:00Z","event":"{event}","id":"a"}}"#).as_bytes());
        view.add_line(format!(r#"{{"ts":"-262143-01-01T00:00:00Z","event":"{event}","id":"a"}}"#).as_bytes());
        report(&view, &[learning("a", Category::Pitfall, 0, "Something about nothing")]);
    }

    /// A union merge puts one branch's lines behind the other's and may repeat
    /// some; a kept view grows by what is new.
    #[test]
    fn neither_order_nor_repetition_matters(
        picks in proptest::collection::vec((0_usize..9, 0_i64..5, 0_usize..3), 0..40), split: usize,
    ) {
        let events: Vec<_> = picks.iter().map(|(what, at, session)| {
            let session = ["s1", "s2", ""][*session];
            (*at, match what {
                0 => shown("a", session),
                1 => used("a", session, Some("t1")),
                2 => dismissed("a", session),
                3 => shown("b", session),
                4 => dismissed("b", session),
                5 => skip("t1"),
                6 => reflection(Some("t1"), &["a"], "pitfall"),
                7 => Event::Restored { learning_id: "a".into() },
                _ => Event::Rated { learning_id: "b".into(), useful: true },
            })
        }).collect();
        let summed = |events: &[(i64, Event)]| {
            let view = view(events);
            let skips: Vec<String> = view.skip_misses().into_iter().map(str::to_owned).collect();
            (view.tallies(), skips, view.reflections, view.skips_by_decider)
        };
        let straight = summed(&events);
        let (one, other) = events.split_at(split.checked_rem(events.len()).unwrap_or(0));
        prop_assert_eq!(&summed(&[other, one].concat()), &straight);
        prop_assert_eq!(&summed(&[&events, one].concat()), &straight);

        let mut kept: View = serde_json::from_value(json!(view(one))).unwrap();
        for (at, event) in other {
            kept.add(&Entry::new(day(*at), event.clone()));
        }
        prop_assert_eq!(kept, view(&events));
    }
}

// Tallies.

#[test]
fn shown_again_after_a_compaction_is_shown_once() {
    let view = view(&[
        (0, shown("a", "s1")),
        (1, shown("a", "s1")),
        (2, shown("a", "s2")),
        (3, used("a", "s2", None)),
        (4, used("a", "s2", None)),
    ]);
    let tally = view.tally("a");
    assert_eq!((tally.surfaced, tally.referenced, tally.hit_rate()), (2, 1, Some(0.5)));
    assert_eq!((tally.last_surfaced, tally.last_used), (Some(day(2)), Some(day(4))));
}

#[test]
fn a_session_that_ends_twice_dismisses_once_and_not_what_it_used() {
    let view = view(&[
        (0, shown("a", "s1")),
        (1, dismissed("a", "s1")),
        (2, dismissed("a", "s1")),
        (0, shown("b", "s1")),
        (1, dismissed("b", "s1")),
        (2, used("b", "s1", None)),
    ]);
    assert_eq!((view.tally("a").dismissed, view.tally("b").dismissed), (1, 0));
}

#[test]
fn without_a_session_every_time_counts() {
    let view = view(&[(0, shown("a", "")), (1, shown("a", "")), (1, shown("a", ""))]);
    assert_eq!(view.tally("a").surfaced, 2);
}

#[test]
fn a_hit_rate_is_never_above_one_and_never_nothing_by_nothing() {
    let found_by_search =
        view(&[(0, shown("a", "s1")), (0, used("a", "s1", None)), (1, used("a", "s2", None))]);
    assert_eq!(found_by_search.tally("a").hit_rate(), Some(1.0));
    assert_eq!(view(&[(1, used("a", "s2", None))]).tally("a").hit_rate(), None);
    assert_eq!(View::default().tally("nobody"), Tally::default());
}

#[test]
fn what_was_opened_is_used_and_a_session_counts_once() {
    let all = [(0, shown("a", "s1")), (0, opened("a", "s1")), (1, used("a", "s1", None))];
    let tally = view(&all).tally("a");
    assert_eq!((tally.opened, tally.referenced, tally.used, tally.hits), (1, 1, 1, 1));
    let only_opened = view(&[(0, shown("a", "s1")), (2, opened("a", "s1"))]).tally("a");
    assert_eq!((only_opened.hit_rate(), only_opened.last_used), (Some(1.0), Some(day(2))));
    let elsewhere = view(&[(0, shown("a", "s2")), (0, opened("a", "s1"))]).tally("a");
    assert_eq!((elsewhere.hit_rate(), elsewhere.found()), (Some(0.0), 1));
    let dismissed =
        view(&[(0, shown("a", "s1")), (0, opened("a", "s1")), (1, dismissed("a", "s1"))]);
    assert_eq!(dismissed.tally("a").dismissed, 0);
}

/// Nine sessions that found it by a search say nothing of the ten that were
/// shown it.
#[test]
fn a_reference_counts_for_the_rate_only_where_it_was_shown() {
    let mut events = Vec::new();
    for session in 0..10 {
        events.push((0, shown("a", &format!("s{session}"))));
        events.push((1, dismissed("a", &format!("s{session}"))));
        events.push((2, used("a", &format!("other{session}"), None)));
    }
    let tally = view(&events).tally("a");
    assert_eq!((tally.surfaced, tally.referenced, tally.hits), (10, 10, 0));
    assert_eq!((tally.hit_rate(), tally.found()), (Some(0.0), 10));
    assert_eq!(tally.last_used, Some(day(2)), "which keeps it from decay by its date");
    // The lines of a branch may come before those that they answer.
    events.push((3, used("a", "s1", None)));
    events.reverse();
    let tally = view(&events).tally("a");
    assert_eq!((tally.dismissed, tally.hits, tally.hit_rate()), (9, 1, Some(0.1)));
    let totals = report(&view(&events), &[]).totals;
    assert_eq!((totals.referenced, totals.hits, totals.hit_rate), (11, 1, Some(0.1)));
}

#[test]
fn what_was_shown_before_a_restoration_is_forgiven() {
    let events = [
        (0, shown("a", "s1")),
        (1, shown("a", "s2")),
        (2, Event::Archived { learning_id: "a".into(), reason: "unused".into() }),
        (3, Event::Restored { learning_id: "a".into() }),
        (4, shown("a", "s3")),
    ];
    let tally = view(&events).tally("a");
    assert_eq!((tally.surfaced, tally.forgiven, tally.restored), (3, 2, Some(day(3))));
}

// What it says together with the learnings.

#[test]
fn hit_rates_are_told_by_category() {
    let view = view(&[
        (0, shown("a", "s1")),
        (0, used("a", "s1", None)),
        (0, shown("b", "s1")),
        (0, shown("c", "s1")),
        (0, reflection(None, &["c"], "debugging")),
    ]);
    let learnings =
        [learning("a", Category::Pitfall, 0, "One"), learning("b", Category::Pitfall, 0, "Two")];
    let report = report(&view, &learnings);
    assert_eq!(report.categories[&Category::Pitfall].hit_rate, Some(0.5));
    assert_eq!((report.totals.surfaced, report.totals.hit_rate), (3, Some(1.0 / 3.0)));
}

#[test]
fn a_use_in_another_ticket_is_told_from_one_in_its_own() {
    let mut own = learning("a", Category::Pitfall, 0, "Its own ticket is t1");
    own.ticket_id = Some("t1".into());
    let view = view(&[
        (1, used("a", "s1", Some("t1"))),
        (2, used("a", "s2", Some("t2"))),
        (2, used("unknown", "s2", Some("t2"))),
    ]);
    let found = report(&view, &[own]).cross_uses;
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].learning_id.as_str(), &found[0].tickets), ("a", &vec!["t2".to_owned()]));
}

#[test]
fn a_skipped_ticket_that_taught_something_later_was_skipped_wrongly() {
    let learned = |ticket| reflection(Some(ticket), &["a"], "pitfall");
    let view = view(&[
        (0, skip("missed")),
        (1, learned("missed")),
        (0, learned("learned-before")),
        (1, skip("learned-before")),
        (0, skip("only-skipped")),
        (1, reflection(Some("only-skipped"), &[], "pitfall")),
    ]);
    assert_eq!(view.skip_misses(), ["missed"]);
}

#[test]
fn each_of_several_skipped_tickets_is_a_miss_if_something_is_learned_of_it() {
    let view = view(&[
        (1, of(&["a", "b", "c"], skip("a"))),
        (2, of(&["x", "b"], reflection(Some("x"), &["l"], "pitfall"))),
        (3, reflection(Some("c"), &["m"], "pitfall")),
    ]);
    assert_eq!(view.skip_misses(), ["b", "c"]);
    assert_eq!(view.skips_by_decider, [("agent".to_owned(), 1)].into(), "one skip, of three");
}

#[test]
fn a_rejected_topic_that_is_taken_later_is_a_miss_of_the_gate() {
    let miss = |summary: &str, session: &str, stage: &str, at: i64, learning: &Learning| {
        let view = view(&[(at, rejected(summary, session, stage, "vague"))]);
        let others = [
            learning.clone(),
            self::learning("x", Category::Domain, 50, "Invoices are numbered per tenant"),
            self::learning("y", Category::Process, 50, "Release notes come from the changelog"),
        ];
        let found = report(&view, &others).gate_misses;
        found.first().map(|gate_miss| gate_miss.learning_id.clone())
    };
    let mut later = learning(
        "a",
        Category::Pitfall,
        10,
        "The TOML config loader drops unknown keys in nested tables without a warning",
    );
    later.session_id = Some("s2".into());
    let vague = "Be careful with the config loader and its unknown keys";
    assert_eq!(miss(vague, "s1", "write_gate", 5, &later), Some("a".into()));
    assert_eq!(miss(vague, "s1", "schema", 5, &later), None);
    assert_eq!(miss(vague, "s1", "write_gate", 15, &later), None, "it was taken before");
    assert_eq!(miss(vague, "s2", "write_gate", 5, &later), None, "told to be specific, it was");
    assert_eq!(miss("Tests matter and should be run", "s1", "write_gate", 5, &later), None);
    assert_eq!(miss("Tenants are isolated", "s1", "write_gate", 5, &later), None);
}

#[test]
fn a_pitfall_learned_again_after_it_was_shown_recurs() {
    let first = learning(
        "a",
        Category::Pitfall,
        0,
        "flock on the file that rename replaces loses updates of parallel writers",
    );
    let mut again = learning(
        "b",
        Category::Pitfall,
        10,
        "Parallel writers lost updates: rename replaces the file that flock holds",
    );
    let other = learning("c", Category::Pitfall, 10, "The parser takes a tab for four columns");
    let recurs = |events: &[(i64, Event)], learnings: &[Learning]| {
        let view = view(events);
        report(&view, learnings)
            .recurrences
            .into_iter()
            .map(|recurrence| (recurrence.learning_id, recurrence.times))
            .collect::<Vec<_>>()
    };
    let all = [first.clone(), again.clone(), other.clone()];
    assert_eq!(recurs(&[(5, shown("a", "s1"))], &all), [("a".to_owned(), 1)]);
    assert_eq!(recurs(&[], &all), [], "it was never shown");
    assert_eq!(recurs(&[(11, shown("a", "s1"))], &all), [], "it was shown only afterwards");
    let duplicate = rejected("Something in other words", "s2", "duplicate", "the same as `a`");
    let turned_down = [(5, shown("a", "s1")), (6, duplicate)];
    assert_eq!(recurs(&turned_down, &[first.clone(), other.clone()]), [("a".to_owned(), 1)]);
    again.supersedes = Some("a".into());
    assert_eq!(recurs(&[(5, shown("a", "s1"))], &[first, again, other]), [], "it is a correction");
}
