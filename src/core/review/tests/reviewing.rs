//! While a reviewer is at work, and how that ends.

use super::*;

#[test]
fn beside_a_reviewer_another_is_launched_only_where_the_configuration_says_so() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it"));
    gate.reviewer("a1");
    gate.objects_with(launch_call("l2"), "reviewing").is("reviewing");
    gate.policy.review.parallel = true;
    gate.reviewer("a2");
}

#[test]
fn complete_approves_closes_the_cycle_and_resets_the_counts() {
    let mut gate = Gate::with_tree("t1");
    gate.passes(prompt("#roz fix it")).decided("a1", issues());
    gate.objects_to(stop()).objects_to(stop()).counts(2, 1);
    gate.decided("a2", complete()).is("approved").counts(0, 0).passes(stop());
    let row = &gate.table[0];
    assert_eq!((row.tree.as_str(), row.summary.as_str()), ("t1", "fine"));
    assert_eq!(row.by, decision::By::Reviewer("a2".into()));
    let posted = gate.session.review.decisions_of_cycle().next_back().unwrap();
    assert_eq!(posted.tree.as_deref(), Some("t1"));
    assert!(posted.proof["token_sha256"].is_string());
}

#[test]
fn a_decision_is_the_success_of_the_block_before_it() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).objects_to(stop()).objects_to(stop());
    gate.decided("a1", complete());
    let success = Attempted::Success { decision_type: "complete".into(), blocks_needed: 2 };
    assert_eq!(gate.attempts(), [Attempted::NotSpawned, success]);
}

#[test]
fn issues_reset_the_blocks_and_count_a_round() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).objects_to(stop()).objects_to(stop()).counts(2, 0);
    gate.decided("a1", issues()).is("issues").counts(0, 1);
    let notice = gate.notice_of(stop());
    assert_eq!((notice.template.as_str(), field(&notice, "who")), ("issues", "the reviewer"));
    assert_eq!(field(&notice, "findings"), "write tests");
    gate.counts(1, 1).decided("a2", issues()).counts(0, 2);
}

#[test]
fn the_user_hears_of_a_verdict() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it"));
    let token = gate.reviewer("a1");
    gate.says("a1", &token, issues());
    gate.passes_with_a_word(reviewer_stop("a1"), "roz: the reviewer found issues: no tests");
    let token = gate.reviewer("a2");
    gate.says("a2", &token, complete());
    gate.passes_with_a_word(reviewer_stop("a2"), "roz: approved by the reviewer: fine");
}

#[test]
fn a_reviewer_that_ends_undecided_leaves_things_as_they_were() {
    for (decision, phase) in [(None, "pending"), (Some(issues()), "issues")] {
        let mut gate = Gate::new();
        gate.passes(prompt("#roz fix it"));
        if let Some(decision) = decision {
            gate.decided("a1", decision);
        }
        gate.reviewer("a2");
        gate.objects_to(reviewer_stop("a2")).is("reviewing");
        gate.policy.circuit_breaker.max_blocks = 1;
        gate.passes(reviewer_stop("a2")).is(phase);
    }
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).objects_to(stop()).reviewer("a1");
    gate.leaves("a1").counts(1, 0);
    assert_eq!(gate.attempts(), [Attempted::NoDecision]);
}

#[test]
fn the_reviewers_end_with_the_client_that_ran_them() {
    for source in [Source::Startup, Source::Resume, Source::Clear] {
        let mut gate = Gate::new();
        gate.passes(prompt("#roz fix it")).objects_to(stop()).reviewer("a1");
        gate.passes(start(source)).is("pending");
        assert_eq!(gate.attempts(), [Attempted::NoDecision], "{source:?}");
    }
    for source in [Source::Compact, Source::Fork, Source::Other] {
        let mut gate = Gate::new();
        gate.passes(prompt("#roz fix it")).reviewer("a1");
        gate.passes(start(source)).is("reviewing");
    }
}

