//! A command once its words are known: which function, builtin, wrapper or program it is.
//!
//! Long because it is one decision with a branch for each kind of program.

use super::super::table::grammar::Given;
use super::super::table::{coded, interpreters, options, wrappers};
use super::super::{Certainty, HOLE, Interpreter, Run, last_part, limit};
use super::env::{DeclaredOf, Function, Made, Variable, ends};
use super::field::{Field, joined, texts};
use super::{Io, Walker, own, placed};
use std::rc::Rc;

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

/// A function or an alias that is being walked.
#[derive(Debug)]
pub(super) struct Active {
    pub(super) name: String,
    /// Which of a function's bodies, so that one that defines another of its name may call it.
    body: usize,
    /// Where in the journal it began.
    mark: usize,
    /// What its own variables hide, newest last.
    hidden: Vec<Hidden>,
    /// How many branches were open when it began.
    conditional: usize,
}

/// What a function's own variable hides.
#[derive(Debug)]
struct Hidden {
    name: String,
    variable: Option<Variable>,
    declared: DeclaredOf,
    /// Whether it does so for certain.
    is_sure: bool,
}

impl Active {
    fn new(name: &str, body: usize, mark: usize) -> Self {
        Self { name: name.to_owned(), body, mark, hidden: Vec::new(), conditional: 0 }
    }
}

/// A function that calls itself is walked so many times: its arguments may change.
const SAME_CALLS: usize = 3;
/// The same over all functions of a name, one of which may define the next.
const CALLS: usize = 6;

/// Functions that are called for a program that is not found.
const NOT_FOUND: &[&str] = &["command_not_found_handle", "command_not_found_handler"];

/// Where package managers put the programs that a project uses.
const INSTALLED: &[&str] = &["/node_modules/.bin/", "/.venv/bin/", "/venv/bin/", "/vendor/bin/"];

