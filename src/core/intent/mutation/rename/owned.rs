//! Whether a name is the file's own: nobody outside can say it, and nothing
//! reads it while the program runs.

use super::super::{
    Cut, Pair,
    extract::is_called_from_elsewhere,
    quiet::{ancestors, leaves},
};
use crate::outline::{
    Kind, Mention, Outline, Piece,
    token::{Token, What},
};

/// Names that the languages give a meaning.
const SPECIAL: &[&[u8]] = &[
    b"_",
    b"self",
    b"Self",
    b"cls",
    b"this",
    b"super",
    b"arguments",
    b"undefined",
    b"eval",
    b"crate",
    b"static",
];

/// Code that reads names while it runs.
const READERS: &[&[u8]] = &[
    b"locals",
    b"eval",
    b"exec",
    b"vars",
    b"dir",
    b"globals",
    b"inspect",
    b"_getframe",
    b"f_locals",
    b"with",
];

/// Macros that make a text of what their parts are, and not of their names.
const FORMATS: &[&[u8]] = &[
    b"println",
    b"print",
    b"eprintln",
    b"eprint",
    b"format",
    b"write",
    b"writeln",
    b"panic",
    b"todo",
    b"unimplemented",
    b"unreachable",
    b"vec",
    b"assert_eq",
    b"assert_ne",
    b"debug_assert_eq",
    b"debug_assert_ne",
    b"matches",
    b"format_args",
    b"bail",
    b"anyhow",
    b"trace",
    b"debug",
    b"info",
    b"warn",
    b"error",
];

/// Attributes that do nothing with names.
const NAMELESS: &[&[u8]] = &[
    b"derive",
    b"Clone",
    b"Copy",
    b"PartialEq",
    b"Eq",
    b"PartialOrd",
    b"Ord",
    b"Hash",
    b"Default",
    b"inline",
    b"always",
    b"never",
    b"must_use",
    b"cold",
    b"allow",
    b"expect",
    b"warn",
    b"deny",
    b"dead_code",
    b"unused",
    b"clippy",
];

/// Whether one may be called what the other was.
pub(super) fn may_stand_for(from: &[u8], to: &[u8]) -> bool {
    let first =
        |it: &[u8]| it.iter().find(|it| it.is_ascii_alphabetic()).map(u8::is_ascii_uppercase);
    // A capital makes it visible, an element, a pattern.
    first(from) == first(to)
        && ![from, to].iter().any(|it| SPECIAL.contains(it) || it.starts_with(b"'"))
        && is_hidden(from) == is_hidden(to)
}

fn is_hidden(name: &[u8]) -> bool {
    name.starts_with(b"__") || name.starts_with(b"#")
}

/// Whether something in the piece says a name aloud: a macro, a text, a
/// function that lists variables.
pub(super) fn is_said(pair: &Pair, cut: &Cut, names: &[&[u8]]) -> bool {
    let classes = &pair.classes;
    let all = &cut.tokens.all;
    let mut open: Vec<usize> = Vec::new();
    for (at, token) in all.iter().enumerate() {
        match token.what {
            What::Open => {
                open.push(at);
                continue;
            }
            What::Close => {
                open.pop();
                continue;
            }
            _ => (),
        }
        if token.what != What::Literal && READERS.contains(&token.text) {
            return true;
        }
        let kind = |it: usize| classes.name(all[it].kind);
        // `f"{name=}"`
        if token.text == b"=" && open.last().is_some_and(|it| kind(*it) == "interpolation") {
            return true;
        }
        let is_one = names.contains(&token.text);
        let is_in_text = token.what == What::Literal
            && names.iter().any(|name| token.text.windows(name.len().max(1)).any(|it| it == *name));
        if !is_one && !is_in_text {
            continue;
        }
        let is_unknown = |it: &usize| match kind(*it) {
            "macro_invocation" => !is_format(&all[*it..]),
            "macro_definition" | "attribute_item" | "inner_attribute_item" => true,
            // The name of a field, as it seems.
            "keyed_element" => is_key(all, *it, at),
            _ => false,
        };
        if open.iter().any(is_unknown) {
            return true;
        }
    }
    false
}

fn is_format(invocation: &[Token]) -> bool {
    let before = invocation.iter().take_while(|it| it.text != b"!");
    before
        .filter(|it| it.what == What::Identifier)
        .last()
        .is_some_and(|it| FORMATS.contains(&it.text))
}

fn is_key(all: &[Token], element: usize, at: usize) -> bool {
    !all.get(element..at).unwrap_or_default().iter().any(|it| it.text == b":")
}

