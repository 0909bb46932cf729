use super::*;

#[track_caller]
fn added(text: &str) -> String {
    let new = with_server(text).unwrap().unwrap();
    let value: Value = serde_json::from_str(&new).unwrap();
    assert_eq!(value["mcpServers"]["roz"]["command"], "roz", "{new}");
    assert_eq!(with_server(&new), Ok(None), "it is added once");
    new
}

#[test]
fn a_server_is_added_and_everything_else_stays_in_its_place() {
    let text = "{\n\t\"z\": 1,\n  \"mcpServers\": {\n    \"b\": {\"command\": \"b\"},\n    \
                \"a\": {}\n  },\n  \"c\": [1.50]\n}";
    for text in [text.to_owned(), text.replace('\n', "\r\n")] {
        let mut rest = added(&text).chars().collect::<Vec<_>>().into_iter();
        assert!(text.chars().all(|c| rest.any(|item| item == c)), "{text}");
    }
    let empty = added("{\r\n}\r\n");
    assert_eq!(empty.matches('\n').count(), empty.matches("\r\n").count(), "{empty:?}");
    for text in ["", "  \n", "{}", "{ \"mcpServers\": {} }", "{\"x\":{\"mcpServers\":{}}}"] {
        added(text);
    }
}

#[test]
fn what_cannot_be_added_to_is_left_alone() {
    for text in [
        "{",
        "[]",
        "7",
        "{\"mcpServers\": []}",
        "{\"mcpServers\": null}",
        "{\"mcpServers\": {}, \"mcpServers\": {}}",
        "// comment\n{}",
    ] {
        assert!(with_server(text).is_err(), "{text}");
    }
}
