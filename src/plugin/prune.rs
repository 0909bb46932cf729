//! Takes what is ours out of the text of a file of the client's, and leaves
//! every other byte of it: the layout is the user's.

use std::ops::Range;

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};
use serde_json::{Value, value::RawValue};

/// The text without the hooks that are `ours`; none if it has none of them.
/// What is empty without them goes too: a group, an event, `hooks` itself.
pub(super) fn without_hooks(text: &str, is_ours: &dyn Fn(&Value) -> bool) -> Option<String> {
    // The client takes a byte order mark; the parser does not.
    let body = text.trim_start_matches('\u{feff}');
    let raw: &RawValue = serde_json::from_str(body).ok()?;
    let root = Node::of(raw, body)?;
    let verdict = root.among("hooks", |it| it.each(|it| it.each(|it| group(it, is_ours))));
    cut(text, body, &root, verdict)
}

/// The text without the entries of its tables (and of the text itself, if
/// `at_root`) that are `ours`, by their key and their value as it is written;
/// none if it has none of them. A table of nothing else goes too.
pub(super) fn without_entries(
    text: &str,
    tables: &[&str],
    at_root: bool,
    is_ours: &dyn Fn(&str, &str) -> bool,
) -> Option<String> {
    let body = text.trim_start_matches('\u{feff}');
    let raw: &RawValue = serde_json::from_str(body).ok()?;
    let root = Node::of(raw, body)?;
    let judge = |part: &Part| match &part.key {
        Some(key) if is_ours(key, part.value.raw.get()) => Verdict::Gone,
        _ => Verdict::Kept,
    };
    let verdict = root.judged(|part| match &part.key {
        Some(key) if tables.contains(&key.as_str()) => part.value.judged(judge),
        _ if at_root => judge(part),
        _ => Verdict::Kept,
    });
    cut(text, body, &root, verdict)
}

/// The text without those of its tables in which nothing stands.
pub(super) fn without_empty(text: &str, tables: &[&str]) -> Option<String> {
    let body = text.trim_start_matches('\u{feff}');
    let raw: &RawValue = serde_json::from_str(body).ok()?;
    let root = Node::of(raw, body)?;
    let verdict = root.judged(|part| {
        let is_named = part.key.as_deref().is_some_and(|it| tables.contains(&it));
        let inside = part.value.raw.get().strip_prefix('{').and_then(|it| it.strip_suffix('}'));
        match inside {
            Some(inside) if is_named && inside.trim().is_empty() => Verdict::Gone,
            _ => Verdict::Kept,
        }
    });
    cut(text, body, &root, verdict)
}

fn cut(text: &str, body: &str, root: &Node, verdict: Verdict) -> Option<String> {
    let cuts = match verdict {
        Verdict::Kept => return None,
        // There is a settings file, if one that says nothing.
        Verdict::Gone => {
            let inside = root.span.start + 1..root.span.end - 1;
            [inside].into()
        }
        Verdict::Cut(ranges) => ranges,
    };
    let mut res = text[..text.len() - body.len()].to_owned();
    let mut at = 0;
    for cut in cuts {
        res.push_str(body.get(at..cut.start)?);
        at = cut.end;
    }
    res.push_str(body.get(at..)?);
    Some(res)
}

/// A matcher without hooks matches for nobody.
fn group(node: &Node, is_ours: &dyn Fn(&Value) -> bool) -> Verdict {
    let hook = |it: &Node| match serde_json::from_str(it.raw.get()) {
        Ok(hook) if is_ours(&hook) => Verdict::Gone,
        _ => Verdict::Kept,
    };
    let mut is_gone = false;
    let verdict = node.among("hooks", |it| {
        let verdict = it.each(hook);
        is_gone |= matches!(verdict, Verdict::Gone);
        verdict
    });
    if is_gone { Verdict::Gone } else { verdict }
}

/// What becomes of a piece of the text.
#[derive(Debug)]
enum Verdict {
    Kept,
    /// These ranges of it go, in their order.
    Cut(Vec<Range<usize>>),
    Gone,
}

/// A value and where it stands.
struct Node<'a> {
    raw: &'a RawValue,
    span: Range<usize>,
    body: &'a str,
}

/// A member of a table or an element of a list, its key included.
struct Part<'a> {
    key: Option<String>,
    start: usize,
    value: Node<'a>,
}

impl<'a> Node<'a> {
    /// Where a piece that was parsed out of `body` stands in it.
    fn of(raw: &'a RawValue, body: &'a str) -> Option<Self> {
        let start = raw.get().as_ptr().addr().checked_sub(body.as_ptr().addr())?;
        Some(Self { raw, span: start..start + raw.get().len(), body })
    }

    /// The parts of a table or a list; none of anything else.
    fn parts(&self) -> Vec<Part<'a>> {
        let Ok(Parts(parts)) = serde_json::from_str(self.raw.get()) else { return Vec::new() };
        let mut end = self.span.start + 1;
        let mut res = Vec::new();
        for (key, raw) in parts {
            let Some(value) = Node::of(raw, self.body) else { return Vec::new() };
            // Between two parts there are a comma and white space.
            let gap = self.body.get(end..value.span.end).unwrap_or_default();
            let skipped = gap.find(|c: char| c != ',' && !c.is_ascii_whitespace()).unwrap_or(0);
            let start = end + skipped;
            end = value.span.end;
            res.push(Part { key, start, value });
        }
        res
    }

    /// A table, the members of one name judged.
    fn among(&self, name: &str, mut judge: impl FnMut(&Node) -> Verdict) -> Verdict {
        self.judged(|part| match &part.key {
            Some(key) if key == name => judge(&part.value),
            _ => Verdict::Kept,
        })
    }

    /// A list or a table, each part judged.
    fn each(&self, mut judge: impl FnMut(&Node) -> Verdict) -> Verdict {
        self.judged(|part| judge(&part.value))
    }

    fn judged(&self, mut judge: impl FnMut(&Part) -> Verdict) -> Verdict {
        let mut cuts: Vec<Range<usize>> = Vec::new();
        // The end of the part before that stays; while there is none, the
        // start of what goes.
        let (mut kept, mut leading) = (None, None);
        for part in self.parts() {
            let verdict = judge(&part);
            if matches!(verdict, Verdict::Gone) {
                match kept {
                    // The comma before it goes with it.
                    Some(end) => cuts.push(end..part.value.span.end),
                    None => leading = leading.or(Some(part.start)),
                }
                if let Some(end) = &mut kept {
                    *end = part.value.span.end;
                }
                continue;
            }
            if let Some(start) = leading.take() {
                cuts.push(start..part.start);
            }
            kept = Some(part.value.span.end);
            if let Verdict::Cut(inner) = verdict {
                cuts.extend(inner);
            }
        }
        match leading {
            Some(_) => Verdict::Gone,
            None if cuts.is_empty() => Verdict::Kept,
            None => Verdict::Cut(cuts),
        }
    }
}

/// What a table or a list consists of, in its order and with what is there
/// twice.
struct Parts<'a>(Vec<(Option<String>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Parts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;

        impl<'de> Visitor<'de> for Reader {
            type Value = Parts<'de>;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a table or a list")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut parts = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    parts.push((Some(key), map.next_value()?));
                }
                Ok(Parts(parts))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut parts = Vec::new();
                while let Some(raw) = list.next_element()? {
                    parts.push((None, raw));
                }
                Ok(Parts(parts))
            }
        }

        deserializer.deserialize_any(Reader)
    }
}

#[cfg(test)]
mod tests;
