//! What a call of a function that is known does: what it starts, which files it writes.

use super::super::super::table::calls::{self, Kind};
use super::super::super::walk::is_shell;
use super::super::super::{HOLE, How, Interpreter};
use super::super::Act;
use super::format::formatted;
use super::{Argument, Parser, Value, base};

/// What a function is given that is given nothing.
const EMPTY: Argument = Argument { name: None, value: Value::Unknown, spread: false };

impl Parser<'_> {
    /// A program is started. A shell that is given no code takes what somebody writes to it.
    pub(super) fn starts(&mut self, act: Act) {
        let words: Vec<&str> = match &act {
            Act::Shell(text) => text.split_whitespace().collect(),
            Act::Program(words) => words.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        };
        let (first, rest) = words.split_first().map_or(("", &[][..]), |it| (*it.0, it.1));
        let is_unknown = first.is_empty() || first.chars().all(|c| c == HOLE);
        let listens = |it: &&str| it.starts_with('-') && !it.contains('c');
        let is_shell = is_shell(base(first)) && rest.iter().all(listens);
        self.starts_unknown |= is_unknown && !self.starts_itself(&act) || is_shell;
        self.acts.push(act);
    }

    /// What named arguments say of a program that is started.
    fn started_otherwise(&mut self, kind: Kind, arguments: &[Argument], plain: &[&Value]) {
        // `run("sh", input="…")`
        if matches!(kind, Kind::Shell)
            && let Some(input) = arguments.iter().find(|it| it.name.as_deref() == Some("input"))
            && let Some(first) = plain.first().and_then(|it| it.texts().into_iter().next())
            && is_shell(first.split_whitespace().next().unwrap_or(""))
        {
            self.acts.push(Act::Shell(input.value.text()));
        }
        // Another program than the first word says.
        if let Some(program) = arguments.iter().find(|it| is_executable(it.name.as_deref())) {
            let mut words = vec![program.value.text()];
            words.extend(plain.iter().flat_map(|value| value.texts()).skip(1));
            self.starts(Act::Program(words));
        }
    }

    pub(super) fn act(&mut self, kind: Kind, arguments: &[Argument]) -> Value {
        // One of several is each of them.
        let choice = arguments.iter().position(|it| matches!(it.value, Value::OneOf(_)));
        if kind.starts()
            && let Some(place) = choice
            && let Value::OneOf(values) = &arguments[place].value
        {
            for value in values {
                let mut arguments = arguments.to_vec();
                for argument in &mut arguments {
                    if matches!(argument.value, Value::OneOf(_)) {
                        argument.value = Value::Unknown;
                    }
                }
                arguments[place].value = value.clone();
                self.act(kind, &arguments);
            }
            return Value::Unknown;
        }
        self.act_once(kind, arguments)
    }

    fn act_once(&mut self, kind: Kind, arguments: &[Argument]) -> Value {
        let plain: Vec<&Value> = arguments
            .iter()
            .filter(|a| {
                a.name.as_deref().is_none_or(|name| matches!(name, "args" | "cmd" | "command"))
            })
            .map(|argument| &argument.value)
            .collect();
        let text = |place: usize| plain.get(place).map(|value| value.text());
        if kind.starts() {
            self.started_otherwise(kind, arguments, &plain);
        }
        match kind {
            Kind::Shell => match plain[..] {
                [] => {}
                // No words are no program.
                [Value::List(words), ..] if words.is_empty() => {}
                [list @ (Value::List(_) | Value::Nested(_)), ..] => {
                    self.starts(Act::Program(list.texts()));
                }
                [Value::Text(first), _, ..] if self.takes_lists() => {
                    let mut words = vec![first.clone()];
                    words.extend(plain[1..].iter().flat_map(|value| value.texts()));
                    self.starts(Act::Program(words));
                }
                [first, ..] => self.starts(Act::Shell(first.text())),
            },
            Kind::Program => {
                let words = plain.iter().flat_map(|value| value.texts()).collect();
                self.starts(Act::Program(words));
            }
            Kind::Behalf(words) => {
                let own = words.iter().map(|&it| it.to_owned());
                let words = own.chain(plain.iter().flat_map(|value| value.texts())).collect();
                self.starts(Act::Program(words));
            }
            Kind::Named => {
                let words = plain.iter().skip(1).flat_map(|value| value.texts()).collect();
                self.starts(Act::Program(named(text(0), words)));
            }
            Kind::Spawned => {
                let words = plain.iter().skip(2).flat_map(|value| value.texts()).collect();
                self.starts(Act::Program(named(text(1), words)));
            }
            Kind::Starter => self.starts_unknown = true,
            Kind::Source | Kind::CodeText | Kind::ByName | Kind::Code | Kind::PerlFile => {
                return self.act_of_code(kind, arguments, &plain);
            }
            Kind::File(place, how) => {
                self.acts.extend(text(place).map(|path| Act::Write(path, how)));
                if let (0, Some(path)) = (place, text(0)) {
                    self.written(&path, how, plain.get(1).copied());
                }
                // `unlink` takes many.
                for value in plain.iter().skip(place + 1).filter(|_| how == How::Remove) {
                    if let Value::Text(path) = value {
                        self.acts.push(Act::Write(path.clone(), how));
                    }
                }
            }
            Kind::Copy(how) => {
                if how == How::Move {
                    self.acts.extend(text(0).map(|path| Act::Write(path, how)));
                } else {
                    self.acts.extend(text(0).map(Act::Read));
                }
                self.acts.extend(text(1).map(|path| Act::Write(path, how)));
            }
            Kind::Open => {
                let named = arguments.iter().find(|a| a.name.as_deref() == Some("mode"));
                let mode = named.map(|argument| argument.value.text()).or(text(1));
                if let Some(path) = text(0) {
                    self.opened(&path, mode.as_deref().unwrap_or("r"));
                }
            }
            // `open(F, "-|", "git", "push")`
            Kind::PerlOpen
                if plain.len() > 3
                    && text(1).is_some_and(|it| matches!(it.trim(), "-|" | "|-")) =>
            {
                let words = plain.iter().skip(2).flat_map(|value| value.texts()).collect();
                self.starts(Act::Program(words));
            }
            Kind::PerlOpen => {
                let mode = text(1).unwrap_or_default();
                // `open F, shift`: an operand may say what to do with it.
                if plain.len() == 2 && mode.chars().all(|it| it == HOLE) {
                    self.open_operands();
                }
                self.perl_open(&mode, text(2));
            }
            Kind::Path => {
                let texts: Vec<String> = plain.iter().map(|value| value.text()).collect();
                return if texts.is_empty() {
                    Value::Unknown
                } else {
                    Value::Text(texts.join("/"))
                };
            }
            Kind::Words | Kind::Formats | Kind::Joins | Kind::Listed | Kind::Found => {
                return made(kind, arguments, &plain);
            }
            Kind::Method(_) | Kind::Shows(_) => {}
        }
        Value::Unknown
    }

    /// What is code of the same language, and what only some languages have.
    fn act_of_code(&mut self, kind: Kind, arguments: &[Argument], plain: &[&Value]) -> Value {
        let text = |place: usize| plain.get(place).map(|value| value.text());
        match kind {
            Kind::Source => {
                let files: Vec<String> = plain.iter().map(|value| value.text()).collect();
                // One that is handed to it may be its input.
                self.evaluates |= files.iter().all(|it| it.contains(HOLE))
                    && !self.given.told(self.code).is_empty();
                let files = files.into_iter().filter(|it| !it.contains(HOLE)).map(Act::Source);
                self.acts.extend(files);
            }
            Kind::CodeText => {
                for value in plain {
                    if let Value::Text(code) = value {
                        self.nested(code);
                    }
                }
            }
            Kind::ByName => {
                let name = text(0).unwrap_or_default();
                let kinds: Vec<Kind> =
                    calls::find(self.language, &name).map(|row| row.kind).collect();
                for kind in kinds.into_iter().filter(|it| *it != Kind::ByName) {
                    self.act(kind, &arguments[1..]);
                }
            }
            Kind::Code => {
                let is_own = self.is_own;
                for value in plain {
                    match value {
                        Value::Text(code) if !code.contains(HOLE) => self.nested(code),
                        Value::Text(code) => {
                            self.evaluates |= is_own;
                            self.nested(code);
                        }
                        _ => self.evaluates |= is_own,
                    }
                }
                self.evaluates |= is_own && plain.is_empty();
                return plain.first().map_or(Value::Unknown, |value| (*value).clone());
            }
            Kind::PerlFile => match (text(0), text(1)) {
                (Some(path), None) => self.perl_open(&path, None),
                (Some(path), Some(mode)) if mode.starts_with(['<', '>', '+', '|']) => {
                    self.perl_open(&mode, Some(path));
                }
                (Some(path), Some(mode)) => self.opened(&path, &mode),
                (None, _) => {}
            },
            _ => {}
        }
        Value::Unknown
    }

    /// Whether several strings are a program and its arguments.
    fn takes_lists(&self) -> bool {
        matches!(self.language, Interpreter::Perl | Interpreter::Ruby)
    }

    pub(super) fn opened(&mut self, path: &str, mode: &str) {
        // `open("|command")`
        if self.language == Interpreter::Ruby
            && let Some(command) = path.strip_prefix('|')
        {
            return self.starts(Act::Shell(command.to_owned()));
        }
        let how = match mode.chars().next() {
            Some('w' | 'x' | HOLE) => How::Write,
            Some('a') => How::Append,
            Some('r') if mode.contains('+') => How::Edit,
            _ => {
                self.acts.push(Act::Read(path.to_owned()));
                return;
            }
        };
        self.acts.push(Act::Write(path.to_owned(), how));
    }

    /// Perl's `<>` opens its operands as `open` does with two arguments: it runs `command|` and
    /// writes `>file`.
    pub(super) fn read_operands(&mut self) {
        let reads = ["<>", "<ARGV>", "readline"].iter().any(|it| self.code.contains(it));
        if self.language == Interpreter::Perl && self.nesting == 0 && (reads || self.given.loops) {
            self.open_operands();
        }
    }

    fn open_operands(&mut self) {
        let operands = self.variables.get("@ARGV").map(Value::texts).unwrap_or_default();
        for operand in operands.iter().filter(|it| it.contains(['|', '>'])) {
            self.perl_open(operand, None);
        }
    }

    fn perl_open(&mut self, mode: &str, path: Option<String>) {
        let mode = mode.trim();
        if let Some(command) = mode.strip_prefix("-|").or(mode.strip_prefix("|-")) {
            let command = path.unwrap_or_else(|| command.to_owned());
            self.starts(Act::Shell(command));
        } else if let Some(command) = mode.strip_prefix('|').or(mode.strip_suffix('|')) {
            self.starts(Act::Shell(command.to_owned()));
        } else if let Some(rest) = mode.trim_start_matches('+').strip_prefix('>') {
            let append = rest.starts_with('>');
            let rest = rest.trim_start_matches('>');
            let own = rest.split(':').next().unwrap_or("").trim();
            let how = if append { How::Append } else { How::Write };
            let path = if own.is_empty() { path } else { Some(own.to_owned()) };
            self.acts.extend(path.map(|path| Act::Write(path, how)));
        }
    }
}

