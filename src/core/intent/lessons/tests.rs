use proptest::prelude::*;

use super::*;

fn lesson(text: &str, intent: &str, files: &[&str]) -> Lesson {
    let files = files.iter().map(|file| (*file).to_owned()).collect();
    let intents = Vec::from_iter((!intent.is_empty()).then(|| intent.to_owned()));
    Lesson { text: text.to_owned(), about: About { intents, files } }
}

#[test]
fn a_lesson_is_found_again_as_it_was_written() {
    let first = lesson("Mind the --> clock.", "INT-1", &["src/a-->b.rs"]);
    let text = with("", &first).0.unwrap();
    assert_eq!(read(&text), std::slice::from_ref(&first));
    let second = lesson("And the port.", "", &[]);
    let text = with(&text, &second).0.unwrap();
    assert_eq!(read(&text), [first, second]);
}

#[test]
fn a_lesson_that_is_there_is_not_written_again() {
    let text = with("", &lesson("Mind the clock.", "INT-1", &[])).0.unwrap();
    let again = lesson("  mind the\nclock", "INT-1", &[]);
    assert_eq!(with(&text, &again), (None, Learned::Known));
}

#[test]
fn a_lesson_that_is_there_comes_to_concern_more_and_is_one_line_still() {
    let text = "# Brain\r\n\r\n## Lessons Learned\r\n\r\n- Mind the clock.\r\n- Other.\r\n";
    let (text, learned) = with(text, &lesson("mind the clock", "INT-1", &[]));
    assert_eq!(learned, Learned::Wider);
    let (text, learned) = with(&text.unwrap(), &lesson("Mind the clock", "INT-2", &["a@b.rs"]));
    assert_eq!(learned, Learned::Wider);
    let text = text.unwrap();
    assert_eq!(
        text,
        "# Brain\r\n\r\n## Lessons Learned\r\n\r\n- Mind the clock. <!-- roz \
         {\"intent\":[\"INT-1\",\"INT-2\"],\"files\":[\"a\\u0040b.rs\"]} -->\r\n- Other.\r\n"
    );
    assert_eq!(with(&text, &lesson("Mind the clock", "INT-2", &["a@b.rs"])).1, Learned::Known);
    for id in ["INT-1", "INT-2"] {
        let intent = Intent { id: id.into(), ..Intent::default() };
        assert_eq!(of_intent(&read(&text), &intent, Case::Keeps), ["Mind the clock."]);
    }
}

#[test]
fn no_word_of_a_lesson_asks_the_client_for_a_file() {
    for (said, written) in [
        ("@.env leaks", "&#64;.env leaks"),
        ("see **@/etc/passwd** and (@a)", "see **&#64;/etc/passwd** and (&#64;a)"),
        ("me@home is fine", "me@home is fine"),
        ("turned \u{202e}dwssap", "turned \\u{202e}dwssap"),
    ] {
        let text = with("", &lesson(said, "INT-1", &["@x"])).0.unwrap();
        let line = text.lines().last().unwrap();
        assert_eq!(
            line,
            format!("- {written} <!-- roz {{\"intent\":[\"INT-1\"],\"files\":[\"\\u0040x\"]}} -->")
        );
        let known = read(&text).remove(0);
        assert_eq!(known.about.files, ["@x"]);
        assert_eq!(with(&text, &Lesson { text: known.text, about: known.about }).1, Learned::Known);
    }
}

#[test]
fn the_rest_of_the_file_stays_as_it_is() {
    let text = "# Brain\n\n## Lessons Learned\n\n- By hand.\n\n\
                ## Style\r\nTabs.";
    let new = with(text, &lesson("New.", "", &[])).0.unwrap();
    assert_eq!(new, text.replace("- By hand.\n", "- By hand.\r\n- New.\n"));
    let texts: Vec<String> = read(&new).into_iter().map(|lesson| lesson.text).collect();
    assert_eq!(texts, ["By hand.", "New."]);
}

#[test]
fn only_what_concerns_the_intent_is_told_newest_first() {
    let all = [
        lesson("of it", "INT-1", &[]),
        lesson("of another", "INT-2", &[]),
        lesson("of its files", "INT-2", &["src/a.rs"]),
        lesson("of others", "", &["docs/a.md"]),
        lesson("names INT-1, by hand", "", &[]),
        lesson("names INT-12", "", &[]),
    ];
    let intent =
        Intent { id: "INT-1".into(), owned_scope: vec!["src/**".into()], ..Intent::default() };
    let told = of_intent(&all, &intent, Case::Keeps);
    assert_eq!(told, ["names INT-1, by hand", "of its files", "of it"]);
}

proptest! {
    #[test]
    fn whatever_the_file_says_a_lesson_is_one_line_in_it(text in any::<String>(), said in "\\PC*\n?\\PC*") {
        let new = lesson(&said, "INT-1", &[]);
        let before = read(&text).len();
        if let (Some(after), learned) = with(&text, &new) {
            let added = usize::from(!said.trim().is_empty() && learned == Learned::New);
            prop_assert!(read(&after).len() >= before + added, "{after:?}");
        }
    }
}
