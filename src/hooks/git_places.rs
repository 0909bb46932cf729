//! Where the runs of git of a line stand: the folders that `cd` and `-C` lead
//! to, and whether those are known.
//!
//! Which `cd` a subshell takes back is not looked at: whatever a line goes to
//! counts for all of it.
//!
//! Long because what a path comes to hangs on all that the line goes to, makes and copies.

use std::{
    cell::{Cell, OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    path::{Component, Path, PathBuf},
};

use super::{copies::Copy, git_words, scripts};
use crate::{
    shell::{self, HOLE, How, Reading, Run},
    world::{World, links::MAX_PATH},
};

/// So many folders are looked at. Beyond, a line may run anything.
pub(super) const MAX_FOLDERS: usize = 16;

pub(super) fn is_git(run: &Run) -> bool {
    shell::last_part(&run.program) == "git"
}

/// So many words are noted of what a line makes. Beyond, it may make anything.
const MAX_MADE: usize = 256;
/// So many times a pattern of its loops is looked up, and one that it goes to. Beyond,
/// they go anywhere.
const MAX_LOOKS: usize = 32;

/// The folders that a line's commands may stand in: where it stands, and where
/// it goes.
pub(super) struct Places<'a> {
    reading: &'a Reading,
    /// As the line has them: some of them it makes first.
    folders: Vec<PathBuf>,
    /// Whether it goes to no more, and makes no more, than is looked at.
    pub(super) are_all: bool,
    /// The runs that go nobody knows where.
    lost: Vec<usize>,
    /// The first run of a program that may make a folder unseen.
    maker: Option<usize>,
    /// What the line has git itself make: a repository, which has no hooks but those of git's own
    /// templates, or a work tree of the repository in that folder; and which run is the first to.
    made: BTreeMap<PathBuf, (usize, Option<PathBuf>)>,
    /// Folders that the line copies, by what they become; `None` where one of them is not known.
    copied: BTreeMap<PathBuf, Option<Vec<PathBuf>>>,
    /// What git may put its hands on in a way that is not followed.
    unclear: BTreeSet<PathBuf>,
    mkdirs: BTreeSet<PathBuf>,
    /// Paths as they are written: that is compared faster than their parts are.
    written: BTreeMap<OsString, Vec<How>>,
    /// The last parts of the words that runs have, but for the last of each.
    leave: OnceCell<BTreeSet<&'a str>>,
    each: Each<'a>,
    /// It may set where `cd` looks for names.
    has_path: bool,
    is_dir: RefCell<BTreeMap<OsString, bool>>,
    /// The folders that patterns find; of those that were too many, nothing.
    by_pattern: RefCell<BTreeMap<PathBuf, Vec<PathBuf>>>,
    has_more: Cell<bool>,
    /// What lies where the line stands.
    plain: OnceCell<Vec<At>>,
}

/// What a line's loops go over, for folders that only the running line knows.
struct Each<'a> {
    patterns: BTreeSet<&'a str>,
    /// Folders that they find where the line stands.
    found: Vec<PathBuf>,
    /// Those are not all.
    are_more: bool,
    looks: usize,
    /// Its patterns may find names that begin with a dot.
    has_dots: bool,
}

/// What lies at a path once the line comes there.
enum At {
    Folders(Vec<PathBuf>),
    Nothing,
    /// The line puts something there that is not looked at.
    Anything,
}

