//! roz's own files over a call, through the hooks: what makes one of them protect less is told,
//! and waits for a person.

use std::{fs, path::PathBuf};

use serde_json::json;

use crate::{
    decide::at_a_terminal,
    support::{Reply, Roz, is_run_by_an_agent, skip},
};

const LAX: &str = "protect.enabled = false\nreview.gates.tools = [\"Bash:git push*\"]\n";

/// A call that nobody can look into, and what happens while it runs.
#[track_caller]
fn runs(roz: &Roz, line: &str, meanwhile: impl FnOnce()) -> Reply {
    let mut call = roz.call("Bash", &json!({ "command": line }));
    roz.hook("pre-tool-use", call.clone()).objects_to_nothing();
    meanwhile();
    call["tool_response"] = json!({});
    roz.hook("post-tool-use", call)
}

fn protects(roz: &Roz) -> bool {
    roz.json(&["config", "show"]).to_string().contains("protect.enabled")
        && roz.tool("Bash", &json!({ "command": "roz decide s1 COMPLETE x y" })).is_objection()
}

fn marks(roz: &Roz) -> Vec<PathBuf> {
    let is_mark = |it: &PathBuf| it.to_string_lossy().contains("/cache/call-");
    roz.all_files().into_iter().filter(is_mark).collect()
}

#[test]
fn a_laxer_configuration_that_a_call_writes_is_told_and_does_not_apply() {
    let roz = Roz::gated("");
    assert!(protects(&roz));
    let reply = runs(&roz, "make", || roz.configure(LAX));
    let told = reply.tells_user();
    assert!(told.contains("`protect.enabled` was true, is false"), "{told}");
    assert!(told.contains("roz confirm"), "{told}");
    assert!(reply.context().contains("`protect.enabled` was true"), "{}", reply.json);
    assert!(protects(&roz));
    let traced = roz.trace("weakened");
    assert!(traced[0]["payload"]["what"].as_str().unwrap().contains("protect.enabled"));
    // It stays so, and whoever looks is told.
    runs(&roz, "make", || ()).passes();
    assert!(protects(&roz));
    let status = roz.json(&["status"]);
    assert!(status["unconfirmed"][0]["what"][0].as_str().unwrap().contains("protect"), "{status}");
    assert!(roz.run(&["status"]).succeeds().stdout.contains("roz confirm"));
    assert!(roz.run(&["doctor", "--only", "incidents"]).stdout.contains("roz confirm"));
    let start = json!({ "session_id": "s2", "source": "startup" });
    assert!(roz.hook("session-start", start).tells_user().contains("roz confirm"));
    let listed = roz.json(&["confirm", "--list"]);
    assert_eq!(listed["changes"][0]["kind"], "configuration", "{listed}");
}

#[test]
fn what_is_put_back_waits_for_nobody() {
    let roz = Roz::gated("");
    let before = fs::read_to_string(roz.home().join("config.toml")).unwrap();
    runs(&roz, "make", || roz.configure(LAX)).tells_user();
    runs(&roz, "make", || roz.configure(&before)).passes();
    assert_eq!(roz.json(&["status"])["unconfirmed"], json!([]));
    assert!(protects(&roz));
    // The user's file counts again.
    roz.configure(LAX);
    assert!(!protects(&roz));
}

#[test]
fn a_configuration_that_is_no_laxer_any_more_applies_whoever_wrote_it() {
    let strict = "review.gates.tools = [\"Bash:git push*\", \"Bash:make x*\"]\n";
    for is_by_call in [false, true] {
        let roz = Roz::gated("");
        runs(&roz, "make", || roz.configure(LAX)).tells_user();
        // Another text that is laxer still waits.
        runs(&roz, "make", || roz.configure("protect.enabled = false\n")).tells_user();
        if is_by_call {
            runs(&roz, "make", || roz.configure(strict)).passes();
        } else {
            roz.configure(strict);
            runs(&roz, "make", || ()).passes();
        }
        assert!(roz.bash("make x").is_objection() && protects(&roz));
        assert_eq!(roz.json(&["status"])["unconfirmed"], json!([]));
    }
}

#[test]
fn a_configuration_that_was_not_there_is_compared_with_the_defaults() {
    let roz = Roz::new();
    fs::create_dir_all(roz.home()).unwrap();
    let told = runs(&roz, "make", || roz.configure("protect.enabled = false\n")).tells_user();
    assert!(told.contains("`protect.enabled`"), "{told}");
    assert!(protects(&roz));
    let told = runs(&roz, "make", || fs::remove_file(roz.home().join("config.toml")).unwrap());
    told.passes();
}

