//! Every row of the transition table, each breaker and each automatic skip.
//!
//! Long because the table is: one place in which each row can be found.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::*;
use crate::{
    core::{
        event::{Background, Origin},
        facts::Facts,
        outcome::Verdict,
        policy::Policy,
        reflection::shown::Relevant,
        reflection::{
            shown::Use,
            state::{Baseline, Decider as Skipper, Done, Ticket},
        },
        session::Session,
    },
    shell,
};

/// What a call closes, wherever it runs.
fn closings(
    policy: &crate::core::policy::TicketingPolicy,
    call: &ToolCall,
) -> Vec<tickets::Closing> {
    tickets::closings(policy, call, |_| true)
}

/// A project that wants the gate; a clock that moves one second an event.
struct Gate {
    session: Session,
    policy: Policy,
    facts: Facts,
    now: DateTime<Utc>,
    calls: u32,
}

impl Gate {
    /// In session mode.
    fn new() -> Self {
        let now = DateTime::UNIX_EPOCH;
        let mut facts = Facts::default();
        facts.learned.is_wanted = true;
        let session = Session::new("s1".parse().unwrap(), now);
        Self { session, policy: Policy::default(), facts, now, calls: 0 }
    }

    fn with_tickets() -> Self {
        let mut gate = Self::new();
        gate.facts.learned.system = Some("tissue".into());
        gate
    }

    fn changed(&mut self, lines: u64) -> &mut Self {
        self.facts.learned.diff = Diff::Lines(lines);
        self
    }

    fn sees_from(&mut self, agent: Option<&str>, what: What) -> Outcome {
        self.now += TimeDelta::seconds(1);
        self.facts.learned.closings = match &what {
            What::PreToolUse(call) => closings(&self.policy.ticketing, call),
            _ => Vec::new(),
        };
        let id = self.session.session_id.clone();
        let cx = Cx {
            now: self.now,
            dice: &[0; 32],
            policy: &self.policy,
            facts: &self.facts,
            session_id: &id,
        };
        let origin = Origin { agent_id: agent.map(str::to_owned), ..Origin::default() };
        crate::core::decide(crate::core::GATES, &mut self.session, &Event { origin, what }, cx)
    }

    fn sees(&mut self, what: What) -> Outcome {
        self.sees_from(None, what)
    }

    #[track_caller]
    fn is(&mut self, status: Status) -> &mut Self {
        assert_eq!(self.session.reflection.status(), status);
        self
    }

    /// The words with which a stop is held.
    #[track_caller]
    fn blocks(&mut self) -> String {
        let outcome = self.sees(stop());
        match outcome.verdict {
            Verdict::Object(notice) => {
                let said = notice.fields.into_iter().map(|(name, text)| format!("{name}={text}"));
                said.collect::<Vec<_>>().join("\n")
            }
            other => panic!("the stop passed: {other:?}"),
        }
    }

    #[track_caller]
    fn passes(&mut self) -> &mut Self {
        let _ = self.passing();
        self
    }

    #[track_caller]
    fn passing(&mut self) -> Outcome {
        let outcome = self.sees(stop());
        assert_eq!(outcome.verdict, Verdict::Pass);
        outcome
    }

    /// A command goes through both hooks.
    fn runs(&mut self, line: &str, succeeded: bool) -> &mut Self {
        let id = self.calls(line);
        self.ends(&id, succeeded)
    }

    fn calls(&mut self, line: &str) -> String {
        self.calls += 1;
        let id = format!("toolu_{}", self.calls);
        let outcome = self.sees(What::PreToolUse(bash(line, &id)));
        assert_eq!(outcome.verdict, Verdict::Pass, "a close is never denied");
        id
    }

    fn ends(&mut self, id: &str, succeeded: bool) -> &mut Self {
        let _ = self.sees(What::PostToolUse { call: bash("x", id), succeeded });
        self
    }

    fn closes(&mut self) -> &mut Self {
        self.runs("tissue status t-1 closed", true)
    }

    fn reflects(&mut self) -> bool {
        let done = Done { candidates_produced: 1, candidates_accepted: 1, ..Done::default() };
        self.session.reflection.reflected(Done { completed_at: self.now, ..done })
    }

    fn skips(&mut self, reason: &str) -> bool {
        self.session.reflection.skipped(Skip {
            reason: reason.into(),
            decider: Skipper::Agent,
            lines_changed: None,
            is_early: false,
            timestamp: self.now,
        })
    }

    fn task(&mut self, id: &str) -> Outcome {
        self.sees(What::TaskCompleted { task_id: id.into(), subject: "Mend it".into() })
    }
}

fn stop() -> What<'static> {
    What::Stop(Stop::default())
}

fn bash(line: &str, id: &str) -> ToolCall<'static> {
    let mut call = crate::clients::testing::call(
        "Bash",
        json!({ "command": line }),
        "{}",
        Some(id.to_owned()),
    );
    call.read(&shell::Options::default());
    call
}

fn tool(name: &str, input: Value) -> ToolCall<'static> {
    crate::clients::testing::call(name, input, "{}", Some("toolu_x".to_owned()))
}

