//! What can be said of tokens without running them: that nothing happens in
//! an expression, that nothing happens before it, what is set and where.
//!
//! Lists of what is allowed, not of what is not: a node that nobody thought of
//! proves nothing.

use std::ops::Range;

use crate::outline::token::{Classes, Token, What};

/// Expressions in which nothing happens but that names are read.
const PLAIN: &[&str] = &[
    "binary_expression",
    "binary_operator",
    "boolean_operator",
    "comparison_operator",
    "unary_expression",
    "unary_operator",
    "not_operator",
    "parenthesized_expression",
    "member_expression",
    "attribute",
    "field_expression",
    "field_access",
    "selector_expression",
];

/// An expression that stands in these is looked at once, each time that the
/// statement is come by.
const STRAIGHT: &[&str] = &[
    "return_statement",
    "return_expression",
    "expression_statement",
    "lexical_declaration",
    "variable_declaration",
    "variable_declarator",
    "let_declaration",
    "short_var_declaration",
    "local_variable_declaration",
    "assignment",
    "assignment_expression",
    "assignment_statement",
    "augmented_assignment",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "call",
    "call_expression",
    "method_invocation",
    "new_expression",
    "object_creation_expression",
    "arguments",
    "argument_list",
    "keyword_argument",
    "await",
    "await_expression",
    "list",
    "array",
    "array_expression",
    "tuple",
    "tuple_expression",
    "dictionary",
    "object",
    "pair",
    "expression_list",
    "throw_statement",
    "raise_statement",
    "if_statement",
    "if_expression",
];

/// What is behind these may not be looked at.
const SOMETIMES: &[&[u8]] =
    &[b"&&", b"||", b"??", b"and", b"or", b"?", b"?.", b"&&=", b"||=", b"??="];

/// They take a value, and give it a name or a place.
const SETS: &[&str] = &[
    "assignment",
    "assignment_expression",
    "assignment_statement",
    "augmented_assignment",
    "augmented_assignment_expression",
    "compound_assignment_expr",
    "update_expression",
    "inc_statement",
    "dec_statement",
    "named_expression",
    "delete_statement",
    "send_statement",
];

/// Brackets around these say nothing that the tree does not say.
const OPERATORS: &[&str] = &[
    "binary_expression",
    "binary_operator",
    "boolean_operator",
    "comparison_operator",
    "unary_expression",
    "unary_operator",
    "not_operator",
];

pub(super) fn is_leaf(it: &Token) -> bool {
    !matches!(it.what, What::Open | What::Close)
}

pub(super) fn leaves<'t, 's>(tokens: &'t [Token<'s>]) -> Vec<&'t Token<'s>> {
    tokens.iter().filter(|it| is_leaf(it)).collect()
}

pub(super) fn is_name(token: &Token, name: &[u8]) -> bool {
    token.what == What::Identifier && token.text == name
}

/// A node from its beginning to its end, or a leaf.
pub(super) fn subtree<'t, 's>(tokens: &'t [Token<'s>], at: usize) -> Option<&'t [Token<'s>]> {
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

/// Nodes and leaves, one behind the other.
pub(super) fn children<'t, 's>(tokens: &'t [Token<'s>]) -> Option<Vec<&'t [Token<'s>]>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let child = subtree(tokens, at)?;
        at += child.len();
        found.push(child);
    }
    Some(found)
}

/// What stands in a node.
pub(super) fn inner<'t, 's>(node: &'t [Token<'s>]) -> &'t [Token<'s>] {
    match node {
        [open, rest @ .., _] if open.what == What::Open => rest,
        _ => node,
    }
}

/// Where the nodes begin that `at` stands in, the outermost first.
pub(super) fn ancestors(tokens: &[Token], at: usize) -> Vec<usize> {
    let mut open: Vec<usize> = Vec::new();
    for (position, token) in tokens.iter().enumerate().take(at) {
        match token.what {
            What::Open => open.push(position),
            What::Close => drop(open.pop()),
            _ => (),
        }
    }
    open
}

