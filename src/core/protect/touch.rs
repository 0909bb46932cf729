//! What a call touches, in the call's own words: paths in the input of tools,
//! and what the reading of its command lines found.

use std::collections::BTreeMap;

use super::{
    commands::{self, base},
    gone,
    handed::handed,
    is_in,
    joined::found_here,
    paths::{INSTALLED_PLUGINS, KNOWN_MARKETPLACES},
    served,
    words::Words,
};
use crate::{
    core::event::ToolCall,
    shell::{self, Certainty, HOLE, How, Made, Reading, Run, Write},
};

/// A path that a call would do something to, as the call says it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub path: String,
    pub act: Act,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    Read,
    /// Files below it are read as well.
    Search,
    Write(How),
    /// The names of files below it are printed, and something unknown is taken
    /// away.
    Names,
    /// A program that we do not know is given it.
    Unknown,
}

/// What a call touches. `reads` says whether anybody asks what it reads.
pub fn touches(call: &ToolCall, reads: bool) -> Vec<Touch> {
    let mut found = Vec::new();
    // However many there are, each is looked at: padding hides nothing. What a
    // line can name is bounded by the reading.
    let mut seen: BTreeMap<String, Vec<Act>> = BTreeMap::new();
    let mut add = |path: &str, act: Act| {
        let free = !reads && matches!(act, Act::Read | Act::Search);
        // What nearly every line writes to, and nobody guards.
        let is_sink = matches!(path, "/dev/null" | "/dev/stdout" | "/dev/stderr" | "/dev/tty");
        if free || is_sink || path.is_empty() {
            return;
        }
        match seen.get_mut(path) {
            Some(acts) if acts.contains(&act) => return,
            Some(acts) => acts.push(act),
            None => drop(seen.insert(path.to_owned(), vec![act])),
        }
        found.push(Touch { path: path.to_owned(), act });
    };
    of_tool(call, &mut add);
    for reading in &call.readings {
        // Where a `find … -delete` begins: what it comes to is looked up.
        let begins = |it: &&Write| {
            it.how == How::Remove
                && it.certainty == Certainty::Opaque
                && !it.path.contains(HOLE)
                && !reading.finds.is_empty()
        };
        // What stands for a search's finds is what they are.
        for write in reading.writes.iter().filter(|it| !begins(it) && !it.is_found) {
            add(&write.path, Act::Write(write.how));
        }
        for run in &reading.runs {
            of_run(run, &mut add);
        }
        handed(reading, &mut add);
        unpacks(reading, &mut add);
        for read in &reading.reads {
            add(&read.path, Act::Read);
        }
        // Where what they find goes is not known.
        if changes_unknown(reading)
            && reading.finds.iter().any(|it| it.acts.is_empty() && !it.is_text)
        {
            for run in reading.runs.iter().filter(|it| matches!(base(it), "find" | "fd")) {
                let operands =
                    run.argv[1..].iter().take_while(|it| !it.starts_with(['-', '(', '!']));
                operands.for_each(|it| add(it, Act::Names));
            }
        }
        found_here(reading, &mut add);
        if reads {
            gone::searches(reading, "~/.claude", &mut add);
        }
        if takes_unknown(reading) {
            lists(reading, &mut add);
        }
    }
    for line in call.command_lines() {
        mounts(&line, &mut add);
    }
    // Of a line that cannot be read, a mention is enough.
    for line in &call.unread {
        for word in commands::words_of(line).filter(|it| is_telling(it)) {
            add(word, Act::Write(How::Edit));
        }
    }
    through_links(call, &mut found);
    found
}

/// Paths through links that the call itself makes.
fn through_links(call: &ToolCall, found: &mut Vec<Touch>) {
    const MOST: usize = 1 << 16;
    let made = Made::by(&call.readings);
    if made.is_empty() {
        return;
    }
    let through = |it: &Touch| {
        // A link itself is removed or replaced, what it leads to is not.
        let follows = !matches!(it.act, Act::Write(How::Remove | How::Move | How::Link));
        let act = it.act;
        made.through(&it.path, follows).into_iter().map(move |path| Touch { path, act })
    };
    let more: Vec<Touch> = found.iter().flat_map(through).take(MOST).collect();
    found.extend(more);
}

/// Whether a line takes away what it does not name: `find | xargs rm`.
pub(super) fn takes_unknown(reading: &Reading) -> bool {
    reading.writes.iter().any(|it| {
        let takes = matches!(it.how, How::Remove | How::Move | How::Chmod | How::Edit);
        let last = shell::last_part(&it.path);
        takes && !last.is_empty() && last.chars().all(|c| c == HOLE)
    })
}

