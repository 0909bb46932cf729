use super::*;

#[test]
fn a_cut_never_splits_a_character() {
    for max in 0..8 {
        assert!("aé漢🦀".starts_with(cut("aé漢🦀", max)));
    }
}

#[test]
fn plain_text_neither_drives_a_terminal_nor_turns_it_round() {
    assert_eq!(plain("a\u{1b}[31m\tb\n"), "a\\u{1b}[31m    b\n");
    assert_eq!(plain("a\u{202e}cb\u{2066}\u{2069}"), "a\\u{202e}cb\\u{2066}\\u{2069}");
    assert_eq!(plain("שלום 日本 é"), "שלום 日本 é");
}

#[test]
fn a_large_input_keeps_its_beginning_its_size_and_its_hash() {
    let json = format!("{{\"a\":\"{}\"}}", "é".repeat(MAX_KEPT));
    let kept = TruncatedInput::of_json(&json);
    assert!(kept.truncated);
    assert_eq!(kept.original_size, Some(json.len()));
    assert_eq!(kept.original_hash, Some(sha256(json.as_bytes())));
    assert!(
        kept.value.as_str().is_some_and(|value| value.len() <= MAX_KEPT && json.starts_with(value))
    );
}

#[test]
fn a_small_input_is_kept_as_it_is() {
    let kept = TruncatedInput::of_json(r#"{"command":"ls"}"#);
    assert_eq!(kept.value["command"], "ls");
    assert!(!kept.truncated);
}

#[test]
fn the_digest_is_that_of_the_standard() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(sha256(b""), empty);
}
