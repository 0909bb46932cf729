//! What plain substitutions of `sed` and of `perl -p` make of a text: `s/literal/other/g`, `y/ab/cd/`.

use super::super::table::grammar::{Given, Grammar};
use super::super::{HOLE, foreign};
use super::field::Field;
use super::filter::{Room, by_line};
use super::script;
use std::collections::BTreeMap;

/// What the signs of a pattern mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Basic,
    Extended,
    Perl,
}

/// What a plain substitution of `sed` makes of a text. `None` where it is another script.
pub fn substituted(script: &str, input: &str) -> Option<String> {
    let room = &mut Room::default();
    edited(script, Dialect::Basic, input, room).filter(|_| !script.contains(HOLE))
}

/// What `sed` or `perl`, with these words behind its name, makes of a text: shows it or, if it is told
/// so and `in_place`, leaves it in a file. `None` where something in the words or the script is not
/// followed.
pub(super) fn edit(
    name: &str,
    words: &[&str],
    input: &str,
    in_place: bool,
    room: &mut Room,
) -> Option<String> {
    let (script, dialect, is_quiet) = match name {
        "sed" | "gsed" | "ssed" => of_sed(words, in_place)?,
        "perl" => (of_perl(words, in_place)?, Dialect::Perl, false),
        _ => return None,
    };
    if !foreign::read_sed(&script).is_empty() {
        return None;
    }
    let plain = if is_quiet { None } else { edited(&script, dialect, input, room) };
    plain.or_else(|| script::shown(&script, dialect, is_quiet, input, room))
}

/// The script among the words of `sed`, how its patterns are written, and whether it shows only what
/// it is told to.
fn of_sed(words: &[&str], in_place: bool) -> Option<(String, Dialect, bool)> {
    const SED: Grammar = Grammar { letters: "efl", long: &["expression", "file", "line-length"] };
    // `-i.bak`: the rest of the word is an ending.
    let is_ending = |it: &&str| it.starts_with("-i") || it.starts_with("--in-place");
    let (changes, words): (Vec<&str>, Vec<&str>) = words.iter().copied().partition(is_ending);
    // On some systems the ending is a word of its own.
    let words = words.into_iter().filter(|it| changes.is_empty() || !it.is_empty());
    let words: Vec<Field> = words.map(Field::literal).collect();
    let taken = SED.take(&words, 0);
    let (mut scripts, mut dialect) = (Vec::new(), Dialect::Basic);
    let mut is_quiet = false;
    for given in &taken.options {
        match given.name.as_str() {
            "e" | "expression" => scripts.push(given.value.as_ref()?.text.as_str()),
            "E" | "r" | "regexp-extended" => dialect = Dialect::Extended,
            "n" | "quiet" | "silent" => is_quiet = true,
            "u" | "unbuffered" | "s" | "separate" => {}
            _ => return None,
        }
    }
    let mut operands = taken.operands.iter().map(|place| words[*place].text.as_str());
    if scripts.is_empty() {
        scripts.push(operands.next()?);
    }
    let is_all = operands.next().is_none() && changes.is_empty() != in_place;
    is_all.then(|| (scripts.join("\n"), dialect, is_quiet))
}

/// The script among the words of `perl -pe`.
fn of_perl(words: &[&str], in_place: bool) -> Option<String> {
    const PERL: Grammar = Grammar { letters: "e", long: &[] };
    let (mut loops, mut changes) = (false, false);
    let mut kept = Vec::new();
    for word in words {
        // `-pi.bak`: the rest of the word is an ending.
        let letters = word.strip_prefix('-').map(|it| it.split_once('i').map_or(it, |it| it.0));
        let ending = word.strip_prefix('-').and_then(|it| it.split_once('i')).map(|it| it.1);
        match (letters, ending) {
            (Some(letters @ ("" | "p")), Some(ending)) if is_name(ending) => {
                changes = true;
                loops |= letters == "p";
            }
            _ => kept.push(Field::literal(word)),
        }
    }
    let taken = PERL.take(&kept, 0);
    let mut script = None;
    for Given { name, value, .. } in &taken.options {
        match (name.as_str(), value) {
            ("p", _) => loops = true,
            ("e", Some(value)) if script.is_none() => script = Some(value.text.clone()),
            _ => return None,
        }
    }
    script.filter(|_| loops && changes == in_place && taken.operands.is_empty())
}

fn is_name(ending: &str) -> bool {
    ending.is_empty() || ending.starts_with(['.', '~'])
}

/// The commands of a script, one after the other.
fn edited(script: &str, dialect: Dialect, input: &str, room: &mut Room) -> Option<String> {
    if !foreign::read_sed(script).is_empty() {
        return None;
    }
    let mut text: Option<String> = None;
    let mut rest = script.trim();
    while !rest.is_empty() {
        let mut parts = rest.chars();
        let verb = parts.next()?;
        let delimiter = parts.next()?;
        let is_sign = delimiter.is_ascii_punctuation() && !"\\;{}()[]<>'\"".contains(delimiter);
        // Behind `#`, perl takes it for a comment in some places.
        if !is_sign || dialect == Dialect::Perl && !"/|,!:@%".contains(delimiter) {
            return None;
        }
        let (from, after) = until(parts.as_str(), delimiter)?;
        let (to, after) = until(after, delimiter)?;
        let end = after.find([';', '\n']).unwrap_or(after.len());
        let flags = after[..end].trim_end();
        rest = after[end..].trim_start_matches([';', ' ', '\t', '\n']);
        let before = text.as_deref().unwrap_or(input);
        text = Some(match (verb, flags) {
            ('s', "" | "g") => {
                let change = Change { from: &from, to: &to, is_global: flags == "g", dialect };
                change.made_of(before, room)?
            }
            // Perl goes by ranges.
            ('y', "") if dialect != Dialect::Perl => exchanged(&from, &to, before, room)?,
            _ => return None,
        });
    }
    text
}

