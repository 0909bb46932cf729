use std::{fs, path::Path};

use clap::Parser;

use serde_json::Value;

use super::*;
use crate::cli::Done;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: Args,
    #[arg(long, global = true)]
    json: bool,
}

/// `roz config …` with `text` as the user's file.
#[track_caller]
fn roz_config(text: &str, args: &[&str]) -> (u8, String) {
    let dir = tempfile::tempdir().unwrap();
    let user_file = dir.path().join("config.toml");
    fs::write(&user_file, text).unwrap();
    let roz_home = dir.path().to_owned();
    let sources = Sources { roz_home, user_file, ..Sources::default() };
    let cli = Cli::parse_from([&["config"], args].concat());
    let Done::Said(value, words, Ok(code)) = told(&cli.args, &sources).unwrap() else { panic!() };
    let out = if cli.json { value.to_string() } else { words };
    assert!(!Path::new(&dir.path().join("cache")).exists(), "it only looks");
    (code, out.replace(dir.path().to_str().unwrap(), "…"))
}

#[test]
fn show_prints_a_configuration_that_says_the_same() {
    let (code, shown) =
        roz_config("review.gates.tools = ['a\"b', 'c\\d']\nmode = 1", &["show", "--origin"]);
    assert_eq!(code, 0);
    assert!(shown.contains("review.mode = \"prompt\""), "{shown}");
    assert!(shown.contains("# …/config.toml:1\n"), "{shown}");
    assert!(shown.contains("# …/config.toml:2: unknown key `mode`"), "{shown}");
    let (_, again) = roz_config(&shown, &["show", "--json"]);
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["diagnostics"], Value::Array(vec![]));
    assert_eq!(again["config"]["review"]["gates"]["tools"][1], "c\\d");
}

#[test]
fn show_as_json_has_values_and_origins() {
    let (_, json) = roz_config("\ntrace.max_events = 9", &["show", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["config"]["trace"]["max_events"], 9);
    assert_eq!(json["origins"]["trace.max_events"][0]["line"], 2);
    assert_eq!(json["origins"]["review.mode"], Value::Array(vec![]));
    assert_eq!(json["files"][0], "…/config.toml");
}

#[test]
fn check_names_a_mistake_and_fails() {
    let (code, told) = roz_config("\nreview.mod = 'always'", &["check"]);
    assert_eq!(code, 1);
    assert_eq!(told, "…/config.toml:2: unknown key `review.mod`; did you mean `review.mode`?\n");
    let (code, json) = roz_config("\nreview.mod = 'always'", &["check", "--json"]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, &json["ok"]), (1, &Value::Bool(false)));
    assert_eq!(json["diagnostics"][0]["line"], 2);
    assert_eq!(json["diagnostics"][0]["remedy"], "did you mean `review.mode`?");
}

#[test]
fn check_is_content_with_a_good_file() {
    let (code, told) = roz_config("review.mode = 'always'", &["check"]);
    assert_eq!((code, told.as_str()), (0, "nothing is wrong with …/config.toml\n"));
}

#[test]
fn schema_is_json() {
    let (code, json) = roz_config("", &["schema"]);
    assert_eq!(code, 0);
    assert!(serde_json::from_str::<Value>(&json).unwrap().is_object());
}
