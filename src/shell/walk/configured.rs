//! Options of curl that stand in a file: `curl -K file`, `curl --config -`.

use super::super::Unreadable;
use super::Walker;
use super::call::Call;
use super::field::Field;

/// A configuration may name others; no more of them are read.
const MOST_FILES: usize = 8;

impl Walker<'_> {
    /// The words of a curl that reads options out of files, with these before; `None` where it
    /// reads none. What a file says that nobody can read is left out (docs/limits.md).
    pub(super) fn with_configured(&mut self, call: &Call) -> Option<Vec<Field>> {
        let mut files = named(&call.words[1..]);
        // Before the words, one of which may be `--`.
        let mut words = call.words[..1].to_vec();
        let mut at = 0;
        while let Some(file) = files.get(at).cloned() {
            at += 1;
            if at > MOST_FILES {
                self.fail(Unreadable::Work);
                break;
            }
            let text = match file.as_str() {
                "-" | "/dev/stdin" | "/dev/fd/0" => call.io.stdin.as_deref().map(str::to_owned),
                _ => self.content(&file),
            };
            let mut more = Vec::new();
            for line in text.unwrap_or_default().lines() {
                if !self.spend(1 + line.len() / 64) {
                    break;
                }
                let (name, value) = option(line);
                let texts = name.into_iter().chain(value);
                more.extend(
                    texts.map(|it| Field { resolved: true, ..Field::literal(it.as_str()) }),
                );
            }
            let others = named(&more);
            files.extend(others.into_iter().filter(|it| *it != file));
            words.append(&mut more);
        }
        words.extend_from_slice(&call.words[1..]);
        (at > 0).then_some(words)
    }
}

/// The files of options that words name.
fn named(words: &[Field]) -> Vec<String> {
    let mut files = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word = word.text.as_str();
        let file = match word.strip_prefix("--config=") {
            Some(file) => file,
            None if is_config(word) => words.get(at + 1).map_or("", |it| it.text.as_str()),
            None => attached(word).unwrap_or_default(),
        };
        if !file.is_empty() {
            files.push(file.to_owned());
        }
    }
    files
}

/// `-K`, `-sK`, `--conf`: curl takes an option by its beginning, where no other begins so.
fn is_config(word: &str) -> bool {
    let is_long = word.starts_with("--conf") && "--config".starts_with(word);
    is_long || word.starts_with('-') && !word.starts_with("--") && word.ends_with('K')
}

/// `-Kfile`
fn attached(word: &str) -> Option<&str> {
    word.strip_prefix('-').filter(|it| !it.starts_with('-'))?.split_once('K').map(|it| it.1)
}

/// An option and its value: `output = "a b"`, `-o a`, `--output: a`, `url=x`.
fn option(line: &str) -> (Option<String>, Option<String>) {
    let line = line.trim();
    if line.is_empty() || line.starts_with('#') {
        return (None, None);
    }
    let is_end = |it: char| it.is_whitespace() || matches!(it, '=' | ':');
    let (name, rest) = line.split_at(line.find(is_end).unwrap_or(line.len()));
    let name = if name.starts_with('-') { name.to_owned() } else { format!("--{name}") };
    let rest = rest.trim_start_matches(is_end);
    let value = match rest.strip_prefix('"') {
        Some(quoted) => unquoted(quoted),
        None => rest.split_whitespace().next().unwrap_or_default().to_owned(),
    };
    (Some(name), Some(value).filter(|it| !it.is_empty()))
}

/// Up to the quote that closes it.
fn unquoted(text: &str) -> String {
    let mut value = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => value.extend(characters.next().map(|it| match it {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                it => it,
            })),
            it => value.push(it),
        }
    }
    value
}
