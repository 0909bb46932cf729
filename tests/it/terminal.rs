//! What verbs print, where it goes: a terminal that is narrow or wide, a pipe
//! that closes, a program that reads JSON.

use std::{fmt::Write as _, fs};

use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::{
    client::SESSION,
    support::{Ran, Roz, start},
};

/// A session that waits for its reviewer, declared work, a learning, and names
/// in letters that are two columns wide.
fn busy() -> Roz {
    let roz = Roz::gated("reflection.enabled = true").in_git();
    roz.run(&["init", "--all"]).succeeds();
    let intents = "active_intents:\n  - id: INT-001\n    name: 日本語の名前で長いもの 🦀 そしてさらに長い\n    \
                   status: TODO\n    owned_scope: [\"src/**\"]\n";
    roz.write(".orchestration/active_intents.yaml", intents);
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    roz.hook("user-prompt", json!({ "prompt": "#roz 日本語のプロンプト \u{1b}[31mred\u{7}" }));
    let note =
        "When `src/日本/x.rs` is changed, run `make gen` first: the tables are built from it";
    roz.run(&["observe", note]);
    roz
}

/// Every verb that prints facts, as one types it. None of them writes.
const FACTS: &[&[&str]] = &[
    &["status"],
    &["list"],
    &["debug", SESSION],
    &["trace", SESSION],
    &["context", SESSION],
    &["stats"],
    &["explain", "git push; echo 日本 > x"],
    &["ledger", "show"],
    &["ledger", "verify"],
    &["ledger", "validate"],
    &["config", "show"],
    &["config", "check"],
    &["intent", "list"],
    &["intent", "show", "INT-001"],
    &["intent", "check"],
    &["learn", "list"],
    &["search", "tables"],
    &["learn", "due"],
    &["learn", "stale"],
    &["learn", "rate"],
    &["tickets"],
    &["learn", "backends"],
    &["clean", "--dry-run"],
    &["install", "--dry-run"],
    &["doctor", "--only", "home", "--only", "configuration"],
];

/// Those that print one kind of thing only.
const OTHERS: &[&[&str]] = &[
    &["config", "schema"],
    &["completions", "bash"],
    &["--help"],
    &["doctor", "--help"],
    &["learn", "eval"],
];

#[test]
fn every_verb_that_prints_facts_prints_one_json_object_when_asked() {
    let roz = busy();
    for args in FACTS {
        let ran = roz.run(&[*args, &["--json"]].concat());
        let value: Value = serde_json::from_str(&ran.stdout)
            .unwrap_or_else(|err| panic!("{args:?}: {err}: {ran:?}"));
        assert!(value.is_object(), "{args:?}: {value}");
    }
}

/// What prints a line for other programs does too, in an object.
#[test]
fn what_is_for_programs_takes_the_word_for_it_as_well() {
    let roz = busy();
    for args in [&["config", "schema"][..], &["ledger", "export"], &["status", "--short"]] {
        let value = roz.json(args);
        assert!(value.is_object(), "{args:?}: {value}");
    }
    assert!(roz.json(&["ledger", "export"])["records"].is_array());
    let line = roz.json(&["status", "--short"])["line"].as_str().unwrap().to_owned();
    assert!(line.starts_with("roz: ") && !line.contains('\u{1b}'), "{line}");
    let input = json!({ "session_id": SESSION, "cwd": roz.project() }).to_string();
    let said = roz.fed(&["statusline", "--json"], &input).succeeds().stdout;
    let said: Value = serde_json::from_str(&said).unwrap();
    assert!(said["line"].as_str().is_some_and(|it| it.starts_with("roz: ")), "{said}");
}

#[test]
fn no_table_is_wider_than_the_terminal() {
    for width in [40, 60, 80] {
        let roz = busy().with_var("COLUMNS", &width.to_string());
        for args in [
            &["list"][..],
            &["trace", SESSION],
            &["stats"],
            &["status"],
            &["intent", "list"],
            &["intent", "check"],
            &["ledger", "show"],
            &["learn", "list"],
            &["learn", "due"],
            &["tickets"],
            &["learn", "backends"],
        ] {
            let ran = roz.run(args);
            // A path is one word, and stays one.
            let lines = ran.stdout.lines().filter(|it| !it.contains(": /") && !it.contains("  /"));
            for line in lines {
                assert!(line.width() <= width, "{width} {args:?}: {line}\n{}", ran.stdout);
            }
        }
    }
}

/// Text that turns the direction of writing shows in the order that it has.
#[test]
fn no_prompt_turns_a_line_round() {
    let roz = busy();
    roz.hook("user-prompt", json!({ "prompt": "#roz rm \u{202e}cod.x\u{2066} now" }));
    for args in [&["trace", SESSION][..], &["trace", SESSION, "--verbose"], &["context", SESSION]] {
        let said = roz.run(args).succeeds().stdout;
        assert!(!said.contains(['\u{202e}', '\u{2066}']), "{args:?}: {said}");
    }
    assert!(roz.run(&["trace", SESSION]).stdout.contains("\\u{202e}cod.x"));
}

#[test]
fn no_verb_minds_a_pipe_that_closes() {
    let roz = busy();
    for args in FACTS.iter().chain(OTHERS) {
        let mut child = start(&mut roz.command(args));
        drop(child.stdin.take());
        drop(child.stdout.take());
        let ran = Ran::of(child.wait_with_output().unwrap());
        let is_quiet = !ran.stderr.contains("panicked") && !ran.stderr.contains("roz: ");
        assert!(is_quiet && ran.code.is_some_and(|it| it < 2), "{args:?}: {ran:?}");
    }
}

