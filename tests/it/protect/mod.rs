//! Self-protection through the front door: what an agent's tools may not do,
//! and what beside it is free.

mod commands;
mod everyday;
mod mentions;
mod places;
mod servers;
mod settings;

use std::{fs, path::PathBuf};

use roz::core::protect::{Example, RULES, Rule};
use serde_json::Value;

use crate::{
    client::SESSION,
    support::{Reply, Roz},
};

/// A project with everything that there is to protect, and a reviewer at work.
struct House {
    roz: Roz,
}

const USERS: &str = r#"{"enabledPlugins": {"roz@roz": true}, "hooks": {"Stop": []}, "model": "x"}"#;

impl House {
    fn new() -> Self {
        let roz = Roz::with_config("").in_git();
        let house = Self { roz: roz.with_var("XDG_DATA_HOME", "") };
        house.file(".claude/settings.json", USERS);
        house.file(".claude/plugins/installed_plugins.json", "{}");
        house.file(".local/share/roz/plugin/hooks/hooks.json", "{}");
        house.file(".claude/projects/p/s1/subagents/agent-a1.jsonl", "{}");
        house.roz.requests("#roz");
        house.roz.reviewer("a1");
        house
    }

    /// Writes a file of the user's.
    fn file(&self, path: &str, text: &str) {
        let path = self.roz.user_home().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn project_file(&self, path: &str, text: &str) {
        let path = self.roz.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// With the places' names in it.
    fn filled(&self, text: &str) -> String {
        let user = self.roz.user_home();
        let path = path_of_tests();
        let path = path.split(':').find(|it| it.starts_with('/')).unwrap_or("/usr/bin").to_owned();
        let places: [(&str, PathBuf); 6] = [
            ("{home}", self.roz.home()),
            ("{notes}", user.join(".claude/projects/p/s1")),
            ("{user}", user),
            ("{project}", self.roz.project()),
            ("{binary}", env!("CARGO_BIN_EXE_roz").into()),
            ("{path}", path.into()),
        ];
        let text = text.replace("{session}", SESSION).replace("{reviewer}", "a1");
        places.iter().fold(text, |text, (name, path)| text.replace(name, path.to_str().unwrap()))
    }

    #[track_caller]
    fn example(&self, example: &Example) -> Reply {
        let input = self.filled(example.input);
        match example.tool {
            "Bash" => self.roz.bash(&input),
            tool => self.roz.tool(tool, &serde_json::from_str(&input).expect(&input)),
        }
    }

    #[track_caller]
    fn bash(&self, line: &str) -> Reply {
        self.roz.bash(&self.filled(line))
    }

    #[track_caller]
    fn denies(&self, rule: &str, line: &str) {
        answers(&self.bash(line), "deny", rule, line);
    }

    #[track_caller]
    fn asks(&self, rule: &str, line: &str) {
        answers(&self.bash(line), "ask", rule, line);
    }

    /// By whatever rule.
    #[track_caller]
    fn objects(&self, line: &str) {
        let reply = self.bash(line);
        assert!(reply.is_objection(), "{line}");
    }

    #[track_caller]
    fn is_free(&self, line: &str) {
        let reply = self.bash(line);
        assert!(!reply.is_objection(), "{line}: {}", reply.json);
    }

    #[track_caller]
    fn denies_tool(&self, rule: &str, tool: &str, input: &Value) {
        let input: Value = serde_json::from_str(&self.filled(&input.to_string())).unwrap();
        answers(&self.roz.tool(tool, &input), "deny", rule, &format!("{tool} {input}"));
    }

    #[track_caller]
    fn objects_to_tool(&self, tool: &str, input: &Value) {
        let input: Value = serde_json::from_str(&self.filled(&input.to_string())).unwrap();
        assert!(self.roz.tool(tool, &input).is_objection(), "{tool} {input}");
    }

    #[track_caller]
    fn frees_tool(&self, tool: &str, input: &Value) {
        let input: Value = serde_json::from_str(&self.filled(&input.to_string())).unwrap();
        let reply = self.roz.tool(tool, &input);
        assert!(!reply.is_objection(), "{tool} {input}: {}", reply.json);
    }
}

#[expect(clippy::disallowed_methods, reason = "a folder that is on PATH")]
fn path_of_tests() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// The answer, and the line of JSON at the end of its reason.
#[track_caller]
fn answers(reply: &Reply, answer: &str, rule: &str, what: &str) {
    let specific = &reply.json["hookSpecificOutput"];
    assert_eq!(specific["permissionDecision"], answer, "{what}: {} {}", reply.json, reply.stderr);
    let reason = specific["permissionDecisionReason"].as_str().unwrap();
    let last: Value = serde_json::from_str(reason.lines().last().unwrap()).expect(reason);
    assert_eq!(last["rule"], rule, "{what}: {reason}");
    let error = last["code"].as_str().unwrap();
    assert!(["PROTECTED_PATH", "PROTECTED_COMMAND"].contains(&error), "{reason}");
    assert!(last["tool_name"].is_string() && last.get("message").is_none(), "{reason}");
}

#[test]
fn every_rule_objects_to_its_examples_and_to_nothing_beside_them() {
    let house = House::new();
    house.project_file(".claude/settings.json", r#"{"model": "sonnet"}"#);
    for rule in RULES {
        assert!(!rule.objects_to.is_empty() && !rule.passes.is_empty(), "{rule:?}");
        for example in rule.objects_to {
            answers(&house.example(example), rule.answer.word(), rule.name, example.input);
        }
        for example in rule.passes {
            let reply = house.example(example);
            assert!(!reply.is_objection(), "{rule:?} {}: {}", example.input, reply.json);
        }
    }
}

// The status.

#[test]
fn the_user_may_switch_it_off_and_a_project_may_not() {
    let roz = Roz::with_config("protect.enabled = false");
    roz.bash("echo x > ~/.roz/config.toml").passes();
    let house = House::new();
    house.project_file(".roz/config.toml", "protect.enabled = false\n");
    house.denies("roz-home", "echo x > ~/.roz/config.toml");
}

#[test]
fn a_reviewer_decides_with_its_token_and_may_do_no_more_than_others() {
    let roz = Roz::new();
    roz.requests("#roz");
    let reviewer = roz.reviewer("a1");
    reviewer.bash("roz context s1").objects_to_nothing();
    reviewer.bash(&format!("roz decide s1 COMPLETE fine --token {}", reviewer.token)).passes();
    reviewer.bash("echo x > ~/.roz/sessions/s1.json").denies();
    reviewer.bash("roz hook stop").denies();
}

#[test]
fn a_session_that_cannot_be_had_opens_nothing() {
    let house = House::new();
    fs::remove_dir_all(house.roz.sessions()).unwrap();
    fs::write(house.roz.sessions(), "no folder").unwrap();
    let line = house.filled("echo x > {home}/config.toml");
    let reply = house.roz.bash(&line);
    answers(&reply, "deny", "roz-home", &line);
}

#[test]
fn an_objection_stands_in_the_trace() {
    let house = House::new();
    house.denies("roz-home", "rm ~/.roz/config.toml");
    let traced = house.roz.trace("protected");
    assert_eq!(traced[0]["payload"]["rule"], "roz-home");
    assert_eq!(traced[0]["payload"]["answer"], "deny");
    assert_eq!(traced[0]["payload"]["subject"], "~/.roz/config.toml");
}

#[test]
fn the_docs_show_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/self-protection.md");
    let page = fs::read_to_string(path).unwrap();
    let row = |rule: &Rule| {
        let what = rule.what.replace('|', "\\|");
        let (answer, code) = (rule.answer.word(), rule.code.to_string());
        format!("| {what} | {answer} | `{code}` | `{}` |", rule.name)
    };
    let rows = RULES.iter().map(row).collect::<Vec<_>>().join("\n");
    let heading = "| what an agent may not do | answer | error | rule |\n|---|---|---|---|\n";
    let (before, after) = page.split_once(heading).expect("the table's heading");
    let shown: Vec<&str> = after.lines().take_while(|it| it.starts_with('|')).collect();
    let rest = after.lines().skip(shown.len()).collect::<Vec<_>>().join("\n");
    let right = format!("{before}{heading}{rows}\n{rest}\n");
    assert!(page == right, "the page should be:\n{right}");
}
