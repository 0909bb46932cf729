//! Proves that what stands in another order means the same in it.
//!
//! Most definitions may stand anywhere. Where a file runs as it is read, they
//! may not go past what runs; macros are known from where they stand; of two
//! imports of one name the later one counts; and an import that is there for
//! what it does keeps its place among the others.

use std::collections::{BTreeMap, HashSet};

use super::{Numbers, Pair, evidence::Step, quiet::leaves};
use crate::outline::{Kind, Piece, token::What};

/// The same pieces, in another order.
pub(super) fn of_same_pieces(pair: &Pair, numbers: &Numbers) -> Step {
    let all = &pair.old.pieces;
    let is_import = |it: usize| all.get(it).is_some_and(|it| it.kind == Kind::Import);
    let rest = |order: &[usize]| -> Vec<usize> {
        order.iter().copied().filter(|it| !is_import(*it)).collect()
    };
    if rest(&numbers.old) == rest(&numbers.new) {
        return if imports_mean_the_same(pair, numbers) {
            Step::ImportOrder
        } else {
            Step::ModuleLevel
        };
    }
    let imports = |order: &[usize]| -> Vec<usize> {
        order.iter().copied().filter(|it| is_import(*it)).collect()
    };
    let is_same_but_free = |order: &[usize]| -> Vec<usize> {
        order.iter().copied().filter(|it| all.get(*it).is_some_and(|it| !it.is_free)).collect()
    };
    let language = pair.before.language.name;
    let mut seen = HashSet::new();
    // Of two definitions of a name, the later one may count.
    let are_clear = all.iter().filter(|it| !it.names.is_empty()).all(|it| {
        let of_its_kind = it.is_free && language != "python";
        let counts = of_its_kind || language == "python" && it.kind.is_definition();
        !counts || seen.insert(((language != "python").then_some(it.kind), &it.inside, &it.names))
    });
    let stays = |order: &[usize]| sections(order, |it| stops(pair, it));
    if are_clear
        && imports(&numbers.old) == imports(&numbers.new)
        // Definitions follow what they stand in.
        && is_same_but_free(&numbers.old) == is_same_but_free(&numbers.new)
        && stays(&numbers.old) == stays(&numbers.new)
    {
        return Step::Reorder;
    }
    Step::ModuleLevel
}

/// What stands between those that nothing goes past, whatever its order.
fn sections(order: &[usize], stops: impl Fn(usize) -> bool) -> Vec<Vec<usize>> {
    let mut res = vec![Vec::new()];
    for it in order.iter().copied() {
        if stops(it) {
            res.push(vec![it]);
            res.push(Vec::new());
        } else if let Some(last) = res.last_mut() {
            last.push(it);
        }
    }
    for section in &mut res {
        section.sort_unstable();
    }
    res
}

/// Whether it matters what stands before it and what behind.
fn stops(pair: &Pair, at: usize) -> bool {
    let Some(piece) = pair.old.pieces.get(at) else { return true };
    match pair.before.language.name {
        "python" => runs(pair, piece),
        "rust" => {
            matches!(piece.kind, Kind::Macro | Kind::Statement)
                || piece.raw.windows(9).any(|it| it == b"macro_use")
        }
        _ => false,
    }
}

/// Python: whether something but the definition itself happens when it is come
/// by.
fn runs(pair: &Pair, piece: &Piece) -> bool {
    /// What an annotation may name and find whenever it is read.
    const KNOWN: &[&[u8]] = &[
        b"int",
        b"str",
        b"float",
        b"bool",
        b"bytes",
        b"list",
        b"dict",
        b"set",
        b"tuple",
        b"object",
        b"type",
        b"complex",
        b"frozenset",
        b"None",
    ];
    let tokens = pair.before.tokens(piece, &pair.classes);
    match piece.kind {
        Kind::Function | Kind::Method if piece.is_free => {
            let head = tokens.all.get(..tokens.head).unwrap_or_default();
            let is_known = |name: &&[u8]| {
                KNOWN.contains(name)
                    || tokens.bound.contains(name)
                    || piece.names.iter().any(|it| it.as_bytes() == *name)
            };
            let names = head.iter().filter(|it| it.what == What::Identifier).map(|it| it.text);
            !names.into_iter().all(|it| is_known(&it))
        }
        Kind::Value => {
            let value = tokens.all.get(tokens.head..).unwrap_or_default();
            let is_typed = tokens.all.iter().take(tokens.head).any(|it| it.text == b":");
            is_typed || value.is_empty() || !leaves(value).iter().all(|it| it.what == What::Literal)
        }
        Kind::Type => piece.raw.iter().any(|it| matches!(it, b'(' | b'@' | b'[' | b'=')),
        _ => true,
    }
}

fn imports_mean_the_same(pair: &Pair, numbers: &Numbers) -> bool {
    let all = &pair.old.pieces;
    let import = |it: usize| all.get(it).filter(|it| it.kind == Kind::Import);
    let acts = |it: usize| import(it).is_some_and(|it| !super::binds(it.raw));
    // One that binds no name is there for what it does.
    let is_kept = |stops: &dyn Fn(usize) -> bool| {
        sections(&numbers.old, stops) == sections(&numbers.new, stops)
    };
    match pair.before.language.name {
        "python" => {
            let is_first = |it: usize| {
                import(it).is_some_and(|it| {
                    let text = String::from_utf8_lossy(it.raw);
                    text.contains('*') || text.contains("__future__")
                })
            };
            // What runs between them sees those that stand before it.
            is_kept(&|it| import(it).is_none() || is_first(it)) && bind_different_names(all)
        }
        "rust" | "go" | "java" => is_kept(&|it| {
            acts(it) || import(it).is_some_and(|it| it.raw.windows(9).any(|it| it == b"macro_use"))
        }),
        _ => is_kept(&acts),
    }
}

/// Python: no name is imported from two places.
fn bind_different_names(pieces: &[Piece]) -> bool {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    let imports = pieces.iter().filter(|it| it.kind == Kind::Import);
    imports.map(|it| String::from_utf8_lossy(it.raw)).all(|text| {
        let words = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
        let (module, list) = match text.split_once(" import ") {
            Some((module, list)) => (words(module), list.to_owned()),
            None => (String::new(), text.trim_start_matches("import ").to_owned()),
        };
        list.split([',', '(', ')', '\n', '\\']).map(words).filter(|it| !it.is_empty()).all(|item| {
            let (source, name) = match item.split_once(" as ") {
                Some((source, name)) => (source.to_owned(), name.to_owned()),
                // `import a.b` gives `a`.
                None if module.is_empty() => {
                    let root = item.split('.').next().unwrap_or(&item).to_owned();
                    (root.clone(), root)
                }
                None => (item.clone(), item),
            };
            let source = format!("{module} {source}");
            known.insert(name, source.clone()).is_none_or(|it| it == source)
        })
    })
}
