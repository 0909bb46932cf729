//! The command lines in a tool's input. Of the client's own tools they are known; of a server's
//! nobody knows what it calls its fields, or how deep they lie: one whose name says that it is
//! run counts, and every text of a tool whose name says that it runs what it is given. What a
//! file is to hold, and what people are told, is a mention.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{core::intent::class::words, shell};

/// As deep as texts are looked for.
const MAX_DEPTH: usize = 16;
/// More of them are not read of one call.
const MAX_LINES: usize = 128;

/// What may be a line is read beforehand up to this length, in bytes.
const MAX_PERHAPS: usize = 16 * 1024;

/// Fields that hold a command, of whatever tool. The words of it may be a list, or go on in
/// another field.
const COMMANDS: &[&str] =
    &["command", "cmd", "script", "program", "executable", "commandLine", "command_line"];
const ARGUMENTS: &[&str] = &["args", "arguments", "argv", "params"];

/// Words of a field's name that say the same of a text.
const RUN_FIELDS: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "cmds",
    "cmdline",
    "script",
    "scripts",
    "run",
    "runs",
    "exec",
    "execute",
    "keys",
    "keystrokes",
    "shell",
    "bash",
    "stdin",
    "invocation",
];
/// Those that say that it is code, be it a shell's or another language's.
const CODE_FIELDS: &[&str] = &["code", "snippet", "cell", "expression"];
/// Words of a tool's name by which all that it is given is run.
const RUN_TOOLS: &[&str] = &[
    "run",
    "runs",
    "exec",
    "execute",
    "shell",
    "bash",
    "zsh",
    "sh",
    "terminal",
    "tty",
    "pty",
    "tmux",
    "console",
    "ssh",
    "spawn",
    "subprocess",
    "process",
    "keys",
    "keystrokes",
    "stdin",
    "command",
    "commands",
    "cmd",
    "do",
    "eval",
    "evaluate",
    "invoke",
];
/// Fields of such a tool that say what it is about, and not what is run.
const ABOUT: &[&str] = &[
    "description",
    "title",
    "name",
    "reason",
    "explanation",
    "purpose",
    "summary",
    "comment",
    "label",
    "message",
    "query",
    "prompt",
    "task",
    "url",
    "env",
    "environment",
    "thought",
    "thoughts",
    "justification",
];
/// What a file that another field names is to hold.
const CONTENTS: &[&str] = &["content", "contents", "text", "body", "data"];

/// The words of a name that say in which language code is written, and how it is started.
const LANGUAGES: &[(&[&str], &str)] = &[
    (&["python", "python3", "py", "ipython", "jupyter", "notebook", "pandas"], "python3 -c"),
    (
        &[
            "javascript",
            "js",
            "node",
            "nodejs",
            "typescript",
            "ts",
            "browser",
            "playwright",
            "puppeteer",
            "chrome",
            "devtools",
            "page",
            "deno",
            "bun",
        ],
        "node -e",
    ),
    (&["ruby", "rb"], "ruby -e"),
    (&["perl"], "perl -e"),
    (&["php"], "php -r"),
];

pub(super) fn command_lines<'a>(tool: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
    match tool {
        "Bash" | "PowerShell" | "Monitor" => {
            let line = input.get("command").and_then(Value::as_str);
            line.map(Cow::from).into_iter().collect()
        }
        _ if tool.starts_with("mcp__") => {
            let names = words(tool);
            let has = |list: &[&str]| names.iter().any(|it| list.contains(&it.as_str()));
            let mut look = Look { language: language(&names), runs: has(RUN_TOOLS), found: vec![] };
            look.value(input, Says::Nothing, 0);
            look.found
        }
        _ => Vec::new(),
    }
}

/// What the names that lead to a text say of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Says {
    Nothing,
    /// Nothing either, and only what a name says to be run is: the parameters of something.
    Named,
    Run,
    Code,
    /// Run where it can be read as a line, and else told.
    Perhaps,
    /// It is told, and not run.
    Told,
}

struct Look<'a> {
    /// How code is started, where a name says it.
    language: Option<&'static str>,
    /// All that the tool is given is run.
    runs: bool,
    found: Vec<Cow<'a, str>>,
}

impl<'a> Look<'a> {
    fn value(&mut self, value: &'a Value, says: Says, depth: usize) {
        if depth > MAX_DEPTH || self.found.len() >= MAX_LINES {
            return;
        }
        match value {
            Value::String(text) => self.text(text, says),
            // The words of one command, or commands: each may be either.
            Value::Array(items) => {
                if says == Says::Run
                    && items.len() > 1
                    && let Some(line) = quoted(value)
                {
                    self.found.push(line.into());
                }
                for it in items {
                    self.value(it, says, depth + 1);
                }
            }
            Value::Object(fields) => self.fields(fields, says, depth),
            _ => (),
        }
    }

