//! Handles `#roz` and its commands in a person's prompts.

use crate::core::{
    Cx, bounded,
    event::Event,
    outcome::{Effect, Outcome},
    policy::Mode,
    prompt::{Command, command},
    review::{
        authorization,
        decision::Decision,
        phase::Phase,
        reviewer::{Claim, Looked, Posting},
        state::{Opener, Review},
        work::Work,
    },
    trace::Mark,
};

pub(super) fn on_prompt(review: &mut Review, event: &Event, text: &str, cx: Cx) -> Outcome {
    let is_idle = review.phase() == Phase::Idle && !review.breaker.is_tripped;
    if !review.prompted(text, event.origin.prompt_id.as_deref(), cx.now) {
        return Outcome::pass();
    }
    let mode = cx.policy.review.mode;
    let command = command(text);
    let asks_for_review = match (&command, mode) {
        (Some(Command::Review), Mode::Prompt | Mode::Always) => true,
        (None | Some(Command::NearMiss), Mode::Always) => match review.phase() {
            Phase::Idle => true,
            Phase::Approved => !cx.facts.works.iter().all(Work::is_approved),
            Phase::Pending | Phase::Reviewing | Phase::Issues { .. } => false,
        },
        _ => false,
    };
    let heard = |asks_for_review| {
        let prompt = bounded::line(text, 200);
        Outcome::pass().marked(Mark::PromptReceived { prompt, asks_for_review })
    };
    match command {
        Some(Command::Stop) if is_idle => heard(false).telling_user("roz: no review was open."),
        Some(Command::Stop) => {
            review.end();
            heard(false)
                .marked(Mark::ReviewEnded { by: "user" })
                .telling_user("roz: the review is ended. Gated calls still wait for an approval.")
        }
        Some(Command::Approve(note)) => approve(review, &note, cx, heard(false)),
        Some(Command::Allow) => {
            let (told, pattern) = allow_once(review, cx.now);
            heard(false).marked(Mark::CallAllowed { by: "prompt", pattern }).telling_user(told)
        }
        Some(Command::Unknown(word)) => heard(false).telling_user(format!(
            "roz: unknown command `#roz:{}`. There are `#roz:stop`, `#roz:approve` and \
             `#roz:allow`; `#roz` asks for a review.",
            bounded::line(&word, 40)
        )),
        Some(Command::NearMiss) if mode == Mode::Prompt => {
            heard(false).telling_user("roz: to ask for a review, begin the prompt with `#roz`.")
        }
        Some(Command::Review) if mode == Mode::Never => {
            heard(false).telling_user("roz: reviews are switched off (`review.mode = \"never\"`).")
        }
        Some(Command::Review) if review.phase() == Phase::Reviewing => {
            review.asked_again();
            heard(true)
                .saying("roz: review requested. A reviewer is at work already and continues.")
        }
        Some(Command::Review) => {
            review.open(Opener::Person, cx.now);
            heard(true).saying("roz: review requested")
        }
        Some(Command::NearMiss) | None => {
            if asks_for_review {
                review.open(Opener::Always, cx.now);
                review.began_with(&cx.facts.works);
            }
            heard(asks_for_review)
        }
    }
}

fn approve(review: &mut Review, note: &str, cx: Cx, outcome: Outcome) -> Outcome {
    let summary = if note.is_empty() { "approved at a prompt" } else { note };
    let summary = bounded::chars(summary, 300);
    let works = cx.facts.works.iter().filter_map(Work::known);
    let posting = Posting {
        decision: Decision::Complete { summary, second_opinions: None },
        claim: Claim::Prompt,
        works: works
            .map(|known| Looked { known: Some(known.clone()), ..Looked::default() })
            .collect(),
        unknown: cx.facts.works.iter().find_map(Work::why_unknown).map(str::to_owned),
        excuses: Vec::new(),
    };
    let posted = authorization::post(review, &posting, cx.session_id.as_str(), cx.policy, cx.now);
    // Only reviewers can be refused.
    let Ok(taken) = posted else { return outcome };
    let told = match &posting.unknown {
        Some(why) => format!(
            "roz: approved by you. The work could not be looked at, so gated calls still ask: {}",
            bounded::chars(why, 300)
        ),
        None => "roz: approved by you, as the work is now.".to_owned(),
    };
    outcome.marked(posting.mark(&taken)).doing(Effect::Approve(taken.approvals)).telling_user(told)
}

/// Returns the message for the person and the pattern.
pub(in crate::core) fn allow_once(
    review: &mut Review,
    now: chrono::DateTime<chrono::Utc>,
) -> (String, Option<String>) {
    let pattern = review.allow_once(now).map(str::to_owned);
    let next = match &pattern {
        Some(pattern) => format!("call that `{pattern}` gates"),
        None => "gated call".to_owned(),
    };
    (format!("roz: the next {next} goes through, once, within 15 minutes."), pattern)
}

#[cfg(test)]
mod tests;
