//! Everything that needs the binary or the tree. One crate: it links once.

mod cli;
mod client;
mod commands;
mod contract;
mod corrupt;
mod decide;
mod disk;
mod errors;
mod explain;
mod fuzz;
mod install;
mod intent;
mod intent_gate;
mod learnings;
mod payloads;
mod protect;
mod race;
mod reflection;
mod review;
mod store_race;
mod support;
mod tidy;
mod usage;
mod words;