fn ticket(id: &str) -> Ticket {
    Ticket {
        ticket_id: id.into(),
        source: "tissue".into(),
        title: "Mend the parser".into(),
        description: None,
        tags: vec![],
        detected_at: DateTime::UNIX_EPOCH,
    }
}

fn starts() -> What<'static> {
    What::SessionStart { source: Source::Startup }
}

// --- Idle ---

#[test]
fn a_ticket_in_progress_makes_it_active_and_an_active_ticket_stops_freely() {
    let mut gate = Gate::with_tickets();
    gate.facts.learned.ticket = Some(ticket("t-1"));
    let _ = gate.sees(starts());
    gate.changed(500).is(Status::Active).passes();
    gate.is(Status::Active);
}

#[test]
fn a_close_that_is_seen_makes_it_active_and_one_that_is_confirmed_pending() {
    let mut gate = Gate::with_tickets();
    let id = gate.calls("tissue status t-1 closed");
    gate.is(Status::Active);
    gate.ends(&id, true).is(Status::Pending);
}

#[test]
fn a_stop_between_the_two_does_not_count_the_ticket_as_closed() {
    let mut gate = Gate::with_tickets();
    let id = gate.calls("tissue status t-1 closed");
    gate.changed(100).passes();
    gate.ends(&id, true).is(Status::Pending);
    gate.blocks();
}

#[test]
fn a_close_that_failed_demands_nothing() {
    let mut gate = Gate::with_tickets();
    gate.runs("tissue status t-1 closed", false).is(Status::Active);
    gate.changed(100).passes();
    gate.runs("tissue status t-1 closed", true).is(Status::Pending);
}

#[test]
fn a_close_that_nobody_knows_to_have_worked_switches_session_mode_off_for_nobody() {
    let mut gate = Gate::new();
    gate.runs("bd close b-1", false).is(Status::Active);
    gate.changed(100).blocks();
    gate.is(Status::Blocked);
    // Nor does one that was refused, and never ends.
    let mut gate = Gate::new();
    gate.calls("bd close b-1");
    gate.is(Status::Active).changed(4).passes().is(Status::Skipped);
    gate.changed(100).blocks();
}

#[test]
fn parallel_closes_are_told_apart_by_their_calls() {
    let mut gate = Gate::with_tickets();
    let one = gate.calls("tissue status t-1 closed");
    let two = gate.calls("tissue status t-2 closed");
    gate.ends(&one, false).is(Status::Active);
    gate.ends(&two, true).is(Status::Pending);
    assert_eq!(gate.session.reflection.closed(), ["t-2"]);
}

#[test]
fn what_the_project_does_not_want_is_not_asked() {
    let mut gate = Gate::with_tickets();
    gate.facts.learned.is_wanted = false;
    gate.closes().changed(100).is(Status::Idle).passes();
    assert_eq!(gate.task("1").verdict, Verdict::Pass);
}

// --- session mode ---

#[test]
fn without_tickets_a_large_change_is_held_at_once() {
    let mut gate = Gate::new();
    let said = gate.changed(5).blocks();
    assert!(said.contains("block_count=1"), "{said}");
    gate.is(Status::Blocked);
}

#[test]
fn without_tickets_a_small_change_is_skipped_and_logged_with_its_lines() {
    let mut gate = Gate::new();
    let outcome = gate.changed(4).passing();
    gate.is(Status::Skipped);
    let skip = gate.session.reflection.skip().unwrap();
    assert_eq!((skip.reason.as_str(), skip.decider), ("auto: 4 lines", Skipper::Auto));
    let [Effect::Log(usage::Event::Skip { lines_changed, decider, .. })] = &outcome.effects[..]
    else {
        panic!("{:?}", outcome.effects);
    };
    assert_eq!((*lines_changed, decider.as_str()), (Some(4), "auto"));
}

#[test]
fn a_small_change_that_grows_is_skipped_and_logged_again() {
    let mut gate = Gate::new();
    let mut logged = Vec::new();
    for lines in [0, 0, 1, 4, 4, 2, 0] {
        let outcome = gate.changed(lines).passing();
        gate.is(Status::Skipped);
        logged.extend(outcome.effects.into_iter().filter_map(|effect| match effect {
            Effect::Log(usage::Event::Skip { lines_changed, .. }) => lines_changed,
            _ => None,
        }));
    }
    assert_eq!(logged, [1, 4]);
    assert_eq!(gate.session.reflection.skip().unwrap().reason, "auto: 4 lines");
    gate.changed(5).blocks();
}

#[test]
fn a_skip_by_itself_is_outgrown_and_one_with_a_reason_stands() {
    let mut gate = Gate::new();
    gate.changed(4).passes();
    gate.changed(4).passes();
    gate.changed(5).blocks();
    assert!(gate.skips("only formatting"));
    gate.is(Status::Skipped).changed(500).passes();
    gate.is(Status::Skipped);
}

#[test]
fn a_reason_given_before_the_stop_is_kept_for_a_small_change() {
    let mut gate = Gate::new();
    assert!(!gate.skips("a typo in a comment"), "nothing is due yet");
    gate.is(Status::Idle).changed(2).passes();
    let skip = gate.session.reflection.skip().unwrap();
    assert_eq!((skip.reason.as_str(), skip.lines_changed), ("a typo in a comment", Some(2)));
}

