//! What changes mean, by pairs of texts that people labelled: the cases of each
//! language are in a file, with the reason for each label.

use std::{fs, path::Path};

use roz::core::intent::{ledger::MutationClass, mutation};

/// By the file's name: what such a text is called.
const LANGUAGES: &[(&str, &str)] = &[
    ("rust", "a.rs"),
    ("typescript", "a.ts"),
    ("javascript", "a.js"),
    ("python", "a.py"),
    ("go", "a.go"),
    ("java", "A.java"),
];

struct Case {
    step: String,
    class: MutationClass,
    why: String,
    before: String,
    after: String,
}

/// `@@ STEP CLASS: WHY`, the text before, `@@ to`, the text after.
fn cases(language: &str) -> Vec<Case> {
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/it/mutation/{language}.cases"));
    let text = fs::read_to_string(file).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    let mut is_after = false;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "@@ to" {
            is_after = true;
        } else if let Some(head) = line.strip_prefix("@@ ") {
            let (labels, why) = head.split_once(": ").expect(line);
            let (step, class) = labels.split_once(' ').expect(line);
            let class = match class {
                "refactor" => MutationClass::AstRefactor,
                "evolution" => MutationClass::IntentEvolution,
                other => panic!("{other}"),
            };
            let (step, why) = (step.to_owned(), why.trim_end().to_owned());
            let (before, after) = (String::new(), String::new());
            cases.push(Case { step, class, why, before, after });
            is_after = false;
        } else {
            let case = cases.last_mut().unwrap();
            if is_after { &mut case.after } else { &mut case.before }.push_str(line);
        }
    }
    cases
}

