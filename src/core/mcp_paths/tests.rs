use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn fields_that_hold_paths_are_found_by_their_names() {
    for (input, expected) in [
        (json!({ "path": "a", "content": "b" }), vec!["a"]),
        (json!({ "filePath": "a", "file_text": "b", "profile": "c" }), vec!["a"]),
        (json!({ "files": [{ "path": "a", "content": "x" }, "b"] }), vec!["a", "b"]),
        (json!({ "files": { "src/a.ts": "x", "plain": "y" } }), vec!["src/a.ts"]),
        (json!({ "source": "a", "destination": "b" }), vec!["a", "b"]),
        (json!({ "from": "a", "to": "b" }), vec!["a", "b"]),
        (json!({ "to": "somebody@example.com" }), vec![]),
        (json!({ "operations": [{ "from": "a", "to": "b" }] }), vec!["a", "b"]),
        (json!({ "content": "{\"files\": [\"b\"]}", "path": "{a" }), vec!["{a"]),
        (json!({ "root": "a", "workspace": "b", "cwd": "c", "location": "d" }), vec!["d"]),
        (json!({ "edits": [{ "target_file": "a", "mode": "w" }] }), vec!["a"]),
        (json!({ "uri": "file:///p/a" }), vec!["/p/a"]),
        (json!({ "uri": "file://localhost/p/%2e%2e/a" }), vec!["/p/%2e%2e/a", "/p/../a"]),
        (json!({ "uri": "https://example.com/a" }), vec![]),
        (json!({ "path": "$HOME/a", "dest": "${HOME}/b" }), vec!["~/a", "~/b"]),
        (json!({ "save_to": "a", "saveTo": "b", "out": "c", "timeout": "d" }), vec!["a", "b", "c"]),
        (json!({ "query": "a", "command": "b" }), vec![]),
        (json!("a"), vec![]),
    ] {
        let mut found = named(&input);
        found.sort();
        assert_eq!(found, expected, "{input}");
    }
}

#[test]
fn a_path_is_found_however_deep_it_lies() {
    let mut input = json!({ "path": "deep" });
    for _ in 0..50 {
        input = json!({ "more": [input] });
    }
    assert_eq!(named(&input), ["deep"]);
}

proptest! {
    #[test]
    fn any_address_is_decoded_without_a_panic(text in "file://(%[0-9a-gé]{0,3}|/|é|a){0,9}") {
        let _ = named(&json!({ "uri": text }));
    }
}
