//! What a person says, at a prompt or at a terminal, and what the client says for itself.

use super::*;
use crate::core::{scheduled_prompts::Scheduled, trace::Mark};

#[test]
fn roz_elsewhere_in_a_prompt_starts_nothing_and_is_answered() {
    for text in ["please #roz", "# roz fix it", "/roz", "@roz fix it"] {
        Gate::new().passes_with_a_word(prompt(text), "begin the prompt with `#roz`").is("idle");
    }
    for text in ["#rozzz fix it", "roz", "#ro", "", "#róz"] {
        Gate::new().passes_silently(prompt(text)).is("idle");
    }
}

#[test]
fn an_unknown_command_starts_nothing_and_is_answered_with_the_three() {
    for mut gate in [Gate::new(), Gate::always()] {
        let told = gate.sees(prompt("#roz:go on")).messages.join("\n");
        for command in ["`#roz:stop`", "`#roz:approve`", "`#roz:allow`"] {
            assert!(told.contains(command), "{told}");
        }
        gate.is("idle");
    }
}

#[test]
fn a_command_in_mode_always_opens_no_review() {
    for text in ["#roz:stop", "#roz:allow"] {
        Gate::always().passes(prompt(text)).is("idle");
    }
}

#[test]
fn roz_stop_ends_any_review_and_the_gates_stay() {
    for from in ["pending", "reviewing", "issues", "approved"] {
        let mut gate = Gate::new();
        gate.passes(prompt("#roz fix it"));
        match from {
            "reviewing" => drop(gate.reviewer("a1")),
            "issues" => drop(gate.decided("a1", issues())),
            "approved" => drop(gate.decided("a1", complete())),
            _ => (),
        }
        gate.is(from).passes_with_a_word(prompt("#roz:stop"), "ended").is("idle").passes(stop());
        gate.objects_to(push("p1")).is("pending");
    }
    Gate::new().passes_with_a_word(prompt("#roz:stop"), "no review was open").is("idle");
}

#[test]
fn roz_approve_approves_the_work_as_it_is_from_any_phase() {
    for from in ["idle", "pending", "reviewing", "issues", "approved"] {
        let mut gate = Gate::with_tree("t1");
        if from != "idle" {
            gate.objects_to(push("p1"));
        }
        match from {
            "reviewing" => drop(gate.reviewer("a1")),
            "issues" => drop(gate.decided("a1", issues())),
            "approved" => drop(gate.decided("a1", complete())),
            _ => (),
        }
        gate.is(from).passes_with_a_word(prompt("#roz:approve seen it"), "approved by you");
        gate.is("approved").passes(push("p2")).passes(stop());
        let row = gate.table.last().unwrap();
        assert_eq!((&row.by, row.summary.as_str()), (&decision::By::Human, "seen it"), "{from}");
        gate.passes(prompt("next")).passes(push("p3"));
        gate.tree("t2").objects_to(push("p4")).is("pending");
    }
}

#[test]
fn approving_work_that_cannot_be_looked_at_says_so() {
    let mut gate = Gate::new();
    gate.work(Work::Unknown("no time".into()));
    gate.passes_with_a_word(prompt("#roz:approve"), "gated calls still ask").is("approved");
    gate.asks_about(push("p1"));
}

#[test]
fn no_reviewer_withdraws_a_persons_approval() {
    for by_prompt in [true, false] {
        let mut gate = Gate::with_tree("t1");
        gate.objects_to(push("p1"));
        let token = gate.reviewer("a1");
        if by_prompt {
            gate.passes(prompt("#roz:approve"));
        } else {
            gate.posts(complete(), Claim::Human).unwrap();
        }
        assert!(matches!(gate.says("a1", &token, issues()), Standing::Recorded(_)));
        assert_eq!(gate.table.len(), 1);
        gate.is("approved").passes(push("p2"));
    }
}

#[test]
fn a_person_may_withdraw_any_approval() {
    for by_person in [true, false] {
        let mut gate = Gate::with_tree("t1");
        gate.objects_to(push("p1"));
        if by_person {
            gate.posts(complete(), Claim::Human).unwrap();
        } else {
            gate.decided("a1", complete());
        }
        assert_eq!(gate.passes(push("p2")).posts(issues(), Claim::Human), Ok(Standing::Stands));
        assert_eq!(gate.table, []);
        gate.is("issues").objects_to(push("p3")).objects_to(stop());
    }
}

