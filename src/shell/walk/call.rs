//! A command once its words are known: which function, builtin, wrapper or program it is.

use super::stdout::unknown_output;
use super::{Io, Walker};
use crate::shell::field::{Field, joined, texts};
use crate::shell::table::{global_options, interpreters, wrappers};
use crate::shell::{Certainty, HOLE, Run, last_part};

/// Where package managers put the programs that a project uses.
const INSTALLED: &[&str] = &["/node_modules/.bin/", "/.venv/bin/", "/venv/bin/", "/vendor/bin/"];

/// A command's words with what surrounds them.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// At least one.
    pub(super) words: Vec<Field>,
    pub(super) assignments: Vec<(String, String)>,
    pub(super) io: Io,
    /// The shell itself runs it, so functions, aliases and builtins count.
    pub(super) direct: bool,
}

impl Walker<'_> {
    /// Walks a command, and gives what it shows if somebody looks.
    #[expect(clippy::needless_pass_by_value, reason = "most callers have made it for this")]
    pub(super) fn call(&mut self, call: Call) -> String {
        if !self.spend(call.words.len() / 16) {
            return String::new();
        }
        let Some(first) = call.words.first() else { return String::new() };
        if first.is_unknown() {
            return self.unknown_program(&call);
        }
        let name = self.program(first);
        if call.direct {
            if let Some(output) = self.shadowed(&name, &call) {
                return output;
            }
            if let Some(output) = self.builtin(&name, &call) {
                return output;
            }
        }
        self.kept_copy(&name, &call);
        if let Some(output) = self.wrapped(&name, &call) {
            return output;
        }
        if let Some(output) = self.nested(&name, &call) {
            return output;
        }
        self.program_run(&name, &call)
    }

    /// `.venv/bin/python`, `node_modules/.bin/tsx`: a project's own copy of what runs code or another
    /// program. It is asked about by both names; `./git` is not git.
    fn kept_copy(&mut self, name: &str, call: &Call) {
        let base = last_part(name);
        let runs = || {
            super::shells::is_shell(base)
                || interpreters::find(base).is_some()
                || wrappers::find(base, &call.words[1..]).is_some()
        };
        // What a package manager has put there is what it is called.
        let is_installed = INSTALLED.iter().any(|it| {
            name.strip_suffix(base).is_some_and(|folder| format!("/{folder}").ends_with(it))
        });
        if base == name || !(is_installed || runs()) {
            return;
        }
        let named = call.clone().renamed(base);
        self.enter(|walker| walker.perhaps(|walker| walker.call(named)));
    }

    /// A program that cannot be known. Unquoted it may also be nothing, and the next word the
    /// program: `$SUDO git push`.
    fn unknown_program(&mut self, call: &Call) -> String {
        if call.words[0].loose && call.words.len() > 1 {
            let rest = Call { words: call.words[1..].to_vec(), ..call.clone() };
            self.resolved += 1;
            self.enter(|walker| walker.call(rest));
            self.resolved -= 1;
        }
        self.leaf(&call.words, call, Certainty::Opaque);
        unknown_output(call)
    }

    /// A function or an alias of that name. `None` where the program may run, too.
    fn shadowed(&mut self, name: &str, call: &Call) -> Option<String> {
        if let Some(function) = self.env.function(name).cloned() {
            // A function that calls itself is walked a few times: its arguments may change.
            let count = self.calls.iter().filter(|active| *active == name).count();
            if count < 3 {
                self.calls.push(name.to_owned());
                let before = self.env.positional().to_vec();
                let arguments = texts(&call.words[1..]);
                let mut output = String::new();
                let mark = self.env.mark();
                let mut changes = Vec::new();
                for body in &function.bodies {
                    // The last of its calls stands for all that follow.
                    let more = (count == 2).then_some(None);
                    self.env.put_positional(
                        std::iter::once(Some(arguments.clone())).chain(more).collect(),
                    );
                    self.locals.push(Vec::new());
                    output = self.enter(|walker| walker.node(body, &call.io));
                    self.env.put_positional(before.clone());
                    for (name, variable) in self.locals.pop().into_iter().flatten().rev() {
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
                if function.certain {
                    return Some(output);
                }
            }
            return None;
        }
        let text = self.env.alias(name)?.clone();
        if self.calls.iter().any(|active| active == name) {
            return None;
        }
        self.calls.push(name.to_owned());
        let line = format!("{text} {}", quoted(&call.words[1..]));
        self.resolved += 1;
        self.enter(|walker| walker.code(&line, &call.io));
        self.resolved -= 1;
        self.calls.pop();
        None
    }

    /// The program that a first word names: the base name of an absolute path, a relative path as
    /// it is.
    pub(super) fn program(&self, first: &Field) -> String {
        // An element of a list may be a pattern still.
        if !(first.glob || first.resolved && super::expand::has_glob(&first.text)) {
            return self.program_of(&first.text);
        }
        let parts = first.text.split('/');
        let parts = parts.map(|part| {
            if super::expand::has_glob(part) { HOLE.to_string() } else { part.to_owned() }
        });
        self.program_of(&parts.collect::<Vec<String>>().join("/"))
    }

    pub(super) fn program_of(&self, text: &str) -> String {
        // Zsh puts the way to `git` in the place of `=git`.
        // So does nu with `^git`.
        let text = text.strip_prefix(['=', '^']).unwrap_or(text);
        let base = last_part(text);
        if base.len() == text.len() {
            return text.strip_suffix(".exe").unwrap_or(text).to_owned();
        }
        let directory = &text[..text.len() - base.len() - 1];
        // From a directory that is known, a relative path is as good as an absolute one; and one
        // that climbs up to some `bin` is meant to get there.
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

    /// Records a command that nothing further is known to run.
    pub(super) fn leaf(&mut self, words: &[Field], call: &Call, certainty: Certainty) {
        let resolved = words.iter().any(|word| word.resolved);
        let certainty = if resolved { certainty.max(Certainty::Resolved) } else { certainty };
        let certainty = self.certainty(certainty);
        let program = self.program(&words[0]);
        let certainty = if program.contains(HOLE) { Certainty::Opaque } else { certainty };
        let has_subcommands = global_options::find(&program).is_some();
        let mut argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
        let mut is_found = false;
        // `git *`: a file may have a subcommand's name.
        let first = has_subcommands.then(|| Self::subcommand(&program, words));
        let places = words.iter().zip(&mut argv).enumerate().skip(1);
        for (place, (word, text)) in places.filter(|(_, (word, _))| word.glob) {
            let is_verb = first == Some(place) && !word.text.contains(['.', '/']);
            if is_verb || may_be_a_word(&word.text, has_subcommands) {
                *text = open(&word.text);
                is_found = true;
            }
        }
        let certainty = if is_found { certainty.max(Certainty::Resolved) } else { certainty };
        let run = Run {
            argv,
            program,
            assignments: call.assignments.clone(),
            certainty,
            conditional: self.conditional > 0,
            folders: Vec::new(),
        };
        self.record_run(run);
    }

    /// A program that is no wrapper: what it runs, writes and reads by itself.
    fn program_run(&mut self, name: &str, call: &Call) -> String {
        self.leaf(&call.words, call, Certainty::Literal);
        self.files(name, &call.words);
        self.git_code(name, call);
        self.interpreter(name, call);
        self.script_of(call);
        // It hands over what it does not know.
        if name == "hub" {
            self.enter(|walker| walker.call(call.clone().renamed("git")));
        }
        if call.io.capture || name == "tee" { self.output(name, call) } else { String::new() }
    }

    /// Where a program's subcommand stands, its global options left out.
    pub(super) fn subcommand(name: &str, words: &[Field]) -> usize {
        let grammar = global_options::find(name).map(|row| row.grammar);
        grammar.map_or(1, |grammar| grammar.leading(words, 1).1)
    }

    /// Walks code that a program hands to a shell of its own.
    pub(super) fn nested_code(&mut self, text: &str, io: &Io) -> String {
        if !self.spend(2 + self.env.size() / 16) {
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

impl Call {
    /// The same call of another program.
    pub(super) fn renamed(mut self, program: &str) -> Self {
        self.words[0] = Field { text: program.to_owned(), resolved: true, ..Field::default() };
        self.direct = false;
        self
    }

    pub(super) fn with_words(&self, words: Vec<Field>) -> Self {
        Self { words, direct: false, ..self.clone() }
    }

    pub(super) fn code(&self, from: usize) -> String {
        joined(self.words.get(from..).unwrap_or(&[]))
    }
}

/// Whether a pattern of files is meant to find a word: `git pu?h` where a file is called `push`. A
/// name with an extension or a folder is one of files. What begins with a pattern could be an option,
/// too (`rm *`), so that it counts only of a program whose first words say what it does.
fn may_be_a_word(pattern: &str, has_subcommands: bool) -> bool {
    !pattern.contains(['.', '/'])
        && pattern.contains(|it: char| it.is_alphanumeric())
        && (has_subcommands || !pattern.starts_with(['*', '?']))
}

/// A hole for each part of a pattern that is no text.
pub(super) fn open(pattern: &str) -> String {
    let mut text = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '*' | '?' => text.push(HOLE),
            '[' if let Some((_, behind)) = rest.split_once(']') => {
                text.push(HOLE);
                rest = behind;
            }
            _ => text.push(character),
        }
    }
    text
}

/// Words as shell code in which each is one word again.
pub(super) fn quoted(words: &[Field]) -> String {
    let mut text = String::new();
    for word in words {
        if word.loose {
            text.push_str(&word.text);
        } else {
            text.push('\'');
            text.push_str(&word.text.replace('\'', "'\\''"));
            text.push('\'');
        }
        text.push(' ');
    }
    text
}
