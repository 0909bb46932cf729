//! The words in a name, lists of words, and paths of devices: what several gates ask of a name or a
//! path.

/// `readFile`, `read_file`, `read-file`: its words in lower case.
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

/// Whether a word is one of a list, whose words are a blank apart.
pub fn is_one(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|text| text == word)
}

/// Whether a path is a device that keeps nothing: `/dev/null`, a terminal, a standard stream.
pub fn is_stream_device(path: &str) -> bool {
    matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/stdin" | "/dev/tty")
        || path
            .strip_prefix("/dev/fd/")
            .is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()))
}
