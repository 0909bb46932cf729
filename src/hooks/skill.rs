//! The command lines in the text of a project's or a user's skill: the client runs its `!` lines
//! by itself, without a hook of their own.

use std::path::{Path, PathBuf};

use super::gather::config_dir;
use crate::{
    core::{event::ToolCall, tool::Tool},
    world::{World, read_beginning},
};

const MAX_TEXT: u64 = 256 * 1024;
const MAX_LINES: usize = 200;
/// What a text may grow by with its arguments, in bytes.
const MAX_FILLED: usize = 1 << 20;

/// The lines that a Skill call would run.
#[derive(Debug)]
pub(super) struct Lines {
    pub(super) lines: Vec<String>,
    /// Not, if a file is too long or holds too many of them.
    pub(super) are_all: bool,
}

pub(super) fn lines(call: &ToolCall, dirs: &[&Path], world: &World) -> Lines {
    let mut found = Lines { lines: Vec::new(), are_all: true };
    let Tool::Skill { name, arguments } = &call.tool else { return found };
    let name = name.trim().trim_start_matches('/');
    let name = name.split_whitespace().next().unwrap_or_default();
    if name.is_empty() || name.split([':', '/']).any(|part| matches!(part, "" | "." | "..")) {
        return found;
    }
    for file in files(name, dirs, world) {
        if let Some((text, is_whole)) = read_beginning(&file, MAX_TEXT) {
            found.are_all &= is_whole;
            found.lines.extend(lines_of(&filled(&text, arguments)));
        }
    }
    found.are_all &= found.lines.len() <= MAX_LINES;
    found.lines.truncate(MAX_LINES);
    found
}

/// Where a skill or a command of that name may be.
fn files(name: &str, dirs: &[&Path], world: &World) -> Vec<PathBuf> {
    let path = name.replace(':', "/");
    let launch_dir = world.var("CLAUDE_PROJECT_DIR").map(Path::new);
    let dirs = dirs.iter().copied().chain(launch_dir).flat_map(Path::ancestors);
    let folders = dirs.map(|dir| dir.join(".claude")).filter(|folder| folder.is_dir());
    let mut folders: Vec<PathBuf> = folders.chain(config_dir(world)).collect();
    folders.sort();
    folders.dedup();
    let mut found = Vec::new();
    for folder in folders {
        found.push(folder.join("skills").join(&path).join("SKILL.md"));
        let commands = folder.join("commands");
        found.push(commands.join(format!("{path}.md")));
        // A command in a subfolder goes by its own name, too.
        let inner = std::fs::read_dir(commands).into_iter().flatten().flatten();
        found.extend(inner.map(|entry| entry.path().join(format!("{name}.md"))));
    }
    found
}

/// The text with the arguments in it, as the client fills them in before it runs the lines: all of
/// them for `$ARGUMENTS`, one for `$0`, `$1` … Where there is too much of them they stay variables.
fn filled(text: &str, arguments: &str) -> String {
    if text.matches('$').count().saturating_mul(arguments.len()) > MAX_FILLED {
        return text.to_owned();
    }
    // What would be a line of its own in the arguments is none.
    let arguments = arguments.replace("!`", "! `");
    let mut text = text.replace("$ARGUMENTS", &arguments);
    for (at, word) in arguments.split_whitespace().enumerate().take(10) {
        text = text.replace(&format!("${at}"), word);
    }
    text
}

/// What is in `` !`…` `` and in fenced blocks that are marked with `!`.
fn lines_of(text: &str) -> Vec<String> {
    let between = |begin: &str, end: &str| -> Vec<String> {
        let places = text.match_indices(begin).map(|(at, _)| &text[at + begin.len()..]);
        let inner = places.filter_map(|rest| rest.split_once(end)).map(|it| it.0.to_owned());
        inner.filter(|line| !line.trim().is_empty()).take(MAX_LINES + 1).collect()
    };
    [between("!`", "`"), between("```!", "```")].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_filled_in_with_the_arguments() {
        assert_eq!(filled("rm $ARGUMENTS; cat $1", "-r a"), "rm -r a; cat a");
        assert_eq!(filled("echo $ARGUMENTS", "!`rm x`"), "echo ! `rm x`");
        assert_eq!(filled("gh pr view $0 $2", "7"), "gh pr view 7 $2");
        assert_eq!(filled(&"$0".repeat(2000), &"x".repeat(2000)), "$0".repeat(2000));
    }

    #[test]
    fn both_ways_of_writing_a_line_are_found() {
        let text = "State: !`git status`\n\n```!\ngit push\necho\n```\nand `not this`";
        assert_eq!(lines_of(text), ["git status", "\ngit push\necho\n"]);
        assert_eq!(lines_of("x!` !`git push`"), [" !", "git push"]);
    }
}
