//! Proves that a change is nothing but other names.
//!
//! Both texts have the same tree but for names; each old name stands for one
//! new one and no other; the new one was free, and the old one is gone. The
//! name is bound where that can be seen: in the piece itself, or by a
//! definition of the file. A part of something that is defined elsewhere is
//! another part, not another name.

mod owned;

use std::collections::{BTreeMap, HashSet};

use super::{Cut, Numbers, Pair};
use crate::outline::{
    Kind, Piece,
    token::{Token, What},
};

/// By their old ones.
type Names<'s> = BTreeMap<&'s [u8], &'s [u8]>;

pub(super) fn proved(
    pair: &Pair,
    numbers: &Numbers,
    gone: &[Cut],
    come: &[Cut],
) -> Option<Vec<(String, String)>> {
    if gone.len() != come.len() || !stand_alike(pair, numbers) {
        return None;
    }
    let mut global = Names::new();
    let mut local: Vec<(String, String)> = Vec::new();
    for (old, new) in gone.iter().zip(come) {
        // What is exported under a name is known by it.
        if old.piece.kind == Kind::Export {
            return None;
        }
        let names = differences(old, new, pair)?;
        let both: Vec<&[u8]> = names.iter().flat_map(|(from, to)| [*from, *to]).collect();
        if owned::is_said(pair, old, &both) || owned::is_said(pair, new, &both) {
            return None;
        }
        for (from, to) in names {
            let is_left = pair.before.language.name == "rust"
                && (owned::is_in_a_format(new, from) || owned::is_in_a_format(old, to));
            if is_left || !owned::may_stand_for(from, to) {
                return None;
            }
            let is_local = owned::is_local(pair, old, &pair.old, from)
                && owned::is_local(pair, new, &pair.new, to);
            if is_local {
                local.push((shown(from), shown(to)));
            } else if global.insert(from, to).is_some_and(|it| it != to) {
                return None;
            }
        }
    }
    let mut targets = HashSet::new();
    for (from, to) in &global {
        let is_own = is_defined(pair, gone, from, true) && is_defined(pair, come, to, false);
        if !is_own || !targets.insert(*to) || !owned::is_followed(pair, from, to) {
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

/// Whether the file itself gives something that name, and nobody else can say
/// it.
fn is_defined(pair: &Pair, cuts: &[Cut], name: &[u8], is_old: bool) -> bool {
    let outline = if is_old { &pair.old } else { &pair.new };
    // `Session.renew`: the receiver's name is another's.
    let is_it = |it: &String| it.rsplit('.').next().unwrap_or(it).as_bytes() == name;
    let pieces = outline.pieces.iter().filter(|it| it.kind.is_definition());
    let found: Vec<&Piece> = pieces.filter(|it| it.names.iter().any(is_it)).collect();
    let fields: Vec<&Cut> = cuts
        .iter()
        .filter(|it| it.piece.kind == Kind::Type && it.tokens.fields.contains(&name))
        .collect();
    let text = shown(name);
    // Others read exported fields by name, and what is derived may print them.
    let are_own = pair.before.language.name == "rust" && found.is_empty() || fields.is_empty();
    (!found.is_empty() || !fields.is_empty())
        && are_own
        && fields.iter().all(|it| owned::has_private_fields(it))
        && found.iter().all(|it| owned::is_private(pair, it, outline, &text))
}

/// The names that differ between two pieces; none, if something else does.
fn differences<'s>(old: &Cut<'s>, new: &Cut<'s>, pair: &Pair) -> Option<Names<'s>> {
    let language = pair.before.language.name;
    if old.piece.kind != new.piece.kind || old.tokens.all.len() != new.tokens.all.len() {
        return None;
    }
    let mut names = Names::new();
    let mut texts = Vec::new();
    for (at, (one, other)) in old.tokens.all.iter().zip(&new.tokens.all).enumerate() {
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
            What::Literal if language == "rust" && owned::is_format_text(old, at, pair) => {
                texts.push((one.text, other.text));
            }
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
        // Two of them stand for one that is printed.
        if old.get(at) == Some(&b'{') {
            made.push(b'{');
            at += 1;
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
