//! The labelled pairs on which the thresholds were tuned.

use super::*;
use crate::core::reflection::learning::{Category, Confidence, Scope, Status};

/// Of one lesson.
const SAME: &[(&str, &str)] = &[
    // Case, blanks, punctuation.
    ("Run cargo fmt before committing", "run  cargo fmt, before committing."),
    ("Use spawn_blocking for bcrypt", "USE SPAWN BLOCKING FOR BCRYPT!"),
    ("Don't mock the clock in billing tests", "Don’t mock the clock in billing tests"),
    ("Close the response body on a non-200 status", "Close the response-body on a non 200 status"),
    // One inserted word.
    ("Run cargo fmt before committing", "Run cargo fmt locally before committing"),
    ("Webhooks are delivered at least once", "Stripe webhooks are delivered at least once"),
    ("Quote globs in package.json scripts", "Quote all globs in package.json npm scripts"),
    (
        "The staging database is wiped every Sunday",
        "The whole staging database is wiped every Sunday",
    ),
    ("Restart vite after editing .env", "Restart the vite server after editing .env"),
    // A prefix, or a tail.
    ("Run cargo fmt before committing", "Note: always run cargo fmt before committing"),
    ("CI runs on Node 18", "Important: the CI runs on Node 18"),
    ("Amounts are stored as integer cents", "Remember that amounts are stored as integer cents"),
    ("Pass --locked to cargo in CI", "Pass --locked to cargo in CI so that the lock file stays"),
    // Another order.
    ("Run cargo fmt before committing", "Before committing, run cargo fmt"),
    ("In CI, pass --locked to cargo", "Pass --locked to cargo in CI"),
    (
        "After editing .env restart the vite dev server",
        "Restart the vite dev server after editing .env",
    ),
    (
        "For bcrypt use spawn_blocking in async handlers",
        "Use spawn_blocking in async handlers for bcrypt",
    ),
    // Other forms of the words.
    ("Running the linter catches unused imports", "Run the linter: it catches unused imports"),
    ("Stale object files crash the linker", "A stale object file crashes the linker"),
    ("The importer reads latin-1 files", "Importer read latin-1 file"),
    // Ideographs.
    ("登录接口失败五次后锁定账号", "登录接口失败五次后会锁定账号"),
];

/// Two lessons, though about one thing.
const DISTINCT: &[(&str, &str)] = &[
    ("Run cargo fmt before committing", "Run cargo clippy before committing"),
    ("Run cargo fmt before committing", "Run cargo fmt after generating code"),
    ("Migrate before deploy", "Deploy before migrate"),
    ("Run the migrations before the deploy", "Run the deploy before the migrations"),
    ("The gateway times out after 30 seconds", "The gateway times out after 60 seconds"),
    ("CI runs on Node 18", "CI runs on Node 20"),
    ("Retry webhooks 3 times", "Retry webhooks 5 times with jitter"),
    ("Always mock the clock in billing tests", "Never mock the clock in billing tests"),
    ("Use ORM queries in the reporting service", "Do not use ORM queries in the reporting service"),
    ("Mock the clock in billing tests", "Do not mock the clock in billing tests"),
    (
        "Use spawn_blocking for bcrypt in the login handler",
        "Use spawn_blocking for image resizing in the upload handler",
    ),
    ("Webhooks are delivered at least once", "Webhooks are signed with the endpoint secret"),
    ("The staging database is wiped every Sunday", "The staging database has no read replica"),
    ("Sessions are stored as JSON files", "Sessions are pruned after seven days"),
    ("Close the response body in the Go client", "Reuse the http.Transport in the Go client"),
    ("jest runs test files in separate workers", "jest caches transformed files in /tmp"),
    ("Quote globs in package.json scripts", "Quote variables in shell scripts"),
    ("Set PYTHONHASHSEED in the snapshot tests", "Set TZ in the snapshot tests"),
    (
        "Feature flags are cached for a day by the mobile app",
        "Feature flags are evaluated on the server for the web app",
    ),
    ("The audit log uses local time", "The audit log uses one file per tenant"),
    (
        "Postgres waits for open transactions when creating an index",
        "Postgres waits for locks when altering a table",
    ),
    ("Set PYTHONHASHSEED=1 in the snapshot tests", "Set PYTHONHASHSEED=0 in the snapshot tests"),
    ("Close the body of http.Get in the Go client", "Close the body of http.Post in the Go client"),
    ("Call flush_all before the worker forks", "Call flush_one before the worker forks"),
    ("Escape % in ExecStart", "Escape $ in EnvironmentFile"),
    ("Tags", "Tags of the release are signed by the bot and checked in the pipeline"),
    ("Use port 0 in tests", "Use a free port in production scripts"),
    ("登录接口失败五次后锁定账号", "登录接口成功后返回刷新令牌"),
];

