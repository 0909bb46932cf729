//! Where the runs of git of a line stand: the folders that `cd` and `-C` lead
//! to, and whether those are known.
//!
//! Which `cd` a subshell takes back is not looked at: whatever a line goes to
//! counts for all of it.

use std::{
    collections::BTreeSet,
    path::{Component, Path, PathBuf},
};

use super::{git_words, scripts};
use crate::{
    shell::{self, HOLE, How, Reading, Run},
    world::World,
};

/// So many folders are looked at. Beyond, a line may run anything.
pub(super) const MAX_FOLDERS: usize = 16;

pub(super) fn is_git(run: &Run) -> bool {
    run.program.rsplit('/').next() == Some("git")
}

/// The folders that a line's commands may stand in: where it stands, and where
/// it goes.
pub(super) struct Places<'a> {
    reading: &'a Reading,
    /// As the line has them: some of them it makes first.
    folders: Vec<PathBuf>,
    /// Whether it goes to no more than are looked at.
    pub(super) are_all: bool,
    /// The runs that go nobody knows where.
    lost: Vec<usize>,
    /// What the line has git itself make: a repository, which has no hooks but those of git's own
    /// templates, or a work tree of the repository in that folder.
    made: Vec<(usize, PathBuf, Option<PathBuf>)>,
    /// What git may put its hands on in a way that is not followed.
    unclear: Vec<PathBuf>,
    mkdirs: Vec<PathBuf>,
    written: Vec<(PathBuf, How)>,
    /// The patterns that its loops go over, for folders that only the running line
    /// knows.
    loops: Vec<String>,
    /// It may set where `cd` looks for names.
    has_path: bool,
}

/// What lies at a path once the line comes there.
enum At {
    Folders(Vec<PathBuf>),
    Nothing,
    /// The line puts something there that is not looked at.
    Anything,
}

impl<'a> Places<'a> {
    pub(super) fn of(reading: &'a Reading, cwd: &Path, world: &World) -> Self {
        Self::of_line(reading, None, cwd, world)
    }

