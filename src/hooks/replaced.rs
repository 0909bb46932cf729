//! Where in a file what an edit replaces stands: an agent that was shown
//! these lines as they are now knows what it changes.

use std::path::Path;

use crate::{core::event::ToolCall, observe::file_content::Content};

/// The lines, both ends among them, at which what an Edit replaces stands in the
/// file now; none, where some of it does not.
pub(super) fn lines(call: &ToolCall, path: &Path) -> Vec<(u64, u64)> {
    /// More places are nobody's to have looked at one by one.
    const MOST: usize = 256;
    let edits = match call.name.as_str() {
        "Edit" => std::slice::from_ref(&call.input),
        "MultiEdit" => {
            call.input.get("edits").and_then(|it| it.as_array()).map_or(&[][..], Vec::as_slice)
        }
        _ => return Vec::new(),
    };
    let content = Content::read(path).and_then(|it| it.bytes);
    let Some(text) = content.as_deref().and_then(|it| std::str::from_utf8(it).ok()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for edit in edits {
        let old = edit.get("old_string").and_then(|it| it.as_str()).unwrap_or_default();
        let before = found.len();
        if !old.is_empty() {
            let (mut at, mut line) = (0, 1);
            for (start, _) in text.match_indices(old).take(MOST) {
                line += text[at..start].matches('\n').count() as u64;
                at = start;
                let more = old.trim_end_matches('\n').matches('\n').count() as u64;
                found.push((line, line + more));
            }
        }
        if found.len() == before || found.len() >= MOST {
            return Vec::new();
        }
    }
    found
}
