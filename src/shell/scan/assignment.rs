//! `name=value`, `name+=value` and `name[index]=value`.

use super::scanner::Scanner;
use crate::shell::syntax::{Assignment, Word};

/// The longest `[index]`, so that the search for its end is not quadratic.
const INDEX: usize = 200;

pub(in crate::shell) struct Head<'a> {
    pub(in crate::shell) name: &'a str,
    pub(in crate::shell) index: Option<&'a str>,
    pub(in crate::shell) append: bool,
    /// Bytes up to and with the `=`.
    pub(in crate::shell) length: usize,
}

/// The head of `name=`, `name+=` or `name[index]=`, if the text begins with one.
pub(in crate::shell) fn head(text: &str) -> Option<Head<'_>> {
    let bytes = text.as_bytes();
    let name = bytes.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    if name == 0 || bytes[0].is_ascii_digit() {
        return None;
    }
    let mut at = name;
    let mut index = None;
    if bytes.get(at) == Some(&b'[') {
        let mut depth = 0_usize;
        let length = bytes[at..].iter().take(INDEX).position(|byte| {
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            depth == 0
        })?;
        index = Some(text.get(at + 1..at + length)?);
        at += length + 1;
    }
    let append = bytes.get(at) == Some(&b'+');
    at += usize::from(append);
    let is_assignment = bytes.get(at) == Some(&b'=');
    is_assignment.then(|| Head { name: &text[..name], index, append, length: at + 1 })
}

impl Scanner<'_> {
    pub(super) fn assignment(&mut self) -> Option<Assignment> {
        let Head { name, index, append, length } = head(&self.text[self.at..])?;
        self.at += length;
        let index = index.map(|index| self.quoted_text(&index.replace(['"', '\''], "")));
        let mut value = Word::default();
        if self.peek() == b'(' {
            self.array(&mut value);
        }
        let rest = self.word();
        value.braces = rest.braces;
        value.parts.extend(rest.parts);
        Some(Assignment { name: name.to_owned(), index, append, value })
    }
}
