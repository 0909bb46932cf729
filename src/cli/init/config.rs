//! A `config.toml` for a project: every key that a project may set, with its description. Keys that
//! were not chosen are commented out.

use std::{fmt::Write as _, path::Path};

use serde_json::Value;
use textwrap::{Options, WordSplitter};

use super::{
    Found, Wants,
    step::{Step, new_file, text_of},
};
use crate::{
    config::keys::{self, Key, May},
    core::{bounded, policy::Policy},
};

pub(super) const NAME: &str = ".roz/config.toml";
const WIDTH: usize = 78;

const HEAD: &str = "\
# The rules of this project, for everyone who works on it. A project can be
# stricter than a user's own configuration (`~/.roz/config.toml`), never laxer.
# `roz config show --origin` says what applies and why, `roz config check` what
# is wrong, `roz config schema` prints a JSON Schema for editors. Lines in
# comments show the defaults.
";

pub(super) fn write(project: &Path, wants: Wants, found: &Found) -> Step {
    let step = new_file(project, NAME, &text(wants, found));
    if !matches!(step, Step::Kept { .. }) || !wants.review || sets(project, "review.gates.tools") {
        return step;
    }
    let by_hand = format!("[review.gates]\ntools = {}", toml::Value::from(found.gated.clone()));
    Step::Left { file: NAME.to_owned(), why: "it exists".to_owned(), by_hand }
}

/// Whether the present configuration sets a key.
fn sets(project: &Path, path: &str) -> bool {
    let text = text_of(&project.join(NAME)).unwrap_or_default();
    let Ok(document) = text.parse::<toml::Table>() else { return false };
    let document = toml::Value::Table(document);
    path.split('.').try_fold(&document, |at, name| at.get(name)).is_some()
}

fn text(wants: Wants, found: &Found) -> String {
    let mut defaults = serde_json::to_value(Policy::default()).unwrap_or_default();
    let mut res = String::from(HEAD);
    let mut section = "";
    for key in keys::KEYS.iter().filter(|key| !matches!(key.project, May::Nothing)) {
        let (table, name) = key.path.rsplit_once('.').unwrap_or(("", key.path));
        // An array of tables has a heading of its own.
        let is_row = matches!(key.kind, keys::Kind::Rows(_));
        if table != section && !is_row {
            let _ = write!(res, "\n[{table}]\n");
            section = table;
        } else {
            res.push('\n');
        }
        res.push_str(&commented(&about(key)));
        let chosen = match key.path {
            "review.gates.tools" if wants.review => Some(toml::Value::from(found.gated.clone())),
            "reflection.enabled" if wants.reflection => Some(toml::Value::from(true)),
            _ => None,
        };
        let default = keys::slot(&mut defaults, key.path).clone();
        let _ = match chosen {
            Some(value) => writeln!(res, "{name} = {value}"),
            None if is_row => writeln!(res, "# [[{}]]", key.path),
            None => writeln!(res, "# {name} = {}", as_toml(&default, key.kind)),
        };
    }
    res
}

fn about(key: &Key) -> String {
    match &key.project {
        May::Set | May::Add => format!("{}.", key.about),
        May::Only(_) | May::Stricter => format!("{} ({}).", key.about, key.rule()),
        May::StartProgram => {
            format!(
                "{} (counts only for users who have this project in `trust.projects`).",
                key.about
            )
        }
        May::Nothing => String::new(),
    }
}

/// A value as TOML; an example if there is no default.
fn as_toml(value: &Value, kind: keys::Kind) -> String {
    let shown = match (value, kind) {
        (Value::Null, keys::Kind::Integer { .. }) => toml::Value::from(3600),
        (Value::Null, keys::Kind::Path) => toml::Value::from("/path/to/program"),
        (Value::Null, _) => toml::Value::from("program"),
        (value, _) => toml::Value::try_from(value).unwrap_or_else(|_| toml::Value::from("")),
    };
    shown.to_string()
}

fn commented(text: &str) -> String {
    let options = Options::new(WIDTH)
        .initial_indent("# ")
        .subsequent_indent("# ")
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::fill(&bounded::plain_line(text), options) + "\n"
}

#[cfg(test)]
mod tests;
