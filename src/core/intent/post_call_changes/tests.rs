use super::*;
use crate::core::intent::{
    changed_lines::{Change, Changed, Opaque},
    ignore::Treatment,
    state::Start,
    target::{Case, Kind, Place, Target},
};

fn found(path: &str) -> Found {
    let place = Place::Inside(path.to_owned());
    Found {
        path: path.to_owned(),
        target: Target {
            written: place.clone(),
            real: place,
            kind: Kind::File,
            case: Case::Keeps,
            links: 1,
            guarded: None,
        },
        treatment: Treatment::default(),
        changed: Changed::unseen(Change::Modified, Opaque::Unknown),
        meaning: None,
        was_named: false,
        is_tracked: true,
        at: Some((100, 0)),
        way_back: None,
    }
}

fn flight(intent: &str, since: i64) -> InFlight {
    InFlight {
        intent_id: intent.to_owned(),
        at: chrono::DateTime::UNIX_EPOCH,
        start: Some(Start {
            since: (since, 0),
            scope: vec!["src/**".to_owned()],
            ..Start::default()
        }),
        ..InFlight::default()
    }
}

fn call() -> ToolCall<'static> {
    crate::clients::testing::call("Bash", serde_json::Value::Null, "{}", None)
}

#[test]
fn of_many_files_the_first_are_named_and_the_rest_are_counted() {
    let many: Vec<Found> =
        (0..250).map(|number| found(&format!("x/{number}{}", "é".repeat(200)))).collect();
    let wrong: Vec<(Code, &Found)> =
        many.iter().map(|found| (Code::ScopeViolation, found)).collect();
    let refusal = violation(&wrong, &flight("INT-1", 0), &call());
    assert!(refusal.message.contains("and 240 more"), "{}", refusal.message);
    assert_eq!(refusal.recovery.len(), SHOWN);
    assert!(refusal.json().len() < 8000, "{}", refusal.json().len());
}

#[test]
fn the_gravest_objection_gives_the_record_its_code() {
    let (one, two) = (found("a"), found(".git/hooks/x"));
    let wrong = [(Code::ScopeViolation, &one), (Code::ProtectedPath, &two)];
    let refusal = violation(&wrong, &flight("INT-1", 0), &call());
    assert_eq!(refusal.code, Code::ProtectedPath);
    assert_eq!(refusal.file.as_deref(), Some(".git/hooks/x"));
    assert_eq!(refusal.owned_scope, Some(vec!["src/**".to_owned()]));
}

#[test]
fn a_change_is_another_calls_only_where_that_one_will_tell_of_it() {
    let own = flight("INT-1", 50);
    let scope = Scope::new(&["src/**"]);
    let is_others = |other: InFlight, found: &Found| {
        other.may_have_changed(found, &own, Some(&scope).filter(|_| other.intent_id == "INT-2"))
    };
    let inside = found("src/a");
    assert!(is_others(flight("INT-2", 50), &inside));
    assert!(!is_others(flight("INT-2", 101), &inside), "it began later");
    assert!(!is_others(flight("INT-2", 50), &found("doc/a")), "it has no right to it either");
    assert!(!is_others(flight("INT-1", 50), &inside), "of one intent: whoever ends first tells");
    let named = Found { was_named: true, ..found("src/a") };
    assert!(!is_others(flight("INT-2", 50), &named));
    let mut edit = flight("INT-1", 0);
    edit.start = None;
    edit.before = [("src/a".to_owned(), Some("sha256:old".to_owned()))].into_iter().collect();
    assert!(is_others(edit.clone(), &inside));
    let same = Changed { file_hash: Some("sha256:old".to_owned()), ..inside.changed.clone() };
    assert!(!is_others(edit, &Found { changed: same, ..inside }), "it saw it so already");
}

#[test]
fn where_a_person_is_to_be_asked_a_hidden_change_is_told() {
    let asked = Treatment { ask: Some(3), ..Treatment::default() };
    let hidden = Found { treatment: asked, ..found("src/a") };
    let scope = Scope::new(&["src/**"]);
    assert_eq!(hidden.objection(&scope), Some(Code::HitlRequired));
    let named = Found { was_named: true, ..hidden };
    assert_eq!(named.objection(&scope), None);
    assert_eq!(found("src/a").objection(&scope), None);
}
