//! Who may decide: a launch, a token and a permit, or a person at a terminal.
//!
//! - The **launch**: PreToolUse of the tool call that starts a reviewer.
//! - The **token**: made at the SubagentStart that answers an open launch,
//!   told to that subagent alone, kept as its SHA-256.
//! - The **permit**: PreToolUse of that reviewer's own Bash call that runs
//!   `roz decide`, for the verdict that stands in it; and only if the client's
//!   own notes do not say that somebody else's launch started it. (A workflow
//!   starts reviewers too, with words and a model of the agent's choice, and
//!   without a call that we could rewrite.)
//!
//! A token that somebody else has read decides nothing: there is no permit.

use std::{collections::BTreeMap, path::PathBuf};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::core::{
    Cx, bounded,
    event::ToolCall,
    facts::{LaunchedBy, Parent, Shown},
    outcome::{Notice, Outcome, Updated},
    policy::{self, Policy},
    review::{
        REVIEWER,
        approval::Approved,
        coverage::{self, Looked},
        decision::{By, Decision, Posted},
        phase::Phase,
        seen::{Excuse, Seen},
        state::{GateTrigger, Opener, Review},
        words,
        work::Work,
    },
    trace::Mark,
};

/// How long a launch waits for its SubagentStart.
const LAUNCH_SECONDS: u64 = 60;
const MAX_LAUNCHES: usize = 16;
/// What two clocks may differ by.
const CLOCK_SECONDS: i64 = 5;
/// What is left of a long text in the launching call, in bytes. Its prompt is
/// ours, and a description is a few words.
const MAX_FIELD: usize = 4000;
/// What is kept of the launching call. Other fields could change who reviews
/// what: a fresh worktree hides uncommitted work, another model is another
/// reviewer, an older conversation is a coached one.
const KEPT: &[&str] = &["description", "run_in_background"];

/// A call of the Agent tool that starts a reviewer with our brief.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Launch {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_use_id: Option<String>,
    pub at: DateTime<Utc>,
    /// A subagent has started since, and no other may answer it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    answered: bool,
    /// What started got no token: nobody decides with this launch.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    spent: bool,
    /// The reviewer that decided with it: one launch makes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    claimed_by: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reviewer {
    pub started_at: DateTime<Utc>,
    pub token_sha256: String,
    /// The session that it was told.
    pub session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last_word: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    permits: Vec<Permit>,
    /// How often its end was held because it had not decided.
    #[serde(default)]
    pub(super) blocks: u32,
    #[serde(default)]
    proof: Value,
    /// It ended without a decision; its token is good until another reviewer starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_ended: bool,
    /// What of the work it was shown.
    #[serde(default)]
    pub(super) seen: Seen,
    /// Files in which the client keeps outputs that were too long to show, and how many lines of
    /// each were read from its beginning on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) kept_outputs: BTreeMap<String, u64>,
    /// It looked at what the gated call names (of an empty work there is nothing else to see).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) looked_at_call: bool,
    /// The trees of the work when it started, by work tree.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub began_with: BTreeMap<PathBuf, String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Permit {
    verdict: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    tool_use_id: Option<String>,
}

/// A decision that somebody wants to post.
#[derive(Debug, Clone, PartialEq)]
pub struct Posting {
    pub decision: Decision,
    pub claim: Claim,
    /// The work as it is now, a work tree each, with what has to be seen of it.
    pub works: Vec<Looked>,
    /// Why some of it could not be looked at.
    pub unknown: Option<String>,
    /// What the reviewer asks to be let off.
    pub excuses: Vec<Excuse>,
    /// Files of the work that changed while the reviewer was at work.
    pub changed_meanwhile: Vec<String>,
}

/// What came of a decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    pub by: By,
    pub standing: Standing,
    /// Rows for the tables of approvals; each names its work tree first.
    pub approvals: Vec<Approved>,
    /// Approvals that do not hold any more, by id.
    pub withdrawn: Vec<String>,
    /// Files whose changes the reviewer was shown.
    pub seen: Vec<String>,
    /// Files that were approved without a look, with the reasons.
    pub unseen: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Claim {
    Token(String),
    /// `roz decide` saw a person: a terminal, and no agent's environment.
    Human,
}

