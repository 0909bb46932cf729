//! Text of a makefile as make expands it: variables, what a rule calls its own files, and functions.

use super::super::{HOLE, last_part};
use super::Act;
use super::makefile::{Variables, fits};

/// A variable's text may have variables in it.
const DEPTH: usize = 8;
/// So many bytes are put in, over a whole file.
const PUT_IN: usize = 256 * 1024;
/// And each reference costs this much of it.
const EACH: usize = 64;

/// Words between blanks.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().filter(|it| *it != "|")
}

/// One way in which the variables may stand.
pub(super) struct Text<'a> {
    variables: &'a Variables,
    files: &'a [String],
    way: usize,
    left: usize,
    /// The target and what it needs, of the rule that is read.
    target: String,
    needs: String,
    /// What a `foreach` and a `call` name.
    own: Vec<(String, String)>,
}

impl<'a> Text<'a> {
    pub(super) fn new(variables: &'a Variables, files: &'a [String], way: usize) -> Self {
        let (target, needs) = (HOLE.to_string(), HOLE.to_string());
        Self { variables, files, way, left: PUT_IN, target, needs, own: Vec::new() }
    }

    /// From here on it is about a rule.
    pub(super) fn about(&mut self, targets: &str, needs: &str) {
        let target = words(targets).next().unwrap_or_default();
        self.target = if target.contains('%') { HOLE.to_string() } else { target.to_owned() };
        self.needs = words(needs).collect::<Vec<&str>>().join(" ").replace('%', "\u{FFFC}");
    }

    /// A line of a recipe, given to the shell that the file names.
    pub(super) fn act(&mut self, line: String) -> Act {
        let set = |name: &str| self.variables.contains_key(name);
        if !set("SHELL") && !set(".SHELLFLAGS") {
            return Act::Shell(line);
        }
        let shell = if set("SHELL") { self.expanded("$(SHELL)") } else { "/bin/sh".to_owned() };
        let flags =
            if set(".SHELLFLAGS") { self.expanded("$(.SHELLFLAGS)") } else { "-c".to_owned() };
        if shell.trim().is_empty() || shell.contains(['$', HOLE]) || flags.contains(['$', HOLE]) {
            return Act::Shell(line);
        }
        let words = words(&shell).chain(words(&flags)).map(str::to_owned);
        Act::Program(words.chain([line]).collect())
    }

    pub(super) fn expanded(&mut self, text: &str) -> String {
        self.expand(text, 0)
    }

