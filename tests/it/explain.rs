//! `roz explain`: how a command is read, and what would object to it.

use serde_json::{Value, json};

use crate::{client::SESSION, support::Roz};

#[test]
fn a_command_is_shown_as_it_is_read_with_what_objects() {
    let roz = Roz::gated("");
    let shown = roz.run(&["explain", "cd x && git -C y push; echo z > ~/.roz/config.toml"]);
    let shown = shown.succeeds().stdout;
    for word in [
        "git -C y push",
        "Bash:git push",
        "~/.roz/config.toml",
        "Bash:git push*",
        "roz-home",
        "deny",
        "Self-protection denies it",
    ] {
        assert!(shown.contains(word), "`{word}` is not in: {shown}");
    }
    let shown = roz.run(&["explain", "git push"]).succeeds().stdout;
    assert!(shown.contains("waits for a review (gate `Bash:git push*`)"), "{shown}");
    let shown = roz.run(&["explain", "git log | head"]).succeeds().stdout;
    assert!(shown.contains("Nothing objects."), "{shown}");
    assert!(roz.session_files().is_empty(), "no session hears of it");
}

/// By what is selected in the newest session here.
#[test]
fn the_intent_gate_and_what_closes_are_told() {
    let roz = Roz::new();
    std::fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/learnings.md", "");
    let closes = roz.run(&["explain", "tissue status t-1 closed"]).succeeds().stdout;
    assert!(closes.contains("It closes t-1: the next stop asks what was learned."), "{closes}");
    std::fs::create_dir(roz.project().join(".orchestration")).unwrap();
    roz.write(
        ".orchestration/active_intents.yaml",
        "active_intents:\n- {id: A, name: a, status: DRAFT, owned_scope: ['src/**']}\n",
    );
    let told = roz.json(&["explain", "echo x > src/a"]);
    assert_eq!(told["verdict"], "deny");
    assert_eq!(told["intent"]["code"], "MISSING_INTENT");
    assert_eq!(roz.json(&["explain", "ls src"])["intent"], json!(null));
    roz.prompt("go").objects_to_nothing();
    roz.run(&["intent", "select", "A", "--session-id", SESSION]).succeeds();
    assert_eq!(roz.json(&["explain", "echo x > src/a"])["verdict"], "allow");
    let shown = roz.run(&["explain", "echo x > lib/a"]).succeeds().stdout;
    assert!(shown.contains("The intent gate denies it (SCOPE_VIOLATION)."), "{shown}");
    assert_eq!(roz.json(&["explain", "git push --force"])["verdict"], "ask");
    let before = roz.debug(SESSION);
    roz.json(&["explain", "echo x > lib/a"]);
    assert_eq!(roz.debug(SESSION), before, "the session hears nothing of it");
}

#[test]
fn programs_that_write_files_are_told_in_rows() {
    let roz = Roz::with_config(
        "[[commands.writes]]\nprogram = 'buf generate'\noptions = ['-o', '--out']\n\
         [[commands.writes]]\nprogram = 'wipe-all'\noperands = 'last'\nhow = 'remove'\n\
         [[commands.writes]]\nprogram = '/opt/bin/gen'\n\
         [[commands.writes]]\nprogram = 'make-it'\noptions = ['--out=']\n",
    );
    let writes = |line: &str| -> Vec<String> {
        let told = roz.json(&["explain", line]);
        let writes = told["readings"][0]["writes"].as_array().unwrap();
        let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
        writes.iter().map(|it| format!("{} {}", text(it, "how"), text(it, "path"))).collect()
    };
    assert_eq!(writes("buf generate -o a"), ["write a"]);
    assert_eq!(writes("sudo buf --x generate --out=b -oc q"), ["write b", "write c"]);
    assert_eq!(writes("buf push -o a"), Vec::<String>::new());
    assert_eq!(writes("buf"), Vec::<String>::new());
    assert_eq!(writes("wipe-all -f a b"), ["remove b"]);
    assert_eq!(writes("gen -f a b"), ["write a", "write b"]);
    assert_eq!(writes("gen -- -f b"), ["write -f", "write b"]);
    assert_eq!(writes("make-it --out=f x"), ["write f"]);
    roz.configure("[[commands.writes]]\noptions = ['-o']\n");
    let said = roz.run(&["config", "check"]).stdout;
    assert!(said.contains("a row of `commands.writes` has no `program`"), "{said}");
}

