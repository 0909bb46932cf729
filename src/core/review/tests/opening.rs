//! What opens a review, and what an approval lets through.

use super::*;

#[test]
fn roz_at_the_start_of_a_prompt_opens_a_new_cycle_unless_a_reviewer_is_at_work() {
    for from in ["idle", "pending", "issues", "approved"] {
        let mut gate = Gate::new();
        match from {
            "pending" => drop(gate.objects_to(push("p1")).objects_to(stop())),
            "issues" => drop(gate.objects_to(push("p1")).decided("a1", issues())),
            "approved" => drop(gate.objects_to(push("p1")).decided("a1", complete())),
            _ => (),
        }
        let cycle = gate.is(from).cycle();
        gate.passes_with_a_word(prompt("#roz fix it"), "roz: review requested").is("pending");
        assert_eq!(gate.counts(0, 0).cycle(), cycle + 1, "{from}");
        assert_eq!(gate.session.review.decision, Decision::Pending, "{from}");
        gate.objects_to(stop());
    }
}

#[test]
fn roz_voids_an_approval_and_older_tokens() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz one"));
    let token = gate.reviewer("a1");
    gate.leaves("a1").is("pending").passes(prompt("#roz two"));
    let _ = gate.permits("a1", "COMPLETE");
    assert_eq!(gate.posts(complete(), Claim::Token(token)), Err(Refusal::UnknownToken));
    gate.decided("a2", complete()).passes(prompt("#roz three")).objects_to(push("p1"));
}

#[test]
fn in_mode_always_a_prompt_opens_a_cycle_unless_the_work_is_still_the_approved_one() {
    let mut gate = Gate::always();
    gate.tree("t1").passes(prompt("fix it")).is("pending");
    let cycle = gate.cycle();
    gate.passes(prompt("and that")).is("pending");
    assert_eq!(gate.cycle(), cycle, "a review under way goes on");
    gate.tree("t2").decided("a1", complete()).passes(prompt("thanks")).is("approved");
    gate.tree("t3").passes(prompt("next")).is("pending");
    assert_eq!(gate.cycle(), cycle + 1);
}

#[test]
fn in_mode_always_work_that_cannot_be_looked_at_is_new() {
    let mut gate = Gate::always();
    gate.tree("t1").passes(prompt("fix it")).decided("a1", complete()).is("approved");
    gate.work(Work::Unknown("no time".into())).passes(prompt("next")).is("pending");
}

#[test]
fn in_mode_never_neither_roz_nor_gates_nor_launches_start_a_review() {
    let mut gate = Gate::new();
    gate.policy.review.mode = Mode::Never;
    gate.passes_with_a_word(prompt("#roz fix it"), "switched off").is("idle");
    gate.passes(push("p1")).is("idle").passes(stop()).launch();
    assert_eq!(gate.starts("a1"), None);
    gate.is("idle");
}

#[test]
fn a_prompt_leaves_approved_work_approved() {
    let mut gate = Gate::with_tree("t1");
    gate.passes(prompt("#roz fix it")).decided("a1", complete());
    gate.passes_silently(prompt("now push")).is("approved").passes(push("p1")).is("approved");
}

#[test]
fn an_idle_session_is_approved_by_an_approval_in_the_table() {
    let mut gate = Gate::with_tree("t1");
    gate.approved_elsewhere("t1").passes(push("p1")).is("approved");
    assert_eq!(gate.cycle(), 0, "no review was opened");
    gate.tree("t2").passes(stop()).is("approved");
    gate.objects_to(push("p2")).is("pending");
}

#[test]
fn a_gated_tool_that_no_approval_serves_is_denied_and_opens_a_cycle() {
    let mut gate = Gate::with_tree("t1");
    gate.approved_elsewhere("t0").objects_with(push("p1"), "gate-deny").is("pending");
    let trigger = gate.session.review.trigger().unwrap();
    assert_eq!(trigger.pattern_matched, "Bash:git push*");
    assert_eq!(trigger.tool_input.value["command"], "git push origin main");
    assert_eq!(trigger.key.as_deref(), Some("Bash:git push origin main"));
    assert_eq!(trigger.root.as_deref(), Some(Path::new("/p")));
    gate.objects_to(stop());
}

