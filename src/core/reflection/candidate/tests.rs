//! Each rule at its edges, and that no other candidate pays for it.

use serde_json::json;

use super::*;

const ORIGIN: Origin = Origin {
    now: chrono::DateTime::UNIX_EPOCH,
    session_id: None,
    ticket_id: None,
    roz_version: "1",
};

fn read(item: &Value) -> Read {
    super::read(item, &ORIGIN)
}

/// The printed example with other texts.
fn whole() -> Value {
    let mut value = example()["candidates"][0].clone();
    value["summary"] = "cargo test hangs when port 5432 is taken by a local Postgres".into();
    value["detail"] = "tests/db.rs binds 5432; stop the service or set PGPORT=5433 first.".into();
    value
}

fn with(name: &str, value: impl Into<Value>) -> Read {
    let mut item = whole();
    item[name] = value.into();
    read(&item)
}

#[track_caller]
fn passes(read: &Read) {
    assert!(read.candidate.is_ok(), "{:?}", read.candidate);
}

/// The one reason for which it is rejected.
#[track_caller]
fn reason(read: &Read) -> &str {
    let reasons = read.candidate.as_ref().unwrap_err();
    assert_eq!(reasons.len(), 1, "{reasons:?}");
    &reasons[0]
}

/// `n` characters of two bytes each.
fn text(n: usize) -> String {
    "é".repeat(n)
}

#[test]
fn a_candidate_with_every_field_passes_without_a_warning() {
    let read = read(&whole());
    passes(&read);
    assert!(read.warnings.is_empty(), "{:?}", read.warnings);
}

#[test]
fn a_placeholder_is_no_text_and_the_answer_says_so() {
    let [summary, detail, tag] = PLACEHOLDERS;
    let printed = &example()["candidates"][0];
    for (name, text) in [
        ("summary", summary),
        ("detail", detail),
        ("summary", printed["summary"].as_str().unwrap()),
        ("detail", printed["detail"].as_str().unwrap()),
        ("summary", "…"),
        ("detail", "..."),
    ] {
        let read = with(name, text);
        assert!(reason(&read).starts_with(&format!("`{name}` is a placeholder")), "{text}");
    }
    assert!(reason(&with("tags", json!([tag]))).starts_with("`tags` has the placeholder"));
    passes(&with("summary", "TODO comments without a ticket fail `cargo xtask lint`"));
    passes(&with("summary", "The example in docs/usage.md is compiled by doctest"));
    passes(&with("tags", json!(["example", "todo"])));
}

#[test]
fn a_summary_has_10_to_200_characters() {
    for n in [10, 11, 199, 200] {
        passes(&with("summary", text(n)));
    }
    for (n, says) in [(9, "has 9 characters"), (201, "has 201 characters")] {
        let read = with("summary", text(n));
        let wanted = "say there what you learned, in 10 to 200 characters";
        assert_eq!(reason(&read), format!("`summary` {says}; {wanted}"));
    }
}

#[test]
fn a_detail_has_20_to_2000_characters() {
    for n in [20, 21, 1999, 2000] {
        passes(&with("detail", text(n)));
    }
    for n in [19, 2001] {
        assert!(reason(&with("detail", text(n))).contains(&format!("`detail` has {n} characters")));
    }
}

#[test]
fn blanks_around_a_text_do_not_count() {
    passes(&with("summary", format!("\n {} \t", text(200))));
    assert!(reason(&with("summary", format!("  {}  ", text(9)))).contains("has 9 characters"));
    let read = with("detail", "  twenty characters it is  ");
    assert_eq!(read.candidate.unwrap().detail, "twenty characters it is");
}

#[test]
fn a_summary_is_one_line() {
    let read = with("summary", "first line\nsecond\u{0} line");
    assert_eq!(read.candidate.unwrap().summary, "first line second  line");
}

#[test]
fn a_detail_does_not_repeat_the_summary() {
    let same = whole()["summary"].clone();
    assert!(reason(&with("detail", same.clone())).starts_with("`detail` repeats `summary`"));
    let same = same.as_str().unwrap().to_uppercase() + "!";
    assert!(reason(&with("detail", same)).starts_with("`detail` repeats `summary`"));
}

#[test]
fn there_are_1_to_10_tags() {
    let tags = |n: usize| (0..n).map(|count| format!("t{count}")).collect::<Vec<_>>();
    for n in [1, 2, 9, 10] {
        passes(&with("tags", tags(n)));
    }
    for n in [0, 11] {
        let says = format!("`tags` has {n}; list 1 to 10 words");
        assert!(reason(&with("tags", tags(n))).starts_with(&says));
    }
}

#[test]
fn tags_are_words_in_a_list() {
    for (wrong, says) in [
        (json!("a, b"), "`tags` is `a, b`; list 1"),
        (json!([1, "a"]), "`tags` is a list; list 1"),
        (json!([" "]), "`tags` has 0; list 1"),
        (Value::Null, "`tags` is missing; list 1"),
    ] {
        assert!(reason(&with("tags", wrong)).starts_with(says), "{says}");
    }
    let read = with("tags", json!([" #auth ", "auth", "c++", "config_yaml", "build.rs"]));
    assert_eq!(read.candidate.unwrap().tags, ["auth", "c++", "config_yaml", "build.rs"]);
}

