//! Words, identifiers and paths of any spelling.

use proptest::prelude::*;

use super::*;

fn keys(text: &str) -> Vec<String> {
    let words = Words::new();
    chunks(text).flat_map(|chunk| words.terms(chunk)).collect()
}

#[test]
fn stop_words_are_sorted() {
    assert!(STOP.is_sorted_by(|a, b| a < b));
}

#[test]
fn every_spelling_of_an_identifier_is_the_same() {
    for spelling in ["kebab-case", "kebab_case", "kebabCase", "KebabCase", "KEBAB_CASE"] {
        assert_eq!(keys(spelling), ["kebab", "case", "=kebabcase"], "{spelling}");
    }
    assert_eq!(keys("HTTPServer"), ["http", "server", "=httpserver"]);
    assert_eq!(keys("base64Encode"), ["base64", "encod", "=base64encode"]);
}

#[test]
fn forms_of_a_word_are_the_same() {
    for (one, other) in [("panic", "panics"), ("retry", "retries"), ("Cache", "caching")] {
        assert_eq!(keys(one), keys(other), "{one} {other}");
    }
}

#[test]
fn a_path_is_its_parts() {
    assert_eq!(keys("src/cli/mod.rs:12"), ["src", "cli", "mod", "rs"]);
    for path in
        ["src/cli/mod.rs", "Cargo.toml", "mod.rs:12", "a/b.py:12:5", "C:/x/y.c:3", "a.ts:1:"]
    {
        assert!(is_path(path), "{path}");
    }
    for other in ["1.95", "https://a.example/b.html", "localhost:8080", "12:30", "a:b", ""] {
        assert!(!is_path(other), "{other}");
    }
}

#[test]
fn a_path_is_told_from_the_place_in_the_file() {
    for (path, file) in [
        ("a.rs:12", "a.rs"),
        ("a.rs:12:5", "a.rs"),
        ("C:/a.rs:12:", "C:/a.rs"),
        ("host:80/a.rs", "host:80/a.rs"),
        ("a.rs", "a.rs"),
        (":1", ""),
    ] {
        assert_eq!(without_place(path), file, "{path}");
    }
}

#[test]
fn an_identifier_is_told_from_prose() {
    for name in ["max_len", "Lexer::next", "parseInt", "E0502", "utf16", "SX1262", "ORA-00054"] {
        assert!(is_identifier(name), "{name}");
    }
    for prose in ["panic", "follow-up", "3rd", "5432", "HTTP", "and/or", "Node.js"] {
        assert!(!is_identifier(prose), "{prose}");
    }
}

#[test]
fn a_word_of_another_script_is_no_part_of_the_one_beside_it() {
    let words = keys("parserがheredocで");
    assert_eq!(words, ["parser", "が", "heredoc", "で", "=parserがheredocで"]);
    assert_eq!(keys("検索機能"), ["検索", "索機", "機能"]);
    assert_eq!(keys("Größe"), ["größe"]);
}

#[test]
fn versions_stay_whole_and_stop_words_go() {
    assert_eq!(keys("it does not work with 1.95.0"), ["work", "=1.95.0"]);
}

proptest! {
    #[test]
    fn no_text_is_too_strange(text in any::<String>()) {
        keys(&text);
    }

    #[test]
    fn no_text_of_words_is_too_strange(text in "[a-z'\u{300}é_./A-Z0-9 -]{0,60}") {
        keys(&text);
        chunks(&text).for_each(|chunk| { is_identifier(chunk); is_path(chunk); });
    }
}
