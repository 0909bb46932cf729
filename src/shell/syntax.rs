//! The syntax tree, which the scanner passes to the walker. Plain data.

use std::cell::OnceCell;
use std::rc::Rc;

pub(super) type List = Vec<Item>;

#[derive(Debug)]
pub(super) struct Item {
    pub(super) node: Node,
    /// The operator after it.
    pub(super) link: Link,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// `;`, a newline or the end.
    Then,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `&`
    Background,
}

#[derive(Debug)]
pub(super) enum Node {
    Simple(Simple),
    /// At least two stages.
    Pipeline(Vec<Node>),
    /// `( … )`
    Subshell(List),
    /// `coproc`: its body, in the background.
    Coprocess(Box<Item>),
    /// `{ … }`
    Group(List),
    If {
        /// Each condition with its body.
        branches: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    /// `while` and `until`.
    While {
        condition: List,
        body: List,
    },
    /// `for` and `select`; without words it goes over the positional parameters.
    For {
        name: String,
        words: Option<Vec<Word>>,
        body: List,
    },
    /// `for ((…))`
    Count {
        header: Word,
        body: List,
    },
    Case {
        subject: Word,
        arms: Vec<Arm>,
    },
    Function {
        name: String,
        body: Rc<Node>,
    },
    /// `[[ … ]]`
    Test(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Word),
    Redirected(Box<Node>, Vec<Redirection>),
}

#[derive(Debug)]
pub(super) struct Arm {
    pub(super) patterns: Vec<Word>,
    pub(super) body: List,
    /// Ends in `;&` or `;;&`, so that the next arm may run too.
    pub(super) falls_through: bool,
}

#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) assignments: Vec<Assignment>,
    pub(super) words: Vec<Word>,
    pub(super) redirections: Vec<Redirection>,
}

#[derive(Debug)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) index: Option<Word>,
    /// `+=`
    pub(super) append: bool,
    pub(super) value: Word,
}

#[derive(Debug)]
pub(super) struct Redirection {
    /// The descriptor before the operator.
    pub(super) descriptor: Option<u32>,
    pub(super) kind: RedirectionKind,
    pub(super) target: Word,
    /// Set when the scanner reaches the text.
    pub(super) body: Rc<OnceCell<Word>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectionKind {
    /// `<`
    Read,
    /// `>` and `>|`
    Write,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `>&`, which copies a descriptor or writes both to a file
    DuplicateOut,
    /// `<&`
    DuplicateIn,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`
    Document,
    /// `<<<`
    String,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Word {
    pub(super) parts: Vec<Part>,
    /// Whether it has an unquoted `{`.
    pub(super) braces: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Part {
    Text {
        text: String,
        quoted: bool,
    },
    Parameter {
        parameter: Rc<Parameter>,
        quoted: bool,
    },
    /// `$( … )`, backticks and `${ …; }`
    Command {
        list: Rc<List>,
        quoted: bool,
    },
    /// `$(( … ))`: its text, for the substitutions in it.
    Arithmetic(Rc<Word>),
    /// `<( … )` and `>( … )`
    Process {
        list: Rc<List>,
        input: bool,
    },
    /// `( … )` after `name=`
    Array(Rc<Vec<Word>>),
}

impl Part {
    /// Whether its text is not split into words.
    pub(super) fn is_quoted(&self) -> bool {
        match self {
            Self::Text { quoted, .. }
            | Self::Parameter { quoted, .. }
            | Self::Command { quoted, .. } => *quoted,
            Self::Arithmetic(_) | Self::Process { .. } | Self::Array(_) => true,
        }
    }
}

/// `$name`, `${name}` and everything else that the braces may contain.
#[derive(Debug, Default)]
pub(super) struct Parameter {
    pub(super) name: String,
    /// Between brackets: `@`, `*`, a number, a key.
    pub(super) index: Option<Word>,
    /// `${!name}`
    pub(super) indirect: bool,
    /// `${#name}`
    pub(super) length: bool,
    /// `:-`, `//`, `%%` … with what follows it.
    pub(super) operator: &'static str,
    pub(super) operand: Word,
}

impl Word {
    pub(super) fn text(text: &str, quoted: bool) -> Self {
        let mut word = Self::default();
        word.push_text(text, quoted);
        word
    }

    /// Empty text counts, too: `''` is a word.
    pub(super) fn push_text(&mut self, more: &str, more_quoted: bool) {
        self.braces |= !more_quoted && more.contains('{');
        match self.parts.last_mut() {
            Some(Part::Text { text, quoted }) if *quoted == more_quoted => text.push_str(more),
            _ => self.parts.push(Part::Text { text: more.to_owned(), quoted: more_quoted }),
        }
    }

    /// `None` if the word has other parts than text.
    pub(super) fn as_text(&self) -> Option<String> {
        self.parts
            .iter()
            .map(|part| match part {
                Part::Text { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}
