//! The table beside the policy.

use std::collections::BTreeSet;

use serde_json::json;

use super::*;
use crate::core::policy::Policy;

/// The paths of all values in `document` that are no tables of the policy.
fn leaves(document: &Value, prefix: &str, out: &mut BTreeSet<String>) {
    let Value::Object(members) = document else {
        out.insert(prefix.to_owned());
        return;
    };
    if KEYS.iter().any(|key| key.path == prefix) {
        out.insert(prefix.to_owned());
        return;
    }
    for (name, value) in members {
        let dot = if prefix.is_empty() { "" } else { "." };
        leaves(value, &format!("{prefix}{dot}{name}"), out);
    }
}

fn with(path: &str, value: Value) -> Result<Policy, serde_json::Error> {
    let mut document = json!(Policy::default());
    *slot(&mut document, path) = value;
    serde_json::from_value(document)
}

#[test]
fn the_table_and_the_policy_name_the_same_keys() {
    let mut fields = BTreeSet::new();
    leaves(&json!(Policy::default()), "", &mut fields);
    let rows: BTreeSet<_> = KEYS.iter().map(|key| key.path.to_owned()).collect();
    assert_eq!(rows, fields);
    assert_eq!(rows.len(), KEYS.len(), "a key has two rows");
}

#[test]
fn the_policy_takes_whatever_the_table_lets_through() {
    for key in KEYS {
        let samples = match key.kind {
            Kind::Switch => vec![json!(true), json!(false)],
            Integer { min, max } => vec![json!(min), json!(max)],
            Kind::Share => vec![json!(0.0), json!(0.3), json!(1.0)],
            Word(words) => words.iter().map(|word| json!(word)).collect(),
            Kind::Path | Kind::Template => vec![json!("/a")],
            Kind::Text | Kind::Pattern | Kind::GatePattern | Kind::Glob => vec![json!("a b")],
            List(Word(words)) => vec![json!([]), json!(words)],
            List(_) => vec![json!([]), json!(["/a", "b"])],
            Kind::Switches(names) => {
                vec![json!({}), json!({ names.map_or("a", |name| name[0]): true })]
            }
            Kind::Texts(_) => vec![json!({}), json!({ "write": "b" })],
            Kind::Weights => vec![json!({}), json!({ "a": u64::MAX })],
            Kind::Auto => vec![json!("auto"), json!(true), json!(false)],
            Kind::Rows(_) => vec![json!([])],
        };
        for sample in samples {
            let policy = with(key.path, sample.clone()).expect(key.path);
            let mut document = json!(policy);
            assert_eq!(*slot(&mut document, key.path), sample, "{}", key.path);
        }
    }
}

#[test]
fn the_table_has_every_word_of_the_policy() {
    for key in KEYS {
        let Word(words) = key.kind else { continue };
        let err = with(key.path, json!("no such word")).unwrap_err().to_string();
        let expected = err.split("expected").nth(1).expect(&err);
        let named: BTreeSet<_> = expected.split('`').skip(1).step_by(2).collect();
        assert_eq!(named, words.iter().copied().collect(), "{}", key.path);
    }
}

#[test]
fn defaults_are_within_their_ranges() {
    let mut document = json!(Policy::default());
    for key in KEYS {
        if let (Integer { min, max }, Some(default)) =
            (key.kind, slot(&mut document, key.path).as_u64())
        {
            assert!((min..=max).contains(&default), "{}", key.path);
        }
        if let (Kind::Share, Some(default)) = (key.kind, slot(&mut document, key.path).as_f64()) {
            assert!((0.0..=1.0).contains(&default), "{}", key.path);
        }
    }
}

#[test]
fn every_variable_of_the_documentation_has_its_key() {
    let variables: BTreeSet<_> = KEYS.iter().filter_map(|key| key.variable).collect();
    let documented = [
        "ROZ_COOLDOWN_SECONDS",
        "ROZ_MAX_BLOCKS",
        "ROZ_MAX_EVENTS",
        "ROZ_RETENTION_DAYS",
        "ROZ_REVIEW_MODE",
        "ROZ_STORAGE_PATH",
    ];
    assert_eq!(variables, documented.into());
}

/// What `spec/6` says of a project, key by key.
#[test]
fn what_is_the_users_alone_stays_so() {
    for key in KEYS {
        let section = key.path.split('.').next().unwrap();
        let users = ["hooks", "circuit_breaker", "storage", "protect", "trust", "trace"];
        if users.contains(&section) || key.path.ends_with("max_denials") {
            assert!(matches!(key.project, Nothing), "{}", key.path);
        }
    }
}
