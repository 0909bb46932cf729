//! The shape of the house, read off its sources: who imports whom, what is
//! pure, what has grown too long.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// Who may import whom: a layer may name itself and those beside it here.
/// Every module of `src/lib.rs` has its row.
const LAYERS: &[(&str, &[&str])] = &[
    ("main", &["cli", "shim"]),
    ("shim", &["hooks", "clients", "observe", "open", "world", "core", "shell"]),
    (
        "cli",
        &[
            "open",
            "observe",
            "hooks",
            "clients",
            "plugin",
            "storage",
            "memory",
            "usage_log",
            "sidecar",
            "ledger",
            "config",
            "template",
            "world",
            "core",
            "shell",
        ],
    ),
    (
        "hooks",
        &[
            "clients",
            "open",
            "observe",
            "storage",
            "memory",
            "usage_log",
            "sidecar",
            "ledger",
            "config",
            "template",
            "world",
            "core",
            "shell",
        ],
    ),
    ("plugin", &["open", "hooks", "storage", "config", "template", "world", "core"]),
    (
        "open",
        &[
            "observe",
            "storage",
            "memory",
            "usage_log",
            "ledger",
            "config",
            "template",
            "world",
            "core",
        ],
    ),
    ("clients", &["core", "shell"]),
    ("observe", &["world", "core"]),
    ("usage_log", &["storage", "world", "core"]),
    ("ledger", &["world", "core"]),
    ("storage", &["world", "core"]),
    ("memory", &["world", "core"]),
    ("sidecar", &["world", "core"]),
    ("config", &["world", "core"]),
    ("template", &["world", "core"]),
    ("core", &["shell", "outline"]),
    ("shell", &[]),
    ("outline", &[]),
    ("world", &[]),
];

/// What would make the core, or what it rests on, depend on when and where it
/// is asked.
const IMPURE: &[&str] = &[
    "std::env",
    "std::fs",
    "std::io",
    "std::process",
    "std::net",
    "std::thread",
    "std::time",
    "std::sync",
    "std::os",
    "env::var",
    "fs::read",
    "Instant",
    "SystemTime",
    "Utc::now",
    "Local::now",
    "Local",
    "rand::",
    "rustix::",
    "dirs::",
    "tempfile::",
    "println!",
    "eprintln!",
];

const PURE: &[&str] = &["core", "shell", "outline"];

const LONGEST: usize = 500;

#[test]
fn imports_point_one_way() {
    let found: Vec<String> = sources("src").iter().flat_map(wrong_imports).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_module_has_its_layer() {
    let lib = fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let modules =
        lib.lines().filter_map(|it| it.trim().strip_prefix("pub mod ")?.strip_suffix(';'));
    for module in modules {
        assert!(LAYERS.iter().any(|(layer, _)| *layer == module), "`{module}` has no layer");
    }
}

#[test]
fn the_core_is_pure() {
    let found: Vec<String> = sources("src").iter().flat_map(impurities).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_file_is_long_without_a_reason() {
    let found: Vec<String> = ["src", "tests", "benches"]
        .iter()
        .flat_map(|it| sources(it))
        .filter_map(|it| too_long(&it))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A source file: its path from the root, and its text.
struct Source {
    path: PathBuf,
    text: String,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: &str) -> Vec<Source> {
    let mut todo = vec![root().join(folder)];
    let mut res = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|it| it.unwrap().path()));
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            res.push(Source { path: path.strip_prefix(root()).unwrap().to_owned(), text });
        }
    }
    assert!(!res.is_empty() || folder == "benches", "no sources in {folder}");
    res
}

/// The module of `src` that a file belongs to.
fn layer(path: &Path) -> Option<String> {
    let inside = path.strip_prefix("src").ok()?;
    let first = inside.components().next()?.as_os_str().to_str()?;
    Some(first.strip_suffix(".rs").unwrap_or(first).to_owned())
}

fn wrong_imports(source: &Source) -> Vec<String> {
    let Some(layer) = layer(&source.path).filter(|it| it != "lib") else { return Vec::new() };
    let Some((_, allowed)) = LAYERS.iter().find(|(it, _)| *it == layer) else {
        return vec![format!("{}: `{layer}` has no layer", source.path.display())];
    };
    // Tests of the core put calls into a client's words.
    let text = source.text.replace("crate::clients::testing", "");
    let named = names_after("crate::", &text).into_iter().chain(names_after("roz::", &text));
    let wrong = |it: &String| {
        let is_layer = LAYERS.iter().any(|(name, _)| name == it);
        is_layer && *it != layer && !allowed.contains(&it.as_str())
    };
    named
        .filter(wrong)
        .map(|it| format!("{}: `{layer}` imports `{it}`", source.path.display()))
        .collect()
}

/// The first names of all paths that begin with `prefix`, including those in braces, but not in
/// comments.
fn names_after(prefix: &str, text: &str) -> BTreeSet<String> {
    let text = without_comments(text);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    for (at, _) in text.match_indices(prefix) {
        if text[..at].ends_with(is_name) || text[..at].ends_with("::") {
            continue;
        }
        let rest = text[at + prefix.len()..].trim_start();
        let Some(list) = rest.strip_prefix('{') else {
            names.insert(rest.chars().take_while(|c| is_name(*c)).collect());
            continue;
        };
        let mut depth = 0;
        let mut begins = true;
        let mut chars = list.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => break,
                '}' => depth -= 1,
                ',' if depth == 0 => begins = true,
                c if begins && is_name(c) => {
                    let name: String = list[at..].chars().take_while(|c| is_name(*c)).collect();
                    for _ in 1..name.chars().count() {
                        chars.next();
                    }
                    names.insert(name);
                    begins = false;
                }
                _ => (),
            }
        }
    }
    names
}

