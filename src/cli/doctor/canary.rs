//! The session of `roz demo`, played unseen: if each hook answers as it should, the gates work.

use std::fmt::Write as _;

use super::{Finding, Subject};
use crate::{
    cli::{
        demo::{self, Step},
        say::{Out, Tone, fitted},
    },
    core::bounded,
};

pub(super) fn check(subject: &Subject) -> Finding {
    let report = "reinstall roz; if that does not help, report what `roz doctor --json` prints";
    let steps = match demo::rehearse(&subject.binary, subject.world) {
        Ok(steps) => steps,
        Err(why) => {
            return Finding::fail(format!("the session could not be played: {why}"), report);
        }
    };
    let finding = if let Some(step) = steps.iter().find(|step| !step.ok) {
        let seen = bounded::chars(&step.words, 300);
        let name = step.name();
        Finding::fail(format!("a played session went wrong at `{name}`: {seen}"), report)
    } else {
        let (median, worst) = times(&steps);
        let count = steps.len();
        Finding::ok(format!(
            "{count} steps through real hooks; a hook takes {median:.1} ms (median), {worst:.1} ms \
             at most"
        ))
    };
    subject.steps.replace(steps);
    finding
}

/// The median and the longest time of a hook, in milliseconds.
pub(super) fn times(steps: &[Step]) -> (f64, f64) {
    let mut times: Vec<f64> =
        steps.iter().filter(|step| step.is_hook()).map(|step| step.ms).collect();
    times.sort_by(f64::total_cmp);
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    (median, times.last().copied().unwrap_or_default())
}

pub(super) fn shown(steps: &[Step], out: &Out) -> String {
    let mut text = String::new();
    let column = out.width.saturating_sub(15).clamp(12, 60);
    for step in steps {
        let (mark, tone) = if step.ok { ("✓", Tone::Good) } else { ("✗", Tone::Bad) };
        let name = fitted(&bounded::plain_line(&step.name()), column);
        let _ = writeln!(text, "  {} {name:<column$} {:>7.1} ms", out.paint(tone, mark), step.ms);
    }
    text
}
