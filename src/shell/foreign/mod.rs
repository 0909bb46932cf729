//! Code in other languages: which commands it would run and which files it would write, as far as
//! its literals say. No evaluator: strings, lists of strings, simple variables, joined strings.

mod compiled;
mod cut;
mod escape;
mod json;
mod literals;
mod makefile;
mod makefile_text;
mod parse;
mod sed;
mod tcl;
mod token;
mod uncalled;

use makefile::read as make;

pub(super) use compiled::runs_while_read;
pub(super) use json::{is_read_by as reads_json, strings as json_strings};
pub(super) use literals::{commands as literal_commands, texts as literal_texts};
pub(super) use makefile::included;
pub(super) use sed::read as read_sed;
pub(super) use uncalled::called;

use super::table::grammar::Grammar;
use super::table::interpreters;
use super::walk::field::Field;
use super::walk::filter;
use super::{How, Interpreter};

/// What a piece of code would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// Hands text to a shell.
    Shell(String),
    /// Runs a program with its arguments.
    Program(Vec<String>),
    Write(String, How),
    Read(String),
    /// Runs a file of its own language.
    Source(String),
}

/// What a piece of code would do, as far as it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Acts {
    pub(super) acts: Vec<Act>,
    /// It starts something in a way that is not followed: what, nobody knows.
    pub(super) starts_unknown: bool,
    /// What it starts by its own interpreter, whose name is a hole: that may be none of the above.
    pub(super) itself: Vec<Vec<String>>,
    /// It takes as code of its own language what it does not say: `eval(input())`.
    pub(super) evaluates: bool,
    /// What it shows and what it writes to files, each call of it.
    pub(super) shown: Vec<Shown>,
    /// It has more tokens than are looked at.
    pub(super) is_cut: bool,
}

/// A text that code shows, [`HOLE`](super::HOLE)s in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) text: String,
    /// This, and nothing else, goes to its output.
    pub(super) is_sure: bool,
    /// It goes to a file.
    pub(super) to_file: bool,
}

impl Shown {
    fn unknown() -> Self {
        Self { text: super::HOLE.to_string(), is_sure: false, to_file: false }
    }

    fn is_known(&self) -> bool {
        self.text.contains(|it: char| it != super::HOLE && !it.is_whitespace())
    }
}

/// What code is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Given {
    /// `awk -v name=text`
    pub(super) variables: Vec<(String, String)>,
    /// Its arguments, under the names that the language has for them.
    pub(super) lists: Vec<(String, Vec<String>)>,
    /// What it may ask for: its arguments, its environment.
    pub(super) heard: Vec<String>,
    /// It goes over the files that its arguments name: `perl -n`.
    pub(super) loops: bool,
    /// What it may read from its input.
    pub(super) input: Option<std::rc::Rc<str>>,
}

impl Given {
    /// One of the lists, by its name; nothing where there is none.
    fn list(&self, name: &str) -> &[String] {
        self.lists.iter().find(|it| it.0 == name).map_or(&[], |it| &it.1)
    }

    /// What make is told by its words: variables, goals, files, folders. Where it reads more than
    /// one file the goals are left out, since what they need may stand in any of them.
    pub(super) fn make(words: &[String]) -> Self {
        let fields: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
        let grammar = interpreters::find("make").map_or(Grammar::NONE, |it| it.grammar);
        let taken = grammar.take(&fields, 0);
        let operands = taken.operands.iter().filter_map(|at| words.get(*at));
        let (set, goals): (Vec<&String>, Vec<&String>) = operands.partition(|it| it.contains('='));
        let set = set.into_iter().filter_map(|it| it.split_once('='));
        let variables = set.map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
        let values = |names: &[&str]| -> Vec<String> {
            let given = taken.options.iter().filter(|it| it.is(names));
            given.filter_map(|it| Some(it.value.as_ref()?.text.clone())).collect()
        };
        let files = values(&["f", "file", "makefile"]);
        let is_plain = files.len() < 2 && values(&["E", "eval"]).is_empty();
        let mut lists = vec![
            ("files".to_owned(), files),
            ("folders".to_owned(), values(&["I", "include-dir"])),
        ];
        if is_plain && goals.iter().all(|it| !it.contains(super::HOLE)) {
            lists.push(("goals".to_owned(), goals.into_iter().cloned().collect()));
        }
        if taken.has(&["e", "environment-overrides"]) {
            lists.push(("-e".to_owned(), vec!["-e".to_owned()]));
        }
        Self { variables, lists, ..Self::default() }
    }

