//! What it means to be a store. Every backend runs the same tests.

use std::{
    thread,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;

use super::*;
use crate::core::scheduled_prompts::Scheduled;
use crate::core::trace::Mark;

/// Small enough that every test of the bound stays small.
pub(super) const MAX_EVENTS: u64 = 30;

macro_rules! contract {
    ($($claim:ident)*) => {
        mod memory {
            $(#[test] fn $claim() { super::$claim(&super::MemoryStore::new(super::MAX_EVENTS)); })*
        }
        mod file {
            $(#[test] fn $claim() {
                let dir = tempfile::tempdir().unwrap();
                let home = dir.path().join("sessions");
                super::$claim(&super::FileStore::new(home, super::MAX_EVENTS));
            })*
        }
    };
}

contract! {
    a_session_comes_back_as_it_was_saved
    an_unknown_session_is_absent
    a_deleted_session_is_absent_and_has_no_trace
    deleting_twice_is_deleting_once
    a_stale_save_changes_nothing
    a_session_that_was_deleted_and_made_again_is_another
    a_stale_delete_changes_nothing
    a_newer_document_is_never_saved
    the_newest_activity_is_listed_first
    no_more_sessions_are_listed_than_asked_for
    a_save_brings_its_events
    appended_events_follow_those_of_the_state
    appending_moves_the_revision
    nothing_is_appended_to_an_absent_session
    the_trace_keeps_the_first_and_the_newest
    the_bound_holds_for_one_large_save
    an_update_that_changes_nothing_is_not_saved
    a_new_time_alone_is_no_change
    an_update_is_not_older_than_its_events
    a_lost_race_is_decided_again
    an_update_gives_up_at_its_deadline
    parallel_updates_lose_nothing
}

pub(super) fn id(n: usize) -> SessionId {
    format!("s{n}").parse().unwrap()
}

pub(super) fn at(n: usize) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(i64::try_from(n).unwrap())
}

pub(super) fn session(n: usize) -> Session {
    Session::new(id(n), at(n))
}

pub(super) fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

pub(super) fn mark(n: usize) -> Mark {
    Mark::ClientPrompt { prompt: format!("event {n}") }
}

/// Saves `n` events in one update.
#[track_caller]
pub(super) fn record(store: &dyn MessageStore, n: usize) {
    update(
        store,
        &id(1),
        soon(),
        || session(1),
        |item| {
            for n in 0..n {
                item.record(&mark(n), at(n));
            }
        },
    )
    .unwrap();
}

#[track_caller]
pub(super) fn get(store: &dyn MessageStore, n: usize) -> Stored {
    store.get_session(&id(n)).unwrap().unwrap()
}

pub(super) fn seqs(store: &dyn MessageStore) -> Vec<u64> {
    store.read_trace(&id(1)).unwrap().iter().map(|trace_event| trace_event.seq).collect()
}

fn a_session_comes_back_as_it_was_saved(store: &dyn MessageStore) {
    let mut saved = session(1);
    saved.cwd = Some("/home/dev/pröject \"x\"\n".into());
    saved.schedule.add(&Scheduled { prompt: "tick".into(), recurring: true });
    store.put_session(&saved, &Revision::ABSENT, soon()).unwrap();
    assert_eq!(get(store, 1).session, saved);
    let revision = get(store, 1).revision;
    assert_eq!(get(store, 1).revision, revision);
    saved.cwd = None;
    store.put_session(&saved, &revision, soon()).unwrap();
    assert_eq!(get(store, 1).session, saved);
    assert_ne!(get(store, 1).revision, revision);
}

fn an_unknown_session_is_absent(store: &dyn MessageStore) {
    assert!(store.get_session(&id(1)).unwrap().is_none());
    assert!(store.read_trace(&id(1)).unwrap().is_empty());
    assert!(store.list_sessions(9).unwrap().is_empty());
    assert!(store.activity().unwrap().is_empty());
    assert!(store.leftovers().unwrap().is_empty());
}

