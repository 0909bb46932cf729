//! Comments that are more than comments: programs, tools or the language
//! itself read them.

use super::Pair;
use crate::outline::{Kind, Outline};

/// Programs that read docstrings, their own or others'.
const DOCSTRINGS: &[&str] = &[
    "__doc__",
    "getdoc",
    "doctest",
    "docopt",
    "click",
    "typer",
    "fastapi",
    "FastAPI",
    "tool",
    "cmdclass",
    "strawberry",
    "help",
];

/// Derived from comments, too: what a program says of its options.
const RUST_DOCS: &[&str] = &[
    "clap",
    "Parser",
    "Args",
    "Subcommand",
    "ValueEnum",
    "StructOpt",
    "structopt",
    "JsonSchema",
    "FromArgs",
    "argh",
    "uniffi",
    "pyclass",
    "pyfunction",
];

/// Whether other comments may be another program.
pub(super) fn may_matter(pair: &Pair) -> bool {
    let sides = [pair.before, pair.after];
    let mentions = |words: &[&str]| {
        sides.iter().any(|it| words.iter().any(|word| !it.mentions(word.as_bytes()).is_empty()))
    };
    let says = |bytes: &[u8]| sides.iter().any(|it| it.has_in_comment(bytes));
    match pair.before.language.name {
        "python" => mentions(DOCSTRINGS),
        "rust" => (says(b"///") || says(b"//!") || says(b"/**")) && mentions(RUST_DOCS),
        // The compiler reads those first: one may be the end of the line.
        "java" => says(b"\\u"),
        "go" => {
            let has_c = |it: &Outline| {
                let mut imports = it.pieces.iter().filter(|it| it.kind == Kind::Import);
                imports.any(|it| it.raw.windows(3).any(|it| it == b"\"C\""))
            };
            // What an example has to print.
            has_c(&pair.old) || has_c(&pair.new) || says(b"utput:")
        }
        _ => says(b"webpack") || says(b"@vite") || says(b"__PURE__"),
    }
}
