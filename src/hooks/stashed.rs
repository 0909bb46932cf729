//! What `git stash` takes away and brings back, where the line names no file:
//! every file that is not as it was committed, and what the stash holds.
//!
//! Long because what a stash is told, and what it comes to, is read word by word.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    time::Instant,
};

use super::{
    git_code::Places,
    put_back,
    stash_asked::{Asked, Question},
    stash_back,
    stash_stack::{self, Stack, number},
};
use crate::{
    core::{event::ToolCall, intent::class},
    shell::{HOLE, Reading, Run},
    world::{
        World,
        git::{self, Untracked},
        links::normal,
    },
};

/// The newest stash.
const LAST: &str = "stash@{0}";

/// How git's option for a list of paths begins.
pub(super) const LIST: &str = "--pathspec-fr";

/// Of more stashes nobody looks at each that a loop may take.
const MOST_AGAIN: usize = 32;

/// What a `git stash` does.
#[derive(Debug, PartialEq, Eq)]
enum Stash<'a> {
    Push(Push<'a>),
    /// The stash by its name, as git takes it; `apply` leaves it where it is.
    Pop {
        name: &'a str,
        is_kept: bool,
    },
    Drop(&'a str),
    /// Of a commit that is there.
    Store,
    Unknown,
}

#[derive(Debug, PartialEq, Eq)]
struct Push<'a> {
    untracked: Untracked,
    /// Only what the index holds.
    is_staged: bool,
    /// Some files are named, which are judged as any that a line names.
    is_some: bool,
    /// Those, as far as they are known.
    paths: Vec<&'a str>,
    /// Git does as it is told: every word of it is understood.
    is_clear: bool,
}

/// A file that a stash writes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stashed {
    /// Absolute.
    pub(super) path: String,
    /// The commit that says what it holds then.
    pub(super) becomes: String,
    /// The line brings back, further on, what it takes away here.
    pub(super) comes_back: bool,
}

impl Stashed {
    /// One that is put back to what was committed.
    pub(super) fn put_back(path: &Path) -> Self {
        let path = path.to_string_lossy().into_owned();
        Self { path, becomes: "HEAD".to_owned(), comes_back: false }
    }
}

/// The files that stashes of a call write.
pub(super) fn written(call: &ToolCall, cwd: &Path, world: &World, until: Instant) -> Vec<Stashed> {
    let mut found = BTreeSet::new();
    let asked = Asked::new(until);
    let own = call.text("command").filter(|_| call.readings.len() == 1);
    // Scripts stand in the lines that run them, too.
    for reading in &call.readings {
        if reading.runs.iter().any(|run| stash(run).is_some()) {
            let line = Line { reading, text: own, cwd, asked: &asked };
            line.written(world, &mut found);
        }
    }
    found.into_iter().collect()
}

/// What a call takes away of what git does not track: by its stashes, and by what
/// it gives to git before.
pub(super) fn takes_untracked(call: &ToolCall) -> Untracked {
    let runs = || call.runs();
    let pushes = runs().filter_map(stash).filter_map(|it| match it {
        Stash::Push(push) => Some(push.untracked),
        _ => None,
    });
    pushes.chain(runs().map(adds)).max().unwrap_or(Untracked::None)
}

/// What a `git add` makes git track.
fn adds(run: &Run) -> Untracked {
    match &run.words()[..] {
        ["git", "add" | "stage", rest @ ..] => {
            let is_forced = |it: &&str| {
                it.starts_with("--f")
                    || it.starts_with('-') && !it.starts_with("--") && it.contains(['f', HOLE])
            };
            if rest.iter().any(is_forced) { Untracked::All } else { Untracked::Some }
        }
        _ => Untracked::None,
    }
}

/// Whether git is given a list of paths.
pub(super) fn takes_list(run: &Run) -> bool {
    run.program == "git" && run.argv.iter().any(|it| it.starts_with(LIST))
}

struct Line<'a> {
    reading: &'a Reading,
    /// Where it is all that the call runs.
    text: Option<&'a str>,
    cwd: &'a Path,
    asked: &'a Asked,
}

