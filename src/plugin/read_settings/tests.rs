use serde_json::json;

use super::*;

fn settings(value: Value) -> Settings {
    Settings { path: PathBuf::new(), is_managed: false, value }
}

#[test]
fn a_hook_that_runs_roz_is_found_however_it_is_written() {
    for hook in [
        json!({ "command": "roz hook stop" }),
        json!({ "command": "/home/u/.local/bin/roz", "args": ["hook", "stop"] }),
        json!({ "command": "cd /x; \"$HOME/bin/roz\" hook Stop" }),
    ] {
        let item = settings(json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } }));
        assert_eq!(item.events(), ["Stop"].into());
    }
    for command in ["rozz hook stop", "roz list", "echo roz; hook"] {
        let item =
            settings(json!({ "hooks": { "Stop": [{ "hooks": [{ "command": command }] }] } }));
        assert!(item.events().is_empty(), "{command}");
    }
}

#[test]
fn odd_settings_say_nothing() {
    for value in [json!(null), json!([]), json!({ "hooks": 1 }), json!({ "hooks": { "Stop": {} } })]
    {
        let item = settings(value);
        assert!(item.events().is_empty() && item.enables_plugin().is_none());
        assert!(!item.lets_run("roz decide") && item.switches_hooks_off().is_none());
    }
}

#[test]
fn a_rule_lets_run_what_begins_like_it() {
    for (rule, lets) in [
        ("Bash(roz decide:*)", true),
        ("Bash(roz *)", true),
        ("Bash(roz:*)", true),
        ("Bash(*)", true),
        ("Bash", true),
        ("Bash(roz context:*)", false),
        ("Bash(roz decide)", false),
        ("Read", false),
        ("BashOutput", false),
    ] {
        let item = settings(json!({ "permissions": { "allow": [rule] } }));
        assert_eq!(item.lets_run("roz decide"), lets, "{rule}");
    }
}
