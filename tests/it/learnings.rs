//! The verbs about learnings, through the front door: what they print for
//! people and for programs, what they write, and how they end.

mod daily;
mod pages;
mod shared;
mod tickets;

use std::{
    fmt::Write as _,
    fs,
    time::{Duration, Instant},
};

use chrono::{DateTime, TimeDelta, Utc};
use roz::{
    core::reflection::{
        learning::{Category, Confidence, Learning, Scope, Status},
        usage::{Entry, Event},
    },
    memory::{Markdown, MemoryBackend as _},
    usage_log::UsageLog,
};
use serde_json::{Value, json};

use crate::{
    disk::read_only,
    support::{MORNING, Ran, Roz, start},
};

/// So many days before the tests' morning.
pub(crate) fn day(ago: i64) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(MORNING).unwrap().to_utc() - TimeDelta::days(ago)
}

fn learning(id: &str, ago: i64, summary: &str) -> Learning {
    Learning {
        id: id.to_owned(),
        category: Category::Pitfall,
        summary: summary.to_owned(),
        detail: format!("In full: {summary}."),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        status: Status::Active,
        criteria: Vec::new(),
        tags: vec!["lexer".to_owned()],
        context_files: Vec::new(),
        relevance: None,
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at: day(ago),
        roz_version: None,
    }
}

const LEXER: &str = "cl_20260101_lexera";
const CACHE: &str = "cl_20251201_cacheb";
const STYLE: &str = "cl_20250301_stylec";

impl Roz {
    fn keeps(&self, learnings: impl IntoIterator<Item = Learning>) {
        let path = self.project().join(".roz/learnings.md");
        let file = Markdown::of_project(path, Duration::from_secs(5));
        for it in learnings {
            file.write(&it).unwrap();
        }
    }

    fn logs(&self, events: impl IntoIterator<Item = (i64, Event)>) {
        let entries: Vec<Entry> =
            events.into_iter().map(|(ago, event)| Entry::new(day(ago), event)).collect();
        let log =
            UsageLog::new(&self.kept_of_project(), &self.project().join(".roz"), &self.home());
        log.append(&entries, Instant::now() + Duration::from_secs(5)).unwrap();
    }

    fn logged(&self, event: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.kept_of_project().join("stats.log")).unwrap_or_default();
        let entries = text.lines().map(|it| serde_json::from_str(it).unwrap());
        entries.filter(|it: &Value| it["event"] == event).collect()
    }

    /// The learnings that a listing names, in its order.
    #[track_caller]
    fn listed(&self, args: &[&str]) -> Vec<String> {
        ids(&self.json(&[&["learn", "list"], args].concat())["learnings"])
    }

    #[track_caller]
    fn status_of(&self, id: &str) -> String {
        let all = self.json(&["learn", "list"]);
        let found = all["learnings"].as_array().unwrap().iter().find(|it| it["id"] == id);
        found.unwrap()["status"].as_str().unwrap().to_owned()
    }

    /// What a verb with `--json` answers when it could not do all.
    #[track_caller]
    fn badly(&self, args: &[&str]) -> Value {
        let ran = self.run(&[args, &["--json"]].concat());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap()
    }
}

fn ids(list: &Value) -> Vec<String> {
    let list = list.as_array().unwrap().iter();
    list.map(|it| it["id"].as_str().unwrap().to_owned()).collect()
}

fn shown(id: &str, session: &str) -> Event {
    Event::Surfaced { learning_id: id.into(), session_id: session.into(), ticket_id: None }
}

fn used(id: &str, session: &str) -> Event {
    let (learning_id, session_id) = (id.into(), session.into());
    Event::Referenced { learning_id, session_id, ticket_id: None, how: None }
}

fn dismissed(id: &str, session: &str) -> Event {
    Event::Dismissed { learning_id: id.into(), session_id: session.into() }
}

/// Three learnings: one of yesterday that is shown in vain, one of a month ago
/// that helps, one of long ago that nobody uses.
fn three() -> Roz {
    let roz = Roz::new();
    let mut cache = learning(CACHE, 32, "redis 7 evicts keys of db 3 first under `allkeys-lru`");
    (cache.category, cache.tags) = (Category::Dependency, vec!["redis".into(), "Cache".into()]);
    let mut style = learning(STYLE, 307, "kebab-case for file names under web/, checked by eslint");
    (style.category, style.tags) = (Category::Convention, vec!["web".into()]);
    let lexer = learning(LEXER, 1, "src/lexer.rs panics on a lone `\\r`: Lexer::next slices bytes");
    roz.keeps([style, cache, lexer]);
    roz.logs((0..4).map(|at| (1, shown(LEXER, &format!("s{at}")))));
    roz.logs([(20, shown(CACHE, "s1")), (20, used(CACHE, "s1")), (9, shown(CACHE, "s2"))]);
    roz
}

