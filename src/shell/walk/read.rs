//! `read` and `mapfile`: what the input makes of variables.

use super::super::table::grammar::{Grammar, Taken};
use super::super::{HOLE, Unreadable};
use super::call::Call;
use super::env::Value;
use super::simple::put_at;
use super::{Walker, limit};
use std::rc::Rc;

impl Walker<'_> {
    /// `read a b`: one of the lines of the input, in a loop any of them.
    pub(super) fn read(&mut self, name: &str, call: &Call) {
        let letters = if name == "read" { "adinNptu" } else { "dnOsuCc" };
        let taken = Grammar { letters, long: &[] }.take(&call.words, 1);
        // `-u 5`, and else what `exec < file` has opened.
        let numbered = taken.value(&["u"]).map(|it| format!("/dev/fd/{}", it.text));
        let numbered = numbered.map(|path| self.content(&path).unwrap_or(HOLE.to_string()));
        let opened = call.io.stdin.clone().or_else(|| self.stdin.clone());
        let input = numbered.as_deref().or(opened.as_deref()).unwrap_or("\u{FFFC}");
        let delimiter =
            taken.value(&["d"]).map_or('\n', |it| it.text.chars().next().unwrap_or('\0'));
        if name == "read" {
            self.has_read(opened.as_ref());
            self.read_line(input, delimiter, &taken, call);
        } else {
            self.read_lines(input, delimiter, &taken, call);
        }
    }

    /// Counts the lines that are taken of one input, one by one.
    fn has_read(&mut self, input: Option<&Rc<str>>) {
        let before = self.last_read.take();
        self.last_read = input.map(|input| match before {
            Some((same, count)) if Rc::ptr_eq(&same, input) => (same, count + 1),
            _ => (Rc::clone(input), 1),
        });
    }

    /// `mapfile -t a`
    fn read_lines(&mut self, input: &str, delimiter: char, taken: &Taken, call: &Call) {
        let number =
            |name: &str| taken.value(&[name]).and_then(|it| it.text.trim().parse::<usize>().ok());
        // `-s 2` leaves out the first two; of `-n 0` all are taken.
        let first = number("s").unwrap_or(0);
        let most = number("n").filter(|it| *it > 0).unwrap_or(usize::MAX);
        let input = input.strip_suffix(delimiter).unwrap_or(input);
        let lines = input.split(delimiter).map(|it| it.trim_end_matches(['\r', '\n']));
        let mut texts: Vec<&str> = lines.skip(first).take(most.min(limit::ELEMENTS + 1)).collect();
        if texts.len() > limit::ELEMENTS {
            self.fail(Unreadable::Work);
        }
        if input.is_empty() {
            texts.clear();
        }
        if !self.spend(texts.len() / 16) {
            return;
        }
        let target = taken.operands.last().map(|place| call.words[*place].text.clone());
        let target = target.as_deref().unwrap_or("MAPFILE");
        // `-O 2`: from there on, what stands before it stays.
        let from = taken.value(&["O"]).map(|it| it.text.clone());
        let from = from.map(|it| self.counted(&it).and_then(|it| usize::try_from(it).ok()));
        let kept = match self.env.variable(target) {
            Some(variable) if from.is_some() => variable.values.clone(),
            _ => vec![Value::Array(Vec::new())],
        };
        let values = kept.into_iter().map(|it| {
            let elements = it.into_elements();
            let from = from.map_or(0, |it| it.unwrap_or(elements.len()));
            self.filled(elements, from, &texts)
        });
        let values = values.collect();
        self.read_perhaps(target, values, input);
    }

    /// An array with texts in it from a place on.
    fn filled(
        &mut self,
        mut elements: Vec<(String, String)>,
        from: usize,
        texts: &[&str],
    ) -> Value {
        let fresh = texts
            .iter()
            .enumerate()
            .map(|(place, text)| (from.saturating_add(place).to_string(), (*text).to_owned()));
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

    /// A variable gets what was read; of an input that nobody knows it may not come to that.
    fn read_perhaps(&mut self, name: &str, mut values: Vec<Value>, input: &str) {
        if input == "\u{FFFC}"
            && let Some(before) = self.env.variable(name)
        {
            values.extend(before.values.iter().cloned());
        }
        // Whoever feeds it may stand before it.
        let runs = self.reading.runs.len();
        self.keeps(name, &values, self.suspects.from.unwrap_or(runs));
        self.given_value(name, values);
    }

    fn read_line(&mut self, input: &str, delimiter: char, taken: &Taken, call: &Call) {
        let ifs = self.separators_of(call);
        let is_raw = taken.has(&["r"]) || !input.contains('\\');
        if !is_raw && !self.spend(input.len() / 1024) {
            return;
        }
        // A backslash at its end goes on with the next line.
        let joined = (!is_raw).then(|| input.replace("\\\n", ""));
        let input = joined.as_deref().unwrap_or(input);
        let count =
            |name: &str| taken.value(&[name]).map(|it| it.text.trim().parse().unwrap_or(0_usize));
        let lines = input.split(delimiter).map(|it| it.trim_end_matches(['\r', '\n']));
        // So many letters of it, and in a loop so many more of them.
        let parts = match (count("n"), count("N")) {
            (None, None) => {
                let lines = lines.filter(|it| !it.is_empty());
                // Another input than the loop's is read from its beginning.
                let is_loops = lines.clone().nth(self.lines_read).is_some();
                // Of those that were read before, one or the other may not have been.
                let read = self.last_read.as_ref().map_or(0, |it| it.1);
                let from = match is_loops {
                    true if self.again > 0 => self.lines_read,
                    true => read.saturating_sub(limit::VALUES),
                    false => 0,
                };
                let mut lines = lines.skip(from);
                let near: Vec<String> =
                    lines.by_ref().take(limit::VALUES).map(str::to_owned).collect();
                // The loop comes again for those.
                self.more_lines |= lines.next().is_some();
                near
            }
            (_, Some(most)) => chunks([input].into_iter(), most),
            (Some(most), None) => chunks(lines, most),
        };
        let lines: Vec<Line> = parts
            .iter()
            .filter(|it| !it.is_empty())
            .map(|text| Line { text, ifs: &ifs, is_raw, is_whole: taken.has(&["N"]) })
            .collect();
        if let Some(target) = taken.value(&["a"]) {
            let elements = |line: &Line| {
                let fields = line.fields().into_iter().zip(0..);
                Value::Array(fields.map(|(text, at)| (at.to_string(), text)).collect())
            };
            let mut values: Vec<Value> = lines.iter().map(elements).collect();
            if values.is_empty() {
                values.push(Value::Array(Vec::new()));
            }
            self.read_perhaps(&target.text, values, input);
            return;
        }
        let mut names: Vec<&str> =
            taken.operands.iter().map(|place| call.words[*place].text.as_str()).collect();
        if names.is_empty() {
            names.push("REPLY");
        }
        for (place, name) in names.iter().enumerate() {
            let last = place + 1 == names.len();
            let values = lines.iter().map(|line| Value::Text(line.field(place, last)));
            let values: Vec<Value> = values.collect();
            if name.contains('[') {
                for value in values {
                    self.put_element(name, value.scalar().to_owned());
                }
            } else {
                self.read_perhaps(name, values, input);
            }
        }
    }

    /// `IFS`: one before the command itself is in force, too.
    fn separators_of(&mut self, call: &Call) -> String {
        let own = call.assignments.iter().rev().find(|(name, _)| name == "IFS");
        // What is not known may be what it always is.
        match own {
            Some((_, text)) if text.contains(HOLE) => " \t\n".to_owned(),
            Some((_, text)) => text.clone(),
            None => self.separators().to_owned(),
        }
    }
}