#[test]
fn a_reason_given_before_the_stop_lets_no_larger_change_pass() {
    for before in [&[][..], &[0], &[0, 2], &[3, 0]] {
        let mut gate = Gate::new();
        for lines in before {
            gate.changed(*lines).passes();
        }
        assert!(!gate.skips("nothing new"), "nothing is due yet");
        gate.changed(0).passes();
        gate.changed(4).passes();
        assert_eq!(gate.session.reflection.skip().unwrap().reason, "nothing new", "{before:?}");
        gate.changed(500).blocks();
    }
}

#[test]
fn a_reason_given_too_early_is_told_where_the_stop_is_held_after_all() {
    let early = "skipped with \"only docs\": say so again";
    let mut gate = Gate::new();
    gate.skips("only docs");
    let said = gate.changed(40).blocks();
    assert!(said.contains(early), "{said}");
    assert!(gate.skips("only docs, indeed"));
    gate.is(Status::Skipped).passes();

    let mut gate = Gate::with_tickets();
    gate.skips("only docs");
    let said = gate.closes().changed(40).blocks();
    assert!(said.contains(early), "{said}");
    assert!(gate.reflects());
    let said = gate.closes().blocks();
    assert!(!said.contains(early), "it was dealt with: {said}");
}

#[test]
fn a_closed_ticket_that_is_skipped_by_itself_is_logged_without_a_line_too() {
    let mut gate = Gate::with_tickets();
    gate.policy.gate.auto_skip.decider = Decider::Always;
    gate.skips("a question only");
    let outcome = gate.closes().changed(0).passing();
    let [Effect::Log(usage::Event::Skip { ticket_id, reason, .. })] = &outcome.effects[..] else {
        panic!("{:?}", outcome.effects);
    };
    assert_eq!((ticket_id.as_deref(), reason.as_str()), (Some("t-1"), "a question only"));
}

#[test]
fn a_session_that_changed_nothing_is_not_asked() {
    for enabled in [true, false] {
        let mut gate = Gate::new();
        gate.policy.gate.auto_skip.enabled = enabled;
        assert!(gate.changed(0).passing().effects.is_empty());
    }
}

#[test]
fn without_auto_skip_the_smallest_change_is_asked_about() {
    for never in [true, false] {
        let mut gate = Gate::new();
        if never {
            gate.policy.gate.auto_skip.decider = Decider::Never;
        } else {
            gate.policy.gate.auto_skip.enabled = false;
        }
        gate.changed(1).blocks();
    }
}

#[test]
fn a_diff_that_cannot_be_known_is_no_small_one() {
    let mut gate = Gate::new();
    gate.facts.learned.diff = Diff::Unknown("no repository".into());
    gate.blocks();
}

#[test]
fn where_there_is_a_ticket_system_no_session_is_asked() {
    let mut gate = Gate::with_tickets();
    gate.changed(500).passes();
    gate.is(Status::Idle);

    let mut gate = Gate::new();
    gate.policy.ticketing.overrides.insert("session".into(), false);
    gate.changed(500).passes();

    let mut gate = Gate::new();
    let call = tool("TaskCreate", json!({ "subject": "x" }));
    let _ = gate.sees(What::PreToolUse(call.clone()));
    let _ = gate.sees(What::PostToolUse { call, succeeded: true });
    gate.changed(500).passes();
}

#[test]
fn a_task_that_was_refused_or_failed_ends_no_session_mode() {
    let call = || tool("TaskCreate", json!({ "subject": "x" }));
    let mut gate = Gate::new();
    let _ = gate.sees(What::PreToolUse(call()));
    gate.changed(500).blocks();
    let mut gate = Gate::new();
    let _ = gate.sees(What::PreToolUse(call()));
    let _ = gate.sees(What::PostToolUse { call: call(), succeeded: false });
    gate.changed(500).blocks();
}

#[test]
fn a_marker_that_appears_within_a_session_ends_no_session_mode() {
    let mut gate = Gate::new();
    let _ = gate.sees(starts());
    gate.facts.learned.system = Some("beads".into());
    gate.changed(500).blocks();
    // Where nobody looked when it began, what is there now counts.
    let mut gate = Gate::with_tickets();
    gate.changed(500).passes();
    gate.facts.learned.system = None;
    gate.blocks();
}

#[test]
fn a_stop_that_another_gate_looked_after_is_not_judged() {
    let mut gate = Gate::new();
    gate.facts.learned.diff = Diff::NotAsked;
    gate.passes();
    gate.is(Status::Idle);
}

// --- Pending and Blocked ---

#[test]
fn a_closed_ticket_is_held_until_it_is_reflected_on() {
    let mut gate = Gate::with_tickets();
    let said = gate.closes().changed(100).blocks();
    assert!(said.contains("ticket t-1 was closed"), "{said}");
    assert!(gate.reflects());
    gate.is(Status::Reflected).passes();
    gate.is(Status::Reflected);
}

#[test]
fn a_closed_ticket_is_held_until_it_is_skipped() {
    let mut gate = Gate::with_tickets();
    gate.closes().blocks();
    assert!(gate.skips("a version bump"));
    gate.is(Status::Skipped).passes();
}

