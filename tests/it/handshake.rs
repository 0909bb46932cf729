//! The handshake through the front door: what the agent and the user are told
//! when an intent is selected, and when a conversation begins again.

use std::fs;

use serde_json::{Value, json};

use crate::{
    client::SESSION,
    intent_gate::{SELECT, declared, json_of},
    support::{Reply, Roz},
};

/// As the client hands on what a server's tool answered.
fn answer(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

impl Roz {
    /// A call that selects, with what it was answered.
    #[track_caller]
    fn selecting(&self, session: &str, id: &str, answer: &Value) -> Reply {
        let mut call = self.call(SELECT, &json!({ "intent_id": id }));
        call["session_id"] = session.into();
        self.hook("pre-tool-use", call.clone()).passes();
        call["tool_response"] = answer.clone();
        self.hook("post-tool-use", call)
    }

    fn briefing(&self, id: &str) -> String {
        let told = self.json(&["intent", "select", id, "--session-id", "nobody"]);
        self.hook("session-end", json!({ "session_id": "nobody", "reason": "other" })).passes();
        told["context"].as_str().unwrap().to_owned()
    }

    #[track_caller]
    fn starts(&self, source: &str) -> String {
        self.hook("session-start", json!({ "source": source })).context()
    }
}

/// What is told of the other gates' is not counted here.
fn is_silent(reply: &Reply) -> bool {
    reply.json["hookSpecificOutput"]["additionalContext"].is_null()
}

#[test]
fn a_selection_whose_answer_says_nothing_is_told_by_the_hook() {
    let roz = declared("");
    roz.run(&["intent", "lesson", "Mind the clock.", "--intent", "INT-001"]).succeeds();
    roz.selects("INT-001");
    let path = roz.file("src/auth/new.rs");
    let call = roz.call("Write", &json!({ "file_path": path, "content": "a\n" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.write("src/auth/new.rs", "a\n");
    roz.hook("post-tool-use", call).objects_to_nothing();
    let told = roz.selecting(SESSION, "INT-001", &json!({})).context();
    for part in [
        "<intent_context><intent id=\"INT-001\" name=\"Mend the login\">",
        "<path>src/auth/**</path>",
        "<constraint>No new dependency</constraint>",
        "<criterion>Tests pass</criterion>",
        "src/auth/new.rs</entry>",
        "<lesson>Mind the clock.</lesson>",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(is_silent(&roz.prompt("go on")), "once is enough");
}

#[test]
fn what_the_servers_answer_told_is_not_told_again() {
    let roz = declared("");
    let briefing = roz.briefing("INT-001");
    roz.selecting(SESSION, "INT-001", &answer(&briefing)).passes();
    // Of another intent, or in part: that is not it.
    let other = briefing.replace("INT-001", "INT-002");
    let cut: String = briefing.chars().take(60).collect();
    for text in [&*other, &*cut, "Selected INT-001."] {
        let told = roz.selecting(SESSION, "INT-001", &answer(text)).context();
        assert_eq!(told, briefing, "{text}");
    }
}

#[test]
fn what_the_verb_printed_is_told_only_where_the_agent_did_not_see_it() {
    let roz = declared("");
    roz.prompt("hello").passes();
    let line = json!({ "command": "roz intent select INT-001", "description": "x" });
    for (command, is_seen) in [("roz intent select INT-001", true), ("… > /dev/null", false)] {
        let printed = roz.run(&["intent", "select", "INT-001"]).succeeds().stdout;
        let mut call = roz.call("Bash", &line);
        call["tool_response"] = json!({ "stdout": if is_seen { &*printed } else { "" } });
        let reply = roz.hook("post-tool-use", call);
        assert_eq!(is_silent(&reply), is_seen, "{command}: {}", reply.json);
        assert!(is_silent(&roz.prompt("go on")), "{command}");
    }
    // `… && false`: a failure tells what was printed in its error.
    let printed = roz.run(&["intent", "select", "INT-001"]).succeeds().stdout;
    let mut call = roz.call("Bash", &line);
    call["error"] = format!("Exit code 1\n{printed}").into();
    assert!(is_silent(&roz.hook("post-tool-use-failure", call)));
}

#[test]
fn what_the_user_selects_is_told_with_the_next_prompt() {
    let roz = declared("");
    roz.prompt("hello").passes();
    roz.run(&["intent", "select", "INT-001"]).succeeds();
    assert!(roz.prompt("go on").context().contains("<intent id=\"INT-001\""));
    assert!(is_silent(&roz.prompt("go on")));
}

#[test]
fn a_selection_that_failed_binds_nothing_and_tells_nothing() {
    let roz = declared("");
    let call = roz.call(SELECT, &json!({ "intent_id": "INT-001" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.hook("post-tool-use-failure", call).passes();
    assert_eq!(json_of(&roz.writes("src/auth/a.rs").denies())["code"], "MISSING_INTENT");
}

#[test]
fn a_session_is_told_how_to_select_and_what_is_open() {
    let roz = declared("");
    let told = roz.starts("startup");
    assert!(told.contains("select_active_intent") && told.contains("intent select ID"), "{told}");
    assert!(told.contains("- INT-001 (PENDING) Mend the login: src/auth/**"), "{told}");
    assert!(!told.contains("INT-002") && !told.contains("{{"), "{told}");
    assert!(!told.contains("<intent_context>"), "{told}");
    roz.write(".orchestration/.intentignore", "INT-001\n");
    let told = roz.starts("startup");
    assert!(!told.contains("INT-001") && told.contains("No intent is open"), "{told}");
}

#[test]
fn compaction_and_resume_do_not_lose_the_intent() {
    let roz = declared("");
    roz.selects("INT-001");
    for source in ["compact", "resume"] {
        let told = roz.starts(source);
        assert!(told.contains("You are still working on INT-001"), "{source}: {told}");
        assert!(told.ends_with("</intent></intent_context>"), "{source}: {told}");
        assert!(told.contains("<constraint>No new dependency</constraint>"), "{source}: {told}");
        assert!(is_silent(&roz.prompt("go on")), "{source}");
        roz.writes("src/auth/new.rs").passes();
    }
    let intents = roz.declared().replace("status: PENDING", "status: DONE");
    roz.write(".orchestration/active_intents.yaml", &intents);
    let told = roz.starts("resume");
    assert!(!told.contains("You are at") && !told.contains("<intent_context>"), "{told}");
}

#[test]
fn an_intent_of_one_turn_is_not_told_to_the_next() {
    let roz = declared("intent.lifetime = \"turn\"\n");
    roz.selects("INT-001");
    assert!(roz.starts("compact").contains("<intent_context>"), "the turn goes on");
    assert!(!roz.starts("resume").contains("<intent_context>"), "a prompt follows");
}

#[test]
fn all_that_is_told_at_once_stays_below_what_the_client_takes() {
    let roz = declared("review.mode = \"always\"\n");
    let many = "      - \"a constraint of some length, with <markup> and 'quotes'\"\n".repeat(2000);
    let intents = format!(
        "active_intents:\n  - id: INT-001\n    status: TODO\n    owned_scope: [src/auth/**]\n    \
         constraints:\n{many}"
    );
    roz.write(".orchestration/active_intents.yaml", &intents);
    roz.prompt("do it").objects_to_nothing();
    roz.selects("INT-001");
    let told = roz.starts("compact");
    assert!(told.encode_utf16().count() < 10_000, "{}", told.encode_utf16().count());
    assert!(told.encode_utf16().count() > 8_000, "the room is used");
    assert!(told.starts_with("roz:") && told.ends_with("</intent></intent_context>"), "{told}");
    assert!(told.contains("review"), "what the review gate tells is there, too: {told}");
    assert!(told.contains("more: roz intent show INT-001</cut>"), "{told}");
}

#[test]
fn another_live_session_at_the_same_files_is_told_to_agent_and_user() {
    let roz = declared("");
    let intents = roz.declared().replace("status: COMPLETED", "status: TODO");
    let intents = intents.replace("\"src/billing/**\"", "\"src/billing/**\", \"src/auth/log*\"");
    roz.write(".orchestration/active_intents.yaml", &intents);
    let briefing = roz.briefing("INT-001");
    roz.selecting("other", "INT-002", &json!({})).objects_to_nothing();
    let reply = roz.selecting(SESSION, "INT-001", &answer(&briefing));
    let (told, user) = (reply.context(), reply.tells_user());
    for text in [&told, &user] {
        assert!(text.contains("session other is working on INT-002"), "{text}");
        assert!(text.contains("both own `src/auth/log"), "{text}");
    }
    assert!(!told.contains("<intent_context>"), "the answer told that: {told}");
    // The verb says so itself; the user hears of it from the hook.
    let printed = roz.run(&["intent", "select", "INT-001"]).succeeds().stdout;
    let mut call = roz.call("Bash", &json!({ "command": "roz intent select INT-001" }));
    call["tool_response"] = json!({ "stdout": printed });
    let reply = roz.hook("post-tool-use", call);
    assert!(is_silent(&reply), "{}", reply.json);
    assert!(reply.tells_user().contains("session other"), "{}", reply.json);
}

#[test]
fn a_session_that_has_ended_or_is_long_silent_is_at_nothing() {
    let roz = declared("");
    let briefing = answer(&roz.briefing("INT-001"));
    let meets = |who: &str| {
        let reply = roz.selecting(SESSION, "INT-001", &briefing);
        reply.json["systemMessage"].as_str().is_some_and(|it| it.contains(who))
    };
    roz.selecting("other", "INT-001", &briefing).objects_to_nothing();
    assert!(meets("other"));
    roz.hook("session-end", json!({ "session_id": "other", "reason": "clear" })).passes();
    assert!(!meets("other"), "it has ended");
    roz.hook("user-prompt", json!({ "session_id": "other", "prompt": "on" })).objects_to_nothing();
    assert!(meets("other"), "it goes on");
    roz.later(8 * 3600 + 60);
    assert!(!meets("other"), "nobody has heard of it");
}

#[test]
fn a_selection_by_a_subagent_binds_the_session_and_is_told_to_both() {
    let roz = declared("");
    let mut call = roz.call(SELECT, &json!({ "intent_id": "INT-001" }));
    call["agent_id"] = "a1".into();
    call["agent_type"] = "general-purpose".into();
    roz.hook("pre-tool-use", call.clone()).passes();
    call["tool_response"] = json!({});
    assert!(roz.hook("post-tool-use", call).context().contains("<intent_context>"));
    assert!(roz.prompt("go on").context().contains("<intent_context>"));
    roz.writes("src/auth/new.rs").passes();
}

#[test]
fn a_subagent_is_at_its_parents_intent() {
    let roz = declared("");
    let of_subagent = |path: &str| {
        let input = json!({ "file_path": roz.file(path), "content": "x" });
        let mut call = roz.call("Write", &input);
        call["agent_id"] = "a1".into();
        call["agent_type"] = "general-purpose".into();
        roz.hook("pre-tool-use", call)
    };
    assert_eq!(json_of(&of_subagent("src/auth/a.rs").denies())["code"], "MISSING_INTENT");
    roz.selects("INT-001");
    of_subagent("src/auth/a.rs").passes();
    assert_eq!(json_of(&of_subagent("src/billing/a.ts").denies())["code"], "SCOPE_VIOLATION");
}

#[test]
fn programs_of_unknown_effect_pass_in_the_reviewers_hands_and_writes_never() {
    let roz = declared("review.mode = \"always\"\n");
    roz.prompt("do it").objects_to_nothing();
    let reviewer = roz.reviewer("r1");
    for line in ["cargo test", "make check", "./run.sh", "python3 -m pytest"] {
        reviewer.bash(line).objects_to_nothing();
    }
    for line in ["echo x > src/auth/a.rs", "sed -i s/a/b/ src/auth/login.rs"] {
        let reason = reviewer.bash(line).denies();
        assert_eq!(json_of(&reason)["code"], "MISSING_INTENT", "{line}: {reason}");
    }
    let mut call = roz.call("Write", &json!({ "file_path": roz.file("a"), "content": "x" }));
    call["agent_id"] = "r1".into();
    assert_eq!(json_of(&roz.hook("pre-tool-use", call).denies())["code"], "MISSING_INTENT");
    roz.bash("./run.sh").denies();
}

#[test]
fn a_line_of_intentignore_that_says_nothing_makes_every_write_wait() {
    let roz = declared("");
    roz.selects("INT-001");
    roz.write(".orchestration/.intentignore", "denny src/auth/\n");
    let told = roz.writes("src/auth/a.rs").denies();
    assert_eq!(json_of(&told)["code"], "SIDECAR_INVALID");
    assert!(told.contains(".intentignore` cannot be relied on: line 1"), "{told}");
    let refused = roz.tool(SELECT, &json!({ "intent_id": "INT-001" })).denies();
    assert_eq!(json_of(&refused)["code"], "SIDECAR_INVALID");
    fs::remove_file(roz.project().join(".orchestration/.intentignore")).unwrap();
    roz.writes("src/auth/a.rs").passes();
}

#[test]
fn a_session_that_is_lost_has_selected_nothing() {
    let roz = declared("");
    roz.selects("INT-001");
    fs::write(roz.sessions().join("s1.json"), "{").unwrap();
    let reply = roz.writes("src/auth/a.rs");
    assert_eq!(json_of(&reply.denies())["code"], "MISSING_INTENT");
    roz.tool("Read", &json!({ "file_path": roz.file("src/auth/login.rs") })).passes();
    roz.selects("INT-001");
    roz.writes("src/auth/a.rs").passes();
}
