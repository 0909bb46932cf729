//! What holds whatever happens: properties over random sequences of events.
//!
//! Long because all properties ask the same player of events.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::core::{
    event::{Background, Origin, Source, Stop, ToolCall},
    facts::Facts,
    outcome::Effect,
    policy::{Mode, Scope},
    review::{
        REVIEWER,
        approval::Approved,
        decision::Decision,
        phase::Phase,
        reviewer::{Claim, Looked},
        work::{Known, Serving, Work},
    },
};

/// Something that happens; small numbers name agents, calls and trees, so that they meet often.
#[derive(Debug, Clone)]
enum Step {
    SessionStart(Source),
    Prompt(&'static str),
    ClientPrompt,
    Push(u8, u8),
    PushDone(u8, bool),
    Launch(u8),
    LaunchFails(u8),
    Start(u8),
    Permit(u8, bool),
    Done(u8, u8),
    /// Posts with the token of that reviewer, if it ever got one.
    Post(u8, bool),
    Guess(bool),
    /// A person decides at a terminal.
    Human(bool),
    ReviewerStop(u8),
    Stop(Option<Vec<u8>>),
    /// The work tree holds another tree.
    Edit(u8),
    /// A file is written outside of a repository, too.
    Write,
    /// What can be seen of the work.
    Sight(Sight),
    /// Another session of the repository has the present tree approved.
    ApprovedElsewhere,
    Wait(u16),
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Sight {
    NotAsked,
    NoRepository,
    Unknown,
    Known,
}

fn any_step() -> impl Strategy<Value = Step> {
    let agent = 0_u8..3;
    let source = prop_oneof![
        Just(Source::Startup),
        Just(Source::Resume),
        Just(Source::Clear),
        Just(Source::Compact)
    ];
    let sight = prop_oneof![
        1 => Just(Sight::NotAsked),
        1 => Just(Sight::NoRepository),
        1 => Just(Sight::Unknown),
        4 => Just(Sight::Known),
    ];
    let spoken = prop_oneof![
        4 => Just(Step::Prompt("#roz go")),
        2 => Just(Step::Prompt("hurry")),
        1 => Just(Step::Prompt("#roz:stop")),
        1 => Just(Step::Prompt("#roz:approve")),
        1 => Just(Step::Prompt("#roz:allow")),
        1 => Just(Step::ClientPrompt),
        1 => any::<bool>().prop_map(Step::Human),
    ];
    let reviewed = prop_oneof![
        3 => (0_u8..40).prop_map(Step::Launch),
        1 => agent.clone().prop_map(Step::LaunchFails),
        3 => agent.clone().prop_map(Step::Start),
        3 => (agent.clone(), any::<bool>()).prop_map(|(agent, ok)| Step::Permit(agent, ok)),
        1 => (agent.clone(), agent.clone()).prop_map(|(agent, id)| Step::Done(agent, id)),
        3 => (agent.clone(), any::<bool>()).prop_map(|(agent, ok)| Step::Post(agent, ok)),
        1 => any::<bool>().prop_map(Step::Guess),
        2 => agent.clone().prop_map(Step::ReviewerStop),
    ];
    let pushed = prop_oneof![
        3 => (0_u8..4, agent.clone()).prop_map(|(id, agent)| Step::Push(id, agent)),
        1 => (0_u8..4, any::<bool>()).prop_map(|(id, ok)| Step::PushDone(id, ok)),
    ];
    let changed = prop_oneof![
        4 => agent.clone().prop_map(Step::Edit),
        1 => Just(Step::Write),
        2 => sight.prop_map(Step::Sight),
        1 => Just(Step::ApprovedElsewhere),
        1 => source.prop_map(Step::SessionStart),
        1 => (0_u16..1000).prop_map(Step::Wait),
    ];
    prop_oneof![
        3 => spoken,
        8 => reviewed,
        2 => pushed,
        3 => changed,
        3 => prop::option::of(prop::collection::vec(agent, 0..2)).prop_map(Step::Stop),
    ]
}

fn any_policy() -> impl Strategy<Value = Policy> {
    let scope = prop_oneof![
        3 => Just(Scope::Work),
        1 => Just(Scope::Session),
        1 => Just(Scope::Prompt),
        1 => Just(Scope::Tool),
    ];
    let mode =
        prop_oneof![4 => Just(Mode::Prompt), 2 => Just(Mode::Always), 1 => Just(Mode::Never)];
    let ttl = prop::option::of(0_u64..500);
    let (blocks, rounds) = (0_u32..4, 1_u32..4);
    (scope, mode, blocks, rounds, any::<bool>(), ttl).prop_map(
        |(scope, mode, blocks, rounds, parallel, ttl)| {
            let mut policy = Policy::default();
            policy.review.mode = mode;
            policy.review.max_rounds = rounds;
            policy.review.parallel = parallel;
            policy.review.gates.tools = vec!["Bash:git push*".into()];
            policy.review.gates.approval_scope = scope;
            policy.review.gates.approval_ttl_seconds = ttl;
            policy.review.gates.max_denials = 3;
            policy.circuit_breaker.max_blocks = blocks;
            policy
        },
    )
}

fn any_steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any_step(), 0..60)
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
    sight: Sight,
    tree: u8,
    /// What is approved of the repository.
    table: Vec<Approved>,
    /// Stops that were held since a person spoke, a verdict was posted or no review was open.
    holds_in_a_row: u32,
    longest_row: u32,
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
            sight: Sight::Known,
            tree: 0,
            table: Vec::new(),
            holds_in_a_row: 0,
            longest_row: 0,
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
        self.happens(step);
        if matches!(step, Step::Prompt(_)) || !self.session.review.phase().is_open() {
            self.holds_in_a_row = 0;
        }
    }

    fn happens(&mut self, step: &Step) {
        let name = |agent: u8| format!("a{agent}");
        let main = None;
        match step {
            Step::SessionStart(source) => self.see(main, What::SessionStart { source: *source }),
            Step::Prompt(text) => self.see(main, prompt(text, Sender::User)),
            Step::ClientPrompt => self.see(main, prompt("<task-notification>", Sender::Client)),
            Step::Push(id, agent) => {
                let agent = (*agent > 0).then(|| name(*agent));
                self.see(agent, bash(*id, "git push"));
            }
            Step::PushDone(id, succeeded) => {
                let call = tool("Bash", r#"{"command":"git push"}"#, *id);
                self.see(main, What::PostToolUse { call, succeeded: *succeeded });
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
            Step::Start(agent) => self.start(*agent),
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
                self.post(Claim::Token(token), *ok);
            }
            Step::Guess(ok) => self.post(Claim::Token("0".repeat(32)), *ok),
            Step::Human(ok) => self.post(Claim::Human, *ok),
            Step::ReviewerStop(agent) => {
                let what = What::SubagentStop {
                    agent_id: name(*agent),
                    agent_type: REVIEWER.to_owned(),
                    stop_hook_active: false,
                };
                self.see(main, what);
            }
            Step::Stop(running) => self.stop(running.as_deref()),
            Step::Edit(tree) => self.tree = *tree,
            Step::Write => {
                let what = What::PreToolUse(tool("Write", r#"{"file_path":"/p/a"}"#, 8));
                self.see(main, what);
            }
            Step::Sight(sight) => self.sight = *sight,
            Step::ApprovedElsewhere => {
                let tree = self.known();
                self.table.push(row(&tree));
            }
            Step::Wait(seconds) => self.now += TimeDelta::seconds((*seconds).into()),
        }
    }

    fn start(&mut self, agent: u8) {
        let agent_id = format!("a{agent}");
        self.see(None, What::SubagentStart { agent_id, agent_type: REVIEWER.to_owned() });
        let told = self.outcomes.last().and_then(|outcome| outcome.context.first());
        let token = told.and_then(|notice| notice.fields.iter().find(|(name, _)| *name == "token"));
        if let Some((_, token)) = token {
            self.tokens[usize::from(agent)] = Some(token.clone());
        }
    }

    fn stop(&mut self, running: Option<&[u8]>) {
        let agent = |agent: &u8| Background {
            agent_id: format!("a{agent}"),
            agent_type: REVIEWER.to_owned(),
        };
        let background = running.map(|agents| agents.iter().map(agent).collect());
        self.see(None, What::Stop(Stop { background, ..Stop::default() }));
        if let Some(Verdict::Object(notice)) = self.outcomes.last().map(|outcome| &outcome.verdict)
            && notice.template != "wait-for-reviewer"
        {
            self.holds_in_a_row += 1;
            self.longest_row = self.longest_row.max(self.holds_in_a_row);
        }
    }

    fn known(&self) -> Known {
        let tree = format!("t{}", self.tree);
        let serves = |row: &&Approved| row.tree == tree;
        let serving = self.table.iter().rev().find(serves);
        let approval = serving.map(|row| Serving {
            id: row.id.clone(),
            summary: String::new(),
            is_by_person: row.by == By::Human,
        });
        let compared_with = self.table.last().map(|row| row.id.clone());
        Known { root: "/p".into(), tree, approval, compared_with, ..Known::default() }
    }

    fn is_in_table(&self) -> bool {
        self.known().approval.is_some()
    }

    fn work(&self) -> Work {
        match self.sight {
            Sight::NotAsked => Work::NotAsked,
            Sight::NoRepository => Work::NoRepository,
            Sight::Unknown => Work::Unknown("no time".to_owned()),
            Sight::Known => Work::Known(Box::new(self.known())),
        }
    }

    fn see(&mut self, agent_id: Option<String>, what: What) {
        let id = self.session.session_id.clone();
        let work = self.work();
        let is_write = matches!(&what, What::PreToolUse(call) if call.name == "Write");
        let facts = Facts {
            works: if work == Work::NotAsked { Vec::new() } else { vec![work.clone()] },
            work,
            written: if is_write { vec!["/p/a".into()] } else { Vec::new() },
            ..Facts::default()
        };
        let dice = [self.step; 32];
        let cx =
            Cx { now: self.now, dice: &dice, policy: &self.policy, facts: &facts, session_id: &id };
        let prompt_id = Some(format!("q{}", self.step));
        let event = Event { origin: Origin { agent_id, prompt_id, ..Origin::default() }, what };
        let outcome = decide(GATES, &mut self.session, &event, cx);
        for effect in &outcome.effects {
            if let Effect::Approve(rows) = effect {
                self.table.extend(rows.iter().cloned());
            }
        }
        self.outcomes.push(outcome);
    }

    fn post(&mut self, claim: Claim, approves: bool) {
        let decision = if approves {
            Decision::Complete { summary: "x".into(), second_opinions: None }
        } else {
            Decision::Issues { summary: "x".into(), message_to_agent: "y".into() }
        };
        let work = self.work();
        let known = work.known().cloned();
        let posting = Posting {
            decision,
            claim,
            works: vec![Looked { known, ..Looked::default() }],
            unknown: (self.sight == Sight::Unknown).then(|| "no time".to_owned()),
            excuses: Vec::new(),
        };
        let answer = post(&mut self.session, &posting, &self.policy, self.now);
        self.posts.push(answer.is_ok());
        let Ok(taken) = answer else { return };
        if taken.standing == Standing::Stands {
            self.holds_in_a_row = 0;
        }
        self.table.retain(|row| !taken.withdrawn.contains(&row.id));
        self.table.extend(taken.approvals);
    }
}

/// An approval by a reviewer of another session.
fn row(known: &Known) -> Approved {
    Approved {
        id: format!("elsewhere-{}", known.tree),
        at: DateTime::UNIX_EPOCH,
        tree: known.tree.clone(),
        base: String::new(),
        fork: String::new(),
        head: None,
        branch: None,
        works: Vec::new(),
        by: By::Reviewer("elsewhere".into()),
        session: "s2".into(),
        summary: String::new(),
        key: None,
        seen: Vec::new(),
        unseen: Vec::new(),
    }
}

fn prompt(text: &str, sender: Sender) -> What<'static> {
    What::Prompt { text: text.to_owned(), sender }
}

fn tool(name: &str, json: &'static str, id: u8) -> ToolCall<'static> {
    let input = serde_json::from_str(json).unwrap();
    let mut call = crate::clients::testing::call(name, input, json, Some(format!("t{id}")));
    call.read(&Policy::default().commands.options());
    call
}

fn bash(id: u8, command: &str) -> What<'static> {
    let input = json!({ "command": command });
    let mut call = crate::clients::testing::call("Bash", input, "{}", Some(format!("t{id}")));
    call.read(&Policy::default().commands.options());
    What::PreToolUse(call)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn nobody_is_held_more_than_max_blocks_times_without_a_person_or_a_verdict_between(
        policy in any_policy(), steps in any_steps(),
    ) {
        let play = Play::of(&policy, &steps);
        prop_assert!(play.longest_row <= policy.circuit_breaker.max_blocks);
    }

    #[test]
    fn a_stop_that_is_tried_often_enough_passes(policy in any_policy(), steps in any_steps()) {
        let mut play = Play::of(&policy, &steps);
        let before = play.outcomes.len();
        for _ in 0..10 {
            play.take(&Step::Stop(Some(Vec::new())));
        }
        let held = play.outcomes[before..].iter();
        let held = held.filter(|outcome| outcome.verdict != Verdict::Pass).count();
        prop_assert!(held <= usize::try_from(policy.circuit_breaker.max_blocks).unwrap());
    }

    #[test]
    fn deciding_twice_decides_the_same(policy in any_policy(), steps in any_steps()) {
        let (one, two) = (Play::of(&policy, &steps), Play::of(&policy, &steps));
        prop_assert_eq!(one.session, two.session);
        prop_assert_eq!(one.outcomes, two.outcomes);
    }

    /// A hook may be registered twice.
    #[test]
    fn what_is_told_twice_happens_once(policy in any_policy(), steps in any_steps()) {
        let mut play = Play::new(policy);
        for step in &steps {
            play.take(step);
            let is_once = matches!(
                step,
                Step::SessionStart(_)
                    | Step::Prompt(_)
                    | Step::ClientPrompt
                    | Step::Push(..)
                    | Step::PushDone(..)
                    | Step::Launch(_)
                    | Step::LaunchFails(_)
                    | Step::Start(_)
                    | Step::Permit(..)
                    | Step::Done(..)
            );
            if is_once {
                let review = play.session.review.clone();
                play.happens(step);
                prop_assert_eq!(&play.session.review, &review, "{:?}", step);
            }
            if let (Step::Push(..), [.., one, two]) = (step, play.outcomes.as_slice()) {
                let kind = |outcome: &Outcome| std::mem::discriminant(&outcome.verdict);
                prop_assert_eq!(kind(one), kind(two));
            }
        }
    }

    #[test]
    fn a_session_survives_json_and_back(policy in any_policy(), steps in any_steps()) {
        let session = Play::of(&policy, &steps).session;
        let json = serde_json::to_string(&session).unwrap();
        let back: Session = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(&back.review, &session.review);
        prop_assert_eq!(serde_json::to_string(&back).unwrap(), json);
    }

    /// Leave any one of the three out, and without a person or another session the work is never
    /// approved.
    #[test]
    fn nothing_is_approved_without_launch_token_and_permit(
        policy in any_policy(),
        steps in prop::collection::vec(any_step(), 0..80),
        without in 0..3,
    ) {
        let is_by_others = |step: &Step| {
            matches!(step, Step::Prompt("#roz:approve") | Step::Human(_) | Step::ApprovedElsewhere)
        };
        let is_left_out = |step: &Step| match without {
            0 => matches!(step, Step::Launch(_)),
            1 => matches!(step, Step::Start(_)),
            _ => matches!(step, Step::Permit(..)),
        };
        let mut play = Play::new(policy);
        for step in steps.iter().filter(|step| !is_by_others(step) && !is_left_out(step)) {
            play.take(step);
            prop_assert_ne!(play.session.review.phase(), Phase::Approved);
        }
        prop_assert!(!play.posts.contains(&true));
        prop_assert!(play.table.is_empty());
    }

    #[test]
    fn a_session_becomes_approved_by_a_verdict_a_person_or_the_table(
        policy in any_policy(), steps in any_steps(),
    ) {
        let mut play = Play::new(policy);
        for step in &steps {
            let was_approved = play.session.review.phase() == Phase::Approved;
            play.take(step);
            if was_approved || play.session.review.phase() != Phase::Approved {
                continue;
            }
            let may = match step {
                Step::Post(..) => play.posts.last() == Some(&true),
                Step::Human(ok) => *ok,
                Step::Prompt(text) => *text == "#roz:approve",
                Step::Push(..) | Step::Stop(_) => play.sight == Sight::Known && play.is_in_table(),
                _ => false,
            };
            prop_assert!(may, "{step:?}");
        }
    }

    /// The same events do approve when nothing is left out, so the properties above are about the
    /// three and not about a machine that never moves.
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
            Step::Sight(Sight::Known),
            Step::Prompt("#roz:stop"),
            Step::Prompt("#roz go"),
            Step::Launch(99),
            Step::Start(3),
            Step::Permit(3, true),
            Step::Post(3, true),
        ] {
            play.take(&step);
        }
        prop_assert_eq!(play.session.review.phase(), Phase::Approved);
        prop_assert!(play.is_in_table());
    }

    #[test]
    fn a_gated_call_passes_only_when_approved_or_allowed(
        policy in any_policy(), steps in any_steps(),
    ) {
        prop_assume!(policy.review.mode != Mode::Never);
        let is_work = policy.review.gates.approval_scope == Scope::Work;
        let mut play = Play::new(policy);
        let (mut was_approved, mut was_allowed, mut was_unseen) = (false, false, false);
        for step in &steps {
            was_approved |= play.session.review.phase() == Phase::Approved;
            // An approval of what could not be looked at lasts until the next prompt.
            was_unseen |= play.sight != Sight::Known
                && matches!(step, Step::Post(..) | Step::Human(_) | Step::Prompt("#roz:approve"));
            was_allowed |= matches!(step, Step::Prompt("#roz:allow"));
            let may = if is_work && play.sight == Sight::Known {
                play.is_in_table() || was_unseen
            } else {
                was_approved
            };
            play.take(step);
            if let (Step::Push(..), Some(outcome)) = (step, play.outcomes.last()) {
                prop_assert!(may || was_allowed || outcome.verdict != Verdict::Pass);
            }
        }
    }
}
