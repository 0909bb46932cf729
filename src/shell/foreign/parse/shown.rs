//! What code shows, and what it writes to files, as far as the values are known.

use super::super::super::table::calls::Form;
use super::super::super::{HOLE, How, Interpreter};
use super::super::Shown;
use super::super::token::Token;
use super::format::formatted;
use super::{Argument, Parser, Value};

impl Parser<'_> {
    /// Shows its arguments. `is_sure`: on its output, and they cannot be others.
    pub(super) fn shows(&mut self, form: Form, arguments: &[Argument], is_sure: bool) {
        let named = |name: &str| {
            let named = arguments.iter().find(|it| it.name.as_deref() == Some(name));
            named.map(|it| it.value.text())
        };
        // `print(…, file=f)`, `print … > "f"`
        let elsewhere = named("file").is_some()
            || self.language == Interpreter::Awk && (self.is_sign(0, '>') || self.is_sign(0, '|'));
        let is_sure = is_sure && !elsewhere && !self.functions.is_within();
        let is_plain =
            |it: &Argument| !matches!(it.name.as_deref(), Some("file" | "sep" | "end" | "flush"));
        // One of several is each of them.
        let choice = |it: &Argument| is_plain(it) && matches!(it.value, Value::OneOf(_));
        if let Some(place) = arguments.iter().position(choice)
            && let Value::OneOf(values) = &arguments[place].value
        {
            for value in values {
                let mut arguments = arguments.to_vec();
                for (at, argument) in arguments.iter_mut().enumerate() {
                    match argument.value {
                        _ if at == place => argument.value = value.clone(),
                        Value::OneOf(_) => argument.value = Value::Unknown,
                        _ => {}
                    }
                }
                self.shows(form, &arguments, false);
            }
            return;
        }
        let plain: Vec<&Argument> = arguments.iter().filter(|it| is_plain(it)).collect();
        let joins =
            matches!(self.language, Interpreter::Perl | Interpreter::Ruby) || form == Form::Plain;
        let text = |argument: &&Argument| match &argument.value {
            Value::Text(text) => text.clone(),
            Value::List(texts) if joins && form == Form::Lines => texts.join("\n"),
            Value::List(texts) if joins => texts.concat(),
            _ => HOLE.to_string(),
        };
        let is_format = form == Form::Format
            || self.language == Interpreter::JavaScript
                && plain.len() > 1
                && plain.first().is_some_and(|it| it.value.text().contains('%'));
        let text = if is_format {
            let owned: Vec<Argument> = plain.iter().skip(1).map(|it| (*it).clone()).collect();
            let first = plain.first().map_or(Value::Unknown, |it| it.value.clone());
            let end = if form == Form::Format { "" } else { "\n" };
            formatted(&first, &owned).text() + end
        } else {
            let texts: Vec<String> = plain.iter().map(text).collect();
            let (between, end) = match form {
                Form::Line => (named("sep"), named("end")),
                _ => (None, None),
            };
            match form {
                Form::Line => {
                    let between = between.as_deref().unwrap_or(" ");
                    texts.join(between) + end.as_deref().unwrap_or("\n")
                }
                Form::Lines => texts.join("\n") + "\n",
                Form::Plain | Form::Format => texts.concat(),
            }
        };
        self.show(Shown { is_sure: is_sure && !text.contains(HOLE), text, to_file: false });
    }

    /// A file is written: what with, if that is said.
    pub(super) fn written(&mut self, path: &str, how: How, value: Option<&Value>) {
        let Some(value) = value.filter(|_| matches!(how, How::Write | How::Append)) else { return };
        let texts = match value {
            Value::Text(text) => vec![text.clone()],
            Value::OneOf(values) => values.iter().map(Value::text).collect(),
            Value::List(_) | Value::Nested(_) | Value::Nothing | Value::Unknown => return,
        };
        let to_file = !path.starts_with("/dev/");
        for text in texts {
            self.show(Shown { text, is_sure: false, to_file });
        }
    }

    fn show(&mut self, shown: Shown) {
        self.left = self.left.saturating_sub(shown.text.len());
        self.shown.push(if self.left == 0 { Shown::unknown() } else { shown });
    }

    /// Whether what shows something, whose name stands at `place`, does so on its output. Goes past
    /// a name of a file that Perl has there.
    pub(super) fn is_output(&mut self, place: usize) -> bool {
        if self.language == Interpreter::Perl {
            return !self.goes_to_handle();
        }
        let before = |places: usize| place.checked_sub(places).and_then(|at| self.tokens.get(at));
        match (before(1), before(2)) {
            (Some(Token::Sign('.')), Some(Token::Word(word))) => {
                matches!(word.as_str(), "stdout" | "console" | "io" | "$stdout")
            }
            (Some(Token::Sign('.')), _) => false,
            _ => true,
        }
    }

    /// `print F "…"`, `print {$f} "…"`
    fn goes_to_handle(&mut self) -> bool {
        const NEAR: usize = 8;
        if self.is_sign(0, '{') {
            let close = (1..NEAR).find(|at| self.is_sign(*at, '}'));
            self.at += close.map_or(0, |at| at + 1);
            return close.is_some();
        }
        let is_value = matches!(
            self.peek(1),
            Some(Token::Text(_) | Token::Filled(_) | Token::Words(_) | Token::Word(_))
        );
        let is_name = |word: &str| {
            word.starts_with('$') || word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
        };
        let operator = |word: &str| matches!(word, "x" | "if" | "for" | "foreach" | "unless");
        if is_value && self.word(0).is_some_and(is_name) && !self.word(1).is_some_and(operator) {
            let is_out = self.word(0) == Some("STDOUT");
            self.at += 1;
            return !is_out;
        }
        false
    }

    /// Whether what is shown follows without parentheses.
    pub(super) fn shows_bare(&self) -> bool {
        match self.peek(0) {
            Some(Token::Text(_) | Token::Filled(_) | Token::Words(_) | Token::Number) => matches!(
                self.language,
                Interpreter::Perl
                    | Interpreter::Ruby
                    | Interpreter::Awk
                    | Interpreter::Php
                    | Interpreter::Lua
            ),
            Some(Token::Word(word)) => {
                let makes = matches!(word.as_str(), "join" | "sprintf" | "format" | "implode");
                match self.language {
                    Interpreter::Perl | Interpreter::Awk => true,
                    Interpreter::Ruby | Interpreter::Php => {
                        makes || self.variables.contains_key(word)
                    }
                    _ => false,
                }
            }
            Some(Token::Sign('[')) => self.language == Interpreter::Ruby,
            _ => false,
        }
    }
}
