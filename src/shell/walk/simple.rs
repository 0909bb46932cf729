//! A simple command before it is called: its words, its assignments, its redirections.

use super::super::syntax::{Assignment, Part, Simple};
use super::super::table::coded::CODE_VARIABLES;
use super::super::{HOLE, How, Interpreter, limit};
use super::call::Call;
use super::declare::is_declaration;
use super::env::{Attribute, Value, Variable};
use super::evaluate::EXPANDED;
use super::field::Field;
use super::find::Becomes;
use super::{Io, Walker};

/// So many words may be the last one before a command, and one more.
const LASTS: usize = 2;

/// Before these an assignment stays in force, where a shell is as the standard has it.
const SPECIAL: &[&str] = &[
    ":", ".", "source", "break", "continue", "eval", "exec", "exit", "export", "readonly",
    "return", "set", "shift", "times", "trap", "unset",
];

impl Walker<'_> {
    /// Walks a simple command once for each way in which its variables may stand.
    pub(super) fn simple(&mut self, simple: &Simple, io: &Io) -> String {
        let outer = std::mem::take(&mut self.choices);
        let mark = self.env.mark();
        let mut output = self.fed(|walker| walker.simple_once(simple, io, false));
        if !self.choices.is_empty() {
            let mut branches = Vec::new();
            branches.push(self.env.take_back(mark));
            while self.next_choice() && self.spend(3) {
                let other = self.simple_once(simple, io, true);
                if other != output {
                    output = HOLE.to_string();
                }
                branches.push(self.env.take_back(mark));
            }
            self.env.merge(&branches, true);
        }
        self.choices = outer;
        output
    }

    /// `repeating`: the substitutions within the words have been walked before.
    fn simple_once(&mut self, simple: &Simple, io: &Io, repeating: bool) -> String {
        let outer = std::mem::replace(&mut self.repeating, repeating);
        let finds = self.reading.finds.len();
        let begun = self.env.mark();
        let declares = simple.words.first().is_some_and(is_declaration);
        let words =
            if declares { self.declared(&simple.words) } else { self.fields(&simple.words) };
        let words = self.after_set_k(words);
        if declares {
            self.unless_opened(&simple.redirections, begun);
        } else {
            self.declared_otherwise(&words);
        }
        let mut streams = self.streams(&simple.redirections, io);
        self.repeating = outer;
        let inner = std::mem::take(&mut self.choices);
        self.spend(simple.assignments.len() + simple.redirections.len());

        let before: Vec<(String, Option<Variable>)> = simple
            .assignments
            .iter()
            .map(|assignment| {
                (assignment.name.clone(), self.env.variable(&assignment.name).cloned())
            })
            .collect();
        for assignment in &simple.assignments {
            self.assign(assignment);
        }

        let mut output = String::new();
        if words.is_empty() {
            if !simple.redirections.is_empty() && simple.words.is_empty() {
                // `$(<file)`
                if streams.files.is_empty() {
                    output.push_str(streams.io.stdin.as_deref().unwrap_or(""));
                }
            }
        } else {
            let mut assignments = Vec::new();
            for (name, _) in &before {
                self.env.export(name);
                let text = self.env.variable(name).map_or("", |v| v.values[0].scalar());
                assignments.push((name.clone(), text.to_owned()));
            }
            streams.capture();
            // Commands that stand behind an `exec` have another output.
            streams.io.capture |= streams.arrives && self.sinks.out.is_some();
            let lasts = matches!(&words[..], [only] if only.text == "exec");
            if lasts {
                self.stdin = streams.io.stdin.clone().or(self.stdin.take());
            }
            let (found, writes) = (self.reading.finds.len(), self.reading.writes.len());
            let last = words.last().map(|it| it.text.clone()).unwrap_or_default();
            self.ends_with(last.clone());
            let keeps = self.posix && SPECIAL.contains(&words[0].text.as_str());
            self.suspects.kept.is_called(self.reading.runs.len());
            let call = Call { words, assignments, io: streams.io.clone(), direct: true };
            output = self.opened(&mut streams, lasts, |walker| {
                walker.where_opened(&simple.redirections, |walker| walker.call(call))
            });
            if lasts {
                // It runs nothing that could show something.
                output.clear();
            }
            self.ends_with(last);
            self.becomes(finds..found, Becomes { overwrites: true, ..Becomes::since(writes) });
            for (name, variable) in before.into_iter().rev() {
                let own = self.env.variable(&name).cloned().filter(|_| keeps);
                self.env.put(&name, variable);
                if let Some(own) = own {
                    self.env.also(&name, own);
                }
            }
        }
        let output = self.delivered(streams, output);
        self.choices = inner;
        output
    }

    /// After `set -k` assignments may stand anywhere: `git a=1 push`. It may hold no more.
    fn after_set_k(&mut self, words: Vec<Field>) -> Vec<Field> {
        if !self.env.takes_keywords {
            return words;
        }
        let is_assignment = |word: &Field| super::scan::head(&word.text).is_some();
        if self.env.doubts_keywords
            && words.iter().skip(1).any(is_assignment)
            && self.choose("set -k", 2) == Some(1)
        {
            return words;
        }
        let is_kept = |(at, word): &(usize, Field)| *at == 0 || !is_assignment(word);
        words.into_iter().enumerate().filter(is_kept).map(|it| it.1).collect()
    }

    /// Notes a command's last word.
    fn ends_with(&mut self, last: String) {
        let open = self.conditional;
        let at = self.lasts.iter().position(|(of, _)| open == 0 || *of > open);
        self.lasts.truncate(at.unwrap_or(LASTS));
        if !self.lasts.iter().any(|(_, known)| *known == last) {
            self.lasts.insert(0, (open, last));
        }
    }

    /// Sets a variable, to each of the values that it may have.
    pub(super) fn assign(&mut self, assignment: &Assignment) {
        let values = self.assignable(assignment);
        self.given_value(&assignment.name, values);
    }

    /// What it may be that is assigned.
    pub(super) fn assignable(&mut self, assignment: &Assignment) -> Vec<Value> {
        let outer = std::mem::take(&mut self.choices);
        let repeating = self.repeating;
        let mark = self.env.mark();
        let (mut values, mut branches) = (Vec::new(), Vec::new());
        loop {
            let value = self.assigned(assignment);
            if !values.contains(&value) {
                values.push(value);
            }
            let is_last = self.choices.is_empty() && branches.is_empty();
            if is_last || self.is_spent() {
                break;
            }
            // What it counts is counted once in each reading.
            branches.push(self.env.take_back(mark));
            if !self.next_choice() {
                break;
            }
            self.repeating = true;
        }
        if !branches.is_empty() {
            self.env.merge(&branches, true);
        }
        self.repeating = repeating;
        self.choices = outer;
        values
    }

    /// A variable gets a value, one of those that it may be, whoever gives it: an assignment, `read`,
    /// `printf -v`, a loop. What its name or its attribute makes of the text happens here.
    pub(super) fn given_value(&mut self, name: &str, mut values: Vec<Value>) {
        let name = &*self.env.meant(name).to_owned();
        self.keeps_own(name.split('[').next().unwrap_or(name), &values);
        if let Some((array, key)) = name.split_once('[') {
            let texts: Vec<_> = values.iter().map(|value| value.scalar().to_owned()).collect();
            return self.put_at_key(array, key.strip_suffix(']').unwrap_or(key), &texts);
        }
        for attribute in self.env.attributes(name) {
            let mut changed = values.clone();
            for value in &mut changed {
                let texts: Vec<&mut String> = match value {
                    Value::Text(text) => vec![text],
                    Value::Array(elements) => elements.iter_mut().map(|(_, text)| text).collect(),
                };
                for text in texts {
                    match attribute {
                        Attribute::Keyed => {}
                        Attribute::Lower => *text = text.to_lowercase(),
                        Attribute::Upper => *text = text.to_uppercase(),
                        Attribute::Integer => {
                            let counted = self.counted(text);
                            *text = counted.map_or(HOLE.to_string(), |it| it.to_string());
                        }
                        Attribute::Reference => {
                            self.arithmetic(text);
                            // The first text is the name that it stands for from now on.
                            if is_name(text) {
                                return self.refers_to(name, text);
                            }
                        }
                    }
                }
            }
            // Where it was declared may not have been come to. Of what is counted that costs nothing.
            if self.env.is_doubtful(name) || attribute == Attribute::Integer {
                changed.extend(values);
                changed.dedup();
            }
            values = changed;
        }
        values = self.as_elements(name, values);
        for value in &values {
            self.told(name, value.scalar());
            self.looked_up(name, value);
        }
        // Bash takes it for its own name.
        self.env.set(if name == "BASH_ARGV0" { "0" } else { name }, values);
    }

    /// The tables in which the shell looks a command up: `BASH_ALIASES[x]=…`.
    fn looked_up(&mut self, name: &str, value: &Value) {
        if let (Value::Array(elements), "BASH_ALIASES" | "BASH_CMDS") = (value, name) {
            for (key, text) in elements {
                self.env.put_alias(key, Some(text.clone()));
            }
        }
    }

    /// What the environment tells programs and shells to run.
    pub(super) fn told(&mut self, name: &str, text: &str) {
        if CODE_VARIABLES.contains(&name) {
            self.perhaps(|walker| walker.nested_code(text, &Io::default()));
        }
        if EXPANDED.contains(&name) {
            self.perhaps(|walker| walker.expanded_again(text));
        }
        self.told_options(name, text);
        // `BASH_FUNC_name%%=() { … }`: a function that a shell takes from its environment.
        if name.starts_with("BASH_FUNC_")
            && let Some(body) = text.strip_prefix("()")
        {
            self.perhaps(|walker| walker.nested_code(body, &Io::default()));
        }
        // Programs add to these files.
        let is_log = name.starts_with("GIT_TRACE")
            || matches!(
                name,
                "HISTFILE" | "LESSHISTFILE" | "GIT_INDEX_FILE" | "GIT_OBJECT_DIRECTORY"
            );
        if is_log && text.contains('/') && text != "/dev/null" {
            let certainty = self.text_certainty(text);
            self.record_write(text, How::Append, certainty);
        }
        if matches!(name, "BASH_ENV" | "ENV") {
            if self.begins.len() < limit::VALUES && !self.begins.iter().any(|it| it == text) {
                self.begins.push(text.to_owned());
            }
            self.perhaps(|walker| {
                if let Some(text) = walker.script_text(text, Interpreter::Shell, &[]) {
                    walker.nested_code(&text, &Io::default());
                }
            });
        }
    }

    /// The value that an assignment adds to.
    fn before(&mut self, assignment: &Assignment) -> Option<Value> {
        let adds = assignment.append || assignment.index.is_some();
        let count = self.env.variable(&assignment.name).filter(|_| adds)?.values.len();
        let chosen = self.choose(&assignment.name, count)?;
        let value = self.env.variable(&assignment.name)?.values.get(chosen)?.clone();
        // It is copied each time.
        let is_paid = match &value {
            Value::Text(text) => self.spend(text.len() / 1024),
            Value::Array(elements) => self.spend(elements.len() / 4),
        };
        is_paid.then_some(value)
    }

    fn assigned(&mut self, assignment: &Assignment) -> Value {
        let before = self.before(assignment);
        let counts = assignment.append && self.env.has(&assignment.name, Attribute::Integer);
        if let Some(index) = &assignment.index {
            let key = self.text(index);
            let mut text = self.text(&assignment.value);
            let mut elements = before.map_or(Vec::new(), Value::into_elements);
            let key = match self.unknown_key(&assignment.name, &key, &elements) {
                Some(own) => {
                    self.arithmetic(&key);
                    own
                }
                None => self.key(&assignment.name, key, &elements),
            };
            if assignment.append {
                let own = elements.iter().find(|it| it.0 == key);
                let own = own.map_or("", |it| &it.1);
                text = if counts { format!("{own}+({text})") } else { own.to_owned() + &text };
            }
            put_at(&mut elements, key, text);
            return Value::Array(elements);
        }
        if let [Part::Array(words)] = &assignment.value.parts[..] {
            let before = before.filter(|_| assignment.append);
            let mut elements = before.map_or(Vec::new(), Value::into_elements);
            let last = elements.last().and_then(|(key, _)| key.parse::<usize>().ok());
            let mut next = last.map_or(elements.len(), |last| last.saturating_add(1));
            let near = words.len().min(limit::ELEMENTS + 1);
            let fields = self.fields(&words[..near]);
            // Without brackets they are keys and texts in turn.
            let are_pairs = fields.first().is_some_and(|it| keyed(it).is_none())
                && self.has_texts_for_keys(&assignment.name);
            if are_pairs {
                return self.paired(elements, &fields);
            }
            for field in fields {
                if field.text.starts_with('[') && keyed(&field).is_none() {
                    self.arithmetic(&field.text);
                }
                // So many nobody types.
                if elements.len() >= limit::ELEMENTS {
                    self.spend(usize::MAX);
                    break;
                }
                let (key, text) = match keyed(&field) {
                    Some((key, text, appends)) => {
                        let key = self.key(&assignment.name, key.to_owned(), &elements);
                        let own = elements.iter().find(|it| appends && it.0 == key);
                        let text = own.map_or(String::new(), |it| it.1.clone()) + text;
                        (key, text)
                    }
                    None => (next.to_string(), field.text),
                };
                // Behind one with a number of its own they go on from there.
                next = key.parse().map_or(next, |at: usize| at.saturating_add(1));
                let is_last = elements.last().is_none_or(|(last, _)| number(last) < number(&key));
                if is_last {
                    elements.push((key, text));
                } else if self.spend(elements.len() / 16) {
                    put_at(&mut elements, key, text);
                } else {
                    break;
                }
            }
            self.spend(elements.len() / 8);
            return Value::Array(elements);
        }
        let text = self.text(&assignment.value);
        if !assignment.append {
            return Value::Text(text);
        }
        // What is a number is counted where it is given.
        let added = |before: &str| {
            if counts { format!("{before}+({text})") } else { format!("{before}{text}") }
        };
        match before {
            Some(Value::Array(mut elements)) => {
                let own = elements.iter().find(|it| it.0 == "0").map_or("", |it| &it.1);
                let text = added(own);
                put_at(&mut elements, "0".to_owned(), text);
                Value::Array(elements)
            }
            Some(Value::Text(before)) => Value::Text(added(&before)),
            None => Value::Text(added("\u{FFFC}")),
        }
    }

    /// `declare -A m=(key text key text)`
    fn paired(&mut self, mut elements: Vec<(String, String)>, fields: &[Field]) -> Value {
        for pair in fields.chunks(2) {
            if elements.len() >= limit::ELEMENTS || !self.spend(elements.len() / 16) {
                self.spend(usize::MAX);
                break;
            }
            let text = pair.get(1).map_or(String::new(), |it| it.text.clone());
            put_at(&mut elements, pair[0].text.clone(), text);
        }
        Value::Array(elements)
    }
}

pub(super) fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Puts an element in its place: an array goes by its numbers, in whatever order it was filled.
pub(super) fn put_at(elements: &mut Vec<(String, String)>, key: String, text: String) {
    elements.retain(|(own, _)| *own != key);
    let before = number(&key);
    let at = elements.iter().rposition(|(own, _)| number(own) <= before).map_or(0, |at| at + 1);
    elements.insert(at, (key, text));
}

/// Where an element stands; a word stands behind all numbers.
fn number(key: &str) -> usize {
    key.parse().unwrap_or(usize::MAX)
}

/// An element of `( … )` with a key of its own: `[key]=text`, or `[key]+=text`, which is added.
fn keyed(field: &Field) -> Option<(&str, &str, bool)> {
    let (key, text) = field.text.strip_prefix('[')?.split_once('=')?;
    let appends = key.ends_with("]+");
    let key = key.strip_suffix(if appends { "]+" } else { "]" })?;
    Some((key, text, appends))
}
