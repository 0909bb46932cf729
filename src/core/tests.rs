//! What holds whatever happens: properties over random sequences of events.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::core::{
    event::{Background, Origin, Source, Stop, ToolCall},
    facts::Parent,
    policy::{Mode, Scope},
    review::{REVIEWER, decision::Decision, phase::Phase, proof::Claim},
};

/// Something that happens; small numbers name agents and calls, so that they
/// meet often.
#[derive(Debug, Clone)]
enum Step {
    SessionStart(bool),
    Prompt(&'static str),
    ClientPrompt,
    Push(u8, u8),
    Launch(u8),
    LaunchFails(u8),
    Start(u8),
    Permit(u8, bool),
    Done(u8, u8),
    /// Posts with the token of that reviewer, if it ever got one.
    Post(u8, bool),
    Guess(bool),
    ReviewerStop(u8),
    Stop(Option<Vec<u8>>),
    Wait(u16),
}

fn any_step() -> impl Strategy<Value = Step> {
    let agent = 0_u8..3;
    prop_oneof![
        1 => any::<bool>().prop_map(Step::SessionStart),
        2 => Just(Step::Prompt("#roz go")),
        1 => Just(Step::Prompt("hurry")),
        1 => Just(Step::Prompt("#roz:stop")),
        1 => Just(Step::ClientPrompt),
        3 => (0_u8..4, agent.clone()).prop_map(|(id, agent)| Step::Push(id, agent)),
        3 => (0_u8..40).prop_map(Step::Launch),
        1 => agent.clone().prop_map(Step::LaunchFails),
        3 => agent.clone().prop_map(Step::Start),
        3 => (agent.clone(), any::<bool>()).prop_map(|(agent, ok)| Step::Permit(agent, ok)),
        1 => (agent.clone(), agent.clone()).prop_map(|(agent, id)| Step::Done(agent, id)),
        3 => (agent.clone(), any::<bool>()).prop_map(|(agent, ok)| Step::Post(agent, ok)),
        1 => any::<bool>().prop_map(Step::Guess),
        2 => agent.clone().prop_map(Step::ReviewerStop),
        5 => prop::option::of(prop::collection::vec(agent, 0..2)).prop_map(Step::Stop),
        1 => (0_u16..1000).prop_map(Step::Wait),
    ]
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let scope = prop_oneof![Just(Scope::Session), Just(Scope::Prompt), Just(Scope::Tool)];
    let mode =
        prop_oneof![4 => Just(Mode::Prompt), 1 => Just(Mode::Always), 1 => Just(Mode::Never)];
    (scope, mode, 0_u32..4, prop::option::of(0_u64..500)).prop_map(|(scope, mode, blocks, ttl)| {
        let mut policy = Policy::default();
        policy.review.mode = mode;
        policy.review.gates.tools = vec!["Bash:git push*".into()];
        policy.review.gates.approval_scope = scope;
        policy.review.gates.approval_ttl_seconds = ttl;
        policy.review.gates.max_denials = 3;
        policy.circuit_breaker.max_blocks = blocks;
        policy
    })
}

/// Plays steps, and keeps what the properties ask about.
struct Play {
    session: Session,
    policy: Policy,
    now: DateTime<Utc>,
    step: u8,
    tokens: [Option<String>; 4],
    outcomes: Vec<Outcome>,
    posts: Vec<bool>,
    /// Stops that were blocked, by cycle.
    blocked: Vec<u64>,
}

impl Play {
    fn new(policy: Policy) -> Self {
        let now = DateTime::UNIX_EPOCH;
        Self {
            session: Session::new("s1".parse().unwrap(), now),
            policy,
            now,
            step: 0,
            tokens: [const { None }; 4],
            outcomes: Vec::new(),
            posts: Vec::new(),
            blocked: Vec::new(),
        }
    }

    fn of(policy: &Policy, steps: &[Step]) -> Self {
        let mut play = Self::new(policy.clone());
        for step in steps {
            play.take(step);
        }
        play
    }

