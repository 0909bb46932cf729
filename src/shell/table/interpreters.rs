//! Programs that run code in a language other than the shell's.

use super::grammar::{Grammar, lists};
use super::index::index;
use crate::shell::Interpreter;

#[derive(Debug)]
pub(in crate::shell) struct Row {
    /// Names without a version: `python3.11` is `python`.
    pub(in crate::shell) names: &'static str,
    pub(in crate::shell) language: Interpreter,
    pub(in crate::shell) grammar: Grammar,
    /// Options whose value is code.
    pub(in crate::shell) code: &'static str,
    /// Options whose value is a file of code.
    pub(in crate::shell) files: &'static str,
    /// What the first operand is, where no option held code.
    pub(in crate::shell) operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum Operand {
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
    names: &'static str,
    language: Interpreter,
    letters: &'static str,
    long: &'static str,
    code: &'static str,
    operand: Operand,
) -> Row {
    let files = "f file makefile r require import loader experimental-loader preload -l -load \
            load script -script";
    Row { names, language, grammar: Grammar { letters, long }, code, files, operand }
}

pub(in crate::shell) static INTERPRETERS: &[Row] = &[
    row(
        "python pypy ipython micropython jython",
        Interpreter::Python,
        "cmWXQ",
        "check-hash-based-pycs",
        "c",
        Operand::File,
    ),
    row(
        "node nodejs tsx ts-node ts-node-dev ts-node-esm vite-node esno jiti swc-node \
        electron mongosh mongo zx babel-node",
        Interpreter::JavaScript,
        "eprCP",
        "eval print require import loader experimental-loader conditions env-file",
        "e p eval print",
        Operand::File,
    ),
    row(
        "bun",
        Interpreter::JavaScript,
        "epr",
        "eval print preload cwd",
        "e p eval print",
        Operand::File,
    ),
    row("deno", Interpreter::JavaScript, "", "", "", Operand::After("eval")),
    // `-l` and `-x` take a value only where it stands in the same word.
    row("perl", Interpreter::Perl, "eEIMmF", "", "e E", Operand::File),
    row("ruby jruby irb rake", Interpreter::Ruby, "eErIFKf", "execute", "e execute", Operand::File),
    row("php", Interpreter::Php, "rBREfcdz", "run file", "r B R E run", Operand::File),
    row(
        "awk gawk mawk nawk original-awk",
        Interpreter::Awk,
        "FvfeiEW",
        "source file assign field-separator include exec",
        "e source",
        Operand::Code,
    ),
    row("lua luajit texlua", Interpreter::Lua, "elW", "", "e", Operand::File),
    row("tclsh wish", Interpreter::Tcl, "", "", "", Operand::File),
    row("expect", Interpreter::Tcl, "cf", "", "c", Operand::File),
    row("osascript", Interpreter::AppleScript, "el", "", "e", Operand::File),
    row(
        "java jshell groovy kotlinc kotlin scala Rscript R julia swift",
        Interpreter::Other,
        "ReE",
        "-cp -classpath class-path feedback eval -script",
        "e E eval",
        Operand::File,
    ),
    row(
        "elixir guile racket runghc runhaskell dart raku octave",
        Interpreter::Other,
        "ecr",
        "eval expr",
        "e c eval expr",
        Operand::File,
    ),
    row(
        "emacs emacsclient",
        Interpreter::Other,
        "lef",
        "eval load script execute -eval -execute -load -l -script",
        "eval execute -eval -execute e",
        Operand::Other,
    ),
    row("go zig crystal mix", Interpreter::Other, "e", "eval", "e eval", Operand::After("eval")),
    row(
        "sbcl ecl clisp ccl abcl clojure clj bb janet fennel iex csi gosh chibi-scheme scheme ghc \
         ghci ocaml jjs jrunscript bsh littler coffee qjs d8 jsc rhino groovysh gforth nim perl6 erb",
        Interpreter::Other,
        "exl",
        "eval load script -eval -e",
        "e x eval -eval -e",
        Operand::File,
    ),
    row(
        "erl swipl gprolog scilab scilab-cli maxima matlab octave-cli",
        Interpreter::Other,
        "ger",
        "eval -eval -batch -r -e batch-string query-goal goal",
        "g e r eval -eval -batch -r -e batch-string query-goal goal",
        Operand::File,
    ),
    row("gnuplot", Interpreter::Other, "e", "", "e", Operand::File),
    row("tcc", Interpreter::Other, "", "", "", Operand::File),
    row(
        "make gmake",
        Interpreter::Make,
        "CEfIjlo",
        "eval ev eva file directory makefile",
        "eval E ev eva",
        Operand::Other,
    ),
];

pub(in crate::shell) fn find(name: &str) -> Option<&'static Row> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let row = |name: &str| {
        let rows = index!(INTERPRETERS).rows(name).map(|place| &INTERPRETERS[place]);
        rows.into_iter().find(|row| lists(row.names, name))
    };
    row(name).or_else(|| row(bare))
}