    /// What make is told by the environment.
    pub(super) fn with_environment(mut self, environment: &[(String, String)]) -> Self {
        let pairs = environment.iter().map(|(name, text)| format!("{name}={text}"));
        self.lists.push(("environment".to_owned(), pairs.collect()));
        self
    }

    /// The folders in which make looks for what a file includes.
    pub(super) fn folders(&self) -> &[String] {
        self.list("folders")
    }

    /// The arguments of code on the command line, or of a script in a file.
    pub(super) fn arguments(language: Interpreter, arguments: &[String], is_file: bool) -> Self {
        let hole = || super::HOLE.to_string();
        let (name, before) = match language {
            Interpreter::Python => ("argv", 1),
            Interpreter::JavaScript => ("argv", 1 + usize::from(is_file)),
            Interpreter::Php => ("$argv", 1),
            Interpreter::Perl | Interpreter::PerlChecked => ("@ARGV", 0),
            Interpreter::Ruby => ("ARGV", 0),
            Interpreter::Make => return Self::make(arguments),
            _ => return Self { heard: arguments.to_vec(), ..Self::default() },
        };
        let list: Vec<String> =
            std::iter::repeat_with(hole).take(before).chain(arguments.iter().cloned()).collect();
        let names = if name == "@ARGV" { &[name, "$ARGV"] } else { &[name][..] };
        let lists = names.iter().map(|name| ((*name).to_owned(), list.clone())).collect();
        let heard = arguments.iter().cloned().chain([arguments.join(" ")]).collect();
        Self { lists, heard, ..Self::default() }
    }

    /// All that it may ask for and that could be a command; nothing of it where it asks for nothing.
    pub(super) fn told(&self, code: &str) -> Vec<&str> {
        const ASKS: &[&str] = &[
            "argv",
            "ARGV",
            "environ",
            "getenv",
            "ENV",
            "process.env",
            "shift",
            "stdin",
            "STDIN",
            "input(",
            "readFileSync(0",
            "/dev/stdin",
            "$_",
            "<>",
            "readline",
            "@_",
            "<STDIN",
            "<ARGV",
            " gets",
            "(gets",
            "io.read",
            "io.lines",
            "open(0",
            "$argn",
            "arg[",
            "fileinput",
            "fd 0",
            "dofile()",
        ];
        if !self.loops && !ASKS.iter().any(|it| code.contains(it)) {
            return Vec::new();
        }
        let input = self.input.as_deref().filter(|it| *it != code).unwrap_or_default();
        self.heard.iter().map(String::as_str).chain(input.lines()).collect()
    }
}

/// The acts of a piece of code, in the order in which they are found, and of at the `most` so many
/// tokens.
pub(super) fn read(code: &str, language: Interpreter, given: &Given, most: usize) -> Acts {
    let acts = match language {
        Interpreter::Tcl => return tcl::read(code),
        Interpreter::AppleScript => apple_script(code),
        Interpreter::Make => make(code, given),
        Interpreter::Sed => sed::read(code),
        Interpreter::Shell | Interpreter::Itself | Interpreter::Patch => Vec::new(),
        Interpreter::Other => {
            let starts_unknown = literals::starts_programs(code);
            return Acts { starts_unknown, ..Acts::default() };
        }
        language => return parse::read(code, language, given, most),
    };
    Acts { acts, ..Acts::default() }
}

