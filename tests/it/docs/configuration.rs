//! The tables in `docs/configuration.md` are made from the table of keys.

use std::{fmt::Write as _, fs};

use roz::{
    config::keys::{Field, KEYS, Key, Kind, slot},
    core::policy::Policy,
};
use serde_json::{Value, json};

use super::page::root;
use crate::support::writes_docs;

const PATH: &str = "docs/configuration.md";
const BEGIN: &str = "<!-- from here on made from src/config/keys.rs -->\n";

#[test]
fn the_page_of_the_configuration_is_made_from_the_table_of_keys() {
    let path = root().join(PATH);
    let page = fs::read_to_string(&path).unwrap();
    let (written, here) = page.split_once(BEGIN).expect("a mark where the tables begin");
    let made = tables();
    if writes_docs() {
        fs::write(path, format!("{written}{BEGIN}{made}")).unwrap();
        return;
    }
    assert!(here == made, "{PATH} is not what src/config/keys.rs says; it would be:\n{made}");
}

/// A heading and a table for each section, in the order of the keys.
fn tables() -> String {
    let mut defaults = json!(Policy::default());
    let mut text = String::new();
    let mut sections: Vec<&str> = KEYS.iter().map(section).collect();
    let mut seen = std::collections::HashSet::new();
    sections.retain(|section| seen.insert(*section));
    for name in sections {
        let _ = writeln!(text, "\n## {name}\n");
        text += "| key | what it does | values | default | a project |\n|---|---|---|---|---|\n";
        let keys: Vec<&Key> = KEYS.iter().filter(|key| section(key) == name).collect();
        for key in &keys {
            text += &row(key, slot(&mut defaults, key.path));
        }
        for key in keys {
            if let Kind::Rows(fields) = key.kind {
                text += &fields_of(key.path, fields);
            }
        }
    }
    text
}

fn section(key: &Key) -> &'static str {
    key.path.split('.').next().unwrap_or(key.path)
}

fn row(key: &Key, default: &Value) -> String {
    let variable = key.variable.map(|name| format!("; or `{name}`")).unwrap_or_default();
    let default = match default {
        Value::Null => "none".to_owned(),
        value => format!("`{value}`"),
    };
    let rule = key.rule();
    let rule = rule.strip_prefix("a project ").unwrap_or(&rule);
    let cells = [&format!("`{}`", key.path), key.about, &values(key.kind), &default, rule];
    let cells = cells.map(|cell| cell.replace('|', "\\|"));
    format!(
        "| {} | {}{variable} | {} | {} | {} |\n",
        cells[0], cells[1], cells[2], cells[3], cells[4]
    )
}

fn fields_of(path: &str, fields: &[Field]) -> String {
    let mut text =
        format!("\n### A row of `{path}`\n\n| field | what it says | values |\n|---|---|---|\n");
    for field in fields {
        let values = values(field.kind);
        let must = if field.required { "; required" } else { "" };
        let trust = if field.is_program { "; a project needs `trust.projects`" } else { "" };
        let _ = writeln!(text, "| `{}` | {}{must}{trust} | {values} |", field.name, field.about);
    }
    text
}

fn values(kind: Kind) -> String {
    match kind {
        Kind::Switch => "`true`, `false`".to_owned(),
        Kind::Integer { min, max } => format!("{min} to {max}"),
        Kind::Share => "0 to 1".to_owned(),
        Kind::Word(words) => one_of(words),
        Kind::Path => "an absolute path, or one that begins with `~/`".to_owned(),
        Kind::Template => "the id of a template".to_owned(),
        Kind::Text => "a text".to_owned(),
        Kind::Pattern => "a pattern".to_owned(),
        Kind::GatePattern => "a pattern, with a `!` for exceptions".to_owned(),
        Kind::Glob => "a glob".to_owned(),
        Kind::List(item) => format!("a list of {}", items(*item)),
        Kind::Weights => "a number for each id".to_owned(),
        Kind::Auto => "`\"auto\"`, `true`, `false`".to_owned(),
        Kind::Switches(names) => format!("`true` or `false` for each name{}", named(names)),
        Kind::Texts(names) => format!("a text for each name{}", named(names)),
        Kind::Rows(_) => "tables, see below".to_owned(),
    }
}

fn items(item: Kind) -> String {
    match item {
        Kind::Text => "texts".to_owned(),
        Kind::Path => "paths".to_owned(),
        Kind::Pattern => "patterns".to_owned(),
        Kind::GatePattern => "patterns, with a `!` for exceptions".to_owned(),
        Kind::Glob => "globs".to_owned(),
        other => values(other),
    }
}

fn named(names: Option<&[&str]>) -> String {
    names.map(|names| format!(": {}", one_of(names))).unwrap_or_default()
}

fn one_of(words: &[&str]) -> String {
    words.iter().map(|word| format!("`\"{word}\"`")).collect::<Vec<_>>().join(", ")
}