/// Texts in pieces of so many letters.
fn chunks<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for text in texts {
        let mut rest = text.chars();
        while most > 0 && parts.len() <= limit::VALUES {
            // What is not known may be of any length.
            if text.contains(HOLE) {
                parts.push(HOLE.to_string());
                break;
            }
            let part: String = rest.by_ref().take(most).collect();
            if part.is_empty() {
                break;
            }
            parts.push(part);
        }
    }
    parts
}

/// A line that is split.
struct Line<'a> {
    text: &'a str,
    ifs: &'a str,
    /// A backslash is one of its letters.
    is_raw: bool,
    /// It is not split at all.
    is_whole: bool,
}

impl Line<'_> {
    /// The field at a place; the last one takes all that follows.
    fn field(&self, place: usize, last: bool) -> String {
        if self.is_whole {
            return if place == 0 { self.bare(self.text) } else { String::new() };
        }
        if self.splits_otherwise() && (place > 0 || !last) {
            return HOLE.to_string();
        }
        let mut rest = without_blanks(self.text, self.ifs);
        for _ in 0..place {
            rest = next_field(rest, self.ifs).1;
        }
        self.bare(if last { rest } else { next_field(rest, self.ifs).0 })
    }

    fn fields(&self) -> Vec<String> {
        if self.splits_otherwise() {
            return vec![HOLE.to_string()];
        }
        let mut rest = without_blanks(self.text, self.ifs);
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let (field, after) = next_field(rest, self.ifs);
            fields.push(self.bare(field));
            rest = after;
        }
        fields
    }

    /// Whether a backslash keeps a sign from being a separator.
    fn splits_otherwise(&self) -> bool {
        let mut after = self.text.split('\\').skip(1);
        !self.is_raw && after.any(|it| it.starts_with(|c| self.ifs.contains(c)))
    }

    /// A backslash is taken away, and what is behind it stands.
    fn bare(&self, text: &str) -> String {
        if self.is_raw {
            return text.to_owned();
        }
        let mut bare = String::with_capacity(text.len());
        let mut rest = text.chars();
        while let Some(character) = rest.next() {
            bare.extend(if character == '\\' { rest.next() } else { Some(character) });
        }
        bare
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
