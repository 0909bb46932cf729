//! Tokens to acts: an expression at a time, as far as literals go.
//!
//! Long because it is one grammar: the productions call each other.

mod branch;
mod call;
mod define;
mod format;
mod function;
mod itself;
mod mock;
mod part;
mod shown;

use super::super::table::calls::{self, Kind};
use super::super::walk::is_shell;
use super::super::{HOLE, How, Interpreter, last_part, limit};
use super::token::{Piece, Token, filled_tokens};
use super::{Act, Acts, Given, Shown};
use format::{braced, formatted};
use function::Functions;
use std::collections::BTreeMap;

/// Brackets, and code within code, are followed this deep.
const DEPTH: usize = 24;

/// A loop over a list is followed for so many elements.
const CHOICES: usize = 16;

/// A list that grows is followed for so many.
const ELEMENTS: usize = 256;
/// What values of a piece of code may cost in all, in bytes, without those that are short.
const LEFT: usize = 1024 * 1024;
const SHORT: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    List(Vec<String>),
    /// A list with lists in it.
    Nested(Vec<Value>),
    /// One of these, in a loop each of them.
    OneOf(Vec<Value>),
    /// `None`, `null`: whatever else it may be is what it is where it counts.
    Nothing,
    Unknown,
}

impl Value {
    fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(texts) => texts.join(" "),
            Self::Nested(_) => self.texts().join(" "),
            Self::OneOf(_) | Self::Nothing | Self::Unknown => HOLE.to_string(),
        }
    }

    /// In bytes, an element of a list counting for what it costs.
    fn length(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(texts) => texts.iter().map(|it| it.len() + size_of::<String>()).sum(),
            Self::Nested(values) | Self::OneOf(values) => {
                values.iter().map(|it| it.length() + size_of::<Self>()).sum()
            }
            Self::Nothing | Self::Unknown => 0,
        }
    }

    /// The elements, of lists in a list one behind the other.
    fn texts(&self) -> Vec<String> {
        match self {
            Self::List(texts) => texts.clone(),
            Self::Nested(values) => values.iter().flat_map(Self::texts).collect(),
            value => vec![value.text()],
        }
    }

    /// One after the other; of one of several, each.
    fn each(self) -> Option<Vec<Self>> {
        match self {
            Self::List(texts) => Some(texts.into_iter().map(Self::Text).collect()),
            Self::Nested(values) => Some(values),
            _ => None,
        }
    }

    /// The list of these. What is one of several makes one of several lists.
    fn list(values: Vec<Self>) -> Self {
        if let Some(place) = values.iter().position(|it| matches!(it, Self::OneOf(_)))
            && let Some(Self::OneOf(choices)) = values.get(place)
        {
            let with = |choice: &Self| {
                let mut values = values.clone();
                values[place] = choice.clone();
                // Others stay what is not known.
                let open = |it: Self| if matches!(it, Self::OneOf(_)) { Self::Unknown } else { it };
                Self::list(values.into_iter().map(open).collect())
            };
            return Self::OneOf(choices.iter().take(CHOICES).map(with).collect());
        }
        if values.iter().any(|it| matches!(it, Self::List(_) | Self::Nested(_))) {
            return Self::Nested(values);
        }
        Self::List(values.iter().flat_map(Self::texts).collect())
    }

    /// One of these, as far as all are known and not too many.
    fn one_of(values: [Self; 2]) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for value in values {
            let more = if let Self::OneOf(values) = value { values } else { vec![value] };
            for value in more {
                if value != Self::Nothing && !all.contains(&value) {
                    all.push(value);
                }
            }
        }
        if let [only] = &all[..] {
            return only.clone();
        }
        let is_known = !all.is_empty() && all.len() <= CHOICES && !all.contains(&Self::Unknown);
        if is_known { Self::OneOf(all) } else { Self::Unknown }
    }

    /// `a + b`
    fn joined(self, more: Self) -> Self {
        match (self, more) {
            (
                value @ (Self::List(_) | Self::Nested(_)),
                more @ (Self::List(_) | Self::Nested(_)),
            ) => {
                let all = value.each().into_iter().chain(more.each()).flatten();
                Self::list(all.collect())
            }
            (Self::List(list), Self::Unknown) => {
                Self::List([list, vec![HOLE.to_string()]].concat())
            }
            (Self::Unknown, Self::List(list)) => {
                Self::List([vec![HOLE.to_string()], list].concat())
            }
            (Self::Unknown, Self::Unknown) => Self::Unknown,
            (Self::OneOf(_), Self::OneOf(_)) => Self::Text(HOLE.to_string()),
            (Self::OneOf(choices), more) => {
                Self::OneOf(choices.into_iter().map(|it| it.joined(more.clone())).collect())
            }
            (value, Self::OneOf(choices)) => {
                Self::OneOf(choices.into_iter().map(|it| value.clone().joined(it)).collect())
            }
            (value, more) => Self::Text(value.text() + &more.text()),
        }
    }
}

/// Words of awk that are no values.
const AWK_WORDS: &[&str] = &["in", "getline", "print", "printf", "if", "else", "while", "for"];

#[derive(Debug, Clone)]
struct Argument {
    name: Option<String>,
    value: Value,
    /// It stands for as many as nobody knows: `*args`.
    spread: bool,
}

impl Argument {
    fn plain(value: Value) -> Self {
        Self { name: None, value, spread: false }
    }
}

pub(super) fn read(code: &str, language: Interpreter, given: &Given, most: usize) -> Acts {
    nested(code, code, language, given, (0, most))
}

