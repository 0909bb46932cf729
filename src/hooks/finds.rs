//! What a `find` that changes what it finds would come to: of the places that
//! self-protection guards, those that are there and that its tests let through.

use std::{
    collections::BTreeSet,
    fs::Metadata,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{Instant, SystemTime},
};

use super::ground::{From, text};
use crate::{
    core::protect::{Act, Found, Ground, Touch, reach},
    shell::{Find, How, Reading, Run, Write},
    world::{
        git,
        links::{Links, normal},
        process,
    },
};

/// How many files below protected places are looked at, all in all. What may
/// lie beyond counts as found.
const MAX_FILES: usize = 4096;
const MAX_DEPTH: usize = 8;
/// Of so many searches, and so many that git is asked about; what others begin
/// with counts as found.
const MAX_FINDS: usize = 256;
const MAX_ASKED: usize = 16;
/// What `git clean` would remove: so many paths are looked at.
const MAX_CLEANED: usize = 512;
/// What is protected wherever it lies: looked for where a `find` begins, where
/// the line begins and in the project.
const OF_PROJECTS: [&str; 5] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".claude/agents",
    ".roz/config.toml",
    ".orchestration",
];

pub(super) fn touches(
    readings: &[Reading],
    from: From,
    project: &Path,
    ground: &Ground,
    links: &mut Links,
    (now, until): (SystemTime, Instant),
) -> Vec<Touch> {
    let finds = readings.iter().flat_map(|it| &it.finds).filter(|it| changes(it));
    // What gives a file other times, or may, is no write that anybody objects to.
    let keeps_times = readings.iter().all(|it| {
        let is_touch = |it: &Write| it.how == How::Touch;
        it.code.is_empty() && it.scripts.is_empty() && !it.writes.iter().any(is_touch)
    });
    let mut look = Look {
        files: MAX_FILES,
        now: keeps_times.then_some(now),
        home: &ground.home,
        touches: Vec::new(),
        named: Vec::new(),
    };
    let is_new = |run: &Run| run.program == "git" && run.words().get(1) == Some(&"init");
    let is_new = readings.iter().flat_map(|it| &it.runs).any(is_new);
    let known = places(ground);
    let mut seen = BTreeSet::new();
    let mut asked = 0;
    for find in finds {
        if !seen.insert(find) {
            continue;
        }
        for (written, start) in &find.starts {
            let named = normal(&from.absolute(start));
            asked += usize::from(find.is_git);
            if seen.len() > MAX_FINDS || find.is_git && asked > MAX_ASKED {
                look.touch_any(find, &named);
                continue;
            }
            if find.is_git {
                // What the line tells git to keep no longer, it would take as well.
                let untold = readings.iter().flat_map(|it| &it.untracked);
                for path in untold.take(MAX_CLEANED).map(|it| normal(&from.absolute(&it.path))) {
                    if path.starts_with(&named) || named.starts_with(&path) {
                        look.touch(&path, How::Remove);
                    }
                }
                let is_answered = cleaned(find, &named, until, &mut look.touches);
                // A repository that the line makes keeps nothing.
                if is_new && !is_answered {
                    look.touch(&named, How::Remove);
                }
                continue;
            }
            // Below a link is looked only if the path ends in a slash.
            let real = links.real(&named);
            let of_projects =
                [&real, from.cwd, project].map(|it| OF_PROJECTS.map(|name| it.join(name))).concat();
            for root in if real == named { vec![named] } else { vec![named, real] } {
                if root.symlink_metadata().is_err() {
                    continue;
                }
                let search = Search { find, written, root: &root };
                for place in known.iter().chain(&of_projects) {
                    look.at(search, place);
                }
            }
        }
    }
    look.touches.append(&mut look.named);
    look.touches
}

/// Whether it is known that something becomes of what a search finds.
pub(super) fn changes(find: &Find) -> bool {
    !find.acts.is_empty() || !find.below.is_empty()
}

/// What is guarded, wherever the search begins.
fn places(ground: &Ground) -> Vec<PathBuf> {
    let known = [&ground.home, &ground.plugin, &ground.binary, &ground.notes];
    let mut found: Vec<PathBuf> = known.into_iter().flatten().map(PathBuf::from).collect();
    found.extend(ground.path.iter().map(|it| Path::new(it).join("roz")));
    let of_user = ground.config_dirs.iter().map(Path::new);
    found.extend(of_user.flat_map(|it| {
        OF_PROJECTS[..3].iter().map(move |name| it.join(name.trim_start_matches(".claude/")))
    }));
    found
}

/// A `find` from one of the folders where it begins.
#[derive(Clone, Copy)]
struct Search<'a> {
    find: &'a Find,
    /// The folder as it is written, and where it is.
    written: &'a str,
    root: &'a Path,
}

struct Look<'a> {
    /// What is left of [`MAX_FILES`].
    files: usize,
    /// The time, where it says how old a file will be when it is found.
    now: Option<SystemTime>,
    /// What lies there roz itself adds to at any time.
    home: &'a [String],
    touches: Vec<Touch>,
    /// Of what bears a name below what is found.
    named: Vec<Touch>,
}

