//! `roz help`: the verbs in groups, and the examples of those whose own pages have none.

use std::fmt::Write as _;

use clap::{Command, CommandFactory as _};

use super::{Cli, Done, say};

/// Show this page, or that of a verb
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also the commands that agents and clients run
    #[arg(long)]
    all: bool,
    /// The verb
    verb: Vec<String>,
    /// Print one JSON object: the page as a text
    #[arg(long)]
    json: bool,
}

/// The groups of the first page, in their order.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "Set up",
        &["init", "install", "uninstall", "doctor", "config", "upgrade", "completions", "help"],
    ),
    (
        "Look",
        &[
            "status",
            "why",
            "explain",
            "list",
            "trace",
            "debug",
            "context",
            "stats",
            "demo",
            "statusline",
        ],
    ),
    ("Review", &["approve", "allow", "confirm"]),
    ("Learnings", &["learn", "search"]),
    ("Declared work", &["intent", "ledger", "blame", "undo"]),
    ("Run", &["run", "mcp", "clean"]),
];

/// What agents and clients run.
const AGENTS_OWN: (&str, &[&str]) =
    ("For agents and clients", &["hook", "decide", "reflect", "skip", "observe", "ref"]);

pub(super) fn run(args: &Args) -> super::Result {
    let mut page = if args.all { page_of_all() } else { command() };
    for name in &args.verb {
        let Some(verb) = page.find_subcommand_mut(name) else {
            let message = format!("there is no verb `{name}`");
            return Err(message.into());
        };
        page = verb.clone();
    }
    let text = page.render_long_help();
    if args.json {
        say::print_json(&serde_json::json!({ "page": text.to_string() }))?;
    } else {
        say::print(&text.to_string())?;
    }
    Ok(Done::Well)
}

const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "roz demo           see what it does, in a few seconds",
            "roz install        connect it to the client, once",
            "roz init           choose the gates of a project",
            "roz doctor         check that the gates work",
            "roz status         see what an agent waits for",
        ],
    ),
    (
        "install",
        &[
            "roz install",
            "roz install --yes",
            "roz install --trial",
            "roz install --scope project --strict",
            "roz install --dry-run",
        ],
    ),
    ("help", &["roz help install", "roz help --all"]),
    ("uninstall", &["roz uninstall"]),
    ("demo", &["roz demo"]),
    ("statusline", &["echo '{\"cwd\":\"/src/project\"}' | roz statusline"]),
    ("list", &["roz list", "roz list --limit 5 --json"]),
    ("debug", &["roz debug", "roz debug 6f0c"]),
    ("context", &["roz context", "roz context 6f0c --json"]),
    ("stats", &["roz stats", "roz stats --days 7", "roz stats --html stats.html"]),
    ("ledger show", &["roz ledger show --intent INT-001", "roz ledger show --file src/auth"]),
    ("ledger verify", &["roz ledger verify"]),
    ("ledger validate", &["roz ledger validate", "roz ledger validate traces.jsonl --strict"]),
    ("ledger export", &["roz ledger export > traces.jsonl", "roz ledger export --json"]),
    ("learn eval", &["roz learn eval", "roz learn eval --split held-out"]),
    ("clean", &["roz clean --dry-run", "roz clean --before 30d"]),
    ("config", &["roz config show --origin", "roz config check"]),
    ("config show", &["roz config show", "roz config show --origin"]),
    ("config check", &["roz config check"]),
    ("config schema", &["roz config schema > roz.schema.json"]),
    ("intent list", &["roz intent list", "roz intent list --all"]),
    ("intent check", &["roz intent check"]),
    ("intent map", &["roz intent map"]),
    ("mcp", &["roz mcp"]),
    ("hook", &["roz hook stop < payload.json"]),
];

/// The command line, with its verbs in groups and an example for each.
pub(super) fn command() -> Command {
    in_groups(GROUPS.iter())
}

fn page_of_all() -> Command {
    in_groups(GROUPS.iter().chain([&AGENTS_OWN]))
}

fn in_groups<'a>(groups: impl Iterator<Item = &'a (&'a str, &'a [&'a str])>) -> Command {
    let command = with_examples(Cli::command(), "");
    let mut text = String::new();
    for (title, names) in groups {
        let _ = writeln!(text, "{title}:");
        for name in *names {
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

fn with_examples(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command
        .get_subcommands()
        .map(|get_subcommand| get_subcommand.get_name().to_owned())
        .collect();
    for name in names {
        let path = format!("{path} {name}");
        command =
            command.mut_subcommand(&name, |command| with_examples(command, path.trim_start()));
    }
    let Some((_, lines)) = EXAMPLES.iter().find(|(text, _)| *text == path) else { return command };
    let mut text = format!("Examples:\n  {}", lines.join("\n  "));
    if let Some(before) = command.get_after_long_help().or(command.get_after_help()) {
        text = format!("{}\n\n{text}", before.to_string().trim_end());
    }
    command.after_long_help(text)
}

#[cfg(test)]
mod tests;
