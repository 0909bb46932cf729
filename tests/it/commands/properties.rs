//! Whatever the text: an answer, bounded, and the same one each time.

use proptest::prelude::*;
use roz::shell;

/// Text that is close to shell: its signs far more often than by chance.
fn shellish() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z]{1,3}",
        r#"[ \t\n'"\\$`(){}<>|&;#!*?\[\]=~,.:/@%^+-]"#,
        Just("$(".to_owned()),
        Just("${".to_owned()),
        Just("<<EOF\n".to_owned()),
        Just("EOF\n".to_owned()),
        Just("if ".to_owned()),
        Just("; then ".to_owned()),
        Just("; fi".to_owned()),
        Just("case x in ".to_owned()),
        Just(";; esac".to_owned()),
        Just("for x in a b; do ".to_owned()),
        Just("; done".to_owned()),
        Just("f() { ".to_owned()),
        Just("bash -c '".to_owned()),
        Just("eval ".to_owned()),
        Just("sudo -u ".to_owned()),
        Just("xargs -I{} ".to_owned()),
        Just("python3 -c '".to_owned()),
        Just("os.system(\"".to_owned()),
        Just("sed -i s/".to_owned()),
        Just("x=".to_owned()),
        Just("x=(".to_owned()),
        Just("{a,b}".to_owned()),
        Just("${x#".to_owned()),
        Just("\u{FFFC}é\u{1F600}".to_owned()),
    ];
    proptest::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_an_answer_and_always_the_same(line in shellish()) {
        let reading = shell::read(&line);
        prop_assert_eq!(&reading, &shell::read(&line));
        for key in reading.keys() {
            prop_assert!(key.starts_with("Bash:"));
            shell::may_match("Bash:git p?sh*", &key);
        }
    }

    #[test]
    fn the_answer_is_no_longer_than_the_limits(line in ".{0,400}") {
        let reading = shell::read(&line);
        prop_assert!(reading.runs.len() <= 10_000);
        prop_assert!(reading.unreadable.is_some() || reading.runs.len() <= line.len() + 1);
        shell::raw_words(&line);
    }

    #[test]
    fn code_in_any_language_has_an_answer(code in shellish()) {
        let quoted = code.replace('\'', "'\\''");
        for program in ["python3 -c", "node -e", "perl -e", "ruby -e", "php -r", "awk", "lua -e"] {
            shell::read(&format!("{program} '{quoted}'"));
        }
    }

    #[test]
    fn a_quoted_mention_is_no_use(text in "[ -~]{0,40}") {
        let quoted = format!("echo '{}'", text.replace('\'', "'\\''"));
        let reading = shell::read(&quoted);
        prop_assert_eq!(reading.runs.len(), 1);
        prop_assert!(!reading.may_run("Bash:git push*"));
    }

    #[test]
    fn whatever_stands_before_a_line_break_hides_nothing(before in "[a-z ;&|]{0,20}") {
        let reading = shell::read(&format!("{before}\ngit push"));
        prop_assert!(
            reading.may_run("Bash:git push*")
                || reading.unreadable.is_some()
                || before.trim_end().ends_with(['|', '&'])
        );
    }
}

#[test]
fn operands_within_operands_are_expanded_once() {
    // Twice each would take longer than anybody waits.
    const DEPTH: usize = 38;
    for operator in [":-", "-", ":=", "=", ":?", "?", ":+", "+", "#", "%", "/", "//", ":", "^", "@"]
    {
        for (before, name) in [
            ("x=", "x"),
            ("x=$y", "x"),
            ("x=abc", "x"),
            ("x=$(c)", "x"),
            ("a=(1 2 3)", "a[@]"),
            ("set -- a b c", "@"),
        ] {
            let opened = format!("${{{name}{operator}").repeat(DEPTH);
            let line = format!("{before}; : {opened}b{}; git push", "}".repeat(DEPTH));
            assert!(shell::read(&line).may_run("Bash:git push*"), "{line}");
        }
    }
}
