//! The client's tasks, as the gate's record keeps them: which were completed, and how often each
//! was held open.

use super::{MAX_KEPT, Reflection, Status};

impl Reflection {
    pub(in crate::core::reflection) fn is_task(&self, id: &str) -> bool {
        self.tasks.contains_key(id)
    }

    pub fn uses_tasks(&self) -> bool {
        self.uses_tasks
    }

    pub(in crate::core::reflection) fn uses_task_tools(&mut self) {
        self.uses_tasks = true;
    }

    /// Returns how often the task was held before; `None` if it is settled.
    pub(in crate::core::reflection) fn task_completed(&mut self, id: &str) -> Option<u32> {
        if self.tasks.len() >= MAX_KEPT * 10 && !self.tasks.contains_key(id) {
            return None;
        }
        let task = self.tasks.entry(id.to_owned()).or_default();
        (!task.is_settled).then_some(task.blocks)
    }

    pub(in crate::core::reflection) fn task_held(&mut self, id: &str) {
        if let Some(task) = self.tasks.get_mut(id) {
            task.blocks += 1;
        }
    }

    /// Held often enough; stops are not held for the task, either.
    pub(in crate::core::reflection) fn task_given_up(&mut self, id: &str) {
        if let Some(task) = self.tasks.get_mut(id) {
            task.is_settled = true;
        }
        self.closed.retain(|text| text != id);
        if self.status.is_open() && self.closed.is_empty() && self.closed_unnamed.is_empty() {
            self.status = Status::Idle;
            self.waiting_since = None;
        }
    }
}
