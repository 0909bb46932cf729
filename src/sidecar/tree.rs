//! YAML as a tree that knows where in the text everything stands, so that the
//! reader can say what is wrong where, and a change can touch nothing else.
//!
//! Nothing is expanded: an alias is a reference, so a text's tree is never
//! larger than the text.

use std::{borrow::Cow, ops::Range};

use granit_parser::{Event, Parser, ScalarStyle, Span, StructureStyle, Tag};

use crate::core::intent::catalogue::Problem;

#[derive(Debug, Default)]
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
    root: Option<usize>,
}

#[derive(Debug)]
pub(super) struct Node<'a> {
    /// In bytes of the whole text. Of a block collection: its beginning.
    pub(super) range: Range<usize>,
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
    Scalar { text: Cow<'a, str>, style: ScalarStyle },
    List { is_flow: bool, items: Vec<usize> },
    Map { is_flow: bool, pairs: Vec<(usize, usize)> },
    Alias(usize),
}

/// Reads one document. Positions count from the beginning of `text`, which
/// may begin with a byte order mark.
pub(super) fn read(text: &str) -> Result<Tree<'_>, Problem> {
    let bare = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut builder = Builder { base: text.len() - bare.len(), ..Builder::default() };
    for event in Parser::new_from_str(bare) {
        match event {
            Ok((event, span)) => builder.take(event, span)?,
            Err(err) => {
                let at = *err.marker();
                let (line, column) = (at.line(), at.col() + 1);
                let hint = hint(bare, line);
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
    let value = value.split_once(": ").map_or(value, |(_, it)| it.trim_start());
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
    base: usize,
    tree: Tree<'a>,
    /// The collections that are open, each with the key that waits for its
    /// value.
    open: Vec<(usize, Option<usize>)>,
    /// Nodes by the number of their anchor.
    anchors: Vec<Option<usize>>,
    documents: usize,
}

impl<'a> Builder<'a> {
    fn take(&mut self, event: Event<'a>, span: Span) -> Result<(), Problem> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let (line, column) = (span.start.line(), span.start.col() + 1);
                    let what = "a second document begins; only one is read".to_owned();
                    return Err(broken(line, column, what));
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let tag = tag.as_deref().and_then(own_tag);
                self.add(What::Scalar { text, style }, &span, anchor, tag);
            }
            Event::SequenceStart(style, anchor, tag) => {
                let is_flow = style == StructureStyle::Flow;
                let tag = tag.as_deref().and_then(own_tag);
                let node = self.add(What::List { is_flow, items: Vec::new() }, &span, anchor, tag);
                self.open.push((node, None));
            }
            Event::MappingStart(style, anchor, tag) => {
                let is_flow = style == StructureStyle::Flow;
                let tag = tag.as_deref().and_then(own_tag);
                let node = self.add(What::Map { is_flow, pairs: Vec::new() }, &span, anchor, tag);
                self.open.push((node, None));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((node, _)) = self.open.pop() {
                    let end = self.bytes(&span).end;
                    let node = &mut self.tree.nodes[node];
                    let is_flow = matches!(
                        node.what,
                        What::List { is_flow: true, .. } | What::Map { is_flow: true, .. }
                    );
                    if is_flow {
                        node.range.end = end;
                    }
                }
            }
            Event::Alias(anchor) => {
                let target = self.anchors.get(anchor).copied().flatten();
                let target = target.ok_or_else(|| {
                    let what = "the alias refers to nothing".to_owned();
                    broken(span.start.line(), span.start.col() + 1, what)
                })?;
                self.add(What::Alias(target), &span, 0, None);
            }
            _ => (),
        }
        Ok(())
    }

    fn add(&mut self, what: What<'a>, span: &Span, anchor: usize, tag: Option<String>) -> usize {
        let index = self.tree.nodes.len();
        let (line, column) = (span.start.line(), span.start.col() + 1);
        let range = self.bytes(span);
        self.tree.nodes.push(Node { range, line, column, tag, what });
        if anchor > 0 {
            if self.anchors.len() <= anchor {
                self.anchors.resize(anchor + 1, None);
            }
            self.anchors[anchor] = Some(index);
        }
        match self.open.last_mut() {
            None => self.tree.root = Some(index),
            Some((parent, key)) => match &mut self.tree.nodes[*parent].what {
                What::List { items, .. } => items.push(index),
                What::Map { pairs, .. } => match key.take() {
                    None => *key = Some(index),
                    Some(key) => pairs.push((key, index)),
                },
                What::Scalar { .. } | What::Alias(_) => (),
            },
        }
        index
    }

    fn bytes(&self, span: &Span) -> Range<usize> {
        let found = span.byte_range().unwrap_or(0..0);
        found.start + self.base..found.end + self.base
    }
}

fn own_tag(tag: &Tag) -> Option<String> {
    (!tag.is_yaml_core_schema()).then(|| tag.to_string())
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

    /// What an alias refers to; else itself.
    pub(super) fn resolved(self) -> Self {
        match self.node().what {
            What::Alias(index) => Self { index, ..self },
            _ => self,
        }
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
            What::Scalar { text, style: ScalarStyle::Plain } => {
                matches!(&**text, "" | "~" | "null" | "Null" | "NULL")
            }
            _ => false,
        }
    }

    pub(super) fn items(self) -> Option<impl DoubleEndedIterator<Item = Self>> {
        match &self.node().what {
            What::List { items, .. } => {
                Some(items.iter().map(move |it| Self { index: *it, ..self }))
            }
            _ => None,
        }
    }

    pub(super) fn pairs(self) -> Option<impl DoubleEndedIterator<Item = (Self, Self)>> {
        match &self.node().what {
            What::Map { pairs, .. } => Some(
                pairs
                    .iter()
                    .map(move |(k, v)| (Self { index: *k, ..self }, Self { index: *v, ..self })),
            ),
            _ => None,
        }
    }

    /// The first value of that key, with the key.
    pub(super) fn get(self, name: &str) -> Option<(Self, Self)> {
        self.pairs()?.find(|(key, _)| key.resolved().scalar() == Some(name))
    }

    pub(super) fn is_flow(self) -> bool {
        matches!(
            self.node().what,
            What::List { is_flow: true, .. } | What::Map { is_flow: true, .. }
        )
    }

    /// Where the last thing in it ends, in bytes.
    pub(super) fn end(self) -> usize {
        let mut at = self;
        loop {
            let (last, key) = match &at.node().what {
                What::List { is_flow: false, items } => (items.last().copied(), None),
                What::Map { is_flow: false, pairs } => {
                    (pairs.last().map(|it| it.1), pairs.last().map(|it| it.0))
                }
                _ => (None, None),
            };
            let Some(index) = last else { return at.node().range.end };
            // A value that is not there stands nowhere.
            let value = Self { index, ..at };
            if value.node().range.is_empty()
                && let Some(index) = key
            {
                return Self { index, ..at }.node().range.end.max(value.node().range.end);
            }
            at = value;
        }
    }
}
