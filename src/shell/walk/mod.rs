//! From syntax tree to reading: goes through a line as bash would, and takes every branch.

mod brace;
mod builtin;
mod call;
mod env;
mod expand;
mod files;
mod find;
mod git;
mod interpreter;
pub(super) mod literal_call;
mod parameter;
mod pattern;
mod record;
mod replace;
mod shells;
mod simple;
mod start_folder;
mod stdout;
mod unknown_options;
mod user_writers;
mod wrapper;
mod xargs;

use super::syntax::{Item, Link, List, Node, Part, Word};
use super::table::grammar::lists;
use super::{Certainty, Options, Reading, Unreadable, limit, scan};
use env::{Changes, Env, Function, Value};
use expand::Choice;
use std::rc::Rc;

/// Reads a line.
pub(super) fn line(line: &str, options: &Options) -> Reading {
    let mut walker = Walker::new(options);
    walker.code(line, &Io::default());
    walker.trapped(0);
    start_folder::without_mark(&mut walker.reading);
    walker.reading
}

/// Where a command's input comes from, and whether somebody looks at its output.
#[derive(Debug, Clone, Default)]
struct Io {
    /// `None`: whatever the line's own is.
    stdin: Option<Rc<str>>,
    capture: bool,
}

struct Walker<'o> {
    options: &'o Options,
    reading: Reading,
    env: Env,
    depth: usize,
    /// What is left of [`limit::WORK`].
    work: usize,
    /// How many branches are open that may not be taken.
    conditional: usize,
    /// How many levels of code are open that did not stand in the line as it is.
    resolved: usize,
    /// Above zero, nothing is recorded: the same code has been walked before.
    muted: usize,
    /// Whether words are expanded once more, with other values of their variables.
    repeating: bool,
    /// Whether the shell may be one without braces.
    posix: bool,
    choices: Vec<Choice>,
    /// Functions and aliases that are being walked.
    calls: Vec<String>,
    /// For each function that is being walked, what its own variables hide.
    locals: Vec<Vec<(String, Option<env::Variable>)>>,
    /// How many pieces of code of other languages are being walked.
    foreign: usize,
    /// The code of the traps that are set.
    traps: Vec<String>,
    /// Names that traps call before there is a function of that name.
    later: Vec<String>,
    next_descriptor: usize,
    /// Whether what is shown is put into a word: `$(…)`.
    stdout_is_a_word: bool,
    /// Where the current loop's runs begin, while its body is walked a second time.
    repeated_from: Option<usize>,
}

impl<'o> Walker<'o> {
    fn new(options: &'o Options) -> Self {
        Self {
            options,
            reading: Reading::default(),
            env: Env::new(&options.variables),
            depth: 0,
            work: limit::WORK,
            conditional: 0,
            resolved: 0,
            muted: 0,
            repeating: false,
            posix: false,
            choices: Vec::new(),
            calls: Vec::new(),
            locals: Vec::new(),
            foreign: 0,
            traps: Vec::new(),
            later: Vec::new(),
            next_descriptor: 63,
            stdout_is_a_word: false,
            repeated_from: None,
        }
    }

    fn fail(&mut self, error: Unreadable) {
        if self.muted == 0 {
            self.reading.unreadable.get_or_insert(error);
        }
    }

    /// Pays for work; `false` when nothing is left to pay with.
    fn spend(&mut self, units: usize) -> bool {
        let left = self.work.checked_sub(units);
        self.work = left.unwrap_or(0);
        if left.is_none() {
            self.reading.unreadable.get_or_insert(Unreadable::Work);
        }
        left.is_some()
    }

    /// Whether nothing is left to pay with for what would come next.
    fn is_spent(&mut self) -> bool {
        if self.work == 0 {
            self.reading.unreadable.get_or_insert(Unreadable::Work);
        }
        self.work == 0
    }