impl Claim {
    pub fn token(&self) -> Option<&str> {
        match self {
            Claim::Token(token) => Some(token),
            Claim::Human => None,
        }
    }
}

/// What became of a posted decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Stands,
    /// It is recorded, and changes nothing, because …
    Recorded(&'static str),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the token is not that of a reviewer under way in this session")]
    UnknownToken,
    #[error(
        "this call has no permit: the reviewer itself must run `roz decide`, plainly, as a Bash call of its own"
    )]
    NoPermit,
    #[error("the decision is older than the reviewer. Check the clock")]
    Clock,
    #[error("the work cannot be looked at: {0}")]
    Unknown(String),
    #[error("{0}")]
    Unseen(String),
    #[error(
        "look at what the call is about first: nothing has changed here, and `{call}` names what \
         does. Run a command that shows it, e.g. `{example}`"
    )]
    CallUnseen { call: String, example: String },
}

impl Launch {
    fn is_open(&self, now: DateTime<Utc>) -> bool {
        !self.answered && self.at <= now && now <= policy::later(self.at, LAUNCH_SECONDS)
    }
}

impl Reviewer {
    pub fn is_undecided(&self) -> bool {
        self.last_word.is_none()
    }

    /// Whether its decision is waited for.
    pub fn is_at_work(&self) -> bool {
        self.is_undecided() && !self.has_ended
    }

    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    pub(super) fn ended(&mut self) {
        self.has_ended = true;
    }
}

/// A call that starts the reviewer: it gets our brief instead of what the
/// agent would have told it.
pub(super) fn launch(review: &mut Review, call: &ToolCall, cx: Cx) -> Outcome {
    let known =
        |launch: &Launch| launch.tool_use_id.is_some() && launch.tool_use_id == call.tool_use_id;
    let is_told_again = review.launches.iter().any(known);
    if !is_told_again {
        review.lose_late_reviewers(cx.policy.review.reviewer_timeout_seconds, cx.now);
        match review.phase() {
            Phase::Reviewing if !cx.policy.review.parallel => {
                return Outcome::object(Notice::new("reviewing"));
            }
            Phase::Approved if cx.facts.work.is_approved() => {
                return Outcome::object(Notice::new("approved-already"));
            }
            _ => (),
        }
    }
    let words = call.text("prompt").unwrap_or_default();
    let fields = call.input.as_object().into_iter().flatten();
    let kept = fields.filter(|(name, _)| KEPT.contains(&name.as_str()));
    let mut input: Value = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
    if let Some(fields) = input.as_object_mut() {
        fields.insert("subagent_type".into(), REVIEWER.into());
    }
    bounded::shorten(&mut input, MAX_FIELD);
    // The words must not be able to end their own quotation.
    let quoted: String =
        bounded::plain(&bounded::chars(words, 4000).replace(['\r', '\u{2028}', '\u{2029}'], "\n"))
            .lines()
            .flat_map(|line| ["> ", line, "\n"])
            .collect();
    let prompt =
        Notice::new("brief").with("words", quoted).with("folders", words::folders(&cx.facts.roots));
    let updated_input = (!is_plain(call, cx)).then_some(Updated { input, prompt });
    let outcome = Outcome { updated_input, ..Outcome::default() };
    if is_told_again {
        return outcome;
    }
    review.launches.push(Launch {
        tool_use_id: call.tool_use_id.clone(),
        at: cx.now,
        answered: false,
        spent: false,
        claimed_by: None,
    });
    let surplus = review.launches.len().saturating_sub(MAX_LAUNCHES);
    review.launches.drain(..surplus);
    outcome.marked(Mark::ReviewerLaunched { tool_use_id: call.tool_use_id.clone() })
}

