//! The review gate through the front door: the events that the client sends,
//! in its order, and the verbs that reviewers and people use.

use std::fs;

use serde_json::{Value, json};

use crate::{
    client::{REVIEWER, SESSION, running, token_in},
    support::Roz,
};

// The cycle.

#[test]
fn work_is_done_when_a_reviewer_has_approved_it() {
    let roz = Roz::new();
    roz.hook("session-start", json!({ "source": "startup" })).passes();
    roz.requests("#roz fix the bug");
    let reason = roz.stop().blocks();
    assert!(reason.contains(REVIEWER) && reason.contains(SESSION), "{reason}");
    assert!(reason.contains("block 1 of 3"), "{reason}");

    let reviewer = roz.reviewer("a1");
    assert_eq!(roz.state(), "reviewing");
    let ran = reviewer.decides("COMPLETE", "read the diff").succeeds();
    assert!(ran.stdout.contains("COMPLETE") && ran.stdout.contains(SESSION), "{}", ran.stdout);
    reviewer.ends().passes();
    assert_eq!(roz.state(), "approved");
    roz.stop().passes();
    roz.hook("session-end", json!({ "reason": "prompt_input_exit" })).passes();

    let session = roz.debug(SESSION);
    assert_eq!(
        session["review"]["decision"],
        json!({ "type": "complete", "summary": "read the diff" })
    );
    assert_eq!(session["review"]["block_count"], 0);
    let attempt = &session["review"]["attempts"][0];
    assert_eq!(attempt["template_id"], "default");
    assert_eq!(
        attempt["outcome"],
        json!({ "type": "success", "decision_type": "complete", "blocks_needed": 1 })
    );
}

#[test]
fn findings_reach_the_agent_until_a_reviewer_approves() {
    let roz = Roz::new();
    roz.requests("#roz");
    let first = roz.reviewer("a1");
    first
        .decides_with("ISSUES", "no test", &["--message", "Add one for the empty list."])
        .succeeds();
    first.ends().passes();
    assert_eq!(roz.state(), "issues");
    let reason = roz.stop().blocks();
    for word in ["no test", "Add one for the empty list.", REVIEWER] {
        assert!(reason.contains(word), "`{word}` is not in: {reason}");
    }

    roz.launch();
    let told = roz.subagent_start("a2").context();
    assert!(told.contains("Add one for the empty list."), "the next reviewer hears of it: {told}");
    assert_ne!(token_in(&told), Some(first.token));
    assert!(
        roz.run(&["context", SESSION]).succeeds().stdout.contains("Add one for the empty list.")
    );
    roz.hook("subagent-stop", json!({ "agent_id": "a2", "agent_type": REVIEWER })).blocks();
    // The client lists it no more.
    roz.stop().blocks();

    roz.reviewed("COMPLETE", "there is a test now");
    roz.stop().passes();
}

#[test]
fn issues_without_a_message_tell_the_summary() {
    let roz = Roz::new();
    roz.requests("#roz");
    roz.reviewed("ISSUES", "the name is wrong");
    assert!(roz.stop().blocks().contains("the name is wrong"));
}

#[test]
fn a_prompt_that_asks_for_nothing_holds_nobody() {
    let roz = Roz::new();
    for prompt in ["fix the bug", "#rozzz", "roz", "#ro z", "x#roz"] {
        roz.prompt(prompt).passes();
        roz.stop().passes();
    }
    for prompt in ["use #roz please", "# roz", "/roz look", "@roz"] {
        let told = roz.prompt(prompt).objects_to_nothing().tells_user();
        assert_eq!(told, "roz: to ask for a review, begin the prompt with `#roz`.", "{prompt:?}");
        roz.stop().passes();
    }
    let told = roz.prompt("#roz:approvee").objects_to_nothing().tells_user();
    for command in ["#roz:stop", "#roz:approve", "#roz:allow"] {
        assert!(told.contains(command), "{told}");
    }
    roz.stop().passes();
}