    fn take(&mut self, step: &Step) {
        self.now += TimeDelta::seconds(1);
        self.step = self.step.wrapping_add(1);
        let name = |agent: u8| format!("a{agent}");
        let main = None;
        match step {
            Step::SessionStart(compact) => {
                let source = if *compact { Source::Compact } else { Source::Startup };
                self.see(main, What::SessionStart { source });
            }
            Step::Prompt(text) => self.see(main, prompt(text, Sender::User)),
            Step::ClientPrompt => self.see(main, prompt("<task-notification>", Sender::Client)),
            Step::Push(id, agent) => {
                let agent = (*agent > 0).then(|| name(*agent));
                self.see(agent, bash(*id, "git push"));
            }
            Step::Launch(id) => {
                let json = r#"{"subagent_type":"roz:roz","prompt":"go"}"#;
                let what = What::PreToolUse(tool("Agent", json, *id));
                self.see(main, what);
            }
            Step::LaunchFails(id) => {
                let call = tool("Agent", r#"{"subagent_type":"roz:roz"}"#, *id);
                self.see(main, What::PostToolUse { call, succeeded: false });
            }
            Step::Start(agent) => {
                let what =
                    What::SubagentStart { agent_id: name(*agent), agent_type: REVIEWER.to_owned() };
                self.see(main, what);
                let told = self.outcomes.last().and_then(|it| it.context.first());
                let token = told.and_then(|it| it.fields.iter().find(|(it, _)| *it == "token"));
                if let Some((_, token)) = token {
                    self.tokens[usize::from(*agent)] = Some(token.clone());
                }
            }
            Step::Permit(agent, ok) => {
                let command =
                    if *ok { "roz decide s1 COMPLETE x" } else { "roz decide s1 ISSUES x" };
                self.see(Some(name(*agent)), bash(9, command));
            }
            Step::Done(agent, id) => {
                let call = tool("Bash", r#"{"command":"x"}"#, if *id == 0 { 9 } else { *id });
                self.see(Some(name(*agent)), What::PostToolUse { call, succeeded: true });
            }
            Step::Post(agent, ok) => {
                let token = self.tokens[usize::from(*agent)].clone().unwrap_or_default();
                self.post(token, *ok);
            }
            Step::Guess(ok) => self.post("0".repeat(32), *ok),
            Step::ReviewerStop(agent) => {
                let what = What::SubagentStop {
                    agent_id: name(*agent),
                    agent_type: REVIEWER.to_owned(),
                    stop_hook_active: false,
                };
                self.see(main, what);
            }
            Step::Stop(running) => {
                let agent =
                    |it: &u8| Background { agent_id: name(*it), agent_type: REVIEWER.to_owned() };
                let background = running.as_ref().map(|it| it.iter().map(agent).collect());
                self.see(main, What::Stop(Stop { background, ..Stop::default() }));
                if let Some(Verdict::Object(_)) = self.outcomes.last().map(|it| &it.verdict) {
                    self.blocked.push(self.session.review.cycle());
                }
            }
            Step::Wait(seconds) => self.now += TimeDelta::seconds((*seconds).into()),
        }
    }

    fn see(&mut self, agent_id: Option<String>, what: What) {
        let id = self.session.session_id.clone();
        let facts = Facts { parent: Parent::Client, ..Facts::default() };
        let dice = [self.step; 32].into();
        let cx =
            Cx { now: self.now, dice: &dice, policy: &self.policy, facts: &facts, session_id: &id };
        let event = Event { origin: Origin { agent_id, ..Origin::default() }, what };
        let outcome = decide(&mut self.session, &event, cx);
        self.outcomes.push(outcome);
    }

    fn post(&mut self, token: String, approves: bool) {
        let decision = if approves {
            Decision::Complete { summary: "x".into(), second_opinions: None }
        } else {
            Decision::Issues { summary: "x".into(), message_to_agent: "y".into() }
        };
        let posting = Posting { decision, claim: Claim::Token(token), tree: None, no_tree: None };
        let answer = post(&mut self.session, &posting, self.now);
        self.posts.push(answer.is_ok());
    }
}

fn prompt(text: &str, sender: Sender) -> What<'static> {
    What::Prompt { text: text.to_owned(), sender }
}

fn tool(name: &str, json: &'static str, id: u8) -> ToolCall<'static> {
    let input = serde_json::from_str(json).unwrap();
    let mut call = ToolCall::new(name, input, json, Some(format!("t{id}")));
    call.read(&[], &Policy::default().commands.options());
    call
}

fn bash(id: u8, command: &str) -> What<'static> {
    let input = json!({ "command": command });
    let mut call = ToolCall::new("Bash", input, "{}", Some(format!("t{id}")));
    call.read(&[], &Policy::default().commands.options());
    What::PreToolUse(call)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn nobody_is_blocked_more_than_max_blocks_times_in_a_cycle(
        policy in any_policy(), steps in prop::collection::vec(any_step(), 0..60),
    ) {
        let play = Play::of(&policy, &steps);
        for cycle in &play.blocked {
            let blocks = play.blocked.iter().filter(|it| *it == cycle).count();
            // An approval in between resets the count, and issues withdraw it:
            // each such round is one of its own.
            let rounds = play.posts.iter().filter(|it| **it).count() + 1;
            let most = usize::try_from(policy.circuit_breaker.max_blocks).unwrap() * rounds;
            prop_assert!(blocks <= most, "{blocks} blocks in cycle {cycle}");
        }
    }

    #[test]
    fn a_stop_that_is_tried_often_enough_passes(
        policy in any_policy(), steps in prop::collection::vec(any_step(), 0..60),
    ) {
        let mut play = Play::of(&policy, &steps);
        let before = play.blocked.len();
        for _ in 0..10 {
            play.take(&Step::Stop(Some(Vec::new())));
        }
        let most = usize::try_from(policy.circuit_breaker.max_blocks).unwrap();
        prop_assert!(play.blocked.len() - before <= most);
    }

    #[test]
    fn deciding_twice_decides_the_same(
        policy in any_policy(), steps in prop::collection::vec(any_step(), 0..60),
    ) {
        let (one, two) = (Play::of(&policy, &steps), Play::of(&policy, &steps));
        prop_assert_eq!(one.session, two.session);
        prop_assert_eq!(one.outcomes, two.outcomes);
    }

    #[test]
    fn a_session_survives_json_and_back(
        policy in any_policy(), steps in prop::collection::vec(any_step(), 0..60),
    ) {
        let session = Play::of(&policy, &steps).session;
        let json = serde_json::to_string(&session).unwrap();
        let back: Session = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&back.review, &session.review);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), json);
    }

    /// Leave any one of the three out, and the work is never approved.
    #[test]
    fn nothing_is_approved_without_launch_token_and_permit(
        policy in any_policy(),
        steps in prop::collection::vec(any_step(), 0..80),
        without in 0..3,
    ) {
        let keeps = |step: &&Step| match without {
            0 => !matches!(step, Step::Launch(_)),
            1 => !matches!(step, Step::Start(_)),
            _ => !matches!(step, Step::Permit(..)),
        };
        let steps: Vec<Step> = steps.iter().filter(keeps).cloned().collect();
        let mut play = Play::new(policy);
        for step in &steps {
            play.take(step);
            prop_assert_ne!(play.session.review.phase(), Phase::Approved);
        }
        prop_assert!(!play.posts.contains(&true));
    }

    /// The same events do approve when nothing is left out, so the property
    /// above is about the three and not about the machine standing still.
    #[test]
    fn with_launch_token_and_permit_the_work_is_approved(
        steps in prop::collection::vec(any_step(), 0..20),
    ) {
        let mut policy = Policy::default();
        policy.review.gates.tools = vec!["Bash:git push*".into()];
        let mut play = Play::of(&policy, &steps);
        // A fresh agent: one that has reviewed before gets no token again.
        for step in [
            Step::Wait(100),
            Step::Prompt("#roz go"),
            Step::Launch(99),
            Step::Start(3),
            Step::Permit(3, true),
            Step::Post(3, true),
        ] {
            play.take(&step);
        }
        prop_assert_eq!(play.session.review.phase(), Phase::Approved);
    }

    #[test]
    fn a_gated_call_passes_only_when_approved(
        policy in any_policy(), steps in prop::collection::vec(any_step(), 0..60),
    ) {
        prop_assume!(policy.review.mode != Mode::Never);
        let mut play = Play::new(policy);
        let mut was_approved = false;
        for step in &steps {
            was_approved |= play.session.review.phase() == Phase::Approved;
            play.take(step);
            if let (Step::Push(..), Some(outcome)) = (step, play.outcomes.last()) {
                prop_assert!(was_approved || outcome.verdict != Verdict::Pass);
            }
        }
    }
}