impl Look<'_> {
    /// Looks whether a `find` from `root` comes to a place, to what it lies in
    /// or to what lies in it.
    fn at(&mut self, search: Search, place: &Path) {
        let root = search.root;
        if root.starts_with(place) && root != place {
            // It may begin at a file, and at a folder that goes with what is in it.
            let metadata = root.symlink_metadata();
            if !metadata.is_ok_and(|it| self.comes_to(search, root, &it, true)) {
                self.below(search, root, 0);
            }
            return;
        }
        let Ok(rest) = place.strip_prefix(root) else { return };
        let mut path = root.to_owned();
        let mut parts = rest.components();
        loop {
            let Ok(metadata) = path.symlink_metadata() else { return };
            let is_place = path == place;
            if self.comes_to(search, &path, &metadata, is_place) {
                return;
            }
            match parts.next() {
                Some(part) => path.push(part),
                None => break,
            }
        }
        self.below(search, place, 0);
    }

    /// The files in a folder. Whether one of them is found.
    fn below(&mut self, search: Search, folder: &Path, depth: usize) -> bool {
        let Ok(entries) = std::fs::read_dir(folder) else { return false };
        for entry in entries.flatten() {
            let Some(left) = self.files.checked_sub(1).filter(|_| depth < MAX_DEPTH) else {
                self.touch_any(search.find, &entry.path());
                return true;
            };
            self.files = left;
            let path = entry.path();
            let Ok(metadata) = entry.metadata() else { continue };
            let before = self.touches.len();
            let stops = self.comes_to(search, &path, &metadata, true);
            if self.touches.len() > before {
                return true;
            }
            if !stops && metadata.is_dir() && self.below(search, &path, depth + 1) {
                return true;
            }
        }
        false
    }

    /// Looks at one file. Whether the search ends there: it does not go further,
    /// or what matters is found.
    fn comes_to(
        &mut self,
        search: Search,
        path: &Path,
        metadata: &Metadata,
        is_protected: bool,
    ) -> bool {
        let Search { find, written, root } = search;
        let rest = path.strip_prefix(root).unwrap_or(Path::new(""));
        let depth = rest.components().count();
        let shown = match depth {
            0 => written.to_owned(),
            _ => format!("{}/{}", written.trim_end_matches('/'), rest.display()),
        };
        let spelt_out = match written {
            it if it.starts_with('~') => root.join(rest).to_string_lossy().into_owned(),
            _ => shown.clone(),
        };
        let found = Found {
            path: &shown,
            spelt_out: &spelt_out,
            depth,
            is_dir: metadata.is_dir(),
            is_link: metadata.is_symlink(),
            is_empty: if metadata.is_dir() {
                std::fs::read_dir(path).is_ok_and(|mut it| it.next().is_none())
            } else {
                metadata.len() == 0
            },
            size: (metadata.is_file() && !self.home.iter().any(|it| path.starts_with(it)))
                .then_some(metadata.len()),
            mode: Some(metadata.mode()),
            age: self.now.and_then(|now| {
                Some(now.duration_since(metadata.modified().ok()?).unwrap_or_default().as_secs())
            }),
        };
        let below = find.below.iter().filter(|_| metadata.is_dir());
        for (act, how, rest) in below {
            if reach(find, *act, found).acts {
                let path = path.join(rest.trim_start_matches('/'));
                // What is not there, is not taken away.
                let makes = matches!(how, How::Write | How::Append | How::Link);
                if !makes && path.symlink_metadata().is_err() {
                    continue;
                }
                self.named.push(Touch { path: text(&path), act: Act::Write(*how) });
            }
        }
        let mut ends = false;
        for (act, how) in &find.acts {
            let reach = reach(find, *act, found);
            ends |= reach.prunes;
            // A folder that is no place itself goes only as a whole, and not by
            // `-delete`, which takes empty ones.
            let deletes = find.words.get(*act).is_some_and(|it| it == "-delete");
            let goes_whole = matches!(how, How::Remove | How::Move | How::Chmod) && !deletes;
            if reach.acts && (is_protected || goes_whole) {
                self.touch(path, *how);
                ends |= is_protected;
            }
        }
        ends
    }

    /// Of more than can be looked at, whatever the search does.
    fn touch_any(&mut self, find: &Find, path: &Path) {
        let below = find.below.iter().map(|it| it.1);
        if let Some(how) = find.acts.iter().map(|it| it.1).chain(below).next() {
            self.touch(path, how);
        }
    }

    fn touch(&mut self, path: &Path, how: How) {
        self.touches.push(Touch { path: text(path), act: Act::Write(how) });
    }
}

/// What `git clean` would remove, asked of git itself: it alone knows what it
/// keeps.
/// Whether it answered.
fn cleaned(find: &Find, folder: &Path, until: Instant, touches: &mut Vec<Touch>) -> bool {
    let mut git = process::command("git");
    git.current_dir(folder).args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"]);
    git.args(["clean", "--dry-run"]);
    let mut words = find.words.iter().map(String::as_str);
    let mut paths = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "--" => paths.extend(words.by_ref()),
            "-e" | "--exclude" => {
                git.arg("-e").args(words.next());
            }
            it if it.starts_with("--exclude=") => {
                git.arg(it);
            }
            it if it.starts_with("--") => (),
            it => match it.strip_prefix('-') {
                // Only what says which files are meant: with two `-f` other repositories, too.
                Some(letters) => {
                    let kinds = letters.chars().filter(|c| "dxXf".contains(*c));
                    git.args(kinds.map(|it| format!("-{it}")));
                }
                None => paths.push(it),
            },
        }
    }
    git.arg("--").args(paths).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
    for name in git::PLACES {
        git.env_remove(name);
    }
    let Ok(ran) = process::run(git, until) else { return false };
    let said = String::from_utf8_lossy(&ran.stdout);
    let removed = said.lines().filter_map(|it| it.strip_prefix("Would remove "));
    for path in removed.take(MAX_CLEANED) {
        let path = folder.join(path.trim_matches('"').trim_end_matches('/'));
        touches.push(Touch { path: text(&path), act: Act::Write(How::Remove) });
    }
    ran.ok
}