    /// As the shell gets it: `$$` is its `$`, and a variable that nobody set may be one of the
    /// environment's.
    fn expand(&mut self, text: &str, depth: usize) -> String {
        if !text.contains('$') {
            return text.to_owned();
        }
        let mut result = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            result.push_str(before);
            let mut characters = after.chars();
            let Some(first) = characters.next() else { break };
            let inner = match first {
                '(' => bracketed(after, '(', ')'),
                '{' => bracketed(after, '{', '}'),
                '$' => {
                    result.push('$');
                    rest = characters.as_str();
                    continue;
                }
                _ => {
                    result.push_str(&self.variable(&first.to_string(), depth));
                    rest = characters.as_str();
                    continue;
                }
            };
            // One that nothing closes is no reference.
            let Some(inner) = inner else {
                result.push('$');
                result.push_str(after);
                return result;
            };
            rest = &after[inner.len() + 2..];
            let put = self.reference(inner, depth);
            self.left = self.left.saturating_sub(EACH + put.len());
            result.push_str(&put);
        }
        result.push_str(rest);
        result
    }

    fn is_spent(&self, depth: usize) -> bool {
        depth >= DEPTH || self.left == 0
    }

    /// What stands between brackets: a variable, one with a change to its words, a function.
    fn reference(&mut self, inner: &str, depth: usize) -> String {
        if self.is_spent(depth) {
            return HOLE.to_string();
        }
        if let Some((name, rest)) = inner.split_once([' ', '\t'])
            && let Some(text) = self.function(name, rest, depth)
        {
            return text;
        }
        if let Some((name, change)) = inner.split_once(':')
            && let Some((from, to)) = change.split_once('=')
        {
            let text = self.variable(name, depth);
            let (from, to) = (self.expand(from, depth + 1), self.expand(to, depth + 1));
            let (from, to) = if from.contains('%') {
                (from, to)
            } else {
                (format!("%{from}"), format!("%{to}"))
            };
            return changed(&from, &to, &text);
        }
        let name = self.expand(inner, depth + 1);
        self.variable(name.trim(), depth)
    }

    fn variable(&mut self, name: &str, depth: usize) -> String {
        if let Some((_, text)) = self.own.iter().rev().find(|it| it.0 == name) {
            return text.clone();
        }
        match name {
            "@" => return self.target.clone(),
            "@F" => return last_part(&self.target).to_owned(),
            "<" => return self.needs.split(' ').next().unwrap_or_default().to_owned(),
            "^" | "+" | "?" => return self.needs.clone(),
            "*" | "%" | "|" | "@D" | "<D" | "<F" | "^D" | "^F" | "*D" | "*F" => {
                return HOLE.to_string();
            }
            _ => {}
        }
        if let Some(values) = self.variables.get(name) {
            let text = values.get(self.way).or(values.last());
            let text = text.map_or("", String::as_str);
            if self.is_spent(depth) {
                return HOLE.to_string();
            }
            self.left = self.left.saturating_sub(EACH);
            return self.expand(text, depth + 1);
        }
        let is_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match name {
            "MAKE" => "make".to_owned(),
            "RM" => "rm -f".to_owned(),
            "CURDIR" => ".".to_owned(),
            "SHELL" => "/bin/sh".to_owned(),
            "MAKEFLAGS" | "MFLAGS" => String::new(),
            "MAKEFILE_LIST" if self.files.is_empty() => "Makefile".to_owned(),
            "MAKEFILE_LIST" => self.files.join(" "),
            _ if is_name => format!("${{{name}}}"),
            _ => HOLE.to_string(),
        }
    }

    /// `None` where it is the name of no function.
    fn function(&mut self, name: &str, rest: &str, depth: usize) -> Option<String> {
        let parts = arguments(rest);
        let depth = depth + 1;
        let mut of = |at: usize| {
            let text = parts.get(at).copied().unwrap_or_default();
            self.expand(text, depth)
        };
        let hole = || HOLE.to_string();
        Some(match name {
            "shell" => {
                let text = self.expand(rest, depth);
                format!("$({text})")
            }
            "subst" => {
                let (from, to) = (of(0), of(1));
                let text = parts.get(2..).map(|it| it.join(",")).unwrap_or_default();
                let text = self.expand(&text, depth);
                if from.is_empty() { text + &to } else { text.replace(&from, &to) }
            }
            "patsubst" => changed(&of(0), &of(1), &of(2)),
            "strip" => of(0).split_whitespace().collect::<Vec<&str>>().join(" "),
            "if" => {
                let condition = of(0);
                let holds = if condition.contains(['$', HOLE]) {
                    self.way.is_multiple_of(2)
                } else {
                    !condition.trim().is_empty()
                };
                self.expand(parts.get(if holds { 1 } else { 2 }).copied().unwrap_or(""), depth)
            }
            "or" => (0..parts.len()).map(of).find(|it| !it.trim().is_empty()).unwrap_or_default(),
            "and" => of(parts.len() - 1),
            "foreach" => {
                let (name, list) = (of(0), of(1));
                let text = parts.get(2..).map(|it| it.join(",")).unwrap_or_default();
                let mut made = Vec::new();
                for item in list.split_whitespace() {
                    if self.is_spent(depth) {
                        made.push(hole());
                        break;
                    }
                    self.own.push((name.trim().to_owned(), item.to_owned()));
                    made.push(self.expand(&text, depth));
                    self.own.pop();
                    self.left = self.left.saturating_sub(EACH);
                }
                made.join(" ")
            }
            "call" => {
                let given: Vec<String> = (0..parts.len()).map(of).collect();
                let count = self.own.len();
                let named = given.iter().enumerate();
                self.own.extend(named.map(|(at, text)| (at.to_string(), text.clone())));
                let text = self.variable(given.first().map_or("", |it| it.trim()), depth);
                self.own.truncate(count);
                text
            }
            "value" => self.variables.get(rest.trim()).and_then(|it| it.last()).cloned()?,
            "firstword" => of(0).split_whitespace().next().unwrap_or_default().to_owned(),
            "lastword" => of(0).split_whitespace().next_back().unwrap_or_default().to_owned(),
            "word" => {
                let place = of(0).trim().parse::<usize>().ok().and_then(|it| it.checked_sub(1));
                let Some(place) = place else { return Some(hole()) };
                of(1).split_whitespace().nth(place).unwrap_or_default().to_owned()
            }
            "addprefix" => changed("%", &format!("{}%", of(0)), &of(1)),
            "addsuffix" => changed("%", &format!("%{}", of(0)), &of(1)),
            "join" => {
                let (left, right) = (of(0), of(1));
                let mut right = right.split_whitespace();
                let pairs =
                    left.split_whitespace().map(|it| it.to_owned() + right.next().unwrap_or(""));
                pairs.collect::<Vec<String>>().join(" ")
            }
            "filter" | "filter-out" => {
                let (patterns, list) = (of(0), of(1));
                let patterns: Vec<&str> = patterns.split_whitespace().take(DEPTH).collect();
                let is_in = |it: &&str| patterns.iter().any(|pattern| fits(pattern, it));
                let kept = list.split_whitespace().filter(|it| is_in(it) == (name == "filter"));
                kept.collect::<Vec<&str>>().join(" ")
            }
            "notdir" => of(0).split_whitespace().map(last_part).collect::<Vec<&str>>().join(" "),
            // The shell finds the files.
            "sort" | "wildcard" | "realpath" | "abspath" => of(0),
            "error" | "info" | "warning" | "eval" | "file" => String::new(),
            "dir" | "basename" | "suffix" | "words" | "wordlist" | "origin" | "flavor"
            | "findstring" | "guile" | "let" | "intcmp" => hole(),
            _ => return None,
        })
    }
}

/// What stands between the bracket that a text begins with and the one that closes it.
fn bracketed(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, sign) in text.match_indices([open, close]) {
        if sign.starts_with(open) {
            depth += 1;
        } else {
            depth -= 1;
        }
        if depth == 0 {
            return text.get(1..at);
        }
    }
    None
}

/// The arguments of a function, between commas that stand in no brackets.
fn arguments(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'{' => depth += 1,
            b')' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// Each word that fits a pattern becomes what another one makes of it.
fn changed(from: &str, to: &str, text: &str) -> String {
    let one = |word: &str| -> String {
        let Some((start, end)) = from.split_once('%') else {
            return if word == from { to.to_owned() } else { word.to_owned() };
        };
        let stem = word.strip_prefix(start).and_then(|it| it.strip_suffix(end));
        stem.map_or_else(|| word.to_owned(), |stem| to.replacen('%', stem, 1))
    };
    text.split_whitespace().map(one).collect::<Vec<String>>().join(" ")
}