impl<'a> Places<'a> {
    /// With the text of the line, where there is one: it tells what its loops go over.
    pub(super) fn of(
        reading: &'a Reading,
        line: Option<&'a str>,
        cwd: &Path,
        world: &World,
    ) -> Self {
        let has_hole = |it: &String| it.contains(HOLE);
        let is_unknown = |it: &Run| {
            goes(it) && it.argv.iter().any(has_hole)
                || is_git(it) && shell::git_folders(&it.argv).iter().any(has_hole)
        };
        let line_of_loops = line.filter(|_| reading.runs.iter().any(is_unknown));
        let loops = line_of_loops.into_iter().flat_map(git_words::loops);
        let mut written: BTreeMap<OsString, Vec<How>> = BTreeMap::new();
        for it in reading.writes.iter().filter(|it| !it.path.contains(HOLE)) {
            let path = plain(&scripts::absolute(&it.path, cwd, world));
            let hows = written.entry(path.into_os_string()).or_default();
            if !hows.contains(&it.how) {
                hows.push(it.how);
            }
        }
        let mut places = Self {
            reading,
            folders: vec![cwd.to_owned()],
            are_all: true,
            lost: Vec::new(),
            maker: reading.runs.iter().position(|it| !LOOKS.contains(&it.program.as_str())),
            made: BTreeMap::new(),
            copied: BTreeMap::new(),
            unclear: BTreeSet::new(),
            mkdirs: BTreeSet::new(),
            written,
            leave: OnceCell::new(),
            each: Each {
                patterns: loops.collect(),
                found: Vec::new(),
                are_more: false,
                looks: 0,
                has_dots: line.is_some_and(|it| it.contains("dotglob")),
            },
            has_path: line.is_some_and(|it| it.contains("CDPATH")),
            // Where the call stands is known.
            by_pattern: RefCell::default(),
            has_more: Cell::new(false),
            is_dir: RefCell::new(BTreeMap::from([(cwd.as_os_str().to_owned(), true)])),
            plain: OnceCell::new(),
        };
        places.each.look(cwd);
        let mut noted = 0;
        for (at, run) in reading.runs.iter().enumerate() {
            if goes(run) {
                places.go(at, run, world);
                continue;
            }
            let is_mkdir = run.program == "mkdir";
            let copies = COPIERS.contains(&run.program.as_str());
            if !(is_mkdir || copies || is_git(run) && git_words::may_make(run)) {
                continue;
            }
            noted += run.argv.len();
            if noted > MAX_MADE {
                places.are_all = false;
            } else if copies {
                places.copy(run, world);
            } else if is_mkdir {
                let operands = run.argv[1..].iter().filter(|it| !it.contains(HOLE));
                let there = operands.flat_map(|it| places.plainly(it, world)).collect::<Vec<_>>();
                places.mkdirs.extend(there);
            } else {
                places.make(at, run, world);
            }
        }
        // What git says that it writes where it starts from, it writes below.
        let starts: BTreeSet<PathBuf> =
            places.made.keys().filter_map(|it| it.parent()).map(Path::to_owned).collect();
        for start in starts {
            if places.written.contains_key(start.as_os_str()) && places.is_gits(&start) {
                let hows = places.written.entry(start.into_os_string()).or_default();
                hows.retain(|it| *it != How::Write);
            }
        }
        places
    }

    fn go(&mut self, at: usize, run: &Run, world: &World) {
        let operand = run.argv[1..]
            .iter()
            .find(|it| it.as_str() == "-" || !it.starts_with(['-', '+']))
            .map(String::as_str);
        let target = match operand {
            None if run.program == "pushd" => return,
            None => "~",
            // Where it was before is one of them already.
            Some("-") if self.folders.len() > 1 => return,
            Some(it) => it,
        };
        let there = self.seen_from(&self.folders, target, world);
        self.are_all &= !self.has_more.get();
        let is_found = |it: &Self, path: &PathBuf| match it.at(path, at) {
            At::Folders(_) => Some(true),
            At::Nothing => Some(false),
            At::Anything => None,
        };
        let found: Vec<Option<bool>> = there.iter().map(|it| is_found(self, it)).collect();
        let is_relative = !target.starts_with(['/', '~', '.']);
        if found.contains(&None)
            || scripts::is_pattern(target) && !target.contains(HOLE) && self.may_make(at)
            || is_relative && self.has_path
        {
            self.lost.push(at);
        }
        for (path, _) in there.into_iter().zip(found).filter(|it| it.1 != Some(false)) {
            let path = plain(&path);
            if self.folders.contains(&path) {
                continue;
            }
            if self.folders.len() == MAX_FOLDERS {
                self.are_all = false;
                return;
            }
            if !target.contains(HOLE) {
                self.each.look(&path);
            }
            self.folders.push(path);
        }
    }

