//! Links between pages lead somewhere, down to the heading.

use std::{collections::BTreeSet, fs, path::Path};

use super::page::{self, root};

/// Pages beside those that are run.
const OTHERS: &[&str] =
    &["CHANGELOG.md", "benches/README.md", "tests/client/README.md", "tests/retrieval/README.md"];

#[test]
fn every_link_of_a_page_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut count = 0;
    let pages: Vec<String> = page::all().into_iter().map(|it| it.path).collect();
    for path in pages.iter().map(String::as_str).chain(OTHERS.iter().copied()) {
        let text = fs::read_to_string(root().join(path)).unwrap();
        for target in targets(&text) {
            count += 1;
            if let Some(why) = trouble(path, &text, &target) {
                wrong.push(format!("{path}: `{target}` {why}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 20, "only {count} links were found");
}

#[test]
fn every_page_is_led_to_from_the_readme() {
    let mut seen = BTreeSet::from(["README.md".to_owned()]);
    let mut todo = vec!["README.md".to_owned()];
    while let Some(path) = todo.pop() {
        let text = fs::read_to_string(root().join(&path)).unwrap();
        let folder = Path::new(&path).parent().unwrap();
        for target in targets(&text) {
            let file = target.split('#').next().unwrap_or_default();
            let Some(file) = (!file.is_empty()).then(|| flat(&folder.join(file))) else { continue };
            let is_page = Path::new(&file).extension().is_some_and(|it| it == "md");
            if is_page && root().join(&file).exists() && seen.insert(file.clone()) {
                todo.push(file);
            }
        }
    }
    for page in page::all() {
        assert!(seen.contains(&page.path), "nothing leads to {}", page.path);
    }
}

/// What is wrong with a link, if anything is.
fn trouble(path: &str, text: &str, target: &str) -> Option<String> {
    if target.starts_with("https://") {
        return None;
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = Path::new(path).parent().unwrap();
    let linked = if file.is_empty() { root().join(path) } else { root().join(folder).join(file) };
    if !linked.exists() {
        return Some("is not there".to_owned());
    }
    if anchor.is_empty() {
        return None;
    }
    let there = if file.is_empty() { text.to_owned() } else { fs::read_to_string(linked).unwrap() };
    let known = anchors(&there);
    (!known.contains(anchor)).then(|| format!("has no such heading: {known:?}"))
}

/// What a page links to: `[words](target)` and `src="target"`.
fn targets(text: &str) -> Vec<String> {
    let text = without_code(text);
    let ends = |open: &str, close: char| {
        let pieces = text.split(open).skip(1).map(|it| it.split(close).next().unwrap_or_default());
        pieces.map(str::to_owned).collect::<Vec<_>>()
    };
    [ends("](", ')'), ends("src=\"", '"'), ends("href=\"", '"')].concat()
}

/// The names that headings have as targets: lower case, hyphens for blanks,
/// nothing but letters, digits and hyphens.
fn anchors(text: &str) -> BTreeSet<String> {
    let slug = |heading: &str| {
        let kept = heading.to_lowercase();
        let kept = kept.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.collect::<String>().replace(' ', "-")
    };
    let text = without_blocks(text);
    let headings = text.lines().filter(|it| it.starts_with('#'));
    headings.map(|it| slug(it.trim_start_matches('#').trim())).collect()
}

fn without_blocks(text: &str) -> String {
    let outside = text.split("\n```").step_by(2);
    outside.collect::<Vec<_>>().join("\n")
}

fn without_code(text: &str) -> String {
    without_blocks(text).split('`').step_by(2).collect::<Vec<_>>().join("`")
}

fn flat(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.iter().filter_map(|it| it.to_str()) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[test]
fn a_link_to_nowhere_is_found() {
    let text = "[a](README.md#install) `[b](none.md)` [c](none.md) [d](#there)\n\n## There\n";
    let found: Vec<_> = targets(text);
    assert_eq!(found, ["README.md#install", "none.md", "#there"]);
    let wrong = |it: &str| trouble("README.md", text, it).is_some();
    assert!(wrong("none.md") && wrong("#nowhere") && wrong("docs/limits.md#nowhere"));
    assert!(!wrong("#there") && !wrong("docs/limits.md#what-to-put-beside-it"));
}
