//! Which learnings come back: on the labelled set, and over a year.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{Reply, Roz};

#[path = "../../examples/year/model.rs"]
mod model;

fn figure(of: &Value, split: &str, method: &str, name: &str) -> f64 {
    of["splits"][split][method][name].as_f64().unwrap_or_else(|| panic!("{split} {method} {name}"))
}

/// Keywords find a little more of what is relevant, and bury it: for each that
/// helps they show three that do not.
#[test]
fn most_of_what_is_relevant_comes_back_and_little_else() {
    let out = Roz::new().json(&["eval", "--split", "dev"]);
    let of = |method, name| figure(&out, "dev", method, name);
    assert!(of("roz", "recall_at_5") >= 0.9, "{out}");
    assert!(of("roz", "noise") < 0.15, "{out}");
    assert!(of("roz", "silent") >= 0.7, "{out}");
    assert!(of("roz", "recall_at_5") > of("keywords", "recall_at_5") - 0.05, "{out}");
    assert!(of("roz", "recall_at_5") > of("usual", "recall_at_5") + 0.1, "{out}");
    for other in ["keywords", "usual"] {
        assert!(of("roz", "noise") < of(other, "noise") / 4.0, "{out}");
        assert!(of("roz", "mrr") > of(other, "mrr"), "{out}");
    }
}

/// Most of what a project's first prompts are about nobody has written down yet. Every fifth
/// learning of each project, all of its queries, and the labels of those that are left.
#[test]
fn where_little_is_known_little_comes_that_does_not_help() {
    let (mut queries, mut shown, mut noise, mut recall) = (0.0, 0.0, 0.0, 0.0);
    for name in PROJECTS {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/retrieval/{name}.toml"));
        let mut set: toml::Table = fs::read_to_string(path).unwrap().parse().unwrap();
        let mut number = 0;
        let learnings = set["learning"].as_array_mut().unwrap();
        learnings.retain(|_| {
            number += 1;
            number % 5 == 0
        });
        assert!((10..=13).contains(&learnings.len()), "{name}");
        let left: Vec<toml::Value> = learnings.iter().map(|it| it["id"].clone()).collect();
        for query in set["query"].as_array_mut().unwrap() {
            for grade in ["relevant", "also", "near"] {
                let ids = query.get_mut(grade).and_then(|it| it.as_array_mut());
                if let Some(ids) = ids {
                    ids.retain(|it| left.contains(it));
                }
            }
        }
        let roz = Roz::new();
        roz.write("set.toml", &set.to_string());
        let out = roz.json(&["eval", "--set", "set.toml"]);
        let of = |name| figure(&out, "own", "roz", name);
        queries += of("queries");
        shown += of("shown");
        noise += of("noise") * of("shown");
        recall += of("recall_at_5") / 9.0;
    }
    assert!(noise / queries < 0.1, "{noise} for {queries} queries");
    assert!(noise / shown < 0.4, "{noise} of {shown}");
    assert!(recall > 0.7, "{recall}");
}

/// What retrieval is tuned on.
const PROJECTS: [&str; 9] =
    ["clinic", "compiler", "daw", "firmware", "game", "infra", "mobile", "pipeline", "webshop"];

