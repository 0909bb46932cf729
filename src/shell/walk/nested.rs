//! Nested code: shells, and the scripts that a line runs.

use super::super::foreign::{Given, called};
use super::super::{Certainty, HOLE, Interpreter, last_part};
use super::Walker;
use super::call::Call;
use super::env::{Made, Value};
use super::field::{Field, texts};
use super::output::{unescaped, unknown_output};
use super::shebang::{language, shebang};

impl Walker<'_> {
    /// Walks what an interpreter runs. `None` if the program is none.
    pub(super) fn nested(&mut self, name: &str, call: &Call) -> Option<String> {
        if is_shell(name) {
            return Some(self.shell(name, call));
        }
        None
    }

    /// `bash -c code name arguments…`, `bash file arguments…`, `bash` with code for its input.
    fn shell(&mut self, name: &str, call: &Call) -> String {
        let posix = matches!(name, "sh" | "dash" | "ash");
        let outer = std::mem::replace(&mut self.posix, posix);
        let output = self.shell_call(name, call);
        self.posix = outer;
        output
    }

    fn shell_call(&mut self, name: &str, call: &Call) -> String {
        let words = &call.words;
        let mut at = 1;
        let (mut takes_code, mut takes_input) = (false, false);
        let (mut only_reads, mut is_interactive, mut is_login) = (false, false, false);
        let mut dumps = false;
        if words.get(1).is_some_and(|it| tells_of_itself(name, &it.text)) {
            self.leaf(words, call, Certainty::Literal);
            return String::new();
        }
        while let Some(word) = words.get(at) {
            let text = word.text.as_str();
            if matches!(text, "--" | "-") {
                at += 1;
                break;
            }
            if let Some(long) = text.strip_prefix("--").or(long_of_bash(name, text)) {
                is_login |= long == "login";
                let names_a_file = matches!(long, "rcfile" | "init-file");
                if names_a_file && let Some(file) = words.get(at + 1) {
                    self.begun_with(&file.text);
                }
                at += if names_a_file { 2 } else { 1 };
                continue;
            }
            let Some(letters) = text.strip_prefix(['-', '+']) else { break };
            takes_code |= text.starts_with('-') && letters.contains('c');
            takes_input |= letters.contains('s');
            // The last of them counts: `bash -n +n f` runs it.
            let begin = at + 1;
            let taken = letters.matches(['o', 'O']).count();
            let named = words.iter().skip(begin).take(taken).any(|it| it.text == "noexec");
            if letters.contains('n') || named && has_noexec(name) {
                only_reads = text.starts_with('-');
            }
            dumps |= name == "bash" && letters.contains('D');
            is_interactive |= letters.contains('i');
            is_login |= letters.contains('l');
            // `-o pipefail`: each of these letters takes a word.
            at = begin + taken;
        }
        // `bash -n` looks for errors and runs nothing, `bash -D` for texts.
        if (only_reads || dumps) && !is_interactive {
            self.leaf(words, call, Certainty::Literal);
            return String::new();
        }
        let begun = match (is_interactive, is_login) {
            (false, false) => self.begun_by_variable(call),
            which => self.begun_as(which),
        };
        if takes_code {
            return self.shell_code(at, &begun, call);
        }
        if !takes_input && let Some(file) = words.get(at) {
            if matches!(file.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
                return self.shell_input(at + 1, call);
            }
            let file = file.clone();
            let arguments = texts(&words[at + 1..]);
            return self.script_file(&file.text, Interpreter::Shell, arguments, call);
        }
        self.shell_input(at, call)
    }

    /// The file that an interactive shell begins with. Whether the shell is one is not asked.
    fn begun_with(&mut self, path: &str) {
        self.suspect_file(path);
        if let Some(text) = self.script_text(path, Interpreter::Shell, &[]) {
            self.resolved += 1;
            self.of_file(path, |walker| {
                walker.perhaps(|walker| walker.nested_code(&text, &super::Io::default()));
            });
            self.resolved -= 1;
        }
    }

    /// What the line has written to the file that a variable of its own tells shells to begin with.
    fn begun_by_variable(&self, call: &Call) -> String {
        let path = self.known("BASH_ENV");
        if matches!(path.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
            let input = call.io.stdin.as_deref().filter(|it| !it.chars().eq([HOLE]));
            return input.map_or(String::new(), |it| format!("{it}\n"));
        }
        match self.made(&path) {
            Some(Made::Text(text)) if !path.is_empty() => {
                text.trim_start_matches([HOLE, '\n']).to_owned() + "\n"
            }
            _ => String::new(),
        }
    }

    /// What the line has written to the files that a shell begins with.
    fn begun_as(&self, (is_interactive, is_login): (bool, bool)) -> String {
        const INTERACTIVE: &[&str] = &["~/.bashrc", "~/.zshrc", "~/.kshrc"];
        const LOGIN: &[&str] = &["~/.bash_profile", "~/.bash_login", "~/.profile", "~/.zprofile"];
        let interactive = INTERACTIVE.iter().filter(|_| is_interactive);
        let mut begun = String::new();
        for path in interactive.chain(LOGIN.iter().filter(|_| is_login)).chain(&["~/.zshenv"]) {
            if let Some(Made::Text(text)) = self.made(path) {
                begun.push_str(text.trim_start_matches([HOLE, '\n']));
                begun.push('\n');
            }
        }
        begun
    }

    fn shell_code(&mut self, at: usize, begun: &str, call: &Call) -> String {
        let code = call.words.get(at);
        if code.is_none_or(|code| super::search::is_unknown(&code.text)) {
            self.leaf(&call.words, call, Certainty::Opaque);
            self.suspect_feed();
        }
        // `rm ./` and what was found: that much of it is known.
        let is_known = |code: &&Field| {
            !super::search::is_unknown(&code.text) || code.text.contains(char::is_whitespace)
        };
        let Some(code) = code.filter(is_known) else { return unknown_output(call) };
        // The word after the code is `$0`.
        let name = call.words.get(at + 1).map_or("bash", |word| &word.text);
        let arguments = call.words.get(at + 2..).unwrap_or(&[]);
        let arguments = texts(arguments);
        let text = format!("{begun}{}", code.text);
        self.derived(code, |walker| walker.named_process(name, &text, arguments, call))
    }

    fn shell_input(&mut self, at: usize, call: &Call) -> String {
        let arguments = call.words.get(at..).unwrap_or(&[]);
        let arguments = texts(arguments);
        match call.io.stdin.clone().or_else(|| self.stdin.clone()) {
            Some(text) if !super::search::is_unknown(&text) => {
                // Something that is not known comes before what is.
                if text.starts_with(HOLE) {
                    self.suspect_feed();
                }
                self.resolved += 1;
                if let Some(decoded) = self.decoded_by_echo(&text) {
                    self.perhaps(|it| it.process(&decoded, arguments.clone(), call));
                }
                let output = self.process(&text, arguments, call);
                self.resolved -= 1;
                output
            }
            stdin => {
                let known = stdin.is_none();
                let certainty = if known { Certainty::Literal } else { Certainty::Opaque };
                self.leaf(&call.words, call, certainty);
                if !known {
                    self.suspect_feed();
                }
                unknown_output(call)
            }
        }
    }

    /// Code as it is where the `echo` that showed it decodes backslashes: that of dash and of zsh
    /// does, that of bash does not, and which one it was is not always known.
    pub(super) fn decoded_by_echo(&self, text: &str) -> Option<String> {
        if !self.echoes_escapes {
            return None;
        }
        let decoded = unescaped(text);
        (decoded != text).then_some(decoded)
    }

    /// What a file may hold, in a process of its own.
    fn perhaps_of_file(&mut self, path: &str, text: &str, arguments: Vec<String>, call: &Call) {
        let walk = |it: &mut Self| it.named_process(path, text, arguments, call);
        self.perhaps(|it| it.of_file(path, walk));
    }

    /// Code in a process of its own, the script's name being of no interest.
    fn process(&mut self, text: &str, arguments: Vec<String>, call: &Call) -> String {
        self.named_process("\u{FFFC}", text, arguments, call)
    }

    fn named_process(
        &mut self,
        name: &str,
        text: &str,
        arguments: Vec<String>,
        call: &Call,
    ) -> String {
        self.enter(|walker| {
            walker.isolated(|walker| {
                walker.env.keep_exported();
                walker.env.set("0", vec![Value::Text(name.to_owned())]);
                walker.env.put_positional(vec![Some(arguments)]);
                const OWN_TEXT: &str = "BASH_EXECUTION_STRING";
                if text.contains(OWN_TEXT) {
                    walker.env.set(OWN_TEXT, vec![Value::Text(text.to_owned())]);
                }
                walker.code(text, &call.io)
            })
        })
    }

    /// A script in a file: its text, where the line wrote it, else its name for the caller.
    pub(super) fn script_file(
        &mut self,
        path: &str,
        interpreter: Interpreter,
        arguments: Vec<String>,
        call: &Call,
    ) -> String {
        self.leaf(&call.words, call, Certainty::Opaque);
        self.record_read(path, self.text_certainty(path));
        if path.starts_with("/dev/fd/") {
            if self.content(path).is_none_or(|it| it.starts_with(HOLE)) {
                self.suspect_feed();
            }
        } else {
            self.suspect_file(path);
        }
        for text in self.made_alike(path) {
            self.resolved += 1;
            if interpreter == Interpreter::Shell {
                self.perhaps(|it| it.named_process(path, &text, arguments.clone(), call));
            } else {
                self.perhaps(|walker| walker.interpreted(&text, interpreter));
            }
            self.resolved -= 1;
        }
        if let Some(text) = self.script_text(path, interpreter, &arguments)
            && !text.chars().eq([HOLE])
            && let Some(arguments) = self.arguments_of(path, arguments)
        {
            self.resolved += 1;
            if interpreter == Interpreter::Shell
                && let Some(decoded) = self.decoded_by_echo(&text)
            {
                self.perhaps_of_file(path, &decoded, arguments.clone(), call);
            }
            let output = self.of_file(path, |walker| {
                if interpreter == Interpreter::Shell {
                    return walker.named_process(path, &text, arguments, call);
                }
                walker.interpreted(&text, interpreter);
                unknown_output(call)
            });
            self.resolved -= 1;
            return output;
        }
        unknown_output(call)
    }

    /// A file that was found is run, whichever it is: `find -exec {} ;`.
    pub(super) fn found_runs(&mut self) {
        let path = HOLE.to_string();
        for text in self.made_alike(&path) {
            self.resolved += 1;
            self.perhaps(|walker| walker.interpreted(&text, Interpreter::Itself));
            self.resolved -= 1;
        }
        self.script_at(path, Interpreter::Itself, &[]);
    }

    /// A program that is itself a script: `./f.sh`, `../tools/x`; `x`, where the line looks for
    /// programs in a folder of its own.
    pub(super) fn script_of(&mut self, call: &Call) {
        let path = call.words[0].text.as_str();
        // A copy of a folder brings no program of that name that anybody knows of.
        if !path.contains('/') && !self.has_made(path) {
            let ways = self.env.variable("PATH").map_or("", |it| it.values[0].scalar());
            let is_own = |it: &&str| {
                !it.is_empty()
                    && !SYSTEM.iter().any(|s| it.starts_with(s))
                    && (!it.contains(HOLE) || self.has_made(&format!("{it}/{path}")))
            };
            let folders: Vec<String> = ways.split(':').filter(is_own).map(str::to_owned).collect();
            for folder in folders {
                if !self.spend(1) {
                    break;
                }
                let path = format!("{}/{path}", folder.trim_end_matches('/'));
                if let Some(Made::File(source)) = self.made(&path) {
                    let program = self.program_of(&source);
                    self.enter(|walker| walker.call(call.clone().renamed(&program)));
                }
                self.script_from(&path, call);
            }
            return;
        }
        self.script_from(path, call);
    }

    fn script_from(&mut self, path: &str, call: &Call) {
        // A path, and not one to where the system keeps its programs.
        let system = |path: &str| SYSTEM.iter().any(|folder| path.starts_with(folder));
        let is_own = match self.made(path) {
            Some(Made::File(source)) => !system(&source),
            Some(_) => true,
            None => path.contains('/') && !system(path),
        };
        if !is_own {
            return;
        }
        self.suspect_file(path);
        for program in self.copied(path) {
            let program = self.program_of(&program);
            self.enter(|walker| walker.call(call.clone().renamed(&program)));
        }
        for text in self.made_alike(path) {
            self.resolved += 1;
            self.perhaps(|walker| walker.interpreted(&text, Interpreter::Itself));
            self.resolved -= 1;
        }
        let arguments = texts(&call.words[1..]);
        if let Some(text) = self.script_text(path, Interpreter::Itself, &arguments)
            && !text.chars().eq([HOLE])
            && let Some(arguments) = self.arguments_of(path, arguments)
        {
            let interpreter = shebang(&text);
            self.resolved += 1;
            self.named_first(&text);
            if interpreter == Interpreter::Shell {
                if let Some(decoded) = self.decoded_by_echo(&text) {
                    self.perhaps_of_file(path, &decoded, arguments.clone(), call);
                }
                self.of_file(path, |it| it.named_process(path, &text, arguments, call));
            } else {
                self.of_file(path, |walker| walker.interpreted(&text, interpreter));
            }
            self.resolved -= 1;
        }
    }

    /// Walks the program of a script's `#!` line, where that is no interpreter that is known: the
    /// kernel runs it with the rest of the line.
    fn named_first(&mut self, text: &str) {
        let Some(line) = text.lines().next().and_then(|first| first.strip_prefix("#!")) else {
            return;
        };
        let mut words = line.split_whitespace().map(last_part);
        let is_option = |word: &&str| word.starts_with('-') || word.contains('=');
        let program = match words.next() {
            Some("env") => words.find(|word| !is_option(word)),
            program => program,
        };
        let is_known = program.is_none_or(|it| is_shell(it) || language(it).is_some());
        if !is_known {
            self.nested_code(line, &super::Io::default());
            // The kernel makes one word of the rest.
            if let Some((program, rest)) = line.trim().split_once(char::is_whitespace) {
                let words = [program, rest.trim()].map(super::field::Field::literal);
                let line = super::call::quoted(&words);
                self.nested_code(&line, &super::Io::default());
            }
        }
    }

    /// Walks a script's text.
    pub(super) fn interpreted(&mut self, text: &str, interpreter: Interpreter) {
        if interpreter == Interpreter::Itself {
            self.named_first(text);
        }
        let interpreter =
            if interpreter == Interpreter::Itself { shebang(text) } else { interpreter };
        if interpreter == Interpreter::Shell {
            self.enter(|walker| walker.code(text, &super::Io::default()));
        } else {
            if interpreter == Interpreter::Other {
                self.command_lines(text);
            }
            let arguments = self.positional().unwrap_or_default();
            let given = Given::arguments(interpreter, &arguments, true);
            let python = Some(interpreter).filter(|it| *it == Interpreter::Python);
            match python.and_then(|_| called(text)) {
                // What nobody calls here others may call.
                Some(used) => {
                    self.acts(&used, interpreter, &given);
                    self.perhaps(|walker| walker.acts(text, interpreter, &given));
                }
                None => self.acts(text, interpreter, &given),
            }
        }
    }
}

