use super::*;

/// Values from Wilson's formula as worked out by hand for 8 of 10.
#[test]
fn the_interval_is_wilsons() {
    let (low, high) = wilson(8, 10);
    assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4, "{low} {high}");
    assert_eq!(wilson(0, 0), (0.0, 1.0));
    let (low, high) = wilson(0, 10);
    assert!(low.abs() < 1e-9 && (high - 0.2775).abs() < 1e-4, "{low} {high}");
}

fn tally(success: u32, shown: u32) -> Tally {
    Tally { shown, success, not_spawned: shown - success, ..Tally::default() }
}

#[test]
fn a_small_difference_is_called_not_significant() {
    let few = [("a".to_owned(), tally(4, 5)), ("b".to_owned(), tally(2, 5))].into();
    assert!(!compare(&few).unwrap().significant);
    let many = [("a".to_owned(), tally(80, 100)), ("b".to_owned(), tally(40, 100))].into();
    assert!(compare(&many).unwrap().significant);
}

#[test]
fn one_template_is_compared_with_nothing() {
    assert!(compare(&[("a".to_owned(), tally(4, 5))].into()).is_none());
}
