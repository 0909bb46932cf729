use super::*;

#[test]
fn a_misspelling_finds_its_word_and_another_word_finds_none() {
    let words = ["mode", "gates", "reviewer_timeout_seconds"];
    for (typed, expected) in [
        ("mod", Some("mode")),
        ("Mode", Some("mode")),
        ("gaets", Some("gates")),
        ("reviewer-timeout-second", Some("reviewer_timeout_seconds")),
        ("colour", None),
        (&"m".repeat(1 << 20), None),
    ] {
        assert_eq!(nearest(typed, words), expected);
    }
}

#[test]
fn quoted_text_is_short_and_holds_no_control_characters() {
    assert_eq!(quoted("a\x1b[31m\n"), r"`a\u{1b}[31m\n`");
    assert!(quoted(&"é".repeat(10_000)).chars().count() < 70);
}

#[test]
fn a_diagnostic_is_one_line() {
    let place = Place::file(Path::new("/p/config.toml"), Some(3));
    let diagnostic = Diagnostic { place, problem: "p".into(), remedy: "r".into() };
    assert_eq!(diagnostic.to_string(), "/p/config.toml:3: p; r");
}
