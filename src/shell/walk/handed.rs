//! What code of another language is handed: by its arguments, its environment, its input. Where it
//! writes to, or runs, what it does not say, that is it.

use super::super::foreign::{self, Act, Given};
use super::super::table::checks;
use super::super::table::grammar::Given as Option_;
use super::super::table::interpreters::Row;
use super::super::{Certainty, HOLE, How, Interpreter};
use super::call::Call;
use super::field::Field;
use super::foreign::{given_to, is_hole, is_input};
use super::{Io, Walker, filter};

/// Names that are tried in one place; more of them may be anything.
const NAMES: usize = 512;
/// Places in a piece of code that are filled.
const PLACES: usize = 16;

impl Walker<'_> {
    /// What is done to what is not known: with each name that the code is handed.
    pub(super) fn handed(
        &mut self,
        acts: &[Act],
        code: &str,
        language: Interpreter,
        given: &Given,
    ) {
        let edits = ["$^I", "inplace"].iter().any(|it| code.contains(it));
        let is_open = |act: &&Act| match act {
            Act::Shell(text) | Act::Write(text, _) => text.contains(HOLE),
            Act::Program(words) => words.iter().any(|it| it.contains(HOLE)),
            Act::Read(_) | Act::Source(_) => false,
        };
        let open: Vec<&Act> = acts.iter().filter(is_open).take(PLACES).collect();
        if open.is_empty() && !edits {
            return;
        }
        let lines = self.lines_for(code, language, given);
        for path in lines.iter().filter(|_| edits) {
            self.record_write(path, How::Edit, Certainty::Opaque);
        }
        let names = if language == Interpreter::Awk { fields(code, &lines) } else { lines.clone() };
        if names.len() > NAMES {
            self.fail(super::Unreadable::Work);
        }
        for act in open {
            match act {
                Act::Shell(text) => {
                    // Of a line that is code all of it is.
                    let is_line = is_hole(text) && !code.contains("$1") && !code.contains("$2");
                    let names = if is_line { &lines } else { &names };
                    let names = names.iter().take(NAMES);
                    let length: usize = names.clone().map(|it| it.len() + text.len()).sum();
                    if !self.spend(length / 64) {
                        return;
                    }
                    let made: Vec<String> = names.map(|it| text.replace(HOLE, it)).collect();
                    self.perhaps(|walker| walker.nested_code(&made.join("\n"), &Io::default()));
                }
                Act::Program(words) => {
                    for name in names.iter().take(NAMES) {
                        if !self.spend(words.len()) {
                            return;
                        }
                        let words = words.iter().map(|it| it.replace(HOLE, name)).collect();
                        let act = vec![Act::Program(words)];
                        self.perhaps(|walker| walker.walk_acts(act, language));
                    }
                }
                Act::Write(path, how) => {
                    for name in names.iter().take(NAMES) {
                        if !self.spend(1) {
                            return;
                        }
                        self.record_write(&path.replace(HOLE, name), *how, Certainty::Opaque);
                    }
                }
                Act::Read(_) | Act::Source(_) => {}
            }
        }
    }

    /// The lines that code may be handed, as far as they are known.
    fn lines_for(&self, code: &str, language: Interpreter, given: &Given) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        if language == Interpreter::Awk {
            // What its operands are called, and what they hold.
            if ["FILENAME", "ARGV", "ENVIRON"].iter().any(|it| code.contains(it)) {
                texts.extend(given.heard.iter().cloned());
            }
            texts.extend(given.heard.iter().filter_map(|it| self.content(it)));
            texts.extend(given.input.as_deref().map(str::to_owned));
        } else {
            texts.extend(given.told(code).into_iter().map(str::to_owned));
        }
        if code.contains("ENV") || code.contains("environ") || code.contains("process.env") {
            texts.extend(self.environment());
        }
        let lines = texts.iter().flat_map(|it| it.lines()).map(str::trim);
        let lines = lines.filter(|it| !it.is_empty() && !it.contains(HOLE));
        lines.take(NAMES + 1).map(str::to_owned).collect()
    }

    /// Code that takes as code what it does not say: what it is handed, and its own texts.
    pub(super) fn taken_as_code(&mut self, code: &str, language: Interpreter, given: &Given) {
        if self.suspects.evaluated > 0 || self.muted > 0 || !self.spend(1 + code.len() / 64) {
            return;
        }
        let mut texts: Vec<String> = given.heard.clone();
        texts.extend(given.input.as_deref().map(str::to_owned));
        texts.extend(self.environment());
        // Of a file that the project keeps, what it says may run does not count.
        let own = self.kept.is_none().then(|| foreign::literal_texts(code, language));
        texts.extend(own.into_iter().flatten());
        texts.retain(|it| it.contains(['(', '`', ' ']) && it != code);
        self.suspects.evaluated += 1;
        for text in &texts {
            if !self.spend(1) {
                break;
            }
            self.enter(|walker| {
                walker.perhaps(|walker| walker.acts(text, language, &Given::default()));
            });
        }
        self.suspects.evaluated -= 1;
    }

    /// The environment, as far as the line has set it.
    fn environment(&self) -> Vec<String> {
        let known = |name: &str| self.options.variables.iter().any(|it| it.0 == name);
        let set = self.env.exported().filter(|(name, _)| !known(name));
        set.map(|(_, text)| text.to_owned()).take(NAMES).collect()
    }

    /// `mawk -W exec file`, `gawk -W source=code`: whether it is one of these.
    pub(super) fn awk_option(
        &mut self,
        given: &[Option_],
        row: &Row,
        at: usize,
        call: &Call,
    ) -> bool {
        let Some(told) = given.iter().find(|it| it.name == "W").and_then(|it| it.value.as_ref())
        else {
            return false;
        };
        let (name, value) = told.text.split_once('=').unwrap_or((&told.text, ""));
        let own = Some(told.with_text(value)).filter(|it| !it.text.is_empty());
        let next = at + usize::from(own.is_none());
        match own.or_else(|| call.words.get(at).cloned()) {
            Some(file) if "exec".starts_with(name) => self.code_file(&file, row, next, call),
            Some(code) if "source".starts_with(name) => {
                let given = given_to(row, call, next, false);
                self.acts(&code.text, row.language, &given);
            }
            _ => return false,
        }
        true
    }

    /// Whether an interpreter takes its input for code once it has run what it was given.
    pub(super) fn is_interactive(&self, row: &Row, given: &[Option_], call: &Call) -> bool {
        let names: &[&str] = match row.language {
            Interpreter::Python | Interpreter::JavaScript | Interpreter::Lua => {
                &["i", "interactive"]
            }
            Interpreter::Php => &["a", "interactive"],
            _ => return false,
        };
        let is_told = || {
            let own = call.assignments.iter().any(|it| it.0 == "PYTHONINSPECT");
            own || !self.known("PYTHONINSPECT").is_empty()
        };
        call.io.stdin.is_some()
            && (given.iter().any(|it| names.contains(&it.name.as_str()))
                || row.language == Interpreter::Python && is_told())
    }

    /// `perl -M'module;code'`, `-d:module`: what it loads by its options is code; and
    /// `ExtUtils::Command`, whose functions take the operands. The code that uses the others.
    pub(super) fn perl_modules(&mut self, given: &[Option_], at: usize, call: &Call) -> String {
        let loaded = given.iter().filter(|it| matches!(it.name.as_str(), "M" | "m"));
        let loaded = loaded.filter_map(|it| Some(it.value.as_ref()?.text.clone()));
        let debugs = call.words[1..at.max(1)].iter();
        let debugs = debugs.filter_map(|it| it.text.strip_prefix("-d")?.split_once(':'));
        let loaded: Vec<String> = loaded.chain(debugs.map(|it| it.1.to_owned())).collect();
        for text in &loaded {
            // `-Mmodule=names` quotes those.
            if text.contains([';', '(', '{', '`', '~']) {
                self.acts(&format!("use {text};"), Interpreter::Perl, &Given::default());
            }
        }
        if loaded.iter().any(|it| it.starts_with("ExtUtils::Command")) {
            self.utility(given, at, call);
        }
        let names = loaded.iter().filter(|it| !it.contains([';', '{', '}']));
        names.fold(String::new(), |uses, it| {
            let (module, names) = it.split_once('=').unwrap_or((it, ""));
            format!("{uses}use {module} qw({names});\n")
        })
    }

    /// Whether an interpreter only looks for errors in its file. Of Perl some of it runs all the same.
    pub(super) fn only_looked_at(&mut self, name: &str, row: &Row, at: usize, call: &Call) -> bool {
        if checks::only_compiles(name, row, &call.words, at) {
            let row = Row { language: Interpreter::PerlChecked, ..*row };
            self.operand(&row, at, call);
            return true;
        }
        let is_check = checks::only_checks(name, row, &call.words, at);
        let file = call.words.get(at).filter(|it| is_check && !is_input(&it.text));
        if let Some(file) = file {
            self.record_read(&file.text, file.certainty());
        }
        is_check
    }

    /// Functions that are programs of the shell: `ruby -run -e rm f`, `perl -MExtUtils::Command -e
    /// rm_f f`.
    pub(super) fn utility(&mut self, given: &[Option_], at: usize, call: &Call) {
        let code = given.iter().find(|it| matches!(it.name.as_str(), "e" | "E"));
        let code = code.and_then(|it| it.value.as_ref()).map_or("", |it| it.text.trim());
        let end = code.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(code.len());
        let program = match &code[..end] {
            "mkpath" => "mkdir",
            program => program,
        };
        if !program.is_empty() {
            let operands = call.words.get(at..).unwrap_or(&[]);
            let words = [&[Field::literal(program)], operands].concat();
            self.enter(|walker| walker.call(call.with_words(words)));
        }
    }
}

