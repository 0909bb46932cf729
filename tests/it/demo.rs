//! `roz demo` plays through, and shows itself in any width.

use serde_json::json;

use crate::support::Roz;

#[test]
fn every_step_of_the_demo_goes_as_it_should_and_nothing_is_left_behind() {
    let roz = Roz::new();
    let told = roz.json(&["demo"]);
    let steps = told["steps"].as_array().unwrap();
    let wrong: Vec<_> = steps.iter().filter(|it| it["ok"] != true).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(told["ok"], json!(true));
    let denied = steps.iter().filter(|it| it["verdict"] == "denies").count();
    let held = steps.iter().filter(|it| it["verdict"] == "holds").count();
    assert!(denied >= 5 && held >= 3, "{denied} denied, {held} held");
    assert_eq!(roz.session_files(), Vec::<String>::new());
    assert!(!roz.project().join(".roz").exists());
}

#[test]
fn it_fits_the_terminal_and_keeps_the_token_to_itself() {
    for columns in ["50", "80", "200"] {
        let roz = Roz::new().with_var("COLUMNS", columns);
        let told = roz.run(&["demo"]).succeeds().stdout;
        let width: usize = columns.parse().unwrap();
        let longest = told.lines().map(|it| it.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} > {width}\n{told}");
        assert!(told.contains("Every gate held, and let go when it should."), "{told}");
        assert!(told.contains("--token TOKEN") && !told.contains('\u{1b}'), "{told}");
    }
}
