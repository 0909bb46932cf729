//! One consistent renaming of identifiers that makes two texts equal.
//!
//! Each old name becomes exactly one new name; the old name is gone, and the new one was not used
//! before. Only names that the file defines can be renamed: a local name within its piece, a
//! definition in the whole file. When `save(x)` becomes `delete(x)`, that is another call.

use std::collections::{BTreeMap, HashSet};

use super::change::{Change, Part};
use crate::outline::{
    Outline,
    token::{Tokens, What},
};

type Names<'s> = BTreeMap<&'s [u8], &'s [u8]>;

/// (old, new), if renaming explains the whole change.
pub(super) fn names(change: &Change) -> Option<Vec<(String, String)>> {
    if !are_in_place(change) {
        return None;
    }
    let mut global = Names::new();
    let mut found = Vec::new();
    for (old, new) in change.removed.iter().zip(&change.added) {
        for (from, to) in differences(old, new)? {
            let is_local = old.tokens.bound.contains(&from) && new.tokens.bound.contains(&to);
            let is_global = defines(&change.old, &change.removed, from)
                || defines(&change.new, &change.added, to);
            if is_local && !is_global {
                found.push((from, to));
            } else if global.insert(from, to).is_some_and(|previous| previous != to) {
                return None;
            }
        }
    }
    let is_own = |from, to| {
        defines(&change.old, &change.removed, from) && defines(&change.new, &change.added, to)
    };
    let are_known = global.iter().all(|(from, to)| is_own(from, to));
    if !are_known || !are_replaced(change, &global) {
        return None;
    }
    found.extend(global);
    let text = |name| String::from_utf8_lossy(name).into_owned();
    let mut found: Vec<_> = found.into_iter().map(|(from, to)| (text(from), text(to))).collect();
    found.sort();
    found.dedup();
    (!found.is_empty()).then_some(found)
}

fn are_in_place(change: &Change) -> bool {
    let known = change.old.pieces.len();
    let kept: HashSet<&usize> = change.new_order.iter().collect();
    let mut pairs = change.old_order.iter().zip(&change.new_order);
    change.old_order.len() == change.new_order.len()
        && pairs.all(|(old, new)| old == new || *new >= known && !kept.contains(old))
}

/// `None` if anything but names differs.
fn differences<'s>(old: &Part<'s>, new: &Part<'s>) -> Option<Names<'s>> {
    let (old, new) = (&old.tokens.all, &new.tokens.all);
    if old.len() != new.len() {
        return None;
    }
    let mut names = Names::new();
    for (one, other) in old.iter().zip(new) {
        if one.what != other.what || one.kind != other.kind {
            return None;
        }
        let is_name = matches!(one.what, What::Identifier | What::Member);
        if one.text != other.text && !is_name
            || is_name && *names.entry(one.text).or_insert(other.text) != other.text
        {
            return None;
        }
    }
    let mut targets = HashSet::new();
    if !names.values().all(|to| targets.insert(*to)) {
        return None;
    }
    names.retain(|from, to| from != to);
    Some(names)
}

/// Whether the old text has no new name and the new text no old one.
fn are_replaced(change: &Change, names: &Names) -> bool {
    if names.is_empty() {
        return true;
    }
    let targets: HashSet<&[u8]> = names.values().copied().collect();
    let has = |tokens: &Tokens, is_it: &dyn Fn(&[u8]) -> bool| {
        tokens.all.iter().any(|token| token.what.is_name() && is_it(token.text))
    };
    let is_old = |name: &[u8]| names.contains_key(name);
    let is_new = |name: &[u8]| targets.contains(name);
    let is_either = |name: &[u8]| is_old(name) || is_new(name);
    let kept = change.new.pieces.iter().zip(&change.new_order);
    let mut kept = kept.filter(|(_, number)| **number < change.old.pieces.len());
    !change.removed.iter().any(|part| has(&part.tokens, &is_new))
        && !change.added.iter().any(|part| has(&part.tokens, &is_old))
        && !kept.any(|(piece, _)| has(&change.after.tokens(piece), &is_either))
}

/// Whether the file defines this name. The methods of a trait and names like `__init__` are defined
/// elsewhere.
fn defines(outline: &Outline, parts: &[Part], name: &[u8]) -> bool {
    // `Session.renew`: the first part is the receiver of a method in Go.
    let is_it = |text: &String| text.rsplit('.').next().unwrap_or(text).as_bytes() == name;
    let is_special = name.starts_with(b"__") && name.ends_with(b"__");
    let mut pieces = outline.pieces.iter().filter(|piece| piece.kind.is_definition());
    !is_special
        && (pieces.any(|piece| !piece.inside.starts_with('<') && piece.names.iter().any(is_it))
            || parts.iter().any(|part| part.tokens.fields.contains(&name)))
}
