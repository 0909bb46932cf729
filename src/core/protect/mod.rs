//! Self-protection: an agent's tools do not play the client's part, the
//! reviewer's or the user's.
//!
//! A rule is a row of [`RULES`]; the first that objects ends the round.

use crate::core::{
    Cx, bounded,
    event::{Event, ToolCall, What},
    outcome::{Notice, Outcome},
    review::{self, REVIEWER},
    session::Session,
    trace::Mark,
};

/// One thing that an agent may not do.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub name: &'static str,
    /// What it is and what to do instead, for the agent.
    pub words: &'static str,
    objects: fn(&Session, &Event, &ToolCall) -> bool,
}

pub const RULES: &[Rule] = &[
    Rule {
        name: "decide",
        words: "Only a reviewer that roz has given a token may run `roz decide`; a person runs it \
                at a terminal of their own with `--human`.",
        objects: decides_without_a_token,
    },
    Rule { name: "hook", words: "`roz hook` is the client's to call.", objects: plays_the_client },
    Rule {
        name: "message-to-reviewer",
        words: "A reviewer is independent: nobody talks to it. Spawn a new one with the Agent \
                tool, subagent_type \"roz:roz\".",
        objects: talks_to_a_reviewer,
    },
    Rule {
        name: "workflow-reviewer",
        words: "A workflow may not start the reviewer: it would be briefed by the agent under \
                review. Use the Agent tool, subagent_type \"roz:roz\".",
        objects: starts_a_reviewer_by_workflow,
    },
    Rule {
        name: "scheduled-command",
        words: "`#roz` is the user's word; a scheduled prompt may not begin with it.",
        objects: schedules_a_command,
    },
];

pub fn decide(session: &mut Session, event: &Event, cx: Cx) -> Outcome {
    let What::PreToolUse(call) = &event.what else {
        return Outcome::pass();
    };
    if !cx.policy.protect.enabled {
        return Outcome::pass();
    }
    let Some(rule) = RULES.iter().find(|it| (it.objects)(session, event, call)) else {
        return Outcome::pass();
    };
    let subject =
        call.text("command").map_or_else(|| call.name.clone(), |it| bounded::line(it, 200));
    Outcome::object(Notice::new("protected").with("rule", rule.name).with("words", rule.words))
        .marked(Mark::Protected { rule: rule.name, answer: "deny", subject })
}

fn decides_without_a_token(session: &Session, event: &Event, call: &ToolCall) -> bool {
    let is_reviewer =
        event.origin.agent_id.as_deref().is_some_and(|it| session.review.has_token(it));
    !is_reviewer && runs_verb(call, "decide")
}

fn plays_the_client(_: &Session, _: &Event, call: &ToolCall) -> bool {
    runs_verb(call, "hook")
}

fn runs_verb(call: &ToolCall, verb: &str) -> bool {
    if call.may_run_anything && call.json.contains("roz") {
        return true;
    }
    let mut runs = call.readings.iter().flat_map(|it| &it.runs);
    runs.any(|run| run.program == "roz" && run.argv.iter().skip(1).any(|word| word == verb))
}

fn talks_to_a_reviewer(session: &Session, _: &Event, call: &ToolCall) -> bool {
    const ADDRESSES: &[&str] = &["to", "recipient", "agent_id", "agentId", "target", "name"];
    call.name == "SendMessage"
        && ADDRESSES.iter().filter_map(|field| call.text(field)).any(|address| {
            session.review.is_reviewer(address.trim())
                || address.trim().eq_ignore_ascii_case(REVIEWER)
        })
}

fn starts_a_reviewer_by_workflow(_: &Session, _: &Event, call: &ToolCall) -> bool {
    call.name == "Workflow" && call.json.contains(REVIEWER)
}

fn schedules_a_command(_: &Session, _: &Event, call: &ToolCall) -> bool {
    call.schedules().is_some_and(|it| review::command(&it.prompt).is_some())
}
