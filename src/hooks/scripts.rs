//! The scripts that a line runs: their text is read as code nested in it, so
//! that a script written by one call and run by the next opens nothing.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
    process::Command,
    time::Instant,
};

use super::{gather, git_code, takers};
use crate::{
    core::{
        event::{Beyond, Spared, ToolCall},
        pattern,
        session::Session,
    },
    open::Roz,
    shell::{FileText, HOLE, Interpreter, Matcher, Options, Reading, Script, Unreadable},
    world::{World, git, links::normal, process, read_head, shell_word},
};

/// Of a script so much is read, in bytes.
const MAX_TEXT: usize = 64 * 1024;
/// So many are read, and so much of all of them; so many paths and patterns are
/// looked up. Beyond, a line may run anything.
const MAX_SCRIPTS: usize = 64;
const MAX_ALL: usize = 8 * MAX_TEXT;
const MAX_LOOKED_UP: usize = 1024;
const MAX_PATTERNS: usize = 16;
/// So many names are looked at for a pattern of files.
const MAX_NAMES: usize = 2048;
/// A script that runs a script that runs a script.
const MAX_DEPTH: usize = 3;

/// Reads the scripts that a call would run, and those that they run.
pub(super) fn read(
    call: &mut ToolCall,
    cwd: &Path,
    session: Option<&Session>,
    options: &Options,
    roz: &Roz,
    more: &[String],
    world: &World,
) {
    let mut look = Look::default();
    let mut from = 0;
    let lines = call.readings.len();
    let lines_text: Vec<String> = call.command_lines().map(Cow::into_owned).collect();
    let mut known = git_code::Known::new();
    let mut seen = git_code::Seen::default();
    let mut configs: BTreeSet<String> = BTreeSet::new();
    for _ in 0..MAX_DEPTH {
        let until = gather::deadline(&roz.policy, world);
        // The lines themselves are read anew where the text of a script changes what they run.
        let again = if look.is_placed { lines.min(from) } else { 0 };
        git_code::aliases(call, (again, from), &mut known, (cwd, options, until, world));
        let (mut found, mut code): (Vec<Script>, Vec<String>) = (Vec::new(), Vec::new());
        let (mut are_all, mut are_known) = (true, true);
        let last = call.readings.iter().enumerate().skip(from);
        for (at, reading) in last.chain(call.readings.iter().enumerate().take(again)) {
            found.extend(scripts(reading));
            let line = lines_text.get(at).map(String::as_str);
            let (brought, all) = git_code::hooks(reading, line, &mut seen, (cwd, until, world));
            found.extend(brought.hooks);
            code.extend(brought.code.into_iter().filter(|it| configs.insert(it.clone())));
            are_known &= all;
        }
        from = call.readings.len();
        if !are_known {
            call.read_in_part(Beyond::Repositories);
        }
        found.extend(code.into_iter().flat_map(|it| configured(call, it, options, roz)));
        for mut script in found {
            let path = there(absolute(&script.path, cwd, world));
            let is_new =
                look.seen.insert((path.clone(), script.interpreter, script.arguments.clone()));
            if !is_new {
                look.brings(&script.path, &path);
                continue;
            }
            if look.seen.len() > MAX_LOOKED_UP {
                are_all = false;
                break;
            }
            let paths = if is_pattern(&script.path) && !path.exists() {
                look.patterns += 1;
                let mut files =
                    if look.patterns > MAX_PATTERNS { Vec::new() } else { matching(&path) };
                files.retain(|it| it.is_file());
                are_all &= look.patterns <= MAX_PATTERNS && files.len() <= MAX_SCRIPTS;
                files.truncate(MAX_SCRIPTS);
                files
            } else {
                vec![path]
            };
            let is_one = paths.len() == 1;
            for path in paths {
                let read = (path.clone(), script.interpreter, script.arguments.clone());
                if look.read.contains(&read) {
                    continue;
                }
                let Some(text) = read_head(&path, MAX_TEXT) else { continue };
                if script.interpreter == Interpreter::Itself
                    && let Some(line) = other_name(&path, &text, &script.arguments, roz, world)
                {
                    call.read_lines(&[line], options);
                }
                // A compiled program is nobody's text; a patch is one all the same.
                let is_text = !text.contains(&0) || script.interpreter == Interpreter::Patch;
                if look.read.len() >= MAX_SCRIPTS || look.bytes > MAX_ALL {
                    are_all &= !is_text;
                    continue;
                }
                look.read.insert(read);
                if !is_text {
                    continue;
                }
                look.bytes += text.len();
                let asks = || {
                    let base = session.and_then(|it| it.head.as_deref());
                    is_kept(&path, &text, base, gather::deadline(&roz.policy, world))
                };
                // What lies behind the part that is read may be anything; code of other languages
                // is never known as a whole, and what is generated is long.
                let is_cut = text.len() == MAX_TEXT && !has_length(&path, MAX_TEXT);
                if !is_one {
                    script.path = path.display().to_string();
                }
                let read = String::from_utf8_lossy(&text);
                if is_shell(&script, &read) {
                    if is_cut && !asks() {
                        call.read_in_part(Beyond::Scripts);
                    }
                    look.texts.insert(path.clone(), read.clone().into_owned());
                    look.brings(&script.path, &path);
                }
                one(call, &script, &read, asks, options, roz);
            }
        }
        if !are_all {
            call.read_in_part(Beyond::Scripts);
        }
        let is_kept = |path: &Path, text: &str| {
            let base = session.and_then(|it| it.head.as_deref());
            is_kept(path, text.as_bytes(), base, gather::deadline(&roz.policy, world))
        };
        look.in_place(call, more, is_kept, options, roz);
    }
}

