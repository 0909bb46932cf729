//! Filters that go by characters and fields: `tr`, `cut`, and letters moved on.

use super::super::table::grammar::Grammar;
use super::field::Field;
use super::filter::by_line;
use std::collections::{BTreeMap, BTreeSet};

/// By thirteen places.
pub(super) fn rotated(character: char) -> char {
    let base = match character {
        'a'..='z' => b'a',
        'A'..='Z' => b'A',
        _ => return character,
    };
    let place = u32::from(character) - u32::from(base);
    char::from_u32(u32::from(base) + (place + 13) % 26).unwrap_or(character)
}

/// `tr from to`, `tr -d characters`, `tr -dc characters`, `tr -s characters`
pub(super) fn translated(words: &[&str], input: &str) -> Option<String> {
    let is_option = |it: &&&str| it.len() > 1 && it.starts_with('-');
    let options = words.iter().take_while(is_option).count();
    let (options, sets) = words.split_at(options);
    let has = |letters: [char; 2], name: &str| {
        options.iter().any(|it| match it.strip_prefix("--") {
            Some(long) => !long.is_empty() && name.starts_with(long),
            None => it.contains(letters),
        })
    };
    let complements = has(['c', 'C'], "complement");
    let deletes = has(['d', 'd'], "delete");
    if has(['s', 's'], "squeeze-repeats") && !deletes {
        let text = match *sets {
            [_, _] => translated(sets, input).filter(|_| !complements)?,
            _ => input.to_owned(),
        };
        let last: BTreeSet<char> = expanded(sets.last()?).into_iter().collect();
        let mut before = None;
        let stays = |it: &char| {
            let is_again = before.replace(*it) == Some(*it);
            !is_again || last.contains(it) == complements
        };
        return Some(text.chars().filter(stays).collect());
    }
    match *sets {
        [set] if deletes => {
            let set: BTreeSet<char> = expanded(set).into_iter().collect();
            Some(input.chars().filter(|c| set.contains(c) == complements).collect())
        }
        [from, to] if !complements && !deletes => {
            let (from, to) = (expanded(from), expanded(to));
            let last = *to.last()?;
            // The last of those that are the same counts.
            let pairs = from.iter().enumerate();
            let pairs = pairs.map(|(place, own)| (*own, to.get(place).copied().unwrap_or(last)));
            let changes: BTreeMap<char, char> = pairs.collect();
            Some(input.chars().map(|c| changes.get(&c).copied().unwrap_or(c)).collect())
        }
        _ => None,
    }
}

/// The characters of a set of `tr`.
fn expanded(set: &str) -> Vec<char> {
    match set {
        "[:upper:]" => return ('A'..='Z').collect(),
        "[:lower:]" => return ('a'..='z').collect(),
        "[:space:]" => return " \t\n\r".chars().collect(),
        "[:digit:]" => return ('0'..='9').collect(),
        _ => {}
    }
    let mut characters = Vec::new();
    let mut rest = set.chars().peekable();
    while let Some(character) = rest.next() {
        let character = match character {
            '\\' => match rest.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some(other) => other,
                None => '\\',
            },
            character => character,
        };
        let mut ahead = rest.clone();
        match (ahead.next(), ahead.next()) {
            (Some('-'), Some(last)) if last >= character && u32::from(last) < 0x250 => {
                characters.extend(character..=last);
                rest = ahead;
            }
            _ => characters.push(character),
        }
    }
    characters
}

/// `cut -d, -f1`, `cut -c2-`, `cut --fields=2,4-5 --complement`
pub(super) fn cut(words: &[&str], input: &str) -> Option<String> {
    const CUT: Grammar = Grammar {
        letters: "dfcb",
        long: &["delimiter", "fields", "characters", "bytes", "output-delimiter"],
    };
    let words: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
    let taken = CUT.take(&words, 0);
    let value = |names: &[&str]| taken.value(names).map(|it| it.text.as_str());
    let complements = taken.has(&["complement"]);
    let pick = |ranges: &[(usize, usize)], at: usize| {
        ranges.iter().any(|it| (it.0..=it.1).contains(&at)) != complements
    };
    if let Some(list) = value(&["c", "b", "characters", "bytes"]) {
        let ranges = ranges(list)?;
        return Some(by_line(input, |line| {
            let kept = line.chars().zip(1..).filter(|it| pick(&ranges, it.1));
            Some(kept.map(|it| it.0).collect())
        }));
    }
    let delimiter = value(&["d", "delimiter"]).unwrap_or("\t");
    let between = value(&["output-delimiter"]).unwrap_or(delimiter);
    let ranges = ranges(value(&["f", "fields"])?)?;
    if delimiter.is_empty() {
        return None;
    }
    Some(by_line(input, |line| {
        let kept = line.split(delimiter).zip(1..).filter(|it| pick(&ranges, it.1));
        Some(kept.map(|it| it.0).collect::<Vec<&str>>().join(between))
    }))
}

/// `2,4-5,7-`: from where to where.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    const MOST: usize = 16;
    let range = |text: &str| {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let from = if from.is_empty() { 1 } else { from.parse().ok()? };
        let to = if to.is_empty() { usize::MAX } else { to.parse().ok()? };
        Some((from, to))
    };
    list.split(',').take(MOST).map(range).collect()
}
