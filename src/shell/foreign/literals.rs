//! The literals of code that starts what is not known: put together in the order in which they
//! stand, they may be what it starts. Of languages that nobody parses they are all there is.

use super::super::table::options;
use super::super::walk::filter;
use super::super::{HOLE, Interpreter, last_part};
use super::cut;
use super::token::{Token, tokens};
use std::collections::{BTreeMap, BTreeSet};

/// Words that start programs, in whatever language.
const STARTERS: &[&str] = &[
    "ProcessBuilder",
    "Process",
    "Runtime",
    "Command",
    "Popen",
    "popen",
    "system",
    "system2",
    "shell",
    "exec",
    "execl",
    "execlp",
    "execle",
    "execv",
    "execve",
    "execvp",
    "execvpe",
    "posix_spawn",
    "posix_spawnp",
    "spawn",
    "spawnProcess",
    "executeShell",
    "startProcess",
    "createProcess",
    "callProcess",
    "readProcess",
    "rawSystem",
    "subprocess",
    "process",
    "execute",
    "cmd",
    "run",
    "sh",
    "callCommand",
    "runCommand",
    "EXEC",
    "syscmd",
    "esyscmd",
    "unix",
    "dos",
    "shell_cmd",
    "pipe",
    "success",
    "command",
    "execSync",
    "spawnSync",
    "execFileSync",
];

/// Commands of so many words, and so many different ones.
const WORDS: usize = 12;
const COMMANDS: usize = 2048;
/// So many runs of words are made into commands, some of which are the same.
const RUNS: usize = 2 * COMMANDS;

/// Whether code of any language has a word in it that starts programs.
pub(super) fn starts_programs(code: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    // Commands of Julia and Crystal.
    let mut ticks = code.match_indices('`').map(|it| &code[..it.0]);
    ticks.any(|it| {
        it.is_empty() || it.ends_with(|c: char| c.is_whitespace() || "(=,;{[".contains(c))
    }) || code.split(|c: char| !is_word(c)).any(|word| STARTERS.contains(&word))
}

/// The literals of code that could be code themselves, and what is packed in them.
pub(in super::super) fn texts(code: &str, language: Interpreter) -> Vec<String> {
    let mut found = Vec::new();
    let mut decoder = None;
    for token in tokens(code, language).0 {
        match token {
            Token::Word(name) if filter::unpacked(&name, "").is_some() => decoder = Some(name),
            Token::Text(text) => {
                found.extend(decoder.take().and_then(|name| filter::unpacked(&name, &text)));
                if text.contains(['(', ' ', '`', '"']) {
                    found.push(text);
                }
            }
            _ => {}
        }
    }
    found
}

/// What the literals of a piece of code may be as a command, a word each; and whether that is all.
pub(in super::super) fn commands(
    code: &str,
    language: Interpreter,
) -> (BTreeSet<Vec<String>>, bool) {
    let (tokens, _) = tokens(code, language);
    let cuts = cut::cuts_texts(&tokens, language);
    let mut literals: Vec<&str> = Vec::new();
    // Where a program may stand: of a text that nobody takes apart, at the beginning of a line.
    let mut begins: Vec<bool> = Vec::new();
    for token in &tokens {
        match token {
            Token::Text(text) | Token::Command(text) => {
                for line in text.lines() {
                    let before = literals.len();
                    literals.extend(words(line));
                    begins.extend((before..literals.len()).map(|at| cuts || at == before));
                }
            }
            Token::Words(texts) => {
                literals.extend(texts.iter().map(String::as_str));
                begins.resize(literals.len(), true);
            }
            _ => {}
        }
    }
    // Each run of words once, by the words' numbers: a script says the same again and again.
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let numbered = literals.iter().map(|it| {
        let next = numbers.len();
        *numbers.entry(it).or_insert(next)
    });
    let numbered: Vec<usize> = numbered.collect();
    let mut seen: BTreeSet<&[usize]> = BTreeSet::new();
    let programs = literals.iter().enumerate().filter(|(at, first)| {
        let end = numbered.len().min(at + 1 + WORDS);
        begins[*at] && is_program(first) && seen.insert(&numbered[*at..end])
    });
    let mut programs = programs.map(|(at, first)| (at, *first));
    let commands = programs.by_ref().take(RUNS);
    let commands = commands.map(|(at, first)| command(first, &literals[at + 1..]));
    let firsts = literals.iter().zip(&begins).filter(|it| *it.1).map(|it| *it.0);
    let firsts: Vec<&str> = firsts.collect();
    let mut found = BTreeSet::new();
    for command in
        commands.chain(calls(&tokens)).chain(pairs(code, &firsts)).filter(|it| it.len() > 1)
    {
        if found.len() == COMMANDS && !found.contains(&command) {
            return (found, false);
        }
        found.insert(command);
    }
    (found, programs.next().is_none())
}

