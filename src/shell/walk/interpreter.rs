//! Interpreters of other languages: the code that is passed to them, and the scripts that they
//! would run. Only literal calls in their code are followed (see [`super::literal_call`]).

use super::recorder::{Mode, Origin};
use super::subprocess_calls::{self, Started};
use super::{Call, Io, Walker};
use crate::shell::field::{Field, texts};
use crate::shell::table::grammar::{GivenOption, GivenOptions, lists};
use crate::shell::table::interpreters::{self, Operand, Row};
use crate::shell::{HOLE, Interpreter};

impl Walker<'_> {
    pub(super) fn interpreter(&mut self, name: &str, call: &Call) {
        let Some(row) = interpreters::find(name) else { return };
        // The options of make may be anywhere.
        if row.language == Interpreter::Make {
            let given = row.grammar.take(&call.words, 1).options;
            self.given_code(row, &given, call.words.len(), call);
            return;
        }
        let (mut given, mut at) = row.grammar.leading(&call.words, 1);
        // `bun run file`, `tsx watch file`
        let verb = call.words.get(at).map_or("", |word| word.text.as_str());
        if matches!((name, verb), ("bun", "run") | ("tsx" | "vite-node", "watch")) {
            let (more, behind) = row.grammar.leading(&call.words, at + 1);
            given.extend(more);
            at = behind;
        }
        // `python -m module arguments`: the arguments belong to the module.
        let first = given.iter().find(|option| option.is("m c"));
        if row.language == Interpreter::Python && first.is_some_and(|option| option.name == "m") {
            return;
        }
        if !self.given_code(row, &given, at, call) {
            self.operand(row, at, call);
        }
    }

    /// Walks the code and records the files in options. Returns whether there was code.
    fn given_code(&mut self, row: &Row, given: &GivenOptions, at: usize, call: &Call) -> bool {
        let is_file = |option: &&GivenOption| option.is(row.files) && !option.is(row.code);
        for file in given.iter().filter(is_file).filter_map(|option| option.value.as_ref()) {
            self.code_file(file, row, at, call);
        }
        let code = given.iter().filter(|option| option.is(row.code));
        let mut code: Vec<&Field> = code.filter_map(|option| option.value.as_ref()).collect();
        code.extend(clustered(row, call, at));
        code.dedup();
        for code in &code {
            self.foreign_code(&code.text, row.language);
        }
        !code.is_empty()
    }

    fn operand(&mut self, row: &Row, at: usize, call: &Call) {
        let operand = call.words.get(at).cloned();
        match (row.operand, operand) {
            (Operand::Code, Some(_)) if has_program_file(row, call, at) => {}
            (Operand::Code, Some(code)) => self.foreign_code(&code.text, row.language),
            (Operand::After(word), Some(first)) if first.text == word => {
                let (_, at) = row.grammar.leading(&call.words, at + 1);
                if let Some(code) = call.words.get(at).cloned() {
                    self.foreign_code(&code.text, row.language);
                }
            }
            (Operand::After(_), Some(first)) if first.text == "run" => {
                let (_, at) = row.grammar.leading(&call.words, at + 1);
                if let Some(file) = call.words.get(at).cloned() {
                    self.code_file(&file, row, at + 1, call);
                }
            }
            (Operand::File, Some(file)) if !is_input(&file.text) => {
                self.code_file(&file, row, at + 1, call);
            }
            (Operand::File, _) => {
                if let Some(text) = call.io.stdin.clone() {
                    self.foreign_code(&text, row.language);
                }
            }
            _ => {}
        }
    }

    /// Records a file of code. Only the text of a here-document is walked.
    fn code_file(&mut self, file: &Field, row: &Row, at: usize, call: &Call) {
        let text = if is_input(&file.text) {
            call.io.stdin.as_deref().map(str::to_owned)
        } else {
            self.descriptors.text(&file.text).map(str::to_owned)
        };
        if let Some(text) = text {
            return self.foreign_code(&text, row.language);
        }
        self.record_read(&file.text, file.certainty());
        let arguments = texts(call.words.get(at..).unwrap_or(&[]));
        self.record_script(&file.text, row.language, &arguments);
    }

    /// Records code of another language, and walks the commands that it starts by literal calls.
    fn foreign_code(&mut self, code: &str, language: Interpreter) {
        if code.chars().eq([HOLE]) || !self.budget.spend(1 + code.len() / 256) {
            return;
        }
        self.recorder.code(code, language);
        for started in subprocess_calls::find(code, language) {
            if !self.budget.spend(1) {
                break;
            }
            let mode = Mode { origin: Origin::Foreign, ..Mode::default() };
            self.with_mode(mode, |walker| walker.started(started));
        }
    }

    fn started(&mut self, started: Started) {
        match started {
            Started::Shell(text) => {
                self.nested_code(&text, &Io::default());
            }
            Started::Program(words) => {
                let words = words.iter().map(|word| Field::literal(word)).collect();
                let io = Io::default();
                let call = Call { words, assignments: Vec::new(), io, direct: false };
                self.isolated(|walker| walker.inner_call(call));
            }
        }
    }
}

/// The words after a cluster of options whose last letter takes code, as in `node -pe code`.
fn clustered<'a>(row: &Row, call: &'a Call, at: usize) -> impl Iterator<Item = &'a Field> {
    let options = call.words.get(1..at).unwrap_or(&[]).iter().zip(&call.words[2.min(at)..]);
    let ends_in_code = |word: &str| {
        let letters = word.strip_prefix('-').filter(|letters| letters.len() > 1);
        let letters = letters.filter(|letters| letters.chars().all(|c| c.is_ascii_alphanumeric()));
        letters.is_some_and(|letters| lists(row.code, &letters[letters.len() - 1..]))
    };
    options.filter(move |(word, _)| ends_in_code(&word.text)).map(|(_, code)| code)
}

pub(super) fn is_input(file: &str) -> bool {
    matches!(file, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// Whether the program is in a file, as in `awk -f program file`, so that the first operand is not
/// code.
fn has_program_file(row: &Row, call: &Call, at: usize) -> bool {
    let (given, _) = row.grammar.leading(&call.words[..at], 1);
    given.has("f file")
}