#[test]
fn what_a_person_writes_between_calls_and_what_is_stricter_is_no_such_change() {
    let roz = Roz::gated("");
    runs(&roz, "make", || ()).passes();
    roz.configure(LAX);
    runs(&roz, "make", || ()).passes();
    assert!(!protects(&roz));
    let strict = "review.gates.tools = [\"Bash:git push*\", \"Bash:make x*\"]\n";
    roz.configure("review.gates.tools = [\"Bash:git push*\"]\n");
    runs(&roz, "make", || roz.configure(strict)).passes();
    assert!(roz.bash("make x").is_objection());
}

#[test]
fn a_call_that_only_reads_or_names_what_it_edits_leaves_no_mark() {
    let roz = Roz::gated("");
    for line in ["cat README.md", "git status", "ls -la | head"] {
        roz.bash(line).passes();
        assert_eq!(marks(&roz), Vec::<PathBuf>::new(), "{line}");
    }
    let path = roz.project().join("a.rs");
    roz.tool("Write", &json!({ "file_path": path, "content": "x" })).passes();
    assert_eq!(marks(&roz), Vec::<PathBuf>::new());
    roz.bash("make").passes();
    assert_eq!(marks(&roz).len(), 1);
    // One that comes to its end takes its own away.
    runs(&roz, "make", || ()).passes();
    assert_eq!(marks(&roz).len(), 1);
}

#[test]
fn hooks_that_are_gone_from_the_clients_settings_are_told() {
    let roz = Roz::gated("");
    let settings = roz.user_home().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    let with = r#"{"hooks":{"Stop":[{"hooks":[{"command":"roz hook stop"}]}]},"enabledPlugins":{"roz@roz":true}}"#;
    fs::write(&settings, with).unwrap();
    // The client writes there, too.
    let more = with.replacen('{', r#"{"theme":"dark","#, 1);
    runs(&roz, "make", || fs::write(&settings, &more).unwrap()).passes();
    let told = runs(&roz, "make", || fs::write(&settings, "{}").unwrap()).tells_user();
    assert!(told.contains("a roz hook runs at Stop") && told.contains("roz@roz"), "{told}");
    runs(&roz, "make", || fs::write(&settings, with).unwrap()).passes();
    let off = with.replacen('{', r#"{"disableAllHooks":true,"#, 1);
    let told = runs(&roz, "make", || fs::write(&settings, &off).unwrap()).tells_user();
    assert!(told.contains("hooks are enabled"), "{told}");
}

#[test]
fn what_rozs_own_verbs_write_meanwhile_is_no_such_change() {
    let roz = Roz::gated("");
    let settings = roz.project().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().unwrap()).unwrap();
    fs::write(&settings, r#"{"enabledPlugins":{"roz@roz":true}}"#).unwrap();
    runs(&roz, "make", || drop(roz.run(&["init", "--gates", "review"]))).passes();
}

#[test]
fn only_a_person_at_a_terminal_confirms() {
    let roz = Roz::gated("");
    runs(&roz, "make", || roz.configure(LAX)).tells_user();
    assert!(roz.run(&["confirm"]).fails().contains("terminal"));
    let Some(mut command) = at_a_terminal(&roz, &["confirm"]) else {
        skip("a person confirms", "neither `script` nor python3 makes a terminal");
        return;
    };
    command.env("CLAUDECODE", "1");
    assert!(!command.output().unwrap().status.success());
    assert!(protects(&roz));
    if is_run_by_an_agent() {
        skip("a person confirms", "an agent runs these tests, and roz sees that");
        return;
    }
    let output = at_a_terminal(&roz, &["confirm"]).unwrap().output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("protect.enabled"), "{output:?}");
    assert!(!protects(&roz));
    assert_eq!(roz.json(&["status"])["unconfirmed"], json!([]));
    runs(&roz, "make", || ()).passes();
}

#[test]
fn settings_that_appear_and_switch_hooks_off_or_move_roz_are_told() {
    for (text, told) in [
        (r#"{"disableAllHooks": true}"#, "hooks are enabled"),
        (r#"{"env": {"ROZ_HOME": "/x"}}"#, "variables for roz in `env`: []"),
    ] {
        let roz = Roz::gated("").in_git();
        fs::create_dir_all(roz.project().join(".claude")).unwrap();
        let reply = runs(&roz, "make", || roz.write(".claude/settings.local.json", text));
        assert!(reply.tells_user().contains(told), "{}", reply.json);
    }
    let roz = Roz::gated("").in_git();
    fs::create_dir_all(roz.project().join(".claude")).unwrap();
    let other = r#"{"model": "x", "env": {"EDITOR": "vi"}}"#;
    runs(&roz, "make", || roz.write(".claude/settings.local.json", other)).passes();
}

#[test]
fn a_call_that_is_denied_is_not_watched() {
    let roz = Roz::gated("");
    assert!(roz.bash("git push origin main").is_objection());
    assert_eq!(marks(&roz), Vec::<PathBuf>::new());
}
