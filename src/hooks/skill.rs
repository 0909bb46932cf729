//! The command lines in the text of a skill or a command: the client runs its
//! `!` lines by itself, without a hook of their own.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::gather::config_dir;
use crate::{
    core::{event::ToolCall, protect::INSTALLED_PLUGINS},
    world::{World, read_beginning, read_text},
};

const SKILL: &str = "SKILL.md";
const MAX_TEXT: u64 = 256 * 1024;
const MAX_LINES: usize = 200;
/// A text with its arguments in it is read up to this length, in bytes.
const MAX_FILLED: usize = 1 << 20;

/// The lines that a Skill call would run.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pub(super) lines: Vec<String>,
    /// Not, if a file is too long or holds too many of them.
    pub(super) are_all: bool,
}

pub(super) fn lines(call: &ToolCall, dirs: &[&Path], world: &World) -> Lines {
    let nothing = Lines { lines: Vec::new(), are_all: true };
    if !matches!(call.name.as_str(), "Skill" | "SlashCommand") {
        return nothing;
    }
    let named = ["skill", "command", "name"].into_iter().find_map(|field| call.text(field));
    let Some(name) = named else { return nothing };
    let name = name.trim().trim_start_matches('/').split_whitespace().next().unwrap_or_default();
    if name.split([':', '/']).any(|it| it.is_empty() || it == ".." || it == ".") {
        return nothing;
    }
    let arguments = call.text("args").unwrap_or_default();
    let project = world.var("CLAUDE_PROJECT_DIR").map(Path::new).or(dirs.first().copied());
    let mut found = nothing;
    for file in files(name, dirs, world) {
        if let Some((text, is_whole)) = read_beginning(&file.path, MAX_TEXT) {
            let folder = file.path.parent().filter(|_| file.path.ends_with(SKILL));
            let places = [
                ("{CLAUDE_SKILL_DIR}", folder),
                ("{CLAUDE_PLUGIN_ROOT}", file.plugin.as_deref()),
                ("{CLAUDE_PROJECT_DIR}", project),
            ];
            let text = filled(&text, arguments, &places);
            found.are_all &= is_whole && text.as_ref().is_some_and(|it| !names_arguments(it));
            found.lines.extend(text.iter().flat_map(|it| lines_of(it)));
        }
    }
    found.are_all &= found.lines.len() <= MAX_LINES;
    found.lines.truncate(MAX_LINES);
    found
}

/// The text of a skill or a command.
#[derive(Debug)]
struct File {
    path: PathBuf,
    /// The folder of the plugin that brings it.
    plugin: Option<PathBuf>,
}

impl From<PathBuf> for File {
    fn from(path: PathBuf) -> Self {
        Self { path, plugin: None }
    }
}

/// Where a skill or a command of that name may lie.
fn files(name: &str, dirs: &[&Path], world: &World) -> Vec<File> {
    let as_path = name.replace(':', "/");
    let launch_dir = world.var("CLAUDE_PROJECT_DIR").map(Path::new);
    let dirs = dirs.iter().copied().chain(launch_dir);
    let mut folders: Vec<PathBuf> = dirs
        .flat_map(Path::ancestors)
        .map(|it| it.join(".claude"))
        .filter(|it| it.is_dir())
        .collect();
    folders.sort();
    folders.dedup();
    let user = config_dir(world);
    folders.extend(user.clone());
    let own = |it: &PathBuf| {
        let skill = it.join("skills").join(&as_path).join(SKILL);
        [skill, it.join("commands").join(format!("{as_path}.md"))]
    };
    let mut found: Vec<File> = folders.iter().flat_map(own).map(File::from).collect();
    // A command in a subfolder goes by its own name, too.
    for folder in &folders {
        let inner = std::fs::read_dir(folder.join("commands")).into_iter().flatten().flatten();
        found.extend(inner.map(|it| it.path().join(format!("{name}.md")).into()));
    }
    if let (Some(user), Some((plugin, rest))) = (user, name.split_once(':')) {
        let rest = rest.replace(':', "/");
        for folder in plugin_folders(&user, plugin) {
            let skill = folder.join("skills").join(&rest).join(SKILL);
            let command = folder.join("commands").join(format!("{rest}.md"));
            let of_plugin = |path| File { path, plugin: Some(folder.clone()) };
            found.extend([skill, command].map(of_plugin));
        }
    }
    found
}

fn plugin_folders(user: &Path, plugin: &str) -> Vec<PathBuf> {
    let Some(text) = read_text(&user.join("plugins").join(INSTALLED_PLUGINS), MAX_TEXT) else {
        return Vec::new();
    };
    let installed: Value = serde_json::from_str(&text).unwrap_or_default();
    let Some(plugins) = installed.get("plugins").and_then(Value::as_object) else {
        return Vec::new();
    };
    let entries = plugins.iter().filter(|(id, _)| id.split('@').next() == Some(plugin));
    entries
        .flat_map(|(_, entry)| entry.as_array().cloned().unwrap_or_else(|| vec![entry.clone()]))
        .filter_map(|it| Some(PathBuf::from(it.get("installPath")?.as_str()?)))
        .collect()
}

