//! Programs with commands of their own, some of which go to a shell or to a file: clients of
//! databases, calculators, other languages' consoles. They take them from options, files, the input.

use super::super::table::grammar::Grammar;
use super::super::{How, Interpreter};
use super::call::Call;
use super::foreign::is_input;
use super::{Io, Walker};

/// A program: its names, its options with a value, those that hold commands, those that name a file
/// of them, those that name a file to write or a `|command`.
struct Spoken {
    names: &'static [&'static str],
    grammar: Grammar,
    code: &'static [&'static str],
    files: &'static [&'static str],
    outputs: &'static [&'static str],
    /// What its operands are: files of commands.
    reads_operands: bool,
    verbs: &'static [(&'static str, Verb)],
}

/// What stands behind a verb.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// Code for a shell, to the end of the line.
    Shell,
    /// A file to write, or a `|command`.
    Output,
    /// A file of commands.
    Source,
    /// The same code, in a text or in a function's brackets.
    Quoted,
    Python,
    /// Code for a shell wherever the sign stands, but before a comparison.
    Sign,
    /// The same in brackets, and in the quotes of m4.
    Called,
}

use Verb::{Called, Output, Python, Quoted, Shell, Sign, Source};

static SPOKEN: &[Spoken] = &[
    Spoken {
        names: &["psql", "pgcli"],
        grammar: Grammar {
            letters: "chpUdfvoLFRTP",
            long: &[
                "command", "file", "output", "log-file", "host", "port", "username", "dbname",
                "set",
            ],
        },
        code: &["c", "command", "v", "set"],
        files: &["f", "file"],
        outputs: &["o", "output", "L", "log-file"],
        reads_operands: false,
        verbs: &[
            ("\\!", Shell),
            ("\\o ", Output),
            ("\\out ", Output),
            ("\\g ", Output),
            ("\\gx ", Output),
            ("\\w ", Output),
            ("\\write ", Output),
            ("\\s ", Output),
            ("\\i ", Source),
            ("\\ir ", Source),
            ("\\include ", Source),
            ("\\setenv PAGER ", Quoted),
            ("\\setenv PSQL_PAGER ", Quoted),
            ("\\setenv EDITOR ", Quoted),
            (" program ", Quoted),
            ("`", Quoted),
        ],
    },
    Spoken {
        names: &["mysql", "mariadb", "mycli"],
        grammar: Grammar {
            letters: "ehPuDS",
            long: &["execute", "tee", "pager", "host", "port", "user", "database", "init-command"],
        },
        code: &["e", "execute"],
        files: &[],
        outputs: &["tee"],
        reads_operands: false,
        verbs: &[
            ("\\!", Shell),
            ("system ", Shell),
            ("\\P ", Shell),
            ("pager ", Shell),
            ("\\T ", Output),
            ("tee ", Output),
            ("\\. ", Source),
            ("source ", Source),
        ],
    },
    Spoken {
        names: &["dc"],
        grammar: Grammar { letters: "ef", long: &["expression", "file"] },
        code: &["e", "expression"],
        files: &["f", "file"],
        outputs: &[],
        reads_operands: true,
        verbs: &[("!", Sign)],
    },
    Spoken {
        names: &["m4", "gm4"],
        grammar: Grammar {
            letters: "DUIFodLtBHNlR",
            long: &["define", "undefine", "include", "freeze-state", "debugfile", "error-output"],
        },
        code: &["D", "define"],
        files: &[],
        outputs: &["F", "freeze-state", "o", "debugfile", "error-output"],
        reads_operands: true,
        verbs: &[
            ("syscmd(", Called),
            // Another name of it.
            (",syscmd)", Called),
            ("`syscmd',", Called),
            ("debugfile(", Output),
        ],
    },
    Spoken {
        names: &["tex", "latex", "pdftex", "pdflatex", "xetex", "xelatex", "luatex", "lualatex"],
        grammar: Grammar { letters: "", long: &[] },
        code: &[],
        files: &[],
        outputs: &[],
        reads_operands: true,
        verbs: &[("write18{", Called), ("directlua{", Called), ("\"|", Quoted)],
    },
    Spoken {
        names: &["gnuplot"],
        grammar: Grammar { letters: "ed", long: &[] },
        code: &["e"],
        files: &[],
        outputs: &[],
        reads_operands: true,
        verbs: &[
            ("!", Shell),
            ("set output ", Output),
            ("set out ", Output),
            ("set print ", Output),
            ("set table ", Output),
            ("save ", Output),
            ("<", Quoted),
            ("shell", Source),
        ],
    },
    Spoken {
        names: &["octave", "octave-cli", "matlab", "scilab", "scilab-cli"],
        grammar: Grammar { letters: "re", long: &["eval", "-batch", "-r", "-e"] },
        code: &["eval", "-batch", "-r", "-e", "e", "r"],
        files: &[],
        outputs: &[],
        reads_operands: true,
        verbs: &[("!", Shell), ("diary ", Output)],
    },
    Spoken {
        names: &["ghc", "ghci"],
        grammar: Grammar { letters: "e", long: &[] },
        code: &["e"],
        files: &[],
        outputs: &[],
        reads_operands: false,
        verbs: &[(":!", Shell)],
    },
    Spoken {
        names: &["ipython"],
        grammar: Grammar { letters: "c", long: &["profile"] },
        code: &["c"],
        files: &[],
        outputs: &[],
        reads_operands: true,
        verbs: &[("!!", Shell), ("!", Shell), ("= !", Shell), ("%sx ", Shell), ("%system ", Shell)],
    },
    Spoken {
        names: &["lldb"],
        grammar: Grammar { letters: "oOsS", long: &["one-line", "source"] },
        code: &["o", "O", "one-line"],
        files: &["s", "S", "source"],
        outputs: &[],
        reads_operands: false,
        verbs: &[("script ", Python), ("platform shell ", Shell), ("shell ", Shell)],
    },
];

