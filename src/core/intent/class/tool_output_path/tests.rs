use serde_json::json;

use super::*;

#[test]
fn a_field_that_says_where_to_put_something_is_found() {
    for (tool, input) in [
        ("browser_take_screenshot", json!({ "filename": "src/a.ts" })),
        ("get_figure", json!({ "nodeId": "1", "localPath": "src" })),
        ("read_query", json!({ "query": "select 1", "output": "src/a.csv" })),
        ("list_and_export", json!({ "outputPath": "a" })),
        ("list_and_export", json!({ "output_path": "a" })),
        ("fetch", json!({ "url": "https://example.com/a", "destination": "../a" })),
        ("fetch", json!({ "dest": "a.rs" })),
        ("fetch", json!({ "save_to": "a" })),
        ("fetch", json!({ "saveTo": "a" })),
        ("fetch", json!({ "out": "./a" })),
        ("get_page", json!({ "target": "/p/a" })),
        ("get_page", json!({ "options": { "target": "/p/a" } })),
        ("fetch", json!({ "requests": [{ "url": "x" }, { "save_to": "a" }] })),
        ("get_page", json!({ "target": "file:///p/a" })),
    ] {
        assert!(output(tool, &input).is_some(), "{tool} {input}");
    }
}

#[test]
fn a_field_that_says_what_to_read_is_none() {
    for (tool, input) in [
        ("read_file", json!({ "filename": "src/a.ts" })),
        ("get_file_contents", json!({ "path": "src/a.ts" })),
        ("kubectl_get", json!({ "output": "json" })),
        ("get_route", json!({ "destination": "St. Louis" })),
        ("fetch", json!({ "target": "https://example.com/a.b" })),
        ("list_items", json!({ "out": true, "output": 3 })),
    ] {
        assert_eq!(output(tool, &input), None, "{tool} {input}");
    }
}
