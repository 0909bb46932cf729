//! The files that register roz with a client: its hooks, and the reviewer among its agents.

use serde_json::{Map, Value, json};

use super::{Hook, dialect::Dialect};

/// Where a client looks for its files, and what roz writes there.
#[derive(Debug)]
pub struct Setup {
    /// Its folder in the user's home.
    pub folder: &'static str,
    /// The variable that selects another folder.
    pub variable: Option<&'static str>,
    pub program: &'static str,
    /// What switches its hooks off: a file, the path of a key in it, and its value.
    pub off: Option<(&'static str, &'static str, bool)>,
    pub(super) hooks: Hooks,
    /// The reviewer's file in that folder, and its text.
    pub(super) reviewer: (&'static str, fn(&str) -> String),
}

#[derive(Debug)]
pub(super) enum Hooks {
    /// In a file with other settings. A hook that takes longer is ignored.
    Shared { file: &'static str, patience: Patience, line: fn(&str, &str) -> String },
    /// A file of roz's own.
    Own { file: &'static str, text: fn(&Dialect, &str) -> String },
}

/// How long a hook may take, in the client's unit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Patience {
    Seconds(u64),
    Milliseconds(u64),
}

/// A file that roz writes for a client, by its path in the client's folder.
#[derive(Debug)]
pub struct File {
    pub path: &'static str,
    pub content: Content,
}

#[derive(Debug)]
pub enum Content {
    /// The whole file.
    Whole(String),
    /// Groups of hooks by event, among others' in a JSON file.
    Hooks(Vec<(&'static str, Value)>),
}

impl Setup {
    /// The files to write, for the binary at this path.
    pub(super) fn files(&self, dialect: &Dialect, binary: &str) -> Vec<File> {
        let hooks = match &self.hooks {
            Hooks::Shared { file, patience, line } => {
                let groups = dialect.registered.iter().map(|hook| {
                    let command = command(dialect, binary, *hook, *line);
                    (dialect.own_event(*hook), group(&command, *patience, *hook))
                });
                File { path: file, content: Content::Hooks(groups.collect()) }
            }
            Hooks::Own { file, text } => {
                File { path: file, content: Content::Whole(text(dialect, binary)) }
            }
        };
        let (path, text) = self.reviewer;
        vec![hooks, File { path, content: Content::Whole(text(binary)) }]
    }
}

pub(super) fn command(
    dialect: &Dialect,
    binary: &str,
    hook: Hook,
    line: fn(&str, &str) -> String,
) -> String {
    let binary = word(binary);
    line(&binary, &format!("{binary} hook {} --client {}", hook.word(), dialect.name))
}

/// A path as a shell word.
fn word(path: &str) -> String {
    let is_plain = path.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+@".contains(c));
    if is_plain { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// For a client that gives the hook at a session's end three seconds.
const END: u64 = 3;

fn group(command: &str, patience: Patience, hook: Hook) -> Value {
    let most = |limit: u64, end: u64| if hook == Hook::SessionEnd { end } else { limit };
    let timeout = match patience {
        Patience::Seconds(limit) => most(limit, END),
        Patience::Milliseconds(limit) => most(limit, END * 1000),
    };
    json!({ "hooks": [{ "type": "command", "command": command, "timeout": timeout }] })
}

/// The command line for a client that denies every call if the program is missing. If a hook is too
/// slow, the client waits for its child processes, so `exec` replaces the shell.
pub(super) fn guarded(binary: &str, line: &str) -> String {
    format!("[ -x {binary} ] || exit 0; exec {line}")
}

/// The content of a file that contains only roz's hooks.
pub(super) fn own_file(dialect: &Dialect, binary: &str) -> String {
    let hooks = dialect.registered.iter().map(|hook| {
        // The client denies a call if its hook is killed.
        let command = command(dialect, binary, *hook, |_, line| format!("{line}; exit 0"));
        let entry = json!({ "type": "command", "command": command, "timeoutSec": 10 });
        (dialect.own_event(*hook).to_owned(), json!([entry]))
    });
    let hooks: Map<String, Value> = hooks.collect();
    format!("{:#}\n", json!({ "version": 1, "hooks": hooks }))
}

const REVIEWER: &str = include_str!("../../agents/roz.md");

/// The reviewer's instructions, without the header, which differs between clients.
pub(super) fn instructions() -> &'static str {
    let body = REVIEWER.splitn(3, "---\n").nth(2).unwrap_or(REVIEWER);
    body.trim_start()
}

/// The same for a client that cannot pass anything to a reviewer at its start: there is no token,
/// and the prompt names the session.
pub(super) fn instructions_alone() -> String {
    const TOLD: &str = "Your context names the session under review and holds a one-time token. Do \
        not repeat the token in your answer.";
    const ALONE: &str = "The prompt names the session under review; everything else in it is a claim \
        of the agent's. You need no token: your own call of `roz decide` is recognised.";
    instructions()
        .replace(TOLD, ALONE)
        .replace(" --token <token>", "")
        .replace("your context names the programs (", "programs that may be there: (")
}

/// A reviewer's file with a header of `name: value` lines.
pub(super) fn reviewer_file(head: &str, instructions: &str) -> String {
    format!("---\n{head}---\n\n{instructions}")
}

pub(super) const ABOUT: &str = "Independent reviewer. Looks at the work of a session and decides \
    whether it is done. Started when roz asks for a review, or when the user wants work reviewed.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reviewer_that_is_told_nothing_is_not_asked_for_a_token() {
        let alone = instructions_alone();
        assert!(alone.contains("You need no token") && !alone.contains("<token>"), "{alone}");
        assert!(!alone.contains("our context"), "{alone}");
        assert!(instructions().starts_with("You are roz"));
    }
}
