//! `roz config`: shows the configuration that applies, and its problems.

use clap::Subcommand;
use serde_json::json;

use super::advice;
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
    /// The environment overrides the project, the project the user, and the user the
    /// defaults. A project's file can be stricter, never laxer; keys that it may not
    /// set are listed at the end.
    Show {
        /// Say where each value comes from
        #[arg(long)]
        origin: bool,
    },
    /// List every mistake with its file, line and remedy
    ///
    /// Exits with 1 if there is any. The rest of the configuration still
    /// applies. Warnings name what is valid but looks misspelt.
    Check,
    /// Print a JSON Schema of config.toml, for editors
    Schema,
}

pub(super) fn run(args: &Args, world: &World) -> super::Result {
    told(args, &open::sources(world, &world.cwd))
}

fn told(args: &Args, sources: &Sources) -> super::Result {
    match args.verb {
        Verb::Show { origin } => {
            let full = config::load_fresh(sources);
            super::said(full.to_json(), full.show(origin))
        }
        Verb::Check => {
            let mut full = config::load_fresh(sources);
            let missing = advice::templates(&full, &sources.roz_home);
            let mut warnings = advice::tools(&full);
            warnings.extend(advice::lines_alone(&full));
            full.diagnostics.extend(missing);
            let mut value = full.check_json();
            value["warnings"] = json!(warnings);
            let warnings = warnings.iter().map(|warning| format!("warning: {warning}\n"));
            let words = full.check() + &warnings.collect::<String>();
            super::judged(full.diagnostics.is_empty(), value, words)
        }
        Verb::Schema => {
            let schema = config::schema();
            let words = format!("{schema:#}\n");
            super::said(schema, words)
        }
    }
}

#[cfg(test)]
mod tests;
