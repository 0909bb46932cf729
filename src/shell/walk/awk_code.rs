//! Programs of awk as their parts, as far as those are followed.

use super::output::unescaped;
use super::regular::Regular;
use super::substitute::Dialect;

/// How deep values and statements may be nested.
const DEEPEST: usize = 32;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(String),
    Text(String),
    Pattern(String),
    Sign(&'static str),
}

/// Signs of several letters before those that they begin with.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "++", "--", "+=", "-=", "!~", "{", "}", "(", ")", ";",
    "\n", ",", "$", "=", "<", ">", "!", "~", "+", "-", "*", "%",
];

pub(super) fn tokens(code: &str) -> Option<Vec<Token>> {
    const MOST: usize = 400;
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        if tokens.len() == MOST {
            return None;
        }
        let tail = &rest[first.len_utf8()..];
        let until = |is_part: fn(char) -> bool| rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        match first {
            ' ' | '\t' => rest = tail,
            '#' => rest = &rest[rest.find('\n').unwrap_or(rest.len())..],
            '"' => {
                let (text, after) = delimited(tail, '"')?;
                tokens
                    .push(Token::Text(unescaped(&text.replace("\\\"", "\"").replace("\\/", "/"))));
                rest = after;
            }
            '/' if may_begin(tokens.last()) => {
                let (text, after) = delimited(tail, '/')?;
                tokens.push(Token::Pattern(text.replace("\\/", "/")));
                rest = after;
            }
            'a'..='z' | 'A'..='Z' | '_' => {
                let end = until(|it| it.is_ascii_alphanumeric() || it == '_');
                tokens.push(Token::Name(rest[..end].to_owned()));
                rest = &rest[end..];
            }
            '0'..='9' => {
                let end = until(|it| it.is_ascii_digit());
                tokens.push(Token::Number(rest[..end].to_owned()));
                rest = &rest[end..];
            }
            _ => {
                let sign = SIGNS.iter().find(|it| rest.starts_with(**it))?;
                tokens.push(Token::Sign(sign));
                rest = &rest[sign.len()..];
            }
        }
    }
    Some(tokens)
}

/// Whether a pattern may stand behind a token, and not a division.
fn may_begin(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Token::Sign(sign)) => *sign != ")",
        _ => false,
    }
}

fn delimited(text: &str, delimiter: char) -> Option<(&str, &str)> {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices() {
        match sign {
            '\n' => return None,
            _ if sign == delimiter && !is_escaped => return Some((&text[..at], &text[at + 1..])),
            _ => is_escaped = sign == '\\' && !is_escaped,
        }
    }
    None
}

#[derive(Debug)]
pub(super) struct Rule {
    pub(super) pattern: Pattern,
    pub(super) body: Vec<Statement>,
}

#[derive(Debug)]
pub(super) enum Pattern {
    Begin,
    End,
    Always,
    When(Value),
}

#[derive(Debug)]
pub(super) enum Statement {
    Print(Vec<Value>),
    Format(Vec<Value>),
    Value(Value),
    If(Value, Vec<Statement>, Vec<Statement>),
    /// Set, test, step, body.
    For(Value, Value, Value, Vec<Statement>),
    Next,
    Exit,
}

