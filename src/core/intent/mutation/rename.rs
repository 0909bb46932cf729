//! Proves that a change is nothing but other names.
//!
//! Both texts have the same tree but for names; each old name stands for one
//! new one and no other; the new one was free, and the old one is gone. The
//! name is bound where that can be seen: in the piece itself, or by a
//! definition of the file. A part of something that is defined elsewhere is
//! another part, not another name.

use std::collections::{BTreeMap, HashSet};

use super::{Cut, Numbers, Pair};
use crate::outline::{
    Kind,
    token::{Token, What},
};

/// By their old ones.
type Names<'s> = BTreeMap<&'s [u8], &'s [u8]>;

/// What may be derived from a type without making its parts' names matter.
const NAMELESS: &[&[u8]] = &[
    b"derive",
    b"Debug",
    b"Clone",
    b"Copy",
    b"PartialEq",
    b"Eq",
    b"PartialOrd",
    b"Ord",
    b"Hash",
    b"Default",
];

pub(super) fn proved(
    pair: &Pair,
    numbers: &Numbers,
    gone: &[Cut],
    come: &[Cut],
) -> Option<Vec<(String, String)>> {
    if gone.len() != come.len() || !stand_alike(pair, numbers) {
        return None;
    }
    let language = pair.before.language.name;
    let (old_names, new_names) = (defined(pair, gone, true), defined(pair, come, false));
    let mut global = Names::new();
    let mut local: Vec<(String, String)> = Vec::new();
    for (old, new) in gone.iter().zip(come) {
        let names = differences(old, new, language)?;
        for (from, to) in names {
            let is_local = is_local(old, from) && is_local(new, to);
            if is_local {
                // Callers may name an argument.
                let is_api = language == "python"
                    && old.piece.is_public
                    && old.tokens.all.iter().take(old.tokens.head).any(|it| it.text == from);
                if is_api {
                    return None;
                }
                local.push((shown(from), shown(to)));
                continue;
            }
            let is_defined = old_names.contains(from)
                && new_names.contains(to)
                && !new_names.contains(from)
                && !old_names.contains(to);
            if !is_defined || global.insert(from, to).is_some_and(|it| it != to) {
                return None;
            }
        }
    }
    let mut targets = HashSet::new();
    for (from, to) in &global {
        if !targets.insert(*to) || pair.before.has_name(to) || pair.after.has_name(from) {
            return None;
        }
    }
    let mut all: Vec<(String, String)> =
        global.iter().map(|(from, to)| (shown(from), shown(to))).collect();
    all.extend(local);
    all.sort();
    all.dedup();
    (!all.is_empty()).then_some(all)
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

/// What differs stands where it stood.
fn stand_alike(pair: &Pair, numbers: &Numbers) -> bool {
    let known = pair.old.pieces.len();
    let there: HashSet<usize> = numbers.new.iter().copied().collect();
    numbers.old.len() == numbers.new.len()
        && numbers
            .old
            .iter()
            .zip(&numbers.new)
            .all(|(old, new)| old == new || *new >= known && !there.contains(old))
}

/// The names that the file itself gives to something.
fn defined<'p>(pair: &'p Pair, cuts: &'p [Cut], is_old: bool) -> HashSet<&'p [u8]> {
    let outline = if is_old { &pair.old } else { &pair.new };
    let names = outline.pieces.iter().filter(|it| it.kind.is_definition());
    // `Session.renew`: the receiver's name is another's.
    let last = |it: &'p String| it.rsplit('.').next().unwrap_or(it).as_bytes();
    let mut found: HashSet<&[u8]> = names.flat_map(|it| &it.names).map(last).collect();
    for cut in cuts.iter().filter(|it| it.piece.kind == Kind::Type) {
        let is_go = pair.before.language.name == "go";
        let derives = derived(cut);
        // Others read exported fields by name, and tags name them.
        let are_own = |name: &&[u8]| {
            if is_go { name.first().is_some_and(u8::is_ascii_lowercase) } else { derives }
        };
        found.extend(cut.tokens.fields.iter().copied().filter(are_own));
    }
    found
}

/// Nothing is derived from it that could read the names of its parts.
fn derived(cut: &Cut) -> bool {
    let mut is_attribute = false;
    for token in cut.tokens.all.iter().take(cut.tokens.head) {
        match token.what {
            What::Word if token.text == b"#" => is_attribute = true,
            What::Word if token.text == b"struct" || token.text == b"enum" => return true,
            What::Identifier if is_attribute && !NAMELESS.contains(&token.text) => return false,
            _ => (),
        }
    }
    true
}

fn is_local(cut: &Cut, name: &[u8]) -> bool {
    let is_shared = |it: &Token| matches!(it.text, b"global" | b"nonlocal");
    let is_own = cut.piece.names.iter().any(|it| it.as_bytes() == name);
    cut.tokens.bound.contains(&name) && !is_own && !cut.tokens.all.iter().any(is_shared)
}

/// The names that differ between two pieces; none, if something else does.
fn differences<'s>(old: &Cut<'s>, new: &Cut<'s>, language: &str) -> Option<Names<'s>> {
    if old.piece.kind != new.piece.kind || old.tokens.all.len() != new.tokens.all.len() {
        return None;
    }
    let mut names = Names::new();
    let mut texts = Vec::new();
    for (one, other) in old.tokens.all.iter().zip(&new.tokens.all) {
        if one.what != other.what || one.kind != other.kind {
            return None;
        }
        if one.text == other.text {
            continue;
        }
        match one.what {
            What::Identifier | What::Member => {
                if names.insert(one.text, other.text).is_some_and(|it| it != other.text) {
                    return None;
                }
            }
            What::Literal if language == "rust" => texts.push((one.text, other.text)),
            What::Literal | What::Shorthand | What::Word | What::Open | What::Close => return None,
        }
    }
    let mut targets = HashSet::new();
    if !names.values().all(|it| targets.insert(*it)) {
        return None;
    }
    // A name that stays is none that goes, and none that comes.
    let stays = |it: &&Token| matches!(it.what, What::Identifier | What::Member | What::Shorthand);
    for (one, other) in old.tokens.all.iter().zip(&new.tokens.all).filter(|(it, _)| stays(it)) {
        let is_kept = one.text == other.text;
        if is_kept && (names.contains_key(one.text) || targets.contains(one.text)) {
            return None;
        }
        // `renew(renew=…)`: which of the two is meant cannot be seen.
        if !is_kept && one.what == What::Member && old.tokens.bound.contains(&one.text) {
            return None;
        }
    }
    texts.iter().all(|(one, other)| is_same_format(one, other, &names)).then_some(names)
}

/// `"{old:?}"` and `"{new:?}"`.
fn is_same_format(old: &[u8], new: &[u8], names: &Names) -> bool {
    let mut made = Vec::with_capacity(new.len());
    let mut at = 0;
    while at < old.len() {
        made.push(old[at]);
        at += 1;
        if old[at - 1] != b'{' {
            continue;
        }
        let is_part = |it: &&u8| it.is_ascii_alphanumeric() || **it == b'_';
        let length = old[at..].iter().take_while(is_part).count();
        let name = &old[at..at + length];
        made.extend_from_slice(names.get(name).copied().unwrap_or(name));
        at += length;
    }
    made == new
}
