//! Makefiles: their recipes, with the variables that they and the command line set. Which of the
//! rules run is told by what is asked for, as far as that is plain.

use super::super::{HOLE, MAKEFILES};
use super::makefile_text::{Text, words};
use super::{Act, Given, How};
use std::collections::{BTreeMap, BTreeSet};

/// A variable that is set in several places has one of so many values.
const VALUES: usize = 4;
/// Patterns of files that one may depend on, and still be looked up.
const PATTERNS: usize = 16;

/// Variables and their values, one of which it has.
pub(super) type Variables = BTreeMap<String, Vec<String>>;

/// A rule as it is written.
#[derive(Debug, Default)]
struct Rule {
    targets: String,
    needs: String,
    recipe: Vec<String>,
}

#[derive(Debug, Default)]
struct File {
    variables: Variables,
    rules: Vec<Rule>,
}

/// What a makefile runs and writes: recipes, and what functions of make do as it is read.
pub(super) fn read(code: &str, given: &Given) -> Vec<Act> {
    let joined = code.replace("\\\n\t", " ").replace("\\\n", " ");
    let file = File::of(code, given);
    let ways = file.variables.values().map(Vec::len).max().unwrap_or(1).clamp(1, VALUES);
    let ways = if ["$(if", "${if", "$(or", "$(and"].iter().any(|it| code.contains(it)) {
        ways.max(2)
    } else {
        ways
    };
    let is_run = file.runs(given, code, ways);
    let in_one = code.contains(".ONESHELL");
    let mut acts = Vec::new();
    let mut seen = BTreeSet::new();
    let mut texts: Vec<Text> =
        (0..ways).map(|way| Text::new(&file.variables, given.list("files"), way)).collect();
    for text in &mut texts {
        for rule in file.rules.iter().zip(&is_run).filter(|it| *it.1).map(|it| it.0) {
            let (targets, needs) = (text.expanded(&rule.targets), text.expanded(&rule.needs));
            text.about(&targets, &needs);
            let lines: Vec<String> = rule.recipe.iter().map(|it| text.expanded(it)).collect();
            let lines: Vec<String> = lines.iter().flat_map(|it| commands(it)).collect();
            let lines = if in_one { vec![lines.join("\n")] } else { lines };
            for line in lines {
                if seen.insert(line.clone()) {
                    acts.push(text.act(line));
                }
            }
        }
        let others = calls(&joined, "shell").into_iter().map(str::to_owned);
        for code in others.chain(outputs(&joined)) {
            let line = text.expanded(code.trim());
            if seen.insert(line.clone()) {
                acts.push(Act::Shell(line));
            }
        }
        for written in calls(&joined, "file") {
            let written = text.expanded(written.split(',').next().unwrap_or(written));
            let path = written.trim_start_matches(['>', ' ', '\t']).trim();
            if written.trim_start().starts_with('>') && seen.insert(written.clone()) {
                acts.push(Act::Write(path.to_owned(), How::Write));
            }
        }
    }
    acts
}

/// The files that it includes, as they are named.
pub(in super::super) fn included(code: &str, given: &Given) -> Vec<String> {
    const MOST: usize = 16;
    let file = File::of(code, given);
    let mut text = Text::new(&file.variables, given.list("files"), 0);
    let named = code.lines().filter_map(|line| {
        let (verb, rest) = line.trim_start_matches(' ').split_once([' ', '\t'])?;
        matches!(verb, "include" | "-include" | "sinclude").then_some(rest)
    });
    let texts: Vec<String> = named.take(MOST).map(|it| text.expanded(it)).collect();
    texts.iter().flat_map(|it| words(it)).take(MOST).map(str::to_owned).collect()
}

impl File {
    fn of(code: &str, given: &Given) -> Self {
        let mut file = Self::default();
        let environment = given.list("environment").iter().filter_map(|it| it.split_once('='));
        for (name, text) in environment.clone() {
            file.set(name, text);
        }
        let mut forced = BTreeSet::new();
        file.take(code, &mut forced);
        // What stands in an `eval` is read as the file is.
        let joined = code.replace("\\\n", " ");
        for text in calls(&joined, "eval") {
            file.take(&text.trim().replace("$$", "$"), &mut forced);
        }
        // What the command line says is stronger, and so is the environment where it is told to.
        let strong = given.variables.iter().map(|(name, text)| (name.as_str(), text.as_str()));
        let told = environment.filter(|_| !given.list("-e").is_empty());
        for (name, text) in told.chain(strong) {
            // `make A:=text`
            let name = name.trim_end_matches([':', '?', '+']);
            if !forced.contains(name) {
                file.variables.insert(name.to_owned(), Vec::new());
            }
            file.set(name, text);
        }
        file
    }

