//! What is there: looks at a repository that the gates ask for.

mod repository;
mod status;
pub mod work;
