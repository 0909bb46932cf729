//! A simple command before it is called: its words, its assignments, its redirections.

use super::call::Call;
use super::env::{Value, Variable};
use super::{Io, Walker};
use crate::shell::field::Field;
use crate::shell::syntax::{Assignment, Part, Redirection, RedirectionKind, Simple};
use crate::shell::table::{code_settings::CODE_VARIABLES, grammar::lists};
use crate::shell::{Certainty, HOLE, How, Interpreter};
use std::rc::Rc;

/// A command's input and output after its redirections.
pub(super) struct Streams {
    pub(super) io: Io,
    /// Whether its output goes to a file.
    to_file: bool,
    /// Lists that its output goes to: `> >(…)`.
    processes: Vec<Rc<super::List>>,
    /// Whether output that is looked at still arrives.
    arrives: bool,
}

impl Walker<'_> {
    /// Walks a simple command once for each way in which its variables may stand.
    pub(super) fn simple(&mut self, simple: &Simple, io: &Io) -> String {
        let outer = std::mem::take(&mut self.choices);
        let mark = self.env.mark();
        let mut output = self.simple_once(simple, io, false);
        if !self.choices.is_empty() {
            let mut branches = Vec::new();
            branches.push(self.env.take_back(mark));
            while self.next_choice() && self.spend(1) {
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
        let declares = simple.words.first().is_some_and(|word| is_declaration(word.as_text()));
        let words =
            if declares { self.declared(&simple.words) } else { self.fields(&simple.words) };
        let mut streams = self.streams(&simple.redirections, io);
        self.repeating = outer;
        let inner = std::mem::take(&mut self.choices);

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
                if !streams.to_file {
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
            streams.io.capture |= !streams.processes.is_empty();
            output = self.call(Call { words, assignments, io: streams.io.clone(), direct: true });
            for (name, variable) in before.into_iter().rev() {
                self.env.put(&name, variable);
            }
        }
        let output = self.delivered(streams, output);
        self.choices = inner;
        output
    }

    /// Sets a variable, to each of the values that it may have.
    fn assign(&mut self, assignment: &Assignment) {
        let outer = std::mem::take(&mut self.choices);
        let repeating = self.repeating;
        if let Some(index) = &assignment.index {
            self.text(index);
        }
        let mut values = Vec::new();
        loop {
            let value = self.assigned(assignment);
            if !values.contains(&value) {
                values.push(value);
            }
            if !self.next_choice() || self.work == 0 {
                break;
            }
            self.repeating = true;
        }
        self.repeating = repeating;
        self.choices = outer;
        if lists(CODE_VARIABLES, &assignment.name) {
            for value in &values {
                let code = value.scalar().to_owned();
                self.perhaps(|walker| walker.nested_code(&code, &Io::default()));
            }
        }
        if matches!(assignment.name.as_str(), "BASH_ENV" | "ENV") {
            let path = values[0].scalar().to_owned();
            self.perhaps(|walker| walker.record_script(&path, Interpreter::Shell, &[]));
        }
        if self.env.computed.contains(&assignment.name) {
            let is_number = |value: &Value| value.scalar().bytes().all(|it| it.is_ascii_digit());
            values.retain(is_number);
        }
        self.env.set(&assignment.name, values);
    }

    fn assigned(&mut self, assignment: &Assignment) -> Value {
        let before = match self.env.variable(&assignment.name) {
            Some(variable) => {
                let values = variable.values.clone();
                self.choose(&assignment.name, values.len()).map(|chosen| values[chosen].clone())
            }
            None => None,
        };
        if let Some(index) = &assignment.index {
            let key = self.text(index);
            let mut text = self.text(&assignment.value);
            let mut elements = match before {
                Some(Value::Array(elements)) => elements,
                Some(Value::Text(text)) => vec![("0".to_owned(), text)],
                None => Vec::new(),
            };
            let key = self.subscript(&assignment.name, &key, &elements);
            if let Some(at) = elements.iter().position(|(own, _)| *own == key) {
                let (_, before) = elements.remove(at);
                text = if assignment.append { before + &text } else { text };
            }
            elements.push((key, text));
            return self.array(elements);
        }
        if let [Part::Array(words)] = &assignment.value.parts[..] {
            let mut elements = match before {
                Some(Value::Array(elements)) if assignment.append => elements,
                Some(Value::Text(text)) if assignment.append => vec![("0".to_owned(), text)],
                _ => Vec::new(),
            };
            for field in self.fields(words) {
                elements.push(keyed(&field, elements.len()));
            }
            return self.array(elements);
        }
        let mut text = self.text(&assignment.value);
        // Of an array it is the first element that is set.
        if let Some(Value::Array(mut elements)) = before {
            if let Some(at) = elements.iter().position(|(key, _)| key == "0") {
                let (_, first) = elements.remove(at);
                text = if assignment.append { first + &text } else { text };
            }
            elements.push(("0".to_owned(), text));
            return self.array(elements);
        }
        if !assignment.append {
            return Value::Text(text);
        }
        let before = before.map_or(HOLE.to_string(), |value| value.scalar().to_owned());
        Value::Text(before + &text)
    }

    /// Elements in the order of their numbers; texts keep their place. Each time all of them are paid
    /// for.
    fn array(&mut self, mut elements: Vec<(String, String)>) -> Value {
        if !self.spend(elements.len() / 8) {
            return Value::hole();
        }
        elements.sort_by_key(|(key, _)| key.parse::<usize>().unwrap_or(usize::MAX));
        Value::Array(elements)
    }

    /// The words of `export x=…` and its like, where a value is not split. Assignments among them
    /// are made at once.
    fn declared(&mut self, words: &[super::Word]) -> Vec<Field> {
        let mut fields = Vec::new();
        let is_local = words.first().is_some_and(|word| {
            word.as_text().is_some_and(|name| matches!(&*name, "local" | "declare" | "typeset"))
        });
        let is_keyed = words.iter().skip(1).any(|word| {
            word.as_text().is_some_and(|text| text.starts_with('-') && text.contains('A'))
        });
        let is_computed = words.iter().skip(1).any(|word| {
            word.as_text()
                .is_some_and(|text| text.starts_with('-') && text.contains(['i', 'u', 'l']))
        });
        for word in words {
            if is_local {
                self.hide(word);
            }
            if is_computed {
                self.env.computed.extend(name_of(word).map(str::to_owned));
            }
            if is_keyed {
                self.env.keyed.extend(name_of(word).map(str::to_owned));
            }
            let Some(assignment) = declaration(word) else {
                fields.extend(self.fields(std::slice::from_ref(word)));
                continue;
            };
            self.assign(&assignment);
            let text = match self.env.variable(&assignment.name).map(|v| v.values[0].clone()) {
                Some(Value::Text(text)) => text,
                _ => HOLE.to_string(),
            };
            let name = assignment.name;
            fields.push(Field { text: format!("{name}={text}"), ..Field::default() });
        }
        fields
    }

    /// A function gets a variable of its own: what it hides is back when the function ends.
    fn hide(&mut self, word: &super::Word) {
        let Some(name) = name_of(word) else { return };
        if let Some(hidden) = self.locals.last_mut()
            && !hidden.iter().any(|(known, _)| known == name)
        {
            hidden.push((name.to_owned(), self.env.variable(name).cloned()));
        }
    }

    pub(super) fn streams(&mut self, redirections: &[Redirection], io: &Io) -> Streams {
        let mut streams =
            Streams { io: io.clone(), to_file: false, processes: Vec::new(), arrives: true };
        for redirection in redirections {
            self.redirect(redirection, &mut streams);
        }
        streams
    }

    fn redirect(&mut self, redirection: &Redirection, streams: &mut Streams) {
        use RedirectionKind as Kind;
        let is_output = matches!(redirection.descriptor, None | Some(1));
        let (how, both) = match redirection.kind {
            Kind::Document => {
                let text = redirection.body.get().map(|body| self.text(body)).unwrap_or_default();
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::String => {
                let text = self.text(&redirection.target) + "\n";
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::DuplicateIn => {
                let target = self.text(&redirection.target);
                if let Some(text) = self.content(&format!("/dev/fd/{target}")) {
                    self.feed(redirection.descriptor, text, streams);
                }
                return;
            }
            Kind::Read => {
                let path = self.text(&redirection.target);
                let text = self.content(&path).unwrap_or(HOLE.to_string());
                self.record_read(&path, self.text_certainty(&path));
                self.feed(redirection.descriptor, text, streams);
                return;
            }
            Kind::DuplicateOut => {
                let target = self.text(&redirection.target);
                if is_descriptor(&target) {
                    if is_output && target != "1" {
                        streams.arrives = false;
                    }
                    return;
                }
                (How::Write, true)
            }
            Kind::Write | Kind::ReadWrite => (How::Write, false),
            Kind::Append => (How::Append, false),
            Kind::WriteBoth => (How::Write, true),
            Kind::AppendBoth => (How::Append, true),
        };
        if let [Part::Process { list, input: false }] = &redirection.target.parts[..] {
            streams.processes.push(Rc::clone(list));
            streams.arrives &= !is_output;
            return;
        }
        let path = self.text(&redirection.target);
        self.record_write(&path, how, self.text_certainty(&path));
        if is_output || both {
            streams.arrives = false;
            streams.to_file = true;
        }
    }

    /// Gives text to a descriptor, which is the input unless another one is named.
    fn feed(&mut self, descriptor: Option<u32>, text: String, streams: &mut Streams) {
        match descriptor {
            None | Some(0) => streams.io.stdin = Some(Rc::from(text)),
            Some(other) => {
                self.env.descriptors.insert(format!("/dev/fd/{other}"), text);
            }
        }
    }

    /// Puts a command's output where its redirections say, and gives back what is left of it.
    pub(super) fn delivered(&mut self, streams: Streams, output: String) -> String {
        for list in streams.processes {
            let io = Io { stdin: Some(Rc::from(output.as_str())), capture: false };
            self.subshell(&list, &io);
        }
        if streams.arrives { output } else { String::new() }
    }

    /// What is read from the path of a descriptor. `None` for all other files: what those hold,
    /// nobody asks.
    pub(super) fn content(&self, path: &str) -> Option<String> {
        self.env.descriptors.get(path).cloned()
    }

    pub(super) fn text_certainty(&self, text: &str) -> Certainty {
        let certainty = if text.contains(HOLE) { Certainty::Opaque } else { Certainty::Literal };
        self.certainty(certainty)
    }
}

fn is_descriptor(target: &str) -> bool {
    target == "-"
        || target.contains(HOLE)
        || target.trim_end_matches('-').bytes().all(|byte| byte.is_ascii_digit())
}

fn is_declaration(first: Option<String>) -> bool {
    first.is_some_and(|first| {
        matches!(first.as_str(), "export" | "declare" | "typeset" | "local" | "readonly")
    })
}

/// A word of the form `name=value` as an assignment.
fn declaration(word: &super::Word) -> Option<Assignment> {
    let [Part::Text { text, quoted: false }, rest @ ..] = &word.parts[..] else { return None };
    let head = super::scan::head(text)?;
    if head.index.is_some() {
        return None;
    }
    let mut value = super::Word::default();
    if text.len() > head.length {
        value.push_text(&text[head.length..], false);
    }
    value.parts.extend(rest.iter().cloned());
    Some(Assignment { name: head.name.to_owned(), index: None, append: head.append, value })
}

/// The name that a word of `declare` is about.
fn name_of(word: &super::Word) -> Option<&str> {
    let [Part::Text { text, quoted: false }, ..] = &word.parts[..] else { return None };
    let name = super::scan::head(text).map_or(text.as_str(), |head| head.name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(name)
}

/// An element of `( … )`: `[key]=text` or just text, which has its place for a key.
fn keyed(field: &Field, place: usize) -> (String, String) {
    if let Some((key, text)) = field.text.strip_prefix('[').and_then(|rest| rest.split_once("]=")) {
        return (key.to_owned(), text.to_owned());
    }
    (place.to_string(), field.text.clone())
}
