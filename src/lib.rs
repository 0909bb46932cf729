//! One binary that governs a coding agent through its client's hooks.

pub mod shell;
