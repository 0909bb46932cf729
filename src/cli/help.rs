//! `roz help`: the verbs in groups.

use std::{ffi::OsString, fmt::Write as _};

use clap::{Command, CommandFactory as _};

use serde_json::json;

use super::Cli;
use crate::world::World;

/// Show this page, or that of a verb
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also the commands that agents and clients run
    #[arg(long)]
    all: bool,
    /// The verb
    verb: Vec<String>,
}

const GROUPS: &[(&str, &str)] = &[
    ("Set up", "init install uninstall doctor config upgrade completions help"),
    ("Look", "status why explain list trace debug context stats demo statusline"),
    ("Review", "approve allow confirm"),
    ("Learnings", "learn search"),
    ("Declared work", "intent ledger blame undo"),
    ("Run", "run mcp clean"),
];

const AGENTS_OWN: (&str, &str) = ("For agents and clients", "hook decide reflect skip observe ref");

pub(super) fn run(args: &Args, _: &World) -> super::Result {
    if args.verb.is_empty() {
        let mut page =
            if args.all { in_groups(&[GROUPS, &[AGENTS_OWN]].concat()) } else { command() };
        let text = page.render_help().to_string();
        return super::said(json!({ "page": text }), text);
    }
    // As the verb's own `--help` shows it, or the complaint about a verb that there is not.
    let words = ["roz"].into_iter().chain(args.verb.iter().map(String::as_str)).chain(["--help"]);
    let typed = super::renamed(words.map(OsString::from).collect());
    match command().try_get_matches_from(typed) {
        Err(err) if err.use_stderr() => Err(err.into()),
        Err(err) => super::said(json!({ "page": err.to_string() }), err.to_string()),
        Ok(_) => Ok(super::Done::Well),
    }
}

pub(super) fn command() -> Command {
    in_groups(GROUPS)
}

fn in_groups(groups: &[(&str, &str)]) -> Command {
    let command = Cli::command();
    let mut text = String::new();
    for (title, names) in groups {
        let _ = writeln!(text, "{title}:");
        for name in names.split(' ') {
            let verb = command.find_subcommand(name);
            let about = verb.and_then(Command::get_about).map(ToString::to_string);
            let _ = writeln!(text, "  {name:<12} {}", about.unwrap_or_default());
        }
        text.push('\n');
    }
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}Options:\n{{options}}\n\n\
         `roz help VERB` explains a verb, `roz help --all` also lists what agents run.{{after-help}}"
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests;
