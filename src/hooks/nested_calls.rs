//! Tool calls that contain several calls: one event for each, and one answer for all.

use std::mem;

use super::{Governed, Said, govern, unknown_tools};
use crate::{
    clients::message::{Decision, Input, Reply},
    core::gate::Gate,
    world::World,
};

/// Judges each contained call until one is refused.
pub(super) fn govern_each(mut input: Input, gates: &[&dyn Gate], world: &World) -> Governed {
    let more = mem::take(&mut input.more);
    unknown_tools::note(more.iter().chain([&input.event]), world);
    if more.is_empty() {
        return govern(input, gates, world);
    }
    let mut warnings = Vec::new();
    let mut reply: Option<Reply> = None;
    for event in [input.event.clone()].into_iter().chain(more) {
        let next = govern(Input { event, ..input.clone() }, gates, world);
        warnings.extend(next.warnings);
        // Only prompts and stops can arrive twice, and these contain no calls.
        let Said::Now(next) = next.said else { continue };
        let both = reply.map_or_else(|| next.clone(), |reply| reply.and(next.clone()));
        let is_refused = matches!(both.decision, Decision::Object(_));
        reply = Some(both);
        if is_refused {
            break;
        }
    }
    Governed::now(reply.unwrap_or_default(), warnings)
}
