//! Definitions in source text: which there are, where they stand, what they
//! are made of. Pure, and a leaf: it looks at text and imports nothing of ours.
//!
//! A text is parsed once and walked by tables of node kinds; queries would have
//! to be compiled anew in each process, which costs more than the parsing. A
//! [`Piece`] is a definition, an import or a statement beside them; what stands
//! inside is cut into [`token`]s only where somebody asks.
//!
//! What cannot be read is a value, [`Unread`], and never a guess.

mod kinds;
mod names;
mod table;
#[cfg(test)]
mod tests;
pub mod token;
mod walk;

use std::{borrow::Cow, fmt, ops::ControlFlow};

use serde::{Deserialize, Serialize};
use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree};

pub use self::table::Language;
use self::{table::LANGUAGES, token::Classes};

/// A longer text is not parsed.
pub const LONGEST_TEXT: usize = 1 << 20;

/// How often the parser may ask to go on: ordinary code of [`LONGEST_TEXT`]
/// needs a third of it, and what is no code at all could take minutes.
const LONGEST_PARSE: u32 = 60_000;

/// Where git looks for a NUL to call a file binary.
const BINARY_WITHIN: usize = 8000;

/// Why a text has no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// No language goes by the name of the file.
    NoGrammar,
    Binary,
    TooLarge,
    /// The parser would not come to an end.
    TooTangled,
    /// On that line, from 1.
    Syntax {
        line: usize,
    },
}

/// The language of a file, by its name.
pub fn language_of(path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = name.rsplit_once('.')?;
    if stem.is_empty() {
        return None;
    }
    let extension = extension.to_ascii_lowercase();
    LANGUAGES.iter().find(|it| it.extensions.contains(&extension.as_str()))
}

/// So often a word is looked at.
pub const MOST_MENTIONS: usize = 2000;

/// What a word is where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mention {
    Name,
    /// What a call says an argument is.
    Argument,
    Comment,
    /// A text, or nothing that is known.
    Text,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Function,
    Method,
    Type,
    /// What functions are attached to, and has no name of its own: Rust's
    /// `impl`.
    Impl,
    /// A constant, a variable, a field.
    Value,
    Module,
    Macro,
    Import,
    /// A list of what is visible outside.
    Export,
    Statement,
}

impl Kind {
    pub fn is_definition(self) -> bool {
        !matches!(self, Self::Import | Self::Export | Self::Statement)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Type => "type",
            Self::Impl => "impl",
            Self::Value => "value",
            Self::Module => "module",
            Self::Macro => "macro",
            Self::Import => "import",
            Self::Export => "export",
            Self::Statement => "statement",
        }
    }
}

/// A parsed text. Line ends are LF in it, and no byte order mark is before it.
#[derive(Debug)]
pub struct Source<'a> {
    pub language: &'static Language,
    pub text: Cow<'a, [u8]>,
    tree: Tree,
}

/// A definition without the definitions in it, an import, or a statement.
#[derive(Debug, Clone)]
pub struct Piece<'s> {
    pub kind: Kind,
    /// What it stands in, with the language's own separator behind it; empty at
    /// the top.
    pub inside: String,
    /// Those that it gives; none for a statement, several for a list of
    /// constants.
    pub names: Vec<String>,
    pub is_public: bool,
    /// Whether it means the same wherever it stands among its neighbours.
    pub is_free: bool,
    /// From 1, both included, with the definitions in it.
    pub lines: (usize, usize),
    /// As it is written.
    pub raw: &'s [u8],
    /// Where the body begins; the end, where it has none.
    body: usize,
    nodes: Vec<Node<'s>>,
}

impl Piece<'_> {
    /// `Session::renew`; empty where it has no name.
    pub fn path(&self) -> String {
        if self.names.is_empty() {
            return String::new();
        }
        format!("{}{}", self.inside, self.names.join(", "))
    }

    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.names.iter().map(|it| format!("{}{it}", self.inside))
    }
}

/// Pieces in the order in which they stand.
#[derive(Debug)]
pub struct Outline<'s> {
    pub pieces: Vec<Piece<'s>>,
    /// Comments beside them.
    pub comments: Vec<&'s [u8]>,
}

impl<'a> Source<'a> {
    pub fn parse(text: &'a [u8], language: &'static Language) -> Result<Self, Unread> {
        let text = plain(text)?;
        let tree = parse(&text, language, None)?;
        Ok(Self { language, text, tree })
    }

    /// A later text of the same file, in the time that the difference takes.
    pub fn parse_after(before: &Source, text: &'a [u8]) -> Result<Self, Unread> {
        let language = before.language;
        let text = plain(text)?;
        let mut old = before.tree.clone();
        old.edit(&edit(&before.text, &text));
        // What was reused may be why it cannot be read.
        let tree = parse(&text, language, Some(&old)).or_else(|_| parse(&text, language, None))?;
        Ok(Self { language, text, tree })
    }

