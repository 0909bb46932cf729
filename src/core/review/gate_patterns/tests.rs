use serde_json::json;

use super::*;

/// The gates of a user's file and of a project's.
fn gates(user: &[&str], project: &[&str]) -> GatesPolicy {
    let tools = user.iter().chain(project).map(|&text| text.to_owned()).collect();
    GatesPolicy { tools, project_files: vec![user.len()], ..GatesPolicy::default() }
}

fn bash(line: &str) -> ToolCall<'static> {
    let mut call = crate::clients::testing::call("Bash", json!({ "command": line }), "{}", None);
    call.read(&crate::shell::Options::default());
    call
}

fn pattern_for<'a>(gates: &'a GatesPolicy, call: &ToolCall) -> Option<&'a str> {
    covering(gates, call).first().map(|covering| covering.pattern)
}

#[track_caller]
fn assert_gated(gates: &GatesPolicy, rows: &[(&str, Option<&str>)]) {
    for (line, expected) in rows {
        assert_eq!(pattern_for(gates, &bash(line)), *expected, "{line}");
    }
}

const PUSH: &str = "Bash:git push*";
const NOT_WIP: &str = "!Bash:git push origin wip/*";

#[test]
fn the_last_pattern_that_matches_a_command_wins() {
    let forced = "Bash:git push*--force*";
    let gates = gates(&[PUSH, NOT_WIP, forced], &[]);
    assert_gated(
        &gates,
        &[
            ("git push origin main", Some(PUSH)),
            ("git push origin wip/a", None),
            ("git -C sub push origin wip/a", None),
            ("b=wip/a; git push origin $b", None),
            ("git push origin wip/a --force", Some(forced)),
            ("git push origin wip/a && git push origin main", Some(PUSH)),
            ("git push origin wip/a && git push origin wip/b", None),
            ("git status", None),
        ],
    );
    assert_gated(&self::gates(&[NOT_WIP, PUSH], &[]), &[("git push origin wip/a", Some(PUSH))]);
}

#[test]
fn the_command_that_is_covered_is_told_and_not_the_one_that_is_excluded() {
    let gates = gates(&[PUSH, NOT_WIP], &[]);
    let call = bash("git push origin wip/a && git push origin main");
    let key = Some("Bash:git push origin main".to_owned());
    assert_eq!(covering(&gates, &call), [Gated { pattern: PUSH, key, root: None }]);
}

#[test]
fn an_exclusion_of_a_project_undoes_only_what_the_project_demands() {
    let publish = "Bash:npm publish*";
    let project = [publish, "!Bash:npm publish --tag next*", "!Bash:git push*", "!*"];
    assert_gated(
        &gates(&[PUSH], &project[..3]),
        &[
            ("git push origin main", Some(PUSH)),
            ("npm publish", Some(publish)),
            ("npm publish --tag next", None),
        ],
    );
    assert_gated(&gates(&[PUSH], &project), &[("git push", Some(PUSH)), ("npm publish", None)]);
}

#[test]
fn an_exclusion_of_the_user_leaves_what_the_project_demands() {
    let gates = gates(&[PUSH, NOT_WIP], &["Bash:git push origin*"]);
    let project = Some("Bash:git push origin*");
    assert_gated(&gates, &[("git push origin wip/a", project), ("git push", Some(PUSH))]);
}

#[test]
fn what_is_not_known_is_not_excluded() {
    let gates = gates(&[PUSH, "!Bash:git *"], &[]);
    assert_gated(
        &gates,
        &[
            ("git push origin main", None),
            ("git push origin $(cat branch)", Some(PUSH)),
            ("$(cat program) push origin main", Some(PUSH)),
            ("python3 -c 'import os; os.system(\"git push origin \" + x)'", Some(PUSH)),
            ("git push origin main '", Some(PUSH)),
        ],
    );
    let mut call = bash("git push origin main");
    assert_eq!(pattern_for(&gates, &call), None);
    call.may_run_anything = true;
    assert_eq!(pattern_for(&gates, &call), Some(PUSH));
}

#[test]
fn a_call_that_may_run_anything_is_covered_by_every_pattern_of_commands() {
    let gates = gates(&["Edit", PUSH, "!Bash:*"], &[]);
    let mut call = bash("ls");
    call.may_run_anything = true;
    assert_eq!(covering(&gates, &call), [Gated { pattern: PUSH, key: None, root: None }]);
}

#[test]
fn an_exclusion_of_commands_undoes_a_gate_on_bash_and_on_no_other_tool() {
    let gates = gates(&["Bash", "Monitor", "mcp__*", "!Bash:git status*", "!mcp__x__get"], &[]);
    assert_gated(
        &gates,
        &[("git status -s", None), ("git status; ls", Some("Bash")), ("", Some("Bash"))],
    );
    let tool = |name| crate::clients::testing::call(name, json!({}), "{}", None);
    assert_eq!(pattern_for(&gates, &tool("mcp__x__get")), None);
    assert_eq!(pattern_for(&gates, &tool("mcp__x__set")), Some("mcp__*"));
    let mut monitor =
        crate::clients::testing::call("Monitor", json!({ "command": "git status" }), "{}", None);
    monitor.read(&crate::shell::Options::default());
    assert_eq!(pattern_for(&gates, &monitor), Some("Monitor"));
}

#[test]
fn an_exclusion_that_is_no_glob_excludes_nothing() {
    let gates = gates(&[PUSH, "!Bash:git push["], &[]);
    assert_gated(&gates, &[("git push[x", Some(PUSH))]);
}

#[test]
fn of_some_commands_only_those_are_judged() {
    let gates = gates(&[PUSH, NOT_WIP], &[]);
    let call = bash("git push origin main; git push origin wip/a; git push x $(cat y)");
    let judged = |word: &str| {
        let is_meant = |run: &&Run| run.argv.iter().any(|text| text.contains(word));
        let runs = call.runs().filter(is_meant).cloned().collect();
        let other = GatesElsewhere { root: "/q".into(), gates: gates.clone(), runs };
        let found = covering_runs(&other, &call).next();
        found.map(|gated| gated.pattern.to_owned())
    };
    assert_eq!(judged("main").as_deref(), Some(PUSH));
    assert_eq!(judged("wip/a"), None);
    assert_eq!(judged("x").as_deref(), Some(PUSH));
    assert_eq!(judged("cat"), None);
}