/// What has been looked at, over all the scripts of a call.
#[derive(Default)]
struct Look {
    seen: BTreeSet<Asked>,
    read: BTreeSet<Asked>,
    patterns: usize,
    bytes: usize,
    /// What a shell would run, by where it lies.
    texts: BTreeMap<PathBuf, String>,
    /// Those, by the path that a line has for them.
    files: BTreeMap<String, PathBuf>,
    /// Those of them that the lines have been read with.
    placed: usize,
    /// Whether they were read anew at last.
    is_placed: bool,
}

impl Look {
    /// A line brings a file to a shell.
    fn brings(&mut self, spelled: &str, path: &Path) {
        if self.files.len() < MAX_SCRIPTS && self.texts.contains_key(path) {
            self.files.entry(spelled.to_owned()).or_insert_with(|| path.to_owned());
        }
    }

    /// Reads the lines once more, with the texts of the scripts where they run: in the folder and
    /// with the variables that the line gives them, and what a sourced one defines known to what
    /// comes after it.
    fn in_place(
        &mut self,
        call: &mut ToolCall,
        more: &[String],
        is_kept: impl Fn(&Path, &str) -> bool,
        options: &Options,
        roz: &Roz,
    ) {
        self.is_placed = self.files.len() != self.placed;
        if !self.is_placed {
            return;
        }
        self.placed = self.files.len();
        let mut options = options.clone();
        for (spelled, path) in &self.files {
            let text = self.texts.get(path).cloned().unwrap_or_default();
            options.files.push(FileText { path: spelled.clone(), text, kept: false });
        }
        let readings = call.readings_with(more, &options);
        // git is asked only where its answer could matter.
        let texts: String = self.texts.values().map(String::as_str).collect();
        if readings
            .iter()
            .any(|it| is_bound(it) || is_conditional(it) && may_matter(it, &texts, roz))
        {
            for file in &mut options.files {
                let path = self.files.get(&file.path);
                file.kept = path.is_some_and(|path| is_kept(path, &file.text));
            }
        }
        let any = options.files.iter().any(|it| it.kept);
        call.place(if any { call.readings_with(more, &options) } else { readings });
    }
}

/// A script as a line runs it.
type Asked = (PathBuf, Interpreter, Vec<String>);

