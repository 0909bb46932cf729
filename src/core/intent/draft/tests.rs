use super::*;

fn draft() -> Draft {
    Draft { name: "Login".into(), owned_scope: vec!["src/**".into()], ..Draft::default() }
}

#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "it reads better where it is called")]
fn flaw(draft: Draft) -> Flaw {
    let there = Intent { id: "INT-001".into(), line: 2, ..Intent::default() };
    let catalogue = Catalogue { intents: vec![there], problems: Vec::new() };
    intent(&draft, &catalogue, DateTime::UNIX_EPOCH).unwrap_err()
}

#[test]
fn an_intent_gets_the_next_id_and_its_times() {
    let (made, _) = intent(&draft(), &Catalogue::default(), DateTime::UNIX_EPOCH).unwrap();
    assert_eq!(made.id, "INT-001");
    assert_eq!(made.created_at.as_deref(), Some("1970-01-01T00:00:00Z"));
}

#[test]
fn what_could_not_be_meant_is_refused() {
    let with_id = |id: &str| Draft { id: Some(id.into()), ..draft() };
    assert_eq!(flaw(with_id("INT-001")), Flaw::Taken("INT-001".into(), 2));
    for id in ["a b", "a:b", "a\nb", &"x".repeat(200)] {
        assert!(matches!(flaw(with_id(id)), Flaw::BadId(_)), "{id}");
    }
    assert_eq!(flaw(Draft { name: " ".into(), ..draft() }), Flaw::Empty("name"));
    assert_eq!(flaw(Draft { owned_scope: vec![], ..draft() }), Flaw::Empty("scope"));
    let outside = Draft { owned_scope: vec!["src/**".into(), "../x".into()], ..draft() };
    assert!(matches!(flaw(outside), Flaw::Refused(_)));
    let odd = Draft { constraints: vec!["a\u{1b}[2J".into()], ..draft() };
    assert_eq!(flaw(odd), Flaw::Unfit("constraints"));
    let unknown = Draft { depends_on: vec!["INT-9".into()], ..draft() };
    assert_eq!(flaw(unknown), Flaw::Unknown("INT-9".into()));
}

#[test]
fn a_broad_scope_is_allowed_and_doubted() {
    assert_eq!(patterns(&["**".into()]).unwrap().len(), 1);
}
