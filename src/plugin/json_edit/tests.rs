use super::*;

fn pruned(text: &str) -> Option<String> {
    let document = Document::parse(text)?;
    document.remove_hooks(|hook| hook["command"] == "ours").then(|| document.text())
}

#[test]
fn what_is_ours_goes_and_nothing_else_moves() {
    for (before, after) in [
        (
            "{\r\n\t\"a\": 1.50,\r\n\t\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\":\"ours\"}]}]}\r\n}",
            "{\r\n\t\"a\": 1.50\r\n}",
        ),
        (
            "\u{feff}{ \"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"ours\"}]}]} , \"a\":[ ] }",
            "\u{feff}{ \"a\":[ ] }",
        ),
        (
            r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"command":"ours"} , {"command":"b"}]}]}}"#,
            r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[ {"command":"b"}]}]}}"#,
        ),
        (
            r#"{"hooks":{"A":[1],"B":[{"hooks":[{"command":"a"},{"command":"ours"},{"command":"ours"},{"command":"b"},{"command":"ours"}]}],"C":[{"hooks":[{"command":"ours"}]}]}}"#,
            r#"{"hooks":{"A":[1],"B":[{"hooks":[{"command":"a"},{"command":"b"}]}]}}"#,
        ),
        (r#"{"hooks":{"Stop":[{"hooks":[{"command":"ours"}],"x":1}]}}"#, "{}"),
    ] {
        assert_eq!(pruned(before).as_deref(), Some(after));
        assert_eq!(pruned(after), None);
    }
}

#[test]
fn entries_go_with_their_table_and_empty_tables_by_name() {
    let is_ours = |name: &str, value: &Value| name == "ours" && *value != false;
    for (before, after) in [
        (r#"{ "a":1, "t": {"x": 1 , "ours":true}}"#, Some(r#"{ "a":1, "t": {"x": 1 }}"#)),
        (r#"{"t":{"ours":true},"b":[ ]}"#, Some(r#"{"b":[ ]}"#)),
        (r#"{"t":{"ours":true}}"#, Some("{}")),
        (r#"{"t":{"ours":false}}"#, None),
        (r#"{"other":{"ours":true},"ours":1,"t":["ours"]}"#, None),
        ("[", None),
    ] {
        let document =
            Document::parse(before).filter(|document| document.remove_members(&["t"], is_ours));
        assert_eq!(document.map(|document| document.text()).as_deref(), after, "{before}");
    }
    let document = Document::parse(r#"{"ours": {}, "x": {}}"#).unwrap();
    assert!(document.remove_own_members(is_ours));
    assert_eq!(document.text(), r#"{ "x": {}}"#);
    for (before, after) in [
        (r#"{"t": { }, "x": {}}"#, r#"{ "x": {}}"#),
        (r#"{"t": {"a":{}}, "x": {}}"#, r#"{"t": {"a":{}}, "x": {}}"#),
        (r#"{"t": [], "x": {}}"#, r#"{"t": [], "x": {}}"#),
    ] {
        let document = Document::parse(before).unwrap();
        document.remove_if_empty(&["t"]);
        assert_eq!(document.text(), after);
    }
}

#[test]
fn where_nothing_is_ours_nothing_is_done() {
    for text in [
        "",
        "null",
        "[]",
        "{",
        r#"{"hooks":null}"#,
        r#"{"hooks":{"Stop":[]}}"#,
        r#"{"hooks":{"Stop":{"hooks":{}}}}"#,
        r#"{"x":{"hooks":[{"command":"ours"}]},"hooks":{"Stop":[{"command":"ours"}]}}"#,
        "{\"hooks\":{\"Stop\":[{\"hooks\":[{\"command\":\"\u{e9}\\u0022\"}]}]}}",
    ] {
        assert_eq!(pruned(text), None, "{text}");
    }
}

#[test]
fn what_is_added_leaves_everything_else_as_it_was() {
    for text in [
        "{}",
        " {\n}\n",
        "{\"permissions\":{}}",
        "{\"b\": 1, \"permissions\": {\"deny\": [\"x\"]}, \"a\": 2}",
        "{\r\n  \"permissions\": {\r\n    \"allow\": [\r\n      \"Bash(ls:*)\"\r\n    ]\r\n  }\r\n}\r\n",
        "\u{feff}{\"permissions\":{\"allow\":[]}}",
    ] {
        let document = Document::parse(text).unwrap();
        assert!(document.add_elements(&["permissions"], "allow", &["x".into(), "y".into()]));
        assert!(document.add_member(&[], "c", &serde_json::json!({ "d": [1] })));
        assert!(!document.add_member(&[], "c", &Value::Null));
        let new = document.text();
        let said: Value = serde_json::from_str(new.trim_start_matches('\u{feff}')).unwrap();
        assert!(
            said["permissions"]["allow"].as_array().unwrap().ends_with(&["x".into(), "y".into()])
        );
        assert_eq!(said["c"]["d"][0], 1);
        let mut rest = new.chars();
        assert!(text.chars().all(|c| rest.any(|item| item == c)), "{new}");
    }
    for odd in
        ["[]", "{\"permissions\": []}", "{\"permissions\": {\"allow\": 1}}", "{", "{ // c\n}"]
    {
        let document = Document::parse(odd);
        let added = document
            .map(|document| document.add_elements(&["permissions"], "allow", &["x".into()]));
        assert_ne!(added, Some(true), "{odd}");
    }
}
