//! From syntax tree to reading: walks a line as bash would, and takes every branch.

mod brace;
mod budget;
mod builtin;
mod call_stack;
mod choices;
mod compound;
mod configured_writes;
mod descriptors;
mod dispatch;
mod expand;
mod files;
mod find;
mod git;
mod interpreter;
mod known_command;
mod list;
mod parameter;
mod paths;
mod pattern;
mod recorder;
mod redirections;
mod shell_state;
mod shells;
mod simple;
mod stdout;
pub(super) mod subprocess_calls;
mod unknown_options;
mod walker;
mod wrapper;
mod xargs;

use super::{Options, Reading};
use known_command::{Call, Io};
use walker::Walker;

/// Reads a line.
pub(super) fn line(line: &str, options: &Options) -> Reading {
    let mut walker = Walker::new(options);
    walker.code(line, &Io::default());
    walker.finish()
}