/// What the change of a single file means.
fn meaning_of(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> mutation::Meaning {
    mutation::judge_all(&[mutation::File { path, before, after }]).remove(0)
}

#[test]
fn every_labelled_change_is_what_its_label_says() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for (language, path) in LANGUAGES {
        for case in cases(language) {
            count += 1;
            let texts = (Some(case.before.as_bytes()), Some(case.after.as_bytes()));
            let meaning = meaning_of(path, texts.0, texts.1);
            let step = meaning.evidence.step.word();
            if (step.as_str(), meaning.class) != (case.step.as_str(), case.class) {
                wrong.push(format!(
                    "{language}: {}: {step} {:?} {:?}",
                    case.why, meaning.class, meaning.evidence
                ));
            }
        }
    }
    assert!(count >= 60, "{count}");
    assert!(wrong.is_empty(), "{} of {count} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Pairs of which each does something else than the other, or may: by their
/// files' names, `@@ PATH: WHY`.
#[test]
fn what_does_something_else_is_not_proved() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mutation/unproved.cases");
    let text = fs::read_to_string(file).unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for (path, why, before, after) in twisted(&text) {
        count += 1;
        for (before, after) in [(&before, &after), (&after, &before)] {
            let meaning = meaning_of(path, Some(before.as_bytes()), Some(after.as_bytes()));
            if meaning.evidence.proved {
                wrong.push(format!("{path}: {why}: {}", meaning.evidence.step.word()));
            }
        }
    }
    assert!(count >= 150, "{count}");
    assert!(wrong.is_empty(), "{} of {count} proved:\n{}", wrong.len(), wrong.join("\n"));
}

/// Plain cases that people mean, proved in both directions: `@@ PATH STEP: WHY`.
#[test]
fn what_people_mean_by_a_refactoring_is_proved() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mutation/proved.cases");
    let text = fs::read_to_string(file).unwrap();
    let (mut count, mut wrong) = (0, Vec::new());
    for (label, why, before, after) in twisted(&text) {
        let (path, step) = label.split_once(' ').expect(label);
        for (before, after) in [(&before, &after), (&after, &before)] {
            count += 1;
            let meaning = meaning_of(path, Some(before.as_bytes()), Some(after.as_bytes()));
            let found = meaning.evidence.step.word();
            if !meaning.evidence.proved || found != step {
                wrong.push(format!("{path}: {why}: {found}"));
            }
        }
    }
    assert!(count >= 36, "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

fn twisted(text: &str) -> Vec<(&str, &str, String, String)> {
    let mut cases: Vec<(&str, &str, String, String)> = Vec::new();
    let mut is_after = false;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "@@ to" {
            is_after = true;
        } else if let Some(head) = line.strip_prefix("@@ ") {
            let (path, why) = head.split_once(": ").expect(line);
            cases.push((path, why.trim_end(), String::new(), String::new()));
            is_after = false;
        } else {
            let (_, _, before, after) = cases.last_mut().unwrap();
            if is_after { after } else { before }.push_str(line);
        }
    }
    cases
}

/// A proof has to hold the other way round, too.
#[test]
fn what_is_proved_is_proved_backwards() {
    for (language, path) in LANGUAGES {
        for case in cases(language) {
            let (before, after) = (Some(case.before.as_bytes()), Some(case.after.as_bytes()));
            let there = meaning_of(path, before, after).evidence;
            let back = meaning_of(path, after, before).evidence;
            // What others may use comes without harm, and does not go so.
            let gains = there.net.public_names > 0 && there.proved;
            let is_same = there.proved == back.proved || gains;
            assert!(is_same, "{language}: {}: {there:?} {back:?}", case.why);
            assert_eq!(there.net.flow, -back.net.flow, "{language}: {}", case.why);
        }
    }
}

#[track_caller]
fn step(path: &str, before: &[u8], after: &[u8]) -> (String, bool) {
    let meaning = meaning_of(path, Some(before), Some(after));
    (meaning.evidence.step.word(), meaning.class == MutationClass::IntentEvolution)
}

fn is(step: &str, is_evolution: bool) -> (String, bool) {
    (step.to_owned(), is_evolution)
}

const TWO: &[u8] = b"fn a() {\n    b();\n}\n";

#[test]
fn line_ends_marks_and_a_last_newline_are_format() {
    let crlf = String::from_utf8(TWO.to_vec()).unwrap().replace('\n', "\r\n");
    assert_eq!(step("a.rs", TWO, crlf.as_bytes()), is("comment_only", false));
    let marked = [b"\xef\xbb\xbf", TWO].concat();
    assert_eq!(step("a.rs", TWO, &marked), is("comment_only", false));
    assert_eq!(step("a.rs", TWO, TWO.trim_ascii_end()), is("comment_only", false));
    // In a text they are part of it; a checkout makes them all alike.
    let (one, other) = (b"const A: &str = \"a\nb\";\n", b"const A: &str = \"a\n b\";\n");
    assert_eq!(step("a.rs", one, other), is("same_surface", false));
    // Also where both texts are so.
    let new = crlf.replace("b();", "b();\r\n    c();");
    assert_eq!(step("a.rs", crlf.as_bytes(), new.as_bytes()), is("same_surface", false));
}

#[test]
fn what_nobody_can_read_is_evolution_and_says_so() {
    let large = [TWO, &b"// x\n".repeat(1 << 20)].concat();
    assert!(large.len() > 5 << 20);
    let cases: [(&str, &[u8], &[u8], &str); 7] = [
        ("a.rs", TWO, b"fn a( {", "syntax_error"),
        ("a.rs", b"fn a( {", TWO, "syntax_error"),
        ("a.rs", TWO, b"fn a() {\0}", "binary"),
        ("a.png", b"\x89PNG\0", b"\x89PNG\0\0", "binary"),
        ("a.rs", TWO, &large, "too_large"),
        ("notes.md", b"one", b"two", "no_grammar"),
        ("Cargo.toml", b"a = 1", b"a = 2", "no_grammar"),
    ];
    for (path, before, after, expected) in cases {
        assert_eq!(step(path, before, after), is(expected, true), "{path}");
        let evidence = meaning_of(path, Some(before), Some(after)).evidence;
        assert!(evidence.why.is_some() && !evidence.proved, "{evidence:?}");
    }
    // Bytes that are no UTF-8 are read where they stand in a text or a comment.
    assert_eq!(step("a.py", b"a = 'x'\n", b"# \xff\xfe\na = 'x'\n"), is("comment_only", false));
    assert!(step("a.py", b"a = 1\n", b"a = \xff\xfe\n").1);
}

#[test]
fn a_new_file_is_evolution_and_a_text_that_is_the_same_is_not() {
    let judge = |before, after| {
        let meaning = meaning_of("a.rs", before, after);
        (meaning.evidence.step.word(), meaning.class == MutationClass::IntentEvolution)
    };
    assert_eq!(judge(None, Some(TWO)), is("new_file", true));
    assert_eq!(judge(None, Some(&b""[..])), is("new_file", true));
    assert_eq!(judge(Some(TWO), None), is("deleted_file", false));
    assert_eq!(judge(Some(TWO), Some(TWO)), is("identical", false));
    assert_eq!(judge(None, None), is("identical", false));
    let names: Vec<String> = meaning_of("a.rs", None, Some(TWO))
        .evidence
        .definitions
        .into_iter()
        .map(|it| it.name)
        .collect();
    assert_eq!(names, ["a"]);
}

#[test]
fn what_is_gone_here_and_there_again_was_moved() {
    let file = |path, before, after| mutation::File { path, before, after };
    let other = &b"fn z() {}\n"[..];
    let steps = |files: &[mutation::File]| -> Vec<String> {
        mutation::judge_all(files).iter().map(|it| it.evidence.step.word()).collect()
    };
    let moved = [
        file("a.rs", Some(TWO), None),
        file("b.rs", None, Some(TWO)),
        file("c.rs", None, Some(other)),
    ];
    assert_eq!(steps(&moved), ["move", "move", "new_file"]);
    // Two names for what was one: the second is new.
    let copied = [
        file("a.rs", Some(TWO), None),
        file("b.rs", None, Some(TWO)),
        file("c.rs", None, Some(TWO)),
    ];
    assert_eq!(steps(&copied), ["move", "move", "new_file"]);
}

/// Whatever is cut out of a real text or put into it: an answer, the same one
/// each time.
#[test]
fn every_text_has_an_answer() {
    use proptest::{prelude::*, test_runner::TestRunner};
    let texts: Vec<(&str, Vec<u8>)> = LANGUAGES
        .iter()
        .flat_map(|(language, path)| {
            cases(language).into_iter().map(move |it| (*path, (it.before + &it.after).into_bytes()))
        })
        .collect();
    let mut runner = TestRunner::new(ProptestConfig { cases: 400, ..ProptestConfig::default() });
    let change = (
        0..texts.len(),
        any::<prop::sample::Index>(),
        any::<prop::sample::Index>(),
        "[ -~\\n\u{e9}]{0,12}",
    );
    runner
        .run(&change, |(text, from, to, new)| {
            let (path, before) = &texts[text];
            let (from, to) = (from.index(before.len()), to.index(before.len()));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 40));
            let after = [&before[..from], new.as_bytes(), &before[to..]].concat();
            let one = meaning_of(path, Some(before), Some(&after));
            prop_assert_eq!(&one, &meaning_of(path, Some(before), Some(&after)));
            Ok(())
        })
        .unwrap();
}
