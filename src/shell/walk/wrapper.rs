//! Wrappers: programs that run the command in their arguments, as `sudo` and `timeout` do.

use super::known_command::quoted;
use super::recorder::Mode;
use super::shell_state::Value;
use super::{Call, Io, Walker};
use crate::shell::field::Field;
use crate::shell::scan::head;
use crate::shell::table::grammar::{GivenOptions, Grammar, lists};
use crate::shell::table::wrappers::{self, Rest, Wrapper};
use crate::shell::{HOLE, How, limit};

/// A call of a wrapper, parsed with its row.
struct Wrapped<'a> {
    row: &'a Wrapper,
    given: &'a GivenOptions,
    from: usize,
    at: usize,
    call: &'a Call,
}

impl Walker<'_> {
    /// Walks what a wrapper runs. `None` if the program itself counts as well.
    pub(super) fn wrapper(&mut self, name: &str, call: &Call) -> Option<String> {
        match name {
            "find" | "gfind" | "fd" | "fdfind" => {
                self.find(name, call);
                return None;
            }
            "parallel" => return Some(self.parallel(call)),
            // `cargo +nightly publish` is `cargo publish` with one of the toolchains.
            "cargo" | "rustc" | "rustdoc" if names_toolchain(call) => {
                let words = [&call.words[..1], &call.words[2..]].concat();
                return Some(self.inner_call(call.with_words(words)));
            }
            _ => {}
        }
        let known = wrappers::find(name, &call.words[1..]).map(|(row, count)| (row, count + 1));
        let known = known.or_else(|| {
            let at = Self::subcommand(name, &call.words);
            wrappers::find(name, &call.words[at..]).map(|(row, count)| (row, count + at))
        });
        if let Some((row, from)) = known {
            return self.wrapper_by_row(row, from, call);
        }
        if self.options.proxies.iter().any(|proxy| proxy == name) {
            let (_, at) = Grammar::NONE.leading(&call.words, 1);
            return self.command_at(at, call);
        }
        None
    }

    fn wrapper_by_row(&mut self, row: &Wrapper, from: usize, call: &Call) -> Option<String> {
        let mode = Mode { elsewhere: row.leaves(), ..Mode::default() };
        self.with_mode(mode, |walker| walker.wrapped_by_row(row, from, call))
    }

    fn wrapped_by_row(&mut self, row: &Wrapper, from: usize, call: &Call) -> Option<String> {
        self.budget.spend(1);
        let (given, mut at) = row.grammar.leading(&call.words, from);
        if given.has(row.idle) {
            return None;
        }
        if matches!(row.name(), "sudo" | "doas" | "su" | "pkexec" | "run0") {
            self.recorder.elevate();
        }
        for option in given.iter().filter(|option| option.abbreviates(row.outputs)) {
            if let Some(file) = &option.value {
                self.record_file(file, How::Write);
            }
        }
        if let ("flock", Some(lock)) = (row.name(), call.words.get(at)) {
            self.record_file(lock, How::Lock);
        }
        // Without a file name it writes `typescript`.
        if row.name() == "script" {
            let log = call.words.get(at).cloned().unwrap_or_else(|| Field::literal("typescript"));
            if log.text != "/dev/null" {
                self.record_file(&log, How::Write);
            }
        }
        if self.option_code(&Wrapped { row, given: &given, from, at, call }) {
            return Some(call.unknown_output());
        }
        if row.name() == "env" && call.words.get(at).is_some_and(|word| word.text == "-") {
            at += 1;
        }
        at += row.operands;
        // `kubectl exec pod -c container -- command`
        if row.operands > 0 && at < call.words.len() && !row.is_of_containers() {
            at = row.grammar.leading(&call.words, at).1;
        }
        if given.has("entrypoint") {
            // `docker run --entrypoint program image arguments`
            let program = given.value("entrypoint")?;
            return Some(self.inner_call(call.with_program(program, at)));
        }
        let mut assigned = Vec::new();
        while row.assignments
            && let Some((name, value)) = call.words.get(at).and_then(|word| {
                let is_env = row.name() == "env";
                assignment(word).or_else(|| any_assignment(word).filter(|_| is_env))
            })
        {
            assigned.push((name, value));
            at += 1;
        }
        self.budget.spend(assigned.len());
        // Copied only if there are any, because a call may be long.
        let with_assigned = (!assigned.is_empty()).then(|| Call {
            assignments: [&call.assignments[..], &assigned[..]].concat(),
            ..call.clone()
        });
        let call = with_assigned.as_ref().unwrap_or(call);
        let unset = given.iter().filter(|option| row.name() == "env" && option.is("u unset"));
        let unset: Vec<String> =
            unset.filter_map(|option| Some(option.value.as_ref()?.text.clone())).collect();
        self.with_variables_kept(&unset, |walker| {
            for name in &unset {
                walker.env.put(name, None);
            }
            walker.in_folder_of_options(&Wrapped { row, given: &given, from, at, call })
        })
    }

    /// Walks the code in the options of a wrapper. Returns whether there was any.
    fn option_code(&mut self, wrapped: &Wrapped) -> bool {
        let Wrapped { row, given, from, at, call } = *wrapped;
        // The code may be before or after the operands: `flock file -c code`.
        let options = if row.rest == Rest::Nothing || row.rest == Rest::UnknownOptions {
            row.grammar.take(&call.words, from).options
        } else {
            let mut options = given.clone();
            options.extend(row.grammar.leading(&call.words, at + row.operands).0);
            options
        };
        let mut is_found = false;
        for option in options.iter().filter(|option| option.abbreviates(row.code)) {
            if let Some(code) = &option.value {
                is_found = true;
                // `env -S 'git -C d' push`
                let rest =
                    if row.name() == "env" { quoted(&call.words[at..]) } else { String::new() };
                self.code_from(code, &format!("{} {rest}", code.text), &call.io);
            }
        }
        is_found
    }

    /// Walks what a wrapper runs, in the folder that its options name: `sudo -D folder`.
    fn in_folder_of_options(&mut self, wrapped: &Wrapped) -> Option<String> {
        let folder = match wrapped.row.name() {
            "env" => wrapped.given.value("chdir C"),
            "tmux" => wrapped.given.value("chdir c"),
            "sudo" => wrapped.given.value("chdir D"),
            _ => wrapped.given.value("chdir"),
        };
        let Some(folder) = folder else { return self.wrapped_command(wrapped) };
        let before = self.env.directories().to_vec();
        self.env.put_directories(self.env.located(&folder.text));
        let output = self.wrapped_command(wrapped);
        self.env.put_directories(before);
        output
    }

    fn wrapped_command(&mut self, wrapped: &Wrapped) -> Option<String> {
        let Wrapped { row, given, from, at, call } = *wrapped;
        match row.rest {
            _ if at >= call.words.len() => self.input_code(row, given, call),
            // `runuser -u user command`
            Rest::Nothing if self.program(&call.words[0]) == "runuser" && given.has("u user") => {
                self.command_at(at, call)
            }
            Rest::Nothing => self.input_code(row, given, call),
            Rest::Command if row.fetches() => self.fetched_command(at, call),
            Rest::Command => self.command_at(at, call),
            // The wrapper may match a gate's pattern by its own name, so it is recorded, too.
            Rest::UnknownOptions => {
                self.unknown_options(from, at, call);
                None
            }
            Rest::Typed => {
                // `send-keys git Space push` and `send-keys git push`
                for text in [typed(&call.words[at..]), call.code(at)] {
                    self.code_from(&call.words[at], &text, &call.io);
                }
                None
            }
            Rest::Codes if call.words[at..].iter().any(|word| word.text.contains(' ')) => {
                for word in call.words[at..].iter().take(limit::CHOICES) {
                    self.code_from(word, &word.text, &call.io);
                }
                None
            }
            Rest::Codes | Rest::Code => {
                Some(self.code_from(&call.words[at], &call.code(at), &call.io))
            }
            Rest::Xargs => Some(self.xargs(given, at, call)),
        }
    }

    /// A command whose program may have a version or a scope: `npx @beads/bd@latest`. A gate may
    /// use the whole name, so both count.
    fn fetched_command(&mut self, at: usize, call: &Call) -> Option<String> {
        let fetched = &call.words[at];
        let plain = without_version(fetched);
        let with = |program: Field| {
            call.with_words([&call.words[..at], &[program], &call.words[at + 1..]].concat())
        };
        let output = self.command_at(at, &with(plain.unwrap_or_else(|| fetched.clone())));
        match without_scope(fetched) {
            Some(program) => self.command_at(at, &with(program)),
            None => output,
        }
    }

    /// Walks the input of a program that starts a shell if no command is given.
    fn input_code(&mut self, row: &Wrapper, given: &GivenOptions, call: &Call) -> Option<String> {
        let is_idle = row.name() == "sudo" && !given.has("s i shell login");
        if !lists(wrappers::SHELLS_WITHOUT_COMMAND, row.name()) || is_idle {
            return None;
        }
        let text = call.io.stdin.clone().filter(|text| !text.chars().eq([HOLE]))?;
        Some(self.derived(|walker| walker.nested_code(&text, &Io::default())))
    }

    /// Walks the command that begins at a word.
    pub(super) fn command_at(&mut self, at: usize, call: &Call) -> Option<String> {
        let words = call.words.get(at..).filter(|words| !words.is_empty())?;
        let mut inner = call.with_words(words.to_vec());
        // `command` and `builtin` stay in the shell: `command cd d` changes directory.
        inner.direct = call.direct
            && matches!(call.words[0].text.as_str(), "command" | "builtin")
            && is_builtin(&inner.words[0].text);
        let names: Vec<String> = inner.assignments.iter().map(|(name, _)| name.clone()).collect();
        Some(self.with_variables_kept(&names, |walker| {
            for (name, value) in &inner.assignments {
                walker.env.set(name, vec![Value::Text(value.clone())]);
                walker.env.export(name);
            }
            walker.inner_call(inner)
        }))
    }
}

