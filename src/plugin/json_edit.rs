//! Small edits of JSON files of a client or a project that keep every other byte: order, layout,
//! line ends, a byte order mark.

use jsonc_parser::{
    ParseOptions,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
};
use serde_json::{Map, Value};

use crate::core::jsonc;

pub struct Document {
    has_mark: bool,
    root: CstRootNode,
    object: CstObject,
}

impl Document {
    /// None if the text is anything else, or has comments. An empty text is an empty object.
    pub fn parse(text: &str) -> Option<Self> {
        let body = text.trim_start_matches('\u{feff}');
        // It also limits the depth.
        let is_empty = body.trim().is_empty();
        if !is_empty && serde_json::from_str::<Map<String, Value>>(body).is_err() {
            return None;
        }
        Self::parse_with_comments(text).ok()
    }

    /// The same, of a text that may have comments; else why it is none, with the line.
    pub fn parse_with_comments(text: &str) -> Result<Self, String> {
        const OPTIONS: ParseOptions = ParseOptions {
            allow_comments: true,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let body = text.trim_start_matches('\u{feff}');
        let has_mark = body.len() < text.len();
        let body = if body.trim().is_empty() { "{}\n" } else { body };
        let root = jsonc::parse(body, &OPTIONS)?;
        let object = root.object_value().ok_or("it is not a JSON object")?;
        Ok(Self { has_mark, root, object })
    }

    pub fn value(&self) -> Value {
        self.root.to_serde_value().unwrap_or_default()
    }

    pub fn text(&self) -> String {
        format!("{}{}", if self.has_mark { "\u{feff}" } else { "" }, self.root)
    }

    /// Adds a member to the table at `path`, which is created where it is missing. False if
    /// something else than a table is in the way, or the member exists.
    pub fn add_member(&self, path: &[&str], name: &str, value: &Value) -> bool {
        let Some(table) = self.table(path) else { return false };
        let is_new = table.get(name).is_none();
        if is_new {
            table.append(name, input(value));
        }
        is_new
    }

    /// Adds elements at the end of the list `name` of the table at `path`. False if something else
    /// than a list is there.
    pub fn add_elements(&self, path: &[&str], name: &str, values: &[Value]) -> bool {
        let list = self.table(path).and_then(|table| table.array_value_or_create(name));
        let Some(list) = list else { return false };
        for value in values {
            list.append(input(value));
        }
        true
    }

    fn table(&self, path: &[&str]) -> Option<CstObject> {
        path.iter().try_fold(self.object.clone(), |table, name| table.object_value_or_create(name))
    }

    /// Removes the members of these tables that are `ours`, by their name and their value. A table
    /// with no other members goes too. True if there were any.
    pub fn remove_members(&self, tables: &[&str], ours: impl Fn(&str, &Value) -> bool) -> bool {
        let mut any = false;
        for name in tables {
            let Some(table) = self.object.object_value(name) else { continue };
            if remove_members(&table, &ours) {
                any = true;
                self.remove_if_empty(&[name]);
            }
        }
        any
    }

    pub fn remove_own_members(&self, ours: impl Fn(&str, &Value) -> bool) -> bool {
        remove_members(&self.object, &ours)
    }

    /// Removes the elements of the list `name` of `table` that are `ours`, and the list if nothing
    /// else is in it. True if there were any.
    pub fn remove_elements(&self, table: &str, name: &str, ours: impl Fn(&Value) -> bool) -> bool {
        let member = self.object.object_value(table).and_then(|table| table.get(name));
        let list = member.as_ref().and_then(CstObjectProp::array_value);
        let Some((member, list)) = member.zip(list) else { return false };
        let any = remove_from(&list, &ours);
        if any && list.elements().is_empty() {
            member.remove();
        }
        any
    }

    /// Removes those of the tables that are empty.
    pub fn remove_if_empty(&self, tables: &[&str]) {
        for name in tables {
            let Some(member) = self.object.get(name) else { continue };
            if member.object_value().is_some_and(|table| table.properties().is_empty()) {
                member.remove();
            }
        }
    }

    /// Removes the hooks that are `ours`, and a group, an event and `hooks` itself where nothing
    /// else is left in it. True if there were any.
    pub fn remove_hooks(&self, ours: impl Fn(&Value) -> bool) -> bool {
        let Some(hooks) = self.object.object_value("hooks") else { return false };
        let mut any = false;
        for event in hooks.properties() {
            let Some(groups) = event.array_value() else { continue };
            let mut any_of_event = false;
            for group in groups.elements() {
                let list = group.as_object().and_then(|group| group.array_value("hooks"));
                let Some(list) = list else { continue };
                let any_of_group = remove_from(&list, &ours);
                any_of_event |= any_of_group;
                if any_of_group && list.elements().is_empty() {
                    group.remove();
                }
            }
            if any_of_event && groups.elements().is_empty() {
                event.remove();
            }
            any |= any_of_event;
        }
        if any {
            self.remove_if_empty(&["hooks"]);
        }
        any
    }
}

/// Removes the elements that are `ours`. True if there were any.
fn remove_from(list: &CstArray, ours: &impl Fn(&Value) -> bool) -> bool {
    let is_ours = |item: &CstNode| item.to_serde_value().is_some_and(|value| ours(&value));
    let mine: Vec<CstNode> = list.elements().into_iter().filter(is_ours).collect();
    let any = !mine.is_empty();
    mine.into_iter().for_each(CstNode::remove);
    any
}

fn remove_members(table: &CstObject, ours: impl Fn(&str, &Value) -> bool) -> bool {
    let is_ours = |member: &CstObjectProp| {
        let value = member.to_serde_value().unwrap_or_default();
        member.decoded_name().is_some_and(|name| ours(&name, &value))
    };
    let mine: Vec<_> = table.properties().into_iter().filter(is_ours).collect();
    let any = !mine.is_empty();
    mine.into_iter().for_each(CstObjectProp::remove);
    any
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(bool) => CstInputValue::Bool(*bool),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(string) => CstInputValue::String(string.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(members) => CstInputValue::Object(
            members.iter().map(|(name, value)| (name.clone(), input(value))).collect(),
        ),
    }
}

#[cfg(test)]
mod tests;