/// The text before the next delimiter, and what is behind that. A delimiter that means nothing else
/// is one of the text behind a backslash.
pub(super) fn until(text: &str, delimiter: char) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\n' => return None,
            '\\' => match characters.next()? {
                next if next == delimiter && "/,#@%!:_~".contains(next) => found.push(next),
                next => found.extend(['\\', next]),
            },
            _ if character == delimiter => return Some((found, characters.as_str())),
            _ => found.push(character),
        }
    }
    None
}

/// `y/from/to/`
fn exchanged(from: &str, to: &str, input: &str, room: &mut Room) -> Option<String> {
    let (from, to) = (letters(from)?, letters(to)?);
    if from.len() != to.len() {
        return None;
    }
    room.take(input.len())?;
    // The first of those that are the same counts.
    let mut changes: BTreeMap<char, char> = BTreeMap::new();
    for (own, other) in from.into_iter().zip(to) {
        changes.entry(own).or_insert(other);
    }
    let change = |line: &str| line.chars().map(|c| changes.get(&c).copied().unwrap_or(c)).collect();
    Some(by_line(input, |line| Some(change(line))))
}

/// The letters of a set of `y`. `None` where one of them is not known.
fn letters(set: &str) -> Option<Vec<char>> {
    let mut letters = Vec::new();
    let mut rest = set.chars();
    while let Some(letter) = rest.next() {
        letters.push(match letter {
            '\\' => match rest.next()? {
                'n' => '\n',
                '\\' => '\\',
                _ => return None,
            },
            HOLE => return None,
            letter => letter,
        });
    }
    Some(letters)
}

/// `s/from/to/`
#[derive(Debug, Clone, Copy)]
struct Change<'a> {
    from: &'a str,
    to: &'a str,
    is_global: bool,
    dialect: Dialect,
}

impl Change<'_> {
    fn made_of(self, input: &str, room: &mut Room) -> Option<String> {
        let Self { from, to, is_global, .. } = self;
        if from.contains(HOLE) {
            return None;
        }
        if self.takes_all() {
            return self.around_all(input, room);
        }
        // Perl puts variables in their places.
        let is_variable = |c: char| self.dialect == Dialect::Perl && matches!(c, '$' | '@');
        if to.contains(['\\', '&']) || to.contains(is_variable) {
            return None;
        }
        let of_lines = |room: &mut Room, change: &dyn Fn(&str) -> String| {
            room.take(input.len() + input.lines().count() * (to.len() + 1))?;
            Some(by_line(input, |line| Some(change(line))))
        };
        match from {
            "^" => return of_lines(room, &|line| format!("{to}{line}")),
            "$" => return of_lines(room, &|line| format!("{line}{to}")),
            _ => {}
        }
        // `s/^a/b/`: where a line begins so.
        if let Some(from) = from.strip_prefix('^').filter(|it| self.is_plain(it)) {
            return of_lines(room, &|line| match line.strip_prefix(from) {
                Some(rest) => format!("{to}{rest}"),
                None => line.to_owned(),
            });
        }
        if let Some(from) = from.strip_suffix('$').filter(|it| self.is_plain(it)) {
            return of_lines(room, &|line| match line.strip_suffix(from) {
                Some(rest) => format!("{rest}{to}"),
                None => line.to_owned(),
            });
        }
        if from.is_empty() || !self.is_plain(from) {
            return None;
        }
        if !is_global {
            return of_lines(room, &|line| line.replacen(from, to, 1));
        }
        room.take(input.len() + input.matches(from).count() * to.len())?;
        Some(by_line(input, |line| Some(line.replace(from, to))))
    }

    /// Whether each sign of a pattern stands for itself.
    fn is_plain(self, pattern: &str) -> bool {
        let special: &[char] = match self.dialect {
            Dialect::Basic => &['\\', '*', '[', '^', '$', '.'],
            Dialect::Extended => {
                &['\\', '*', '[', '^', '$', '.', '+', '?', '(', ')', '{', '}', '|']
            }
            Dialect::Perl => {
                &['\\', '*', '[', '^', '$', '.', '+', '?', '(', ')', '{', '}', '|', '@', '#']
            }
        };
        !pattern.contains(special)
    }

    fn takes_all(self) -> bool {
        match self.from {
            ".*" | "^.*$" | "^.*" => true,
            "(.*)" | "^(.*)$" => self.dialect != Dialect::Basic,
            r"\(.*\)" | r"^\(.*\)$" => self.dialect == Dialect::Basic,
            _ => false,
        }
    }

    /// The whole line, as `&` or as the first group.
    fn around_all(self, input: &str, room: &mut Room) -> Option<String> {
        let is_perl = self.dialect == Dialect::Perl;
        // Perl knows neither `&` nor an end to what it finds.
        if is_perl && (self.is_global || self.to.contains(['&', '$', '@'])) {
            return None;
        }
        let to = self.to.replace(r"\1", "&");
        let times = to.matches('&').count();
        let lines = input.lines().count();
        let made = times.checked_mul(input.len())?.checked_add(lines.checked_mul(to.len() + 1)?)?;
        if to.contains('\\') {
            return None;
        }
        room.take(made)?;
        Some(by_line(input, |line| Some(to.replace('&', line))))
    }
}
