//! What the core may not speak of: a client, and one gate of another.

use std::{fs, path::Path};

/// Names of clients, of their tools and variables.
const NAMES: &[&str] = &[
    "claude",
    "codex",
    "copilot",
    "gemini",
    "opencode",
    "qwen",
    "MultiEdit",
    "NotebookEdit",
    "TodoWrite",
    "SendMessage",
    "subagent_type",
];

/// Files that name them all the same, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("core/agents.rs", "the table of agents whose own files are protected"),
    ("core/protect/table.rs", "the examples of the rules, which the page of them shows"),
    ("core/intent/class/critical.rs", "files that hold credentials, whoever made them"),
    ("core/intent/ledger/mod.rs", "`urn:claude:session:`, which Agent Trace spells out"),
    ("core/policy.rs", "the settings of programs that give a second opinion"),
];

const GATES: [&str; 4] = ["intent", "protect", "reflection", "review"];

fn rust_files(folder: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod").next().unwrap_or_default();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            let code: Vec<&str> = code.lines().filter(is_code).collect();
            let name = path.strip_prefix(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap();
            found.push((name.display().to_string(), code.join("\n")));
        }
    }
    found
}

fn sources(folder: &str) -> Vec<(String, String)> {
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder))
}

#[test]
fn the_core_and_the_reader_name_no_client() {
    let mut wrong = Vec::new();
    let mut needless: Vec<&str> = EXCEPTIONS.iter().map(|(path, _)| *path).collect();
    for (file, code) in ["core", "shell"].into_iter().flat_map(sources) {
        let lower = code.to_lowercase();
        let named = NAMES.iter().find(|name| lower.contains(&name.to_lowercase()));
        let Some(name) = named else { continue };
        if let Some(at) = needless.iter().position(|path| *path == file) {
            needless.remove(at);
        } else {
            wrong.push(format!("src/{file} names `{name}`"));
        }
    }
    wrong.extend(needless.iter().map(|file| format!("src/{file} is no exception any more")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn gates_import_no_other_gate() {
    let mut wrong = Vec::new();
    for gate in GATES {
        for (file, code) in sources(&format!("core/{gate}")) {
            for other in GATES.into_iter().filter(|other| *other != gate) {
                let paths = [format!("core::{other}::"), format!("    {other}::")];
                if paths.iter().any(|path| code.contains(path.as_str())) {
                    wrong.push(format!("src/{file} imports `{other}`"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
