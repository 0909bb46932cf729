//! Reads the state of a repository for the gates with git, and finds out what a call changed.

mod compare;
pub mod file_content;
pub mod git_brought;
pub mod own_files;
pub mod post_call_changes;
mod repository;
mod status;
pub mod work;
