//! One binary that governs a coding agent through its client's hooks.

pub mod cli;
pub mod config;
pub mod core;
pub mod shell;
