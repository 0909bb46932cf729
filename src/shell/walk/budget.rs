//! The remaining budget of a reading, and why it stopped.

use crate::shell::{Unreadable, limit};

#[derive(Debug)]
pub(super) struct Budget {
    /// The part of [`limit::WORK`] that is left.
    work: usize,
    depth: usize,
    stopped_by: Option<Unreadable>,
}

impl Budget {
    pub(super) fn new() -> Self {
        Self { work: limit::WORK, depth: 0, stopped_by: None }
    }

    /// Pays for work; `false` if too little is left.
    pub(super) fn spend(&mut self, units: usize) -> bool {
        let left = self.work.checked_sub(units);
        self.work = left.unwrap_or(0);
        if left.is_none() {
            self.stop(Unreadable::Work);
        }
        left.is_some()
    }

    pub(super) fn is_spent(&mut self) -> bool {
        if self.work == 0 {
            self.stop(Unreadable::Work);
        }
        self.work == 0
    }

    pub(super) fn left(&self) -> usize {
        self.work
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Enters one level; `false` at the deepest. [`Self::ascend`] leaves it.
    pub(super) fn descend(&mut self) -> bool {
        let has_room = self.depth < limit::DEPTH;
        self.depth += usize::from(has_room);
        has_room
    }

    pub(super) fn ascend(&mut self) {
        self.depth -= 1;
    }

    /// Records why not everything could be read. The first reason wins.
    pub(super) fn stop(&mut self, reason: Unreadable) {
        self.stopped_by.get_or_insert(reason);
    }

    pub(super) fn stopped_by(&self) -> Option<Unreadable> {
        self.stopped_by
    }
}
