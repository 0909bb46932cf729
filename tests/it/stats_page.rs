//! `roz stats --html`: one page, which a browser opens without a network.

use std::{fs, path::Path};

use serde_json::json;

use crate::support::{self, Ran, Roz, feed};

const INTENTS: &str = r#"
active_intents:
  - id: INT-001
    name: Login by link
    status: TODO
    owned_scope: ["src/auth/**"]
  - id: INT-002
    name: Invoices <b>as PDF</b>
    status: TODO
    owned_scope: ["src/billing/**"]
"#;
const DAY: i64 = 24 * 60 * 60;

/// A week with reviews of one and of several rounds, calls that were held, learnings and intents.
fn busy_week() -> Roz {
    let roz = Roz::gated("").in_git().declares(INTENTS);
    let learning = json!({ "candidates": [{
        "category": "pitfall", "tags": ["tests"], "criteria_met": ["behavior_changing"],
        "summary": "cargo test hangs when port 5432 is taken by a local Postgres",
        "detail": "tests/db.rs binds 5432; stop the service or set PGPORT=5433 first.",
    }]});
    fs::create_dir_all(roz.project().join(".roz")).unwrap();
    roz.write(".roz/learnings.md", "");
    roz.fed(&["reflect", "--session-id", "s1"], &learning.to_string());
    for (day, verdicts) in
        [&["COMPLETE"][..], &["ISSUES", "ISSUES", "COMPLETE"], &["ISSUES", "COMPLETE"]]
            .iter()
            .enumerate()
    {
        roz.hook("session-start", json!({ "source": "startup" }));
        roz.prompt("#roz cargo test hangs on port 5432, build the login");
        roz.run(&["intent", "select", "INT-001", "--session-id", "s1"]);
        roz.agent_writes(&format!("src/auth/part{day}.rs"), "pub fn login() {}\n");
        roz.agent_writes("src/auth/login.rs", &format!("pub fn login() {{ {day} }}\n"));
        let found = roz.json(&["search", "port 5432"]);
        let learning = found["results"][0]["id"].as_str().unwrap();
        roz.run(&["ref", learning, "--session-id", "s1"]).succeeds();
        roz.tool(
            "Write",
            &json!({ "file_path": roz.project().join("src/other.rs"), "content": "x" }),
        );
        roz.push().denies();
        for verdict in *verdicts {
            roz.stop();
            roz.reviewed(verdict, "looked at src/auth");
        }
        roz.push().passes();
        roz.stop();
        roz.later(DAY);
    }
    roz
}

fn page(roz: &Roz) -> String {
    roz.run(&["stats", "--html", "stats.html"]).succeeds();
    fs::read_to_string(roz.project().join("stats.html")).unwrap()
}

#[test]
fn the_page_tells_what_happened_and_fetches_nothing() {
    let roz = busy_week();
    let page = page(&roz);
    for told in
        ["INT-001", "src/auth/login.rs (3)", "✗ ✗ ✓", "approved after 3 verdicts", "port 5432"]
    {
        assert!(page.contains(told), "`{told}` is not in:\n{page}");
    }
    assert!(page.contains("Invoices &lt;b&gt;as PDF&lt;/b&gt;"), "{page}");
    for fetched in ["<script", "http:", "https:", "src=", "href=", "@import"] {
        assert!(!page.contains(fetched), "`{fetched}` is in:\n{page}");
    }
    assert!(!page.contains("{{"), "{page}");
}

#[test]
fn a_home_without_sessions_has_a_page_too() {
    let page = page(&Roz::new());
    assert!(page.contains("No sessions.") && page.contains("No learnings yet."), "{page}");
}

#[test]
fn the_page_tells_a_trial_from_what_was_blocked() {
    let roz = Roz::gated("trial = true");
    roz.prompt("#roz push it").objects_to_nothing();
    roz.push().objects_to_nothing();
    roz.stop().objects_to_nothing();
    let told = page(&roz);
    assert!(told.contains("refused only in a trial"), "{told}");
    assert!(told.contains(">0, 0, 0, 2<"), "{told}");
}

#[test]
fn a_page_that_cannot_be_written_is_an_error() {
    let why = Roz::new().run(&["stats", "--html", "nowhere/stats.html"]).fails();
    assert!(why.contains("failed to write"), "{why}");
}

#[test]
fn a_browser_draws_the_page() {
    let test = "stats_page::a_browser_draws_the_page";
    let Some(browser) = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| support::works(&[name, "--version"]))
    else {
        support::skip(test, "there is no Chromium on PATH");
        return;
    };
    let roz = busy_week();
    page(&roz);
    let open = |more: &str| {
        let profile = format!("--user-data-dir={}", roz.dir().join("browser").display());
        let page = format!("file://{}", roz.project().join("stats.html").display());
        let options = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1000,1300",
        ];
        let words = [&[browser][..], &options, &[profile.as_str(), more, page.as_str()]].concat();
        Ran::of(feed(&mut roz.program(&words), b""))
    };
    let drawn = open("--dump-dom").succeeds().stdout;
    assert!(drawn.matches("<svg").count() >= 4 && drawn.contains("✗ ✗ ✓"), "{drawn}");
    let picture = roz.dir().join("stats.png");
    open(&format!("--screenshot={}", picture.display())).succeeds();
    let bytes = fs::read(&picture).unwrap();
    assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 10_000, "{} bytes", bytes.len());
    if support::writes_docs() {
        let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/stats.png");
        fs::copy(picture, docs).unwrap();
    }
}