/// A program with any other word behind it, of code that has few: it may put them together as it
/// likes.
fn pairs(code: &str, literals: &[&str]) -> Vec<Vec<String>> {
    const FEW: usize = 12;
    let mut words: BTreeSet<String> = BTreeSet::new();
    for literal in literals {
        // Formats stand between them: `"git %s"`.
        let word = literal.trim_matches(|c: char| !(c.is_alphanumeric() || "-_./".contains(c)));
        if word.len() > 1 && word.len() < 64 && words.len() <= FEW {
            words.insert(word.to_owned());
        }
    }
    if words.len() > FEW {
        return Vec::new();
    }
    let says = |signs: &[&str]| signs.iter().any(|it| code.contains(it));
    let mut more = BTreeSet::new();
    if says(&["lower", "lc", "downcase", "swapcase", "\\L"]) {
        more.extend(words.iter().map(|it| it.to_lowercase()));
    }
    if says(&["rev", "::-1"]) {
        more.extend(words.iter().map(|it| it.chars().rev().collect()));
    }
    words.extend(more);
    let programs = words.iter().filter(|it| is_program(it));
    let pairs = programs.flat_map(|first| {
        let fits = move |it: &&String| *it != first && options::may_follow(last_part(first), it);
        let others = words.iter().filter(fits);
        others.map(|it| vec![first.clone(), it.clone(), HOLE.to_string()])
    });
    pairs.collect()
}

/// Of a text more words than a command has say nothing.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_whitespace().take(WORDS)
}

/// A word and those behind it. A path is one's option or ends it: what it would be written to is
/// not asked for here.
fn command(first: &str, rest: &[&str]) -> Vec<String> {
    let mut command = vec![first.to_owned()];
    for word in rest.iter().take(WORDS) {
        let is_path = word.contains('/') || word.starts_with(['~', '.']);
        let follows_option = command.last().is_some_and(|it| it.starts_with('-'));
        match word {
            _ if is_path && follows_option => command.push(HOLE.to_string()),
            _ if is_path => break,
            // Something is put in there: `"%s"`, `"{}"`.
            _ if matches!(*word, "%s" | "{}" | "%d") => command.push(HOLE.to_string()),
            word => command.push((*word).to_owned()),
        }
    }
    command
}

/// `sh("git", sub)`, `["git", sub]`: the words of a call of what the code itself defines, those that
/// are no literals being unknown.
fn calls(tokens: &[Token]) -> Vec<Vec<String>> {
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let defined: BTreeSet<&str> = (0..tokens.len())
        .filter_map(|at| match word(at)? {
            "def" | "function" | "sub" | "func" => word(at + 1),
            name if matches!(tokens.get(at + 1), Some(Token::Sign('='))) => Some(name),
            _ => None,
        })
        .collect();
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        let is_call = matches!(tokens.get(at + 1), Some(Token::Sign('(')))
            && word(at).is_some_and(|name| defined.contains(name));
        let Some(Token::Text(first)) = tokens.get(at + 2).filter(|_| is_call) else { continue };
        if !is_program(first) {
            continue;
        }
        let mut command = vec![first.clone()];
        let mut depth = 0_usize;
        for token in tokens[at + 3..].iter().take(8 * WORDS) {
            match token {
                Token::Sign('(' | '[' | '{') => depth += 1,
                Token::Sign(')' | ']' | '}') if depth == 0 => break,
                Token::Sign(')' | ']' | '}') => depth -= 1,
                Token::Text(text) => command.extend(words(text).map(str::to_owned)),
                Token::Word(_) if command.len() < WORDS => command.push(HOLE.to_string()),
                _ => {}
            }
        }
        command.truncate(WORDS);
        if command.len() > 1 {
            found.push(command);
        }
    }
    found
}

/// Whether a word may name a program: `git`, `/usr/bin/git`.
fn is_program(word: &str) -> bool {
    let name = last_part(word);
    let fits = |c: char| c.is_ascii_alphanumeric() || "_-.+".contains(c);
    (2..=32).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(fits)
        && (name.len() == word.len() || word.starts_with('/'))
}
