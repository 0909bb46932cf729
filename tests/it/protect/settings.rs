//! The client's settings: what is protected in them stays, other keys are free.

use serde_json::{Value, json};

use super::{House, USERS};

#[test]
fn hooks_stay_in_the_settings() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    house.project_file(".claude/settings.local.json", USERS);
    for file in [
        "{user}/.claude/settings.json",
        "{project}/.claude/settings.json",
        "{project}/.claude/settings.local.json",
    ] {
        for line in [
            "jq 'del(.hooks)' F > /tmp/x && mv /tmp/x F",
            "jq 'del(.hooks)' F | sponge F",
            "sed -i /hooks/d F",
            "echo '{}' > F",
            "rm F",
            "chmod 000 F",
        ] {
            house.denies("settings", &line.replace('F', file));
        }
        let code =
            "import json; d=json.load(open('F')); d.pop('hooks'); json.dump(d, open('F','w'))";
        house.asks("code", &format!("python3 -c \"{code}\"").replace('F', file));
        for (tool, input) in [
            ("Write", json!({ "file_path": file, "content": "{}" })),
            ("Write", json!({ "file_path": file, "content": "{ no json" })),
            (
                "Write",
                json!({ "file_path": file, "content": with("disableAllHooks", json!(true)) }),
            ),
            (
                "Write",
                json!({ "file_path": file, "content": with("env", json!({ "ROZ_HOME": "/x" })) }),
            ),
            (
                "Write",
                json!({ "file_path": file, "content": with("env", json!({ "PATH": "/x" })) }),
            ),
            ("Write", json!({ "file_path": file, "content": with("enabledPlugins", json!({})) })),
            ("Edit", json!({ "file_path": file, "old_string": "\"Stop\": []", "new_string": "" })),
            ("Edit", json!({ "file_path": file, "old_string": "absent", "new_string": "" })),
            (
                "MultiEdit",
                json!({ "file_path": file, "edits": [
                { "old_string": "\"model\": \"x\"", "new_string": "\"model\": \"y\"" },
                { "old_string": "true", "new_string": "false" },
            ] }),
            ),
            ("mcp__fs__write_file", json!({ "path": file, "content": "{}" })),
        ] {
            house.denies_tool("settings", tool, &input);
        }
        for (tool, input) in [
            ("Edit", json!({ "file_path": file, "old_string": "\"x\"", "new_string": "\"y\"" })),
            (
                "Write",
                json!({ "file_path": file, "content": with("permissions", json!({ "allow": [] })) }),
            ),
            (
                "Write",
                json!({ "file_path": file, "content": with("env", json!({ "EDITOR": "vi" })) }),
            ),
            (
                "MultiEdit",
                json!({ "file_path": file, "edits": [
                { "old_string": "\"model\": \"x\"", "new_string": "\"model\": \"y\"" },
            ] }),
            ),
        ] {
            house.frees_tool(tool, &input);
        }
    }
    house.denies("settings", "rm -rf .claude");
    house.denies("settings", "cp /tmp/settings.json .claude/");
}

/// [`USERS`], with another key.
fn with(key: &str, value: Value) -> String {
    let mut settings: Value = serde_json::from_str(USERS).unwrap();
    settings[key] = value;
    settings.to_string()
}

#[test]
fn a_pattern_counts_where_it_matches() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    for name in ["*", "*.json", "s*.json", "[^x]ettings.json", "settings.{json,x}"] {
        house.denies("settings", &format!("rm .claude/{name}"));
    }
    house.denies("settings", "rm .claude/s[\"e\"]ttings.json");
    house.denies("settings", "s=$(cat s); echo '{}' > \"$s/.claude/settings.json\"");
    for name in ["[^s]ettings.json", "*.md", "*.log"] {
        house.is_free(&format!("rm .claude/{name}"));
    }
}

#[test]
fn a_settings_file_that_is_new_may_not_bring_what_is_protected() {
    let house = House::new();
    let file = "{project}/.claude/settings.local.json";
    for content in [
        json!({ "hooks": {} }),
        json!({ "disableAllHooks": true }),
        json!({ "env": { "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "0" } }),
        json!({ "extraKnownMarketplaces": { "x": 1 } }),
    ] {
        let input = json!({ "file_path": file, "content": content.to_string() });
        house.denies_tool("settings", "Write", &input);
    }
    let input = json!({ "file_path": file, "content": "{\"model\": \"x\"}" });
    house.frees_tool("Write", &input);
    house.is_free("rm .claude/settings.local.json");
}

#[test]
fn the_settings_of_a_work_tree_and_those_in_a_folder_that_goes_are_settings() {
    let house = House::new();
    house.project_file(".claude/settings.json", USERS);
    let input = json!({
        "file_path": "{project}/.claude/worktrees/x/.claude/settings.json", "content": USERS
    });
    house.denies_tool("settings", "Write", &input);
    for line in [
        "rm -r .claude",
        "mv .claude old",
        "cp x/settings.json .claude/",
        "ln -sf /tmp/x .claude/settings.json",
        "curl -o ~/.claude/settings.json http://example.com",
        "dd if=x of=.claude/settings.json",
    ] {
        house.denies("settings", line);
    }
    house.objects("mv ~/.claude /tmp/x");
    house.is_free("mkdir -p .claude && touch .claude/settings.json");
}