/// A stash on its turn.
struct Turn<'a> {
    /// Of its run in the line.
    place: usize,
    root: &'a Path,
    /// Where git is told to stand, if that is known.
    folder: Option<&'a Path>,
    /// That it runs, and finds what is there now.
    is_sure: bool,
    /// That it may run more than once.
    again: bool,
    /// That git may have given a name to something else before.
    renamed: bool,
}

impl Line<'_> {
    fn written(&self, world: &World, found: &mut BTreeSet<Stashed>) {
        let places = Places::of(self.reading, None, self.cwd, world);
        let mut stacks: BTreeMap<PathBuf, Stack> = BTreeMap::new();
        let looks = |place: usize| self.only_looks(place, &self.reading.runs[place]);
        let comes_back =
            self.text.is_some_and(|text| stash_back::comes_back(self.reading, text, looks));
        // What the line does before may leave nothing to be put away, or no git
        // that puts it away.
        let (mut is_as_it_stands, mut renamed) = (true, false);
        for (place, run) in self.reading.runs.iter().enumerate() {
            let Some(stash) = stash(run) else {
                let only_looks = self.only_looks(place, run);
                is_as_it_stands &= only_looks;
                renamed |= run.program == "git" && !only_looks;
                continue;
            };
            let (folders, is_known) = places.of_run(place, world);
            let mut roots: BTreeSet<PathBuf> = folders.iter().map(|it| git::root(it)).collect();
            let is_lost = !is_known || places.is_lost(place);
            if is_lost {
                roots.insert(git::root(self.cwd));
            }
            for root in roots {
                let stack = stacks.entry(root.clone()).or_default();
                let turn = Turn {
                    place,
                    root: &root,
                    folder: folders.first().filter(|_| folders.len() == 1).map(PathBuf::as_path),
                    is_sure: is_as_it_stands && !run.conditional && !is_lost,
                    again: run.again,
                    renamed,
                };
                let named = self.files(&stash, &turn, stack);
                // Nobody knows: whatever it is, it lies there.
                let anything = || vec![(String::new(), "HEAD".to_owned())];
                let mut named = named.unwrap_or_else(anything);
                if is_lost && stash.writes() {
                    named = anything();
                }
                let comes_back = comes_back && matches!(stash, Stash::Push(_));
                found.extend(named.into_iter().map(|it| stashed(&root, it, comes_back)));
            }
            is_as_it_stands &= matches!(stash, Stash::Drop(_) | Stash::Store);
            renamed = true;
        }
    }

    /// What one stash writes, from the root, each file with the commit that says
    /// what it holds then; `stack` learns of it. None: nobody knows.
    fn files(
        &self,
        stash: &Stash,
        turn: &Turn,
        stack: &mut Stack,
    ) -> Option<Vec<(String, String)>> {
        let ask = |question| self.asked.of(turn.root, question);
        let all = |files: Vec<String>, becomes: &str| -> Vec<(String, String)> {
            files.into_iter().map(|it| (it, becomes.to_owned())).collect()
        };
        match *stash {
            Stash::Push(ref push) => {
                let files = if push.is_staged && turn.is_sure {
                    ask(Question::Staged)
                } else {
                    ask(Question::Uncommitted(push.untracked))
                        .and_then(|it| Some([it, self.added(turn)?].concat()))
                };
                let Some(files) = files else {
                    stack.makes(turn.place, false);
                    return None;
                };
                let is_sure = turn.is_sure && push.is_clear && self.puts_away(push, turn, &files);
                stack.makes(turn.place, is_sure);
                if push.is_some {
                    return Some(Vec::new());
                }
                // `git reset --soft HEAD~1; git stash`: of another commit than stands now.
                let before = self.reading.runs.get(..turn.place).unwrap_or_default();
                if !before.iter().all(put_back::keeps_index) {
                    return None;
                }
                // What git does not look at is put back as well, and put away by none.
                let assumed = ask(Question::Assumed)?;
                Some(all(files.into_iter().chain(assumed).collect(), "HEAD"))
            }
            Stash::Store => {
                stack.opens();
                Some(Vec::new())
            }
            Stash::Drop(name) => {
                match number(name) {
                    Some(number) => self.takes(number, turn, stack),
                    // By a date; a commit's own name is refused.
                    None if name.contains(['@', HOLE]) => stack.opens(),
                    None => (),
                }
                Some(Vec::new())
            }
            Stash::Pop { name, is_kept } => {
                let Some(number) = number(name) else {
                    let is_of_stack = is_of_stack(name);
                    let is_moved = if is_of_stack {
                        turn.again || !stack.is_as_it_was()
                    } else {
                        turn.renamed && !is_whole_id(name)
                    };
                    if is_of_stack && !is_kept {
                        stack.opens();
                    }
                    return if is_moved || name.contains(HOLE) {
                        None
                    } else {
                        Some(all(ask(Question::Brings(name.to_owned()))?, name))
                    };
                };
                let there = ask(Question::Stashes)?;
                let meant = self.meant(number, turn, stack, there.len());
                if !is_kept {
                    self.takes(number, turn, stack);
                }
                let mut found = Vec::new();
                for it in meant? {
                    // What the line has put away was judged then.
                    let stash_stack::Stash::Old(number) = it else { continue };
                    let Some(id) = there.get(number) else { continue };
                    found.extend(all(ask(Question::Brings(id.clone()))?, id));
                }
                Some(found)
            }
            Stash::Unknown => {
                stack.opens();
                None
            }
        }
    }

    /// The files that the line gives to git before, and that it takes away with the others.
    fn added(&self, turn: &Turn) -> Option<Vec<String>> {
        let before = self.reading.runs.iter().take(turn.place);
        let Some(most) = before.clone().map(adds).max().filter(|it| *it != Untracked::None) else {
            return Some(Vec::new());
        };
        let goes = |it: &Run| matches!(it.program.as_str(), "cd" | "pushd" | "popd");
        // Git names the root as it really is; where the line stands, a link may lead to.
        let really = |it: &Path| it.canonicalize().unwrap_or_else(|_| it.to_owned());
        let (here, root) = (really(self.cwd), really(turn.root));
        let mut named = Vec::new();
        let mut are_known = !self.reading.runs.iter().any(goes);
        for run in before.filter(|it| adds(it) != Untracked::None) {
            // Of `git add src/x`; with anything else it may be any.
            let words: Vec<&str> = run.argv.iter().map(String::as_str).collect();
            let ["git", "add", paths @ ..] = &words[..] else {
                are_known = false;
                continue;
            };
            are_known &=
                paths.iter().all(|it| is_plain(it) && !it.starts_with('-') && !it.contains(HOLE));
            named.extend(paths.iter().map(|it| normal(&here.join(it))));
        }
        let mut files = self.asked.of(turn.root, Question::Uncommitted(most))?;
        files.retain(|file| {
            let file = normal(&root.join(file));
            !are_known || named.iter().any(|it| file.starts_with(it))
        });
        Some(files)
    }

    /// What a number may stand for, of so many stashes. None: nobody knows.
    fn meant(
        &self,
        number: usize,
        turn: &Turn,
        stack: &Stack,
        count: usize,
    ) -> Option<BTreeSet<stash_stack::Stash>> {
        let again = self.reading.runs.iter().filter(|it| turn.again && it.again);
        let stashes: Vec<Stash> = again.filter_map(stash).collect();
        let is_taken =
            |it: &Stash| matches!(it, Stash::Drop(_) | Stash::Pop { is_kept: false, .. });
        if !stashes.iter().any(is_taken) {
            return stack.meant(number);
        }
        if count > MOST_AGAIN {
            return None;
        }
        // Round by round the lower ones move up, and those that are put away push them down.
        let is_pushed = stashes.iter().any(|it| matches!(it, Stash::Push(_)));
        let first = if is_pushed { 0 } else { number };
        let mut found = BTreeSet::new();
        for number in (first..first.saturating_add(count)).chain([number]) {
            found.extend(stack.meant(number)?);
        }
        Some(found)
    }

    /// Whether some of the files are there to be put away when the turn comes.
    fn puts_away(&self, push: &Push, turn: &Turn, files: &[String]) -> bool {
        let whole: Vec<PathBuf> = files.iter().map(|it| normal(&turn.root.join(it))).collect();
        if push.is_some {
            let Some(folder) = turn.folder else { return false };
            // One that is of no file is an error, and no file is put away then.
            let is_there = |path: &str| {
                let path = normal(&folder.join(path));
                whole.iter().any(|it| it.starts_with(&path))
            };
            return !push.paths.is_empty()
                && push.paths.iter().all(|it| is_there(it))
                && self.reading.texts.is_empty();
        }
        // A redirection may make a file what it was.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| normal(path));
        let given: Vec<&str> = self.reading.texts.iter().map(|it| it.path.as_str()).collect();
        if given.iter().any(|it| it.contains(HOLE) || it.starts_with('~')) {
            return false;
        }
        let given: Vec<PathBuf> = given.iter().map(|it| real(&self.cwd.join(it))).collect();
        whole.iter().any(|it| !given.contains(&real(it)))
    }

    /// Whether a run leaves the work tree as it is, and cannot fail: what hangs
    /// on it by `&&` runs as well.
    fn only_looks(&self, place: usize, run: &Run) -> bool {
        const SHAPES: &[&str] =
            &["-s", "-b", "-sb", "--short", "--branch", "--porcelain", "--stat", "--oneline"];
        let writes = &self.reading.writes;
        let is_odd = |path: &str| path.starts_with("/dev/") && !class::is_sink(path);
        if !run.assignments.is_empty()
            || !self.reading.texts.is_empty()
            || writes.iter().any(|it| is_odd(&it.path))
        {
            return false;
        }
        let is_shape = |it: &&str| {
            SHAPES.contains(it)
                || it.strip_prefix('-').is_some_and(|it| it.bytes().all(|it| it.is_ascii_digit()))
        };
        match &run.words()[..] {
            ["git", "status" | "diff" | "log" | "branch", rest @ ..] => rest.iter().all(is_shape),
            ["git", "stash", "list"] | [":" | "true" | "echo" | "pwd", ..] => true,
            // A further one begins where this one has come to.
            ["cd", to] => place == 0 && !to.starts_with(['-', '~']) && self.cwd.join(to).is_dir(),
            _ => false,
        }
    }

    /// The stash of that number is taken away, each time that the run's turn comes.
    fn takes(&self, number: usize, turn: &Turn, stack: &mut Stack) {
        if !turn.again {
            return stack.takes(number);
        }
        match self.asked.of(turn.root, Question::Stashes) {
            Some(there) if there.len() <= MOST_AGAIN => {
                for _ in &there {
                    stack.takes(number);
                }
            }
            _ => stack.opens(),
        }
    }
}

