//! Validates Agent Trace records: the fields of its schema files and no others, a tool's version,
//! times in UTC.
//!
//! The schema files say that `version` has two numbers, the specification says three. Three are
//! written and required.

use serde_json::{Map, Value};

/// A problem and its place in the record, such as `/files/0/path`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fault {
    pub at: String,
    pub what: String,
}

enum Kind {
    Text,
    Version,
    Uuid,
    Time,
    Uri,
    /// A text of at most this many characters.
    Short(usize),
    OneOf(&'static [&'static str]),
    /// A line number, from 1.
    Line,
    Anything,
    List(&'static Kind),
    Fields(&'static [Field]),
}

struct Field {
    name: &'static str,
    kind: Kind,
    is_needed: bool,
}

const fn must(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_needed: true }
}

const fn may(name: &'static str, kind: Kind) -> Field {
    Field { name, kind, is_needed: false }
}

static RECORD: Kind = Kind::Fields(&[
    must("version", Kind::Version),
    must("id", Kind::Uuid),
    must("timestamp", Kind::Time),
    may("vcs", Kind::Fields(VCS)),
    may("tool", Kind::Fields(TOOL)),
    must("files", Kind::List(&Kind::Fields(FILE))),
    may("metadata", Kind::Anything),
]);

static VCS: &[Field] =
    &[must("type", Kind::OneOf(&["git", "jj", "hg", "svn"])), must("revision", Kind::Text)];

static TOOL: &[Field] = &[must("name", Kind::Text), must("version", Kind::Text)];

static FILE: &[Field] =
    &[must("path", Kind::Text), must("conversations", Kind::List(&Kind::Fields(CONVERSATION)))];

static CONVERSATION: &[Field] = &[
    may("url", Kind::Uri),
    may("contributor", Kind::Fields(CONTRIBUTOR)),
    must("ranges", Kind::List(&Kind::Fields(RANGE))),
    may("related", Kind::List(&Kind::Fields(RELATED))),
];

static CONTRIBUTOR: &[Field] = &[
    must("type", Kind::OneOf(&["human", "ai", "mixed", "unknown"])),
    may("model_id", Kind::Short(250)),
];

static RANGE: &[Field] = &[
    must("start_line", Kind::Line),
    must("end_line", Kind::Line),
    may("content_hash", Kind::Text),
    may("contributor", Kind::Fields(CONTRIBUTOR)),
];

static RELATED: &[Field] = &[must("type", Kind::Text), must("url", Kind::Uri)];

pub fn faults(record: &Value) -> Vec<Fault> {
    let mut faults = Vec::new();
    check(record, &RECORD, &mut String::new(), &mut faults);
    faults
}

/// The record with only the fields of Agent Trace. The design documents' fields move into
/// `metadata["dev.roz"]`, others are dropped; invalid values stay.
pub fn strict(mut record: Value) -> Value {
    const MOVED: [&str; 3] = ["session_id", "intent_id", "mutation_class"];
    let Value::Object(fields) = &mut record else { return record };
    let moved: Vec<(&str, Value)> =
        MOVED.iter().filter_map(|text| Some((*text, fields.remove(*text)?))).collect();
    if !moved.is_empty() {
        let metadata = object(fields, "metadata");
        let roz = object(metadata, "dev.roz");
        roz.extend(moved.into_iter().map(|(name, value)| (name.to_owned(), value)));
    }
    prune(&mut record, &RECORD);
    record
}

fn object<'a>(fields: &'a mut Map<String, Value>, name: &str) -> &'a mut Map<String, Value> {
    let found = fields.entry(name).or_insert(Value::Null);
    if !found.is_object() {
        *found = Value::Object(Map::new());
    }
    found.as_object_mut().expect("it was made one above")
}

fn prune(value: &mut Value, kind: &Kind) {
    match (kind, value) {
        (Kind::List(kind), Value::Array(items)) => {
            for item in items {
                prune(item, kind);
            }
        }
        (Kind::Fields(known), Value::Object(fields)) => {
            fields.retain(|name, _| known.iter().any(|field| field.name == name));
            for field in *known {
                if let Some(value) = fields.get_mut(field.name) {
                    prune(value, &field.kind);
                }
            }
        }
        _ => (),
    }
}

