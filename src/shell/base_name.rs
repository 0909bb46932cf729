//! The name of a program or a file, without its folder.

/// Called often, so it looks at bytes, not characters.
pub fn last_part(path: &str) -> &str {
    let slash = path.as_bytes().iter().rposition(|byte| *byte == b'/');
    slash.map_or(path, |at| &path[at + 1..])
}
