//! Programs that run code in a language other than the shell's.

use super::super::Interpreter;
use super::grammar::Grammar;
use super::index::index;

#[derive(Debug)]
pub(in super::super) struct Row {
    /// Names without a version: `python3.11` is `python`.
    pub(in super::super) names: &'static [&'static str],
    pub(in super::super) language: Interpreter,
    pub(in super::super) grammar: Grammar,
    /// Options whose value is code.
    pub(in super::super) code: &'static [&'static str],
    /// Options whose value is a file of code.
    pub(in super::super) files: &'static [&'static str],
    /// What the first operand is, where no option held code.
    pub(in super::super) operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Operand {
    /// A file of code; without one the input is code.
    File,
    /// Code itself.
    Code,
    /// A word that must come before the code (`deno eval`).
    After(&'static str),
    /// No code.
    Other,
}

const fn row(
    names: &'static [&'static str],
    language: Interpreter,
    letters: &'static str,
    long: &'static [&'static str],
    code: &'static [&'static str],
    operand: Operand,
) -> Row {
    let files = &["f", "file", "makefile", "r", "require", "import", "loader", "preload"];
    Row { names, language, grammar: Grammar { letters, long }, code, files, operand }
}

pub(in super::super) static INTERPRETERS: &[Row] = &[
    row(
        &["python", "pypy", "ipython", "micropython"],
        Interpreter::Python,
        "cmWXQ",
        &["check-hash-based-pycs"],
        &["c"],
        Operand::File,
    ),
    row(
        &["node", "nodejs", "tsx", "ts-node"],
        Interpreter::JavaScript,
        "eprCP",
        &["eval", "print", "require", "import", "loader", "conditions", "env-file"],
        &["e", "p", "eval", "print"],
        Operand::File,
    ),
    row(
        &["bun"],
        Interpreter::JavaScript,
        "epr",
        &["eval", "print", "preload", "cwd"],
        &["e", "p", "eval", "print"],
        Operand::File,
    ),
    row(&["deno"], Interpreter::JavaScript, "", &[], &[], Operand::After("eval")),
    // `-l` and `-x` take a value only where it stands in the same word.
    row(&["perl"], Interpreter::Perl, "eEIMmF", &[], &["e", "E"], Operand::File),
    row(&["ruby", "jruby"], Interpreter::Ruby, "eErIFK", &[], &["e"], Operand::File),
    row(
        &["php"],
        Interpreter::Php,
        "rBREfcdz",
        &["run", "file"],
        &["r", "B", "R", "E", "run"],
        Operand::File,
    ),
    row(
        &["awk", "gawk", "mawk", "nawk", "original-awk"],
        Interpreter::Awk,
        "FvfeiE",
        &["source", "file", "assign", "field-separator", "include", "exec"],
        &["e", "source"],
        Operand::Code,
    ),
    row(&["lua", "luajit", "texlua"], Interpreter::Lua, "elW", &[], &["e"], Operand::File),
    row(&["tclsh", "wish"], Interpreter::Tcl, "", &[], &[], Operand::File),
    row(&["expect"], Interpreter::Tcl, "cf", &[], &["c"], Operand::File),
    row(&["osascript"], Interpreter::AppleScript, "el", &[], &["e"], Operand::File),
    row(
        &[
            "java", "jshell", "groovy", "kotlinc", "kotlin", "scala", "Rscript", "R", "julia",
            "swift",
        ],
        Interpreter::Other,
        "Re",
        &["-cp", "-classpath", "class-path", "feedback", "eval", "-script"],
        &["e", "eval"],
        Operand::File,
    ),
    row(
        &["elixir", "guile", "racket", "runghc", "runhaskell", "dart", "raku", "nu", "octave"],
        Interpreter::Other,
        "ecr",
        &["eval", "expr"],
        &["e", "c", "eval", "expr"],
        Operand::File,
    ),
    row(
        &["emacs"],
        Interpreter::Other,
        "l",
        &["eval", "load", "script"],
        &["eval"],
        Operand::Other,
    ),
    row(&["go", "zig"], Interpreter::Other, "", &[], &[], Operand::After("eval")),
    row(
        &["make", "gmake"],
        Interpreter::Make,
        "CEfIjlo",
        &["eval", "ev", "eva", "file", "directory", "makefile"],
        &["eval", "E", "ev", "eva"],
        Operand::Other,
    ),
];

pub(in super::super) fn find(name: &str) -> Option<&'static Row> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let row = |name: &str| {
        let rows = index!(INTERPRETERS).rows(name).map(|place| &INTERPRETERS[place]);
        rows.into_iter().find(|row| row.names.contains(&name))
    };
    row(name).or_else(|| row(bare))
}