    fn set(&mut self, name: &str, text: &str) {
        let values = self.variables.entry(name.to_owned()).or_default();
        if values.len() == VALUES {
            values.pop();
        }
        values.push(text.to_owned());
    }

    fn take(&mut self, code: &str, forced: &mut BTreeSet<String>) {
        const CONDITIONS: &[&str] = &[
            "ifeq", "ifneq", "ifdef", "ifndef", "else", "endif", "include", "-include", "sinclude",
            "vpath", "undefine", "unexport", "endef",
        ];
        // Its definitions may become rules.
        let has_templates = code.contains("eval");
        let mut prefix = '\t';
        let mut rule: Option<usize> = None;
        let mut lines = code.lines();
        while let Some(line) = lines.next() {
            if let Some(own) = line.strip_prefix(prefix) {
                // A line that goes on is the shell's to join.
                let mut text = own.to_owned();
                while goes_on(&text)
                    && let Some(more) = lines.next()
                {
                    text.push('\n');
                    text.push_str(more.strip_prefix(prefix).unwrap_or(more));
                }
                let at = *rule.get_or_insert_with(|| {
                    self.rules.push(Rule::default());
                    self.rules.len() - 1
                });
                self.rules[at].recipe.push(text);
                continue;
            }
            let mut text = line.to_owned();
            while goes_on(&text)
                && let Some(more) = lines.next()
            {
                text.pop();
                text.truncate(text.trim_end().len());
                text.push(' ');
                text.push_str(more.trim_start());
            }
            let first = text.split_whitespace().next().unwrap_or_default();
            if first.is_empty() || first.starts_with('#') || CONDITIONS.contains(&first) {
                continue;
            }
            if first == "define" || text.contains("define ") && text.contains("override") {
                let name = text.split("define").nth(1).unwrap_or_default();
                let name = name.trim().trim_end_matches(['=', ':', '?', '+', '!']).trim_end();
                let body = defined(&mut lines).join("\n");
                if has_templates {
                    self.take(&body, forced);
                    rule = None;
                }
                self.set(name, &body);
                continue;
            }
            if let Some((name, value)) = self.assigned(&text, forced) {
                if name == ".RECIPEPREFIX" {
                    prefix = value.chars().next().unwrap_or('\t');
                }
                self.set(&name, &value);
                continue;
            }
            let Some(at) = outside(&text, b':') else { continue };
            let (targets, rest) = (&text[..at], text[at + 1..].trim_start_matches(':'));
            let (needs, recipe) = match rest.split_once(';') {
                Some((needs, recipe)) => (needs, Some(recipe.to_owned())),
                None => (rest, None),
            };
            let needs = needs.split('#').next().unwrap_or(needs);
            // `a.o: %.o: %.c`
            let needs = outside(needs, b':').map_or(needs, |at| &needs[at + 1..]);
            let recipe = recipe.into_iter().collect();
            let targets = targets.trim_end_matches('&').to_owned();
            self.rules.push(Rule { targets, needs: needs.to_owned(), recipe });
            rule = Some(self.rules.len() - 1);
        }
    }

    /// The variable that a line sets, for all targets or for some, and its text.
    fn assigned(&self, line: &str, forced: &mut BTreeSet<String>) -> Option<(String, String)> {
        let at = outside(line, b'=')?;
        let (head, text) = (&line[..at], &line[at + 1..]);
        let text = text.trim_start();
        let text = text.split_once(" #").map_or(text, |it| it.0);
        let is_run = head.ends_with('!');
        let adds = head.ends_with('+');
        let head = head.trim_end_matches([':', '?', '+', '!']);
        if head.contains(';') {
            return None;
        }
        let head = head.split_once(':').map_or(head, |it| it.1);
        let mut names = Vec::new();
        let mut is_forced = false;
        for word in head.split_whitespace() {
            match word {
                "override" => is_forced = true,
                "export" | "private" => {}
                word => names.push(word),
            }
        }
        let [name] = names[..] else { return None };
        if is_forced {
            forced.insert(name.to_owned());
        }
        let text = match self.variables.get(name).and_then(|it| it.last()) {
            _ if is_run => format!("$(shell {text})"),
            Some(before) if adds => format!("{before} {text}"),
            _ => text.to_owned(),
        };
        Some((name.to_owned(), text))
    }

