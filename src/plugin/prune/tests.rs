use super::*;

fn pruned(text: &str) -> Option<String> {
    without_hooks(text, &|hook| hook["command"] == "ours")
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
            r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"command":"b"}]}]}}"#,
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
    let is_ours = |key: &str, value: &str| key == "ours" && value != "false";
    for (before, after) in [
        (r#"{ "a":1, "t": {"x": 1 , "ours":true}}"#, Some(r#"{ "a":1, "t": {"x": 1}}"#)),
        (r#"{"t":{"ours":true},"b":[ ]}"#, Some(r#"{"b":[ ]}"#)),
        (r#"{"t":{"ours":true}}"#, Some("{}")),
        (r#"{"t":{"ours":false}}"#, None),
        (r#"{"other":{"ours":true},"ours":1,"t":["ours"]}"#, None),
        ("[", None),
    ] {
        let cut = without_entries(before, &["t"], false, &is_ours);
        assert_eq!(cut.as_deref(), after, "{before}");
    }
    let cut = without_entries(r#"{"ours": {}, "x": {}}"#, &[], true, &is_ours);
    assert_eq!(cut.as_deref(), Some(r#"{"x": {}}"#));
    for (before, after) in [
        (r#"{"t": { }, "x": {}}"#, Some(r#"{"x": {}}"#)),
        (r#"{"t": {"a":{}}, "x": {}}"#, None),
        (r#"{"t": [], "x": {}}"#, None),
    ] {
        assert_eq!(without_empty(before, &["t"]).as_deref(), after, "{before}");
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