/// The same, and where what is unknown is overwritten or added to: `f=$(find …); echo > $f`.
fn changes_unknown(reading: &Reading) -> bool {
    // What a search shows is named below where it began.
    let is_unknown = |path: &str| {
        let last = shell::last_part(path);
        !last.is_empty() && last.chars().all(|c| c == HOLE)
    };
    takes_unknown(reading)
        || reading
            .writes
            .iter()
            .any(|it| matches!(it.how, How::Write | How::Append) && is_unknown(&it.path))
}

/// Names that are printed by others than `find`: hidden ones by `ls -A`, those
/// of files that hold a word by `grep -l`.
fn lists(reading: &Reading, add: &mut impl FnMut(&str, Act)) {
    for run in &reading.runs {
        let has = |letters: &[char]| {
            let mut words = run.argv.iter().skip(1);
            words.any(|it| it.starts_with('-') && !it.starts_with("--") && it.contains(letters))
        };
        let (lists, pattern) = match base(run) {
            "ls" => (has(&['a', 'A']), 0),
            "grep" | "egrep" | "fgrep" => (has(&['l', 'L']) && has(&['r', 'R']), 1),
            _ => (false, 0),
        };
        if !lists {
            continue;
        }
        let operands = || run.argv.iter().skip(1).filter(|it| !it.starts_with('-')).skip(pattern);
        operands().for_each(|it| add(it, Act::Names));
        if operands().next().is_none() {
            let goes = reading.runs.iter().filter(|it| matches!(base(it), "cd" | "pushd"));
            goes.filter_map(|it| it.argv.get(1)).for_each(|it| add(it, Act::Names));
        }
    }
}

fn of_tool(call: &ToolCall, add: &mut impl FnMut(&str, Act)) {
    let mut field = |name: &str, act: Act| {
        if let Some(path) = call.text(name) {
            add(path, act);
        }
    };
    match call.name.as_str() {
        "Read" => field("file_path", Act::Read),
        "NotebookRead" => field("notebook_path", Act::Read),
        "Grep" | "Glob" | "LS" => field("path", Act::Search),
        "Write" => field("file_path", Act::Write(How::Write)),
        "Edit" | "MultiEdit" => field("file_path", Act::Write(How::Edit)),
        "NotebookEdit" => {
            field("notebook_path", Act::Write(How::Edit));
            field("file_path", Act::Write(How::Edit));
        }
        "Bash" | "PowerShell" | "Monitor" | "Agent" | "Task" | "Skill" | "SendMessage" => (),
        name => {
            let act = if only_reads(name) { Act::Search } else { Act::Write(How::Edit) };
            let any = if name.starts_with("mcp__") { None } else { Some(false) };
            for path in served::paths(&call.input, any) {
                add(&path, act);
            }
        }
    }
}

/// Whether a tool, by its name, changes nothing.
fn only_reads(name: &str) -> bool {
    const READS: &str = "read get list search find view show stat info cat fetch query grep glob tree \
        describe exists open ls head tail lookup";
    const WRITES: &str = "write edit create delete remove move rename replace update put set append insert \
        patch save copy link chmod apply make touch truncate execute exec run modify";
    let tool = name.rsplit("__").next().unwrap_or_default();
    let mut words: Vec<String> = Vec::new();
    let mut after_small = false;
    for c in tool.chars() {
        if !c.is_alphanumeric() {
            words.push(String::new());
        } else if (c.is_uppercase() && after_small) || words.is_empty() {
            words.push(c.to_lowercase().collect());
        } else if let Some(last) = words.last_mut() {
            last.extend(c.to_lowercase());
        }
        after_small = c.is_lowercase() || c.is_ascii_digit();
    }
    let has = |list: &str| words.iter().any(|it| is_in(list, it));
    has(READS) && !has(WRITES)
}