/// `fit.py` multiplies them by weights of its own: the order and the number of
/// both must agree, and what has nothing in common is no candidate.
#[test]
fn what_the_model_is_fitted_to_is_what_it_is_asked() {
    let roz = Roz::new();
    let learning = |id: &str, summary: &str| {
        format!(
            "[[learning]]\nid = \"{id}\"\ncategory = \"pitfall\"\nsummary = \"{summary}\"\n\
             detail = \"On an empty one, that is.\"\ntags = [\"parser\", \"heredoc\"]\n"
        )
    };
    let learnings = learning("a", "It panics") + &learning("b", "Round late");
    let query =
        "[[query]]\nid = \"q\"\nkind = \"prompt\"\ntext = \"parser panics\"\nrelevant = [\"a\"]\n";
    let two = query.replace("parser panics", "Parser panics: a round zebra.");
    let two = two.replace("id = \"q\"", "id = \"r\"");
    roz.write("set.toml", &format!("project = \"mine\"\n{learnings}{query}{two}"));
    let out = roz.json(&["eval", "--set", "set.toml", "--traits"]);
    let traits = |id: &str| -> Vec<f64> {
        serde_json::from_value(out[0]["queries"][0]["learnings"][id].clone()).unwrap()
    };
    let (a, b) = (traits("a"), traits("b"));
    assert_eq!((a.len(), b.len()), (9, 9));
    // Both have half of the tags, one has the other word as well.
    assert!((a[3] - 0.5).abs() < 0.01 && (b[3] - 0.5).abs() < 0.01, "{out}");
    assert!(a[0] > b[0] && a[2] > b[2] && a[5] > b[5] && b[0] > 0.0, "{out}");
    assert!(out[0]["kinship"][0][1].as_f64().unwrap() > 0.0, "{out}");
    assert_eq!(out[0]["queries"][0]["clauses"], serde_json::json!([]), "one is none");
    let clauses = &out[0]["queries"][1]["clauses"];
    assert_eq!(clauses[0], out[0]["queries"][0]["learnings"], "{out}");
    assert_eq!(clauses[1].as_object().unwrap().keys().collect::<Vec<_>>(), ["b"], "{out}");
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

/// What is held out is what lies in its folder, all of it and nothing else.
#[test]
fn the_set_is_as_large_as_it_says_and_held_out_by_its_rule() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/retrieval");
    let (dev, seen) = (projects(&folder), projects(&folder.join("seen")));
    let held_out = projects(&folder.join("held-out"));
    let strangers = projects(&folder.join("strangers"));
    assert!(dev.iter().all(|it| !it.contains_key("held_out")));
    let out = Roz::new().json(&["eval"]);
    let parts = [&dev, &held_out, &seen, &strangers];
    for (split, of) in ["dev", "held_out", "seen", "strangers"].into_iter().zip(parts) {
        let queries: usize = of.iter().map(|it| rows(it, "query")).sum();
        let measured = out["splits"][split]["roz"]["queries"].as_u64().unwrap_or(0);
        assert_eq!(measured, queries as u64, "{split}");
    }
    let learnings: usize = parts.into_iter().flatten().map(|it| rows(it, "learning")).sum();
    assert_eq!(out["learnings"].as_u64(), Some(learnings as u64));
    let queries: Vec<&toml::Value> =
        dev.iter().filter_map(|it| it.get("query")).flat_map(|it| it.as_array().unwrap()).collect();
    let none = |it: &&&toml::Value| {
        it["relevant"].as_array().unwrap().is_empty() && it.get("also").is_none()
    };
    assert!(learnings >= 300 && queries.len() >= 120, "{learnings} {}", queries.len());
    assert!(queries.iter().filter(none).count() >= 20);
}

#[test]
fn a_set_of_ones_own_is_measured() {
    let roz = Roz::new();
    let learning = "[[learning]]\nid = \"a\"\ncategory = \"pitfall\"\nsummary = \"The parser panics\"\n\
                    detail = \"On an empty heredoc, that is.\"\ntags = [\"parser\"]\n";
    let query = "[[query]]\nid = \"q\"\nkind = \"prompt\"\ntext = \"a panic in the parser\"\n";
    roz.write("set.toml", &format!("project = \"mine\"\n{learning}{query}relevant = [\"a\"]\n"));
    let out = roz.json(&["eval", "--set", "set.toml"]);
    assert!((figure(&out, "own", "roz", "recall_at_5") - 1.0).abs() < 1e-9, "{out}");
    roz.write("set.toml", &format!("project = \"mine\"\n{learning}{query}relevant = [\"b\"]\n"));
    let err = roz.run(&["eval", "--set", "set.toml"]).fails();
    assert!(err.contains("query `q` names `b`"), "{err}");
}

