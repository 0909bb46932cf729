//! Dispatches a command: a function, a builtin, a wrapper, a shell or another program.

use super::expand::has_glob;
use super::known_command::quoted;
use super::shells::is_shell;
use super::{Call, Io, Walker};
use crate::shell::field::{Field, texts};
use crate::shell::table::{global_options, interpreters, wrappers};
use crate::shell::{Certainty, HOLE, Run, last_part};

/// Where package managers put the programs of a project.
const INSTALLED: &[&str] = &["/node_modules/.bin/", "/.venv/bin/", "/venv/bin/", "/vendor/bin/"];

/// How often a function that calls itself is walked.
const MOST_CALLS: usize = 3;

impl Walker<'_> {
    /// Walks a command, and returns its output if that matters.
    #[expect(clippy::needless_pass_by_value, reason = "most callers have made it for this")]
    pub(super) fn call(&mut self, call: Call) -> String {
        if !self.budget.spend(call.words.len() / 16) {
            return String::new();
        }
        let Some(first) = call.words.first() else { return String::new() };
        if first.is_unknown() {
            return self.unknown_program(&call);
        }
        let name = self.program(first);
        if call.direct {
            if let Some(output) = self.function_or_alias(&name, &call) {
                return output;
            }
            if let Some(output) = self.builtin(&name, &call) {
                return output;
            }
        }
        self.project_copy(&name, &call);
        if let Some(output) = self.wrapper(&name, &call) {
            return output;
        }
        if is_shell(&name) {
            return self.shell(&call);
        }
        self.other_program(&name, &call)
    }

    /// Walks a project's own copy of a program by its plain name as well: `.venv/bin/python`,
    /// `node_modules/.bin/tsx`. This is not done for `./git`, which is not git.
    fn project_copy(&mut self, name: &str, call: &Call) {
        let base = last_part(name);
        let runs = || {
            is_shell(base)
                || interpreters::find(base).is_some()
                || wrappers::find(base, &call.words[1..]).is_some()
        };
        // A package manager installs a program under its own name.
        let folder = format!("/{}", name.strip_suffix(base).unwrap_or(name));
        let is_installed = INSTALLED.iter().any(|installed| folder.ends_with(installed));
        if base != name && (is_installed || runs()) {
            let named = call.clone().renamed(base);
            self.conditionally(|walker| walker.inner_call(named));
        }
    }

    /// Walks an unknown program. If it is unquoted it may also be empty, so that the next word is
    /// the program: `$SUDO git push`.
    fn unknown_program(&mut self, call: &Call) -> String {
        if call.words[0].loose && call.words.len() > 1 {
            let rest = Call { words: call.words[1..].to_vec(), ..call.clone() };
            self.derived(|walker| walker.inner_call(rest));
        }
        self.record_command(&call.words, call, Certainty::Opaque);
        call.unknown_output()
    }

    /// Walks a function or an alias. `None` if the program of that name may run, too.
    fn function_or_alias(&mut self, name: &str, call: &Call) -> Option<String> {
        let count = self.calls.count(name);
        if let Some(function) = self.env.function(name).cloned() {
            // A function that calls itself is walked a few times: its arguments may change.
            if count >= MOST_CALLS {
                return None;
            }
            self.calls.push(name);
            let before = self.env.positional().to_vec();
            let mut arguments = vec![Some(texts(&call.words[1..]))];
            // The last of its walked calls represents all later ones.
            if count + 1 == MOST_CALLS {
                arguments.push(None);
            }
            let mut output = String::new();
            let mark = self.env.mark();
            let mut changes = Vec::new();
            for body in &function.bodies {
                self.env.put_positional(arguments.clone());
                self.calls.open_scope();
                output = self.enter(|walker| walker.node(body, &call.io));
                self.env.put_positional(before.clone());
                for (name, variable) in self.calls.close_scope() {
                    self.env.put(&name, variable);
                }
                if !function.certain || function.bodies.len() > 1 {
                    changes.push(self.env.take_back(mark));
                }
            }
            if !changes.is_empty() {
                self.env.merge(&changes, function.certain);
            }
            self.calls.pop();
            return function.certain.then_some(output);
        }
        let text = self.env.alias(name)?.clone();
        if count == 0 {
            self.calls.push(name);
            let line = format!("{text} {}", quoted(&call.words[1..]));
            self.derived(|walker| walker.enter(|walker| walker.code(&line, &call.io)));
            self.calls.pop();
        }
        None
    }

    /// The program that a first word names: the base name of an absolute path, a relative path as
    /// it is.
    pub(super) fn program(&self, first: &Field) -> String {
        if !first.glob {
            return self.program_of(&first.text);
        }
        let parts = first.text.split('/');
        let parts =
            parts.map(|part| if has_glob(part) { HOLE.to_string() } else { part.to_owned() });
        self.program_of(&parts.collect::<Vec<String>>().join("/"))
    }

    pub(super) fn program_of(&self, text: &str) -> String {
        let base = last_part(text);
        if base.len() == text.len() {
            return text.strip_suffix(".exe").unwrap_or(text).to_owned();
        }
        let directory = &text[..text.len() - base.len() - 1];
        // In a known directory a relative path is as good as an absolute one, and a path up to some
        // `bin` is meant to lead there.
        let absolute = text.starts_with(['/', '~', HOLE])
            || text.as_bytes().get(1) == Some(&b':')
            || self.env.directories().iter().any(|known| known.starts_with(['/', '~']))
            || (directory.starts_with("..") && directory.ends_with("bin"));
        if absolute && !base.is_empty() {
            base.strip_suffix(".exe").unwrap_or(base).to_owned()
        } else {
            text.to_owned()
        }
    }

    /// Records a command under its own name.
    pub(super) fn record_command(&mut self, words: &[Field], call: &Call, certainty: Certainty) {
        let mut certainty = self.recorder.certainty(certainty);
        if words.iter().any(|word| word.resolved) {
            certainty = certainty.max(Certainty::Resolved);
        }
        let program = self.program(&words[0]);
        if program.contains(HOLE) {
            certainty = Certainty::Opaque;
        }
        let argv = words.iter().map(|word| word.text.clone()).collect();
        let run = Run {
            argv,
            program,
            assignments: call.assignments.clone(),
            certainty,
            conditional: false,
            is_elsewhere: false,
            folders: Vec::new(),
        };
        self.recorder.run(run, &self.env, &mut self.budget);
    }

    /// Walks the code, the files and the scripts that are passed to a program other than a wrapper.
    fn other_program(&mut self, name: &str, call: &Call) -> String {
        self.record_command(&call.words, call, Certainty::Literal);
        self.files(name, &call.words);
        if name == "git" {
            self.git_code(call);
        }
        self.interpreter(name, call);
        self.script_of(call);
        // It passes unknown subcommands to git.
        if name == "hub" {
            self.inner_call(call.clone().renamed("git"));
        }
        if call.io.capture || name == "tee" { self.stdout(name, call) } else { String::new() }
    }

    /// The position of a program's subcommand, after its global options.
    pub(super) fn subcommand(name: &str, words: &[Field]) -> usize {
        let grammar = global_options::find(name).map(|row| row.grammar);
        grammar.map_or(1, |grammar| grammar.leading(words, 1).1)
    }

    pub(super) fn inner_call(&mut self, call: Call) -> String {
        self.enter(|walker| walker.call(call))
    }

    /// Walks code from a word, in a new shell.
    pub(super) fn code_from(&mut self, word: &Field, code: &str, io: &Io) -> String {
        self.derived_if(word.resolved, |walker| walker.nested_code(code, io))
    }

    /// Walks code that a program passes to a new shell.
    pub(super) fn nested_code(&mut self, text: &str, io: &Io) -> String {
        if !self.budget.spend(2 + self.env.size() / 16) {
            return String::new();
        }
        self.enter(|walker| {
            walker.isolated(|walker| {
                walker.env.keep_exported();
                walker.code(text, io)
            })
        })
    }
}
