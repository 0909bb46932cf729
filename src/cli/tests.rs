//! What we tell people to type, clap takes.

use std::{ffi::OsString, fs, path::Path};

use clap::{CommandFactory as _, error::ErrorKind};

use super::Cli;

/// A command line quoted in a text.
#[derive(Debug)]
struct Line {
    file: String,
    text: String,
    /// In a block it can be typed as it is; within a sentence it may be the beginning of a command.
    is_whole: bool,
}

/// Every `roz …` in the skills and in the pages for people.
fn lines() -> Vec<Line> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let skills = fs::read_dir(root.join("skills")).unwrap();
    let skills = skills.map(|skill| skill.unwrap().path().join("SKILL.md"));
    let pages = fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = pages.filter(|page| page.extension().is_some_and(|extension| extension == "md"));
    let readme = [root.join("README.md")];
    let mut found = Vec::new();
    for path in skills.chain(pages).chain(readme) {
        let file = path.strip_prefix(root).unwrap().display().to_string();
        let text = fs::read_to_string(&path).unwrap();
        let mut block: Option<&str> = None;
        for line in text.lines() {
            if let Some(rest) = line.trim_start().strip_prefix("```") {
                block = if block.is_none() { Some(rest) } else { None };
                continue;
            }
            let typed = match block {
                Some("sh") => Some(line),
                Some("text" | "console") => line.strip_prefix("$ "),
                Some(_) => None,
                None => {
                    let spans = line.split('`').skip(1).step_by(2);
                    let spans = spans.filter(|span| *span == "roz" || span.starts_with("roz "));
                    found.extend(spans.map(|span| Line {
                        file: file.clone(),
                        text: span.to_owned(),
                        is_whole: false,
                    }));
                    None
                }
            };
            let own = typed.and_then(|typed| {
                typed.split(" | ").map(str::trim).find(|part| part.starts_with("roz "))
            });
            found.extend(own.map(|text| Line {
                file: file.clone(),
                text: text.to_owned(),
                is_whole: true,
            }));
        }
    }
    found
}

/// The words of a line, quotes taken off.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if words.last().is_some_and(String::is_empty) => break,
            (None, ' ') => words.push(String::new()),
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_line_in_skills_and_pages_is_taken() {
    let lines = lines();
    for line in &lines {
        // `roz ref ID… [--how]` tells of more than it types.
        let told: Vec<String> = words(&line.text)
            .into_iter()
            .map(|word| word.trim_matches(['[', ']']).to_owned())
            .filter(|word| word != "…" && word != "roz:")
            .collect();
        let Err(err) = Cli::command().try_get_matches_from(&told) else { continue };
        let is_beginning = matches!(
            err.kind(),
            ErrorKind::MissingRequiredArgument
                | ErrorKind::InvalidValue
                | ErrorKind::MissingSubcommand
                | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        );
        let is_help = matches!(err.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        assert!(is_help || is_beginning && !line.is_whole, "{line:?}\n{err}");
    }
    let verbs = ["reflect", "skip", "observe", "ref", "search", "learn"];
    for verb in verbs {
        let begin = format!("roz {verb}");
        let told = lines
            .iter()
            .any(|line| line.file.starts_with("skills/") && line.text.starts_with(&begin));
        assert!(told, "no skill tells of `{begin}`");
    }
}

#[test]
fn every_verb_says_what_it_is_for() {
    for verb in Cli::command().get_subcommands() {
        assert!(verb.get_about().is_some(), "{} has no description", verb.get_name());
    }
}

#[test]
fn every_verb_stands_in_the_page_of_commands() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/commands.md");
    let page = fs::read_to_string(path).unwrap();
    for verb in Cli::command().get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let told = format!("`roz {}", verb.get_name());
        let is_told = page
            .match_indices(&told)
            .any(|(at, _)| page[at + told.len()..].starts_with(['`', ' ']));
        assert!(is_told, "docs/commands.md does not tell of {told}`");
    }
}

#[test]
fn what_older_versions_took_is_still_taken() {
    for line in [
        "roz learnings --json --stale",
        "roz --json learnings --stale",
        "roz review-learnings --rate",
        "roz skip trivial --decider agent --lines-changed 3",
        "roz ledger validate --strict",
        "roz eval --split all",
        "roz maintain decay --dry-run",
        "roz doctor --list",
        "roz tickets",
    ] {
        let typed = super::renamed(words(line).into_iter().map(OsString::from).collect());
        let taken = Cli::command().try_get_matches_from(typed);
        assert!(taken.is_ok(), "{line}: {taken:?}");
    }
}
