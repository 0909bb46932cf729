//! Proves that something was only taken out and given a name: put back in its
//! place, it gives the text before. Taken the other way round, it proves that
//! something was put in its place.
//!
//! That both texts come out the same is half of it. The other half is that the
//! language reads them the same: that what was taken out does not stand where
//! a value is another one by then, under a condition that was not there, or in
//! a function in which `this`, an assignment or a type is another. Each of the
//! parts says what it has to be for that; what is not known proves nothing.

mod helper;
mod shape;
mod variables;

use self::helper::Helper;
pub(super) use self::shape::is_called_from_elsewhere;
use super::{
    Cut, Pair,
    quiet::{bare, is_name, is_plain, leaves, subtree},
};
use crate::outline::{
    Kind, Mention, Outline, Source,
    token::{Token, What},
};

/// So many definitions may come of one change.
const MOST: usize = 4;
/// A piece of more tokens is not put together again.
const LONGEST: usize = 20_000;

/// Which of the two texts has the definition that the other does without.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Way {
    /// The later one: it was taken out.
    Out,
    /// The earlier one: it was put back.
    Back,
}

/// What is known of the text with the definition.
struct Site<'p, 's> {
    pair: &'p Pair<'s>,
    source: &'p Source<'s>,
    outline: &'p Outline<'s>,
    language: &'static str,
}

