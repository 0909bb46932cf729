//! A function that is put back into the one that it was taken out of.
//!
//! Its statements stand where it is called, and its result in the place of the
//! call. For that to be the same, nothing in it may depend on being in a
//! function of its own: where it returns, what `this` is, which names it sees
//! and sets, of what type its parameters are, and when its variables end.

use std::ops::Range;

use super::{
    super::{
        Cut,
        quiet::{
            bare, children, declaration, has_calls, is_leaf, is_name, is_plain, is_plain_literal,
            is_straight, leaves, set_in, statement_around, subtree,
        },
    },
    Site,
    shape::{
        BASIC, binds_again, halves, is_basic, is_called_from_elsewhere, is_dynamic, is_own_method,
        is_plain_head, is_shared, is_statement, returns, type_of,
    },
};
use crate::outline::{
    Kind,
    token::{Classes, Token, What},
};

/// What means something else in a function of its own, or in another one.
const BOUND_TO_THE_FUNCTION: &[&[u8]] = &[
    b"return",
    b"yield",
    b"await",
    b"break",
    b"continue",
    b"goto",
    b"defer",
    b"go",
    b"?",
    b"arguments",
    b"super",
    b"global",
    b"nonlocal",
    b"new.target",
    b"recover",
    b"locals",
    b"eval",
    b"exec",
    b"vars",
    b"dir",
    b"globals",
    b"inspect",
    b"__func__",
    b"fallthrough",
    b"target",
    b"__class__",
    b"caller",
    b"callee",
    b"with",
    b"Caller",
    b"Callers",
];

/// Rust finds the types of these from where their values go.
const OF_ANY_TYPE: &[&[u8]] =
    &[b"parse", b"into", b"try_into", b"default", b"sum", b"product", b"collect", b"from"];

pub(super) struct Helper<'s> {
    name: &'s [u8],
    is_method: bool,
    inside: String,
    parameters: Vec<&'s [u8]>,
    /// Of each of them, where the language has any.
    types: Vec<Vec<Token<'s>>>,
    body: Vec<Token<'s>>,
    result: Option<Vec<Token<'s>>>,
    /// What it says its result is.
    returns: Vec<&'s [u8]>,
    /// Names that are its own.
    bound: Vec<&'s [u8]>,
}

pub(super) struct Call<'s> {
    range: Range<usize>,
    arguments: Vec<Vec<Token<'s>>>,
}

impl<'s> Helper<'s> {
    pub(super) fn of(cut: &Cut<'s>, name: &'s [u8], site: &Site<'_, 's>) -> Option<Self> {
        let classes = &site.pair.classes;
        let language = site.language;
        let is_method = cut.piece.kind == Kind::Method;
        let head = cut.tokens.all.get(..cut.tokens.head)?;
        let text = std::str::from_utf8(name).ok()?;
        if is_called_from_elsewhere(text)
            || !is_plain_head(head, cut, language, classes)
            || is_method && !is_own_method(cut, head, site)
        {
            return None;
        }
        let in_head = |name: &&&[u8]| head.iter().any(|it| is_name(it, name));
        let parameters = cut.tokens.bound.iter().filter(in_head).copied();
        let parameters: Vec<&[u8]> =
            parameters.filter(|it| !matches!(*it, b"self" | b"cls") && *it != name).collect();
        if binds_again(cut, &parameters, classes) {
            return None;
        }
        let types: Vec<Vec<Token>> = if is_dynamic(language) {
            Vec::new()
        } else {
            parameters.iter().map(|it| type_of(head, it, classes)).collect::<Option<_>>()?
        };
        let tokens = bare(cut.tokens.all.get(cut.tokens.head..)?, classes);
        let returns = returns(head, language);
        let (body, result) = halves(subtree(&tokens, 0)?, !returns.is_empty(), classes)?;
        let helper = Self {
            name,
            is_method,
            inside: cut.piece.inside.clone(),
            parameters,
            types,
            body,
            result,
            returns,
            bound: cut.tokens.bound.clone(),
        };
        helper.may_be_moved(language, classes).then_some(helper)
    }