fn one(
    call: &mut ToolCall,
    script: &Script,
    text: &str,
    is_kept: impl Fn() -> bool,
    options: &Options,
    roz: &Roz,
) {
    let read = |options: &Options| {
        crate::shell::read_script(text, script.interpreter, &script.arguments, options)
    };
    let mut reading = read(options);
    // git is asked only where its answer could matter.
    let matters = is_bound(&reading) || is_conditional(&reading) && may_matter(&reading, text, roz);
    let kept = matters && is_kept();
    // Guesses at what it may run do not count, and may be what there was too much of.
    if kept && is_bound(&reading) {
        reading = read(&Options { kept, ..options.clone() });
    }
    let spared = call.add_script(script, text, reading, kept);
    let patterns = &roz.policy.review.gates.tools;
    for pattern in patterns {
        if spared.iter().any(|key| pattern::matches(pattern, key)) {
            call.spared.push(Spared { script: script.path.clone(), by: pattern.clone() });
        }
    }
}

/// Reads a line that git's configuration has it run, where somebody could have something against it:
/// an editor is no more than that. The scripts that it runs.
fn configured(call: &mut ToolCall, line: String, options: &Options, roz: &Roz) -> Vec<Script> {
    let reading = crate::shell::read_with(&line, options);
    if may_matter(&reading, &line, roz) {
        call.read_lines(&[line], options);
    }
    reading.scripts
}

/// What a program is called elsewhere: where a link leads, and of a copy of one that a gate is about
/// that one. As a line that runs it so.
fn other_name(
    path: &Path,
    head: &[u8],
    arguments: &[String],
    roz: &Roz,
    world: &World,
) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let is_link = || path.symlink_metadata().is_ok_and(|it| it.is_symlink());
    let real = if is_link() {
        path.canonicalize().ok().filter(|it| it != path)?
    } else if head.contains(&0) {
        let length = path.metadata().ok()?.len();
        let gated = roz.policy.review.gates.tools.iter().filter_map(|it| it.strip_prefix("Bash:"));
        let names = gated.filter_map(|it| it.split(' ').next()).chain(["roz", "claude"]);
        let names: BTreeSet<&str> = names.filter(|it| !it.is_empty() && !is_pattern(it)).collect();
        let folders: Vec<PathBuf> =
            std::env::split_paths(&world.var("PATH").unwrap_or_default()).collect();
        let there = names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
        let mut same = there.filter(|it| it.metadata().is_ok_and(|it| it.len() == length));
        same.find(|it| it != path && read_head(it, head.len()).is_some_and(|it| it == head))?
    } else {
        return None;
    };
    let words: Vec<String> = arguments.iter().map(|it| shell_word(it)).collect();
    let real = real.to_str()?;
    Some(format!("exec -a {} {} {}", shell_word(name), shell_word(real), words.join(" ")))
}

/// Whether it was not read to its end.
fn is_bound(reading: &Reading) -> bool {
    reading.unreadable.is_some_and(Unreadable::is_bound)
}

/// Whether something of it may not run.
fn is_conditional(reading: &Reading) -> bool {
    reading.runs.iter().any(|it| it.conditional)
        || reading.writes.iter().any(|it| it.conditional)
        || !reading.code.is_empty()
}

/// Whether a gate or a rule could have something against a script.
fn may_matter(reading: &Reading, text: &str, roz: &Roz) -> bool {
    let keys = reading.keys();
    let patterns = &roz.policy.review.gates.tools;
    patterns.iter().any(|it| keys.iter().any(|key| pattern::matches(it, key)))
        || ["roz", "claude", ".orchestration", "plugins"].iter().any(|it| text.contains(it))
}

/// The scripts that a reading names; and where something is run that cannot be known, the files
/// that the line reads may be it.
fn scripts(reading: &Reading) -> Vec<Script> {
    let mut found = reading.scripts.clone();
    let takers: BTreeSet<Interpreter> =
        reading.runs.iter().filter_map(|run| takers::taken_from_input(run, reading)).collect();
    // What the line itself has put there has been read.
    let reads = reading.reads.iter().filter(|it| !it.own);
    for (interpreter, read) in
        takers.iter().flat_map(|it| reads.clone().map(move |read| (it, read)))
    {
        found.push(Script {
            path: read.path.clone(),
            interpreter: *interpreter,
            arguments: Vec::new(),
            conditional: false,
        });
    }
    // The patch that comes through a pipe.
    let unknown =
        found.iter().find(|it| it.interpreter == Interpreter::Patch && it.path.starts_with(HOLE));
    if let Some(patch) = unknown.cloned() {
        found.extend(
            reading.reads.iter().map(|it| Script { path: it.path.clone(), ..patch.clone() }),
        );
    }
    found.retain(|it| !it.path.contains(HOLE));
    found
}