fn a_deleted_session_is_absent_and_has_no_trace(store: &dyn MessageStore) {
    record(store, 3);
    store.delete_session(&id(1), None, soon()).unwrap();
    an_unknown_session_is_absent(store);
    record(store, 1);
    assert_eq!(seqs(store), [1]);
}

fn deleting_twice_is_deleting_once(store: &dyn MessageStore) {
    store.delete_session(&id(1), None, soon()).unwrap();
    record(store, 1);
    store.delete_session(&id(1), None, soon()).unwrap();
    store.delete_session(&id(1), None, soon()).unwrap();
    an_unknown_session_is_absent(store);
}

fn a_stale_save_changes_nothing(store: &dyn MessageStore) {
    record(store, 1);
    let Stored { session: mut stale, revision } = get(store, 1);
    record(store, 1);
    let before = get(store, 1);
    stale.record(&mark(9), at(9));
    for revision in [revision, Revision::ABSENT] {
        let again = store.put_session(&stale, &revision, soon());
        assert!(matches!(again, Err(Error::Conflict)), "{again:?}");
    }
    assert_eq!(get(store, 1).session, before.session);
    assert_eq!(get(store, 1).revision, before.revision);
    assert_eq!(seqs(store), [1, 2]);
}

fn a_session_that_was_deleted_and_made_again_is_another(store: &dyn MessageStore) {
    store.put_session(&session(1), &Revision::ABSENT, soon()).unwrap();
    let Stored { session: old, revision } = get(store, 1);
    store.delete_session(&id(1), None, soon()).unwrap();
    let gone = store.put_session(&old, &revision, soon());
    assert!(matches!(gone, Err(Error::Conflict)), "{gone:?}");
    assert!(store.get_session(&id(1)).unwrap().is_none());
}

fn a_stale_delete_changes_nothing(store: &dyn MessageStore) {
    record(store, 1);
    let stale = get(store, 1).revision;
    record(store, 1);
    let deleted = store.delete_session(&id(1), Some(&stale), soon());
    assert!(matches!(deleted, Err(Error::Conflict)), "{deleted:?}");
    assert_eq!(seqs(store), [1, 2]);
    let fresh = get(store, 1).revision;
    store.delete_session(&id(1), Some(&fresh), soon()).unwrap();
    an_unknown_session_is_absent(store);
}

fn a_newer_document_is_never_saved(store: &dyn MessageStore) {
    let mut newer = session(1);
    newer.version = VERSION + 1;
    let saved = store.put_session(&newer, &Revision::ABSENT, soon());
    let expected = VERSION + 1;
    assert!(
        matches!(saved, Err(Error::NewerVersion { version, .. }) if version == expected),
        "{saved:?}"
    );
    an_unknown_session_is_absent(store);
}

fn the_newest_activity_is_listed_first(store: &dyn MessageStore) {
    for n in [2, 1, 3] {
        store.put_session(&session(n), &Revision::ABSENT, soon()).unwrap();
    }
    let ids: Vec<_> =
        store.activity().unwrap().into_iter().map(|activity| (activity.id, activity.at)).collect();
    assert_eq!(ids, [(id(3), at(3)), (id(2), at(2)), (id(1), at(1))]);
    store.append_trace(&id(1), &[mark(4).at(0, at(4))], soon()).unwrap();
    assert_eq!(store.activity().unwrap()[0], Activity { id: id(1), at: at(4) });
}

fn no_more_sessions_are_listed_than_asked_for(store: &dyn MessageStore) {
    for n in [2, 1, 3] {
        store.put_session(&session(n), &Revision::ABSENT, soon()).unwrap();
    }
    let listed: Vec<_> = store.list_sessions(2).unwrap().into_iter().map(Result::unwrap).collect();
    assert_eq!(listed, [session(3), session(2)]);
    assert!(store.list_sessions(0).unwrap().is_empty());
    assert_eq!(store.list_sessions(9).unwrap().len(), 3);
}

