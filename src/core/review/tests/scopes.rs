//! How far an approval reaches.

use super::*;

#[test]
fn an_approval_of_the_work_serves_as_long_as_the_work_is_the_approved_one() {
    let mut gate = Gate::with_tree("t1");
    gate.objects_to(push("p1")).decided("a1", complete()).passes(push("p2"));
    gate.passes(done("p2", true)).passes(prompt("next")).passes(push("p3"));
    gate.passes(What::SessionEnd { reason: "other".into() }).passes(start(Source::Resume));
    gate.passes(push("p4")).tree("t2").objects_to(push("p5"));
}

#[test]
fn the_other_scopes_end_with_the_prompt_the_session_or_the_call() {
    for (scope, again, after_prompt) in
        [(Scope::Session, true, true), (Scope::Prompt, true, false), (Scope::Tool, false, false)]
    {
        let approved = || {
            let mut gate = Gate::scoped(scope);
            gate.tree("t1").objects_to(push("p1")).decided("a1", complete()).passes(push("p2"));
            gate.passes(done("p2", true));
            gate
        };
        let passes = |outcome: &Outcome| outcome.verdict == Verdict::Pass;
        assert_eq!(passes(&approved().sees(push("p3"))), again, "{scope:?}: again");
        let mut gate = approved();
        gate.passes(prompt("next"));
        assert_eq!(passes(&gate.sees(push("p3"))), after_prompt, "{scope:?}: after a prompt");
    }
}

#[test]
fn in_the_other_scopes_changed_work_passes_and_is_named() {
    for scope in [Scope::Session, Scope::Prompt, Scope::Tool] {
        let mut gate = Gate::scoped(scope);
        gate.tree("t1").objects_to(push("p1")).decided("a1", complete()).tree("t2");
        gate.passes_with_a_word(stop(), "a.rs").passes_silently(stop());
        gate.tree("t3").passes_with_a_word(stop(), "a.rs");
        gate.passes_with_a_word(push("p2"), "a.rs");
    }
}

#[test]
fn in_the_other_scopes_work_that_cannot_be_compared_passes_and_is_named() {
    let mut gate = Gate::scoped(Scope::Session);
    gate.tree("t1").objects_to(push("p1")).decided("a1", complete());
    gate.work(Work::Unknown("no time".into())).passes_with_a_word(push("p2"), "no time");
}

#[test]
fn in_the_other_scopes_an_approval_of_another_session_does_not_serve() {
    for scope in [Scope::Session, Scope::Prompt, Scope::Tool] {
        let mut gate = Gate::scoped(scope);
        gate.tree("t1").approved_elsewhere("t1").objects_to(push("p1")).is("pending");
        gate.objects_to(stop());
    }
}

#[test]
fn with_scope_tool_an_approval_serves_one_call_that_succeeds() {
    let mut gate = Gate::scoped(Scope::Tool);
    gate.objects_to(push("p1")).decided("a1", complete()).passes(push("p2")).is("approved");
    gate.passes(push("p2")).objects_to(push("p3"));
    let mut gate = Gate::scoped(Scope::Tool);
    gate.objects_to(push("p1")).decided("a1", complete()).passes(push("p2"));
    gate.passes(done("p2", false)).is("approved").passes(push("p3"));
    gate.passes(done("p3", true)).is("idle").objects_to(push("p4")).is("pending");
}

#[test]
fn with_scope_prompt_a_persons_word_at_a_prompt_ends_with_the_next_one() {
    let mut gate = Gate::scoped(Scope::Prompt);
    gate.objects_to(push("p1")).passes(prompt("#roz:approve")).passes(push("p2"));
    gate.passes(prompt("next")).objects_to(push("p3"));
}

#[test]
fn a_prompt_during_a_review_does_not_count_against_its_approval() {
    let mut gate = Gate::scoped(Scope::Prompt);
    gate.objects_to(push("p1")).passes(prompt("hurry"));
    let token = gate.reviewer("a1");
    gate.passes(prompt("please"));
    gate.says("a1", &token, complete());
    gate.passes(push("p2")).passes(prompt("next")).objects_to(push("p3"));
}

#[test]
fn an_approval_expires() {
    let mut gate = Gate::scoped(Scope::Session);
    gate.policy.review.gates.approval_ttl_seconds = Some(60);
    gate.objects_to(push("p1")).decided("a1", complete()).passes(push("p2"));
    gate.later(60).objects_to(push("p3"));
    gate.policy.review.gates.approval_ttl_seconds = Some(u64::MAX);
    gate.decided("a2", complete()).later(1 << 32).passes(push("p4"));
}

