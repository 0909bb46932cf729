use super::*;

fn asked(found: &Found, answers: &str) -> (Wants, String) {
    let mut questions = Vec::new();
    let wants = wants(found, &mut answers.as_bytes(), &mut questions).unwrap().unwrap();
    (wants, String::from_utf8(questions).unwrap())
}

#[test]
fn enter_takes_what_is_proposed_and_an_end_ends_it() {
    let (all, told) = asked(&Found::default(), "\n\n\n");
    assert_eq!((all.review, all.reflection, all.intent), (true, true, false));
    assert!(told.starts_with("Make `git push`"), "{told}");
    for answers in ["", "y\n", "y\ny\n", "n\ny"] {
        let ended = wants(&Found::default(), &mut answers.as_bytes(), &mut Vec::new());
        assert_eq!(ended.unwrap(), None, "{answers:?}");
    }
}

#[test]
fn an_answer_that_is_none_is_asked_for_again() {
    let (wants, told) = asked(&Found::default(), "perhaps\nN\nYES\ny\n");
    assert_eq!((wants.review, wants.reflection, wants.intent), (false, true, true));
    assert!(told.contains("Please answer y or n."), "{told}");
}

#[test]
fn the_ticket_systems_are_told_first() {
    let found = Found { systems: vec!["tissue".to_owned()], ..Found::default() };
    let (_, told) = asked(&found, "\n\n\n");
    assert!(told.starts_with("Ticket systems found: tissue.\n"), "{told}");
}
