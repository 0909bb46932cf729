//! Functions that code defines: a call of one is followed into its body, with what it is given. Of
//! one that somebody may call in a way that nobody reads, the body is read with arguments that are
//! not known, too.

use super::super::super::Interpreter;
use super::super::token::{Piece, Token};
use super::define::Function;
use super::{Argument, Parser, Value};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Calls are followed so deep, and through so many tokens in all.
const FRAMES: usize = 8;
const STEPS: usize = 16_000;
/// So many functions are followed.
const FUNCTIONS: usize = 256;

#[derive(Debug, Default)]
pub(super) struct Functions<'a> {
    all: Vec<Rc<Function<'a>>>,
    /// Their places, by name.
    places: BTreeMap<&'a str, Vec<usize>>,
    /// The names in the code at which a call was followed, by their address; and those that are
    /// given a function.
    met: BTreeSet<usize>,
    targets: BTreeSet<usize>,
    /// Those that somebody calls with what is not known.
    open: BTreeSet<String>,
    /// What the variables were that end with the function.
    before: Vec<(String, Option<Value>)>,
    /// What it gives back.
    returned: Vec<Value>,
    frames: usize,
    /// How far the lines of the body are moved to the right.
    column: usize,
    /// Names that are imported.
    modules: BTreeSet<&'a str>,
    steps: Cell<usize>,
}

impl<'a> Functions<'a> {
    pub(super) fn imports(&mut self, name: &'a str) {
        self.modules.insert(name);
    }

    pub(super) fn defines(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    pub(super) fn column(&self) -> usize {
        self.column
    }

    /// Whether a name behind these tokens is one of a module: `subprocess.run`.
    fn is_foreign(&self, before: &[Token]) -> bool {
        matches!(before, [.., Token::Word(name), Token::Sign('.')]
            if self.modules.contains(name.as_str()))
    }

    pub(super) fn is_within(&self) -> bool {
        self.frames > 0
    }

    pub(super) fn takes(&self, steps: usize) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }

    /// A variable is set that ends with the function.
    pub(super) fn goes(&mut self, name: &str, before: Option<&Value>) {
        if self.frames > 0 {
            self.before.push((name.to_owned(), before.cloned()));
        }
    }

    /// Code that is read apart names them.
    pub(super) fn named_in(&mut self, code: &str) {
        let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        self.open.extend(words.filter(|it| !it.is_empty()).map(str::to_owned));
    }
}

/// What python's methods call the object, or the class, that they are of.
const RECEIVERS: [&str; 2] = ["self", "cls"];

impl<'a> Parser<'a> {
    /// A function is defined here: remembers it and goes past it. Whether that is so.
    pub(super) fn defined(&mut self) -> bool {
        let functions = &self.functions;
        if functions.frames >= FRAMES
            || functions.all.len() >= FUNCTIONS
            || functions.steps.get() >= STEPS
        {
            return false;
        }
        let name_at = self.at + usize::from(!self.is_sign(1, '='));
        let found = if name_at > self.at { self.definition() } else { self.assigned() };
        let Some((function, end)) = found else { return false };
        self.functions.targets.insert(address(&self.tokens[name_at]));
        let is_known = |it: &Rc<Function>| std::ptr::eq(it.body, function.body);
        let places = self.functions.places.entry(function.name).or_default();
        if !places.iter().any(|it| is_known(&self.functions.all[*it])) {
            places.push(self.functions.all.len());
            self.functions.all.push(Rc::new(function));
        }
        self.at = end;
        true
    }

    /// `return …`, from behind the word.
    pub(super) fn returned(&mut self) {
        if self.functions.frames == 0 {
            return;
        }
        let is_bare =
            matches!(self.peek(0), None | Some(Token::Newline(_) | Token::Sign(';' | '}')));
        let mut value = if is_bare { Value::Unknown } else { self.expression() };
        let ends = matches!(self.peek(0), None | Some(Token::Newline(_) | Token::Sign(';' | '}')));
        if !ends {
            value = Value::Unknown;
        }
        self.functions.returned.push(value);
    }

