use super::*;

#[test]
fn the_digest_is_the_one_that_the_client_computes() {
    // Observed on 0.171.0: the client ran this hook.
    let hook = json!({ "type": "command", "command": "echo hi", "timeout": 10 });
    let text = r#"{"event_name":"pre_tool_use","hooks":[{"async":false,"command":"echo hi","timeout":10,"type":"command"}]}"#;
    assert_eq!(digest("pre_tool_use", &hook), bounded::sha256(text.as_bytes()));
}

#[test]
fn what_codex_wrote_among_the_tables_of_an_earlier_version_stays() {
    let table = "[hooks.state.\"/h/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:x\"\n";
    let mine = "\n[hooks.state.\"/h/.codex/hooks.json:stop:1:0\"]\ntrusted_hash = \"sha256:y\"\n\
                \n[projects.\"/p\"]\ntrust_level = \"trusted\"\n";
    let text = format!("model = \"m\"\n{BEGIN}{table}{table}{mine}{END}# mine\n");
    assert_eq!(without_trust(&text), format!("model = \"m\"\n{mine}# mine\n"));
}

#[test]
fn the_block_is_taken_out_to_the_byte() {
    let own = "model = \"m\"\n\n[tui]\nx = 1\n";
    let groups = [("PreToolUse", json!({ "hooks": [{ "command": "roz hook x", "timeout": 10 }] }))];
    let hooks = json!({ "hooks": { "PreToolUse": [groups[0].1] } }).to_string();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("config.toml"), own).unwrap();
    let file = folder.path().join("hooks.json");
    let new = trust(folder.path(), &file, &hooks, &groups).new.unwrap();
    assert!(new.starts_with(own) && new.contains(":pre_tool_use:0:0\"]"), "{new}");
    assert_eq!(without_trust(&new), own);
}
