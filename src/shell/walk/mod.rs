//! From syntax tree to reading: goes through a line as bash would, executes nothing, and takes
//! every branch. What a variable, a function or the directory is at a point is in [`env::Env`].
//!
//! Long because each kind of node has its arm here.

mod absent;
mod address;
mod again;
mod array;
mod awk;
mod awk_code;
mod besides;
mod brace;
mod builtin;
mod call;
mod characters;
mod configured;
mod count;
mod debugger;
mod declare;
mod disk;
mod early;
mod edit;
mod editor;
mod encoding;
mod env;
mod evaluate;
mod expand;
pub(super) mod field;
mod files;
pub(super) mod filter;
mod find;
mod foreign;
mod groups;
mod handed;
mod json;
mod kept;
mod lanes;
mod lines;
mod listed;
mod nested;
mod origin;
mod output;
mod own;
mod package;
mod parameter;
mod patch;
mod pathspec;
mod pattern;
mod pieces;
mod placed;
mod python;
mod read;
mod record;
mod regular;
mod remote;
mod replace;
mod schedule;
mod script;
mod search;
mod shape;
mod shebang;
mod shown;
mod simple;
mod sinks;
mod somewhere;
mod spoken;
mod sql;
mod start;
mod streams;
mod substitute;
mod suspect;
mod suspect_code;
pub(super) mod through;
mod tmux;
mod todo;
mod turned;
mod unknown;
mod unset;
mod untracked;
mod user_rows;
mod wrapper;
mod xargs;

pub(super) use nested::is_shell;

use super::glob::STEPS;
use super::syntax::{Arm, Item, Link, List, Node, Word};
use super::{Certainty, Interpreter, Options, Reading, Script, Unreadable, limit, scan};
use env::{Changes, Env, Function};
use expand::Choice;
use origin::join;
use shape::{goes_well, is_test, moves, stands_for_more};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Reads a line.
pub(super) fn line(line: &str, options: &Options) -> Reading {
    let mut walker = Walker::new(options);
    walker.work = limit::WORK + limit::SCRIPT_WORK * options.files.len().min(limit::FILES);
    walker.goes = start::goes(line) || options.files.iter().any(|it| start::goes(&it.text));
    walker.code(line, &Io::default());
    walker.ended()
}

/// Reads a script's text.
pub(super) fn script(
    text: &str,
    interpreter: Interpreter,
    arguments: &[String],
    options: &Options,
) -> Reading {
    let mut walker = Walker::new(options);
    walker.work = limit::SCRIPT_WORK;
    walker.tokens = usize::MAX;
    walker.goes = start::goes(text);
    walker.env.set("0", vec![env::Value::hole()]);
    walker.env.put_positional(vec![Some(arguments.to_vec())]);
    match (interpreter, arguments) {
        (Interpreter::Patch, [strip, folder, ..]) => walker.apply(text, strip, folder),
        _ => walker.interpreted(text, interpreter),
    }
    walker.ended()
}

/// Where a command's input comes from, and whether somebody looks at its output.
#[derive(Debug, Clone, Default)]
struct Io {
    /// `None`: whatever the line's own is.
    stdin: Option<Rc<str>>,
    capture: bool,
}

