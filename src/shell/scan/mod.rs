//! Text to syntax tree, in one recursive pass whose depth [`limit::DEPTH`] limits. On an error it
//! stops and keeps what it has, because bash runs the lines before a syntax error, too.
//!
//! [`limit::DEPTH`]: super::limit::DEPTH

mod assignment;
mod compound;
mod expansions;
mod list;
mod scanner;
mod simple;
mod word;

pub(super) use assignment::head;
pub(super) use scanner::scan;