fn check(value: &Value, kind: &Kind, at: &mut String, faults: &mut Vec<Fault>) {
    let mut wrong = |what: &str| faults.push(Fault { at: at.clone(), what: what.to_owned() });
    let text = value.as_str();
    match kind {
        Kind::Text if text.is_none() => wrong("it is not a text"),
        Kind::Version if !text.is_some_and(is_version) => {
            wrong("it is not a version of three numbers");
        }
        Kind::Uuid if !text.is_some_and(is_uuid) => wrong("it is not a UUID"),
        Kind::Time if !text.is_some_and(is_time) => {
            wrong("it is not a time as in RFC 3339, with `Z`");
        }
        Kind::Uri if !text.is_some_and(is_uri) => wrong("it is not a URI"),
        Kind::Short(max) if text.is_none_or(|text| text.chars().count() > *max) => {
            wrong(&format!("it is not a text of at most {max} characters"));
        }
        Kind::OneOf(words) if !text.is_some_and(|text| words.contains(&text)) => {
            wrong(&format!("it is none of {}", words.join(", ")));
        }
        Kind::Line if !is_line(value) => wrong("it is not a line number"),
        Kind::Anything if !value.is_object() => wrong("it is not an object"),
        Kind::List(kind) => {
            let Some(items) = value.as_array() else { return wrong("it is not a list") };
            for (number, item) in items.iter().enumerate() {
                below(at, &number.to_string(), |at| check(item, kind, at, faults));
            }
        }
        Kind::Fields(known) => {
            let Some(fields) = value.as_object() else { return wrong("it is not an object") };
            for field in *known {
                match fields.get(field.name) {
                    Some(value) => {
                        below(at, field.name, |at| check(value, &field.kind, at, faults));
                    }
                    None if field.is_needed => {
                        let what = format!("`{}` is missing", field.name);
                        faults.push(Fault { at: at.clone(), what });
                    }
                    None => (),
                }
            }
            let is_known = |name: &str| known.iter().any(|field| field.name == name);
            faults.extend(fields.keys().filter(|name| !is_known(name)).map(|name| Fault {
                at: at.clone(),
                what: format!("`{}` is not a field of it", crate::core::bounded::line(name, 80)),
            }));
        }
        _ => (),
    }
}

fn below(at: &mut String, name: &str, run: impl FnOnce(&mut String)) {
    let length = at.len();
    at.push('/');
    at.push_str(name);
    run(at);
    at.truncate(length);
}

fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split('.').count() == 3 && text.split('.').all(is_number)
}

/// With a version and a variant, or all `0` or all `f`.
fn is_uuid(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_hyphen = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    let is_digit = |(at, byte): (usize, &u8)| {
        if is_hyphen(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() }
    };
    let is_of_all = |digit: u8| bytes.iter().all(|byte| matches!(*byte, b'-') || *byte == digit);
    bytes.len() == 36
        && bytes.iter().enumerate().all(is_digit)
        && (matches!(bytes[14], b'1'..=b'8') && b"89abAB".contains(&bytes[19])
            || is_of_all(b'0')
            || is_of_all(b'f'))
}

fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    // Chrono also accepts a blank instead of the `T`.
    text.is_ascii()
        && bytes.get(10) == Some(&b'T')
        && bytes.ends_with(b"Z")
        && chrono::DateTime::parse_from_rfc3339(text).is_ok()
}

/// A scheme, then URI characters (RFC 3986). Hosts and ports are not checked.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    let bytes = rest.as_bytes();
    let is_allowed = |(at, byte): (usize, &u8)| match byte {
        b'%' => (1..=2).all(|offset| bytes.get(at + offset).is_some_and(u8::is_ascii_hexdigit)),
        b'#' => !bytes[..at].contains(&b'#'),
        byte => byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=".contains(byte),
    };
    is_scheme && bytes.iter().enumerate().all(is_allowed)
}

fn is_line(value: &Value) -> bool {
    // The largest exact integer in JavaScript.
    const MOST: f64 = 9_007_199_254_740_991.0;
    // `3.0` is a whole number, too.
    value.as_f64().is_some_and(|number| number.fract() == 0.0 && (1.0..=MOST).contains(&number))
}