#[test]
fn roz_is_a_word_in_any_case() {
    for prompt in ["#roz", "#ROZ now", "  \n#Roz: please", "#roz\tx", "#roz\u{a0}x", "#roz, x"] {
        let roz = Roz::new();
        roz.requests(prompt);
        assert_eq!(roz.state(), "pending", "{prompt:?}");
    }
}

#[test]
fn after_three_blocks_the_stop_passes_and_the_user_hears_of_it() {
    let roz = Roz::gated("");
    roz.requests("#roz");
    for _ in 0..3 {
        roz.stop().blocks();
    }
    let reply = roz.stop();
    reply.objects_to_nothing();
    assert!(reply.tells_user().contains("NOT reviewed"), "{}", reply.json);
    roz.stop().objects_to_nothing();
    assert_eq!(roz.trace("breaker_tripped").len(), 1);
    let blocks = roz
        .trace("stop_hook_called")
        .iter()
        .filter(|it| it["payload"]["answer"] == "block")
        .count();
    assert_eq!(blocks, 3);
    let outcomes: Vec<Value> = roz.debug(SESSION)["review"]["attempts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["outcome"]["type"].clone())
        .collect();
    assert_eq!(outcomes, ["not_spawned", "not_spawned", "not_spawned"]);

    // Three ignored stops do not buy a push.
    let asked = roz.push().asks();
    assert!(asked.contains("roz allow"), "{asked}");
    roz.later(301);
    roz.push().denies();
}

#[test]
fn a_new_request_counts_anew() {
    let roz = Roz::with_config("circuit_breaker.max_blocks = 1");
    for _ in 0..3 {
        roz.requests("#roz");
        roz.stop().blocks();
    }
    roz.stop().objects_to_nothing().tells_user();
}

#[test]
fn a_review_that_was_given_up_shows() {
    let roz = Roz::new();
    roz.requests("#roz");
    for _ in 0..3 {
        roz.stop().blocks();
    }
    roz.stop();
    let told = roz.json(&["status"]);
    let review = told["gates"].as_array().unwrap().iter().find(|it| it["gate"] == "review");
    let review = review.unwrap();
    assert_eq!((&review["state"], &review["waits_for"]), (&json!("given_up"), &Value::Null));
    assert!(review["next"].as_str().unwrap().contains("given up"), "{review}");
    let short = roz.run(&["status", "--short"]).succeeds().stdout;
    assert!(short.contains("review given up"), "{short}");
}

#[test]
fn the_user_ends_a_review() {
    let roz = Roz::gated("");
    roz.requests("#roz");
    let reviewer = roz.reviewer("a1");
    roz.prompt("#roz:stop enough").tells_user();
    assert_eq!(roz.state(), "idle");
    roz.stop().passes();
    roz.run(&["decide", SESSION, "COMPLETE", "late", "--token", &reviewer.token]).fails();
    roz.push().denies();
    assert_eq!(roz.trace("review_ended").len(), 1);
}

#[test]
fn in_mode_always_every_prompt_asks() {
    for roz in [
        Roz::with_config("review.mode = 'always'").in_git(),
        Roz::with_config("review.mode = 'always'"),
    ] {
        roz.prompt("what does this do?").passes();
        // There is nothing to review yet.
        roz.stop().passes();
        roz.agent_writes("README.md", "fixed\n");
        roz.stop().blocks();
        let reviewer = roz.reviewer("a1");
        reviewer.looks();
        reviewer.runs("cat README.md");
        reviewer.decides("COMPLETE", "fine").succeeds();
        reviewer.ends().passes();
        roz.stop().passes();
        roz.agent_writes("README.md", "fixed twice\n");
        roz.stop().blocks();
    }
}

#[test]
fn in_mode_never_nothing_asks() {
    let roz = Roz::gated("review.mode = 'never'");
    assert!(roz.prompt("#roz").objects_to_nothing().tells_user().contains("switched off"));
    roz.stop().passes();
    roz.push().passes();
}

// Gated calls.

#[test]
fn a_gated_call_is_denied_until_it_is_reviewed() {
    let roz = Roz::gated("").in_git();
    roz.bash("git status").passes();
    let reason = roz.push().denies();
    for word in ["`Bash:git push*`", SESSION, REVIEWER, "git push origin main"] {
        assert!(reason.contains(word), "`{word}` is not in: {reason}");
    }
    let context = roz.json(&["context", SESSION]);
    assert_eq!(context["gate_trigger"]["tool_name"], "Bash");
    assert_eq!(context["gate_trigger"]["tool_input"]["value"]["command"], "git push origin main");
    assert_eq!(context["gate_trigger"]["pattern_matched"], "Bash:git push*");
    roz.stop().blocks();
    roz.reviewed("COMPLETE", "fine");
    let call = roz.call("Bash", &json!({ "command": "git push origin main" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.hook("post-tool-use", call).passes();
    assert_eq!(roz.trace("gate_blocked").len(), 1);
    assert_eq!(roz.trace("gate_allowed").len(), 1);
    assert_eq!(roz.trace("tool_completed").len(), 1);
}

/// How a line is read has tests of its own; that the gate asks is tested here.
#[test]
fn a_gated_command_is_found_wherever_it_stands_in_the_line() {
    let roz = Roz::gated("review.gates.max_denials = 1000");
    for line in [
        "git push",
        "cd pkg && git push origin main",
        "true; git push",
        "git status | tee log; (git push)",
        "sh -c 'git push'",
        "bash -c \"cd x; sh -c 'git push -f'\"",
        "GIT_SSH=x env A=1 git push",
        "timeout 5 sudo git push",
        "echo $(git push)",
        "git status\ngit push\n",
        "git \\\n push",
        "'git' pu\"sh\" origin",
        "if true; then git push; fi",
    ] {
        assert!(roz.bash(line).is_objection(), "{line:?} passed");
    }
    for line in ["git status", "echo git push", "git pull", "grep 'git push' log", "# git push"] {
        roz.bash(line).passes();
    }
    for (tool, field) in [
        ("PowerShell", "command"),
        ("Monitor", "command"),
        ("mcp__ops__run", "cmd"),
        ("mcp__ops__run", "script"),
    ] {
        assert!(roz.tool(tool, &json!({ field: "git push" })).is_objection(), "{tool}.{field}");
    }
    roz.tool("Write", &json!({ "file_path": "x", "content": "git push" })).passes();
}

#[test]
fn an_exclusion_lets_a_command_through_and_a_projects_does_not_open_what_the_user_closed() {
    let roz =
        Roz::with_config("review.gates.tools = ['Bash:git push*', '!Bash:git push origin wip/*']");
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(
        ".roz/config.toml",
        "review.gates.tools = ['Bash:make *', '!Bash:make test', '!Bash:git push*']",
    );
    for line in ["git push origin wip/a", "make test", "make test && git push origin wip/a"] {
        roz.bash(line).passes();
    }
    for line in ["git push origin main", "make test all", "git push origin \"wip/$(cat x)\""] {
        roz.bash(line).denies();
    }
    let reason = roz.bash("git push origin wip/a; git push origin main").denies();
    assert!(reason.contains("covers `git push origin main`"), "{reason}");
    let told = roz.json(&["explain", "git push origin wip/a"]);
    assert_eq!(told["verdict"], "allow", "{told}");
}

#[test]
fn gated_tools_are_gated_in_subagents_and_the_reviewer_may_not_use_them_at_all() {
    let roz = Roz::gated("");
    let mut call = roz.call("Bash", &json!({ "command": "git push" }));
    call["agent_id"] = "a9".into();
    call["agent_type"] = "general-purpose".into();
    roz.hook("pre-tool-use", call).denies();
    let reviewer = roz.reviewer("a1");
    reviewer.bash("git push").denies();
    reviewer.decides("COMPLETE", "fine").succeeds();
    reviewer.bash("git push").denies();
    roz.push().passes();
}

#[test]
fn two_gated_calls_at_once_are_one_review() {
    let roz = Roz::gated("");
    roz.push().denies();
    roz.bash("git push --tags").denies();
    roz.reviewed("COMPLETE", "both are fine");
    roz.push().passes();
    roz.bash("git push --tags").passes();
    assert_eq!(roz.debug(SESSION)["review"]["cycle"], 1);
}

#[test]
fn an_approval_reaches_as_far_as_its_scope() {
    for (scope, second_call, after_a_prompt) in
        [("session", true, true), ("prompt", true, false), ("tool", false, false)]
    {
        let roz = Roz::gated(&format!("review.gates.approval_scope = '{scope}'"));
        roz.prompt("push it").passes();
        roz.push().denies();
        roz.reviewed("COMPLETE", "fine");
        roz.push().passes();
        assert_eq!(!roz.push().is_objection(), second_call, "{scope}: a second call");
        if second_call {
            roz.prompt("push it again").passes();
            assert_eq!(!roz.push().is_objection(), after_a_prompt, "{scope}: after a prompt");
        }
    }
}

#[test]
fn with_scope_tool_a_hook_that_is_registered_twice_agrees_with_itself() {
    let roz = Roz::gated("review.gates.approval_scope = 'tool'");
    roz.push().denies();
    roz.reviewed("COMPLETE", "fine");
    let call = roz.call("Bash", &json!({ "command": "git push" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.hook("pre-tool-use", call).passes();
    roz.push().denies();
}

#[test]
fn an_approval_expires() {
    let roz = Roz::gated(
        "review.gates.approval_ttl_seconds = 60\nreview.gates.approval_scope = 'session'",
    );
    roz.push().denies();
    roz.reviewed("COMPLETE", "fine");
    roz.push().passes();
    roz.later(61);
    roz.push().denies();
}

#[test]
fn a_prompt_during_the_review_does_not_count_against_its_approval() {
    let roz = Roz::gated("");
    roz.push().denies();
    let reviewer = roz.reviewer("a1");
    roz.prompt("are you done?").passes();
    reviewer.decides("COMPLETE", "fine").succeeds();
    reviewer.ends().passes();
    roz.push().passes();
}

#[test]
fn after_many_denials_a_person_is_asked() {
    let roz = Roz::gated("review.gates.max_denials = 2");
    roz.push().denies();
    roz.push().denies();
    roz.push().asks();
}

/// The client tells nobody what a person answered: that the call ran is the yes.
#[test]
fn what_a_person_said_yes_to_is_in_the_trace() {
    let roz = Roz::gated("review.gates.max_denials = 1");
    let push = |id: &str| json!({ "tool_name": "Bash", "tool_input": { "command": "git push" }, "tool_use_id": id });
    roz.hook("pre-tool-use", push("t1")).denies();
    roz.hook("pre-tool-use", push("t2")).asks();
    roz.hook("pre-tool-use", push("t3")).asks();
    roz.hook("post-tool-use", push("t1")).objects_to_nothing();
    assert_eq!(roz.trace("call_granted"), Vec::<Value>::new(), "it was denied");
    roz.hook("post-tool-use", push("t3")).objects_to_nothing();
    roz.hook("post-tool-use", push("t3")).objects_to_nothing();
    let granted = roz.trace("call_granted");
    assert_eq!(granted.len(), 1, "once: {granted:?}");
    assert_eq!(granted[0]["payload"]["tool_use_id"], "t3");
    assert_eq!(granted[0]["payload"]["about"], "Bash:git push*: Bash: git push");
    roz.hook(
        "pre-tool-use",
        json!({ "tool_name": "Bash", "tool_use_id": "t4",
        "tool_input": { "command": "roz clean --all" } }),
    )
    .asks();
    roz.hook("post-tool-use", push("t4")).objects_to_nothing();
    let about = &roz.trace("call_granted")[1]["payload"]["about"];
    assert!(about.as_str().unwrap().contains("roz clean"), "{about}");
}

// The background.

#[test]
fn a_stop_beside_a_reviewer_passes_in_silence() {
    let roz = Roz::new();
    roz.requests("#roz");
    let reviewer = roz.reviewer("a1");
    roz.stop_beside(&json!([reviewer.in_background()])).passes();
    reviewer.decides("ISSUES", "bad").succeeds();
    reviewer.ends().passes();
    // Its end arrives as a prompt of the client's, which asks for nothing.
    let notification = "<task-notification>\n<task-id>a1</task-id>\n#roz\n</task-notification>";
    roz.prompt(notification).passes();
    assert_eq!(roz.state(), "issues");
    roz.stop().blocks();
}

#[test]
fn an_approval_that_comes_from_the_background_opens_the_gate_that_asked() {
    let roz = Roz::gated("");
    roz.prompt("push it").passes();
    roz.push().denies();
    let reviewer = roz.reviewer("a1");
    roz.stop_beside(&json!([reviewer.in_background()])).passes();
    reviewer.decides("COMPLETE", "fine").succeeds();
    reviewer.ends().passes();
    roz.prompt("<task-notification>\n<task-id>a1</task-id>\n</task-notification>").passes();
    roz.push().passes();
    assert_eq!(roz.debug(SESSION)["review"]["user_prompts"], json!(["push it"]));
}

#[test]
fn a_reviewers_report_in_auto_mode_leaves_its_approval_as_it_is() {
    let roz = Roz::gated("");
    roz.prompt("push it").passes();
    roz.push().denies();
    let reviewer = roz.reviewer("a1");
    reviewer.decides("COMPLETE", "fine").succeeds();
    // Client 2.1.330 sends it before the SubagentStop.
    let report = "<agent-message from=\"a1\">\n[Subagent hand-back] The text below is the final \
                  report of a subagent.\n  I approved it.\n</agent-message>";
    roz.prompt(report).passes();
    reviewer.ends().passes();
    roz.push().passes();
    assert_eq!(roz.debug(SESSION)["review"]["user_prompts"], json!(["push it"]));
}

#[test]
fn a_reviewer_that_is_gone_holds_nobody_and_frees_nobody() {
    let roz = Roz::new();
    roz.requests("#roz");
    roz.reviewer("a1");
    roz.stop().blocks();
    assert_eq!(roz.state(), "pending");
}

#[test]
fn other_subagents_at_work_let_a_stop_pass_for_a_while() {
    let roz = Roz::new();
    roz.requests("#roz");
    let busy = json!([running("a5", "general-purpose")]);
    roz.stop_beside(&busy).objects_to_nothing().tells_user();
    let shell = json!([{ "id": "b1", "type": "shell", "status": "running", "command": "sleep 9" }]);
    roz.stop_beside(&shell).blocks();
    roz.later(901);
    roz.stop_beside(&busy).blocks();
}

#[test]
fn a_prompt_that_the_session_scheduled_is_not_the_users() {
    let roz = Roz::gated("");
    roz.push().denies();
    roz.tool("CronCreate", &json!({ "prompt": "check the build", "cron": "* * * * *" })).passes();
    roz.reviewed("COMPLETE", "fine");
    roz.prompt("check the build").passes();
    roz.hook("user-prompt", json!({ "prompt": "by a peer", "source": "peer", "prompt_id": "p77" }))
        .passes();
    let stop = json!({ "stop_hook_active": false, "session_crons": [{ "id": "c1", "prompt": "look again" }] });
    roz.hook("stop", stop).passes();
    roz.prompt("look again").passes();
    roz.push().passes();
    for tool in ["CronCreate", "ScheduleWakeup"] {
        roz.tool(tool, &json!({ "prompt": " #roz:stop" })).denies();
    }
}
