//! What a command line runs, writes and reads. Pure, total and a leaf: it only looks at text, never
//! executes anything, and imports no other module of roz.
//!
//! ```text
//! line ─► scan ─► syntax tree ─► walk ─► Reading
//!         quotes,                variables, functions, `cd`, wrappers,
//!         operators,             nested code, options, files written
//!         here-documents
//! ```
//!
//! Everything that *may* run is in the reading: a branch that is not taken, a loop of zero rounds, the
//! command after `exit`. A mention in a string, a comment, a here-document that goes to a file or a
//! function that is never called is not. Unknown text is a [`HOLE`] in a word; no word is left out.
//!
//! It cannot see what a compiled program or a script does, what files contain, what programs print
//! (except literal `echo`, `printf` and `base64 -d`), the environment beyond [`Options::variables`],
//! whether a `cd` fails, and which files a pattern finds. `curl … | sh` is a run of `sh` with the
//! certainty [`Certainty::Opaque`]. Scripts are only named ([`Reading::scripts`]): a shim judges what
//! they start when it runs.
//!
//! The work is bounded (see [`limit`]): input beyond the bounds is [`Unreadable`], which is not the
//! same as empty. A caller then matches the [`raw_words`] as well, so that padding a line hides nothing.

mod base_name;
mod command_key;
mod escapes;
mod field;
mod glob;
pub(crate) mod limit;
mod raw_words;
mod read_options;
mod reading;
mod scan;
mod syntax;
mod table;
mod walk;

#[cfg(test)]
mod tests;

pub use base_name::last_part;
pub use command_key::may_match;
pub use glob::matches as pattern_matches;
pub use raw_words::raw_words;
pub use read_options::{Operands, Options, Writer};
pub use reading::{
    Certainty, Code, HOLE, How, Interpreter, ReadOf, Reading, Run, Script, Unreadable, Write,
};
pub use table::global_options::{git_folders, git_options, is_git_verb};

/// Reads a command line as bash would, without running any of it.
pub fn read(line: &str) -> Reading {
    read_with(line, &Options::default())
}

/// [`read`], with what the caller knows beyond the line.
pub fn read_with(line: &str, options: &Options) -> Reading {
    walk::line(line, options)
}
