//! Lines that agents and people type every day: roz does not get in their way.

use serde_json::json;

use crate::{client::Inside, support::Roz};

/// One line each, `\n` for a line's end; `# ` begins a comment.
const ORDINARY: &str = include_str!("commands/ordinary.txt");
const EVERYDAY: &str = include_str!("../../benches/everyday.txt");

fn lines(corpus: &str) -> impl Iterator<Item = String> {
    let lines = corpus.lines().filter(|line| !line.is_empty() && !line.starts_with("# "));
    lines.map(|line| line.replace("\\n", "\n"))
}

/// Every gate is on, and the project has tickets.
fn watched() -> Inside {
    let roz = Roz::with_config(
        "review.gates.tools = ['Bash:git push*', 'Bash:gh pr merge*', 'Bash:npm publish*', \
         'Bash:cargo publish*']\nreflection.enabled = true",
    );
    let roz = roz.in_git();
    std::fs::create_dir(roz.project().join(".beads")).unwrap();
    roz.write("package.json", "{\"scripts\": {\"build\": \"tsc\"}}\n");
    roz.write("a.txt", "a\n");
    Inside { roz }
}

#[test]
fn no_ordinary_line_is_objected_to_or_remarked_on() {
    let inside = watched();
    let mut wrong = Vec::new();
    for line in lines(ORDINARY).chain(lines(EVERYDAY)) {
        let call = inside.roz.call("Bash", &json!({ "command": line }));
        let answer = inside.send(&inside.roz.payload("pre-tool-use", call));
        if answer != json!({}) {
            wrong.push(format!("{line}\n    {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn there_are_enough_lines_and_none_twice() {
    let mut all: Vec<String> = lines(ORDINARY).collect();
    assert!(all.len() >= 200, "{}", all.len());
    all.sort();
    let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
    assert!(twice.is_empty(), "{twice:?}");
}

// Under an intent.

/// A line, a tab, and what becomes of it under an intent on `src/**`.
const UNDER_INTENT: &str = include_str!("commands/under_intent.tsv");
const IGNORED: &str = "dist/\nbuild/\ntarget/\nnode_modules/\n*.log\n.env*\n*.key\n";

fn under_intent() -> Inside {
    let roz = Roz::new().in_git().declares(
        "active_intents:\n  - id: INT-1\n    name: All of src\n    status: TODO\n    owned_scope: \
         [src/**]\n",
    );
    for folder in ["src", "dist", "build", "node_modules/a", "target"] {
        std::fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.write(".gitignore", IGNORED);
    roz.write("src/a.ts", "a\n");
    roz.write("package.json", "{\"scripts\": {\"build\": \"tsc\"}}\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "second"]);
    Inside { roz }
}

#[test]
fn under_an_intent_only_what_leaves_its_scope_is_refused() {
    let inside = under_intent();
    inside.roz.selects("INT-1");
    inside.roz.bash("cat src/a.ts README.md").passes();
    let mut wrong = Vec::new();
    for row in lines(UNDER_INTENT) {
        let (line, wanted) = row.rsplit_once('\t').unwrap();
        // Each is judged by itself: the breaker counts the refusals.
        inside.roz.selects("INT-1");
        let call = inside.roz.call("Bash", &json!({ "command": line }));
        let answer = inside.send(&inside.roz.payload("pre-tool-use", call));
        let answer = &answer["hookSpecificOutput"];
        let reason = answer["permissionDecisionReason"].as_str().unwrap_or_default();
        let found = match answer["permissionDecision"].as_str() {
            None => "free".to_owned(),
            Some("ask") => "asks".to_owned(),
            Some(_) => {
                let json: serde_json::Value =
                    serde_json::from_str(reason.lines().last().unwrap()).unwrap_or_default();
                json["code"].as_str().unwrap_or("?").to_owned()
            }
        };
        if found != wanted {
            wrong.push(format!("{line}: {found}, not {wanted}\n    {reason}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lines(UNDER_INTENT).count() >= 100);
}

#[test]
fn checks_and_what_git_ignores_need_no_intent() {
    let inside = under_intent();
    for line in [
        "cargo test",
        "cargo build",
        "npm test",
        "python3 -m pytest -q",
        "go vet ./...",
        "npx tsc --noEmit",
        "cargo test | tee test.log",
        "rm -rf dist",
        "echo x > debug.log",
    ] {
        let call = inside.roz.call("Bash", &json!({ "command": line }));
        let answer = inside.send(&inside.roz.payload("pre-tool-use", call));
        assert_eq!(answer, json!({}), "{line}");
    }
    for line in ["npx eslint src --fix", "npx jest -u", "cargo run", "UPDATE_EXPECT=1 cargo test"] {
        let reason = inside.roz.bash(line).denies();
        assert!(reason.contains("MISSING_INTENT"), "{line}: {reason}");
    }
}

#[test]
fn what_a_check_changes_all_the_same_is_told_but_for_lock_files() {
    let inside = under_intent();
    let roz = &inside.roz;
    roz.write("Cargo.lock", "1\n");
    roz.git(&["add", "."]);
    roz.git(&["commit", "-qm", "third"]);
    for (path, is_told) in [("Cargo.lock", false), ("README.md", true)] {
        let mut call = roz.call("Bash", &json!({ "command": "cargo build" }));
        roz.hook("pre-tool-use", call.clone()).passes();
        roz.write(path, "changed\n");
        call["tool_response"] = json!({});
        let reply = roz.hook("post-tool-use", call);
        assert_eq!(reply.json != json!({}), is_told, "{path}: {}", reply.json);
    }
}