#[test]
fn new_work_is_denied_with_its_files_and_the_former_approval_stays_in_the_table() {
    let mut gate = Gate::with_tree("t1");
    gate.objects_to(push("p1")).decided("a1", complete()).passes(push("p2"));
    let cycle = gate.cycle();
    let notice = gate.tree("t2").notice_of(push("p3"));
    assert_eq!(field(&notice, "reason"), "changed since the approval: a.rs");
    assert_eq!(gate.is("pending").cycle(), cycle + 1);
    gate.tree("t1").passes(push("p4")).is("pending");
}

#[test]
fn who_changed_a_file_is_said_where_it_is_known() {
    let mut gate = Gate::with_tree("t1");
    gate.objects_to(push("p1")).decided("a1", complete()).tree("t2");
    let Work::Known(mut known) = gate.facts.work.clone() else { panic!("it is known") };
    let by = [Author::Session, Author::Other("s9".into()), Author::Unknown];
    let files = ["mine.rs", "theirs.rs", "typed.rs"];
    let changed = files.iter().zip(by).map(|(path, by)| Changed { path: (*path).into(), by });
    known.changed = changed.collect();
    assert_eq!(
        messages::why_new(&known),
        "changed since the approval: mine.rs, theirs.rs (by session s9), typed.rs (not by this \
         session's tools: `#roz:approve` if it was you)"
    );
    known.uncommitted = vec!["src/a.rs".into()];
    assert_eq!(
        messages::why_new(&known),
        "the approved version of `src/a.rs` is not committed yet"
    );
}

#[test]
fn while_a_gate_holds_a_call_passes_that_an_approval_serves() {
    for decision in [None, Some(issues())] {
        let mut gate = Gate::with_tree("t1");
        gate.approved_elsewhere("t0").objects_to(push("p1"));
        if let Some(decision) = decision {
            gate.decided("a1", decision);
        }
        let phase = gate.session.review.phase().word();
        gate.tree("t0").passes(push("p2")).is(phase);
        gate.tree("t1").objects_to(push("p3")).is(phase);
    }
}

#[test]
fn a_review_that_the_user_asked_for_waits_for_its_own_answer() {
    let mut gate = Gate::with_tree("t1");
    gate.approved_elsewhere("t1").passes(prompt("#roz look again"));
    gate.objects_to(push("p1")).is("pending").objects_to(stop());
}

#[test]
fn a_gated_tool_while_a_review_is_open_is_denied_and_becomes_the_trigger() {
    let mut gate = Gate::new();
    gate.objects_to(push("p1"));
    let cycle = gate.cycle();
    gate.objects_with(call("mcp__tissue__close_issue", json!({})), "gate-deny").is("pending");
    assert_eq!(gate.session.review.trigger().unwrap().tool_name, "mcp__tissue__close_issue");
    gate.decided("a1", issues()).objects_with(push("p2"), "gate-deny").is("issues");
    assert_eq!(gate.session.review.trigger().unwrap().tool_name, "Bash");
    assert_eq!(gate.cycle(), cycle);
}

#[test]
fn a_call_that_is_told_twice_is_denied_twice_and_counted_once() {
    let mut gate = Gate::new();
    gate.policy.review.gates.max_denials = 2;
    gate.objects_to(push("p1")).objects_to(push("p1")).objects_to(push("p2"));
    gate.asks_about(push("p3"));
}

