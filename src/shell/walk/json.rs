//! What `jq` shows of a text: paths, elements, pipes of them.

use super::super::HOLE;
use super::filter::Room;
use serde_json::Value;

/// Parts of a program, and what one of them may make.
const PARTS: usize = 32;
const MADE: usize = 4_000;

/// What a program of `jq` shows for a text; `is_raw`: strings without quotes. `None` where something
/// in it is not followed.
pub(super) fn shown(code: &str, is_raw: bool, input: &str, room: &mut Room) -> Option<String> {
    if code.contains(HOLE) {
        return None;
    }
    room.take(input.len())?;
    let values = serde_json::Deserializer::from_str(input).into_iter::<Value>();
    let values = values.collect::<Result<Vec<Value>, _>>().ok()?;
    let mut parts = 0;
    let values = piped(code, values, &mut parts, room)?;
    let mut output = String::new();
    for value in values {
        let text = match value {
            Value::String(text) if is_raw => text,
            value => serde_json::to_string_pretty(&value).ok()?,
        };
        room.take(text.len() + 1)?;
        output.push_str(&text);
        output.push('\n');
    }
    Some(output)
}

/// `.a | .b`
fn piped(
    code: &str,
    mut values: Vec<Value>,
    parts: &mut usize,
    room: &mut Room,
) -> Option<Vec<Value>> {
    for part in split(code, '|')? {
        *parts += 1;
        if *parts > PARTS || values.len() > MADE {
            return None;
        }
        let ways = split(part, ',')?;
        if let [only] = ways[..] {
            values = of_all(only, values, parts, room)?;
            continue;
        }
        let mut made = Vec::new();
        for value in values {
            for way in &ways {
                room.take(1)?;
                made.extend(of_all(way, vec![value.clone()], parts, room)?);
            }
        }
        values = made;
    }
    Some(values)
}

/// The parts of a program between signs that stand in no quotes and no brackets.
fn split(code: &str, between: char) -> Option<Vec<&str>> {
    let (mut parts, mut from, mut depth, mut is_quoted) = (Vec::new(), 0, 0_usize, false);
    let mut signs = code.char_indices();
    while let Some((at, sign)) = signs.next() {
        match sign {
            '\\' => drop(signs.next()),
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            _ if sign == between && depth == 0 => {
                parts.push(code[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(code[from..].trim());
    (depth == 0 && !is_quoted && parts.len() <= PARTS).then_some(parts)
}

/// What one part makes of each value.
fn of_all(
    code: &str,
    values: Vec<Value>,
    parts: &mut usize,
    room: &mut Room,
) -> Option<Vec<Value>> {
    let within = |name: &str| {
        let rest = code.strip_prefix(name)?.trim_start().strip_prefix('(')?;
        rest.strip_suffix(')')
    };
    if let Some(inner) = within("map") {
        let mut made = Vec::new();
        for value in values {
            let Value::Array(elements) = value else { return None };
            made.push(Value::Array(piped(inner, elements, parts, room)?));
        }
        return Some(made);
    }
    // Some of them, or in another order.
    if within("select").is_some() || within("sort_by").is_some() || code == "sort" {
        room.is_part = true;
        return Some(values);
    }
    if let Some(between) = within("join") {
        // Of some elements nobody knows which stand where.
        if room.is_part {
            return None;
        }
        let between: String = serde_json::from_str(between.trim()).ok()?;
        let join = |value: Value| {
            let Value::Array(elements) = value else { return None };
            let texts: Option<Vec<&str>> = elements.iter().map(Value::as_str).collect();
            Some(Value::String(texts?.join(&between)))
        };
        return values.into_iter().map(join).collect();
    }
    let mut values = values;
    let mut rest = code.strip_prefix('.')?;
    let mut is_first = true;
    while !rest.is_empty() {
        (values, rest) = step(rest, values, is_first, room)?;
        is_first = false;
    }
    Some(values)
}

/// One step of a path: `a`, `"a b"`, `[0]`, `["a"]`, `[]`.
fn step<'a>(
    path: &'a str,
    values: Vec<Value>,
    is_first: bool,
    room: &mut Room,
) -> Option<(Vec<Value>, &'a str)> {
    if let Some(rest) = path.strip_prefix('?') {
        return Some((values, rest));
    }
    if let Some(inner) = path.strip_prefix('[') {
        let (inner, rest) = inner.split_once(']')?;
        let inner = inner.trim();
        if inner.is_empty() {
            let mut made = Vec::new();
            for value in values {
                match value {
                    Value::Array(elements) => made.extend(elements),
                    // They are in another order here.
                    Value::Object(fields) => {
                        room.is_part |= fields.len() > 1;
                        made.extend(fields.into_iter().map(|it| it.1));
                    }
                    _ => return None,
                }
            }
            return Some((made, rest));
        }
        if let Ok(number) = inner.parse::<i64>() {
            if room.is_part {
                return None;
            }
            let element = |value: Value| {
                let Value::Array(mut elements) = value else { return Value::Null };
                let count = i64::try_from(elements.len()).unwrap_or(i64::MAX);
                let at = if number < 0 { count + number } else { number };
                match usize::try_from(at) {
                    Ok(at) if at < elements.len() => elements.swap_remove(at),
                    _ => Value::Null,
                }
            };
            return Some((values.into_iter().map(element).collect(), rest));
        }
        let name: String = serde_json::from_str(inner).ok()?;
        return Some((fields(values, &name), rest));
    }
    let path = if is_first { path } else { path.strip_prefix('.')? };
    if path.starts_with('[') && !is_first {
        return step(path, values, true, room);
    }
    if let Some(quoted) = path.strip_prefix('"') {
        let (name, rest) = quoted.split_once('"')?;
        return (!name.contains('\\')).then(|| (fields(values, name), rest));
    }
    let end = path.find(|it: char| !(it.is_alphanumeric() || it == '_')).unwrap_or(path.len());
    let (name, rest) = path.split_at(end);
    (!name.is_empty()).then(|| (fields(values, name), rest))
}

fn fields(values: Vec<Value>, name: &str) -> Vec<Value> {
    let field = |value: Value| match value {
        Value::Object(mut fields) => fields.remove(name).unwrap_or(Value::Null),
        _ => Value::Null,
    };
    values.into_iter().map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::{Room, shown};

    fn jq(code: &str, input: &str) -> Option<String> {
        shown(code, true, input, &mut Room::default())
    }

    #[test]
    fn paths_elements_and_pipes_are_followed() {
        let input = r#"{"a":["x","y z"],"b":{"c d":[{"e":"f"},{"e":"g"}]},"n":1}"#;
        let of = |code| jq(code, input).unwrap();
        assert_eq!(of(".a[]"), "x\ny z\n");
        assert_eq!(of(".a[-1]"), "y z\n");
        assert_eq!(of(".a | .[0]"), "x\n");
        assert_eq!(of(".b[\"c d\"][].e"), "f\ng\n");
        assert_eq!(of(".b.\"c d\" | map(.e) | join(\"-\")"), "f-g\n");
        assert_eq!(of(".a.[1]?, .n, .none"), "y z\n1\nnull\n");
        for unknown in ["keys", ".a + .b", ".[", "\"x\"", ".a[1:2]", "env.X", ".a[] as $x | $x"] {
            assert!(jq(unknown, input).is_none(), "{unknown}");
        }
        assert_eq!(jq(".a", "no json"), None);
    }
}
