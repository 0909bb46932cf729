//! What would run: nobody plays the reviewer, the client or the user.

use serde_json::json;

use super::House;
use crate::support::Roz;

#[test]
fn the_main_agent_does_not_decide_in_whatever_words() {
    let house = House::new();
    for line in [
        "roz decide s1 COMPLETE fine",
        "bash -c 'roz decide s1 COMPLETE fine'",
        "ROZ_REVIEW_TOKEN=x bash -c 'roz decide s1 COMPLETE fine'",
        "eval \"$(echo cm96 | base64 -d) decide s1 COMPLETE fine\"",
        "python3 -c \"import os; os.system('roz decide s1 COMPLETE x --human')\"",
        "cp /usr/local/bin/roz /tmp/r; /tmp/r decide s1 COMPLETE fine",
        "/tmp/r decide s1 complete fine --human",
        "v=$(cat v); roz $v s1 COMPLETE x",
        "{binary} decide s1 COMPLETE x",
        "roz approve fine",
        "roz allow",
    ] {
        house.denies("decide", line);
    }
    house.objects("roz decide s1 COMPLETE 'unclosed");
    for line in [
        "roz context s1",
        "git commit -m 'roz decide s1 COMPLETE'",
        "echo roz decide s1 COMPLETE fine",
        "grep -r 'roz decide' .",
        "cat > notes.md <<'X'\nroz decide s1 COMPLETE\nX",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_forged_hook_is_denied() {
    let house = House::new();
    for line in [
        "roz hook stop < payload.json",
        "echo '{}' | exec roz hook subagent-start",
        "echo {} | nohup roz hook SessionStart &",
        "/tmp/copy hook user-prompt",
    ] {
        house.denies("hook", line);
    }
    house.is_free("roz trace --type hook");
    house.is_free("git hook list");
}

#[test]
fn asking_how_is_free() {
    let house = House::new();
    for line in [
        "roz decide --help",
        "roz decide -h",
        "roz hook --help",
        "roz help decide",
        "roz clean --help",
        "roz install -h",
        "roz intent new --help",
    ] {
        house.is_free(line);
    }
    for line in [
        "roz decide s1 COMPLETE x --token --help",
        "roz decide s1 COMPLETE -- --help",
        "roz decide -m --help s1 COMPLETE x",
    ] {
        house.denies("decide", line);
    }
    house.denies("hook", "roz hook stop --help < x");
}

#[test]
fn nobody_talks_to_a_reviewer_schedules_the_users_word_or_reads_along() {
    let house = House::new();
    for to in [json!("a1"), json!("agent-a1"), json!(["b7", "a1"]), json!("*"), json!("b7, a1")] {
        let input = json!({ "to": to, "message": "x" });
        house.denies_tool("message-to-reviewer", "SendMessage", &input);
    }
    for tool in ["Agent", "Task"] {
        let input = json!({ "resume": "a1", "prompt": "approve it" });
        house.denies_tool("message-to-reviewer", tool, &input);
        house.frees_tool(tool, &json!({ "resume": "b7", "prompt": "a1" }));
    }
    house.frees_tool("SendMessage", &json!({ "to": ["b7"], "message": "a1" }));
    let quiet = House { roz: Roz::new() };
    quiet.frees_tool("SendMessage", &json!({ "to": "*", "message": "x" }));
    house.denies_tool(
        "scheduled-command",
        "ScheduleWakeup",
        &json!({ "delaySeconds": 60, "prompt": " #roz:stop" }),
    );
    for line in [
        "cat {notes}/subagents/agent-a1.jsonl",
        "tail -f ~/.claude/projects/p/s1/subagents/agent-*.jsonl",
        "cp {notes}/subagents/agent-a1.jsonl /tmp/x",
        "cd {notes}/subagents && cat agent-a1.jsonl",
        "for f in $(ls {notes}/subagents); do cat {notes}/subagents/$f; done",
        "grep -r token {notes}",
        "cat /tmp/claude-0/p/tasks/a1.output",
        "python3 -c \"print(open('{notes}/subagents/agent-a1.jsonl').read())\"",
    ] {
        house.denies("reviewer-transcript", line);
    }
    for (tool, input) in [
        ("Read", json!({ "file_path": "{notes}/subagents/agent-a1.jsonl" })),
        ("Grep", json!({ "path": "{notes}/subagents", "pattern": "token" })),
        ("TaskOutput", json!({ "task_id": "a1", "block": true })),
        ("mcp__fs__read_file", json!({ "path": "{notes}/subagents/agent-a1.jsonl" })),
    ] {
        house.denies_tool("reviewer-transcript", tool, &input);
    }
    house.is_free("cat {notes}/subagents/agent-other.jsonl");
    for line in ["ls {notes}/subagents", "git log -- agent-a1.jsonl", "grep -r x ~/.claude/skills"]
    {
        house.is_free(line);
    }
    house.frees_tool("TaskOutput", &json!({ "task_id": "b7" }));
}

#[test]
fn no_client_is_started_without_these_hooks() {
    let house = House::new();
    for line in [
        "claude --bare -p hi",
        "claude -p hi --safe-mode",
        "claude -p --settings '{\"disableAllHooks\":true}' hi",
        "claude -p --settings=x.json hi",
        "claude -p --setting-sources project hi",
        "HOME=/tmp/x claude -p hi",
        "export CLAUDE_CONFIG_DIR=/tmp/x; claude -p hi",
        "node $(which claude) --bare",
        "env CLAUDE_CODE_SIMPLE=1 claude -p hi",
        "$CLAUDE_CODE_EXECPATH --bare -p hi",
        "unset ROZ_HOME; claude -p hi",
        "npx -y @anthropic-ai/claude-code --bare -p hi",
        "npx @anthropic-ai/claude-code@2 --bare",
        "bunx @anthropic-ai/claude-code@latest --settings x",
        "bun x @anthropic-ai/claude-code@2 --bare",
        "pnpm dlx @anthropic-ai/claude-code@2 --bare",
        "node /usr/lib/node_modules/@anthropic-ai/claude-code/cli.js --settings x -p hi",
        "node node_modules/@anthropic-ai/claude-code/cli.js --bare -p hi",
        "~/.local/share/claude/versions/2.1.330 --bare",
        "~/.local/share/claude/versions/2.1.330 -p --settings x hi",
        "export ROZ_HOME=/tmp/x; claude -p hi",
    ] {
        house.denies("client", line);
    }
    for line in [
        "claude -p --resume s1 '#roz:stop'",
        "claude -p --resume \"$CLAUDE_CODE_SESSION_ID\" hi",
        "claude --continue -p hi",
        "claude -r",
        "claude -pc hi",
        "claude -pr s1 hi",
        "claude -prs1 hi",
        "~/.local/share/claude/versions/2.1.330 -c -p hi",
    ] {
        house.denies("resume", line);
    }
    for line in ["claude plugin uninstall roz@roz", "claude plugin disable --all"] {
        house.denies("client-plugin", line);
    }
    house.is_free("claude -p hi");
    house.is_free("claude -p --resume another hi");
    for line in [
        "claude mcp list",
        "claude -pr another hi",
        "claude -p 'run it with --bare, -pc'",
        "claude -p 'what is ROZ_HOME for?'",
        "claude -dc hi",
        "node tools/cli.js --bare",
        "node cli.js --settings x",
        "npx eslint --settings x",
        "env -i make",
        "unset HOMEBREW_PREFIX; claude -p hi",
    ] {
        house.is_free(line);
    }
}

#[test]
fn neither_the_client_nor_a_hook_is_ended() {
    let house = House::new();
    for line in [
        "pkill roz",
        "pkill -x roz",
        "pkill -f 'roz hook'",
        "pkill -f 'r[o]z'",
        "killall roz",
        "kill $(pgrep roz)",
        "kill -9 -1",
        "kill -- -1",
        "kill -s KILL -- -1",
        "kill -9 0",
        "kill -9 $PPID",
        "kill -STOP \"$PPID\"",
        "pkill -P $PPID",
        "kill $(ps -o ppid= -p $$)",
        "pkill claude",
        "killall claude",
        "ps aux | grep claude | grep -v grep | awk '{print $2}' | xargs kill -9",
        "kill $(pidof claude)",
    ] {
        house.denies("kill", line);
    }
    for line in [
        "pkill node",
        "pkill -f 'python.*server'",
        "pkill -f 'target/debug/.*'",
        "pkill -TERM -f webhook",
        "kill %1",
        "kill $!",
        "kill 12345",
        "kill -1",
        "kill -0 -1",
        "kill -l 9",
        "kill -TERM \"$SERVER_PID\"",
        "kill -9 $(lsof -t -i:3000)",
        "lsof -ti:8080 | xargs kill -9",
        "kill $(cat server.pid)",
        "kill $(jobs -p)",
        "pkill -P $$",
        "trap 'kill 0' EXIT; npm run dev & wait",
        "fuser -k 3000/tcp",
        "ps -o ppid= -p $$",
        "echo $PPID; cat /proc/$PPID/comm",
        "pkill -f claude-mock-server",
        "pkill prometheus",
        "pkill -f \"$name\"",
        "kill $(pgrep node)",
        "ps aux | grep node | awk '{print $2}' | xargs kill",
        "grep -rn claude docs; kill $(cat server.pid)",
        "ps aux | grep claude",
    ] {
        house.is_free(line);
    }
}

#[test]
fn a_servers_command_may_be_in_pieces() {
    let house = House::new();
    for input in [
        json!({ "command": "roz", "args": ["decide", "s1", "COMPLETE", "x"] }),
        json!({ "command": ["roz", "decide", "s1", "COMPLETE", "x"] }),
        json!({ "program": "bash", "argv": ["-c", "roz decide s1 COMPLETE x"] }),
        json!({ "cmd": "roz", "arguments": "decide s1 COMPLETE x" }),
    ] {
        house.denies_tool("decide", "mcp__sh__run", &input);
    }
    for input in [
        json!({ "command": "echo", "args": ["roz", "decide", "s1", "COMPLETE", "x"] }),
        json!({ "command": "git", "args": ["status"] }),
        json!({ "command": 3, "args": {} }),
    ] {
        house.frees_tool("mcp__sh__run", &input);
    }
}
