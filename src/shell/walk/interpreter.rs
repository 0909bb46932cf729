//! Interpreters of other languages: which code they are given, and which scripts they would run.
//! The code is not parsed; of it only literal calls are followed (see [`super::literal_call`]).

use super::call::Call;
use super::literal_call::{self, Started};
use super::{Io, Walker};
use crate::shell::field::{Field, texts};
use crate::shell::table::grammar::{Given, lists};
use crate::shell::table::interpreters::{self, Operand, Row};
use crate::shell::{HOLE, Interpreter};

impl Walker<'_> {
    pub(super) fn interpreter(&mut self, name: &str, call: &Call) {
        let Some(row) = interpreters::find(name) else { return };
        // The options of make may stand anywhere.
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
        // `python -m module arguments`: those are the module's.
        let first = given.iter().find(|given| matches!(given.name.as_str(), "m" | "c"));
        if row.language == Interpreter::Python && first.is_some_and(|given| given.name == "m") {
            return;
        }
        if !self.given_code(row, &given, at, call) {
            self.operand(row, at, call);
        }
    }

    /// Walks the code and names the files that options hold. Whether there was code.
    fn given_code(&mut self, row: &Row, given: &[Given], at: usize, call: &Call) -> bool {
        let is_file = |given: &&Given| given.is_exactly(row.files) && !given.is_exactly(row.code);
        for file in given.iter().filter(is_file).filter_map(|given| given.value.as_ref()) {
            self.code_file(file, row, at, call);
        }
        let code = given.iter().filter(|given| given.is_exactly(row.code));
        let mut code: Vec<Field> = code.filter_map(|given| given.value.clone()).collect();
        code.extend(clustered(row, call, at).cloned());
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

    /// A file of code, which is named and not read.
    fn code_file(&mut self, file: &Field, row: &Row, at: usize, call: &Call) {
        let text = if is_input(&file.text) {
            call.io.stdin.as_deref().map(str::to_owned)
        } else {
            self.content(&file.text)
        };
        if let Some(text) = text {
            return self.foreign_code(&text, row.language);
        }
        self.record_read(&file.text, file.certainty());
        let arguments = texts(call.words.get(at..).unwrap_or(&[]));
        self.record_script(&file.text, row.language, &arguments);
    }

    /// Notes code of another language, and walks the commands that it starts by literal calls.
    fn foreign_code(&mut self, code: &str, language: Interpreter) {
        if code.chars().eq([HOLE]) || !self.spend(1 + code.len() / 256) {
            return;
        }
        self.record_code(code, language);
        self.resolved += 1;
        self.foreign += 1;
        for started in literal_call::find(code, language) {
            if !self.spend(1) {
                break;
            }
            match started {
                Started::Shell(text) => {
                    self.nested_code(&text, &Io::default());
                }
                Started::Program(words) => {
                    let words = words.iter().map(|word| Field::literal(word)).collect();
                    let io = Io::default();
                    let call = Call { words, assignments: Vec::new(), io, direct: false };
                    self.enter(|walker| walker.isolated(|walker| walker.call(call)));
                }
            }
        }
        self.foreign -= 1;
        self.resolved -= 1;
    }
}

/// The words after a cluster of options whose last letter takes code, whatever its other letters
/// take: `node -pe code`.
fn clustered<'a>(row: &Row, call: &'a Call, at: usize) -> impl Iterator<Item = &'a Field> {
    let options = call.words.get(1..at).unwrap_or(&[]).iter().zip(&call.words[2.min(at)..]);
    let ends_in_code = |word: &str| {
        let letters = word.strip_prefix('-').filter(|letters| letters.len() > 1);
        let letters = letters.filter(|it| it.chars().all(|c| c.is_ascii_alphanumeric()));
        letters.is_some_and(|letters| lists(row.code, &letters[letters.len() - 1..]))
    };
    options.filter(move |(word, _)| ends_in_code(&word.text)).map(|(_, code)| code)
}

/// Whether a file is a way to the input.
pub(super) fn is_input(file: &str) -> bool {
    matches!(file, "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// `awk -f program file`: the operands are no code.
fn has_program_file(row: &Row, call: &Call, at: usize) -> bool {
    let (given, _) = row.grammar.leading(&call.words[..at], 1);
    given.iter().any(|given| matches!(given.name.as_str(), "f" | "file"))
}
