//! Everything that needs the binary or the tree. One crate: it links once.

mod install;
