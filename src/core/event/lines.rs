//! The command lines in a tool's input. Of the client's own tools they are known; of a server's
//! nobody knows what it calls its fields, or how deep they lie: one whose name says that it is
//! run counts, and every text of a tool whose name says that it runs what it is given. What a
//! file is to hold, and what people are told, is a mention.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::{
    core::{
        tool::Tool,
        words::{is_one, words},
    },
    shell,
};

/// As deep as texts are looked for.
const MAX_DEPTH: usize = 16;
/// More of them are not read of one call.
const MAX_LINES: usize = 128;
/// What may be a line is read beforehand up to this length, in bytes.
const MAX_PERHAPS: usize = 16 * 1024;

/// Fields that hold a command, of whatever tool; its words may be a list, or go on in another
/// field.
const COMMANDS: &str = "command cmd script program executable commandLine command_line";
const ARGUMENTS: &str = "args arguments argv params";
/// Words of a field's name that say the same of a text.
const RUN_FIELDS: &str = "command commands cmd cmds cmdline script scripts run runs exec execute \
    keys keystrokes shell bash stdin invocation program executable";
/// Those that say that it may be a line, or code in another language.
const CODE_FIELDS: &str = "code snippet cell expression input inputs";
/// Words of a tool's name by which all that it is given is run.
const RUN_TOOLS: &str = "run runs exec execute shell bash zsh sh terminal tty pty tmux console ssh \
    spawn subprocess process keys keystrokes stdin command commands cmd do eval evaluate invoke";
/// Fields that say what something is about, and not what is run.
const ABOUT: &str = "description title name reason explanation purpose summary comment label \
    message query prompt task url env environment thought thoughts justification";
/// What a file that another field names is to hold.
const CONTENTS: &str = "content contents text body data";

pub(super) fn command_lines<'a>(tool: &'a Tool, name: &str, input: &'a Value) -> Vec<Cow<'a, str>> {
    match tool {
        Tool::Shell { .. } | Tool::PowerShell { .. } => {
            tool.command().map(Cow::from).into_iter().collect()
        }
        Tool::Mcp => {
            let runs = words(name).iter().any(|it| is_one(RUN_TOOLS, it));
            let mut look = Look { runs, found: Vec::new() };
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
    Run,
    Code,
    /// It is told, and not run.
    Told,
}

struct Look<'a> {
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
                if says == Says::Run && items.len() > 1 {
                    self.found.push(joined(value));
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
        let get = |names: &str| names.split_whitespace().find_map(|it| fields.get(it));
        let program = get(COMMANDS);
        if let (Some(program), Some(arguments)) = (program, get(ARGUMENTS)) {
            let line = format!("{} {}", joined(program), joined(arguments));
            self.found.push(line.into());
        }
        let names_file = fields.keys().any(|name| {
            let name = name.to_lowercase();
            ["path", "file", "uri"].iter().any(|it| name.contains(it))
        });
        for (name, value) in fields {
            if is_one(COMMANDS, name) && value.is_array() {
                self.found.push(joined(value));
                continue;
            }
            let words = words(name);
            let has = |list: &str| words.iter().any(|it| is_one(list, it));
            let is_arguments = is_one(ARGUMENTS, name);
            let is_told = names_file && is_one(CONTENTS, name)
                || has(ABOUT) && !value.is_object()
                || is_arguments && program.is_some();
            let says = if says == Says::Told || is_told {
                Says::Told
            } else if has(RUN_FIELDS) || is_arguments && value.is_array() {
                Says::Run
            } else if has(CODE_FIELDS) {
                Says::Code
            } else {
                says
            };
            self.value(value, says, depth + 1);
        }
    }

    fn text(&mut self, text: &'a str, says: Says) {
        let is_line = text.trim().contains(char::is_whitespace);
        match says {
            Says::Run => self.found.push(text.into()),
            Says::Nothing if !self.runs || !is_line => (),
            Says::Told => (),
            // Nobody says in which language, and what is no line of a shell's is none.
            Says::Nothing | Says::Code => {
                // What is too long to be tried is told as a line that is not read to the end.
                if text.len() > MAX_PERHAPS || shell::read(text).unreadable.is_none() {
                    self.found.push(text.into());
                }
                if text.contains(['(', '`']) {
                    let starts = ["python3 -c", "node -e"];
                    self.found.extend(starts.map(|it| format!("{it} {}", quote(text)).into()));
                }
            }
        }
    }
}

fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A line, or a list of words as one.
fn joined(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(line) => line.into(),
        value => {
            let words = value.as_array().into_iter().flatten().filter_map(Value::as_str);
            words.map(quote).collect::<Vec<_>>().join(" ").into()
        }
    }
}
