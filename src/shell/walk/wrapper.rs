//! Wrappers: taken off, by the rows of their table and the few that have a grammar of their own.

use super::call::{Call, quoted};
use super::stdout::unknown_output;
use super::unknown_options::is_familiar;
use super::{Walker, limit};
use crate::shell::field::Field;
use crate::shell::table::code_settings::CODE_VARIABLES;
use crate::shell::table::grammar::{Given, Grammar, lists};
use crate::shell::table::wrappers::{self, Rest, Wrapper};
use crate::shell::{HOLE, How};

impl Walker<'_> {
    /// Walks what a wrapper runs. `None` if the program is none.
    pub(super) fn wrapped(&mut self, name: &str, call: &Call) -> Option<String> {
        match name {
            "find" | "gfind" | "fd" | "fdfind" => {
                self.find(name, call);
                return None;
            }
            "parallel" => return Some(self.parallel(call)),
            "env" | "genv" if self.env_string(call) => return Some(unknown_output(call)),
            // `cargo +nightly publish`: which of the toolchains it is.
            "cargo" | "rustc" | "rustdoc" if names_toolchain(call) => {
                let words = [&call.words[..1], &call.words[2..]].concat();
                return Some(self.enter(|walker| walker.call(call.with_words(words))));
            }
            _ => {}
        }
        let known = wrappers::find(name, &call.words[1..]).map(|(row, count)| (row, count + 1));
        let known = known.or_else(|| {
            let at = Self::subcommand(name, &call.words);
            wrappers::find(name, &call.words[at..]).map(|(row, count)| (row, count + at))
        });
        if let Some((row, from)) = known {
            return self.by_row(row, from, call);
        }
        if self.options.proxies.iter().any(|proxy| proxy == name) {
            let (_, at) = Grammar::NONE.leading(&call.words, 1);
            return self.rest(at, call);
        }
        None
    }

    /// Walks the code that options of a wrapper hold. Whether there was any.
    fn by_code(
        &mut self,
        row: &Wrapper,
        given: &[Given],
        (from, at): (usize, usize),
        call: &Call,
    ) -> bool {
        // The code may stand before or after the operands.
        let all = row.grammar.take(&call.words, from);
        let takes_all =
            row.rest == Rest::Nothing || row.rest == Rest::Somewhere && row.operands > 0;
        let code = if takes_all { &all.options[..] } else { given };
        let mut found = false;
        // `script file -c code`, `sg group -c code`
        let behind = match row.name() {
            "script" | "sg" => row.grammar.leading(&call.words, at + row.operands).0,
            _ => Vec::new(),
        };
        for option in
            code.iter().chain(&behind).chain(all.options.iter().filter(|_| row.name() == "flock"))
        {
            if option.is(row.code)
                && let Some(text) = option.value.clone()
            {
                found = true;
                self.derived(&text, |walker| walker.nested_code(&text.text, &call.io));
            }
        }
        // `su user -- -c code`: the words behind the user are the shell's.
        if row.name() == "su"
            && !given.iter().any(|option| matches!(option.name.as_str(), "u" | "user"))
            && let Some(dashes) = call.words.iter().position(|word| word.text == "--")
        {
            let shell = [&[Field::literal("sh")], &call.words[dashes + 1..]].concat();
            if shell.len() > 2 {
                found = true;
                let inner = call.with_words(shell);
                self.enter(|walker| walker.call(inner));
            }
        }
        found
    }

    fn by_row(&mut self, row: &Wrapper, from: usize, call: &Call) -> Option<String> {
        self.spend(1);
        let (given, mut at) = row.grammar.leading(&call.words, from);
        if given.iter().any(|given| given.is_exactly(row.idle)) {
            return None;
        }
        if matches!(row.name(), "sudo" | "doas" | "su" | "pkexec" | "run0") && self.muted == 0 {
            self.reading.elevated = true;
        }
        for option in given.iter().filter(|given| given.is(row.outputs)) {
            if let Some(file) = &option.value {
                self.record_write(&file.text, How::Write, self.certainty(file.certainty()));
            }
        }
        if let ("flock", Some(lock)) = (row.name(), call.words.get(at)) {
            self.record_write(&lock.text, How::Lock, self.certainty(lock.certainty()));
        }
        // Without a file it writes its own.
        if matches!(row.name(), "script" | "logsave") {
            let log = call.words.get(at).cloned().unwrap_or_else(|| Field::literal("typescript"));
            if log.text != "/dev/null" {
                self.record_write(&log.text, How::Write, self.certainty(log.certainty()));
            }
        }
        if self.by_code(row, &given, (from, at), call) {
            return Some(unknown_output(call));
        }
        if row.name() == "env" && call.words.get(at).is_some_and(|word| word.text == "-") {
            at += 1;
        }
        at += row.operands;
        // `kubectl exec pod -c container -- command`
        if row.operands > 0 && at < call.words.len() && !row.is_of_containers() {
            at = row.grammar.leading(&call.words, at).1;
        }
        if given.iter().any(|option| option.name == "entrypoint") {
            return self.entered(&given, at, call);
        }
        if let Some(output) = self.begins_with_image(row, at, call) {
            return Some(output);
        }
        let mut own = Vec::new();
        while row.assignments
            && let Some((name, value)) = call.words.get(at).and_then(|word| {
                let is_env = row.name() == "env";
                assignment(word).or_else(|| any_assignment(word).filter(|_| is_env))
            })
        {
            if lists(CODE_VARIABLES, &name) {
                self.perhaps(|walker| walker.nested_code(&value, &super::Io::default()));
            }
            own.push((name, value));
            at += 1;
        }
        // Most have none, and their words are many.
        self.spend(own.len());
        let with_own = (!own.is_empty()).then(|| Call {
            assignments: [&call.assignments[..], &own[..]].concat(),
            ..call.clone()
        });
        let call = with_own.as_ref().unwrap_or(call);
        let unset = given.iter().filter(|option| matches!(option.name.as_str(), "u" | "unset"));
        let unset =
            unset.filter(|_| row.name() == "env").filter_map(|option| option.value.as_ref());
        let unset: Vec<String> = unset.map(|word| word.text.clone()).collect();
        let hidden: Vec<_> =
            unset.iter().map(|it| (it.clone(), self.env.variable(it).cloned())).collect();
        for name in &unset {
            self.env.put(name, None);
        }
        let output = self.run_there(row, &given, (from, at), call);
        for (name, variable) in hidden.into_iter().rev() {
            self.env.put(&name, variable);
        }
        output
    }

    /// Walks what a wrapper runs, where it runs it.
    fn run_there(
        &mut self,
        row: &Wrapper,
        given: &[Given],
        (from, at): (usize, usize),
        call: &Call,
    ) -> Option<String> {
        // It runs elsewhere, and only it.
        let goes = |option: &&Given| match option.name.as_str() {
            "chdir" => true,
            "C" => row.name() == "env",
            "c" => row.name() == "tmux",
            "D" => row.name() == "sudo",
            _ => false,
        };
        let folder = given.iter().rev().find(goes).and_then(|option| option.value.as_ref());
        let Some(folder) = folder else { return self.by_rest(row, given, (from, at), call) };
        let before = self.env.directories().to_vec();
        let there = self.located(&folder.text);
        self.env.put_directories(there);
        let output = self.by_rest(row, given, (from, at), call);
        self.env.put_directories(before);
        output
    }

    /// `docker run alpine/git push`: the image of a program begins with it.
    fn begins_with_image(&mut self, row: &Wrapper, at: usize, call: &Call) -> Option<String> {
        if let Some(reader) = self.reader_of_image(row, at, call) {
            let words = [&[Field::literal(reader)], &call.words[at..]].concat();
            return Some(self.enter(|walker| walker.call(call.with_words(words))));
        }
        if !row.is_of_containers() {
            return None;
        }
        let image = call.words.get(at.wrapping_sub(1)).map_or("", |word| word.text.as_str());
        if let Some(program) = program_of_image(image) {
            let program = Field::literal(program);
            let arguments = call.words.get(at..).unwrap_or_default();
            let inner = call.with_words([std::slice::from_ref(&program), arguments].concat());
            self.perhaps(|walker| walker.enter(|walker| walker.call(inner)));
        }
        None
    }

    /// `shellcheck` of `docker run koalaman/shellcheck x.sh`, where the word behind the image can be
    /// a file or an option. A program that is named there counts as run, whatever the image.
    fn reader_of_image(&self, row: &Wrapper, at: usize, call: &Call) -> Option<&'static str> {
        if !row.is_of_containers() || row.then != ["run"] {
            return None;
        }
        let (image, first) = (call.words.get(at.checked_sub(1)?)?, call.words.get(at)?);
        let is_file = first.text.starts_with('-') || first.text.contains(['/', '.']);
        let is_program = is_familiar(&self.program(first)) || first.text.contains(' ');
        if image.has_hole() || first.has_hole() || !is_file || is_program {
            return None;
        }
        let registries = ["docker.io/", "ghcr.io/"];
        let name = registries.iter().find_map(|it| image.text.strip_prefix(it));
        let name = name.unwrap_or(&image.text);
        let (name, tag) = name.split_once([':', '@']).unwrap_or((name, ""));
        // What is built upon a system runs whatever it finds of that name.
        let found = READERS.iter().find(|pair| pair.0 == name && !tag.contains("alpine"));
        found.map(|pair| pair.1)
    }

    /// `docker run --entrypoint program image arguments`
    fn entered(&mut self, given: &[Given], at: usize, call: &Call) -> Option<String> {
        let program =
            given.iter().rev().find(|option| option.name == "entrypoint")?.value.clone()?;
        let arguments = call.words.get(at..).unwrap_or_default();
        let inner = call.with_words([std::slice::from_ref(&program), arguments].concat());
        Some(self.enter(|walker| walker.call(inner)))
    }

    fn by_rest(
        &mut self,
        row: &Wrapper,
        given: &[Given],
        (from, at): (usize, usize),
        call: &Call,
    ) -> Option<String> {
        match row.rest {
            Rest::After(options) => {
                let option = call.words.iter().position(|w| options.contains(&w.text.as_str()))?;
                self.rest(option + 1, call)
            }
            Rest::CodeAfter(options) => {
                let option = call.words.iter().position(|w| options.contains(&w.text.as_str()))?;
                let text = call.code(option + 1);
                Some(self.nested_code(&text, &call.io))
            }
            _ if at >= call.words.len() => self.input_code(row, given, call),
            // `runuser -u user command`
            Rest::Nothing
                if self.program(&call.words[0]) == "runuser"
                    && given.iter().any(|option| matches!(option.name.as_str(), "u" | "user")) =>
            {
                self.rest(at, call)
            }
            Rest::Nothing => self.input_code(row, given, call),
            Rest::Command => {
                let with = |program: Field| {
                    let words = [&call.words[..at], &[program], &call.words[at + 1..]].concat();
                    call.with_words(words)
                };
                let fetched = &call.words[at];
                let plain = row.fetches().then(|| without_version(fetched)).flatten();
                if let Some(program) = row.fetches().then(|| without_scope(fetched)).flatten() {
                    // A gate may mean it by its whole name, too.
                    let whole = plain.unwrap_or_else(|| fetched.clone());
                    let _ = self.rest(at, &with(whole));
                    return self.rest(at, &with(program));
                }
                match plain {
                    Some(program) => self.rest(at, &with(program)),
                    None => self.rest(at, call),
                }
            }
            // A program in its own right, which is asked about by its own name as well.
            Rest::Somewhere => {
                self.somewhere(from, at, call);
                None
            }
            Rest::Typed => {
                // As if there were blanks between them, too.
                for text in [typed(&call.words[at..]), call.code(at)] {
                    self.derived(&call.words[at], |walker| walker.nested_code(&text, &call.io));
                }
                None
            }
            Rest::Codes if call.words[at..].iter().all(|word| !word.text.contains(' ')) => {
                let text = call.code(at);
                Some(self.derived(&call.words[at], |walker| walker.nested_code(&text, &call.io)))
            }
            Rest::Codes => {
                for word in call.words[at..].iter().take(limit::CHOICES) {
                    self.derived(word, |walker| walker.nested_code(&word.text, &call.io));
                }
                None
            }
            Rest::Code => {
                let text = call.code(at);
                Some(self.derived(&call.words[at], |walker| walker.nested_code(&text, &call.io)))
            }
            Rest::Extended => Some(self.extended(given, at, call)),
        }
    }

    /// A program that starts a shell where no command is given: its input is code.
    fn input_code(&mut self, row: &Wrapper, given: &[Given], call: &Call) -> Option<String> {
        let is_sudo = row.name() == "sudo";
        let shell = given.iter().any(|g| matches!(g.name.as_str(), "s" | "i" | "shell" | "login"));
        if !lists(wrappers::SHELLS_WITHOUT_COMMAND, row.name()) || is_sudo && !shell {
            return None;
        }
        let text = call.io.stdin.clone().filter(|text| !text.chars().eq([HOLE]))?;
        self.resolved += 1;
        let output = self.nested_code(&text, &super::Io::default());
        self.resolved -= 1;
        Some(output)
    }

    /// Walks the command that begins at a word.
    pub(super) fn rest(&mut self, at: usize, call: &Call) -> Option<String> {
        let words = call.words.get(at..).filter(|words| !words.is_empty())?;
        let mut inner = call.with_words(words.to_vec());
        // `command`, `builtin` and `exec` stay in the shell: `command cd d` changes directory.
        inner.direct = call.direct && matches!(call.words[0].text.as_str(), "command" | "builtin");
        if inner.direct && !is_builtin(&inner.words[0].text) {
            inner.direct = false;
        }
        let before: Vec<_> = inner
            .assignments
            .iter()
            .map(|(name, _)| (name.clone(), self.env.variable(name).cloned()))
            .collect();
        for (name, value) in &inner.assignments {
            self.env.set(name, vec![super::env::Value::Text(value.clone())]);
            self.env.export(name);
        }
        let output = self.enter(|walker| walker.call(inner));
        for (name, variable) in before.into_iter().rev() {
            self.env.put(&name, variable);
        }
        Some(output)
    }

    /// Walks code that stems from `source`.
    pub(super) fn derived<T>(&mut self, source: &Field, walk: impl FnOnce(&mut Self) -> T) -> T {
        let derived = usize::from(source.resolved);
        self.resolved += derived;
        let walked = walk(self);
        self.resolved -= derived;
        walked
    }

    /// `env -S 'code'`, where blanks split and quotes hold together as in the shell.
    fn env_string(&mut self, call: &Call) -> bool {
        const ENV: Grammar = Grammar { letters: "uCSP", long: "unset chdir split-string" };
        // Words after the string belong to its command, whatever they look like.
        let found = (2..=call.words.len()).take(limit::CHOICES).find_map(|end| {
            let (given, _) = ENV.leading(&call.words[..end], 1);
            let string =
                given.into_iter().find(|g| matches!(g.name.as_str(), "S" | "split-string"));
            Some((string?.value?, end))
        });
        let Some((text, at)) = found else { return false };
        // `\_` is a blank there.
        let string = text.text.replace("\\_", " ");
        let line = format!("env {string} {}", quoted(&call.words[at..]));
        self.derived(&text, |walker| walker.nested_code(&line, &call.io));
        true
    }
}