    /// A path as it is seen from folders. Of one that only the running line knows,
    /// what its loops tell, and what is there by what is known of its name.
    fn seen_from(&self, folders: &[PathBuf], path: &str, world: &World) -> Vec<PathBuf> {
        let absolute = |path: &str, it: &PathBuf| scripts::absolute(path, it, world);
        let is_long = path.len() > MAX_PATH;
        if is_long || path.contains(HOLE) {
            let mut found = self.each.found.clone();
            if !is_long && !path.starts_with(HOLE) {
                let pattern = path.replace(HOLE, "*");
                let there = folders.iter().flat_map(|it| self.found_by(absolute(&pattern, it)));
                found.extend(there.take(MAX_FOLDERS));
            }
            return found;
        }
        let there = folders.iter().map(|it| absolute(path, it));
        if !scripts::is_pattern(path) {
            return there.collect();
        }
        let found = there.flat_map(|it| {
            let mut found = if self.is_dir(&it) { Vec::new() } else { self.found_by(it.clone()) };
            // Perhaps there is one when the line comes there.
            found.push(it);
            found
        });
        found.take(MAX_FOLDERS + 1).collect()
    }

    /// The folders that a pattern finds, looked up once.
    fn found_by(&self, pattern: PathBuf) -> Vec<PathBuf> {
        if let Some(found) = self.by_pattern.borrow().get(&pattern) {
            return found.clone();
        }
        if self.by_pattern.borrow().len() == MAX_LOOKS {
            self.has_more.set(true);
            return Vec::new();
        }
        let mut found = scripts::matching(&pattern);
        found.retain(|it| self.is_dir(it));
        self.by_pattern.borrow_mut().insert(pattern, found.clone());
        found
    }

    /// Whether something before that run may make a folder unseen.
    fn may_make(&self, run: usize) -> bool {
        let is_again = self.reading.runs.get(run).is_some_and(|it| it.conditional);
        self.maker.is_some_and(|it| is_again || it < run)
    }

    fn is_dir(&self, path: &Path) -> bool {
        let known = self.is_dir.borrow().get(path.as_os_str()).copied();
        known.unwrap_or_else(|| {
            let is = path.is_dir();
            self.is_dir.borrow_mut().insert(path.as_os_str().to_owned(), is);
            is
        })
    }

    fn make(&mut self, at: usize, run: &Run, world: &World) {
        let words = run.words();
        let Some(verb @ ("clone" | "init" | "worktree")) = words.get(1).copied() else { return };
        let made = git_words::makes(run);
        let from = shell::git_folders(&run.argv);
        for folder in self.folders.clone() {
            let from = from.iter().fold(folder, |it, to| scripts::absolute(to, &it, world));
            if let Some(made) = &made {
                let Some(folder) = &made.folder else { continue };
                let path = plain(&scripts::absolute(folder, &from, world));
                self.made.entry(path).or_insert((at, made.of_this.then_some(from)));
                continue;
            }
            let operands = words[2..].iter().filter(|it| !it.starts_with('-'));
            let operands: Vec<&str> = operands.filter(|it| !it.contains(HOLE)).copied().collect();
            let named = operands.iter().flat_map(|it| [*it, git_words::last_name(it)]);
            let paths = named.map(|it| plain(&scripts::absolute(it, &from, world)));
            // A repository that is there is where a clone comes from.
            let paths: Vec<PathBuf> =
                paths.filter(|it| verb == "init" || !self.is_dir(it)).collect();
            self.unclear.extend(paths);
            if operands.is_empty() && verb == "init" {
                self.unclear.insert(plain(&from));
            }
        }
    }

    /// Notes what a copy of a folder is a copy of: git finds there what it finds here.
    fn copy(&mut self, run: &Run, world: &World) {
        let Some(copy) = Copy::of(run) else { return };
        for from in self.folders.clone() {
            let target = plain(&scripts::absolute(copy.target, &from, world));
            for source in &copy.sources {
                let path = plain(&scripts::absolute(source, &from, world));
                let mut sources = self.before(&path);
                if !source.contains(HOLE) && self.is_dir(&path) {
                    sources.push(path.clone());
                }
                // Files bring no repository.
                let is_unknown = source.contains(HOLE) || scripts::is_pattern(source);
                if sources.is_empty() && !(is_unknown && takes_folders(run)) {
                    continue;
                }
                let inside = path.file_name().map(|it| target.join(it));
                for to in [Some(target.clone()), inside].into_iter().flatten() {
                    let paths = self.copied.entry(to).or_insert_with(|| Some(Vec::new()));
                    match paths {
                        Some(paths) if !sources.is_empty() => paths.extend(sources.iter().cloned()),
                        _ => *paths = None,
                    }
                }
            }
        }
    }

