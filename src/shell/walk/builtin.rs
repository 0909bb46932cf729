//! Builtins that change what the rest of the line means.

use super::env::Value;
use super::paths::logical;
use super::stdout::printf;
use super::{Call, Walker};
use crate::shell::field::{Field, joined, texts};
use crate::shell::{Certainty, HOLE, Interpreter, limit};

impl Walker<'_> {
    /// Walks a builtin. `None` where it is none, or counts as a program as well.
    pub(super) fn builtin(&mut self, name: &str, call: &Call) -> Option<String> {
        let words = &call.words[1..];
        match name {
            "cd" | "chdir" | "pushd" => self.change_directory(name, words),
            "popd" => {
                self.env.pop_directories();
            }
            "export" => {
                for word in words {
                    let name = word.text.split('=').next().unwrap_or("");
                    self.env.export(name);
                }
            }
            "declare" | "typeset" | "local" | "readonly" => {
                let exports = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('x'));
                // `declare -n` makes another name for a variable, which is not followed.
                let refers = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('n'));
                for word in words {
                    let name = word.text.split('=').next().unwrap_or("");
                    if exports {
                        self.env.export(name);
                    }
                    // What is set by one name is not known by the other.
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
                    self.arithmetic(&word.text);
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
                    let text = printf(rest);
                    self.env.set(&target.text, vec![Value::Text(text)]);
                }
                return None;
            }
            "eval" => return Some(self.eval(words, call)),
            "trap" => return self.trap(words, call),
            "source" | "." => return self.source(words, call),
            _ => return None,
        }
        self.record_command(&call.words, call, Certainty::Literal);
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
            // Shifting by more than there are does nothing.
            let count = if count > words.len() { 0 } else { count };
            rest.push(Some(words[count..].to_vec()));
            // An unknown argument may be several.
            if words[..count].iter().any(|word| word.contains(HOLE)) {
                rest.push(None);
            }
        }
        rest.truncate(limit::VALUES);
        self.env.put_positional(rest);
    }

    fn unset_element(&mut self, array: &str, index: &str) {
        let values = self.env.variable(array).map_or(&[][..], |variable| &variable.values);
        let value = match values {
            [Value::Array(elements)] if !index.contains(HOLE) => {
                let key = self.subscript(array, index, elements);
                let rest = elements.iter().filter(|(other, _)| *other != key).cloned();
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
            self.record_command(&call.words, call, Certainty::Opaque);
            return call.unknown_output();
        }
        let is_derived = words.iter().any(|word| word.resolved);
        self.derived_if(is_derived, |walker| walker.enter(|walker| walker.code(&text, &call.io)))
    }

    fn trap(&mut self, words: &[Field], call: &Call) -> Option<String> {
        let code = words.iter().find(|word| !word.text.starts_with('-'))?.text.clone();
        if words.len() < 2 || words[0].text.starts_with("-p") {
            return None;
        }
        // It may name a function that is defined later.
        let is_later = code.split_whitespace().next().is_some_and(|first| {
            self.env.function(first).is_none()
                && first.chars().all(|c| c.is_alphanumeric() || c == '_')
        });
        if code.contains(['$', '`']) {
            self.traps.set(&code);
        } else if is_later {
            self.traps.set_undefined(&code);
        }
        // It may run later or never.
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
        let after = match target.map(|word| word.text.as_str()) {
            None if name == "pushd" => return,
            None => vec!["~".to_owned()],
            Some("-") if self.env.previous().is_empty() => vec![HOLE.to_string()],
            Some("-") => self.env.previous().to_vec(),
            Some(path) => self.env.located(path).iter().map(|path| logical(path)).collect(),
        };
        if name == "pushd" {
            self.env.push_directories();
        }
        // The kernel has a limit as well.
        let known = after.iter().all(|directory| directory.len() < limit::PATH)
            && self.budget.spend(after.iter().map(String::len).sum::<usize>() / 64);
        self.env.leave_for(if known { after } else { vec![HOLE.to_string()] });
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
        // `set -e` changes no parameters; `set --` removes them.
        let is_told = at > 0 && words.get(at - 1).is_some_and(|word| word.text == "--");
        if at < words.len() || is_told {
            let words = texts(words.get(at..).unwrap_or(&[]));
            self.env.put_positional(vec![Some(words)]);
        }
    }

    /// `read a b`: any of the lines of the input, as it may be in a loop.
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
            .chain(taken.options.value("a").map(|field| field.text.clone()))
            .collect();
        let input = call.io.stdin.as_deref().unwrap_or("\u{FFFC}");
        let most = if name == "read" { limit::VALUES + 1 } else { limit::BRACES };
        let lines: Vec<&str> = input.lines().take(most).filter(|line| !line.is_empty()).collect();
        let separators = self.separators().to_owned();
        let is_separator = |c: char| separators.contains(c);
        if name != "read" || taken.options.has("a") {
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

    /// `source file`: the text is code in this shell.
    fn source(&mut self, words: &[Field], call: &Call) -> Option<String> {
        let path = words.first()?.clone();
        let arguments = texts(&words[1..]);
        if matches!(path.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
            let text = call.io.stdin.as_deref().unwrap_or("\u{FFFC}").to_owned();
            return Some(self.enter(|walker| walker.code(&text, &call.io)));
        }
        self.record_command(&call.words, call, Certainty::Opaque);
        self.record_read(&path.text, path.certainty());
        // `source <(…)`
        if let Some(text) = self.descriptors.text(&path.text).map(str::to_owned) {
            let walk = |walker: &mut Self| walker.enter(|walker| walker.code(&text, &call.io));
            return Some(self.derived(walk));
        }
        self.record_script(&path.text, Interpreter::Shell, &arguments);
        Some(call.unknown_output())
    }
}