#[test]
fn pending_is_reflected_on_and_skipped_without_a_block() {
    let mut gate = Gate::with_tickets();
    gate.closes();
    assert!(gate.reflects());
    gate.is(Status::Reflected).closes().is(Status::Pending);
    assert!(gate.skips("no news"));
    gate.is(Status::Skipped).closes().is(Status::Pending);
}

#[test]
fn a_reflection_that_is_not_due_changes_no_status() {
    let mut gate = Gate::with_tickets();
    assert!(!gate.reflects());
    gate.is(Status::Idle);
    gate.facts.learned.ticket = Some(ticket("t-1"));
    let _ = gate.sees(starts());
    assert!(!gate.reflects());
    gate.is(Status::Active);
}

#[test]
fn after_a_ticket_a_small_change_is_the_agents_to_skip() {
    let mut gate = Gate::with_tickets();
    let said = gate.closes().changed(4).blocks();
    assert!(said.contains("The change is small (4 lines)"), "{said}");
    let mut gate = Gate::with_tickets();
    let said = gate.closes().changed(5).blocks();
    assert!(!said.contains("is small"), "{said}");
}

#[test]
fn the_decider_always_asks_nobody_after_a_ticket_either() {
    let mut gate = Gate::with_tickets();
    gate.policy.gate.auto_skip.decider = Decider::Always;
    let outcome = gate.closes().changed(4).passing();
    assert_eq!(outcome.effects.len(), 1);
    gate.is(Status::Skipped);
    gate.closes().changed(5).blocks();
}

#[test]
fn stops_pass_and_are_not_counted_while_subagents_run_for_a_while() {
    let running = || {
        let one = Background { agent_id: "a1".into(), agent_type: "Explore".into() };
        What::Stop(Stop { background: Some(vec![one]), ..Stop::default() })
    };
    let mut gate = Gate::with_tickets();
    gate.closes();
    for _ in 0..5 {
        assert_eq!(gate.sees(running()).verdict, Verdict::Pass);
    }
    assert_eq!(gate.session.reflection.block_count(), 0);
    gate.now += TimeDelta::seconds(900);
    assert!(matches!(gate.sees(running()).verdict, Verdict::Object(_)));
}

#[test]
fn a_subagents_close_is_the_main_agents_to_reflect_on() {
    let mut gate = Gate::with_tickets();
    let call = bash("tissue status t-1 closed", "toolu_s");
    let _ = gate.sees_from(Some("a1"), What::PreToolUse(call));
    let done = What::PostToolUse { call: bash("x", "toolu_s"), succeeded: true };
    let _ = gate.sees_from(Some("a1"), done);
    gate.is(Status::Pending);
    let ended = What::SubagentStop {
        agent_id: "a1".into(),
        agent_type: "Explore".into(),
        stop_hook_active: false,
    };
    assert_eq!(gate.sees_from(Some("a1"), ended).verdict, Verdict::Pass);
    gate.blocks();
}

#[test]
fn a_stop_of_a_subagents_is_neither_held_nor_counted() {
    let mut gate = Gate::with_tickets();
    gate.closes();
    assert_eq!(gate.sees_from(Some("a1"), stop()).verdict, Verdict::Pass);
    gate.is(Status::Pending);
    assert_eq!(gate.session.reflection.block_count(), 0);
    gate.blocks();

    let mut gate = Gate::new();
    assert_eq!(gate.changed(500).sees_from(Some("a1"), stop()).verdict, Verdict::Pass);
    gate.is(Status::Idle);
}

#[test]
fn what_subagents_noted_is_shown_to_whoever_reflects() {
    let mut gate = Gate::with_tickets();
    gate.session.reflection.observe("the N+1 is in the dashboard", Some("a1".into()), gate.now);
    let said = gate.closes().blocks();
    assert!(said.contains("the N+1 is in the dashboard"), "{said}");
}

#[test]
fn notes_that_were_reflected_on_are_not_shown_for_the_next_ticket() {
    for reflects in [true, false] {
        let mut gate = Gate::with_tickets();
        gate.session.reflection.observe("the router panics", None, gate.now);
        let said = gate.closes().blocks();
        assert!(said.contains("- the router panics"), "{said}");
        assert!(gate.blocks().contains("- the router panics"), "until it is dealt with");
        assert!(if reflects { gate.reflects() } else { gate.skips("no news") });
        gate.session.reflection.observe("the cache is stale", None, gate.now);
        let said = gate.closes().blocks();
        assert!(said.contains("- the cache is stale"), "{said}");
        assert!(!said.contains("the router panics"), "{said}");
        assert_eq!(gate.session.reflection.observations().len(), 2, "both stay on record");
    }
}

#[test]
fn notes_that_nobody_was_shown_outlive_a_skip_by_itself() {
    let mut gate = Gate::with_tickets();
    gate.policy.gate.auto_skip.decider = Decider::Always;
    gate.session.reflection.observe("the router panics", None, gate.now);
    gate.closes().changed(1).passes();
    assert!(gate.closes().changed(50).blocks().contains("- the router panics"));
}

