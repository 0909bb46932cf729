//! No circles: no module of these folders imports itself by way of others. So each can be read without
//! what is built upon it.
//!
//! A module is a file, its tests left out. It imports what the paths in it name:
//! `use super::call::Call`, `crate::shell::HOLE`, `glob::tokens`. Two rules are about `mod.rs`:
//!
//! - A path through a `mod.rs` imports the module that defines the name. With `pub use reading::Run`
//!   in `shell/mod.rs`, `super::Run` imports `shell::reading`.
//! - Re-exports of a `mod.rs` from its own folder do not count as imports.
//!
//! So a `mod.rs` may re-export its parts and call them. If a part needs something that `mod.rs` itself
//! defines, and `mod.rs` calls that part, there is a circle: give the thing a file of its own. Calls of
//! methods are not seen, so the parts of one `impl` may call each other.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    fs,
    path::Path,
};

/// The folders that have no circles.
const FOLDERS: &[&str] = &["src/core", "src/shell"];

#[test]
fn no_module_imports_itself_by_way_of_others() {
    for folder in FOLDERS {
        let found = circles(&modules_below(folder));
        assert!(found.is_empty(), "circles in {folder}:\n{}", found.join("\n"));
    }
}

/// `["shell", "walk", "call"]` for `src/shell/walk/call.rs`.
type Name = Vec<String>;

type Modules = BTreeMap<Name, Vec<Import>>;

#[derive(Debug)]
struct Import {
    path: Vec<String>,
    /// The name that a `use` gives to the path in this module.
    name: Option<String>,
    is_public: bool,
}

fn modules_below(folder: &str) -> Modules {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut modules = Modules::new();
    let mut todo = vec![root.join(folder)];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let inside = path.strip_prefix(root.join("src")).unwrap().to_str().unwrap();
            modules.extend(module(inside, &fs::read_to_string(&path).unwrap()));
        }
    }
    assert!(!modules.is_empty(), "no sources in {folder}");
    modules
}

/// A file by its path from `src`. `None` for files of tests.
fn module(path: &str, text: &str) -> Option<(Name, Vec<Import>)> {
    let path = path.strip_suffix(".rs")?;
    let mut name: Name = path.split('/').map(str::to_owned).collect();
    name.pop_if(|last| last == "mod");
    let is_test = name.iter().any(|part| matches!(part.as_str(), "tests" | "contract"));
    (!is_test).then(|| (name, imports(&without_tests(&tokens(text)))))
}

/// One line for each set of modules that import each other: the shortest way round.
fn circles(modules: &Modules) -> Vec<String> {
    let edges: BTreeMap<&Name, BTreeSet<Name>> =
        modules.keys().map(|name| (name, imported(name, modules))).collect();
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for start in modules.keys() {
        // A circle that leads through a module of an earlier line may be in the same set.
        let Some(circle) = shortest_circle(start, &edges) else { continue };
        if circle.iter().all(|name| !known.contains(name)) {
            found.push(circle.iter().map(|name| name.join("::")).collect::<Vec<_>>().join(" -> "));
        }
        known.extend(circle);
    }
    found
}