/// Every verb of this file, as somebody begins with it.
const VERBS: &[&[&str]] = &[
    &["search", "lexer"],
    &["learn", "list"],
    &["learn", "due"],
    &["learn", "due"],
    &["learn", "archive", "--due", "--dry-run"],
    &["learn", "rebuild"],
    &["learn", "stale"],
    &["learn", "rate"],
    &["tickets"],
    &["learn", "backends"],
];

// Search.

#[test]
fn search_finds_by_stems_and_parts_and_says_why() {
    let roz = three();
    for (query, id) in
        [("panic", LEXER), ("kebab", STYLE), ("evicting", CACHE), ("src/lexer.rs", LEXER)]
    {
        let results = &roz.json(&["search", query])["results"];
        assert_eq!(ids(results), [id], "{query}");
        let it = &results[0];
        assert!(it["score"].as_f64().unwrap() > 0.0, "{it}");
        assert!(it["summary"].is_string() && it["detail"].is_string(), "{it}");
        assert!(!it["why"].as_array().unwrap().is_empty(), "{it}");
    }
    let text = roz.run(&["search", "the", "lexer", "panics"]).succeeds().stdout;
    for word in [LEXER, "src/lexer.rs panics on a lone", "for: ", "In full", "roz ref"] {
        assert!(text.contains(word), "`{word}` is not in {text}");
    }
    assert_eq!(roz.json(&["search", "haiku about the sea"])["results"], json!([]));
    let text = roz.run(&["search", "haiku about the sea"]).succeeds().stdout;
    assert!(text.contains("Nothing fits"), "{text}");
}

#[test]
fn of_two_that_fit_as_well_search_names_first_what_is_newer_and_what_helped() {
    let roz = Roz::new();
    let same = "Lexer::next in src/lexer.rs panics on a lone carriage return";
    let [old, new, third] = ["cl_20250301_oldaaa", "cl_20260101_newbbb", "cl_20260101_newccc"];
    roz.keeps([learning(old, 300, same), learning(new, 1, same), learning(third, 1, same)]);
    let found = || -> Vec<(String, f64)> {
        let out = roz.json(&["search", "lexer panics on carriage return"]);
        let all = out["results"].as_array().unwrap().iter();
        all.map(|it| (it["id"].as_str().unwrap().to_owned(), it["score"].as_f64().unwrap()))
            .collect()
    };
    let ids: Vec<String> = found().into_iter().map(|it| it.0).collect();
    assert_eq!(ids, [new, third, old]);
    let rated = |id: &str, useful| (0, Event::Rated { learning_id: id.to_owned(), useful });
    roz.logs([rated(third, true), rated(new, false)]);
    let all = found();
    assert_eq!(all[0].0, third);
    assert!(all[0].1 > all[1].1 && all[1].1 > all[2].1, "{all:?}");
}

#[test]
fn search_is_narrowed_by_category_tag_and_scope() {
    let roz = three();
    let found = |args: &[&str]| {
        let query = &["search", "lexer panics redis evicts kebab eslint names", "--limit", "9"];
        let mut ids = ids(&roz.json(&[&query[..], args].concat())["results"]);
        ids.sort();
        ids
    };
    assert_eq!(found(&["--category", "pitfall"]), [LEXER]);
    assert_eq!(found(&["--category", "pitfall", "--category", "Convention"]), [STYLE, LEXER]);
    assert_eq!(found(&["--tag", "cache"]), [CACHE]);
    assert_eq!(found(&["--scope", "personal"]), [""; 0]);
    assert_eq!(found(&[]).len(), 3);
    let one = roz.json(&["search", "lexer panics redis evicts", "--limit", "1"]);
    assert_eq!(one["results"].as_array().unwrap().len(), 1);
    let said = roz.run(&["search", "lexer", "--category", "pitfal"]).misuses();
    assert!(said.contains("'pitfall'"), "{said}");
    let said = roz.run(&["search", " "]).fails();
    assert!(said.contains("the query is empty"), "{said}");
    roz.run(&["search"]).misuses();
}

