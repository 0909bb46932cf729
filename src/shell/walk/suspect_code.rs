//! Code of another language that starts what nobody has followed: what its literals, its arguments,
//! its files and its environment say may be what it starts.

use super::super::foreign::{self, Given};
use super::super::{Certainty, Interpreter, Run, Unreadable};
use super::pieces::is_command_like;
use super::suspect::PIECES;
use super::{Walker, env::Made};
use std::collections::BTreeSet;

/// How code asks for its arguments.
const ASKS_ARGUMENTS: &[&str] = &[
    "ARGV",
    "argv",
    "ARGS",
    "$*",
    "$@",
    "parse_args",
    "parse_known_args",
    "parse_intermixed_args",
    "parseArgs",
    "OptionParser",
    "docopt",
    "click",
    "typer",
    "yargs",
    "commander",
    "minimist",
];

impl Walker<'_> {
    /// Code of another language starts a program that is not known: a text of several words in it
    /// may be what it starts, and so may its literals one behind the other, and what it asks for.
    pub(super) fn suspect_code(&mut self, code: &str, language: Interpreter, given: &Given) {
        if !self.may_guess() || !self.spend(1 + code.len() / 256) {
            return;
        }
        let quotes = |c: char| matches!(c, '"' | '\'' | '`');
        let texts = code.split(quotes).skip(1).filter(|it| it.contains(char::is_whitespace));
        let lines = texts.flat_map(str::lines).map(str::trim).filter(|it| is_command_like(it));
        // The environment, as far as the line has set it.
        let environment: Vec<String> = if ["env", "ENV"].iter().any(|it| code.contains(it)) {
            let known = |name: &str| self.options.variables.iter().any(|it| it.0 == name);
            let set = self.env.exported().filter(|(name, _)| !known(name));
            set.map(|(_, text)| text.to_owned()).take(PIECES).collect()
        } else {
            Vec::new()
        };
        // Its arguments one behind the other, what its files hold, and what is packed in it.
        let named = ASKS_ARGUMENTS.iter().any(|it| code.contains(it));
        let mut more = vec![if named { given.heard.join(" ") } else { String::new() }];
        let files = code.split(quotes).skip(1).filter(|it| it.len() < 256);
        let has_files = !self.env.files.is_empty();
        let mut wholes: Vec<String> = Vec::new();
        for name in files.take(PIECES).filter(|_| has_files) {
            if let Some(Made::Text(text)) = self.made(name) {
                if !self.spend(1 + text.len() / 64) {
                    return;
                }
                more.extend(text.lines().map(str::to_owned));
                wholes.push(text);
            }
        }
        more.extend(foreign::literal_texts(code, language));
        if foreign::reads_json(code) {
            wholes.extend(given.input.iter().map(ToString::to_string));
            wholes.extend(more.iter().cloned());
            let length: usize = wholes.iter().map(String::len).sum();
            if !self.spend(length / 64) {
                return;
            }
            let strings = wholes.iter().flat_map(|it| foreign::json_strings(it));
            let strings = strings.filter(|it| is_command_like(it.trim())).take(PIECES);
            let before = more.len();
            more.extend(strings);
            if more.len() >= before + PIECES {
                self.fail(Unreadable::Work);
            }
            more.rotate_left(before);
        }
        let told = given.told(code).into_iter().chain(environment.iter().map(String::as_str));
        let told = told.chain(more.iter().map(String::as_str));
        let told = told.map(str::trim).filter(|it| is_command_like(it));
        // Of long code, what is beyond these is looked at word for word, with its literals.
        let lines: BTreeSet<&str> = told.chain(lines).take(PIECES).collect();
        self.suspects.busy = true;
        for line in lines {
            self.suspected(line);
        }
        self.suspects.busy = false;
        self.suspect_literals(code, language);
    }

    fn suspect_literals(&mut self, code: &str, language: Interpreter) {
        let (commands, are_all) = foreign::literal_commands(code, language);
        if !are_all {
            self.fail(Unreadable::Work);
        }
        if !self.spend(commands.len() / 8) {
            return;
        }
        for argv in commands {
            let program = argv.first().map(|it| self.program_of(it)).unwrap_or_default();
            let run = Run {
                argv,
                program,
                assignments: Vec::new(),
                certainty: Certainty::Opaque,
                conditional: true,
                // Nobody has read the code around it.
                again: true,
                loose: false,
                folders: Vec::new(),
            };
            self.record_run(run);
        }
    }
}
