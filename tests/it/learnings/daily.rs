//! Learnings are archived, restored and rated.

use std::{
    fs::{self, File},
    os::unix::fs::PermissionsExt as _,
    time::{Duration, SystemTime},
};

use serde_json::json;

use super::*;

// By hand.

#[test]
fn what_is_put_away_by_hand_can_be_brought_back_and_both_are_logged() {
    let roz = three();
    let done =
        roz.json(&["learn", "archive", LEXER, CACHE, LEXER, "--reason", "the lexer is gone"]);
    assert_eq!(done["archived"], json!([LEXER, CACHE]));
    assert_eq!(roz.status_of(LEXER), "archived");
    let reasons: Vec<_> = roz.logged("archived").iter().map(|it| it["reason"].clone()).collect();
    assert_eq!(reasons, ["the lexer is gone", "the lexer is gone"]);
    let again = roz.json(&["learn", "archive", LEXER]);
    assert_eq!((&again["archived"], &again["unchanged"]), (&json!([]), &json!([LEXER])));
    let text = roz.run(&["learn", "restore", LEXER]).succeeds().stdout;
    assert!(text.contains("Brought back") && text.contains("src/lexer.rs panics"), "{text}");
    assert_eq!(roz.status_of(LEXER), "active");
    assert_eq!(roz.logged("restored").len(), 1);
    assert_eq!(roz.logged("archived").len(), 2);
}

#[test]
fn an_id_that_is_not_there_is_named_and_the_others_are_done() {
    let roz = three();
    let ran = roz.run(&["learn", "archive", "cl_none", LEXER, "cl_20251201_cacheq"]);
    assert!(ran.stdout.contains(LEXER), "{ran:?}");
    let said = ran.fails();
    assert!(said.contains("there is no learning `cl_none`. `roz learn list`"), "{said}");
    assert!(said.contains(&format!("Did you mean `{CACHE}`?")), "{said}");
    assert_eq!(roz.status_of(LEXER), "archived");
    let said = roz.run(&["learn", "restore", "^lexera"]).fails();
    assert!(said.contains(&format!("Did you mean `{LEXER}`?")), "{said}");
    let done = roz.badly(&["learn", "restore", "cl_none", LEXER]);
    assert_eq!(done["restored"], json!([LEXER]));
    assert_eq!(done["failed"][0]["id"], "cl_none");
    roz.run(&["learn", "archive"]).misuses();
    assert!(roz.run(&["learn", "archiv", LEXER]).misuses().contains("archive"));
}

#[test]
fn what_is_superseded_stays_so() {
    let roz = three();
    let old = Learning { status: Status::Superseded, ..learning("cl_20250101_oldone", 300, "old") };
    roz.keeps([old]);
    for verb in ["archive", "restore"] {
        let said = roz.run(&["learn", verb, "cl_20250101_oldone"]).fails();
        assert!(said.contains("superseded"), "{said}");
    }
    assert_eq!(roz.status_of("cl_20250101_oldone"), "superseded");
    assert_eq!(roz.logged("archived").len() + roz.logged("restored").len(), 0);
}

#[test]
fn what_has_taken_a_learnings_place_is_named() {
    let roz = three();
    let old = Learning { status: Status::Superseded, ..learning("cl_20250101_oldone", 300, "old") };
    let new =
        Learning { supersedes: Some(old.id.clone()), ..learning("cl_20260101_newone", 1, "new") };
    roz.keeps([old, new]);
    for verb in ["restore", "archive"] {
        let said = roz.run(&["learn", verb, "cl_20250101_oldone"]).fails();
        let told = "`cl_20250101_oldone` is superseded, and stays so: by `cl_20260101_newone`";
        assert!(said.contains(told), "{said}");
    }
}

#[test]
fn somebody_elses_note_is_told_from_what_roz_writes_beside_it() {
    let roz = Roz::new();
    for folder in ["memory/registers", "memory/daily"] {
        fs::create_dir_all(roz.project().join(folder)).unwrap();
    }
    roz.write("memory/registers/tech.md", "# Tech\n\n- Postgres 16 runs on port 5433 in CI\n");
    roz.configure("backends.use = [\"total-recall\"]");
    let id = roz.listed(&[]).remove(0);
    let said = roz.run(&["learn", "archive", &id]).fails();
    assert!(said.contains("roz changes only what it wrote itself"), "{said}");
    assert!(said.contains("by hand") && !said.contains("never written"), "{said}");
}

