use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::hooks::Hook;

fn plugin() -> Plugin<'static> {
    Plugin { binary: Path::new("/opt/roz bin/roz"), strict: false }
}

fn hooks() -> Value {
    let text = FILES.iter().find(|(name, _)| *name == HOOKS).map(|(_, text)| *text);
    serde_json::from_str(text.unwrap()).unwrap()
}

/// Compares the file with the events that the binary knows, both ways.
#[test]
fn the_client_is_told_of_every_event_that_we_know_and_of_no_other() {
    let hooks = hooks();
    let mut events = hooks["hooks"].as_object().unwrap().clone();
    assert_eq!(hooks.as_object().unwrap().len(), 1, "other clients refuse other keys");
    for hook in Hook::ALL {
        let group = events.remove(hook.name()).unwrap_or_else(|| panic!("{hook:?} is missing"));
        let matcher = match hook {
            Hook::PreToolUse | Hook::PostToolUse | Hook::PostToolUseFailure => Some("*"),
            Hook::SubagentStart | Hook::SubagentStop => Some("^roz:roz$"),
            Hook::SessionStart
            | Hook::UserPrompt
            | Hook::Stop
            | Hook::TaskCompleted
            | Hook::SessionEnd => None,
        };
        let timeout = if hook == Hook::SessionEnd { 1 } else { 10 };
        let command = serde_json::json!({
            "type": "command", "command": "roz", "args": ["hook", hook.word()], "timeout": timeout,
        });
        let mut expected = serde_json::json!({ "hooks": [command] });
        if let Some(matcher) = matcher {
            expected["matcher"] = matcher.into();
        }
        assert_eq!(group, serde_json::json!([expected]), "{hook:?}");
    }
    assert!(events.is_empty(), "{events:?}");
}

#[test]
fn the_plugin_has_the_binarys_version() {
    let manifest: Value = serde_json::from_str(FILES[0].1).unwrap();
    assert_eq!(manifest["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(manifest["name"], "roz");
    let marketplace: Value = serde_json::from_str(FILES[1].1).unwrap();
    assert_eq!(marketplace["name"], MARKETPLACE);
}

/// Walks the folder: a skill that the plugin does not carry is one that nobody
/// has.
#[test]
fn the_plugin_carries_every_skill_by_the_name_of_its_folder() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("skills");
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let path = format!("skills/{name}/SKILL.md");
        let carried = FILES.iter().find(|(text, _)| *text == path);
        let (_, text) = carried.unwrap_or_else(|| panic!("{path} is not carried"));
        assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")), "{path}");
        names.push(name);
    }
    let carried = FILES.iter().filter(|(text, _)| text.starts_with("skills/")).count();
    assert_eq!(carried, names.len(), "{names:?}");
}

#[test]
fn what_is_written_is_read_back_and_names_the_binary_everywhere() {
    let dir = tempfile::tempdir().unwrap();
    assert!(plugin().write(dir.path()).unwrap());
    assert!(!plugin().write(dir.path()).unwrap());
    let found = read(dir.path()).unwrap();
    assert_eq!(found.program.as_deref(), Some(plugin().binary));
    assert!(!found.strict);
}

#[test]
fn strictness_is_for_the_tool_call_alone() {
    let text = Plugin { strict: true, ..plugin() }.files().unwrap();
    let text = &text.iter().find(|(name, _)| *name == HOOKS).unwrap().1;
    let hooks: Value = serde_json::from_str(text).unwrap();
    assert_eq!(hooks["hooks"]["PreToolUse"][0]["hooks"][0]["onFailure"], "block");
    assert_eq!(text.matches("onFailure").count(), 1);
}

#[test]
fn removing_leaves_what_others_put_there() {
    let dir = tempfile::tempdir().unwrap();
    let place = Place::new(Some(&dir.path().join("a/b"))).unwrap();
    assert!(!place.remove().unwrap());
    place.write(&plugin()).unwrap();
    place.write(&plugin()).unwrap();
    assert!(place.remove().unwrap());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "the folders that it made went too");

    place.write(&plugin()).unwrap();
    let theirs = place.folder().join("agents/mine.md");
    fs::write(&theirs, "mine").unwrap();
    assert!(place.remove().unwrap());
    assert!(theirs.exists());
}

#[test]
fn a_missing_or_broken_folder_is_said_to_be_so() {
    let dir = tempfile::tempdir().unwrap();
    assert!(read(dir.path()).unwrap_err().contains("cannot be read"));
    plugin().write(dir.path()).unwrap();
    fs::write(dir.path().join(HOOKS), "{").unwrap();
    assert!(read(dir.path()).unwrap_err().contains("hooks.json"));
}

#[test]
fn a_build_folder_is_known_by_its_names() {
    for path in [
        "/p/target/debug/roz",
        "/p/target/x86_64-unknown-linux-musl/release/roz",
        "/home/u/target/p/x/target/release/roz",
    ] {
        assert!(is_in_build_folder(Path::new(path)), "{path}");
    }
    for path in ["/home/u/.local/bin/roz", "/srv/target/bin/roz", "/opt/release/roz"] {
        assert!(!is_in_build_folder(Path::new(path)), "{path}");
    }
}

