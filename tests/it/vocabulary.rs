//! What the core may not speak of: a client, and one gate of another. And words that nobody should
//! have to decode.

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
    "TaskCreate",
    "TaskUpdate",
    "BashOutput",
    "AgentOutput",
    "subagent_type",
];

/// Files that name them all the same, each with its reason.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("core/client_files.rs", "the table of agents whose own files are protected"),
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

/// Words that a reader has to decode, and what to write instead.
const WORDS: &[(&[&str], &str)] = &[
    (&["mend", "mends", "mended", "mending"], "fix"),
    (&["stands"], "is"),
    (&["lies"], "is"),
    (&["is no"], "is not a, or: unknown, invalid"),
    (&["a person's word"], "someone has to confirm"),
];
/// Common idioms that contain one of these words, and the name of a field in traces and `--json`.
const IDIOMS: &[&str] = &["there is no", "There is no", "is no longer", "stands for", "\"stands\""];
/// Where pages, texts for agents and help are; there none of these words may be.
const PAGES: &[&str] = &[
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "docs",
    "templates",
    "skills",
    "agents",
    "benches",
];
/// How often `it` may be the name of something in 1,000 lines of `src`.
const NAMELESS: usize = 15;

/// How often a text has one of the words, as words of its own.
fn count(text: &str, words: &[&str]) -> usize {
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for idiom in IDIOMS {
        text = text.replace(idiom, "");
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let is_whole = |at: usize, word: &str| {
        !text[..at].ends_with(is_part) && !text[at + word.len()..].starts_with(is_part)
    };
    let found =
        |word: &&str| text.match_indices(*word).filter(|(at, _)| is_whole(*at, word)).count();
    words.iter().map(found).sum()
}

/// Files below `path`, or the file that it is.
fn texts(path: &Path, ending: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut todo = vec![path.to_owned()];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|found| found == ending) {
            found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
        }
    }
    found
}

/// A page without what it quotes: blocks, and what is between backticks.
fn prose(page: &str) -> String {
    let outside: Vec<&str> = page.split("\n```").step_by(2).collect();
    outside.join("\n").split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// A line of code without the slashes of a comment, so that words are found across lines.
fn uncommented(line: &str) -> &str {
    line.trim_start().trim_start_matches('/').trim_start_matches('!')
}

#[test]
fn pages_and_texts_for_agents_use_none_of_these_words() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (path, text) in PAGES.iter().flat_map(|path| texts(&root.join(path), "md")) {
        for (words, instead) in WORDS {
            if count(&prose(&text), words) > 0 {
                wrong.push(format!("{path}: `{}`; say: {instead}", words[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn sources_use_none_of_these_words() {
    let sources = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "rs");
    let mut wrong = Vec::new();
    for (path, text) in &sources {
        let text = text.lines().map(uncommented).collect::<Vec<_>>().join("\n");
        for (words, instead) in WORDS {
            if count(&text, words) > 0 {
                wrong.push(format!("{path}: `{}`; say: {instead}", words[0]));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn things_have_names_other_than_it() {
    let sources = texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "rs");
    let lines: Vec<&str> = sources.iter().flat_map(|(_, text)| text.lines()).collect();
    let code = lines.iter().filter(|line| !line.trim_start().starts_with("//"));
    let used: usize = code
        .map(|line| count(&line.split('"').step_by(2).collect::<Vec<_>>().join("\""), &["it"]))
        .sum();
    let used = used * 1_000 / lines.len();
    assert!(used <= NAMELESS, "`it` {used} times in 1,000 lines, at most {NAMELESS}");
}

#[test]
fn words_are_counted_as_words_of_their_own() {
    assert_eq!(count("a stand-in stands; it stands for x, and there is\nno other", &["stands"]), 1);
    assert_eq!(count("amend, mended and mend", &["mend", "mended"]), 2);
    assert_eq!(count("`x` is no key, there is no key", &["is no"]), 1);
    assert_eq!(prose("a `is no` b\n```text\nmend\n```\nc"), "a ` b\n\nc");
}
