//! Stops of the main agent.

use super::*;

#[test]
fn a_pending_stop_is_held_and_counted() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).objects_with(stop(), "block-default").counts(1, 0);
    assert_eq!(gate.attempts(), [Attempted::Pending]);
}

#[test]
fn a_stop_with_open_findings_is_held_with_them() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).decided("a1", issues());
    gate.objects_with(stop(), "issues").counts(1, 1);
}

#[test]
fn the_first_hold_of_a_cycle_tells_the_user_the_way_out() {
    let mut gate = Gate::new();
    for _ in 0..2 {
        gate.passes(prompt("#roz fix it"));
        let told = gate.sees(stop()).messages.join("\n");
        assert!(told.contains("`#roz:approve`") && told.contains("`#roz:stop`"), "{told}");
        assert_eq!(gate.sees(stop()).messages, [""; 0]);
    }
}

#[test]
fn a_gated_call_that_opens_a_review_tells_the_user_the_way_out() {
    let told = Gate::new().sees(push("p1")).messages.join("\n");
    assert!(told.contains("`#roz:approve`") && told.contains("`#roz:allow`"), "{told}");
}

#[test]
fn a_stop_on_work_that_an_approval_serves_approves_what_a_gate_asked_for() {
    for decision in [None, Some(issues())] {
        let mut gate = Gate::with_tree("t1");
        gate.approved_elsewhere("t0").objects_to(push("p1")).objects_to(stop());
        if let Some(decision) = decision {
            gate.decided("a1", decision);
        }
        gate.tree("t0").passes(stop()).is("approved");
        gate.tree("t1").objects_to(push("p2")).is("pending");
    }
}

#[test]
fn a_stop_on_approved_work_is_held_where_the_user_asked_for_a_review() {
    let mut gate = Gate::with_tree("t1");
    gate.approved_elsewhere("t1").passes(prompt("#roz look again")).objects_to(stop());
}

#[test]
fn in_mode_always_a_stop_without_a_change_passes_uncounted() {
    let mut gate = Gate::always();
    gate.tree("t1").passes(prompt("what is this?")).passes_silently(stop());
    gate.is("pending").counts(0, 0);
    gate.tree("t2").objects_to(stop()).counts(1, 0);
    // The user's own request is about the answer too.
    gate.passes(prompt("#roz what is this?")).objects_to(stop());
}

#[test]
fn without_a_repository_a_change_is_a_known_write() {
    let mut gate = Gate::always();
    gate.work(Work::NoRepository).passes(prompt("what is this?")).passes(stop()).is("pending");
    gate.facts.written = vec!["/p/a.txt".into()];
    gate.passes(call("Write", json!({}))).facts.written.clear();
    gate.objects_to(stop()).decided("a1", complete()).passes(stop()).is("approved");
    gate.facts.written = vec!["/p/a.txt".into()];
    gate.passes(call("Write", json!({}))).facts.written.clear();
    let notice = gate.notice_of(stop());
    assert!(field(&notice, "why").contains("files were written"), "{notice:?}");
}

#[test]
fn other_subagents_let_a_stop_pass_for_a_while() {
    for decision in [None, Some(issues())] {
        let mut gate = Gate::new();
        gate.passes(prompt("#roz fix it"));
        if let Some(decision) = decision {
            gate.decided("a1", decision);
        }
        let phase = gate.session.review.phase().word();
        let beside = || stop_beside("x", "general-purpose");
        gate.passes_with_a_word(beside(), "still open").is(phase);
        assert_eq!(gate.session.review.breaker.block_count, 0);
        gate.later(900).objects_to(beside());
    }
}

#[test]
fn once_the_user_has_moved_on_a_gate_stays_closed_and_holds_no_stop() {
    for decision in [None, Some(issues())] {
        let mut gate = Gate::new();
        gate.objects_to(push("p1")).objects_to(stop());
        if let Some(decision) = decision {
            gate.decided("a1", decision);
        }
        let phase = gate.session.review.phase().word();
        gate.passes_silently(prompt("something else")).passes(stop()).is(phase);
        gate.objects_to(push("p2")).passes(stop()).is(phase);
    }
}

#[test]
fn what_the_user_or_mode_always_asks_for_is_held_after_later_prompts_too() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).passes(prompt("and that")).objects_to(stop());
    let mut gate = Gate::always();
    gate.passes(prompt("fix it")).passes(prompt("and that")).objects_to(stop());
    let mut gate = Gate::new();
    gate.objects_to(push("p1")).policy.review.mode = Mode::Always;
    gate.passes(prompt("and that")).objects_to(stop());
}

