//! `roz config`: what applies, and what is wrong.

use clap::Subcommand;
use serde_json::{Value, json};

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
    /// Print what applies here, as a config.toml
    ///
    /// Environment over project over user over default. A project's file can be
    /// stricter, never laxer; keys that it may not set are listed at the end.
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
        /// Print one JSON object, with the origins
        #[arg(long)]
        json: bool,
    },
    /// List every mistake with its file, line and remedy
    ///
    /// Exits with 1 if there is any. The rest of the configuration still
    /// applies. Warnings name what is valid but looks misspelt.
    Check {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print a JSON Schema of config.toml, for editors
    Schema {
        /// Accepted for consistency; the output is always JSON
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
            full.diagnostics.extend(missing);
            let text = if as_json {
                let mut value = full.check_json();
                value["warnings"] = json!(warnings);
                json(&value)?
            } else {
                let said = |diagnostic: &config::Diagnostic| format!("warning: {diagnostic}\n");
                let warnings: Vec<String> = warnings.iter().map(said).collect();
                full.check() + &warnings.concat()
            };
            (text, if full.diagnostics.is_empty() { Done::Well } else { Done::Badly })
        }
        Verb::Schema { .. } => (json(&config::schema())?, Done::Well),
    })
}

#[cfg(test)]
mod tests;