/// Whether a launch says nothing but which session to review: it can stay as it is. A client in auto
/// mode does not run a call whose input a hook changes (measured on 2.1.330). What the brief says is
/// in the reviewer's own instructions and context as well.
fn is_plain(call: &ToolCall, cx: Cx) -> bool {
    let plain = format!("Review session {}.", cx.session_id);
    let is_kept = |name: &String| {
        KEPT.contains(&name.as_str()) || name == "prompt" || name == "subagent_type"
    };
    call.text("prompt").is_some_and(|prompt| prompt.trim() == plain)
        && call.text("subagent_type") == Some(REVIEWER)
        && call.text("description").is_none_or(|text| text.len() <= MAX_FIELD)
        && call.input.as_object().is_some_and(|fields| fields.keys().all(is_kept))
}

/// Whether a launch waits for its SubagentStart.
pub(super) fn awaits_start(review: &Review, now: DateTime<Utc>) -> bool {
    review.launches.iter().any(|it| it.is_open(now))
}

/// The call that would have started a reviewer failed.
pub(super) fn launch_failed(review: &mut Review, call: &ToolCall) {
    review.launches.retain(|it| it.tool_use_id.is_none() || it.tool_use_id != call.tool_use_id);
}

/// A subagent with the reviewer's name starts.
pub(super) fn start(review: &mut Review, agent: &str, cx: Cx) -> Outcome {
    if agent.is_empty() || review.reviewers.contains_key(agent) {
        return Outcome::pass();
    }
    // A start is never older than the launch that it answers.
    let launch = review.launches.iter().position(|it| it.is_open(cx.now));
    let resumed = "this subagent was not started by a fresh call of the Agent tool";
    let Some(launch) = launch.filter(|_| !review.is_former(agent)) else {
        return no_token(review, agent, resumed);
    };
    if let Some(path) = &cx.facts.shadow {
        let reason = "an agent file of the project or the user bears the reviewer's name";
        let path = path.display();
        return no_token(review, agent, reason).telling_user(format!(
            "roz: `{path}` bears the reviewer's name `{REVIEWER}`, so the reviewer may not be \
             ours: it gets no token. Rename or remove that agent."
        ));
    }
    let parent = match &cx.facts.parent {
        Parent::Client => json!("client"),
        Parent::Unnamed(name) => json!({ "unnamed": name }),
        Parent::Unknown => json!("unknown"),
        Parent::Stranger(name) => {
            let reason = format!("the hook was started by `{name}`, not by the client");
            return no_token(review, agent, &reason);
        }
    };
    // A review that the agent asks for ahead of time.
    if !review.phase().is_open() {
        if let Some(reason) = why_no_review(review, cx) {
            review.launches[launch].answered = true;
            review.launches[launch].spent = true;
            return no_token(review, agent, reason);
        }
        review.open(Opener::Launch, cx.facts.head.as_deref(), cx.now);
    }
    review.is_about(&cx.facts.roots);
    let launch = &mut review.launches[launch];
    launch.answered = true;
    let token = bounded::hex(&cx.dice.look()[16..]);
    let proof = json!({
        "launched_at": launch.at,
        "tool_use_id": launch.tool_use_id,
        "parent": parent,
        "agent_files": "none bears the reviewer's name",
    });
    let trees = cx.facts.works.iter().filter_map(Work::known);
    let reviewer = Reviewer {
        started_at: cx.now,
        token_sha256: bounded::sha256(token.as_bytes()),
        session_id: cx.session_id.to_string(),
        last_word: None,
        permits: Vec::new(),
        blocks: 0,
        proof: proof.clone(),
        has_ended: false,
        seen: Seen::default(),
        kept_outputs: BTreeMap::new(),
        looked_at_call: false,
        began_with: trees.map(|known| (known.root.clone(), known.tree.clone())).collect(),
    };
    review.started(agent, reviewer);
    let notice = Notice::new("reviewer")
        .with("token", token)
        .with("folders", words::folders(review.works()))
        .with("findings", told_findings(review))
        .with("second_opinions", super::second_opinions(review));
    Outcome::pass()
        .telling_agent(notice)
        .marked(Mark::ReviewerStarted { agent_id: agent.to_owned(), proof })
}

/// Why a reviewer that starts ahead of time opens no review.
fn why_no_review(review: &Review, cx: Cx) -> Option<&'static str> {
    if cx.policy.review.mode == policy::Mode::Never {
        return Some("reviews are switched off (`review.mode`)");
    }
    let works = &cx.facts.works;
    let is_same = !works.is_empty() && works.iter().all(Work::is_approved);
    (review.phase() == Phase::Approved && is_same).then_some("the work is approved already")
}