impl Stash<'_> {
    /// Whether it writes files that it does not name.
    fn writes(&self) -> bool {
        match self {
            Self::Push(push) => !push.is_some,
            Self::Pop { .. } | Self::Unknown => true,
            Self::Drop(_) | Self::Store => false,
        }
    }
}

/// Whether the name means another stash once one is put there or taken.
fn is_of_stack(name: &str) -> bool {
    let name = name.strip_prefix("refs/").unwrap_or(name);
    name.contains(['@', HOLE]) || name.starts_with("stash")
}

/// A commit's whole name, which no tag or branch takes from it.
fn is_whole_id(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|it| it.is_ascii_hexdigit())
}

fn stashed(root: &Path, (inside, becomes): (String, String), comes_back: bool) -> Stashed {
    Stashed { path: root.join(inside).to_string_lossy().into_owned(), becomes, comes_back }
}

fn stash(run: &Run) -> Option<Stash<'_>> {
    let words = run.words();
    let ["git", "stash", rest @ ..] = &words[..] else { return None };
    let verb = rest.first().copied().filter(|it| !it.starts_with('-'));
    let options = if verb.is_some() { &rest[1..] } else { rest };
    let operand = || options.iter().rev().copied().find(|it| !it.starts_with('-'));
    match verb {
        None | Some("save" | "push") => Some(Stash::Push(push(verb, options))),
        Some(verb @ ("pop" | "apply")) => {
            Some(Stash::Pop { name: operand().unwrap_or(LAST), is_kept: verb == "apply" })
        }
        Some("branch") => {
            let named = options.iter().filter(|it| !it.starts_with('-')).nth(1);
            Some(Stash::Pop { name: named.copied().unwrap_or(LAST), is_kept: false })
        }
        Some("drop") => Some(Stash::Drop(operand().unwrap_or(LAST))),
        Some("store" | "import") => Some(Stash::Store),
        Some(it) if it.contains(HOLE) => Some(Stash::Unknown),
        Some(_) => None,
    }
}

