//! What a copy brings: the names in a folder or behind a pattern, which the
//! line does not say, and the text of a file that is given another place.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

use super::{
    copies::Copy,
    ground::{From, text},
    scripts,
};
use crate::{
    core::{
        event::ToolCall,
        protect::{Act, Ground, Touch},
    },
    shell::{self, HOLE, How, Matcher, Reading, Run, Write},
    world::{links::normal, read_text},
};

const MAX_TEXT: u64 = 1 << 20;
/// Of what a line copies, so much is looked at; whether there is more is told.
const MAX_COPIES: usize = 256;
const MAX_FILES: usize = 512;
const MAX_WRITTEN: usize = 4096;
const MAX_DEPTH: usize = 6;
const MAX_FOLDERS: usize = 8;

/// A file that a line puts somewhere: the touch, and what it would hold.
pub(super) struct Brought {
    pub(super) touch: Touch,
    pub(super) text: Option<String>,
    /// The file that it is a copy of, and that stays as it is.
    pub(super) copied_from: Option<String>,
}

/// What a call's copies bring, and whether these are all.
pub(super) fn brought(call: &ToolCall, from: From, ground: &Ground) -> (Vec<Brought>, bool) {
    let mut look = Look { call, files: MAX_FILES, ground, found: Vec::new() };
    let mut are_all = true;
    let mut copies = 0;
    let mut written = BTreeMap::new();
    for reading in &call.readings {
        let places = OnceCell::new();
        let mut seen = BTreeSet::new();
        for run in &reading.runs {
            let program = shell::last_part(&run.program);
            let copy = match program {
                "cp" | "gcp" | "mv" | "gmv" | "ln" | "gln" | "install" | "ginstall" | "rsync"
                | "scp" => Copy::of(run),
                "make" | "gmake" | "just" | "ninja" | "curl" | "go" => None,
                _ => continue,
            };
            if !seen.insert(&run.argv) {
                continue;
            }
            let patterns = copy.iter().flat_map(|it| &it.sources).filter(|it| has_pattern(it));
            copies += 1 + patterns.count();
            if copies > MAX_COPIES {
                are_all = false;
                break;
            }
            let (places, all) = places.get_or_init(|| folders(reading, from));
            are_all &= *all;
            for folder in places {
                let from = From { cwd: folder, ..from };
                match &copy {
                    Some(copy) => {
                        let (written, all) =
                            written.entry(folder.clone()).or_insert_with(|| written_by(call, from));
                        are_all &= *all;
                        look.copy(copy, written, from);
                    }
                    None => look.made(run, program, from),
                }
            }
        }
    }
    (look.found, are_all)
}

/// Where a line stands, and where it goes: its runs do not say which of them
/// stand where. And whether these are all.
fn folders(reading: &Reading, from: From) -> (Vec<PathBuf>, bool) {
    let goes = reading.runs.iter().filter(|it| matches!(it.program.as_str(), "cd" | "pushd"));
    let goes: BTreeSet<&str> = goes.filter_map(|it| it.argv.get(1)).map(String::as_str).collect();
    let mut folders = vec![from.cwd.to_owned()];
    folders.extend(goes.iter().map(|it| normal(&from.absolute(it))));
    let are_all = folders.len() <= MAX_FOLDERS;
    folders.truncate(MAX_FOLDERS);
    (folders, are_all)
}

/// The files that a call itself writes, in their order: those below a folder
/// stand side by side. And whether these are all.
fn written_by(call: &ToolCall, from: From) -> (Vec<PathBuf>, bool) {
    let writes = call.readings.iter().flat_map(|it| &it.writes);
    let makes = |how| matches!(how, How::Write | How::Append | How::Move | How::Edit);
    let mut writes = writes.filter(|it| makes(it.how) && !it.path.contains(HOLE));
    let first = writes.by_ref().take(MAX_WRITTEN);
    let mut written: Vec<PathBuf> = first.map(|it| normal(&from.absolute(&it.path))).collect();
    written.sort_unstable();
    written.dedup();
    (written, writes.next().is_none())
}

fn has_pattern(source: &str) -> bool {
    source.contains(['*', '?', '['])
}