fn told_findings(review: &Review) -> String {
    match super::earlier_findings(review) {
        none if none.is_empty() => "none so far".to_owned(),
        findings => findings,
    }
}

/// It may look. It never gets a token, and nobody may talk to it: a later
/// launch is not for one that was briefed for something else.
fn no_token(review: &mut Review, agent: &str, reason: &str) -> Outcome {
    review.turned_away(agent);
    Outcome::pass()
        .telling_agent(Notice::new("no-token").with("reason", reason))
        .marked(Mark::TokenRefused { agent_id: Some(agent.to_owned()), reason: reason.to_owned() })
}

/// What a reviewer's Bash call says to `roz decide` or `roz context`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) session: String,
    /// `COMPLETE` or `ISSUES`; `None` for `roz context`.
    pub(crate) verdict: Option<&'static str>,
}

/// The calls of `roz decide` and `roz context` in a call's command lines.
pub(crate) fn said(call: &ToolCall) -> Vec<Said> {
    let runs = call.readings.iter().flat_map(|it| &it.runs).filter(|it| it.program == "roz");
    runs.filter_map(|run| {
        let mut words = positionals(run.argv.get(1..)?).into_iter();
        match words.next()?.as_str() {
            "decide" => {
                let session = words.next()?;
                let verdict = words.next()?.to_uppercase();
                let verdict = ["COMPLETE", "ISSUES"].into_iter().find(|it| *it == verdict)?;
                Some(Said { session, verdict: Some(verdict) })
            }
            // Without a session it shows the newest one of the project.
            "context" => Some(Said { session: words.next()?, verdict: None }),
            _ => None,
        }
    })
    .collect()
}

/// Whether a call runs `roz decide`.
pub(crate) fn decides(call: &ToolCall) -> bool {
    said(call).iter().any(|it| it.verdict.is_some())
}

/// Whether a call runs `roz decide` or `roz context`, and nothing else.
pub(super) fn says_only(call: &ToolCall) -> bool {
    let mut runs = call.readings.iter().flat_map(|it| &it.runs).peekable();
    let is_readable = call.readings.iter().all(|it| it.unreadable.is_none());
    is_readable
        && runs.peek().is_some()
        && runs.all(|run| {
            let verb = run.argv.get(1).map(String::as_str);
            run.program == "roz" && matches!(verb, Some("decide" | "context"))
        })
}

/// The words of a command line that are neither options nor their values.
fn positionals(argv: &[String]) -> Vec<String> {
    const VALUED: &[&str] =
        &["-m", "--message", "-o", "--opinions", "-t", "--token", "--unseen", "--page", "--color"];
    let mut words = Vec::new();
    let mut rest = argv.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            words.extend(rest.by_ref().cloned());
        } else if VALUED.contains(&word.as_str()) {
            rest.next();
        } else if !(word.len() > 1 && word.starts_with('-')) {
            words.push(word.clone());
        }
    }
    words
}

/// Whether `agent` was started by a launch that we rewrote. A launch makes one
/// reviewer: the first that claims it.
fn claims_launch(review: &mut Review, agent: &str, launched_by: &LaunchedBy) -> bool {
    match launched_by {
        LaunchedBy::NotAsked | LaunchedBy::Unknown => true,
        LaunchedBy::Other(_) => false,
        LaunchedBy::Call(id) => {
            let mut launches = review.launches.iter_mut();
            let launch = launches.find(|it| it.tool_use_id.as_ref() == Some(id));
            launch
                .filter(|it| !it.spent)
                .is_some_and(|it| it.claimed_by.get_or_insert_with(|| agent.to_owned()) == agent)
        }
    }
}