/// Lines of awk's input, and what its fields may be.
fn fields(code: &str, lines: &[String]) -> Vec<String> {
    let mut found = lines.to_vec();
    if code.contains('$') {
        for line in lines {
            let parts =
                line.split(|c: char| c.is_whitespace() || matches!(c, ':' | ',' | ';' | '|'));
            let parts = parts.filter(|it| !it.is_empty() && *it != line);
            found.extend(parts.take(NAMES).map(str::to_owned));
            let by_one = [":", ",", ";", "|", "\t"].iter().flat_map(|it| line.split(it));
            found.extend(by_one.map(str::trim).filter(|it| *it != line).map(str::to_owned));
            if found.len() > NAMES {
                break;
            }
        }
    }
    found.retain(|it| !it.is_empty());
    found.dedup();
    found
}

/// The text of an address that holds it: `data:text/javascript,…`.
pub(super) fn data(address: &str) -> String {
    let Some((head, text)) = address.split_once(',') else { return String::new() };
    if head.ends_with(";base64") {
        return filter::unpacked("b64decode", text).unwrap_or_default();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes().iter();
    while let Some(&byte) = rest.next() {
        let digits = (byte == b'%').then(|| rest.as_slice().get(..2)).flatten();
        let digits = digits.and_then(|it| std::str::from_utf8(it).ok());
        match digits.and_then(|it| u8::from_str_radix(it, 16).ok()) {
            Some(own) => {
                bytes.push(own);
                rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
