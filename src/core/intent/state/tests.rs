use std::time::Duration;

use super::*;

#[test]
fn the_calls_that_were_declined_long_ago_are_forgotten_first() {
    let mut state = IntentState::default();
    let at = |n: usize| DateTime::UNIX_EPOCH + Duration::from_secs(n as u64);
    for n in 0..2 * MAX_CALLS {
        // A later call has a smaller id.
        let id = format!("{:03}", 999 - n);
        state.would_grant(&id, at(n));
        state.runs(&id, InFlight { at: at(n), ..InFlight::default() });
        assert_eq!(state.grants(&id), Some(at(n)), "the one that is asked about");
        assert!(state.in_flight(&id).is_some());
    }
    assert_eq!(state.grants("999"), None);
    assert_eq!((state.granting.len(), state.in_flight.len()), (MAX_CALLS, MAX_CALLS));
}