fn a_save_brings_its_events(store: &dyn MessageStore) {
    record(store, 2);
    let trace = store.read_trace(&id(1)).unwrap();
    assert_eq!(trace, [mark(0).at(1, at(0)), mark(1).at(2, at(1))]);
    let known = get(store, 1).session.trace;
    assert_eq!((known.seq, known.events, known.dropped), (2, 2, 0));
    assert!(known.fresh().len() == 0);
}

fn appended_events_follow_those_of_the_state(store: &dyn MessageStore) {
    record(store, 2);
    store.append_trace(&id(1), &[mark(7).at(99, at(7)), mark(8).at(0, at(8))], soon()).unwrap();
    record(store, 1);
    assert_eq!(seqs(store), [1, 2, 3, 4, 5]);
    assert_eq!(store.read_trace(&id(1)).unwrap()[2], mark(7).at(3, at(7)));
}

fn appending_moves_the_revision(store: &dyn MessageStore) {
    record(store, 1);
    let before = get(store, 1).revision;
    store.append_trace(&id(1), &[mark(1).at(0, at(1))], soon()).unwrap();
    assert_ne!(get(store, 1).revision, before);
}

fn nothing_is_appended_to_an_absent_session(store: &dyn MessageStore) {
    let appended = store.append_trace(&id(1), &[mark(1).at(0, at(1))], soon());
    assert!(matches!(appended, Err(Error::Absent { .. })), "{appended:?}");
    assert!(store.read_trace(&id(1)).unwrap().is_empty());
}

fn the_trace_keeps_the_first_and_the_newest(store: &dyn MessageStore) {
    for n in 1..200 {
        record(store, 1);
        let trace = store.read_trace(&id(1)).unwrap();
        if n <= MAX_EVENTS {
            assert_eq!(seqs(store), (1..=n).collect::<Vec<_>>());
            continue;
        }
        // Ten, the marker with the number of the last that it stands for, and
        // the newest.
        let newest = n - (MAX_EVENTS - 10);
        let expected: Vec<_> = (1..=10).chain(newest..=n).collect();
        assert_eq!(seqs(store), expected);
        let dropped = n - MAX_EVENTS;
        assert_eq!(trace[10], Mark::TraceCompacted { dropped }.at(newest, at(0)));
        assert!(get(store, 1).session.trace.events <= 2 * MAX_EVENTS);
    }
}

fn the_bound_holds_for_one_large_save(store: &dyn MessageStore) {
    record(store, 200);
    assert_eq!(store.read_trace(&id(1)).unwrap().len(), 31);
    let known = get(store, 1).session.trace;
    assert_eq!((known.seq, known.events, known.dropped), (200, 30, 170));
    record(store, 1);
    assert_eq!(seqs(store).last(), Some(&201));
}

fn an_update_that_changes_nothing_is_not_saved(store: &dyn MessageStore) {
    update(store, &id(1), soon(), || session(1), |_| ()).unwrap();
    an_unknown_session_is_absent(store);
    record(store, 1);
    let before = get(store, 1).revision;
    assert_eq!(update(store, &id(1), soon(), || session(1), |item| item.trace.seq).unwrap(), 1);
    assert_eq!(get(store, 1).revision, before);
}

fn a_new_time_alone_is_no_change(store: &dyn MessageStore) {
    record(store, 1);
    let before = get(store, 1).revision;
    update(store, &id(1), soon(), || session(1), |item| item.updated_at = at(9)).unwrap();
    assert_eq!(get(store, 1).revision, before);
    let change = |item: &mut Session| {
        item.updated_at = at(9);
        item.head = Some("c0ffee".into());
    };
    update(store, &id(1), soon(), || session(1), change).unwrap();
    assert_eq!(get(store, 1).session.updated_at, at(9));
}

