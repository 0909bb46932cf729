//! A memory server that two projects share.

use std::path::Path;

use super::*;

/// Two projects of one user, whose configuration names the reference server; none where that is not
/// installed.
fn two() -> Option<(Roz, std::path::PathBuf)> {
    let server = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/memory-server/node_modules/@modelcontextprotocol/server-memory/dist/index.js");
    if !server.is_file() {
        crate::support::skip("shared", "tests/memory-server/install.sh was not run");
        return None;
    }
    let roz = Roz::new();
    let graph = roz.dir().join("graph.jsonl");
    let server = format!(
        "[backends]\nuse = [\"mcp\"]\n[backends.mcp]\ncommand = \"node\"\nargs = [{:?}]\n\
         env = {{ MEMORY_FILE_PATH = {:?} }}\n",
        server.to_str().unwrap(),
        graph.to_str().unwrap(),
    );
    roz.configure(&server);
    let other = roz.dir().join("other");
    fs::create_dir_all(other.join(".roz")).unwrap();
    Some((roz, other))
}

impl Roz {
    fn verb_in(&self, folder: &Path, args: &[&str]) -> Value {
        let mut words = vec![crate::support::BINARY];
        words.extend(args);
        let mut command = self.program(&words);
        let ran = Ran::of(crate::support::feed(command.current_dir(folder).arg("--json"), b""));
        serde_json::from_str(&ran.succeeds().stdout).unwrap()
    }
}

#[test]
fn one_project_does_not_put_away_what_another_has_learned() {
    let Some((roz, other)) = two() else { return };
    let candidate = json!({ "candidates": [{
        "category": "pitfall",
        "summary": "Lexer::next in src/lexer.rs panics on a lone carriage return",
        "detail": "It cuts at byte 1 of a two-byte char; use char_indices().",
        "tags": ["lexer"],
        "criteria_met": ["behavior_changing"],
    }]});
    roz.fed(&["reflect", "--session-id", "s1"], &candidate.to_string()).succeeds();
    roz.later(200 * 86_400);
    let found = roz.verb_in(&other, &["search", "lexer"]);
    assert_eq!(found["results"].as_array().unwrap().len(), 1, "{found}");
    let due = |folder: &Path| roz.verb_in(folder, &["learn", "due"])["due"].clone();
    assert_eq!(due(&other), json!([]));
    assert_eq!(roz.verb_in(&other, &["learn", "archive", "--due"])["archived"], json!([]));
    assert_eq!(due(&roz.project()).as_array().unwrap().len(), 1);
    let told = roz.run(&["learn", "due"]).succeeds().stdout;
    assert!(told.contains("`roz learn archive --due` archives those that are due"), "{told}");
    let away = roz.verb_in(&roz.project(), &["learn", "archive", "--due"]);
    assert_eq!(away["archived"].as_array().unwrap().len(), 1, "{away}");
}
