//! Which learnings come back: on the labelled set, and over a year.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{Reply, Roz};

fn figure(of: &Value, split: &str, method: &str, name: &str) -> f64 {
    of["splits"][split][method][name].as_f64().unwrap_or_else(|| panic!("{split} {method} {name}"))
}

/// With five titles, plain BM25F. Nothing here is fitted to the sets.
#[test]
fn most_of_what_is_wanted_is_among_few_titles() {
    let out = Roz::new().json(&["learn", "eval"]);
    for (split, recall) in [("dev", 0.95), ("held_out", 0.90), ("strangers", 0.93)] {
        let of = |method, name| figure(&out, split, method, name);
        assert!(of("roz", "recall") >= recall, "{split}: {out}");
        assert!(of("roz", "titles") <= 4.5, "{split}: {out}");
        assert!(of("roz", "characters") <= 1_000.0, "{split}: {out}");
        assert!(of("roz", "recall") > of("keywords", "recall"), "{split}: {out}");
        assert!(of("roz", "mrr") > of("keywords", "mrr"), "{split}: {out}");
        // Recency and silence cost next to nothing beside the prototype.
        assert!(of("roz", "recall") > of("plain", "recall") - 0.01, "{split}: {out}");
    }
    let stores = out["small_stores"].as_array().unwrap();
    let sizes: Vec<u64> = stores.iter().map(|it| it["learnings"].as_u64().unwrap()).collect();
    assert_eq!(sizes, [1, 3, 5, 10, 20]);
    for store in stores {
        assert!(store["recall"].as_f64().unwrap() >= 0.95, "{store}");
    }
}

/// None, where there is no such folder: nothing need be held out.
fn projects(folder: &Path) -> Vec<toml::Table> {
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let files = files.map(|it| it.unwrap().path());
    let tables = files.filter(|it| it.extension().is_some_and(|it| it == "toml"));
    tables.map(|it| fs::read_to_string(it).unwrap().parse().unwrap()).collect()
}

fn rows(of: &toml::Table, key: &str) -> usize {
    of.get(key).map_or(0, |it| it.as_array().unwrap().len())
}

/// The held-out set is exactly the content of its folder.
#[test]
fn the_set_is_as_large_as_it_says_and_held_out_by_its_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/retrieval");
    let (dev, seen) = (projects(&folder), projects(&folder.join("seen")));
    let held_out = projects(&folder.join("held-out"));
    let strangers = projects(&folder.join("strangers"));
    assert!(dev.iter().all(|it| !it.contains_key("held_out")));
    let out = Roz::new().json(&["learn", "eval"]);
    let parts = [&dev, &held_out, &seen, &strangers];
    for (split, of) in ["dev", "held_out", "seen", "strangers"].into_iter().zip(parts) {
        let queries: usize = of.iter().map(|it| rows(it, "query")).sum();
        let measured = out["splits"][split]["roz"]["queries"].as_u64().unwrap_or(0);
        assert_eq!(measured, queries as u64, "{split}");
    }
    let learnings: usize = parts.into_iter().flatten().map(|it| rows(it, "learning")).sum();
    let queries: Vec<&toml::Value> =
        dev.iter().filter_map(|it| it.get("query")).flat_map(|it| it.as_array().unwrap()).collect();
    let none = |it: &&&toml::Value| {
        it["relevant"].as_array().unwrap().is_empty() && it.get("also").is_none()
    };
    assert!(learnings >= 300 && queries.len() >= 120, "{learnings} {}", queries.len());
    assert!(queries.iter().filter(none).count() >= 20);
}

/// A project with these learnings, of one tag.
fn knowing(learnings: &[(&str, &str, &str)]) -> Roz {
    let roz = Roz::new().in_git();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".roz/learnings.md", "");
    let candidates = learnings.iter().map(|(summary, detail, file)| {
        json!({ "category": "pitfall", "summary": summary, "detail": detail, "tags": ["parser"],
                "context_files": [file], "criteria_met": ["behavior_changing"] })
    });
    let input = json!({ "candidates": candidates.collect::<Vec<_>>() }).to_string();
    roz.fed(&["reflect", "--session-id", "s0"], &input).succeeds();
    roz
}

