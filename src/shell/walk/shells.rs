//! Shells: the code that is passed to them, and the scripts that they would run.

use super::interpreter::is_input;
use super::shell_state::Value;
use super::{Call, Walker};
use crate::shell::field::texts;
use crate::shell::table::grammar::lists;
use crate::shell::{Certainty, HOLE, Interpreter};

impl Walker<'_> {
    /// `bash -c code name arguments…`, `bash file arguments…`, `bash` with code for its input.
    pub(super) fn shell(&mut self, call: &Call) -> String {
        let words = &call.words;
        let mut at = 1;
        let (mut takes_code, mut takes_input) = (false, false);
        let mut only_reads = false;
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if matches!(text, "--" | "-") {
                at += 1;
                break;
            }
            if let Some(long) = text.strip_prefix("--").or(long_of_bash(text)) {
                let names_a_file = matches!(long, "rcfile" | "init-file");
                if names_a_file && let Some(file) = words.get(at + 1) {
                    self.record_script(&file.text, Interpreter::Shell, &[]);
                }
                at += if names_a_file { 2 } else { 1 };
                continue;
            }
            let Some(letters) = text.strip_prefix(['-', '+']) else { break };
            takes_code |= text.starts_with('-') && letters.contains('c');
            takes_input |= letters.contains('s');
            only_reads |= text.starts_with('-') && letters.contains('n');
            // `-o pipefail`: each of these letters takes a word.
            at += 1 + letters.matches(['o', 'O']).count();
        }
        // `bash -n` only checks the syntax.
        if only_reads {
            self.record_command(words, call, Certainty::Literal);
            return String::new();
        }
        if takes_code {
            return self.shell_code(at, call);
        }
        if !takes_input && let Some(file) = words.get(at) {
            if is_input(&file.text) {
                return self.shell_input(at + 1, call);
            }
            return self.script_file(&file.text, texts(&words[at + 1..]), call);
        }
        self.shell_input(at, call)
    }

    fn shell_code(&mut self, at: usize, call: &Call) -> String {
        let Some(code) = call.words.get(at).filter(|code| !code.is_unknown()) else {
            self.record_command(&call.words, call, Certainty::Opaque);
            return call.unknown_output();
        };
        // The word after the code is `$0`.
        let name = call.words.get(at + 1).map_or("bash", |word| &word.text);
        let arguments = texts(call.words.get(at + 2..).unwrap_or(&[]));
        self.derived_if(code.resolved, |walker| walker.process(name, &code.text, arguments, call))
    }

    fn shell_input(&mut self, at: usize, call: &Call) -> String {
        let arguments = texts(call.words.get(at..).unwrap_or(&[]));
        match call.io.stdin.clone() {
            Some(text) if !text.trim().chars().eq([HOLE]) => {
                let name = HOLE.to_string();
                self.derived(|walker| walker.process(&name, &text, arguments, call))
            }
            stdin => {
                let is_of_line = stdin.is_none();
                let certainty = if is_of_line { Certainty::Literal } else { Certainty::Opaque };
                self.record_command(&call.words, call, certainty);
                call.unknown_output()
            }
        }
    }

    fn process(&mut self, name: &str, text: &str, arguments: Vec<String>, call: &Call) -> String {
        if !self.budget.spend(1 + self.env.size() / 16) {
            return String::new();
        }
        self.enter(|walker| {
            walker.isolated(|walker| {
                walker.env.keep_exported();
                walker.env.set("0", vec![Value::Text(name.to_owned())]);
                walker.env.put_positional(vec![Some(arguments)]);
                walker.code(text, &call.io)
            })
        })
    }

    /// Records a script in a file. In `bash <(…)` the code is in the line itself.
    fn script_file(&mut self, path: &str, arguments: Vec<String>, call: &Call) -> String {
        self.record_command(&call.words, call, Certainty::Opaque);
        self.record_read(path, self.text_certainty(path));
        match self.descriptors.text(path).map(str::to_owned) {
            Some(text) if !text.chars().eq([HOLE]) => {
                return self.derived(|walker| walker.process(path, &text, arguments, call));
            }
            Some(_) => {}
            None => self.record_script(path, Interpreter::Shell, &arguments),
        }
        call.unknown_output()
    }

    /// Records a program that may be a script: `./f.sh`, `../tools/x`.
    pub(super) fn script_of(&mut self, call: &Call) {
        let path = call.words[0].text.as_str();
        let is_of_system = SYSTEM.iter().any(|folder| path.starts_with(folder));
        if path.contains('/') && !is_of_system {
            let path = path.to_owned();
            self.record_script(&path, Interpreter::Itself, &texts(&call.words[1..]));
        }
    }
}

/// Whether it is a shell, or another program whose code is a program and its words.
pub(super) fn is_shell(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    const SHELLS: &str = "bash nu elvish xonsh osh ysh sh zsh dash ksh ash mksh rbash lksh yash pdksh rzsh fish \
        csh tcsh oil rc es ion posh bosh hush oksh loksh sash gosh brush murex";
    lists(SHELLS, name)
}

/// A long option of bash, which accepts them with one dash as well: `bash -norc`.
fn long_of_bash(option: &str) -> Option<&str> {
    const LONG: &str = "debugger init-file login noediting noprofile norc posix rcfile restricted";
    option.strip_prefix('-').filter(|name| lists(LONG, name))
}

/// Folders whose programs are not scripts of a project.
const SYSTEM: &[&str] = &["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/System/"];
