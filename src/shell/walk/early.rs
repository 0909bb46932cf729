//! What is left early: a function by `return`, a loop by `break` and `continue`. What is set by then
//! may be what holds in the end, whatever stands behind it sets.

use super::super::syntax::{Part, Redirection, RedirectionKind};
use super::Walker;
use super::env::Variable;
use super::limit;

/// A function, a file that is read in, or a loop that is open.
#[derive(Debug)]
pub(super) struct Scope {
    is_loop: bool,
    /// Where in the journal it began.
    mark: usize,
    /// What was set where it was left.
    left: Vec<(String, Variable)>,
}

impl Walker<'_> {
    pub(super) fn begins(&mut self, is_loop: bool) {
        let mark = self.env.mark();
        self.scopes.push(Scope { is_loop, mark, left: Vec::new() });
    }

    /// The innermost scope ends, and where it was left before counts as well.
    pub(super) fn ends(&mut self) {
        self.rejoins();
        self.scopes.pop();
    }

    /// What was set where the innermost scope was left counts from here on.
    pub(super) fn rejoins(&mut self) {
        let left = self.scopes.last_mut().map(|it| std::mem::take(&mut it.left));
        for (name, variable) in left.unwrap_or_default() {
            self.env.also(&name, variable);
        }
    }

    /// `return`, or where `of_loop`, `break` and `continue`, of however many loops.
    pub(super) fn leaves(&mut self, of_loop: bool) {
        let function = self.scopes.iter().rposition(|it| !it.is_loop);
        let from = if of_loop { function.map_or(0, |it| it + 1) } else { function.unwrap_or(0) };
        let to = if of_loop { self.scopes.len() } else { self.scopes.len().min(from + 1) };
        for at in from..to {
            let set = self.env.set_since(self.scopes[at].mark);
            if !self.spend(set.len() / 8) {
                return;
            }
            for (name, variable) in set {
                let left = &mut self.scopes[at].left;
                match left.iter_mut().find(|it| it.0 == name) {
                    Some((_, known)) => known.add(variable.values, limit::CHOICES),
                    None => left.push((name, variable)),
                }
            }
        }
    }

    /// Walks what does not run at all where one of its files cannot be opened.
    pub(super) fn where_opened<T>(
        &mut self,
        redirections: &[Redirection],
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let mark = self.env.mark();
        let walked = walk(self);
        self.unless_opened(redirections, mark);
        walked
    }

    /// What has been set since `mark` is not, where one of these files cannot be opened.
    pub(super) fn unless_opened(&mut self, redirections: &[Redirection], mark: usize) {
        if self.env.mark() > mark && redirections.iter().any(may_fail) {
            let changes = self.env.take_back(mark);
            self.env.merge_known(changes);
        }
    }
}

/// Whether a file is opened that may not be there, or may not be made.
fn may_fail(redirection: &Redirection) -> bool {
    use RedirectionKind as Kind;
    let opens = !matches!(
        redirection.kind,
        Kind::Document | Kind::String | Kind::DuplicateIn | Kind::DuplicateOut
    );
    if let [Part::Process { .. }] = redirection.target.parts[..] {
        return false;
    }
    let target = redirection.target.as_text();
    opens && target.is_none_or(|it| !it.starts_with("/dev/"))
}
