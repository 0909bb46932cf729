//! Words of lines with git in them: what a command of git makes, and what
//! stands for a folder that has no text of its own.

use crate::shell::{self, HOLE, Reading, Run};

/// What a run of git makes, with nothing in it but what is git's own.
#[derive(Debug, PartialEq)]
pub(super) struct Makes {
    pub(super) folder: String,
    /// It is a work tree of the repository that is there.
    pub(super) of_this: bool,
}

/// Options with a word of their own behind them, and those without. With any
/// other (`--template`, `--config`) there may be hooks in what is made.
const VALUES: &[&str] = &[
    "-b",
    "-B",
    "-o",
    "-j",
    "--branch",
    "--origin",
    "--depth",
    "--filter",
    "--jobs",
    "--initial-branch",
    "--shallow-since",
];
const FLAGS: &[&str] = &[
    "-q",
    "--quiet",
    "-v",
    "--verbose",
    "--progress",
    "--single-branch",
    "--no-single-branch",
    "--no-tags",
    "-l",
    "--local",
    "-n",
    "--no-checkout",
    "--checkout",
    "-d",
    "--detach",
    "-f",
    "--force",
    "--recursive",
    "--recurse-submodules",
    "--track",
    "--lock",
];

/// Only of a run that says nothing of another configuration.
pub(super) fn makes(run: &Run) -> Option<Makes> {
    let words = run.words();
    let goes = shell::git_folders(&run.argv);
    // Between `git` and its verb there stands nothing but `-C folder`.
    let is_plain = run.argv.len() == words.len() + 2 * goes.len();
    if !is_plain || run.assignments.iter().any(|it| it.0.starts_with("GIT_") || it.0 == "HOME") {
        return None;
    }
    let [_, verb, rest @ ..] = &words[..] else { return None };
    let (verb, rest) = match (*verb, rest) {
        ("clone" | "init", rest) => (*verb, rest),
        ("worktree", ["add", rest @ ..]) => ("worktree", rest),
        _ => return None,
    };
    let mut operands = Vec::new();
    let mut rest = rest.iter();
    let mut are_options = true;
    while let Some(&word) = rest.next() {
        if !are_options || !word.starts_with('-') {
            operands.push(word);
        } else if word == "--" {
            are_options = false;
        } else if VALUES.contains(&word) {
            rest.next()?;
        } else if !FLAGS.contains(&word)
            && !word.split_once('=').is_some_and(|it| VALUES.contains(&it.0))
        {
            return None;
        }
    }
    if operands.iter().any(|it| it.contains(HOLE)) && verb != "clone" {
        return None;
    }
    let folder = match (verb, &operands[..]) {
        ("clone", [from]) => last_name(from).to_owned(),
        ("init", []) => ".".to_owned(),
        ("clone", [_, to]) | ("init", [to]) | ("worktree", [to, ..]) => (*to).to_owned(),
        _ => return None,
    };
    let is_name = !folder.is_empty() && !folder.contains(HOLE);
    is_name.then_some(Makes { folder, of_this: verb == "worktree" })
}

/// What a folder is called that git makes of this: `d` of `https://h/d.git`.
pub(super) fn last_name(path: &str) -> &str {
    let path = path.trim_end_matches('/').trim_end_matches(".git").trim_end_matches('/');
    path.rsplit(['/', ':']).next().unwrap_or_default()
}

/// What a word for a folder may stand for.
#[derive(Debug, PartialEq)]
pub(super) enum Unknown {
    /// `$(git rev-parse --show-toplevel)`
    Root,
    /// `$(mktemp -d)`
    New,
    /// `$d` in `for d in */`
    Each(String),
}

/// What brings commands that do not stand in the line as they are.
const BRINGS: &[&str] = &[
    "eval",
    "source",
    ".",
    "xargs",
    "parallel",
    "bash",
    "sh",
    "zsh",
    "dash",
    "ksh",
    "find",
    "alias",
    "read",
    "mapfile",
    "readarray",
    "git-submodule",
];

