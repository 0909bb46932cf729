//! Text that bash expands once more: subscripts in names and in arithmetic, prompts, `${x@P}`.

use super::super::table::grammar::Grammar;
use super::super::{HOLE, limit, scan};
use super::array::{self, Subscript};
use super::call::Call;
use super::count::{self, Key, Known, Nothing, Set};
use super::env::{Attribute, Env, Value};
use super::field::Field;
use super::simple::put_at;
use super::{Io, Walker};
use std::cell::Cell;

/// The longest text of a variable, in bytes, that is counted where it is named.
const SHORT: usize = 64;

/// So many elements one expression looks at.
const SCANNED: usize = 2 * limit::ELEMENTS;

/// Variables of variables in arithmetic are followed to so many names.
const NAMES: usize = 16;

/// Variables whose text the shell expands when it prompts, traces or starts.
pub(super) const EXPANDED: &[&str] = &["PS0", "PS1", "PS2", "PS4", "ENV", "BASH_ENV"];

impl Walker<'_> {
    /// Walks the substitutions in a text that is expanded once more.
    pub(super) fn expanded_again(&mut self, text: &str) {
        if !has_substitution(text) || !self.spend(1 + text.len() / 256) {
            return;
        }
        self.resolved += 1;
        self.enter(|walker| {
            // What is wrong with it is wrong with that text, not with the line.
            let (word, _) = scan::scan_quoted(text, walker.depth);
            walker.text(&word);
        });
        self.resolved -= 1;
    }

    /// Arithmetic that is evaluated here: its value, where that is known.
    pub(super) fn counted(&mut self, text: &str) -> Option<i64> {
        self.evaluates(text);
        self.sets(text, true)
    }

    /// Text that may be evaluated as arithmetic.
    pub(super) fn arithmetic(&mut self, text: &str) {
        self.evaluates(text);
        if count::may_set(text) {
            self.sets(text, false);
        }
    }

    /// What an expression sets is set, and may be what it was before where `is_sure` does not hold.
    fn sets(&mut self, text: &str, is_sure: bool) -> Option<i64> {
        if !self.spend(text.len() / 64) {
            return None;
        }
        let counted = count::count(text, &Variables { env: &self.env, scanned: Cell::new(0) });
        for set in counted.sets {
            let before = self.env.variable(&set.name).map(|it| it.values.clone());
            let mut values = self.set_by_counting(&set, before.as_deref());
            if !(is_sure && set.is_sure) {
                values.extend(before.unwrap_or_default());
            }
            self.env.set(&set.name, values);
        }
        counted.value
    }

    /// What a variable may be once an expression has set it, or an element of it.
    fn set_by_counting(&mut self, set: &Set, before: Option<&[Value]>) -> Vec<Value> {
        // In a loop it is another one each time.
        let value = set.value.filter(|_| self.again == 0);
        let text = value.map_or(HOLE.to_string(), |it| it.to_string());
        let Some(key) = &set.key else {
            return self.as_elements(&set.name, vec![Value::Text(text)]);
        };
        let is_keyed = self.env.has(&set.name, Attribute::Keyed);
        let subscript = match key.count {
            Some(count) if !is_keyed => Subscript::Number(count),
            None if is_keyed && !self.env.is_doubtful(&set.name) && !key.text.contains(HOLE) => {
                Subscript::Key(key.text.replace(['"', '\''], ""))
            }
            // Any of them, or a new one.
            _ => return [before.unwrap_or_default(), &[Value::hole()]].concat(),
        };
        let mut values = Vec::new();
        for value in before.unwrap_or(&[Value::Array(Vec::new())]) {
            let mut elements = value.clone().into_elements();
            if !self.spend(elements.len() / 4) {
                return vec![Value::hole()];
            }
            let key = subscript.of(&elements);
            put_at(&mut elements, key, text.clone());
            values.push(Value::Array(elements));
        }
        values
    }

    /// A subscript in arithmetic is expanded, and a name in it is a variable whose own text is
    /// arithmetic once more.
    fn evaluates(&mut self, text: &str) {
        if has_subscript(text) {
            self.expanded_again(text);
        }
        let mut names = names(text);
        let mut at = 0;
        while let Some(name) = names.get(at).cloned() {
            at += 1;
            let Some(variable) = self.env.variable(&name) else { continue };
            // Any element of an array: its subscript is arithmetic, too.
            let mut texts: Vec<String> = Vec::new();
            for value in &variable.values {
                match value {
                    Value::Text(text) => texts.push(text.clone()),
                    Value::Array(elements) => {
                        let counts = |it: &&(String, String)| {
                            has_subscript(&it.1) || self.env.variable(&it.1).is_some()
                        };
                        let counting = elements.iter().filter(counts).take(NAMES);
                        texts.extend(counting.map(|(_, text)| text.clone()));
                    }
                }
            }
            let paid = variable.values.iter().map(|it| match it {
                Value::Text(text) => text.len() / 1024,
                Value::Array(elements) => elements.len() / 64,
            });
            let paid = paid.sum();
            if !self.spend(paid) {
                return;
            }
            for text in texts {
                if has_subscript(&text) {
                    self.expanded_again(&text);
                }
                // It is arithmetic once more. Of what bash would not take nothing is set.
                if text.len() <= SHORT && count::may_set(&text) && count::is_whole(&text) {
                    self.sets(&text, false);
                }
                for name in self::names(&text) {
                    if names.len() < NAMES && !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
        }
    }

    /// `[[ … ]]`: arithmetic on both sides of `-eq`, and names after `-v`.
    pub(super) fn tested(&mut self, texts: &[String]) {
        // What is found in a text may be all of it.
        if let Some(at) = texts.iter().position(|text| text == "=~")
            && let Some(subject) = at.checked_sub(1).map(|at| texts[at].clone())
        {
            let all = (0..4).map(|place: usize| (place.to_string(), subject.clone())).collect();
            let mut ways = vec![Value::Array(all), Value::hole()];
            if let Some(parts) = texts.get(at + 1).and_then(|regex| parts(&subject, regex)) {
                let parts = std::iter::once(subject.as_str()).chain(parts);
                let parts = parts.enumerate().map(|(place, it)| (place.to_string(), it.to_owned()));
                ways.insert(0, Value::Array(parts.collect()));
            }
            self.env.set("BASH_REMATCH", ways);
        }
        const ARITHMETIC: &[&str] = &["-v", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"];
        if texts.iter().any(|text| ARITHMETIC.contains(&text.as_str())) {
            for text in texts {
                self.arithmetic(text);
            }
        }
    }

    /// What a builtin evaluates among its words: names with a subscript, callbacks, word lists.
    pub(super) fn evaluated(&mut self, name: &str, call: &Call) {
        let words = &call.words[1..];
        match name {
            "let" => {
                let mut is_sure = true;
                for word in words {
                    if is_sure {
                        // An error ends all of it.
                        is_sure = self.counted(&word.text).is_some();
                    } else {
                        self.arithmetic(&word.text);
                    }
                }
            }
            "unset" | "read" | "getopts" | "wait" | "declare" | "typeset" | "local"
            | "readonly" | "export" => {
                let counts = words.iter().any(|w| w.text.starts_with('-') && w.text.contains('i'));
                for word in words.iter().filter(|word| counts || is_element(&word.text)) {
                    self.arithmetic(&word.text);
                }
            }
            "printf" | "test" | "[" => {
                // `printf` takes it for an option only where it comes first.
                let most = if name == "printf" { 2 } else { words.len() };
                let pairs = words[..most.min(words.len())].windows(2);
                for pair in pairs.filter(|pair| pair[0].text == "-v") {
                    self.arithmetic(&pair[1].text);
                }
            }
            "compgen" | "complete" | "mapfile" | "readarray" => {
                const COMPLETE: Grammar = Grammar { letters: "AFGPSXCWo", long: &[] };
                const MAPFILE: Grammar = Grammar { letters: "dnOsuCc", long: &[] };
                let grammar = if name.starts_with("comp") { COMPLETE } else { MAPFILE };
                let taken = grammar.take(&call.words, 1);
                let function = taken.value(&["F"]).map(|it| it.text.clone());
                if let Some(function) = function.filter(|_| name.starts_with("comp")) {
                    self.function_perhaps(&function);
                }
                let code: Option<Field> = taken.value(&["C"]).cloned();
                let list = taken.value(&["W"]).map(|list| list.text.clone());
                if let Some(code) = code {
                    self.derived(&code, |walker| {
                        walker.enter(|walker| walker.code(&code.text, &Io::default()));
                    });
                }
                self.expanded_again(&list.unwrap_or_default());
            }
            _ => {}
        }
    }
}

/// What an expression finds of the line's variables.
struct Variables<'a> {
    env: &'a Env,
    /// How many elements have been looked at, which nobody has paid for.
    scanned: Cell<usize>,
}

impl Known for Variables<'_> {
    fn value(&self, name: &str, key: Option<&Key>) -> Option<i64> {
        let [value] = &self.env.variable(name)?.values[..] else { return None };
        let elements = value.elements();
        self.scanned.set(self.scanned.get() + elements.len());
        if self.scanned.get() > SCANNED {
            return None;
        }
        let text = match (value, key) {
            (Value::Text(text), None) => text,
            (Value::Text(text), Some(key)) if key.count == Some(0) => text,
            (Value::Text(_), Some(_)) => return None,
            (Value::Array(_), None) => value.scalar(),
            (Value::Array(elements), Some(key)) => {
                let key = match key.count {
                    Some(count) if count >= 0 => count.to_string(),
                    None if self.has_texts_for_keys(name) => key.text.clone(),
                    _ => return None,
                };
                match elements.iter().find(|it| it.0 == key) {
                    Some((_, text)) => text,
                    // What is not set is nothing, but one that nobody knows may be it.
                    None if elements.iter().all(|it| array::is_number(&it.0)) => "",
                    None => return None,
                }
            }
        };
        // Its text is arithmetic once more. Nobody has paid for it, and each that names the variable
        // would go through it.
        let is_short = text.len() <= SHORT;
        is_short.then(|| count::number(text).or_else(|| count::count(text, &Nothing).value))?
    }

    fn has_texts_for_keys(&self, name: &str) -> bool {
        self.env.has(name, Attribute::Keyed) && !self.env.is_doubtful(name)
    }
}