    /// What a path below the copy of a folder was before.
    fn before(&self, path: &Path) -> Vec<PathBuf> {
        let found = path.ancestors().find_map(|it| Some((it, self.copied.get(it)?.as_ref()?)));
        let Some((to, sources)) = found else { return Vec::new() };
        let rest = path.strip_prefix(to).unwrap_or(Path::new(""));
        // Some copiers put the folder into the other.
        let below = |it: &PathBuf| {
            let below = it.join(rest);
            if self.is_dir(&below) { below } else { it.clone() }
        };
        sources.iter().map(below).collect()
    }

    /// Whether nothing but git, and who makes folders, has a word that may be a folder's name.
    fn is_gits(&self, folder: &Path) -> bool {
        let Some(name) = folder.file_name().and_then(|it| it.to_str()) else { return false };
        let others = self.reading.runs.iter().filter(|it| !is_git(it) && !goes(it));
        let mut words = others.filter(|it| it.program != "mkdir").flat_map(|it| &it.argv[1..]);
        !words.any(|it| it.contains(HOLE) || it.trim_end_matches('/').ends_with(name))
    }

    /// A path as it is seen from wherever the line may stand.
    fn plainly(&self, path: &str, world: &World) -> Vec<PathBuf> {
        self.folders.iter().map(|it| plain(&scripts::absolute(path, it, world))).collect()
    }

    /// What lies at a path where the run at that place goes to it.
    fn at(&self, path: &Path, run: usize) -> At {
        let lexical = plain(path);
        let is_itself = self.is_dir(path);
        let is_there = is_itself || path != lexical && self.is_dir(&lexical);
        let start = &self.folders[0];
        // What is moved to a folder that is there is moved into it.
        let is_into = |it: &Path, how: How| {
            let name = it.file_name().and_then(|it| it.to_str()).unwrap_or_default();
            is_there && how == How::Move && !self.leaves(name)
        };
        // What is unpacked, cloned or made by a program is not looked into (docs/limits.md), as what
        // the folder holds is not known to anybody before.
        let replaces = |it: &Path, how: How| match (how, self.copied.get(it)) {
            // A folder of nobody knows where, if it is one, and no file.
            (How::Write, Some(None)) => !is_there && it == lexical,
            (How::Move, copied) => !matches!(copied, Some(Some(_))),
            (how, _) => how == How::Link,
        };
        // What is written above the folder counts, but not above where all of it stands.
        let mut above = lexical.ancestors();
        if above.clone().any(|it| self.unclear.contains(it))
            || above.any(|above| {
                let hows = self.written.get(above.as_os_str());
                let hows = hows.filter(|_| !start.starts_with(above));
                hows.into_iter().flatten().any(|it| replaces(above, *it) && !is_into(above, *it))
            })
        {
            return At::Anything;
        }
        let mut there = self.before(&lexical);
        if is_there {
            there.push(if is_itself { path.to_owned() } else { lexical });
            return At::Folders(there);
        }
        let mut made = lexical.ancestors().filter_map(|it| self.made.get(it));
        if let Some((_, of)) = made.find(|it| it.0 < run) {
            there.extend(of.clone());
            return At::Folders(there);
        }
        if !there.is_empty() {
            return At::Folders(there);
        }
        let next = self.mkdirs.range(lexical.clone()..).next();
        if next.is_some_and(|it| it.starts_with(&lexical)) {
            let above = lexical.ancestors().find(|it| self.is_dir(it));
            return At::Folders(above.into_iter().map(Path::to_owned).collect());
        }
        At::Nothing
    }

    /// Where the run at that place may stand: `-C`, else any of them; and whether
    /// that is known, as far as its own words say.
    pub(super) fn of_run(&self, place: usize, world: &World) -> (Vec<PathBuf>, bool) {
        let goes = self.goes(place);
        let mut folders = self.folders.clone();
        for to in &goes {
            folders = self.seen_from(&folders, to, world);
        }
        let is_each = goes.iter().any(|it| it.contains(HOLE));
        let is_pattern = goes.iter().any(|it| scripts::is_pattern(it));
        let is_more = self.has_more.get() || self.may_make(place) || folders.len() > MAX_FOLDERS;
        let mut is_known =
            !(is_each && (self.each.are_more || self.has_more.get()) || is_pattern && is_more);
        let mut found = BTreeSet::new();
        // What nobody can know is not held against the line (docs/limits.md); nor is
        // a folder that is not there.
        let ways: Vec<At>;
        // What is made differs from run to run, and what else there is does not.
        let ways = if goes.is_empty() && self.made.is_empty() {
            self.plain.get_or_init(|| folders.iter().map(|it| self.at(it, place)).collect())
        } else {
            ways = folders.iter().map(|it| self.at(it, place)).collect();
            &ways
        };
        for at in ways {
            match at {
                At::Folders(there) => found.extend(there.iter().cloned()),
                At::Nothing => {}
                At::Anything => is_known = false,
            }
        }
        (found.into_iter().collect(), is_known)
    }