/// The child of a block that `at` lies in.
pub(super) fn statement_around(
    tokens: &[Token],
    at: usize,
    classes: &Classes,
) -> Option<Range<usize>> {
    let mut open = ancestors(tokens, at);
    let mut inner = at;
    while let Some(outer) = open.pop() {
        if classes.is_block(tokens.get(outer)?.kind) {
            return Some(inner..inner + subtree(tokens, inner)?.len());
        }
        inner = outer;
    }
    None
}

/// Without brackets and lists that the tree says the same without.
pub(super) fn bare<'s>(tokens: &[Token<'s>], classes: &Classes) -> Vec<Token<'s>> {
    let mut res: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut open: Vec<bool> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.what {
            What::Open => {
                let is_thin = classes.is_thin(token.kind) && is_thin(tokens, at, classes);
                open.push(is_thin);
                if !is_thin {
                    res.push(*token);
                }
            }
            What::Close => {
                if !open.pop().unwrap_or(false) {
                    res.push(*token);
                }
            }
            What::Word if open.last() == Some(&true) && matches!(token.text, b"(" | b")") => (),
            _ => res.push(*token),
        }
    }
    res
}

fn is_thin(tokens: &[Token], at: usize, classes: &Classes) -> bool {
    let before = at.checked_sub(1).and_then(|it| tokens.get(it));
    // `(a.b)()` is not `a.b()`.
    if before.is_some_and(|it| it.what == What::Open && classes.is_call(it.kind)) {
        return false;
    }
    match subtree(tokens, at).map(inner) {
        Some([open, rest @ .., close]) if open.text == b"(" && close.text == b")" => match rest {
            [it] => matches!(it.what, What::Identifier | What::Literal),
            [first, ..] => {
                first.what == What::Open
                    && OPERATORS.contains(&classes.name(first.kind))
                    && !rest.iter().any(|it| it.text == b"?.")
            }
            [] => false,
        },
        // Go puts one value into a list, too.
        Some(rest) => {
            tokens[at].what == What::Open
                && classes.name(tokens[at].kind) == "expression_list"
                && children(rest).is_some_and(|it| it.len() == 1)
        }
        None => false,
    }
}

/// Nothing happens in it: names, literals, operators, parts of things.
pub(super) fn is_plain(value: &[Token], classes: &Classes) -> bool {
    const NOT: &[&[u8]] = &[b"delete", b"<-", b"?.", b"super", b"new", b"await", b"yield", b"void"];
    value.iter().all(|it| match it.what {
        What::Open | What::Close => PLAIN.contains(&classes.name(it.kind)),
        What::Literal => is_plain_literal(it, classes),
        What::Word => !NOT.contains(&it.text),
        What::Identifier | What::Member => it.text != b"arguments",
        What::Shorthand => false,
    })
}

pub(super) fn is_plain_literal(it: &Token, classes: &Classes) -> bool {
    let kind = classes.name(it.kind);
    it.what == What::Literal && !kind.contains("regex") && !kind.contains("template")
}

/// Whether the place is come by exactly once whenever the statement is, and
/// nothing happens in the statement before.
pub(super) fn is_straight(
    tokens: &[Token],
    statement: &Range<usize>,
    at: usize,
    classes: &Classes,
) -> bool {
    let Some(tokens) = tokens.get(statement.start..) else { return false };
    let Some(at) = at.checked_sub(statement.start) else { return false };
    let Some(before) = tokens.get(..at) else { return false };
    let outer = ancestors(tokens, at);
    let is_known = |it: &usize| {
        let kind = classes.name(tokens[*it].kind);
        STRAIGHT.contains(&kind) || PLAIN.contains(&kind)
    };
    let mut ends = outer.iter().skip(1).copied().chain([at]);
    let is_in_head = outer.iter().all(|it| {
        let end = ends.next().unwrap_or(at);
        match classes.name(tokens[*it].kind) {
            "if_statement" | "if_expression" => {
                matches!(&tokens[it + 1..end], [word] if word.text == b"if")
            }
            // `a < b < c` looks at `c` only sometimes.
            "comparison_operator" => {
                let own = children(&tokens[it + 1..end]).unwrap_or_default();
                own.iter().filter(|it| it.first().is_some_and(|it| it.what == What::Word)).count()
                    < 2
            }
            _ => true,
        }
    });
    let is_done = |it: &Token| {
        let kind = classes.name(it.kind);
        it.what == What::Close && !PLAIN.contains(&kind) && !kind.contains("type")
    };
    outer.iter().all(is_known)
        && is_in_head
        && !before.iter().any(is_done)
        && !before.iter().any(|it| it.what == What::Word && SOMETIMES.contains(&it.text))
}

