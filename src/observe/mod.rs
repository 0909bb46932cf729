//! What is there: looks at a repository that the gates ask for.

pub mod work;
