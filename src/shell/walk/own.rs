//! Ways of single programs: where git looks for its own, and what sqlite3 takes for commands.

use super::super::How;
use super::super::table::grammar::Given;
use super::super::table::options;
use super::call::Call;
use super::field::Field;
use super::{Io, Walker};

impl Walker<'_> {
    /// The files of a program, seen from where `git -C folder` goes.
    pub(super) fn files_there(&mut self, name: &str, words: &[Field]) {
        let row = options::find(name).filter(|_| name == "git");
        let given = row.map(|row| row.grammar.leading(words, 1).0).unwrap_or_default();
        let goes = given.iter().filter(|it| it.name == "C").filter_map(|it| it.value.as_ref());
        let folders: Vec<&Field> = goes.collect();
        if folders.is_empty() {
            return self.files(name, words);
        }
        let before = self.env.directories().to_vec();
        for folder in folders {
            let there = self.located(&folder.text);
            self.env.put_directories(there);
        }
        self.files(name, words);
        self.env.put_directories(before);
    }

    /// `.output file` of sqlite3, and what it takes from its input: `.shell command`.
    pub(super) fn dot_commands(&mut self, lines: &[String]) {
        for line in lines {
            let Some((verb, rest)) = line.trim().split_once([' ', '\t']) else { continue };
            let file = rest.split_whitespace().next_back().map(|it| it.trim_matches(['"', '\'']));
            match (verb, file) {
                (
                    ".output" | ".once" | ".backup" | ".save" | ".log" | ".clone" | ".trace",
                    Some(file),
                ) if !matches!(file, "off" | "stdout" | "stderr") => {
                    if let Some(code) = file.strip_prefix('|') {
                        self.nested_code(code, &Io::default());
                    } else {
                        self.record_write(file, How::Write, self.text_certainty(file));
                    }
                }
                (".shell" | ".system", _) => {
                    self.nested_code(rest, &Io::default());
                }
                _ => {}
            }
        }
    }

    /// `git --exec-path=folder x` runs `folder/git-x`.
    pub(super) fn git_program(
        &mut self,
        given: &[Given],
        verb: &str,
        arguments: &[Field],
        call: &Call,
    ) {
        let given = given.iter().rev().find(|it| it.name == "exec-path");
        let option = given.and_then(|it| it.value.as_ref()).map(|it| it.text.clone());
        let own = call.assignments.iter().rev().find(|it| it.0 == "GIT_EXEC_PATH");
        let folder = option.or_else(|| own.map(|it| it.1.clone()));
        let folder = folder.unwrap_or_else(|| self.known("GIT_EXEC_PATH"));
        if folder.is_empty() || verb.contains('/') {
            return;
        }
        let program = Field::literal(&format!("{}/git-{verb}", folder.trim_end_matches('/')));
        let words = [&[program], arguments].concat();
        let inner = Call { assignments: Vec::new(), ..call.with_words(words) };
        self.enter(|walker| walker.call(inner));
    }

    /// A variable's text, as far as it is known.
    pub(super) fn known(&self, name: &str) -> String {
        self.env.variable(name).map_or("", |it| it.values[0].scalar()).to_owned()
    }
}
