//! What a change of several files means, by labelled examples: a step for each
//! file, with the reason.

use std::{fs, path::Path};

use roz::core::intent::mutation::{self, File};

#[derive(Default)]
struct Case {
    steps: Vec<String>,
    why: String,
    files: Vec<(String, String, String)>,
}

/// `@@ STEP STEP …: WHY`, then for each file `@@ file PATH`, the text before,
/// `@@ to`, the text after; no text: no file.
fn cases() -> Vec<Case> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/mutation/moves.cases");
    let text = fs::read_to_string(file).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    let mut is_after = false;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "@@ to" {
            is_after = true;
        } else if let Some(path) = line.strip_prefix("@@ file ") {
            let (before, after) = (String::new(), String::new());
            cases.last_mut().unwrap().files.push((path.trim_end().to_owned(), before, after));
            is_after = false;
        } else if let Some(head) = line.strip_prefix("@@ ") {
            let (steps, why) = head.split_once(": ").expect(line);
            let steps = steps.split(' ').map(str::to_owned).collect();
            cases.push(Case { steps, why: why.trim_end().to_owned(), files: Vec::new() });
        } else {
            let (_, before, after) = cases.last_mut().unwrap().files.last_mut().unwrap();
            if is_after { after } else { before }.push_str(line);
        }
    }
    cases
}

fn steps(files: &[(String, String, String)], is_back: bool) -> Vec<String> {
    fn text(it: &str) -> Option<&[u8]> {
        (!it.is_empty()).then_some(it.as_bytes())
    }
    let files: Vec<File> = files
        .iter()
        .map(|(path, before, after)| {
            let (before, after) = if is_back { (after, before) } else { (before, after) };
            File { path, before: text(before), after: text(after) }
        })
        .collect();
    mutation::judge_all(&files).iter().map(|it| it.evidence.step.word()).collect()
}

#[test]
fn every_labelled_move_is_what_its_label_says() {
    let mut wrong = Vec::new();
    for case in cases() {
        let found = steps(&case.files, false);
        if found != case.steps {
            wrong.push(format!("{}: {found:?}, and is {:?}", case.why, case.steps));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The same definitions the other way round: back where they were.
#[test]
fn a_move_is_one_backwards_too() {
    for case in cases().iter().filter(|it| it.steps.iter().all(|it| it == "move")) {
        assert_eq!(steps(&case.files, true), case.steps, "{}", case.why);
    }
}

/// Whatever is cut out of such files or put into them: an answer, the same one
/// each time.
#[test]
fn all_files_together_have_an_answer_whatever_they_say() {
    use proptest::{prelude::*, test_runner::TestRunner};
    let cases = cases();
    let mut runner = TestRunner::new(ProptestConfig { cases: 300, ..ProptestConfig::default() });
    let at = any::<prop::sample::Index>;
    let change = (0..cases.len(), at(), at(), at(), any::<bool>(), "[ -~\\n\u{e9}]{0,12}");
    runner
        .run(&change, |(case, file, from, length, is_after, new)| {
            let mut files = cases[case].files.clone();
            let file = file.index(files.len());
            let (_, before, after) = &mut files[file];
            let text = if is_after { after } else { before };
            let from = from.index(text.len() + 1);
            let to = (from + length.index(30)).min(text.len());
            if text.is_char_boundary(from) && text.is_char_boundary(to) {
                text.replace_range(from..to, &new);
            }
            prop_assert_eq!(steps(&files, false), steps(&files, false));
            Ok(())
        })
        .unwrap();
}
