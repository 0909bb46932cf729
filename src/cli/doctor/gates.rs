//! Which gates are on in this project.

use super::{Finding, Subject};
use crate::{
    cli::status,
    core::{GATES, gate},
};

/// `None` if roz cannot be opened: other checks say why.
pub(super) fn check(subject: &Subject) -> Option<Finding> {
    let roz = subject.roz.as_ref().ok()?;
    let project = status::project(roz, subject.world);
    let statuses = gate::statuses(GATES, None, &project, &roz.policy);
    let told = statuses.iter().map(|status| {
        let state = if status.on { "on" } else { "off" };
        format!("{} {state}", status.gate)
    });
    if !statuses.iter().any(|status| status.on) {
        return Some(Finding::warn(
            "all of them are off: nothing is enforced",
            "remove `review.mode = \"never\"` from the configuration",
        ));
    }
    Some(Finding::ok(told.collect::<Vec<_>>().join(", ")))
}
