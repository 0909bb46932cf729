//! What a command line runs, writes and reads. Pure, total and a leaf: it looks at text and nothing
//! else, never executes, and imports nothing of ours.
//!
//! ```text
//! line ─► scan ─► syntax tree ─► walk ─► Reading
//!         quotes,                variables, functions, `cd`, wrappers,
//!         operators,             nested code, options, files written
//!         here-documents
//! ```
//!
//! The reading leans to one side: what *may* run is in it. A branch that is not taken, a loop of
//! zero rounds and the command after `exit` all count; a mention in a string, a comment, a
//! here-document that goes to a file or a function that nobody calls does not. What cannot be known
//! is a [`HOLE`] in a word, and never a word that is left out.
//!
//! What it cannot see: what a compiled program or a script that nobody gathered does, what a program
//! decides at run time, code that comes from the network or from a file that the line did not write
//! (`curl … | sh` is a run of `sh` whose certainty is [`Certainty::Opaque`]), the environment beyond
//! [`Options::variables`], whether a `cd` fails, and the names that a pattern of files stands for.
//!
//! The work is bounded (see [`limit`]): input beyond the bounds is [`Unreadable`], which is not the
//! same as empty. A caller then matches the [`raw_words`] too, so padding opens nothing.

mod foreign;
mod glob;
mod key;
pub(crate) mod limit;
mod links;
mod name;
mod raw;
mod scan;
mod syntax;
mod table;
mod walk;

#[cfg(test)]
mod tests;

use std::fmt;

pub use glob::{Matcher, matched as pattern_matched, matches as pattern_matches};
pub use key::may_match;
pub use links::Made;
pub use name::last_part;
pub use raw::{each_raw_run, raw_words};
pub use table::coded::is_git_code;
pub use table::hooks::{may_have as may_have_hooks, of_command as hooks_of, runs_settings};
pub use table::interpreters::MAKEFILES;
pub use table::options::{corrects_verbs, git_folders, git_options, is_git_verb};
pub use walk::filter::substituted;
pub use walk::through::LineFilter;

/// Stands in a word where text cannot be known: any text, or none.
pub const HOLE: char = '\u{FFFC}';

/// Reads a command line as bash would, without running any of it.
pub fn read(line: &str) -> Reading {
    read_with(line, &Options::default())
}

/// [`read`], with what the caller knows beyond the line.
pub fn read_with(line: &str, options: &Options) -> Reading {
    walk::line(line, options)
}

/// Reads the text of a script that a line runs (see [`Reading::scripts`]) as code nested in it:
/// `arguments` are the script's own, without its name.
pub fn read_script(
    text: &str,
    interpreter: Interpreter,
    arguments: &[String],
    options: &Options,
) -> Reading {
    walk::script(text, interpreter, arguments, options)
}

/// What the caller knows beyond the line.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Programs that run the command after their own options, as `sudo` does; the user's own.
    pub proxies: Vec<String>,
    /// Programs that write files; the user's own.
    pub writers: Vec<Writer>,
    /// Variables that the line starts with. `HOME` is `~` where it is not among them, and every
    /// other variable is unknown.
    pub variables: Vec<(String, String)>,
    /// Where `roz` lies, as `command -v` shows it. Programs that nobody told of lie in `/usr/bin`.
    pub own: Option<String>,
    /// What is read is a script that the project keeps: what it may run or may not does not count.
    pub kept: bool,
    /// Files that lie on the disk as the line begins, and that it brings to a shell: where it runs
    /// one, its text is read there and then, in the folder, with the variables and the arguments
    /// that it gets, and what it defines holds for the rest of the line if it is sourced.
    pub files: Vec<FileText>,
}

/// A program that writes files, as its user tells it.
#[derive(Debug, Clone, PartialEq)]
pub struct Writer {
    /// Its name, and the words of a subcommand: `buf generate`.
    pub program: String,
    /// Options whose value is a file that it writes, as they are typed: `-o`, `--out`.
    pub options: Vec<String>,
    pub operands: Operands,
    pub how: How,
}

/// Which operands of a program are files that it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    None,
    Last,
    All,
}

/// What a file holds as the line begins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileText {
    /// As in [`Write`].
    pub path: String,
    pub text: String,
    /// The project has it so since long: what it may run or may not does not count.
    pub kept: bool,
}

