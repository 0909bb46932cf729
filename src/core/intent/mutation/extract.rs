//! Proves that something was only taken out and given a name: put back in its
//! place, it gives the text before. Taken the other way round, it proves that
//! something was put in its place.
//!
//! Brackets, borrows and semicolons count for nothing here; the trees, which
//! say how an expression is to be read, do.

use super::Cut;
use crate::outline::{
    Kind,
    token::{Classes, Token, What},
};

/// So many definitions may come of one change.
const MOST: usize = 4;
/// A piece of more tokens is not put together again.
const LONGEST: usize = 20_000;

/// Whether `come` is `gone` with something taken out of it.
pub(super) fn is_extracted(gone: &[&Cut], come: &[&Cut], classes: &Classes) -> bool {
    if come.iter().chain(gone).any(|it| it.tokens.all.len() > LONGEST) {
        return false;
    }
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
    let parts: Option<Vec<Part>> = added.iter().map(|it| Part::of(it, classes)).collect();
    let Some(parts) = parts else { return false };
    let mut uses = vec![0; parts.len()];
    changed.iter().all(|new| {
        let Some(old) = counterpart(new, gone).and_then(|it| gone.get(it)) else { return false };
        let is_same_head = super::has_same_head(old, new);
        let old = bare(&old.tokens.all, classes);
        let mut now = bare(&new.tokens.all, classes);
        // One part may be used by another; more rounds than parts change nothing.
        for _ in 0..=parts.len() {
            for (part, uses) in parts.iter().zip(&mut uses) {
                *uses += part.put_back(&mut now, classes);
            }
        }
        let same = |now: &[Token]| now == old;
        is_same_head
            && (same(&now) || variables(&old, &now, new, classes).is_some_and(|it| same(&it)))
    }) && uses.iter().all(|it| *it > 0)
}

/// Something with a name, and what it stands for.
enum Part<'s> {
    Value {
        name: &'s [u8],
        is: Vec<Token<'s>>,
    },
    Function {
        name: &'s [u8],
        parameters: Vec<&'s [u8]>,
        body: Vec<Token<'s>>,
        result: Vec<Token<'s>>,
    },
}

impl<'s> Part<'s> {
    fn of(cut: &Cut<'s>, classes: &Classes) -> Option<Self> {
        let own = cut.piece.names.first()?;
        if cut.piece.names.len() != 1 {
            return None;
        }
        let own = own.rsplit('.').next().unwrap_or(own);
        let is_own = |it: &&Token<'s>| it.text == own.as_bytes() && it.what != What::Literal;
        let name = cut.tokens.all.iter().find(is_own)?.text;
        let tokens = bare(cut.tokens.all.get(cut.tokens.head..)?, classes);
        match cut.piece.kind {
            Kind::Value => Some(Self::Value { name, is: subtree(&tokens, 0)?.to_vec() }),
            Kind::Function | Kind::Method => {
                let head = cut.tokens.all.get(..cut.tokens.head)?;
                let in_head = |name: &&&[u8]| {
                    let is_it = |it: &Token| it.text == **name && it.what == What::Identifier;
                    head.iter().any(is_it)
                };
                let parameters = cut.tokens.bound.iter().filter(in_head).copied();
                let parameters: Vec<&[u8]> = parameters
                    .filter(|it| !matches!(*it, b"self" | b"cls") && *it != name)
                    .collect();
                let block = subtree(&tokens, 0)?;
                let (body, result) = halves(block, classes)?;
                Some(Self::Function { name, parameters, body, result })
            }
            _ => None,
        }
    }

    /// Puts what it stands for where it is named; answers how often.
    fn put_back(&self, tokens: &mut Vec<Token<'s>>, classes: &Classes) -> usize {
        let mut uses = 0;
        let mut at = 0;
        while at < tokens.len() && tokens.len() < 4 * LONGEST {
            match self {
                Self::Value { name, is } => {
                    let token = tokens[at];
                    if token.what == What::Identifier && token.text == *name {
                        tokens.splice(at..=at, is.iter().copied());
                        at += is.len();
                        uses += 1;
                        continue;
                    }
                }
                Self::Function { name, parameters, body, result } => {
                    let call = call_at(tokens, at, name, parameters.len(), classes);
                    if let Some(call) = call
                        && let Some(next) = call.replaced(tokens, parameters, body, result, classes)
                    {
                        *tokens = next;
                        uses += 1;
                        continue;
                    }
                }
            }
            at += 1;
        }
        uses
    }
}

