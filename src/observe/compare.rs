//! Compares the present state with what is approved, path by path.

use std::collections::BTreeSet;

use super::work::{Question, State};
use crate::{
    core::review::{
        approval::{Approved, Table},
        decision::By,
        work::{self, Changed, Difference, Known, Push, Serving},
    },
    world::git::Error,
};

/// How many approvals are compared, newest first; older ones are ignored.
const MAX_COMPARED: usize = 8;

impl State {
    /// Compares the present state with what is approved. Who changed a file is not known here.
    pub fn compare(&self, table: &Table, question: &Question) -> Result<Known, Error> {
        let whole = self.differ(&self.fork, &self.tree)?;
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
            let is_here = self.is_here(approved);
            let refused = match self.refused(approved, pushed.as_deref(), is_here) {
                Ok(refused) => refused,
                // The objects of an old approval may have been deleted.
                Err(Error::Git { .. }) => continue,
                Err(err) => return Err(err),
            };
            if refused == Refused::default() {
                known.approval = Some(serving(approved));
            }
            if is_here && newest_here.is_none() {
                newest_here = Some(approved);
                known.compared_with = Some(approved.id.clone());
                known.changed = refused.changed.iter().map(|path| named(path)).collect();
                known.uncommitted = refused.uncommitted.into_iter().collect();
                known.elsewhere = refused.elsewhere.into_iter().collect();
            }
        }
        match newest_here {
            Some(approved) => known.base.clone_from(&approved.tree),
            None => known.changed = whole.keys().map(|path| named(path)).collect(),
        }
        // If a review is asked for again without a change, the whole work is shown.
        if known.base == self.tree {
            known.base.clone_from(&self.fork);
        }
        Ok(known)
    }

    /// Whether an approval is for exactly this call, with the same empty work.
    fn is_for_call(&self, approved: &Approved, question: &Question) -> bool {
        approved.key.is_some() && approved.key == question.key && approved.tree == self.tree
    }

    /// Why an approval does not cover the present state, or what is pushed.
    fn refused(
        &self,
        approved: &Approved,
        pushed: Option<&[Pushed]>,
        is_here: bool,
    ) -> Result<Refused, Error> {
        let mut refused = Refused::default();
        let Some(pushed) = pushed else {
            let target = Pushed { tree: self.tree.clone(), fork: self.fork.clone() };
            let mut compared = self.compared(approved, &target, is_here)?;
            compared.retain(|(_, difference)| !difference.is_same_work());
            refused.changed.extend(compared.into_iter().map(|(path, _)| path));
            return Ok(refused);
        };
        for target in pushed {
            let mut compared = self.compared(approved, target, is_here)?;
            compared.retain(|(_, difference)| !difference.may_be_pushed());
            if compared.is_empty() {
                continue;
            }
            let not_approved = self.paths(&approved.tree, &self.tree)?;
            let unlike = self.differ(&target.tree, &self.tree)?;
            for (path, _) in compared {
                let paths = match unlike.get(&path) {
                    None => &mut refused.changed,
                    Some(true) if !not_approved.contains(&path) => &mut refused.uncommitted,
                    Some(_) => &mut refused.elsewhere,
                };
                paths.insert(path);
            }
        }
        Ok(refused)
    }

    /// The paths in which a tree differs from the approved one, each with its other properties.
    fn compared(
        &self,
        approved: &Approved,
        target: &Pushed,
        is_here: bool,
    ) -> Result<Vec<(String, Difference)>, Error> {
        let differing = self.differ(&approved.tree, &target.tree)?;
        if differing.is_empty() {
            return Ok(Vec::new());
        }
        // The paths that differ from the default branch and from an earlier base.
        let not_fork = self.paths(&target.fork, &target.tree)?;
        let default = self.default_tree.as_ref();
        let not_default = default.map(|tree| self.paths(tree, &target.tree)).transpose()?;
        let not_default = not_default.map(|paths| &not_fork & &paths);
        let mut not_base = not_fork;
        for base in BTreeSet::from([&approved.base, &approved.fork]) {
            if *base != target.fork {
                not_base = &not_base & &self.paths(base, &target.tree)?;
            }
        }
        let is_default =
            |path: &String| not_default.as_ref().is_some_and(|paths| !paths.contains(path));
        let open = differing.iter().filter(|(path, is_there)| **is_there && !is_default(path));
        let open: Vec<&str> = open.map(|(path, _)| path.as_str()).collect();
        let same_hunks = self.with_same_hunks(approved, (&target.fork, &target.tree), &open)?;
        let judged = differing.into_iter().map(|(path, is_there)| {
            let difference = Difference {
                is_there,
                is_default: is_default(&path),
                is_base: !not_base.contains(&path),
                has_same_hunks: same_hunks.contains(&path),
                is_here,
            };
            (path, difference)
        });
        Ok(judged.collect())
    }

    /// The trees that a push contains.
    fn pushed(&self, push: &Push) -> Vec<Pushed> {
        let head = || Pushed { tree: self.head_tree.clone(), fork: self.fork.clone() };
        let pushed = |name: &String| {
            // Git itself will report a name that it does not know.
            let tree = self.tree_of(name).unwrap_or_else(|_| self.head_tree.clone());
            let default = self.default_commit.as_ref();
            let fork = default.and_then(|default| self.merge_base(name, default).ok()?);
            let fork = fork.and_then(|commit| self.tree_of(&commit).ok());
            Pushed { tree, fork: fork.unwrap_or_else(|| self.fork.clone()) }
        };
        push.head.then(head).into_iter().chain(push.refs.iter().map(pushed)).collect()
    }
}

/// A tree that is pushed, and the tree at which it branched off the default branch.
struct Pushed {
    tree: String,
    fork: String,
}

#[derive(Default, PartialEq)]
struct Refused {
    changed: BTreeSet<String>,
    /// Files that are as approved in the work tree, but not in what is pushed.
    uncommitted: BTreeSet<String>,
    elsewhere: BTreeSet<String>,
}

fn serving(approved: &Approved) -> Serving {
    let is_by_person = approved.by == By::Human;
    Serving { id: approved.id.clone(), summary: approved.summary.clone(), is_by_person }
}

fn named(path: &str) -> Changed {
    Changed { path: path.to_owned(), by: work::Author::default() }
}