    fn all(&self) -> impl Iterator<Item = &Token<'s>> {
        self.body.iter().chain(self.result.iter().flatten())
    }

    /// The names that it sees from outside.
    fn free(&self) -> impl Iterator<Item = &'s [u8]> {
        let is_free = |it: &&Token<'s>| {
            matches!(it.what, What::Identifier | What::Shorthand) && !self.bound.contains(&it.text)
        };
        self.all().filter(is_free).map(|it| it.text)
    }

    fn own(&self) -> impl Iterator<Item = &'s [u8]> {
        self.bound.iter().copied().filter(|it| !self.parameters.contains(it))
    }

    /// Nothing in it says in which function it stands.
    fn may_be_moved(&self, language: &str, classes: &Classes) -> bool {
        let is_bound = |it: &Token| {
            is_leaf(it) && it.what != What::Literal && BOUND_TO_THE_FUNCTION.contains(&it.text)
                || !self.is_method && matches!(it.text, b"this" | b"self" | b"Self" | b"cls")
                || is_name(it, self.name)
        };
        let (set, parts): (Vec<&[u8]>, Vec<&[u8]>) = {
            let all: Vec<Token> = self.all().copied().collect();
            set_in(&all, classes)
        };
        let own: Vec<&[u8]> = self.own().collect();
        // A name that is there twice may be another one the second time.
        let mut seen = std::collections::HashSet::new();
        let is_once = language == "python" || self.bound.iter().all(|it| seen.insert(*it));
        let are_own = set.iter().all(|it| own.contains(it));
        let is_copy = |it: &&[u8]| self.parameters.contains(it);
        let is_shared = match language {
            "go" => self.types.iter().all(|it| is_shared(it) || is_basic(it)),
            "rust" => self.types.iter().all(|it| {
                it.first().is_some_and(|first| classes.name(first.kind) == "reference_type")
                    || is_basic(it)
            }),
            _ => true,
        };
        let is_part_of_copy = !is_dynamic(language)
            && language != "java"
            && parts.iter().any(|it| is_copy(it) && !self.is_reference(it));
        let makes_texts = language == "rust"
            && self.all().any(|it| it.what == What::Literal && it.text.contains(&b'{'));
        !self.all().any(is_bound)
            && is_once
            && are_own
            && is_shared
            && !is_part_of_copy
            && !makes_texts
            && (language != "rust" || self.ends_the_same(classes))
    }

    fn is_reference(&self, parameter: &[u8]) -> bool {
        let at = self.parameters.iter().position(|it| *it == parameter);
        at.and_then(|it| self.types.get(it)).is_some_and(|it| !is_basic(it))
    }

    /// Rust: nothing ends with the function that ended later before, and no
    /// type is found from somewhere else.
    fn ends_the_same(&self, classes: &Classes) -> bool {
        let result = self.result.as_deref().unwrap_or_default();
        let returned = match result {
            [it] if it.what == What::Identifier => Some(it.text),
            _ => None,
        };
        if self.all().any(|it| OF_ANY_TYPE.contains(&it.text)) {
            return false;
        }
        let statements = children(&self.body).unwrap_or_default();
        statements.into_iter().all(|statement| {
            let Some(first) = statement.first() else { return true };
            if classes.name(first.kind) != "let_declaration" {
                return classes.name(first.kind) == "expression_statement";
            }
            let Some(it) = declaration(statement, "rust") else { return false };
            let is_number = matches!(it.value, [it] if it.what == What::Literal
                && it.text.iter().all(|it| it.is_ascii_digit() || matches!(it, b'_' | b'.')));
            // What is added to it tells its type.
            let is_told = || {
                let mut all = self.body.iter().enumerate();
                all.any(|(at, set)| {
                    classes.name(set.kind) == "compound_assignment_expr"
                        && set.what == What::Open
                        && self.body.get(at + 1).is_some_and(|left| is_name(left, it.name))
                        && subtree(&self.body, at)
                            .is_some_and(|set| set.iter().any(|it| it.what == What::Member))
                })
            };
            (Some(it.name) == returned || is_plain(it.value, classes)) && (!is_number || is_told())
        })
    }

    /// Whether `tokens[at]` begins a call of it.
    pub(super) fn call_at(
        &self,
        tokens: &[Token<'s>],
        at: usize,
        site: &Site<'_, 's>,
    ) -> Option<Call<'s>> {
        let classes = &site.pair.classes;
        let open = tokens.get(at)?;
        if open.what != What::Open || !classes.is_call(open.kind) {
            return None;
        }
        let call = subtree(tokens, at)?;
        let opens = call.iter().position(|it| it.text == b"(")?;
        let words: Vec<&Token> = leaves(&call[..opens]);
        let is_it = match words.as_slice() {
            [it] => it.text == self.name && (!self.is_method || site.language == "java"),
            [own, dot, it] => {
                self.is_method
                    && matches!(own.text, b"self" | b"this" | b"Self")
                    && matches!(dot.text, b"." | b"::")
                    && it.text == self.name
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
        let is_all = arguments.len() == self.parameters.len();
        is_all.then(|| Call { range: at..at + call.len(), arguments })
    }

    /// The tokens with what it does in the place of the call.
    pub(super) fn put_back(
        &self,
        tokens: &[Token<'s>],
        call: &Call<'s>,
        old: &Cut<'s>,
        new: &Cut<'s>,
        site: &Site<'_, 's>,
    ) -> Option<Vec<Token<'s>>> {
        let classes = &site.pair.classes;
        if !self.sees_the_same(old, new, site) || !self.takes_the_same(call, new, site) {
            return None;
        }
        let statement = statement_around(tokens, call.range.start, classes)?;
        let whole = tokens.get(statement.clone())?;
        let others = |it: &&Token<'s>| !matches!(it.text, b";");
        let is_whole = leaves(whole).into_iter().filter(others).count()
            == leaves(&tokens[call.range.clone()]).len();
        let body = self.with(&self.body, call);
        let mut made = tokens[..statement.start].to_vec();
        let result = match &self.result {
            None if is_whole && is_statement(whole, classes) => {
                self.leaves_alone(tokens, &statement, None).then_some(())?;
                made.extend(body);
                made.extend_from_slice(&tokens[statement.end..]);
                return Some(made);
            }
            None => return None,
            Some(result) => self.with(result, call),
        };
        if let Some(name) = self.sets_itself(whole, &result, &call.range, &statement, site) {
            self.leaves_alone(tokens, &statement, Some(name)).then_some(())?;
            made.extend(body);
            made.extend_from_slice(&tokens[statement.end..]);
            return Some(made);
        }
        let is_value = match site.language {
            "java" => false,
            "go" | "rust" => {
                let has_parameter = result
                    .iter()
                    .any(|it| it.what == What::Identifier && new.tokens.bound.contains(&it.text));
                self.body.is_empty()
                    && matches!(self.returns.as_slice(), [it] if BASIC.contains(it))
                    && has_parameter
                    && is_plain(&result, classes)
            }
            _ => {
                self.body.is_empty()
                    || is_straight(tokens, &statement, call.range.start, classes)
                        && self.leaves_alone(tokens, &statement, None)
            }
        };
        // A statement that throws the value away is another one.
        if !is_value || is_whole && is_statement(whole, classes) {
            return None;
        }
        made.extend(body);
        made.extend_from_slice(&tokens[statement.start..call.range.start]);
        made.extend(result);
        made.extend_from_slice(&tokens[call.range.end..]);
        Some(made)
    }

    fn with(&self, part: &[Token<'s>], call: &Call<'s>) -> Vec<Token<'s>> {
        let mut res = Vec::with_capacity(part.len());
        for token in part {
            let parameter = self.parameters.iter().position(|it| is_name(token, it));
            match parameter.and_then(|it| call.arguments.get(it)) {
                Some(argument) => res.extend_from_slice(argument),
                None => res.push(*token),
            }
        }
        res
    }

    /// What it sees from outside is the same in the other function.
    fn sees_the_same(&self, old: &Cut, new: &Cut, site: &Site) -> bool {
        let is_hidden =
            |name: &[u8]| old.tokens.bound.contains(&name) || new.tokens.bound.contains(&name);
        let shared = |it: &Token| matches!(it.text, b"global" | b"nonlocal" | b"with" | b"eval");
        let inside = &new.piece.inside;
        let is_in_module = site.outline.pieces.iter().any(|it| {
            it.kind == Kind::Module && !it.names.is_empty() && inside.starts_with(&it.path())
        });
        let is_placed = *inside == self.inside
            || !self.is_method
                && self.inside.is_empty()
                && !is_in_module
                && site.language != "java";
        let short =
            self.all().any(|it| it.what == What::Shorthand && self.parameters.contains(&it.text));
        is_placed
            && !short
            && !self.free().any(is_hidden)
            && !old.tokens.all.iter().chain(&new.tokens.all).any(shared)
    }

    /// Its parameters are what they are called with.
    fn takes_the_same(&self, call: &Call, new: &Cut, site: &Site) -> bool {
        let classes = &site.pair.classes;
        let head = new.tokens.all.get(..new.tokens.head).unwrap_or_default();
        let (set, _) = set_in(&new.tokens.all, classes);
        let all: Vec<Token> = self.all().copied().collect();
        call.arguments.iter().enumerate().all(|(at, argument)| {
            let [it] = argument.as_slice() else { return false };
            let is_local = it.what == What::Identifier
                && new.tokens.bound.contains(&it.text)
                && (!has_calls(&all, classes) || !set.contains(&it.text));
            if is_dynamic(site.language) {
                return is_local || is_plain_literal(it, classes);
            }
            let bare_text = |it: Vec<Token>| -> Vec<Vec<u8>> {
                leaves(&it).into_iter().map(|it| it.text.to_vec()).collect()
            };
            let own = self.types.get(at).cloned().unwrap_or_default();
            is_local
                && type_of(head, it.text, classes)
                    .is_some_and(|theirs| bare_text(theirs) == bare_text(own))
        })
    }

    /// Its own names are nobody else's in the function, but for the one that
    /// its result is called.
    fn leaves_alone(
        &self,
        tokens: &[Token],
        statement: &Range<usize>,
        result: Option<&[u8]>,
    ) -> bool {
        let rest = tokens[..statement.start].iter().chain(&tokens[statement.end..]);
        let others: std::collections::HashSet<&[u8]> = rest
            .filter(|it| matches!(it.what, What::Identifier | What::Shorthand))
            .map(|it| it.text)
            .collect();
        self.own().all(|it| Some(it) == result || !others.contains(it))
    }

    /// `let total = sum(items);`, where `total` is what it calls it.
    fn sets_itself(
        &self,
        whole: &[Token<'s>],
        result: &[Token<'s>],
        call: &Range<usize>,
        statement: &Range<usize>,
        site: &Site,
    ) -> Option<&'s [u8]> {
        let [it] = result else { return None };
        let set = declaration(whole, site.language)?;
        let is_call = set.value.len() == call.len()
            && whole.get(call.start - statement.start..call.end - statement.start)
                == Some(set.value);
        let own = children(&self.body)?
            .into_iter()
            .filter_map(|it| declaration(it, site.language))
            .find(|own| own.name == it.text)?;
        let is_it = is_name(it, set.name) && is_call;
        let (set_words, _) = set_in(&self.body, &site.pair.classes);
        let is_same = match site.language {
            // `const` where it was `let`: it may be set later.
            "javascript" | "typescript" | "tsx" => {
                set.head.first() == own.head.first()
                    || set.head.first() == Some(&&b"const"[..])
                        && {
                            // Set in the function, and nowhere behind it.
                            set_words.contains(&it.text)
                        }
                        && !is_set_behind(site, it.text, self.name)
            }
            "java" => set.head == own.head && self.returns.first() == own.head.first(),
            "go" => matches!(self.returns.as_slice(), [it] if BASIC.contains(it)),
            _ => true,
        };
        (is_it && is_same).then_some(set.name)
    }
}

/// JavaScript: whether the name is set in a piece that also names the helper.
fn is_set_behind(site: &Site, name: &[u8], helper: &[u8]) -> bool {
    site.outline.pieces.iter().any(|piece| {
        let own = piece.names.iter().any(|it| it.as_bytes() == helper);
        if own || !piece.raw.windows(helper.len().max(1)).any(|it| it == helper) {
            return false;
        }
        let tokens = site.source.tokens(piece, &site.pair.classes);
        set_in(&tokens.all, &site.pair.classes).0.contains(&name)
    })
}
