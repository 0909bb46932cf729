use serde_json::json;

use super::{
    place::{Lies, fits, lies, same_place},
    settings::{Content, after, stays},
    *,
};
use crate::{
    core::{
        event::ToolCall,
        session::{Session, SessionId},
    },
    shell::HOLE,
};

fn text(text: &str) -> Content {
    Content::Text(text.into())
}

#[test]
fn names_and_words_are_such_that_an_agent_can_act_on_them() {
    let mut names: Vec<&str> = RULES.iter().map(|it| it.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len(), "a name stands for one rule");
    for rule in RULES {
        assert!(rule.instead.ends_with('.') && rule.instead.len() < 600, "{rule:?}");
        assert!(!rule.what.ends_with('.'), "{rule:?}: the docs make a sentence of it");
        if rule.answer == Answer::Ask {
            assert!(rule.instead.contains("at a terminal"), "{rule:?}: who grants it, and where");
        }
    }
    let first_ask = RULES.iter().position(|it| it.answer == Answer::Ask).unwrap();
    assert!(RULES[first_ask..].iter().all(|it| it.answer == Answer::Ask), "denials come first");
}

#[test]
fn the_line_for_programs_is_json_whatever_the_subject() {
    let objection = Objection {
        rule: &RULES[0],
        subject: format!("a \"b\"\n{HOLE}\\"),
        tool: "Bash".into(),
        is_found: false,
    };
    let line = objection.json();
    let value: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(value["code"], "PROTECTED_COMMAND");
    assert_eq!(value["rule"], RULES[0].name);
    assert!(!line.contains(HOLE) && !line.contains('\n'), "{line}");
}

// Places.

#[test]
fn a_path_lies_inside_above_or_apart() {
    for (path, place, lie) in [
        ("/h/.roz", "/h/.roz", Lies::Inside),
        ("/h/.roz/x/y", "/h/.roz", Lies::Inside),
        ("/h", "/h/.roz", Lies::Above),
        ("/", "/h/.roz", Lies::Above),
        ("/h/.rozzz", "/h/.roz", Lies::Apart),
        ("/h/x/.roz", "/h/.roz", Lies::Apart),
        ("/h/.r*/x", "/h/.roz", Lies::Inside),
        ("/h/.[r]oz", "/h/.roz", Lies::Inside),
        // A pattern does not find what is hidden.
        ("/h/*", "/h/.roz", Lies::Apart),
        ("/h/*", "/h/bin/roz", Lies::Above),
        ("/h/x", "", Lies::Apart),
    ] {
        assert_eq!(lies(path, place), lie, "{path} to {place}");
    }
    assert!(same_place("/h/x/", "/h/x") && !same_place("/h/x/y", "/h/x"));
}

#[test]
fn a_hole_may_be_part_of_a_name_and_not_any_name() {
    assert!(fits(&format!("s{HOLE}.json"), "s1.json"));
    assert!(fits("s**.json", "s1.json") && fits(&format!("s{HOLE}*.json"), "s1.json"));
    assert!(!fits(&HOLE.to_string(), ".roz"));
    assert!(!fits(&format!("{HOLE}.toml"), ".roz"));
    let before_dot = format!("{HOLE}.roz");
    assert!(fits(&before_dot, ".roz"), "what is empty shows the dot");
    assert!(!fits(&"a".repeat(5000), ".roz") && fits(&"*a".repeat(5000), "a.roz"));
}

// Settings.

