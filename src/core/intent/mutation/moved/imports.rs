//! Which names an import gives, and where each is from, by its words: close
//! enough to say that two imports are of the same thing, and where it is not,
//! it says that nobody knows.

/// Whether a word stands in an import.
pub(super) fn mentions(import: &str, name: &str) -> bool {
    words(import).any(|it| it == name)
}

/// The words of an import that may be names.
pub(super) fn names(import: &str) -> impl Iterator<Item = &str> {
    const KEYWORDS: &[&str] = &[
        "import", "from", "use", "pub", "crate", "self", "super", "as", "mod", "static", "type",
        "require", "const", "export", "extern", "in",
    ];
    words(import).filter(|it| !KEYWORDS.contains(it))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    text.split(move |c| !is_part(c)).filter(|it| !it.is_empty())
}

/// Where the import has a name from, to be compared with that of another
/// import; none, if it only leads there or cannot be told.
pub(super) fn source_of(import: &str, name: &str, language: &str) -> Option<String> {
    let text = import.trim().trim_end_matches(';').trim_end();
    match language {
        // The last part of a package's path is its name.
        "go" => quoted(text).find(|it| it.rsplit('/').next() == Some(name)).map(str::to_owned),
        "python" => match text.split_once(" import ") {
            Some((module, list)) => Some(format!("{module} {}", item(list, name)?)),
            None => Some(item(text.strip_prefix("import ")?, name)?),
        },
        "rust" => {
            if let Some((_, module)) = text.split_once("mod ") {
                return (module == name).then(|| "mod".to_owned());
            }
            let (_, text) = text.split_once("use ")?;
            match text.split_once('{') {
                None => Some(without(text, name)?),
                Some((module, list)) if !list.contains('{') => {
                    Some(format!("{}{}", module.trim(), item(list, name)?))
                }
                Some(_) => None,
            }
        }
        "java" => without(text, name),
        _ => {
            let module = quoted(text).last()?;
            let list = text.split(" from ").next()?;
            let is_in_list = list.find('{').is_some_and(|it| Some(it) < list.find(name));
            Some(format!("{module} {is_in_list} {}", item(list.strip_prefix("import ")?, name)?))
        }
    }
}

/// The item of a list that ends with the name, without it: `a as ` of
/// `a as name`.
fn item(list: &str, name: &str) -> Option<String> {
    let mut items = list.split([',', '{', '}', '(', ')', '\n']);
    items.find_map(|it| without(it, name))
}

fn without(item: &str, name: &str) -> Option<String> {
    let item = item.trim();
    let rest = item.strip_suffix(name)?;
    let is_word = !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
    is_word.then(|| rest.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split(['"', '\'', '`']).skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_thing_has_the_same_source_however_it_is_listed() {
        for (language, name, one, other) in [
            ("python", "b", "from a import b", "from a import c, b"),
            ("python", "os", "import os", "import sys, os"),
            ("rust", "C", "use a::b::C;", "pub use a::b::{D, C};"),
            ("rust", "C", "use a::b::C;", "use a::{b::C, d};"),
            ("typescript", "b", "import { b } from './a'", "import { c, b } from \"./a\";"),
            ("go", "fmt", "import \"fmt\"", "import (\n\t\"os\"\n\t\"fmt\"\n)"),
        ] {
            let (one, other) = (source_of(one, name, language), source_of(other, name, language));
            assert!(one.is_some() && one == other, "{name}: {one:?} {other:?}");
        }
    }

    #[test]
    fn what_only_bears_the_same_name_has_another() {
        for (language, name, one, other) in [
            ("python", "b", "from a import b", "from c import b"),
            ("python", "b", "from a import b", "from a import c as b"),
            ("rust", "C", "use a::b::C;", "use a::{c::C, d};"),
            ("typescript", "b", "import { b } from './a'", "import b from './a'"),
            ("go", "rand", "import \"math/rand\"", "import \"crypto/rand\""),
            ("java", "List", "import java.util.List;", "import java.awt.List;"),
        ] {
            assert_ne!(source_of(one, name, language), source_of(other, name, language), "{name}");
        }
        assert_eq!(source_of("use a::{b::{c}};", "c", "rust"), None);
        assert_eq!(source_of("from a import b", "a", "python"), None);
    }
}
