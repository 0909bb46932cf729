use super::*;
use crate::core::reflection::learning::{Category, Confidence, Status};

const NONE: u32 = 0;

fn now() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::days(20_000)
}

fn ago(days: i64) -> DateTime<Utc> {
    now() - TimeDelta::days(days)
}

fn learning(created: DateTime<Utc>) -> Learning {
    Learning {
        id: "a".into(),
        category: Category::Pitfall,
        summary: "A summary of it".into(),
        detail: "What there is to say about it.".into(),
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
        created_at: created,
        roz_version: None,
    }
}

fn tally(surfaced: u32) -> Tally {
    Tally { surfaced, ..Tally::default() }
}

fn is_due(learning: &Learning, tally: Tally) -> bool {
    is_due_under(&DecayPolicy::default(), learning, tally)
}

fn is_due_under(policy: &DecayPolicy, learning: &Learning, tally: Tally) -> bool {
    let tallies = [(learning.id.clone(), tally)].into();
    !due(std::slice::from_ref(learning), &tallies, policy, now()).is_empty()
}

#[test]
fn shown_often_enough_in_vain_it_goes_when_the_days_are_over() {
    for (days, goes) in [(89, false), (90, true), (91, true)] {
        assert_eq!(is_due(&learning(ago(days)), tally(3)), goes, "{days}");
    }
    let second = TimeDelta::seconds(1);
    assert!(!is_due(&learning(ago(90) + second), tally(3)));
    assert!(is_due(&learning(ago(90) - second), tally(3)));
}

#[test]
fn what_others_wrote_into_total_recall_stays() {
    for (id, goes) in
        [("tr_0123456789", false), ("tr0123456789", false), ("tr_1", true), ("a", true)]
    {
        let learning = Learning { id: id.into(), ..learning(ago(900)) };
        assert_eq!(is_due(&learning, tally(3)), goes, "{id}");
    }
}

#[test]
fn shown_less_often_it_has_twice_the_time() {
    for (shown, days, goes) in
        [(2, 91, false), (2, 179, false), (2, 180, true), (NONE, 179, false), (NONE, 181, true)]
    {
        assert_eq!(is_due(&learning(ago(days)), tally(shown)), goes, "{shown} {days}");
    }
}

#[test]
fn a_learning_that_the_log_does_not_name_has_twice_the_time() {
    let due = |days| {
        let all = [learning(ago(days))];
        due(&all, &BTreeMap::new(), &DecayPolicy::default(), now())
    };
    assert_eq!(due(179), []);
    let is_due = Due { id: "a".into(), at: now(), reason: "not used in 180 days".into() };
    assert_eq!(due(180), [is_due]);
}

#[test]
fn the_time_runs_from_the_last_use_and_not_from_the_last_time_shown() {
    let used = |days| Tally { last_used: Some(ago(days)), last_surfaced: Some(ago(1)), ..tally(3) };
    assert!(!is_due(&learning(ago(500)), used(89)));
    assert!(is_due(&learning(ago(500)), used(90)));
}

#[test]
fn only_above_the_rate_is_it_immune() {
    let rate = |hits, surfaced| Tally { hits, last_used: Some(ago(1000)), ..tally(surfaced) };
    let old = learning(ago(1000));
    assert!(is_due(&old, rate(79, 100)));
    assert!(is_due(&old, rate(80, 100)));
    assert!(is_due(&old, rate(4, 5)));
    assert!(!is_due(&old, rate(81, 100)));
    assert!(!is_due(&old, rate(5, 5)));
    let nobody = DecayPolicy { immunity_hit_rate: 1.0, ..DecayPolicy::default() };
    assert!(is_due_under(&nobody, &old, rate(5, 5)));
}

#[test]
fn what_was_only_searched_for_is_kept_by_its_date_and_by_no_rate() {
    let searched = |days| Tally { used: 9, referenced: 9, last_used: Some(ago(days)), ..tally(3) };
    assert!(is_due(&learning(ago(1000)), searched(90)));
    assert!(!is_due(&learning(ago(1000)), searched(89)));
}

#[test]
fn what_is_put_away_or_replaced_or_personal_does_not_decay() {
    let mut item = learning(ago(1000));
    for status in [Status::Archived, Status::Superseded] {
        item.status = status;
        assert!(!is_due(&item, tally(9)), "{status}");
    }
    item.status = Status::Active;
    item.scope = Scope::Personal;
    assert!(!is_due(&item, tally(9)));
}

#[test]
fn what_was_brought_back_begins_anew() {
    let restored = |days, shown| Tally { restored: Some(ago(days)), forgiven: 5, ..tally(shown) };
    let old = learning(ago(1000));
    assert!(!is_due(&old, restored(89, 8)));
    assert!(is_due(&old, restored(90, 8)));
    assert!(!is_due(&old, restored(90, 7)), "two since then");
    assert!(is_due(&old, restored(180, 5)));
}

#[test]
fn what_will_be_due_is_told_beforehand_soonest_first() {
    let named = |id: &str, days| Learning { id: id.into(), ..learning(ago(days)) };
    let all = [named("later", 172), named("in-7", 173), named("in-1", 179), named("due", 180)];
    let in_a_week = now() + TimeDelta::days(7);
    let soon = due(&all, &BTreeMap::new(), &DecayPolicy::default(), in_a_week);
    let ids: Vec<&str> = soon.iter().map(|due| due.id.as_str()).collect();
    assert_eq!(ids, ["due", "in-1", "in-7"]);
    assert_eq!(soon[1].at, now() + TimeDelta::days(1));
}

#[test]
fn no_number_of_days_overflows() {
    for days in [u64::MAX, u64::MAX / 2 + 1, i64::MAX as u64, 200_000_000_000] {
        let policy = DecayPolicy { passive_duration_days: days, ..DecayPolicy::default() };
        assert!(!is_due_under(&policy, &learning(ago(1000)), tally(9)));
        let all = [learning(DateTime::<Utc>::MIN_UTC), learning(DateTime::<Utc>::MAX_UTC)];
        assert_eq!(due(&all, &BTreeMap::new(), &policy, DateTime::<Utc>::MAX_UTC).len(), 0);
    }
    let all = [learning(DateTime::<Utc>::MIN_UTC), learning(DateTime::<Utc>::MAX_UTC)];
    assert_eq!(due(&all, &BTreeMap::new(), &DecayPolicy::default(), now()).len(), 1);
}

#[test]
fn a_reason_says_how_long_and_how_often() {
    let all = [learning(ago(1000))];
    let said = |shown| {
        let tallies = [("a".to_owned(), tally(shown))].into();
        due(&all, &tallies, &DecayPolicy::default(), now()).remove(0).reason
    };
    assert_eq!(said(3), "shown in 3 sessions and not used in 90 days");
    assert_eq!(said(NONE), "not used in 180 days");
}