fn row(name: &str) -> Option<&'static Spoken> {
    SPOKEN.iter().find(|row| row.names.contains(&name))
}

pub(super) fn is_known(name: &str) -> bool {
    // The first letters of the names, for all the programs that are none.
    name.starts_with(['p', 'm', 'd', 'g', 'o', 's', 'i', 'l', 't', 'x']) && row(name).is_some()
}

/// A file of commands may name another one.
const FILES: usize = 4;

impl Walker<'_> {
    pub(super) fn spoken(&mut self, name: &str, call: &Call) {
        let Some(row) = row(name) else { return };
        let taken = row.grammar.take(&call.words, 1);
        let values = |names: &'static [&'static str]| {
            let given = taken.options.iter().filter(move |it| names.contains(&it.name.as_str()));
            given.filter_map(|it| Some(it.value.as_ref()?.text.clone()))
        };
        let mut texts: Vec<String> = values(row.code).collect();
        let operands = taken.operands.iter().filter(|_| row.reads_operands);
        let files = values(row.files).chain(operands.map(|place| call.words[*place].text.clone()));
        for file in files.collect::<Vec<String>>() {
            texts.extend(self.commands_in(&file));
        }
        texts.extend(call.io.stdin.as_deref().map(str::to_owned));
        for output in values(row.outputs).collect::<Vec<String>>() {
            self.output_of(&output);
        }
        for text in texts {
            self.commands(&text, row, 0);
        }
    }

    /// The input is read anyway; an operand may be commands itself.
    fn commands_in(&mut self, file: &str) -> Option<String> {
        if file.contains(['\\', '\n']) {
            return Some(file.to_owned());
        }
        if is_input(file) { None } else { self.script_text(file, Interpreter::Other, &[]) }
    }

    fn commands(&mut self, text: &str, row: &Spoken, depth: usize) {
        let verbs = row.verbs.iter().filter(|it| text.contains(it.0.trim_end()));
        for (verb, kind) in verbs {
            for line in text.lines() {
                let (Some(place), true) = (place_of(line, verb, *kind), self.spend(1)) else {
                    continue;
                };
                let rest = line.get(place + verb.len()..).unwrap_or_default().trim();
                match kind {
                    Shell => {
                        let code = rest.trim_end_matches([']', ';']);
                        self.perhaps(|walker| walker.nested_code(code, &Io::default()));
                    }
                    Sign if rest.starts_with(['<', '>', '=']) => {}
                    Sign => {
                        let code = rest.trim_end_matches([']', 'x', 'p']);
                        let code = if rest.contains(']') { code } else { rest };
                        self.perhaps(|walker| walker.nested_code(code, &Io::default()));
                    }
                    Called => {
                        let code = called(rest);
                        self.perhaps(|walker| walker.nested_code(&code, &Io::default()));
                        if verb.starts_with("directlua") {
                            let given = super::super::foreign::Given::default();
                            self.acts(&code, Interpreter::Lua, &given);
                        }
                    }
                    Quoted => {
                        let code = quoted(rest, verb);
                        self.perhaps(|walker| walker.nested_code(code, &Io::default()));
                    }
                    Python => {
                        let given = super::super::foreign::Given::default();
                        self.acts(rest, Interpreter::Python, &given);
                    }
                    Output => self.output_of(rest),
                    Source if depth < FILES => {
                        if let Some(text) = self.commands_in(quoted(rest, "")) {
                            self.commands(&text, row, depth + 1);
                        }
                    }
                    Source => {}
                }
            }
        }
    }

    /// `file`, `|command`, in quotes or not.
    fn output_of(&mut self, text: &str) {
        let text = quoted(text, "");
        if let Some(code) = text.strip_prefix('|') {
            self.perhaps(|walker| walker.nested_code(code, &Io::default()));
            return;
        }
        let path = text.split_whitespace().next().unwrap_or_default();
        let path = path.trim_end_matches([';', ')']);
        self.record_write(path, How::Write, self.text_certainty(path));
    }
}