#[test]
fn where_nothing_can_be_read_nobody_says_that_nothing_was_learned() {
    let roz = Roz::new();
    roz.keeps([learning(LEXER, 1, "src/lexer.rs panics")]);
    let text = fs::read_to_string(roz.project().join(".roz/learnings.md")).unwrap();
    roz.write(".roz/learnings.md", &text.replace("Status:** active", "Status:** done"));
    let told: [&[&str]; 6] = [
        &["learn", "list"],
        &["search", "lexer"],
        &["learn", "due"],
        &["learn", "archive", "--due"],
        &["learn", "stale"],
        &["learn", "rate"],
    ];
    for args in told {
        let said = roz.run(args).succeeds().stdout;
        assert!(said.contains("None of what was learned here can be read."), "{args:?}: {said}");
        assert!(!said.contains("yet"), "{args:?}: {said}");
        let valid = "`done` is not a status; it is one of active, archived, superseded";
        assert!(said.contains(valid), "{args:?}: {said}");
    }
}

// By itself.

/// One that was dismissed three times and is older than 90 days, one that has
/// four days left, one that helps.
fn decaying() -> Roz {
    let roz = Roz::new();
    roz.keeps([
        learning("cl_20250901_overdu", 120, "port 5432 is taken by the local postgres"),
        learning("cl_20250705_soonit", 176, "terraform apply needs AWS_PROFILE=deploy-eu"),
        learning("cl_20250101_helper", 366, "cargo test needs PGPORT set to 5433"),
    ]);
    for session in ["a", "b", "c"] {
        roz.logs([(100, shown("cl_20250901_overdu", session))]);
        roz.logs([(100, dismissed("cl_20250901_overdu", session))]);
    }
    roz.logs([(200, shown("cl_20250101_helper", "a")), (200, used("cl_20250101_helper", "a"))]);
    roz
}

#[test]
fn what_is_due_and_what_will_be_is_listed() {
    let roz = decaying();
    for args in [&["learn", "due"][..], &["maintain"], &["maintain", "list"]] {
        let list = roz.json(args);
        assert_eq!(ids(&list["due"]), ["cl_20250901_overdu"]);
        let reason = list["due"][0]["reason"].as_str().unwrap();
        assert_eq!(reason, "shown in 3 sessions and not used in 90 days");
        assert_eq!(ids(&list["soon"]), ["cl_20250705_soonit"]);
        assert_eq!(list["soon"][0]["at"], "2026-01-06T03:04:05Z");
    }
    assert_eq!(roz.json(&["learn", "due", "--days", "3"])["soon"], json!([]));
    let text = roz.run(&["learn", "due"]).succeeds().stdout;
    for word in ["shown in 3 sessions", "2026-01-06", "roz learn archive --due", "roz ref"] {
        assert!(text.contains(word), "`{word}` is not in {text}");
    }
}

#[test]
fn decay_puts_away_what_is_due_and_says_so_beforehand_if_asked() {
    let roz = decaying();
    let said = roz.run(&["learn", "archive", "cl_20260101_abcdef", "--dry-run"]).misuses();
    assert!(said.contains("cannot be used with"), "{said}");
    let dry = roz.json(&["learn", "archive", "--due", "--dry-run"]);
    assert_eq!(ids(&dry["due"]), ["cl_20250901_overdu"]);
    assert_eq!(dry["archived"], json!(["cl_20250901_overdu"]));
    assert_eq!(roz.json(&["maintain", "decay", "--dry-run"]), dry, "as older versions say it");
    assert_eq!(roz.logged("archived").len(), 0);
    let done = roz.json(&["learn", "archive", "--due"]);
    assert_eq!(done["archived"], json!(["cl_20250901_overdu"]));
    assert_eq!(roz.status_of("cl_20250901_overdu"), "archived");
    assert_eq!(roz.status_of("cl_20250101_helper"), "active");
    let reason = roz.logged("archived")[0]["reason"].clone();
    assert_eq!(reason, "shown in 3 sessions and not used in 90 days");
    assert!(roz.run(&["learn", "archive", "--due"]).succeeds().stdout.contains("Nothing is due"));
    // Brought back, its time begins anew.
    roz.run(&["learn", "restore", "cl_20250901_overdu"]).succeeds();
    assert_eq!(roz.json(&["learn", "archive", "--due"])["archived"], json!([]));
}