fn shortest_circle(start: &Name, edges: &BTreeMap<&Name, BTreeSet<Name>>) -> Option<Vec<Name>> {
    let mut queue = VecDeque::from([vec![start.clone()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = queue.pop_front() {
        for next in &edges[way.last()?] {
            let way: Vec<Name> = way.iter().chain([next]).cloned().collect();
            if next == start {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                queue.push_back(way);
            }
        }
    }
    None
}

fn imported(name: &Name, modules: &Modules) -> BTreeSet<Name> {
    let target = |import: &Import| {
        let target = resolve(name, &import.path, modules, 0)?;
        let is_re_export = import.is_public && target.starts_with(name);
        (target != *name && !is_re_export).then_some(target)
    };
    modules[name].iter().filter_map(target).collect()
}

/// The module that defines what a path in `from` names. `None` for what is outside of the folder.
fn resolve(from: &Name, path: &[String], modules: &Modules, depth: usize) -> Option<Name> {
    if depth > 16 {
        return None;
    }
    let (mut at, mut rest) = match path.first()?.as_str() {
        "crate" => (Name::new(), &path[1..]),
        "self" => (from.clone(), &path[1..]),
        "super" => (from.clone(), path),
        first => {
            let child = [from.as_slice(), &[first.to_owned()]].concat();
            let is_bound = modules.contains_key(&child) || binding(from, first, modules).is_some();
            (is_bound.then(|| from.clone())?, path)
        }
    };
    while let Some(first) = rest.first() {
        let child = [at.as_slice(), std::slice::from_ref(first)].concat();
        if first == "super" {
            at.pop();
        } else if modules.contains_key(&child) || at.is_empty() {
            at = child;
        } else if let Some(import) = binding(&at, first, modules) {
            let path = [import.path.as_slice(), &rest[1..]].concat();
            return resolve(&at, &path, modules, depth + 1);
        } else {
            break;
        }
        rest = &rest[1..];
    }
    modules.contains_key(&at).then_some(at)
}

fn binding<'a>(module: &Name, name: &str, modules: &'a Modules) -> Option<&'a Import> {
    let is_it = |import: &&Import| {
        import.name.as_deref() == Some(name)
            && import.path.first().is_some_and(|first| first != name)
    };
    modules.get(module)?.iter().find(is_it)
}

/// Names, `::` and single signs, without comments, strings and lifetimes.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    while let Some(first) = rest.chars().next() {
        let name = rest.len() - rest.trim_start_matches(is_name).len();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = string(rest) {
            length
        } else if name > 0 {
            tokens.push(rest[..name].to_owned());
            name
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// The length of the string, the character or the lifetime that a text begins with.
fn string(text: &str) -> Option<usize> {
    let behind = text.strip_prefix('b').unwrap_or(text);
    let marks = behind.strip_prefix('r').map(|raw| raw.len() - raw.trim_start_matches('#').len());
    if let Some(marks) = marks
        && behind[1 + marks..].starts_with('"')
    {
        let start = text.len() - behind.len() + marks + 2;
        let end = format!("\"{}", "#".repeat(marks));
        return Some(text[start..].find(&end).map_or(text.len(), |at| start + at + end.len()));
    }
    let quote = behind.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    let is_lifetime = quote == '\'' && !behind[1..].starts_with('\\') && {
        let mut inside = behind[1..].chars();
        inside.next();
        inside.next() != Some('\'')
    };
    if is_lifetime {
        return Some(text.len() - behind.len() + 1);
    }
    let mut is_escaped = false;
    for (at, character) in behind.char_indices().skip(1) {
        if character == quote && !is_escaped {
            return Some(text.len() - behind.len() + at + 1);
        }
        is_escaped = character == '\\' && !is_escaped;
    }
    Some(text.len())
}

/// Leaves out what comes after `#[cfg(test)]`.
fn without_tests(tokens: &[String]) -> Vec<String> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut rest = tokens;
    while let Some((first, behind)) = rest.split_first() {
        if rest.len() < MARK.len() || rest[..MARK.len()] != MARK {
            kept.push(first.clone());
            rest = behind;
            continue;
        }
        let mut depth = 0_usize;
        let ends = |token: &String| {
            match token.as_str() {
                "{" => depth += 1,
                "}" => depth -= 1,
                _ => {}
            }
            depth == 0 && matches!(token.as_str(), ";" | "}")
        };
        let end = rest.iter().position(ends).unwrap_or(rest.len() - 1);
        rest = &rest[end + 1..];
    }
    kept
}

fn imports(tokens: &[String]) -> Vec<Import> {
    let mut imports = Vec::new();
    let mut rest = tokens;
    let mut is_public = false;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match first.as_str() {
            "pub" => {
                // `pub(in crate::shell)` names no import.
                if behind.first().is_some_and(|next| next == "(") {
                    let end = behind.iter().position(|token| token == ")");
                    rest = &behind[end.map_or(behind.len(), |end| end + 1)..];
                }
                is_public = true;
                continue;
            }
            "use" => rest = use_tree(behind, &[], is_public, &mut imports),
            name if is_name(name) => {
                let mut path = vec![first.clone()];
                while let [separator, next, ..] = rest
                    && separator == "::"
                    && is_name(next)
                {
                    path.push(next.clone());
                    rest = &rest[2..];
                }
                if path.len() > 1 {
                    imports.push(Import { path, name: None, is_public: false });
                }
            }
            _ => {}
        }
        is_public = false;
    }
    imports
}