/// Shells, and those whose language begins like theirs: a program and its words.
pub(in super::super) fn is_shell(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    matches!(
        name,
        "bash"
            | "nu"
            | "elvish"
            | "xonsh"
            | "osh"
            | "ysh"
            | "sh"
            | "zsh"
            | "dash"
            | "ksh"
            | "ash"
            | "mksh"
            | "rbash"
            | "lksh"
            | "yash"
            | "pdksh"
            | "rzsh"
            | "fish"
            | "csh"
            | "tcsh"
            | "oil"
            | "rc"
            | "es"
            | "ion"
            | "posh"
            | "bosh"
            | "hush"
            | "oksh"
            | "loksh"
            | "sash"
            | "gosh"
            | "brush"
            | "murex"
    )
}

/// `bash -norc`: its long options, which it takes with one dash as well.
fn long_of_bash<'a>(name: &str, option: &'a str) -> Option<&'a str> {
    const LONG: &[&str] = &[
        "debug",
        "debugger",
        "help",
        "init-file",
        "login",
        "noediting",
        "noprofile",
        "norc",
        "posix",
        "protected",
        "rcfile",
        "restricted",
        "verbose",
        "version",
        "wordexp",
    ];
    let long = option.strip_prefix('-').filter(|it| LONG.contains(it));
    long.filter(|_| matches!(name, "bash" | "rbash" | "sh"))
}

/// Shells that have `-o noexec`; of others `-o` takes a file.
fn has_noexec(name: &str) -> bool {
    matches!(name, "bash" | "rbash" | "sh" | "dash" | "ash" | "zsh" | "ksh" | "mksh")
}

/// `bash --version f`: as the first word it has a shell say what it is, and no more.
fn tells_of_itself(name: &str, option: &str) -> bool {
    matches!(name, "bash" | "rbash" | "sh" | "dash" | "ash" | "zsh" | "fish")
        && matches!(option, "--version" | "--help")
}

/// Where programs lie that are no scripts of a project.
pub(super) const SYSTEM: &[&str] =
    &["/usr/", "/bin/", "/sbin/", "/opt/", "/nix/", "/snap/", "/System/"];
