//! The command line.

#![allow(dead_code, reason = "not wired to `main` yet")]

mod config;

/// How a verb ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Exit {
    Success,
    Failure,
}