impl Walker<'_> {
    /// Walks a command, and gives what it shows if somebody looks.
    pub(super) fn call(&mut self, call: Call) -> String {
        if !self.spend(call.words.len() / 16) {
            return String::new();
        }
        let Some(first) = call.words.first() else { return String::new() };
        // `shopt -s dotglob`, `bash -O dotglob`: from here on, whoever says it.
        for word in &call.words[1..] {
            self.finds_hidden |= word.text == "dotglob";
            self.ignores_case |= word.text == "nocasematch";
        }
        if first.is_unknown() {
            return self.unknown_program(&call);
        }
        // The shell itself, or who else asks for its own program.
        if first.text.starts_with("/proc/") && first.text.ends_with("/exe") {
            return self.call(call.renamed("bash"));
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
        // A copy of a program, a link to it: the new name is that program.
        if let Some(Made::File(source)) = self.made(&call.words[0].text)
            && source.starts_with(['/', '~', HOLE])
            && source != call.words[0].text
            && let program = self.program_of(&source)
            // `cp /usr/bin/node .`: the name that it has leads to no other.
            && program != call.words[0].text
        {
            self.script_of(&call);
            // Its name tells such a one what it is.
            if wrappers::MANY_IN_ONE.contains(&program.as_str()) {
                let base = last_part(&name).to_owned();
                let named = call.clone().renamed(&base);
                self.enter(|walker| walker.program_run(&base, &named));
            }
            // Names may lead round in a ring.
            return self.enter(|walker| walker.call(call.renamed(&program)));
        }
        self.kept_copy(&name, &call);
        self.coded(&name, &call);
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
            super::is_shell(base)
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

    /// A function or an alias of that name. `None` where the program may run, too.
    fn shadowed(&mut self, name: &str, call: &Call) -> Option<String> {
        if let Some(function) = self.env.function(name).cloned() {
            let walked = self.function(name, &function, call);
            return walked.filter(|_| function.certain);
        }
        let text = self.env.alias(name)?.clone();
        if self.is_active(name) {
            return None;
        }
        let mut line = text;
        let mut rest = &call.words[1..];
        // Behind an alias that ends with a blank the next word may be one, too.
        while line.ends_with(char::is_whitespace)
            && let Some((next, after)) = rest.split_first()
            && let Some(text) = self.env.alias(&next.text).filter(|_| !next.resolved)
        {
            line.push_str(text);
            rest = after;
        }
        let line = format!("{line} {}", quoted(rest));
        self.resolved += 1;
        self.alias(name, |walker| {
            walker.enter(|walker| walker.code(&line, &call.io));
        });
        self.resolved -= 1;
        None
    }

    /// Walks a function, once for each of its bodies. `None` where it calls itself once too often.
    fn function(&mut self, name: &str, function: &Function, call: &Call) -> Option<String> {
        let before = self.env.positional().to_vec();
        let arguments = texts(&call.words[1..]);
        let mut output = None;
        let mark = self.env.mark();
        let mut changes = Vec::new();
        for body in &function.bodies {
            let place = Rc::as_ptr(body).addr();
            let active = self.calls.iter().filter(|it| it.name == name);
            let (all, same) = (active.clone().count(), active.filter(|it| it.body == place));
            let (count, begun) = (same.clone().count(), same.map(|it| it.mark).next());
            if count >= SAME_CALLS || all >= CALLS {
                continue;
            }
            // The last time stands for all that follow.
            if let Some(begun) = begun.filter(|_| count + 1 == SAME_CALLS) {
                self.env.widen(begun);
            }
            let active = Active::new(name, place, self.env.mark());
            self.calls.push(Active { conditional: self.conditional, ..active });
            self.env.enter_function();
            self.begins(false);
            let stands_for_more = count + 1 == SAME_CALLS;
            let mut ways = vec![Some(arguments.clone())];
            if stands_for_more {
                // Later calls get what is left of them, or anything.
                ways.extend(
                    ends(&arguments)
                        .into_iter()
                        .filter(|it| *it != ways[0])
                        .take(limit::VALUES - 2)
                        .collect::<Vec<_>>(),
                );
                ways.push(None);
            }
            self.env.put_positional(ways);
            let walk = |walker: &mut Self| walker.enter(|walker| walker.node(body, &call.io));
            // Each of those may read another line.
            output = Some(if stands_for_more {
                self.line_by_line(|walker| walker.again(true, walk))
            } else {
                walk(self)
            });
            self.env.put_positional(before.clone());
            let returned = self.env.leave_function();
            // What stands behind a `return` is a branch.
            if let Some(mark) = returned.filter(|mark| *mark < self.env.mark()) {
                let changes = self.env.take_back(mark);
                self.env.merge_known(changes);
                // What it shows before and behind it are two ways.
                self.doubt.parted |= output.as_ref().is_some_and(|it| !it.is_empty());
            }
            self.ends();
            let active = self.calls.pop();
            let hidden = active.into_iter().flat_map(|it| it.hidden).rev();
            for Hidden { name, variable, declared, is_sure } in hidden {
                let own = self.env.variable(&name).cloned().filter(|_| !is_sure);
                self.env.put_declared_of(&name, declared);
                self.env.put(&name, variable);
                if let Some(own) = own {
                    self.env.also(&name, own);
                }
            }
            if !function.certain || function.bodies.len() > 1 {
                changes.push(self.env.take_back(mark));
            }
        }
        if !changes.is_empty() {
            self.env.merge(&changes, function.certain);
        }
        output
    }

    /// A function gets a variable of its own: what it hides is back when the function ends.
    /// Whether it had none so far.
    pub(super) fn hide(&mut self, name: &str) -> bool {
        let open = self.conditional;
        let Some(active) = self.calls.iter_mut().rev().find(|it| it.body != 0) else {
            self.env.refers_no_more(name);
            return false;
        };
        let is_new = !active.hidden.iter().any(|known| known.name == name)
            && active.hidden.len() < limit::BRACES;
        if is_new {
            // A name that stands for another one stands for itself there.
            let declared = self.env.take_declared(name);
            let variable = self.env.variable(name).cloned();
            let is_sure = open == active.conditional;
            active.hidden.push(Hidden { name: name.to_owned(), variable, declared, is_sure });
        } else {
            self.env.refers_no_more(name);
        }
        is_new
    }

    /// How many variables each function hides, for a subshell to take back.
    pub(super) fn hidden(&self) -> Vec<usize> {
        self.calls.iter().map(|it| it.hidden.len()).collect()
    }

    pub(super) fn hidden_again(&mut self, hidden: &[usize]) {
        for (active, count) in self.calls.iter_mut().zip(hidden) {
            active.hidden.truncate(*count);
        }
    }

    pub(super) fn is_in_function(&self) -> bool {
        self.calls.iter().any(|it| it.body != 0)
    }

    /// `return`: what comes behind it may not run.
    pub(super) fn returns(&mut self) {
        self.leaves(false);
        self.env.returns();
    }

    pub(super) fn is_active(&self, name: &str) -> bool {
        self.calls.iter().any(|active| active.name == name)
    }

    /// Walks the text of an alias.
    pub(super) fn alias(&mut self, name: &str, walk: impl FnOnce(&mut Self)) {
        let mark = self.env.mark();
        self.calls.push(Active::new(name, 0, mark));
        walk(self);
        self.calls.pop();
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
        let has_subcommands = options::find(&program).is_some();
        let mut argv: Vec<String> = words.iter().map(|word| word.text.clone()).collect();
        let mut is_found = false;
        // `git *`: a file may have a subcommand's name.
        let first = has_subcommands.then(|| Self::subcommand(&program, words));
        let places = words.iter().zip(&mut argv).enumerate().skip(1);
        for (place, (word, text)) in places.filter(|(_, (word, _))| word.glob) {
            let is_verb = first == Some(place) && !word.text.contains(['.', '/']);
            if is_verb || may_be_a_word(&word.text, has_subcommands) {
                *text = super::origin::open(&word.text);
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
            again: self.again > 0,
            loose: words.iter().skip(1).any(|word| word.loose && word.has_hole()),
            folders: Vec::new(),
        };
        self.record_run(run);
    }

    /// A program that is no wrapper: what it runs, writes and reads by itself.
    fn program_run(&mut self, name: &str, call: &Call) -> String {
        self.leaf(&call.words, call, Certainty::Literal);
        self.fed_files(name, call);
        self.subcommand_code(name, call);
        self.patched(name, call);
        self.foreign(name, call);
        self.edited_in_place(name, call);
        self.packed(name, call);
        self.script_of(call);
        self.handed_over(name, call);
        if name.contains(HOLE) {
            self.given_code(call);
        }
        self.not_found(call);
        if call.io.capture || name == "tee" { self.output(name, call) } else { String::new() }
    }

    /// The shell calls a function of the line for a program that it does not find.
    fn not_found(&mut self, call: &Call) {
        for name in NOT_FOUND.iter().filter(|_| call.direct) {
            if self.env.function(name).is_none() || self.is_active(name) {
                continue;
            }
            let mut words = vec![Field::literal(name)];
            words.extend(call.words.iter().cloned());
            let call = Call { words, direct: true, ..call.clone() };
            self.perhaps(|walker| walker.enter(|walker| walker.isolated(|it| it.call(call))));
        }
    }

    /// Programs that run others in a way of their own.
    fn handed_over(&mut self, name: &str, call: &Call) {
        match name {
            // Each pass is run by the program before the commas' words.
            "gcc" | "g++" | "cc" | "c++" | "gfortran" => {
                let given = call.words.windows(2).find(|pair| pair[0].text == "-wrapper");
                if let Some([_, given]) = given {
                    let words = given.text.split(',').map(Field::literal).collect();
                    let inner = call.with_words(words);
                    self.enter(|walker| walker.call(inner));
                }
            }
            "npm" | "pnpm" | "yarn" | "bun" | "npm-run-all" | "run-s" | "run-p" => {
                self.packaged(name, call);
            }
            // It hands over what it does not know.
            "hub" => {
                self.enter(|walker| walker.call(call.clone().renamed("git")));
            }
            "crontab" => self.schedule(call),
            "at" | "batch" => self.queued(call),
            "sbatch" | "qsub" => {
                if let Some(text) = call.io.stdin.clone() {
                    self.perhaps(|walker| walker.nested_code(&text, &Io::default()));
                }
            }
            "sqlite3" | "sqlite" | "duckdb" => self.database(call),
            "gdb" => self.debugger(call),
            "mkfifo" | "mknod" => self.makes_fifo(),
            "run-parts" => {
                if let Some(folder) = call.words[1..].iter().rfind(|w| !w.text.starts_with('-')) {
                    let files = format!("{}/*", folder.text.trim_end_matches('/'));
                    for text in self.made_alike(&files) {
                        self.perhaps(|walker| walker.interpreted(&text, Interpreter::Itself));
                    }
                    for path in self.located(&files) {
                        self.script_at(path, Interpreter::Itself, &[]);
                    }
                }
            }
            _ => {}
        }
    }

    /// Where a program's subcommand stands, its global options left out.
    pub(super) fn subcommand(name: &str, words: &[Field]) -> usize {
        let grammar = options::find(name).map(|row| row.grammar);
        grammar.map_or(1, |grammar| grammar.leading(words, 1).1)
    }

    /// `git` runs code that options and the configuration hold.
    fn subcommand_code(&mut self, name: &str, call: &Call) {
        if !matches!(name, "git" | "gh") || !self.spend(2) {
            return;
        }
        let Some(row) = options::find(name) else { return };
        let (given, at) = row.grammar.leading(&call.words, 1);
        for option in given.iter().filter(|given| given.name == "c" || given.name == "config-env") {
            let Some((key, text)) = option.value.as_ref().and_then(|v| v.text.split_once('='))
            else {
                continue;
            };
            // `--config-env` names the variable that holds it.
            let held = match self.env.variable(text) {
                _ if option.name == "c" => text.to_owned(),
                Some(variable) => variable.values[0].scalar().to_owned(),
                None => HOLE.to_string(),
            };
            self.git_setting(key, &held);
        }
        if name == "git" && self.env.variable("GIT_CONFIG_COUNT").is_some() {
            for place in 0..super::limit::VALUES {
                let key = self.known(&format!("GIT_CONFIG_KEY_{place}"));
                let text = self.known(&format!("GIT_CONFIG_VALUE_{place}"));
                self.git_setting(&key, &text);
            }
        }
        if name == "git" && self.env.variable("GIT_CONFIG_PARAMETERS").is_some() {
            for (key, text) in placed::parameters(&self.known("GIT_CONFIG_PARAMETERS")) {
                self.git_setting(&key, &text);
            }
        }
        let Some(subcommand) = call.words.get(at).map(|word| word.text.clone()) else { return };
        let arguments = &call.words[at + 1..];
        if name == "git" {
            self.git_program(&given, &subcommand, arguments, call);
            self.edited_by_git(&subcommand, arguments, call);
        }
        match subcommand.as_str() {
            "alias" if name == "gh" => {
                let words: Vec<&Field> =
                    arguments.iter().filter(|word| !word.text.starts_with('-')).collect();
                if let [verb, alias, text @ ..] = &words[..]
                    && verb.text == "set"
                {
                    let key = format!("gh {}", alias.text);
                    // It reads its input where it is told no text, or a dash.
                    let input = call.io.stdin.as_deref().unwrap_or_default();
                    let code = text.first().map_or(input, |it| it.text.as_str());
                    let is_shell = |it: &Field| matches!(it.text.as_str(), "-s" | "--shell");
                    let is_shell = arguments.iter().any(is_shell);
                    let sign = if is_shell && !code.starts_with('!') { "!" } else { "" };
                    self.env.put_alias(&key, Some(format!("{sign}{code}")));
                }
            }
            "config" => self.configured_by(arguments),
            "commit" | "log" | "tag" => {}
            _ if name == "git" => {
                let mut values = Vec::new();
                for (index, word) in arguments.iter().enumerate() {
                    let text = word.text.as_str();
                    let own = coded::GIT_PREFIXES.iter().find_map(|it| text.strip_prefix(it));
                    if let Some(value) = own {
                        values.push(value.to_owned());
                    } else if text.starts_with("--") && text.ends_with("-filter") {
                        values.extend(arguments.get(index + 1).map(|word| word.text.clone()));
                    }
                }
                let grammar = coded::git_options(&subcommand);
                let taken = grammar.take(&call.words, at + 1).options;
                // `git clone -c key=value`
                let is_setting = |it: &&Given| matches!(it.name.as_str(), "c" | "config");
                let settings = taken.iter().filter(is_setting).filter_map(|it| it.value.as_ref());
                for setting in settings.filter(|_| subcommand == "clone") {
                    if let Some((key, text)) = setting.text.split_once('=') {
                        self.git_setting(key, text);
                    }
                }
                let code =
                    taken.into_iter().filter(|it| coded::GIT_OPTIONS.contains(&it.name.as_str()));
                values.extend(code.filter_map(|it| Some(it.value?.text)));
                for value in values {
                    self.nested_code(&value, &call.io);
                }
                self.git_again(&subcommand, arguments, call);
            }
            _ => {}
        }
        if name == "git" {
            self.hooks_made(&subcommand, arguments);
        }
        // An alias: the words after it stay.
        let key = format!("{name} {subcommand}");
        let alias = self.env.alias(&key).or_else(|| self.env.alias(&key.to_ascii_lowercase()));
        if let Some(text) = alias.cloned()
            && !self.is_active(&subcommand)
        {
            let line = match text.strip_prefix('!') {
                Some(code) => format!("{code} {}", quoted(arguments)),
                None => format!("{name} {text} {}", quoted(arguments)),
            };
            self.alias(&subcommand, |walker| {
                walker.nested_code(&line, &call.io);
            });
        }
    }

    /// `git config key value`
    fn configured_by(&mut self, arguments: &[Field]) {
        // `git config help.autocorrect -1`
        let is_number = |it: &str| it.starts_with(|c: char| c.is_ascii_digit());
        let is_word = |it: &&Field| it.text.strip_prefix('-').is_none_or(is_number);
        let words: Vec<&Field> = arguments.iter().filter(is_word).collect();
        let renames = |it: &Field| it.text == "rename-section" || it.text == "--rename-section";
        if let [.., from, to] = &words[..]
            && arguments.iter().any(renames)
        {
            let (from, to) = (from.text.to_lowercase(), to.text.to_lowercase());
            self.renamed_settings(&from, &to);
        } else if let [.., key, value] = &words[..] {
            let (key, value) = (key.text.clone(), value.text.clone());
            self.git_setting(&key, &value);
        }
    }

    /// Hooks that the line itself wrote: whatever folder they lie in, git may be told to look there.
    fn hooks_made(&mut self, verb: &str, arguments: &[Field]) {
        if self.env.files.is_empty() && !self.suspects.has_makers() {
            return;
        }
        let arguments: Vec<&str> = arguments.iter().map(|it| it.text.as_str()).collect();
        let is_hook = |path: &str| {
            let name = last_part(path);
            super::super::table::hooks::of_command(verb, &arguments).any(|it| it == name)
        };
        // A hook may run the verb that it is a hook of; it is walked once.
        let name = format!("hooks of git {verb}");
        if self.calls.iter().any(|it| it.name == name) {
            return;
        }
        let made: Vec<(String, Made)> = self
            .env
            .files
            .iter()
            .filter(|it| is_hook(it.0))
            .map(|it| (it.0.clone(), it.1.clone()))
            .collect();
        // Those that it wrote who knows how.
        let written: Vec<String> = self
            .suspects
            .made()
            .filter(|it| is_hook(it) && !made.iter().any(|(path, _)| path == it))
            .map(str::to_owned)
            .collect();
        self.alias(&name, |walker| {
            walker.perhaps(|walker| {
                for path in written {
                    walker.suspect_file(&path);
                }
                for (path, made) in made {
                    if !matches!(&made, Made::Text(text) if !text.contains(HOLE)) {
                        walker.suspect_file(&path);
                    }
                    match made {
                        Made::Text(text) => walker.interpreted(&text, Interpreter::Itself),
                        Made::File(source) => walker.script_at(source, Interpreter::Itself, &[]),
                        Made::Unknown => {}
                    }
                }
            });
        });
    }

    pub(super) fn git_setting(&mut self, key: &str, text: &str) {
        let key = key.to_ascii_lowercase();
        self.env.put_alias(&format!("{}{key}", own::SETTING), Some(text.to_owned()));
        if let Some(name) = key.strip_prefix("alias.") {
            self.env.put_alias(&format!("git {name}"), Some(text.to_owned()));
        } else if key == "help.autocorrect" {
            let corrects = options::corrects_verbs(text).then(|| text.to_owned());
            self.env.put_alias(own::CORRECTS, corrects);
        } else if key == "core.hookspath" {
            // Which of them runs is git's to say.
            let files = format!("{}/*", text.trim_end_matches('/'));
            self.perhaps(|walker| {
                for path in walker.located(&files) {
                    walker.script_at(path, Interpreter::Itself, &[]);
                }
            });
        } else if coded::is_git_code(&key) {
            let text = text.trim_start_matches('!');
            self.perhaps(|walker| walker.nested_code(text, &Io::default()));
        } else {
            self.moves_git(&key, text);
        }
    }

    /// Options that hold code: [`coded`].
    fn coded(&mut self, name: &str, call: &Call) {
        for row in coded::rows(name) {
            let mut values: Vec<Field> = Vec::new();
            let taken = row.grammar.take(&call.words, 1);
            for option in taken.options {
                let is_code = option.is(row.options);
                values.extend(option.value.filter(|_| is_code));
            }
            if row.options.contains(&"") {
                values.extend(taken.operands.iter().map(|place| call.words[*place].clone()));
            }
            for value in values {
                if let Some(code) = row.code(&value.text) {
                    // It is given what is split.
                    let is_fed = row.options == ["filter"];
                    let io = if is_fed { call.io.clone() } else { Io::default() };
                    self.derived(&value, |walker| walker.nested_code(code, &io));
                }
            }
        }
    }

    /// Walks code that a program hands to a shell of its own.
    pub(super) fn nested_code(&mut self, text: &str, io: &Io) -> String {
        if !self.spend(2) {
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
        let Self { assignments, io, .. } = self;
        Self { words, assignments: assignments.clone(), io: io.clone(), direct: false }
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