#[test]
fn notes_are_shown_with_all_their_lines_and_the_newest_of_many() {
    let mut gate = Gate::with_tickets();
    for n in 1..=7 {
        let note = format!("note {n}:\nthe N+1 is in\n  Dashboard::load \u{1b}[31m");
        gate.session.reflection.observe(&note, None, gate.now);
    }
    let said = gate.closes().blocks();
    assert!(said.contains("\nNoted on the way:\n- note 3:\n"), "{said}");
    let last = "- note 7:\n  the N+1 is in\n    Dashboard::load \\u{1b}[31m\n";
    assert!(said.contains(last), "{said}");
    gate.session.reflection.observe(&"ü".repeat(900), None, gate.now);
    assert!(gate.blocks().contains(&format!("- {}…\n", "ü".repeat(499))));
}

#[test]
fn a_close_without_an_id_is_one_of_its_system() {
    let mut gate = Gate::with_tickets();
    let said = gate.runs("bd close", true).blocks();
    assert!(said.contains("what=a ticket of beads was closed"), "{said}");
    let said = gate.closes().blocks();
    assert!(said.contains("what=ticket t-1 was closed, and 1 more"), "{said}");
    assert!(gate.reflects());
    let said = gate.closes().blocks();
    assert!(said.contains("what=ticket t-1 was closed"), "{said}");
}

// --- the breaker ---

#[test]
fn exactly_max_blocks_stops_are_held_whatever_the_client_says_of_them() {
    for active in [true, false] {
        for max in [0, 1, 3] {
            let mut gate = Gate::with_tickets();
            gate.policy.circuit_breaker.max_blocks = max;
            gate.closes();
            let stop = || What::Stop(Stop { stop_hook_active: active, ..Stop::default() });
            for _ in 0..max {
                assert!(matches!(gate.sees(stop()).verdict, Verdict::Object(_)));
            }
            let outcome = gate.sees(stop());
            assert_eq!(outcome.verdict, Verdict::Pass);
            assert!(
                outcome.messages[0].contains("nothing was written down"),
                "{:?}",
                outcome.messages
            );
            gate.is(Status::Idle).passes();
        }
    }
}

#[test]
fn a_tripped_breaker_holds_again_after_its_cooldown() {
    let mut gate = Gate::with_tickets();
    gate.policy.circuit_breaker.max_blocks = 1;
    gate.closes().blocks();
    gate.passes();
    gate.closes();
    // The user is told each time; of this ticket nobody was held.
    let told = gate.passing().messages.join("");
    assert!(told.contains("t-1 was closed, and nothing was written down"), "{told}");
    assert!(told.contains("held the agent once,"), "{told}");
    gate.now += TimeDelta::seconds(300);
    gate.closes().blocks();
}

#[test]
fn a_reflection_resets_the_breaker() {
    let mut gate = Gate::with_tickets();
    gate.policy.circuit_breaker.max_blocks = 1;
    gate.closes().blocks();
    gate.passes();
    gate.reflects();
    gate.closes().blocks();
}

#[test]
fn in_session_mode_a_tripped_breaker_stays_quiet_until_its_cooldown() {
    let mut gate = Gate::new();
    gate.policy.circuit_breaker.max_blocks = 1;
    gate.changed(9).blocks();
    assert_eq!(gate.passing().messages.len(), 1);
    assert_eq!(gate.passing().messages.len(), 0);
    gate.now += TimeDelta::seconds(300);
    gate.blocks();
}

#[test]
fn a_new_cycle_counts_from_one() {
    let mut gate = Gate::with_tickets();
    gate.closes().blocks();
    gate.blocks();
    gate.reflects();
    let said = gate.closes().blocks();
    assert!(said.contains("block_count=1"), "{said}");
}

// --- the session's ends ---

#[test]
fn an_active_ticket_of_a_session_that_ends_is_let_go() {
    let mut gate = Gate::with_tickets();
    gate.facts.learned.ticket = Some(ticket("t-1"));
    let _ = gate.sees(starts());
    let _ = gate.sees(What::SessionEnd { reason: "other".into() });
    gate.is(Status::Idle);
}

#[test]
fn a_pending_reflection_outlives_the_session_and_is_told_of() {
    let mut gate = Gate::with_tickets();
    gate.closes();
    let _ = gate.sees(What::SessionEnd { reason: "other".into() });
    gate.is(Status::Pending);
    let outcome = gate.sees(What::SessionStart { source: Source::Resume });
    assert_eq!(outcome.context[0].template, "reflect-again");

    let mut other = Gate::with_tickets();
    other.facts.learned.due_elsewhere = vec!["s0".parse().unwrap()];
    let outcome = other.sees(starts());
    assert_eq!(outcome.context[0].template, "reflect-elsewhere");
    assert!(outcome.context[0].fields.contains(&("session", "s0".into())));
}

// --- tasks ---

#[test]
fn a_task_is_held_open_until_it_is_reflected_on_or_skipped() {
    for skips in [true, false] {
        let mut gate = Gate::new();
        assert!(matches!(gate.task("1").verdict, Verdict::Object(_)));
        gate.is(Status::Pending);
        if skips {
            assert!(gate.skips("routine"));
        } else {
            assert!(gate.reflects());
        }
        assert_eq!(gate.task("1").verdict, Verdict::Pass);
        gate.passes();
        assert!(matches!(gate.task("2").verdict, Verdict::Object(_)), "another task");
    }
}

