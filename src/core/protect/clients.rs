//! Rules about starting another client: none without these hooks, and none that continues this
//! session.

use super::{
    Context,
    commands::{is_hidden, line},
    program::base,
    settings::is_protected_variable,
};
use crate::{
    core::{client_files, event::ToolCall, name_words::is_one},
    shell::{self, HOLE, Run},
};

/// The words after the client's name: `claude …`, `…/claude/versions/2.1.330 …`,
/// `node …/claude-code/cli.js …`, `npx @anthropic-ai/claude-code@2 …`.
fn words_of_client(run: &Run) -> Option<&[String]> {
    let words = run.argv.get(1..)?;
    let name = shell::last_part(&run.program);
    let name = name.split_once('@').map_or(name, |split| split.0);
    if client_files::is_program(name) || client_files::is_version(&run.argv[0]) {
        return Some(words);
    }
    if !is_one("node nodejs bun deno", name.trim_end_matches(|c: char| c.is_ascii_digit())) {
        return None;
    }
    // `node $(which claude)`
    let is_clients = |word: &String| {
        client_files::is_package(word) || client_files::is_program(shell::last_part(word))
    };
    let at = words.iter().position(|word| !word.starts_with('-') && is_clients(word))?;
    words.get(at + 1..)
}

fn clients<'a>(call: &'a ToolCall) -> impl Iterator<Item = (&'a Run, &'a [String])> {
    call.runs().filter_map(|run| Some((run, words_of_client(run)?)))
}

/// Includes runs of unknown programs, which may be clients.
fn possible_clients<'a>(call: &'a ToolCall) -> impl Iterator<Item = (&'a Run, &'a [String])> {
    let unknown = call.runs().filter(|run| run.program.contains(HOLE));
    clients(call).chain(unknown.map(|run| (run, &run.argv[1..])))
}

fn has(words: &[String], option: &str) -> bool {
    let is_it = |word: &String| {
        word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
    };
    words.iter().any(is_it)
}

pub(super) fn starts_a_client_without_hooks(cx: Context) -> Option<String> {
    // Options that no other program has.
    const BARE: [&str; 3] = ["--bare", "--safe-mode", "--setting-sources"];
    let is_bare = |words: &[String]| BARE.iter().any(|option| has(words, option));
    let bare = possible_clients(cx.call).find(|(_, words)| is_bare(words));
    let elsewhere = || {
        clients(cx.call).find(|(run, words)| {
            has(words, "--settings")
                || run.assignments.iter().any(|(name, _)| is_protected_variable(name))
        })
    };
    // `export CLAUDE_CONFIG_DIR=/tmp/x; claude`, `unset ROZ_HOME; claude`. Extending PATH is
    // common, so that is allowed.
    let exports = |run: &Run| {
        let names = run.argv.iter().skip(1).map(|word| word.split('=').next().unwrap_or_default());
        is_one("export declare typeset readonly unset", base(run))
            && names.filter(|name| *name != "PATH").any(is_protected_variable)
    };
    let after_export = || clients(cx.call).next().filter(|_| cx.call.runs().any(exports));
    bare.or_else(elsewhere).or_else(after_export).map(|(run, _)| line(run))
}

pub(super) fn resumes_this_session(cx: Context) -> Option<String> {
    let own = cx.session_id.as_str();
    let is_own = |id: &str| id.is_empty() || is_hidden(id) || own == id;
    let resumes = |words: &[String]| {
        words.iter().enumerate().any(|(at, word)| {
            let next = words.get(at + 1).map(String::as_str);
            // Without an id the client offers the newest session, which is this one.
            let picks = next.is_none_or(|id| is_own(id) || id.starts_with('-'));
            match word.as_str() {
                "--continue" => true,
                "--resume" => picks,
                "--session-id" => next.is_none_or(is_own),
                word if word.starts_with("--") => ["--resume=", "--session-id="]
                    .iter()
                    .any(|option| word.strip_prefix(option).is_some_and(is_own)),
                word => match cluster(word) {
                    Some(("c", _)) => true,
                    Some(("r", "")) => picks,
                    Some((_, id)) => is_own(id),
                    None => false,
                },
            }
        })
    };
    clients(cx.call).find(|(_, words)| resumes(words)).map(|(run, _)| line(run))
}

/// `-c` or `-r` among joined letters, with the word after `-r`: `-pc`, `-pr id`, `-rid`.
fn cluster(word: &str) -> Option<(&str, &str)> {
    let letters = word.strip_prefix('-')?;
    // Letters after another option may be its value.
    let flags = letters.find(|c: char| !"pvh".contains(c))?;
    let rest = &letters[flags..];
    match rest.get(..1) {
        Some("c") => Some(("c", "")),
        Some("r") => Some(("r", &rest[1..])),
        _ => None,
    }
}

pub(super) fn unplugs_roz(cx: Context) -> Option<String> {
    let is_roz = |word: &&str| word.split('@').next() == Some("roz") || is_hidden(word);
    let unplugs = |words: &[String]| {
        let all = || words.iter().any(|word| word == "--all" || word == "-a");
        let operands = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
        match operands.collect::<Vec<&str>>()[..] {
            ["plugin" | "plugins", "disable" | "uninstall" | "remove" | "rm", ref rest @ ..] => {
                rest.iter().any(is_roz) || all()
            }
            ["plugin" | "plugins", "marketplace", "remove" | "rm", ref rest @ ..] => {
                rest.iter().any(is_roz)
            }
            ["config", "set" | "add" | "remove" | "rm", ref rest @ ..] => rest.iter().any(|word| {
                let word = word.to_lowercase();
                ["hook", "plugin", "env"].iter().any(|text| word.contains(text))
            }),
            _ => false,
        }
    };
    possible_clients(cx.call).find(|(_, words)| unplugs(words)).map(|(run, _)| line(run))
}