/// Settings as somebody wrote them, and the same with hooks of ours in them:
/// whatever they say, in whatever layout.
fn written() -> impl Strategy<Value = (String, String)> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-1000..1000i32).prop_map(Value::from),
        (-9.0..9.0f64).prop_map(Value::from),
        "\\PC{0,6}".prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 12, 4, |inner| {
        let key = prop_oneof!["\\PC{0,4}", Just("hooks".to_owned()), Just("command".to_owned())];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..4)
                .prop_map(|items| Value::Object(items.into_iter().collect())),
        ]
    });
    let members = prop::collection::vec(("\\PC{0,5}", value), 0..5);
    let tables = prop::sample::subsequence(
        vec![
            ("enabledPlugins", json!({ "x@y": true })),
            ("extraKnownMarketplaces", json!({})),
            ("hooks", json!({ "Stop": [{ "hooks": [{ "command": "mine" }] }], "X": 1 })),
        ],
        0..=3,
    );
    let spaces = prop::collection::vec(prop::sample::select(&["", " ", "\n", "\r\n\t"][..]), 1..9);
    (members, tables, spaces, any::<bool>(), 0..3usize).prop_map(
        |(members, tables, spaces, has_mark, at)| {
            let mut members: Vec<(String, Value)> = members;
            members.extend(tables.into_iter().map(|(name, value)| (name.to_owned(), value)));
            let mark = if has_mark { "\u{feff}" } else { "" };
            let text = |with_ours: bool| {
                let mut spaces = spaces.iter().cycle().copied();
                let mut text = format!("{mark}{}", spaces.next().unwrap_or_default());
                let members = members.iter().map(|(key, value)| {
                    let is_hooks = with_ours && key == "hooks";
                    (key.as_str(), if is_hooks { hooked(value, at) } else { value.clone() })
                });
                lay_out(members, &mut text, &mut spaces);
                text + spaces.next().unwrap_or_default()
            };
            (text(false), text(true))
        },
    )
}

/// With hooks of ours among the others.
fn hooked(hooks: &Value, at: usize) -> Value {
    let mut hooks = hooks.clone();
    let ours = json!({ "type": "command", "command": "/x/roz", "args": ["hook", "stop"] });
    if let Some(group) = hooks["Stop"][0]["hooks"].as_array_mut() {
        for _ in 0..=at {
            group.insert(at.min(group.len()), ours.clone());
        }
    }
    hooks["PreToolUse"] = json!([{ "matcher": "*", "hooks": [ours] }]);
    hooks
}

fn lay_out<'a>(
    members: impl Iterator<Item = (&'a str, Value)>,
    text: &mut String,
    spaces: &mut impl Iterator<Item = &'static str>,
) {
    text.push('{');
    let mut comma = "";
    for (key, value) in members {
        let key = Value::from(key);
        let [a, b, c, d] = [(); 4].map(|()| spaces.next().unwrap_or_default());
        text.extend([comma, a, &key.to_string(), b, ":", c, &value.to_string(), d]);
        comma = ",";
    }
    text.push('}');
}

/// As the client changes a file of its own.
fn clients_change(path: &Path, change: impl Fn(&mut serde_json::Map<String, Value>)) {
    let text = fs::read_to_string(path).unwrap();
    let mut table = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap();
    change(&mut table);
    fs::write(path, format!("{:#}\n", Value::Object(table))).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn settings_come_back_to_the_byte((mine, with_ours) in written()) {
        let dir = tempfile::tempdir().unwrap();
        let place = Place::new(Some(dir.path())).unwrap();
        let path = dir.path().join("settings.json");
        for (before, after) in [(&mine, &mine), (&with_ours, &mine)] {
            fs::write(&path, before).unwrap();
            place.remember(std::slice::from_ref(&path), &[]).unwrap();
            clients_change(&path, |fields| {
                fields.entry("enabledPlugins").or_insert(json!({}))[ID] = true.into();
                fields.entry("extraKnownMarketplaces").or_insert(json!({}))[MARKETPLACE] = json!({});
            });
            let (all, _) = read_settings::read(Some(dir.path()), Path::new("/nonexistent"));
            place.prune(&all[0]).unwrap();
            place.remember_what_was_made().unwrap();
            place.remember(std::slice::from_ref(&path), &[]).unwrap();
            clients_change(&path, |fields| {
                fields["enabledPlugins"].as_object_mut().unwrap().remove(ID);
                fields["extraKnownMarketplaces"].as_object_mut().unwrap().remove(MARKETPLACE);
            });
            place.remember_what_was_made().unwrap();
            place.put_back().unwrap();
            let found = fs::read_to_string(&path).unwrap();
            if before == after {
                prop_assert_eq!(&found, after);
            }
            // The white space around what went may differ; nothing else does.
            let value = |text: &str| -> Value {
                serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap()
            };
            prop_assert_eq!(value(&found), value(after));
        }
    }
}