    /// Follows a call of what the code defines, whose name stands at `place`: what it gives.
    pub(super) fn followed(&mut self, place: usize, arguments: &[Argument]) -> Option<Value> {
        let token = self.tokens.get(place)?;
        let Token::Word(name) = token else { return None };
        let places = self.functions.places.get(name.as_str())?;
        let before = place.checked_sub(1).and_then(|at| self.tokens.get(at));
        let is_method = matches!(before, Some(Token::Sign('.')));
        if self.functions.is_foreign(&self.tokens[..place]) {
            return None;
        }
        let all = places.iter().map(|it| &self.functions.all[*it]);
        let meant: Vec<Rc<Function>> =
            all.filter(|it| !is_method || it.is_inner).cloned().collect();
        if meant.is_empty() {
            return None;
        }
        let cost: usize = meant.iter().map(|it| 8 + it.body.len()).sum();
        // It is read with room for what stands in it, or not at all.
        let is_deep = self.functions.frames >= FRAMES || self.depth + 6 > super::DEPTH;
        if is_deep || self.functions.steps.get() + cost > STEPS {
            self.functions.open.insert(name.clone());
            return None;
        }
        self.functions.takes(cost);
        self.functions.met.insert(address(token));
        let mut values = Vec::new();
        for it in &meant {
            values.push(self.run(it, Some(arguments)));
            // `def git(s, *words)`: the first may be whose method it is, by any name.
            let first = it.parameters.first().map(|it| it.name);
            if is_method && first.is_some_and(|it| !RECEIVERS.contains(&it)) {
                self.functions.takes(8 + it.body.len());
                let whose = std::iter::once(Argument::plain(Value::Unknown));
                let handed: Vec<Argument> = whose.chain(arguments.iter().cloned()).collect();
                values.push(self.run(it, Some(&handed)));
            }
        }
        // What is handed about is copied again and again.
        let handed = arguments.iter().map(|it| &it.value).chain(&values);
        self.functions.takes(handed.map(Value::length).sum::<usize>() / 16);
        if values.len() == 1 { values.pop() } else { None }
    }

    /// Reads the body of a function with its arguments, or with such as nobody knows.
    fn run(&mut self, function: &Rc<Function<'a>>, arguments: Option<&[Argument]>) -> Value {
        let before = std::mem::take(&mut self.functions.before);
        let returned = std::mem::take(&mut self.functions.returned);
        self.functions.frames += 1;
        let column = first_column(function.body);
        let column = std::mem::replace(&mut self.functions.column, column.unwrap_or(0));
        self.bind(function, arguments);
        let mut value = Value::Unknown;
        if function.is_value {
            value = self.within(function.body);
        } else {
            let outer = (std::mem::replace(&mut self.tokens, function.body), self.at);
            self.at = 0;
            self.statements();
            (self.tokens, self.at) = outer;
            let mut given = self.functions.returned.drain(..);
            if let Some(first) = given.next() {
                let is_all = given.all(|it| it == first);
                value = if is_all { first } else { Value::Unknown };
            }
        }
        self.functions.frames -= 1;
        self.functions.column = column;
        let gone = std::mem::replace(&mut self.functions.before, before);
        for (name, before) in gone.into_iter().rev() {
            match before {
                Some(value) => self.variables.insert(name, value),
                None => self.variables.remove(&name),
            };
        }
        self.functions.returned = returned;
        value
    }

    fn bind(&mut self, function: &Function<'a>, arguments: Option<&[Argument]>) {
        let plain: Vec<&Argument> =
            arguments.unwrap_or_default().iter().filter(|it| it.name.is_none()).collect();
        let mut is_known = arguments.is_some();
        let mut at = 0;
        let mut bound: Vec<(String, Value)> = Vec::new();
        let rest = |at: usize, is_known: bool| {
            let rest = plain.get(at..).unwrap_or_default().iter().map(|it| it.value.clone());
            let open = (!is_known).then_some(Value::Unknown);
            Value::list(rest.chain(open).collect())
        };
        for (place, parameter) in function.parameters.iter().enumerate() {
            let name = parameter.name;
            if place == 0 && function.is_inner && RECEIVERS.contains(&name) {
                bound.push((name.to_owned(), Value::Unknown));
                continue;
            }
            let own = arguments.unwrap_or_default().iter();
            let own = own.rev().find(|it| it.name.as_deref() == Some(name));
            is_known &= !plain.get(at).is_some_and(|it| it.spread);
            let value = match (own, plain.get(at)) {
                _ if parameter.takes_named => Value::Unknown,
                _ if parameter.takes_rest => rest(at, is_known),
                (Some(own), _) => own.value.clone(),
                _ if !is_known => Value::Unknown,
                (None, Some(given)) => {
                    at += 1;
                    given.value.clone()
                }
                (None, None) if parameter.default.is_empty() => Value::Unknown,
                (None, None) => self.within(parameter.default),
            };
            bound.push((name.to_owned(), value));
        }
        let all = match self.language {
            Interpreter::Perl => "@_",
            _ => "arguments",
        };
        if function.parameters.is_empty() {
            bound.push((all.to_owned(), rest(0, is_known)));
        }
        for (name, value) in bound {
            let before = self.variables.get(&name).cloned();
            self.functions.goes(&name, before.as_ref());
            self.keep(name, value);
        }
    }