#[test]
fn a_set_that_would_give_wrong_figures_is_refused_with_what_is_wrong() {
    let roz = Roz::new();
    let refuses = |learnings: &[(&str, u64)], labels: &str, args: &[&str], word: &str| {
        let learning = |(id, age): &(&str, u64)| {
            format!(
                "[[learning]]\nid = \"{id}\"\nage_days = {age}\ncategory = \"pitfall\"\n\
                 summary = \"The parser panics\"\ndetail = \"On an empty heredoc, that is.\"\n\
                 tags = [\"parser\"]\n"
            )
        };
        let learnings: String = learnings.iter().map(learning).collect();
        let query = "[[query]]\nid = \"q\"\nkind = \"prompt\"\ntext = \"a panic in the parser\"\n";
        roz.write("set.toml", &format!("project = \"mine\"\n{learnings}{query}{labels}\n"));
        let said = roz.run(&[&["eval", "--set", "set.toml"], args].concat()).fails();
        assert!(said.contains(word), "`{word}` not in {said}");
    };
    let a = [("a", 1)];
    refuses(
        &[("a", 4_000_000_000)],
        "relevant = [\"a\"]",
        &[],
        "learning `a` is 4000000000 days old",
    );
    refuses(&[("a", 1), ("a", 2)], "relevant = [\"a\"]", &[], "two learnings have the id `a`");
    let twice = "query `q` names `a` more than once";
    refuses(&a, "relevant = [\"a\", \"a\"]", &[], twice);
    refuses(&a, "relevant = [\"a\"]\nalso = [\"a\"]", &[], twice);
    refuses(&a, "relevant = [\"a\"]\nnear = [\"a\"]", &["--json"], twice);
    let of_no_part = "`set.toml` is no part of `--split held-out`";
    refuses(&a, "relevant = [\"a\"]", &["--split", "held-out"], of_no_part);
    refuses(&a, "relevant = [\"a\"]", &["--split", "held-out", "--json"], of_no_part);
}

const A: &str = "[[learning]]\nid = \"a\"\ncategory = \"pitfall\"\nsummary = \"The parser panics\"\n\
                 detail = \"On an empty heredoc, that is.\"\ntags = [\"parser\"]\n";

/// Of `--set`: its table, and what is printed as JSON.
fn measured(set: &str) -> (String, Value) {
    let roz = Roz::new();
    roz.write("set.toml", set);
    let table = roz.run(&["eval", "--set", "set.toml"]).succeeds().stdout;
    (table, roz.json(&["eval", "--set", "set.toml"])["splits"].clone())
}

#[test]
fn the_help_shows_a_set_that_works_as_it_stands() {
    let roz = Roz::new();
    for help in [vec!["help", "eval"], vec!["eval", "--help"]] {
        let help = roz.run(&help).succeeds().stdout;
        let (_, set) = help.split_once("A set of your own:\n").unwrap();
        let (set, _) = set.split_once("\nExamples:").unwrap();
        assert!(set.lines().all(|it| it.chars().count() < 80), "it is folded at a terminal: {set}");
        let (table, splits) = measured(set);
        assert_eq!(splits["own"]["roz"]["recall_at_5"], 1.0, "{splits}");
        assert_eq!(splits["own"]["roz"]["silent"], 1.0, "{splits}");
        assert!(table.contains("\nmine ") && !table.contains("dev"), "{table}");
    }
    for broken in ["", "nonsense", "project = 1", "[[learning]]\nid = \"a\""] {
        roz.write("set.toml", broken);
        let said = roz.run(&["eval", "--set", "set.toml"]).fails();
        assert!(said.contains("`roz help eval` shows what a set looks like"), "{broken}: {said}");
    }
}

