//! Reads the state of a repository for the gates, with git.

mod compare;
pub mod git_brought;
pub mod own_files;
mod repository;
mod status;
pub mod work;
