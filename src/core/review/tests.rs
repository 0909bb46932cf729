//! The transition table, row by row, and the rules around it.

mod coverage;
mod documents;
mod opening;
mod people;
mod proof;
mod reviewing;
mod scopes;
mod stops;

use std::path::Path;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};

use super::*;
use crate::core::{
    event::{Background, Origin, Stop},
    facts::{Facts, Shown},
    outcome::{Effect, Verdict},
    policy::{Policy, Scope},
    review::{
        approval::Approved,
        blocked_stops::Outcome as Attempted,
        reviewer::{Claim, Looked, Posting, Refusal, Standing, Taken},
        seen::{Excuse, Required},
        work::{Author, Changed, Known, Serving, Work},
    },
    session::Session,
};

/// A session with a clock that moves one second per event. Unless the test names a tree, nobody
/// looks at the work, and approvals last until the next prompt.
struct Gate {
    session: Session,
    policy: Policy,
    facts: Facts,
    now: DateTime<Utc>,
    dice: u8,
    /// What is approved of the repository.
    table: Vec<Approved>,
    /// What a reviewer has to see.
    required: Vec<Required>,
}

impl Gate {
    fn new() -> Self {
        let now = DateTime::UNIX_EPOCH;
        let mut policy = Policy::default();
        policy.review.gates.tools = vec!["Bash:git push*".into(), "mcp__tissue__close*".into()];
        let facts = Facts::default();
        Self {
            session: Session::new("s1".parse().unwrap(), now),
            policy,
            facts,
            now,
            dice: 0,
            table: Vec::new(),
            required: Vec::new(),
        }
    }

    fn scoped(scope: Scope) -> Self {
        let mut gate = Self::new();
        gate.policy.review.gates.approval_scope = scope;
        gate
    }

    fn always() -> Self {
        let mut gate = Self::new();
        gate.policy.review.mode = Mode::Always;
        gate
    }

    /// In a repository whose present state is `tree`.
    fn with_tree(tree: &str) -> Self {
        let mut gate = Self::new();
        gate.tree(tree);
        gate
    }

    /// From now on the state of the work tree is `tree`.
    fn tree(&mut self, tree: &str) -> &mut Self {
        let known = Known { root: "/p".into(), tree: tree.to_owned(), ..Known::default() };
        self.work(Work::Known(Box::new(known)))
    }

    fn work(&mut self, work: Work) -> &mut Self {
        self.facts.work = work;
        self.look();
        self
    }

    /// Compares the work with the table.
    fn look(&mut self) {
        if let Work::Known(known) = &mut self.facts.work {
            let serves = |row: &&Approved| row.tree == known.tree;
            let serving = self.table.iter().rev().find(serves);
            known.approval = serving.map(|row| Serving {
                id: row.id.clone(),
                summary: row.summary.clone(),
                is_by_person: row.by == decision::By::Human,
            });
            known.compared_with = self.table.last().map(|row| row.id.clone());
            known.changed = vec![Changed { path: "a.rs".into(), by: Author::Session }];
        }
        self.facts.works = match &self.facts.work {
            Work::NotAsked => Vec::new(),
            work => vec![work.clone()],
        };
    }

    /// Another session of the repository has `tree` approved.
    fn approved_elsewhere(&mut self, tree: &str) -> &mut Self {
        self.table.push(Approved {
            id: format!("elsewhere-{tree}"),
            at: self.now,
            tree: tree.to_owned(),
            base: String::new(),
            fork: String::new(),
            head: None,
            branch: None,
            works: Vec::new(),
            by: decision::By::Reviewer("elsewhere".into()),
            session: "s2".to_owned(),
            summary: "fine there".to_owned(),
            key: None,
            seen: Vec::new(),
            unseen: Vec::new(),
        });
        self.look();
        self
    }

    fn later(&mut self, seconds: i64) -> &mut Self {
        self.now += TimeDelta::seconds(seconds);
        self
    }

    fn sees_of(&mut self, origin: Origin, what: What) -> Outcome {
        self.now += TimeDelta::seconds(1);
        self.dice = self.dice.wrapping_add(1);
        self.look();
        let id = self.session.session_id.clone();
        let dice = [self.dice; 32];
        let cx = Cx {
            now: self.now,
            dice: &dice,
            policy: &self.policy,
            facts: &self.facts,
            session_id: &id,
        };
        let outcome =
            crate::core::decide(crate::core::GATES, &mut self.session, &Event { origin, what }, cx);
        for effect in &outcome.effects {
            if let Effect::Approve(rows) = effect {
                self.table.extend(rows.iter().cloned());
            }
        }
        outcome
    }

