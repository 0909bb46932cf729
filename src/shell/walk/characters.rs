//! Filters that go by characters and fields: `tr`, `cut`, and letters moved on.

use super::super::table::grammar::Grammar;
use super::super::{HOLE, glob};
use super::field::Field;
use super::filter::{Room, by_line};
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
    let is_option = |it: &&&str| it.len() > 1 && it.starts_with('-') && **it != "--";
    let options = words.iter().take_while(is_option).count();
    let (options, sets) = words.split_at(options);
    let sets = sets.strip_prefix(&["--"]).unwrap_or(sets);
    let (mut complements, mut deletes, mut squeezes, mut cuts) = (false, false, false, false);
    for option in options {
        let letters = match option.strip_prefix("--") {
            Some(long) => {
                let names = ["complement", "delete", "squeeze-repeats", "truncate-set1"];
                &names.into_iter().find(|it| !long.is_empty() && it.starts_with(long))?[..1]
            }
            None => &option[1..],
        };
        for letter in letters.chars() {
            match letter {
                'c' | 'C' => complements = true,
                'd' => deletes = true,
                's' => squeezes = true,
                't' => cuts = true,
                _ => return None,
            }
        }
    }
    let sets: Vec<Vec<char>> = sets.iter().map(|it| expanded(it)).collect::<Option<_>>()?;
    let set = |at: usize| sets[at].iter().copied().collect::<BTreeSet<char>>();
    // It goes by bytes: of letters that have several, all are the same to it.
    let is_in = |set: &BTreeSet<char>, it: char| it != HOLE && set.contains(&it) != complements;
    let (changed, again): (String, BTreeSet<char>) = match (sets.len(), deletes, squeezes) {
        (1, true, false) => {
            let set = set(0);
            return Some(input.chars().filter(|it| !is_in(&set, *it)).collect());
        }
        (2, true, true) => {
            let first = set(0);
            (input.chars().filter(|it| !is_in(&first, *it)).collect(), set(1))
        }
        (1, false, true) if complements => {
            let kept = set(0);
            let again = input.chars().filter(|it| it.is_ascii() && is_in(&kept, *it));
            (input.to_owned(), again.collect())
        }
        (1, false, true) => (input.to_owned(), set(0)),
        (2, false, _) => {
            let (from, to) = (&sets[0], &sets[1]);
            let last = *to.last()?;
            let text = if complements {
                let is_one = to.iter().all(|it| *it == last);
                let from = set(0);
                // Each byte of a letter is one more.
                let is_known = input.chars().all(|it| it.is_ascii() || it == HOLE);
                let change = |it: char| if is_in(&from, it) { last } else { it };
                (is_one && is_known && !cuts).then(|| input.chars().map(change).collect())?
            } else {
                // The last of those that are the same counts.
                let most = if cuts { to.len() } else { from.len() };
                let pairs = from.iter().take(most).enumerate();
                let pairs = pairs.map(|(at, own)| (*own, to.get(at).copied().unwrap_or(last)));
                let changes: BTreeMap<char, char> = pairs.collect();
                input.chars().map(|c| changes.get(&c).copied().unwrap_or(c)).collect()
            };
            if !squeezes {
                return Some(text);
            }
            (text, set(1))
        }
        _ => return None,
    };
    let mut before = None;
    let is_new = |it: &char| before.replace(*it) != Some(*it) || !again.contains(it);
    Some(changed.chars().filter(is_new).collect())
}

/// The characters of a set of `tr`: letters, ranges, classes, numbers in eights. `None` where it is
/// something else, or longer than any that somebody writes.
fn expanded(set: &str) -> Option<Vec<char>> {
    const LONGEST: usize = 1024;
    if !set.is_ascii() {
        return None;
    }
    let mut characters = Vec::new();
    let mut rest = set;
    while !rest.is_empty() {
        if let Some(named) = rest.strip_prefix("[:")
            && let Some((name, after)) = named.split_once(":]")
        {
            let ranges = glob::class(name).filter(|_| name.len() > 1 && name != "word")?;
            let mut class: Vec<char> = ranges.into_iter().flat_map(|it| it.0..=it.1).collect();
            class.sort_unstable();
            characters.extend(class);
            rest = after;
        } else {
            let (first, after) = one(rest)?;
            // `[=c=]`, `[c*3]`
            if rest.starts_with("[=") {
                return None;
            }
            if first == '['
                && rest.starts_with('[')
                && let Some((repeated, after)) = one(after)
                && let Some(after) = after.strip_prefix('*')
            {
                // As long as the other set, which the last one is anyway.
                characters.push(repeated);
                return (after == "]").then_some(characters);
            }
            rest = after;
            if let Some(range) = after.strip_prefix('-').filter(|it| !it.is_empty()) {
                let (last, after) = one(range)?;
                if last < first {
                    return None;
                }
                characters.extend(first..=last);
                rest = after;
            } else {
                characters.push(first);
            }
        }
        if characters.len() > LONGEST {
            return None;
        }
    }
    Some(characters)
}

