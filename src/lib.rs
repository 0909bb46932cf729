//! One binary that governs a coding agent through its client's hooks.

pub mod cli;
pub mod config;
pub mod core;
pub mod hooks;
pub mod open;
pub mod plugin;
pub mod shell;
pub mod storage;
pub mod template;
pub mod world;
