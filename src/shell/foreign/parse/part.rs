//! Parts of values, `list[1:]`, `text[::-1]`, and values that are repeated: `text * 2`.

use super::super::super::{HOLE, Interpreter, limit};
use super::super::token::Token;
use super::{ELEMENTS, Parser, SHORT, Value};

/// What stands in brackets behind a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// `[1]`, `[-1]`
    One(isize),
    /// `[1:-1]`
    Range(Option<isize>, Option<isize>),
    /// `[::-1]`
    Turned,
}

impl Parser<'_> {
    /// `[1]` and `[1:]` after a list or a text.
    pub(super) fn element(&mut self, value: &Value) -> Option<Value> {
        if !self.is_sign(0, '[') {
            return None;
        }
        let (part, length) = self.bracketed()?;
        let cost = value.length();
        if cost > SHORT {
            self.left = self.left.saturating_sub(cost);
        }
        if self.left == 0 {
            return None;
        }
        let part = self.part_of(value, part)?;
        self.at += length;
        Some(part)
    }

    fn part_of(&self, value: &Value, part: Part) -> Option<Value> {
        match value {
            Value::List(texts) => Some(match part {
                Part::One(place) => {
                    let place = from_end(place, texts.len());
                    texts.get(place).map_or(Value::Unknown, |text| Value::Text(text.clone()))
                }
                Part::Range(from, to) => Value::List(range(texts, from, to).to_vec()),
                Part::Turned => Value::List(texts.iter().rev().cloned().collect()),
            }),
            Value::Text(text) if self.language == Interpreter::Python && !text.contains(HOLE) => {
                let letters: Vec<char> = text.chars().collect();
                Some(Value::Text(match part {
                    Part::One(place) => {
                        letters.get(from_end(place, letters.len())).map(char::to_string)?
                    }
                    Part::Range(from, to) => range(&letters, from, to).iter().collect(),
                    Part::Turned => letters.iter().rev().collect(),
                }))
            }
            Value::OneOf(values) => {
                let parts = values.iter().map(|it| self.part_of(it, part));
                Some(Value::OneOf(parts.collect::<Option<Vec<Value>>>()?))
            }
            _ => None,
        }
    }

    /// The part, and how many tokens say so.
    fn bracketed(&self) -> Option<(Part, usize)> {
        let mut at = 1;
        let first = self.number(&mut at);
        if let (Some(first), true) = (first, self.is_sign(at, ']')) {
            return Some((Part::One(first), at + 1));
        }
        if !self.is_sign(at, ':') {
            return None;
        }
        at += 1;
        let is_turned = first.is_none()
            && self.is_sign(at, ':')
            && self.is_sign(at + 1, '-')
            && self.peek(at + 2) == Some(&Token::Place(1))
            && self.is_sign(at + 3, ']');
        if is_turned {
            return Some((Part::Turned, at + 4));
        }
        let last = self.number(&mut at);
        self.is_sign(at, ']').then_some((Part::Range(first, last), at + 1))
    }

    /// A number, perhaps below zero; goes past it.
    fn number(&self, at: &mut usize) -> Option<isize> {
        let is_negative = self.is_sign(*at, '-');
        let Some(Token::Place(place)) = self.peek(*at + usize::from(is_negative)) else {
            return None;
        };
        let place = isize::try_from(*place).ok()?;
        *at += 1 + usize::from(is_negative);
        Some(if is_negative { -place } else { place })
    }

    /// `"a" * 2`, `"a" x 2`
    pub(super) fn repeated(&mut self, value: Value) -> Value {
        let is_sign = match self.language {
            Interpreter::Python | Interpreter::Ruby => self.is_sign(0, '*'),
            Interpreter::Perl => self.word(0) == Some("x"),
            _ => false,
        };
        let Some(Token::Place(times)) = self.peek(1).filter(|_| is_sign && self.left > 0) else {
            return value;
        };
        let repeated = match &value {
            Value::Text(text) if text.len().saturating_mul(*times) <= limit::TEXT => {
                Value::Text(text.repeat(*times))
            }
            Value::List(texts) if texts.len().saturating_mul(*times) <= ELEMENTS => {
                Value::List(texts.iter().cycle().take(texts.len() * times).cloned().collect())
            }
            _ => return value,
        };
        self.at += 2;
        repeated
    }
}

/// A place that counts from the end where it is below zero.
fn from_end(place: isize, length: usize) -> usize {
    match usize::try_from(place) {
        Ok(place) => place,
        Err(_) => length.checked_sub(place.unsigned_abs()).unwrap_or(usize::MAX),
    }
}

fn range<T>(all: &[T], from: Option<isize>, to: Option<isize>) -> &[T] {
    let bound = |place: isize| match usize::try_from(place) {
        Ok(place) => place.min(all.len()),
        Err(_) => all.len().saturating_sub(place.unsigned_abs()),
    };
    let (from, to) = (from.map_or(0, bound), to.map_or(all.len(), bound));
    all.get(from..to).unwrap_or(&[])
}
