//! The tables: what is known about programs. Adding one is adding a row.

pub(super) mod file_programs;
pub(super) mod folders;
pub(super) mod global_options;
pub(super) mod grammar;
pub(super) mod index;
pub(super) mod interpreters;
pub(super) mod wrappers;
