//! What a person says at a prompt: `#roz` and its commands.

use crate::core::{
    Cx, bounded,
    event::Event,
    outcome::{Effect, Outcome, Saying},
    policy::Mode,
    prompt::{Command, command},
    review::{
        coverage,
        decision::{By, Decision, Posted},
        phase::Phase,
        state::{Opener, Review},
        work::Work,
    },
    trace::Mark,
};

pub(super) fn on_prompt(review: &mut Review, event: &Event, text: &str, cx: Cx) -> Outcome {
    let is_idle = review.phase() == Phase::Idle;
    if !review.prompted(text, event.origin.prompt_id.as_deref(), cx.now) {
        return Outcome::pass();
    }
    let mode = cx.policy.review.mode;
    let command = command(text);
    let asks_for_review = match (&command, mode) {
        (Some(Command::Review), Mode::Prompt | Mode::Always) => true,
        (None | Some(Command::NearMiss), Mode::Always) => is_new_work(review, cx),
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
        Some(Command::Allow) => allow(review, cx, heard(false)),
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
            heard(true).saying(
                Saying::Opened,
                "roz: review requested. A reviewer is at work already and goes on.",
            )
        }
        Some(Command::Review) => {
            review.open(Opener::Person, cx.now);
            heard(true).saying(Saying::Opened, "roz: review requested")
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

/// In mode `always`: whether a prompt begins a cycle.
fn is_new_work(review: &Review, cx: Cx) -> bool {
    match review.phase() {
        Phase::Idle => true,
        Phase::Approved => !cx.facts.works.iter().all(Work::is_approved),
        Phase::Pending | Phase::Reviewing | Phase::Issues { .. } => false,
    }
}

fn approve(review: &mut Review, note: &str, cx: Cx, outcome: Outcome) -> Outcome {
    let summary = if note.is_empty() { "approved at a prompt" } else { note };
    let summary = bounded::chars(summary, 300);
    let works: Vec<_> = cx.facts.works.iter().filter_map(Work::known).collect();
    let key = review.trigger().filter(|_| review.phase().is_open());
    let key = key.and_then(|trigger| trigger.key.as_deref());
    let rows = coverage::rows(
        &coverage::Draft {
            by: By::Human,
            session: cx.session_id.as_str(),
            summary: &summary,
            key,
            seen: &[],
            unseen: &[],
            now: cx.now,
        },
        &works,
    );
    let posted = Posted {
        decision: Decision::Complete { summary: summary.clone(), second_opinions: None },
        posted_at: cx.now,
        by: By::Human,
        cycle: review.cycle(),
        proof: "a prompt of the user".into(),
        tree: works.first().map(|known| known.tree.clone()),
    };
    review.decided(posted, rows.iter().map(|row| row.id.clone()).collect());
    review.approved_at_prompt();
    let unknown = cx.facts.works.iter().find_map(|work| match work {
        Work::Unknown(why) => Some(why),
        Work::NotAsked | Work::NoRepository | Work::Known(_) => None,
    });
    let told = match unknown {
        Some(why) => format!(
            "roz: approved by you. The work could not be looked at, so gated calls still ask: {}",
            bounded::chars(why, 300)
        ),
        None => "roz: approved by you, as the work is now.".to_owned(),
    };
    outcome
        .marked(Mark::RozDecision {
            decision: "COMPLETE",
            summary,
            by: By::Human.to_string(),
            tree: works.first().map(|known| known.tree.clone()),
            stands: true,
            seen: Vec::new(),
            unseen: Vec::new(),
            changed_meanwhile: Vec::new(),
        })
        .doing(Effect::Approve(rows))
        .telling_user(told)
}

fn allow(review: &mut Review, cx: Cx, outcome: Outcome) -> Outcome {
    let (told, pattern) = allow_once(review, cx.now);
    outcome.marked(Mark::CallAllowed { by: "prompt", pattern }).telling_user(told)
}

/// Lets one gated call through; what the person is told, and the pattern that it is for.
pub(in crate::core) fn allow_once(
    review: &mut Review,
    now: chrono::DateTime<chrono::Utc>,
) -> (String, Option<String>) {
    let pattern = review.allow_once(now).map(str::to_owned);
    let told = match &pattern {
        Some(pattern) => format!(
            "roz: the next call that `{pattern}` gates goes through, once, within 15 minutes."
        ),
        None => "roz: the next gated call goes through, once, within 15 minutes.".to_owned(),
    };
    (told, pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roz_is_a_word_and_its_commands_are_three() {
        for prompt in ["#roz", " #ROZ fix", "#roz, fix", "#roz; x", "#roz! x", "#roz: x", "#roz:"] {
            assert_eq!(command(prompt), Some(Command::Review), "{prompt:?}");
        }
        assert_eq!(command("#roz:stop enough"), Some(Command::Stop));
        assert_eq!(command("#roz:Allow"), Some(Command::Allow));
        assert_eq!(command("#roz:approve seen it"), Some(Command::Approve("seen it".to_owned())));
        assert_eq!(command("#roz:go on"), Some(Command::Unknown("go".to_owned())));
        for prompt in
            ["# roz fix", "/roz", "@roz x", "fix it #roz", "> #roz fix", "(#roz)", "#roz."]
        {
            assert_eq!(command(prompt), Some(Command::NearMiss), "{prompt:?}");
        }
        for prompt in ["fix the bug", "#rozzz", "roz", "#ro z", "/rozzz", "x#roz", "#roz-x", ""] {
            assert_eq!(command(prompt), None, "{prompt:?}");
        }
    }
}
