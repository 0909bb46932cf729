//! Each check of doctor's: it fails when its fault is made, and passes when
//! that is mended.
//!
//! Long because the table of faults is.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    process::Command,
};

use serde_json::{Value, json};

use super::{CLIENT, Diagnosis, Machine, put_binary};

struct Fault {
    check: &'static str,
    make: fn(&mut Machine),
    status: &'static str,
    /// What doctor says then.
    seen: &'static str,
    mend: fn(&mut Machine),
}

const USER: &str = "home/.roz/config.toml";
const SETTINGS: &str = "home/.claude/settings.json";

/// A row a fault; every check has one.
const FAULTS: &[Fault] = &[
    Fault {
        check: "binary",
        make: |it| {
            it.binary = it.home().join("src/target/debug/roz");
            put_binary(&it.binary);
        },
        status: "warn",
        seen: "in a build folder",
        mend: |it| it.binary = it.home().join("bin/roz"),
    },
    Fault {
        check: "home",
        make: |it| it.write("home/.roz", "in the way"),
        status: "fail",
        seen: "cannot be written",
        mend: |it| fs::remove_file(it.home().join(".roz")).unwrap(),
    },
    Fault {
        check: "home",
        make: |it| symlink("/dev/null/none", it.home().join(".roz")).unwrap(),
        status: "fail",
        seen: "is a link to `/dev/null/none`, and there is no such folder",
        mend: |it| fs::remove_file(it.home().join(".roz")).unwrap(),
    },
    Fault {
        check: "home",
        make: |it| {
            it.env.push(("ROZ_HOME", it.home().join("link/roz").display().to_string()));
            symlink("none", it.home().join("link")).unwrap();
        },
        status: "fail",
        seen: "there is no such folder",
        mend: |it| fs::create_dir(it.home().join("none")).unwrap(),
    },
    Fault {
        check: "sessions",
        make: |it| it.write("home/.roz/sessions/s1.corrupt-20260101T000000Z", "{"),
        status: "warn",
        seen: "s1.corrupt-",
        mend: |it| fs::remove_dir_all(it.home().join(".roz")).unwrap(),
    },
    Fault {
        check: "crashes",
        make: |it| it.write("home/.roz/crash.log", "2026-01-01T00:00:00Z hook \"stop\": oh\n"),
        status: "warn",
        seen: "hook \"stop\": oh",
        mend: |it| fs::remove_file(it.home().join(".roz/crash.log")).unwrap(),
    },
    Fault {
        check: "tools",
        make: |it| it.write("home/.roz/unknown-tools.txt", "do_it\nBash\nsay_it\n"),
        status: "warn",
        seen: "nothing says what `do_it` and 1 more tools do, so those calls passed",
        mend: |it| fs::remove_file(it.home().join(".roz/unknown-tools.txt")).unwrap(),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "[review]\nmood = 1\n"),
        status: "warn",
        seen: "config.toml:2",
        mend: |it| it.write(USER, "[review]\nmode = \"always\"\n"),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "\n[templates]\nactive = \"mine\"\n"),
        status: "warn",
        seen: "config.toml:3: `templates.active` names `mine`, and there is no such template",
        mend: |it| it.write("home/.roz/templates/block-mine.md", "Hold on."),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "review.gates.tools = ['Bsh:git push*']"),
        status: "warn",
        seen: "did you mean `Bash:git push*`?",
        mend: |it| {
            it.write(USER, "review.gates.tools = ['Bash:git push*', 'mcp__x__bsh', 'CronDelete']");
        },
    },
    Fault {
        check: "review gate",
        make: |it| it.write(USER, "\nreview.mode = \"never\"\n"),
        status: "fail",
        seen: "config.toml:2): no review is ever asked for",
        mend: |it| it.write(USER, ""),
    },
    Fault {
        check: "own files",
        make: |it| {
            let noted = r#"[{"kind":"binary","file":"/gone/roz","what":["it is gone"],"before":["0"],"tool":"Bash","session_id":"s1","at":"2026-01-01T00:00:00Z"}]"#;
            it.write("home/.roz/unconfirmed.json", noted);
        },
        status: "warn",
        seen: "`/gone/roz`: it is gone",
        mend: |it| fs::remove_file(it.home().join(".roz/unconfirmed.json")).unwrap(),
    },
    Fault {
        check: "self-protection",
        make: |it| it.write(USER, "protect.enabled = false"),
        status: "warn",
        seen: "agents may reach for roz",
        mend: |it| it.write(USER, "protect.enabled = true"),
    },
    Fault {
        check: "shims",
        make: |it| it.write(USER, "shims.enabled = false"),
        status: "warn",
        seen: "switched off",
        mend: |it| it.write(USER, "shims.enabled = true"),
    },
    Fault {
        check: "breaker",
        make: |it| it.env.push(("ROZ_MAX_BLOCKS", "0".into())),
        status: "warn",
        seen: "(the variable ROZ_MAX_BLOCKS): no stop is ever held",
        mend: |it| it.env.clear(),
    },
    Fault {
        check: "breaker",
        make: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"1"}}"#),
        status: "warn",
        seen: "more than 1 times in a row (`CLAUDE_CODE_STOP_HOOK_BLOCK_CAP` in `",
        mend: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"0"}}"#),
    },
    Fault {
        check: "breaker",
        make: |it| it.env.push(("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "2".into())),
        status: "warn",
        seen: "the variable `CLAUDE_CODE_STOP_HOOK_BLOCK_CAP`",
        mend: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"9"}}"#),
    },
    Fault {
        check: "deadline",
        make: |it| it.write(USER, "hooks.deadline_ms = 100"),
        status: "warn",
        seen: "most gates are open",
        mend: |it| it.write(USER, ""),
    },
    Fault {
        check: "write gate",
        make: |it| it.write(USER, "gate.write_gate.mode = 'off'"),
        status: "warn",
        seen: "nobody looks",
        mend: |it| it.write(USER, "gate.write_gate.mode = 'warn'"),
    },
    Fault {
        check: "git",
        make: |it| fs::rename(it.home().join("bin/git"), it.home().join("git")).unwrap(),
        status: "warn",
        seen: "not on PATH",
        mend: |it| fs::rename(it.home().join("git"), it.home().join("bin/git")).unwrap(),
    },
    Fault {
        check: "reflection gate",
        make: |it| it.write(USER, "reflection.enabled = false"),
        status: "warn",
        seen: "nobody is asked",
        mend: |it| it.write(USER, ""),
    },
    Fault {
        check: "learnings",
        make: |it| {
            let text = "## Half ^cl_20260101_halfen\n- **Category:** nonsense\n> x\n";
            it.write("project/.roz/learnings.md", text);
        },
        status: "warn",
        seen: "learnings.md:1",
        mend: |it| it.write("project/.roz/learnings.md", ""),
    },
    Fault {
        check: "backends",
        make: |it| fs::create_dir_all(it.project().join(".roz/learnings.md")).unwrap(),
        status: "warn",
        seen: "`markdown` does not answer",
        mend: |it| {
            fs::remove_dir(it.project().join(".roz/learnings.md")).unwrap();
            it.write("project/.roz/learnings.md", "");
        },
    },
    Fault {
        check: "stats.log",
        make: |it| {
            it.write("project/.roz/learnings.md", "");
            it.write("project/.roz/stats.log", "<<<<<<< HEAD\n");
        },
        status: "warn",
        seen: "1 of them cannot be read",
        mend: |it| it.write("project/.roz/stats.log", ""),
    },
    Fault {
        check: "merging",
        make: |it| {
            it.write("project/.roz/learnings.md", "");
            it.git(&["init", "-q"]);
        },
        status: "warn",
        seen: "would conflict",
        mend: |it| {
            let text = "learnings.md merge=union\n";
            it.write("project/.roz/.gitattributes", text);
        },
    },
    Fault {
        check: "intent gate",
        make: |it| it.write("project/.orchestration/active_intents.yaml", "active_intents: ["),
        status: "warn",
        seen: "every write is refused",
        mend: |it| it.write("project/.orchestration/active_intents.yaml", "active_intents: []\n"),
    },
    Fault {
        check: "ledger",
        make: |it| it.write("project/.orchestration/agent_trace.jsonl", "{\"half\n"),
        status: "warn",
        seen: "not as it was written",
        mend: |it| it.write("project/.orchestration/agent_trace.jsonl", ""),
    },
    Fault {
        check: "PATH",
        make: |it| {
            it.program("other/roz", "#!/bin/sh\necho roz 0.0.1\n");
            let folders = ["other", "bin"].map(|name| it.home().join(name).display().to_string());
            it.env.push(("PATH", folders.join(":")));
        },
        status: "fail",
        seen: "which is roz 0.0.1",
        mend: |it| fs::remove_file(it.home().join("other/roz")).unwrap(),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", &client().replace("2.1.330", "2.0.40")),
        status: "fail",
        seen: "it does not know SubagentStart, TaskCompleted",
        mend: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", &client().replace("2.1.330", "2.1.100")),
        status: "warn",
        seen: "older than any that roz was tried with",
        mend: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", "#!/bin/sh\nexec /bin/sleep 300\n"),
        status: "fail",
        seen: "`claude --version` did not answer within 10 s",
        mend: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", "#!/bin/sh\n"),
        status: "warn",
        seen: "not understood: nothing",
        mend: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "hooks",
        make: |it| {
            drop(it.says(&["uninstall"]));
            fs::rename(it.home().join("bin/claude"), it.home().join("claude")).unwrap();
        },
        status: "fail",
        seen: "not registered with any client: nothing starts roz",
        mend: |it| {
            fs::rename(it.home().join("claude"), it.home().join("bin/claude")).unwrap();
            it.says(&["install"]);
        },
    },
    Fault {
        check: "client settings",
        make: |it| it.write(SETTINGS, "{\n  // mine\n}"),
        status: "warn",
        seen: "settings.json`, line 2: a comment",
        mend: |it| it.write(SETTINGS, "{\n}"),
    },
    Fault {
        check: "hooks",
        make: |it| drop(it.says(&["uninstall"])),
        status: "fail",
        seen: "not registered",
        mend: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "plugin folder",
        make: |it| {
            let hooks = it.plugin().join("hooks/hooks.json");
            let text = fs::read_to_string(&hooks).unwrap();
            fs::write(&hooks, text.replace("bin/roz", "text")).unwrap();
            it.write("home/text", "not to be run");
        },
        status: "fail",
        seen: "does not start as roz does",
        mend: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "plugin folder",
        make: |it| version(it, "99.0.0"),
        status: "fail",
        seen: "version 99.0.0, newer than this binary",
        mend: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "plugin folder",
        make: |it| version(it, "0.0.1"),
        status: "warn",
        seen: "version 0.0.1, older than this binary",
        mend: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "plugin folder",
        make: |it| {
            it.program("bin/claude", &client().replace("2.1.330", "2.1.294"));
            let said = it.says(&["install", "--strict"]);
            assert!(said.contains("2.1.294 does not support `--strict`"), "{said}");
        },
        status: "warn",
        seen: "strict; but Claude Code 2.1.294 does not know that",
        mend: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "registered once",
        make: |it| {
            let hook = json!({ "type": "command", "command": "roz hook stop" });
            let hooks = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } });
            it.write("project/.claude/settings.json", &hooks.to_string());
        },
        status: "fail",
        seen: "every hook runs 2 times",
        mend: |it| it.write("project/.claude/settings.json", "{}"),
    },
    Fault {
        check: "hooks allowed",
        make: |it| it.write(SETTINGS, r#"{"disableAllHooks":true}"#),
        status: "fail",
        seen: "disableAllHooks",
        mend: |it| it.write(SETTINGS, "{}"),
    },
    Fault {
        check: "hooks allowed",
        make: |it| it.env.push(("CLAUDE_CODE_SIMPLE", "1".into())),
        status: "warn",
        seen: "`CLAUDE_CODE_SIMPLE` is set",
        mend: |it| it.env.clear(),
    },
    Fault {
        check: "hooks allowed",
        make: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_PERSONAL_HOOKS_OFF":"1"}}"#),
        status: "warn",
        seen: "`CLAUDE_CODE_PERSONAL_HOOKS_OFF` in `",
        mend: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_PERSONAL_HOOKS_OFF":"0"}}"#),
    },
    Fault {
        check: "reviewer",
        make: |it| it.write("project/.claude/agents/x.md", "---\nname: \"roz:roz\"\n---\nYes.\n"),
        status: "fail",
        seen: "agents/x.md",
        mend: |it| fs::remove_file(it.project().join(".claude/agents/x.md")).unwrap(),
    },
    Fault {
        check: "permissions",
        make: |it| it.write(SETTINGS, "{}"),
        status: "warn",
        seen: "claude -p",
        mend: |it| it.write(SETTINGS, r#"{"permissions":{"allow":["Bash(roz:*)"]}}"#),
    },
    Fault {
        check: "permissions",
        make: |it| permissions(it, r#""deny":["Read","Bash(roz:*)"]"#),
        status: "fail",
        seen: "`Bash(roz:*)` in `",
        mend: |it| permissions(it, r#""deny":["Read","Bash(rozzer:*)"]"#),
    },
    Fault {
        check: "permissions",
        make: |it| permissions(it, r#""ask":["Bash(roz decide:*)"]"#),
        status: "warn",
        seen: "`Bash(roz decide:*)` in `",
        mend: |it| permissions(it, r#""ask":["Bash(git push:*)"]"#),
    },
    Fault {
        check: "fired",
        make: |it| {
            it.env.push(("ROZ_NOW", "2099-01-04T12:00:00Z".into()));
            transcript(it, "older", "2099-01-01T10:00:00Z", &["PreToolUse", "Stop"], 3);
            transcript(it, "newer", "2099-01-04T10:00:00Z", &["SessionStart"], 3);
        },
        status: "fail",
        seen: "your PreToolUse hook last ran 3d ago, and in session newer (2h ago) 3 tools ran since",
        mend: |it| transcript(it, "newest", "2099-01-04T11:00:00Z", &["PreToolUse"], 3),
    },
    Fault {
        check: "fired",
        make: |it| {
            it.env.push(("ROZ_NOW", "2099-01-04T12:00:00Z".into()));
            transcript(it, "s1", "2099-01-04T10:00:00Z", &[], 1);
        },
        status: "fail",
        seen: "session s1 (2h ago) ran without roz: your SessionStart hook has never run",
        mend: |it| it.write("home/.roz/sessions/s1.json", "{}"),
    },
    Fault {
        check: "canary",
        make: |it| it.env.push(("TMPDIR", "/dev/null/none".into())),
        status: "fail",
        seen: "no temporary home",
        mend: |it| it.env.clear(),
    },
];

fn permissions(machine: &Machine, more: &str) {
    let allow = r#""allow":["Bash(roz context:*)","Bash(roz decide:*)"]"#;
    machine.write(SETTINGS, &format!("{{\"permissions\":{{{allow},{more}}}}}"));
}

fn client() -> String {
    CLIENT.replace("VERSION", env!("CARGO_PKG_VERSION"))
}

fn version(machine: &Machine, version: &str) {
    let manifest = machine.plugin().join(".claude-plugin/plugin.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace(env!("CARGO_PKG_VERSION"), version)).unwrap();
}

/// As the client writes one: the hooks that ran, and `calls` tools after them.
fn transcript(machine: &Machine, session: &str, at: &str, hooks: &[&str], calls: usize) {
    let command = format!("{} hook x", machine.roz().display());
    let entry = |more: Value| {
        let mut entry = json!({ "timestamp": at, "cwd": machine.project(), "sessionId": session });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry.to_string() + "\n"
    };
    let mut text = entry(json!({ "type": "user", "message": { "content": "go" } }));
    for call in 0..calls {
        for hook in hooks {
            let attachment = json!({
                "type": "hook_success", "hookEvent": hook, "command": command, "exitCode": 0,
                "toolUseID": if *hook == "PreToolUse" { format!("t{call}") } else { "x".into() },
            });
            text += &entry(json!({ "type": "attachment", "attachment": attachment }));
        }
        let result = json!([{ "type": "tool_result", "tool_use_id": format!("t{call}") }]);
        text += &entry(json!({ "type": "user", "message": { "content": result } }));
    }
    machine.write(&format!("home/.claude/projects/p/{session}.jsonl"), &text);
}

impl Machine {
    #[track_caller]
    #[expect(clippy::disallowed_methods, reason = "real git")]
    fn git(&self, args: &[&str]) {
        let ran = Command::new(self.home().join("bin/git"))
            .args(args)
            .current_dir(self.project())
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
    }

    /// What doctor finds of one check.
    #[track_caller]
    fn examined(&self, check: &str) -> Diagnosis {
        let ran = self.run(&["doctor", "--json", "--only", check]);
        let text = String::from_utf8_lossy(&ran.stderr).into_owned();
        let found: Value = serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{text}"));
        assert_eq!(ran.status.success(), found["ok"] == true, "{found:#}");
        Diagnosis(found)
    }
}

#[test]
fn each_check_fails_by_its_fault_and_passes_when_that_is_mended() {
    let mut wrong = Vec::new();
    for fault in FAULTS {
        let mut machine = Machine::with_client();
        machine.says(&["install"]);
        (fault.make)(&mut machine);
        let found = machine.examined(fault.check).0;
        let fits = |it: &Value| {
            it["name"] == fault.check
                && it["status"] == fault.status
                && it["seen"].as_str().is_some_and(|it| it.contains(fault.seen))
                && it["remedy"].is_string()
        };
        let checks = |it: &Value| it["checks"].as_array().unwrap().clone();
        if !checks(&found).iter().any(fits) {
            wrong.push(format!("{} does not say `{}`: {found:#}", fault.check, fault.seen));
        }
        (fault.mend)(&mut machine);
        let found = machine.examined(fault.check).0;
        if !checks(&found).iter().all(|it| it["status"] == "ok") {
            wrong.push(format!("{} is mended: {found:#}", fault.check));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_check_has_a_fault_and_no_other_is_made() {
    let machine = Machine::with_client();
    let listed: Value =
        serde_json::from_str(&machine.says(&["doctor", "--list", "--json"])).unwrap();
    let names = |it: &Value| -> BTreeSet<String> {
        let checks = it["checks"].as_array().unwrap().iter();
        checks.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    let faults: BTreeSet<String> = FAULTS.iter().map(|it| it.check.to_owned()).collect();
    assert_eq!(names(&listed), faults);
    machine.says(&["install"]);
    machine.write("project/.roz/learnings.md", "");
    assert!(names(&machine.doctor().0).is_subset(&faults));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a remedy is typed into a shell")]
fn the_remedy_of_merging_can_be_pasted() {
    let machine = Machine::new();
    machine.write("project/.roz/learnings.md", "");
    machine.git(&["init", "-q"]);
    let found = machine.examined("merging");
    let remedy = found.check("merging")["remedy"].as_str().unwrap().trim_matches('`').to_owned();
    let ran = Command::new("sh").args(["-c", &remedy]).current_dir(machine.project()).status();
    assert!(ran.unwrap().success(), "{remedy}");
    assert_eq!(machine.examined("merging").check("merging")["status"], "ok");
}

/// They are split at blanks.
#[test]
fn a_shell_completes_a_check_in_one_word() {
    let said = Machine::new().says(&["completions", "bash"]);
    assert!(said.contains(" plugin-folder ") && !said.contains("plugin folder"), "{said}");
}

#[test]
fn settings_that_hide_our_hooks_are_one_problem() {
    let machine = Machine::with_client();
    machine.write(SETTINGS, "{\"model\":");
    let found = machine.doctor();
    found.finds("client settings", "fail", "starts without our hooks");
    let fails = found.0["checks"].as_array().unwrap().iter().filter(|it| it["status"] == "fail");
    assert_eq!(fails.count(), 1, "{:#}", found.0);
    machine.examined("hooks").finds("hooks", "fail", "`client settings`");
}

#[test]
fn a_hook_that_the_client_could_not_run_is_told_until_it_has_run() {
    let mut machine = Machine::with_client();
    machine.says(&["install"]);
    machine.env.push(("ROZ_NOW", "2099-01-04T12:00:00Z".into()));
    transcript(&machine, "s1", "2099-01-04T10:00:00Z", &["Stop"], 1);
    let path = machine.home().join(".claude/projects/p/s1.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let (before, last) = text.trim_end().rsplit_once('\n').unwrap();
    let failed = before.lines().last().unwrap().replace("hook_success", "hook_non_blocking_error");
    let failed = failed.replace("\"exitCode\"", "\"stderr\":\"no such file\",\"exitCode\"");
    let ran = before.lines().last().unwrap();
    fs::write(&path, format!("{text}{failed}\n{last}\n")).unwrap();
    machine.examined("fired").finds("fired", "fail", "the Stop hook failed: no such file");
    fs::write(&path, format!("{text}{failed}\n{ran}\n{last}\n")).unwrap();
    assert_eq!(machine.examined("fired").check("fired")["status"], "ok");
}

#[test]
fn a_binary_that_may_not_be_run_is_a_failure() {
    let machine = Machine::with_client();
    machine.says(&["install"]);
    let other = machine.home().join("other/roz");
    fs::create_dir(other.parent().unwrap()).unwrap();
    fs::copy(machine.roz(), &other).unwrap();
    let hooks = machine.plugin().join("hooks/hooks.json");
    let text = fs::read_to_string(&hooks).unwrap();
    let text = text.replace("bin/roz", "other/roz");
    fs::write(&hooks, text).unwrap();
    machine.examined("plugin folder").finds("plugin folder", "warn", "not this binary");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o644)).unwrap();
    machine.examined("plugin folder").finds("plugin folder", "fail", "does not start");
    fs::remove_file(&other).unwrap();
    symlink("/dev/null/none", &other).unwrap();
    machine.examined("plugin folder").finds("plugin folder", "fail", "no such program");
}
