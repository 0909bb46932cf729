//! Whether agents are asked what they learned, and whether it is kept.

use super::{Finding, Subject};
use crate::{core::policy::Auto, hooks::reflection_facts, world::in_a_line};

/// `None` if roz cannot be opened: other checks say why.
pub(super) fn check(subject: &Subject) -> Option<Finding> {
    let world = subject.world;
    let roz = subject.roz.as_ref().ok()?;
    if roz.policy.reflection.enabled == Auto::Off {
        return Some(Finding::warn(
            "`reflection.enabled` is false, so nobody is asked what was learned",
            "remove that line, or set it to \"auto\"",
        ));
    }
    let library = roz.library(world);
    let is_wanted = reflection_facts::is_wanted(roz, &world.cwd);
    if !is_wanted && !library.markdown_file().exists() {
        return Some(Finding::ok(
            "off: no learnings and no ticket system here (an empty `.roz/learnings.md` turns it on)",
        ));
    }
    if let Some(down) = library.ping_all().iter().find(|answered| answered.answer.is_err()) {
        let why = down.answer.as_ref().err().map(|err| in_a_line(err)).unwrap_or_default();
        return Some(Finding::warn(
            format!("`{}` does not answer: {why}", down.backend),
            "fix it, or turn it off in `backends.overrides`; until then learnings go to the \
             markdown file",
        ));
    }
    let shelf = library.all();
    if let Some(first) = shelf.problems.first() {
        let remedy = "fix that entry; `roz learn list` lists all problems";
        return Some(Finding::warn(first.to_string(), remedy));
    }
    let why = if roz.policy.reflection.enabled == Auto::On {
        "`reflection.enabled` is true".to_owned()
    } else {
        let mut markers = reflection_facts::markers(roz, &world.cwd);
        markers.find(|marker| marker.found.is_some()).map_or_else(
            || format!("`{}` exists", library.markdown_file().display()),
            |marker| format!("{} is used here", marker.system),
        )
    };
    let active = shelf.learnings.iter().filter(|learning| learning.learning.is_active()).count();
    Some(Finding::ok(format!("on: {why}; {active} active of {} learnings", shelf.learnings.len())))
}
