//! What is run later: `crontab file`, `at -f file`.

use super::super::{HOLE, Interpreter};
use super::call::Call;
use super::field::Field;
use super::{Io, Walker};

/// So many lines of a table are walked.
const LINES: usize = 256;

impl Walker<'_> {
    /// `crontab -`, `crontab file`: a command behind five times, or behind a word like `@daily`.
    pub(super) fn schedule(&mut self, call: &Call) {
        let words = call.words[1..].iter().map(|it| it.text.as_str());
        let file = words.clone().find(|it| !it.starts_with('-') || *it == "-");
        let shows = words.clone().any(|it| matches!(it, "-l" | "-r" | "-e"));
        let text = match file {
            Some("-" | "/dev/stdin") => call.io.stdin.as_deref().map(str::to_owned),
            Some(file) => self.script_text(file, Interpreter::Other, &[]),
            None if shows => None,
            None => call.io.stdin.as_deref().map(str::to_owned),
        };
        for line in text.unwrap_or_default().lines().take(LINES) {
            // What was in the table before is not known.
            let line = line.trim_start_matches(|it: char| it.is_whitespace() || it == HOLE);
            let times = if line.starts_with('@') { 1 } else { 5 };
            let mut rest = line;
            for _ in 0..times {
                rest = rest.split_once(char::is_whitespace).map_or("", |it| it.1.trim_start());
            }
            // What stands behind `%` is its input.
            let code = rest.split('%').next().unwrap_or(rest);
            if !code.is_empty() && !line.starts_with('#') && self.spend(1) {
                self.again(true, |walker| walker.nested_code(code, &Io::default()));
            }
        }
    }

    /// `at -f file now`
    pub(super) fn queued(&mut self, call: &Call) {
        let file = call.words.windows(2).find(|it| it[0].text == "-f").map(|it| it[1].clone());
        let file: Option<Field> = file;
        if let Some(file) = file
            && let Some(text) = self.script_text(&file.text, Interpreter::Shell, &[])
        {
            self.perhaps(|walker| walker.nested_code(&text, &Io::default()));
        }
    }
}