#[test]
fn a_session_start_puts_away_what_is_due_once_a_day() {
    let roz = decaying();
    let starts = || {
        roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    };
    starts();
    assert_eq!(roz.status_of("cl_20250901_overdu"), "archived");
    assert_eq!(roz.logged("archived").len(), 1);
    roz.keeps([learning("cl_20250101_ageold", 366, "the mirror at 10.0.0.7 is gone")]);
    starts();
    assert_eq!(roz.status_of("cl_20250101_ageold"), "active");
    let cache = fs::read_dir(roz.home().join("cache")).unwrap().map(|it| it.unwrap().path());
    let is_mark =
        |it: &std::path::PathBuf| it.file_name().unwrap().to_string_lossy().starts_with("decayed-");
    let mark = cache.into_iter().find(is_mark).unwrap();
    let yesterday = SystemTime::now() - Duration::from_hours(25);
    File::options().append(true).open(mark).unwrap().set_modified(yesterday).unwrap();
    starts();
    assert_eq!(roz.status_of("cl_20250101_ageold"), "archived");
}

#[test]
fn a_session_start_starts_no_memory_server_to_put_something_away() {
    let roz = decaying();
    let program = roz.dir().join("server");
    let started = roz.dir().join("started");
    fs::write(&program, format!("#!/bin/sh\ntouch '{}'\n", started.display())).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    roz.configure(&format!("backends.mcp.command = '{}'", program.display()));
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    assert_eq!(roz.logged("archived").len(), 1);
    assert!(!started.exists());
    // A verb does, and names what does not answer.
    let said = roz.json(&["learn", "list"]);
    assert!(started.exists() && said["problems"][0]["place"] == "mcp", "{said}");
}

#[test]
fn nothing_is_put_away_where_the_gate_is_off() {
    let roz = decaying();
    roz.configure("reflection.enabled = false");
    roz.hook("session-start", json!({ "source": "startup" })).objects_to_nothing();
    assert_eq!(roz.status_of("cl_20250901_overdu"), "active");
    assert!(!roz.home().join("cache").exists() || roz.logged("archived").is_empty());
}

// Caches and files.

#[test]
fn caches_that_are_broken_are_made_anew() {
    let roz = three();
    let start = json!({ "source": "startup" });
    roz.hook("session-start", start.clone()).objects_to_nothing();
    let cache = roz.home().join("cache");
    for entry in fs::read_dir(&cache).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|it| it == "idx") {
            fs::write(path, "nonsense").unwrap();
        }
    }
    let done = roz.json(&["learn", "rebuild"]);
    assert_eq!(done["index"]["learnings"], 3);
    // One more than were there: the start put one away.
    assert_eq!((&done["stats"]["entries"], &done["stats"]["broken"]), (&json!(8), &json!(0)));
    let is_whole = |it: fs::DirEntry| {
        it.path().extension().is_some_and(|it| it == "idx")
            && fs::read(it.path()).unwrap().starts_with(b"{")
    };
    assert!(fs::read_dir(&cache).unwrap().any(|it| is_whole(it.unwrap())));
    let text = roz.run(&["learn", "rebuild"]).succeeds().stdout;
    assert!(text.contains("3 learnings") && text.contains("8 lines"), "{text}");
}

#[test]
fn learnings_about_files_that_are_gone_are_named() {
    let roz = three();
    let mut one = learning("cl_20260101_fileon", 1, "src/a.rs and src/b.rs share a lock");
    one.context_files =
        ["src/a.rs", "src/b.rs:12", "https://example.com/x"].map(str::to_owned).into();
    let mut personal = learning("cl_20260101_person", 1, "somewhere else");
    (personal.context_files, personal.scope) = (vec!["gone.rs".into()], Scope::Personal);
    roz.keeps([one, personal]);
    fs::create_dir(roz.project().join("src")).unwrap();
    roz.write("src/b.rs", "");
    let list = roz.json(&["learn", "stale"]);
    assert_eq!(ids(&list["learnings"]), ["cl_20260101_fileon"]);
    let it = &list["learnings"][0];
    assert_eq!((&it["missing"], &it["present"]), (&json!(["src/a.rs"]), &json!(["src/b.rs:12"])));
    let text = roz.run(&["learn", "stale"]).succeeds().stdout;
    assert!(text.contains("1 of 2") && text.contains("src/a.rs"), "{text}");
    roz.write("src/a.rs", "");
    assert_eq!(roz.json(&["learn", "stale"])["learnings"], json!([]));
}

// Ratings.