    /// Whether a run may take away what is called so.
    fn leaves(&self, name: &str) -> bool {
        let leave = self.leave.get_or_init(|| {
            let runs = self.reading.runs.iter().filter_map(|it| it.argv.get(1..)?.split_last());
            runs.flat_map(|it| it.1).map(|it| last_part(it)).collect()
        });
        leave.contains(name)
    }

    /// Whether the line has gone where nobody knows once a run's turn comes.
    pub(super) fn is_lost(&self, place: usize) -> bool {
        if self.lost.is_empty()
            || self.goes(place).last().is_some_and(|it| it.starts_with(['/', '~']))
        {
            return false;
        }
        // In a loop it may have gone there the time before.
        let is_again = self.reading.runs.get(place).is_some_and(|it| it.conditional);
        let is_before = |it: &usize| *it < place || is_again && self.reading.runs[*it].conditional;
        self.lost.iter().any(is_before)
    }

    /// How much the line has gone or made before a run: what is known changes with that.
    pub(super) fn turn(&self, place: usize) -> usize {
        let lost = self.lost.partition_point(|it| *it < place);
        lost + self.made.values().filter(|it| it.0 < place).count()
    }

    fn goes(&self, place: usize) -> Vec<String> {
        self.reading.runs.get(place).map(|it| shell::git_folders(&it.argv)).unwrap_or_default()
    }
}

impl Each<'_> {
    /// Notes what they find in a folder.
    fn look(&mut self, folder: &Path) {
        for pattern in &self.patterns {
            if self.looks == MAX_LOOKS || self.found.len() > MAX_FOLDERS {
                self.are_more = true;
                return;
            }
            self.looks += 1;
            let may_be = |it: &PathBuf| {
                (self.has_dots || !is_hidden(it) || last_part(pattern).starts_with('.'))
                    && !self.found.contains(it)
                    && it.is_dir()
            };
            let found = scripts::matching(&folder.join(pattern));
            let found: Vec<_> = found.into_iter().filter(may_be).take(MAX_FOLDERS + 1).collect();
            self.found.extend(found);
        }
        self.are_more |= self.found.len() > MAX_FOLDERS;
        self.found.truncate(MAX_FOLDERS);
    }
}

/// Programs that make a folder of another.
const COPIERS: &[&str] = &["cp", "gcp", "mv", "gmv", "rsync", "scp", "ditto"];
/// Programs that make no folder, or say where.
const LOOKS: &[&str] = &[
    ":", "[", "[[", "cat", "cd", "date", "echo", "exit", "export", "false", "git", "grep", "head",
    "jq", "ls", "mkdir", "popd", "printf", "pushd", "pwd", "read", "rg", "set", "sleep", "sort",
    "tail", "test", "true", "uniq", "wc",
];

/// Whether a copier takes folders with what is in them.
fn takes_folders(run: &Run) -> bool {
    let is_it = |it: &String| {
        let letters = it.strip_prefix('-').filter(|it| !it.starts_with('-'));
        letters.is_some_and(|it| it.contains(['r', 'R', 'a']))
            || ["--rec", "--arch"].iter().any(|word| it.starts_with(word))
    };
    run.program.ends_with("mv") || run.argv.iter().any(is_it)
}

fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|it| it.as_encoded_bytes().starts_with(b"."))
}

fn last_part(word: &str) -> &str {
    let word = word.trim_end_matches('/');
    shell::last_part(word)
}

fn goes(run: &Run) -> bool {
    matches!(run.program.as_str(), "cd" | "chdir" | "pushd")
}

/// A path without `.` and `..`, as a shell takes it.
fn plain(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                found.pop();
            }
            part => found.push(part),
        }
    }
    found
}