/// Everything that a line may do, in the order in which it was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Reading {
    /// Every simple command that would run, wrappers taken off.
    pub runs: Vec<Run>,
    /// Every path that would be created, changed or removed.
    pub writes: Vec<Write>,
    /// The same of words that may be paths, and may be something else, where nothing has that name:
    /// `git checkout main`.
    pub perhaps: Vec<Write>,
    /// What git no longer keeps, and leaves where it lies: `git rm --cached`.
    pub untracked: Vec<Write>,
    /// What files are given through redirections and `tee`, and what is downloaded to them.
    pub texts: Vec<TextOf>,
    /// Files whose content would be shown or loaded, where that is known.
    pub reads: Vec<ReadOf>,
    /// Files whose text would be run.
    pub scripts: Vec<Script>,
    /// Links by name that the line makes: a path through one is another as well.
    pub links: Vec<Link>,
    /// Searches for files, with what becomes of what they find.
    pub finds: Vec<Find>,
    /// Code in other languages that would be run, as far as its text is known.
    pub code: Vec<Code>,
    /// Something of it would run as another user: `sudo`, `su`.
    pub elevated: bool,
    /// Set where the rest of the line could not be read. What was read before it still stands.
    pub unreadable: Option<Unreadable>,
}

impl Reading {
    /// Every key that a gate's pattern is matched against (see [`may_match`]), each once.
    pub fn keys(&self) -> Vec<String> {
        let all: Vec<String> = self.runs.iter().flat_map(Run::keys).collect();
        let mut seen = std::collections::BTreeSet::new();
        let is_new: Vec<bool> = all.iter().map(|key| seen.insert(key.as_str())).collect();
        all.into_iter().zip(is_new).filter_map(|(key, is_new)| is_new.then_some(key)).collect()
    }

    /// Whether a command that matches `pattern` may run, by [`may_match`] over every key.
    pub fn may_run(&self, pattern: &str) -> bool {
        self.runs.iter().any(|run| run.may_match(pattern))
    }
}

/// A piece of code in another language, which reads as its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    pub text: String,
    pub language: Interpreter,
}

impl std::ops::Deref for Code {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

/// One simple command.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The words with their quotes removed, [`HOLE`] where text is unknown; the first as written.
    pub argv: Vec<String>,
    /// The program: the base name of an absolute path, a relative path as it is (`./git` is not
    /// `git`).
    pub program: String,
    /// The environment that is set for this command alone.
    pub assignments: Vec<(String, String)>,
    pub certainty: Certainty,
    /// Whether it runs only if something else turns out so: a branch, a loop, what follows a test.
    pub conditional: bool,
    /// Whether it may run more than once: in a loop, or for each of what another program finds.
    pub again: bool,
    /// A hole among the words stands in no quotes: it may be several words.
    pub loose: bool,
    /// The folders that it may run in, as paths in [`Write`]: `../b` of `cd ../b && git push` and of
    /// `git -C ../b push`. None: where the line starts.
    pub folders: Vec<String>,
}

/// A path that would be created, changed or removed. Relative paths are relative to where the line
/// starts, `cd` within the line taken into account; `~` stands for the home directory.
#[derive(Debug, Clone, PartialEq)]
pub struct Write {
    pub path: String,
    pub how: How,
    pub certainty: Certainty,
    /// As in [`Run`].
    pub conditional: bool,
    /// git puts it back to what it keeps: of a folder, the files that are not so.
    pub puts_back: bool,
    /// It stands for what a search finds, and for nothing else: what that is, the [`Find`] says.
    pub is_found: bool,
}

/// A link by name, and where it leads; paths as in [`Write`].
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub path: String,
    pub target: String,
}

/// What a file is given; paths as in [`Write`].
#[derive(Debug, Clone, PartialEq)]
pub struct TextOf {
    pub path: String,
    /// `None` where it cannot be known.
    pub text: Option<String>,
    /// It is added to what the file held before the line.
    pub added: bool,
}

/// A file whose content would be shown or loaded; paths as in [`Write`].
#[derive(Debug, Clone, PartialEq)]
pub struct ReadOf {
    pub path: String,
    pub certainty: Certainty,
    /// The line has put all of it there by then, and it is known.
    pub own: bool,
}