#[test]
fn the_sample_is_what_was_shown_most_and_used_least() {
    let roz = three();
    assert_eq!(ids(&roz.json(&["learn", "rate"])["sample"]), [LEXER, CACHE]);
    assert_eq!(ids(&roz.json(&["learn", "rate", "--count", "1"])["sample"]), [LEXER]);
    let text = roz.run(&["learn", "rate"]).succeeds().stdout;
    assert!(text.contains(&format!("{LEXER}  4      0     no")), "{text}");
    assert!(text.contains("roz learn rate --useful ID"), "{text}");
    roz.run(&["learn", "rate", "--useless", LEXER]).succeeds();
    assert_eq!(ids(&roz.json(&["learn", "rate"])["sample"]), [CACHE, LEXER]);
}

#[test]
fn ratings_are_taken_and_logged() {
    let roz = three();
    let rated = roz.json(&["learn", "rate", "--useful", CACHE, "--useless", LEXER]);
    assert_eq!(rated["rated"].as_array().unwrap().len(), 2);
    let said = roz.run(&["learn", "rate", "--useful", STYLE]).succeeds().stdout;
    assert!(said.contains("Rated useful") && said.contains("kebab-case"), "{said}");
    let logged = roz.logged("rated");
    let told: Vec<_> = logged.iter().map(|it| (&it["learning_id"], &it["useful"])).collect();
    for (id, useful) in [(CACHE, true), (LEXER, false), (STYLE, true)] {
        assert!(told.contains(&(&json!(id), &json!(useful))), "{told:?}");
    }
}

#[test]
fn the_help_says_what_a_rating_does_and_what_it_leaves() {
    let roz = three();
    let figures = |of: &str| {
        let all = roz.json(&["learn", "list"]);
        let all = all["learnings"].as_array().unwrap().clone();
        let it = all.into_iter().find(|it| it["id"] == of).unwrap();
        json!([it["surfaced"], it["referenced"], it["hit_rate"]])
    };
    let before = (figures(LEXER), roz.json(&["learn", "due", "--days", "300"]));
    assert!(before.1.to_string().contains(STYLE), "{}", before.1);
    roz.run(&["learn", "rate", "--useful", STYLE, "--useless", LEXER]).succeeds();
    assert_eq!((figures(LEXER), roz.json(&["learn", "due", "--days", "300"])), before);
    let help = roz.run(&["learn", "rate", "--help"]).succeeds().stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("For the order in which learnings come back, a rating counts"), "{help}");
    assert!(help.contains("neither the figures of `roz learn list` nor what decays"), "{help}");
}

#[test]
fn what_is_rated_comes_last_and_is_told_so() {
    let roz = three();
    roz.run(&["learn", "rate", "--useful", CACHE, "--useless", LEXER]).succeeds();
    let text = roz.run(&["learn", "rate"]).succeeds().stdout;
    assert!(text.lines().skip(1).take(2).all(|line| line.contains("  yes  ")), "{text}");
    let said = roz.run(&["learn", "rate", "--count", "0"]).misuses();
    assert!(said.contains("at least 1"), "{said}");
}

#[test]
fn ratings_that_cannot_be_taken_are_named() {
    let roz = three();
    let said = roz.run(&["learn", "rate", "--useful", "cl_none", "--useful", LEXER]).fails();
    assert!(said.contains("there is no learning `cl_none`"), "{said}");
    assert_eq!(roz.logged("rated").len(), 1);
    assert_eq!(
        roz.badly(&["learn", "rate", "--useless", "cl_none"])["unknown"],
        json!(["cl_none"])
    );
    let said = roz.run(&["learn", "rate", "--useful", LEXER, "--useless", LEXER]).fails();
    assert!(said.contains("useful and useless"), "{said}");
    assert_eq!(roz.logged("rated").len(), 1);
}

/// For a release, so that what people and agents have in their notes works.
#[test]
fn the_older_names_of_the_verbs_are_taken_and_not_shown() {
    let roz = three();
    let pairs: [(&[&str], &[&str]); 6] = [
        (&["learnings"], &["learn", "list"]),
        (&["learnings", "--stale"], &["learn", "list", "--sort", "used", "--asc"]),
        (&["maintain", "decay", "--dry-run"], &["learn", "archive", "--due", "--dry-run"]),
        (&["maintain", "stale-files"], &["learn", "stale"]),
        (&["review-learnings"], &["learn", "rate"]),
        (&["backends"], &["learn", "backends"]),
    ];
    for (old, new) in pairs {
        assert_eq!(roz.json(old), roz.json(new), "{old:?}");
    }
    roz.run(&["maintain", "archive", STYLE]).succeeds();
    roz.run(&["maintain", "restore", STYLE]).succeeds();
    let help = roz.run(&["help"]).succeeds().stdout;
    assert!(
        help.contains("\n  learn ") && !help.contains("\n  maintain") && !help.contains("\n  eval"),
        "{help}"
    );
}
