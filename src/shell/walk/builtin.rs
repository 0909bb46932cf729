//! Builtins that change the meaning of the rest of the line.

use super::paths::logical;
use super::shell_state::Value;
use super::stdout::printf;
use super::{Call, Walker};
use crate::shell::field::{Field, joined, texts};
use crate::shell::table::grammar::Grammar;
use crate::shell::{Certainty, HOLE, Interpreter, limit};

impl Walker<'_> {
    /// Walks a builtin. `None` if the name is not one, or also counts as a program.
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
                for word in words {
                    let name = word.text.split('=').next().unwrap_or("");
                    if exports {
                        self.env.export(name);
                    }
                }
            }
            "unset" => {
                let has = |option: &str| words.iter().any(|word| word.text == option);
                for word in words.iter().filter(|word| !word.text.starts_with('-')) {
                    if let Some((array, _)) = word.text.split_once('[') {
                        self.env.set(array, vec![Value::hole()]);
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
            "trap" => return self.trap(words),
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
            // Shifting by more than the number of parameters does nothing.
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

    fn trap(&mut self, words: &[Field]) -> Option<String> {
        let code = words.iter().find(|word| !word.text.starts_with('-'))?.text.clone();
        if words.len() < 2 || words[0].text.starts_with("-p") {
            return None;
        }
        if !self.traps.contains(&code) {
            self.traps.push(code);
        }
        Some(String::new())
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

    /// `read a b`: any line of the input, because it may be in a loop.
    fn read(&mut self, name: &str, call: &Call) {
        let letters = if name == "read" { "adinNptu" } else { "dnOsuCc" };
        let taken = Grammar { letters, long: "" }.take(&call.words, 1);
        let operands = taken.operands.iter().map(|place| call.words[*place].text.as_str());
        let mut names: Vec<&str> = operands.collect();
        let input = call.io.stdin.as_deref().unwrap_or("\u{FFFC}");
        let separators = self.separators().to_owned();
        let is_separator = |c: char| c == '\n' || name == "read" && separators.contains(c);
        let array = taken.options.value("a").map(|field| field.text.as_str());
        if name != "read" || array.is_some() {
            let elements = input.split(is_separator).filter(|text| !text.is_empty());
            let elements = elements.take(limit::BRACES).enumerate();
            let elements = elements.map(|(place, text)| (place.to_string(), text.to_owned()));
            let target = array.or(names.last().copied()).unwrap_or("MAPFILE");
            self.env.set(target, vec![Value::Array(elements.collect())]);
            return;
        }
        if names.is_empty() {
            names.push("REPLY");
        }
        let lines = input.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.take(limit::VALUES + 1).collect();
        for (place, name) in names.iter().enumerate() {
            let text = |line: &&str| {
                let part = line.splitn(names.len(), is_separator).nth(place);
                part.unwrap_or_default().trim().to_owned()
            };
            self.env.set(name, lines.iter().map(text).map(Value::Text).collect());
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