fn learning(id: &str, summary: &str, detail: &str) -> Learning {
    Learning {
        id: id.to_owned(),
        category: Category::Pitfall,
        summary: summary.to_owned(),
        detail: detail.to_owned(),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        status: Status::Active,
        criteria: Vec::new(),
        tags: Vec::new(),
        context_files: Vec::new(),
        relevance: None,
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at: chrono::DateTime::UNIX_EPOCH,
        roz_version: None,
    }
}

fn objection(known: (&str, &str), new: (&str, &str)) -> Option<String> {
    let known = learning("cl_1", known.0, known.1);
    Known::of([&known].into_iter()).objection(&learning("", new.0, new.1))
}

fn described(a: &str, b: &str) -> String {
    let (a1, b1) = (Shingles::of(a), Shingles::of(b));
    format!("{:.2} pairs {:.2}: {a} | {b}", likeness(&a1, &b1), shared_pairs(&a1, &b1))
}

#[test]
fn one_lesson_in_other_words_is_found() {
    let missed = SAME.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let missed: Vec<_> = missed
        .filter(|(a, b)| objection((a, "x"), (b, "y")).is_none())
        .map(|(a, b)| described(a, b))
        .collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn two_lessons_about_one_thing_are_not_one() {
    let wrong = DISTINCT.iter().flat_map(|(a, b)| [(a, b), (b, a)]);
    let wrong: Vec<_> = wrong
        .filter(|(a, b)| objection((a, "x"), (b, "y")).is_some())
        .map(|(a, b)| described(a, b))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_answer_names_the_learning_that_is_there() {
    let said = objection(
        ("Run cargo fmt before committing", "x"),
        ("Run cargo fmt before committing!", "y"),
    );
    let said = said.unwrap();
    assert!(
        said.starts_with("`cl_1` says the same: \"Run cargo fmt before committing\""),
        "{said}"
    );
    assert!(said.contains("\"supersedes\": \"cl_1\""), "{said}");
}

#[test]
fn what_is_superseded_is_no_duplicate() {
    let known = learning("cl_1", "Run cargo fmt before committing", "x");
    let known = Known::of([&known].into_iter());
    let supersedes = |id: &str| Learning {
        supersedes: Some(id.to_owned()),
        ..learning("", "Run cargo fmt before committing", "y")
    };
    assert!(known.objection(&supersedes("cl_2")).is_some());
    assert!(known.objection(&supersedes("cl_1")).is_none());
    // What says the same as yet another one is a duplicate of that.
    let other = learning("cl_3", "Deploys need the VPN", "x");
    let known =
        Known::of([&other, &learning("cl_1", "Run cargo fmt before committing", "x")].into_iter());
    let repeats = Learning { summary: other.summary.clone(), ..supersedes("cl_1") };
    assert!(known.objection(&repeats).is_some_and(|why| why.contains("cl_3")));
}

#[test]
fn what_differs_is_said_in_the_summary() {
    let detail = "Connections leaked: with a hundred errors the pool of the transport was empty and \
                  calls waited for the timeout of thirty seconds.";
    assert!(objection(("Close the body", detail), ("Leak in the Go client", detail)).is_none());
}

#[test]
fn text_without_words_is_like_nothing() {
    assert!(objection(("!!!", "???"), ("...", "???")).is_none());
    assert!(objection(("🦀🦀", "x"), ("🦀🦀", "y")).is_none());
}

proptest::proptest! {
    #[test]
    fn likeness_is_between_0_and_1_and_mutual(a in ".{0,60}", b in ".{0,60}") {
        let (a, b) = (Shingles::of(&a), Shingles::of(&b));
        let likeness = super::likeness(&a, &b);
        proptest::prop_assert!((0.0..=1.0).contains(&likeness));
        proptest::prop_assert!((likeness - super::likeness(&b, &a)).abs() < 1e-9);
    }
}
