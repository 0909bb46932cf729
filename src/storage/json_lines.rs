//! Reads and writes logs with one JSON value per line.

use serde::{Serialize, de::DeserializeOwned};

/// The entries in `bytes`. Lines that cannot be parsed (from a process that was killed while
/// writing, or from another program) are skipped.
pub fn entries<T: DeserializeOwned>(bytes: &[u8]) -> impl Iterator<Item = T> {
    bytes.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}

/// `entries` as lines.
pub fn lines<'a, T: Serialize + 'a>(
    entries: impl IntoIterator<Item = &'a T>,
) -> serde_json::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut bytes, entry)?;
        bytes.push(b'\n');
    }
    Ok(bytes)
}
