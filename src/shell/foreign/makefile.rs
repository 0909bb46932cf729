//! Makefiles: their recipes, with the variables that they and the command line set.

use super::Act;
use std::collections::BTreeMap;

/// A variable's text may have variables in it.
const DEPTH: usize = 4;

/// So many are put in, over all recipes, and no text longer than this one.
const PUT_IN: usize = 2048;
const LENGTH: usize = 4096;

/// The recipes: the lines that begin with a tab, what stands behind a rule, and what `$(shell …)`
/// runs.
pub(super) fn read(code: &str, given: &[(String, String)]) -> Vec<Act> {
    let code = code.replace("\\\n\t", " ").replace("\\\n", " ");
    let mut variables: BTreeMap<&str, &str> = BTreeMap::new();
    for line in code.lines().filter(|line| !line.starts_with('\t')) {
        let Some((name, text)) = line.split_once('=') else { continue };
        let name = name.trim_end_matches([':', '?', '+', '!']).trim();
        if is_name(name) {
            variables.insert(name, text.trim());
        }
    }
    // What the command line says is stronger.
    variables.extend(given.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let mut left = PUT_IN;
    let mut recipe = |text: &str| {
        let text = expanded(text, &variables, 0, &mut left);
        Act::Shell(text.trim_start().trim_start_matches(['@', '-', '+', ' ', '\t']).to_owned())
    };
    let mut acts: Vec<Act> =
        code.lines().filter_map(|line| line.strip_prefix('\t')).map(&mut recipe).collect();
    // `target: prerequisites ; recipe`
    let rules = code.lines().filter(|line| !line.starts_with('\t'));
    let rules = rules.filter_map(|line| line.split_once(':')?.1.split_once(';'));
    acts.extend(rules.map(|(_, text)| recipe(text)));
    acts.extend(shells(&code).into_iter().map(&mut recipe));
    acts.extend(outputs(&code).iter().map(|text| recipe(text)));
    acts
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
    let mut open: Vec<u8> = Vec::new();
    let bytes = line.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'(' | b'{' if !open.is_empty() || at > 0 && bytes[at - 1] == b'$' => {
                open.push(if *byte == b'(' { b')' } else { b'}' });
            }
            _ if open.last() == Some(byte) => drop(open.pop()),
            b'=' if open.is_empty() => return Some(at),
            _ => {}
        }
    }
    None
}

/// What stands in each `$(shell …)`, up to the bracket that closes it, as make counts them.
fn shells(code: &str) -> Vec<&str> {
    // Within so many others a long one says nothing that they do not.
    const DEEP: usize = 64;
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
            let command = text.strip_prefix("shell").filter(|it| it.starts_with([' ', '\t']));
            found.extend(command.filter(|it| opened.len() < DEEP || it.len() < LENGTH));
        }
    }
    found
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// A recipe as the shell gets it: `$$` is its `$`, and a variable that nobody set may be one of the
/// environment's.
fn expanded(
    text: &str,
    variables: &BTreeMap<&str, &str>,
    depth: usize,
    left: &mut usize,
) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        result.push_str(before);
        rest = after;
        if let Some(after) = rest.strip_prefix('$') {
            result.push('$');
            rest = after;
            continue;
        }
        let close = match rest.chars().next() {
            Some('(') => ')',
            Some('{') => '}',
            _ => {
                result.push('$');
                continue;
            }
        };
        let Some((name, after)) = rest[1..].split_once(close).filter(|it| is_name(it.0)) else {
            result.push('$');
            continue;
        };
        rest = after;
        match variables.get(name) {
            Some(text) if depth < DEPTH && *left > 0 && text.len() < LENGTH => {
                *left -= 1;
                result.push_str(&expanded(text, variables, depth + 1, left));
            }
            _ => result.extend(["${", name, "}"]),
        }
    }
    result.push_str(rest);
    result
}
