//! Each symptom in `docs/troubleshooting.md` is something that roz says.

use std::fs;

use super::page::root;

const PATH: &str = "docs/troubleshooting.md";
/// What stands for names and numbers in a message is no longer, in bytes.
const CLOSE: usize = 80;

/// The headings of symptoms: the texts between backticks, split at `…`.
fn symptoms(page: &str) -> Vec<Vec<&str>> {
    let headings = page.lines().filter_map(|it| it.strip_prefix("### `")?.strip_suffix('`'));
    headings.map(|it| it.split('…').map(str::trim).filter(|it| !it.is_empty()).collect()).collect()
}

#[test]
fn every_symptom_is_something_that_roz_says() {
    let page = fs::read_to_string(root().join(PATH)).unwrap();
    let texts = said();
    let symptoms = symptoms(&page);
    assert!(symptoms.len() >= 15, "{} symptoms", symptoms.len());
    for pieces in symptoms {
        let is_said = texts.iter().any(|text| says(text, &pieces));
        assert!(is_said, "roz does not say `{}`", pieces.join(" … "));
    }
}

#[test]
fn every_symptom_has_its_cause_and_its_remedy() {
    let page = fs::read_to_string(root().join(PATH)).unwrap();
    for section in page.split("\n### ").skip(1) {
        let heading = section.lines().next().unwrap();
        for word in ["\n*Why:* ", "\n*What to do:* "] {
            assert!(section.contains(word), "{heading}: no {}", word.trim());
        }
    }
}

/// Whether the pieces stand in a text in their order, close together.
fn says(text: &str, pieces: &[&str]) -> bool {
    let (first, others) = pieces.split_first().expect("a symptom says something");
    text.match_indices(first).any(|(at, _)| {
        let mut rest = &text[at + first.len()..];
        others.iter().all(|piece| {
            let found = rest.find(piece).filter(|at| *at <= CLOSE);
            rest = found.map_or("", |at| &rest[at + piece.len()..]);
            found.is_some()
        })
    })
}

#[test]
fn what_is_far_apart_is_not_one_message() {
    assert!(says("a {x} b, c", &["a", "b", "c"]));
    assert!(!says("a {x} b", &["b", "a"]));
    assert!(!says(&format!("a {} b", "x".repeat(CLOSE + 1)), &["a", "b"]));
}

/// The texts of roz: its templates, and its sources without the breaks in
/// their literals. What tests say is not among them.
fn said() -> Vec<String> {
    let mut texts = Vec::new();
    let mut todo = vec![root().join("src"), root().join("templates")];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(path).unwrap().map(|it| it.unwrap().path()));
            continue;
        }
        if path.file_stem().is_some_and(|it| it == "tests") || path.iter().any(|it| it == "tests") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<&str> = text.split("\\\n").collect();
        let mut joined = lines[0].to_owned();
        for line in &lines[1..] {
            joined += line.trim_start();
        }
        texts.push(joined.replace("\\\"", "\""));
    }
    texts
}
