//! Everything that needs the binary or the tree. One crate: it links once.

mod commands;
mod install;
mod store_race;