struct Look<'a> {
    call: &'a ToolCall<'a>,
    /// What is left of [`MAX_FILES`].
    files: usize,
    ground: &'a Ground,
    found: Vec<Brought>,
}

impl Look<'_> {
    fn copy(&mut self, copy: &Copy, written: &[PathBuf], from: From) {
        let target = normal(&from.absolute(copy.target));
        for source in copy.sources.iter().copied() {
            // The name of what a loop goes over.
            let any;
            let source = match source.rsplit_once('/') {
                Some((folder, name)) if name.contains(HOLE) && !folder.contains(HOLE) => {
                    any = source.replace(HOLE, "*");
                    &any
                }
                _ => source,
            };
            let pattern = from.absolute(source);
            let has_pattern = has_pattern(source);
            // Of what is in a folder, its own name is left out.
            let is_open = source == "."
                || source.ends_with("/.")
                || source.ends_with('/') && (copy.syncs || copy.sources.len() == 1 && !copy.into);
            let mut paths = if has_pattern && !pattern.exists() {
                scripts::matching(&pattern)
            } else {
                vec![normal(&pattern)]
            };
            if has_pattern {
                let finder = Finder::new(&pattern);
                paths.extend(written.iter().filter(|it| finder.finds(it)).cloned());
            }
            for path in paths {
                let name = path.file_name().unwrap_or_default().to_owned();
                let below = self.below(&path, written);
                let is_there = !copy.flat && (copy.into || has_pattern || target.is_dir());
                // What the call takes away before is there no more.
                let ways = if is_there && !copy.into && self.takes_away(&target, from) {
                    &[true, false][..]
                } else if is_there {
                    &[true]
                } else {
                    &[false]
                };
                let left_out = |rest: &Path| {
                    let last = rest.components().count();
                    let mut names = rest.components().map(Component::as_os_str).zip(1..);
                    names.any(|(name, at)| {
                        copy.without.iter().any(|it| name == it.0 && (!it.1 || at < last))
                    })
                };
                let below: Vec<_> = below.into_iter().filter(|it| !left_out(&it.1)).collect();
                for ((file, rest), is_there) in
                    below.iter().flat_map(|it| ways.iter().map(move |way| (it, *way)))
                {
                    let whole = if rest.as_os_str().is_empty() && !is_there {
                        target.clone()
                    } else if rest.as_os_str().is_empty() {
                        target.join(&name)
                    } else if is_open || !is_there {
                        target.join(rest)
                    } else {
                        target.join(&name).join(rest)
                    };
                    self.put(&whole, file, copy.moves);
                }
            }
        }
    }

    fn takes_away(&self, target: &Path, from: From) -> bool {
        let mut writes = self.call.readings.iter().flat_map(|it| &it.writes);
        writes.any(|it| {
            matches!(it.how, How::Remove | How::Move)
                && !it.path.contains(HOLE)
                && normal(&from.absolute(&it.path)) == target
        })
    }

    /// What a program makes where it stands: `make roz`, `curl -O …/roz`.
    fn made(&mut self, run: &Run, program: &str, from: From) {
        let words = run.argv.iter().skip(1).map(String::as_str);
        let of_address = program == "curl" && words.clone().any(keeps_the_name);
        for word in words.filter(|it| !it.starts_with('-')) {
            let name = if program == "curl" { shell::last_part(word) } else { word };
            if (of_address || name == "roz" && program != "curl") && !name.is_empty() {
                let at = normal(&from.cwd.join(name));
                if of_address || self.is_telling(&at) {
                    let touch = Touch { path: text(&at), act: Act::Write(How::Write) };
                    self.found.push(Brought { touch, text: None, copied_from: None });
                }
            }
        }
    }

    /// The files at a path and below it, with their way from there.
    fn below(&mut self, path: &Path, written: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
        let own = &written[written.partition_point(|it| it.as_path() < path)..];
        let own = own.iter().take_while(|it| it.starts_with(path));
        let mut found: Vec<PathBuf> = own.cloned().collect();
        let mut folders = vec![(path.to_owned(), 0)];
        if !path.is_dir() {
            folders.clear();
            found.push(path.to_owned());
        }
        while let Some((folder, depth)) = folders.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Some(left) = self.files.checked_sub(1) else { break };
                self.files = left;
                let path = entry.path();
                if path.is_dir() && depth < MAX_DEPTH && entry.file_name() != ".git" {
                    folders.push((path, depth + 1));
                } else {
                    found.push(path);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        let rest = |it: PathBuf| {
            let rest = it.strip_prefix(path).unwrap_or(Path::new("")).to_owned();
            (it, rest)
        };
        found.into_iter().map(rest).collect()
    }

    fn put(&mut self, at: &Path, source: &Path, is_moved: bool) {
        if self.is_telling(at) {
            let text_of = self.text_of(source, is_moved);
            let touch = Touch { path: text(at), act: Act::Write(How::Write) };
            let stays = text_of.is_some() && !is_moved;
            let copied_from = stays.then(|| text(source));
            self.found.push(Brought { touch, text: text_of, copied_from });
        }
    }

    /// Whether somebody guards a place, by its looks.
    fn is_telling(&self, at: &Path) -> bool {
        let named = at.components().any(|it| {
            let it = it.as_os_str();
            [".claude", ".roz", ".grove", ".orchestration"].iter().any(|name| it == *name)
        });
        let Ground { home, config_dirs, plugin, path, .. } = self.ground;
        let below = |places: &[String]| places.iter().any(|it| at.starts_with(it));
        named
            || below(home)
            || below(config_dirs)
            || below(plugin)
            || at.ends_with("roz") && path.iter().any(|it| at.parent() == Some(Path::new(it)))
    }

    /// What a file holds when it is copied: as it is, or as the call writes it.
    fn text_of(&self, source: &Path, is_moved: bool) -> Option<String> {
        let name = text(source);
        let readings = &self.call.readings;
        let is_it =
            |path: &str| Path::new(&name).ends_with(path.trim_start_matches(['.', '/', '~']));
        let mut texts = readings.iter().flat_map(|it| &it.texts).filter(|it| is_it(&it.path));
        let writes = readings.iter().flat_map(|it| &it.writes).filter(|it| is_it(&it.path));
        // That it is moved from there is a write as well, and the only one.
        let (moves, others): (Vec<&Write>, Vec<&Write>) =
            writes.partition(|it| it.how == How::Move);
        match (texts.next(), texts.next()) {
            (Some(only), None) if !only.added => only.text.clone().filter(|it| !it.contains(HOLE)),
            (Some(_), _) => None,
            (None, _) if !others.is_empty() || moves.len() > usize::from(is_moved) => None,
            (None, _) => read_text(source, MAX_TEXT),
        }
    }
}

