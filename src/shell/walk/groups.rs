//! Patterns of files as whoever asks what a path may be knows them: by the plain signs `*`, `?` and
//! `[…]`. Groups of extended patterns become what they say, and names that begin with a dot are said
//! where the line has patterns find those.

use std::borrow::Cow;

use super::super::HOLE;
use super::origin::behind_group;

/// So many paths stand for one; beyond that a group is any text.
const MOST: usize = 64;

/// A path as plain patterns that find together what it finds, and maybe more: `@(a|b).c` is `a.c`
/// and `b.c`.
pub(super) fn without_groups(path: &str) -> Vec<Cow<'_, str>> {
    if !path.contains('(') {
        return vec![Cow::Borrowed(path)];
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
        let ways = ways(character, group, texts[0].is_empty() || texts[0].ends_with('/'));
        let ways = if texts.len() * ways.len() > MOST { any(group) } else { ways };
        let with = |text: &String| ways.iter().map(|it| format!("{text}{it}")).collect::<Vec<_>>();
        texts = texts.iter().flat_map(with).take(2 * MOST).collect();
    }
    texts.into_iter().map(Cow::Owned).collect()
}

/// What a group with its parentheses may stand for.
fn ways(sign: char, group: &str, begins_a_name: bool) -> Vec<String> {
    let inside = group.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let Some(inside) = inside.filter(|it| sign != '!' && !it.contains(['(', ')', '[', '\\']))
    else {
        return if begins_a_name && sign != '!' { any(group) } else { vec!["*".to_owned()] };
    };
    let more = if matches!(sign, '*' | '+') { "*" } else { "" };
    let mut ways: Vec<String> = inside.split('|').map(|it| format!("{it}{more}")).collect();
    if matches!(sign, '*' | '?') {
        ways.push(String::new());
    }
    ways
}

/// Any text: a name that begins with a dot, too, where the group says one.
fn any(group: &str) -> Vec<String> {
    let mut ways = vec!["*".to_owned()];
    ways.extend(group.contains(['.', HOLE]).then(|| ".*".to_owned()));
    ways
}

/// A pattern, and what else it finds where names that begin with a dot are like any (`dotglob`).
pub(super) fn with_hidden(path: &str) -> Vec<String> {
    let mut paths = vec![String::new()];
    for (at, part) in path.split('/').enumerate() {
        let mut ways = vec![part.to_owned()];
        if let Some(rest) = part.strip_prefix('*') {
            let rest = rest.trim_start_matches('*');
            ways.push(format!(".*{rest}"));
            ways.extend(rest.starts_with('.').then(|| rest.to_owned()));
        } else if let Some(rest) = part.strip_prefix('?') {
            ways.push(format!(".{rest}"));
        } else if part.starts_with('[')
            && let Some((_, rest)) = part.split_once(']')
        {
            ways.push(format!(".{rest}"));
        }
        let sign = if at == 0 { "" } else { "/" };
        let with =
            |it: &String| ways.iter().map(|way| format!("{it}{sign}{way}")).collect::<Vec<_>>();
        paths = paths.iter().flat_map(with).take(MOST).collect();
    }
    paths
}