/// One name that a statement sets to one value, and nothing else.
pub(super) struct Declaration<'t, 's> {
    pub(super) name: &'s [u8],
    /// What stands before the `=`, the name included.
    pub(super) head: Vec<&'s [u8]>,
    pub(super) value: &'t [Token<'s>],
}

pub(super) fn declaration<'t, 's>(
    statement: &'t [Token<'s>],
    language: &str,
) -> Option<Declaration<'t, 's>> {
    let is_set = |it: &Token| it.what == What::Word && matches!(it.text, b"=" | b":=");
    let set = statement.iter().position(is_set)?;
    let head: Vec<&Token> = leaves(&statement[..set]);
    let value = subtree(statement, set + 1)?;
    let rest = statement.get(set + 1 + value.len()..)?;
    if !rest.iter().all(|it| it.what == What::Close || it.text == b";") {
        return None;
    }
    let words: Vec<&[u8]> = head.iter().map(|it| it.text).collect();
    let is_typed = |rest: &[&[u8]]| rest.is_empty() || rest.first() == Some(&&b":"[..]);
    let name = match language {
        "python" => match words.as_slice() {
            [name, rest @ ..] if is_typed(rest) => *name,
            _ => return None,
        },
        "rust" => match words.as_slice() {
            [b"let", name] | [b"let", b"mut", name] => *name,
            _ => return None,
        },
        "go" => match words.as_slice() {
            [name] if statement[set].text == b":=" => *name,
            _ => return None,
        },
        "java" => match words.as_slice() {
            [_, .., name] => *name,
            _ => return None,
        },
        _ => match words.as_slice() {
            [b"const" | b"let", name, rest @ ..] if is_typed(rest) => *name,
            _ => return None,
        },
    };
    head.iter().any(|it| is_name(it, name)).then_some(Declaration { name, head: words, value })
}

/// The names that are set, and those whose parts are, in all that stands
/// there; a declaration sets nothing, but in Python.
pub(super) fn set_in<'s>(
    tokens: &[Token<'s>],
    classes: &Classes,
) -> (Vec<&'s [u8]>, Vec<&'s [u8]>) {
    let (mut names, mut owners) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        if token.what != What::Open || !SETS.contains(&classes.name(token.kind)) {
            continue;
        }
        let all = children(inner(subtree(tokens, at).unwrap_or_default())).unwrap_or_default();
        // `++x` has its word first.
        let left = all.iter().find(|it| it.first().is_some_and(|it| it.what != What::Word));
        let Some(left) = left else { continue };
        let found = leaves(left);
        let own: Vec<&[u8]> =
            found.iter().filter(|it| it.what == What::Identifier).map(|it| it.text).collect();
        let is_part = left.first().is_some_and(|it| {
            let kind = classes.name(it.kind);
            it.what == What::Open && !kind.contains("pattern") && !kind.contains("list")
        });
        if is_part { owners.extend(own) } else { names.extend(own) }
    }
    (names, owners)
}

pub(super) fn has_calls(tokens: &[Token], classes: &Classes) -> bool {
    tokens.iter().any(|it| it.what == What::Open && classes.is_call(it.kind))
}
