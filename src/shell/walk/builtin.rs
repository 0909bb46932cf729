//! Builtins that change what the rest of the line means.

use super::Walker;
use super::call::Call;
use super::env::Value;
use super::stdout::unknown_output;
use crate::shell::field::{Field, joined, texts};
use crate::shell::{Certainty, HOLE, Interpreter};

impl Walker<'_> {
    /// Walks a builtin. `None` where it is none, or where it is to be seen as a program, too.
    pub(super) fn builtin(&mut self, name: &str, call: &Call) -> Option<String> {
        let words = &call.words[1..];
        match name {
            "cd" | "chdir" | "pushd" => self.change_directory(name, words),
            "popd" => {
                if let Some(directories) = self.env.stack.pop() {
                    self.env.put_directories(directories);
                }
            }
            "export" => {
                for word in words {
                    let name = word.text.split('=').next().unwrap_or("");
                    self.env.export(name);
                }
            }
            "declare" | "typeset" | "local" | "readonly" => {
                let exports = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('x'));
                // Another name of a variable: not followed.
                let refers = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('n'));
                for word in words {
                    let name = word.text.split('=').next().unwrap_or("");
                    if exports {
                        self.env.export(name);
                    }
                    // Both names may get what is set by the other.
                    if refers && !name.starts_with('-') {
                        let other = word.text.split_once('=').map(|(_, other)| other);
                        for name in std::iter::once(name).chain(other) {
                            self.env.set(name, vec![Value::hole()]);
                        }
                    }
                }
            }
            "unset" => {
                let has = |option: &str| words.iter().any(|word| word.text == option);
                for word in words.iter().filter(|word| !word.text.starts_with('-')) {
                    if let Some((array, index)) = word.text.split_once('[') {
                        self.unset_element(array, index.trim_end_matches(']'));
                        continue;
                    }
                    if !has("-f") {
                        self.env.put(&word.text, None);
                    }
                    if !has("-v") {
                        self.env.put_function(&word.text, None);
                    }
                }
            }
            "let" => {
                for word in words {
                    self.counted(&word.text);
                }
                return None;
            }
            "alias" => {
                for word in words {
                    if let Some((name, text)) = word.text.split_once('=') {
                        self.env.put_alias(name, Some(text.to_owned()));
                    }
                }
            }
            "unalias" => {
                for word in words {
                    self.env.put_alias(&word.text, None);
                }
            }
            "hash" => {
                if let [option, path, name] = words
                    && option.text == "-p"
                {
                    self.env.put_alias(&name.text, Some(path.text.clone()));
                }
            }
            "set" => self.set(words),
            "shift" => self.shift(words),
            "read" | "mapfile" | "readarray" => self.read(name, call),
            "printf" => {
                if let [option, target, rest @ ..] = words
                    && option.text == "-v"
                {
                    let text = super::stdout::printf(rest);
                    self.env.set(&target.text, vec![Value::Text(text)]);
                }
                return None;
            }
            "eval" => return Some(self.eval(words, call)),
            "trap" => return self.trap(words, call),
            "source" | "." => return self.source(words, call),
            _ => return None,
        }
        self.leaf(&call.words, call, Certainty::Literal);
        Some(String::new())
    }

    fn shift(&mut self, words: &[Field]) {
        let count = words.first().map_or("1", |word| word.text.as_str());
        let is_unknown = count.contains(HOLE);
        let count: usize = count.parse().unwrap_or(0);
        let mut rest = Vec::new();
        for way in self.env.positional() {
            let Some(words) = way.as_ref().filter(|_| !is_unknown) else {
                rest.push(None);
                continue;
            };
            // Beyond the last of them nothing is shifted.
            let count = if count > words.len() { 0 } else { count };
            rest.push(Some(words[count..].to_vec()));
            // An argument that is unknown may be several.
            if words[..count].iter().any(|word| word.contains(HOLE)) {
                rest.push(None);
            }
        }
        rest.truncate(super::limit::VALUES);
        self.env.put_positional(rest);
    }

    fn unset_element(&mut self, array: &str, index: &str) {
        let values = self.env.variable(array).map_or(&[][..], |variable| &variable.values);
        let value = match values {
            [Value::Array(elements)] if !index.contains(HOLE) => {
                let key = self.subscript(array, index, elements);
                let rest = elements.iter().filter(|(own, _)| *own != key).cloned();
                Value::Array(rest.collect())
            }
            _ => Value::hole(),
        };
        self.env.set(array, vec![value]);
    }

    fn eval(&mut self, words: &[Field], call: &Call) -> String {
        let dashes = usize::from(words.first().is_some_and(|word| word.text == "--"));
        let words = &words[dashes..];
        let text = joined(words);
        if text.is_empty() || words.iter().all(Field::is_unknown) {
            self.leaf(&call.words, call, Certainty::Opaque);
            return unknown_output(call);
        }
        let derived = usize::from(words.iter().any(|word| word.resolved));
        self.resolved += derived;
        let output = self.enter(|walker| walker.code(&text, &call.io));
        self.resolved -= derived;
        output
    }

    fn trap(&mut self, words: &[Field], call: &Call) -> Option<String> {
        let code = words.iter().find(|word| !word.text.starts_with('-'))?.text.clone();
        if words.len() < 2 || words[0].text.starts_with("-p") {
            return None;
        }
        // A function that comes later is known at the end.
        let is_later = code.split_whitespace().next().is_some_and(|first| {
            self.env.function(first).is_none()
                && first.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        if code.contains(['$', '`']) {
            self.traps.push(code.clone());
        } else if is_later {
            self.later.push(code.clone());
        }
        // It runs later, or never.
        let mark = self.env.mark();
        let output = self.enter(|walker| walker.code(&code, &call.io));
        let changes = self.env.take_back(mark);
        self.env.merge(&[changes], false);
        Some(output)
    }

    fn change_directory(&mut self, name: &str, words: &[Field]) {
        let target = words
            .iter()
            .find(|word| word.text == "-" || !(word.text.starts_with('-') || word.text == "--"));
        let before = self.env.directories().to_vec();
        let after = match target.map(|word| word.text.as_str()) {
            None if name == "pushd" => return,
            None => vec!["~".to_owned()],
            Some("-") if self.env.previous.is_empty() => vec![HOLE.to_string()],
            Some("-") => self.env.previous.clone(),
            Some(path) => self.located(path).iter().map(|path| logical(path)).collect(),
        };
        if name == "pushd" && self.env.stack.len() < super::limit::DEPTH {
            self.env.stack.push(before.clone());
        }
        self.env.previous = before;
        // The kernel has a limit, too.
        let known = after.iter().all(|directory| directory.len() < super::limit::PATH)
            && self.spend(after.iter().map(String::len).sum::<usize>() / 64);
        self.env.put_directories(if known { after } else { vec![HOLE.to_string()] });
    }

    fn set(&mut self, words: &[Field]) {
        let mut at = 0;
        while let Some(text) = words.get(at).map(|word| word.text.as_str()) {
            match text.strip_prefix(['-', '+']) {
                Some("-") => {
                    at += 1;
                    break;
                }
                // `-euo pipefail`: each of these letters takes a word.
                Some(letters) => at += 1 + letters.matches('o').count(),
                None => break,
            }
        }
        // Without any it sets options alone, unless it is told so.
        let is_told = at > 0 && words.get(at - 1).is_some_and(|word| word.text == "--");
        if at < words.len() || is_told {
            let words = texts(words.get(at..).unwrap_or(&[]));
            self.env.put_positional(vec![Some(words)]);
        }
    }

    /// `read a b`: one of the lines of the input, in a loop any of them.
    fn read(&mut self, name: &str, call: &Call) {
        let grammar = crate::shell::table::grammar::Grammar {
            letters: if name == "read" { "adinNptu" } else { "dnOsuCc" },
            long: "",
        };
        let taken = grammar.take(&call.words, 1);
        let names: Vec<String> = taken
            .operands
            .iter()
            .map(|place| call.words[*place].text.clone())
            .chain(taken.value("a").map(|field| field.text.clone()))
            .collect();
        let input = call.io.stdin.as_deref().unwrap_or("\u{FFFC}");
        let most = if name == "read" { super::limit::VALUES + 1 } else { super::limit::BRACES };
        let lines: Vec<&str> = input.lines().take(most).filter(|line| !line.is_empty()).collect();
        let separators = self.separators().to_owned();
        let is_separator = |c: char| separators.contains(c);
        if name != "read" || taken.has("a") {
            let elements = lines.iter().flat_map(|line| {
                if name == "read" {
                    line.split(is_separator).filter(|word| !word.is_empty()).collect()
                } else {
                    vec![*line]
                }
            });
            let elements = elements
                .enumerate()
                .map(|(place, text)| (place.to_string(), text.to_owned()))
                .collect();
            let target = names.last().map_or("MAPFILE", String::as_str);
            self.env.set(target, vec![Value::Array(elements)]);
            return;
        }
        let names = if names.is_empty() { vec!["REPLY".to_owned()] } else { names };
        for (place, name) in names.iter().enumerate() {
            let last = place + 1 == names.len();
            let values = lines.iter().map(|line| {
                let mut rest = line.trim();
                for _ in 0..place {
                    rest = rest.split_once(is_separator).map_or("", |(_, rest)| rest.trim_start());
                }
                let text = if last { rest } else { rest.split(is_separator).next().unwrap_or("") };
                Value::Text(text.to_owned())
            });
            self.env.set(name, values.collect());
        }
    }

    /// `source file`: its text is code in this very shell.
    fn source(&mut self, words: &[Field], call: &Call) -> Option<String> {
        let path = words.first()?.clone();
        let arguments = texts(&words[1..]);
        if matches!(path.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
            let text = call.io.stdin.as_deref().unwrap_or("\u{FFFC}").to_owned();
            return Some(self.enter(|walker| walker.code(&text, &call.io)));
        }
        self.leaf(&call.words, call, Certainty::Opaque);
        self.record_read(&path.text, path.certainty());
        // `source <(…)`
        if let Some(text) = self.content(&path.text) {
            self.resolved += 1;
            let output = self.enter(|walker| walker.code(&text, &call.io));
            self.resolved -= 1;
            return Some(output);
        }
        self.record_script(&path.text, Interpreter::Shell, &arguments);
        Some(unknown_output(call))
    }
}

/// A directory with its `..` taken back, as `cd` does it: by name, links or not.
fn logical(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts
                .last()
                .is_some_and(|last| !matches!(*last, ".." | "" | "~" | "\u{FFFC}")) =>
            {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}