#[test]
fn issues_take_back_what_another_session_was_given() {
    for (by_person, left) in [(true, 1), (false, 0)] {
        let mut gate = Gate::with_tree("t1");
        gate.approved_elsewhere("t1");
        if by_person {
            gate.table[0].by = decision::By::Human;
            gate.look();
        }
        gate.passes(prompt("#roz look again")).decided("a1", issues());
        assert_eq!(gate.table.len(), left, "only a person takes back what a person approved");
        assert_eq!(gate.posts(issues(), Claim::Human), Ok(Standing::Stands));
        assert_eq!(gate.table, []);
        gate.objects_to(push("p1"));
    }
}

#[test]
fn a_person_at_a_terminal_decides_at_any_time() {
    for (decision, phase) in [(complete(), "approved"), (issues(), "issues")] {
        for from in ["idle", "pending", "reviewing"] {
            let mut gate = Gate::new();
            if from != "idle" {
                gate.passes(prompt("#roz fix it"));
            }
            if from == "reviewing" {
                gate.policy.review.reviewer_timeout_seconds = 1;
                gate.reviewer("a1");
                let _ = gate.later(1).sees(old_stop());
            }
            assert_eq!(gate.posts(decision.clone(), Claim::Human), Ok(Standing::Stands));
            gate.is(phase).passes_with_a_word(prompt("next"), "at a terminal");
        }
    }
}

#[test]
fn a_decision_at_a_terminal_survives_the_next_prompt_only() {
    let mut gate = Gate::scoped(Scope::Prompt);
    gate.objects_to(push("p1")).posts(complete(), Claim::Human).unwrap();
    gate.passes(prompt("I have approved it")).passes(push("p2"));
    gate.passes(prompt("next")).objects_to(push("p3"));
}

#[test]
fn roz_allow_lets_one_call_through_that_succeeds() {
    let mut gate = Gate::new();
    gate.objects_to(push("p1"));
    let outcome = gate.sees(prompt("#roz:allow"));
    assert!(outcome.trace.iter().any(|mark| matches!(mark, Mark::CallAllowed { .. })));
    gate.is("pending").passes_with_a_word(push("p2"), "as you allowed").is("pending");
    gate.objects_to(push("p3"));
    gate.passes(done("p2", false)).passes(push("p4")).passes(done("p4", true));
    gate.objects_to(push("p5")).is("pending");
}

#[test]
fn roz_allow_is_for_calls_of_the_pattern_that_waits_if_one_does() {
    let close = || call("mcp__tissue__close_issue", json!({}));
    let mut gate = Gate::new();
    gate.objects_to(push("p1")).passes_with_a_word(prompt("#roz:allow"), "`Bash:git push*`");
    gate.objects_to(close());
    let mut gate = Gate::new();
    gate.passes(prompt("#roz:allow")).is("idle").passes(close()).is("idle");
}

#[test]
fn roz_allow_is_void_at_the_second_prompt_and_after_a_quarter_of_an_hour() {
    let allowed = || {
        let mut gate = Gate::new();
        gate.objects_to(push("p1")).passes(prompt("#roz:allow"));
        gate
    };
    allowed().passes(prompt("one")).passes(push("p2"));
    allowed().passes(prompt("one")).passes(prompt("two")).objects_to(push("p2"));
    allowed().later(14 * 60).passes(push("p2"));
    allowed().later(15 * 60).objects_to(push("p2"));
}

#[test]
fn a_call_that_the_user_refused_does_not_use_up_what_was_allowed() {
    let mut gate = Gate::new();
    // It never comes to its end.
    gate.objects_to(push("p1")).passes(prompt("#roz:allow")).passes(push("p2"));
    gate.passes(prompt("yes, do it")).passes(push("p3"));
}

#[test]
fn a_call_that_was_allowed_passes_when_told_twice() {
    let mut gate = Gate::new();
    gate.objects_to(push("p1")).passes(prompt("#roz:allow")).passes(push("p2")).passes(push("p2"));
}

#[test]
fn roz_allow_opens_no_gate_for_a_reviewer() {
    let mut gate = Gate::new();
    gate.objects_to(push("p1")).reviewer("a1");
    gate.passes(prompt("#roz:allow"));
    let outcome = gate.sees_from(Some("a1"), push("p2"));
    assert!(matches!(outcome.verdict, Verdict::Object(_)));
}

#[test]
fn a_call_may_be_let_through_at_a_terminal() {
    let mut gate = Gate::new();
    gate.objects_to(push("p1"));
    crate::core::allow_once(&mut gate.session, gate.now);
    gate.passes_with_a_word(push("p2"), "at a terminal");
}

