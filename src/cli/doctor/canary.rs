//! Plays the session of `roz demo` without showing it: if each hook answers as it should, the gates
//! work.

use std::fmt::Write as _;

use super::{Finding, Subject};
use crate::{
    cli::{
        demo::{self, Step},
        say::{Out, Tone, fitted},
    },
    core::bounded,
    world::in_a_line,
};

pub(super) fn check(subject: &Subject) -> Option<Finding> {
    let wrong = |seen: &str| {
        let remedy = "reinstall roz; if that does not help, report what `roz doctor --json` prints";
        Some(Finding::fail(format!("a played session went wrong: {seen}"), remedy))
    };
    let steps = match demo::play(&subject.binary, None, subject.world) {
        Ok(stage) => stage.steps,
        Err(err) => return wrong(&in_a_line(&*err)),
    };
    let finding = if let Some(step) = steps.iter().find(|step| !step.ok) {
        wrong(&format!("{}: {}", step.name(), bounded::chars(&step.words, 300)))
    } else {
        let (median, worst) = demo::times(&steps);
        let count = steps.len();
        Some(Finding::ok(format!(
            "{count} steps through real hooks; a hook takes {median:.1} ms (median), {worst:.1} ms \
             at most"
        )))
    };
    subject.steps.replace(steps);
    finding
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