/// Whatever the width: nothing that moves the cursor or colours reaches who did
/// not ask for it, and no letter is cut in two.
#[test]
fn no_width_breaks_a_verb() {
    for width in ["1", "40", "80", "200", "0", "many", "99999999999999999999"] {
        let roz = busy().with_var("COLUMNS", width);
        for args in FACTS {
            let ran = roz.run(args);
            assert!(ran.code.is_some_and(|it| it < 2), "{width} {args:?}: {ran:?}");
            let is_plain = |it: char| it == '\n' || !it.is_control();
            assert!(ran.stdout.chars().all(is_plain), "{width} {args:?}: {:?}", ran.stdout);
            assert!(!ran.stdout.contains('\u{fffd}'), "{width} {args:?}: {}", ran.stdout);
        }
    }
}

/// The content of a table, as people see it.
#[test]
fn tables_look_as_they_look() {
    let mut all = String::new();
    for width in ["80", "200"] {
        let roz = busy().with_var("COLUMNS", width).with_var("NO_COLOR", "1");
        for args in [&["intent", "list"][..], &["tickets"], &["learn", "backends"], &["status"]] {
            let text = roz.run(args).succeeds().stdout;
            let text = text.replace(&roz.dir().canonicalize().unwrap().display().to_string(), "…");
            let text = text.replace(&roz.dir().display().to_string(), "…");
            let _ = writeln!(all, "==== {width}: roz {}\n{text}", args.join(" "));
        }
    }
    insta::assert_snapshot!(all);
}

#[test]
fn what_is_misspelt_is_answered_with_the_nearest_name() {
    let roz = busy();
    for (args, nearest) in [
        (&["instal"][..], "exist: 'install', 'uninstall'\n"),
        (&["stat"], "exist: 'stats', 'status'\n"),
        (&["statsu"], "exist: 'status', "),
        (&["review"], "try '--help'"),
        (&["list", "--jsn"], "'--json'"),
        (&["ledger", "shw"], "'show'"),
        (&["completions", "bsh"], "'bash'"),
        (&["install", "--scope", "projct"], "'project'"),
        (&["doctor", "--only", "hoks"], "'hooks'"),
    ] {
        let said = roz.run(args).misuses();
        assert!(said.contains(nearest), "{args:?}: {said}");
    }
    let said = roz.run(&["status", "--sesion", "x"]).misuses();
    assert!(!said.contains("--json"), "{said}");
    assert!(roz.run(&["version"]).succeeds().stdout.starts_with("roz "));
    let all = roz.run(&["help", "all"]).succeeds().stdout;
    assert_eq!(all, roz.run(&["help", "--all"]).succeeds().stdout);
    let said = roz.run(&["trace", SESSION, "--type", "promt_received"]).succeeds().stdout;
    assert!(said.contains("Did you mean `prompt_received`?"), "{said}");
    fs::write(roz.home().join("config.toml"), "review.gates.tool = []\n").unwrap();
    let ran = roz.run(&["config", "check"]);
    assert!(ran.stdout.contains("did you mean `review.gates.tools`?"), "{ran:?}");
}

#[test]
fn an_error_is_an_object_on_standard_output_when_json_is_asked_for() {
    let roz = Roz::new();
    for (args, code) in [
        (&["trace", "nosuch", "--json"][..], 1),
        (&["skip", " ", "--json"], 1),
        (&["list", "--limit", "0", "--json"], 2),
        (&["instal", "--json"], 2),
    ] {
        let ran = roz.run(args);
        assert_eq!((ran.code, ran.stderr.as_str()), (Some(code), ""), "{args:?}");
        let value: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(value["error"]["message"].as_str().is_some_and(|it| it.len() > 5), "{value}");
        assert!(value["error"].as_object().unwrap().contains_key("remedy"), "{value}");
    }
    let ran = roz.run(&["trace", "nosuch"]);
    assert!(ran.stdout.is_empty() && ran.stderr.starts_with("roz: "), "{ran:?}");
}

#[test]
fn the_help_is_in_groups_and_shows_what_agents_run_on_request() {
    let roz = Roz::new();
    let page = roz.run(&["--help"]).succeeds().stdout;
    assert!(page.contains("Set up:\n  init ") && !page.contains("  decide "), "{page}");
    assert_eq!(roz.run(&["help"]).succeeds().stdout, page);
    let all = roz.run(&["help", "--all"]).succeeds().stdout;
    assert!(all.contains("For agents and clients:\n  hook ") && all.contains("  decide "), "{all}");
    let verb = roz.run(&["help", "ledger", "verify"]).succeeds().stdout;
    assert!(verb.contains("roz ledger verify"), "{verb}");
    let said = roz.run(&["help", "nothing"]).misuses();
    assert!(said.contains("unrecognized subcommand 'nothing'"), "{said}");
}

#[test]
fn an_upgrade_is_a_command_to_type() {
    let roz = Roz::new();
    let told = roz.json(&["upgrade"]);
    assert!(told["command"].as_str().unwrap().starts_with("git pull && "), "{told}");
    let told = roz.run(&["upgrade"]).succeeds().stdout;
    assert!(
        told.contains("install.sh or by hand (unknown)") && told.contains("or copy a new one"),
        "{told}"
    );
}

#[test]
fn what_cannot_be_done_so_is_answered_with_what_can() {
    let roz = busy();
    for args in
        [&["list", "--limit", "x"][..], &["stats", "--days", "0"], &["stats", "--days", "many"]]
    {
        assert!(roz.run(args).misuses().contains("it takes a number"), "{args:?}");
    }
    assert!(roz.fed(&["statusline"], "").fails().contains("the client runs this"));
    assert!(roz.run(&["approve"]).fails().contains("begin a prompt with `#roz:approve`"));
    roz.git(&["init", "-q"]);
    assert!(roz.run(&["ledger", "push"]).fails().contains("`roz ledger push REMOTE`"));
}