#[test]
fn a_prompt_of_the_client_opens_ends_and_allows_nothing() {
    let mut gate = Gate::new();
    gate.passes(from_client("#roz fix it")).is("idle");
    for text in ["#roz:approve", "#roz:allow"] {
        gate.passes(from_client(text)).objects_to(push("p1")).is("pending");
    }
    gate.decided("a1", complete());
    gate.passes(from_client("<task-notification>done")).passes(push("p2")).is("approved");
    gate.passes(from_client("#roz:stop")).is("approved");
}

#[test]
fn a_prompt_that_the_session_scheduled_is_the_clients() {
    let mut gate = Gate::new();
    gate.passes(call("CronCreate", json!({ "cron": "* * * * *", "prompt": "look again" })));
    gate.objects_to(push("p1")).decided("a1", complete()).passes(prompt("look again"));
    gate.passes(push("p2"));
    let listed = vec![Scheduled { prompt: "and again".into(), recurring: false }];
    let scheduled = Some(listed);
    gate.passes(What::Stop(Stop { scheduled, ..Stop::default() })).passes(prompt("and again"));
    gate.passes(push("p3")).passes(prompt("typed")).objects_to(push("p4"));
}

#[test]
fn a_scheduled_word_of_the_user_is_told_not_to_be_taken_as_his() {
    let mut gate = Gate::new();
    let scheduled = Some(vec![Scheduled { prompt: "#roz:stop".into(), recurring: true }]);
    gate.passes(prompt("#roz fix it"));
    gate.objects_to(What::Stop(Stop { scheduled, ..Stop::default() }));
    gate.passes_with_a_word(prompt("#roz:stop"), "not taken as yours").is("pending");
}

#[test]
fn nobody_schedules_the_users_word() {
    for words in ["#roz:stop", " #ROZ go"] {
        Gate::new().objects_to(call("ScheduleWakeup", json!({ "prompt": words })));
    }
}

#[test]
fn quiet_keeps_the_first_hold_the_breaker_and_what_comes_from_a_terminal() {
    let mut gate = Gate::new();
    gate.policy.notify = crate::core::policy::Notify::Quiet;
    gate.policy.review.max_rounds = 2;
    gate.policy.circuit_breaker.max_blocks = 1;
    gate.passes_silently(prompt("#roz fix it"));
    assert!(gate.sees(stop()).messages[0].contains("`#roz:stop`"));
    gate.passes_with_a_word(stop(), "NOT reviewed");
    gate.passes_silently(prompt("#roz fix it"));
    let token = gate.reviewer("a1");
    gate.says("a1", &token, issues());
    gate.passes_silently(reviewer_stop("a1"));
    let token = gate.reviewer("a2");
    gate.says("a2", &token, issues());
    gate.passes_with_a_word(reviewer_stop("a2"), "do not converge");
    gate.posts(complete(), Claim::Human).unwrap();
    gate.passes_with_a_word(push("p1"), "at a terminal");
    let mut gate = Gate::new();
    gate.policy.notify = crate::core::policy::Notify::Quiet;
    assert_eq!(gate.sees(push("p1")).messages, [""; 0]);
    let _ = gate.sees(prompt("#roz:allow"));
    gate.passes_silently(push("p2"));
}

#[test]
fn the_same_prompt_told_twice_is_one_prompt() {
    let mut gate = Gate::new();
    let twice = |gate: &mut Gate, id: &str, text: &str| {
        for _ in 0..2 {
            let origin = Origin { prompt_id: Some(id.into()), ..Origin::default() };
            let _ = gate.sees_of(origin, prompt(text));
        }
    };
    twice(&mut gate, "q1", "#roz fix it");
    assert_eq!(gate.cycle(), 1);
    assert_eq!(gate.session.review.user_prompts.len(), 1);
    gate.decided("a1", complete());
    twice(&mut gate, "q2", "#roz:allow");
    gate.passes(push("p1")).passes(done("p1", true)).objects_to(push("p2"));
}

#[test]
fn prompts_are_kept_bounded() {
    let mut gate = Gate::new();
    for n in 0..40 {
        gate.passes(prompt(&format!("{n} {}", "é".repeat(20_000))));
    }
    assert_eq!(gate.session.review.user_prompts.len(), 20);
    let weight = serde_json::to_string(&gate.session).unwrap().len();
    assert!(weight < 64 * 1024, "{weight} bytes");
}
