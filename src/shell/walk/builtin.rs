//! Builtins that change what the rest of the line means.

use super::super::table::grammar::Grammar;
use super::super::{Certainty, HOLE, Interpreter, Unreadable};
use super::call::Call;
use super::env::Value;
use super::field::{Field, joined, texts};
use super::groups::without_groups;
use super::output::unknown_output;
use super::{Walker, limit};

/// Lines that are kept of what `history` was told.
const HISTORY: usize = 64;

impl Walker<'_> {
    /// Walks a builtin. `None` where it is none, or where it is to be seen as a program, too.
    pub(super) fn builtin(&mut self, name: &str, call: &Call) -> Option<String> {
        self.evaluated(name, call);
        let words = &call.words[1..];
        match name {
            "cd" | "chdir" | "pushd" => self.change_directory(name, words),
            "popd" => {
                if let Some(directories) = self.env.stack.pop() {
                    self.env.put_directories(directories);
                }
            }
            "export" => {
                let hides = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('n'));
                for word in words {
                    let name = word.text.split('=').next().unwrap_or("");
                    if hides {
                        self.env.unexport(name);
                    } else {
                        self.env.export(name);
                    }
                }
            }
            "declare" | "typeset" | "local" | "readonly" => {
                // Who looks at a function's text may run it.
                if call.io.capture && words.iter().any(|w| w.text == "-f") {
                    for word in words {
                        self.function_perhaps(&word.text);
                    }
                    return None;
                }
                let exports = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('x'));
                let has = |letter| {
                    words.iter().any(|w| w.text.starts_with('-') && w.text.contains(letter))
                };
                let (fixes, functions) = (name == "readonly" || has('r'), has('f'));
                // Another name of a variable: not followed.
                let refers = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('n'));
                for word in words {
                    let name = word.text.split('=').next().unwrap_or("");
                    if exports {
                        self.env.export(name);
                    }
                    if fixes && functions {
                        self.env.fix(&format!("{name}()"));
                    } else if fixes && !name.starts_with('-') {
                        self.env.fix(name);
                    }
                    if refers && !name.starts_with('-') && !self.env.refers(name) {
                        self.env.set(name, vec![Value::hole()]);
                    }
                }
            }
            "unset" => self.unset(words),
            "alias" | "unalias" | "hash" => return self.named(name, call),
            "return" => self.returns(),
            "break" | "continue" => {
                self.leaves(true);
                return None;
            }
            "set" => self.set(words),
            "shift" => self.shift(words),
            "read" | "mapfile" | "readarray" => self.read(name, call),
            "printf" => {
                // `-v name`, `-vname`
                let given = words.first().and_then(|it| it.text.strip_prefix("-v"));
                let given = given
                    .map(|it| if it.is_empty() { (words.get(1), 2) } else { (words.first(), 1) });
                if let Some((Some(target), taken)) = given {
                    let text = super::output::printf(&words[taken..]);
                    let target = target.text.strip_prefix("-v").unwrap_or(&target.text).to_owned();
                    self.put_element(&target, text);
                }
                return None;
            }
            "wait" => {
                // The number of the one that has ended.
                const WAIT: Grammar = Grammar { letters: "p", long: &[] };
                if let Some(target) = WAIT.take(&call.words, 1).value(&["p"]).cloned() {
                    self.put_element(&target.text, HOLE.to_string());
                }
                return None;
            }
            "history" => self.remembered(words),
            "fc" => self.once_more(words),
            "eval" => return Some(self.eval(words, call)),
            "getopts" => {
                self.optioned(words);
                return None;
            }
            "trap" => return self.trap(words, call),
            "source" | "." => return self.source(words, call),
            _ => return None,
        }
        self.leaf(&call.words, call, Certainty::Literal);
        Some(String::new())
    }

    /// `alias`, `unalias`, `hash`: other names of commands.
    fn named(&mut self, name: &str, call: &Call) -> Option<String> {
        let words = &call.words[1..];
        let mut shown = String::new();
        match name {
            "alias" => {
                for word in words {
                    if let Some((name, text)) = word.text.split_once('=') {
                        self.env.put_alias(name, Some(text.to_owned()));
                    } else if let Some(text) = self.env.alias(&word.text) {
                        let pieces = ["alias ", &word.text, "='", text, "'\n"];
                        shown.extend(pieces);
                    }
                }
            }
            "unalias" => {
                for word in words {
                    self.env.put_alias(&word.text, None);
                }
            }
            _ => {
                // `-p path name`, `-ppath name`; `-t name` says where it lies.
                const HASH: Grammar = Grammar { letters: "p", long: &[] };
                let taken = HASH.take(&call.words, 1);
                if let (Some(path), [name, ..]) = (taken.value(&["p"]), &taken.operands[..]) {
                    self.env.put_alias(&call.words[*name].text, Some(path.text.clone()));
                } else if taken.has(&["t"]) {
                    return None;
                }
            }
        }
        self.leaf(&call.words, call, Certainty::Literal);
        Some(shown).filter(|it| self.spend(it.len() / 64))
    }

    /// `getopts`: what an option is given is one of the words.
    fn optioned(&mut self, words: &[Field]) {
        let told = texts(words.get(2..).unwrap_or_default());
        let told = if told.is_empty() { self.positional().unwrap_or_default() } else { told };
        let value = |it: &String| match it.strip_prefix('-') {
            Some(rest) => rest.chars().skip(1).collect(),
            None => it.clone(),
        };
        let values = told.iter().map(value).filter(|it: &String| !it.is_empty());
        let values: Vec<Value> = values.take(limit::VALUES + 1).map(Value::Text).collect();
        self.given_value("OPTARG", values);
        // Which option it is at, and how far it has come.
        for name in [words.get(1).map_or("", |it| &it.text), "OPTIND"] {
            if self.env.variable(name).is_some() {
                self.env.set(name, vec![Value::hole()]);
            }
        }
    }

    /// `name` or `name[key]` gets a text.
    pub(super) fn put_element(&mut self, target: &str, text: String) {
        let Some((name, key)) = target.split_once('[') else {
            return self.given_value(target, vec![Value::Text(text)]);
        };
        let key = key.strip_suffix(']').unwrap_or(key);
        self.put_at_key(name, key, &[text]);
    }

    /// Walks a function that somebody may call.
    pub(super) fn function_perhaps(&mut self, name: &str) {
        if self.env.function(name).is_none() {
            return;
        }
        let words = vec![Field::literal(name)];
        let io = super::Io::default();
        let call = Call { words, assignments: Vec::new(), io, direct: true };
        self.perhaps(|walker| walker.enter(|walker| walker.isolated(|walker| walker.call(call))));
    }

    fn eval(&mut self, words: &[Field], call: &Call) -> String {
        let dashes = usize::from(words.first().is_some_and(|word| word.text == "--"));
        let words = &words[dashes..];
        let text = joined(words);
        if text.is_empty() || words.iter().all(Field::is_unknown) {
            self.leaf(&call.words, call, Certainty::Opaque);
            self.suspect_feed();
            return unknown_output(call);
        }
        let derived = usize::from(words.iter().any(|word| word.resolved));
        self.resolved += derived;
        let output = self.enter(|walker| walker.code(&text, &call.io));
        self.resolved -= derived;
        output
    }

    /// `history -s line`, `history -r file`
    fn remembered(&mut self, words: &[Field]) {
        let Some((option, rest)) = words.split_first() else { return };
        let letters = option.text.strip_prefix('-').unwrap_or_default();
        let lines = if letters.contains('s') {
            joined(rest)
        } else if letters.contains(['r', 'n']) {
            let named = self.known("HISTFILE");
            let path = rest.first().map_or(named, |it| it.text.clone());
            self.content(&path).unwrap_or_default()
        } else {
            return;
        };
        self.spend(lines.len() / 64);
        for line in lines.lines().filter(|it| !it.is_empty()) {
            if self.history.len() == HISTORY {
                return self.fail(Unreadable::Work);
            }
            self.history.push(line.to_owned());
        }
    }

    /// `fc` runs lines of the history once more, `fc -s a=b` with other words in them.
    fn once_more(&mut self, words: &[Field]) {
        if words.first().is_some_and(|it| it.text.starts_with('-') && it.text.contains('l')) {
            return;
        }
        let mut lines = std::mem::take(&mut self.history);
        let told = lines.clone();
        for (from, to) in words.iter().filter_map(|it| it.text.split_once('=')) {
            if from.is_empty() {
                continue;
            }
            // The shell may have kept what it ran itself, too.
            let runs = self.reading.runs.iter().rev().take(HISTORY).map(|it| it.argv.join(" "));
            let lines_before = told.iter().cloned().chain(runs);
            lines
                .extend(lines_before.filter(|it| it.contains(from)).map(|it| it.replace(from, to)));
        }
        for line in lines {
            self.resolved += 1;
            self.perhaps(|walker| walker.enter(|it| it.code(&line, &super::Io::default())));
            self.resolved -= 1;
        }
        self.history = told;
    }

    fn trap(&mut self, words: &[Field], call: &Call) -> Option<String> {
        let code = words.iter().find(|word| !word.text.starts_with('-'))?.text.clone();
        if words.len() < 2 || words[0].text.starts_with("-p") {
            return None;
        }
        self.traps.push((code.clone(), self.defined));
        // A shell ends once; a signal may come as often as it likes.
        let is_end =
            |it: &Field| matches!(it.text.to_ascii_uppercase().as_str(), "EXIT" | "SIGEXIT" | "0");
        let names = words.iter().skip_while(|it| it.text != code).skip(1);
        let again = !names.clone().all(is_end);
        // It runs later: what it sets may not be so yet.
        let mark = self.env.mark();
        let output =
            self.again(again, |walker| walker.enter(|walker| walker.code(&code, &call.io)));
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
            Some(path) => {
                let is_pattern = target.is_some_and(|it| it.glob);
                let plain = without_groups(path).filter(|_| is_pattern);
                let ways = plain.unwrap_or_else(|| vec![path.into()]);
                let folders = ways.iter().take(limit::VALUES).flat_map(|it| self.located(it));
                let mut folders: Vec<String> = folders.map(|it| logical(&it)).collect();
                if ways.len() > limit::VALUES {
                    folders.push(HOLE.to_string());
                }
                folders
            }
        };
        if name == "pushd" && self.env.stack.len() < limit::DEPTH {
            self.env.stack.push(before.clone());
        }
        self.env.previous = before;
        // The kernel has a limit, too.
        let known = after.iter().all(|directory| directory.len() < limit::PATH)
            && self.spend(after.iter().map(String::len).sum::<usize>() / 64);
        self.env.put_directories(if known { after } else { vec![HOLE.to_string()] });
    }

    /// Walks what `return` ends: what stands behind it is a branch.
    fn returning(&mut self, walk: impl FnOnce(&mut Self) -> String) -> String {
        self.env.enter_function();
        self.begins(false);
        let output = walk(self);
        if let Some(mark) = self.env.leave_function().filter(|mark| *mark < self.env.mark()) {
            let changes = self.env.take_back(mark);
            self.env.merge_known(changes);
        }
        self.ends();
        output
    }

    /// `source file`: its text is code in this very shell.
    fn source(&mut self, words: &[Field], call: &Call) -> Option<String> {
        let path = words.first()?.clone();
        let arguments = texts(&words[1..]);
        if matches!(path.text.as_str(), "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0") {
            let text = call.io.stdin.clone().or_else(|| self.stdin.clone());
            let text = text.as_deref().unwrap_or("\u{FFFC}").to_owned();
            return Some(self.enter(|it| it.returning(|it| it.code(&text, &call.io))));
        }
        self.leaf(&call.words, call, Certainty::Opaque);
        self.record_read(&path.text, path.certainty());
        for text in self.made_alike(&path.text) {
            self.resolved += 1;
            self.perhaps(|it| {
                it.of_file(&path.text, |it| {
                    it.enter(|it| it.returning(|it| it.code(&text, &call.io)))
                })
            });
            self.resolved -= 1;
        }
        let text = self.script_text(&path.text, Interpreter::Shell, &arguments);
        let text = text.filter(|_| self.arguments_of(&path.text, Vec::new()).is_some());
        let Some(text) = text else { return Some(unknown_output(call)) };
        self.resolved += 1;
        if let Some(decoded) = self.decoded_by_echo(&text) {
            // As a part of the file: one that sources itself is as deep in itself either way.
            self.perhaps(|it| {
                it.of_file(&path.text, |it| it.enter(|it| it.code(&decoded, &call.io)))
            });
        }
        let output = self
            .of_file(&path.text, |it| it.enter(|it| it.returning(|it| it.code(&text, &call.io))));
        self.resolved -= 1;
        Some(output)
    }
}

/// A directory with its `..` taken back, as `cd` does it: by name, links or not.
pub(super) fn logical(path: &str) -> String {
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
