//! The message of a stop that is held for a reflection: why it is due, an example, and the notes
//! that were taken on the way.

use std::fmt::Write as _;

use super::{candidate::PLACEHOLDERS, state::Reflection};
use crate::core::{Cx, bounded, outcome::Notice};

pub(super) fn what_is_due(state: &Reflection) -> String {
    let title = match state.ticket() {
        Some(ticket) if !ticket.title.is_empty() => {
            format!(" ({})", bounded::line(&ticket.title, 80))
        }
        _ => String::new(),
    };
    let name = |text: &str| bounded::plain_line(&bounded::line(text, 80));
    let (closed, unnamed) = (state.closed(), state.closed_unnamed());
    let more = match (closed.len() + unnamed.len()).saturating_sub(1) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    match (closed, unnamed) {
        ([], []) => "this session changed the project".to_owned(),
        ([], [system, ..]) => format!("a ticket of {} was closed{more}", name(system)),
        // The task may be held open until the reflection.
        ([one, ..], _) if state.is_task(one) => format!("task {}{title} is done{more}", name(one)),
        ([one, ..], _) => format!("ticket {}{title} was closed{more}", name(one)),
    }
}

pub(super) fn demand(
    state: &Reflection,
    due: String,
    block_count: u32,
    small: Option<u64>,
    cx: Cx,
) -> Notice {
    Notice::new("reflect")
        .with("what", due)
        .with("block_count", block_count.to_string())
        .with("max_blocks", cx.policy.circuit_breaker.max_blocks.to_string())
        .with("example", example())
        .with("observations", observations(state))
        .with("small", before_skip(state, small))
}

/// Its placeholders are rejected by `roz reflect` until they are filled in.
fn example() -> String {
    let [summary, detail, tag] = PLACEHOLDERS;
    format!(
        "{{\"candidates\": [{{\n  \"category\": \"pitfall\",\n  \"summary\": \"{summary}\",\n  \
         \"detail\": \"{detail}\",\n  \"tags\": [\"{tag}\"],\n  \"criteria_met\": \
         [\"behavior_changing\"]\n}}]}}"
    )
}

/// What precedes the offer to skip: that the change is small, and a reason that the agent gave
/// early.
fn before_skip(state: &Reflection, small: Option<u64>) -> String {
    let small = small.map_or_else(String::new, |lines| {
        format!("The change is small ({}). ", bounded::counted(lines, "line"))
    });
    let early = state.early_skip().map_or_else(String::new, |skip| {
        let reason = bounded::plain_line(&bounded::line(&skip.reason, 200));
        format!(
            "Before anything was due you skipped with \"{reason}\": say so again if it still \
             holds. "
        )
    });
    small + &early
}

/// The newest notes with all their lines: empty, or a block that ends in a newline.
fn observations(state: &Reflection) -> String {
    const SHOWN: usize = 5;
    const LONGEST: usize = 500;
    let notes: Vec<_> = state.open_observations().collect();
    if notes.is_empty() {
        return String::new();
    }
    let mut text = "\nNoted on the way:\n".to_owned();
    for observation in &notes[notes.len().saturating_sub(SHOWN)..] {
        let note = bounded::plain(&bounded::chars(&observation.note, LONGEST));
        let _ = writeln!(text, "- {}", note.trim_end().replace('\n', "\n  "));
    }
    text
}