/// A reviewer's own Bash call: it gets a permit for each verdict in it.
pub(super) fn permit(review: &mut Review, agent: &str, call: &ToolCall, cx: Cx) -> Outcome {
    let mut outcome = Outcome::pass();
    for said in said(call) {
        let own = cx.session_id.as_str();
        let names_own = !said.session.is_empty()
            && (own.starts_with(&said.session) || said.session.contains(crate::shell::HOLE));
        if !names_own {
            review.attempts.named_bad_session();
            let named = bounded::line(&said.session, 128);
            let notice = Notice::new("bad-session").with("named", named.clone());
            return Outcome::object(notice)
                .marked(Mark::BadSessionId { agent_id: agent.to_owned(), named });
        }
        let Some(verdict) = said.verdict else { continue };
        if !claims_launch(review, agent, &cx.facts.launched_by) {
            let reason = "this reviewer was started by something else than a call of the Agent \
                          tool that roz has seen, so it may not decide";
            let notice = Notice::new("no-permit").with("reason", reason);
            return Outcome::object(notice).marked(Mark::TokenRefused {
                agent_id: Some(agent.to_owned()),
                reason: reason.to_owned(),
            });
        }
        let Some(reviewer) = review.reviewers.get_mut(agent) else { continue };
        let permit = Permit { verdict: verdict.to_owned(), tool_use_id: call.tool_use_id.clone() };
        if !reviewer.permits.contains(&permit) && reviewer.permits.len() < MAX_LAUNCHES {
            reviewer.permits.push(permit);
            outcome = outcome.marked(Mark::PermitGiven {
                agent_id: agent.to_owned(),
                verdict,
                tool_use_id: call.tool_use_id.clone(),
            });
        }
    }
    outcome
}

/// The call that had a permit has ended.
pub(super) fn revoke(review: &mut Review, agent: &str, call: &ToolCall) {
    if let Some(reviewer) = review.reviewers.get_mut(agent) {
        reviewer.permits.retain(|it| it.tool_use_id != call.tool_use_id);
    }
}

/// A reviewer was shown something: the answer to a call of its own.
pub(super) fn was_shown(review: &mut Review, agent: &str, shown: &Shown, succeeded: bool) {
    let trigger = review.trigger().cloned();
    let Some(reviewer) = review.reviewers.get_mut(agent) else { return };
    for text in &shown.diffs {
        reviewer.seen.diff(text);
    }
    for read in &shown.reads {
        match reviewer.kept_outputs.get_mut(&read.path) {
            // The next page of an output that was too long to show: a diff up to there.
            Some(shown) if read.start <= *shown + 1 => {
                *shown = (*shown).max(read.start + read.count - 1);
                reviewer.seen.diff(&read.text);
            }
            Some(_) => (),
            None => reviewer.seen.lines(&read.blob, read.start, read.count),
        }
    }
    for output in &shown.outputs {
        reviewer.seen.output(&output.blob, &output.content, &output.text);
    }
    if let Some(path) = &shown.kept_output
        && reviewer.kept_outputs.len() < MAX_LAUNCHES
    {
        reviewer.kept_outputs.insert(path.clone(), 0);
    }
    if succeeded && trigger.is_some_and(|trigger| is_about(&trigger, &shown.words)) {
        reviewer.looked_at_call = true;
    }
}

/// Whether a command is about what a gated call names: it has the program in common with it
/// (`gh pr diff 7` with `gh pr merge 7`), or an operand.
fn is_about(trigger: &GateTrigger, commands: &[Vec<String>]) -> bool {
    let key = trigger.key.as_deref().unwrap_or_default();
    let mut wanted: Vec<&str> = match key.strip_prefix("Bash:") {
        Some(line) => line.split_whitespace().filter(|word| !word.starts_with('-')).collect(),
        None => Vec::new(),
    };
    if let Some(fields) = trigger.tool_input.value.as_object().filter(|_| wanted.is_empty()) {
        wanted.extend(fields.values().filter_map(Value::as_str));
    }
    let is_wanted = |word: &String| wanted.contains(&word.as_str());
    commands.iter().any(|words| {
        words.first().is_some_and(|program| program != "roz") && words.iter().any(is_wanted)
    })
}

