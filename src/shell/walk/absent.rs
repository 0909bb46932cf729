//! What stands for a value that is not there: `${x:-…}` and its like.

use super::super::HOLE;
use super::super::syntax::Parameter;
use super::Walker;
use super::env::Value;
use super::expand::Expansion;
use super::parameter::unknown;

/// Whether a value is there, so that what stands for it is not needed.
enum There {
    Yes,
    No,
    /// In this reading.
    Perhaps,
}

impl Walker<'_> {
    /// `${x:-…}`, `${x:=…}`, `${x:?…}`: the value, or what stands for it.
    pub(super) fn absent_or_not(
        &mut self,
        found: Option<Expansion>,
        parameter: &Parameter,
    ) -> Expansion {
        let there = found.as_ref().map_or(There::No, |it| self.is_there(it, parameter));
        match (there, found) {
            (There::Perhaps, Some(found)) => {
                self.text(&parameter.operand);
                found
            }
            (There::Yes, Some(found)) => {
                if parameter.operator.ends_with('-') {
                    self.muted(|walker| walker.text(&parameter.operand));
                }
                found
            }
            (_, found) => {
                let text = self.text(&parameter.operand);
                // What is said of one that is not there is expanded to be said.
                if parameter.operator.ends_with('?') {
                    return found.unwrap_or_else(unknown);
                }
                if parameter.operator.ends_with('=') {
                    self.given_value(&parameter.name, vec![Value::Text(text.clone())]);
                }
                Expansion::One(text)
            }
        }
    }

    /// Whether the operand is not needed. What nobody knows may be empty, and an empty text may not
    /// be set: two readings, in the first of which what the operand runs is noted. It is expanded
    /// once in each of them: operands stand within operands.
    fn is_there(&mut self, found: &Expansion, parameter: &Parameter) -> There {
        // Without a colon only what is not set counts, and an empty text may be that.
        let may_be_unset = !parameter.operator.starts_with(':') && is_empty(found, ":");
        if !may_be_unset && (is_known(found) || !parameter.operator.starts_with(':')) {
            return if is_empty(found, parameter.operator) { There::No } else { There::Yes };
        }
        match self.choose(&format!("{}-", parameter.name), 2) {
            Some(1) => There::No,
            _ => There::Perhaps,
        }
    }
}

/// Whether it is sure that a value is empty, or that it is not.
pub(super) fn is_known(found: &Expansion) -> bool {
    let known = |text: &String| text.is_empty() || text.chars().any(|c| c != HOLE);
    match found {
        Expansion::One(text) => known(text),
        Expansion::Many(texts) => texts.iter().all(known),
        Expansion::Number => true,
    }
}

/// Whether the value counts as absent for the operator: with a colon, empty is as good as unset.
pub(super) fn is_empty(found: &Expansion, operator: &str) -> bool {
    operator.starts_with(':')
        && match found {
            Expansion::One(text) => text.is_empty(),
            Expansion::Many(texts) => texts.iter().all(String::is_empty),
            Expansion::Number => false,
        }
}