    fn sees_from(&mut self, agent: Option<&str>, what: What) -> Outcome {
        self.sees_of(Origin { agent_id: agent.map(str::to_owned), ..Origin::default() }, what)
    }

    fn sees(&mut self, what: What) -> Outcome {
        self.sees_from(None, what)
    }

    #[track_caller]
    fn objects_to(&mut self, what: What) -> &mut Self {
        self.notice_of(what);
        self
    }

    /// What the agent is told as an objection.
    #[track_caller]
    fn notice_of(&mut self, what: What) -> Notice {
        let told = format!("{what:?}");
        let outcome = self.sees(what);
        let Verdict::Object(notice) = outcome.verdict else { panic!("{told}: {outcome:?}") };
        notice
    }

    #[track_caller]
    fn objects_with(&mut self, what: What, template: &str) -> &mut Self {
        assert_eq!(self.notice_of(what).template, template);
        self
    }

    #[track_caller]
    fn asks_about(&mut self, what: What) -> &mut Self {
        let told = format!("{what:?}");
        let outcome = self.sees(what);
        assert!(matches!(outcome.verdict, Verdict::Ask(_)), "{told}: {outcome:?}");
        self
    }

    #[track_caller]
    fn passes(&mut self, what: What) -> &mut Self {
        let told = format!("{what:?}");
        let outcome = self.sees(what);
        assert_eq!(outcome.verdict, Verdict::Pass, "{told}");
        self
    }

    #[track_caller]
    fn passes_with_a_word(&mut self, what: What, word: &str) -> &mut Self {
        let told = format!("{what:?}");
        let outcome = self.sees(what);
        assert_eq!(outcome.verdict, Verdict::Pass, "{told}");
        let said = outcome.messages.join("\n");
        assert!(said.contains(word), "{told} said: {said}");
        self
    }

    #[track_caller]
    fn passes_silently(&mut self, what: What) -> &mut Self {
        let told = format!("{what:?}");
        let outcome = self.sees(what);
        assert_eq!((outcome.verdict, outcome.messages), (Verdict::Pass, Vec::new()), "{told}");
        self
    }

    #[track_caller]
    fn is(&mut self, phase: &str) -> &mut Self {
        assert_eq!(self.session.review.phase().word(), phase);
        self
    }

    #[track_caller]
    fn counts(&mut self, blocks: u32, rounds: u32) -> &mut Self {
        let review = &self.session.review;
        assert_eq!((review.breaker.block_count, review.rounds), (blocks, rounds), "blocks, rounds");
        self
    }

    fn cycle(&self) -> u64 {
        self.session.review.cycle
    }

    fn launch(&mut self) -> &mut Self {
        let id = format!("launch-{}", self.dice);
        self.launch_as(&id)
    }

    #[track_caller]
    fn launch_as(&mut self, id: &str) -> &mut Self {
        let outcome = self.sees(launch_call(id));
        assert!(outcome.rewrite.is_some(), "{outcome:?}");
        self
    }

    /// A launch and the SubagentStart that answers it: the token.
    #[track_caller]
    fn reviewer(&mut self, agent: &str) -> String {
        self.launch();
        self.starts(agent).expect("a token")
    }

    fn starts(&mut self, agent: &str) -> Option<String> {
        let outcome = self.sees(reviewer_start(agent));
        let notice = outcome.context.iter().find(|notice| notice.template == "reviewer")?;
        notice.fields.iter().find(|(name, _)| *name == "token").map(|(_, token)| token.clone())
    }

    /// The reviewer's own call of `roz decide`: the permit.
    fn permits(&mut self, agent: &str, verdict: &str) -> Outcome {
        let command = format!("roz decide s1 {verdict} 'x' --token T");
        self.sees_from(Some(agent), bash_call("permit", &command))
    }

    fn posting(&self, decision: Decision, claim: Claim) -> Posting {
        let known = self.facts.work.known().cloned();
        let unknown = match &self.facts.work {
            Work::Unknown(why) => Some(why.clone()),
            Work::Known(_) | Work::NotAsked | Work::NoRepository => None,
        };
        Posting {
            decision,
            claim,
            works: vec![Looked { known, required: self.required.clone(), ..Looked::default() }],
            unknown,
            excuses: Vec::new(),
        }
    }

