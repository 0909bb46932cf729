//! Small stores, as in the first weeks of a project: the first wanted learning of a query, if there
//! is one, among unrelated learnings of the project.

use super::set::{Labelled, Project};
use crate::core::reflection::{
    learning::{Learning, Scope},
    retrieval,
};

pub(super) const SIZES: [usize; 5] = [1, 3, 5, 10, 20];

/// Every how many queries stores are made: more would not add information.
const EVERY: usize = 5;

/// A store with this many learnings for every fifth query, if there are enough.
pub(super) fn stores(project: &Project, size: usize) -> Vec<Project> {
    let queries = project.queries.iter().enumerate().step_by(EVERY);
    queries.filter_map(|(at, labelled)| store(project, labelled, at, size)).collect()
}

fn store(project: &Project, labelled: &Labelled, at: usize, size: usize) -> Option<Project> {
    let wanted = labelled.relevant.first();
    let is_other = |learning: &&Learning| {
        let is_named =
            labelled.relevant.contains(&learning.id) || labelled.also.contains(&learning.id);
        !is_named && learning.scope != Scope::Personal
    };
    let others: Vec<&Learning> = project.learnings.iter().filter(is_other).collect();
    let own = project.learnings.iter().filter(|learning| Some(&learning.id) == wanted);
    // Different ones for each query, spread over the project.
    let spread = (0..others.len()).map(|step| others[(at + step * 7) % others.len()]);
    let mut learnings: Vec<Learning> = Vec::new();
    for learning in own.chain(spread) {
        if learnings.len() < size && !learnings.iter().any(|had| had.id == learning.id) {
            learnings.push(learning.clone());
        }
    }
    let relevant = wanted.into_iter().cloned().collect();
    let mut labelled = labelled.clone();
    (labelled.relevant, labelled.also) = (relevant, Vec::new());
    (learnings.len() == size).then(|| Project {
        part: project.part,
        index: retrieval::build(&learnings).index,
        queries: vec![labelled],
        learnings,
    })
}