fn push<'a>(verb: Option<&str>, given: &[&'a str]) -> Push<'a> {
    let (mut options, mut paths, mut is_known) = (Vec::new(), Vec::new(), true);
    let mut words = given.iter().copied();
    let mut is_operand = false;
    while let Some(word) = words.next() {
        is_known &= !word.contains(HOLE);
        match word {
            _ if is_operand || !word.starts_with('-') => paths.push(word),
            "--" => is_operand = true,
            _ => options.push(word),
        }
        if !is_operand && is_called_next(word) {
            is_known &= words.next().is_some_and(|it| !it.contains(HOLE));
        }
    }
    let takes_back = options.iter().any(|it| it.starts_with("--no-p"));
    let is_list = !takes_back && options.iter().any(|it| it.starts_with(LIST));
    let is_some = verb == Some("push") && (is_list || !paths.is_empty());
    // What `save` is told is what the stash is called.
    let are_plain = verb == Some("save") || paths.iter().all(|it| is_some && is_plain(it));
    Push {
        untracked: untracked(&options),
        is_staged: paths.is_empty() && is_staged(&options),
        is_some,
        is_clear: is_known && are_plain && options.iter().all(|it| puts_all_away(it)),
        paths,
    }
}

/// Whether nothing is put away but what the index holds.
fn is_staged(options: &[&str]) -> bool {
    let is_staged = |it: &&str| matches!(*it, "-S" | "--staged");
    let says_no_more = |it: &&str| matches!(*it, "-q" | "--quiet" | "-m" | "--message");
    options.iter().any(is_staged) && options.iter().all(|it| is_staged(it) || says_no_more(it))
}

