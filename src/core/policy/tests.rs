use super::*;

#[test]
fn no_number_of_seconds_overflows() {
    let now = DateTime::UNIX_EPOCH;
    assert_eq!(later(now, u64::MAX), DateTime::<Utc>::MAX_UTC);
    assert_eq!(later(DateTime::<Utc>::MAX_UTC, 1), DateTime::<Utc>::MAX_UTC);
    assert_eq!(later(now, 60), now + TimeDelta::seconds(60));
}

#[test]
fn a_template_comes_as_often_as_it_weighs() {
    let weights = [("a".to_owned(), 1), ("b".to_owned(), 3), ("c".to_owned(), 0)].into();
    let policy = TemplatesPolicy { active: "random".into(), weights };
    let picked = |id| (0..400).filter(|count| policy.pick(*count) == id).count();
    assert_eq!((picked("a"), picked("b"), picked("c")), (100, 300, 0));
}

#[test]
fn no_weights_at_all_mean_the_default_template() {
    let policy = TemplatesPolicy { active: "random".into(), weights: BTreeMap::new() };
    assert_eq!(policy.pick(7), "default");
}