#[test]
fn a_task_is_held_at_most_max_blocks_times() {
    let mut gate = Gate::new();
    for _ in 0..3 {
        assert!(matches!(gate.task("1").verdict, Verdict::Object(_)));
    }
    let outcome = gate.task("1");
    assert_eq!(outcome.verdict, Verdict::Pass);
    assert!(outcome.messages[0].contains("task 1 was held open 3 times"));
    assert_eq!(gate.task("1").messages.len(), 0);
}

#[test]
fn a_stop_names_the_first_task_that_is_due_and_counts_the_others() {
    let mut gate = Gate::new();
    let _ = gate.task("1");
    let said = gate.blocks();
    assert!(said.contains("task 1 is done"), "{said}");
    let _ = gate.task("2");
    let said = gate.blocks();
    assert!(said.contains("task 1 is done, and 1 more"), "{said}");
}

#[test]
fn a_task_that_was_let_go_is_held_at_no_stop_and_one_of_a_stop_is_held_open_no_more() {
    let mut gate = Gate::new();
    for _ in 0..4 {
        let _ = gate.task("1");
    }
    gate.is(Status::Idle).passes();
    // What else is due stays due.
    let mut gate = Gate::with_tickets();
    gate.closes();
    for _ in 0..4 {
        let _ = gate.task("1");
    }
    let said = gate.is(Status::Pending).blocks();
    assert!(said.contains("ticket t-1 was closed"), "{said}");
    let mut gate = Gate::new();
    let _ = gate.task("1");
    for _ in 0..3 {
        gate.blocks();
    }
    gate.passes();
    assert_eq!(gate.task("1").verdict, Verdict::Pass);
    gate.is(Status::Idle).passes();
}

#[test]
fn tasks_count_where_they_are_a_ticket_system() {
    let mut gate = Gate::new();
    gate.policy.ticketing.overrides.insert("tasks".into(), false);
    assert_eq!(gate.task("1").verdict, Verdict::Pass);
    gate.is(Status::Idle);
}

#[test]
fn a_subagents_task_is_completed_and_the_main_agents_to_reflect_on() {
    let mut gate = Gate::new();
    let done = || What::TaskCompleted { task_id: "1".into(), subject: "x".into() };
    assert_eq!(gate.sees_from(Some("a1"), done()).verdict, Verdict::Pass);
    let said = gate.is(Status::Pending).blocks();
    assert!(said.contains("task 1 is done"), "{said}");
    assert!(gate.reflects());
    gate.passes();
    // Once it is reflected on it is nobody's any more.
    assert_eq!(gate.sees_from(Some("a1"), done()).verdict, Verdict::Pass);
    gate.is(Status::Reflected);
}

#[test]
fn the_decider_always_completes_small_tasks() {
    let mut gate = Gate::new();
    gate.policy.gate.auto_skip.decider = Decider::Always;
    gate.changed(4);
    assert_eq!(gate.task("1").verdict, Verdict::Pass);
    gate.is(Status::Skipped).changed(5);
    assert!(matches!(gate.task("2").verdict, Verdict::Object(_)));
}

// --- learnings ---

fn relevant(ids: &[&str]) -> Vec<Relevant> {
    ids.iter()
        .map(|id| {
            let (id, title) = ((*id).to_owned(), format!("- {id} pitfall: x"));
            Relevant { id, score: 1.0, title, whole: None }
        })
        .collect()
}

fn surfaced(outcome: &Outcome) -> usize {
    let log = |effect: &&Effect| matches!(effect, Effect::Log(usage::Event::Surfaced { .. }));
    outcome.effects.iter().filter(log).count()
}

#[test]
fn a_learning_is_shown_once_and_again_after_compaction_but_counted_once() {
    let mut gate = Gate::new();
    gate.facts.learned.relevant = relevant(&["a", "b"]);
    let outcome = gate.sees(starts());
    assert_eq!((surfaced(&outcome), outcome.context.len()), (2, 1));
    let prompt = || What::Prompt { text: "x".into(), sender: Sender::User };
    let outcome = gate.sees(prompt());
    assert_eq!((surfaced(&outcome), outcome.context.len()), (0, 0));
    gate.facts.learned.relevant = relevant(&["b", "c"]);
    let outcome = gate.sees(prompt());
    assert_eq!(surfaced(&outcome), 1, "only what is new");
    let outcome = gate.sees(What::SessionStart { source: Source::Compact });
    assert_eq!((surfaced(&outcome), outcome.context.len()), (0, 1));
    let outcome = gate.sees(prompt());
    assert_eq!(outcome.context.len(), 0, "the start has told it");
    gate.facts.learned.relevant = relevant(&["a"]);
    let outcome = gate.sees(prompt());
    assert_eq!((surfaced(&outcome), outcome.context.len()), (0, 1), "a was not told again yet");
    assert_eq!(gate.sees(prompt()).context.len(), 0);
}

