//! The limits of a reading. Each is far above what people and agents write, and low enough for an
//! answer within milliseconds and for a stack that no input can overflow.

/// The longest line, in bytes. The kernel refuses an argument above 128 KiB.
pub(crate) const LINE: usize = 256 * 1024;

/// How deep groups, substitutions, nested code and function calls may be nested, all together.
pub(crate) const DEPTH: usize = 40;

/// How much is walked in about 5 ms. A unit is a command, a file that it would write or run, or
/// about 256 bytes of text from an expansion.
pub(crate) const WORK: usize = 2_000;

/// How many words a text may have for each of its commands. An expansion is one more word.
pub(crate) const WORDS: usize = 4;

/// The most words from brace expansion of one word; with more, it is unknown.
pub(crate) const BRACES: usize = 256;

/// The most values that a variable may have at one point (one for each branch); with more, it is
/// unknown.
pub(crate) const VALUES: usize = 8;

/// The most words that a loop iterates over one by one; with more, its variable is unknown.
pub(crate) const ROUNDS: usize = 64;

/// The most readings of one simple command, one for each choice of its variables' values.
pub(crate) const CHOICES: usize = 16;

/// The longest text that is kept for a variable, an output or a file, in bytes.
pub(crate) const TEXT: usize = 128 * 1024;

/// The candidates of [`super::raw_words`], and the words in each.
pub(crate) const RAW_WORDS: usize = 4096;
pub(crate) const RAW_LENGTH: usize = 24;

/// The longest name of a file that Linux accepts, in bytes.
pub(crate) const NAME: usize = 4096;

/// The longest directory that `cd` is followed into, in bytes.
pub(crate) const PATH: usize = 1024;
