//! The reflection gate through the front door: tickets closed by the client's
//! calls, stops held, and the verbs that let them go.
//!
//! Long because the gate's whole course is in it.

#![expect(clippy::disallowed_methods, reason = "tests put programs on PATH")]

mod branches;
mod elsewhere;
mod hidden;
mod modes;
mod tasks;
mod words;

use std::{fs, os::unix::fs::PermissionsExt as _, process::Command};

use serde_json::{Value, json};

use crate::{
    client::{SESSION, running},
    support::{BINARY, Reply, Roz, feed},
};

/// A git project with tissue tickets, in a session.
fn with_tickets(config: &str) -> Roz {
    let roz = Roz::with_config(config).in_git();
    fs::create_dir(roz.project().join(".tissue")).unwrap();
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    roz
}

/// A git project that keeps learnings and has no tickets.
fn without_tickets(config: &str) -> Roz {
    let roz = Roz::with_config(config).in_git();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/learnings.md", "");
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    roz
}

impl Roz {
    /// A Bash call, from its beginning to its end.
    #[track_caller]
    fn runs(&self, line: &str, end: &str) -> Reply {
        let call = self.call("Bash", &json!({ "command": line }));
        self.hook("pre-tool-use", call.clone()).passes();
        let mut done = call;
        if end == "post-tool-use" {
            done["tool_response"] =
                json!({ "stdout": "", "stderr": "", "interrupted": false, "isImage": false });
        } else {
            done["error"] = "Exit code 1".into();
        }
        self.hook(end, done)
    }

    #[track_caller]
    fn closes(&self, ticket: &str) {
        self.runs(&format!("tissue status {ticket} closed"), "post-tool-use").passes();
    }

    #[track_caller]
    fn reflects(&self, candidates: &Value) -> Value {
        let ran = self.fed(
            &["reflect", "--session-id", SESSION, "--json"],
            &json!({ "candidates": candidates }).to_string(),
        );
        serde_json::from_str(&ran.succeeds().stdout).unwrap()
    }

    /// Runs the example in the words of a hold, with the second text for the first.
    fn pastes(&self, reason: &str, instead: &[(&str, &str)]) -> std::process::Output {
        let from = reason.find("cat <<'EOF'").unwrap();
        let script = &reason[from..reason.rfind("EOF\n").unwrap() + 4];
        let script = instead.iter().fold(script.to_owned(), |it, (old, new)| it.replace(old, new));
        let folder = std::path::Path::new(BINARY).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut shell: Command = self.program(&["bash", "-c", &script]);
        feed(shell.env("PATH", path), b"")
    }

    fn stats(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.kept_of_project().join("stats.log")).unwrap_or_default();
        text.lines().map(|it| serde_json::from_str(it).unwrap()).collect()
    }

    fn stats_of(&self, event: &str) -> Vec<Value> {
        self.stats().into_iter().filter(|it| it["event"] == event).collect()
    }
}

fn candidate(summary: &str, detail: &str) -> Value {
    json!({
        "category": "pitfall",
        "summary": summary,
        "detail": detail,
        "tags": ["parser"],
        "criteria_met": ["behavior_changing"],
    })
}

fn parser() -> Value {
    candidate(
        "src/parser.rs panics on a lone `\\r` because Lexer::next slices by bytes",
        "Lexer::next in src/parser.rs cut at byte 1 of a two-byte char; use char_indices(). Found by cargo fuzz run lexer.",
    )
}