    /// Which of the rules run: those that are asked for and what they need. All, where that cannot
    /// be told.
    fn runs(&self, given: &Given, code: &str, ways: usize) -> Vec<bool> {
        /// Targets that stand for no file and run nothing.
        const SPECIAL: &[&str] = &[
            ".PHONY",
            ".SUFFIXES",
            ".PRECIOUS",
            ".SECONDARY",
            ".INTERMEDIATE",
            ".SILENT",
            ".IGNORE",
            ".NOTPARALLEL",
            ".EXPORT_ALL_VARIABLES",
            ".DELETE_ON_ERROR",
            ".ONESHELL",
            ".POSIX",
            ".WAIT",
        ];
        let all = || vec![true; self.rules.len()];
        let Some(goals) = given.lists.iter().find(|it| it.0 == "goals").map(|it| &it.1) else {
            return all();
        };
        if code.contains(HOLE)
            || ["include", "eval", ".SECONDEXPANSION"].iter().any(|it| code.contains(it))
        {
            return all();
        }
        let mut names: Vec<(Vec<String>, Vec<String>)> = Vec::new();
        let mut texts: Vec<Text> =
            (0..ways).map(|way| Text::new(&self.variables, given.list("files"), way)).collect();
        let mut by_name: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut asked: Vec<String> = goals.clone();
        let mut is_run = vec![false; self.rules.len()];
        let mut found: Vec<usize> = Vec::new();
        for (place, rule) in self.rules.iter().enumerate() {
            let mut of = |text: &str| -> Vec<String> {
                let is_same = !text.contains('$');
                let texts = texts.iter_mut().take(if is_same { 1 } else { ways });
                let texts: Vec<String> = texts.map(|it| it.expanded(text)).collect();
                texts.iter().flat_map(|it| words(it)).map(str::to_owned).collect()
            };
            let (targets, needs) = (of(&rule.targets), of(&rule.needs));
            let is_file =
                |it: &String| MAKEFILES.contains(&it.as_str()) || given.list("files").contains(it);
            let is_special = |it: &String| SPECIAL.contains(&it.as_str());
            let is_open = |it: &String| {
                it.contains(['%', '$', HOLE, '*'])
                    || it.starts_with('.') && !it.contains('/') && !is_special(it)
            };
            if targets.is_empty() || targets.iter().any(|it| is_open(it) || is_file(it)) {
                found.push(place);
            } else if asked.is_empty() {
                asked.extend(targets.first().filter(|it| !is_special(it)).cloned());
            }
            for target in &targets {
                by_name.entry(target.clone()).or_default().push(place);
            }
            names.push((targets, needs));
        }
        if goals.is_empty()
            && let Some(values) = self.variables.get(".DEFAULT_GOAL")
        {
            asked.clone_from(values);
        }
        let mut patterns = 0;
        let mut known = BTreeSet::new();
        loop {
            while let Some(place) = found.pop() {
                if !std::mem::replace(&mut is_run[place], true) {
                    asked.extend(names[place].1.iter().cloned());
                }
            }
            let Some(name) = asked.pop() else { return is_run };
            if !known.insert(name.clone()) {
                continue;
            }
            if name.contains(['$', HOLE]) {
                return all();
            }
            if name.contains(['%', '*', '?', '[']) {
                patterns += 1;
                if patterns > PATTERNS {
                    return all();
                }
                let fitting = names.iter().enumerate();
                let fitting = fitting.filter(|it| it.1.0.iter().any(|it| fits(&name, it)));
                found.extend(fitting.map(|it| it.0));
            }
            found.extend(by_name.get(&name).into_iter().flatten());
        }
    }
}

/// Whether a line ends in a backslash that stands for itself alone.
fn goes_on(line: &str) -> bool {
    line.bytes().rev().take_while(|it| *it == b'\\').count() % 2 == 1
}

/// The commands of a recipe's line, which may have become several, without what is make's own.
fn commands(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut is_more = false;
    for line in text.split('\n') {
        match found.last_mut().filter(|_| is_more) {
            Some(before) => {
                before.push('\n');
                before.push_str(line);
            }
            None => {
                found.push(line.trim_start_matches(['@', '-', '+', ' ', '\t']).to_owned());
            }
        }
        is_more = goes_on(line);
    }
    found.retain(|it| !it.trim().is_empty());
    found
}

