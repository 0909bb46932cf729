//! What is put into formats: `"git %s" % verb`, `"git {}".format(verb)`, `printf`.

use super::super::super::HOLE;
use super::super::token::Token;
use super::{Argument, Parser, Value};
use std::collections::VecDeque;

impl Parser<'_> {
    /// What stands behind the `%` of Python and Ruby: a value, several, or some by name.
    pub(super) fn put_in(&mut self) -> Vec<Argument> {
        let is_named = self.is_sign(0, '{')
            || self.word(0) == Some("dict") && matches!(self.peek(1), Some(Token::Sign('(')));
        if is_named {
            let close = if self.is_sign(0, '{') { '}' } else { ')' };
            self.at += if close == '}' { 1 } else { 2 };
            return self.arguments(close);
        }
        match self.term() {
            value @ Value::OneOf(_) => vec![Argument::plain(value)],
            value => match value.clone().each() {
                Some(values) => values.into_iter().map(Argument::plain).collect(),
                None => vec![Argument::plain(value)],
            },
        }
    }
}

/// A format with what is put in by `%`: holes where that is not known.
pub(super) fn formatted(format: &Value, arguments: &[Argument]) -> Value {
    let Value::Text(text) = format else { return Value::Text(HOLE.to_string()) };
    let mut plain: VecDeque<&Argument> = arguments.iter().filter(|it| it.name.is_none()).collect();
    let mut value = Value::Text(String::new());
    let mut own = String::new();
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '%' || rest.next_if_eq(&'%').is_some() {
            own.push(character);
            continue;
        }
        let mut name = None;
        if let Some(open @ ('(' | '{' | '<')) = rest.peek().copied() {
            let close = match open {
                '(' => ')',
                '{' => '}',
                _ => '>',
            };
            rest.next();
            let mut text = String::new();
            while let Some(next) = rest.next_if(|it| *it != close) {
                text.push(next);
            }
            rest.next();
            name = Some(text);
        }
        // `%-5s` is the text and blanks.
        let mut width = false;
        while let Some(next) = rest.next_if(|it| "-+ #0123456789.*$".contains(*it)) {
            width |= matches!(next, '.' | '*' | '$');
        }
        let verb = rest.next();
        let given = match name {
            Some(name) => arguments.iter().find(|it| it.name.as_deref() == Some(name.as_str())),
            None => plain.pop_front(),
        };
        let more = match given {
            Some(given) if !width && matches!(verb, Some('s' | 'd' | 'i')) => shown(given),
            _ => Value::Text(HOLE.to_string()),
        };
        value = value.joined(Value::Text(std::mem::take(&mut own))).joined(more);
    }
    value.joined(Value::Text(own))
}

/// A format with what is put in by braces.
pub(super) fn braced(text: &str, arguments: &[Argument]) -> Value {
    let plain: Vec<&Argument> = arguments.iter().filter(|it| it.name.is_none()).collect();
    let mut value = Value::Text(String::new());
    let mut own = String::new();
    let mut next = 0;
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        let is_twice = matches!(character, '{' | '}') && rest.next_if_eq(&character).is_some();
        if character != '{' || is_twice {
            own.push(character);
            continue;
        }
        let mut name = String::new();
        while let Some(next) = rest.next_if(|it| *it != '}') {
            name.push(next);
        }
        rest.next();
        let given = match name.parse::<usize>() {
            _ if name.is_empty() => {
                next += 1;
                plain.get(next - 1).copied()
            }
            Ok(place) => plain.get(place).copied(),
            Err(_) => arguments.iter().find(|it| it.name.as_deref() == Some(name.as_str())),
        };
        let more = given.map_or(Value::Text(HOLE.to_string()), shown);
        value = value.joined(Value::Text(std::mem::take(&mut own))).joined(more);
    }
    value.joined(Value::Text(own))
}

/// A value as it is shown within a text.
fn shown(argument: &Argument) -> Value {
    match &argument.value {
        value @ (Value::Text(_) | Value::OneOf(_)) => value.clone(),
        _ => Value::Text(HOLE.to_string()),
    }
}
