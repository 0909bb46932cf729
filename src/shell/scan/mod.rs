//! Text to syntax tree. One pass, recursive, with a depth that [`limit::DEPTH`] bounds. On an error it
//! stops and keeps what it has: bash runs the lines before a syntax error, too.
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
