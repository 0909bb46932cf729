//! A command whose words are known.

use crate::shell::HOLE;
use crate::shell::field::{Field, joined};
use std::rc::Rc;

/// Where a command's input comes from, and whether its output matters.
#[derive(Debug, Clone, Default)]
pub(super) struct Io {
    /// `None`: the input of the line itself.
    pub(super) stdin: Option<Rc<str>>,
    pub(super) capture: bool,
}

/// A command: its words, its environment, its input and output.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// At least one.
    pub(super) words: Vec<Field>,
    pub(super) assignments: Vec<(String, String)>,
    pub(super) io: Io,
    /// The shell itself runs it, so it may be a function, an alias or a builtin.
    pub(super) direct: bool,
}

impl Call {
    pub(super) fn renamed(mut self, program: &str) -> Self {
        self.words[0] = Field { text: program.to_owned(), resolved: true, ..Field::default() };
        self.direct = false;
        self
    }

    pub(super) fn with_words(&self, words: Vec<Field>) -> Self {
        Self { words, direct: false, ..self.clone() }
    }

    pub(super) fn with_program(&self, program: &Field, from: usize) -> Self {
        let arguments = self.words.get(from..).unwrap_or_default();
        self.with_words([std::slice::from_ref(program), arguments].concat())
    }

    pub(super) fn code(&self, from: usize) -> String {
        joined(self.words.get(from..).unwrap_or(&[]))
    }

    pub(super) fn unknown_output(&self) -> String {
        if self.io.capture { HOLE.to_string() } else { String::new() }
    }
}

/// Words as shell code: each quoted, so that it stays one word.
pub(super) fn quoted(words: &[Field]) -> String {
    let mut text = String::new();
    for word in words {
        if word.loose {
            text.push_str(&word.text);
        } else {
            text.push('\'');
            text.push_str(&word.text.replace('\'', "'\\''"));
            text.push('\'');
        }
        text.push(' ');
    }
    text
}
