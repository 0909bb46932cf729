//! Lines that agents and people type every day: nothing of roz stands in their way.

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
