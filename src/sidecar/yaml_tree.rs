//! YAML as a tree of nodes with their lines and columns, so that errors can be located.
//!
//! Nothing is expanded: an alias is one more way to a node, so a text's tree is never larger than the
//! text.

use std::{borrow::Cow, collections::BTreeMap, rc::Rc};

use granit_parser::{Event, Parser, ScalarStyle, Span, StrInput};

use crate::core::intent::catalogue::Problem;

/// Nobody nests deeper by hand. What aliases refer to counts: to drop it takes stack as well.
const DEEPEST: usize = 100;
const TOO_DEEP: &str = "it is nested too deep";

#[derive(Debug)]
pub(super) struct Node<'a> {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    column: usize,
    /// A custom tag, as written.
    pub(super) tag: Option<String>,
    what: What<'a>,
    /// How many levels of nodes are below it.
    height: usize,
}

#[derive(Debug)]
enum What<'a> {
    Scalar {
        text: Cow<'a, str>,
        is_plain: bool,
    },
    List(Vec<Rc<Node<'a>>>),
    /// Each key, and its value behind it.
    Map(Vec<Rc<Node<'a>>>),
}

/// Reads one document, which may begin with a byte order mark.
pub(super) fn read(text: &str) -> Result<Option<Rc<Node<'_>>>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let events = Parser::new_from_str(text);
    let mut reader = Reader { text, events, anchors: BTreeMap::new() };
    Ok(reader.nodes(0)?.pop())
}

pub(super) fn broken(line: usize, column: usize, what: String) -> Problem {
    Problem { line, column, what, breaks: true }
}

/// A hint for globs that mean something else in YAML.
fn hint(text: &str, line: usize) -> &'static str {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let value = line.trim_start().trim_start_matches("- ").trim_start();
    let value = value.split_once(": ").map_or(value, |(_, value)| value.trim_start());
    if value.starts_with(['*', '&', '!', '@', '`', '%', '{', '[']) {
        "; a value that begins so needs quotes around it"
    } else if line.contains('\t') {
        "; indent with blanks, not with tabs"
    } else {
        ""
    }
}

struct Reader<'a> {
    text: &'a str,
    events: Parser<'a, StrInput<'a>>,
    /// Nodes by the number of their anchor.
    anchors: BTreeMap<usize, Rc<Node<'a>>>,
}

impl<'a> Reader<'a> {
    fn event(&mut self) -> Result<Option<(Event<'a>, Span)>, Problem> {
        self.events.next().transpose().map_err(|err| {
            let (line, column) = (err.marker().line(), err.marker().col() + 1);
            broken(line, column, format!("{}{}", err.info(), hint(self.text, line)))
        })
    }

    /// The nodes up to the end of the list, the map or the text that holds them.
    fn nodes(&mut self, depth: usize) -> Result<Vec<Rc<Node<'a>>>, Problem> {
        let mut nodes: Vec<Rc<Node>> = Vec::new();
        while let Some((event, span)) = self.event()? {
            let (line, column) = (span.start.line(), span.start.col() + 1);
            let breaks = |what: &str| broken(line, column, what.to_owned());
            if depth > DEEPEST {
                return Err(breaks(TOO_DEEP));
            }
            let (what, anchor, tag) = match event {
                Event::SequenceEnd | Event::MappingEnd => break,
                Event::DocumentStart(..) if !nodes.is_empty() => {
                    return Err(breaks("a second document begins; only one is read"));
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let is_plain = style == ScalarStyle::Plain;
                    (What::Scalar { text, is_plain }, anchor, tag)
                }
                Event::SequenceStart(_, anchor, tag) => {
                    (What::List(self.nodes(depth + 1)?), anchor, tag)
                }
                Event::MappingStart(_, anchor, tag) => {
                    (What::Map(self.nodes(depth + 1)?), anchor, tag)
                }
                Event::Alias(anchor) => {
                    let known = self.anchors.get(&anchor).cloned();
                    nodes.push(known.ok_or_else(|| breaks("the alias refers to nothing"))?);
                    continue;
                }
                _ => continue,
            };
            let height = match &what {
                What::Scalar { .. } => 0,
                What::List(below) | What::Map(below) => {
                    below.iter().map(|node| node.height + 1).max().unwrap_or(0)
                }
            };
            if height > DEEPEST {
                return Err(breaks(TOO_DEEP));
            }
            let tag = tag.filter(|tag| !tag.is_yaml_core_schema()).map(|tag| tag.to_string());
            let node = Rc::new(Node { line, column, tag, what, height });
            if anchor > 0 {
                self.anchors.insert(anchor, Rc::clone(&node));
            }
            nodes.push(node);
        }
        Ok(nodes)
    }
}

impl Node<'_> {
    /// A problem at this node that makes the file invalid.
    pub(super) fn broken(&self, what: impl Into<String>) -> Problem {
        broken(self.line, self.column, what.into())
    }

    pub(super) fn scalar(&self) -> Option<&str> {
        match &self.what {
            What::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether it is null.
    pub(super) fn is_null(&self) -> bool {
        match &self.what {
            What::Scalar { text, is_plain: true } => {
                matches!(&**text, "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    pub(super) fn items(&self) -> Option<impl Iterator<Item = &Self>> {
        match &self.what {
            What::List(items) => Some(items.iter().map(|item| &**item)),
            _ => None,
        }
    }

    pub(super) fn pairs(&self) -> Option<impl Iterator<Item = (&Self, &Self)>> {
        match &self.what {
            What::Map(nodes) => Some(nodes.chunks_exact(2).map(|pair| (&*pair[0], &*pair[1]))),
            _ => None,
        }
    }

    /// The first value with that key.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let mut pairs = self.pairs()?;
        pairs.find(|(key, _)| key.scalar() == Some(name)).map(|(_, value)| value)
    }
}