#[test]
fn categories_are_a_closed_set_in_any_case() {
    for category in Category::ALL {
        passes(&with("category", category.word().to_uppercase()));
    }
    let all = "it is one of pattern, pitfall, convention, dependency, process, domain, debugging";
    assert_eq!(reason(&with("category", "lesson")), format!("`category` is `lesson`; {all}"));
    assert_eq!(reason(&with("category", 1)), format!("`category` is a number; {all}"));
    assert_eq!(reason(&with("category", Value::Null)), format!("`category` is missing; {all}"));
}

#[test]
fn one_known_criterion_is_enough() {
    let read = with("criteria_met", json!(["Stable-Fact", "interesting", "stable_fact"]));
    assert_eq!(read.warnings.len(), 1);
    assert!(read.warnings[0].contains("`interesting` is ignored"), "{:?}", read.warnings);
    assert_eq!(read.candidate.unwrap().criteria, [Criterion::StableFact]);
    for wrong in [json!([]), json!(["interesting"]), json!("stable_fact"), json!(null), json!([1])]
    {
        assert!(
            reason(&with("criteria_met", wrong)).contains("list one or more of behavior_changing")
        );
    }
}

#[test]
fn an_unknown_scope_or_confidence_is_a_warning_and_the_default() {
    for (name, wrong) in [("scope", json!("global")), ("confidence", json!(0.9))] {
        let read = with(name, wrong);
        assert_eq!(read.warnings.len(), 1, "{:?}", read.warnings);
        let candidate = read.candidate.unwrap();
        assert_eq!(candidate.scope, Scope::Project);
        assert_eq!(
            candidate.confidence,
            if name == "scope" { Confidence::High } else { Confidence::Medium }
        );
    }
    assert_eq!(with("scope", "Personal").candidate.unwrap().scope, Scope::Personal);
    let mut bare = whole();
    for name in ["scope", "confidence", "context_files", "relevance"] {
        bare.as_object_mut().unwrap().remove(name);
    }
    let read = read(&bare);
    passes(&read);
    assert!(read.warnings.is_empty());
}

#[test]
fn every_reason_is_given_at_once() {
    let read = read(&json!({ "category": "x", "summary": "short", "tags": [], "scope": 1 }));
    let reasons = read.candidate.unwrap_err();
    assert_eq!(reasons.len(), 5, "{reasons:?}");
    for name in ["category", "summary", "detail", "criteria_met", "tags"] {
        assert!(reasons.iter().any(|reason| reason.starts_with(&format!("`{name}`"))), "{name}");
    }
    assert_eq!(read.summary, "short");
}

#[test]
fn a_misspelt_field_is_named() {
    let read = with("relevence", "x");
    passes(&read);
    assert!(read.warnings[0].starts_with("`relevence` is ignored: the fields are category, "));
}

#[test]
fn optional_fields_of_another_type_are_passed_over() {
    for (name, wrong) in
        [("context_files", json!("a")), ("relevance", json!([])), ("supersedes", json!(1))]
    {
        let read = with(name, wrong);
        passes(&read);
        assert_eq!(read.warnings.len(), 1);
    }
}

#[test]
fn what_is_no_object_is_no_candidate() {
    for wrong in [json!(null), json!("x"), json!([]), json!(1)] {
        assert!(reason(&read(&wrong)).contains("not an object"));
    }
}

#[test]
fn a_batch_is_an_object_with_a_list_of_candidates() {
    let wrong = |text| Batch::parse(text).unwrap_err().to_string();
    assert!(wrong(" \n").contains("is empty"));
    assert!(wrong("{").contains("is not JSON"));
    assert!(wrong("[]").contains("is a list, not an object"));
    assert!(wrong("{}").contains("an object without `candidates`"));
    assert!(wrong(r#"{"candidates":{}}"#).contains("an object whose `candidates` is not a list"));
    assert!(Batch::parse("\u{feff}{\"candidates\":[]}\n").unwrap().candidates.is_empty());
    assert!(Batch::parse(&"[".repeat(100_000)).is_err());
}

#[test]
fn what_else_a_batch_holds_is_read_or_named() {
    let batch = Batch::parse(
        r#"{"session_id":" s1 ","candidates":[],"notes":"n","rating":[],
            "learnings_used":[{"id":"cl_1","how":"saved an hour"},"cl_2",{"how":"x"}],
            "ratings":[{"id":"cl_1","useful":true},{"id":"cl_2"}]}"#,
    )
    .unwrap();
    assert_eq!(batch.session_id.as_deref(), Some("s1"));
    assert_eq!(batch.notes.as_deref(), Some("n"));
    let used = |id: &str, how: Option<&str>| Used { id: id.into(), how: how.map(Into::into) };
    assert_eq!(batch.learnings_used, [used("cl_1", Some("saved an hour")), used("cl_2", None)]);
    assert_eq!(batch.ratings, [Rating { id: "cl_1".into(), useful: true }]);
    assert_eq!(batch.warnings.len(), 2, "{:?}", batch.warnings);
}

#[test]
fn the_schema_names_the_fields_and_limits_that_are_read() {
    let schema = schema();
    let candidate = &schema["properties"]["candidates"]["items"];
    assert!(candidate["properties"]["relevance"].is_object());
    assert_eq!(candidate["properties"]["summary"]["maxLength"], 200);
    assert_eq!(candidate["properties"]["detail"]["minLength"], 20);
    assert_eq!(candidate["properties"]["tags"]["maxItems"], 10);
    assert_eq!(schema["examples"][0], example());
}
