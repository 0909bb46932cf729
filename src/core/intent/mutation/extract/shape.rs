//! What a function says of itself: its head, its types, and where its
//! statements end and its result begins.

use super::{
    super::{
        Cut,
        quiet::{children, has_calls, inner, is_name, leaves, subtree},
    },
    Site,
};
use crate::outline::{
    Kind, Piece,
    token::{Classes, Token, What},
};

/// Types that are what they say, and are copied.
pub(super) const BASIC: &[&[u8]] = &[
    b"bool", b"char", b"str", b"string", b"int", b"int8", b"int16", b"int32", b"int64", b"uint",
    b"uint8", b"uint16", b"uint32", b"uint64", b"float32", b"float64", b"byte", b"rune", b"u8",
    b"u16", b"u32", b"u64", b"u128", b"usize", b"i8", b"i16", b"i32", b"i64", b"i128", b"isize",
    b"f32", b"f64",
];

/// Names that somebody calls who is not in the file.
pub(in super::super) const HOOKS: &[&str] = &[
    "main",
    "init",
    "constructor",
    "toString",
    "valueOf",
    "toJSON",
    "then",
    "readObject",
    "writeObject",
    "readResolve",
    "writeReplace",
    "readObjectNoData",
    "finalize",
    "setup",
    "teardown",
    "setUp",
    "tearDown",
    "setup_module",
    "teardown_module",
    "_start",
    "default",
    "load_tests",
    "drop",
];

/// What takes names without being one of those that bind.
const BINDS: &[&str] = &[
    "import_statement",
    "import_from_statement",
    "delete_statement",
    "case_pattern",
    "use_declaration",
    "type_alias_statement",
];

/// So end the kinds of what has a name and stands in a body.
const DEFINITIONS: &[&str] = &["_definition", "_declaration", "_item"];

pub(in super::super) fn is_called_from_elsewhere(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    HOOKS.contains(&name)
        || name.starts_with("__")
        || ["test", "bench", "example", "fuzz", "pytest_"].iter().any(|it| lower.starts_with(it))
}

pub(super) fn is_dynamic(language: &str) -> bool {
    matches!(language, "python" | "javascript" | "typescript" | "tsx")
}

/// A statement of its own, and not the value of a block.
pub(super) fn is_statement(whole: &[Token], classes: &Classes) -> bool {
    whole.first().is_some_and(|it| classes.name(it.kind) == "expression_statement")
}

pub(super) fn is_basic(of: &[Token]) -> bool {
    matches!(leaves(of).as_slice(), [it] if BASIC.contains(&it.text))
}

/// Go: what is done to the copy is done to the thing.
pub(super) fn is_shared(of: &[Token]) -> bool {
    leaves(of).first().is_some_and(|it| matches!(it.text, b"*" | b"map" | b"chan"))
        || matches!(leaves(of).as_slice(), [open, close, ..] if (open.text, close.text) == (b"[", b"]"))
}

/// No generator, nothing asynchronous, no defaults, nothing around it.
pub(super) fn is_plain_head(head: &[Token], cut: &Cut, language: &str, classes: &Classes) -> bool {
    let words = leaves(head);
    let has = |these: &[&[u8]]| words.iter().any(|it| these.contains(&it.text));
    let is_declared = !matches!(
        words.iter().find(|it| it.text != b"export").map(|it| it.text),
        Some(b"const" | b"let" | b"var")
    );
    let all = [&b"async"[..], b"@", b"#", b"=", b"...", b"synchronized", b"extern", b"unsafe"];
    !has(&all)
        && !has_calls(head, classes)
        && (language == "rust" || is_declared)
        && !(is_dynamic(language) && has(&[b"*", b"**"]))
        && (!is_dynamic(language) || cut.piece.is_free)
        && !(language == "rust" && has(&[b"const", b"where", b"impl", b"dyn", b"<"]))
        && !(matches!(language, "go" | "java") && has(&[b"abstract", b"native", b"default"]))
}

/// Whether one of the names is something else from somewhere in the body on: a
/// loop, an `import` or a function within goes by it. In the place of the call
/// that would be the caller's own.
pub(super) fn binds_again(cut: &Cut, names: &[&[u8]], classes: &Classes) -> bool {
    let head = cut.tokens.head;
    let mut bound = cut.tokens.bound.iter().zip(&cut.tokens.bound_at);
    if bound.any(|(name, at)| *at >= head && names.contains(name)) {
        return true;
    }
    let mut outer: Vec<&str> = Vec::new();
    // How many of those bind.
    let mut binding = 0;
    for (at, token) in cut.tokens.all.iter().enumerate() {
        match token.what {
            What::Open => {
                let kind = classes.name(token.kind);
                binding += usize::from(BINDS.contains(&kind));
                outer.push(kind);
            }
            What::Close => {
                let is_binding = outer.pop().is_some_and(|it| BINDS.contains(&it));
                binding -= usize::from(is_binding);
            }
            _ if at >= head && names.iter().any(|name| is_name(token, name)) => {
                let defines = |it: &&str| DEFINITIONS.iter().any(|end| it.ends_with(end));
                if binding > 0 || outer.last().is_some_and(defines) {
                    return true;
                }
            }
            _ => (),
        }
    }
    false
}