#[test]
fn a_gated_tool_beside_a_reviewer_is_denied_whatever_the_work_is() {
    let mut gate = Gate::with_tree("t1");
    gate.approved_elsewhere("t1").passes(prompt("#roz fix it"));
    gate.reviewer("a1");
    gate.objects_with(push("p1"), "gate-reviewing").is("reviewing");
    gate.work(Work::Unknown("no time".into())).objects_with(push("p2"), "gate-reviewing");
}

#[test]
fn a_tripped_breaker_asks_about_gated_tools_until_it_cools_down() {
    let mut gate = Gate::new();
    gate.policy.circuit_breaker.max_blocks = 1;
    gate.passes(prompt("#roz fix it")).objects_to(stop()).passes(stop());
    gate.asks_about(push("p1")).is("idle").later(300).objects_to(push("p2")).is("pending");
}

#[test]
fn a_reviewer_that_starts_ahead_of_time_opens_a_cycle() {
    let mut gate = Gate::with_tree("t1");
    gate.launch().is("idle").starts("a1").expect("a token");
    gate.is("reviewing").leaves("a1").is("idle").passes(stop());
    gate.decided("a2", complete()).is("approved").passes(push("p1"));
    gate.tree("t2").launch().is("approved").starts("a3").expect("a token");
    gate.is("reviewing");
}

#[test]
fn a_launch_that_the_user_refuses_opens_nothing() {
    let mut gate = Gate::new();
    gate.launch().is("idle").passes(stop());
}

#[test]
fn approved_work_needs_no_reviewer() {
    let mut gate = Gate::with_tree("t1");
    gate.objects_to(push("p1")).decided("a1", complete());
    gate.objects_with(launch_call("l2"), "approved-already").is("approved");
    // A person approves while a reviewer is about to start.
    gate.passes(prompt("#roz fix it")).launch().passes(prompt("#roz:approve"));
    assert_eq!(gate.starts("a2"), None);
    gate.is("approved");
}

#[test]
fn a_reviewer_that_starts_gets_a_token() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it"));
    let token = gate.reviewer("a1");
    assert_eq!(token.len(), 32);
    gate.is("reviewing");
    let json = serde_json::to_string(&gate.session).unwrap();
    assert!(!json.contains(&token), "the token itself is kept nowhere");
}

#[test]
fn the_first_reviewer_of_a_cycle_fixes_what_the_review_is_about() {
    let mut gate = Gate::with_tree("t1");
    gate.passes(prompt("#roz fix it"));
    gate.facts.roots = vec!["/p".into(), "/q".into()];
    gate.launch();
    let notice = gate.sees(reviewer_start("a1")).context.remove(0);
    assert_eq!(field(&notice, "folders"), "/p, /q");
    gate.leaves("a1").facts.roots = vec!["/r".into()];
    gate.reviewer("a2");
    assert_eq!(gate.session.review.works, [Path::new("/p"), Path::new("/q")]);
}

#[test]
fn denials_become_questions() {
    let mut gate = Gate::new();
    gate.policy.review.gates.max_denials = 2;
    gate.objects_to(push("p1")).objects_to(push("p2"));
    gate.objects_to(push("p2")).asks_about(push("p3")).asks_about(push("p3"));
    gate.passes(prompt("#roz again")).objects_to(push("p4"));
}

#[test]
fn a_line_that_nobody_can_read_is_gated() {
    for line in [
        format!(": {}; git push", "a ".repeat(30_000)),
        format!("{}git push", "x; ".repeat(30_000)),
        format!("{}git push", "$(".repeat(5_000)),
        format!("echo '{}", "git push ".repeat(5_000)),
    ] {
        Gate::new().objects_to(bash_call("p1", &line));
        let mut ungated = Gate::new();
        ungated.policy.review.gates.tools.clear();
        ungated.passes(bash_call("p1", &line));
    }
}

#[test]
fn gated_tools_are_gated_in_every_subagent() {
    let mut gate = Gate::new();
    let outcome = gate.sees_from(Some("helper"), push("p1"));
    assert!(matches!(outcome.verdict, Verdict::Object(_)));
}
