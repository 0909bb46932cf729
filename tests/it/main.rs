//! Everything that needs the binary or the tree. One crate: it links once.

mod cli;
mod client;
mod contract;
mod corrupt;
mod decide;
mod disk;
mod errors;
mod fuzz;
mod payloads;
mod race;
mod review;
mod support;
mod tidy;