fn is_name(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Reads `a::{b, c as d}` behind `use`, and returns the tokens behind it.
fn use_tree<'a>(
    tokens: &'a [String],
    prefix: &[String],
    is_public: bool,
    imports: &mut Vec<Import>,
) -> &'a [String] {
    let mut path = prefix.to_vec();
    let mut rest = tokens;
    while let Some((first, behind)) = rest.split_first() {
        match first.as_str() {
            "{" => {
                rest = behind;
                while rest.first().is_some_and(|token| token != "}") {
                    rest = use_tree(rest, &path, is_public, imports);
                    if rest.first().is_some_and(|token| token == ",") {
                        rest = &rest[1..];
                    }
                }
                return rest.get(1..).unwrap_or_default();
            }
            "::" | "$" | "*" => {}
            "as" => {
                let name = behind.first().cloned();
                imports.push(Import { path, name, is_public });
                return behind.get(1..).unwrap_or_default();
            }
            // `call::{self, Call}`
            "self" if !path.is_empty() => {}
            name if is_name(name) => path.push(first.clone()),
            _ => break,
        }
        rest = behind;
    }
    let name = path.last().cloned();
    imports.push(Import { path, name, is_public });
    rest
}

// The checker, on made-up sources.

fn found(sources: &[(&str, &str)]) -> Vec<String> {
    circles(&sources.iter().filter_map(|(path, text)| module(path, text)).collect())
}

#[test]
fn a_circle_is_found_however_it_is_written() {
    for text in [
        "use crate::house::b::B;",
        "use super::b::{B, D};",
        "use super::{a::E, b::{self, B}};",
        "pub(super) use super::b::B;",
        "fn f<'a>(text: &'a str) { super::b::f('\"', text) }",
        "fn f() { let x = r#\"\"#; crate::house::b::f(\"{\") }",
        // By way of what the folder re-exports, and what it imports itself.
        "use super::B;",
        "use super::C;",
        "fn f() -> crate::house::B {}",
    ] {
        let house = "mod a; mod b; pub use b::B; use b::C;";
        let b = "use super::a::A;";
        let sources = [("house/mod.rs", house), ("house/a.rs", text), ("house/b.rs", b)];
        assert_eq!(found(&sources), ["house::a -> house::b -> house::a"], "{text}");
    }
}

#[test]
fn a_circle_through_a_folder_or_over_three_files_is_found() {
    let house = "mod a; pub fn f() { a::f() } pub struct A;";
    let a = "use super::A;";
    assert_eq!(
        found(&[("house/mod.rs", house), ("house/a.rs", a)]),
        ["house -> house::a -> house"]
    );
    let sources = [
        ("house/a.rs", "use super::b::c::C;"),
        ("house/b/mod.rs", "mod c;"),
        ("house/b/c.rs", "use crate::house::d::D;"),
        ("house/d.rs", "use super::a::A;"),
    ];
    assert_eq!(found(&sources), ["house::a -> house::b::c -> house::d -> house::a"]);
}

#[test]
fn what_only_looks_like_a_circle_is_none() {
    let none: &[String] = &[];
    // Re-exports, calls downward, and a type that the children share.
    let house = "mod a; mod b; pub use a::A; pub use b::B; pub fn f() -> A { b::f() }";
    let sources = [("house/mod.rs", house), ("house/a.rs", ""), ("house/b.rs", "use super::A;")];
    assert_eq!(found(&sources), none);
    // A child that needs what its folder defines, where the folder does not need the child.
    let sources =
        [("house/mod.rs", "mod a; pub use a::A; struct B;"), ("house/a.rs", "use super::B;")];
    assert_eq!(found(&sources), none);
    // Comments, strings, visibility, tests, and names of other crates.
    let b = "// use super::a::A;\n/* super::a::f() */ pub(in crate::house::a) struct B;\n\
             const A: &str = \"super::a::A\"; use std::a::A; fn f() { a::f() }\n\
             #[cfg(test)] mod tests { use super::super::a::A; fn f() {} }";
    let sources = [("house/a.rs", "use super::b::B;"), ("house/b.rs", b)];
    assert_eq!(found(&sources), none);
    assert_eq!(
        found(&[
            ("house/a/tests.rs", "use super::b::B;"),
            ("house/a/b.rs", "use super::tests::A;")
        ]),
        none
    );
}
