//! A simple command before it is called: its words, its assignments, its redirections.

use super::redirections::Streams;
use super::shell_state::Value;
use super::{Call, Io, Walker};
use crate::shell::HOLE;
use crate::shell::field::Field;
use crate::shell::scan::head;
use crate::shell::syntax::Word;
use crate::shell::syntax::{Assignment, Part, Simple};

impl Walker<'_> {
    /// Walks a simple command, once for each combination of its variables' values.
    pub(super) fn simple(&mut self, simple: &Simple, io: &Io) -> String {
        self.with_own_choices(|walker| {
            let mark = walker.env.mark();
            let mut output = walker.simple_once(simple, io, false);
            if walker.choices.is_empty() {
                return output;
            }
            let mut branches = vec![walker.env.take_back(mark)];
            while walker.choices.advance() && walker.budget.spend(1) {
                if walker.simple_once(simple, io, true) != output {
                    output = HOLE.to_string();
                }
                branches.push(walker.env.take_back(mark));
            }
            walker.env.merge(&branches, true);
            output
        })
    }

    /// `is_repeat` says that the substitutions in the words have been walked before.
    fn simple_once(&mut self, simple: &Simple, io: &Io, is_repeat: bool) -> String {
        let outer = self.choices.set_repeat(is_repeat);
        let declares = simple.words.first().is_some_and(|word| is_declaration(word.as_text()));
        let words = if declares {
            self.declaration_words(&simple.words)
        } else {
            self.fields(&simple.words)
        };
        let streams = self.streams(&simple.redirections, io);
        self.choices.set_repeat(outer);
        self.with_own_choices(|walker| walker.assign_and_call(simple, words, streams))
    }

    /// Makes the assignments of a simple command and calls it.
    fn assign_and_call(
        &mut self,
        simple: &Simple,
        words: Vec<Field>,
        mut streams: Streams,
    ) -> String {
        let names: Vec<String> =
            simple.assignments.iter().map(|assignment| assignment.name.clone()).collect();
        let mut output = String::new();
        if words.is_empty() {
            simple.assignments.iter().for_each(|assignment| self.assign(assignment));
            // `$(<file)`
            if !simple.redirections.is_empty() && simple.words.is_empty() && !streams.to_file {
                output.push_str(streams.io.stdin.as_deref().unwrap_or(""));
            }
        } else {
            streams.io.capture |= !streams.processes.is_empty();
            let io = streams.io.clone();
            output = self.with_variables_kept(&names, |walker| {
                simple.assignments.iter().for_each(|assignment| walker.assign(assignment));
                let mut assignments = Vec::new();
                for name in &names {
                    walker.env.export(name);
                    assignments.push((name.clone(), walker.env.known(name).to_owned()));
                }
                walker.call(Call { words, assignments, io, direct: true })
            });
        }
        self.deliver(streams, output)
    }

    /// Sets a variable, to each of the values that it may have.
    fn assign(&mut self, assignment: &Assignment) {
        let values = self.with_own_choices(|walker| walker.assigned_values(assignment));
        self.env.set(&assignment.name, values);
    }

    /// The possible values of an assignment, one for each reading.
    fn assigned_values(&mut self, assignment: &Assignment) -> Vec<Value> {
        if let Some(index) = &assignment.index {
            self.text(index);
        }
        let mut values = vec![self.assigned_value(assignment)];
        while self.choices.advance() && self.budget.left() > 0 {
            let outer = self.choices.set_repeat(true);
            let value = self.assigned_value(assignment);
            self.choices.set_repeat(outer);
            if !values.contains(&value) {
                values.push(value);
            }
        }
        values
    }

    fn assigned_value(&mut self, assignment: &Assignment) -> Value {
        let name = &assignment.name;
        let values = self.env.variable(name).map(|variable| variable.values.clone());
        let before = values.and_then(|values| {
            self.choices.choose(name, values.len()).map(|chosen| values[chosen].clone())
        });
        if let ([Part::Array(words)], None) = (&assignment.value.parts[..], &assignment.index) {
            let kept = before.filter(|_| assignment.append);
            let mut elements = kept.map_or_else(Vec::new, Value::into_elements);
            for field in self.fields(words) {
                elements.push(keyed(&field, elements.len()));
            }
            return self.array(elements);
        }
        let index = match (&assignment.index, &before) {
            (Some(index), _) => Some(self.text(index)),
            // `a=x` sets the first element of an array.
            (None, Some(Value::Array(_))) => Some("0".to_owned()),
            _ => None,
        };
        let mut text = self.text(&assignment.value);
        let Some(index) = index else {
            let start = before.map_or(HOLE.to_string(), |value| value.scalar().to_owned());
            return Value::Text(if assignment.append { start + &text } else { text });
        };
        let mut elements = before.map_or_else(Vec::new, Value::into_elements);
        let key = self.subscript(&index, &elements);
        if let Some(at) = elements.iter().position(|(other, _)| *other == key) {
            let (_, start) = elements.remove(at);
            text = if assignment.append { start + &text } else { text };
        }
        elements.push((key, text));
        self.array(elements)
    }

    /// An array in the order of its indexes, with textual keys last. Sorting costs budget.
    fn array(&mut self, mut elements: Vec<(String, String)>) -> Value {
        if !self.budget.spend(elements.len() / 8) {
            return Value::hole();
        }
        elements.sort_by_key(|(key, _)| key.parse::<usize>().unwrap_or(usize::MAX));
        Value::Array(elements)
    }

    /// The words of `export x=…` and similar commands, whose values are not split into words.
    /// Assignments among them are made at once.
    fn declaration_words(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields = Vec::new();
        let is_local = words
            .first()
            .and_then(Word::as_text)
            .is_some_and(|name| matches!(name.as_str(), "local" | "declare" | "typeset"));
        for word in words {
            if let Some(name) = name_of(word).filter(|_| is_local) {
                self.calls.hide(name, self.env.variable(name));
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
}

fn is_declaration(first: Option<String>) -> bool {
    first.is_some_and(|first| {
        matches!(first.as_str(), "export" | "declare" | "typeset" | "local" | "readonly")
    })
}

/// A word of the form `name=value` as an assignment.
fn declaration(word: &Word) -> Option<Assignment> {
    let [Part::Text { text, quoted: false }, rest @ ..] = &word.parts[..] else { return None };
    let head = head(text)?;
    if head.index.is_some() {
        return None;
    }
    let mut value = Word::default();
    if text.len() > head.length {
        value.push_text(&text[head.length..], false);
    }
    value.parts.extend(rest.iter().cloned());
    Some(Assignment { name: head.name.to_owned(), index: None, append: head.append, value })
}

fn name_of(word: &Word) -> Option<&str> {
    let [Part::Text { text, quoted: false }, ..] = &word.parts[..] else { return None };
    let name = head(text).map_or(text.as_str(), |head| head.name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(name)
}

/// An element of `( … )`: `[key]=text`, or a text whose key is its position.
fn keyed(field: &Field, place: usize) -> (String, String) {
    if let Some((key, text)) = field.text.strip_prefix('[').and_then(|rest| rest.split_once("]=")) {
        return (key.to_owned(), text.to_owned());
    }
    (place.to_string(), field.text.clone())
}
