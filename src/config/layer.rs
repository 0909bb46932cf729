//! Reads one file, or the environment, into known keys with valid values. Everything else becomes a
//! diagnostic.

use std::path::Path;

use serde_json::Value;
use toml::{Spanned, de::DeTable, de::DeValue};

use super::{
    check_value::{Flaw, Reader},
    diagnostic::{Diagnostic, Place, alternatives, nearest, quoted},
    keys::{self, KEYS, Key},
};

/// More would hide the first ones.
const MOST_DIAGNOSTICS: usize = 50;

#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) settings: Vec<Setting>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
pub(super) struct Setting {
    pub(super) key: &'static Key,
    pub(super) value: Value,
    pub(super) place: Place,
    pub(super) rows: Vec<usize>,
}

/// Reads a `config.toml`. The only error is invalid TOML; the caller decides what follows.
pub(super) fn parse(text: &str, path: &Path, home: Option<&Path>) -> Result<Layer, Diagnostic> {
    let root = DeTable::parse(text).map_err(|err| Diagnostic {
        place: Place::file(path, err.span().map(|span| line(text, span.start))),
        problem: format!("not TOML: {}", err.message().replace('\n', " ")),
        remedy: String::new(),
    })?;
    let reader = Reader { home, ..Reader::default() };
    let mut walk = Walk { text, path, reader, settings: Vec::new() };
    walk.section(root.get_ref(), "");
    let Walk { reader: Reader { mut flaws, .. }, settings, .. } = walk;
    flaws.sort_by_key(|flaw| flaw.at.start);
    let diagnostics = flaws
        .iter()
        .take(MOST_DIAGNOSTICS)
        .map(|flaw| diagnostic(flaw, Place::file(path, Some(line(text, flaw.at.start)))))
        .chain(flaws.len().checked_sub(MOST_DIAGNOSTICS + 1).map(|rest| Diagnostic {
            place: Place::file(path, None),
            problem: format!("{} more problems", rest + 1),
            remedy: "fix the first ones".to_owned(),
        }))
        .collect();
    Ok(Layer { settings, diagnostics })
}

/// Empty variables count as unset.
pub(super) fn from_variables<'a>(
    variables: impl Iterator<Item = (&'a str, &'a str)>,
    home: Option<&Path>,
) -> Layer {
    let mut layer = Layer::default();
    for (name, text) in variables {
        let Some(key) = keys::by_variable(name) else { continue };
        let mut reader = Reader { home, ..Reader::default() };
        let place = Place::variable(name);
        if let Some(value) = reader.parse(key, text) {
            layer.settings.push(Setting { key, value, place: place.clone(), rows: Vec::new() });
        }
        layer.diagnostics.extend(reader.flaws.iter().map(|flaw| diagnostic(flaw, place.clone())));
    }
    layer
}

pub(super) fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

fn diagnostic(flaw: &Flaw, place: Place) -> Diagnostic {
    Diagnostic { place, problem: flaw.problem.clone(), remedy: flaw.remedy.clone() }
}

struct Walk<'a> {
    text: &'a str,
    path: &'a Path,
    reader: Reader<'a>,
    settings: Vec<Setting>,
}

impl Walk<'_> {
    fn section(&mut self, table: &DeTable, prefix: &str) {
        for (name, value) in table {
            // A quoted name with a dot is not a path into a section.
            let known = !name.get_ref().contains('.');
            let path = format!("{prefix}{}", name.get_ref());
            if let Some(key) = KEYS.iter().find(|key| known && key.path == path) {
                self.set(key, value);
            } else if known && is_section(&path) {
                match value.get_ref() {
                    DeValue::Table(table) => self.section(table, &format!("{path}.")),
                    other => {
                        let problem = format!("`{path}` is of type {}", other.type_str());
                        let remedy = format!("it is a section: write `[{path}]`");
                        self.reader.flaws.push(Flaw { at: name.span(), problem, remedy });
                    }
                }
            } else {
                self.unknown(prefix, name, value);
            }
        }
    }

    fn set(&mut self, key: &'static Key, value: &Spanned<DeValue>) {
        if let Some(read) = self.reader.read(key.path, key.kind, value) {
            let place = Place::file(self.path, Some(line(self.text, value.span().start)));
            let rows = self.reader.rows.drain(..).map(|row| line(self.text, row)).collect();
            self.settings.push(Setting { key, value: read, place, rows });
        }
    }

    fn unknown(&mut self, prefix: &str, name: &Spanned<impl AsRef<str>>, value: &Spanned<DeValue>) {
        let text = name.get_ref().as_ref();
        let what = if value.get_ref().is_table() { "section" } else { "key" };
        let problem = format!("unknown {what} {}", quoted(&format!("{prefix}{text}")));
        // Beyond the limit only the number is reported, so no remedy is needed.
        let remedy = if self.reader.flaws.len() > 20 * MOST_DIAGNOSTICS {
            String::new()
        } else if KEYS.iter().any(|key| key.path == text) {
            format!("without the quotes `{text}` is one")
        } else if let Some(meant) = meant(prefix, text, value.get_ref().is_table()) {
            format!("did you mean `{meant}`?")
        } else {
            format!("there is {}", alternatives(names(prefix)).replace(" or ", " and "))
        };
        self.reader.flaws.push(Flaw { at: name.span(), problem, remedy });
    }
}

fn is_section(path: &str) -> bool {
    KEYS.iter().any(|key| key.path.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')))
}

fn names(prefix: &str) -> Vec<&'static str> {
    let below = KEYS.iter().filter_map(|key| key.path.strip_prefix(prefix));
    let mut names: Vec<_> = Vec::new();
    for name in below.map(|below| below.split('.').next().unwrap_or(below)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The key or section that an unknown name was meant to be: a section if the name holds a table,
/// else a key. A sibling is preferred to a name from elsewhere.
fn meant(prefix: &str, name: &str, is_table: bool) -> Option<String> {
    let fits = |path: &str| match KEYS.iter().find(|key| key.path == path) {
        Some(key) => !is_table || key.kind.entries().is_some(),
        None => is_table,
    };
    let beside = names(prefix).into_iter().filter(|name| fits(&format!("{prefix}{name}")));
    let beside = nearest(name, beside).map(|nearest| format!("{prefix}{nearest}"));
    let elsewhere = || elsewhere(name).filter(|elsewhere| fits(elsewhere));
    if prefix.is_empty() || !is_table { elsewhere().or(beside) } else { beside.or_else(elsewhere) }
}

/// The only key or section of this name in another place.
fn elsewhere(name: &str) -> Option<String> {
    let paths = KEYS.iter().map(|key| key.path);
    let mut found: Vec<_> = paths
        .filter_map(|path| {
            let names: Vec<_> = path.split('.').collect();
            let at = names.iter().rposition(|text| *text == name)?;
            Some(names[..=at].join("."))
        })
        .collect();
    found.dedup();
    (found.len() == 1).then(|| found.swap_remove(0))
}
