//! `roz config`: what applies, what is wrong with it.

use clap::Subcommand;
use serde_json::Value;

use super::{Done, advice, say};
use crate::{
    config::{self, Sources},
    open,
    world::World,
};

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
    /// all the same. A warning names what is valid and looks misspelt.
    Check {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print a JSON Schema of config.toml, for editors
    Schema {
        /// It is JSON anyway: for scripts that pass this to every verb
        #[arg(long)]
        json: bool,
    },
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    let (text, done) = told(args, &open::sources(world, &world.cwd))?;
    say::print(&text)?;
    Ok(done)
}

/// What the verb prints, and how it ends.
fn told(args: &Args, sources: &Sources) -> super::Result<(String, Done)> {
    let json =
        |value: &Value| Ok::<_, serde_json::Error>(serde_json::to_string_pretty(value)? + "\n");
    Ok(match args.verb {
        Verb::Show { json: true, .. } => {
            (json(&config::load_fresh(sources).to_json())?, Done::Well)
        }
        Verb::Show { origin, json: false } => {
            (config::load_fresh(sources).show(origin), Done::Well)
        }
        Verb::Check { json: as_json } => {
            let mut full = config::load_fresh(sources);
            let missing = advice::templates(&full, &sources.roz_home);
            let mut warnings = advice::tools(&full);
            warnings.extend(advice::lines_alone(&full));
            warnings.extend(advice::session_scope(&full));
            full.diagnostics.extend(missing);
            let text = if as_json {
                let mut value = full.check_json();
                value["warnings"] = warnings.iter().map(config::Diagnostic::to_json).collect();
                json(&value)?
            } else {
                let said = |it: &config::Diagnostic| format!("warning: {it}\n");
                let warnings: Vec<String> = warnings.iter().map(said).collect();
                full.check() + &warnings.concat()
            };
            (text, if full.diagnostics.is_empty() { Done::Well } else { Done::Badly })
        }
        Verb::Schema { .. } => (json(&config::schema())?, Done::Well),
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    /// `roz config …` with `text` as the user's file.
    #[track_caller]
    fn roz_config(text: &str, args: &[&str]) -> (Done, String) {
        let dir = tempfile::tempdir().unwrap();
        let user_file = dir.path().join("config.toml");
        fs::write(&user_file, text).unwrap();
        let roz_home = dir.path().to_owned();
        let sources = Sources { roz_home, user_file, ..Sources::default() };
        let cli = Cli::parse_from([&["config"], args].concat());
        let (out, done) = told(&cli.args, &sources).unwrap();
        assert!(!Path::new(&dir.path().join("cache")).exists(), "it only looks");
        (done, out.replace(dir.path().to_str().unwrap(), "…"))
    }

    #[test]
    fn show_prints_a_configuration_that_says_the_same() {
        let (done, shown) =
            roz_config("review.gates.tools = ['a\"b', 'c\\d']\nmode = 1", &["show", "--origin"]);
        assert_eq!(done, Done::Well);
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
        let (done, told) = roz_config("\nreview.mod = 'always'", &["check"]);
        assert_eq!(done, Done::Badly);
        assert_eq!(told, "…/config.toml:2: `review.mod` is no key; did you mean `review.mode`?\n");
        let (done, json) = roz_config("\nreview.mod = 'always'", &["check", "--json"]);
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!((done, &json["ok"]), (Done::Badly, &Value::Bool(false)));
        assert_eq!(json["diagnostics"][0]["line"], 2);
        assert_eq!(json["diagnostics"][0]["remedy"], "did you mean `review.mode`?");
    }

    #[test]
    fn check_is_content_with_a_good_file() {
        let (done, told) = roz_config("review.mode = 'always'", &["check"]);
        assert_eq!((done, told.as_str()), (Done::Well, "nothing is wrong with …/config.toml\n"));
    }

    #[test]
    fn check_warns_of_approvals_that_last_for_the_session_and_is_content() {
        let (done, told) = roz_config("review.gates.approval_scope = 'session'", &["check"]);
        assert_eq!(done, Done::Well);
        let warning = "warning: …/config.toml:1: `review.gates.approval_scope` is \"session\"";
        assert!(told.contains(warning), "{told}");
        for scope in ["work", "prompt", "tool"] {
            let text = format!("review.gates.approval_scope = '{scope}'");
            let (_, told) = roz_config(&text, &["check"]);
            assert!(!told.contains("warning"), "{told}");
        }
    }

    #[test]
    fn schema_is_json() {
        let (done, json) = roz_config("", &["schema"]);
        assert_eq!(done, Done::Well);
        assert!(serde_json::from_str::<Value>(&json).unwrap().is_object());
    }
}