#[expect(clippy::struct_excessive_bools, reason = "each is about something else")]
struct Walker<'o> {
    options: &'o Options,
    reading: Reading,
    /// The line may go elsewhere than where it starts.
    goes: bool,
    /// Those of the reading.
    scripts: BTreeSet<Script>,
    env: Env,
    depth: usize,
    /// How many tokens of a code are looked at.
    tokens: usize,
    /// What is left of [`limit::WORK`].
    work: usize,
    /// How many parameters have been expanded.
    expanded: usize,
    /// How many branches are open that may not be taken.
    conditional: usize,
    /// How many levels are open that may be walked through more than once.
    again: usize,
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
    calls: Vec<call::Active>,
    /// Functions and loops that may be left before their end.
    scopes: Vec<early::Scope>,
    /// The code of the traps that are set, and how many functions were known by then.
    traps: Vec<(String, usize)>,
    /// How many functions have been defined.
    defined: usize,
    /// The last words of the commands before, `$_`: one of them, the first number saying how many
    /// branches were open.
    lasts: Vec<(usize, String)>,
    /// Files that shells begin with, by a variable of the line.
    begins: Vec<String>,
    /// How many lines of an input the rounds before have read, and whether there are more.
    lines_read: usize,
    more_lines: bool,
    /// The input that was read last, and how many lines of it.
    last_read: Option<(Rc<str>, usize)>,
    /// Lines that `history` was told.
    history: Vec<String>,
    next_descriptor: usize,
    /// The lists behind the paths of `>(…)`.
    processes: Vec<(String, Rc<List>)>,
    /// Where the current loop's runs begin, while its body is walked a second time.
    repeated_from: Option<usize>,
    /// Patterns of the files that the line goes over.
    patterns: Vec<String>,
    /// What is not sure about the output of what is being walked.
    doubt: Doubt,
    /// What the last `find` shows.
    found: Option<String>,
    /// The input that the shell was given for all that follows: `exec < file`.
    stdin: Option<Rc<str>>,
    /// What may have made text that is not known.
    suspects: suspect::Suspects,
    /// Where output goes that is sent elsewhere, and the lists that it feeds, with what they were
    /// given so far.
    sinks: sinks::Sinks,
    fed_lists: Vec<(Rc<List>, String)>,
    /// Files of the disk whose text may still be at a path that the line has given something else.
    besides: besides::Besides,
    /// What runs at the same time.
    lanes: lanes::Lanes,
    /// Whether an `echo` has shown a backslash, which some shells' own decodes.
    echoes_escapes: bool,
    /// Patterns find names that begin with a dot (`dotglob`).
    finds_hidden: bool,
    /// Letters are compared whatever their case (`nocasematch`).
    ignores_case: bool,
    /// Whether it is only found out what a loop writes.
    trying: bool,
    /// git is being walked, of the index and the work tree that lie where it runs.
    is_plain_git: bool,
    /// As in [`super::Write`].
    puts_back: bool,
    /// The text of a file that the project keeps is being walked: what it runs in any case counts,
    /// and this many branches were open when it began.
    kept: Option<usize>,
    /// The files whose text is walked, the outermost first.
    sources: Vec<disk::Source>,
}

/// What may be another way with an output than its text says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct Doubt {
    /// Something of it may not have been shown: it stems from a branch.
    silent: bool,
    /// Something of it may have been shown more than once: it stems from a loop.
    again: bool,
    /// An `echo` has shown a backslash in it.
    escaped: bool,
    /// A word that may be none was shown behind a blank.
    loose: bool,
    /// It stems from branches of which only one is taken.
    parted: bool,
    /// Only some of its lines may have been shown, in whatever order.
    part: bool,
}

impl<'o> Walker<'o> {
    fn new(options: &'o Options) -> Self {
        Self {
            options,
            reading: Reading::default(),
            goes: false,
            scripts: BTreeSet::new(),
            env: Env::new(&options.variables),
            depth: 0,
            work: limit::WORK,
            tokens: limit::TOKENS,
            expanded: 0,
            conditional: 0,
            again: 0,
            resolved: 0,
            muted: 0,
            repeating: false,
            posix: false,
            choices: Vec::new(),
            calls: Vec::new(),
            scopes: Vec::new(),
            traps: Vec::new(),
            defined: 0,
            lasts: Vec::new(),
            begins: Vec::new(),
            lines_read: 0,
            more_lines: false,
            last_read: None,
            history: Vec::new(),
            next_descriptor: 63,
            processes: Vec::new(),
            repeated_from: None,
            patterns: Vec::new(),
            doubt: Doubt::default(),
            found: None,
            stdin: None,
            suspects: suspect::Suspects::default(),
            sinks: sinks::Sinks::default(),
            fed_lists: Vec::new(),
            besides: besides::Besides::default(),
            lanes: lanes::Lanes::default(),
            echoes_escapes: false,
            finds_hidden: false,
            ignores_case: false,
            trying: false,
            is_plain_git: false,
            puts_back: false,
            kept: None,
            sources: Vec::new(),
        }
    }

