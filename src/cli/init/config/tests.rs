use super::*;

const NOTHING: Wants = Wants { review: false, reflection: false, intent: false };

/// The text with the settings that are commented out uncommented.
fn uncommented(text: &str) -> String {
    let is_key = |item: &str| item.split_once(" = ").is_some_and(|(key, _)| !key.contains(' '));
    let line = |item: &str| match item.strip_prefix("# ") {
        Some(rest) if is_key(rest) => format!("{rest}\n"),
        _ => format!("{item}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn what_stands_in_comments_are_the_defaults_and_can_be_read() {
    let text = uncommented(&text(NOTHING, &Found::default()));
    let document: toml::Table = text.parse().unwrap();
    let document = toml::Value::Table(document);
    let mut defaults = serde_json::to_value(Policy::default()).unwrap();
    for key in keys::KEYS {
        let found = key.path.split('.').try_fold(&document, |at, name| at.get(name));
        let is_row = matches!(key.kind, keys::Kind::Rows(_));
        let is_shown = !matches!(key.project, May::Nothing) && !is_row;
        assert_eq!(found.is_some(), is_shown, "{}", key.path);
        let default = keys::slot(&mut defaults, key.path).clone();
        let Some(found) = found.filter(|_| !default.is_null()) else { continue };
        assert_eq!(serde_json::to_value(found).unwrap(), default, "{}", key.path);
    }
}

#[test]
fn what_is_chosen_is_said_and_nothing_else() {
    let gated = ["a", "b", "c"].map(str::to_owned).to_vec();
    let found = Found { gated, ..Found::default() };
    let wants = Wants { review: true, reflection: true, ..NOTHING };
    let said: toml::Table = text(wants, &found).parse().unwrap();
    assert_eq!(said["reflection"]["enabled"].as_bool(), Some(true));
    let tools = said["review"]["gates"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 3, "{tools:?}");
    let values = said.values().filter_map(toml::Value::as_table);
    let keys: Vec<&String> = values.flat_map(toml::Table::keys).collect();
    assert_eq!(
        keys.iter()
            .filter(|key| !["gates", "auto_skip", "write_gate", "mcp"].contains(&key.as_str()))
            .count(),
        1
    );
}