/// The parts of a text that the groups of a regular expression find, by the plain text between the
/// groups. `None` where something else stands there.
fn parts<'a>(subject: &'a str, regex: &str) -> Option<Vec<&'a str>> {
    // Nobody counts further.
    const GROUPS: usize = 8;
    let mut regex = regex.trim_start_matches('^').trim_end_matches('$');
    let mut subject = subject;
    let mut parts = Vec::new();
    loop {
        let (plain, rest) = regex.split_once('(').unwrap_or((regex, ""));
        if plain.contains(['*', '+', '?', '[', '.', '|', '\\', ')']) || parts.len() > GROUPS {
            return None;
        }
        let at = if rest.is_empty() && !plain.is_empty() {
            subject.rfind(plain)?
        } else if rest.is_empty() {
            subject.len()
        } else {
            subject.find(plain)?
        };
        let (before, after) = subject.split_at(at);
        parts.push(before);
        subject = &after[plain.len()..];
        if rest.is_empty() {
            break;
        }
        regex = rest.split_once(')')?.1;
    }
    // What stands before the first group is none.
    parts.remove(0);
    Some(parts)
}

fn has_substitution(text: &str) -> bool {
    text.contains("$(") || text.contains('`') || text.contains("${")
}

fn has_subscript(text: &str) -> bool {
    text.contains('[') && has_substitution(text)
}

/// `name[…`
fn is_element(text: &str) -> bool {
    text.contains('[')
        && text.split('[').next().is_some_and(|name| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        })
}

fn names(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let names =
        words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
    names.take(NAMES).map(str::to_owned).collect()
}