#[test]
fn a_token_stays_valid_after_an_undecided_end_until_another_reviewer_is_launched() {
    for is_replaced in [false, true] {
        let mut gate = Gate::new();
        gate.passes(prompt("#roz fix it"));
        let token = gate.reviewer("a1");
        gate.passes(start(Source::Clear)).is("pending");
        if is_replaced {
            gate.reviewer("a2");
            let _ = gate.permits("a1", "COMPLETE");
            assert_eq!(gate.posts(complete(), Claim::Token(token)), Err(Refusal::UnknownToken));
        } else {
            assert_eq!(gate.says("a1", &token, complete()), Standing::Stands);
            gate.is("approved");
        }
    }
}

#[test]
fn that_holds_also_where_nobody_had_asked_for_the_review() {
    for (decision, phase) in [(complete(), "approved"), (issues(), "issues")] {
        let mut gate = Gate::new();
        let token = gate.reviewer("a1");
        // The client does not list it, although it runs.
        gate.passes(stop()).is("idle");
        assert_eq!(gate.says("a1", &token, decision), Standing::Stands);
        gate.is(phase);
    }
}

#[test]
fn a_reviewer_that_is_late_holds_nothing_up() {
    for (what, phase) in [(stop(), "pending"), (push("p1"), "pending"), (old_stop(), "pending")] {
        let mut gate = Gate::new();
        gate.passes(prompt("#roz fix it")).objects_to(stop()).reviewer("a1");
        gate.later(900).objects_to(what).is(phase);
        let attempt = &gate.attempts()[0];
        assert_eq!(*attempt, Attempted::TimedOut);
    }
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).reviewer("a1");
    gate.later(900).reviewer("a2");
    let what = stop_beside("a2", REVIEWER);
    gate.passes_silently(what).is("reviewing");
}

#[test]
fn as_long_as_one_reviewer_is_in_time_all_are_waited_for() {
    let mut gate = Gate::new();
    gate.policy.review.parallel = true;
    gate.passes(prompt("#roz fix it")).reviewer("a1");
    gate.later(600).reviewer("a2");
    gate.later(600).objects_with(push("p1"), "gate-reviewing");
    gate.later(600).objects_with(push("p2"), "gate-deny");
}

#[test]
fn roz_beside_a_reviewer_adds_the_prompt_and_keeps_the_reviewer() {
    let mut gate = Gate::new();
    gate.objects_to(push("p1")).decided("a1", issues()).objects_to(stop()).counts(1, 1);
    let (cycle, token) = (gate.cycle(), gate.reviewer("a2"));
    gate.passes_with_a_word(prompt("#roz and this"), "roz: review requested").is("reviewing");
    assert_eq!(gate.counts(0, 0).cycle(), cycle);
    assert_eq!(gate.session.review.user_prompts.last().unwrap().as_str(), "#roz and this");
    gate.says("a2", &token, issues());
    gate.passes(reviewer_stop("a2")).passes(prompt("later")).objects_to(stop());
}

#[test]
fn a_stop_beside_a_reviewer_in_the_background_passes_silently() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).reviewer("a1");
    gate.passes_silently(stop_beside("a1", REVIEWER)).is("reviewing").counts(0, 0);
}

#[test]
fn a_stop_beside_a_reviewer_that_is_about_to_start_passes() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).launch();
    gate.passes_silently(stop_beside("a1", REVIEWER)).is("pending");
}

#[test]
fn where_the_client_lists_nothing_a_stop_waits_for_the_reviewer_uncounted() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it"));
    let token = gate.reviewer("a1");
    for _ in 0..5 {
        gate.objects_with(old_stop(), "wait-for-reviewer").is("reviewing").counts(0, 0);
    }
    gate.says("a1", &token, complete());
    gate.passes(reviewer_stop("a1")).passes(old_stop());
}

#[test]
fn a_reviewer_that_is_gone_holds_nobody_and_frees_nobody() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).reviewer("a1");
    gate.objects_with(stop(), "block-default").is("pending").counts(1, 0);
}