#[test]
fn what_is_put_away_is_found_where_it_is_asked_for() {
    let roz = three();
    roz.run(&["learn", "archive", LEXER]).succeeds();
    assert_eq!(roz.json(&["search", "panic"])["results"], json!([]));
    let found = roz.json(&["search", "panic", "--include-archived"]);
    assert_eq!(ids(&found["results"]), [LEXER]);
    let text = roz.run(&["search", "panic", "--include-archived"]).succeeds().stdout;
    assert!(text.contains("archived"), "{text}");
}

// Listing.

#[test]
fn learnings_have_every_field_and_how_they_are_used() {
    let roz = three();
    let all = roz.json(&["learn", "list"]);
    let list = all["learnings"].as_array().unwrap();
    assert_eq!(list.len(), 3);
    for it in list {
        for key in [
            "id",
            "category",
            "summary",
            "detail",
            "scope",
            "confidence",
            "status",
            "criteria",
            "tags",
            "context_files",
            "relevance",
            "ticket_id",
            "session_id",
            "supersedes",
            "created_at",
            "roz_version",
            "surfaced",
            "referenced",
            "hit_rate",
        ] {
            assert!(it.get(key).is_some(), "no `{key}` in {it}");
        }
    }
    let cache = list.iter().find(|it| it["id"] == CACHE).unwrap();
    let told = ["surfaced", "referenced", "hit_rate"].map(|key| &cache[key]);
    assert_eq!(told, [&json!(2), &json!(1), &json!(0.5)]);
    assert_eq!(list.iter().find(|it| it["id"] == STYLE).unwrap()["hit_rate"], Value::Null);
}

#[test]
fn learnings_are_sorted_and_narrowed_as_asked() {
    let roz = three();
    assert_eq!(roz.listed(&[]), [LEXER, CACHE, STYLE]);
    assert_eq!(roz.listed(&["--asc"]), [STYLE, CACHE, LEXER]);
    assert_eq!(roz.listed(&["--sort", "used"])[0], CACHE);
    assert_eq!(roz.listed(&["--sort", "hit-rate"]), [CACHE, LEXER, STYLE]);
    assert_eq!(roz.listed(&["--sort", "surfaced"]), [LEXER, CACHE, STYLE]);
    assert_eq!(roz.listed(&["--limit", "1"]), [LEXER]);
    assert_eq!(roz.listed(&["--category", "dependency"]), [CACHE]);
    assert_eq!(roz.listed(&["--tag", "WEB"]), [STYLE]);
    roz.run(&["learn", "archive", STYLE]).succeeds();
    assert_eq!(roz.listed(&["--status", "archived"]), [STYLE]);
    assert_eq!(roz.listed(&["--status", "active"]), [LEXER, CACHE]);
    assert!(roz.run(&["learn", "list", "--sort", "hitrate"]).misuses().contains("hit-rate"));
}

#[test]
fn tables_are_aligned_and_no_wider_than_the_terminal() {
    let roz = three().with_var("COLUMNS", "80");
    let mut named = learning("cl_20260101_fileon", 1, &"long words about src/gone.rs ".repeat(6));
    named.context_files = vec!["src/gone.rs".to_owned()];
    roz.keeps([named, learning("cl_20250705_soonit", 179, "soon")]);
    for args in VERBS.iter().filter(|it| it[0] != "backends") {
        let text = roz.run(args).succeeds().stdout;
        // Paths are not cut: they are for the clipboard.
        let lines = text.lines().filter(|it| !it.contains("/.roz/"));
        for line in lines {
            assert!(line.chars().count() <= 80, "{args:?}: {line}");
        }
    }
    roz.run(&["learn", "archive", STYLE]).succeeds();
    let text = roz.run(&["learn", "list"]).succeeds().stdout;
    let at = text.lines().next().unwrap().find("SUMMARY").unwrap();
    let begins = ["src/lexer", "long words", "redis 7", "soon", "kebab"];
    for (line, begin) in text.lines().skip(1).zip(begins) {
        assert!(line[at..].starts_with(begin), "{text}");
    }
    assert!(text.contains("archived"), "{text}");
}

