//! Learnings that live as long as the process. For tests.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Error, MemoryBackend, Reading, Result, is_id};
use crate::core::reflection::{
    learning::{Learning, Status},
    retrieval::{self, Filters, Found, Query},
};

#[derive(Debug, Default)]
pub struct InMemory {
    kept: Mutex<Vec<Learning>>,
}

impl InMemory {
    fn kept(&self) -> MutexGuard<'_, Vec<Learning>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl MemoryBackend for InMemory {
    fn name(&self) -> &'static str {
        "in-memory"
    }

    fn write(&self, learning: &Learning) -> Result<()> {
        if !is_id(&learning.id) {
            return Err(Error::BadId { id: learning.id.clone() });
        }
        let mut kept = self.kept();
        if kept.iter().any(|kept| kept.id == learning.id) {
            return Err(Error::Exists { id: learning.id.clone() });
        }
        kept.push(learning.clone());
        Ok(())
    }

    fn all(&self) -> Result<Reading> {
        let mut reading = Reading { learnings: self.kept().clone(), problems: Vec::new() };
        reading.sort();
        Ok(reading)
    }

    fn search(&self, query: &Query, filters: &Filters) -> Result<Vec<Found>> {
        Ok(retrieval::search(query, filters, &self.kept()))
    }

    fn mark(&self, id: &str, status: Status) -> Result<()> {
        let mut kept = self.kept();
        let found = kept.iter_mut().find(|learning| learning.id == id);
        found.ok_or_else(|| Error::NoSuch { id: id.to_owned() })?.status = status;
        Ok(())
    }

    fn ping(&self) -> Result<()> {
        Ok(())
    }
}
