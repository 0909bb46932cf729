//! What a caller may tell the reader beyond the line itself.

use super::How;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// The user's own programs that run the command after their options, as `sudo` does.
    pub proxies: Vec<String>,
    /// The user's own programs that write files.
    pub writers: Vec<Writer>,
    /// Variables that the line starts with. If `HOME` is not among them it is `~`; every other
    /// variable is unknown.
    pub variables: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Writer {
    /// Its name and the words of a subcommand: `buf generate`.
    pub program: String,
    /// Options whose value is an output file, as they are typed: `-o`, `--out`.
    pub options: Vec<String>,
    pub operands: Operands,
    pub how: How,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    None,
    Last,
    All,
}