/// Where a verb stands in a line: one that is a sign anywhere, a word at the beginning of a command.
/// Signs within quotes are texts.
fn place_of(line: &str, verb: &str, kind: Verb) -> Option<usize> {
    if kind == Sign {
        return line.find(verb);
    }
    let lower = line.to_ascii_lowercase();
    line.match_indices(verb).map(|it| it.0).chain(lower.find(verb)).find(|at| {
        let before = line[..(*at).min(line.len())].trim_end();
        let begins = before.is_empty() || before.ends_with([';', '[']);
        match verb.chars().next() {
            // Not within a text of SQL.
            Some('\\') => before.matches('\'').count().is_multiple_of(2),
            Some('`' | ' ' | '=' | '"') => true,
            Some('<') => before.ends_with(['"', '\'']),
            _ => begins || verb.ends_with(['(', ')', '{']),
        }
    })
}

/// What stands in the brackets of a call, without the quotes of m4.
fn called(text: &str) -> String {
    let mut depth = 0_usize;
    let text = text.trim_start_matches('(');
    let end = text.find(|c: char| match c {
        '(' | '{' => {
            depth += 1;
            false
        }
        ')' | '}' if depth == 0 => true,
        ')' | '}' => {
            depth -= 1;
            false
        }
        _ => false,
    });
    text[..end.unwrap_or(text.len())].replace(['`', '\''], "")
}

/// The text in quotes that stands next, or all of it.
fn quoted<'a>(text: &'a str, verb: &str) -> &'a str {
    let text = text.trim();
    if matches!(verb, "`" | "<") {
        return text.split(['`', '"', '\'']).next().unwrap_or_default();
    }
    let quote = text.chars().next().filter(|it| matches!(it, '"' | '\'' | '`'));
    match quote {
        Some(quote) => text[1..].split(quote).next().unwrap_or_default(),
        None => text,
    }
}