/// Whether a name fits a pattern. Brackets count as anything.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    if pattern.contains('[') {
        return true;
    }
    let mut parts = pattern.split(['%', '*', '?']);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// What is run for its output: the command of each `X != command`, and the body of each
/// `define X !=`.
fn outputs(code: &str) -> Vec<String> {
    const MODIFIERS: &[&str] = &["override", "export", "private"];
    const CONDITIONS: &[&str] = &["ifeq", "ifneq", "ifdef", "ifndef", "else", "endif"];
    let mut found = Vec::new();
    // A line that begins with a tab belongs to a rule, or is a line like any other.
    let mut in_rule = false;
    let mut lines = code.lines();
    while let Some(line) = lines.next() {
        if in_rule && line.starts_with('\t') {
            continue;
        }
        let head = first_assignment(line);
        let name = head.map_or(line, |it| &line[..it]).trim();
        let mut words = name.split_whitespace().skip_while(|it| MODIFIERS.contains(it));
        let first = words.next().unwrap_or_default();
        if first.is_empty() || first.starts_with('#') {
            continue;
        }
        if first == "define" {
            in_rule = false;
            // It is one where a name follows; where none does, it is a variable of that name.
            if words.next().is_some_and(|it| it != "!") {
                let is_run = head.is_some() && name.ends_with('!');
                let body = defined(&mut lines);
                found.extend(is_run.then(|| body.join("\n")));
                continue;
            }
        }
        if CONDITIONS.contains(&first) && words.next().is_some_and(|it| it != "!") {
            continue;
        }
        let Some(at) = head else {
            in_rule |= name.contains(':');
            in_rule &= !matches!(first, "include" | "-include" | "sinclude" | "vpath" | "undefine");
            continue;
        };
        // A recipe behind a rule, `a: ; [ b != c ]`, which is read as that.
        let behind = name.split_once(':').is_some_and(|(_, it)| it.contains(';'));
        in_rule = behind;
        if name.ends_with('!') && !behind {
            found.push(line[at + 1..].to_owned());
        }
    }
    found
}

/// The lines of a definition, up to its own end.
fn defined<'a>(lines: &mut std::str::Lines<'a>) -> Vec<&'a str> {
    let mut body = Vec::new();
    let mut depth = 1_usize;
    for line in lines {
        // Behind a tab neither word counts.
        let text = if line.starts_with('\t') { "" } else { line.trim_start() };
        let follows = |word: &str| Some(text.strip_prefix(word)?.chars().next().unwrap_or('#'));
        if follows("endef").is_some_and(|it| it == '#' || it.is_whitespace()) {
            depth -= 1;
        } else if follows("define").is_some_and(char::is_whitespace) {
            depth += 1;
        }
        if depth == 0 {
            break;
        }
        body.push(line);
    }
    body
}

/// Where the first `=` of a line is that stands in no reference to a variable.
fn first_assignment(line: &str) -> Option<usize> {
    outside(line, b'=')
}

/// Where a sign stands first that belongs to no reference to a variable.
fn outside(line: &str, sign: u8) -> Option<usize> {
    let mut open: Vec<u8> = Vec::new();
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' if !open.is_empty() || at > 0 && bytes[at - 1] == b'$' => {
                open.push(if *byte == b'(' { b')' } else { b'}' });
            }
            _ if open.last() == Some(byte) => drop(open.pop()),
            _ if *byte == sign && open.is_empty() => return Some(at),
            _ => {}
        }
    }
    None
}

/// What stands in each `$(shell …)`, or behind another word, up to the bracket that closes it, as
/// make counts them.
fn calls<'a>(code: &'a str, word: &str) -> Vec<&'a str> {
    // Within so many others a long one says nothing that they do not.
    const DEEP: usize = 64;
    const LONG: usize = 4096;
    let mut found = Vec::new();
    for (open, close) in [('(', ')'), ('{', '}')] {
        let mut opened: Vec<usize> = Vec::new();
        for (at, sign) in code.match_indices([open, close]) {
            if sign.starts_with(open) {
                opened.push(at);
                continue;
            }
            let Some(from) = opened.pop().filter(|from| code[..*from].ends_with('$')) else {
                continue;
            };
            let text = &code[from + 1..at];
            let command = text.strip_prefix(word).filter(|it| it.starts_with([' ', '\t']));
            found.extend(command.filter(|it| opened.len() < DEEP || it.len() < LONG));
        }
    }
    found
}
