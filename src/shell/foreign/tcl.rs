//! Tcl, and what expect adds to it: its commands, each by its first word, however that is written.

use super::super::HOLE;
use super::{Act, Acts, How};
use std::collections::BTreeMap;

/// As much of a command as is looked at.
const LENGTH: usize = 1024;
/// As much of all of them, one within the other; more may start anything.
const ALL: usize = 1 << 17;
/// Commands that run their words.
const EVALUATE: &[&str] = &["eval", "uplevel", "catch", "time", "list", "subst"];

pub(super) fn read(code: &str) -> Acts {
    let mut acts = Acts::default();
    let mut variables: BTreeMap<String, String> = BTreeMap::new();
    let mut begins = true;
    let mut left = ALL;
    for (at, character) in code.char_indices() {
        if begins && !character.is_whitespace() && !"{[;".contains(character) {
            let own = one(&code[at..]);
            let Some(rest) = left.checked_sub(own.len()) else {
                acts.starts_unknown = true;
                break;
            };
            left = rest;
            command(own, &mut variables, &mut acts);
        }
        begins = match character {
            '\n' | ';' | '[' | '{' => true,
            it => begins && it.is_whitespace(),
        };
    }
    acts.acts.retain(|it| !matches!(it, Act::Shell(text) if text.is_empty()));
    acts
}

/// A command up to where it ends.
fn one(text: &str) -> &str {
    let text = &text[..text.floor_char_boundary(LENGTH.min(text.len()))];
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '[' | '{' => depth += 1,
            ']' | '}' | '\n' | ';' if depth == 0 => return &text[..at],
            ']' | '}' => depth -= 1,
            _ => {}
        }
    }
    text
}

fn command(text: &str, variables: &mut BTreeMap<String, String>, acts: &mut Acts) {
    // What is a word of its own, or a list of words, is not asked.
    let bare = |c: char| if "{}[]\"".contains(c) { ' ' } else { c };
    let plain = text.replace("{*}", "").replace("\\\n", " ").replace('\\', "");
    let plain: String = plain.chars().map(bare).collect();
    let filled = |word: &str| match word.strip_prefix('$') {
        Some(name) => variables.get(name).cloned().unwrap_or_else(|| HOLE.to_string()),
        None => word.to_owned(),
    };
    let words: Vec<String> = plain.split_whitespace().map(filled).collect();
    let skipped = words.iter().take_while(|it| EVALUATE.contains(&it.as_str())).count();
    let Some((verb, rest)) = words[skipped..].split_first() else { return };
    let is_option = |it: &&String| it.starts_with('-');
    let operands: Vec<&String> = rest.iter().filter(|it| !is_option(it) && *it != "list").collect();
    let mut write = |path: Option<&&String>, how: How| {
        acts.acts.extend(path.map(|path| Act::Write((*path).clone(), how)));
    };
    match verb.trim_start_matches("::") {
        "set" => {
            if let Some((name, value)) = rest.split_first() {
                variables.insert(name.clone(), value.join(" "));
            }
        }
        "exec" | "spawn" | "system" => {
            let from = rest.iter().take_while(|it| it.starts_with('-') || *it == "list").count();
            let words = &rest[from..];
            acts.starts_unknown |= words.first().is_some_and(|it| it.contains(HOLE));
            acts.acts.push(Act::Shell(words.join(" ")));
            // `exec sh -c {code}`: texts that are words of their own.
            if !text.contains(['{', '"']) {
                return;
            }
            let raw = text.replace("{*}", "").replace(['{', '}'], "'");
            let raw = raw.split_once(char::is_whitespace).map_or("", |it| it.1.trim());
            acts.acts.push(Act::Shell(raw.trim_start_matches("-noecho ").to_owned()));
        }
        // To what was spawned, which may be a shell.
        "send" | "exp_send" => {
            let typed = operands.iter().map(|it| it.as_str()).collect::<Vec<&str>>().join(" ");
            let typed = typed.trim_end_matches(['r', 'n']);
            acts.acts.push(Act::Shell(typed.to_owned()));
        }
        "open" => match (operands.first(), operands.get(1)) {
            (Some(path), _) if path.starts_with('|') => {
                let code = operands.iter().map(|it| it.as_str()).collect::<Vec<&str>>().join(" ");
                acts.acts.push(Act::Shell(code.trim_start_matches('|').trim().to_owned()));
            }
            (path, Some(mode))
                if mode.starts_with(['w', 'a', 'W', 'A', 'C', 'T']) || mode.contains('+') =>
            {
                write(path, How::Write);
            }
            (path, Some(mode)) if mode.contains("RDWR") => write(path, How::Edit),
            _ => {}
        },
        "file" => {
            let Some((verb, operands)) = operands.split_first() else { return };
            match verb.as_str() {
                "delete" => operands.iter().for_each(|it| write(Some(it), How::Remove)),
                "rename" => operands.iter().for_each(|it| write(Some(it), How::Move)),
                "copy" => write(operands.last(), How::Write),
                "mkdir" => operands.iter().for_each(|it| write(Some(it), How::Directory)),
                "link" if operands.len() > 1 => write(operands.first(), How::Link),
                "attributes" if rest.len() > 3 => write(operands.first(), How::Chmod),
                _ => {}
            }
        }
        verb => acts.starts_unknown |= verb.contains(HOLE),
    }
}
