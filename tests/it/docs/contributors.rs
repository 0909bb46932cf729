//! What contributors are told of the sources is so.

use std::fs;

use super::page::{self, root};

/// Pages that tell of the sources.
const PAGES: &[&str] = &["CONTRIBUTING.md", "docs/architecture.md"];
/// Files at the root that are described.
const FOLDERS: &[&str] = &[
    "src/",
    "tests/",
    "docs/",
    "benches/",
    "templates/",
    "skills/",
    "agents/",
    "hooks/",
    "fuzz/",
    "examples/",
];

fn page(path: &str) -> String {
    let pages = page::all();
    pages.into_iter().find(|it| it.path == path).unwrap_or_else(|| panic!("no {path}")).text
}

/// The texts between backticks in a line's prose.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    let outside = text.split("\n```").step_by(2);
    outside.flat_map(|it| it.split('`').skip(1).step_by(2))
}

#[test]
fn the_modules_of_the_architecture_are_those_of_the_sources() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let mut modules: Vec<&str> =
        lib.lines().filter_map(|it| it.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    modules.sort_unstable();
    let page = page("docs/architecture.md");
    let (_, section) = page.split_once("\n## Where what lives\n").expect("a list of modules");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|it| it.strip_prefix("| `src/")?.split('`').next());
    let mut told: Vec<&str> =
        rows.map(|it| it.trim_end_matches(".rs").trim_end_matches('/')).collect();
    told.retain(|it| !it.contains('/') && *it != "main");
    told.sort_unstable();
    assert_eq!(told, modules);
}

#[test]
fn every_file_that_contributors_are_told_of_is_there() {
    let mut count = 0;
    for path in PAGES {
        let text = page(path);
        for span in spans(&text) {
            if !FOLDERS.iter().any(|it| span.starts_with(it)) || span.contains([' ', '<', '*']) {
                continue;
            }
            let file = span.split("::").next().unwrap();
            assert!(root().join(file).exists(), "{path}: `{span}` is not there");
            count += 1;
        }
    }
    assert!(count > 30, "only {count} files are told of");
}

#[test]
fn every_function_that_contributors_are_told_of_is_there() {
    let mut sources = String::new();
    let mut todo = vec![root().join("src"), root().join("tests")];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(path).unwrap().map(|it| it.unwrap().path()));
        } else if path.extension().is_some_and(|it| it == "rs") {
            sources += &fs::read_to_string(path).unwrap();
        }
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for path in PAGES {
        let text = page(path);
        for span in spans(&text).filter_map(|it| it.strip_suffix("()")) {
            let name = span.rsplit(|c| !is_name(c)).next().unwrap();
            let is_there = ["(", "<"].iter().any(|it| sources.contains(&format!("fn {name}{it}")));
            assert!(is_there, "{path}: there is no function `{name}`");
        }
    }
}
