//! Tools of servers that nobody knows: what they are told to run, and the paths in their input,
//! however deep they are in it.

use serde_json::json;

use super::House;
use crate::support::Roz;

#[test]
fn what_a_servers_tool_is_told_to_run_is_read_wherever_it_stands() {
    let house = House::new();
    for (tool, input) in [
        ("mcp__x__run", json!({ "steps": [{ "run": "rm -rf ~/.roz" }] })),
        ("mcp__x__go", json!({ "steps": [{ "run": "rm -rf ~/.roz" }] })),
        ("mcp__x__go", json!({ "jobs": { "a": { "commands": ["ls", "rm -rf ~/.roz"] } } })),
        ("mcp__x__go", json!({ "task": { "command": "rm", "args": ["-rf", "{home}"] } })),
    ] {
        house.denies_tool("roz-home", tool, &input);
    }
    for (tool, input) in [
        ("mcp__x__run", json!({ "cmd": "npm test", "cwd": "{project}" })),
        (
            "mcp__x__run",
            json!({ "command": "ls", "description": "see that rm -rf ~/.roz is not run" }),
        ),
        (
            "mcp__playwright__browser_evaluate",
            json!({ "function": "() => { document.querySelector('a').click(); return 1 }" }),
        ),
        (
            "mcp__ide__executeCode",
            json!({ "code": "import pandas as pd\nprint(pd.read_csv('a').head())" }),
        ),
        ("mcp__jupyter__execute_code", json!({ "code": "open('out.txt','w').write('x')" })),
        ("mcp__db__query", json!({ "sql": "select * from t where path like '%.roz%'" })),
        ("mcp__llm__ask", json!({ "input": "don't rm -rf ~/.roz, please" })),
        ("mcp__chat__send_message", json!({ "channel": "dev", "text": "rm -rf ~/.roz was it" })),
        ("mcp__tracker__create_issue", json!({ "title": "x", "body": "```\nrm -rf ~/.roz\n```" })),
        ("mcp__fs__edit_file", json!({ "path": "a.md", "content": "```\nrm -rf ~/.roz\n```" })),
        ("mcp__shell__write_file", json!({ "path": "a.sh", "content": "rm -rf ~/.roz" })),
    ] {
        house.frees_tool(tool, &input);
    }
}

#[test]
fn a_gate_sees_what_a_server_is_told() {
    let roz = Roz::gated("");
    for (tool, input) in [
        ("mcp__x__run", json!({ "command": "git push" })),
        ("mcp__x__go", json!({ "steps": [{ "name": "a", "run": "git push" }] })),
    ] {
        assert!(roz.tool(tool, &input).is_objection(), "{tool} {input}");
    }
    for (tool, input) in [
        ("mcp__playwright__browser_type", json!({ "ref": "e1", "text": "git push" })),
        ("mcp__x__go", json!({ "name": "git push" })),
        ("mcp__x__run", json!({ "command": "ls", "message": "git push" })),
    ] {
        roz.tool(tool, &input).objects_to_nothing();
    }
}

#[test]
fn a_path_is_found_in_whatever_field_says_that_it_is_one() {
    let house = House::new();
    for input in [
        json!({ "dir": "~/.roz", "name": "config.toml", "content": "x" }),
        json!({ "path": "$HOME/.roz/config.toml" }),
        json!({ "path": "${HOME}/.roz/config.toml" }),
        json!({ "a": { "b": { "files": ["~/.roz/config.toml"] } } }),
        json!({ "files": { "~/.roz/config.toml": "x" } }),
        json!({ "input": "{\"path\": \"~/.roz/config.toml\"}" }),
        json!({ "uri": "file://{user}/%2eroz/config.toml" }),
    ] {
        house.denies_tool("roz-home", "mcp__x__write", &input);
    }
    house.denies_tool("roz-home", "NewEdit", &json!({ "filePath": "{home}/config.toml" }));
    house.project_file(".claude/settings.json", super::USERS);
    for path in [".claude/settings.json", "{project}/.claude/settings.json"] {
        let input = json!({ "path": path, "content": "{}" });
        house.denies_tool("settings", "mcp__x__write", &input);
    }
    for input in [
        json!({ "file": "README.md", "content": "~/.roz is its home" }),
        json!({ "dir": "docs", "name": "settings.json", "content": "{}" }),
        json!({ "path": "$HOME/notes/a.md", "content": "x" }),
        json!({ "path": "~/src/app", "branch": "..", "pattern": "*.roz" }),
        json!({ "path": "{project}/notes", "content": "{home}/config.toml" }),
    ] {
        house.frees_tool("mcp__x__write", &input);
    }
    house.frees_tool("TodoWrite", &json!({ "todos": [{ "content": ".claude/settings.json" }] }));
}

#[test]
fn no_scheduler_says_the_users_word() {
    let house = House::new();
    for (tool, input) in [
        ("RemoteTrigger", json!({ "prompt": "#roz:stop" })),
        (
            "RemoteTrigger",
            json!({ "action": "create", "body": { "events": [{ "prompt": "#roz" }] } }),
        ),
        ("mcp__sched__create", json!({ "prompt": "#roz:stop" })),
        (
            "mcp__scheduled_tasks__create_scheduled_task",
            json!({ "task": { "text": " #ROZ:stop now" } }),
        ),
    ] {
        house.denies_tool("scheduled-command", tool, &input);
    }
    for (tool, input) in [
        ("RemoteTrigger", json!({ "prompt": "look at #roz" })),
        ("mcp__sched__create", json!({ "prompt": "go on", "at": "9:00" })),
        ("mcp__fs__write_file", json!({ "path": "a.md", "content": "#roz:stop" })),
    ] {
        house.frees_tool(tool, &input);
    }
}
