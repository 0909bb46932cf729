//! `roz demo` plays through, and shows itself in any width.

use serde_json::json;

use crate::support::{BINARY, Roz, start};

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

/// `/proc/self/cwd/roz` is a path to us for one process alone, and not for those that it starts.
#[cfg(target_os = "linux")]
#[test]
fn it_finds_itself_however_it_was_started() {
    let roz = Roz::new();
    let folder = std::path::Path::new(BINARY).parent().unwrap();
    let mut command = roz.program(&["/proc/self/cwd/roz", "demo"]);
    let ran = start(command.current_dir(folder)).wait_with_output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
}

#[test]
fn it_fits_the_terminal_and_keeps_the_token_to_itself() {
    for columns in ["30", "40", "50", "60", "80", "200"] {
        let roz = Roz::new().with_var("COLUMNS", columns);
        let told = roz.run(&["demo"]).succeeds().stdout;
        let width: usize = columns.parse().unwrap();
        let longest = told.lines().map(|it| it.chars().count()).max().unwrap();
        assert!(longest <= width, "{longest} > {width}\n{told}");
        let words = told.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("Every gate held, and let go when it should."), "{told}");
        assert!(words.contains("--token TOKEN") && !told.contains('\u{1b}'), "{told}");
    }
}
