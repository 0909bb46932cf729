//! A JSON Schema of `config.toml`, so that editors complete and check it.

use serde_json::{Map, Value, json};

use super::{
    check_value::{LONGEST_LIST, LONGEST_PATTERN, LONGEST_TEXT, MOST_WEIGHTS},
    keys::{Field, KEYS, Key, Kind, slot},
};
use crate::core::policy::Policy;

/// Draft 2020-12.
pub fn schema() -> Value {
    let mut defaults = json!(Policy::default());
    let mut root = section("The configuration of roz");
    root["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    for key in KEYS {
        let mut at = &mut root;
        let mut path = String::new();
        let mut rest = key.path;
        while let Some((name, deeper)) = rest.split_once('.') {
            path = if path.is_empty() { name.to_owned() } else { path + "." + name };
            at = &mut at["properties"][name];
            if at.is_null() {
                *at = section(&format!("[{path}]"));
            }
            rest = deeper;
        }
        let default = slot(&mut defaults, key.path).take();
        at["properties"][rest] = property(key, default);
    }
    root
}

fn section(title: &str) -> Value {
    json!({ "title": title, "type": "object", "properties": {}, "additionalProperties": false })
}

fn property(key: &Key, default: Value) -> Value {
    let Value::Object(mut fields) = shape(key.kind) else { return Value::Null };
    fields.insert("description".into(), format!("{}. {}.", key.about, rule(key)).into());
    if !default.is_null() {
        fields.insert("default".into(), default);
    }
    Value::Object(fields)
}

fn shape(kind: Kind) -> Value {
    let text = |longest: usize| json!({ "type": "string", "minLength": 1, "maxLength": longest });
    match kind {
        Kind::Switch => json!({ "type": "boolean" }),
        Kind::Integer { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
        Kind::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Kind::Word(words) => json!({ "enum": words }),
        Kind::Path => json!({ "type": "string", "pattern": "^(/|~/)", "maxLength": LONGEST_TEXT }),
        Kind::Template => json!({ "type": "string", "pattern": TEMPLATE }),
        Kind::Text => text(LONGEST_TEXT),
        Kind::Pattern | Kind::GatePattern | Kind::Glob => text(LONGEST_PATTERN),
        Kind::List(item) => {
            json!({ "type": "array", "items": shape(*item), "maxItems": LONGEST_LIST })
        }
        Kind::Weights => table(&json!({ "pattern": TEMPLATE }), kind),
        Kind::Switches(Some(names)) | Kind::Texts(Some(names)) => {
            table(&json!({ "enum": names }), kind)
        }
        Kind::Switches(None) | Kind::Texts(None) => table(&text(LONGEST_TEXT), kind),
        Kind::Auto => json!({ "enum": ["auto", true, false] }),
        Kind::Rows(fields) => {
            json!({ "type": "array", "items": row(fields), "maxItems": LONGEST_LIST })
        }
    }
}

fn table(names: &Value, kind: Kind) -> Value {
    let mut value = kind.entries().map_or(Value::Null, |(_, kind)| shape(kind));
    if let Kind::Texts(_) = kind {
        value["minLength"] = 0.into();
    }
    json!({
        "type": "object",
        "maxProperties": MOST_WEIGHTS,
        "propertyNames": names,
        "additionalProperties": value,
    })
}

fn row(fields: &[Field]) -> Value {
    let shape = |field: &Field| {
        let mut shape = shape(field.kind);
        let trust = if field.is_program { ". A project's needs `trust.projects`" } else { "" };
        shape["description"] = format!("{}{trust}.", field.about).into();
        (field.name.to_owned(), shape)
    };
    let properties: Map<String, Value> = fields.iter().map(shape).collect();
    let required: Vec<&str> =
        fields.iter().filter(|field| field.required).map(|field| field.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

const TEMPLATE: &str = "^[A-Za-z0-9_-]{1,64}$";

fn rule(key: &Key) -> String {
    let rule = key.rule();
    let mut sentence = rule[..1].to_uppercase() + &rule[1..];
    if let Some(variable) = key.variable {
        sentence.push_str(". The environment's ");
        sentence.push_str(variable);
        sentence.push_str(" sets it too");
    }
    sentence
}

#[cfg(test)]
mod tests;