#[test]
fn no_approval_outlives_its_session_but_in_the_table() {
    let mut gate = Gate::scoped(Scope::Session);
    gate.tree("t1").objects_to(push("p1")).decided("a1", complete()).passes(push("p2"));
    gate.passes(What::SessionEnd { reason: "other".into() }).passes(start(Source::Resume));
    gate.objects_to(push("p3"));
}

#[test]
fn without_a_repository_an_approval_of_the_work_ends_with_the_prompt() {
    let mut gate = Gate::new();
    gate.work(Work::NoRepository).objects_to(push("p1")).decided("a1", complete());
    gate.passes(push("p2")).passes(push("p3")).passes(prompt("next"));
    gate.objects_to(push("p4")).is("pending");
}

#[test]
fn a_call_on_work_that_cannot_be_looked_at_is_asked_about_with_the_reason() {
    for is_approved in [false, true] {
        let mut gate = Gate::with_tree("t1");
        if is_approved {
            gate.objects_to(push("p1")).decided("a1", complete());
        }
        let phase = gate.session.review.phase().word();
        gate.work(Work::Unknown("the folder `data` is too large".into()));
        let Verdict::Ask(notice) = gate.sees(push("p2")).verdict else { panic!("not asked") };
        assert_eq!(notice.template, "ask-unknown");
        assert_eq!(field(&notice, "reason"), "the folder `data` is too large");
        gate.is(phase);
    }
}

fn empty() -> Work {
    let known = Known { root: "/p".into(), tree: "t1".into(), is_empty: true, ..Known::default() };
    Work::Known(Box::new(known))
}

#[test]
fn of_several_work_trees_an_empty_one_needs_no_approval() {
    let mut gate = Gate::with_tree("t1");
    gate.approved_elsewhere("t0").objects_to(push("p1")).tree("t0");
    let (works, id) = ([empty(), gate.facts.work.clone()], gate.session.session_id.clone());
    let facts = Facts { works: works.to_vec(), ..Facts::default() };
    let dice = [0; 32];
    let (now, policy) = (gate.now, &gate.policy);
    let cx = Cx { now, dice: &dice, policy, facts: &facts, session_id: &id };
    let event = Event { origin: Origin::default(), what: stop() };
    let _ = crate::core::decide(crate::core::GATES, &mut gate.session, &event, cx);
    gate.is("approved");
}

fn merge(id: &str) -> What<'static> {
    bash_call(id, "gh pr merge 7 --squash")
}

/// A reviewer of an empty work, for which a merge waits.
fn reviewer_of_a_merge() -> (Gate, String) {
    let mut gate = Gate::new();
    gate.policy.review.gates.tools = vec!["Bash:gh pr merge*".into()];
    gate.work(empty()).objects_to(merge("m1"));
    let token = gate.reviewer("a1");
    let _ = gate.permits("a1", "COMPLETE");
    (gate, token)
}

fn ran(gate: &mut Gate, words: &[&str], succeeded: bool) {
    let words = words.iter().map(|&word| word.to_owned()).collect();
    gate.facts.shown = Shown { words: vec![words], ..Shown::default() };
    let _ = gate.sees_from(Some("a1"), done("look", succeeded));
    gate.facts.shown = Shown::default();
}

#[test]
fn an_empty_work_is_approved_for_the_call_that_waits() {
    let (mut gate, token) = reviewer_of_a_merge();
    ran(&mut gate, &["gh", "pr", "diff", "7"], true);
    gate.posts(complete(), Claim::Token(token)).unwrap();
    assert_eq!(gate.table[0].key.as_deref(), Some("Bash:gh pr merge 7 --squash"));
}

#[test]
fn an_empty_work_is_approved_only_after_a_look_at_what_the_call_names() {
    let looks: [(&[&str], bool); 3] =
        [(&["ls"], true), (&["roz", "context", "7"], true), (&["gh", "pr", "diff", "7"], false)];
    for (words, succeeded) in looks {
        let (mut gate, token) = reviewer_of_a_merge();
        ran(&mut gate, words, succeeded);
        let refused = gate.posts(complete(), Claim::Token(token)).unwrap_err();
        assert!(refused.to_string().contains("`gh pr diff 7`"), "{words:?}: {refused}");
        gate.is("reviewing");
    }
}

#[test]
fn without_a_call_that_waits_an_empty_work_has_nothing_to_write_down() {
    let mut gate = Gate::new();
    gate.work(empty()).passes(prompt("#roz what is this?")).decided("a1", complete());
    assert_eq!(gate.table, []);
    gate.is("approved").passes(stop()).objects_to(push("p1"));
}
