use std::io::{self, Write};

use clap::Subcommand;

use super::Exit;
use crate::config::{self, Sources};

/// Show and check the configuration
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Print what applies here, as a config.toml that would say the same
    ///
    /// Environment over project over user over default. A project's file may
    /// add and switch on, never weaken: what it may not set is named at the
    /// end.
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
        /// Print one JSON object; it always has the origins
        #[arg(long)]
        json: bool,
    },
    /// Name every mistake with its file, line and remedy
    ///
    /// Exits with 1 if there is any. The rest of the configuration applies
    /// all the same.
    Check {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print a JSON Schema of config.toml, for editors
    Schema,
}

pub(super) fn run(args: &Args, sources: &Sources, out: &mut dyn Write) -> io::Result<Exit> {
    match args.verb {
        Verb::Show { json: true, .. } => print(out, &config::load_fresh(sources).to_json())?,
        Verb::Show { origin, json: false } => {
            out.write_all(config::load_fresh(sources).show(origin).as_bytes())?;
        }
        Verb::Check { json } => {
            let full = config::load_fresh(sources);
            if json {
                print(out, &full.check_json())?;
            } else {
                out.write_all(full.check().as_bytes())?;
            }
            if !full.diagnostics.is_empty() {
                return Ok(Exit::Failure);
            }
        }
        Verb::Schema => print(out, &config::schema())?,
    }
    Ok(Exit::Success)
}

fn print(out: &mut dyn Write, value: &serde_json::Value) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use clap::Parser;
    use serde_json::Value;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    /// `roz config …` with `text` as the user's file.
    #[track_caller]
    fn roz_config(text: &str, args: &[&str]) -> (Exit, String) {
        let dir = tempfile::tempdir().unwrap();
        let user_file = dir.path().join("config.toml");
        fs::write(&user_file, text).unwrap();
        let roz_home = dir.path().to_owned();
        let sources = Sources { roz_home, user_file, ..Sources::default() };
        let cli = Cli::parse_from([&["config"], args].concat());
        let mut out = Vec::new();
        let exit = run(&cli.args, &sources, &mut out).unwrap();
        assert!(!Path::new(&dir.path().join("cache")).exists(), "it only looks");
        (exit, String::from_utf8(out).unwrap().replace(dir.path().to_str().unwrap(), "…"))
    }

    #[test]
    fn show_prints_a_configuration_that_says_the_same() {
        let (exit, shown) =
            roz_config("review.gates.tools = ['a\"b', 'c\\d']\nmode = 1", &["show", "--origin"]);
        assert_eq!(exit, Exit::Success);
        assert!(shown.contains("review.mode = \"prompt\""), "{shown}");
        assert!(shown.contains("# …/config.toml:1\n"), "{shown}");
        assert!(shown.contains("# …/config.toml:2: `mode` is no key"), "{shown}");
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
        let (exit, told) = roz_config("\nreview.mod = 'always'", &["check"]);
        assert_eq!(exit, Exit::Failure);
        assert_eq!(told, "…/config.toml:2: `review.mod` is no key; did you mean `review.mode`?\n");
        let (exit, json) = roz_config("\nreview.mod = 'always'", &["check", "--json"]);
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((exit, &json["ok"]), (Exit::Failure, &Value::Bool(false)));
        assert_eq!(json["diagnostics"][0]["line"], 2);
        assert_eq!(json["diagnostics"][0]["remedy"], "did you mean `review.mode`?");
    }

    #[test]
    fn check_is_content_with_a_good_file() {
        let (exit, told) = roz_config("review.mode = 'always'", &["check"]);
        assert_eq!((exit, told.as_str()), (Exit::Success, "nothing is wrong with …/config.toml\n"));
    }

    #[test]
    fn schema_is_json() {
        let (exit, json) = roz_config("", &["schema"]);
        assert_eq!(exit, Exit::Success);
        assert!(serde_json::from_str::<Value>(&json).unwrap().is_object());
    }
}
