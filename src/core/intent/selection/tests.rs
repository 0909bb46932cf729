use super::*;
use crate::core::intent::catalogue::Status;

fn intent(id: &str, scope: &str, status: Status) -> Intent {
    Intent { id: id.into(), owned_scope: vec![scope.into()], status, ..Intent::default() }
}

fn catalogue() -> Catalogue {
    let intents = vec![
        intent("INT-001", "src/auth/**", Status::InProgress),
        intent("INT-002", "src/**/*.rs", Status::Draft),
        intent("INT-007", "docs/**", Status::Completed),
    ];
    Catalogue { intents, problems: Vec::new() }
}

#[track_caller]
fn refused(id: &str) -> Refusal {
    let closed = |text: &str| (text == "INT-002").then_some(3);
    *choose(&catalogue(), closed, id, "select_active_intent").unwrap_err()
}

#[test]
fn only_an_open_intent_that_nothing_closes_is_selected() {
    assert_eq!(choose(&catalogue(), |_| None, "INT-002", "x").unwrap().id, "INT-002");
    assert_eq!(refused("INT-002").code, Code::IntentIgnored);
    assert!(refused("INT-002").message.contains("line 3"));
    assert_eq!(refused("INT-007").code, Code::IntentNotActive);
    let unknown = refused("INT-01");
    assert_eq!(unknown.code, Code::InvalidIntent);
    assert_eq!(unknown.recovery[0], "Did you mean `INT-001`?");
    assert_eq!(unknown.recovery[1], "Open intents: INT-001, INT-002.");
}

#[test]
fn from_a_broken_file_nothing_is_selected() {
    let problem = Problem { line: 3, column: 5, what: "no".into(), breaks: true };
    let broken = Catalogue { problems: vec![problem], ..catalogue() };
    let refusal = choose(&broken, |_| None, "INT-001", "x").unwrap_err();
    assert_eq!(refusal.code, Code::SidecarInvalid);
    assert!(refusal.message.contains("line 3, column 5"), "{}", refusal.message);
}

#[test]
fn a_session_at_the_same_files_is_named_with_one_of_them() {
    let all = catalogue();
    let at = |id: &str| Elsewhere { session_id: "s2".into(), intent_id: id.into() };
    let others = [at("INT-001"), at("INT-002"), at("INT-007"), at("gone")];
    let found = collisions(&all, &all.intents[0], &others, Case::Keeps);
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found[0].to_string(), "session s2 is working on INT-001 too");
    let path = found[1].witness.as_ref().unwrap();
    assert!(path.starts_with("src/auth/") && path.contains(".rs"), "{path}");
}

#[test]
fn the_next_id_is_free() {
    assert_eq!(next_id(&catalogue()), "INT-008");
    assert_eq!(next_id(&Catalogue::default()), "INT-001");
}
