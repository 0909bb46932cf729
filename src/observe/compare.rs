//! The present state beside what is approved, path by path.

use std::collections::BTreeSet;

use super::work::{Question, Raw, State};
use crate::{
    core::review::{
        approval::{Approved, Table},
        decision::By,
        work::{self, Changed, Difference, Known, Push, Serving},
    },
    world::git::Error,
};

/// Approvals of work that are compared, newest first; older ones are ignored.
const MAX_COMPARED: usize = 8;

impl State {
    /// The present state beside what is approved. Who changed a file is not known here.
    ///
    /// # Errors
    ///
    /// If git cannot tell.
    pub fn compare(&self, table: &Table, question: &Question) -> Result<Known, Error> {
        let whole = self.differing(&self.fork, &self.tree)?;
        let mut known = Known {
            root: self.repository.root.clone(),
            tree: self.tree.clone(),
            base: self.fork.clone(),
            fork: self.fork.clone(),
            head: self.head.clone(),
            branch: self.branch.clone(),
            is_empty: whole.is_empty(),
            has_expired: table.has_expired,
            left_out: self.left_out.clone(),
            ..Known::default()
        };
        let pushed = question.push.as_ref().map(|push| self.pushed(push));
        let mut newest_here = None;
        let newest = table.approvals.iter().rev();
        known.approval =
            newest.clone().find(|approved| self.is_for_call(approved, question)).map(serving);
        for approved in newest.filter(|approved| approved.key.is_none()).take(MAX_COMPARED) {
            if known.approval.is_some() {
                break;
            }
            let verdict = match self.verdict(approved, pushed.as_deref()) {
                Ok(verdict) => verdict,
                // The objects of an old approval may be gone with their store.
                Err(Error::Git { .. }) => continue,
                Err(err) => return Err(err),
            };
            if verdict.is_here && newest_here.is_none() {
                newest_here = Some(approved);
                known.compared_with = Some(approved.id.clone());
                known.changed = verdict.changed.iter().map(|path| named(path)).collect();
                known.uncommitted.clone_from(&verdict.uncommitted);
                known.elsewhere.clone_from(&verdict.elsewhere);
            }
            if verdict.serves() {
                known.approval = Some(serving(approved));
                break;
            }
        }
        match newest_here {
            Some(approved) => known.base.clone_from(&approved.tree),
            None => known.changed = whole.iter().map(|raw| named(&raw.path)).collect(),
        }
        // Asked for once more, though nothing has changed: the whole work is shown.
        if known.base == self.tree {
            known.base.clone_from(&self.fork);
        }
        Ok(known)
    }

    /// Whether an approval is for the very call that is asked about, of the same empty work.
    fn is_for_call(&self, approved: &Approved, question: &Question) -> bool {
        approved.key.is_some() && approved.key == question.key && approved.tree == self.tree
    }

    /// What keeps an approval from serving the present state, or what is pushed.
    fn verdict(&self, approved: &Approved, pushed: Option<&[Pushed]>) -> Result<Verdict, Error> {
        let is_here = self.is_here(approved);
        let mut verdict = Verdict { is_here, ..Verdict::default() };
        let Some(pushed) = pushed else {
            let target = Pushed { tree: self.tree.clone(), fork: self.fork.clone() };
            for (path, difference) in self.compared(approved, &target, is_here)? {
                if !difference.is_same_work() {
                    verdict.changed.push(path);
                }
            }
            return Ok(verdict);
        };
        for target in pushed {
            let compared = self.compared(approved, target, is_here)?;
            let refused =
                compared.into_iter().filter(|(_, difference)| !difference.may_be_pushed());
            let refused: Vec<String> = refused.map(|(path, _)| path).collect();
            if refused.is_empty() {
                continue;
            }
            let unlike_approved = self.paths(&approved.tree, &self.tree)?;
            let unlike_present = self.differing(&self.tree, &target.tree)?;
            for path in refused {
                let present = unlike_present.iter().find(|raw| raw.path == path);
                let list = match present {
                    None => &mut verdict.changed,
                    Some(raw) if raw.was_there && !unlike_approved.contains(&path) => {
                        &mut verdict.uncommitted
                    }
                    Some(_) => &mut verdict.elsewhere,
                };
                if !list.contains(&path) {
                    list.push(path);
                }
            }
        }
        Ok(verdict)
    }

    /// The paths in which a tree differs from the approved one, each with what it is otherwise.
    fn compared(
        &self,
        approved: &Approved,
        target: &Pushed,
        is_here: bool,
    ) -> Result<Vec<(String, Difference)>, Error> {
        let differing = self.differing(&approved.tree, &target.tree)?;
        if differing.is_empty() {
            return Ok(Vec::new());
        }
        // The paths that are not as the default branch, and as an earlier base, has them.
        let not_fork = self.paths(&target.fork, &target.tree)?;
        let not_default = match &self.default_tree {
            Some(default) => Some(&not_fork & &self.paths(default, &target.tree)?),
            None => None,
        };
        let others = BTreeSet::from([&approved.base, &approved.fork]);
        let mut not_base = not_fork;
        for base in others.into_iter().filter(|base| **base != target.fork) {
            not_base = &not_base & &self.paths(base, &target.tree)?;
        }
        let is_default =
            |path: &String| not_default.as_ref().is_some_and(|paths| !paths.contains(path));
        let open: Vec<&str> = differing
            .iter()
            .filter(|raw| raw.is_there && !is_default(&raw.path))
            .map(|raw| raw.path.as_str())
            .collect();
        let same_hunks = self.with_same_hunks(approved, (&target.fork, &target.tree), &open)?;
        let difference = |raw: &Raw| Difference {
            is_there: raw.is_there,
            is_default: is_default(&raw.path),
            is_base: !not_base.contains(&raw.path),
            has_same_hunks: same_hunks.contains(&raw.path),
            is_here,
        };
        Ok(differing.iter().map(|raw| (raw.path.clone(), difference(raw))).collect())
    }

    /// The trees that a push takes along.
    fn pushed(&self, push: &Push) -> Vec<Pushed> {
        let head = || Pushed { tree: self.head_tree.clone(), fork: self.fork.clone() };
        let pushed = |name: &String| {
            // Of a name that git does not know, git itself says so.
            let tree = self.tree_of(name).unwrap_or_else(|_| self.head_tree.clone());
            let fork = match &self.default_commit {
                Some(default) => self.merge_base(name, default).ok().flatten(),
                None => None,
            };
            let fork = fork.and_then(|commit| self.tree_of(&commit).ok());
            Pushed { tree, fork: fork.unwrap_or_else(|| self.fork.clone()) }
        };
        push.head.then(head).into_iter().chain(push.refs.iter().map(pushed)).collect()
    }
}

/// A tree that is pushed, and the one in which it left the default branch.
struct Pushed {
    tree: String,
    fork: String,
}

#[derive(Default)]
struct Verdict {
    is_here: bool,
    changed: Vec<String>,
    uncommitted: Vec<String>,
    elsewhere: Vec<String>,
}

impl Verdict {
    fn serves(&self) -> bool {
        self.changed.is_empty() && self.uncommitted.is_empty() && self.elsewhere.is_empty()
    }
}

fn serving(approved: &Approved) -> Serving {
    let is_by_person = approved.by == By::Human;
    Serving { id: approved.id.clone(), summary: approved.summary.clone(), is_by_person }
}

fn named(path: &str) -> Changed {
    Changed { path: path.to_owned(), by: work::Author::default() }
}