#[derive(Debug)]
pub(super) enum Value {
    Text(String),
    Number(String),
    Pattern(Regular),
    Name(String),
    Field(Box<Value>),
    Joined(Box<Value>, Box<Value>),
    /// `=`, `+=`, `-=`, and `++`, `--` behind it: of those it is what it was before.
    Set(Box<Value>, &'static str, Box<Value>),
    Both(Box<Value>, &'static str, Box<Value>),
    Not(Box<Value>),
    Call(String, Vec<Value>),
}

/// The rules of a program. `None` where something in it is not followed.
pub(super) fn rules(tokens: &[Token]) -> Option<Vec<Rule>> {
    Parser { tokens, at: 0, depth: 0 }.rules()
}

struct Parser<'a> {
    tokens: &'a [Token],
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn is_at(&self, sign: &str) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Sign(own)) if *own == sign)
    }

    fn takes(&mut self, sign: &str) -> bool {
        let is_at = self.is_at(sign);
        self.at += usize::from(is_at);
        is_at
    }

    /// Behind a statement.
    fn is_at_end(&self) -> bool {
        self.at == self.tokens.len() || [";", "\n", "}"].iter().any(|it| self.is_at(it))
    }

    fn takes_name(&mut self, name: &str) -> bool {
        let is_at = matches!(self.tokens.get(self.at), Some(Token::Name(own)) if own == name);
        self.at += usize::from(is_at);
        is_at
    }

    fn blank(&mut self) {
        while self.takes(";") || self.takes("\n") {}
    }

    fn rules(&mut self) -> Option<Vec<Rule>> {
        let mut rules = Vec::new();
        self.blank();
        while self.at < self.tokens.len() {
            let pattern = if self.takes_name("BEGIN") {
                Pattern::Begin
            } else if self.takes_name("END") {
                Pattern::End
            } else if self.is_at("{") {
                Pattern::Always
            } else {
                Pattern::When(self.value()?)
            };
            let body =
                if self.is_at("{") { self.body()? } else { vec![Statement::Print(Vec::new())] };
            rules.push(Rule { pattern, body });
            self.blank();
        }
        Some(rules)
    }

    /// `{ … }`, or one statement.
    fn body(&mut self) -> Option<Vec<Statement>> {
        self.deeper(Self::statements)
    }

    fn statements(&mut self) -> Option<Vec<Statement>> {
        let mut body = Vec::new();
        if self.takes("{") {
            self.blank();
            while !self.takes("}") {
                body.push(self.statement()?);
                self.blank();
            }
        } else {
            while self.takes("\n") {}
            body.push(self.statement()?);
        }
        Some(body)
    }

    fn statement(&mut self) -> Option<Statement> {
        if self.takes_name("if") {
            self.takes("(").then_some(())?;
            let test = self.value()?;
            self.takes(")").then_some(())?;
            let body = self.body()?;
            let at = self.at;
            self.blank();
            let otherwise = if self.takes_name("else") {
                self.body()?
            } else {
                self.at = at;
                Vec::new()
            };
            return Some(Statement::If(test, body, otherwise));
        }
        if self.takes_name("for") {
            self.takes("(").then_some(())?;
            let set = self.value()?;
            self.takes(";").then_some(())?;
            let test = self.value()?;
            self.takes(";").then_some(())?;
            let step = self.value()?;
            self.takes(")").then_some(())?;
            return Some(Statement::For(set, test, step, self.body()?));
        }
        let statement = if self.takes_name("print") {
            Statement::Print(self.values()?)
        } else if self.takes_name("printf") {
            Statement::Format(self.values()?)
        } else if self.takes_name("next") {
            Statement::Next
        } else if self.takes_name("exit") {
            self.values()?;
            Statement::Exit
        } else {
            Statement::Value(self.value()?)
        };
        self.is_at_end().then_some(statement)
    }

    /// What stands behind `print`, in parentheses or not.
    fn values(&mut self) -> Option<Vec<Value>> {
        let mut values = Vec::new();
        if self.is_at_end() {
            return Some(values);
        }
        let begun = self.at;
        if self.takes("(") {
            while !self.is_at(")") {
                values.push(self.value()?);
                self.takes(",");
            }
            self.at += 1;
            if self.is_at_end() {
                return Some(values);
            }
            self.at = begun;
            values.clear();
        }
        loop {
            // Behind `>` stands a file.
            values.push(self.joined()?);
            if !self.takes(",") {
                return Some(values);
            }
        }
    }

    fn value(&mut self) -> Option<Value> {
        self.deeper(Self::whole)
    }

    fn whole(&mut self) -> Option<Value> {
        let mut value = self.compared()?;
        for sign in ["=", "+=", "-="] {
            if matches!(value, Value::Name(_) | Value::Field(_)) && self.takes(sign) {
                value = Value::Set(Box::new(value), sign, Box::new(self.value()?));
                return Some(value);
            }
        }
        // `&&` binds closer.
        value = self.all(value)?;
        while self.takes("||") {
            let first = self.compared()?;
            let other = self.all(first)?;
            value = Value::Both(Box::new(value), "||", Box::new(other));
        }
        Some(value)
    }

    /// What `&&` holds together, behind the first of it.
    fn all(&mut self, first: Value) -> Option<Value> {
        let mut value = first;
        while self.takes("&&") {
            value = Value::Both(Box::new(value), "&&", Box::new(self.compared()?));
        }
        Some(value)
    }

    fn compared(&mut self) -> Option<Value> {
        let value = self.joined()?;
        // `! a ~ b` is `! (a ~ b)`.
        let is_not = matches!(value, Value::Not(_));
        for sign in ["==", "!=", "<=", ">=", "<", ">", "~", "!~"] {
            let Some(Token::Sign(own)) = self.tokens.get(self.at) else { break };
            if *own == sign {
                if is_not {
                    return None;
                }
                self.at += 1;
                return Some(Value::Both(Box::new(value), sign, Box::new(self.joined()?)));
            }
        }
        Some(value)
    }

    /// Values one behind the other.
    fn joined(&mut self) -> Option<Value> {
        let mut value = self.summed()?;
        loop {
            let goes_on = match self.tokens.get(self.at) {
                Some(Token::Sign(sign)) => matches!(*sign, "$" | "("),
                Some(Token::Pattern(_)) | None => false,
                Some(_) => true,
            };
            if !goes_on {
                return Some(value);
            }
            value = Value::Joined(Box::new(value), Box::new(self.summed()?));
        }
    }

    fn summed(&mut self) -> Option<Value> {
        let value = self.single()?;
        for sign in ["++", "--"] {
            if self.takes(sign) {
                let one = Box::new(Value::Number("1".to_owned()));
                return Some(Value::Set(Box::new(value), sign, one));
            }
        }
        const SUMS: &[&str] = &["+", "-", "%"];
        let Some(sign) = SUMS.iter().find(|it| self.is_at(it)) else { return Some(value) };
        self.at += 1;
        let other = self.single()?;
        // Of several nobody asks which binds closer.
        let goes_on = SUMS.iter().chain(&["++", "--"]).any(|it| self.is_at(it));
        (!goes_on).then(|| Value::Both(Box::new(value), sign, Box::new(other)))
    }

    /// What lies within something else.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        let parsed = if self.depth > DEEPEST { None } else { parse(self) };
        self.depth -= 1;
        parsed
    }

    fn single(&mut self) -> Option<Value> {
        let token = self.tokens.get(self.at)?;
        self.at += 1;
        Some(match token {
            Token::Text(text) => Value::Text(text.clone()),
            Token::Number(text) if text.len() > 1 && text.starts_with('0') => return None,
            Token::Number(text) => Value::Number(text.clone()),
            Token::Pattern(text) => Value::Pattern(Regular::of(text, Dialect::Extended)?),
            Token::Sign("$") => {
                let field = self.deeper(Self::single)?;
                Value::Field(Box::new(field))
            }
            Token::Sign(sign @ ("++" | "--")) => {
                let target = self.deeper(Self::single)?;
                let one = Box::new(Value::Number("1".to_owned()));
                let sign = if *sign == "++" { "+=" } else { "-=" };
                Value::Set(Box::new(target), sign, one)
            }
            Token::Sign("!") => {
                let value = self.deeper(Self::single)?;
                Value::Not(Box::new(value))
            }
            Token::Sign("(") => {
                let value = self.value()?;
                self.takes(")").then_some(())?;
                value
            }
            Token::Name(name) if self.is_at("(") => {
                self.at += 1;
                let mut values = Vec::new();
                while !self.takes(")") {
                    values.push(self.value()?);
                    if !self.takes(",") && !self.is_at(")") {
                        return None;
                    }
                }
                Value::Call(name.clone(), values)
            }
            Token::Name(name) => Value::Name(name.clone()),
            Token::Sign(_) => return None,
        })
    }
}
