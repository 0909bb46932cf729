use std::collections::BTreeSet;

use clap::error::ErrorKind;

use super::*;

/// Calls `each` with every verb's path and page.
fn walk(command: &mut Command, path: &str, each: &mut dyn FnMut(&str, &str)) {
    each(path, &command.render_long_help().to_string());
    let is_shown =
        |verb: &&mut Command| (verb.get_name() != "help" || path.is_empty()) && !verb.is_hide_set();
    for verb in command.get_subcommands_mut().filter(is_shown) {
        let path = format!("{path} {}", verb.get_name());
        walk(verb, path.trim_start(), each);
    }
}

#[test]
fn every_example_that_a_verb_shows_is_taken() {
    let mut pages = Vec::new();
    walk(&mut command(), "", &mut |path, page| pages.push((path.to_owned(), page.to_owned())));
    assert!(pages.len() > 50, "{}", pages.len());
    for (path, page) in &pages {
        let begin = ["\nExamples:\n", "\nExample:\n"];
        let Some((_, examples)) = begin.iter().find_map(|text| page.split_once(text)) else {
            continue;
        };
        let lines = examples.lines().take_while(|line| line.starts_with("  "));
        // A test in `words` covers commands of several lines.
        let lines = lines.filter(|line| line.trim_start().starts_with("roz "));
        for line in lines.filter(|line| !line.ends_with('\\')) {
            let typed = line.split(['|', '<', '>']).next().unwrap_or_default();
            // An explanation follows the command.
            let typed = typed.trim().split("   ").next().unwrap_or_default();
            let words = crate::cli::tests::words(typed);
            let Err(err) = Cli::command().try_get_matches_from(&words) else { continue };
            assert_eq!(err.kind(), ErrorKind::DisplayHelp, "`{path}`: {line}\n{err}");
        }
    }
}

#[test]
fn every_verb_is_in_one_group() {
    let grouped: Vec<&str> =
        GROUPS.iter().chain([&AGENTS_OWN]).flat_map(|(_, names)| names.split(' ')).collect();
    let command = Cli::command();
    let verbs: BTreeSet<&str> = command
        .get_subcommands()
        .filter(|verb| !verb.is_hide_set())
        .map(Command::get_name)
        .collect();
    assert_eq!(grouped.iter().copied().collect::<BTreeSet<_>>(), verbs);
    assert_eq!(grouped.len(), verbs.len());
}

#[test]
fn old_names_lead_to_verbs_that_exist() {
    for (old, new) in crate::cli::OLD_NAMES {
        let mut command = Cli::command();
        for name in new.iter().take_while(|name| !name.starts_with('-')) {
            let verb = command.find_subcommand(name).unwrap_or_else(|| panic!("{old:?}"));
            command = verb.clone();
        }
    }
}

/// All pages as they are at a width, and the lines that are wider.
fn pages(columns: usize) -> (String, Vec<String>) {
    let mut all = String::new();
    let mut wide = Vec::new();
    walk(&mut command().term_width(columns), "", &mut |path, page| {
        let _ = writeln!(all, "==== roz {path}\n{page}");
        let is_wide = |text: &&str| text.chars().count() > columns;
        wide.extend(page.lines().filter(is_wide).map(|line| format!("{path}: {line}")));
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

/// A shell would run the text in backticks, every option has a description, and no page has two
/// blank lines in a row.
#[test]
fn pages_can_be_typed_from_and_leave_nothing_unsaid() {
    let mut wrong = Vec::new();
    walk(&mut command(), "", &mut |path, page| {
        let (_, examples) = page.split_once("\nExamples:\n").unwrap_or_default();
        let mut typed = examples.lines().filter(|line| line.trim_start().starts_with("roz "));
        wrong.extend(typed.any(|text| text.contains('`')).then(|| format!("{path}: backticks")));
        wrong.extend(page.contains("\n\n\n").then(|| format!("{path}: a gap")));
    });
    fn unsaid(command: &Command, path: &str, wrong: &mut Vec<String>) {
        let silent = command.get_arguments().filter(|get_argument| {
            !get_argument.is_hide_set()
                && get_argument.get_help().is_none()
                && get_argument.get_long_help().is_none()
        });
        wrong.extend(silent.map(|silent| format!("{path}: {} says nothing", silent.get_id())));
        for verb in command.get_subcommands() {
            unsaid(verb, &format!("{path} {}", verb.get_name()), wrong);
        }
    }
    unsaid(&command(), "roz", &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
