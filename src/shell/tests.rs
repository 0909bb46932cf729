//! The reader's bounds and its interface. What lines mean is in the corpora, `tests/it/commands`.

use super::*;

/// `text` repeated.
fn many(text: &str, count: usize) -> String {
    text.repeat(count)
}

#[test]
fn no_nesting_or_length_overflows_the_stack_or_takes_long() {
    let openings = [
        "(",
        "((",
        "$(",
        "$((",
        "${",
        "${x:-",
        "<(",
        "{ ",
        "{",
        "{a,",
        "`",
        "\"$(",
        "[[ ( ",
        "if ",
        "while ",
        "case x in x) ",
        "for x in y; do ",
        "f() { ",
        "f() (",
        "a=(",
        "a[",
        "$[",
        "@(",
        "coproc ",
        "! ",
        "time ",
        "cat <<A ",
        "<<A $(",
        "bash -c \"",
        "eval eval ",
        "sudo ",
        "\"",
        "'",
        "\\",
        "$'",
        "x=$x ",
        "a && ",
        "a | ",
        "a;",
        "a=$a$a; ",
        "[ ",
        "{1..9}",
        "&",
    ];
    for opening in openings {
        for count in [1_000, 100_000] {
            let line = many(opening, count);
            let begun = std::time::Instant::now();
            let _ = read(&line).keys();
            let took = begun.elapsed();
            // A hang takes minutes; how long it takes is measured in `benches/`.
            assert!(took.as_secs() < 20, "{opening:?} × {count}: {took:?}");
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_not_taken_for_empty() {
    assert_eq!(read(&many("(", 100_000)).unreadable, Some(Unreadable::Depth));
    assert_eq!(read(&many("$(", 100_000)).unreadable, Some(Unreadable::Depth));
    assert_eq!(read(&many("a", 1_000_000)).unreadable, Some(Unreadable::Length));
    assert_eq!(read("git push \"").unreadable, Some(Unreadable::Quote));
}

#[test]
fn a_pipeline_of_four_thousand_stages_is_read() {
    let reading = read(&(many("cat | ", 3_999) + "git push"));
    assert_eq!(reading.unreadable, None);
    assert!(reading.may_run("Bash:git push*"));
}

/// Properties found it: after an error, a comment was skipped for ever.
#[test]
fn a_comment_after_an_error_ends() {
    for line in ["a (#", "a ( # b", "f(# )", "if (; #"] {
        assert!(read(line).unreadable.is_some(), "{line}");
    }
}

#[test]
fn what_was_read_before_an_error_stands() {
    let reading = read("git push\necho \"unclosed");
    assert_eq!(reading.unreadable, Some(Unreadable::Quote));
    assert!(reading.may_run("Bash:git push*"));
}

#[test]
fn the_raw_words_of_a_padded_line_hold_the_command() {
    for line in ["x 'a; git push origin", "echo \"$(git push origin", "g''it push origin '"] {
        let words = raw_words(line);
        assert!(words.iter().any(|words| words.starts_with("git push origin")), "{words:?}");
    }
}
