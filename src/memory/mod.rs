//! Learnings between one session and the next.

pub mod index;