/// The value that a function makes of others.
fn made(kind: Kind, arguments: &[Argument], plain: &[&Value]) -> Value {
    match kind {
        Kind::Words => {
            let words = |it: &Value| it.text().split_whitespace().map(str::to_owned).collect();
            match plain[..] {
                [Value::OneOf(values)] => {
                    Value::OneOf(values.iter().map(|it| Value::List(words(it))).collect())
                }
                [] => Value::Unknown,
                [first, ..] => Value::List(words(first)),
            }
        }
        Kind::Formats => {
            let (first, rest) = arguments.split_first().unwrap_or((&EMPTY, &[]));
            formatted(&first.value, rest)
        }
        Kind::Listed => match plain[..] {
            [list @ (Value::List(_) | Value::Nested(_))] => list.clone(),
            _ => Value::Unknown,
        },
        Kind::Found => match arguments {
            // Other folders are named there: what lies in them may be anything.
            [Argument { name: None, value: value @ Value::Text(_), spread: false }] => {
                value.clone()
            }
            _ => Value::Unknown,
        },
        Kind::Joins => {
            let mut texts = plain.iter().flat_map(|value| value.texts());
            let by = texts.next().unwrap_or_default();
            Value::Text(texts.collect::<Vec<String>>().join(&by))
        }
        _ => Value::Unknown,
    }
}

/// `subprocess.run([…], executable="git")`, `spawn("x", …, {argv0: …})`
fn is_executable(name: Option<&str>) -> bool {
    matches!(name, Some("executable" | "file"))
}

/// A program and its words, the first of which is the name that it is told. One that is told to be
/// `git-push` is that subcommand.
fn named(program: Option<String>, words: Vec<String>) -> Vec<String> {
    let Some(program) = program else { return words };
    let told = words.first().map_or("", |it| base(it));
    let verb = told.strip_prefix(base(&program)).and_then(|it| it.strip_prefix('-'));
    let verb = verb.filter(|it| !it.is_empty()).map(str::to_owned);
    std::iter::once(program).chain(verb).chain(words.into_iter().skip(1)).collect()
}
