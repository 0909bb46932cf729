//! Filters that leave out lines, or put them in order: `grep`, `head`, `tail`, `sort`, `uniq`.

use super::super::HOLE;
use super::super::table::grammar::{Grammar, Taken};
use super::field::Field;
use super::filter::{Room, by_line};

/// The options of grep that take a value.
pub(super) const GREP: Grammar = Grammar {
    letters: "ABCmefdD",
    long: &[
        "after-context",
        "before-context",
        "context",
        "max-count",
        "regexp",
        "file",
        "color",
        "colour",
        "binary-files",
        "directories",
        "devices",
        "include",
        "exclude",
        "label",
    ],
};

/// The lines that `grep` finds.
pub(super) fn grep(name: &str, words: &[&str], input: &str, room: &mut Room) -> Option<String> {
    /// Such as leave lines as they are.
    const PLAIN: &[&str] = &[
        "E",
        "F",
        "G",
        "P",
        "h",
        "a",
        "s",
        "text",
        "no-filename",
        "no-messages",
        "line-buffered",
        "extended-regexp",
        "fixed-strings",
        "basic-regexp",
        "perl-regexp",
    ];
    const INVERTED: &[&str] = &["v", "invert-match"];
    const ANY_CASE: &[&str] = &["i", "y", "ignore-case"];
    const ONLY: &[&str] = &["o", "only-matching"];
    /// Such as say which lines are found, in a way that is not followed.
    const SOME: &[&str] = &[
        "w",
        "x",
        "A",
        "B",
        "C",
        "m",
        "word-regexp",
        "line-regexp",
        "after-context",
        "before-context",
        "context",
        "max-count",
    ];
    let words: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
    let taken = GREP.take(&words, 0);
    let is_known = |name: &str| {
        let names = [PLAIN, INVERTED, ANY_CASE, ONLY, SOME, &["e", "regexp"]];
        names.iter().any(|it| it.contains(&name))
    };
    let is_colour = |it: &&str| matches!(*it, "color" | "colour");
    for given in &taken.options {
        let name = given.name.as_str();
        let value = given.value.as_ref().map(|it| it.text.as_str());
        let is_context = name.bytes().all(|it| it.is_ascii_digit());
        let is_plain = is_colour(&name) && matches!(value, None | Some("auto" | "never"));
        if !(is_known(name) || is_context || is_plain) {
            return None;
        }
    }
    let is_number = taken.options.iter().any(|it| it.name.bytes().all(|it| it.is_ascii_digit()));
    let mut given = taken.options.iter().filter(|it| matches!(it.name.as_str(), "e" | "regexp"));
    let mut operands = taken.operands.iter().map(|place| words[*place].text.as_str());
    let pattern = match given.next() {
        Some(first) => first.value.as_ref()?.text.as_str(),
        None => operands.next()?,
    };
    if operands.next().is_some() {
        return None;
    }
    let is_one = given.next().is_none();
    if taken.has(ONLY) {
        let is_plain = taken.options.iter().all(|it| it.is(PLAIN) || it.is(ONLY));
        return only_matching(pattern, input)
            .filter(|_| is_plain && is_one && !input.contains(HOLE));
    }
    let plain = Plain::of(pattern, taken.has(&["F", "fixed-strings"]) || name == "fgrep");
    let Some(plain) = plain.filter(|_| is_one && !is_number && !taken.has(SOME)) else {
        // Of the lines that are found all may be some.
        room.is_part = true;
        return Some(input.to_owned());
    };
    let any_case = taken.has(ANY_CASE);
    let is_inverted = taken.has(INVERTED);
    let finds = |line: &str| plain.is_in(line, any_case) != is_inverted;
    // A pattern of files may come to what is looked for, and what is unknown may hold it.
    let may_be = |line: &str| line.contains(['*', '?', '[', HOLE]);
    room.is_part |= input.lines().any(|it| it.contains(HOLE) || may_be(it) && !finds(it));
    let is_shown = |line: &str| may_be(line) || finds(line);
    Some(by_line(input, |line| is_shown(line).then(|| line.to_owned())))
}

/// A pattern of which each sign stands for itself, but for those at its ends.
struct Plain<'a> {
    text: &'a str,
    begins: bool,
    ends: bool,
}

impl<'a> Plain<'a> {
    fn of(pattern: &'a str, is_fixed: bool) -> Option<Self> {
        let is_plain = |text: &str| {
            text.chars().all(|c| c.is_alphanumeric() || " -_/=:,@%#\"';<>~!&".contains(c))
        };
        let rest = pattern.strip_prefix('^').unwrap_or(pattern);
        let text = rest.strip_suffix('$').unwrap_or(rest);
        let (begins, ends) = (rest.len() < pattern.len(), text.len() < rest.len());
        (is_plain(text) && !(is_fixed && (begins || ends))).then_some(Self { text, begins, ends })
    }

    fn is_in(&self, line: &str, any_case: bool) -> bool {
        if any_case {
            let (text, line) = (self.text.to_lowercase(), line.to_lowercase());
            return Plain { text: &text, ..*self }.is_in(&line, false);
        }
        match (self.begins, self.ends) {
            (true, true) => line == self.text,
            (true, false) => line.starts_with(self.text),
            (false, true) => line.ends_with(self.text),
            (false, false) => line.contains(self.text),
        }
    }
}

