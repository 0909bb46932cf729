use super::*;

/// The part of the schema at a dotted path.
fn at(path: &str) -> Value {
    path.split('.').fold(schema(), |at, name| at["properties"][name].clone())
}

#[test]
fn every_key_is_described() {
    for key in KEYS {
        let schema = at(key.path);
        let description = schema["description"].as_str().expect(key.path);
        assert!(description.starts_with(key.about), "{description}");
        let rule = key.rule();
        assert!(description.contains(rule.trim_start_matches('a')), "{description}");
    }
}

#[test]
fn the_schema_says_what_the_table_says() {
    let mode = at("review.mode");
    assert_eq!(mode["enum"], json!(["always", "prompt", "never"]));
    assert_eq!(mode["default"], "prompt");
    assert_eq!(at("circuit_breaker.max_blocks")["maximum"], 1_000);
    assert_eq!(at("review.gates")["title"], "[review.gates]");
    assert_eq!(at("review.gates")["additionalProperties"], false);
    assert_eq!(at("storage.path").get("default"), None);
}
