//! `read`, `mapfile`: what variables get from an input, line by line, split as `IFS` says.

use super::super::HOLE;
use super::super::table::grammar::Grammar;
use super::call::Call;
use super::env::Value;
use super::simple::put_at;
use super::{Walker, limit};

impl Walker<'_> {
    /// `read a b`: one of the lines of the input, in a loop any of them.
    pub(super) fn read(&mut self, name: &str, call: &Call) {
        let grammar =
            Grammar { letters: if name == "read" { "adinNptu" } else { "dnOsuCc" }, long: &[] };
        let taken = grammar.take(&call.words, 1);
        let names: Vec<String> = taken
            .operands
            .iter()
            .map(|place| call.words[*place].text.clone())
            .chain(taken.value(&["a"]).map(|field| field.text.clone()))
            .collect();
        // `-u 5`, and else what `exec < file` has opened.
        let numbered = taken.value(&["u"]).map(|it| format!("/dev/fd/{}", it.text));
        let numbered = numbered.map(|path| self.content(&path).unwrap_or(HOLE.to_string()));
        let opened = call.io.stdin.clone().or_else(|| self.stdin.clone());
        let input = numbered.as_deref().or(opened.as_deref()).unwrap_or("\u{FFFC}");
        // Those before the command itself are in force, too.
        let own = call.assignments.iter().rev().find(|(name, _)| name == "IFS");
        let ifs = own.map(|(_, text)| text.clone()).or_else(|| {
            let variable = self.env.variable("IFS")?;
            Some(variable.values.first()?.scalar().to_owned())
        });
        // What is not known may be what it always is.
        let ifs = ifs.filter(|it| !it.contains(HOLE)).unwrap_or_else(|| " \t\n".to_owned());
        let delimiter =
            taken.value(&["d"]).map_or('\n', |it| it.text.chars().next().unwrap_or('\0'));
        let lines = input.split(delimiter).map(|it| it.trim_end_matches(['\r', '\n']));
        // `mapfile -s 2` leaves out the first two.
        let first = taken.value(&["s"]).filter(|_| name != "read");
        let first = first.and_then(|it| it.text.trim().parse().ok()).unwrap_or(0);
        let lines = lines.skip(first);
        let lines: Vec<&str> = if name == "read" {
            let mut lines = lines.filter(|line| !line.is_empty()).skip(self.lines_read);
            let near: Vec<&str> = lines.by_ref().take(limit::VALUES).collect();
            // The loop comes again for those.
            self.more_lines |= lines.next().is_some();
            near
        } else {
            let ended = input.strip_suffix(delimiter).unwrap_or(input);
            let count = ended.split(delimiter).count().saturating_sub(first).min(limit::ELEMENTS);
            let most = taken.value(&["n"]).and_then(|it| it.text.trim().parse().ok());
            let most = most.filter(|it| *it > 0).unwrap_or(usize::MAX);
            if !self.spend(count.min(most) / 16) {
                return;
            }
            lines.take(count.min(most)).collect()
        };
        if name != "read" || taken.has(&["a"]) {
            let elements = lines
                .iter()
                .flat_map(|line| if name == "read" { split(line, &ifs) } else { vec![*line] });
            let texts: Vec<String> = elements.map(str::to_owned).collect();
            let target = names.last().map_or("MAPFILE", String::as_str);
            // `-O 2`: from there on, what stands before it stays.
            let from = taken.value(&["O"]).filter(|_| name != "read").map(|it| it.text.clone());
            let from = from.map(|it| self.counted(&it).and_then(|it| usize::try_from(it).ok()));
            let kept = match self.env.variable(target) {
                Some(variable) if from.is_some() => variable.values.clone(),
                _ => vec![Value::Array(Vec::new())],
            };
            let mut values: Vec<Value> =
                kept.into_iter().map(|it| self.filled(it, from, &texts)).collect();
            if input == "\u{FFFC}"
                && let Some(before) = self.env.variable(target)
            {
                values.extend(before.values.iter().cloned());
            }
            self.given_value(target, values);
            return;
        }
        let names = if names.is_empty() { vec!["REPLY".to_owned()] } else { names };
        for (place, name) in names.iter().enumerate() {
            let last = place + 1 == names.len();
            let values = lines.iter().map(|line| {
                let mut rest = without_blanks(line, &ifs);
                for _ in 0..place {
                    rest = next_field(rest, &ifs).1;
                }
                let text = if last { rest } else { next_field(rest, &ifs).0 };
                Value::Text(text.to_owned())
            });
            let mut values: Vec<Value> = values.collect();
            // What cannot be read leaves it as it is.
            if input == "\u{FFFC}"
                && let Some(before) = self.env.variable(name)
            {
                values.extend(before.values.iter().cloned());
            }
            if name.contains('[') {
                for value in values {
                    self.put_element(name, value.scalar().to_owned());
                }
            } else {
                self.given_value(name, values);
            }
        }
    }

    /// An array with texts in it from a place on, or behind all others.
    fn filled(&mut self, kept: Value, from: Option<Option<usize>>, texts: &[String]) -> Value {
        let mut elements = kept.into_elements();
        let from = from.map_or(0, |it| it.unwrap_or(elements.len()));
        let fresh = texts.iter().cloned().enumerate();
        let fresh = fresh.map(|(place, text)| (from.saturating_add(place).to_string(), text));
        self.spend(elements.len() / 4);
        if elements.is_empty() {
            elements = fresh.collect();
        } else {
            // Those that stand there already are few, or paid for each time.
            for (key, text) in fresh {
                if !self.spend(elements.len() / 16) {
                    break;
                }
                put_at(&mut elements, key, text);
            }
        }
        Value::Array(elements)
    }
}

/// Text without the blanks of `IFS` around it.
fn without_blanks<'a>(text: &'a str, ifs: &str) -> &'a str {
    text.trim_matches(|c: char| c.is_whitespace() && ifs.contains(c))
}

/// The first field of a line as `IFS` splits it, and what follows its separator.
fn next_field<'a>(text: &'a str, ifs: &str) -> (&'a str, &'a str) {
    let is_blank = |c: char| c.is_whitespace() && ifs.contains(c);
    let Some(end) = text.find(|c: char| ifs.contains(c)) else { return (text, "") };
    let (field, rest) = text.split_at(end);
    let rest = rest.trim_start_matches(is_blank);
    // Of signs that are no blanks one is one separator.
    let mut after = rest.chars();
    let is_sign = after.next().is_some_and(|c| ifs.contains(c));
    (field, if is_sign { after.as_str().trim_start_matches(is_blank) } else { rest })
}

/// All fields of a line as `IFS` splits it.
fn split<'a>(line: &'a str, ifs: &str) -> Vec<&'a str> {
    let mut rest = without_blanks(line, ifs);
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (field, after) = next_field(rest, ifs);
        fields.push(field);
        rest = after;
    }
    fields
}