fn without_comments(text: &str) -> String {
    let is_comment = |line: &&str| line.trim_start().starts_with("//");
    text.lines().filter(|it| !is_comment(it)).collect::<Vec<_>>().join("\n")
}

fn impurities(source: &Source) -> Vec<String> {
    let is_pure = layer(&source.path).is_some_and(|it| PURE.contains(&it.as_str()));
    let is_test = source.path.file_stem().is_some_and(|it| it == "tests");
    if !is_pure || is_test {
        return Vec::new();
    }
    // The tests of a module stand at its end.
    let text = without_comments(&source.text);
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let mentions = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let begins = !text[..at].ends_with(is_name);
            let ends = !word.ends_with(is_name) || !text[at + word.len()..].starts_with(is_name);
            begins && (ends || word.starts_with("std::") || word.ends_with("read"))
        })
    };
    let mut words: Vec<&str> = IMPURE.iter().copied().filter(|it| mentions(it)).collect();
    words.extend(nested_std(text));
    words.iter().map(|it| format!("{}: mentions `{it}`", source.path.display())).collect()
}

/// `use std::{fs, …}` names what `std::fs` does.
fn nested_std(text: &str) -> Vec<&'static str> {
    let named = names_after("std::", text);
    IMPURE
        .iter()
        .copied()
        .filter(|it| it.strip_prefix("std::").is_some_and(|it| named.contains(it)))
        .filter(|it| !text.contains(it))
        .collect()
}

fn too_long(source: &Source) -> Option<String> {
    let lines = source.text.lines().count();
    let mut head = source.text.lines().take_while(|it| it.starts_with("//") || it.is_empty());
    let says_why = head.any(|it| it.contains("Long because"));
    (lines > LONGEST && !says_why).then(|| {
        format!("{}: {lines} lines, and no `Long because …` in its head", source.path.display())
    })
}

// The checkers, broken on purpose.

fn source(path: &str, text: &str) -> Source {
    Source { path: path.into(), text: text.into() }
}

#[test]
fn a_wrong_import_is_found() {
    let wrong = |path, text| wrong_imports(&source(path, text)).len();
    assert_eq!(wrong("src/storage/file.rs", "use crate::config::Key;"), 1);
    assert_eq!(
        wrong("src/storage/file.rs", "use crate::{\n    core::session::{A, B},\n    config,\n};"),
        1
    );
    assert_eq!(wrong("src/core/review/mod.rs", "fn f() { crate::world::now() }"), 1);
    assert_eq!(wrong("src/world/mod.rs", "use crate::core::Cx;"), 1);
    assert_eq!(wrong("src/template.rs", "use crate::{storage::{self, Error}, config};"), 2);
    assert_eq!(wrong("src/hooks/mod.rs", "use crate::cli;"), 1);
    assert_eq!(wrong("src/shell/mod.rs", "use crate::core::event;"), 1);
    assert_eq!(wrong("src/main.rs", "fn main() { roz::storage::open() }"), 1);
    assert_eq!(wrong("src/newcomer.rs", ""), 1);
}

#[test]
fn a_right_import_is_not() {
    let wrong = |path, text| wrong_imports(&source(path, text));
    for (path, text) in [
        ("src/storage/file.rs", "use crate::{core::session::{config, Session}, storage::Error};"),
        ("src/storage/file.rs", "// crate::config is not ours\nuse crate::world::World;"),
        ("src/core/mod.rs", "use crate::shell::Reading; use mycrate::cli;"),
        ("src/hooks/mod.rs", "use crate::open::Roz;"),
        ("src/lib.rs", "pub mod cli;"),
    ] {
        assert_eq!(wrong(path, text), Vec::<String>::new());
    }
}

#[test]
fn an_impurity_is_found() {
    let found = |path, text| impurities(&source(path, text)).len();
    assert_eq!(found("src/core/breaker.rs", "use chrono::Utc;\nlet now = Utc::now();"), 1);
    assert_eq!(found("src/core/breaker.rs", "use std::time::Instant;"), 2);
    assert_eq!(found("src/core/breaker.rs", "use std::{collections::BTreeMap, fs};"), 1);
    assert_eq!(found("src/shell/mod.rs", "std::env::var(\"HOME\")"), 2);
    assert_eq!(found("src/core/breaker.rs", "rustix::process::getpid()"), 1);
    assert_eq!(found("src/core/breaker.rs", "// never std::fs\nuse std::path::Path;"), 0);
    assert_eq!(found("src/core/breaker.rs", "struct LocalIo; // fine"), 0);
    assert_eq!(found("src/world/mod.rs", "use std::fs;"), 0);
}

#[test]
fn a_long_file_is_found() {
    let long = "\n".repeat(501);
    assert!(too_long(&source("src/a.rs", &long)).is_some());
    assert!(
        too_long(&source("src/a.rs", &format!("//! Rules.\n//!\n//! Long because …\n{long}")))
            .is_none()
    );
    assert!(too_long(&source("src/a.rs", &format!("use a;\n// Long because …\n{long}"))).is_some());
    assert!(too_long(&source("src/a.rs", "")).is_none());
}