/// The acts of code that stands in other code.
fn nested(
    code: &str,
    whole: &str,
    language: Interpreter,
    given: &Given,
    (depth, most): (usize, usize),
) -> Acts {
    if depth > 4 {
        return Acts::default();
    }
    let texts =
        given.variables.iter().map(|(name, text)| (name.clone(), Value::Text(text.clone())));
    let lists = given.lists.iter().map(|(name, list)| (name.clone(), Value::List(list.clone())));
    let (tokens, inner) = filled_tokens(code, language, most);
    let mut parser = Parser {
        tokens: &tokens,
        code: whole,
        language,
        at: 0,
        depth: 0,
        nesting: depth,
        variables: texts.chain(lists).collect(),
        given,
        names: BTreeMap::new(),
        has_mocks: language == Interpreter::Python && code.contains("mock") && mock::is_in(&tokens),
        acts: Vec::new(),
        starts_unknown: false,
        evaluates: false,
        is_own: false,
        is_itself: false,
        own_lists: Vec::new(),
        itself: Vec::new(),
        left: LEFT,
        needs: BTreeMap::new(),
        functions: Functions::default(),
        shown: Vec::new(),
        guessed: 0,
        blocks: 0,
        braces: 0,
        most,
        is_cut: tokens.len() > most,
    };
    parser.statements();
    for code in inner {
        parser.nested(&code);
    }
    parser.open_functions();
    parser.read_operands();
    let Parser { acts, starts_unknown, evaluates, shown, is_cut, itself, .. } = parser;
    Acts { acts, starts_unknown, itself, evaluates, shown, is_cut }
}

#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
struct Parser<'a> {
    tokens: &'a [Token],
    code: &'a str,
    language: Interpreter,
    at: usize,
    depth: usize,
    /// How many levels of code within code this is.
    nesting: usize,
    variables: BTreeMap<String, Value>,
    given: &'a Given,
    /// Other names of functions: `import system as s`.
    names: BTreeMap<String, String>,
    /// `call` and `mock` are those of `unittest.mock`.
    has_mocks: bool,
    acts: Vec<Act>,
    /// As in [`Acts`].
    starts_unknown: bool,
    evaluates: bool,
    /// The function that is called is the language's own.
    is_own: bool,
    /// The first argument of the call is the interpreter of this code.
    is_itself: bool,
    /// Lists that begin with it.
    own_lists: Vec<Vec<String>>,
    /// As in [`Acts`].
    itself: Vec<Vec<String>>,
    /// What values may still cost, in bytes.
    left: usize,
    /// Whether a text stands in the code.
    needs: BTreeMap<&'static str, bool>,
    /// Those that the code defines.
    functions: Functions<'a>,
    /// As in [`Acts`].
    shown: Vec<Shown>,
    /// How often a value was one that may be another.
    guessed: usize,
    /// Blocks in braces that this place is in: those of which a statement is read, and all.
    blocks: usize,
    braces: usize,
    /// So many tokens are looked at.
    most: usize,
    /// As in [`Acts`].
    is_cut: bool,
}

