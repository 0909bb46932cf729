//! YAML as a tree of nodes with their lines and columns, so that the reader can say what is wrong
//! where.
//!
//! Nothing is expanded: an alias is one more way to a node, so a text's tree is never larger than the
//! text, and a node may be below itself.

use std::{borrow::Cow, collections::BTreeMap};

use granit_parser::{Event, Parser, ScalarStyle, Span, Tag};

use crate::core::intent::catalogue::Problem;

#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    root: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    /// From 1.
    pub(super) line: usize,
    /// From 1, in characters.
    pub(super) column: usize,
    /// A tag of the file's own, as it is written.
    pub(super) tag: Option<String>,
    pub(super) what: What<'a>,
}

#[derive(Debug)]
pub(super) enum What<'a> {
    Scalar { text: Cow<'a, str>, is_plain: bool },
    List(Vec<usize>),
    Map(Vec<(usize, usize)>),
}

/// Reads one document, which may begin with a byte order mark.
pub(super) fn read(text: &str) -> Result<Tree<'_>, Problem> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => builder.take(event, span)?,
            Err(err) => {
                let at = *err.marker();
                let (line, column) = (at.line(), at.col() + 1);
                let hint = hint(text, line);
                return Err(broken(line, column, format!("{}{hint}", err.info())));
            }
        }
    }
    Ok(builder.tree)
}

pub(super) fn broken(line: usize, column: usize, what: String) -> Problem {
    Problem { line, column, what, breaks: true }
}

/// What globs look like that YAML takes for something else.
fn hint(text: &str, line: usize) -> &'static str {
    let line = text.split('\n').nth(line.saturating_sub(1)).unwrap_or_default();
    let value = line.trim_start().trim_start_matches("- ").trim_start();
    let value = value.split_once(": ").map_or(value, |(_, value)| value.trim_start());
    if value.starts_with(['*', '&', '!', '@', '`', '%', '{', '[']) {
        "; a value that begins so wants quotes around it"
    } else if line.contains('\t') {
        "; indent with blanks, not with tabs"
    } else {
        ""
    }
}

#[derive(Default)]
struct Builder<'a> {
    tree: Tree<'a>,
    /// The collections that are open, each with the key that waits for its value.
    open: Vec<(usize, Option<usize>)>,
    /// Nodes by the number of their anchor.
    anchors: BTreeMap<usize, usize>,
    documents: usize,
}

impl<'a> Builder<'a> {
    fn take(&mut self, event: Event<'a>, span: Span) -> Result<(), Problem> {
        let (line, column) = (span.start.line(), span.start.col() + 1);
        let mut add = |what, anchor, tag: Option<&Tag>| {
            let tag = tag.filter(|tag| !tag.is_yaml_core_schema()).map(ToString::to_string);
            self.add(Node { line, column, tag, what }, anchor)
        };
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let what = "a second document begins; only one is read".to_owned();
                    return Err(broken(line, column, what));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain;
                add(What::Scalar { text, is_plain }, anchor, tag.as_deref());
            }
            Event::SequenceStart(_, anchor, tag) => {
                let node = add(What::List(Vec::new()), anchor, tag.as_deref());
                self.open.push((node, None));
            }
            Event::MappingStart(_, anchor, tag) => {
                let node = add(What::Map(Vec::new()), anchor, tag.as_deref());
                self.open.push((node, None));
            }
            Event::SequenceEnd | Event::MappingEnd => drop(self.open.pop()),
            Event::Alias(anchor) => {
                let nothing = || broken(line, column, "the alias refers to nothing".to_owned());
                self.attach(*self.anchors.get(&anchor).ok_or_else(nothing)?);
            }
            _ => (),
        }
        Ok(())
    }

    fn add(&mut self, node: Node<'a>, anchor: usize) -> usize {
        let index = self.tree.nodes.len();
        self.tree.nodes.push(node);
        if anchor > 0 {
            self.anchors.insert(anchor, index);
        }
        self.attach(index);
        index
    }

    /// Puts a node where the next one belongs.
    fn attach(&mut self, index: usize) {
        match self.open.last_mut() {
            None => self.tree.root = Some(index),
            Some((parent, key)) => match &mut self.tree.nodes[*parent].what {
                What::List(items) => items.push(index),
                What::Map(pairs) => match key.take() {
                    None => *key = Some(index),
                    Some(key) => pairs.push((key, index)),
                },
                What::Scalar { .. } => (),
            },
        }
    }
}

/// A node in its tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'t, 'a> {
    tree: &'t Tree<'a>,
    index: usize,
}

impl<'a> Tree<'a> {
    pub(super) fn root(&self) -> Option<At<'_, 'a>> {
        self.root.map(|index| At { tree: self, index })
    }
}

impl<'t, 'a> At<'t, 'a> {
    pub(super) fn node(self) -> &'t Node<'a> {
        &self.tree.nodes[self.index]
    }

    /// What breaks the file here.
    pub(super) fn broken(self, what: impl Into<String>) -> Problem {
        broken(self.node().line, self.node().column, what.into())
    }

    pub(super) fn scalar(self) -> Option<&'t str> {
        match &self.node().what {
            What::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Nothing, as YAML writes it.
    pub(super) fn is_null(self) -> bool {
        match &self.node().what {
            What::Scalar { text, is_plain: true } => {
                matches!(&**text, "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    pub(super) fn items(self) -> Option<impl Iterator<Item = Self>> {
        match &self.node().what {
            What::List(items) => {
                Some(items.iter().map(move |index| Self { index: *index, ..self }))
            }
            _ => None,
        }
    }

    pub(super) fn pairs(self) -> Option<impl Iterator<Item = (Self, Self)>> {
        let at = move |index: &usize| Self { index: *index, ..self };
        match &self.node().what {
            What::Map(pairs) => Some(pairs.iter().map(move |(key, value)| (at(key), at(value)))),
            _ => None,
        }
    }

    /// The first value of that key.
    pub(super) fn get(self, name: &str) -> Option<Self> {
        let mut pairs = self.pairs()?;
        pairs.find(|(key, _)| key.scalar() == Some(name)).map(|(_, value)| value)
    }
}
