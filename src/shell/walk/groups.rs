//! Patterns of files as whoever asks what a path may be knows them: by the plain signs `*`, `?` and
//! `[…]`. Groups of extended patterns become what they say, and names that begin with a dot are said
//! where the line has patterns find those.

use std::borrow::Cow;

use super::super::HOLE;
use super::origin::behind_group;

/// Where more paths than these would stand for one, a group is any text.
const EXACT: usize = 64;
/// Where they are more even so, none are said, and the line counts as not read to its end: what is
/// left out of them nobody would look at.
const MOST: usize = 1024;
/// The same where they are longer than so much together, in bytes.
const LONGEST: usize = 256 * 1024;

/// A path as plain patterns that find together what it finds, and maybe more: `@(a|b).c` is `a.c`
/// and `b.c`. `None` where they would be too many.
pub(super) fn without_groups(path: &str) -> Option<Vec<Cow<'_, str>>> {
    if !path.contains('(') {
        return Some(vec![Cow::Borrowed(path)]);
    }
    let mut texts = vec![String::with_capacity(path.len())];
    let mut rest = path;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        let Some(after) = behind_group(character, rest) else {
            for text in &mut texts {
                text.push(character);
            }
            continue;
        };
        let group = &rest[..rest.len() - after.len()];
        rest = after;
        let begins_a_name = texts.iter().any(|it| it.is_empty() || it.ends_with('/'));
        let mut ways = ways(character, group, begins_a_name);
        if texts.len() * ways.len() > EXACT {
            ways = any(character, group, begins_a_name);
        }
        texts = product(&texts, "", &ways)?;
    }
    Some(texts.into_iter().map(Cow::Owned).collect())
}

/// Each text with each of its ways to go on; `None` where they are too many.
fn product(texts: &[String], between: &str, ways: &[String]) -> Option<Vec<String>> {
    let length = |texts: &[String]| texts.iter().map(String::len).sum::<usize>();
    let count = texts.len() * ways.len();
    let bytes = length(texts) * ways.len() + (length(ways) + ways.len()) * texts.len();
    if count > MOST || count > 1 && bytes > LONGEST {
        return None;
    }
    let with = |text: &String| {
        ways.iter().map(|it| format!("{text}{between}{it}")).collect::<Vec<String>>()
    };
    Some(texts.iter().flat_map(with).collect())
}

/// What a group with its parentheses may stand for.
fn ways(sign: char, group: &str, begins_a_name: bool) -> Vec<String> {
    let inside = group.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let Some(inside) = inside.filter(|it| sign != '!' && !it.contains(['(', ')', '[', '\\']))
    else {
        return any(sign, group, begins_a_name);
    };
    let more = if matches!(sign, '*' | '+') { "*" } else { "" };
    let mut ways: Vec<String> = inside.split('|').map(|it| format!("{it}{more}")).collect();
    if matches!(sign, '*' | '?') {
        ways.push(String::new());
    }
    ways
}

/// Any text. Where a name begins, `*` finds no dot: so one that the group says, and one that stands
/// behind a group that may be nothing, are said.
fn any(sign: char, group: &str, begins_a_name: bool) -> Vec<String> {
    let mut ways = vec!["*".to_owned()];
    if begins_a_name && sign != '!' {
        let may_be_nothing =
            matches!(sign, '*' | '?') || ["(|", "||", "|)"].iter().any(|it| group.contains(it));
        ways.extend(may_be_nothing.then(String::new));
        ways.extend(group.contains(['.', HOLE]).then(|| ".*".to_owned()));
    }
    ways
}

/// A pattern, and what else it finds where names that begin with a dot are like any (`dotglob`).
/// `None` where that is too much.
pub(super) fn with_hidden(path: &str) -> Option<Vec<String>> {
    of_parts(path, hidden)
}

/// The same, but for parts that say nothing of a name: what they find is all there is, and whoever
/// takes that names nothing that is hidden.
pub(super) fn with_hidden_names(path: &str) -> Option<Vec<String>> {
    let says_none = |part: &str| part.chars().all(|it| matches!(it, '*' | '?'));
    of_parts(path, |part| if says_none(part) { vec![part.to_owned()] } else { hidden(part) })
}

fn of_parts(path: &str, ways: impl Fn(&str) -> Vec<String>) -> Option<Vec<String>> {
    let mut parts = path.split('/');
    let mut paths = ways(parts.next().unwrap_or_default());
    for part in parts {
        paths = product(&paths, "/", &ways(part))?;
    }
    Some(paths)
}

/// A name's pattern, and what it is for names that begin with a dot.
fn hidden(part: &str) -> Vec<String> {
    let mut ways = vec![part.to_owned()];
    if let Some(rest) = part.strip_prefix('*') {
        let rest = rest.trim_start_matches('*');
        ways.push(format!(".*{rest}"));
        if rest.starts_with(['.', '?', '[']) {
            ways.extend(hidden(rest));
        }
    } else if let Some(rest) = part.strip_prefix('?') {
        ways.push(format!(".{rest}"));
    } else if part.starts_with('[')
        && let Some((_, rest)) = part.split_once(']')
    {
        ways.push(format!(".{rest}"));
    }
    ways
}