    pub fn outline(&self) -> Outline<'_> {
        walk::outline(self)
    }

    pub fn classes(&self) -> Classes {
        Classes::of(&self.tree.language())
    }

    /// Whether something in it goes by that name; comments and texts do not
    /// count.
    pub fn has_name(&self, name: &[u8]) -> bool {
        /// So often a word is looked at.
        const MOST: usize = 2000;
        let is_part =
            |it: Option<&u8>| it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
        let mut looked = 0;
        for (at, found) in self.text.windows(name.len().max(1)).enumerate() {
            let is_word = found == name
                && !is_part(at.checked_sub(1).and_then(|it| self.text.get(it)))
                && !is_part(self.text.get(at + name.len()));
            if !is_word {
                continue;
            }
            looked += 1;
            let end = at + name.len();
            let node = self.root().descendant_for_byte_range(at, end);
            if looked > MOST
                || node.is_some_and(|it| it.kind().contains("identifier") && it.end_byte() == end)
            {
                return true;
            }
        }
        false
    }

    /// Where a word stands, whole: in code, in texts or in comments. The first
    /// [`MOST_MENTIONS`] of them.
    pub fn mentions(&self, word: &[u8]) -> Vec<Mention> {
        if word.is_empty() {
            return Vec::new();
        }
        let is_part = |it: Option<&u8>| {
            it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_' || *it >= 0x80)
        };
        let is_word = |at: usize| {
            !is_part(at.checked_sub(1).and_then(|it| self.text.get(it)))
                && !is_part(self.text.get(at + word.len()))
        };
        let found = self.text.windows(word.len().max(1)).enumerate();
        let found = found
            .filter(|(at, it)| it[0] == word[0] && *it == word && is_word(*at))
            .map(|(at, _)| at);
        found.take(MOST_MENTIONS).map(|at| self.mention(at, at + word.len())).collect()
    }

    fn mention(&self, from: usize, to: usize) -> Mention {
        let Some(node) = self.root().descendant_for_byte_range(from, to) else {
            return Mention::Text;
        };
        let parent = node.parent();
        if token::is_comment(node.kind()) || parent.is_some_and(|it| token::is_comment(it.kind())) {
            return Mention::Comment;
        }
        if !node.kind().contains("identifier") || node.byte_range() != (from..to) {
            return Mention::Text;
        }
        let names_argument = parent.is_some_and(|it| {
            it.kind() == "keyword_argument"
                && it.child_by_field_name("name").is_some_and(|it| it.id() == node.id())
        });
        if names_argument { Mention::Argument } else { Mention::Name }
    }

    /// Whether these bytes stand in a comment.
    pub fn has_in_comment(&self, bytes: &[u8]) -> bool {
        let found = self.text.windows(bytes.len().max(1)).enumerate();
        let found = found.filter(|(_, it)| it.first() == bytes.first() && *it == bytes);
        found.take(MOST_MENTIONS).any(|(at, _)| {
            let node = self.root().descendant_for_byte_range(at, at + bytes.len());
            node.is_some_and(|it| token::is_comment(it.kind()))
        })
    }

    fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    fn text_of(&self, node: Node) -> &[u8] {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// The text with plain line ends, and no mark before it.
fn plain(text: &[u8]) -> Result<Cow<'_, [u8]>, Unread> {
    if text.len() > LONGEST_TEXT {
        return Err(Unread::TooLarge);
    }
    if text.iter().take(BINARY_WITHIN).any(|it| *it == 0) {
        return Err(Unread::Binary);
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if !text.contains(&b'\r') {
        return Ok(Cow::Borrowed(text));
    }
    let mut plain = Vec::with_capacity(text.len());
    for (at, byte) in text.iter().enumerate() {
        if *byte != b'\r' || text.get(at + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    Ok(Cow::Owned(plain))
}

fn parse(text: &[u8], language: &'static Language, old: Option<&Tree>) -> Result<Tree, Unread> {
    let mut parser = Parser::new();
    // A grammar that the library cannot read: a test walks the table.
    parser.set_language(&(language.grammar)()).map_err(|_| Unread::NoGrammar)?;
    let mut left = LONGEST_PARSE;
    let mut go_on = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let mut read = |at: usize, _: Point| text.get(at..).unwrap_or_default();
    let tree =
        parser.parse_with_options(&mut read, old, Some(options)).ok_or(Unread::TooTangled)?;
    match first_error(tree.root_node()) {
        Some(line) => Err(Unread::Syntax { line }),
        None => Ok(tree),
    }
}

/// The line of the first thing that the grammar could not read.
fn first_error(root: Node) -> Option<usize> {
    if !root.has_error() {
        return None;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if node.is_error() || node.is_missing() {
            return Some(node.start_position().row + 1);
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(1);
            }
        }
    }
}

/// What lies between the beginning and the end that two texts share.
fn edit(before: &[u8], after: &[u8]) -> InputEdit {
    let same = |one: &[u8], other: &[u8]| one.iter().zip(other).take_while(|(a, b)| a == b).count();
    let start = same(before, after);
    let (old, new) = (&before[start..], &after[start..]);
    let end = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (before.len() - end, after.len() - end);
    InputEdit {
        start_byte: start,
        old_end_byte: old_end,
        new_end_byte: new_end,
        start_position: point(before, start),
        old_end_position: point(before, old_end),
        new_end_position: point(after, new_end),
    }
}

fn point(text: &[u8], at: usize) -> Point {
    let before = &text[..at];
    let begins = before.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
    Point { row: before.split(|it| *it == b'\n').count() - 1, column: at - begins }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoGrammar => write!(f, "no grammar for this kind of file"),
            Self::Binary => write!(f, "a binary file"),
            Self::TooLarge => write!(f, "larger than {} KiB", LONGEST_TEXT >> 10),
            Self::TooTangled => write!(f, "too tangled to parse"),
            Self::Syntax { line } => write!(f, "a syntax error on line {line}"),
        }
    }
}