/// What a piece of code writes to files and shows, as it may stand in a file: each by itself, all one
/// behind the other, and the lines of its literals.
pub(super) fn written(code: &str, language: Interpreter) -> Vec<String> {
    let shown = read(code, language, &Given::default(), usize::MAX).shown;
    let all: String = shown.iter().map(|it| it.text.as_str()).collect();
    let shown = shown.into_iter().filter(Shown::is_known).map(|it| it.text);
    let mut texts: Vec<String> = shown.chain([all]).collect();
    for text in literals::texts(code, language) {
        texts.extend(text.lines().map(str::to_owned));
    }
    texts
}

/// Texts without an end of the line, any of which may be all that is printed.
const PARTS: usize = 8;

/// The text that a piece of code prints, as far as it stands there or its values are known. Where
/// something else may be printed, too, a hole comes first. `None` where nothing is known to be
/// printed.
pub(super) fn printed(code: &str, language: Interpreter, given: &Given) -> Option<String> {
    let (tokens, _) = token::tokens(code, language);
    let literal = printed_literally(&tokens);
    let mut shown = read(code, language, given, usize::MAX).shown;
    shown.retain(|it| !it.to_file);
    let is_all = tokens.iter().filter(|it| is_print(it)).count() == shown.len();
    let all: String = shown.iter().map(|it| it.text.as_str()).collect();
    let is_known = shown.iter().any(Shown::is_known);
    match literal {
        _ if is_known && is_all && shown.iter().all(|it| it.is_sure) => Some(all),
        Some((text, true)) if !is_known => Some(text),
        None if !is_known => None,
        literal => {
            let literal = literal.map(|it| it.0).filter(|it| it.trim() != all.trim());
            let is_line = |it: &&Shown| it.text.ends_with('\n') || !it.is_known();
            let parts = shown.iter().filter(|it| !is_line(it) && it.text != all).take(PARTS);
            let parts = parts.map(|it| it.text.clone());
            let texts = [is_known.then(|| all.clone()), literal].into_iter().flatten();
            let texts: Vec<String> =
                std::iter::once(super::HOLE.to_string()).chain(texts).chain(parts).collect();
            Some(texts.join("\n"))
        }
    }
}

fn is_print(token: &token::Token) -> bool {
    const PRINT: &[&str] =
        &["print", "printf", "println", "puts", "say", "echo", "log", "write", "writeln"];
    matches!(token, token::Token::Word(word) if PRINT.contains(&word.as_str()))
}

/// The literals that are printed, a line for each call, and whether nothing else is.
fn printed_literally(tokens: &[token::Token]) -> Option<(String, bool)> {
    let mut text = String::new();
    let mut known = true;
    let mut rest = tokens;
    while let Some(place) = rest.iter().position(is_print) {
        rest = &rest[place + 1..];
        let ends = |token: &token::Token| {
            is_print(token)
                || matches!(token, token::Token::Newline(_) | token::Token::Sign(';' | '}'))
        };
        let end = rest.iter().position(ends).unwrap_or(rest.len());
        let before = text.len();
        let mut decoder = None;
        for token in &rest[..end] {
            match token {
                token::Token::Text(own) => {
                    let own_text = decoder.and_then(|name| filter::unpacked(name, own));
                    text.push_str(own_text.as_deref().unwrap_or(own));
                }
                token::Token::Word(name) if filter::unpacked(name, "").is_some() => {
                    decoder = Some(name.as_str());
                    known = false;
                }
                token::Token::Sign('(' | ')' | '+' | '.' | ',') => {}
                _ => known = false,
            }
        }
        if text.len() > before {
            text.push('\n');
        } else {
            known = false;
        }
        rest = &rest[end..];
    }
    (!text.is_empty()).then_some((text, known))
}

/// `do shell script "…"`
fn apple_script(code: &str) -> Vec<Act> {
    let pieces = code.split("do shell script").skip(1);
    let scripts = pieces.filter_map(|piece| {
        let text = piece.trim_start().strip_prefix('"')?;
        let mut script = String::new();
        let mut characters = text.chars();
        loop {
            match characters.next()? {
                '"' => return Some(Act::Shell(script)),
                '\\' => script.extend(characters.next()),
                character => script.push(character),
            }
        }
    });
    scripts.collect()
}
