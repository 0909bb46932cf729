//! The definitions in a source text. Pure: a text in, an [`Outline`] out.
//!
//! A text is parsed by tree-sitter and walked by tables of node kinds, since
//! compiling queries in each process takes longer than parsing. A [`Piece`] is a
//! definition, an import or a statement. It is split into [`token`]s on demand.

mod definition_names;
mod kinds;
mod table;
#[cfg(test)]
mod tests;
pub mod token;
mod walk;

use std::{borrow::Cow, ops::ControlFlow, rc::Rc};

use tree_sitter::{InputEdit, Node, ParseOptions, Parser, Point, Tree};

pub use self::table::Language;
use self::{table::LANGUAGES, token::Classes};

/// In bytes; longer texts are not parsed.
pub const LONGEST_TEXT: usize = 1 << 20;

/// How often the parser may report progress. Code of [`LONGEST_TEXT`] needs a third of it; text
/// that is not code could take minutes.
const LONGEST_PARSE: u32 = 60_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    #[error("no grammar for this kind of file")]
    NoGrammar,
    #[error("a binary file")]
    Binary,
    #[error("larger than {} KiB", LONGEST_TEXT >> 10)]
    TooLarge,
    #[error("too tangled to parse")]
    TooTangled,
    #[error("a syntax error")]
    Syntax,
}

pub fn language_of(path: &str) -> Option<&'static Language> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, extension) = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty())?;
    let extension = extension.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| language.extensions.contains(&extension.as_str()))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Function,
    Method,
    Type,
    /// Rust's `impl`.
    Impl,
    /// A constant, a variable, a field.
    Value,
    Module,
    Macro,
    Import,
    /// `export { a, b }`
    Export,
    Statement,
}

impl Kind {
    pub fn is_definition(self) -> bool {
        !matches!(self, Self::Import | Self::Export | Self::Statement)
    }
}

#[derive(Debug)]
pub struct Source<'a> {
    pub language: &'static Language,
    pub text: Cow<'a, [u8]>,
    tree: Tree,
    classes: Rc<Classes>,
}

/// A definition without the definitions inside it, an import, or a statement.
#[derive(Debug, Clone)]
pub struct Piece<'s> {
    pub kind: Kind,
    /// The containers, with the language's separator: `Session::`.
    pub inside: String,
    /// Empty for a statement, several for `const a = 1, b = 2`.
    pub names: Vec<String>,
    pub is_public: bool,
    /// Whether it means the same anywhere among its neighbours.
    pub is_free: bool,
    pub raw: &'s [u8],
    nodes: Vec<Node<'s>>,
    /// Where it ends; of a container, where the body begins.
    end: usize,
}

impl Piece<'_> {
    /// `Session::renew`; empty for a piece without a name.
    pub fn path(&self) -> String {
        if self.names.is_empty() {
            return String::new();
        }
        format!("{}{}", self.inside, self.names.join(", "))
    }

    pub fn paths(&self) -> impl Iterator<Item = String> {
        self.names.iter().map(|name| format!("{}{name}", self.inside))
    }
}

#[derive(Debug)]
pub struct Outline<'s> {
    pub pieces: Vec<Piece<'s>>,
}

impl<'a> Source<'a> {
    pub fn parse(text: &'a [u8], language: &'static Language) -> Result<Self, Unread> {
        let text = plain(text)?;
        let tree = parse(&text, language, None)?;
        let classes = Rc::new(Classes::of(&tree.language()));
        Ok(Self { language, text, tree, classes })
    }

    /// A later text of the same file: only the difference is parsed again.
    pub fn parse_after(before: &Source, text: &'a [u8]) -> Result<Self, Unread> {
        let language = before.language;
        let text = plain(text)?;
        let mut old = before.tree.clone();
        old.edit(&edit(&before.text, &text));
        // What was reused may be the reason for an error.
        let tree = parse(&text, language, Some(&old)).or_else(|_| parse(&text, language, None))?;
        Ok(Self { language, text, tree, classes: Rc::clone(&before.classes) })
    }

    pub fn outline(&self) -> Outline<'_> {
        walk::outline(self)
    }

    fn text_of(&self, node: Node) -> &[u8] {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

/// Git looks for a NUL in as many bytes.
pub fn is_binary(text: &[u8]) -> bool {
    text.iter().take(8000).any(|byte| *byte == 0)
}

/// The text with LF as line ends and without a byte order mark.
fn plain(text: &[u8]) -> Result<Cow<'_, [u8]>, Unread> {
    if text.len() > LONGEST_TEXT {
        return Err(Unread::TooLarge);
    }
    if is_binary(text) {
        return Err(Unread::Binary);
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    if !text.contains(&b'\r') {
        return Ok(Cow::Borrowed(text));
    }
    let lines = text.split(|byte| *byte == b'\n');
    let lines: Vec<&[u8]> = lines.map(|line| line.strip_suffix(b"\r").unwrap_or(line)).collect();
    Ok(Cow::Owned(lines.join(&b'\n')))
}

fn parse(text: &[u8], language: &'static Language, old: Option<&Tree>) -> Result<Tree, Unread> {
    let mut parser = Parser::new();
    // A test checks that the library can read each grammar.
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
    if tree.root_node().has_error() { Err(Unread::Syntax) } else { Ok(tree) }
}

/// What is between the common beginning and the common end of two texts.
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
    let begins = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Point { row: before.split(|byte| *byte == b'\n').count() - 1, column: at - begins }
}