fn of_run(run: &Run, add: &mut impl FnMut(&str, Act)) {
    let program = base(run);
    let links = matches!(program, "cp" | "gcp")
        && run.argv.iter().any(|it| matches!(it.as_str(), "-l" | "--link" | "-al" | "-rl"));
    let act = match program {
        // `chmod -x file` has its mode in an option's place.
        "chmod" | "chown" | "chgrp" | "chattr" => Act::Write(How::Chmod),
        "grep" | "egrep" | "rg" | "ag" | "ack" | "tar" | "rsync" => Act::Search,
        "cp" | "install" | "ginstall" if !links => Act::Search,
        _ if links || CHANGERS.has(program) => Act::Write(How::Link),
        _ if READERS.has(program) => Act::Read,
        _ if run.argv.iter().any(|it| IN_PLACE.has(it)) => Act::Write(How::Edit),
        _ => Act::Unknown,
    };
    if program == "git" {
        gone::git_elsewhere(run, add);
    }
    for word in run.argv.iter().skip(1) {
        let word = match word.split_once('=') {
            Some((before, path)) if !before.contains('/') => path,
            _ => word,
        };
        if !word.starts_with('-') && is_telling(word) {
            add(word, act);
        }
    }
    copies(run, program, add);
}

/// What a container is given of the system's files.
fn mounts(line: &str, add: &mut impl FnMut(&str, Act)) {
    if !["docker", "podman", "nerdctl", "bwrap"].iter().any(|it| line.contains(it)) {
        return;
    }
    for word in commands::words_of(line) {
        let path = word.split(':').next().unwrap_or_default().replace("$HOME", "~");
        if path.len() < word.len() && is_telling(&path) || word == path && path.contains(".roz") {
            add(&path, Act::Write(How::Link));
        }
    }
}

/// What is put into a folder has the name it had.
fn copies(run: &Run, program: &str, add: &mut impl FnMut(&str, Act)) {
    const NAMES: &[&str] = &[
        "roz",
        "settings.json",
        "settings.local.json",
        "config.toml",
        INSTALLED_PLUGINS,
        KNOWN_MARKETPLACES,
        ".roz",
    ];
    if !matches!(program, "cp" | "mv" | "ln" | "install" | "rsync" | "scp" | "gcp" | "gmv" | "gln")
    {
        return;
    }
    let syncs = program == "rsync";
    let mut operands: Vec<&String> = Vec::new();
    let mut words = run.argv.iter().skip(1);
    while let Some(word) = words.next() {
        if syncs && matches!(word.as_str(), "--exclude" | "--include" | "--exclude-from") {
            words.next();
        } else if !word.starts_with('-') {
            operands.push(word);
        }
    }
    let [sources @ .., folder] = &operands[..] else { return };
    for source in sources {
        // Of a folder with a slash behind it rsync takes what is in it.
        let takes_inside = syncs && source.ends_with('/');
        let name = source.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let folder = folder.trim_end_matches('/');
        if NAMES.contains(&name) {
            add(&format!("{folder}/{name}"), Act::Write(How::Write));
        }
        // With the folders that it is named by.
        if run.argv.iter().any(|it| it.len() > 4 && "--parents".starts_with(it.as_str())) {
            add(&format!("{folder}/{}", source.trim_start_matches("./")), Act::Write(How::Write));
        }
        // A folder brings what is in it.
        let is_own = source.trim_end_matches('/') == "~/.claude";
        let is_it = run.argv.iter().any(|it| {
            it == "--no-target-directory"
                || it.starts_with('-') && !it.starts_with("--") && it.contains('T')
        });
        if name == ".claude" && (is_it || takes_inside) && shell::last_part(folder) == ".claude" {
            add(&format!("{folder}/settings.json"), Act::Write(How::Write));
            add(&format!("{folder}/settings.local.json"), Act::Write(How::Write));
        }
        if name == ".claude" && !is_own && !takes_inside {
            add(&format!("{folder}/{name}/settings.json"), Act::Write(How::Write));
            add(&format!("{folder}/{name}/settings.local.json"), Act::Write(How::Write));
        }
    }
}