/// `name=value` among the arguments of a wrapper.
fn assignment(word: &Field) -> Option<(String, String)> {
    let head = super::scan::head(&word.text)?;
    Some((head.name.to_owned(), word.text[head.length..].to_owned()))
}

/// `env` takes any text before the sign for a name.
fn any_assignment(word: &Field) -> Option<(String, String)> {
    let (name, value) = word.text.split_once('=').filter(|pair| !pair.0.is_empty())?;
    Some((name.to_owned(), value.to_owned()))
}

/// What keys type.
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

/// `git` of `docker.io/alpine/git:latest`, an image whose name is a program that it may begin with.
const TOOLS: &[&str] = &["git", "kubectl", "terraform", "tofu", "helm", "npm", "gh", "glab"];

/// Images that run this program and no other (their `ENTRYPOINT`), which only looks at what it is
/// handed. Of `hadolint/hadolint` the words are the command itself, as of `bash` and `node`.
const READERS: &[(&str, &str)] = &[
    ("koalaman/shellcheck", "shellcheck"),
    ("nlknguyen/alpine-shellcheck", "shellcheck"),
    ("mvdan/shfmt", "shfmt"),
    ("davidanson/markdownlint-cli2", "markdownlint-cli2"),
    ("igorshubovych/markdownlint-cli", "markdownlint"),
    ("rhysd/actionlint", "actionlint"),
];

