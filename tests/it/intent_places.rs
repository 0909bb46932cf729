//! Which project judges a write, and where nobody does: nested repositories,
//! projects beside the session's, scratchpads and temporary folders.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use crate::{
    intent_gate::{SELECT, declared, json_of},
    support::{Reply, Roz},
};

const NESTED: &str = "\
active_intents:
  - id: INT-001
    status: TODO
    owned_scope: [\"lib/**\"]
  - id: INT-008
    status: TODO
    owned_scope: [\"**/*.md\"]
";

/// Puts a project with intents of its own at `root`.
fn nest(root: &Path, intents: &str) {
    fs::create_dir_all(root.join(".orchestration")).unwrap();
    fs::create_dir_all(root.join("lib")).unwrap();
    fs::write(root.join(".orchestration/active_intents.yaml"), intents).unwrap();
}

impl Roz {
    fn write_at(&self, path: &Path, more: &Value) -> Reply {
        let input = json!({ "file_path": path, "content": "x" });
        let mut call = self.call("Write", &input);
        call.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.hook("pre-tool-use", call)
    }

    #[track_caller]
    fn is_refused(&self, path: &Path, code: &str) -> String {
        let reason = self.write_at(path, &json!({})).denies();
        assert_eq!(json_of(&reason)["code"], code, "{}: {reason}", path.display());
        reason
    }
}

#[test]
fn a_nested_repository_is_no_way_out() {
    let roz = declared("");
    roz.prompt("hello").passes();
    fs::create_dir(roz.project().join("src/auth/sub")).unwrap();
    fs::create_dir(roz.project().join("sub")).unwrap();
    for folder in ["src/auth/sub", "sub"] {
        roz.git(&["init", "-q", folder]);
    }
    let sub = roz.project().join("sub");
    let at_sub = json!({ "cwd": sub });
    let reason = roz.write_at(&sub.join("a.rs"), &at_sub).denies();
    assert_eq!(json_of(&reason)["code"], "MISSING_INTENT", "{reason}");
    roz.selects("INT-001");
    let reason = roz.write_at(&sub.join("a.rs"), &at_sub).denies();
    assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION", "{reason}");
    let mut call = roz.call("Bash", &json!({ "command": "echo x > a.rs" }));
    call["cwd"] = sub.to_str().unwrap().into();
    assert_eq!(json_of(&roz.hook("pre-tool-use", call).denies())["code"], "SCOPE_VIOLATION");
    roz.write_at(&roz.project().join("src/auth/sub/a.rs"), &json!({})).passes();
}

#[test]
fn a_nested_sidecar_is_asked_as_well() {
    let roz = declared("");
    let sub = roz.project().join("src/auth/sub");
    nest(&sub, NESTED);
    roz.selects("INT-001");
    roz.write_at(&sub.join("lib/a.rs"), &json!({})).passes();
    let reason = roz.is_refused(&sub.join("a.rs"), "SCOPE_VIOLATION");
    assert_eq!(json_of(&reason)["owned_scope"], json!(["lib/**"]), "{reason}");
    // Its own words count, too.
    fs::write(sub.join(".orchestration/.intentignore"), "deny lib/frozen.rs\n").unwrap();
    roz.is_refused(&sub.join("lib/frozen.rs"), "PROTECTED_PATH");
    fs::write(sub.join(".orchestration/.intentignore"), "INT-001\n").unwrap();
    roz.is_refused(&sub.join("lib/a.rs"), "INTENT_NOT_ACTIVE");
    fs::remove_file(sub.join(".orchestration/.intentignore")).unwrap();
    fs::write(sub.join(".orchestration/active_intents.yaml"), "active_intents: [").unwrap();
    let reason = roz.is_refused(&sub.join("lib/a.rs"), "SIDECAR_INVALID");
    assert!(reason.contains("In `src/auth/sub`"), "{reason}");
    roz.writes("src/auth/a.rs").passes();
}

#[test]
fn an_intent_that_a_nested_project_does_not_declare_may_not_write_there() {
    let roz = declared("");
    let sub = roz.project().join("src/auth/sub");
    nest(&sub, "active_intents:\n  - id: SUB-1\n    owned_scope: [\"**\"]\n");
    roz.selects("INT-001");
    let reason = roz.is_refused(&sub.join("lib/a.rs"), "INTENT_NOT_ACTIVE");
    assert!(reason.contains("`src/auth/sub` declares its own work"), "{reason}");
    assert_eq!(json_of(&reason)["intent_id"], "INT-001");
}

#[test]
fn a_session_that_starts_above_or_beside_a_project_is_judged_by_it() {
    let roz = Roz::new();
    let inner = roz.project().join("inner");
    nest(&inner, NESTED);
    let link = roz.project().join("link");
    symlink(inner.join("lib"), &link).unwrap();
    roz.prompt("hello").passes();
    roz.writes("outer.rs").passes();
    roz.bash("rm -rf outer").passes();
    for path in [inner.join("lib/a.rs"), link.join("a.rs")] {
        let reason = roz.is_refused(&path, "MISSING_INTENT");
        assert!(reason.contains("INT-001, INT-008"), "{reason}");
    }
    assert_eq!(json_of(&roz.bash("echo x > inner/lib/a.rs").denies())["code"], "MISSING_INTENT");
    // It is told and selects in its current folder.
    let at = json!({ "source": "startup", "cwd": inner.join("lib"), "session_id": "s2" });
    let told = roz.hook("session-start", at);
    assert!(told.json.to_string().contains("- INT-008 (TODO)"), "{}", told.json);
    let mut call = roz.call(SELECT, &json!({ "intent_id": "INT-001" }));
    call["cwd"] = inner.to_str().unwrap().into();
    roz.hook("pre-tool-use", call.clone()).passes();
    call["tool_response"] = json!({});
    let told = roz.hook("post-tool-use", call);
    assert!(told.context().contains("<path>lib/**</path>"), "{}", told.json);
    assert_eq!(told.stderr, "");
    roz.write_at(&inner.join("lib/a.rs"), &json!({})).passes();
    roz.is_refused(&inner.join("b.rs"), "SCOPE_VIOLATION");
    roz.writes("outer.rs").passes();
    assert!(!roz.project().join(".orchestration").exists());
}

#[test]
fn scratchpad_and_temporary_folder_are_free_and_in_no_ledger() {
    let roz = Roz::new();
    let (pad, tmp) = (roz.dir().join("pad"), roz.dir().join("tmp"));
    for it in [&pad, &tmp] {
        fs::create_dir(it).unwrap();
    }
    let roz = roz.with_var("TMPDIR", tmp.to_str().unwrap());
    let roz = roz.in_git().declares(crate::intent::INTENTS);
    fs::create_dir_all(roz.project().join("src/auth")).unwrap();
    roz.write("src/auth/a.rs", "secret");
    let more = json!({ "scratchpad_dir": pad });
    // Nothing of the project's changes, so nothing is asked for.
    roz.write_at(&pad.join("new/note.md"), &more).passes();
    roz.write_at(&tmp.join("note.md"), &more).passes();
    let mut call = roz.call("Bash", &json!({ "command": format!("ls > {}/out", pad.display()) }));
    call["scratchpad_dir"] = pad.to_str().unwrap().into();
    roz.hook("pre-tool-use", call.clone()).passes();
    fs::write(pad.join("out"), "x").unwrap();
    roz.hook("post-tool-use", call).passes();
    assert!(!roz.project().join(".orchestration/agent_trace.jsonl").exists());
    // A setting of the project frees nothing.
    fs::create_dir(roz.project().join(".claude")).unwrap();
    let settings = json!({ "env": { "TMPDIR": tmp } }).to_string();
    roz.write(".claude/settings.json", &settings);
    roz.write_at(&tmp.join("note.md"), &more).denies();
    // The pad of another session is nobody's we know of.
    let reason = roz.write_at(&pad.join("note.md"), &json!({})).denies();
    assert_eq!(json_of(&reason)["code"], "MISSING_INTENT", "{reason}");
    roz.selects("INT-001");
    let reason = roz.write_at(&pad.join("note.md"), &json!({})).denies();
    assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION", "{reason}");
}

#[test]
fn no_way_leads_through_a_free_place_into_the_project() {
    let roz = Roz::new();
    let pad = roz.dir().join("pad");
    fs::create_dir(&pad).unwrap();
    let roz = roz.in_git().declares(crate::intent::INTENTS);
    fs::create_dir_all(roz.project().join("docs")).unwrap();
    roz.write("docs/a.md", "text");
    symlink(roz.project().join("docs"), pad.join("docs")).unwrap();
    symlink(roz.project().join("docs/new.md"), pad.join("dangling")).unwrap();
    fs::hard_link(roz.project().join("docs/a.md"), pad.join("hard")).unwrap();
    symlink(&pad, roz.project().join("docs/pad")).unwrap();
    roz.selects("INT-001");
    let more = json!({ "scratchpad_dir": pad });
    for path in ["docs/a.md", "docs/new.md", "dangling", "hard", "../project/docs/a.md"] {
        let reason = roz.write_at(&pad.join(path), &more).denies();
        assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION", "{path}: {reason}");
    }
    // What is written as the project's is the project's.
    let inside = roz.project().join("docs/pad/x.md");
    assert_eq!(json_of(&roz.write_at(&inside, &more).denies())["code"], "SCOPE_VIOLATION");
    // A pad that contains the project, or is in it, frees nothing.
    for pad in [roz.dir().to_owned(), roz.project(), roz.project().join("docs"), "/".into()] {
        roz.selects("INT-001");
        let more = json!({ "scratchpad_dir": pad });
        let reason = roz.write_at(&roz.project().join("docs/b.md"), &more).denies();
        assert_eq!(json_of(&reason)["code"], "SCOPE_VIOLATION", "{}", pad.display());
    }
}

#[test]
fn more_paths_than_are_looked_at_are_not_let_through() {
    let roz = declared("");
    roz.selects("INT-001");
    let many: Vec<String> = (0..2500).map(|it| format!("src/auth/{it}")).collect();
    let line = format!("touch {} src/billing/x", many.join(" "));
    assert_eq!(json_of(&roz.bash(&line).denies())["code"], "SCOPE_VIOLATION");
    roz.bash(&format!("touch {}", many[..1000].join(" "))).passes();
}

#[test]
fn a_servers_paths_count_from_where_it_may_stand() {
    let roz = declared("");
    roz.selects("INT-001");
    let auth = roz.project().join("src/auth");
    let calls = |path: &str| {
        let mut call = roz.call("mcp__fs__write_file", &json!({ "path": path, "content": "x" }));
        call["cwd"] = auth.to_str().unwrap().into();
        roz.hook("pre-tool-use", call)
    };
    // It is at the root, whatever the agent's current folder is.
    for path in ["invoice.ts", "../billing/invoice.ts"] {
        assert_eq!(json_of(&calls(path).denies())["code"], "SCOPE_VIOLATION", "{path}");
    }
    calls("src/auth/new.ts").passes();
    calls(auth.join("new.ts").to_str().unwrap()).passes();
    let uri = format!("file://{}/src/auth/%2e%2e/billing/x.ts", roz.project().display());
    let call = json!({ "uri": uri, "text": "x" });
    assert_eq!(json_of(&roz.tool("mcp__fs__put", &call).denies())["code"], "SCOPE_VIOLATION");
}

/// Where a path is written shorter first, it leads where the short one does.
#[test]
fn a_path_that_is_written_longer_than_it_is_is_followed() {
    let roz = declared("");
    roz.selects("INT-001");
    symlink("../billing", roz.project().join("src/auth/link")).unwrap();
    let refused = |reply: Reply, what: &str| {
        let reason = reply.denies();
        assert!(reason.contains("Scope Violation"), "{reason:.300}");
        assert!(reason.contains(what), "{reason:.300}");
    };
    let own = roz.file("src/auth");
    for long in ["./".repeat(3000), "x/../".repeat(1000), "/".repeat(5000)] {
        let (inside, out) = (format!("{own}/{long}main.rs"), format!("{own}/{long}link/x.rs"));
        roz.tool("Write", &json!({ "file_path": inside, "content": "x" })).passes();
        refused(
            roz.tool("Write", &json!({ "file_path": out, "content": "x" })),
            "src/billing/x.rs",
        );
        roz.tool("mcp__fs__write", &json!({ "path": inside })).passes();
        refused(roz.tool("mcp__fs__write", &json!({ "path": out })), "src/billing/x.rs");
    }
}