/// Whether a text may say the name in a format: `{name}`, `{:name$}`.
pub(super) fn is_in_a_format(cut: &Cut, name: &[u8]) -> bool {
    let is_part = |it: Option<&u8>| it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    let says = |text: &[u8]| {
        text.windows(name.len().max(1)).enumerate().any(|(at, it)| {
            let before = at.checked_sub(1).and_then(|it| text.get(it));
            it == name && !is_part(before) && !is_part(text.get(at + name.len())) && {
                let is_width = text.get(at + name.len()) == Some(&b'$');
                before == Some(&b'{') || is_width
            }
        })
    };
    cut.tokens.all.iter().any(|it| it.what == What::Literal && says(it.text))
}

/// A text in which a macro looks for names.
pub(super) fn is_format_text(cut: &Cut, at: usize, pair: &Pair) -> bool {
    let all = &cut.tokens.all;
    let outer = ancestors(all, at);
    let last =
        outer.iter().rev().find(|it| pair.classes.name(all[**it].kind) == "macro_invocation");
    last.is_some_and(|it| is_format(&all[*it..]))
}

/// A variable or a parameter that nobody outside of the piece knows.
pub(super) fn is_local(pair: &Pair, cut: &Cut, outline: &Outline, name: &[u8]) -> bool {
    let classes = &pair.classes;
    let language = pair.before.language.name;
    let kind = cut.piece.kind;
    let has_scope = matches!(kind, Kind::Function | Kind::Method)
        || kind == Kind::Value && language != "python";
    let is_shared = |it: &Token| matches!(it.text, b"global" | b"nonlocal");
    let is_own =
        cut.piece.names.iter().any(|it| it.rsplit('.').next() == std::str::from_utf8(name).ok());
    if !has_scope || is_own || cut.tokens.all.iter().any(is_shared) {
        return false;
    }
    // The same name for something of the file: which one is meant where, only
    // scopes could say.
    let is_top = outline.pieces.iter().any(|it| {
        it.kind == Kind::Import && it.raw.windows(name.len().max(1)).any(|it| it == name)
            || it.inside.is_empty() && it.names.iter().any(|it| it.as_bytes() == name)
    });
    let places: Vec<usize> = cut
        .tokens
        .bound
        .iter()
        .zip(&cut.tokens.bound_at)
        .filter(|(it, _)| **it == name)
        .map(|(_, at)| *at)
        .collect();
    if places.is_empty() || is_top {
        return false;
    }
    places.into_iter().all(|at| {
        let outer: Vec<&str> = ancestors(&cut.tokens.all, at)
            .into_iter()
            .map(|it| classes.name(cut.tokens.all[it].kind))
            .collect();
        let is_in_head = at < cut.tokens.head;
        // Rust: a pattern with a capital is a constant or a variant.
        let is_pattern = language == "rust"
            && name.iter().any(u8::is_ascii_uppercase)
            && !outer.iter().any(|it| it.starts_with("type_parameter"));
        !is_pattern
            && !outer.iter().any(|it| it.contains("class") || it.contains("struct_item"))
            && may_be_called_so(pair, cut, name, &outer, is_in_head)
    })
}

/// No caller, and nothing around the function, knows the parameter's name.
fn may_be_called_so(pair: &Pair, cut: &Cut, name: &[u8], outer: &[&str], is_in_head: bool) -> bool {
    let head = cut.tokens.all.get(..cut.tokens.head).unwrap_or_default();
    let has = |word: &[u8]| head.iter().any(|it| it.text == word);
    match pair.before.language.name {
        "python" => {
            let is_parameter = outer.contains(&"parameters");
            let is_of_lambda = outer.contains(&"lambda_parameters");
            if !is_parameter && !is_of_lambda {
                return true;
            }
            let is_named = [pair.before, pair.after]
                .iter()
                .any(|it| it.mentions(name).contains(&Mention::Argument));
            let own = cut.piece.names.first().map_or("", String::as_str);
            let is_private = own.starts_with('_') && !own.starts_with("__");
            !is_named && (!is_parameter || is_in_head && is_private && !has(b"@"))
        }
        "java" => !is_in_head || !has(b"@"),
        "rust" => !is_in_head || are_nameless(head),
        // `constructor(private name: string)` is a field.
        "typescript" | "tsx" => {
            let is_made = cut.piece.names.first().is_some_and(|it| it == "constructor");
            let is_field =
                [&b"private"[..], b"public", b"protected", b"readonly"].iter().any(|it| has(it));
            !is_in_head || !(has(b"@") || is_made && is_field)
        }
        _ => true,
    }
}

