//! `export`, `declare`, `local` and their like: assignments among the words, attributes, names that
//! stand for other names.

use super::super::HOLE;
use super::super::syntax::{Assignment, Part, Word};
use super::env::{Attribute, Value};
use super::field::Field;
use super::simple::is_name;
use super::{Io, Walker};

impl Walker<'_> {
    /// The words of `export x=…` and its like, where a value is not split. Assignments among them
    /// are made at once.
    pub(super) fn declared(&mut self, words: &[Word]) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        let (mut options, mut taken) = (String::new(), String::new());
        let mut ready = self.values_of_several(words).into_iter();
        for word in words {
            let hides = fields
                .first()
                .is_some_and(|it| matches!(&*it.text, "local" | "declare" | "typeset"))
                && !options.contains('g');
            let is_local = fields.first().is_some_and(|it| it.text == "local");
            let Some(assignment) = declaration(word) else {
                let more = self.fields(std::slice::from_ref(word));
                for field in more.iter().filter(|_| !fields.is_empty()) {
                    // Without a value it has none.
                    if hides && is_name(&field.text) && self.hide(&field.text) {
                        self.env.put(&field.text, None);
                    }
                    if let Some(letters) = field.text.strip_prefix('-') {
                        options.push_str(letters);
                    } else if let Some(letters) = field.text.strip_prefix('+') {
                        taken.push_str(letters);
                    } else if let Some((target, text)) = field.text.split_once('=')
                        && let Some(head) = super::scan::head(&field.text)
                    {
                        // `declare "$name=$text"`
                        if hides && self.hide(head.name) {
                            self.begin_empty(head.name, head.append);
                        }
                        self.attributed(head.name, &options, &taken);
                        if head.append {
                            self.assign(&added(head.name, head.index, text));
                        } else if options.contains('n') && is_name(text) {
                            self.refers_to(target, text);
                        } else {
                            self.put_element(target, text.to_owned());
                            let name = head.name.to_owned();
                            self.listed_again(&name, text, &options);
                        }
                    } else {
                        let is_bare = !field.text.contains('=') && options.contains('n');
                        if is_bare && !self.env.refers(&field.text) {
                            self.env.put_attribute(&field.text, Attribute::Reference);
                        }
                        self.attributed(&field.text, &options, &taken);
                    }
                }
                fields.extend(more);
                continue;
            };
            let values = ready.next();
            if options.contains('n') && hides {
                self.hide(&assignment.name);
            }
            if options.contains('n') && self.referred(&assignment) {
                let target = self.muted(|walker| walker.text(&assignment.value));
                fields.push(Field::literal(&format!("{}={target}", assignment.name)));
                continue;
            }
            let is_new = hides && self.hide(&assignment.name);
            if is_new && assignment.append {
                self.begin_empty(&assignment.name, true);
            }
            self.attributed(&assignment.name, &options, &taken);
            // `local` outside a function sets nothing.
            let is_lost = is_local && !self.is_in_function();
            let before = self.env.variable(&assignment.name).cloned().filter(|_| is_lost);
            let values = values.unwrap_or_else(|| self.assignable(&assignment));
            if is_new {
                self.begin_empty(&assignment.name, false);
            }
            self.given_value(&assignment.name, values.clone());
            self.env.add(before.map(|it| (assignment.name.clone(), it)).into_iter().collect());
            for value in &values {
                if let Value::Text(text) = value {
                    self.listed_again(&assignment.name, text, &options);
                }
            }
            // As it is written, whatever it becomes.
            if (!self.env.attributes(&assignment.name).is_empty() || assignment.append)
                && let Some(text) = word.as_text()
            {
                fields.push(Field::literal(&text));
                continue;
            }
            let text = match self.env.variable(&assignment.name).map(|v| v.values[0].clone()) {
                Some(Value::Text(text)) => text,
                _ => HOLE.to_string(),
            };
            let name = assignment.name;
            fields.push(Field { text: format!("{name}={text}"), ..Field::default() });
        }
        fields
    }

    /// A function's own variable is no array because one further out is, and what is added to it is
    /// added to nothing.
    fn begin_empty(&mut self, name: &str, adds: bool) {
        let is_array = |it: &Value| matches!(it, Value::Array(_));
        if adds || self.env.variable(name).is_some_and(|it| it.values.iter().any(is_array)) {
            self.env.set(name, vec![Value::Text(String::new())]);
        }
    }

    /// Of several assignments all values are found before the first is made:
    /// `export x=a y=$x`. Of what is added to a value it is not known before.
    fn values_of_several(&mut self, words: &[Word]) -> Vec<Vec<Value>> {
        let assignments: Vec<Assignment> = words.iter().filter_map(declaration).collect();
        let is_plain = |it: &Assignment| it.value.as_text().is_some();
        if assignments.len() < 2
            || assignments.iter().skip(1).all(is_plain)
            || assignments.iter().any(|it| it.append)
        {
            return Vec::new();
        }
        assignments.iter().map(|it| self.assignable(it)).collect()
    }

    /// `\local x=y`, `builtin local x=y`: nobody has looked for assignments behind it.
    pub(super) fn declared_otherwise(&mut self, words: &[Field]) {
        let Some((first, rest)) = words.split_first() else { return };
        let name = first.text.as_str();
        if !matches!(name, "export" | "declare" | "typeset" | "local" | "readonly") {
            return;
        }
        for word in rest {
            let Some(head) = super::scan::head(&word.text) else { continue };
            let text = &word.text[head.length..];
            if matches!(name, "local" | "declare" | "typeset") && self.hide(head.name) {
                self.begin_empty(head.name, head.append);
            }
            if head.append {
                self.assign(&added(head.name, head.index, text));
            } else {
                self.given_value(head.name, vec![Value::Text(text.to_owned())]);
            }
        }
    }

    /// `declare -a x='(…)'`: a list in quotes is one all the same, and what stands in it is expanded
    /// once more.
    fn listed_again(&mut self, name: &str, text: &str, options: &str) {
        if !(text.starts_with('(') && text.ends_with(')')) {
            return;
        }
        self.expanded_again(text);
        if options.contains(['a', 'A']) && is_name(name) {
            self.enter(|walker| walker.code(&format!("{name}={text}"), &Io::default()));
        }
    }

    /// `declare -u x`, `declare +u x`
    fn attributed(&mut self, name: &str, options: &str, taken: &str) {
        for attribute in options.chars().filter_map(attribute) {
            self.env.put_attribute(name, attribute);
            if self.conditional > 0 {
                self.env.doubt_attribute(name);
            }
        }
        for attribute in taken.chars().filter_map(attribute) {
            if self.conditional > 0 {
                self.env.doubt_attribute(name);
            } else {
                self.env.take_attribute(name, attribute);
            }
        }
        if taken.contains('x') {
            self.env.unexport(name);
        }
    }

    pub(super) fn refers_to(&mut self, name: &str, target: &str) {
        self.env.refer(name, target);
        // It may not have been come to.
        if self.conditional > 0 {
            self.env.fix(target);
        }
    }

    /// `declare -n p=q`: whether it is known what `p` stands for.
    fn referred(&mut self, assignment: &Assignment) -> bool {
        let target = self.text(&assignment.value);
        if is_name(target.split('[').next().unwrap_or_default()) {
            self.arithmetic(&target);
            self.refers_to(&assignment.name, &target);
            return true;
        }
        false
    }
}

fn attribute(letter: char) -> Option<Attribute> {
    Some(match letter {
        'l' => Attribute::Lower,
        'u' => Attribute::Upper,
        'i' => Attribute::Integer,
        'A' => Attribute::Keyed,
        _ => return None,
    })
}

/// `x+=text`, whose text is expanded already.
fn added(name: &str, index: Option<&str>, text: &str) -> Assignment {
    let index = index.map(|it| Word::text(it, true));
    Assignment { name: name.to_owned(), index, append: true, value: Word::text(text, true) }
}

pub(super) fn is_declaration(first: &Word) -> bool {
    let [Part::Text { text, .. }] = &first.parts[..] else { return false };
    matches!(text.as_str(), "export" | "declare" | "typeset" | "local" | "readonly")
}

/// A word of the form `name=value` as an assignment.
fn declaration(word: &Word) -> Option<Assignment> {
    let [Part::Text { text, quoted: false }, rest @ ..] = &word.parts[..] else { return None };
    let head = super::scan::head(text)?;
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
