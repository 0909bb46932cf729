//! The functions and aliases that are being walked.

use super::shell_state::Variable;

/// A variable that a `local` one with the same name hides; `None` if there was none.
pub(super) type Hidden = (String, Option<Variable>);

#[derive(Debug, Default)]
pub(super) struct CallStack {
    names: Vec<String>,
    /// For each function that is being walked, the variables to restore at its end.
    scopes: Vec<Vec<Hidden>>,
}

impl CallStack {
    pub(super) fn push(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    pub(super) fn pop(&mut self) {
        self.names.pop();
    }

    /// How often a name is being walked: more than once if a function calls itself.
    pub(super) fn count(&self, name: &str) -> usize {
        self.names.iter().filter(|active| *active == name).count()
    }

    pub(super) fn open_scope(&mut self) {
        self.scopes.push(Vec::new());
    }

    /// The variables to restore, the last one first.
    pub(super) fn close_scope(&mut self) -> impl Iterator<Item = Hidden> + use<> {
        self.scopes.pop().into_iter().flatten().rev()
    }

    /// Remembers what a `local` variable hides. Outside of functions nothing is hidden.
    pub(super) fn hide(&mut self, name: &str, variable: Option<&Variable>) {
        if let Some(scope) = self.scopes.last_mut()
            && !scope.iter().any(|(known, _)| known == name)
        {
            scope.push((name.to_owned(), variable.cloned()));
        }
    }
}