#[test]
fn programs_are_told_in_json() {
    let roz = Roz::gated("");
    let told =
        roz.json(&["explain", "A=1 bash f.sh \"$x\" > out; git push; rm ~/.roz/config.toml"]);
    assert_eq!(told["tool"], "Bash");
    let run = &told["readings"][0]["runs"][0];
    assert_eq!(run["program"], "bash");
    assert_eq!(run["certainty"], "opaque");
    assert_eq!(told["readings"][0]["writes"][0]["path"], "out");
    assert_eq!(told["readings"][0]["writes"][0]["how"], "write");
    assert_eq!(told["readings"][0]["scripts"][0]["path"], "f.sh");
    assert_eq!(told["gates"], json!([{ "pattern": "Bash:git push*", "key": "Bash:git push" }]));
    assert_eq!(told["rules"][0]["rule"], "roz-home");
    assert_eq!(told["rules"][0]["code"], "PROTECTED_PATH");
    let keys = &roz.json(&["explain", "git push; git push; git log"])["keys"];
    assert_eq!(*keys, json!(["Bash", "Bash:git push", "Bash:git log"]), "each once");
    for (line, verdict) in [
        ("git log", "allow"),
        ("git push", "deny"),
        ("rm ~/.roz/config.toml", "deny"),
        ("roz clean --all", "ask"),
    ] {
        assert_eq!(roz.json(&["explain", line])["verdict"], verdict, "{line}");
    }
    let told = roz.json(&["explain", "git push 'x"]);
    assert_eq!(told["readings"][0]["unreadable"], "a quote is not closed");
}

#[test]
fn other_tools_are_explained_by_their_input() {
    let roz = Roz::gated("");
    let input = json!({ "file_path": roz.home().join("x"), "content": "" }).to_string();
    let told = roz.json(&["explain", "--tool", "Write", "--input", &input]);
    assert_eq!(told["rules"][0]["rule"], "roz-home");
    roz.run(&["explain", "--tool", "Write", "--input", "{"]).fails();
    let said = roz.run(&["explain"]).misuses();
    assert!(said.contains("roz explain [--json] '<COMMAND LINE>'"), "{}", said);
    roz.run(&["explain", "--tool", "Write"]).misuses();
    let said = roz.run(&["explain", "--tool", "Write", "--input", "[]"]).fails();
    assert!(said.contains("not a JSON object"), "{}", said);
    for empty in ["", "  \n"] {
        let said = roz.run(&["explain", empty]).fails();
        assert!(said.contains("the command line is empty"), "{}", said);
    }
}

#[test]
fn the_newest_session_says_who_reviews() {
    let roz = Roz::new();
    roz.requests("#roz");
    let reviewer = roz.reviewer("a1");
    let input = json!({ "to": reviewer.agent, "message": "x" }).to_string();
    let told = roz.json(&["explain", "--tool", "SendMessage", "--input", &input]);
    assert_eq!(told["rules"][0]["rule"], "message-to-reviewer");
    assert_eq!(roz.debug(SESSION)["review"]["reviewers"]["a1"]["session_id"], SESSION);
}

#[test]
fn words_without_quotes_are_joined_as_they_were_typed() {
    let roz = Roz::gated("");
    let run = |args: &[&str]| {
        roz.json(&[&["explain"], args].concat())["readings"][0]["runs"][0]["argv"].clone()
    };
    assert_eq!(run(&["git", "push"]), json!(["git", "push"]));
    assert_eq!(run(&["git", "add", "a b", "it's"]), json!(["git", "add", "a b", "it's"]));
    assert_eq!(run(&["git push"]), json!(["git", "push"]));
    let shown = roz.run(&["explain", "--", "git", "push", "--force"]).succeeds().stdout;
    assert!(shown.contains("Bash:git push --force"), "{shown}");
    let said = roz.run(&["explain", "git", "push", "--force"]).misuses();
    assert!(said.contains("roz explain [--json] '<COMMAND LINE>'"), "{}", said);
}

#[test]
fn what_cannot_be_read_whole_is_explained_as_the_hook_takes_it() {
    let roz = Roz::gated("");
    let files: Vec<String> = (0..1500).map(|it| format!("src/file{it}.rs")).collect();
    for head in ["git add", "git log", "cargo fmt --"] {
        let told = roz.json(&["explain", &format!("{head} {}", files.join(" "))]);
        assert_eq!(told["verdict"], "allow", "{head}");
    }
    let told = roz.json(&["explain", &"true;".repeat(7000)]);
    assert_eq!(told["verdict"], "deny");
    assert_eq!(told["may_run_anything"], true);
    assert_eq!(told["gates"][0]["key"], "what could not be read");
    assert!(told["keys"].as_array().is_some_and(|it| it.len() <= 64), "not all its suffixes");
}

#[test]
fn what_is_wrong_in_the_configuration_is_told_beside_the_answer() {
    let roz = Roz::gated("");
    let told = roz.run(&["explain", "git push"]).succeeds();
    assert_eq!(told.stderr, "");
    roz.configure("[review.gates]\ntools = \"Bash:git push*\"\n");
    let told = roz.run(&["explain", "git push"]).succeeds();
    assert!(told.stderr.contains("`review.gates.tools` is of type string"), "{}", told.stderr);
}

#[test]
fn what_a_script_starts_is_left_to_the_run() {
    let roz = Roz::gated("");
    roz.write("release.sh", "git push\n");
    let told = roz.json(&["explain", "bash release.sh"]);
    assert_eq!(told["verdict"], "allow");
    assert_eq!(told["readings"][0]["scripts"][0]["path"], "release.sh");
    let shown = roz.run(&["explain", "bash release.sh"]).succeeds().stdout;
    assert!(shown.contains("what that starts is judged when it runs"), "{shown}");
}