/// Statements, and what comes of them: without a `return` anywhere else.
fn halves<'s>(block: &[Token<'s>], classes: &Classes) -> Option<(Vec<Token<'s>>, Vec<Token<'s>>)> {
    let first = block.first()?;
    if !classes.is_block(first.kind) {
        // `a => a + 1`
        return Some((Vec::new(), block.to_vec()));
    }
    let mut inner = block.get(1..block.len() - 1)?;
    // Go's statements stand in a list of their own, Rust's and others' in
    // brackets.
    if let [open, rest @ .., close] = inner
        && (open.text, close.text) == (b"{".as_slice(), b"}".as_slice())
    {
        inner = rest;
    }
    if inner.first().is_some_and(|it| it.what == What::Open && classes.is_block(it.kind))
        && subtree(inner, 0).is_some_and(|it| it.len() == inner.len())
    {
        inner = inner.get(1..inner.len() - 1)?;
    }
    let mut last = 0;
    let mut at = 0;
    while at < inner.len() {
        last = at;
        at += subtree(inner, at)?.len();
    }
    let (body, tail) = inner.split_at(last);
    let leaves = body.iter().chain(tail.iter().skip_while(|it| it.what == What::Open).skip(1));
    let leaves_early = |it: &Token| {
        it.what == What::Word
            && matches!(it.text, b"return" | b"yield" | b"?" | b"await" | b"break")
    };
    if leaves.clone().any(leaves_early) {
        return None;
    }
    let is_return = |it: &&Token| it.what != What::Open;
    let word = tail.iter().position(|it| is_return(&it));
    match word.and_then(|at| Some((at, tail.get(at)?))) {
        Some((at, token)) if token.text == b"return" => {
            let value = if tail.get(at + 1)?.what == What::Close {
                Vec::new()
            } else {
                subtree(tail, at + 1)?.to_vec()
            };
            Some((body.to_vec(), value))
        }
        // Whether the last thing is a value or a statement, its place says.
        _ => Some((body.to_vec(), tail.to_vec())),
    }
}

struct Call<'s> {
    /// The node of it.
    range: std::ops::Range<usize>,
    arguments: Vec<Vec<Token<'s>>>,
}

/// Whether `tokens[at]` begins a call of `name`.
fn call_at<'s>(
    tokens: &[Token<'s>],
    at: usize,
    name: &[u8],
    arity: usize,
    classes: &Classes,
) -> Option<Call<'s>> {
    const OWN: &[&[u8]] = &[b"self", b"this", b"Self", b"cls"];
    let open = tokens.get(at)?;
    if open.what != What::Open || !classes.is_call(open.kind) {
        return None;
    }
    let call = subtree(tokens, at)?;
    // The name, and the object whose own part it is.
    let opens = call.iter().position(|it| it.text == b"(")?;
    let mut callee =
        call[..opens].iter().filter(|it| it.what != What::Open && it.what != What::Close);
    let words: Vec<&Token> = callee.by_ref().collect();
    let is_it = match words.as_slice() {
        [it] => it.text == name,
        [own, dot, it] => {
            OWN.contains(&own.text) && matches!(dot.text, b"." | b"::") && it.text == name
                // In Go and others the receiver goes by any name.
                || own.what == What::Identifier && dot.text == b"." && it.text == name
        }
        _ => false,
    };
    if !is_it {
        return None;
    }
    let mut arguments = Vec::new();
    let mut at_argument = opens + 1;
    while at_argument < call.len() {
        let token = call.get(at_argument)?;
        match token.text {
            b")" if token.what == What::Word => break,
            b"," if token.what == What::Word => at_argument += 1,
            _ => {
                let argument = subtree(call, at_argument)?;
                at_argument += argument.len();
                arguments.push(argument.to_vec());
            }
        }
    }
    (arguments.len() == arity).then(|| Call { range: at..at + call.len(), arguments })
}

