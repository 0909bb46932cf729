//! What a program or a file is called, wherever it lies.

/// What stands behind the last slash. As every run of every line is asked by it,
/// several times, it goes through the bytes itself.
pub fn last_part(path: &str) -> &str {
    let slash = path.as_bytes().iter().rposition(|it| *it == b'/');
    slash.map_or(path, |at| &path[at + 1..])
}