    /// At the end: reads those with arguments that nobody knows which may be called in another way
    /// than by calls that were followed.
    pub(super) fn open_functions(&mut self) {
        const MAKES_NAMES: &[&str] = &[
            "globals(",
            "locals(",
            "getattr",
            "vars(",
            "__dict__",
            "eval",
            "exec(",
            "window[",
            "global[",
            "globalThis[",
            "this[",
            "call_user_func",
            "methodcaller",
        ];
        if self.functions.all.is_empty() {
            return;
        }
        let makes_names = self.evaluates || MAKES_NAMES.iter().any(|it| self.code.contains(it));
        let mut done: BTreeSet<usize> = BTreeSet::new();
        // After so many rounds the rest is read in one, since each looks for all their names.
        const ROUNDS: usize = 12;
        let most = (ROUNDS * 2_000 / self.tokens.len().max(1)).clamp(2, ROUNDS);
        for round in 0.. {
            let functions = &self.functions;
            let mut mentions =
                Mentions { functions, met: BTreeSet::new(), others: BTreeSet::new() };
            mentions.count(self.tokens);
            let is_open = |place: usize| {
                let name = functions.all[place].name;
                let is_met = mentions.met.contains(name);
                makes_names
                    || !is_met
                    || mentions.others.contains(name)
                    || functions.open.contains(name)
            };
            let open = (0..functions.all.len()).rev();
            let open: Vec<usize> = open.filter(|it| !done.contains(it) && is_open(*it)).collect();
            // What takes nothing tells what others are called with; and so do those that nobody calls.
            let first = |place: &&usize| {
                let function = &functions.all[**place];
                let name = function.name;
                function.parameters.is_empty()
                    || !mentions.met.contains(name) && !mentions.others.contains(name)
            };
            let firsts: Vec<usize> = open.iter().filter(first).copied().collect();
            let next: Vec<usize> = match (round, &firsts[..]) {
                (round, _) if round >= most => open,
                (_, []) => open.first().copied().into_iter().collect(),
                _ => firsts,
            };
            if next.is_empty() {
                return;
            }
            for place in next {
                done.insert(place);
                let function = Rc::clone(&self.functions.all[place]);
                self.run(&function, None);
            }
        }
    }
}

/// Where the code names functions that it defines.
struct Mentions<'f, 'a> {
    functions: &'f Functions<'a>,
    /// Those that were followed.
    met: BTreeSet<&'a str>,
    /// Those that were named otherwise.
    others: BTreeSet<&'a str>,
}

impl<'a> Mentions<'_, 'a> {
    fn count(&mut self, tokens: &'a [Token]) {
        for (at, token) in tokens.iter().enumerate() {
            match token {
                Token::Word(name) => {
                    self.name(name, token, &tokens[..at]);
                }
                Token::Filled(pieces) | Token::FilledCommand(pieces) => {
                    for piece in pieces {
                        if let Piece::Code(tokens) = piece {
                            self.count(tokens);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn name(&mut self, name: &'a str, token: &Token, before: &[Token]) {
        let Some(places) = self.functions.places.get(name) else { return };
        if self.functions.targets.contains(&address(token)) {
            return;
        }
        if self.functions.met.contains(&address(token)) {
            self.met.insert(name);
            return;
        }
        let is_inner = places.iter().any(|it| self.functions.all[*it].is_inner);
        let is_method = matches!(before.last(), Some(Token::Sign('.')));
        if !is_method || is_inner && !self.functions.is_foreign(before) {
            self.others.insert(name);
        }
    }
}

/// How far the first line of a block is moved to the right that is not empty.
fn first_column(body: &[Token]) -> Option<usize> {
    let mut pairs = body.windows(2);
    pairs.find_map(|pair| match pair {
        [Token::Newline(_), Token::Newline(_)] => None,
        [Token::Newline(right), _] => Some(*right),
        _ => None,
    })
}

/// Tokens are told apart by where they lie.
fn address(token: &Token) -> usize {
    std::ptr::from_ref(token).addr()
}

impl Parser<'_> {
    /// Whether a list is spread here, `*args`, `...args`; goes past the signs.
    pub(super) fn spreads(&mut self) -> bool {
        let length = match self.language {
            Interpreter::Python | Interpreter::Ruby => {
                let stars = usize::from(self.is_sign(0, '*'));
                stars + usize::from(stars == 1 && self.is_sign(1, '*'))
            }
            Interpreter::JavaScript | Interpreter::Php => {
                3 * usize::from((0..3).all(|at| self.is_sign(at, '.')))
            }
            _ => 0,
        };
        self.at += length;
        length > 0
    }
}