#[test]
fn what_there_is_nothing_to_take_from_is_no_figure() {
    let unfound = "[[query]]\nid = \"q\"\ntext = \"a zebra crosses\"\nrelevant = []\n";
    let (table, splits) = measured(&format!("{A}{unfound}"));
    let of = |name: &str| splits["own"]["roz"][name].clone();
    for name in ["recall_at_5", "recall_at_5_of_all", "precision", "noise", "mrr"] {
        assert_eq!(of(name), Value::Null, "{name} of {splits}");
    }
    assert_eq!((of("silent"), of("shown")), (json!(1.0), json!(0)));
    let row = table.lines().find(|it| it.contains(" roz ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["own", "roz", "1", "-", "-", "-", "-", "-", "1.000", "0"]);
    let found = "[[query]]\nid = \"q\"\ntext = \"a panic in the parser\"\nrelevant = [\"a\"]\n";
    let (_, splits) = measured(&format!("{A}{found}"));
    assert_eq!(splits["own"]["roz"]["silent"], Value::Null, "{splits}");
}

#[test]
fn two_queries_of_one_id_are_refused_and_a_held_out_set_is_ones_own() {
    let roz = Roz::new();
    let query = "[[query]]\nid = \"q\"\ntext = \"a panic in the parser\"\nrelevant = [\"a\"]\n";
    roz.write("set.toml", &format!("{A}{query}{query}"));
    let said = roz.run(&["eval", "--set", "set.toml"]).fails();
    assert!(said.contains("two queries have the id `q`"), "{said}");
    roz.write("set.toml", &format!("held_out = true\n{A}{query}"));
    for split in ["all", "held-out"] {
        let out = roz.json(&["eval", "--set", "set.toml", "--split", split]);
        assert_eq!(out["splits"]["own"]["roz"]["queries"], 1, "{out}");
    }
    assert!(roz.run(&["eval", "--set", "set.toml", "--split", "dev"]).fails().contains("no part"));
}

#[test]
fn misses_are_named_in_json_as_well() {
    let roz = Roz::new();
    let learning = |id: &str, summary: &str| {
        format!(
            "[[learning]]\nid = \"{id}\"\ncategory = \"pitfall\"\nsummary = \"{summary}\"\n\
             detail = \"On an empty heredoc, that is.\"\ntags = [\"parser\"]\n"
        )
    };
    let learnings = learning("a", "The parser panics") + &learning("b", "Quite another thing");
    let query = "[[query]]\nid = \"q\"\nkind = \"prompt\"\ntext = \"a panic in the parser\"\nrelevant = [\"b\"]\n";
    roz.write("set.toml", &format!("project = \"mine\"\n{learnings}{query}"));
    let out = roz.json(&["eval", "--set", "set.toml", "--misses"]);
    let misses = &out["splits"]["own"]["roz"]["misses"];
    assert_eq!(misses[0]["query"], "q", "{out}");
    assert!(misses[0]["noise"].as_array().unwrap().contains(&"a".into()), "{out}");
    let told = roz.run(&["eval", "--set", "set.toml", "--misses"]).succeeds().stdout;
    assert!(told.starts_with("q: shown ") && told.contains("noise a"), "{told}");
    let without = roz.json(&["eval", "--set", "set.toml"]);
    assert!(without["splits"]["own"]["roz"].get("misses").is_none(), "{without}");
}

/// The claims of `examples/year`, on its own model.
#[test]
fn in_a_year_useful_learnings_keep_coming_and_useless_ones_sink() {
    let years = [1, 2, 3].map(model::year);
    let quarter = |of: std::ops::Range<usize>| {
        model::sum(&years.iter().flat_map(|it| &it[of.clone()]).copied().collect::<Vec<_>>())
    };
    let (first, last, all) = (quarter(0..3), quarter(9..12), quarter(0..12));
    assert!(last.hit_rate() > first.hit_rate() + 0.05, "{first:?} {last:?}");
    assert!(last.useful_share() > first.useful_share() + 0.1, "{first:?} {last:?}");
    assert!(last.useless_share() < first.useless_share() - 0.05, "{first:?} {last:?}");
    assert!(all.starved * 4 <= all.wanted, "{all:?}");
    for months in &years {
        let (first, last) = (model::sum(&months[..3]), model::sum(&months[9..]));
        assert!(last.hit_rate() > first.hit_rate(), "{first:?} {last:?}");
    }
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
fn what_counts_as_shown_was_shown_whole() {
    let roz = knowing(&[PANICS, ORDER]);
    let many = (0..1700).map(|at| format!("/x{at}")).collect::<Vec<_>>().concat();
    let prompt = format!("the lexer panics, parser-panics-lexer-carriage{many}");
    let reply = roz.hook("user-prompt", json!({ "prompt": prompt, "session_id": "s1" }));
    let text = told(&reply);
    assert!(text.contains("use char_indices()") && text.len() < 2_000, "{text}");
    let log = fs::read_to_string(roz.kept_of_project().join("stats.log")).unwrap();
    assert_eq!(log.matches("\"surfaced\"").count(), text.matches("- cl_").count(), "{log}");
}
