//! `tmux`: commands of its own, what it types, and the shells that it starts.

use super::super::table::grammar::{Given, Grammar};
use super::super::{HOLE, Unreadable};
use super::call::Call;
use super::field::Field;
use super::{Io, Walker, limit};

impl Walker<'_> {
    /// `tmux -c 'code'`, and what is put into its buffer and typed from there. Whether it was one.
    pub(super) fn tmux_itself(&mut self, call: &Call) -> bool {
        const BUFFER: &str = "/dev/fd/tmux";
        const TMUX: Grammar = Grammar { letters: "cfLST", long: &[] };
        const SET: Grammar = Grammar { letters: "bnt", long: &[] };
        let (given, at) = TMUX.leading(&call.words, 1);
        let (given_files, given): (Vec<Given>, Vec<Given>) =
            given.into_iter().partition(|it| it.name == "f");
        let code = given.into_iter().find(|it| it.name == "c").and_then(|it| it.value);
        if let Some(code) = code {
            self.derived(&code, |walker| walker.nested_code(&code.text, &call.io));
            return true;
        }
        self.tmux_commands(given_files, at, call);
        match call.words.get(at).map(|it| it.text.as_str()) {
            Some("set-buffer" | "setb") => {
                let taken = SET.take(&call.words, at + 1);
                if let Some(text) = taken.operands.last().map(|at| call.words[*at].text.clone()) {
                    self.env.files.insert(BUFFER.to_owned(), super::env::Made::Text(text));
                }
            }
            Some("load-buffer" | "loadb") => {
                let text = call.words.last().and_then(|file| self.content(&file.text));
                let text = text.unwrap_or(HOLE.to_string());
                self.env.files.insert(BUFFER.to_owned(), super::env::Made::Text(text));
            }
            Some("paste-buffer" | "pasteb") => {
                if let Some(text) = self.content(BUFFER) {
                    self.nested_code(&text, &call.io);
                }
            }
            _ => {}
        }
        false
    }

    /// `tmux new -d \; send-keys …`: a command after each `;`. Whether there are several.
    pub(super) fn tmux_rest(&mut self, call: &Call) -> bool {
        let commands: Vec<Vec<Field>> = call
            .words
            .get(1..)
            .unwrap_or_default()
            .split(|word| word.text == ";")
            .filter(|words| !words.is_empty())
            .map(<[Field]>::to_vec)
            .collect();
        if commands.len() < 2 {
            return false;
        }
        if commands.len() > limit::CHOICES {
            self.fail(Unreadable::Work);
        }
        for words in commands.into_iter().take(limit::CHOICES) {
            let words = [vec![call.words[0].clone()], words].concat();
            let inner = call.with_words(words);
            self.enter(|walker| walker.call(inner));
        }
        true
    }

    /// What it is given as commands of its own: in a file, on its input, for later.
    fn tmux_commands(&mut self, given_files: Vec<Given>, at: usize, call: &Call) {
        let mut texts: Vec<String> = Vec::new();
        let files = given_files.into_iter().filter_map(|it| it.value);
        texts.extend(files.filter_map(|it| self.content(&it.text)));
        if call.words.iter().skip(1).any(|it| it.text == "-C" || it.text == "-CC") {
            texts.extend(call.io.stdin.as_deref().map(str::to_owned));
        }
        let operands: Vec<String> = call
            .words
            .get(at + 1..)
            .unwrap_or_default()
            .iter()
            .filter(|it| !it.text.starts_with('-') || it.text == "-")
            .map(|it| it.text.clone())
            .collect();
        match (call.words.get(at).map(|it| it.text.as_str()), &operands[..]) {
            (Some("source-file" | "source"), files) => {
                for file in files {
                    let input = call.io.stdin.as_deref().filter(|_| file == "-");
                    texts.extend(input.map(str::to_owned).or_else(|| self.content(file)));
                }
            }
            (Some("if-shell" | "if"), [condition, commands @ ..]) => {
                self.nested_code(condition, &call.io);
                texts.extend(commands.iter().cloned());
            }
            (Some("set-hook" | "confirm-before" | "confirm"), [.., text]) => {
                texts.push(text.clone());
            }
            (Some("bind-key" | "bind"), [_, words @ ..]) => texts.push(words.join(" ")),
            (Some("set-option" | "set" | "setw" | "set-window-option"), [.., name, text])
                if name == "default-command" || name == "default-shell" =>
            {
                self.nested_code(text, &call.io);
            }
            _ => {}
        }
        let lines = texts.iter().flat_map(|it| it.lines());
        let mut lines = lines.filter(|it| !it.trim().is_empty() && !it.chars().eq([HOLE]));
        for line in lines.by_ref().take(limit::CHOICES) {
            self.nested_code(&format!("tmux {line}"), &Io::default());
        }
        if lines.next().is_some() {
            self.fail(Unreadable::Work);
        }
    }
}
