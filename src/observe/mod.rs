//! Reads the state of a repository for the gates, with git.

mod compare;
mod repository;
mod status;
pub mod work;
