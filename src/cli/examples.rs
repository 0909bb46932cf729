//! What one types, for the verbs whose own pages do not say it: a row a verb.

use clap::{Command, CommandFactory as _};

use super::Cli;

const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "roz demo           what it does, in a few seconds",
            "roz install        once: wire it into the client",
            "roz init           in a project: choose its gates",
            "roz doctor         whether the gates are alive",
            "roz status         what an agent is waiting for",
        ],
    ),
    (
        "install",
        &[
            "roz install",
            "roz install --permissions",
            "roz install --scope project --strict",
            "roz install --dry-run",
        ],
    ),
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

/// The command line, with an example for each verb.
pub(super) fn command() -> Command {
    with_examples(Cli::command(), "")
}

fn with_examples(mut command: Command, path: &str) -> Command {
    let names: Vec<String> = command.get_subcommands().map(|it| it.get_name().to_owned()).collect();
    for name in names {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(&name, |it| with_examples(it, path.trim_start()));
    }
    let Some((_, lines)) = EXAMPLES.iter().find(|(it, _)| *it == path) else { return command };
    let mut text = format!("Examples:\n  {}", lines.join("\n  "));
    if let Some(before) = command.get_after_long_help().or(command.get_after_help()) {
        text = format!("{}\n\n{text}", before.to_string().trim_end());
    }
    command.after_long_help(text)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use clap::error::ErrorKind;

    use super::*;

    /// Calls `each` with every verb's path and page.
    fn walk(command: &mut Command, path: &str, each: &mut dyn FnMut(&str, &str)) {
        each(path, &command.render_long_help().to_string());
        let is_shown = |verb: &&mut Command| verb.get_name() != "help" && !verb.is_hide_set();
        for verb in command.get_subcommands_mut().filter(is_shown) {
            let path = format!("{path} {}", verb.get_name());
            walk(verb, path.trim_start(), each);
        }
    }

    #[test]
    fn every_verb_shows_an_example_that_is_taken() {
        let mut pages = Vec::new();
        walk(&mut command(), "", &mut |path, page| pages.push((path.to_owned(), page.to_owned())));
        assert!(pages.len() > 50, "{}", pages.len());
        for (path, page) in &pages {
            let begin = ["\nExamples:\n", "\nExample:\n"];
            let (_, examples) = begin
                .iter()
                .find_map(|it| page.split_once(it))
                .unwrap_or_else(|| panic!("none of `{path}`"));
            let lines = examples.lines().take_while(|it| it.starts_with("  "));
            // One that goes over several lines is taken by its test in `words`.
            let lines = lines.filter(|it| it.trim_start().starts_with("roz "));
            for line in lines.filter(|it| !it.ends_with('\\')) {
                let typed = line.split(['|', '<', '>']).next().unwrap_or_default();
                // What it does stands after it.
                let typed = typed.trim().split("   ").next().unwrap_or_default();
                let words = crate::cli::tests::words(typed);
                let Err(err) = Cli::command().try_get_matches_from(&words) else { continue };
                assert_eq!(err.kind(), ErrorKind::DisplayHelp, "`{path}`: {line}\n{err}");
            }
        }
        for (path, _) in EXAMPLES {
            assert!(pages.iter().any(|(it, _)| it == path), "there is no `{path}`");
        }
    }

    /// All pages as they are at a width, and the lines that are wider.
    fn pages(columns: usize) -> (String, Vec<String>) {
        let mut all = String::new();
        let mut wide = Vec::new();
        walk(&mut command().term_width(columns), "", &mut |path, page| {
            let _ = writeln!(all, "==== roz {path}\n{page}");
            let is_wide = |it: &&str| it.chars().count() > columns;
            wide.extend(page.lines().filter(is_wide).map(|it| format!("{path}: {it}")));
        });
        (all, wide)
    }

    /// What people read, to be seen whole when it changes.
    #[test]
    fn pages_are_as_they_are_and_fit_eighty_columns() {
        let (all, wide) = pages(80);
        assert!(wide.is_empty(), "{}", wide.join("\n"));
        insta::assert_snapshot!(all);
    }

    #[test]
    fn pages_are_as_they_are_in_two_hundred_columns() {
        insta::assert_snapshot!(pages(200).0);
    }

    /// A shell runs what stands in backticks; every option says what it is for;
    /// a page has no gap of two lines.
    #[test]
    fn pages_can_be_typed_from_and_leave_nothing_unsaid() {
        let mut wrong = Vec::new();
        walk(&mut command(), "", &mut |path, page| {
            let (_, examples) = page.split_once("\nExamples:\n").unwrap_or_default();
            let mut typed = examples.lines().filter(|it| it.trim_start().starts_with("roz "));
            wrong.extend(typed.any(|it| it.contains('`')).then(|| format!("{path}: backticks")));
            wrong.extend(page.contains("\n\n\n").then(|| format!("{path}: a gap")));
        });
        fn unsaid(command: &Command, path: &str, wrong: &mut Vec<String>) {
            let silent = command.get_arguments().filter(|it| {
                !it.is_hide_set() && it.get_help().is_none() && it.get_long_help().is_none()
            });
            wrong.extend(silent.map(|it| format!("{path}: {} says nothing", it.get_id())));
            for verb in command.get_subcommands() {
                unsaid(verb, &format!("{path} {}", verb.get_name()), wrong);
            }
        }
        unsaid(&command(), "roz", &mut wrong);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
