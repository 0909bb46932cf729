use super::*;

#[test]
fn an_age_is_a_number_and_a_unit() {
    assert_eq!(age("7d"), Ok(TimeDelta::days(7)));
    assert_eq!(age("12h"), Ok(TimeDelta::hours(12)));
    assert_eq!(age("0m"), Ok(TimeDelta::zero()));
    for text in ["", "7", "d", "-1d", "7w", "7 d", "7é", "99999999999999999999d", "9e9d"] {
        assert!(age(text).is_err(), "{text}");
    }
    assert!(age("9223372036854775807d").is_err());
}