impl<'a> Parser<'a> {
    fn peek(&self, offset: usize) -> Option<&'a Token> {
        self.tokens.get(self.at + offset)
    }

    fn is_sign(&self, offset: usize, sign: char) -> bool {
        matches!(self.peek(offset), Some(Token::Sign(it)) if *it == sign)
    }

    fn word(&self, offset: usize) -> Option<&'a str> {
        match self.peek(offset) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// Code within this code.
    fn nested(&mut self, code: &str) {
        let whole = if code.len() > self.code.len() { code } else { self.code };
        let inner = nested(code, whole, self.language, self.given, (self.nesting + 1, self.most));
        self.acts.extend(inner.acts);
        self.starts_unknown |= inner.starts_unknown;
        self.itself.extend(inner.itself);
        self.evaluates |= inner.evaluates;
        self.is_cut |= inner.is_cut;
        let unsure = inner.shown.into_iter().map(|it| Shown { is_sure: false, ..it });
        self.shown.extend(unsure);
        self.functions.named_in(code);
    }

    fn statements(&mut self) {
        while self.at < self.tokens.len() {
            let start = self.at;
            self.statement();
            self.at = self.at.max(start + 1);
        }
        self.at = self.tokens.len();
    }

    /// The value of tokens that stand somewhere else; unknown where they are more than one.
    fn within(&mut self, tokens: &'a [Token]) -> Value {
        if self.depth >= DEPTH {
            return Value::Unknown;
        }
        let outer = (std::mem::replace(&mut self.tokens, tokens), self.at);
        self.at = 0;
        let value = if tokens.is_empty() { Value::Unknown } else { self.expression() };
        let is_all = self.at >= tokens.len();
        self.depth += 1;
        self.statements();
        self.depth -= 1;
        (self.tokens, self.at) = outer;
        if is_all { value } else { Value::Unknown }
    }

    /// A string with what is put into it.
    fn filled(&mut self, pieces: &'a [Piece]) -> Value {
        let mut value = Value::Text(String::new());
        for piece in pieces {
            let more = match piece {
                Piece::Text(text) => Value::Text(text.clone()),
                Piece::Code(tokens) => match self.within(tokens) {
                    Value::Unknown => Value::Text(HOLE.to_string()),
                    // Only Perl has a list in a string as its elements.
                    Value::List(_) | Value::Nested(_) if self.language != Interpreter::Perl => {
                        Value::Text(HOLE.to_string())
                    }
                    known => known,
                },
            };
            value = self.paid(value.joined(more));
        }
        value
    }

    /// `from a import b as c`: names, none of which is called.
    fn imported(&mut self) {
        let mut open = 0_usize;
        while let Some(token) = self.peek(0) {
            match token {
                Token::Sign('(') => open += 1,
                Token::Sign(')') => open = open.saturating_sub(1),
                Token::Newline(_) if open == 0 => return,
                Token::Sign(';') => return,
                _ => {}
            }
            if let Some(name) = self.word(0) {
                self.functions.imports(name);
            }
            if let (Some(name), Some("as"), Some(other)) =
                (self.word(0), self.word(1), self.word(2))
            {
                let (name, other) = (name.to_owned(), other.to_owned());
                self.functions.imports(self.word(2).unwrap_or_default());
                self.names.insert(other, name);
                self.at += 2;
            }
            self.at += 1;
        }
    }

    /// Pays for a value by its length. One that is too long, and all when nothing is left to pay
    /// with, may be anything: `a = a + a` doubles each time.
    fn paid(&mut self, value: Value) -> Value {
        let length = value.length();
        if length <= SHORT {
            return value;
        }
        self.left = self.left.saturating_sub(length);
        if self.left == 0 {
            self.variables.clear();
        }
        if length > limit::TEXT || self.left == 0 { Value::Unknown } else { value }
    }

    /// Whether a text stands in the code: asked once, however many calls there are.
    fn says(&mut self, text: &'static str) -> bool {
        *self.needs.entry(text).or_insert_with(|| self.code.contains(text))
    }

    fn keep(&mut self, name: String, value: Value) {
        let value = self.paid(value);
        self.variables.insert(name, value);
    }

    /// The same for one that ends with the function, if it does.
    fn assign(&mut self, name: String, value: Value) {
        let begins = |word: &str| matches!(word, "const" | "let" | "var" | "my" | "local");
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_local = match self.language {
            Interpreter::Python => !self.says("global ") && !self.says("nonlocal "),
            _ => matches!(before, Some(Token::Word(word)) if begins(word)),
        };
        let begins = matches!(before, Some(Token::Word(word)) if begins(word));
        if is_local {
            self.functions.goes(&name, self.variables.get(&name));
        }
        // What is set in a block is perhaps not set.
        let is_other = self.variables.get(&name).is_some_and(|old| *old != value);
        let is_perhaps = is_other && !begins && (self.blocks > 0 || self.is_in_branch());
        self.set(name, value, is_perhaps);
    }

    /// A variable is this from now on, or perhaps what it was.
    fn set(&mut self, name: String, value: Value, is_perhaps: bool) {
        let value = match self.variables.get(&name).cloned() {
            Some(old) if is_perhaps && old != value => Value::one_of([old, value]),
            _ => value,
        };
        self.keep(name, value);
    }

    /// `x += …`, `x .= …`: whether it is one.
    fn added(&mut self) -> bool {
        let Some(name) = self.word(0) else { return false };
        let adds = matches!(self.peek(1), Some(Token::Sign('+' | '.')));
        // `list << "text"`
        let shifts = self.language == Interpreter::Ruby
            && self.is_sign(1, '<')
            && self.is_sign(2, '<')
            && self.variables.contains_key(name);
        if !shifts && (!adds || !self.is_sign(2, '=') || self.is_sign(3, '=')) {
            return false;
        }
        self.at += 3;
        let more = self.expression();
        let value = match (self.variables.get(name), more) {
            (Some(Value::List(texts)), more @ (Value::List(_) | Value::Text(_))) => {
                let mut texts = [&texts[..], &more.texts()].concat();
                texts.truncate(ELEMENTS);
                Value::List(texts)
            }
            (Some(Value::Text(text)), Value::Text(more)) => Value::Text(format!("{text}{more}")),
            _ => Value::Unknown,
        };
        self.assign(name.to_owned(), value);
        true
    }

    /// `push @c, "push"`: whether it is that.
    fn pushed(&mut self) -> bool {
        if self.language != Interpreter::Perl || self.word(0) != Some("push") {
            return false;
        }
        let at = 1 + usize::from(self.is_sign(1, '('));
        let Some(name) = self.word(at).filter(|it| it.starts_with('@')).map(str::to_owned) else {
            return false;
        };
        self.at += at + 1;
        self.at += usize::from(self.is_sign(0, ','));
        let more = self.bare_arguments();
        let before = self.variables.get(&name).map(Value::texts);
        let mut texts = before.unwrap_or_default();
        texts.extend(more.iter().flat_map(|it| it.value.texts()));
        texts.truncate(ELEMENTS);
        self.keep(name, Value::List(texts));
        true
    }

    /// `x[0] = …`, `x.insert(…)`, `sub(a, b, x)`: a variable is another one from then on.
    fn changed(&mut self) {
        const CHANGES: &[&str] = &[
            "insert",
            "reverse",
            "sort",
            "pop",
            "remove",
            "clear",
            "unshift",
            "splice",
            "shift",
            "fill",
            "setdefault",
        ];
        const NEAR: usize = 32;
        let Some(name) = self.word(0) else { return };
        if self.language == Interpreter::Awk && matches!(name, "sub" | "gsub") {
            let words = (1..NEAR).take_while(|at| !self.is_sign(*at, ')'));
            let last = words.filter_map(|at| self.word(at)).last().map(str::to_owned);
            if let Some(name) = last {
                self.variables.insert(name, Value::Unknown);
            }
            return;
        }
        if !self.variables.contains_key(name) {
            return;
        }
        let is_method =
            self.is_sign(1, '.') && self.word(2).is_some_and(|it| CHANGES.contains(&it));
        let is_element = self.is_sign(1, '[')
            && (2..NEAR)
                .find(|at| self.is_sign(*at, ']'))
                .is_some_and(|at| self.is_sign(at + 1, '=') && !self.is_sign(at + 2, '='));
        if is_method || is_element {
            self.variables.insert(name.to_owned(), Value::Unknown);
        }
    }

    /// One expression, assignment or stray token.
    fn statement(&mut self) {
        // `sys.argv = …`
        if matches!(self.word(0), Some("sys" | "process"))
            && self.is_sign(1, '.')
            && self.word(2) == Some("argv")
            && self.variables.contains_key("argv")
        {
            self.at += 2;
        }
        // Only what begins with a word is more than an expression, but for the pipes of awk.
        if self.language != Interpreter::Awk && !matches!(self.peek(0), Some(Token::Word(_))) {
            self.expression();
            return;
        }
        match (self.language, self.word(0)) {
            (Interpreter::Python, Some("from" | "import")) => return self.imported(),
            // The name of a function that is defined here is no call of it.
            (_, Some("def" | "function" | "sub" | "func")) if self.word(1).is_some() => {
                if !self.defined() {
                    self.at += 2;
                }
                return;
            }
            (_, Some("return")) => {
                self.at += 1;
                return self.returned();
            }
            _ => {}
        }
        self.changed();
        if self.added() || self.pushed() {
            return;
        }
        if let (Some(name), Some("as"), Some(other)) = (self.word(0), self.word(1), self.word(2)) {
            let (name, other) = (name.to_owned(), other.to_owned());
            self.names.insert(other, name);
            self.at += 3;
            return;
        }
        if self.language == Interpreter::Awk && self.awk_pipe() {
            return;
        }
        if self.went_over() {
            return;
        }
        if let Some(name) = self.word(0)
            && self.is_sign(1, '=')
            && !self.is_sign(2, '=')
            && !self.is_sign(2, '>')
        {
            if self.defined() {
                return;
            }
            let name = name.to_owned();
            let start = self.at;
            self.at += 2;
            let before = self.starts_unknown;
            let value = self.expression();
            // `run = os.system`: another name of a function.
            if value == Value::Unknown
                && let Some(Token::Word(last)) = self.tokens.get(self.at.wrapping_sub(1))
                && calls::find(self.language, last).next().is_some()
            {
                self.names.insert(name, last.clone());
                self.starts_unknown = before;
                return;
            }
            // `x = "a" if y`
            if self.is_followed_by_branch() {
                return self.set(name, value, true);
            }
            let end = std::mem::replace(&mut self.at, start);
            self.assign(name, value);
            self.at = end;
            return;
        }
        self.expression();
    }

    /// `for x in list`, `for (const x of list)`: whether it is that.
    fn went_over(&mut self) -> bool {
        // `for a, b in …`: which of them is what is not followed.
        if self.language == Interpreter::Python
            && self.word(0) == Some("for")
            && self.is_sign(2, ',')
        {
            self.at += 1;
            while let Some(name) = self.word(0).filter(|it| *it != "in") {
                self.assign(name.to_owned(), Value::Unknown);
                self.at += 1 + usize::from(self.is_sign(1, ','));
            }
            return true;
        }
        let at = match (self.language, self.word(0), self.word(1), self.word(2)) {
            (Interpreter::Python, Some("for"), Some(_), Some("in")) => 1,
            (Interpreter::JavaScript, Some(_), Some("of"), _) => 0,
            _ => return false,
        };
        let Some(name) = self.word(at).map(str::to_owned) else { return false };
        self.at += at + 2;
        let value = match self.expression().each() {
            Some(values) if values.len() <= CHOICES => Value::OneOf(values),
            _ => Value::Unknown,
        };
        self.assign(name, value);
        true
    }

    /// `print | "command"`, `print > "file"`, `"command" | getline`
    fn awk_pipe(&mut self) -> bool {
        let single =
            !matches!(self.at.checked_sub(1).map(|at| &self.tokens[at]), Some(Token::Sign('|')));
        match self.peek(0) {
            Some(Token::Sign('|')) if single && !self.is_sign(1, '|') => {
                self.at += if self.is_sign(1, '&') { 2 } else { 1 };
                if self.word(0) != Some("getline") {
                    let printed = self.printed_before();
                    let value = self.expression();
                    if let Value::Text(text) = value {
                        if is_shell(base(text.split_whitespace().next().unwrap_or(""))) {
                            self.acts.push(Act::Shell(printed));
                        }
                        self.acts.push(Act::Shell(text));
                    } else {
                        self.acts.push(Act::Shell(HOLE.to_string()));
                        self.starts_unknown = true;
                    }
                }
                true
            }
            Some(Token::Sign('>')) if self.is_printed() => {
                self.at += 1;
                let append = self.is_sign(0, '>');
                self.at += usize::from(append);
                let how = if append { How::Append } else { How::Write };
                let path = self.expression().text();
                self.acts.push(Act::Write(path, how));
                true
            }
            _ => false,
        }
    }

    /// Whether a `>` stands behind what is printed; else it compares.
    fn is_printed(&self) -> bool {
        const NEAR: usize = 256;
        let mut depth = 0_usize;
        for token in self.tokens[..self.at].iter().rev().take(NEAR) {
            match token {
                Token::Sign(')') => depth += 1,
                Token::Newline(_) | Token::Sign('(' | ';' | '{' | '}') if depth == 0 => {
                    return false;
                }
                Token::Sign('(') => depth -= 1,
                Token::Word(word) if depth == 0 && word.starts_with("print") => return true,
                _ => {}
            }
        }
        self.at >= NEAR
    }

    /// What the statement that ends at a `|` hands over: `print "code" | "sh"`. What is no literal
    /// is a hole, and without any of both it is a line of the input.
    fn printed_before(&self) -> String {
        let before = &self.tokens[..self.at];
        let ends =
            |token: &Token| matches!(token, Token::Newline(_) | Token::Sign(';' | '{' | '}'));
        let from = before.iter().rposition(ends).map_or(0, |place| place + 1);
        let mut text = String::new();
        let is_format = matches!(before.get(from), Some(Token::Word(word)) if word == "printf");
        for token in &before[from..] {
            match token {
                // `printf "git %s\n", "push"`
                Token::Text(own) if is_format && text.contains("%s") => {
                    text = text.replacen("%s", own, 1);
                }
                Token::Text(own) => text.push_str(own),
                Token::Sign(',') if is_format => {}
                Token::Sign(',') => text.push(' '),
                Token::Sign('(' | ')' | '|' | '&') => {}
                Token::Word(word) if matches!(word.as_str(), "print" | "printf") => {}
                _ if text.ends_with(HOLE) => {}
                _ => text.push(HOLE),
            }
        }
        if text.is_empty() { HOLE.to_string() } else { text }
    }

    /// Terms joined by operators, or one of several.
    fn expression(&mut self) -> Value {
        let value = self.plain_expression();
        if self.depth >= DEPTH {
            return value;
        }
        self.depth += 1;
        let value = self.otherwise(value);
        self.depth -= 1;
        value
    }

    /// Terms joined by operators.
    fn plain_expression(&mut self) -> Value {
        if self.depth >= DEPTH {
            self.at += 1;
            return Value::Unknown;
        }
        self.depth += 1;
        let mut value = self.term();
        loop {
            self.next_begins_so();
            let joins = match self.peek(0) {
                Some(Token::Sign('+')) => true,
                Some(Token::Sign('.')) => {
                    matches!(self.language, Interpreter::Perl | Interpreter::Php | Interpreter::Lua)
                }
                // A field, a variable next to a string.
                Some(Token::Word(word)) if self.language == Interpreter::Awk => {
                    if !matches!(value, Value::Text(_)) || AWK_WORDS.contains(&word.as_str()) {
                        break;
                    }
                    let more = self.term();
                    value = self.paid(value.joined(more));
                    continue;
                }
                // Strings side by side are one, and so is everything in awk.
                Some(Token::Text(_) | Token::Filled(_)) => {
                    let is_text = matches!(value, Value::Text(_) | Value::OneOf(_));
                    if match self.language {
                        Interpreter::Python | Interpreter::Ruby => is_text,
                        Interpreter::Awk => true,
                        _ => false,
                    } {
                        let more = self.term();
                        value = self.paid(value.joined(more));
                        continue;
                    }
                    false
                }
                Some(Token::Sign('/')) if self.language == Interpreter::Python => {
                    self.at += 1;
                    let more = self.term();
                    value = self.paid(Value::Text(format!("{}/{}", value.text(), more.text())));
                    continue;
                }
                Some(Token::Sign('%'))
                    if matches!(self.language, Interpreter::Python | Interpreter::Ruby) =>
                {
                    self.at += 1;
                    let arguments = self.put_in();
                    value = self.paid(formatted(&value, &arguments));
                    continue;
                }
                _ => false,
            };
            if !joins {
                break;
            }
            self.at += 1;
            // Lua joins with two dots.
            if self.is_sign(0, '.') {
                self.at += 1;
            }
            let more = self.term();
            value = self.paid(value.joined(more));
        }
        self.depth -= 1;
        self.awk_getline(&value);
        if self.language == Interpreter::Python && self.word(0) == Some("if") {
            return self.or_else(value);
        }
        value
    }

    /// Goes past the end of a line where the next one begins with what joins: only a `;` ends what
    /// is said in these languages, or what cannot go on.
    fn next_begins_so(&mut self) {
        use Interpreter::{JavaScript, Perl, Php};
        if !matches!(self.peek(0), Some(Token::Newline(_))) {
            return;
        }
        let rest = self.tokens.get(self.at..).unwrap_or_default();
        let lines = rest.iter().take_while(|it| matches!(it, Token::Newline(_))).count();
        let goes_on = match self.language {
            JavaScript => matches!(rest.get(lines), Some(Token::Sign('+'))),
            Perl | Php => matches!(rest.get(lines), Some(Token::Sign('+' | '.'))),
            _ => false,
        };
        if goes_on {
            self.at += lines;
        }
    }

    /// `a if x else b`, from `if` on.
    fn or_else(&mut self, value: Value) -> Value {
        let start = self.at;
        self.at += 1;
        self.expression();
        while !matches!(
            self.peek(0),
            None | Some(Token::Sign(',' | ')' | ']' | '}' | ';' | ':') | Token::Newline(_))
        ) && self.word(0) != Some("else")
        {
            let before = self.at;
            self.expression();
            self.at = self.at.max(before + 1);
        }
        if self.word(0) != Some("else") {
            // The condition of a comprehension, or none.
            self.at = self.at.max(start + 1);
            return value;
        }
        self.at += 1;
        self.guessed += 1;
        let other = self.expression();
        Value::one_of([value, other])
    }

    fn term(&mut self) -> Value {
        let value = self.bare_term();
        let value = self.repeated(value);
        self.paid(value)
    }

    fn bare_term(&mut self) -> Value {
        let Some(token) = self.peek(0) else { return Value::Unknown };
        self.at += 1;
        let value = match token {
            Token::Text(text) => Value::Text(text.clone()),
            Token::Filled(pieces) => self.filled(pieces),
            Token::FilledCommand(pieces) => {
                let argument = Argument::plain(self.filled(pieces));
                self.act(Kind::Shell, &[argument]);
                Value::Unknown
            }
            Token::Words(words) => Value::List(words.clone()),
            Token::Command(text) => {
                self.starts(Act::Shell(text.clone()));
                Value::Unknown
            }
            Token::Word(word) => return self.named(word),
            Token::Sign('[') => {
                let begins_itself = self.is_itself_at(self.at);
                let value = self.list(']');
                if let (Value::List(words), true) = (&value, begins_itself) {
                    self.remember_itself(words);
                }
                value
            }
            Token::Sign('(') => self.list(')'),
            Token::Sign('{') if self.language != Interpreter::Awk => {
                self.braces += 1;
                let value = self.list('}');
                self.braces -= 1;
                value
            }
            _ => Value::Unknown,
        };
        self.methods(value)
    }

    /// `"command" | getline`, `command |& getline`
    fn awk_getline(&mut self, value: &Value) {
        if self.language != Interpreter::Awk || !self.is_sign(0, '|') {
            return;
        }
        let both = usize::from(self.is_sign(1, '&'));
        if self.word(1 + both) == Some("getline") {
            self.acts.push(Act::Shell(value.text()));
            self.at += 2 + both;
        }
    }

    /// The elements up to the closing bracket. One element in parentheses is that element.
    fn list(&mut self, close: char) -> Value {
        let arguments = self.arguments(close);
        // `("git",)`
        let before = self.at.checked_sub(2).and_then(|at| self.tokens.get(at));
        let is_tuple = matches!(before, Some(Token::Sign(',')));
        match (&arguments[..], close) {
            ([only], ')') if !is_tuple => only.value.clone(),
            // What stands under a name is not followed.
            ([], _) | (_, '}') => Value::Unknown,
            _ => Value::list(arguments.into_iter().map(|it| it.value).collect()),
        }
    }

    fn arguments(&mut self, close: char) -> Vec<Argument> {
        let mut arguments = Vec::new();
        loop {
            match self.peek(0) {
                Some(Token::Sign(sign)) if *sign == close => {
                    self.at += 1;
                    return arguments;
                }
                // Another bracket closes what was left open.
                None | Some(Token::Sign(')' | ']' | '}')) => return arguments,
                Some(Token::Newline(_) | Token::Sign(',' | ';')) => {
                    self.at += 1;
                    continue;
                }
                _ => {}
            }
            // `{a, b}` of JavaScript: names, none of which is called.
            if close == '}'
                && self.word(0).is_some()
                && matches!(self.peek(1), Some(Token::Sign(',' | '}')))
            {
                self.at += 1;
                arguments.push(Argument::plain(Value::Unknown));
                continue;
            }
            let begins = |word: &str| {
                matches!(word, "return" | "function" | "sub" | "const" | "let" | "var" | "my")
            };
            let sets = self.is_sign(1, '=') && !self.is_sign(2, '=') && !self.is_sign(2, '>');
            if close == '}' && self.word(0).is_some_and(|it| begins(it) || sets) {
                let start = self.at;
                self.blocks += 1;
                self.statement();
                self.blocks -= 1;
                self.at = self.at.max(start + 1);
                continue;
            }
            let start = self.at;
            if self.spreads() {
                let value = self.expression();
                match value.each() {
                    Some(values) => arguments.extend(values.into_iter().map(Argument::plain)),
                    None => {
                        arguments
                            .push(Argument { spread: true, ..Argument::plain(Value::Unknown) });
                    }
                }
                continue;
            }
            let mut name = None;
            if let (Some(Token::Text(text)), true) =
                (self.peek(0), self.is_sign(1, ':') && close == '}')
            {
                name = Some(text.clone());
                self.at += 2;
            }
            // `c := value`
            if let (Some(word), true, true) =
                (self.word(0), self.is_sign(1, ':'), self.is_sign(2, '='))
            {
                self.at += 3;
                let value = self.expression();
                self.assign(word.to_owned(), value.clone());
                arguments.push(Argument::plain(value));
                continue;
            }
            if let Some(word) = self.word(0)
                && (self.is_sign(1, ':') || self.is_sign(1, '=') && !self.is_sign(2, '='))
            {
                name = Some(word.to_owned());
                self.at += 2;
                if self.is_sign(0, '>') {
                    self.at += 1;
                    // `c => …`: another `c` than the one before.
                    if self.language == Interpreter::JavaScript {
                        self.variables.insert(word.to_owned(), Value::Unknown);
                    }
                }
            }
            // `{execSync: e}`: another name of a function.
            if let (Some(old), Some(new), Interpreter::JavaScript) =
                (&name, self.word(0), self.language)
                && calls::find(self.language, old).next().is_some()
                && matches!(self.peek(1), Some(Token::Sign(',' | '}')))
            {
                let (old, new) = (old.clone(), new.to_owned());
                self.names.insert(new, old);
                self.at += 1;
                arguments.push(Argument { name, ..Argument::plain(Value::Unknown) });
                continue;
            }
            let value = self.expression();
            arguments.push(Argument { name, ..Argument::plain(value) });
            if self.at == start {
                self.at += 1;
            }
            self.go_on(&mut arguments, close);
        }
    }

    /// What no term begins with: goes on to the next comma.
    fn go_on(&mut self, arguments: &mut [Argument], close: char) {
        while !matches!(
            self.peek(0),
            None | Some(Token::Sign(',' | ')' | ']' | '}' | ';') | Token::Newline(_))
        ) {
            // What it comes to is something else: `"a" or "b"`.
            self.guessed += 1;
            if let Some(last) = arguments.last_mut()
                && close != '}'
                && !matches!(self.word(0), Some("for" | "as"))
            {
                last.value = Value::Unknown;
            }
            let before = self.at;
            self.statement();
            self.at = self.at.max(before + 1);
        }
    }

    /// A name: a variable, a function that is called, or nothing that is known.
    fn named(&mut self, word: &str) -> Value {
        if is_nothing(word, self.language) && !self.variables.contains_key(word) {
            return Value::Nothing;
        }
        if word == "getattr" && self.is_sign(0, '(') {
            self.at += 1;
            let arguments = self.arguments(')');
            let name = arguments.get(1).map_or(String::new(), |argument| argument.value.text());
            return self.called_and_on(&name);
        }
        // `ARGV[1]`, `ENVIRON["x"]`: which element it is is not asked.
        if self.language == Interpreter::Awk && self.is_sign(0, '[') {
            self.at += 1;
            self.arguments(']');
            return Value::Unknown;
        }
        // `$f = "system"; $f("…")`
        if self.language == Interpreter::Php
            && self.is_sign(0, '(')
            && let Some(Value::Text(name)) = self.variables.get(word).cloned()
        {
            return self.called_and_on(&name);
        }
        // A method on a path that a variable holds.
        if let Some(value) = self.variables.get(word).cloned()
            && !self.is_sign(0, '(')
        {
            if matches!(value, Value::List(_) | Value::Nested(_))
                && self.is_sign(0, '.')
                && let Some(verb @ ("append" | "push" | "extend")) = self.word(1)
                && self.is_sign(2, '(')
            {
                self.at += 3;
                let more = self.arguments(')').into_iter().map(|it| it.value);
                let more: Vec<Value> = match verb {
                    "extend" => more.flat_map(|it| it.clone().each().unwrap_or(vec![it])).collect(),
                    _ => more.collect(),
                };
                let all: Vec<Value> = value.each().into_iter().flatten().collect();
                self.keep(word.to_owned(), grown(&all, more));
                return Value::Unknown;
            }
            self.guessed += 1;
            return self.methods(value);
        }
        self.called_and_on(word)
    }

    /// What a call of a name gives, and what is done to that.
    fn called_and_on(&mut self, word: &str) -> Value {
        let value = self.called(word);
        self.methods(value)
    }

    /// What a call of a name gives, or the name itself. What is done to that is for who asks: a
    /// chain of names may be as long as the code.
    fn called(&mut self, word: &str) -> Value {
        // `os.O_RDONLY`: a mode of its own, as long as nothing is joined to it.
        if word.starts_with("O_") && word.len() > 4 {
            let reads = word == "O_RDONLY" && !self.is_sign(0, '|');
            return Value::Text(if reads { "r" } else { "w" }.to_owned());
        }
        let name = self.names.get(word).map_or(word, String::as_str);
        let is_own = self.is_own_function();
        let before = self.acts.len();
        let rows: Vec<&calls::Function> = calls::find(self.language, name).collect();
        let mut kinds: Vec<Kind> =
            rows.into_iter().filter(|row| self.is_meant(row)).map(|row| row.kind).collect();
        // `File.write(path, text)` is no `write` of text.
        if kinds.iter().any(|it| matches!(it, Kind::File(..))) {
            kinds.retain(|it| !matches!(it, Kind::Shows(_)));
        }
        let place = self.at.saturating_sub(1);
        let guessed = self.guessed;
        let shows = kinds.iter().any(|it| matches!(it, Kind::Shows(_)));
        let is_sure = |it: &Self| it.braces == 0 && !it.is_in_branch();
        let is_out = shows && self.is_output(place) && is_sure(self);
        let arguments = if self.is_sign(0, '(') {
            self.at += 1;
            self.arguments(')')
        } else if shows && self.shows_bare() {
            self.bare_arguments()
        } else if self.language == Interpreter::Perl
            && self.is_sign(0, '{')
            && kinds.iter().any(|kind| matches!(kind, Kind::Shell))
        {
            return self.run_as_named();
        } else if !kinds.is_empty() && self.takes_bare_arguments() {
            self.bare_arguments()
        } else {
            // `eval;` of Perl takes the line that was read, `eval {…}` is a block; `eval gets`;
            // `(0, eval)(…)`.
            self.evaluates |= is_own
                && matches!(word, "eval" | "exec")
                && !self.is_sign(0, '{')
                && kinds.contains(&Kind::Code);
            // `unlink;`, `unlink <>`
            if self.language == Interpreter::Perl {
                let hole = || HOLE.to_string();
                self.acts.extend(kinds.iter().filter_map(|kind| match kind {
                    Kind::File(0, how) => Some(Act::Write(hole(), *how)),
                    _ => None,
                }));
            }
            // A method of Ruby is called without parentheses: `Git.open(".").push`.
            if self.language == Interpreter::Ruby {
                for kind in kinds.iter().filter(|it| matches!(it, Kind::Behalf(_))) {
                    self.act(*kind, &[]);
                }
            }
            // Somebody else is given the function: `map(os.system, …)`, `execSync.call(…)`.
            self.starts_unknown |= kinds.iter().any(|kind| kind.starts()) && !self.is_asked_of();
            if shows {
                self.shown.push(Shown::unknown());
            }
            return Value::Unknown;
        };
        let mut value = Value::Unknown;
        self.is_own = is_own;
        self.is_itself = self.is_itself_at(place + 2);
        for kind in kinds {
            if let Kind::Shows(form) = kind {
                let is_sure = is_out && guessed == self.guessed;
                self.shows(form, &arguments, is_sure);
                continue;
            }
            value = self.act(kind, &arguments);
            // `exec(open("file").read())`
            if kind == Kind::Code && value == Value::Unknown {
                let read = self.acts[before.min(self.acts.len())..].iter();
                let files = read.filter_map(|act| match act {
                    Act::Read(path) => Some(Act::Source(path.clone())),
                    _ => None,
                });
                let files: Vec<Act> = files.collect();
                self.acts.extend(files);
            }
        }
        self.is_itself = false;
        if let Some(given) = self.followed(place, &arguments) {
            self.guessed += 1;
            value = given;
        }
        value
    }

    /// Whether a name that stands here is the language's own, and no method of something else:
    /// `re.compile`, `frame.eval`.
    fn is_own_function(&self) -> bool {
        const OWN: &[&str] = &[
            "builtins",
            "__builtins__",
            "vm",
            "globalThis",
            "global",
            "binding",
            "Kernel",
            "code",
        ];
        let before = |places: usize| self.at.checked_sub(places).and_then(|at| self.tokens.get(at));
        !matches!(before(2), Some(Token::Sign('.')))
            || matches!(before(3), Some(Token::Word(word)) if OWN.contains(&word.as_str()))
            || !matches!(self.language, Interpreter::Python | Interpreter::JavaScript)
    }

    /// `exec {"git"} "git", "push"`: the block names the program, the list begins with its `$0`.
    fn run_as_named(&mut self) -> Value {
        self.at += 1;
        let mut words = self.expression().texts();
        words.truncate(1);
        if self.is_sign(0, '}') {
            self.at += 1;
        }
        let arguments = self.bare_arguments();
        words.extend(arguments.iter().flat_map(|it| it.value.texts()).skip(1));
        self.starts(Act::Program(words));
        Value::Unknown
    }

    /// Whether the function of a row is called, and not a method of the same name: `os.replace`
    /// moves a file, `text.replace` does not.
    fn is_meant(&mut self, row: &calls::Function) -> bool {
        if row.needs.is_empty() {
            return true;
        }
        let touches_files = matches!(row.kind, Kind::File(..) | Kind::Copy(_));
        if self.is_of_mock(row) {
            return false;
        }
        let receiver = self.at.checked_sub(2).map(|at| &self.tokens[at..]);
        let receiver = match receiver {
            Some([Token::Sign('.'), ..]) if touches_files => {
                self.at.checked_sub(3).and_then(|at| self.tokens.get(at))
            }
            _ => None,
        };
        match receiver {
            Some(Token::Word(word)) => {
                let name = self.names.get(word).unwrap_or(word);
                row.needs.contains(&name.as_str()) || name == "promises"
            }
            Some(Token::Sign(')')) | None => row.needs.iter().any(|need| self.says(need)),
            Some(_) => false,
        }
    }

    /// Perl and Ruby call without parentheses, JavaScript with a template.
    fn takes_bare_arguments(&self) -> bool {
        let is_text = matches!(self.peek(0), Some(Token::Text(_) | Token::Filled(_)));
        let is_value = is_text
            || matches!(self.peek(0), Some(Token::Words(_)))
            || self.language == Interpreter::Perl && self.word(0).is_some();
        match self.language {
            Interpreter::Perl | Interpreter::Ruby | Interpreter::Awk => is_value,
            Interpreter::JavaScript | Interpreter::Lua | Interpreter::Php => is_text,
            _ => false,
        }
    }

    fn bare_arguments(&mut self) -> Vec<Argument> {
        let mut arguments = Vec::new();
        loop {
            // `open my $f, …`
            if self.language == Interpreter::Perl
                && matches!(self.word(0), Some("my" | "our" | "local"))
            {
                self.at += 1;
            }
            let mut value = self.expression();
            // `print "a" eq $x ? "b" : "c"`
            if self.is_sign(0, '?') || matches!(self.word(0), Some("eq" | "ne" | "x" | "lt" | "gt"))
            {
                self.guessed += 1;
                value = Value::Unknown;
            }
            arguments.push(Argument::plain(value));
            if !self.is_sign(0, ',') {
                return arguments;
            }
            self.at += 1;
            while matches!(self.peek(0), Some(Token::Newline(_))) {
                self.at += 1;
            }
        }
    }

    /// `.split()`, `.write_text(…)`, `[0]` … after a value.
    fn methods(&mut self, mut value: Value) -> Value {
        loop {
            // Nothing else goes on with a value.
            if !matches!(self.peek(0), Some(Token::Sign('[' | '.' | '-' | ':'))) {
                return value;
            }
            // `child_process["exec"](…)`
            if self.is_sign(0, '[')
                && let (Some(Token::Text(name)), true, true) =
                    (self.peek(1), self.is_sign(2, ']'), self.is_sign(3, '('))
            {
                self.at += 3;
                value = self.called(name);
                continue;
            }
            if let Some(element) = self.element(&value) {
                value = element;
                continue;
            }
            // An element, but which one is not known.
            if self.is_sign(0, '[')
                && matches!(self.language, Interpreter::Python | Interpreter::JavaScript)
                && value != Value::Unknown
            {
                self.at += 1;
                self.arguments(']');
                value = Value::Unknown;
                continue;
            }
            let (dot, name) = if self.is_sign(0, '.') {
                (1, self.word(1))
            } else if self.is_sign(0, '-') && self.is_sign(1, '>')
                || self.is_sign(0, ':') && self.is_sign(1, ':')
            {
                (2, self.word(2))
            } else {
                // The call of what an expression gave: `getattr(os, "system")("…")`.
                return value;
            };
            let Some(name) = name else { return value };
            self.at += dot + 1;
            value = self.method(&value, name);
        }
    }

    fn method(&mut self, value: &Value, name: &str) -> Value {
        // `sys.argv`, `process.argv`
        if name == "argv"
            && let Some(list) = self.variables.get(name)
        {
            return list.clone();
        }
        // A list that has no name here: `(c := ["git"]).append("push")`.
        self.starts_unknown |= matches!(name, "append" | "extend" | "insert")
            && matches!(value, Value::List(_) | Value::Nested(_));
        match (name, value) {
            ("split" | "strip" | "trim", Value::Text(text)) if self.is_sign(0, '(') => {
                self.at += 1;
                let arguments = self.arguments(')');
                let by = arguments.first().map_or(" ".to_owned(), |argument| argument.value.text());
                if name != "split" {
                    let is_all = arguments.is_empty();
                    return if is_all {
                        Value::Text(text.trim().to_owned())
                    } else {
                        Value::Unknown
                    };
                }
                let texts = text.split(|c: char| c.is_whitespace() || by.contains(c));
                Value::List(texts.filter(|text| !text.is_empty()).map(str::to_owned).collect())
            }
            // Each of them is split at its blanks when it is run.
            ("split", Value::OneOf(_)) if self.is_sign(0, '(') && self.is_sign(1, ')') => {
                self.at += 2;
                let Value::OneOf(values) = value else { return Value::Unknown };
                let words = |it: &Value| it.text().split_whitespace().map(str::to_owned).collect();
                Value::OneOf(values.iter().map(|it| Value::List(words(it))).collect())
            }
            ("concat", Value::List(_) | Value::Nested(_)) if self.is_sign(0, '(') => {
                self.at += 1;
                let more = self.arguments(')').into_iter().map(|it| it.value);
                more.fold(value.clone(), Value::joined)
            }
            ("join", Value::Text(by)) if self.language == Interpreter::Python => {
                if !self.is_sign(0, '(') {
                    return Value::Unknown;
                }
                self.at += 1;
                let arguments = self.arguments(')');
                let values = match arguments.first().map(|it| it.value.clone()) {
                    Some(Value::OneOf(values)) => values,
                    Some(value @ (Value::List(_) | Value::Nested(_))) => vec![value],
                    _ => return Value::Text(HOLE.to_string()),
                };
                let joined = |it: &Value| Value::Text(it.texts().join(by));
                match &values[..] {
                    [value] => joined(value),
                    values => Value::OneOf(values.iter().map(joined).collect()),
                }
            }
            ("join", Value::List(texts)) if self.is_sign(0, '(') => {
                let texts = texts.clone();
                self.at += 1;
                let arguments = self.arguments(')');
                let by = arguments.first().map_or(" ".to_owned(), |argument| argument.value.text());
                Value::Text(texts.join(&by))
            }
            ("format", Value::Text(text)) => {
                let is_called = self.is_sign(0, '(');
                self.at += usize::from(is_called);
                let arguments = if is_called { self.arguments(')') } else { Vec::new() };
                braced(text, &arguments)
            }
            (_, Value::Text(path)) => {
                let how = calls::find(self.language, name).find_map(|row| match row.kind {
                    Kind::Method(how) => Some(how),
                    _ => None,
                });
                if let Some(how) = how {
                    self.acts.push(Act::Write(path.clone(), how));
                    if self.is_sign(0, '(') {
                        self.at += 1;
                        let arguments = self.arguments(')');
                        self.written(path, how, arguments.first().map(|it| &it.value));
                    }
                    return Value::Unknown;
                }
                if name == "open" && self.is_sign(0, '(') {
                    self.at += 1;
                    let mode = self.arguments(')').first().map(|mode| mode.value.text());
                    self.opened(path, mode.as_deref().unwrap_or("r"));
                    return Value::Unknown;
                }
                // An attribute of a path is still near it: `p.parent`.
                self.called(name)
            }
            _ => self.called(name),
        }
    }
}

/// A list with more in it. What is one of several, in a loop is each of them, one after the other.
fn grown(all: &[Value], more: Vec<Value>) -> Value {
    let listed =
        |more: Vec<Value>| Value::list(all.iter().cloned().chain(more).take(ELEMENTS).collect());
    match &more[..] {
        [Value::OneOf(values)] => {
            let each = values.iter().map(|it| listed(vec![it.clone()]));
            Value::OneOf(std::iter::once(listed(values.clone())).chain(each).collect())
        }
        _ => listed(more),
    }
}

fn is_nothing(word: &str, language: Interpreter) -> bool {
    use Interpreter::{JavaScript, Lua, Perl, Php, Python, Ruby};
    match word {
        "None" => language == Python,
        "null" => matches!(language, JavaScript | Php),
        "undefined" => language == JavaScript,
        "nil" => matches!(language, Ruby | Lua),
        "undef" => language == Perl,
        _ => false,
    }
}

fn base(path: &str) -> &str {
    last_part(path)
}