#[test]
fn a_reviewer_without_a_token_holds_no_stop_open() {
    let mut gate = Gate::new();
    gate.policy.review.reviewer_timeout_seconds = 1;
    gate.passes(prompt("#roz fix it")).launch().facts.shadow = Some("/p/x.md".into());
    assert_eq!(gate.starts("a1"), None);
    gate.passes_with_a_word(stop_beside("a1", REVIEWER), "still open");
    gate.objects_to(stop_beside("a1", REVIEWER));
}

#[test]
fn a_reviewer_is_held_no_more_often_than_a_stop() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).reviewer("a1");
    for _ in 0..3 {
        gate.objects_with(reviewer_stop("a1"), "reviewer-hold");
    }
    gate.passes(reviewer_stop("a1")).is("pending");
}

#[test]
fn issues_of_one_reviewer_are_not_undone_by_another_that_looked_at_the_same_time() {
    let mut gate = Gate::new();
    gate.policy.review.parallel = true;
    gate.passes(prompt("#roz fix it"));
    let (one, two) = (gate.reviewer("a1"), gate.reviewer("a2"));
    assert_ne!(one, two);
    assert_eq!(gate.says("a1", &one, issues()), Standing::Stands);
    gate.is("reviewing");
    assert!(matches!(gate.says("a2", &two, complete()), Standing::Recorded(_)));
    gate.is("issues").objects_to(stop());
}

#[test]
fn issues_that_a_reviewer_has_taken_back_stop_no_other_one() {
    let mut gate = Gate::new();
    gate.policy.review.parallel = true;
    gate.passes(prompt("#roz fix it"));
    let (one, two) = (gate.reviewer("a1"), gate.reviewer("a2"));
    gate.says("a1", &one, issues());
    gate.says("a2", &two, issues());
    gate.says("a1", &one, complete());
    assert_eq!(gate.says("a2", &two, complete()), Standing::Stands);
    gate.is("approved");
}

#[test]
fn a_later_reviewer_may_approve_what_an_earlier_one_found_wanting() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).decided("a1", issues()).objects_to(stop());
    gate.decided("a2", complete()).is("approved").passes(stop());
}

#[test]
fn issues_of_another_reviewer_withdraw_an_approval_in_the_table_too() {
    let mut gate = Gate::with_tree("t1");
    gate.policy.review.parallel = true;
    gate.objects_to(push("p1"));
    let (one, two) = (gate.reviewer("a1"), gate.reviewer("a2"));
    gate.says("a1", &one, complete());
    gate.is("approved").passes(push("p2"));
    gate.says("a2", &two, issues());
    assert_eq!(gate.table, []);
    gate.is("issues").objects_to(push("p3")).objects_to(stop());
}

#[test]
fn an_approval_that_comes_after_the_trip_is_kept_and_issues_hold_nobody_any_more() {
    for (decision, phase) in [(complete(), "approved"), (issues(), "idle")] {
        let mut gate = Gate::with_tree("t1");
        gate.policy.circuit_breaker.max_blocks = 0;
        gate.passes(prompt("#roz fix it"));
        let token = gate.reviewer("a1");
        // The client does not list the reviewer, although it runs.
        gate.passes(stop()).is("idle").asks_about(push("p1"));
        assert_eq!(gate.says("a1", &token, decision), Standing::Stands);
        gate.is(phase);
    }
}

#[test]
fn an_open_review_is_told_again_after_compaction_and_resume() {
    for source in [Source::Compact, Source::Resume] {
        let mut gate = Gate::new();
        assert!(gate.sees(start(source)).context.is_empty());
        gate.passes(prompt("#roz fix it")).decided("a1", issues());
        let told = gate.sees(start(source)).context;
        assert_eq!(told[0].template, "again");
        assert!(field(&told[0], "findings").contains("write tests"));
    }
}

#[test]
fn a_reviewer_is_told_what_was_found_before() {
    let mut gate = Gate::new();
    gate.passes(prompt("#roz fix it")).decided("a1", issues()).launch();
    let context = gate.sees(reviewer_start("a2")).context;
    let findings = field(&context[0], "findings");
    assert!(findings.contains("no tests") && findings.contains("write tests"));
}
