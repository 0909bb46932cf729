use serde_json::json;

use super::{
    protected_paths::{Position, fits, is_same_place, position},
    settings::{Content, after, stays},
    *,
};
use crate::shell::{HOLE, How};

fn text(text: &str) -> Content {
    Content::Text(text.into())
}

#[test]
fn names_and_words_are_such_that_an_agent_can_act_on_them() {
    let mut names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
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
    let first_ask = RULES.iter().position(|rule| rule.answer == Answer::Ask).unwrap();
    assert!(RULES[first_ask..].iter().all(|rule| rule.answer == Answer::Ask), "denials come first");
}

#[test]
fn the_line_for_programs_is_json_whatever_the_subject() {
    let objection =
        Objection { rule: &RULES[0], subject: format!("a \"b\"\n{HOLE}\\"), tool: "Bash".into() };
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
        ("/h/.roz", "/h/.roz", Position::Inside),
        ("/h/.roz/x/y", "/h/.roz", Position::Inside),
        ("/h", "/h/.roz", Position::Above),
        ("/", "/h/.roz", Position::Above),
        ("/h/.rozzz", "/h/.roz", Position::Apart),
        ("/h/x/.roz", "/h/.roz", Position::Apart),
        ("/h/.r*/x", "/h/.roz", Position::Inside),
        ("/h/.[r]oz", "/h/.roz", Position::Inside),
        // A pattern does not find what is hidden.
        ("/h/*", "/h/.roz", Position::Apart),
        ("/h/*", "/h/bin/roz", Position::Above),
        ("/h/x", "", Position::Apart),
    ] {
        assert_eq!(position(path, place), lie, "{path} to {place}");
    }
    assert!(is_same_place("/h/x/", "/h/x") && !is_same_place("/h/x/y", "/h/x"));
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
    let edit = |input: serde_json::Value| crate::clients::testing::call("Edit", input, "{}", None);
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

// Accesses.

fn accessed(tool: &str, input: serde_json::Value) -> Vec<Access> {
    let mut call = crate::clients::testing::call(tool, input, "{}", None);
    call.read(&crate::shell::Options::default());
    accesses::accesses(&call)
}

fn of_line(line: &str) -> Vec<Access> {
    accessed("Bash", json!({ "command": line }))
}

#[test]
fn an_ordinary_command_writes_nothing() {
    for line in ["ls -la", "cargo test --lib", "git status", "cat src/main.rs 2>/dev/null"] {
        assert_eq!(of_line(line), [], "{line}");
    }
}

#[test]
fn what_is_moved_to_a_folder_takes_nothing_away_from_it() {
    let takes = |line: &str, path: &str| {
        of_line(line)
            .iter()
            .any(|access| access.takes_away && access.path.trim_end_matches('/') == path)
    };
    for (line, path) in [
        ("mv a ~", "~"),
        ("mv a ~/", "~"),
        ("mv -t ~ a b", "~"),
        ("cd src && mv a ..", "src/.."),
        ("mv a ..", ".."),
        ("find ~ -name x -delete", "~"),
        ("chmod 755 ~", "~"),
        ("cp -r a ~", "~"),
    ] {
        assert!(!takes(line, path), "{line}: {:?}", of_line(line));
    }
    for (line, path) in
        [("mv ~ x", "~"), ("rm -r ~", "~"), ("chmod -R 0 ~", "~"), ("mv a ~; mv ~ b", "~")]
    {
        assert!(takes(line, path), "{line}: {:?}", of_line(line));
    }
}

#[test]
fn a_file_that_is_copied_keeps_its_name() {
    let writes = |line: &str, path: &str| of_line(line).iter().any(|access| access.path == path);
    assert!(writes("cp x/settings.json .claude/", ".claude/settings.json"));
    assert!(writes("install -m755 target/roz ~/bin", "~/bin/roz"));
    assert!(!writes("cp x/notes.json .claude/", ".claude/settings.json"));
}

