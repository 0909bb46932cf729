//! What the verbs say, where it was not so.

use super::*;

#[test]
fn a_verb_that_finds_no_session_names_the_way_to_give_one() {
    let roz = Roz::new();
    let batch = json!({ "candidates": [parser()] }).to_string();
    for said in [
        roz.fed(&["reflect"], &batch).fails(),
        roz.run(&["skip", "nothing to tell"]).fails(),
        roz.run(&["observe", "the N+1 is in the dashboard"]).fails(),
    ] {
        assert!(said.contains("name one with `--session-id`"), "{said}");
        assert!(!said.contains("roz list"), "{said}");
    }
    roz.run(&["skip", "nothing to tell", "--session-id", "new"]).succeeds();
}