    fn enter<T: Default>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= limit::DEPTH {
            self.fail(Unreadable::Depth);
            return T::default();
        }
        self.depth += 1;
        let walked = walk(self);
        self.depth -= 1;
        walked
    }

    fn muted<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.muted += 1;
        let walked = walk(self);
        self.muted -= 1;
        walked
    }

    /// Walks what may be skipped.
    fn perhaps<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.conditional += 1;
        let walked = walk(self);
        self.conditional -= 1;
        walked
    }

    /// Walks text as a line of its own in the same shell.
    fn code(&mut self, text: &str, io: &Io) -> String {
        if !self.spend(1 + text.len().min(limit::LINE) / 256) {
            return String::new();
        }
        // More commands than can be paid for need not be looked at.
        let scanned = scan::scan(text, self.depth, self.work.min(limit::WORK));
        let mark = self.env.mark();
        let output = self.list(&scanned.list, io);
        if scanned.error.is_some() || scanned.may_be_refused {
            // Bash may have refused all of it.
            let changes = self.env.take_back(mark);
            self.env.merge(&[changes], false);
        }
        if let Some(error) = scanned.error {
            self.fail(error);
        }
        output
    }

    fn list(&mut self, list: &[Item], io: &Io) -> String {
        let mut output = String::new();
        // Where the list may have been left by then.
        let mut left = None;
        let ends = |item: &Item| matches!(item.link, Link::Then | Link::Background);
        for chain in list.split_inclusive(ends) {
            if self.is_spent() {
                break;
            }
            let background = chain.last().is_some_and(|item| item.link == Link::Background);
            output.push_str(&if background {
                self.isolated(|walker| walker.chain(chain, io))
            } else {
                self.chain(chain, io)
            });
            if left.is_none() && chain.iter().any(|item| may_leave(&item.node)) {
                left = Some(self.env.mark());
            }
        }
        if let Some(mark) = left.filter(|mark| *mark < self.env.mark()) {
            let changes = self.env.take_back(mark);
            self.env.merge(&[changes], false);
        }
        output
    }

    /// Walks `a && b || c`.
    fn chain(&mut self, chain: &[Item], io: &Io) -> String {
        let mut output = String::new();
        // Whether what comes next hangs on what came before: `a || b`, `[ … ] && b`.
        let mut hangs = false;
        // Where what comes next may not run, though nobody asks whether it does: `make && x=1`.
        let mut unsure = None;
        for Item { node, link } in chain {
            if hangs {
                let mark = self.env.mark();
                let shown = self.perhaps(|walker| walker.node(node, io));
                // As a word it may be none at all.
                if self.stdout_is_a_word && !shown.is_empty() {
                    output.push(super::HOLE);
                } else {
                    output.push_str(&shown);
                }
                let changes = self.env.take_back(mark);
                self.env.merge(&[changes], false);
            } else {
                output.push_str(&self.node(node, io));
            }
            hangs |= *link == Link::Or || is_test(node);
            if unsure.is_none() && !goes_well(node) {
                unsure = Some(self.env.mark());
            }
        }
        if let Some(mark) = unsure.filter(|mark| *mark < self.env.mark()) {
            let changes = self.env.take_back(mark);
            // `make && cd d`: paths are taken to be where the line means to go.
            let directories = changes.directories.clone();
            self.env.merge(&[changes], false);
            if let Some(directories) = directories {
                self.env.put_directories(directories);
            }
        }
        output
    }

    /// Walks something whose changes stay its own.
    fn isolated<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.env.mark();
        let stack = self.env.stack.len();
        let (traps, later) = (self.traps.len(), self.later.len());
        let walked = walk(self);
        self.trapped(traps);
        self.later.truncate(later);
        self.env.take_back(mark);
        self.env.stack.truncate(stack);
        walked
    }

    /// Walks the traps of a shell at its end, where their variables have their last values.
    fn trapped(&mut self, from: usize) {
        let mut traps = self.traps.split_off(from.min(self.traps.len()));
        let is_known = |code: &String| {
            code.split_whitespace().next().is_some_and(|name| self.env.function(name).is_some())
        };
        traps.extend(self.later.extract_if(.., |code| is_known(code)));
        for code in traps {
            self.enter(|walker| walker.code(&code, &Io::default()));
        }
    }

    fn subshell(&mut self, list: &List, io: &Io) -> String {
        self.enter(|walker| walker.isolated(|walker| walker.list(list, io)))
    }

    fn node(&mut self, node: &Node, io: &Io) -> String {
        if !self.spend(1) {
            return String::new();
        }
        match node {
            Node::Simple(simple) => return self.simple(simple, io),
            Node::Pipeline(stages) => return self.pipeline(stages, io),
            Node::Subshell(list) => return self.subshell(list, io),
            Node::Group(list) => return self.enter(|walker| walker.list(list, io)),
            Node::If { branches, otherwise } => {
                return self.enter(|walker| walker.branches(branches, otherwise.as_ref(), io));
            }
            Node::While { condition, body } => {
                return self.enter(|walker| {
                    walker.repeated(|walker| {
                        walker.list(condition, io);
                        walker.list(body, io)
                    })
                });
            }
            Node::For { name, words, body } => {
                return self.enter(|walker| walker.each(name, words.as_deref(), body, io));
            }
            Node::Count { header, body } => {
                let text = self.text(header);
                self.counted(&text);
                return self.enter(|walker| walker.repeated(|walker| walker.list(body, io)));
            }
            Node::Case { subject, arms } => {
                return self.enter(|walker| walker.case(subject, arms, io));
            }
            Node::Coprocess(item) => {
                return self.enter(|walker| walker.isolated(|walker| walker.node(&item.node, io)));
            }
            Node::Redirected(inner, redirections) => {
                let streams = self.streams(redirections, io);
                let output = self.enter(|walker| walker.node(inner, &streams.io));
                return self.delivered(streams, output);
            }
            Node::Function { name, body } => {
                let function = Function { bodies: vec![Rc::clone(body)], certain: true };
                self.env.put_function(name, Some(function));
            }
            Node::Test(words) => {
                for word in words {
                    self.text(word);
                }
            }
            Node::Arithmetic(word) => {
                let text = self.text(word);
                self.counted(&text);
            }
        }
        String::new()
    }

    fn pipeline(&mut self, stages: &[Node], io: &Io) -> String {
        let mut stdin = io.stdin.clone();
        let mut output = String::new();
        for (index, stage) in stages.iter().enumerate() {
            if self.is_spent() {
                break;
            }
            let last = index + 1 == stages.len();
            let stage_io = Io { stdin, capture: !last || io.capture };
            let mark = self.env.mark();
            output = self.node(stage, &stage_io);
            let changes = self.env.take_back(mark);
            // Zsh, and bash with `lastpipe`, run the last stage in the shell itself.
            if last && !changes.is_empty() {
                self.env.merge(&[changes], false);
            }
            stdin = Some(Rc::from(output.as_str()));
        }
        output
    }

    fn branches(&mut self, branches: &[(List, List)], otherwise: Option<&List>, io: &Io) -> String {
        let mut outputs = Vec::new();
        let mut changes = Vec::new();
        for (index, (condition, body)) in branches.iter().enumerate() {
            if index == 0 {
                self.list(condition, io);
            } else {
                let mark = self.env.mark();
                self.perhaps(|walker| walker.list(condition, io));
                let changes = self.env.take_back(mark);
                self.env.merge(&[changes], false);
            }
            outputs.push(self.branch(body, io, &mut changes));
        }
        if let Some(body) = otherwise {
            outputs.push(self.branch(body, io, &mut changes));
        }
        self.env.merge(&changes, otherwise.is_some());
        outputs.retain(|output| !output.is_empty());
        // One of them is shown.
        if outputs.len() > 1 && self.stdout_is_a_word {
            return super::HOLE.to_string();
        }
        outputs.concat()
    }

    /// Walks one of several branches, and takes its changes back into `changes`.
    fn branch(&mut self, body: &List, io: &Io, changes: &mut Vec<Changes>) -> String {
        let mark = self.env.mark();
        let output = self.perhaps(|walker| walker.list(body, io));
        changes.push(self.env.take_back(mark));
        output
    }

    /// Walks a loop's body: once, and once more where the first round has changed something that
    /// the second would see.
    fn repeated(&mut self, mut walk: impl FnMut(&mut Self) -> String) -> String {
        let from = self.reading.runs.len();
        let mark = self.env.mark();
        let output = self.perhaps(&mut walk);
        let changes = self.env.take_back(mark);
        if changes.is_empty() {
            return output;
        }
        self.env.merge(&[changes], false);
        let outer = self.repeated_from.replace(from);
        // Within a loop that is itself walked again, once is enough: the rounds would multiply.
        if outer.is_none() {
            let mark = self.env.mark();
            self.perhaps(&mut walk);
            let changes = self.env.take_back(mark);
            self.env.merge(&[changes], false);
        }
        self.repeated_from = outer;
        output
    }

    fn each(&mut self, name: &str, words: Option<&[Word]>, body: &List, io: &Io) -> String {
        let values: Vec<String> = match words {
            Some(words) => self.fields(words).into_iter().map(|field| field.text).collect(),
            None => self.positional().unwrap_or(vec![super::HOLE.to_string()]),
        };
        if values.is_empty() {
            // It goes round zero times, unless a word that is empty here is not so in truth.
            return String::new();
        }
        // Of a file name that a pattern will find only some is known.
        let values = values
            .into_iter()
            .map(|value| Value::Text(if words.is_some() { call::open(&value) } else { value }));
        let mut values: Vec<Value> = values.collect();
        if values.len() > limit::ROUNDS {
            values = vec![Value::hole()];
        }
        let mut output = String::new();
        for values in values.chunks(limit::VALUES) {
            output.push_str(&self.repeated(|walker| {
                walker.env.set(name, values.to_vec());
                walker.list(body, io)
            }));
        }
        output
    }

    /// The certainty of words that are as sure as `certainty` in the code that is being walked.
    fn certainty(&self, certainty: Certainty) -> Certainty {
        if self.resolved > 0 { certainty.max(Certainty::Resolved) } else { certainty }
    }
}

