//! What gdb is told: its commands run shells and programs, and write files.

use super::super::foreign::Given as Started;
use super::super::{How, Interpreter};
use super::call::Call;
use super::field::Field;
use super::{Io, Walker};

impl Walker<'_> {
    /// `gdb -ex command`, `gdb -x file`, `gdb < file`, `gdb --args program …`.
    pub(super) fn debugger(&mut self, call: &Call) {
        let words = &call.words;
        let behind = |names: &[&str]| {
            let given = words.iter().enumerate().filter_map(|(at, word)| {
                let (name, value) = debugger_option(&word.text)?;
                let next = || words.get(at + 1).map(|it| it.text.clone());
                names.contains(&name).then(|| value.map(str::to_owned).or_else(next))?
            });
            given.collect::<Vec<String>>()
        };
        let mut lines = behind(&[
            "ex",
            "iex",
            "eix",
            "eiex",
            "eval-command",
            "init-eval-command",
            "early-init-eval-command",
        ]);
        for file in behind(&["x", "ix", "command", "init-command", "early-init-command"]) {
            let text = self.script_text(&file, Interpreter::Other, &[]).unwrap_or_default();
            lines.extend(text.lines().map(str::to_owned));
        }
        let input = call.io.stdin.as_deref().unwrap_or_default();
        lines.extend(input.lines().map(str::to_owned));
        let lines: Vec<String> =
            lines.iter().flat_map(|it| it.lines()).map(str::to_owned).collect();
        let is_args = |it: &Field| debugger_option(&it.text).is_some_and(|it| it.0 == "args");
        let args = words.iter().position(is_args);
        let mut program: Vec<Field> = match args {
            Some(at) => words[at + 1..].to_vec(),
            None => debugged(words).into_iter().collect(),
        };
        // Lines that are put together, or have another name.
        let makes =
            |it: &String| ["eval ", "alias ", "define "].iter().any(|verb| it.starts_with(verb));
        if lines.iter().any(makes) {
            let code = format!("system {}", lines.join("\n"));
            self.acts(&code, Interpreter::Other, &Started::default());
        }
        for line in &lines {
            if !self.spend(1) {
                return;
            }
            let line = line.trim();
            let (verb, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
            match verb {
                "run" | "r" | "start" | "starti" => {
                    let given: Vec<Field> = rest.split_whitespace().map(Field::literal).collect();
                    let words = [&program[..], &given].concat();
                    if !words.is_empty() {
                        let inner = call.with_words(words);
                        self.enter(|walker| walker.call(inner));
                    }
                }
                "set" => match rest.split_whitespace().collect::<Vec<&str>>()[..] {
                    ["args", ref given @ ..] => {
                        program.truncate(1);
                        program.extend(given.iter().map(|it| Field::literal(it)));
                    }
                    ["exec-wrapper", ..] => {
                        let code = rest.trim_start_matches("exec-wrapper").to_owned();
                        self.nested_code(&code, &Io::default());
                    }
                    ["logging", "file", path] => {
                        self.record_write(path, How::Write, self.text_certainty(path));
                    }
                    _ => {}
                },
                "file" | "exec-file" => program = vec![Field::literal(rest)],
                "python" | "py" | "python-interactive" | "pi" => {
                    self.acts(rest, Interpreter::Python, &Started::default());
                }
                "pipe" | "|" => {
                    // `pipe -d @ command @ code`
                    let own = rest.strip_prefix("-d ").and_then(|it| it.trim().split_once(' '));
                    let (mark, rest) = own.unwrap_or(("|", rest));
                    if let Some((_, code)) = rest.split_once(mark) {
                        self.nested_code(code, &Io::default());
                    }
                }
                "target" | "dump" | "append" | "save" | "gcore" | "generate-core-file" | "eval"
                | "with" | "alias" | "define" => self.debugger_line(verb, rest),
                "source" | "so" => {
                    let text = self.script_text(rest, Interpreter::Other, &[]).unwrap_or_default();
                    self.command_lines(&text);
                    self.acts(&text, Interpreter::Other, &Started::default());
                }
                // `call (int) system("…")`
                _ if line.contains("system") || line.contains("exec") => {
                    self.acts(line, Interpreter::Other, &Started::default());
                }
                _ => match verb.strip_prefix('!') {
                    Some(first) => {
                        drop(self.nested_code(&format!("{first} {rest}"), &Io::default()));
                    }
                    None if verb.len() > 1 && "shell".starts_with(verb) => {
                        self.nested_code(rest, &Io::default());
                    }
                    None => {}
                },
            }
        }
    }

    /// Lines of gdb that write a file, and those that hold another one.
    fn debugger_line(&mut self, verb: &str, rest: &str) {
        const KINDS: &[&str] = &[
            "binary",
            "ihex",
            "srec",
            "tekhex",
            "verilog",
            "value",
            "memory",
            "breakpoints",
            "gdb-index",
            "tracepoints",
        ];
        match verb {
            "target" => {
                if let Some((_, code)) = rest.split_once('|') {
                    self.nested_code(code, &Io::default());
                }
            }
            // `eval "shell …"`, `with setting -- shell …`
            "eval" | "with" | "alias" | "define" => {
                let line = rest.rsplit("-- ").next().unwrap_or_default().trim_matches('"');
                if let Some(code) = line.strip_prefix("shell ").or(line.strip_prefix('!')) {
                    self.nested_code(code, &Io::default());
                }
            }
            _ => {
                if let Some(path) = rest.split_whitespace().find(|it| !KINDS.contains(it)) {
                    self.record_write(path, How::Write, self.text_certainty(path));
                }
            }
        }
    }
}

