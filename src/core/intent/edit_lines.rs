//! Which lines of a file an edit replaces. An agent that was shown these lines as they are now knows
//! what it changes.

use crate::core::{
    event::ToolCall,
    tool::{Replacement, Tool},
};

/// The first and last line of each text that an Edit replaces in a file with this content; none
/// where one of them is not there.
pub fn replaced(call: &ToolCall, content: Option<&[u8]>) -> Vec<(u64, u64)> {
    /// With more places than this nobody has looked at each.
    const MOST: usize = 256;
    let Tool::Edit { replacements: Some(replacements), .. } = &call.tool else {
        return Vec::new();
    };
    let Some(text) = content.and_then(|bytes| std::str::from_utf8(bytes).ok()) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for Replacement { old, .. } in replacements {
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
