//! Programs that make commands of their input: `xargs`, `parallel`.

use super::call::Call;
use super::stdout::{unescaped, unknown_output};
use super::{Walker, limit};
use crate::shell::field::{Field, joined};
use crate::shell::table::grammar::{Given, Grammar};
use crate::shell::{HOLE, Unreadable};

/// One call more than are followed, which says that there are more.
const MOST: usize = limit::BRACES + 1;

impl Walker<'_> {
    /// `xargs`: words from the input are added, or put in the place of a mark.
    pub(super) fn extended(&mut self, given: &[Given], at: usize, call: &Call) -> String {
        let has = |names: &[&str]| given.iter().any(|given| names.contains(&given.name.as_str()));
        let mark = given
            .iter()
            .rev()
            .find(|given| matches!(given.name.as_str(), "I" | "J" | "R" | "i" | "replace"))
            .map(|given| given.value.as_ref().map_or("{}", |value| value.text.as_str()));
        // `-ix`: the mark of an old option stands in the same word.
        let glued = call.words[..at].iter().find_map(|word| word.text.strip_prefix("-i"));
        let mark = mark.map(|it| glued.filter(|it| !it.is_empty()).unwrap_or(it));
        let input = call.io.stdin.as_deref().unwrap_or("\u{FFFC}");
        let file = given.iter().find(|g| matches!(g.name.as_str(), "a" | "arg-file"));
        let file = file.map(|given| {
            let path = given.value.as_ref().map_or("", |value| value.text.as_str());
            self.record_read(path, self.text_certainty(path));
            self.content(path).unwrap_or(HOLE.to_string())
        });
        let input = file.as_deref().unwrap_or(input);
        let delimiter =
            given.iter().rev().find(|option| matches!(&*option.name, "d" | "delimiter"));
        let delimiter = delimiter.and_then(|option| delimiter_of(&option.value.as_ref()?.text));
        let by_line = mark.is_some() || has(&["d", "delimiter", "0", "null"]);
        let items: Vec<Field> = if let Some(delimiter) = delimiter {
            input.split(delimiter).filter(|it| !it.is_empty()).map(item).collect()
        } else if by_line {
            input.split(['\n', '\0']).filter(|line| !line.is_empty()).map(item).collect()
        } else {
            unquoted(input).iter().map(|word| item(word)).collect()
        };
        let most = given.iter().find(|option| matches!(option.name.as_str(), "n" | "max-args"));
        let most: Option<usize> = most.and_then(|option| option.value.as_ref()?.text.parse().ok());
        // What a delimiter of its own ends, is a line.
        let per_line =
            given.iter().any(|option| matches!(option.name.as_str(), "L" | "l" | "max-lines"));
        let most = most.or((per_line && delimiter.is_some()).then_some(1)).filter(|it| *it > 0);
        // `-L 1`, `-l`: so many lines a call.
        let lines = given
            .iter()
            .rev()
            .find(|option| matches!(option.name.as_str(), "L" | "l" | "max-lines"));
        let lines: Option<usize> = lines.map(|option| {
            option.value.as_ref().and_then(|option| option.text.parse().ok()).unwrap_or(1)
        });
        let lines = lines.filter(|it| *it > 0 && mark.is_none() && most.is_none() && !by_line);
        let io = super::Io { stdin: None, capture: call.io.capture };
        let words = &call.words[at..];
        let mut output = String::new();
        let mut calls = Vec::new();
        if let Some(mark) = mark.filter(|mark| !mark.is_empty()) {
            for item in items.iter().take(MOST) {
                calls.push(words.iter().map(|word| replaced(word, mark, item)).collect());
            }
        // Without input it runs once all the same.
        } else if let Some(most) = most.filter(|_| !items.is_empty()) {
            for items in items.chunks(most).take(MOST) {
                calls.push([words, items].concat());
            }
        } else {
            // All are words of one call.
            if !self.spend(items.len() / 16) {
                return output;
            }
            calls.push([words, &items[..]].concat());
        }
        if let Some(most) = lines {
            let texts: Vec<&str> = input.lines().filter(|it| !it.trim().is_empty()).collect();
            for texts in texts.chunks(most).take(MOST) {
                let own = unquoted(&texts.join("\n"));
                calls.push(words.iter().cloned().chain(own.iter().map(|it| item(it))).collect());
            }
        }
        // What is cut would have run.
        if calls.len() >= MOST {
            self.fail(Unreadable::Work);
            calls.truncate(limit::BRACES);
        }
        // What is not known may be many items.
        let is_open = input.contains(HOLE);
        for words in calls {
            if !self.spend(1) {
                break;
            }
            let call = Call { io: io.clone(), ..call.with_words(words) };
            let walk = |walker: &mut Self| walker.enter(|walker| walker.call(call));
            output.push_str(&if is_open { self.perhaps(walk) } else { walk(self) });
        }
        output
    }

    /// GNU parallel: a template, and after `:::` what it is filled with.
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
            if !self.spend(1) {
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
            self.resolved += 1;
            self.nested_code(&line, &super::Io::default());
            self.resolved -= 1;
        }
        unknown_output(call)
    }
}

/// The words of an input as `xargs` takes them apart. Of one with a quote that nothing closes, as
/// blanks do.
fn unquoted(input: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = input.chars();
    while let Some(character) = rest.next() {
        match character {
            '"' | '\'' => {
                let Some((text, behind)) = rest.as_str().split_once(character) else {
                    let plain = |it: &str| it.trim_matches(['"', '\'']).to_owned();
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

/// `-d ,`, `-d '\n'`, `-d '\x2c'`: the sign between items.
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
