//! Reads the fields of a payload one by one. Unreadable ones count as absent, and very large ones
//! are not copied.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use crate::core::{bounded, event::Background, scheduled_prompts::Scheduled};

/// In bytes. A larger input is not parsed as a whole.
const LARGE: usize = 1024 * 1024;
/// The longest field of a large input that is kept, in bytes, and how many such fields are kept.
const SMALL_FIELD: usize = 64 * 1024;
const MAX_FIELDS: usize = 256;
/// Fields that gates read. They are kept even if they are large.
const READ_BY_GATES: &[&str] = &[
    "command",
    "cmd",
    "script",
    "code",
    "keys",
    "run",
    "prompt",
    "subagent_type",
    "to",
    "file_path",
    "notebook_path",
];

/// Bytes as text, with each invalid UTF-8 byte replaced by `?`.
pub(crate) fn made_text(mut bytes: Vec<u8>) -> String {
    let mut at = 0;
    while let Err(err) = std::str::from_utf8(&bytes[at..]) {
        at += err.valid_up_to();
        bytes[at] = b'?';
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// A short text such as an id or a name; `None` if it is longer than `max`.
pub(crate) fn short(raw: Option<&RawValue>, max: usize) -> Option<String> {
    text(raw.filter(|raw| raw.get().len() <= 2 + 6 * max)).filter(|text| text.len() <= max)
}

/// An id. One that is too long is replaced by its digest.
pub(crate) fn id(raw: Option<&RawValue>) -> Option<String> {
    const MAX: usize = 256;
    let id = text(raw).filter(|text| !text.is_empty())?;
    Some(if id.len() > MAX { bounded::sha256(id.as_bytes()) } else { id })
}

/// A tool's name, cut if it is too long.
pub(crate) fn name(raw: Option<&RawValue>) -> String {
    const MAX: usize = 1024;
    text(raw).map(|text| bounded::cut(&text, MAX).to_owned()).unwrap_or_default()
}

/// The results of `pick` for the items of an array, up to a limit. They are parsed one by one.
pub(crate) fn items<T>(raw: &RawValue, pick: impl Fn(Value) -> Option<T>) -> Option<Vec<T>> {
    const MAX_ITEMS: usize = 1000;

    struct Items<F>(F);

    impl<'de, T, F: Fn(Value) -> Option<T>> serde::de::Visitor<'de> for Items<F> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            f.write_str("an array")
        }

        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut picked = Vec::new();
            while let Some(item) = seq.next_element::<&RawValue>()? {
                if picked.len() < MAX_ITEMS && item.get().len() <= SMALL_FIELD {
                    picked.extend(serde_json::from_str(item.get()).ok().and_then(&self.0));
                }
            }
            Ok(picked)
        }
    }

    let mut json = serde_json::Deserializer::from_str(raw.get());
    serde::Deserializer::deserialize_seq(&mut json, Items(pick)).ok()
}

/// A text; `None` for anything else.
pub(crate) fn text(raw: Option<&RawValue>) -> Option<String> {
    parse_text(raw?.get())
}

pub(crate) fn flag(raw: Option<&RawValue>) -> bool {
    raw.is_some_and(|raw| raw.get() == "true")
}

/// A tool's input as a value. If it is very large or nested too deep, only its top level: the texts
/// and the small fields.
pub(crate) fn value(json: &str) -> Value {
    if json.len() <= LARGE {
        let whole = serde_json::from_str(json);
        if let Ok(value) = whole.or_else(|_| serde_json::from_str(&repaired(json))) {
            return value;
        }
    }
    top_level(json).map_or(Value::Null, Value::Object)
}

fn parse_text(json: &str) -> Option<String> {
    if !json.starts_with('"') {
        return None;
    }
    serde_json::from_str(json).or_else(|_| serde_json::from_str(&repaired(json))).ok()
}

fn top_level(json: &str) -> Option<Map<String, Value>> {
    struct Fields(Map<String, Value>);

    struct Visitor;

    impl<'de> serde::de::Visitor<'de> for Visitor {
        type Value = Fields;

        fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
            let mut fields = Map::new();
            while let Some((key, raw)) = map.next_entry::<Cow<str>, &RawValue>()? {
                let json = raw.get();
                let is_read = READ_BY_GATES.contains(&&*key);
                if !is_read && (fields.len() >= MAX_FIELDS || json.len() > SMALL_FIELD) {
                    continue;
                }
                let value = parse_text(json).map(Value::String);
                let value = value.or_else(|| {
                    (json.len() <= SMALL_FIELD).then(|| serde_json::from_str(json).ok())?
                });
                fields.insert(key.into_owned(), value.unwrap_or_default());
            }
            Ok(Fields(fields))
        }
    }

    impl<'de> Deserialize<'de> for Fields {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_map(Visitor)
        }
    }

    serde_json::from_str::<Fields>(json).ok().map(|fields| fields.0)
}

/// JSON in which lone surrogates are replaced by replacement characters. JavaScript writes them;
/// otherwise a command with one in it would be invalid text, and no gate would see it.
fn repaired(json: &str) -> String {
    let bytes = json.as_bytes();
    let unit = |at: usize| {
        let digits = json.get(at + 2..at + 6).filter(|_| bytes.get(at..at + 2) == Some(b"\\u"))?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut res = String::with_capacity(json.len());
    let mut at = 0;
    let mut copied = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        let length = match unit(at) {
            Some(0xD800..=0xDBFF) if matches!(unit(at + 6), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                res.push_str(&json[copied..at]);
                res.push_str("\\ufffd");
                copied = at + 6;
                6
            }
            Some(_) => 6,
            None => 2,
        };
        at += length;
    }
    res.push_str(json.get(copied..).unwrap_or_default());
    res
}