/// Only such attributes stand before it.
fn are_nameless(head: &[Token]) -> bool {
    let mut is_attribute = false;
    for it in head {
        match it.what {
            What::Word if it.text == b"#" => is_attribute = true,
            What::Word if matches!(it.text, b"fn" | b"struct" | b"enum" | b"const" | b"static") => {
                return true;
            }
            What::Identifier if is_attribute && !NAMELESS.contains(&it.text) => return false,
            _ => (),
        }
    }
    true
}

/// A definition that only the file can name.
pub(super) fn is_private(pair: &Pair, piece: &Piece, outline: &Outline, name: &str) -> bool {
    let source = if std::ptr::eq(outline, &raw const pair.old) { pair.before } else { pair.after };
    let tokens = source.tokens(piece, &pair.classes);
    let head = tokens.all.get(..tokens.head).unwrap_or_default();
    let words: Vec<&[u8]> = leaves(head).iter().map(|it| it.text).collect();
    let has = |word: &[u8]| words.contains(&word);
    let inside = piece.inside.trim_end_matches(['.', ':']);
    // Rust's type stands beside what holds its methods.
    let holds = |it: &&Piece| pair.before.language.name != "rust" || it.kind != Kind::Type;
    let holder = outline.pieces.iter().filter(holds).find(|it| it.path() == inside);
    let inherits = || {
        holder.is_none_or(|it| {
            let raw = String::from_utf8_lossy(it.raw);
            raw.contains('(') || raw.contains('@') || raw.contains(" extends ")
        })
    };
    let is_top = inside.is_empty();
    if piece.is_public || is_called_from_elsewhere(name) || has(b"@") {
        return false;
    }
    match pair.before.language.name {
        "rust" => {
            let is_held = is_top
                || !inside.starts_with('<')
                    && holder.is_some_and(|it| {
                        it.kind == Kind::Module || it.kind == Kind::Impl && it.path() != "extern"
                    });
            let is_known =
                matches!(piece.kind, Kind::Function | Kind::Method | Kind::Type | Kind::Value);
            is_held && is_known && are_nameless(head) && !has(b"extern") && !has(b"trait")
        }
        "go" => matches!(piece.kind, Kind::Function | Kind::Value),
        "java" => {
            has(b"private")
                && (piece.kind == Kind::Method || piece.kind == Kind::Value && has(b"static"))
        }
        "python" => {
            name.starts_with('_')
                && match piece.kind {
                    Kind::Function | Kind::Value => is_top,
                    Kind::Method => !inherits(),
                    _ => false,
                }
        }
        _ => match piece.kind {
            Kind::Function => is_top,
            Kind::Value if is_top => has(b"const") || has(b"let"),
            Kind::Value => name.starts_with('#'),
            Kind::Method => name.starts_with('#') || has(b"private") && !inherits(),
            Kind::Type => is_top && (has(b"interface") || has(b"type")),
            _ => false,
        },
    }
}

/// Rust: fields that nothing is derived from which could name them, and that
/// are nobody else's.
pub(super) fn has_private_fields(cut: &Cut) -> bool {
    let all = &cut.tokens.all;
    let body = all.iter().position(|it| matches!(it.text, b"{" | b"(") && it.what == What::Word);
    // An attribute's brackets come first, where there are any.
    let body = all
        .iter()
        .position(|it| matches!(it.text, b"struct" | b"enum" | b"union"))
        .or(body)
        .unwrap_or(0);
    let is_seen = |it: &Token| matches!(it.text, b"pub" | b"#");
    are_nameless(all) && !all.get(body..).unwrap_or_default().iter().any(is_seen)
}

/// Nothing in the text after says the old name, and nothing in the text before
/// the new one.
pub(super) fn is_followed(pair: &Pair, from: &[u8], to: &[u8]) -> bool {
    let language = pair.before.language.name;
    let counts = |it: &Mention| match it {
        Mention::Name | Mention::Argument => true,
        Mention::Comment => false,
        // What is looked up by its name is so while the program runs.
        Mention::Text => !matches!(language, "go" | "java"),
    };
    let is_free = |mentions: Vec<Mention>| {
        mentions.len() < crate::outline::MOST_MENTIONS && !mentions.iter().any(counts)
    };
    let is_read = |name: &[u8]| {
        [&b".name"[..], b".__name__", b".__qualname__", b".toString"].iter().any(|part| {
            let whole = [name, part].concat();
            [pair.before, pair.after]
                .iter()
                .any(|it| it.text.windows(whole.len()).any(|it| it == whole))
        })
    };
    is_free(pair.after.mentions(from))
        && is_free(pair.before.mentions(to))
        && !is_read(from)
        && !is_read(to)
}
