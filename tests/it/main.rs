//! Everything that needs the binary or the tree. One crate: it links once.

mod commands;
mod store_race;