/// Whether `come` is `gone` with something taken out of it, where the way is
/// out; and the other way round.
pub(super) fn is_extracted<'s>(
    pair: &Pair<'s>,
    gone: &[&Cut<'s>],
    come: &[&Cut<'s>],
    way: Way,
) -> bool {
    let classes = &pair.classes;
    if come.iter().chain(gone).any(|it| it.tokens.all.len() > LONGEST) {
        return false;
    }
    let (source, outline, plain) = match way {
        Way::Out => (pair.after, &pair.new, pair.before),
        Way::Back => (pair.before, &pair.old, pair.after),
    };
    let language = source.language.name;
    let site = Site { pair, source, outline, language };
    let (gone, come) = match way {
        Way::Out => (gone, come),
        Way::Back => (come, gone),
    };
    let counterpart = |cut: &Cut, cuts: &[&Cut]| {
        cuts.iter().position(|it| {
            it.piece.inside == cut.piece.inside
                && it.piece.names == cut.piece.names
                && it.piece.kind == cut.piece.kind
        })
    };
    let (added, changed): (Vec<&Cut>, Vec<&Cut>) =
        come.iter().copied().partition(|it| counterpart(it, gone).is_none());
    let is_all = gone.iter().all(|it| counterpart(it, come).is_some());
    if !is_all || changed.is_empty() || added.len() > MOST {
        return false;
    }
    // What is public may be used elsewhere, and does not just go.
    let may_come_and_go = |it: &Cut| {
        let is_fresh = it.piece.names.iter().all(|name| {
            let name = name.rsplit('.').next().unwrap_or(name).as_bytes();
            !plain.mentions(name).iter().any(|it| *it != Mention::Comment)
        });
        is_fresh && (way == Way::Out || !it.piece.is_public)
    };
    if !added.iter().all(|it| may_come_and_go(it)) {
        return false;
    }
    let parts: Option<Vec<Part>> = added.iter().map(|it| Part::of(it, &site)).collect();
    let Some(parts) = parts else { return false };
    let mut uses = vec![0; parts.len()];
    changed.iter().all(|new| {
        let Some(old) = counterpart(new, gone).and_then(|it| gone.get(it)) else { return false };
        let is_same_head = super::has_same_head(old, new);
        let was = bare(&old.tokens.all, classes);
        let mut now = bare(&new.tokens.all, classes);
        // One part may be used by another; more rounds than parts change nothing.
        for _ in 0..=parts.len() {
            for (part, uses) in parts.iter().zip(&mut uses) {
                let Some(found) = part.put_back(&mut now, old, new, &site) else { return false };
                *uses += found;
            }
        }
        let put_back = || variables::put_back(&was, &now, new, language, classes);
        is_same_head && (now == was || put_back().is_some_and(|it| it == was))
    }) && uses.iter().all(|it| *it > 0)
}

/// Something with a name, and what it stands for.
enum Part<'s> {
    Value { name: &'s [u8], is: Vec<Token<'s>> },
    Function(Box<Helper<'s>>),
}

impl<'s> Part<'s> {
    fn of(cut: &Cut<'s>, site: &Site<'_, 's>) -> Option<Self> {
        let own = cut.piece.names.first()?;
        if cut.piece.names.len() != 1 || !is_there_in_time(cut, site) {
            return None;
        }
        let own = own.rsplit('.').next().unwrap_or(own);
        let is_own = |it: &&Token<'s>| it.text == own.as_bytes() && it.what != What::Literal;
        let name = cut.tokens.all.iter().find(is_own)?.text;
        match cut.piece.kind {
            Kind::Value => {
                let tokens = bare(cut.tokens.all.get(cut.tokens.head..)?, &site.pair.classes);
                let is = subtree(&tokens, 0)?.to_vec();
                is_constant(cut, &is, site).then_some(Self::Value { name, is })
            }
            Kind::Function | Kind::Method => {
                Some(Self::Function(Box::new(Helper::of(cut, name, site)?)))
            }
            _ => None,
        }
    }

    /// Puts what it stands for where it is named; answers how often, or that
    /// it may not be put there.
    fn put_back(
        &self,
        tokens: &mut Vec<Token<'s>>,
        old: &Cut<'s>,
        new: &Cut<'s>,
        site: &Site<'_, 's>,
    ) -> Option<usize> {
        let mut uses = 0;
        let mut at = 0;
        while at < tokens.len() && tokens.len() < 4 * LONGEST {
            match self {
                Self::Value { name, is } => {
                    if is_name(&tokens[at], name) {
                        if site.language == "rust" && !has_a_type(tokens, at, is, new, site) {
                            return None;
                        }
                        tokens.splice(at..=at, is.iter().copied());
                        at += is.len();
                        uses += 1;
                        continue;
                    }
                }
                Self::Function(helper) => {
                    if let Some(call) = helper.call_at(tokens, at, site) {
                        *tokens = helper.put_back(tokens, &call, old, new, site)?;
                        uses += 1;
                        continue;
                    }
                }
            }
            at += 1;
        }
        Some(uses)
    }
}

/// Where a file runs as it is read, nothing has run before the definition.
fn is_there_in_time(cut: &Cut, site: &Site) -> bool {
    if !matches!(site.language, "python" | "javascript" | "typescript" | "tsx") {
        return true;
    }
    let runs = |it: &[u8]| it.iter().any(|it| matches!(it, b'(' | b'@' | b'`'));
    let before = site.outline.pieces.iter().take_while(|it| it.lines.0 < cut.piece.lines.0);
    before.into_iter().all(|it| it.kind == Kind::Import || it.is_free || !runs(it.raw))
}

/// A constant of the type that its value has anyway.
fn is_constant(cut: &Cut, is: &[Token], site: &Site) -> bool {
    let classes = &site.pair.classes;
    let head = leaves(cut.tokens.all.get(..cut.tokens.head).unwrap_or_default());
    let words: Vec<&[u8]> = head.iter().map(|it| it.text).collect();
    let found = leaves(is);
    let has_names = found.iter().any(|it| !matches!(it.what, What::Literal | What::Word));
    if has_names || !is_plain(is, classes) {
        return false;
    }
    let is_top = cut.piece.inside.is_empty();
    match site.language {
        "python" => is_top && matches!(words.as_slice(), [_, b"="]),
        "go" => matches!(words.as_slice(), [b"const", _, b"="]),
        "rust" => words.contains(&&b"const"[..]) && !words.contains(&&b"#"[..]),
        "java" => {
            let literals: Vec<&&Token> =
                found.iter().filter(|it| it.what == What::Literal).collect();
            let are = |kind: &str| literals.iter().all(|it| classes.name(it.kind).contains(kind));
            let ends = |ends: &[u8]| {
                literals.iter().any(|it| it.text.last().is_some_and(|it| ends.contains(it)))
            };
            let is_fixed = words.contains(&&b"static"[..])
                && words.contains(&&b"final"[..])
                && !words.contains(&&b"@"[..]);
            is_fixed
                && match words.as_slice() {
                    [.., b"int", _, b"="] => are("decimal_integer") && !ends(b"lL"),
                    [.., b"double", _, b"="] => are("decimal_floating") && !ends(b"fF"),
                    [.., b"String", _, b"="] => are("string"),
                    _ => false,
                }
        }
        _ => {
            is_top
                && matches!(words.as_slice(), [b"const", _, b"="] | [b"export", b"const", _, b"="])
        }
    }
}

/// Without the constant the number would have the type that it has now: what
/// it is put together with says so.
fn has_a_type(tokens: &[Token], at: usize, is: &[Token], new: &Cut, site: &Site) -> bool {
    let classes = &site.pair.classes;
    let is_number = |it: &&Token| {
        let kind = classes.name(it.kind);
        kind.contains("integer") || kind.contains("float")
    };
    if !leaves(is).iter().any(is_number) {
        return true;
    }
    let outer = super::quiet::ancestors(tokens, at).pop();
    let Some(outer) = outer.filter(|it| classes.name(tokens[*it].kind) == "binary_expression")
    else {
        return false;
    };
    let head = new.tokens.all.get(..new.tokens.head).unwrap_or_default();
    let parts = leaves(subtree(tokens, outer).unwrap_or_default());
    let is_typed = |it: &&&Token| {
        it.what == What::Member
            || it.what == What::Identifier
                && new.tokens.bound.contains(&it.text)
                && head.iter().any(|other| is_name(other, it.text))
    };
    let shifts = parts.iter().any(|it| matches!(it.text, b"<<" | b">>"));
    !shifts && parts.iter().any(|it| is_typed(&it))
}