#[test]
fn what_cannot_be_read_is_named_with_its_line_and_hides_nothing() {
    let roz = three();
    let path = roz.project().join(".roz/learnings.md");
    let before = fs::read_to_string(&path).unwrap();
    let line = before.lines().count() + 2;
    let broken = "\n## Half an entry ^cl_20260101_halfen\n- **Category:** nonsense\n> Why.\n";
    fs::write(&path, before + broken).unwrap();
    let all = roz.json(&["learn", "list"]);
    assert_eq!(all["learnings"].as_array().unwrap().len(), 3);
    let problem = &all["problems"][0];
    let place = problem["place"].as_str().unwrap();
    assert!(place.contains(&format!("learnings.md:{line}")), "{place}");
    assert!(problem["what"].as_str().unwrap().contains("cl_20260101_halfen"), "{problem}");
    for args in
        [&["learn", "list"][..], &["search", "panic"], &["learn", "due"], &["learn", "rebuild"]]
    {
        let text = roz.run(args).succeeds().stdout;
        assert!(text.contains(&format!("learnings.md:{line}")), "{args:?}: {text}");
    }
}

#[test]
fn what_others_wrote_drives_no_terminal() {
    let roz = Roz::new();
    let evil = "\u{1b}[2Jred\u{7}lexer panics";
    let mut it = learning(LEXER, 400, evil);
    (it.tags, it.context_files) = (vec![evil.into()], vec![evil.into()]);
    roz.keeps([it]);
    roz.logs((0..4).map(|at| (1, shown(LEXER, &format!("s{at}")))));
    for args in VERBS {
        let text = roz.run(args).succeeds().stdout;
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{args:?}: {text:?}");
    }
    let unknown = roz.run(&["learn", "archive", evil]).fails();
    assert!(!unknown.contains('\u{1b}'), "{unknown:?}");
}

// All of them.

#[test]
fn a_project_that_has_learned_nothing_is_no_error_and_stays_as_it_is() {
    let roz = Roz::new();
    let before = roz.all_files();
    for args in VERBS {
        assert!(!roz.run(args).succeeds().stdout.is_empty(), "{args:?}");
        roz.json(args);
    }
    let files = roz.all_files();
    let new: Vec<_> = files.iter().filter(|it| !before.contains(it)).collect();
    // An index of nothing may be kept in the home.
    assert!(new.iter().all(|it| it.starts_with("user/.roz")), "{new:?}");
    assert_eq!(roz.json(&["learn", "list"]), json!({ "learnings": [], "problems": [] }));
    assert_eq!(roz.json(&["search", "x"]), json!({ "results": [], "problems": [] }));
}

#[test]
fn a_closed_pipe_is_no_error_for_any_of_them() {
    let roz = three();
    for args in VERBS {
        for more in [&[][..], &["--json"]] {
            let mut child = start(&mut roz.command(&[args, more].concat()));
            drop(child.stdout.take());
            let output = child.wait_with_output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{args:?}: {output:?}");
        }
    }
}

#[test]
fn ten_thousand_learnings_are_listed_searched_and_looked_through() {
    let roz = Roz::new();
    fs::create_dir(roz.project().join(".roz")).unwrap();
    let path = roz.project().join(".roz/learnings.md");
    let mut text = String::from("# Learnings\n");
    for at in 0..10_000 {
        let _ = write!(
            text,
            "\n## service_{at} needs port {} free ^cl_20260101_n{at:05}\n- **Status:** active\n\
             - **Category:** process\n- **Tags:** ports\n> service_{at} binds it at start.\n\
             - **Written:** 2026-01-01T00:00:00Z\n",
            10_000 + at
        );
    }
    fs::write(path, text).unwrap();
    assert_eq!(roz.listed(&[]).len(), 10_000);
    assert_eq!(roz.run(&["learn", "list"]).succeeds().stdout.lines().count(), 10_001);
    assert_eq!(ids(&roz.json(&["search", "service_4711"])["results"])[0], "cl_20260101_n04711");
    assert_eq!(roz.json(&["learn", "due"])["due"], json!([]));
    assert_eq!(roz.json(&["learn", "rebuild"])["index"]["learnings"], 10_000);
}

#[test]
fn a_read_only_project_is_read_and_says_why_it_is_not_written() {
    let roz = three();
    read_only(&roz.project(), ".roz", |starter| {
        let run = |args: &[&str]| Ran::of(roz.through(starter, args).output().unwrap());
        for args in VERBS {
            run(args).succeeds();
        }
        for args in [&["learn", "archive", LEXER][..], &["learn", "archive", "--due"]] {
            let said = run(args).fails();
            assert!(said.contains("learnings.md"), "{said}");
        }
        run(&["review-learnings", "--useful", LEXER]).succeeds();
        let start = json!({ "source": "startup" });
        let reply = roz.hook_through(starter, "session-start", start);
        reply.objects_to_nothing();
        assert!(reply.stderr.contains("was not archived"), "{}", reply.stderr);
    });
    assert_eq!(roz.status_of(LEXER), "active");
}
