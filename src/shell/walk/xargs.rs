//! `xargs` and `parallel`, which make commands from their input.

use super::recorder::Mode;
use super::stdout::unescaped;
use super::{Call, Io, Walker};
use crate::shell::field::{Field, joined};
use crate::shell::table::grammar::{GivenOptions, Grammar};
use crate::shell::{HOLE, Unreadable, limit};

/// One call more than are followed, so that the limit is noticed.
const MOST: usize = limit::BRACES + 1;

impl Walker<'_> {
    /// `xargs`: words from the input are appended, or replace a mark.
    pub(super) fn xargs(&mut self, given: &GivenOptions, at: usize, call: &Call) -> String {
        const LINES: &str = "L l max-lines";
        let mark = given.iter().rev().find(|option| option.is("I J R i replace"));
        let mark = mark.map(|option| option.value.as_ref().map_or("{}", |value| &value.text));
        // `-ix`: an old option, with the mark in the same word.
        let glued = call.words[..at].iter().find_map(|word| word.text.strip_prefix("-i"));
        let mark = mark.map(|mark| glued.filter(|glued| !glued.is_empty()).unwrap_or(mark));
        let file = given.iter().find(|option| option.is("a arg-file")).map(|option| {
            let path = option.value.as_ref().map_or("", |value| value.text.as_str());
            self.record_read(path, self.text_certainty(path));
            self.descriptors.text(path).map_or(HOLE.to_string(), str::to_owned)
        });
        let input = file.as_deref().or(call.io.stdin.as_deref()).unwrap_or("\u{FFFC}");
        let delimiter = given.value("d delimiter").and_then(|value| delimiter_of(&value.text));
        let by_line = mark.is_some() || given.has("d delimiter 0 null");
        let items: Vec<Field> = if let Some(delimiter) = delimiter {
            input.split(delimiter).filter(|text| !text.is_empty()).map(item).collect()
        } else if by_line {
            input.split(['\n', '\0']).filter(|line| !line.is_empty()).map(item).collect()
        } else {
            unquoted(input).iter().map(|word| item(word)).collect()
        };
        let most = given.iter().find(|option| option.is("n max-args"));
        let most: Option<usize> = most.and_then(|option| option.value.as_ref()?.text.parse().ok());
        // With a delimiter of its own, each item is a line.
        let per_line = given.has(LINES) && delimiter.is_some();
        let most = most.or(per_line.then_some(1)).filter(|most| *most > 0);
        // `-L 1`, `-l`: so many lines a call.
        let lines = given.has(LINES).then(|| {
            given.value(LINES).and_then(|value| value.text.parse().ok()).unwrap_or(1_usize)
        });
        let lines = lines
            .filter(|most_lines| *most_lines > 0 && mark.is_none() && most.is_none() && !by_line);
        let words = &call.words[at..];
        let mut calls = Vec::new();
        if let Some(mark) = mark.filter(|mark| !mark.is_empty()) {
            for item in items.iter().take(MOST) {
                calls.push(words.iter().map(|word| replaced(word, mark, item)).collect());
            }
        } else if let Some(most) = most.filter(|_| !items.is_empty()) {
            for items in items.chunks(most).take(MOST) {
                calls.push([words, items].concat());
            }
        } else {
            // One call with all of them, even if there are none.
            if !self.budget.spend(items.len() / 16) {
                return String::new();
            }
            calls.push([words, &items[..]].concat());
        }
        if let Some(most) = lines {
            let lines: Vec<&str> = input.lines().filter(|line| !line.trim().is_empty()).collect();
            for lines in lines.chunks(most).take(MOST) {
                let items = unquoted(&lines.join("\n"));
                calls.push(
                    words.iter().cloned().chain(items.iter().map(|text| item(text))).collect(),
                );
            }
        }
        // The calls that are left out would run, so the reading is not complete.
        if calls.len() >= MOST {
            self.fail(Unreadable::Work);
            calls.truncate(limit::BRACES);
        }
        let io = Io { stdin: None, capture: call.io.capture };
        // Unknown input may be no item or many.
        let mode = Mode { conditional: input.contains(HOLE), ..Mode::default() };
        let mut output = String::new();
        for words in calls {
            if !self.budget.spend(1) {
                break;
            }
            let call = Call { io: io.clone(), ..call.with_words(words) };
            output.push_str(&self.with_mode(mode, |walker| walker.inner_call(call)));
        }
        output
    }

    /// GNU parallel: a template, and behind `:::` the items for it.
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

/// The words of an input, in the quoting of `xargs`. With an unclosed quote, blanks alone separate.
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

/// The separator in `-d ,`, `-d '\n'`, `-d '\x2c'`.
fn delimiter_of(text: &str) -> Option<char> {
    let sign = unescaped(text).chars().next()?;
    (sign != HOLE && (sign != '\\' || text == r"\\")).then_some(sign)
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