/// An option of gdb by its whole name, and its value where that stands in the same word. It takes
/// each by its beginning, behind one dash or two, as long as no other begins so.
fn debugger_option(word: &str) -> Option<(&'static str, Option<&str>)> {
    let option = word.strip_prefix('-').filter(|it| !it.is_empty())?;
    let option = option.strip_prefix('-').unwrap_or(option);
    let (name, value) = option.split_once('=').map_or((option, None), |it| (it.0, Some(it.1)));
    let mut all = TAKES.iter().chain(NAMES).chain(ALONE);
    if let Some(exact) = all.clone().find(|it| **it == name) {
        return Some((exact, value));
    }
    let mut begin = all.by_ref().filter(|it| !name.is_empty() && it.starts_with(name));
    let first = begin.next()?;
    begin.next().is_none().then_some((*first, value))
}

/// Options of gdb with a value.
const TAKES: &[&str] = &[
    "ex",
    "iex",
    "eix",
    "eiex",
    "x",
    "ix",
    "eval-command",
    "init-eval-command",
    "early-init-eval-command",
    "command",
    "init-command",
    "early-init-command",
    "cd",
    "d",
    "directory",
    "s",
    "symbols",
    "c",
    "core",
    "p",
    "pid",
    "b",
    "l",
    "tty",
    "D",
    "data-directory",
    "i",
    "interpreter",
    "ui",
    "annotate",
];
/// Those whose value is the program.
const NAMES: &[&str] = &["e", "exec", "se"];
/// Those without one.
const ALONE: &[&str] = &[
    "args",
    "batch",
    "batch-silent",
    "configuration",
    "fullname",
    "f",
    "help",
    "n",
    "nh",
    "nowindows",
    "nw",
    "nx",
    "q",
    "quiet",
    "r",
    "readnever",
    "readnow",
    "return-child-result",
    "silent",
    "statistics",
    "tui",
    "version",
    "w",
    "windows",
    "write",
];

/// The program that a debugger is started for: its first operand, if no option names one.
fn debugged(words: &[Field]) -> Option<Field> {
    let mut first = None;
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        if !word.text.starts_with('-') || word.text == "-" {
            first = first.or(Some(word));
            continue;
        }
        match debugger_option(&word.text) {
            Some((name, Some(value))) if NAMES.contains(&name) => {
                return Some(word.with_text(value));
            }
            Some((name, None)) if NAMES.contains(&name) => return rest.next().cloned(),
            Some((name, None)) if TAKES.contains(&name) => drop(rest.next()),
            _ => {}
        }
    }
    first.cloned()
}