#[test]
fn a_closed_ticket_holds_the_stop_until_something_is_written_down() {
    let roz = with_tickets("");
    roz.closes("t-1");
    assert_eq!(roz.reflection(), "pending");
    let reason = roz.stop().blocks();
    assert!(reason.contains("ticket t-1 was closed (block 1 of 3)"), "{reason}");
    let answer = roz.reflects(&json!([parser()]));
    assert_eq!(answer["accepted"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(roz.reflection(), "reflected");
    roz.stop().passes();
    let text = fs::read_to_string(roz.project().join(".roz/learnings.md")).unwrap();
    assert!(text.contains("src/parser.rs panics on a lone"), "{text}");
    assert_eq!(roz.stats_of("reflection")[0]["ticket_id"], "t-1");
}

#[test]
fn the_example_in_the_reason_is_no_learning_until_it_is_filled_in() {
    let roz = with_tickets("");
    roz.closes("t-1");
    let reason = roz.stop().blocks();
    let [summary, detail, tag] = roz::core::reflection::candidate::PLACEHOLDERS;
    let lesson = "src/parser.rs panics on a lone `\\\\r` because Lexer::next slices by bytes";
    let why = "Lexer::next cut at byte 1 of a two-byte char; use char_indices().";
    let padded = format!("In short: {summary}");
    for instead in [
        vec![],
        vec![(detail, why), (tag, "parser")],
        vec![(summary, lesson), (tag, "parser")],
        vec![(summary, lesson), (detail, why)],
        vec![(summary, padded.as_str()), (detail, why), (tag, "parser")],
    ] {
        let output = roz.pastes(&reason, &instead);
        let said = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("placeholder"), "{said}");
        assert_eq!(roz.reflection(), "blocked");
    }
    let output = roz.pastes(&reason, &[(summary, lesson), (detail, why), (tag, "parser")]);
    assert!(output.status.success(), "{output:?}");
    roz.stop().passes();
}

#[test]
fn a_close_that_fails_demands_nothing() {
    let roz = with_tickets("");
    roz.runs("tissue status t-1 closed", "post-tool-use-failure").passes();
    assert_eq!(roz.reflection(), "active");
    roz.stop().passes();
    assert_eq!(roz.trace("ticket_close_failed").len(), 1);
}

#[test]
fn a_reflection_in_the_same_call_as_the_close_comes_before_it_is_due() {
    let roz = with_tickets("");
    let call =
        roz.call("Bash", &json!({ "command": "tissue status t-1 closed && roz reflect < x" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    roz.reflects(&json!([parser()]));
    assert_eq!(roz.reflection(), "active");
    let mut done = call;
    done["tool_response"] = json!({ "stdout": "", "stderr": "", "interrupted": false });
    roz.hook("post-tool-use", done).passes();
    roz.stop().blocks();
}

#[test]
fn a_close_whose_failure_is_lost_or_that_runs_in_the_background_counts() {
    let roz = with_tickets("");
    roz.runs("tissue status t-1 closed | tee log", "post-tool-use").passes();
    assert_eq!(roz.reflection(), "pending");
    let roz = with_tickets("");
    let line = json!({ "command": "tissue status t-1 closed", "run_in_background": true });
    let call = roz.call("Bash", &line);
    roz.hook("pre-tool-use", call.clone()).passes();
    let mut done = call;
    done["tool_response"] = json!({ "stdout": "", "stderr": "", "backgroundTaskId": "b1" });
    roz.hook("post-tool-use", done).passes();
    assert_eq!(roz.reflection(), "pending");
}

#[test]
fn a_result_that_says_it_failed_demands_nothing() {
    let roz = with_tickets("");
    let call = roz.call("mcp__tissue__close_issue", &json!({ "id": "t-1" }));
    roz.hook("pre-tool-use", call.clone()).passes();
    let mut done = call;
    done["tool_response"] = json!({ "success": false, "error": "no such issue" });
    roz.hook("post-tool-use", done).passes();
    assert_eq!(roz.reflection(), "active");
}

#[test]
fn every_spelling_of_a_close_counts_and_no_mention_does() {
    for line in [
        "cd sub && TISSUE_STORE=x tissue status t-1 closed 2>&1 | tee log",
        "bash -lc 'tissue status t-1 closed'",
        "tissue edit t-1 --status closed",
    ] {
        let roz = with_tickets("");
        roz.runs(line, "post-tool-use").passes();
        assert_eq!(roz.reflection(), "pending", "{line}");
    }
    for line in ["echo 'tissue status t-1 closed'", "git commit -m 'tissue status t-1 closed'"] {
        let roz = with_tickets("");
        roz.runs(line, "post-tool-use").passes();
        assert_eq!(roz.run(&["debug", SESSION]).code, Some(0), "session start is on record");
        assert_eq!(roz.reflection(), "idle", "{line}");
    }
}

#[test]
fn a_skip_with_a_reason_lets_the_stop_pass() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop().blocks();
    let error = roz.run(&["skip", "  ", "--session-id", SESSION]).fails();
    assert!(error.contains("the reason is empty"), "{error}");
    roz.run(&["skip", "a version bump", "--session-id", SESSION]).succeeds();
    roz.stop().passes();
    assert_eq!(roz.reflection(), "skipped");
    assert_eq!(roz.stats_of("skip")[0]["reason"], "a version bump");
}

#[test]
fn a_skip_of_what_is_not_due_yet_is_kept_for_a_small_change() {
    let roz = without_tickets("");
    roz.stop().passes();
    let said = roz.run(&["skip", "only words", "--session-id", SESSION]).succeeds().stdout;
    assert!(said.contains("The reason counts if the change stays small"), "{said}");
    assert!(said.contains("it is asked for again"), "{said}");
    roz.write("a.txt", "1\n2\n");
    roz.stop().passes();
    assert_eq!(roz.stats_of("skip")[0]["reason"], "only words");
    roz.run(&["skip", "and more of them", "--session-id", SESSION]).succeeds();
    roz.write("a.txt", &"1\n".repeat(40));
    let reason = roz.stop().blocks();
    assert!(reason.contains("skipped with \"and more of them\": say so again"), "{reason}");
    assert_eq!(roz.stats_of("skip").len(), 1);
    roz.run(&["skip", "generated", "--session-id", SESSION]).succeeds();
    roz.stop().passes();
    assert_eq!(roz.stats_of("skip")[1]["reason"], "generated");
}

#[test]
fn several_tickets_that_were_closed_are_all_logged() {
    let roz = with_tickets("");
    roz.runs("bd close b-1 b-2 b-3", "post-tool-use").passes();
    roz.run(&["skip", "three version bumps", "--session-id", SESSION]).succeeds();
    let skip = &roz.stats_of("skip")[0];
    assert_eq!(
        (&skip["ticket_id"], &skip["tickets"]),
        (&json!("b-1"), &json!(["b-1", "b-2", "b-3"]))
    );
    roz.closes("t-1");
    roz.runs("bd close b-2", "post-tool-use").passes();
    roz.later(60);
    roz.reflects(&json!([parser()]));
    let done = &roz.stats_of("reflection")[0];
    assert_eq!((&done["ticket_id"], &done["tickets"]), (&json!("b-2"), &json!(["b-2", "t-1"])));
    assert_eq!(roz.json(&["stats"])["reflection"]["skip_misses"], json!(["b-2"]));
    // Of one there is no list.
    roz.closes("t-2");
    roz.run(&["skip", "a version bump", "--session-id", SESSION]).succeeds();
    assert_eq!(roz.stats_of("skip")[1]["tickets"], Value::Null);
}

#[test]
fn nothing_accepted_is_an_error_and_changes_nothing() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop().blocks();
    for (input, words) in [
        ("", vec!["standard input is empty"]),
        ("{", vec!["standard input is not JSON"]),
        (r#"{"candidates": []}"#, vec!["nothing was accepted"]),
        (
            r#"{"candidates": [{"category": "x", "summary": "short"}]}"#,
            vec!["nothing was accepted"],
        ),
    ] {
        let ran = roz.fed(&["reflect", "--session-id", SESSION], input);
        let (said, error) = (ran.stdout.clone(), ran.fails());
        for word in words {
            assert!(error.contains(word), "{input}: {error}");
        }
        if input.contains("short") {
            for word in ["category", "summary", "detail", "tags", "criteria_met"] {
                assert!(said.contains(word), "`{word}` is not in: {said}");
            }
        }
        assert_eq!(roz.reflection(), "blocked");
    }
}

#[test]
fn one_bad_candidate_rejects_itself_alone() {
    let roz = with_tickets("");
    roz.closes("t-1");
    let answer = roz.reflects(&json!([{ "category": "x" }, parser(), "nonsense"]));
    assert_eq!(answer["accepted"].as_array().unwrap().len(), 1, "{answer}");
    let rejected = answer["rejected"].as_array().unwrap();
    assert_eq!(rejected.len(), 2);
    assert_eq!((&rejected[0]["index"], &rejected[0]["stage"]), (&json!(0), &json!("schema")));
    assert!(rejected[0]["reasons"].as_array().unwrap().len() > 1);
    assert_eq!(roz.stats_of("rejected").len(), 2);
}

#[test]
fn a_session_without_tickets_is_asked_when_it_changed_enough() {
    let roz = without_tickets("");
    roz.stop().passes();
    roz.write("a.txt", "1\n2\n3\n4\n");
    roz.stop().passes();
    assert_eq!(roz.reflection(), "skipped");
    assert_eq!(roz.debug(SESSION)["reflection"]["skip"]["reason"], "auto: 4 lines");
    let logged = roz.stats_of("skip");
    assert_eq!(logged.len(), 1, "a session that changed nothing is not logged: {logged:?}");
    assert_eq!(
        (&logged[0]["reason"], &logged[0]["lines_changed"]),
        (&json!("auto: 4 lines"), &json!(4))
    );
    roz.write("a.txt", "1\n2\n3\n4\n5\n");
    let reason = roz.stop().blocks();
    assert!(reason.contains("this session changed the project"), "{reason}");
    roz.reflects(&json!([parser()]));
    roz.stop().passes();
}

#[test]
fn what_was_dirty_before_the_session_does_not_count_nor_do_our_own_folders() {
    let roz = Roz::new().in_git();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/learnings.md", "");
    roz.write("README.md", "1\n2\n3\n4\n5\n6\n7\n");
    roz.write("new.txt", "1\n2\n3\n4\n5\n6\n7\n");
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    roz.write(".roz/notes.md", "1\n2\n3\n4\n5\n6\n7\n");
    fs::create_dir(roz.project().join(".orchestration")).unwrap();
    roz.write(".orchestration/map.md", "1\n2\n3\n4\n5\n6\n7\n");
    roz.stop().passes();
    roz.write("new.txt", "1\n2\n3\n4\n5\n6\n8\n");
    roz.stop().blocks();
}

#[test]
fn commits_of_the_session_count() {
    let roz = without_tickets("");
    roz.write("a.txt", "1\n2\n3\n4\n5\n6\n");
    roz.git(&["add", "a.txt"]);
    roz.git(&["commit", "-qm", "more"]);
    roz.stop().blocks();
}

#[test]
fn a_repository_without_a_commit_is_measured_too() {
    let roz = Roz::new();
    roz.git(&["init", "-q"]);
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/learnings.md", "");
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    roz.stop().passes();
    roz.write("a.txt", "1\n2\n3\n4\n5\n6\n");
    roz.stop().blocks();
}

#[test]
fn a_config_alone_switches_nothing_on_and_the_key_does() {
    let roz = Roz::new().in_git();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/config.toml", "retrieval.on_prompt = false\n");
    roz.write("a.txt", "1\n2\n3\n4\n5\n6\n");
    roz.hook("session-start", json!({ "source": "startup" })).passes();
    roz.stop().passes();
    roz.write(".roz/config.toml", "reflection.enabled = true\n");
    roz.stop().blocks();
    roz.configure("reflection.enabled = false\n");
    roz.write(".roz/config.toml", "");
    roz.write(".roz/learnings.md", "");
    roz.stop().passes();
}

#[test]
fn exactly_max_blocks_stops_are_held() {
    let roz = with_tickets("");
    roz.closes("t-1");
    for _ in 0..3 {
        roz.hook("stop", json!({ "stop_hook_active": true })).blocks();
    }
    let said = roz.hook("stop", json!({ "stop_hook_active": true })).tells_user();
    assert!(said.contains("held the agent 3 times"), "{said}");
    assert_eq!(roz.reflection(), "idle");
    roz.stop().passes();
}

#[test]
fn a_stop_waits_for_subagents_at_work() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.stop_beside(&json!([running("a1", "Explore")])).objects_to_nothing();
    assert_eq!(roz.reflection(), "pending");
    roz.stop().blocks();
}

#[test]
fn the_review_comes_first_and_the_reflection_after_it() {
    let roz = with_tickets("");
    roz.prompt("#roz").objects_to_nothing();
    roz.closes("t-1");
    assert!(roz.stop().blocks().contains("roz:roz"));
    assert_eq!(roz.reflection(), "pending", "one demand at a time, and one count");
    roz.reviewed("COMPLETE", "read it");
    assert!(roz.stop().blocks().contains("reflect"));
}

#[test]
fn a_task_is_held_open_and_the_reason_is_on_stderr() {
    let roz = without_tickets("");
    let task = json!({ "task_id": "1", "task_subject": "First task" });
    let held = roz.hook("task-completed", task.clone());
    assert!(held.stderr.contains("task 1 (First task)"), "{held:?}");
    roz.reflects(&json!([parser()]));
    assert_eq!(roz.hook("task-completed", task).stderr, "");
}

#[test]
fn notes_of_subagents_reach_whoever_reflects() {
    let roz = with_tickets("");
    roz.run(&["observe", "the N+1 is in the dashboard", "--session-id", SESSION]).succeeds();
    roz.closes("t-1");
    let held = roz.stop().blocks();
    let shown = "EOF\n\nNoted on the way:\n- the N+1 is in the dashboard\n\nThe change is small";
    assert!(held.contains(shown), "{held}");
    let context = roz.run(&["context", SESSION]).succeeds().stdout;
    assert!(context.contains("the N+1 is in the dashboard"), "{context}");
    let error = roz.run(&["observe", " "]).fails();
    assert!(error.contains("the note is empty"), "{error}");
    let error = roz.run(&["observe", &"y".repeat(2001)]).fails();
    assert!(error.contains("2001 bytes long; at most 2000 are kept"), "{error}");
    roz.run(&["observe", &"y".repeat(2000), "--session-id", SESSION]).succeeds();
}

#[test]
fn verbs_of_the_agents_make_a_session_that_is_not_there() {
    for args in [&["observe", "x y z"][..], &["skip", "nothing new"]] {
        let roz = Roz::new().with_var("CLAUDE_CODE_SESSION_ID", "new-one");
        roz.run(args).succeeds();
        assert_eq!(roz.debug("new-one")["session_id"], "new-one", "{args:?}");
    }
    let roz = Roz::new();
    let input = json!({ "session_id": "named", "candidates": [parser()] }).to_string();
    roz.fed(&["reflect"], &input).succeeds();
    assert_eq!(roz.debug("named")["state"]["reflection"], "idle", "nothing was due");
    let error = roz.fed(&["reflect", "--session-id", "../x"], &input).fails();
    assert!(error.contains("is not a session id"), "{error}");
}

#[test]
fn a_ticket_in_progress_is_asked_of_its_own_program() {
    let roz = Roz::new().in_git();
    let bin = roz.dir().join("bin");
    fs::create_dir(&bin).unwrap();
    let tissue = bin.join("tissue");
    fs::write(
        &tissue,
        "#!/bin/sh\n[ \"$*\" = 'list --status in_progress --json' ] || exit 1\n\
         echo '[{\"id\":\"t-7\",\"title\":\"Mend the parser\",\"tags\":[\"parser\"]}]'\n",
    )
    .unwrap();
    fs::set_permissions(&tissue, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let roz = roz.with_var("PATH", &path);
    fs::create_dir(roz.project().join(".tissue")).unwrap();
    fs::create_dir(roz.project().join("deep")).unwrap();
    let cwd = roz.project().join("deep");
    roz.hook("session-start", json!({ "source": "startup", "cwd": cwd })).objects_to_nothing();
    assert_eq!(roz.reflection(), "active");
    let ticket = &roz.debug(SESSION)["reflection"]["ticket"];
    assert_eq!(
        (&ticket["ticket_id"], &ticket["title"]),
        (&json!("t-7"), &json!("Mend the parser"))
    );
    roz.write("a.txt", "1\n2\n3\n4\n5\n6\n");
    roz.stop().passes();
    roz.hook("session-end", json!({ "reason": "other" })).passes();
    assert_eq!(roz.reflection(), "idle");
}

#[test]
fn a_program_that_hangs_or_talks_nonsense_costs_two_seconds_at_most() {
    let roz = Roz::new().in_git().in_real_time();
    let bin = roz.dir().join("bin");
    fs::create_dir(&bin).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let roz = roz.with_var("PATH", &path);
    fs::create_dir(roz.project().join(".tissue")).unwrap();
    for script in ["sleep 60", "echo nonsense", "echo '[{\"title\":1}]'", "exit 3", "yes"] {
        fs::write(bin.join("tissue"), format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(bin.join("tissue"), fs::Permissions::from_mode(0o755)).unwrap();
        roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
        assert_eq!(roz.reflection(), "idle", "{script}");
    }
}

#[test]
fn a_learning_of_one_session_is_told_to_the_next_where_it_is_relevant() {
    let roz = without_tickets("");
    roz.reflects(&json!([
        parser(),
        candidate(
            "terraform apply in infra/prod needs AWS_PROFILE=deploy-eu, else state lock fails",
            "infra/prod/backend.tf locks in DynamoDB table tf-lock-eu; the default profile may not write it.",
        ),
    ]));
    let next = |prompt: &str, id: &str| {
        roz.hook("session-start", json!({ "source": "startup", "session_id": id }))
            .objects_to_nothing();
        roz.hook("user-prompt", json!({ "prompt": prompt, "session_id": id })).json
    };
    let told = next("The lexer panics on a carriage return, fix it", "s2");
    let context = told["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    assert!(context.contains("Lexer::next slices by bytes"), "{told}");
    assert!(!context.contains("terraform"), "{told}");
    assert!(context.contains("roz ref") || context.contains("ref ID"), "{told}");
    assert_eq!(next("A haiku about the sea, please", "s3"), json!({}));

    let id = roz.stats_of("surfaced")[0]["learning_id"].as_str().unwrap().to_owned();
    roz.run(&["ref", &id, "--session-id", "s2", "--how", "it was it"]).succeeds();
    roz.hook("session-end", json!({ "reason": "other", "session_id": "s2" })).passes();
    assert_eq!(roz.stats_of("referenced").len(), 1);
    assert_eq!(roz.stats_of("dismissed").len(), 0);
    let error = roz.run(&["ref", "cl_none"]).fails();
    assert!(error.contains("there is no learning `cl_none`"), "{error}");
}

#[test]
fn what_nobody_referred_to_is_dismissed_when_the_session_ends() {
    let roz = without_tickets("");
    roz.reflects(&json!([parser()]));
    roz.prompt("The lexer panics on a carriage return, fix it").context();
    roz.hook("session-end", json!({ "reason": "other" })).passes();
    roz.hook("session-end", json!({ "reason": "other" })).passes();
    assert_eq!(roz.stats_of("dismissed").len(), 1);
}

#[test]
fn a_pending_reflection_is_told_of_in_the_next_session_of_the_project() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.hook("session-end", json!({ "reason": "other" })).passes();
    let again = roz.hook("session-start", json!({ "source": "resume" })).context();
    assert!(again.contains("ticket t-1 was closed"), "{again}");
    assert!(again.contains("roz skip") || again.contains("skip \"why\""), "{again}");
    let next = json!({ "source": "startup", "session_id": "s2" });
    let told = roz.hook("session-start", next).context();
    assert!(told.contains(&format!("--session-id {SESSION}")), "{told}");
}

#[test]
fn sessions_at_an_intent_outlive_a_clean() {
    let roz = Roz::new();
    std::fs::create_dir(roz.project().join(".orchestration")).unwrap();
    roz.write(
        ".orchestration/active_intents.yaml",
        "active_intents:\n- {id: A, name: a, status: DRAFT, owned_scope: ['src/**']}\n",
    );
    roz.prompt("go").objects_to_nothing();
    roz.run(&["intent", "select", "A", "--session-id", SESSION]).succeeds();
    roz.later(60);
    let told = roz.json(&["clean", "--before", "0m", "--dry-run"]);
    assert_eq!(told["kept_open"], json!([SESSION]), "{told}");
    let told = roz.json(&["clean", "--before", "0m", "--all", "--dry-run"]);
    assert_eq!(told["sessions"], json!([SESSION]), "{told}");
}

#[test]
fn sessions_that_owe_a_reflection_outlive_a_clean() {
    let roz = with_tickets("");
    roz.closes("t-1");
    roz.later(30 * 24 * 3600);
    roz.run(&["clean", "--before", "7d"]).succeeds();
    assert_eq!(roz.reflection(), "pending");
}

#[test]
fn the_schema_is_printed_and_its_own_example_is_no_learning() {
    let roz = Roz::new();
    let schema: Value =
        serde_json::from_str(&roz.run(&["reflect", "--schema"]).succeeds().stdout).unwrap();
    assert_eq!(schema["type"], "object");
    let example = schema["examples"][0].to_string();
    let ran = roz.fed(&["reflect", "--session-id", "s9", "--json"], &example);
    let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&answer["accepted"], ran.code), (&json!([]), Some(1)), "{answer}");
    let reasons = answer["rejected"][0]["reasons"].as_array().unwrap();
    let told = |reason: &Value| reason.as_str().unwrap().contains("an example of roz's own");
    assert!(reasons.len() == 2 && reasons.iter().all(told), "its texts alone: {answer}");
}

#[test]
fn twenty_processes_reflect_at_once_and_all_is_kept() {
    let roz = without_tickets("").in_real_time();
    let children: Vec<_> = (0..20)
        .map(|n| {
            let one = candidate(
                &format!("tests/case_{n}.rs needs port {} free, else bind() fails", 4000 + 37 * n),
                &format!(
                    "case_{n} starts server_{n} on port {}; run `fuser -k {}/tcp` first.",
                    4000 + 37 * n,
                    4000 + 37 * n
                ),
            );
            let input = json!({ "candidates": [one] }).to_string();
            let mut child = crate::support::start(&mut roz.command(&[
                "reflect",
                "--json",
                "--session-id",
                &format!("p{n}"),
            ]));
            crate::support::give(&mut child, input.as_bytes());
            child
        })
        .collect();
    let mut ids = std::collections::BTreeSet::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert!(output.status.success(), "{answer}");
        ids.insert(answer["accepted"][0]["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(ids.len(), 20);
    let text = fs::read_to_string(roz.project().join(".roz/learnings.md")).unwrap();
    for id in &ids {
        assert!(text.contains(id.as_str()), "{id} is lost");
    }
    assert_eq!(roz.stats_of("reflection").len(), 20);
}