#[test]
fn tools_of_others_are_judged_by_their_names() {
    for (name, reads) in [
        ("mcp__fs__read_file", true),
        ("mcp__fs__getFileInfo", true),
        ("mcp__fs__list-directory", true),
        ("mcp__fs__read_and_replace", false),
        ("mcp__fs__write_file", false),
        ("mcp__fs__moveFile", false),
        ("mcp__fs__frobnicate", false),
    ] {
        let call = crate::clients::testing::call(name, json!({}), "{}", None);
        assert_eq!(accesses::act_of_tool(&call) == Act::Read, reads, "{name}");
    }
}

// What is near.

fn places() -> Places {
    let one = |path: &str| vec![path.to_owned()];
    Places {
        home: one("/h/.roz"),
        config_dirs: one("/h/.claude"),
        plugin: one("/usr/share/own"),
        binary: one("/opt/x/tool"),
        notes: one("/h/.claude/projects/p/s/subagents"),
        temporary: one("/tmp"),
        projects: one("/h/p"),
        ..Places::default()
    }
}

#[test]
fn what_is_protected_is_near_and_so_is_what_holds_it() {
    for path in [
        "/h",
        "/h/.roz/sessions/x",
        "/opt/x",
        "/usr/bin/roz",
        "/h/.claude/projects/p/s",
        "/a/.cl*/settings.json",
        "/a/.claude/settings.json",
        "/a/.orchestration",
        "/etc/claude-code/managed.json",
    ] {
        assert!(places().is_near(path), "{path}");
    }
    for path in ["/h/x", "/h/p/src/a.rs", "/opt/x/tools", "/tmp/log", "/a/settings.json"] {
        assert!(!places().is_near(path), "{path}");
    }
}

/// Of thousands of paths in a line nearly all are not near, and no rule sees them.
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
        "roz.md",
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
        "subagents",
        "*",
        ".cl*",
    ];
    let id = crate::core::session_id::SessionId::try_from("s1".to_owned()).unwrap();
    let session = Session::new(id.clone(), chrono::DateTime::UNIX_EPOCH);
    // What makes a rule that looks at the words of a call, too, as strict as it gets.
    let call = crate::clients::testing::call("Bash", json!({}), "roz:roz", None);
    let places = Places { path: vec!["/usr/bin".into()], ..places() };
    let mut far = 0;
    let mut check = |path: String| {
        if places.is_near(&path) {
            return;
        }
        far += 1;
        for how in [How::Write, How::Remove, How::Move, How::Link] {
            let access = Access { path: path.clone(), act: Act::Write(how), takes_away: true };
            let accessed =
                Accessed { access, at: vec![path.clone()], before: TextBefore::NotAsked };
            assert!(!wants_text(&accessed, &places), "{path}");
            let facts = ProtectFacts { places: places.clone(), accessed: vec![accessed] };
            let (session, session_id, call, facts) = (&session, &id, &call, &facts);
            let cx = Context { session, session_id, agent: None, call, facts };
            let objects = RULES.iter().find(|rule| (rule.objects)(cx).is_some());
            assert!(objects.is_none(), "{how:?} {path}: {objects:?}");
        }
    };
    for a in PARTS {
        for b in PARTS {
            check(format!("/{a}/{b}"));
            for c in PARTS {
                check(format!("/{a}/{b}/{c}"));
            }
        }
    }
    assert!(far > 1000, "most are far: {far}");
}

#[test]
fn what_nobody_reads_is_nobodys() {
    let places = places();
    for path in [
        "/h/p/tests/.claude/settings.json",
        "/tmp/x/.claude/settings.json",
        "/tmp/x/y/.claude/settings.local.json",
    ] {
        assert!(!places.is_settings(path), "{path}");
    }
    for path in [
        "/h/p/.claude/settings.json",
        "/h/.claude/settings.json",
        "/h/other/.claude/settings.json",
        "/h/p/.claude/worktrees/x/.claude/settings.json",
        "/tmp/.claude/settings.json",
        "/h/p*/.claude/settings.json",
        "/etc/claude-code/managed-settings.json",
    ] {
        assert!(places.is_settings(path), "{path}");
    }
}