fn program_of_image(image: &str) -> Option<&str> {
    let name = image.rsplit('/').next()?;
    let name = name.split([':', '@']).next()?;
    let is_one = TOOLS.contains(&name) || name.ends_with("-cli");
    is_one.then(|| name.trim_end_matches("-cli"))
}

/// `cargo +nightly`
fn names_toolchain(call: &Call) -> bool {
    call.words.get(1).is_some_and(|word| word.text.starts_with('+') && !word.has_hole())
}

/// `npm` of `npx npm@11`, and `@beads/bd` of `npx @beads/bd@latest`.
fn without_version(word: &Field) -> Option<Field> {
    let scope = word.text.find('/').filter(|_| word.text.starts_with('@')).map_or(0, |at| at + 1);
    let (name, _) = word.text[scope..].split_once('@').filter(|(name, _)| !name.is_empty())?;
    let is_name = !name.contains(['/', ' ']);
    is_name.then(|| word.with_text(&word.text[..scope + name.len()]))
}

/// `bd` of `npx @beads/bd@latest`: the program of a scoped package is, by custom, what it is called
/// without its scope.
fn without_scope(word: &Field) -> Option<Field> {
    let (_, name) = word.text.strip_prefix('@')?.split_once('/')?;
    let name = name.split('@').next().filter(|it| !it.is_empty() && !it.contains(['/', ' ']))?;
    Some(word.with_text(name))
}