/// `grep -o`: what stands between a plain beginning of the pattern and the line's end, or the plain
/// pattern itself.
fn only_matching(pattern: &str, input: &str) -> Option<String> {
    let is_anchored = pattern.starts_with('^');
    let pattern = pattern.trim_start_matches('^');
    let (start, is_open) = match pattern.strip_suffix(".*").or(pattern.strip_suffix(".*$")) {
        Some(start) => (start, true),
        None => (pattern, false),
    };
    if start.is_empty() || !start.chars().all(|c| c.is_alphanumeric() || " -_/".contains(c)) {
        return None;
    }
    Some(by_line(input, |line| {
        let at = line.find(start).filter(|at| !is_anchored || *at == 0)?;
        if is_open {
            return Some(line[at..].to_owned());
        }
        let count = if is_anchored { 1 } else { line.matches(start).count() };
        Some(vec![start; count].join("\n"))
    }))
}

/// `head -n 3`, `head -3`, `head -n -1`, `tail -n +2`, `tail -c 3`
pub(super) fn end(name: &str, words: &[&str], input: &str, room: &Room) -> Option<String> {
    const END: Grammar = Grammar { letters: "nc", long: &["lines", "bytes"] };
    // `tail +2`
    let old = words.first().filter(|it| name == "tail" && it.starts_with('+'));
    let words: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
    let taken = END.take(&words, usize::from(old.is_some()));
    if !taken.operands.is_empty() {
        return None;
    }
    let (count, of_bytes) = match &taken.options[..] {
        [] => (old.map_or("10", |it| *it).to_owned(), false),
        [given] if given.is(&["n", "lines"]) => (given.value.as_ref()?.text.clone(), false),
        [given] if given.is(&["c", "bytes"]) => (given.value.as_ref()?.text.clone(), true),
        // `-12`
        digits => (digits.iter().map(|it| it.name.as_str()).collect(), false),
    };
    let number: usize = count.trim_start_matches(['+', '-']).parse().ok()?;
    // Which of the lines it gets to see, is not known.
    if room.is_part && !of_bytes {
        return Some(input.to_owned());
    }
    let all = if of_bytes { input.len() } else { input.lines().count() };
    let kept = match (name, &count[..1]) {
        ("head", "-") => 0..all.saturating_sub(number),
        ("head", _) => 0..number.min(all),
        (_, "+") => number.saturating_sub(1).min(all)..all,
        _ => all.saturating_sub(number)..all,
    };
    if of_bytes {
        // The bytes of what is not known are not known, and some letters have several.
        return (input.is_ascii() && !room.is_part).then(|| input[kept].to_owned());
    }
    let lines = input.lines().skip(kept.start).take(kept.len());
    Some(lines.flat_map(|line| [line, "\n"]).collect())
}

/// `sort -u`, `sort -r`
pub(super) fn sort(words: &[&str], input: &str, room: &mut Room) -> Option<String> {
    const SORT: Grammar = Grammar {
        letters: "ktoST",
        long: &["key", "field-separator", "output", "sort", "buffer-size", "parallel"],
    };
    let taken = taken(&SORT, words).filter(|it| it.operands.is_empty())?;
    if taken.has(&["o", "output", "c", "C", "check", "z"]) {
        return None;
    }
    const REVERSED: &[&str] = &["r", "reverse"];
    const UNIQUE: &[&str] = &["u", "unique"];
    // By other keys it is another order, in which others may be the same.
    if !taken.options.iter().all(|it| it.is(REVERSED) || it.is(UNIQUE)) {
        room.is_part = true;
        return Some(input.to_owned());
    }
    let mut lines: Vec<&str> = input.lines().collect();
    lines.sort_unstable();
    if taken.may_have(REVERSED) {
        lines.reverse();
    }
    if taken.may_have(UNIQUE) {
        lines.dedup();
    }
    Some(lines.into_iter().flat_map(|line| [line, "\n"]).collect())
}

/// Of lines beside each other that are the same, the first.
pub(super) fn uniq(words: &[&str], input: &str, room: &mut Room) -> Option<String> {
    const UNIQ: Grammar = Grammar {
        letters: "fsw",
        long: &["skip-fields", "skip-chars", "check-chars", "all-repeated", "group"],
    };
    let taken = taken(&UNIQ, words).filter(|it| it.operands.is_empty())?;
    if taken.has(&["c", "count", "z", "group", "all-repeated"]) {
        return None;
    }
    if !taken.options.is_empty() || room.is_part {
        room.is_part = true;
        return Some(input.to_owned());
    }
    let mut lines: Vec<&str> = input.lines().collect();
    lines.dedup();
    Some(lines.into_iter().flat_map(|line| [line, "\n"]).collect())
}

fn taken(grammar: &Grammar, words: &[&str]) -> Option<Taken> {
    let words: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
    let is_known = !words.iter().any(Field::has_hole);
    is_known.then(|| grammar.take(&words, 0))
}