/// `-O`, `-sO`, `--remote-name`
fn keeps_the_name(word: &str) -> bool {
    let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
    letters.is_some_and(|it| it.contains('O')) || word.starts_with("--remote-name")
}

/// A pattern of files, made ready for many paths.
struct Finder(Vec<Part>);

enum Part {
    /// `**`: any number of folders.
    Folders,
    Name {
        matcher: Matcher,
        /// It finds names that begin with a dot.
        says_dot: bool,
    },
}

impl Finder {
    fn new(pattern: &Path) -> Self {
        let part = |it: Component| match &*it.as_os_str().to_string_lossy() {
            "**" => Part::Folders,
            it => Part::Name { matcher: Matcher::new(it), says_dot: it.starts_with('.') },
        };
        Self(pattern.components().map(part).collect())
    }

    fn finds(&self, path: &Path) -> bool {
        let names: Vec<_> = path.components().map(|it| it.as_os_str().to_string_lossy()).collect();
        let (mut part, mut at) = (0, 0);
        // Where to go on when a later part finds nothing: behind the last `**`, one folder further.
        let mut retry: Option<(usize, usize)> = None;
        while let Some(name) = names.get(at) {
            match self.0.get(part) {
                Some(Part::Folders) => {
                    part += 1;
                    retry = Some((part, at));
                }
                Some(Part::Name { matcher, says_dot })
                    if (*says_dot || !name.starts_with('.')) && matcher.matches(name) =>
                {
                    part += 1;
                    at += 1;
                }
                _ => {
                    let Some((behind, from)) = retry else { return false };
                    (part, at) = (behind, from + 1);
                    retry = Some((part, at));
                }
            }
        }
        self.0[part..].iter().all(|it| matches!(it, Part::Folders))
    }
}