/// A method that nothing can stand before or behind: no other class calls it.
pub(super) fn is_own_method(cut: &Cut, head: &[Token], site: &Site) -> bool {
    let words: Vec<&[u8]> = leaves(head).iter().map(|it| it.text).collect();
    let name = cut.piece.names.first().map_or("", String::as_str);
    let inside = cut.piece.inside.trim_end_matches(['.', ':']);
    // Rust's type stands beside what holds its methods.
    let holds = |it: &&Piece| site.language != "rust" || it.kind != Kind::Type;
    let class = site.outline.pieces.iter().filter(holds).find(|it| it.path() == inside);
    let inherits = class.is_none_or(|it| {
        let raw = String::from_utf8_lossy(it.raw);
        raw.contains('(') || raw.contains('@') || raw.contains(" extends ")
    });
    match site.language {
        "rust" => !inside.starts_with('<') && class.is_some_and(|it| it.kind == Kind::Impl),
        "java" => words.contains(&&b"private"[..]),
        "python" => name.starts_with('_') && !inherits && words.contains(&&b"self"[..]),
        "javascript" => name.starts_with('#'),
        "typescript" | "tsx" => {
            name.starts_with('#') || words.contains(&&b"private"[..]) && !inherits
        }
        _ => false,
    }
}

/// What a parameter says of its type.
pub(super) fn type_of<'s>(
    head: &[Token<'s>],
    name: &[u8],
    classes: &Classes,
) -> Option<Vec<Token<'s>>> {
    let mut at = 0;
    while at < head.len() {
        let kind = classes.name(head[at].kind);
        let is_parameter =
            matches!(kind, "parameter" | "formal_parameter" | "parameter_declaration")
                && head[at].what == What::Open;
        if !is_parameter {
            at += 1;
            continue;
        }
        let whole = subtree(head, at)?;
        at += whole.len();
        let parts = children(inner(whole))?;
        let own = parts.iter().position(|it| matches!(it, [it] if is_name(it, name)));
        let Some(own) = own else { continue };
        let rest: Vec<&[Token]> = match kind {
            // `int n`
            "formal_parameter" => parts[..own].to_vec(),
            _ => parts[own + 1..].to_vec(),
        };
        let rest: Vec<Token> = rest.concat();
        let rest = match rest.as_slice() {
            [colon, rest @ ..] if colon.text == b":" => rest.to_vec(),
            rest => rest.to_vec(),
        };
        let is_list = rest.iter().any(|it| it.text == b"," || it.text == b"...");
        return (!rest.is_empty() && !is_list).then_some(rest);
    }
    None
}

/// What the head says of the result, word by word.
pub(super) fn returns<'s>(head: &[Token<'s>], language: &str) -> Vec<&'s [u8]> {
    let words: Vec<&[u8]> = leaves(head).iter().map(|it| it.text).collect();
    let behind = |words: &[&'s [u8]]| -> Vec<&'s [u8]> {
        let end = words.iter().rposition(|it| *it == b")");
        words.get(end.map_or(words.len(), |it| it + 1)..).unwrap_or_default().to_vec()
    };
    match language {
        "rust" => match words.iter().position(|it| *it == b"->") {
            Some(at) => words[at + 1..].to_vec(),
            None => Vec::new(),
        },
        "go" => behind(&words),
        "java" => {
            let name = words.iter().position(|it| *it == b"(").unwrap_or(0).saturating_sub(1);
            let of = name.checked_sub(1).and_then(|it| words.get(it)).copied();
            of.filter(|it| *it != b"void").into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Statements, and what comes of them: without a `return` anywhere else.
pub(super) fn halves<'s>(
    block: &[Token<'s>],
    has_result: bool,
    classes: &Classes,
) -> Option<(Vec<Token<'s>>, Option<Vec<Token<'s>>>)> {
    let first = block.first()?;
    if !classes.is_block(first.kind) {
        return None;
    }
    let mut statements = inner(block);
    // Go's statements stand in a list of their own, Rust's and others' in
    // brackets.
    if let [open, rest @ .., close] = statements
        && (open.text, close.text) == (b"{".as_slice(), b"}".as_slice())
    {
        statements = rest;
    }
    if statements
        .first()
        .is_some_and(|it| it.what == What::Open && classes.name(it.kind) == "statement_list")
        && subtree(statements, 0).is_some_and(|it| it.len() == statements.len())
    {
        statements = inner(statements);
    }
    let all = children(statements)?;
    let last = *all.last()?;
    let body = statements.get(..statements.len() - last.len())?.to_vec();
    let mut words = leaves(last);
    words.retain(|it| it.text != b";");
    if words.first().is_some_and(|it| it.text == b"return") {
        let at = last.iter().position(|it| it.text == b"return")?;
        if words.len() == 1 {
            return (!has_result).then_some((body, None));
        }
        let value = subtree(last, at + 1)?;
        let rest = last.get(at + 1 + value.len()..)?;
        let is_all = rest.iter().all(|it| it.what == What::Close || it.text == b";");
        return is_all.then(|| (body, Some(value.to_vec())));
    }
    let is_statement = last.first().is_some_and(|it| {
        let kind = classes.name(it.kind);
        it.what == What::Open && (kind.ends_with("_statement") || kind.ends_with("_declaration"))
    }) || last
        .iter()
        .any(|it| matches!(classes.name(it.kind), "assignment" | "raise_statement"));
    if has_result {
        // Rust's value: the last thing, with nothing behind it.
        return (!is_statement).then(|| (body, Some(last.to_vec())));
    }
    is_statement.then(|| (statements.to_vec(), None))
}