/// The text as the client fills it in before it runs the lines (seen in 2.1.197 and 2.1.330): all
/// arguments as they were given, each by its number from 0 on, and the places. A number that
/// nothing was given for stays, and what would be a line of its own in the arguments is none.
/// `None` if that is too long to be read.
fn filled(text: &str, arguments: &str, places: &[(&str, Option<&Path>)]) -> Option<String> {
    let arguments = arguments.replace("!`", "\\! `");
    let words = shlex::split(&arguments)
        .unwrap_or_else(|| arguments.split_whitespace().map(str::to_owned).collect());
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        filled.push_str(before);
        let place = places.iter().find_map(|(name, place)| {
            Some((place.as_ref()?.to_string_lossy(), after.strip_prefix(name)?))
        });
        let (value, after) = if let Some((place, after)) = place {
            (place, after)
        } else if let Some(after) = after.strip_prefix("ARGUMENTS") {
            let numbered = after.strip_prefix('[').and_then(|it| it.split_once(']'));
            let one = numbered.and_then(|(at, after)| Some((words.get(number(at)?)?, after)));
            one.map_or((Cow::from(&arguments), after), |(one, after)| (Cow::from(one), after))
        } else {
            let end = after.find(|it: char| !it.is_ascii_digit()).unwrap_or(after.len());
            // `\$0` and `$0x` stay as they are.
            let is_whole = !after[end..].starts_with(|it: char| it.is_alphanumeric() || it == '_');
            let is_meant = is_whole && !before.ends_with('\\');
            let one = number(&after[..end]).filter(|_| is_meant).and_then(|at| words.get(at));
            one.map_or((Cow::from("$"), after), |one| (Cow::from(one), &after[end..]))
        };
        filled.push_str(&value);
        if filled.len() > MAX_FILLED {
            return None;
        }
        rest = after;
    }
    Some(filled + rest)
}

fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|_| text.bytes().all(|it| it.is_ascii_digit()))
}

/// Whether it has names of its own for its arguments, which are not followed.
fn names_arguments(text: &str) -> bool {
    let head = text.strip_prefix("---").and_then(|it| it.split_once("\n---"));
    head.is_some_and(|(head, _)| head.lines().any(|it| it.starts_with("arguments:")))
}

/// What stands in `` !`…` `` and in fenced blocks that are marked with `!`. Where one ends that
/// begins nothing (``x!` !`…` ``) is the client's to say, so each place may be the beginning.
fn lines_of(text: &str) -> Vec<String> {
    let behind = |begin: &str, end: &str| -> Vec<String> {
        let places = text.match_indices(begin).map(|(at, _)| &text[at + begin.len()..]);
        let inner = places.filter_map(|it| it.split_once(end)).map(|it| it.0.to_owned());
        inner.filter(|it| !it.trim().is_empty()).take(MAX_LINES + 1).collect()
    };
    [behind("!`", "`"), behind("```!", "```")].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_filled_in_as_the_client_does_it() {
        let text =
            "A $ARGUMENTS; B $0 $1 $ARGUMENTS[1] $2; C ${CLAUDE_SKILL_DIR} $CLAUDE_SKILL_DIR";
        let places = [("{CLAUDE_SKILL_DIR}", Some(Path::new("/s"))), ("{X}", None)];
        let fill = |text: &str, arguments: &str| filled(text, arguments, &places);
        assert_eq!(
            fill(text, "one 'two three'").unwrap(),
            "A one 'two three'; B one two three two three $2; C /s $CLAUDE_SKILL_DIR"
        );
        assert_eq!(fill("git $ARGUMENTS", "").unwrap(), "git ");
        assert_eq!(fill("$10 $1$ ${X} $", "a b").unwrap(), "$10 b$ ${X} $");
        assert_eq!(fill("$1push \\$0 $0", "a b").unwrap(), "$1push \\$0 a");
        assert_eq!(fill("$ARGUMENTS", "it's !`a`").unwrap(), "it's \\! `a`");
        assert_eq!(fill(&"$0".repeat(5000), &"x".repeat(5000)), None);
    }

    #[test]
    fn names_for_arguments_stand_in_the_head_alone() {
        assert!(names_arguments("---\nname: a\narguments: [x]\n---\nText"));
        assert!(!names_arguments("---\nname: a\n---\nThey are:\narguments: x"));
    }

    #[test]
    fn both_ways_of_writing_a_line_are_found() {
        let text = "State: !`git status`\n\n```!\ngit push\necho\n```\nand `not this`";
        assert_eq!(lines_of(text), ["git status", "\ngit push\necho\n"]);
        assert_eq!(lines_of("x!` !`git push`"), [" !", "git push"]);
    }
}