/// The first character of a set, and what is behind it.
fn one(set: &str) -> Option<(char, &str)> {
    let (first, rest) = set.split_at_checked(1)?;
    let Some((sign, after)) = rest.split_at_checked(1).filter(|_| first == "\\") else {
        return Some((first.chars().next()?, rest));
    };
    let digits = rest.bytes().take(3).take_while(|it| (b'0'..=b'7').contains(it)).count();
    if digits > 0 {
        let number = u32::from_str_radix(&rest[..digits], 8).ok()?;
        return Some((char::from_u32(number).filter(char::is_ascii)?, &rest[digits..]));
    }
    let character = match sign {
        "a" => '\u{7}',
        "b" => '\u{8}',
        "f" => '\u{c}',
        "n" => '\n',
        "r" => '\r',
        "t" => '\t',
        "v" => '\u{b}',
        other => other.chars().next()?,
    };
    Some((character, after))
}

/// `cut -d, -f1`, `cut -c2-`, `cut --fields=2,4-5 --complement`
pub(super) fn cut(words: &[&str], input: &str, room: &mut Room) -> Option<String> {
    const CUT: Grammar = Grammar {
        letters: "dfcb",
        long: &["delimiter", "fields", "characters", "bytes", "output-delimiter"],
    };
    const FLAGS: &[&str] = &["s", "n", "only-delimited", "complement"];
    let words: Vec<Field> = words.iter().map(|it| Field::literal(it)).collect();
    let taken = CUT.take(&words, 0);
    let value = |names: &[&str]| taken.value(names).map(|it| it.text.as_str());
    let is_known =
        |name: &str| CUT.long.contains(&name) || name.len() == 1 && CUT.letters.contains(name);
    if !taken.options.iter().all(|it| is_known(&it.name) || it.is(FLAGS))
        || !taken.operands.is_empty()
    {
        return None;
    }
    let complements = taken.may_have(&["complement"]);
    let pick = |ranges: &[(usize, usize)], at: usize| {
        ranges.iter().any(|it| (it.0..=it.1).contains(&at)) != complements
    };
    let between = value(&["output-delimiter"]);
    if let Some(list) = value(&["c", "b", "characters", "bytes"]) {
        let ranges = ranges(list).filter(|_| between.is_none())?;
        return Some(by_line(input, |line| {
            // It goes by bytes, of which what is not known may have any number.
            if !line.is_ascii() {
                return Some(HOLE.to_string());
            }
            let kept = line.chars().zip(1..).filter(|it| pick(&ranges, it.1));
            Some(kept.map(|it| it.0).collect())
        }));
    }
    let delimiter = value(&["d", "delimiter"]).unwrap_or("\t");
    let between = between.unwrap_or(delimiter);
    let ranges = ranges(value(&["f", "fields"])?)?;
    if delimiter.len() != 1 {
        return None;
    }
    room.take(input.len() + input.matches(delimiter).count() * between.len())?;
    let skips = taken.may_have(&["s", "only-delimited"]);
    Some(by_line(input, |line| {
        // The field in which something is not known may be several.
        let known = line.split(delimiter).position(|it| it.contains(HOLE));
        let is_open = |known: usize| complements || ranges.iter().any(|it| it.1 > known + 1);
        if known.is_some_and(is_open) {
            return Some(HOLE.to_string());
        }
        if !line.contains(delimiter) && known.is_none() {
            return (!skips).then(|| line.to_owned());
        }
        // It may end there.
        let begin = |field| match str::find(field, HOLE) {
            Some(at) => &field[..at + HOLE.len_utf8()],
            None => field,
        };
        let kept = line.split(delimiter).zip(1..).filter(|it| pick(&ranges, it.1));
        Some(kept.map(|it| begin(it.0)).collect::<Vec<&str>>().join(between))
    }))
}

/// `2,4-5,7-`: from where to where.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    const MOST: usize = 16;
    let range = |text: &str| {
        let (from, to) = text.split_once('-').unwrap_or((text, text));
        let is_some = !(from.is_empty() && to.is_empty());
        let from = if from.is_empty() { 1 } else { from.parse().ok()? };
        let to = if to.is_empty() { usize::MAX } else { to.parse().ok()? };
        (is_some && 0 < from && from <= to).then_some((from, to))
    };
    let is_short = list.bytes().filter(|it| *it == b',').count() < MOST;
    list.split(',').take(MOST).map(range).collect::<Option<_>>().filter(|_| is_short)
}