#[test]
fn work_that_turns_out_approved_ends_the_review_also_once_the_user_has_moved_on() {
    let mut gate = Gate::with_tree("t1");
    gate.approved_elsewhere("t0").objects_to(push("p1")).passes(prompt("something else"));
    gate.tree("t0").passes(stop()).is("approved");
}

#[test]
fn a_prompt_resets_blocks_and_rounds() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).decided("a1", issues()).objects_to(stop()).counts(1, 1);
    gate.passes(prompt("try this")).is("issues").counts(0, 0);
    for _ in 0..3 {
        gate.objects_to(stop());
    }
    gate.passes(prompt("go on")).objects_to(stop());
}

#[test]
fn a_prompt_of_the_client_resets_nothing() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).objects_to(stop());
    gate.passes(from_client("<task-notification>done")).counts(1, 0);
}

#[test]
fn the_fourth_stop_is_let_through_and_the_user_hears_of_it() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).objects_to(stop()).objects_to(stop()).objects_to(stop());
    gate.passes_with_a_word(stop(), "NOT reviewed").is("idle").passes(stop());
    assert_eq!(gate.attempts(), vec![Attempted::NotSpawned; 3]);
}

#[test]
fn a_tripped_breaker_tells_the_findings_of_a_review_that_there_was() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).decided("a1", issues());
    for _ in 0..3 {
        gate.objects_to(stop());
    }
    let told = gate.sees(stop()).messages.join("\n");
    assert!(told.contains("no tests") && !told.contains("NOT reviewed"), "{told}");
    gate.is("idle");
}

#[test]
fn a_verdict_begins_the_count_anew() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it"));
    for round in 1..4 {
        gate.objects_to(stop()).objects_to(stop()).objects_to(stop());
        gate.decided(&format!("a{round}"), issues()).counts(0, round);
    }
}

#[test]
fn when_reviewer_and_agent_do_not_converge_stops_pass_and_gates_stay_closed() {
    let mut gate = Gate::new();
    gate.policy.review.max_rounds = 2;
    gate.objects_to(push("p1")).decided("a1", issues()).objects_to(stop());
    let token = gate.reviewer("a2");
    gate.says("a2", &token, issues());
    gate.passes_with_a_word(reviewer_stop("a2"), "do not converge");
    gate.passes_silently(stop()).is("issues").objects_to(push("p2"));
    gate.decided("a3", complete()).passes(push("p3"));
}

#[test]
fn new_work_after_an_approval_is_held_in_mode_always_and_after_roz() {
    for mode in [Mode::Always, Mode::Prompt] {
        let mut gate = Gate::with_tree("t1");
        gate.policy.review.mode = mode;
        let text = if mode == Mode::Always { "fix it" } else { "#roz fix it" };
        gate.passes(prompt(text)).decided("a1", complete()).passes(stop()).is("approved");
        let (cycle, opener) = (gate.cycle(), gate.session.review.opener());
        let notice = gate.tree("t2").notice_of(stop());
        assert!(field(&notice, "why").contains("changed since the approval: a.rs"));
        assert_eq!(gate.is("pending").counts(1, 0).cycle(), cycle + 1);
        assert_eq!(gate.session.review.opener(), opener);
        gate.objects_to(stop()).counts(2, 0);
    }
}

#[test]
fn new_work_after_an_approval_holds_no_stop_otherwise() {
    // A gate asked for the review.
    let mut gate = Gate::with_tree("t1");
    gate.objects_to(push("p1")).decided("a1", complete());
    gate.tree("t2").passes(stop()).is("approved");
    // The user has sent another prompt since.
    let mut gate = Gate::with_tree("t1");
    gate.passes(prompt("#roz fix it")).decided("a1", complete()).passes(prompt("next"));
    gate.tree("t2").passes(stop()).is("approved");
    // Nobody asked for a review.
    let mut gate = Gate::with_tree("t1");
    gate.passes(prompt("#roz:approve")).tree("t2").passes(stop()).is("approved");
    let mut gate = Gate::with_tree("t1");
    gate.posts(complete(), Claim::Human).unwrap();
    gate.tree("t2").passes(stop()).is("approved");
}

#[test]
fn an_idle_and_an_approved_session_may_stop() {
    Gate::new().passes(stop()).is("idle");
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).decided("a1", complete());
    for _ in 0..5 {
        gate.passes(stop()).is("approved");
    }
    assert!(!gate.session.review.breaker.is_tripped);
}