    /// With the text of the line, where there is one: it tells what a word stands for that has no
    /// text of its own.
    pub(super) fn of_line(
        reading: &'a Reading,
        line: Option<&str>,
        cwd: &Path,
        world: &World,
    ) -> Self {
        let has_holes = |it: &Run| it.argv.iter().any(|it| it.contains(HOLE));
        let has_unknown = reading.runs.iter().any(|it| (goes(it) || is_git(it)) && has_holes(it));
        let loops = line.filter(|_| has_unknown).map(git_words::loops).unwrap_or_default();
        let writes = reading.writes.iter().filter(|it| !it.path.contains(HOLE));
        let written =
            writes.map(|it| (plain(&scripts::absolute(&it.path, cwd, world)), it.how)).collect();
        let mut places = Self {
            reading,
            folders: vec![cwd.to_owned()],
            are_all: true,
            lost: Vec::new(),
            made: Vec::new(),
            unclear: Vec::new(),
            mkdirs: Vec::new(),
            written,
            loops: loops.into_iter().map(str::to_owned).collect(),
            has_path: line.is_some_and(|it| it.contains("CDPATH")),
        };
        for (at, run) in reading.runs.iter().enumerate() {
            if goes(run) {
                places.go(at, run, world);
            } else if is_git(run) {
                places.make(at, run, world);
            } else if run.program == "mkdir" {
                let operands = run.argv[1..].iter().filter(|it| !it.contains(HOLE));
                let there = operands.flat_map(|it| places.plainly(it, world)).collect::<Vec<_>>();
                places.mkdirs.extend(there);
            }
        }
        // What git says that it writes where it starts from, it writes below.
        let starts: BTreeSet<PathBuf> =
            places.made.iter().filter_map(|it| it.1.parent()).map(Path::to_owned).collect();
        let starts: Vec<PathBuf> = starts.into_iter().filter(|it| places.is_gits(it)).collect();
        places.written.retain(|it| it.1 != How::Write || !starts.contains(&it.0));
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
        let is_found = |it: &Self, path: &PathBuf| match it.at(path, at) {
            At::Folders(_) => Some(true),
            At::Nothing => Some(false),
            At::Anything => None,
        };
        let found: Vec<Option<bool>> = there.iter().map(|it| is_found(self, it)).collect();
        let is_relative = !target.starts_with(['/', '~', '.']);
        if found.contains(&None)
            || !found.contains(&Some(true)) && !target.contains(HOLE) && self.may_make(at)
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
            self.folders.push(path);
        }
    }

    /// A path as it is seen from folders. Of one that only the running line knows,
    /// what its text tells.
    fn seen_from(&self, folders: &[PathBuf], path: &str, world: &World) -> Vec<PathBuf> {
        if !path.contains(HOLE) {
            return folders.iter().map(|it| scripts::absolute(path, it, world)).collect();
        }
        let patterns = self.loops.iter().flat_map(|it| folders.iter().map(move |at| at.join(it)));
        let found = patterns.flat_map(|it| scripts::matching(&it));
        found.filter(|it| it.is_dir()).collect()
    }

    /// Whether something before that run may make a folder unseen.
    fn may_make(&self, run: usize) -> bool {
        const LOOKS: &[&str] = &[
            ":", "[", "[[", "cat", "cd", "date", "echo", "exit", "export", "false", "git", "grep",
            "head", "jq", "ls", "mkdir", "popd", "printf", "pushd", "pwd", "read", "rg", "set",
            "sleep", "sort", "tail", "test", "true", "uniq", "wc",
        ];
        let runs = &self.reading.runs;
        let is_again = runs.get(run).is_some_and(|it| it.conditional);
        let before = if is_again { &runs[..] } else { &runs[..run.min(runs.len())] };
        before.iter().any(|it| !LOOKS.contains(&it.program.as_str()))
    }

    fn make(&mut self, at: usize, run: &Run, world: &World) {
        let words = run.words();
        let Some(verb @ ("clone" | "init" | "worktree")) = words.get(1).copied() else { return };
        let made = git_words::makes(run);
        let from = shell::git_folders(&run.argv);
        for folder in self.folders.clone() {
            let from = from.iter().fold(folder, |it, to| scripts::absolute(to, &it, world));
            if let Some(made) = &made {
                let path = plain(&scripts::absolute(&made.folder, &from, world));
                self.made.push((at, path, made.of_this.then_some(from)));
                continue;
            }
            let operands: Vec<&str> =
                words[2..].iter().filter(|it| !it.starts_with('-')).copied().collect();
            let named = operands.iter().flat_map(|it| [*it, git_words::last_name(it)]);
            let paths = named.map(|it| plain(&scripts::absolute(it, &from, world)));
            // A repository that is there is where a clone comes from.
            self.unclear.extend(paths.filter(|it| verb == "init" || !it.is_dir()));
            if operands.is_empty() && verb == "init" {
                self.unclear.push(plain(&from));
            }
        }
    }

    /// Whether nothing but git, and who makes folders, has a word that may be a folder's name.
    fn is_gits(&self, folder: &Path) -> bool {
        let Some(name) = folder.file_name().and_then(|it| it.to_str()) else { return false };
        let others = self.reading.runs.iter().filter(|it| !is_git(it) && !goes(it));
        let mut words = others.filter(|it| it.program != "mkdir").flat_map(|it| &it.argv[1..]);
        !words.any(|it| it.contains(HOLE) || it.trim_end_matches('/').ends_with(name))
    }

    /// Whether a run has a path for more than its last word: what is moved away.
    fn leaves(&self, path: &Path) -> bool {
        let words = self.reading.runs.iter().filter_map(|it| it.argv.get(1..)?.split_last());
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        words.flat_map(|it| it.1).any(|it| it.trim_end_matches('/').ends_with(name))
    }

    /// A path as it is seen from wherever the line may stand.
    fn plainly(&self, path: &str, world: &World) -> Vec<PathBuf> {
        self.folders.iter().map(|it| plain(&scripts::absolute(path, it, world))).collect()
    }

    /// What lies at a path where the run at that place goes to it.
    fn at(&self, path: &Path, run: usize) -> At {
        let lexical = plain(path);
        let path = if path.is_dir() { path.to_owned() } else { lexical.clone() };
        let is_there = path.is_dir();
        let made = self.made.iter().find(|it| it.0 < run && lexical.starts_with(&it.1));
        // What is written above the folder counts, but not above where all of it stands.
        let start = &self.folders[0];
        let is_above = |it: &Path| lexical.starts_with(it) && !start.starts_with(it);
        // What is moved to a folder that is there is moved into it.
        let is_into = |it: &(PathBuf, How)| is_there && it.1 == How::Move && !self.leaves(&it.0);
        let written = || self.written.iter().filter(|it| is_above(&it.0) && !is_into(it));
        let hows = || written().map(|it| it.1);
        let replaces = |it: How| matches!(it, How::Link | How::Move);
        if self.unclear.iter().any(|it| lexical.starts_with(it)) {
            return At::Anything;
        }
        if hows().any(|it| replaces(it) || !is_there && !matches!(it, How::Directory | How::Remove))
        {
            return At::Anything;
        }
        if is_there {
            return At::Folders(vec![path]);
        }
        match made {
            Some((_, _, of)) => At::Folders(of.clone().into_iter().collect()),
            None if self.mkdirs.iter().any(|it| it.starts_with(&lexical)) => {
                let above = lexical.ancestors().find(|it| it.is_dir());
                At::Folders(above.into_iter().map(Path::to_owned).collect())
            }
            None => At::Nothing,
        }
    }

    /// Where one run of git may stand: `-C`, else any of them; and whether that
    /// is known, as far as its own words say.
    pub(super) fn of_run(&self, run: &Run, world: &World) -> (Vec<PathBuf>, bool) {
        let place = self.place(run);
        let goes = shell::git_folders(&run.argv);
        let mut folders = self.folders.clone();
        let mut is_known = true;
        for to in &goes {
            folders = self.seen_from(&folders, to, world);
        }
        let mut found = BTreeSet::new();
        // What nobody can know is not held against the line (docs/limits.md); nor is
        // a folder that is not there, and that nothing in the line makes.
        let mut is_any = folders.is_empty() || !self.may_make(place);
        for folder in &folders {
            match self.at(folder, place) {
                At::Folders(there) => {
                    is_any = true;
                    found.extend(there);
                }
                At::Nothing => {}
                At::Anything => is_known = false,
            }
        }
        // Where the call itself stands is known, whatever is there.
        (found.into_iter().collect(), is_known && (is_any || goes.is_empty()))
    }

    /// Whether the line has gone where nobody knows once a run's turn comes.
    pub(super) fn is_lost(&self, run: &Run) -> bool {
        let goes = shell::git_folders(&run.argv);
        if goes.last().is_some_and(|it| it.starts_with(['/', '~'])) {
            return false;
        }
        let place = self.place(run);
        // In a loop it may have gone there the time before.
        let is_before =
            |it: &usize| *it < place || run.conditional && self.reading.runs[*it].conditional;
        self.lost.iter().any(is_before)
    }

    /// How much the line has gone or made before a run: what is known changes with that.
    pub(super) fn turn(&self, run: &Run) -> usize {
        if self.lost.is_empty() && self.made.is_empty() {
            return 0;
        }
        let place = self.place(run);
        let lost = self.lost.iter().filter(|it| **it < place).count();
        lost + self.made.iter().filter(|it| it.0 < place).count()
    }

    fn place(&self, run: &Run) -> usize {
        let runs = &self.reading.runs;
        runs.iter().position(|it| std::ptr::eq(it, run)).unwrap_or(runs.len())
    }
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