/// What is unpacked into the client's folder may be its settings.
fn unpacks(reading: &Reading, add: &mut impl FnMut(&str, Act)) {
    let is_clients = |it: &str| it.trim_end_matches('/').rsplit('/').next() == Some(".claude");
    let mut folders = reading.writes.iter().filter(|it| is_clients(&it.path)).peekable();
    let goes = |run: &Run| {
        matches!(base(run), "cd" | "pushd") && run.argv[1..].iter().any(|it| is_clients(it))
    };
    let has_gone = reading.runs.iter().any(goes);
    let is_there = |run: &Run| {
        let unpacks = match base(run) {
            "unzip" | "7z" | "tar" | "gtar" | "bsdtar" | "cpio" => true,
            "git" => run.argv.iter().any(|it| it == "clone" || it == "worktree"),
            _ => false,
        };
        // `7z x a.7z -o.claude`
        let names = || run.argv.iter().any(|it| is_clients(it.strip_prefix("-o").unwrap_or(it)));
        unpacks && (has_gone || names())
    };
    // `shutil.copytree(x, ".claude")`
    const TREES: &[&str] = &["copytree", "copy_tree", "cpSync", "cp_r", "dircopy", "copySync"];
    let copies = || reading.code.iter().any(|code| TREES.iter().any(|it| code.contains(it)));
    if folders.peek().is_none() || !(reading.runs.iter().any(is_there) || copies()) {
        return;
    }
    for folder in folders.filter(|it| matches!(it.how, How::Write | How::Directory)) {
        for name in ["settings.json", "settings.local.json"] {
            let path = format!("{}/{name}", folder.path.trim_end_matches('/'));
            add(&path, Act::Write(How::Write));
        }
    }
}

/// What the name of a protected file, or of a folder on the way to it, has in
/// it: so many of them as a word of a line is asked for, and the others.
const TELLING: &[&str] = &[
    "roz",
    ".claude",
    ".orchestration",
    "settings",
    "subagents",
    ".output",
    ".grove",
    ".bash",
    ".zsh",
    ".profile",
    "claude-code",
    "plugins",
    // From here on what only a file's whole path is asked for.
    ".zprofile",
    ".zlogin",
    ".kshrc",
    ".envrc",
    "config.fish",
    "agent-",
];
const OF_WORDS: usize = 12;

/// Which bytes any of them begins with.
static BEGINS: [bool; 256] = {
    let mut begins = [false; 256];
    let mut at = 0;
    while at < TELLING.len() {
        begins[TELLING[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    begins
};

/// Whether a path could concern a protected place, by its looks. Every word of
/// every line is asked.
pub(super) fn is_telling(path: &str) -> bool {
    let bytes = path.as_bytes();
    let is_path = matches!(bytes.first(), Some(b'/' | b'~' | b'.')) && bytes.contains(&b'/');
    path.len() < 4096 && (is_path || has_any(path, &TELLING[..OF_WORDS]))
}

/// Whether a name of something protected stands in a path.
pub(super) fn is_named(path: &str) -> bool {
    has_any(path, TELLING)
}

/// Goes over the text once.
fn has_any(text: &str, words: &[&str]) -> bool {
    let bytes = text.as_bytes();
    let begins = |at: usize| words.iter().any(|it| bytes[at..].starts_with(it.as_bytes()));
    (0..bytes.len()).any(|at| BEGINS[usize::from(bytes[at])] && begins(at))
}

/// Programs that only read, or do nothing with a file at all. What a program
/// is known to write is in the reading anyway; this is about the others.
static READERS: Words = Words::new(
    "cat bat batcat less more head tail nl tac od xxd hexdump strings wc cut paste column \
    fold fmt rev base64 md5sum sha1sum sha256sum b2sum cksum shasum file stat view zcat \
    diff cmp comm join sort uniq grep egrep fgrep zgrep rg ag ack jq yq gojq awk gawk \
    mawk sed ls ll dir tree find fd fdfind du df test [ [[ echo printf cd pushd popd pwd \
    export declare local readonly typeset set unset read type which command hash alias \
    realpath readlink basename dirname true false : exit return sleep date git gh tar cp \
    rsync scp source . bash sh dash zsh open xdg-open exa eza lsd tee rm mv mkdir rmdir \
    touch chmod chown getfacl lsattr namei lsof pgrep ps taplo tomlq sqlite3 dd claude \
    roz watch inotifywait entr env printenv time unzip zip gzip curl wget patch \
    Get-Content Get-ChildItem Get-Item Select-String Test-Path Get-FileHash Resolve-Path \
    gc gci python python3 node perl ruby php make cargo Write-Output Write-Host",
);
/// Options by which a program that we do not know changes its files.
static IN_PLACE: Words =
    Words::new("-i -I -w --in-place --inplace --write --fix -o --output --overwrite");
/// Programs that change every file they are given, and that the reading does
/// not know.
static CHANGERS: Words = Words::new(
    "Set-Content Add-Content Clear-Content Out-File Remove-Item Move-Item Copy-Item \
    Rename-Item New-Item Tee-Object Set-Acl Set-ItemProperty sd strip upx patchelf \
    objcopy setcap mount umount ln gln link mkfifo mknod fuser vipe vidir mmv rename \
    renameat",
);