fn an_update_is_not_older_than_its_events(store: &dyn MessageStore) {
    update(store, &id(1), soon(), || session(1), |item| item.record(&mark(1), at(7))).unwrap();
    assert_eq!(get(store, 1).session.updated_at, at(7));
}

fn a_lost_race_is_decided_again(store: &dyn MessageStore) {
    let mut tries = 0;
    let change = |item: &mut Session| {
        if tries < 2 {
            // Somebody else is faster.
            record(store, 1);
        }
        tries += 1;
        item.record(&mark(1), at(1));
        item.trace.seq
    };
    assert_eq!(update(store, &id(1), soon(), || session(1), change).unwrap(), 3);
    assert_eq!(tries, 3);
    assert_eq!(seqs(store), [1, 2, 3]);
}

fn an_update_gives_up_at_its_deadline(store: &dyn MessageStore) {
    let change = |item: &mut Session| {
        record(store, 1);
        item.record(&mark(1), at(1));
    };
    let late = update(store, &id(1), Instant::now(), || session(1), change);
    assert!(matches!(late, Err(Error::Conflict)), "{late:?}");
    assert_eq!(seqs(store), [1]);
}

fn parallel_updates_lose_nothing(store: &(dyn MessageStore + Sync)) {
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    record(store, 1);
                }
            });
        }
    });
    assert_eq!(seqs(store), (1..=20).collect::<Vec<_>>());
}

#[derive(Debug, Clone)]
enum Act {
    Record { session: usize, events: usize },
    Append { session: usize, events: usize },
    StaleSave { session: usize },
    Delete { session: usize },
}

fn act() -> impl Strategy<Value = Act> {
    let session = 0..3_usize;
    prop_oneof![
        6 => (session.clone(), 0..50_usize)
            .prop_map(|(session, events)| Act::Record { session, events }),
        3 => (session.clone(), 0..9_usize)
            .prop_map(|(session, events)| Act::Append { session, events }),
        1 => session.clone().prop_map(|session| Act::StaleSave { session }),
        1 => session.prop_map(|session| Act::Delete { session }),
    ]
}

/// What the store answers, and then everything that it shows.
fn play(store: &dyn MessageStore, act: &Act, time: usize) -> String {
    let answer = match *act {
        Act::Record { session: n, events } => {
            let change = |item: &mut Session| {
                item.updated_at = at(time);
                (0..events).for_each(|n| item.record(&mark(n), at(time)));
            };
            update(store, &id(n), soon(), || session(n), change)
        }
        Act::Append { session, events } => {
            let events: Vec<_> = (0..events).map(|n| mark(n).at(0, at(time))).collect();
            store.append_trace(&id(session), &events, soon())
        }
        Act::StaleSave { session: n } => {
            store.put_session(&session(n), &Revision(Some("stale".into())), soon())
        }
        Act::Delete { session } => store.delete_session(&id(session), None, soon()),
    };
    let mut shown = vec![format!("{:?}", answer.map_err(|err| err.to_string()))];
    for n in 0..3 {
        let mut stored = store.get_session(&id(n)).unwrap().map(|stored| stored.session);
        if let Some(session) = &mut stored {
            // A file's length.
            session.trace.bytes = 0;
        }
        let trace = store.read_trace(&id(n)).unwrap();
        shown.push(format!("{stored:?}\n{trace:?}"));
    }
    let mut activity = store.activity().unwrap();
    activity.sort_by(|a, b| (a.at, &a.id).cmp(&(b.at, &b.id)));
    shown.push(format!("{activity:?}"));
    shown.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn all_stores_are_the_same_store(acts in prop::collection::vec(act(), 0..40), max in 0..40_u64) {
        let dir = tempfile::tempdir().unwrap();
        let file = FileStore::new(dir.path().join("sessions"), max);
        let memory = MemoryStore::new(max);
        for (time, act) in acts.iter().enumerate() {
            prop_assert_eq!(play(&file, act, time), play(&memory, act, time));
        }
    }
}