#[test]
fn what_is_protected_in_the_settings_has_to_stay() {
    let before = text(r#"{"hooks": {"Stop": []}, "env": {"A": "1", "PATH": "/x"}, "model": "x"}"#);
    for (now, kept) in [
        (r#"{"hooks": {"Stop": []}, "env": {"PATH": "/x"}}"#, true),
        (r#"{"hooks":{"Stop":[]},"env":{"A":"2","B":"3","PATH":"/x"},"permissions":{}}"#, true),
        (r#"{"hooks": {"Stop": []}, "env": {"A": "1"}}"#, false),
        (r#"{"hooks": {"Stop": [1]}, "env": {"PATH": "/x"}}"#, false),
        (r#"{"hooks": {"Stop": []}, "env": {"PATH": "/x", "ROZ_HOME": "/y"}}"#, false),
        (
            r#"{"hooks": {"Stop": []}, "env": {"PATH": "/x"}, "hooks": {}, "disableAllHooks": true}"#,
            false,
        ),
        (r#"{"hooks": {"Stop": []}, "env": "PATH"}"#, false),
        ("{", false),
        ("", false),
        ("[]", false),
    ] {
        assert_eq!(stays(&before, &text(now)), kept, "{now}");
    }
    assert!(!stays(&before, &Content::Absent) && !stays(&before, &Content::Unknown));
    assert!(!stays(&Content::Unknown, &Content::Unknown));
    assert!(!stays(&Content::Unknown, &text("{}")), "what it was is not known");
    assert!(stays(&Content::Absent, &text("{\"model\": \"x\"}")));
    assert!(stays(&text("{\"model\": \"x\"}"), &Content::Absent));
    assert!(!stays(&text("{ no json"), &text("{}")), "the client may be more lenient than we are");
}

#[test]
fn an_edit_makes_what_the_client_would_make_of_it() {
    let edit = |input: serde_json::Value| ToolCall::new("Edit", input, "{}", None);
    let make = |before: &str, old: &str, new: &str, all: bool| {
        let input = json!({ "old_string": old, "new_string": new, "replace_all": all });
        after(&edit(input), &text(before))
    };
    assert_eq!(make("a b a", "b", "c", false), text("a c a"));
    assert_eq!(make("a b a", "a", "c", true), text("c b c"));
    assert_eq!(make("a b a", "a", "c", false), Content::Unknown, "the client refuses");
    assert_eq!(make("a b a", "x", "c", false), Content::Unknown);
    assert_eq!(make("a", "", "c", false), Content::Unknown);
    assert_eq!(make("", "", "c", false), text("c"));
    let input = json!({ "old_string": "", "new_string": "c" });
    assert_eq!(after(&edit(input.clone()), &Content::Absent), text("c"));
    assert_eq!(after(&edit(input), &Content::Unknown), Content::Unknown);
}

// Touches.

fn touched(tool: &str, input: serde_json::Value) -> Vec<(String, Act)> {
    let mut call = ToolCall::new(tool, input, "{}", None);
    call.read(&[], &crate::shell::Options::default());
    touches(&call, false).into_iter().map(|it| (it.path, it.act)).collect()
}

#[test]
fn an_ordinary_command_touches_nothing() {
    for command in ["ls -la", "cargo test --lib", "git status", "cat src/main.rs", "grep -rn x src"]
    {
        assert_eq!(touched("Bash", json!({ "command": command })), [], "{command}");
    }
    assert_eq!(touched("Read", json!({ "file_path": "/h/.roz/config.toml" })), []);
}

#[test]
fn tools_of_others_are_judged_by_their_names() {
    for (tool, is_free) in [
        ("mcp__fs__read_file", true),
        ("mcp__fs__getFileInfo", true),
        ("mcp__fs__list-directory", true),
        ("mcp__fs__read_and_replace", false),
        ("mcp__fs__write_file", false),
        ("mcp__fs__moveFile", false),
        ("mcp__fs__frobnicate", false),
    ] {
        let found = touched(tool, json!({ "deep": [{ "p": "/h/.roz/config.toml" }] }));
        assert_eq!(found.is_empty(), is_free, "{tool}: {found:?}");
    }
    for (tool, input) in [
        ("mcp__tracker__create", json!({ "body": "see ~/.roz/config.toml and more" })),
        ("mcp__tracker__create", json!({ "title": "mend src/.claude/settings.json" })),
        ("TodoWrite", json!({ "todos": [{ "content": "src/.claude/settings.json" }] })),
        ("WebFetch", json!({ "url": "https://example.com/.claude/settings.json" })),
    ] {
        assert_eq!(touched(tool, input), [], "{tool}");
    }
    let path = json!({ "filePath": "/a b/.claude/settings.json" });
    assert_eq!(touched("NewEdit", path).len(), 1, "a tool of a newer client");
}

#[test]
fn padding_hides_nothing() {
    let files = |count: u32| -> String {
        (0..count).flat_map(|it| [" f".to_owned(), it.to_string()]).collect()
    };
    for count in [0, 500, 30_000] {
        let command = format!("touch{} ~/.roz/config.toml", files(count));
        let found = touched("Bash", json!({ "command": command }));
        assert!(found.iter().any(|(path, _)| path == "~/.roz/config.toml"), "{count}");
    }
}

// What is near.

fn guarded() -> Ground {
    let one = |it: &str| vec![it.to_owned()];
    Ground {
        home: one("/h/.roz"),
        config_dirs: one("/h/.claude"),
        plugin: one("/usr/share/own"),
        binary: one("/opt/x/tool"),
        path: one("/usr/bin"),
        notes: one("/h/.claude/projects/p/s/subagents"),
        temporary: Vec::new(),
        projects: one("/h/p"),
        touched: Vec::new(),
        is_in_part: false,
    }
}

/// Padding a line with paths costs little because most are told apart at once;
/// what is told apart so must be nobody's business, whatever is done to it.
#[test]
fn no_rule_is_about_what_is_not_near() {
    const PARTS: &[&str] = &[
        "h",
        "p",
        ".roz",
        ".grove",
        "roz",
        ".claude",
        "settings.json",
        "agents",
        "x.md",
        "subagents",
        "tasks",
        "r1.output",
        "agent-r1.jsonl",
        "usr",
        "bin",
        "share",
        "own",
        "opt",
        "x",
        "tool",
        "etc",
        "claude-code",
        "plugins",
        "config.toml",
        ".orchestration",
        ".bashrc",
        ".zprofile",
        ".envrc",
        "config.fish",
        "*",
        ".cl*",
    ];
    let acts = [
        Act::Read,
        Act::Search,
        Act::Names,
        Act::Unknown,
        Act::Write(crate::shell::How::Write),
        Act::Write(crate::shell::How::Remove),
        Act::Write(crate::shell::How::Link),
    ];
    let id = SessionId::try_from("s1".to_owned()).unwrap();
    let session = Session::new(id.clone(), chrono::DateTime::UNIX_EPOCH);
    let nearby = Nearby::of(&guarded());
    // What makes a rule that looks at the words of a call, too, as strict as it gets.
    let json = "roz:roz .roz .claude alias roz";
    let call = ToolCall::new("Bash", json!({}), json, None);
    let mut far = 0;
    let mut check = |folder: &str, name: &str| {
        if nearby.is_near(folder, name) {
            return;
        }
        far += 1;
        let path = format!("{}/{name}", folder.trim_end_matches('/'));
        for act in acts {
            let touch = Touch { path: path.clone(), act };
            let touched = Touched {
                touch,
                at: vec![path.clone()],
                before: Before::NotAsked,
                brought: None,
                copied_from: None,
            };
            let ground = Ground { touched: vec![touched], ..guarded() };
            assert!(!wants_text(&ground.touched[0], &ground), "{path}");
            let scene = Scene {
                session: &session,
                session_id: &id,
                agent: None,
                call: &call,
                ground: &ground,
            };
            let objects = RULES.iter().find(|it| (it.objects)(scene).is_some());
            assert!(objects.is_none(), "{act:?} {path}: {objects:?}");
        }
    };
    for a in PARTS {
        check("/", a);
        for b in PARTS {
            check(&format!("/{a}"), b);
            for c in PARTS {
                check(&format!("/{a}/{b}"), c);
            }
        }
    }
    assert!(far > 1000, "most are far: {far}");
}

#[test]
fn what_is_guarded_is_near_and_so_is_what_holds_it() {
    let nearby = Nearby::of(&guarded());
    for (folder, name) in [
        ("/", "h"),
        ("/h", ".roz"),
        ("/h/.roz", "sessions"),
        ("/h/.roz/a/b/c", "x"),
        ("/opt", "x"),
        ("/opt/x", "tool"),
        ("/usr", "bin"),
        ("/usr/bin", "ls"),
        ("/h/.claude/projects/p", "s"),
        ("/a", "*"),
        ("/a*", "b"),
        ("/a", ".."),
        ("relative", "x"),
        (&format!("/a{HOLE}"), "b"),
        ("/a/.claude", "settings.json"),
        ("/etc/claude-code", "managed.json"),
    ] {
        assert!(nearby.is_near(folder, name), "{folder} {name}");
    }
    for (folder, name) in [("/h", "x"), ("/h/p/src", "a.rs"), ("/opt/x", "tools"), ("/tmp", "log")]
    {
        assert!(!nearby.is_near(folder, name), "{folder} {name}");
    }
}