    /// At the end of a line: what was put off until all of it is known.
    fn ended(mut self) -> Reading {
        self.trapped(0);
        self.feed_lists(0);
        // It may have been written after the variable was set.
        for path in std::mem::take(&mut self.begins) {
            if let Some(env::Made::Text(text)) = self.made(&path) {
                self.perhaps(|walker| walker.nested_code(&text, &Io::default()));
            }
        }
        self.suspect_all();
        if self.goes {
            start::without_mark(&mut self.reading);
        }
        self.reading
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

    /// Walks what may run more than once, if `is_so`.
    fn again<T>(&mut self, is_so: bool, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.again += usize::from(is_so);
        let walked = walk(self);
        self.again -= usize::from(is_so);
        walked
    }

    /// Walks text as a line of its own in the same shell.
    fn code(&mut self, text: &str, io: &Io) -> String {
        if !self.spend(1 + text.len().min(limit::LINE) / 256) {
            return String::new();
        }
        // More commands than can be paid for need not be looked at.
        let scanned = scan::scan(text, self.depth, self.work.min(limit::SCRIPT_WORK));
        let mark = self.env.mark();
        let output = self.list(&scanned.list, io);
        if scanned.error.is_some() || scanned.doubtful {
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
        let ends = |item: &Item| matches!(item.link, Link::Then | Link::Background);
        let mut jobs = Vec::new();
        for chain in list.split_inclusive(ends) {
            let background = chain.last().is_some_and(|item| item.link == Link::Background);
            output.push_str(&if background {
                let (output, places) = self.job(chain, io);
                jobs.push((chain, places));
                output
            } else {
                self.chain(chain, io)
            });
            if self.is_spent() {
                break;
            }
        }
        // A job may come to run what was written after its start.
        for (chain, (from, to)) in jobs {
            if self.is_overtaken(from, to) {
                self.perhaps(|walker| walker.job(chain, io));
            }
        }
        output
    }

    /// Walks `a && b || c`. What follows the first may not have run; within a run of `&&` each
    /// sees the changes of the one before, and after it they may hold or not. What stands behind
    /// `||` may have been left out by all that follows it: `a || b && c`.
    fn chain(&mut self, chain: &[Item], io: &Io) -> String {
        let mut output = String::new();
        // Whether what comes next hangs on what came before: `a || b`, `[ … ] && b`.
        let mut hangs = false;
        let mut open = None;
        // What a link has set, and the next one has set once more: the next may not have run.
        let mut between = Vec::new();
        let mut before = Link::Then;
        let (mut is_sure, mut has_moved) = (true, false);
        for Item { node, link } in chain {
            if before == Link::Or {
                self.close(open.take(), hangs);
            }
            let begun = self.env.mark();
            if before != Link::Then {
                open.get_or_insert(self.env.mark());
            }
            hangs |= before == Link::Or;
            if hangs {
                let shown = self.perhaps(|walker| walker.node(node, io));
                self.doubt.silent |= !shown.is_empty();
                self.doubt.parted |= !shown.is_empty() && !output.is_empty();
                output.push_str(&shown);
            } else {
                let shown = self.node(node, io);
                // What shows something only where all before it went well may show nothing.
                // Whoever asks where a folder is, means it to be there.
                let is_place = shown.starts_with(['/', '~', '.', super::HOLE]);
                let is_trusted = is_sure && (!has_moved || is_place);
                self.doubt.silent |= !is_trusted && !shown.is_empty();
                output.push_str(&shown);
            }
            has_moved |= moves(node);
            is_sure &= moves(node) || goes_well(node);
            between.extend(open.map(|mark| self.env.overwritten(mark, begun)).unwrap_or_default());
            if before == Link::Or {
                self.close(open.take(), true);
            }
            hangs |= is_test(node);
            before = *link;
        }
        self.close(open, hangs);
        self.env.add(between);
        output
    }

    /// Takes on the changes of the end of a chain as ones that may not have been made. Only a `cd`
    /// that hangs on nothing is trusted to go well: lines are written that way.
    fn close(&mut self, open: Option<usize>, hangs: bool) {
        let Some(mark) = open.filter(|mark| self.env.mark() > *mark) else { return };
        let mut changes = self.env.take_back(mark);
        if hangs {
            self.env.merge(&[changes], false);
        } else {
            if let Some(directories) = changes.take_directories() {
                self.env.put_directories(directories);
            }
            self.env.merge_known(changes);
        }
    }

    /// Walks something whose changes stay its own.
    fn isolated<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.env.mark();
        let stack = self.env.stack.len();
        let (traps, lists) = (self.traps.len(), self.fed_lists.len());
        let sinks = self.sinks.clone();
        let (last_words, stdin) = (self.lasts.clone(), self.stdin.clone());
        let declared = self.env.declared();
        let hidden: Vec<usize> = self.hidden();
        let scopes = std::mem::take(&mut self.scopes);
        let walked = walk(self);
        self.scopes = scopes;
        self.trapped(traps);
        self.feed_lists(lists);
        self.sinks = sinks;
        (self.lasts, self.stdin) = (last_words, stdin);
        self.env.put_declared(declared);
        self.hidden_again(&hidden);
        let changes = self.env.take_back(mark);
        self.env.keep_settings(changes);
        self.env.stack.truncate(stack);
        walked
    }

    /// Walks the traps of a shell at its end, where their variables have their last values and
    /// their functions are known.
    fn trapped(&mut self, from: usize) {
        for (code, defined) in self.traps.split_off(from.min(self.traps.len())) {
            if defined == self.defined && !code.contains(['$', '`']) {
                continue;
            }
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
            Node::Simple(simple) => {
                let writes = self.reading.writes.len();
                let output = self.simple(simple, io);
                self.listed_in(&simple.words, writes);
                return output;
            }
            Node::Pipeline(stages) => return self.fed(|walker| walker.pipeline(stages, io)),
            Node::Subshell(list) => return self.subshell(list, io),
            Node::Group(list) => return self.enter(|walker| walker.list(list, io)),
            Node::If { branches, otherwise } => {
                return self.enter(|walker| walker.branches(branches, otherwise.as_ref(), io));
            }
            Node::While { condition, body } => {
                let output = self.enter(|walker| {
                    let mut sets = false;
                    let output = walker.repeated(|walker| {
                        walker.line_by_line(|walker| {
                            let mark = walker.env.mark();
                            walker.list(condition, io);
                            sets |= walker.env.mark() > mark;
                            walker.list(body, io)
                        })
                    });
                    if sets {
                        walker.comes_last(condition, io);
                    }
                    output
                });
                self.doubt.silent |= !output.is_empty();
                self.doubt.again |= !output.is_empty();
                return output;
            }
            Node::For { name, words, body } => {
                let writes = self.reading.writes.len();
                let output = self.enter(|walker| walker.each(name, words.as_deref(), body, io));
                self.listed_in(words.as_deref().unwrap_or_default(), writes);
                return output;
            }
            Node::Count { header, body } => {
                let text = self.text(header);
                let (first, rest) = text.split_once(';').unwrap_or((&text, ""));
                self.counted(first);
                self.again(true, |walker| {
                    rest.split(';').for_each(|it| walker.arithmetic(it));
                });
                let output = self.enter(|walker| walker.repeated(|walker| walker.list(body, io)));
                self.doubt.silent |= !output.is_empty();
                self.doubt.again |= !output.is_empty();
                return output;
            }
            Node::Coprocess(inner) => {
                // Whatever is written to it later comes in.
                let io = Io { stdin: Some(Rc::from(super::HOLE.to_string())), capture: false };
                let item = std::slice::from_ref(&**inner);
                self.enter(|walker| walker.list(item, &io));
            }
            Node::Case { subject, arms } => {
                return self.enter(|walker| walker.case(subject, arms, io));
            }
            Node::Redirected(inner, redirections) => {
                return self.fed(|walker| {
                    let mut streams = walker.streams(redirections, io);
                    streams.capture();
                    let io = streams.io.clone();
                    let output = walker.opened(&mut streams, false, |walker| {
                        walker.where_opened(redirections, |walker| {
                            walker.enter(|walker| walker.node(inner, &io))
                        })
                    });
                    walker.delivered(streams, output)
                });
            }
            Node::Function { name, body } => {
                let function = Function { bodies: vec![Rc::clone(body)], certain: true };
                self.env.define(name, function);
                self.defined += 1;
                // The shell calls it for a program that it does not find.
                if matches!(&**name, "command_not_found_handle" | "command_not_found_handler") {
                    self.perhaps(|walker| walker.enter(|walker| walker.node(body, io)));
                }
            }
            Node::Test(words) => {
                let texts: Vec<String> = words.iter().map(|word| self.text(word)).collect();
                self.tested(&texts);
            }
            Node::Arithmetic(word) => {
                let text = self.text(word);
                self.counted(&text);
            }
        }
        String::new()
    }

    fn branches(&mut self, branches: &[(List, List)], otherwise: Option<&List>, io: &Io) -> String {
        let mut output = String::new();
        let mut changes = Vec::new();
        // Whether one of them may show nothing, so that nothing may be all that is shown.
        let mut silent = otherwise.is_none();
        for (index, (condition, body)) in branches.iter().enumerate() {
            let condition_is_sure = index == 0;
            if condition_is_sure {
                self.list(condition, io);
            } else {
                // It is asked where none before it has been met.
                let mark = self.env.mark();
                self.perhaps(|walker| walker.list(condition, io));
                let set = self.env.take_back(mark);
                self.env.merge(&[set], false);
            }
            let shown = self.branch(body, io, &mut changes);
            silent |= shown.chars().all(|it| it == super::HOLE);
            self.doubt.parted |= !shown.is_empty() && !output.is_empty();
            output.push_str(&shown);
        }
        if let Some(body) = otherwise {
            let shown = self.branch(body, io, &mut changes);
            silent |= shown.chars().all(|it| it == super::HOLE);
            self.doubt.parted |= !shown.is_empty() && !output.is_empty();
            output.push_str(&shown);
        }
        self.doubt.silent |= silent && !output.is_empty();
        self.env.merge(&changes, otherwise.is_some());
        output
    }

    /// Walks one of several branches, and takes its changes back into `changes`.
    fn branch(&mut self, body: &List, io: &Io, changes: &mut Vec<Changes>) -> String {
        let mark = self.env.mark();
        let output = self.perhaps(|walker| walker.list(body, io));
        changes.push(self.env.take_back(mark));
        output
    }

    fn case(&mut self, word: &Word, arms: &[Arm], io: &Io) -> String {
        let outer = std::mem::take(&mut self.choices);
        let subject = self.text(word);
        let sure = self.choices.is_empty() && !subject.contains(super::HOLE);
        self.choices = outer;
        let sure = sure && !stands_for_more(word, &subject) && !self.ignores_case;
        let characters: Vec<char> = subject.chars().collect();
        let falls_through = arms.iter().any(|arm| arm.falls_through);
        let mut output = String::new();
        let mut changes = Vec::new();
        let (mut exhaustive, mut silent) = (false, false);
        for arm in arms {
            let patterns: Vec<_> = arm.patterns.iter().map(|word| self.pattern(word)).collect();
            let mut known =
                sure && !falls_through && patterns.iter().all(|pattern| !pattern.unknown);
            let mut left = STEPS;
            let mut matches = self.spend(characters.len() / 8);
            if matches {
                let mut answers = patterns.iter().map(|it| it.matches(&characters, &mut left));
                let first = answers.find(|it| *it != Some(false));
                matches = first == Some(Some(true));
                known &= first != Some(None);
            }
            if known && !matches {
                continue;
            }
            let takes_all = |it: &pattern::Pattern| {
                let mut left = STEPS;
                it.matches(&['\0', '*', '\n'], &mut left) == Some(true)
            };
            exhaustive |= patterns.iter().any(takes_all);
            if known && changes.is_empty() {
                // The first arm that matches, and no other.
                return self.list(&arm.body, io);
            }
            let shown = self.branch(&arm.body, io, &mut changes);
            silent |= shown.chars().all(|it| it == super::HOLE);
            self.doubt.parted |= !shown.is_empty() && !output.is_empty();
            output.push_str(&shown);
        }
        self.doubt.silent |= (silent || !exhaustive) && !output.is_empty();
        self.env.merge(&changes, exhaustive);
        output
    }

    /// A path as seen from where the line starts, once for each directory it may be in.
    fn located(&self, path: &str) -> Vec<String> {
        self.env.directories().iter().map(|directory| join(directory, path)).collect()
    }

    /// The certainty of words that are as sure as `certainty` in the code that is being walked.
    fn certainty(&self, certainty: Certainty) -> Certainty {
        if self.resolved > 0 { certainty.max(Certainty::Resolved) } else { certainty }
    }
}
