//! The tables: what is known about programs. Adding one is adding a row.

pub(super) mod coded;
pub(super) mod folders;
pub(super) mod grammar;
pub(super) mod index;
pub(super) mod interpreters;
pub(super) mod npm;
pub(super) mod options;
pub(super) mod wrappers;
pub(super) mod writers;
