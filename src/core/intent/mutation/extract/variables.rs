//! A variable that is set and looked at once, by the statement right behind:
//! its value may as well stand there.

use super::super::{
    Cut,
    quiet::{
        Declaration, ancestors, children, declaration, inner, is_name, is_plain, is_straight,
        leaves, statement_around, subtree,
    },
};
use super::MOST;
use crate::outline::{
    Kind,
    token::{Classes, Token, What},
};

/// Code that reads names of variables while it runs.
const READERS: &[&[u8]] = &[b"locals", b"eval", b"exec", b"vars", b"dir", b"globals", b"inspect"];

/// The tokens with the values of new variables in their places, and without
/// the variables. Nothing, if one of them may not be put back so.
pub(super) fn put_back<'s>(
    old: &[Token<'s>],
    new: &[Token<'s>],
    cut: &Cut<'s>,
    language: &str,
    classes: &Classes,
) -> Option<Vec<Token<'s>>> {
    if !matches!(cut.piece.kind, Kind::Function | Kind::Method) {
        return None;
    }
    let is_there = |name: &[u8]| old.iter().any(|it| it.what != What::Literal && it.text == name);
    let mut names: Vec<&[u8]> =
        cut.tokens.bound.iter().copied().filter(|it| !is_there(it)).collect();
    names.dedup();
    let reads = |it: &Token| {
        READERS.contains(&it.text) || matches!(it.text, b"global" | b"nonlocal" | b"with")
    };
    if names.is_empty() || names.len() > MOST || new.iter().any(reads) {
        return None;
    }
    let mut tokens = new.to_vec();
    for name in names {
        tokens = without(&tokens, name, cut, language, classes)?;
    }
    Some(tokens)
}

fn without<'s>(
    tokens: &[Token<'s>],
    name: &[u8],
    cut: &Cut<'s>,
    language: &str,
    classes: &Classes,
) -> Option<Vec<Token<'s>>> {
    let at = tokens.iter().position(|it| is_name(it, name))?;
    let set = statement_around(tokens, at, classes)?;
    let is_in_class =
        ancestors(tokens, at).iter().any(|it| classes.name(tokens[*it].kind).contains("class"));
    let set_to = declaration(&tokens[set.clone()], language).filter(|it| it.name == name)?;
    if is_in_class || !may_be_put_back(&set_to, cut, language, classes) {
        return None;
    }
    // The next statement, in the same block.
    let used = set.end..set.end + subtree(tokens, set.end)?.len();
    if tokens.get(used.start)?.what == What::Close {
        return None;
    }
    let places: Vec<usize> = used.clone().filter(|it| is_name(&tokens[*it], name)).collect();
    // A text may name it, too, and a short form says two names at once.
    let said = tokens.iter().filter(|it| says(it, name)).count();
    if places.is_empty() || said != places.len() + 1 {
        return None;
    }
    if !places.iter().all(|it| is_straight(tokens, &used, *it, classes)) {
        return None;
    }
    // What is set to it is another name then.
    let is_target = |at: &usize| {
        let next = tokens.get(at + 1).map_or(&b""[..], |it| it.text);
        matches!(next, b"=" | b":=" | b"++" | b"--")
            || next.ends_with(b"=")
                && next.len() == 2
                && !matches!(next, b"==" | b"<=" | b">=" | b"!=")
    };
    if places.iter().any(is_target) {
        return None;
    }
    let mut next = tokens[..set.start].to_vec();
    for token in &tokens[set.end..] {
        if is_name(token, name) {
            next.extend_from_slice(set_to.value);
        } else {
            next.push(*token);
        }
    }
    Some(next)
}

fn says(token: &Token, name: &[u8]) -> bool {
    match token.what {
        What::Identifier | What::Shorthand => token.text == name,
        What::Literal => token.text.windows(name.len().max(1)).any(|it| it == name),
        What::Open | What::Close | What::Member | What::Word => false,
    }
}

/// Nothing happens in the value, and it is the same thing in its other place:
/// no other type, and nothing that ends at another time.
fn may_be_put_back(it: &Declaration, cut: &Cut, language: &str, classes: &Classes) -> bool {
    if !is_plain(it.value, classes) {
        return false;
    }
    let top = it.value.first();
    let is_leaf = it.value.len() == 1;
    let kind = top.map_or("", |it| classes.name(it.kind));
    let operator = || {
        let own = children(inner(it.value)).unwrap_or_default();
        own.iter().find_map(|it| it.first().filter(|it| it.what == What::Word)).map(|it| it.text)
    };
    match language {
        "rust" => {
            is_leaf && top.is_some_and(|it| it.what == What::Literal)
                || kind == "binary_expression"
                || kind == "unary_expression" && operator() != Some(b"*")
        }
        "go" => {
            // A constant has no type of its own, and takes one where it stands.
            let is_typed = leaves(it.value).iter().any(|it| {
                it.what == What::Member
                    || it.what == What::Identifier && cut.tokens.bound.contains(&it.text)
            });
            let shifts = leaves(it.value).iter().any(|it| matches!(it.text, b"<<" | b">>" | b"&"));
            is_typed && !shifts
        }
        "java" => match it.head.as_slice() {
            [b"var", _] => true,
            [b"boolean", _] => kind == "binary_expression" || kind == "unary_expression",
            [b"int", _] => {
                kind == "binary_expression"
                    && matches!(operator(), Some(b"+" | b"-" | b"*" | b"/" | b"%"))
            }
            [b"String", _] => kind == "binary_expression" && operator() == Some(b"+"),
            _ => false,
        },
        _ => true,
    }
}
