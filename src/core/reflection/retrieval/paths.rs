//! Paths as terms: the file itself, its name, and the folders it lies in.
//!
//! What is asked for (the files of a diff) and what is there (the files that a
//! learning names) are compared as a whole, by the name alone, and by the folders,
//! as the project names them: one may be relative to a folder of the other.

use super::words::without_place;

/// Names that say nothing about what is in a file.
const COMMON: &[&str] = &[
    "mod.rs",
    "lib.rs",
    "main.rs",
    "index.js",
    "index.ts",
    "index.tsx",
    "index.html",
    "main.go",
    "main.py",
    "main.c",
    "__init__.py",
    "readme.md",
    "package.json",
    "cargo.toml",
    "makefile",
    "dockerfile",
    "main.tf",
    "variables.tf",
    "outputs.tf",
    "values.yaml",
    "setup.py",
];

/// What a file in the same folder is worth, of the file itself.
const FOLDER: f32 = 0.5;

/// How far up folders are looked at.
const LEVELS: usize = 3;

/// A way in which a path can be met.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    pub(super) key: String,
    /// What it is worth when it is met: the file itself is 1.
    pub(super) worth: f32,
}

/// The terms of a file, or a folder, that a learning names, each with how
/// strongly it stands for it: up to 255.
pub(super) fn of_learning(path: &str) -> Vec<(String, u8)> {
    let path = normal(path);
    if path.is_empty() {
        return Vec::new();
    }
    let mut res = vec![(file(&path), 255)];
    let name = path.rsplit('/').next().unwrap_or_default();
    if is_telling(name) {
        res.push((named(name), 255));
    }
    // Without an extension it may be a folder itself.
    let mut strength = 255;
    let begin = if name.contains('.') { parent(&path) } else { Some(path.as_str()) };
    for folder in up(begin) {
        res.push((within(folder), strength));
        strength /= 2;
    }
    res
}

/// How learnings about a file that was changed are found.
pub(super) fn of_query(path: &str) -> Vec<Way> {
    let path = normal(path);
    if path.is_empty() {
        return Vec::new();
    }
    let mut res = vec![Way { key: file(&path), worth: 1.0 }];
    let name = path.rsplit('/').next().unwrap_or_default();
    if is_telling(name) {
        res.push(Way { key: named(name), worth: 0.7 });
    }
    let mut worth = FOLDER;
    for folder in up(parent(&path)) {
        res.push(Way { key: within(folder), worth });
        worth /= 2.0;
    }
    res
}

fn normal(path: &str) -> String {
    let path = path.trim().replace('\\', "/").to_lowercase();
    let path = path.strip_prefix("./").unwrap_or(&path).trim_matches('/');
    without_place(path).to_owned()
}

fn is_telling(name: &str) -> bool {
    name.contains('.') && !COMMON.contains(&name)
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(it, _)| it)
}

fn up(from: Option<&str>) -> impl Iterator<Item = &str> {
    std::iter::successors(from, |it| parent(it)).take(LEVELS)
}

/// What the terms of files begin with, those of their names, and those of
/// folders. No word does.
pub(super) const FILE: char = '/';
pub(super) const NAME: char = '*';
pub(super) const WITHIN: char = '>';

fn file(path: &str) -> String {
    format!("{FILE}{path}")
}

fn named(name: &str) -> String {
    format!("{NAME}/{name}")
}

fn within(folder: &str) -> String {
    format!("{WITHIN}{folder}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The best that a file of a learning and a changed file have in common.
    fn overlap(of_file: &str, changed: &str) -> f32 {
        let there = of_learning(of_file);
        let common = of_query(changed).into_iter().filter_map(|way| {
            let (_, strength) = there.iter().find(|(key, _)| *key == way.key)?;
            Some(way.worth * f32::from(*strength) / 255.0)
        });
        common.fold(0.0, f32::max)
    }

    #[test]
    fn the_same_file_is_more_than_its_name_and_that_more_than_its_folder() {
        let of_file = "src/billing/tax.py";
        let same = overlap(of_file, "./src/billing/tax.py");
        let moved = overlap(of_file, "backend/src/billing/tax.py");
        let beside = overlap(of_file, "src/billing/invoice.py");
        let above = overlap(of_file, "src/mail/send.py");
        let elsewhere = overlap(of_file, "docs/tax.md");
        assert!(same > moved && moved > beside && beside > above && above > elsewhere);
        assert!(elsewhere < f32::EPSILON, "{elsewhere}");
    }

    #[test]
    fn a_folder_is_met_by_what_lies_in_it() {
        assert!(overlap("drivers/radio/", "drivers/radio/sx1262.c") > 0.1);
    }

    #[test]
    fn a_common_name_says_nothing() {
        assert!(overlap("src/a/mod.rs", "src/b/mod.rs") < overlap("src/a/x.rs", "src/b/x.rs"));
    }
}
