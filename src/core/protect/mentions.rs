//! The rule about text that cannot be parsed: code in other languages, PowerShell, command lines
//! with errors or beyond the limits. A person is asked if such a text mentions something protected
//! and has words that change files or start programs.

use super::{Context, protected_paths::Places};
use crate::{
    core::{client_files, tool::Tool},
    shell::Interpreter,
};

/// Words that change files.
const WRITES: &[&str] = &[
    "write",
    "Write",
    "unlink",
    "os.remove",
    "rmtree",
    "rmSync",
    "rmdir",
    "rm(",
    "rm_",
    "rename",
    "os.replace",
    "chmod",
    "chown",
    "link(",
    "truncate",
    "shutil.copy",
    "shutil.move",
    "copyFile",
    "cp(",
    "cp_",
    "mv(",
    "delete",
    "dump(",
    "appendFile",
    "put_contents",
    "touch(",
    "extractall",
    "inplace",
    "sysopen",
    "'w'",
    "\"w\"",
    "'wb'",
    "\"wb\"",
    "'a'",
    "\"a\"",
    "'r+'",
    "\"r+\"",
    "\">",
    "'>",
    "Remove-",
    "Set-",
    "Add-",
    "Out-",
    "Move-",
    "Copy-",
    "New-",
    "Rename-",
    "Clear-",
];
/// These only print.
const PRINTS: [&str; 2] = ["stdout.write", "stderr.write"];
/// Words that start programs.
const STARTS: &[&str] = &[
    "system",
    "subprocess",
    "popen",
    "Popen",
    "spawn",
    "exec",
    "fork",
    "pty",
    "child_process",
    "%x",
    "shell",
    "Start-Process",
];

struct Opaque<'a> {
    text: &'a str,
    starts: bool,
    writes: bool,
}

impl<'a> Opaque<'a> {
    /// Such a text may do anything.
    fn unread(text: &'a str) -> Self {
        Self { text, starts: true, writes: true }
    }

    fn of(text: &'a str, language: Interpreter) -> Self {
        let prints: usize = PRINTS.iter().map(|word| text.matches(word).count()).sum();
        let writes = |word: &&str| match *word {
            "write" => text.matches("write").count() > prints,
            word => text.contains(word),
        };
        // A backtick runs a command, except in Python and JavaScript.
        let ticks = !matches!(language, Interpreter::Python | Interpreter::JavaScript);
        Self {
            text,
            starts: STARTS.iter().any(|word| text.contains(word)) || ticks && text.contains('`'),
            writes: WRITES.iter().any(writes) || language == Interpreter::Awk && text.contains('>'),
        }
    }
}

pub(super) fn mentions_roz(cx: Context) -> Option<String> {
    let call = cx.call;
    let codes = call.readings.iter().flat_map(|reading| &reading.code);
    let codes = codes.map(|code| Opaque::of(&code.text, code.language));
    // A server's input may be code in any language.
    let is_shell = !call.tool.is_mcp();
    let unread = call.unread.iter().map(|line| {
        if is_shell { Opaque::unread(line) } else { Opaque::of(line, Interpreter::Other) }
    });
    let too_long = call.may_run_anything.then(|| Opaque::unread(call.json));
    let windows = match &call.tool {
        Tool::PowerShell { command } => Some(Opaque::of(command, Interpreter::Other)),
        _ => None,
    };
    let mut texts = codes.chain(unread).chain(too_long).chain(windows);
    let has_token = cx.agent.is_some_and(|agent| cx.session.review.has_token(agent));
    let is_it = |opaque: &Opaque| {
        opaque.starts && names_verb(opaque.text, has_token)
            || (opaque.writes || opaque.starts) && names_place(opaque.text, &cx.facts.places)
    };
    texts.find(is_it).map(|text| text.text.to_owned())
}

fn names_verb(text: &str, has_token: bool) -> bool {
    let decides = || {
        !has_token
            && ["decide", "approve", "allow", "confirm"].iter().any(|verb| is_word_in(text, verb))
    };
    is_word_in(text, "roz") && (is_word_in(text, "hook") || decides())
}

fn names_place(text: &str, places: &Places) -> bool {
    let is_literal = |path: &String| text.contains(path.as_str());
    let Places { home, plugin, binary, .. } = places;
    // Of a project's own folder, only the configuration is protected.
    let is_own = |rest: &str| ["/learnings", "/stats"].iter().any(|text| rest.starts_with(text));
    let names_settings = || {
        ["settings", "plugins", "agents"].iter().any(|name| text.contains(name))
            || text.contains("rmtree")
    };
    [home, plugin, binary].into_iter().flatten().any(is_literal)
        || text.contains("ROZ_HOME")
        || after(text, ".roz").any(|rest| !is_own(rest))
        || after(text, ".orchestration").next().is_some()
        || client_files::folders().any(|folder| after(text, folder).next().is_some())
            && names_settings()
        || ["which roz", "which('roz", "which(\"roz", "command -v roz"]
            .iter()
            .any(|item| text.contains(item))
}

/// The text after each mention of a folder's name.
fn after<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let places =
        text.match_indices(name).map(move |(at, _)| (&text[..at], &text[at + name.len()..]));
    places
        .filter(move |(before, rest)| {
            !before.ends_with(|c: char| joins(c) && c != '.') && !rest.starts_with(joins)
        })
        .map(|(_, rest)| rest)
}

/// Whether `word` is a separate word of `text`: `.roz` is a folder, `roz.md` a file.
pub(super) fn is_word_in(text: &str, word: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(joins) && !text[at + word.len()..].starts_with(joins))
}