const PANICS: (&str, &str, &str) = (
    "src/parser.rs panics on a lone `\\r` because Lexer::next slices by bytes",
    "Lexer::next in src/parser.rs cut at byte 1 of a two-byte char; use char_indices().",
    "src/parser.rs",
);
const ORDER: (&str, &str, &str) = (
    "Never reorder the two passes of the quota check: pass 2 reads what 1 has written",
    "check_all() in shop/limits/quota.py fills LIMITS first; seen with order 4711.",
    "shop/limits/quota.py",
);

fn told(reply: &Reply) -> String {
    reply.json["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
}

/// What the log has of one kind of event.
fn events(roz: &Roz, name: &str) -> Vec<Value> {
    let log = fs::read_to_string(roz.kept_of_project().join("stats.log")).unwrap_or_default();
    let lines = log.lines().map(|it| serde_json::from_str::<Value>(it).unwrap());
    lines.filter(|it| it["event"] == name).collect()
}

#[test]
fn a_wish_is_seen_at_either_end_of_a_long_prompt() {
    let roz = knowing(&[PANICS, ORDER]);
    let lines = (0..2000).map(|at| format!("12:00 worker {at} ok\n"));
    let log = lines.collect::<Vec<_>>().concat();
    let wish = "Why does Lexer::next in the parser panic on a lone carriage return?";
    for (id, prompt) in [("s1", format!("{wish}\n{log}")), ("s2", format!("{log}\n{wish}"))] {
        let reply = roz.hook("user-prompt", json!({ "prompt": prompt, "session_id": id }));
        assert!(told(&reply).contains("Lexer::next slices"), "{id}: {reply:?}");
    }
}

#[test]
fn a_file_of_the_project_is_found_by_its_whole_path() {
    let roz = knowing(&[PANICS, ORDER]);
    let prompt = format!("look at {}:7:3", roz.project().join("shop/limits/quota.py").display());
    let reply = roz.hook("user-prompt", json!({ "prompt": prompt, "session_id": "s1" }));
    assert!(told(&reply).contains("Never reorder"), "{reply:?}");
}

#[test]
fn titles_come_first_and_the_text_on_request() {
    let roz = knowing(&[PANICS, ORDER]);
    let ask = |prompt: &str, session: &str| {
        told(&roz.hook("user-prompt", json!({ "prompt": prompt, "session_id": session })))
    };
    let text = ask("the parser panics on a lone character", "s1");
    let (above, title) = text.split_once("\n\n").unwrap();
    assert!(above.contains("roz learn show ID") && above.contains("roz ref ID"), "{text}");
    assert!(
        title.starts_with("- cl_") && title.contains(" pitfall: src/parser.rs panics"),
        "{text}"
    );
    assert!(!text.contains("use char_indices()") && text.chars().count() <= 1_000, "{text}");
    assert_eq!(ask("again: the parser panics on a character", "s1"), "", "it has it");
    let id = title[2..].split(' ').next().unwrap();
    assert_eq!(events(&roz, "surfaced").len(), 1);
    roz.run(&["learn", "show", id]).succeeds();
    assert_eq!(events(&roz, "opened").len(), 0, "a person reads it");
    let shown = roz.run(&["learn", "show", id, "--session-id", "s1"]).succeeds().stdout;
    assert!(shown.contains("  > Lexer::next in src/parser.rs cut at byte 1"), "{shown}");
    assert_eq!(events(&roz, "opened")[0]["session_id"], "s1");
    let learning = &roz.json(&["learn", "list"])["learnings"][0];
    let use_of_it = ["surfaced", "opened", "referenced", "hit_rate"].map(|it| &learning[it]);
    assert_eq!(use_of_it, [&json!(1), &json!(1), &json!(0), &json!(1.0)], "{learning}");
    roz.hook("session-end", json!({ "session_id": "s1", "reason": "other" }));
    assert_eq!(events(&roz, "dismissed").len(), 0, "it was opened");
    let said = roz.run(&["learn", "show", "cl_none"]).fails();
    assert!(said.contains("there is no learning `cl_none`"), "{said}");
}

#[test]
fn what_was_opened_ranks_higher_the_next_time() {
    let other = |name: &str| format!("src/{name}.rs stalls when the queue of the worker is full");
    let (a, b) = (other("alpha"), other("beta"));
    let detail = "Seen with 4096 jobs; the worker of the queue waits for itself.";
    let roz = knowing(&[(&a, detail, "src/x.rs"), (&b, detail, "src/y.rs")]);
    let first = |session: &str| {
        let payload = json!({ "prompt": "the queue of the worker stalls", "session_id": session });
        let text = told(&roz.hook("user-prompt", payload));
        text.lines().find(|it| it.starts_with("- ")).unwrap_or_default().to_owned()
    };
    let shown = first("s1");
    let listed = roz.json(&["learn", "list"])["learnings"].clone();
    let behind =
        listed.as_array().unwrap().iter().find(|it| !shown.contains(it["id"].as_str().unwrap()));
    let behind = behind.unwrap()["id"].as_str().unwrap();
    roz.run(&["learn", "show", behind, "--session-id", "s1"]).succeeds();
    assert!(first("s2").contains(behind), "{behind} was opened");
}

#[test]
fn what_names_a_file_of_the_prompt_comes_whole_and_counts_as_shown() {
    let roz = knowing(&[PANICS, ORDER]);
    let payload = json!({ "prompt": "look at shop/limits/quota.py", "session_id": "s1" });
    let text = told(&roz.hook("user-prompt", payload));
    assert!(
        text.contains("\n  > check_all() in shop/limits/quota.py fills LIMITS first"),
        "{text}"
    );
    assert_eq!(events(&roz, "surfaced").len(), 1, "{text}");
    roz.hook("session-end", json!({ "session_id": "s1", "reason": "other" }));
    assert_eq!(events(&roz, "dismissed").len(), 0);
}

#[test]
fn a_failing_command_brings_the_title_of_the_learning_about_it_once() {
    let roz = knowing(&[PANICS, ORDER]);
    let fails = |session: &str, command: &str, error: &str| {
        told(&roz.hook(
            "post-tool-use-failure",
            json!({ "session_id": session, "tool_name": "Bash", "tool_use_id": "toolu_1",
                    "tool_input": { "command": command }, "error": error }),
        ))
    };
    let error = format!("Exit code 101\n{}\nin Lexer::next: byte index 1", "ok\n".repeat(400));
    let text = fails("s1", "cargo test", &error);
    assert!(text.contains("- cl_") && text.contains("src/parser.rs panics"), "{text}");
    assert_eq!(fails("s1", "cargo test", &error), "", "once");
    assert!(fails("s2", "cargo test", &error).contains("src/parser.rs panics"));
    assert_eq!(fails("s1", "make", "Exit code 2\nno rule to make target"), "");
    let far = format!("Exit code 1\nLexer::next\n{}", "ok\n".repeat(400));
    assert_eq!(fails("s3", "make", &far), "", "only the end of an error counts");
}

#[test]
fn a_call_that_is_refused_twice_for_the_same_reason_brings_a_title_once() {
    let reviewer = (
        "`roz decide` is for a reviewer with a token: start one with the Agent tool, subagent roz:roz",
        "Seen with `roz decide s1 COMPLETE`: the main agent has no token, so it is always refused.",
        "docs/review.md",
    );
    let roz = knowing(&[PANICS, reviewer]);
    let refused = |command: &str| {
        let payload = json!({ "session_id": "s1", "tool_name": "Bash", "tool_use_id": "toolu_1",
                              "tool_input": { "command": command } });
        let reply = roz.hook("pre-tool-use", payload);
        reply.denies();
        told(&reply)
    };
    assert_eq!(refused("roz decide s1 COMPLETE fine"), "");
    assert!(refused("roz decide s1 COMPLETE ok").contains("is for a reviewer with a token"));
    assert_eq!(refused("roz decide s1 COMPLETE done"), "", "once");
    let logged = events(&roz, "surfaced");
    assert_eq!(logged.len(), 1, "{logged:?}");
}