    fn fields(&mut self, fields: &'a Map<String, Value>, says: Says, depth: usize) {
        // The whole of a command in one list, where no field names the program.
        let has_program = COMMANDS.iter().any(|it| fields.contains_key(*it));
        let starts: &[&str] = if has_program { COMMANDS } else { &["argv", "args"] };
        let mut taken: Vec<&str> = Vec::new();
        for name in starts {
            let text = |it| command(it, fields);
            if let Some(line) = fields.get(*name).and_then(text).filter(|it| !it.is_empty()) {
                match self.language.filter(|_| *name == "script") {
                    Some(start) => self.found.push(started(start, &line).into()),
                    None => self.found.push(line),
                }
                taken.push(name);
            }
        }
        if has_program && !taken.is_empty() {
            taken.extend(ARGUMENTS);
        }
        let names_file = fields.keys().any(|it| {
            let it = it.to_lowercase();
            ["path", "file", "uri"].iter().any(|word| it.contains(word))
        });
        let before = self.language;
        let said = ["language", "lang", "runtime", "interpreter", "kernel"];
        let said = said.iter().find_map(|it| fields.get(*it)?.as_str());
        self.language = said.map_or(before, |it| language(&words(it)));
        for (name, value) in fields.iter().filter(|it| !taken.contains(&it.0.as_str())) {
            let has = |list: &[&str]| words(name).iter().any(|it| list.contains(&it.as_str()));
            let says = match says {
                _ if names_file && CONTENTS.contains(&name.as_str()) => Says::Told,
                Says::Told => Says::Told,
                _ if has(ABOUT) => Says::Told,
                _ if has(CODE_FIELDS) => Says::Code,
                _ if has(RUN_FIELDS) => Says::Run,
                Says::Nothing if ARGUMENTS.contains(&name.as_str()) => Says::Named,
                Says::Nothing | Says::Named if name == "input" || name == "inputs" => Says::Perhaps,
                says => says,
            };
            self.value(value, says, depth + 1);
        }
        self.language = before;
    }

    fn text(&mut self, text: &'a str, says: Says) {
        let is_line = || text.trim().contains(char::is_whitespace);
        let says = match says {
            Says::Nothing if self.runs && is_line() => Says::Code,
            says => says,
        };
        match (says, self.language) {
            _ if text.is_empty() => (),
            (Says::Nothing | Says::Named | Says::Told, _) => (),
            (Says::Perhaps, _) => {
                if text.len() <= MAX_PERHAPS && shell::read(text).unreadable.is_none() {
                    self.found.push(text.into());
                }
            }
            (Says::Run, None) => self.found.push(text.into()),
            (_, Some(start)) => self.found.push(started(start, text).into()),
            (Says::Code, None) => {
                // Nobody says which, and what is no line of a shell's is none.
                self.found.push(text.into());
                if text.contains(['(', '`']) {
                    self.found.push(started("python3 -c", text).into());
                    self.found.push(started("node -e", text).into());
                }
            }
        }
    }
}

fn language(names: &[String]) -> Option<&'static str> {
    let says = |it: &&(&[&str], &str)| names.iter().any(|name| it.0.contains(&name.as_str()));
    LANGUAGES.iter().find(says).map(|it| it.1)
}

fn started(start: &str, code: &str) -> String {
    format!("{start} {}", quote(code))
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A list of words as a line.
fn quoted(value: &Value) -> Option<String> {
    let words = value.as_array()?.iter().filter_map(Value::as_str).map(quote);
    Some(words.collect::<Vec<_>>().join(" "))
}

/// A command whose words may be a list, or stand in a field of their own.
fn command<'a>(value: &'a Value, fields: &'a Map<String, Value>) -> Option<Cow<'a, str>> {
    let command = match value {
        Value::String(line) => Cow::from(line),
        list => Cow::from(quoted(list)?),
    };
    let mut more = ARGUMENTS.iter().filter_map(|it| fields.get(*it));
    let Some(more) = more.find(|it| !std::ptr::eq(*it, value)) else { return Some(command) };
    let more = match more {
        Value::String(line) => line.clone(),
        list => quoted(list).unwrap_or_default(),
    };
    Some(if more.is_empty() { command } else { Cow::from(format!("{command} {more}")) })
}
