//! How large each part of the program may become. A part over its budget has to give something up
//! before it grows: code that moves into a data file or a test is not gone.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A part of `src`, by the folders and files it is made of, and the most lines it may have.
struct Budget {
    paths: &'static [&'static str],
    lines: usize,
    /// Whether the test fails beyond it; where not, it prints a warning.
    is_held: bool,
}

const fn held(paths: &'static [&'static str], lines: usize) -> Budget {
    Budget { paths, lines, is_held: true }
}

const fn planned(paths: &'static [&'static str], lines: usize) -> Budget {
    Budget { paths, lines, is_held: false }
}

/// A path counts for the row that names the longest prefix of it, so `src/core` is what is beside
/// the gates.
const BUDGETS: &[Budget] = &[
    planned(&["src/cli", "src/plugin"], 10_000),
    held(&["src/clients"], 4_500),
    held(&["src/hooks"], 3_500),
    held(&["src/shim.rs"], 500),
    held(&["src/observe"], 1_500),
    planned(&["src/core"], 2_500),
    planned(&["src/core/review"], 3_500),
    held(&["src/core/reflection"], 5_200),
    held(&["src/core/intent"], 8_000),
    held(&["src/core/protect"], 2_000),
    held(&["src/shell"], 9_500),
    held(&["src/outline"], 1_000),
    held(&["src/storage"], 1_800),
    held(&["src/memory"], 3_200),
    planned(&["src/ledger", "src/sidecar", "src/usage_log", "src/usage_log.rs"], 3_000),
    held(&["src/config"], 2_500),
    planned(&["src/template.rs", "src/open", "src/open.rs", "src/world"], 3_000),
    held(&["src/lib.rs", "src/main.rs"], 150),
];

/// All of `src`.
const TOTAL: usize = 66_200;
/// Files other than Rust: tables that the program includes.
const DATA: usize = 2_500;

#[test]
#[expect(clippy::print_stdout, reason = "a part that is not held to its budget yet is a warning")]
fn every_part_of_the_program_keeps_to_its_budget() {
    let mut used = vec![0; BUDGETS.len()];
    let (mut total, mut data) = (0, 0);
    for path in files(Path::new("src")) {
        if !is_rust(&path) {
            data += lines(&path);
            continue;
        }
        if is_test(&path) {
            continue;
        }
        total += lines(&path);
        used[row_of(&path)] += lines(&path);
    }
    let mut over = Vec::new();
    for (budget, used) in BUDGETS.iter().zip(used) {
        let said = format!("{}: {used} lines of {}", budget.paths.join(", "), budget.lines);
        match used > budget.lines {
            true if budget.is_held => over.push(said),
            true => println!("warning: over budget: {said}"),
            false => (),
        }
    }
    if total > TOTAL {
        over.push(format!("src: {total} lines of {TOTAL}"));
    }
    if data > DATA {
        over.push(format!("data files in src: {data} lines of {DATA}"));
    }
    assert!(over.is_empty(), "over budget:\n{}", over.join("\n"));
}

/// The row whose path is the longest prefix of the file's.
fn row_of(path: &Path) -> usize {
    let length = |budget: &Budget| {
        let prefixes = budget.paths.iter().filter(|prefix| path.starts_with(prefix));
        prefixes.map(|prefix| prefix.len()).max()
    };
    let rows = BUDGETS.iter().enumerate().filter_map(|(row, budget)| Some((length(budget)?, row)));
    let (_, row) = rows.max().unwrap_or_else(|| panic!("{} has no budget", path.display()));
    row
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

fn is_test(path: &Path) -> bool {
    let is_name = |name: &str| path.file_name().is_some_and(|file| file == name);
    is_name("tests.rs") || is_name("contract.rs") || path.iter().any(|part| part == "tests")
}

fn lines(path: &Path) -> usize {
    fs::read_to_string(root().join(path)).expect("a text").lines().count()
}

/// The files below a folder, from the project's root, snapshots left out.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = folder.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            if path.file_name().is_some_and(|name| name != "snapshots") {
                found.extend(files(&path));
            }
        } else {
            found.push(path);
        }
    }
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
