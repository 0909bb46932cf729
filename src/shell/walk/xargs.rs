//! `xargs` and `parallel`, which build commands from their input.

use super::recorder::Mode;
use super::{Call, Io, Walker};
use crate::shell::field::{Field, joined};
use crate::shell::table::grammar::{GivenOptions, Grammar};
use crate::shell::{HOLE, Unreadable, limit};

impl Walker<'_> {
    /// `xargs`: words from the input are appended, or replace a mark.
    pub(super) fn xargs(&mut self, given: &GivenOptions, at: usize, call: &Call) -> String {
        let mark = given.iter().rev().find(|option| option.is("I J R i replace"));
        let mark = mark.map(|option| option.value.as_ref().map_or("{}", |value| &value.text));
        let input = call.io.stdin.as_deref().filter(|_| !given.has("a arg-file"));
        let input = input.unwrap_or("\u{FFFC}");
        let words = &call.words[at..];
        let delimiter = given.value("d delimiter").and_then(|value| value.text.chars().next());
        let is_end = |c: char| matches!(c, '\n' | '\0') || Some(c) == delimiter;
        let by_line = mark.is_some() || given.has("d delimiter 0 null");
        let items: Vec<Field> = if by_line {
            input.split(is_end).filter(|text| !text.is_empty()).map(item).collect()
        } else {
            unquoted(input).iter().map(|word| item(word)).collect()
        };
        let count = |names| {
            let option = given.iter().rev().find(|option| option.is(names))?;
            let count = option.value.as_ref().and_then(|value| value.text.parse::<usize>().ok());
            Some(count.unwrap_or(1).max(1))
        };
        let (most, most_lines) = (count("n max-args"), count("L l max-lines"));
        let calls: Vec<Vec<Field>> = match mark.filter(|mark| !mark.is_empty()) {
            Some(mark) => {
                let with = |item| words.iter().map(|word| replaced(word, mark, item)).collect();
                items.iter().take(limit::BRACES + 1).map(with).collect()
            }
            None if items.is_empty() => vec![words.to_vec()],
            None if let Some(most_lines) = most_lines.filter(|_| most.is_none() && !by_line) => {
                let lines: Vec<&str> = input.lines().collect();
                let with = |lines: &[&str]| {
                    let items = unquoted(&lines.join("\n"));
                    words.iter().cloned().chain(items.iter().map(|text| item(text))).collect()
                };
                lines.chunks(most_lines).take(limit::BRACES + 1).map(with).collect()
            }
            None => {
                let with = |items| [words, items].concat();
                let most = most.or(most_lines).unwrap_or(usize::MAX);
                items.chunks(most).take(limit::BRACES + 1).map(with).collect()
            }
        };
        // The omitted calls would run, so the reading is incomplete.
        if calls.len() > limit::BRACES {
            self.fail(Unreadable::Work);
        }
        let io = Io { stdin: None, capture: call.io.capture };
        // Unknown input may be no item or many.
        let mode = Mode { conditional: input.contains(HOLE), ..Mode::default() };
        let mut output = String::new();
        for words in calls.into_iter().take(limit::BRACES) {
            if !self.budget.spend(1 + words.len() / 16) {
                break;
            }
            let call = Call { io: io.clone(), ..call.with_words(words) };
            output.push_str(&self.with_mode(mode, |walker| walker.inner_call(call)));
        }
        output
    }

    /// GNU parallel: a template, and after `:::` the items for it.
    pub(super) fn parallel(&mut self, call: &Call) -> String {
        const PARALLEL: Grammar = Grammar {
            letters: "jnNILPSa",
            long: "jobs max-args delay timeout joblog retries sshlogin arg-file colsep results tmpdir",
        };
        let (_, at) = PARALLEL.leading(&call.words, 1);
        let words = &call.words[at..];
        let split = words.iter().position(|word| word.text.starts_with(":::"));
        let template = joined(&words[..split.unwrap_or(words.len())]);
        let input = call.io.stdin.as_deref().unwrap_or("\u{FFFC}");
        let items: Vec<String> = match split {
            Some(split) if words[split].text == "::::" => vec![HOLE.to_string()],
            Some(split) => words[split + 1..].iter().map(|word| word.text.clone()).collect(),
            None => input.lines().map(str::to_owned).collect(),
        };
        if items.len() > limit::BRACES {
            self.fail(Unreadable::Work);
        }
        for item in items.iter().take(limit::BRACES) {
            if !self.budget.spend(1) {
                break;
            }
            let line = if template.is_empty() {
                item.clone()
            } else if template.contains('{') {
                ["{}", "{.}", "{/}", "{//}", "{/.}", "{1}", "{2}"]
                    .iter()
                    .fold(template.clone(), |line, mark| line.replace(mark, item))
            } else {
                format!("{template} {item}")
            };
            self.derived(|walker| walker.nested_code(&line, &Io::default()));
        }
        call.unknown_output()
    }
}

/// The words of an input with the quoting rules of `xargs`. With an unclosed quote, only blanks
/// separate words.
fn unquoted(input: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = input.chars();
    while let Some(character) = rest.next() {
        match character {
            '"' | '\'' => {
                let Some((text, behind)) = rest.as_str().split_once(character) else {
                    let plain = |word: &str| word.trim_matches(['"', '\'']).to_owned();
                    return input.split_whitespace().map(plain).collect();
                };
                word.get_or_insert_default().push_str(text);
                rest = behind.chars();
            }
            '\\' => word.get_or_insert_default().extend(rest.next()),
            _ if character.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

fn item(text: &str) -> Field {
    let loose = text.contains(HOLE);
    Field { text: text.to_owned(), loose, glob: false, resolved: true }
}

pub(super) fn replaced(word: &Field, mark: &str, item: &Field) -> Field {
    if !word.text.contains(mark) {
        return word.clone();
    }
    Field { text: word.text.replace(mark, &item.text), loose: false, glob: false, resolved: true }
}