/// A path without git's own signs.
fn is_plain(path: &str) -> bool {
    !path.starts_with([':', '~']) && !path.contains(['*', '?', '[', '\\'])
}

/// Options with which all that was changed is put away.
fn puts_all_away(option: &str) -> bool {
    const LONG: &[&str] = &["--quiet", "--keep-index", "--include-untracked", "--all"];
    if option.starts_with("--") {
        let is_called = option.starts_with("--message=") || is_called_next(option);
        return is_called || LONG.contains(&option);
    }
    // Behind an `m` stands what the stash is called.
    let letters = option.split('m').next().unwrap_or_default();
    letters.bytes().skip(1).all(|it| b"qkua".contains(&it))
}

/// Whether the word after the option says what the stash is called: `-m`, `-qm`, `--mess`.
fn is_called_next(option: &str) -> bool {
    match option.strip_prefix("--") {
        Some(name) => !name.is_empty() && "message".starts_with(name),
        None => option
            .strip_prefix('-')
            .and_then(|it| it.split_once('m'))
            .is_some_and(|it| it.1.is_empty()),
    }
}

/// Git takes an option by its beginning, too.
fn untracked(options: &[&str]) -> Untracked {
    let has = |short: char, long: &str, least: usize| {
        options.iter().any(|it| match it.strip_prefix("--") {
            Some(name) => name.len() >= least && long.starts_with(name),
            // Behind an `m` stands what the stash is called.
            None => it.strip_prefix('-').is_some_and(|it| {
                let letters = it.split('m').next().unwrap_or_default();
                letters.contains(short)
            }),
        })
    };
    if has('a', "all", 1) {
        Untracked::All
    } else if has('u', "include-untracked", 1) {
        Untracked::Some
    } else {
        Untracked::None
    }
}
