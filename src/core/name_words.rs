//! Small questions about names and paths that several gates ask: the words of a name, membership in
//! a list, device files.

/// In lower case. `readFile`, `read_file` and `read-file` have the same words.
pub fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars().take(200) {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            words.push(String::new());
        }
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The words of `list` are separated by blanks.
pub fn is_one(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|text| text == word)
}

/// `/dev/null`, a terminal or a standard stream: writing there stores nothing.
pub fn is_stream_device(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "/dev/tty")
        || path
            .strip_prefix("/dev/fd/")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}