/// Takes a decision, if whoever posts it may.
///
/// # Errors
///
/// Says what is missing; nothing is changed then.
pub fn post(
    review: &mut Review,
    posting: &Posting,
    session_id: &str,
    policy: &Policy,
    now: DateTime<Utc>,
) -> Result<Taken, Refusal> {
    let verdict = posting.decision.verdict();
    let is_approval = matches!(posting.decision, Decision::Complete { .. });
    let mut report = coverage::Report::default();
    let (by, proof, standing) = match &posting.claim {
        Claim::Human => {
            (By::Human, json!("a terminal, and no agent's environment"), Standing::Stands)
        }
        Claim::Token(token) => {
            let digest = bounded::sha256(token.trim().as_bytes());
            let found = review.reviewers.iter().find(|(_, it)| it.token_sha256 == digest);
            let (agent, reviewer) = found.ok_or(Refusal::UnknownToken)?;
            if now + TimeDelta::seconds(CLOCK_SECONDS) < reviewer.started_at {
                return Err(Refusal::Clock);
            }
            let permit = reviewer.permits.iter().find(|it| it.verdict == verdict);
            let permit = permit.ok_or(Refusal::NoPermit)?;
            let proof = json!({
                "started": reviewer.proof,
                "token_sha256": digest,
                "permit": permit.tool_use_id,
            });
            if is_approval {
                report = coverage::check(reviewer, posting, review.trigger(), &policy.review)?;
            }
            let agent = agent.clone();
            let standing = standing(review, &agent, reviewer.started_at, &posting.decision);
            let used = permit.tool_use_id.clone();
            if let Some(reviewer) = review.reviewers.get_mut(&agent) {
                reviewer.last_word = Some(verdict.to_owned());
                // One call, one decision.
                reviewer.permits.retain(|it| it.tool_use_id != used);
            }
            (By::Reviewer(agent), proof, standing)
        }
    };
    let stands = standing == Standing::Stands;
    let trees = posting.works.iter().filter_map(|work| work.known.as_ref());
    let posted = Posted {
        decision: posting.decision.clone(),
        posted_at: now,
        by: by.clone(),
        cycle: review.cycle(),
        proof,
        tree: trees.clone().next().map(|known| known.tree.clone()),
    };
    let mut taken = Taken {
        by: by.clone(),
        standing,
        approvals: Vec::new(),
        withdrawn: Vec::new(),
        seen: report.seen,
        unseen: report.unseen,
    };
    if stands && is_approval {
        let key = review.trigger().and_then(|trigger| trigger.key.as_deref());
        let approval = coverage::Approval {
            by,
            session: session_id,
            summary: posting.decision.summary(),
            key,
            seen: &taken.seen,
            unseen: &taken.unseen,
            now,
        };
        taken.approvals = coverage::rows(&approval, &trees.collect::<Vec<_>>());
    } else if stands {
        taken.withdrawn = review.withdrawable(&taken.by).to_vec();
    }
    let rows = taken.approvals.iter().map(|row| row.id.clone()).collect();
    review.post(posted, rows, stands);
    Ok(taken)
}

/// Whether a reviewer's decision is the one that holds from now on.
fn standing(
    review: &Review,
    agent: &str,
    started_at: DateTime<Utc>,
    decision: &Decision,
) -> Standing {
    if let Decision::Issues { .. } = decision {
        if review.is_approved_by_person() {
            return Standing::Recorded("a person has approved the work");
        }
        return Standing::Stands;
    }
    match review.phase() {
        Phase::Approved => return Standing::Recorded("the work is approved already"),
        Phase::Idle if !review.is_tripped() && !review.is_ahead_of_time() => {
            return Standing::Recorded("no review is open");
        }
        Phase::Idle | Phase::Pending | Phase::Reviewing | Phase::Issues { .. } => (),
    }
    // What another one found while this one looked is not undone by this one.
    let mut heard: Vec<&By> = Vec::new();
    for posted in review.decisions_of_cycle().rev() {
        if posted.by == By::Reviewer(agent.to_owned()) || heard.contains(&&posted.by) {
            continue;
        }
        heard.push(&posted.by);
        if started_at <= posted.posted_at && matches!(posted.decision, Decision::Issues { .. }) {
            return Standing::Recorded("another reviewer found issues meanwhile, and those stand");
        }
    }
    Standing::Stands
}