    fn takes(&mut self, posting: &Posting) -> Result<Taken, Refusal> {
        self.now += TimeDelta::seconds(1);
        let taken = crate::core::post(&mut self.session, posting, &self.policy, self.now)?;
        self.table.retain(|row| !taken.withdrawn.contains(&row.id));
        self.table.extend(taken.approvals.iter().cloned());
        self.look();
        Ok(taken)
    }

    fn posts(&mut self, decision: Decision, claim: Claim) -> Result<Standing, Refusal> {
        let posting = self.posting(decision, claim);
        self.takes(&posting).map(|taken| taken.standing)
    }

    /// Launch, token, permit, decision, end.
    #[track_caller]
    fn decided(&mut self, agent: &str, decision: Decision) -> &mut Self {
        let token = self.reviewer(agent);
        self.says(agent, &token, decision);
        self.passes(reviewer_stop(agent))
    }

    #[track_caller]
    fn says(&mut self, agent: &str, token: &str, decision: Decision) -> Standing {
        assert_eq!(self.permits(agent, decision.verdict()).verdict, Verdict::Pass);
        self.posts(decision, Claim::Token(token.into())).expect("it may decide")
    }

    /// The reviewer ends without a decision, as soon as it is let.
    fn leaves(&mut self, agent: &str) -> &mut Self {
        for _ in 0..self.policy.circuit_breaker.max_blocks {
            self.objects_with(reviewer_stop(agent), "reviewer-hold");
        }
        self.passes(reviewer_stop(agent))
    }

    fn attempts(&self) -> Vec<Attempted> {
        self.session.review.attempts.iter().map(|attempt| attempt.outcome.clone()).collect()
    }
}

fn prompt(text: &str) -> What<'static> {
    What::Prompt { text: text.into(), sender: Sender::User }
}

fn from_client(text: &str) -> What<'static> {
    What::Prompt { text: text.into(), sender: Sender::Client }
}

fn call(name: &str, input: Value) -> What<'static> {
    What::PreToolUse(tool(name, input, "t1"))
}

fn tool(name: &str, input: Value, id: &str) -> ToolCall<'static> {
    let json: &'static str = input.to_string().leak();
    let mut call = crate::clients::testing::call(name, input, json, Some(id.into()));
    call.read(&Policy::default().commands.options());
    call
}

fn bash_call(id: &str, command: &str) -> What<'static> {
    What::PreToolUse(tool("Bash", json!({ "command": command }), id))
}

fn launch_call(id: &str) -> What<'static> {
    What::PreToolUse(tool("Agent", json!({ "subagent_type": "roz:roz", "prompt": "" }), id))
}

fn push(id: &str) -> What<'static> {
    bash_call(id, "git push origin main")
}

/// The call of that id ends.
fn done(id: &str, succeeded: bool) -> What<'static> {
    What::PostToolUse { call: tool("Bash", json!({}), id), succeeded }
}

fn reviewer_start(agent: &str) -> What<'static> {
    What::SubagentStart { agent_id: agent.into(), agent_type: REVIEWER.into() }
}

fn reviewer_stop(agent: &str) -> What<'static> {
    What::SubagentStop {
        agent_id: agent.into(),
        agent_type: REVIEWER.into(),
        stop_hook_active: false,
    }
}

fn stop() -> What<'static> {
    What::Stop(Stop { background: Some(Vec::new()), ..Stop::default() })
}

fn stop_beside(agent_id: &str, agent_type: &str) -> What<'static> {
    let agent = Background { agent_id: agent_id.into(), agent_type: agent_type.into() };
    What::Stop(Stop { background: Some(vec![agent]), ..Stop::default() })
}

/// From a client that does not list what runs in the background.
fn old_stop() -> What<'static> {
    What::Stop(Stop::default())
}

fn start(source: Source) -> What<'static> {
    What::SessionStart { source }
}

fn complete() -> Decision {
    Decision::Complete { summary: "fine".into(), second_opinions: None }
}

fn issues() -> Decision {
    Decision::Issues { summary: "no tests".into(), message_to_agent: "write tests".into() }
}

fn field<'a>(notice: &'a Notice, name: &str) -> &'a str {
    let found = notice.fields.iter().find(|(field, _)| *field == name);
    found.map_or("", |(_, value)| value.as_str())
}
