//! What a line may run, write and read: the types of the answer.

use std::fmt;

use serde::{Serialize, Serializer};

/// Replaces unknown text in a word: any text, or none.
pub const HOLE: char = '\u{FFFC}';

/// In the order in which it was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reading {
    /// Without wrappers such as `sudo`.
    pub runs: Vec<Run>,
    /// Every path that would be created, changed or removed.
    pub writes: Vec<Write>,
    /// Files whose content would be shown or loaded, if known.
    pub reads: Vec<ReadOf>,
    /// These are not read.
    pub scripts: Vec<Script>,
    /// Code in other languages that would be run, as far as its text is known.
    #[serde(skip)]
    pub code: Vec<Code>,
    /// Whether something would change files of another machine: `ssh host 'echo > f'`. They are not
    /// listed.
    pub changes_elsewhere: bool,
    /// Whether something would run as another user: `sudo`, `su`.
    pub elevated: bool,
    /// Set if the rest of the line could not be read. What was read before it is kept.
    pub unreadable: Option<Unreadable>,
}

impl Reading {
    /// Every key that a gate's pattern is matched against (see `may_match`), each once.
    pub fn keys(&self) -> Vec<String> {
        let all: Vec<String> = self.runs.iter().flat_map(Run::keys).collect();
        let mut seen = std::collections::BTreeSet::new();
        let is_new: Vec<bool> = all.iter().map(|key| seen.insert(key.as_str())).collect();
        all.into_iter().zip(is_new).filter_map(|(key, is_new)| is_new.then_some(key)).collect()
    }

    /// Whether a command that matches `pattern` may run, by `may_match` over every key.
    pub fn may_run(&self, pattern: &str) -> bool {
        self.runs.iter().any(|run| run.may_match(pattern))
    }
}

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

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
    /// The words without quotes, with [`HOLE`] for unknown text; the first as written.
    pub argv: Vec<String>,
    /// The program: the base name of an absolute path, a relative path as it is (`./git` is not
    /// `git`).
    pub program: String,
    /// The environment that is set for this command alone.
    #[serde(serialize_with = "as_object")]
    pub assignments: Vec<(String, String)>,
    pub certainty: Certainty,
    /// Whether it may be skipped: a branch, a loop, what follows a test.
    pub conditional: bool,
    /// Whether it runs on another machine or in a container, with other paths.
    pub is_elsewhere: bool,
    /// The folders that it may run in, as paths in [`Write`]: `../b` of `cd ../b && git push` and of
    /// `git -C ../b push`. Empty: where the line starts.
    pub folders: Vec<String>,
}

/// A path that would be created, changed or removed. Relative paths are relative to where the line
/// starts, `cd` within the line taken into account; `~` stands for the home directory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Write {
    pub path: String,
    pub how: How,
    pub certainty: Certainty,
    pub conditional: bool,
}

/// A file whose content would be shown or loaded; paths as in [`Write`].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReadOf {
    pub path: String,
    pub certainty: Certainty,
}

/// A file whose text would be run; paths as in [`Write`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Script {
    pub path: String,
    pub interpreter: Interpreter,
    pub arguments: Vec<String>,
    pub conditional: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// The line contains it literally.
    Literal,
    /// Variables, substitutions or decoding were followed to get there.
    Resolved,
    /// The program, the code or the path cannot be known.
    Opaque,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Interpreter {
    Shell,
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Awk,
    Lua,
    Tcl,
    AppleScript,
    Make,
    /// Text in this language is not searched.
    Other,
    /// The file itself decides, by its `#!` line.
    Itself,
}

/// Why the rest of a line could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unreadable {
    /// A quote, a backtick or a `${` that is not closed.
    Quote,
    /// A parenthesis, a brace or a keyword that is not closed.
    Group,
    /// A word in a place where the grammar does not allow one.
    Syntax,
    /// Nested beyond `limit::DEPTH`.
    Depth,
    /// Longer than `limit::LINE`.
    Length,
    /// More commands than `limit::WORK` allows.
    Work,
}

impl Unreadable {
    /// Whether one of our limits was reached, instead of an error in the line: bash may well run
    /// the rest, and `raw_words` may not reach that far.
    pub fn is_bound(self) -> bool {
        matches!(self, Self::Depth | Self::Length | Self::Work)
    }
}

impl Serialize for Unreadable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

fn as_object<S: Serializer>(pairs: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().map(|(name, value)| (name, value)))
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
        })
    }
}