/// What the words stand for that a line goes to, or has git go to. `None` where one may be
/// anything: the line is looked at as it is written, and what is written in another way than people
/// write it is nothing that is known.
pub(super) fn unknown(line: &str, reading: &Reading) -> Option<Vec<Unknown>> {
    const ROOT: &str = "$(git rev-parse --show-toplevel)";
    const NEW: &str = "$(mktemp -d)";
    let is_odd = |it: &Run| BRINGS.contains(&it.program.as_str()) || it.program.contains(HOLE);
    if line.contains([QUOTED, IS_ROOT, IS_NEW]) || reading.runs.iter().any(is_odd) {
        return None;
    }
    let text = without_documents(line);
    // Whoever writes it otherwise than here may mean something else.
    let text = text.replace(" 2>/dev/null)", ")").replace(ROOT, &format!("${IS_ROOT}"));
    let text = text.replace(NEW, &format!("${IS_NEW}"));
    let text = without_quotes(&text)?;
    if text.contains(['\\', '`']) || text.contains("()") {
        return None;
    }
    let is_end = |it: char| it.is_whitespace() || matches!(it, ';' | '&' | '|' | '(' | ')');
    let words: Vec<&str> = text.split(is_end).filter(|it| !it.is_empty()).collect();
    let mut found = Vec::new();
    for pair in words.windows(2).filter(|it| matches!(it[0], "cd" | "pushd" | "-C")) {
        let word = pair[1];
        if !word.contains('$') {
            continue;
        }
        let name = word.strip_prefix('$')?;
        let name = name.strip_prefix('{').and_then(|it| it.strip_suffix('}')).unwrap_or(name);
        found.push(match name {
            name if name.strip_prefix(IS_ROOT) == Some("") => Unknown::Root,
            name if name.strip_prefix(IS_NEW) == Some("") => Unknown::New,
            name => variable(name, &words)?,
        });
    }
    // Each that is unknown must stand there.
    let is_gone = |it: &&Run| {
        let goes = matches!(it.program.as_str(), "cd" | "chdir" | "pushd");
        goes && it.argv.iter().any(|it| it.contains(HOLE))
            || shell::git_folders(&it.argv).iter().any(|it| it.contains(HOLE))
    };
    let count = reading.runs.iter().filter(is_gone).count();
    (count <= found.len()).then_some(found)
}

/// What stands for a quoted text, and is no part of any word that is looked for.
const QUOTED: char = '\u{1}';
/// What stands for the two commands whose output is known.
const IS_ROOT: char = '\u{2}';
const IS_NEW: char = '\u{3}';

/// `"$(cat <<'EOF' …)"`, as messages are written.
fn without_documents(line: &str) -> String {
    const BEGIN: &str = "$(cat <<'";
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once(BEGIN) {
        let Some((name, body)) = behind.split_once("'\n") else { break };
        let end = format!("\n{name}\n");
        let Some((_, behind)) = body.split_once(&end) else { break };
        let Some(behind) = behind.trim_start().strip_prefix(')') else { break };
        text.push_str(before);
        rest = behind;
    }
    text + rest
}

/// With each quoted text as one sign, but for a word that is a variable alone.
/// `None` where a quoted text may go somewhere itself.
fn without_quotes(line: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = &rest[at..=at];
        let (inside, behind) = rest[at + 1..].split_once(quote)?;
        text.push_str(&rest[..at]);
        let is_variable = inside.strip_prefix('$').is_some_and(|it| {
            it.chars().all(|it| {
                it.is_ascii_alphanumeric() || matches!(it, '_' | '{' | '}' | IS_ROOT | IS_NEW)
            })
        });
        if quote == "\"" && is_variable {
            text.push_str(inside);
        } else if quote == "\"" && inside.contains(['$', '\\', '`']) {
            let goes = ["cd", "-C", "pushd"].iter().any(|it| inside.contains(it));
            if goes || inside.contains(['\\', '`']) {
                return None;
            }
            text.push(QUOTED);
        } else {
            text.push(QUOTED);
        }
        rest = behind;
    }
    Some(text + rest)
}

/// What a variable holds that the line sets once.
fn variable(name: &str, words: &[&str]) -> Option<Unknown> {
    if name.is_empty() || !name.chars().all(|it| it.is_ascii_alphanumeric() || it == '_') {
        return None;
    }
    let sets = |it: &&&str| it.strip_prefix(name).is_some_and(|it| it.starts_with(['=', '+', '[']));
    let sets: Vec<&str> = words.iter().filter(sets).copied().collect();
    let loops: Vec<&[&str]> =
        words.windows(5).filter(|it| it[0] == "for" && it[1] == name).collect();
    match (&sets[..], &loops[..]) {
        ([set], []) => match set.strip_prefix(name)?.strip_prefix("=$")? {
            it if it.strip_prefix(IS_ROOT) == Some("") => Some(Unknown::Root),
            it if it.strip_prefix(IS_NEW) == Some("") => Some(Unknown::New),
            _ => None,
        },
        ([], [[_, _, "in", pattern, "do"]]) => {
            let is_plain = |it: char| it.is_ascii_alphanumeric() || "*?/._-".contains(it);
            pattern.chars().all(is_plain).then(|| Unknown::Each((*pattern).to_owned()))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &str) -> Option<String> {
        without_quotes(&without_documents(line)).map(|it| it.replace(QUOTED, "Q"))
    }

    #[test]
    fn a_quoted_text_says_nothing_of_where_a_line_goes() {
        for (line, is) in [
            ("cd \"$d\" && git commit -m 'cd $x'", Some("cd $d && git commit -m Q")),
            ("git commit -m \"a (b) c\"", Some("git commit -m Q")),
            ("c\"\"d $x", Some("cQd $x")),
            ("git commit -m \"$(cat <<'EOF'\nIt's\n\ncd $x\nEOF\n)\"", Some("git commit -m Q")),
            ("git commit -m \"$msg: x\"", Some("git commit -m Q")),
            ("git commit -m \"$(cd $x; pwd)\"", None),
            ("echo 'it", None),
            ("git commit -m \"a \\\" cd $x\"", None),
        ] {
            assert_eq!(plain(line).as_deref(), is, "{line}");
        }
    }
}