impl<'s> Call<'s> {
    /// The whole with the statements before the statement that the call is in,
    /// and the result in its own place.
    fn replaced(
        &self,
        tokens: &[Token<'s>],
        parameters: &[&[u8]],
        body: &[Token<'s>],
        result: &[Token<'s>],
        classes: &Classes,
    ) -> Option<Vec<Token<'s>>> {
        let with = |part: &[Token<'s>]| -> Vec<Token<'s>> {
            let mut res = Vec::with_capacity(part.len());
            for token in part {
                let parameter = parameters
                    .iter()
                    .position(|it| matches!(token.what, What::Identifier) && token.text == *it);
                match parameter.and_then(|it| self.arguments.get(it)) {
                    Some(argument) => res.extend_from_slice(argument),
                    None => res.push(*token),
                }
            }
            res
        };
        let (body, result) = (with(body), with(result));
        let statement = statement_around(tokens, self.range.start, classes)?;
        let whole = &tokens[statement.clone()];
        let mut new = tokens[..statement.start].to_vec();
        new.extend_from_slice(&body);
        let call = self.range.start - statement.start..self.range.end - statement.start;
        let others = whole
            .iter()
            .enumerate()
            .filter(|(at, it)| !call.contains(at) && !matches!(it.what, What::Open | What::Close));
        let others: Vec<&Token> = others.map(|(_, it)| it).collect();
        let set = others.iter().rev().find(|it| it.what == What::Identifier);
        let is_set_to_itself = matches!(result.as_slice(), [it] if it.what == What::Identifier
            && set.is_some_and(|set| set.text == it.text)
            && others.iter().any(|it| matches!(it.text, b"=" | b":=")));
        if is_set_to_itself {
            // `let total = sum(items);`, where `total` is what it calls it.
        } else {
            new.extend_from_slice(&whole[..call.start]);
            new.extend_from_slice(&result);
            new.extend_from_slice(&whole[call.end..]);
        }
        new.extend_from_slice(&tokens[statement.end..]);
        Some(new)
    }
}

/// The child of a block that `at` lies in.
fn statement_around(
    tokens: &[Token],
    at: usize,
    classes: &Classes,
) -> Option<std::ops::Range<usize>> {
    let mut open: Vec<usize> = Vec::new();
    for (position, token) in tokens.iter().enumerate().take(at + 1) {
        match token.what {
            What::Open => open.push(position),
            What::Close => drop(open.pop()),
            _ => (),
        }
    }
    let mut inner = at;
    while let Some(outer) = open.pop() {
        if outer != inner && classes.is_block(tokens.get(outer)?.kind) {
            return Some(inner..inner + subtree(tokens, inner)?.len());
        }
        inner = outer;
    }
    None
}

/// A node from its beginning to its end, or a leaf.
fn subtree<'t, 's>(tokens: &'t [Token<'s>], at: usize) -> Option<&'t [Token<'s>]> {
    let mut depth = 0_usize;
    for (position, token) in tokens.iter().enumerate().skip(at) {
        match token.what {
            What::Open => depth += 1,
            What::Close => depth = depth.checked_sub(1)?,
            _ => (),
        }
        if depth == 0 {
            return tokens.get(at..=position);
        }
    }
    None
}

/// Without what says how to read the rest, and not what it is.
fn bare<'s>(tokens: &[Token<'s>], classes: &Classes) -> Vec<Token<'s>> {
    let mut res = Vec::with_capacity(tokens.len());
    let mut open: Vec<bool> = Vec::new();
    for token in tokens {
        match token.what {
            What::Open => {
                open.push(classes.is_thin(token.kind));
                if !classes.is_thin(token.kind) {
                    res.push(*token);
                }
            }
            What::Close => {
                if !open.pop().unwrap_or(false) {
                    res.push(*token);
                }
            }
            What::Word if open.last() == Some(&true) && is_thin_word(token) => (),
            What::Word if matches!(token.text, b";" | b"mut") => (),
            _ => res.push(*token),
        }
    }
    res
}

fn is_thin_word(token: &Token) -> bool {
    matches!(token.text, b"(" | b")" | b"&")
}

/// The tokens with the values of new variables in their places, and without
/// the variables.
fn variables<'s>(
    old: &[Token<'s>],
    new: &[Token<'s>],
    cut: &Cut<'s>,
    classes: &Classes,
) -> Option<Vec<Token<'s>>> {
    let is_there =
        |name: &[u8]| old.iter().any(|it| it.what == What::Identifier && it.text == name);
    let mut names: Vec<&[u8]> =
        cut.tokens.bound.iter().copied().filter(|it| !is_there(it)).collect();
    names.dedup();
    if names.is_empty() || names.len() > MOST {
        return None;
    }
    let mut tokens = new.to_vec();
    for name in names {
        let is_name = |it: &Token| it.what == What::Identifier && it.text == name;
        let at = tokens.iter().position(is_name)?;
        let statement = statement_around(&tokens, at, classes)?;
        let whole = tokens[statement.clone()].to_vec();
        let set = whole.iter().position(|it| matches!(it.text, b"=" | b":="))?;
        let value = subtree(&whole, set + 1)?.to_vec();
        // Nothing else may happen where it is set, and nothing in the value
        // may be lost by being looked at later, or twice.
        let does = |it: &Token| {
            it.what == What::Open && classes.is_call(it.kind)
                || it.what == What::Word
                    && matches!(it.text, b"await" | b"?" | b"++" | b"--" | b"+=")
        };
        let rest = tokens[statement.end..].iter().filter(|it| is_name(it)).count();
        let is_set_again = tokens[statement.end..]
            .windows(2)
            .any(|it| is_name(&it[0]) && matches!(it[1].text, b"=" | b"+=" | b"-="));
        if rest == 0 || is_set_again || rest > 1 && value.iter().any(does) {
            return None;
        }
        let mut next = tokens[..statement.start].to_vec();
        for token in &tokens[statement.end..] {
            if is_name(token) {
                next.extend_from_slice(&value);
            } else {
                next.push(*token);
            }
        }
        tokens = next;
    }
    Some(tokens)
}