/// `name=value` among the arguments of a wrapper.
fn assignment(word: &Field) -> Option<(String, String)> {
    let head = head(&word.text)?;
    Some((head.name.to_owned(), word.text[head.length..].to_owned()))
}

/// As `env` reads it, which accepts any text before `=` as a name.
fn any_assignment(word: &Field) -> Option<(String, String)> {
    let (name, value) = word.text.split_once('=').filter(|pair| !pair.0.is_empty())?;
    Some((name.to_owned(), value.to_owned()))
}

/// The text that keys such as `Space` and `Enter` type.
fn typed(words: &[Field]) -> String {
    let key = |word: &Field| match word.text.as_str() {
        "Space" => " ".to_owned(),
        "Enter" | "C-m" | "C-M" | "C-j" | "KPEnter" => "\n".to_owned(),
        _ => word.text.clone(),
    };
    words.iter().map(key).collect()
}

fn is_builtin(name: &str) -> bool {
    const BUILTINS: &str = "cd pushd popd eval source . export read trap set unset alias printf builtin command \
        return local declare typeset readonly shift let getopts mapfile readarray unalias hash \
        history fc";
    lists(BUILTINS, name)
}

/// `cargo +nightly`
fn names_toolchain(call: &Call) -> bool {
    call.words.get(1).is_some_and(|word| word.text.starts_with('+') && !word.has_hole())
}

/// `npm` for `npx npm@11`, and `@beads/bd` for `npx @beads/bd@latest`.
fn without_version(word: &Field) -> Option<Field> {
    let scope = word.text.find('/').filter(|_| word.text.starts_with('@')).map_or(0, |at| at + 1);
    let (name, _) = word.text[scope..].split_once('@').filter(|(name, _)| !name.is_empty())?;
    let is_name = !name.contains(['/', ' ']);
    is_name.then(|| word.with_text(&word.text[..scope + name.len()]))
}

/// `bd` for `npx @beads/bd@latest`: the program of a scoped package usually has its name without
/// the scope.
fn without_scope(word: &Field) -> Option<Field> {
    let (_, name) = word.text.strip_prefix('@')?.split_once('/')?;
    let name =
        name.split('@').next().filter(|name| !name.is_empty() && !name.contains(['/', ' ']))?;
    Some(word.with_text(name))
}
