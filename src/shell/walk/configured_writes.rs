//! Programs that write files according to the user's configuration: rows of `[[commands.writes]]`.

use super::Walker;
use crate::shell::field::Field;
use crate::shell::{Operands, Writer};
use std::borrow::Cow;

impl Walker<'_> {
    /// Records what a call writes, by each row for its program.
    pub(super) fn user_writers(&mut self, name: &str, words: &[Field]) {
        let rows = self.options.writers.iter();
        for row in rows.filter(|row| row.program.split_whitespace().next() == Some(name)) {
            if !self.budget.spend(1) {
                return;
            }
            for file in files(row, words) {
                let certainty = self.recorder.certainty(file.certainty());
                self.record_write(&file.text, row.how, certainty);
            }
        }
    }
}

/// The files that a row finds among the words; empty if it is about another subcommand.
fn files<'a>(row: &Writer, words: &'a [Field]) -> Vec<Cow<'a, Field>> {
    let (mut values, mut operands) = (Vec::new(), Vec::new());
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if text == "--" {
            operands.extend(rest.by_ref());
            break;
        }
        if row.options.iter().any(|option| option == text) {
            values.extend(rest.next().map(Cow::Borrowed));
            continue;
        }
        // `--out=f`, `-of`
        let joined = |option: &String| {
            let value = text.strip_prefix(option.as_str())?;
            let is_long = option.starts_with("--");
            value.strip_prefix('=').or_else(|| (!is_long).then_some(value))
        };
        match row.options.iter().find_map(joined) {
            Some(value) => values.push(Cow::Owned(word.with_text(value))),
            None if text.len() > 1 && text.starts_with('-') => {}
            None => operands.push(word),
        }
    }
    let mut subcommand = row.program.split_whitespace().skip(1);
    let mut operands = operands.into_iter();
    if subcommand.any(|verb| operands.next().is_none_or(|word| word.text != verb)) {
        return Vec::new();
    }
    match row.operands {
        Operands::All => values.extend(operands.map(Cow::Borrowed)),
        Operands::Last => values.extend(operands.last().map(Cow::Borrowed)),
        Operands::None => {}
    }
    values
}
