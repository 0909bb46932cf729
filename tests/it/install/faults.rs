//! Each check of doctor's: it fails when its fault is made, and passes when
//! that is fixed.
//!
//! Long because the table of faults is.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
};

use serde_json::{Value, json};

use super::{CLIENT, Diagnosis, Machine, put_binary};

struct Fault {
    check: &'static str,
    make: fn(&mut Machine),
    status: &'static str,
    /// What doctor says then.
    seen: &'static str,
    fix: fn(&mut Machine),
}

const USER: &str = "home/.roz/config.toml";
const SETTINGS: &str = "home/.claude/settings.json";
const ALLOWED: &str = r#"{"permissions":{"allow":["Bash(roz:*)"]}}"#;

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
        fix: |it| it.binary = it.home().join("bin/roz"),
    },
    Fault {
        check: "home",
        make: |it| it.write("home/.roz", "in the way"),
        status: "fail",
        seen: "cannot be written",
        fix: |it| fs::remove_file(it.home().join(".roz")).unwrap(),
    },
    Fault {
        check: "home",
        make: |it| symlink("/dev/null/none", it.home().join(".roz")).unwrap(),
        status: "fail",
        seen: "is a link to `/dev/null/none`, which is not a folder",
        fix: |it| fs::remove_file(it.home().join(".roz")).unwrap(),
    },
    Fault {
        check: "home",
        make: |it| {
            it.env.push(("ROZ_HOME", it.home().join("link/roz").display().to_string()));
            symlink("none", it.home().join("link")).unwrap();
        },
        status: "fail",
        seen: "which is not a folder",
        fix: |it| fs::create_dir(it.home().join("none")).unwrap(),
    },
    Fault {
        check: "incidents",
        make: |it| it.write("home/.roz/sessions/s1.corrupt-20260101T000000Z", "{"),
        status: "warn",
        seen: "s1.corrupt-",
        fix: |it| fs::remove_dir_all(it.home().join(".roz")).unwrap(),
    },
    Fault {
        check: "incidents",
        make: |it| it.write("home/.roz/crash.log", "2026-01-01T00:00:00Z hook \"stop\": oh\n"),
        status: "warn",
        seen: "hook \"stop\": oh",
        fix: |it| fs::remove_file(it.home().join(".roz/crash.log")).unwrap(),
    },
    Fault {
        check: "incidents",
        make: |it| it.write("home/.roz/unknown-tools.txt", "do_it\nBash\nsay_it\n"),
        status: "warn",
        seen: "does not know the tool `do_it` (and 1 more), so its calls passed",
        fix: |it| fs::remove_file(it.home().join(".roz/unknown-tools.txt")).unwrap(),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "[review]\nmood = 1\n"),
        status: "warn",
        seen: "config.toml:2",
        fix: |it| it.write(USER, "[review]\nmode = \"always\"\n"),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "\n[templates]\nactive = \"mine\"\n"),
        status: "warn",
        seen: "config.toml:3: `templates.active` names `mine`, and there is no such template",
        fix: |it| it.write("home/.roz/templates/block-mine.md", "Hold on."),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "review.gates.tools = ['Bsh:git push*']"),
        status: "warn",
        seen: "did you mean `Bash:git push*`?",
        fix: |it| {
            it.write(USER, "review.gates.tools = ['Bash:git push*', 'mcp__x__bsh', 'CronDelete']");
        },
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "\nreview.mode = \"never\"\n"),
        status: "fail",
        seen: "config.toml:2), so no review is ever requested",
        fix: |it| it.write(USER, ""),
    },
    Fault {
        check: "incidents",
        make: |it| {
            let noted = r#"[{"kind":"binary","file":"/gone/roz","what":["it is gone"],"before":["0"],"tool":"Bash","session_id":"s1","at":"2026-01-01T00:00:00Z"}]"#;
            it.write("home/.roz/unconfirmed.json", noted);
        },
        status: "warn",
        seen: "`/gone/roz`: it is gone",
        fix: |it| fs::remove_file(it.home().join(".roz/unconfirmed.json")).unwrap(),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "protect.enabled = false"),
        status: "warn",
        seen: "agents can change roz itself",
        fix: |it| it.write(USER, "protect.enabled = true"),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(USER, "trial = true"),
        status: "warn",
        seen: "nothing is held or denied",
        fix: |it| it.write(USER, ""),
    },
    Fault {
        check: "shims",
        make: |it| it.write(USER, "shims.enabled = false"),
        status: "warn",
        seen: "off: what a script",
        fix: |it| it.write(USER, "shims.enabled = true"),
    },
    Fault {
        check: "configuration",
        make: |it| it.env.push(("ROZ_MAX_BLOCKS", "0".into())),
        status: "warn",
        seen: "(the variable ROZ_MAX_BLOCKS), so no stop is ever held",
        fix: |it| it.env.clear(),
    },
    Fault {
        check: "configuration",
        make: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"1"}}"#),
        status: "warn",
        seen: "after 1 blocks in a row",
        fix: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"0"}}"#),
    },
    Fault {
        check: "configuration",
        make: |it| it.env.push(("CLAUDE_CODE_STOP_HOOK_BLOCK_CAP", "2".into())),
        status: "warn",
        seen: "after 2 blocks in a row",
        fix: |it| it.write(SETTINGS, r#"{"env":{"CLAUDE_CODE_STOP_HOOK_BLOCK_CAP":"9"}}"#),
    },
    Fault {
        check: "configuration",
        make: |it| fs::rename(it.home().join("bin/git"), it.home().join("git")).unwrap(),
        status: "warn",
        seen: "not on PATH",
        fix: |it| fs::rename(it.home().join("git"), it.home().join("bin/git")).unwrap(),
    },
    Fault {
        check: "gates",
        make: |it| it.write(USER, "review.mode = \"never\""),
        status: "warn",
        seen: "nothing is enforced",
        fix: |it| it.write(USER, ""),
    },
    Fault {
        check: "reflection",
        make: |it| it.write(USER, "reflection.enabled = false"),
        status: "warn",
        seen: "nobody is asked",
        fix: |it| it.write(USER, ""),
    },
    Fault {
        check: "reflection",
        make: |it| {
            let text = "## Half ^cl_20260101_halfen\n- **Category:** nonsense\n> x\n";
            it.write("project/.roz/learnings.md", text);
        },
        status: "warn",
        seen: "learnings.md:1",
        fix: |it| it.write("project/.roz/learnings.md", ""),
    },
    Fault {
        check: "reflection",
        make: |it| fs::create_dir_all(it.project().join(".roz/learnings.md")).unwrap(),
        status: "warn",
        seen: "`markdown` does not answer",
        fix: |it| {
            fs::remove_dir(it.project().join(".roz/learnings.md")).unwrap();
            it.write("project/.roz/learnings.md", "");
        },
    },
    Fault {
        check: "intents",
        make: |it| it.write("project/.orchestration/active_intents.yaml", "active_intents: ["),
        status: "warn",
        seen: "every write is refused",
        fix: |it| it.write("project/.orchestration/active_intents.yaml", "active_intents: []\n"),
    },
    Fault {
        check: "intents",
        make: |it| it.write("project/.orchestration/agent_trace.jsonl", "{\"half\n"),
        status: "warn",
        seen: "not as it was written",
        fix: |it| it.write("project/.orchestration/agent_trace.jsonl", ""),
    },
    Fault {
        check: "reviewer",
        make: |it| {
            it.program("other/roz", "#!/bin/sh\necho roz 0.0.1\n");
            let folders = ["other", "bin"].map(|name| it.home().join(name).display().to_string());
            it.env.push(("PATH", folders.join(":")));
        },
        status: "fail",
        seen: "which is roz 0.0.1",
        fix: |it| fs::remove_file(it.home().join("other/roz")).unwrap(),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", &client().replace("2.1.330", "2.0.40")),
        status: "fail",
        seen: "does not know every event",
        fix: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", &client().replace("2.1.330", "2.1.100")),
        status: "warn",
        seen: "older than any that roz is tested with",
        fix: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", "#!/bin/sh\nexec /bin/sleep 300\n"),
        status: "warn",
        seen: "`claude --version` failed: `",
        fix: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "client",
        make: |it| it.program("bin/claude", "#!/bin/sh\n"),
        status: "warn",
        seen: "it printed ``",
        fix: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "hooks",
        make: |it| {
            drop(it.says(&["uninstall"]));
            fs::rename(it.home().join("bin/claude"), it.home().join("claude")).unwrap();
        },
        status: "fail",
        seen: "no client is set up, so nothing starts roz",
        fix: |it| {
            fs::rename(it.home().join("claude"), it.home().join("bin/claude")).unwrap();
            it.says(&["install"]);
        },
    },
    Fault {
        check: "hooks",
        make: |it| it.write(SETTINGS, "{\n  // mine\n}"),
        status: "warn",
        seen: "settings.json` is not JSON without comments",
        fix: |it| it.write(SETTINGS, "{\n}"),
    },
    Fault {
        check: "hooks",
        make: |it| drop(it.says(&["uninstall"])),
        status: "fail",
        seen: "not registered",
        fix: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "hooks",
        make: |it| {
            let hooks = it.plugin().join("hooks/hooks.json");
            let text = fs::read_to_string(&hooks).unwrap();
            fs::write(&hooks, text.replace("bin/roz", "text")).unwrap();
            it.write("home/text", "not to be run");
        },
        status: "fail",
        seen: "does not start as roz does",
        fix: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "hooks",
        make: |it| version(it, "99.0.0"),
        status: "fail",
        seen: "the plugin is of version 99.0.0",
        fix: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "hooks",
        make: |it| version(it, "0.0.1"),
        status: "fail",
        seen: "the plugin is of version 0.0.1",
        fix: |it| drop(it.says(&["install"])),
    },
    Fault {
        check: "hooks",
        make: |it| {
            it.program("bin/claude", &client().replace("2.1.330", "2.1.294"));
            it.says(&["install", "--strict"]);
        },
        status: "warn",
        seen: "strict, but Claude Code 2.1.294 does not support that",
        fix: |it| it.program("bin/claude", &client()),
    },
    Fault {
        check: "hooks",
        make: |it| {
            let hook = json!({ "type": "command", "command": "roz hook stop" });
            let hooks = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } });
            it.write("project/.claude/settings.json", &hooks.to_string());
        },
        status: "fail",
        seen: "every hook runs 2 times",
        fix: |it| it.write("project/.claude/settings.json", "{}"),
    },
    Fault {
        check: "hooks",
        make: |it| it.write(SETTINGS, r#"{"disableAllHooks":true}"#),
        status: "fail",
        seen: "disableAllHooks",
        fix: |it| it.write(SETTINGS, "{}"),
    },
    Fault {
        check: "reviewer",
        make: |it| it.write("project/.claude/agents/x.md", "---\nname: \"roz:roz\"\n---\nYes.\n"),
        status: "fail",
        seen: "agents/x.md",
        fix: |it| fs::remove_file(it.project().join(".claude/agents/x.md")).unwrap(),
    },
    Fault {
        check: "reviewer",
        make: |it| it.write(SETTINGS, "{}"),
        status: "warn",
        seen: "claude -p",
        fix: |it| it.write(SETTINGS, ALLOWED),
    },
    Fault {
        check: "reviewer",
        make: |it| permissions(it, r#""deny":["Read","Bash(roz:*)"]"#),
        status: "fail",
        seen: "`Bash(roz:*)` in `",
        fix: |it| permissions(it, r#""deny":["Read","Bash(rozzer:*)"]"#),
    },
    Fault {
        check: "reviewer",
        make: |it| permissions(it, r#""ask":["Bash(roz decide:*)"]"#),
        status: "warn",
        seen: "`Bash(roz decide:*)` in `",
        fix: |it| permissions(it, r#""ask":["Bash(git push:*)"]"#),
    },
    Fault {
        check: "canary",
        make: |it| it.env.push(("TMPDIR", "/dev/null/none".into())),
        status: "fail",
        seen: "no temporary home",
        fix: |it| it.env.clear(),
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

impl Machine {
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
        machine.write(SETTINGS, ALLOWED);
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
        (fault.fix)(&mut machine);
        let found = machine.examined(fault.check).0;
        if !checks(&found).iter().all(|it| it["status"] == "ok") {
            wrong.push(format!("{} is not ok after the fix: {found:#}", fault.check));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_check_has_a_fault() {
    let machine = Machine::with_client();
    machine.says(&["install"]);
    machine.write("home/.roz/crash.log", "2026-01-01T00:00:00Z hook \"stop\": oh\n");
    let found = machine.doctor().0;
    let checks = found["checks"].as_array().unwrap().iter();
    let names: BTreeSet<&str> = checks.map(|it| it["name"].as_str().unwrap()).collect();
    let faults: BTreeSet<&str> = FAULTS.iter().map(|it| it.check).collect();
    assert_eq!(names, faults);
}

#[test]
fn settings_that_hide_our_hooks_are_one_problem() {
    let machine = Machine::with_client();
    machine.write(SETTINGS, "{\"model\":");
    let found = machine.doctor();
    found.finds("hooks", "fail", "starts without our hooks");
    let fails = found.0["checks"].as_array().unwrap().iter().filter(|it| it["status"] == "fail");
    assert_eq!(fails.count(), 1, "{:#}", found.0);
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
    machine.examined("hooks").finds("hooks", "warn", "not this binary");
    fs::set_permissions(&other, fs::Permissions::from_mode(0o644)).unwrap();
    machine.examined("hooks").finds("hooks", "fail", "does not start");
    fs::remove_file(&other).unwrap();
    symlink("/dev/null/none", &other).unwrap();
    machine.examined("hooks").finds("hooks", "fail", "does not start");
}
