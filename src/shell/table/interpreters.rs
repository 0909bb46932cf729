//! Programs that run code in a language other than the shell's.

use super::grammar::{Grammar, lists};
use super::index::index;
use crate::shell::Interpreter::{
    self, AppleScript, Awk, JavaScript, Lua, Make, Perl, Php, Python, Ruby, Tcl,
};

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
    /// What the first operand is, if no option contained code.
    pub(in crate::shell) operand: Operand,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::shell) enum Operand {
    /// A file of code; without one, the input is code.
    File,
    /// Code itself.
    Code,
    /// A word that must come before the code (`deno eval`).
    After(&'static str),
    /// No code.
    Other,
}

const fn row(names: &'static str, language: Interpreter) -> Row {
    let files = "f file makefile r require import loader experimental-loader preload \
        -l -load load script -script";
    Row { names, language, grammar: Grammar::NONE, code: "", files, operand: Operand::File }
}

impl Row {
    const fn options(self, letters: &'static str, long: &'static str) -> Self {
        Self { grammar: Grammar { letters, long }, ..self }
    }

    const fn code(self, code: &'static str) -> Self {
        Self { code, ..self }
    }

    const fn operand(self, operand: Operand) -> Self {
        Self { operand, ..self }
    }
}

// Laid out by hand, as `cargo fmt` gives each option of a row a line of its own.
#[rustfmt::skip]
pub(in crate::shell) static INTERPRETERS: &[Row] = &[
    row("python pypy ipython micropython jython", Python).options("cmWXQ", "check-hash-based-pycs")
        .code("c"),
    row("node nodejs tsx ts-node ts-node-dev ts-node-esm vite-node esno jiti swc-node electron \
        mongosh mongo zx babel-node", JavaScript)
        .options("eprCP", "eval print require import loader experimental-loader conditions \
        env-file").code("e p eval print"),
    row("bun", JavaScript).options("epr", "eval print preload cwd").code("e p eval print"),
    row("deno", JavaScript).operand(Operand::After("eval")),
    // `-l` and `-x` take a value only in the same word.
    row("perl", Perl).options("eEIMmF", "").code("e E"),
    row("ruby jruby irb rake", Ruby).options("eErIFKf", "execute").code("e execute"),
    row("php", Php).options("rBREfcdz", "run file").code("r B R E run"),
    row("awk gawk mawk nawk original-awk", Awk)
        .options("FvfeiEW", "source file assign field-separator include exec").code("e source")
        .operand(Operand::Code),
    row("lua luajit texlua", Lua).options("elW", "").code("e"),
    row("tclsh wish", Tcl),
    row("expect", Tcl).options("cf", "").code("c"),
    row("osascript", AppleScript).options("el", "").code("e"),
    row("java jshell groovy kotlinc kotlin scala Rscript R julia swift", Interpreter::Other)
        .options("ReE", "-cp -classpath class-path feedback eval -script").code("e E eval"),
    row("elixir guile racket runghc runhaskell dart raku octave", Interpreter::Other)
        .options("ecr", "eval expr").code("e c eval expr"),
    row("emacs emacsclient", Interpreter::Other)
        .options("lef", "eval load script execute -eval -execute -load -l -script")
        .code("eval execute -eval -execute e").operand(Operand::Other),
    row("go zig crystal mix", Interpreter::Other).options("e", "eval").code("e eval")
        .operand(Operand::After("eval")),
    row("sbcl ecl clisp ccl abcl clojure clj bb janet fennel iex csi gosh chibi-scheme scheme ghc \
        ghci ocaml jjs jrunscript bsh littler coffee qjs d8 jsc rhino groovysh gforth nim perl6 \
        erb", Interpreter::Other).options("exl", "eval load script -eval -e")
        .code("e x eval -eval -e"),
    row("erl swipl gprolog scilab scilab-cli maxima matlab octave-cli", Interpreter::Other)
        .options("ger", "eval -eval -batch -r -e batch-string query-goal goal")
        .code("g e r eval -eval -batch -r -e batch-string query-goal goal"),
    row("gnuplot", Interpreter::Other).options("e", "").code("e"),
    row("tcc", Interpreter::Other),
    row("make gmake", Make).options("CEfIjlo", "eval ev eva file directory makefile")
        .code("eval E ev eva").operand(Operand::Other),
];

pub(in crate::shell) fn find(name: &str) -> Option<&'static Row> {
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let row = |name: &str| {
        let rows = index!(INTERPRETERS).rows(name).map(|place| &INTERPRETERS[place]);
        rows.into_iter().find(|row| lists(row.names, name))
    };
    row(name).or_else(|| row(bare))
}