/// Whether a shell would run it.
fn is_shell(script: &Script, text: &str) -> bool {
    match script.interpreter {
        Interpreter::Shell => true,
        Interpreter::Itself => {
            let first = text.lines().next().unwrap_or_default();
            !first.starts_with("#!") || first.trim_end().ends_with("sh")
        }
        _ => false,
    }
}

pub(super) fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '['])
}

/// What a pattern finds, `**` being folders within folders. It looks
/// at so many names and no more, the nearest first.
pub(super) fn matching(pattern: &Path) -> Vec<PathBuf> {
    let mut left = MAX_NAMES;
    let mut found = vec![PathBuf::new()];
    let mut last = Cow::Borrowed("");
    for part in pattern.components() {
        let part = part.as_os_str().to_string_lossy();
        if !is_pattern(&part) {
            for it in &mut found {
                it.push(&*part);
            }
        } else if part == "**" && last == "**" {
            // Two of them find no more than one.
        } else if part == "**" {
            // Grows while it is gone through: folders, then those within them.
            let mut at = 0;
            while let Some(folder) = found.get(at).cloned() {
                at += 1;
                let is_folder = |it: &PathBuf| !it.is_symlink() && it.is_dir();
                found.extend(names(&folder, &mut left).into_iter().filter(is_folder));
            }
        } else {
            let matcher = Matcher::new(&part);
            let fits = |it: &PathBuf| {
                it.file_name().and_then(|it| it.to_str()).is_some_and(|it| matcher.matches(it))
            };
            let folders = std::mem::take(&mut found);
            for folder in folders {
                found.extend(names(&folder, &mut left).into_iter().filter(fits));
            }
        }
        last = part;
    }
    found
}

/// What lies in a folder, in the order of the names.
fn names(folder: &Path, left: &mut usize) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<PathBuf> = entries.take(*left).map(|it| it.path()).collect();
    *left -= names.len();
    names.sort_unstable();
    names.retain(|it| !it.ends_with(".git"));
    names
}

pub(super) fn absolute(path: &str, cwd: &Path, world: &World) -> PathBuf {
    let below = if path == "~" { Some("") } else { path.strip_prefix("~/") };
    match (below, &world.user_home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => cwd.join(path),
    }
}

/// The way to a file that leads out of a folder that the line has still to make: that is no link.
pub(super) fn there(path: PathBuf) -> PathBuf {
    let leads_out = path.components().any(|it| it == Component::ParentDir);
    if leads_out && !path.exists() { normal(&path) } else { path }
}

/// Whether the project has a script so since the session began: what an agent
/// commits on its way is as new as what it writes.
fn is_kept(path: &Path, text: &[u8], base: Option<&str>, until: Instant) -> bool {
    let Ok(path) = path.canonicalize() else { return false };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|it| it.to_str()))
    else {
        return false;
    };
    let base = base.unwrap_or("HEAD");
    let mut git: Command = process::command("git");
    git.current_dir(folder)
        .args(["-c", "core.fsmonitor=false", "cat-file", "blob", &format!("{base}:./{name}")])
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1");
    for name in git::PLACES {
        git.env_remove(name);
    }
    let ran = process::run(git, until);
    // All of it, not only the part that is read as code.
    let is_same = |blob: &[u8]| read_head(&path, blob.len() + 1).is_some_and(|it| it == blob);
    ran.is_ok_and(|it| it.ok && it.stdout.starts_with(text) && is_same(&it.stdout))
}

fn has_length(path: &Path, length: usize) -> bool {
    path.metadata().is_ok_and(|it| it.len() == length as u64)
}