/// Commands that nobody expects to fail, so that what follows behind `&&` is sure to run.
fn goes_well(node: &Node) -> bool {
    const WELL: &str =
        "cd pushd popd : true export declare local set echo printf mkdir alias unset";
    match node {
        Node::Simple(simple) => simple.words.first().is_none_or(
            |word| matches!(&word.parts[..], [Part::Text { text, .. }] if lists(WELL, text)),
        ),
        Node::Function { .. } => true,
        _ => false,
    }
}

/// Whether a command may leave the function or the loop that it is in: `return`, `break`.
fn may_leave(node: &Node) -> bool {
    let any = |list: &List| list.iter().any(|item| may_leave(&item.node));
    match node {
        Node::Simple(simple) => simple.words.first().is_some_and(|word| {
            matches!(&word.parts[..], [Part::Text { text, .. }]
                if lists("return exit break continue", text))
        }),
        Node::Group(list) => any(list),
        Node::If { branches, otherwise } => {
            branches.iter().any(|(_, body)| any(body)) || otherwise.as_ref().is_some_and(any)
        }
        Node::Case { arms, .. } => arms.iter().any(|arm| any(&arm.body)),
        _ => false,
    }
}

/// Commands whose answer is asked for with `&&`, so that what follows may not run.
fn is_test(node: &Node) -> bool {
    match node {
        Node::Test(_) | Node::Arithmetic(_) => true,
        Node::Simple(simple) => simple.words.first().is_some_and(|word| {
            matches!(&word.parts[..], [Part::Text { text, .. }]
                if lists("[ test false grep diff cmp which type pgrep", text))
        }),
        _ => false,
    }
}