#[test]
fn what_is_shown_whole_counts_as_shown_and_not_as_dismissed() {
    let mut gate = Gate::new();
    gate.facts.learned.relevant = relevant(&["a", "b"]);
    gate.facts.learned.relevant[0].whole = Some("  > its text".into());
    let outcome = gate.sees(starts());
    assert_eq!((surfaced(&outcome), outcome.context.len()), (2, 1));
    assert!(outcome.context[0].fields[0].1.contains("x\n  > its text\n- b"), "{outcome:?}");
    let outcome = gate.sees(What::SessionEnd { reason: "other".into() });
    assert_eq!(outcome.effects.len(), 1, "that of b");
}

#[test]
fn a_failure_shows_a_title_once_and_again_where_only_a_prompt_had_shown_it() {
    let mut gate = Gate::new();
    gate.facts.learned.relevant = relevant(&["a"]);
    let _ = gate.sees(starts());
    let fails = |gate: &mut Gate| {
        let outcome =
            gate.sees(What::PostToolUse { call: bash("make", "toolu_1"), succeeded: false });
        (surfaced(&outcome), outcome.context.len())
    };
    assert_eq!(fails(&mut gate), (0, 1), "counted once a session");
    assert_eq!(fails(&mut gate), (0, 0));
    gate.facts.learned.relevant = relevant(&["b"]);
    assert_eq!(fails(&mut gate), (1, 1));
    assert_eq!(fails(&mut gate), (0, 0));
}

#[test]
fn a_call_that_is_refused_twice_for_the_same_reason_is_a_failure_and_shows_titles() {
    let mut gate = Gate::new();
    gate.facts.learned.relevant = relevant(&["a"]);
    let refused = |gate: &mut Gate, rule: &'static str, subject: &str| {
        let mark =
            Mark::IntentRefused { answer: "deny", code: rule.into(), subject: subject.into() };
        let outcome = Outcome::object(Notice::new("x")).marked(mark);
        let (facts, id) = (gate.facts.clone(), gate.session.session_id.clone());
        let cx = Cx {
            now: gate.now,
            dice: &[0; 32],
            policy: &gate.policy,
            facts: &facts,
            session_id: &id,
        };
        refused(&mut gate.session.reflection, outcome, cx).context.len()
    };
    assert_eq!(refused(&mut gate, "SCOPE_VIOLATION", "src/a.rs"), 0);
    assert_eq!(refused(&mut gate, "STALE_FILE", "src/a.rs"), 0, "another reason");
    assert_eq!(refused(&mut gate, "STALE_FILE", "src/b.rs"), 1);
    assert_eq!(refused(&mut gate, "STALE_FILE", "src/b.rs"), 0, "once");
    gate.facts.learned.relevant = relevant(&["b"]);
    let _ = gate.sees(What::Prompt { text: "x".into(), sender: Sender::User });
    gate.facts.learned.relevant = relevant(&["c"]);
    assert_eq!(refused(&mut gate, "STALE_FILE", "src/b.rs"), 0, "another turn");
}

#[test]
fn what_nobody_used_is_dismissed_once() {
    let mut gate = Gate::new();
    gate.facts.learned.relevant = relevant(&["a", "b", "c"]);
    let _ = gate.sees(starts());
    gate.session.reflection.referenced("a");
    gate.session.reflection.opened("c");
    gate.session.reflection.opened("a");
    let end = || What::SessionEnd { reason: "other".into() };
    let outcome = gate.sees(end());
    let expected = usage::Event::Dismissed { learning_id: "b".into(), session_id: "s1".into() };
    assert_eq!(outcome.effects, [Effect::Log(expected)]);
    assert!(gate.sees(end()).effects.is_empty());
    let uses: Vec<Use> =
        gate.session.reflection.injected().iter().map(|injected| injected.outcome).collect();
    assert_eq!(uses, [Use::Referenced, Use::Dismissed, Use::Opened]);
}

#[test]
fn the_first_look_at_the_work_tree_stands() {
    let mut gate = Gate::new();
    let look = |head: &str| Some(Baseline { head: Some(head.into()), ..Baseline::default() });
    gate.facts.learned.baseline = look("one");
    let _ = gate.sees(starts());
    gate.facts.learned.baseline = look("two");
    let _ = gate.sees(starts());
    assert_eq!(gate.session.reflection.baseline().unwrap().head.as_deref(), Some("one"));
}

// --- what closes a ticket ---

