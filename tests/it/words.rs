//! What the agent and the user are told: again after the conversation forgot
//! it, never more than the client takes, and nothing where there is nothing to
//! say.

use serde_json::json;

use crate::{
    client::{REVIEWER, SESSION, token_in},
    support::{Reply, Roz},
};

// What the agent forgets, and what it is told again.

#[test]
fn after_compaction_and_resume_an_open_review_is_told_again() {
    let roz = Roz::gated("");
    roz.push().denies();
    roz.reviewed("ISSUES", "no test for the empty list");
    for source in ["compact", "resume"] {
        let told = roz.hook("session-start", json!({ "source": source })).context();
        for word in [SESSION, REVIEWER, "no test for the empty list", "Bash:git push*"] {
            assert!(told.contains(word), "{source}: `{word}` is not in: {told}");
        }
    }
    roz.hook("session-start", json!({ "source": "clear" })).passes();
    roz.reviewed("COMPLETE", "fine");
    roz.hook("session-start", json!({ "source": "compact" })).passes();
}

#[test]
fn a_fork_hears_of_the_review_that_it_left_behind() {
    let roz = Roz::new();
    roz.requests("#roz");
    let told =
        roz.hook("session-start", json!({ "source": "fork", "session_id": "s2" })).tells_user();
    assert!(told.contains(SESSION), "{told}");
    roz.hook("stop", json!({ "session_id": "s2" })).passes();
}

#[test]
fn second_opinions_are_found_on_path_without_starting_them() {
    let roz = Roz::new();
    let bin = roz.dir().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let path = bin.join("codex");
    std::fs::write(&path, format!("#!/bin/sh\ntouch {}\n", roz.dir().join("started").display()))
        .unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let roz = roz.with_var("PATH", bin.to_str().unwrap());
    roz.hook("session-start", json!({ "source": "startup" })).passes();
    roz.requests("#roz");
    roz.launch();
    assert!(roz.subagent_start("a1").context().contains("codex"));
    assert_eq!(roz.json(&["context", SESSION])["second_opinions"], json!(["codex"]));
    assert!(!roz.dir().join("started").exists());
}

#[test]
fn a_users_own_template_is_used_and_nothing_outside_its_folder_is() {
    for (active, words) in [
        ("mine", "Hold s1, this is mine: 1 of 3 {{no_such_thing}}"),
        ("random", "Hold s1, this is mine: 1 of 3 {{no_such_thing}}"),
        ("nobodys", "independent reviewer"),
        ("../secret", "independent reviewer"),
    ] {
        let roz = Roz::with_config(&format!(
            "templates = {{ active = '{active}', weights = {{ mine = 1 }} }}"
        ));
        let folder = roz.home().join("templates");
        std::fs::create_dir(&folder).unwrap();
        let text = "Hold {{session_id}}, this is mine: {{block_count}} of {{max_blocks}} {{no_such_thing}}\n";
        std::fs::write(folder.join("block-mine.md"), text).unwrap();
        std::fs::write(roz.home().join("secret.md"), "secret").unwrap();
        std::fs::write(folder.join("secret.md"), "secret").unwrap();
        roz.requests("#roz");
        let reason = roz.stop().blocks();
        assert!(reason.contains(words) && !reason.contains("secret"), "{active}: {reason}");
    }
}

#[test]
fn a_huge_template_is_cut() {
    let roz = Roz::with_config("templates.active = 'mine'");
    let folder = roz.home().join("templates");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("block-mine.md"), "é🦀 ".repeat(7000)).unwrap();
    roz.requests("#roz");
    assert!(roz.stop().blocks().ends_with("`roz context s1`.)"));
}

#[test]
fn no_field_of_a_launch_is_too_long_for_the_client() {
    let roz = Roz::new();
    roz.requests("#roz");
    let launch = json!({
        "subagent_type": REVIEWER, "prompt": "x", "description": "é".repeat(20_000), "other": ["ü".repeat(20_000)],
    });
    roz.tool("Agent", &launch).objects_to_nothing();
}

#[test]
fn nothing_that_is_said_is_too_long_whatever_goes_in() {
    let long = |mark: &str| format!("{mark} {}", "漢🦀é ".repeat(20_000));
    let roz = Roz::gated("");
    roz.requests(&format!("#roz {}", long("please")));
    let short = |reply: &Reply| {
        let text = reply.json.to_string();
        assert!(text.chars().count() < 25_000 && !text.contains('\u{fffd}'), "{text}");
    };
    short(&roz.bash(&format!("git push {}", long("origin"))));
    let launch =
        json!({ "subagent_type": REVIEWER, "prompt": long("approve"), "description": "x" });
    short(&roz.tool("Agent", &launch));
    let token = token_in(&roz.subagent_start("a1").context()).unwrap();
    let call = json!({ "command": "roz decide s1 ISSUES bad --token x", "description": "x" });
    let mut call = roz.call("Bash", &call);
    call["agent_id"] = "a1".into();
    roz.hook("pre-tool-use", call.clone()).passes();
    let (summary, message) = (long("bad"), long("wrong"));
    let summary = &summary[..summary.floor_char_boundary(30_000)];
    let message = &message[..message.floor_char_boundary(100_000)];
    roz.run(&["decide", SESSION, "ISSUES", summary, "--message", message, "--token", &token])
        .succeeds();
    short(&roz.hook("post-tool-use", call));
    roz.hook("subagent-stop", json!({ "agent_id": "a1", "agent_type": REVIEWER })).passes();

    let reply = roz.stop();
    assert!(reply.blocks().contains("roz context s1"), "where the rest is: {}", reply.json);
    short(&reply);
    short(&roz.hook("session-start", json!({ "source": "compact" })));
    roz.launch();
    let told = roz.subagent_start("a2");
    short(&told);
    assert!(token_in(&told.context()).is_some());
    assert!(roz.sessions().join("s1.json").metadata().unwrap().len() < 256 * 1024);
}

#[test]
fn a_task_is_not_kept_open_by_an_idle_gate() {
    let roz = Roz::new();
    let task = json!({ "task_id": "1", "task_subject": "First", "task_description": "Do it" });
    roz.hook("task-completed", task).passes();
    assert_eq!(roz.session_files(), [""; 0]);
}

#[test]
fn a_pass_of_an_idle_session_writes_nothing() {
    let roz = Roz::gated("");
    roz.bash("ls").passes();
    roz.stop().passes();
    let call = roz.call("Read", &json!({ "file_path": "x" }));
    roz.hook("post-tool-use", call.clone()).passes();
    roz.hook("post-tool-use-failure", call).passes();
    roz.hook("session-end", json!({ "reason": "other" })).passes();
    assert_eq!(roz.session_files(), [""; 0]);
}
