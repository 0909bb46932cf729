//! `#roz` and its commands, which a person types at the beginning of a prompt.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `#roz`: have this piece of work reviewed.
    Review,
    /// `#roz:stop`: end the review.
    Stop,
    /// `#roz:approve [note]`: the work is approved as it is.
    Approve(String),
    /// `#roz:allow`: let one gated call through.
    Allow,
    /// An unknown word after `#roz:`.
    Unknown(String),
    /// Not a command, but perhaps meant as `#roz`.
    NearMiss,
}

/// The command at the beginning of a prompt. `#rozzz` is not one.
pub fn command(prompt: &str) -> Option<Command> {
    let text = prompt.trim_start();
    let is_mark = |text: &str| text.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("#roz"));
    if is_mark(text) {
        let rest = &text[4..];
        let next = rest.chars().next();
        if next.is_none_or(|c| c.is_whitespace() || matches!(c, ',' | ';' | '!')) {
            return Some(Command::Review);
        }
        if let Some(rest) = rest.strip_prefix(':') {
            let end = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
            let (word, note) = rest.split_at(end);
            return Some(match word.to_lowercase().as_str() {
                "" => Command::Review,
                "stop" => Command::Stop,
                "approve" => Command::Approve(note.trim().to_owned()),
                "allow" => Command::Allow,
                _ => Command::Unknown(word.to_owned()),
            });
        }
    }
    is_near_miss(text).then_some(Command::NearMiss)
}

pub fn begins_with_command(prompt: &str) -> bool {
    command(prompt).is_some_and(|command| command != Command::NearMiss)
}

fn is_near_miss(text: &str) -> bool {
    let begins = ["# roz", "/roz", "@roz"].iter().any(|miss| {
        let head = text.get(..miss.len());
        let ends = |text: &str| text.chars().next().is_none_or(|c| !c.is_alphanumeric());
        head.is_some_and(|head| head.eq_ignore_ascii_case(miss)) && ends(&text[miss.len()..])
    });
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == '#';
    begins || text.split(|c: char| !is_word(c)).any(|word| word.eq_ignore_ascii_case("#roz"))
}