/// A file whose text would be run; paths as in [`Write`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Script {
    pub path: String,
    pub interpreter: Interpreter,
    /// The script's arguments, without its name.
    pub arguments: Vec<String>,
    pub conditional: bool,
}

/// A search for files (`find`, `fd`, `grep -l`, `git clean`), whose finds nobody can know but who looks there.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Find {
    /// The folders that are looked through: as they are written, and as in [`Write`].
    pub starts: Vec<(String, String)>,
    /// The tests and actions, in the words of `find`; of `git clean` its arguments.
    pub words: Vec<String>,
    /// What is done to what is found, by the place of the word that does it; behind the last word,
    /// it is done to all that is printed, and so many places further on, to what as many of the
    /// filters let through.
    pub acts: Vec<(usize, How)>,
    /// The same of what bears a name below what is found: `find … -exec rm {}/config.toml`.
    pub below: Vec<(usize, How, String)>,
    /// What leaves out some of what is printed, one behind the other.
    pub filters: Vec<LineFilter>,
    pub is_git: bool,
    /// What the files hold, or who keeps them, decides, too: `grep -l`, `git ls-files`; or it is a
    /// pattern that a loop goes over. Nothing is said of what becomes of what it finds.
    pub is_text: bool,
    /// Of those by text: what stands in each file, where that is known.
    pub literal: String,
    /// Of a pattern that a loop goes over: what stands for what it finds in a [`Write`].
    pub shows: Vec<String>,
    /// Whether the loop is known to write it, where what stands for it may be anything.
    pub is_written: bool,
}

/// What is done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum How {
    /// Created or overwritten.
    Write,
    /// Added to.
    Append,
    /// Changed in place (`sed -i`).
    Edit,
    Remove,
    /// Moved away, or moved here.
    Move,
    /// Its mode, owner or attributes.
    Chmod,
    /// A link is made here.
    Link,
    /// Its times only, or an empty file.
    Touch,
    /// A directory is made.
    Directory,
    /// A lock on it is held.
    Lock,
}

/// How sure a reading is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Certainty {
    /// It stands in the line as it is.
    Literal,
    /// Variables, substitutions or decoding were followed to get there.
    Resolved,
    /// The program, the code or the path cannot be known.
    Opaque,
}

/// Who would run a script's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Interpreter {
    Shell,
    Python,
    JavaScript,
    Perl,
    /// Perl that is looked at for errors: only what runs while it is read.
    PerlChecked,
    Ruby,
    Php,
    Awk,
    Lua,
    Tcl,
    AppleScript,
    Make,
    Sed,
    /// Another language, or the commands of a program of its own: its words are all that is known.
    Other,
    /// Nobody: a patch, whose headers name the files that it changes. Its arguments are how many
    /// leading parts of their paths are taken off, and the folder that they are seen from.
    Patch,
    /// The file itself decides, by its `#!` line.
    Itself,
}

/// Why the rest of a line could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unreadable {
    /// A quote, a backtick or a `${` that nothing closes.
    Quote,
    /// A parenthesis, a brace or a keyword that nothing closes.
    Group,
    /// A word where the grammar has none.
    Syntax,
    /// Nested beyond [`limit::DEPTH`].
    Depth,
    /// Longer than [`limit::LINE`].
    Length,
    /// More commands than [`limit::WORK`] allows.
    Work,
    /// Git is told to run what is nearest to a verb that it does not know: any of its own, any alias.
    Nearest,
}

impl Unreadable {
    /// Whether it is a bound of ours, not an error in the line: bash may well run what stands
    /// behind it, and [`raw_words`] may not reach so far.
    pub fn is_bound(self) -> bool {
        matches!(self, Self::Depth | Self::Length | Self::Work | Self::Nearest)
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Quote => "a quote is not closed",
            Self::Group => "a parenthesis, a brace or a keyword is not closed",
            Self::Syntax => "it is not a command that bash would accept",
            Self::Depth => "it is nested too deeply",
            Self::Length => "it is too long",
            Self::Work => "it runs too many commands",
            Self::Nearest => "git would run whatever is nearest to a verb that it does not know",
        })
    }
}