/// Whether a tool's result says that it failed although the client reports a success: a tool of a
/// server, a command that was interrupted. Most results are not even parsed. The output of a
/// command does not count, because an agent controls it.
pub(crate) fn says_it_failed(response: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Said {
        success: Option<Value>,
        #[serde(alias = "isError")]
        is_error: Option<Value>,
        interrupted: Option<Value>,
    }
    #[derive(Deserialize)]
    struct Part {
        #[serde(default)]
        text: String,
    }
    let text = response.get();
    // The answer of a server is a list of texts.
    if text.starts_with('[') {
        if !["rror:", "RROR:", "success", "isError", "is_error"]
            .iter()
            .any(|word| text.contains(word))
        {
            return false;
        }
        let parts: Vec<Part> = serde_json::from_str(text).unwrap_or_default();
        let first = parts.first().map(|part| part.text.trim());
        return first.is_some_and(|first| {
            let is_error = first.get(..6).is_some_and(|text| text.eq_ignore_ascii_case("error:"));
            is_error || serde_json::from_str(first).is_ok_and(says_it_failed)
        });
    }
    let may_say = ["\"success\"", "\"isError\"", "\"is_error\"", "\"interrupted\""]
        .iter()
        .any(|word| text.contains(word));
    if !text.starts_with('{') || !may_say {
        return false;
    }
    let Ok(said) = serde_json::from_str::<Said>(text) else { return false };
    said.success == Some(Value::Bool(false))
        || said.is_error == Some(Value::Bool(true))
        || said.interrupted == Some(Value::Bool(true))
}

/// The subagents among the background tasks. A workflow counts as one, because its agents are not
/// listed.
pub(crate) fn background(tasks: &RawValue) -> Option<Vec<Background>> {
    let text = |task: &Value, field: &str| {
        task.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    // Some clients list only agents, without a type.
    let is_agent = |task: &Value| match text(task, "type").as_str() {
        "subagent" | "workflow" => true,
        kind => kind.is_empty() && !text(task, "agent_type").is_empty(),
    };
    let runs = |task: &Value| {
        is_agent(task) && matches!(text(task, "status").as_str(), "running" | "pending" | "")
    };
    let agent = |task: &Value| Background {
        agent_id: text(task, "id"),
        agent_type: text(task, "agent_type"),
    };
    items(tasks, |task| runs(&task).then(|| agent(&task)))
}

pub(crate) fn scheduled(crons: &RawValue) -> Option<Vec<Scheduled>> {
    items(crons, |cron| {
        let recurring = cron.get("recurring").and_then(Value::as_bool).unwrap_or(true);
        Some(Scheduled { prompt: cron.get("prompt")?.as_str()?.to_owned(), recurring })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_with_half_a_surrogate_is_still_a_command() {
        let input = value(r#"{"command":"git push \ud83d x \udc00 \ud83d\ude00 \\ud83d"}"#);
        assert_eq!(input["command"], "git push \u{fffd} x \u{fffd} 😀 \\ud83d");
    }

    #[test]
    fn an_input_nested_too_deep_keeps_its_texts() {
        let deep = format!("{}1{}", "[".repeat(500), "]".repeat(500));
        let input = value(&format!(r#"{{"a":{deep},"command":"git push"}}"#));
        assert_eq!(input["command"], "git push");
        assert_eq!(input["a"], Value::Null);
    }

    #[test]
    fn a_large_input_keeps_what_gates_read() {
        let input = value(&format!(
            r#"{{"content":"{}","command":"{}","n":1}}"#,
            "x".repeat(LARGE),
            "y".repeat(SMALL_FIELD + 1)
        ));
        assert_eq!(input.get("content"), None);
        assert_eq!(input["command"].as_str().map(str::len), Some(SMALL_FIELD + 1));
        assert_eq!(input["n"], 1);
    }

    #[test]
    fn a_result_says_that_it_failed_and_what_a_command_prints_does_not() {
        for (json, failed) in [
            (r#"{"stdout":"","interrupted":true}"#, true),
            (r#"{"success":false}"#, true),
            (r#"[{"type":"text","text":"Error: no such issue"}]"#, true),
            (r#"[{"type":"text","text":"{\"success\":false}"}]"#, true),
            (r#"[{"type":"text","text":"Closed 1; error: none"}]"#, false),
            (r#"[{"type":"text","text":"{\"success\":true}"}]"#, false),
            (r#"[{"type":"image"}]"#, false),
            (r#"[{"type":"text","text":"error: no"},{"type":"image"}]"#, true),
            (r#"{"stdout":"Error: no","stderr":"Error: no","interrupted":false}"#, false),
            ("[]", false),
            ("\"Error: no\"", false),
        ] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(says_it_failed(raw), failed, "{json}");
        }
    }

    #[test]
    fn what_is_no_text_counts_as_absent() {
        for json in ["null", "5", "[\"a\"]", "{}"] {
            let raw: &RawValue = serde_json::from_str(json).unwrap();
            assert_eq!(text(Some(raw)), None, "{json}");
        }
    }
}