#[test]
fn the_table_knows_what_closes_and_what_does_not() {
    let mut policy = Policy::default().ticketing;
    policy.overrides.insert("github".into(), true);
    let closes = |line: &str| -> Vec<(String, Vec<String>)> {
        let found = closings(&policy, &bash(line, "t"));
        found.into_iter().map(|closing| (closing.system, closing.tickets)).collect()
    };
    let yes: &[(&str, &str, &[&str])] = &[
        ("tissue status t-1 closed", "tissue", &["t-1"]),
        ("tissue status t-1 duplicate --json", "tissue", &["t-1"]),
        ("./node_modules/.bin/bd close b-1", "beads", &["b-1"]),
        ("../.venv/bin/tissue status t-1 closed", "tissue", &["t-1"]),
        ("tissue --store .t status t-1 closed 2>&1", "tissue", &["t-1"]),
        ("cd p && TISSUE_STORE=x tissue status t-1 closed | cat", "tissue", &["t-1"]),
        ("tissue edit t-1 --title 'a b' --status closed", "tissue", &["t-1"]),
        ("tissue edit t-1 --status=duplicate", "tissue", &["t-1"]),
        ("bash -c 'tissue status t-1 closed'", "tissue", &["t-1"]),
        ("sudo -u me env A=b /usr/bin/tissue status t-1 closed", "tissue", &["t-1"]),
        ("id=t-1; tissue status $id closed", "tissue", &["t-1"]),
        ("tissue status $(head -1 f) closed", "tissue", &[]),
        ("bd close", "beads", &[]),
        ("bd close bd-1 bd-2", "beads", &["bd-1", "bd-2"]),
        ("bd done bd-1 --reason 'all well' --suggest-next", "beads", &["bd-1"]),
        ("bd --db x close bd-1 -r done -r well", "beads", &["bd-1"]),
        ("bd update bd-1 bd-2 -s closed", "beads", &["bd-1", "bd-2"]),
        ("bd update bd-1 --status=closed --notes 'x y'", "beads", &["bd-1"]),
        ("beads close bd-1", "beads", &["bd-1"]),
        ("npx -y @beads/bd@latest close bd-1", "beads", &["bd-1"]),
        ("pnpm dlx @beads/bd close bd-1", "beads", &["bd-1"]),
        ("beads complete bd-1", "beads", &["bd-1"]),
        ("gh -R o/r issue close 12 -c 'bye'", "github", &["12"]),
        ("gh pr merge 3 --squash", "github", &["3"]),
        ("gh pr close 3", "github", &["3"]),
        ("echo bd-1 | xargs bd close", "beads", &[]),
        ("for i in bd-1; do bd close $i; done", "beads", &["bd-1"]),
    ];
    for (line, system, ids) in yes {
        let ids: Vec<String> = ids.iter().map(|text| (*text).to_owned()).collect();
        let found = closes(line);
        assert_eq!(found.len(), 1, "{line}: {found:?}");
        assert_eq!(found[0].0, *system, "{line}");
        if line.contains("xargs") {
            continue;
        }
        assert_eq!(found[0].1, ids, "{line}");
    }
    let no = [
        "tissue status t-1 in_progress",
        "tissue show t-1 closed",
        "tissue list --status closed",
        "tissue new 'tissue status t-1 closed'",
        "echo tissue status t-1 closed",
        "git commit -m 'bd close bd-1'",
        "bd update bd-1 --notes 'set -s closed' -s open",
        "bd update bd-1 --title closed",
        "bd close --help",
        "bd list --status closed",
        "grep -r 'bd close' .",
        "gh issue view 12",
        "gh pr list --state closed",
        "cat > f <<X\nbd close\nX",
        "./bd close",
    ];
    for line in no {
        assert!(closes(line).is_empty(), "{line}: {:?}", closes(line));
    }
}

#[test]
fn github_counts_where_it_is_asked_for() {
    let policy = Policy::default().ticketing;
    assert!(closings(&policy, &bash("gh issue close 1", "t")).is_empty());
}

#[test]
fn tools_close_tickets_too() {
    let policy = Policy::default().ticketing;
    let closes = |name: &str, input: Value| closings(&policy, &tool(name, input));
    let one = closes("mcp__tissue__close_issue", json!({ "id": "t-1" }));
    assert_eq!(one, [Closing { system: "tissue".into(), tickets: vec!["t-1".into()] }]);
    let one = closes("mcp__plugin_beads_beads__close", json!({ "issue_id": "bd-1" }));
    assert_eq!(one, [Closing { system: "beads".into(), tickets: vec!["bd-1".into()] }]);
    assert_eq!(closes("mcp__beads__update", json!({ "id": "bd-1", "status": "closed" })).len(), 1);
    assert_eq!(closes("mcp__beads__update", json!({ "id": "bd-1", "status": "open" })).len(), 0);
    assert_eq!(closes("mcp__beads__list", json!({ "status": "closed" })).len(), 0);
    assert_eq!(closes("mcp__tissue__list", json!({})).len(), 0);
}

#[test]
fn a_row_of_the_users_closes_tickets() {
    let mut policy = Policy::default().ticketing;
    policy.systems.push(crate::core::policy::TicketSystem {
        name: "jira".into(),
        marker: Some(".jira".into()),
        closes: vec!["Bash:jira issue move * Done*".into(), "mcp__jira__close*".into()],
        in_progress: vec![],
    });
    let one = closings(&policy, &bash("jira issue move AB-1 Done", "t"));
    assert_eq!(one, [Closing { system: "jira".into(), tickets: vec!["AB-1".into()] }]);
    assert!(closings(&policy, &bash("jira issue move AB-1 Todo", "t")).is_empty());
    let one = closings(&policy, &tool("mcp__jira__close", json!({ "id": 7 })));
    assert_eq!(one[0].tickets, ["7"]);
    let names: Vec<(String, String)> = tickets::markers(&policy);
    assert_eq!(names.last().unwrap(), &("jira".to_owned(), ".jira".to_owned()));
    policy.overrides.insert("jira".into(), false);
    assert!(closings(&policy, &bash("jira issue move AB-1 Done", "t")).is_empty());
}
