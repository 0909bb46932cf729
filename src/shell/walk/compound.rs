//! Compound commands: every branch is taken, and a loop's body is walked at most twice.

use super::expand::with_holes;
use super::paths::START;
use super::shell_state::{Changes, Function, Value};
use super::{Io, Walker};
use crate::shell::glob::STEPS;
use crate::shell::syntax::{Arm, List, Node, Word};
use crate::shell::{HOLE, limit};
use std::rc::Rc;

impl Walker<'_> {
    pub(super) fn node(&mut self, node: &Node, io: &Io) -> String {
        if !self.budget.spend(1) {
            return String::new();
        }
        match node {
            Node::Simple(simple) => self.simple(simple, io),
            Node::Pipeline(stages) => self.pipeline(stages, io),
            Node::Subshell(list) => self.subshell(list, io),
            Node::Group(list) => self.enter(|walker| walker.list(list, io)),
            Node::If { branches, otherwise } => {
                self.enter(|walker| walker.branches(branches, otherwise.as_ref(), io))
            }
            Node::While { condition, body } => self.enter(|walker| {
                walker.repeated(|walker| {
                    walker.list(condition, io);
                    walker.list(body, io)
                })
            }),
            Node::For { name, words, body } => {
                self.enter(|walker| walker.for_loop(name, words.as_deref(), body, io))
            }
            Node::Count { header, body } => {
                self.arithmetic_word(header);
                self.enter(|walker| walker.repeated(|walker| walker.list(body, io)))
            }
            Node::Case { subject, arms } => self.enter(|walker| walker.case(subject, arms, io)),
            Node::Coprocess(item) => {
                self.enter(|walker| walker.isolated(|walker| walker.node(&item.node, io)))
            }
            Node::Redirected(inner, redirections) => {
                let streams = self.streams(redirections, io);
                let output = self.enter(|walker| walker.node(inner, &streams.io));
                self.deliver(streams, output)
            }
            Node::Function { name, body } => {
                let function = Function { bodies: vec![Rc::clone(body)], certain: true };
                self.env.put_function(name, Some(function));
                String::new()
            }
            Node::Test(words) => {
                for word in words {
                    self.text(word);
                }
                String::new()
            }
            Node::Arithmetic(word) => {
                self.arithmetic_word(word);
                String::new()
            }
        }
    }

    fn branches(&mut self, branches: &[(List, List)], otherwise: Option<&List>, io: &Io) -> String {
        let mut outputs = Vec::new();
        let mut changes = Vec::new();
        for (index, (condition, body)) in branches.iter().enumerate() {
            if index == 0 {
                self.list(condition, io);
            } else {
                let mark = self.env.mark();
                self.conditionally(|walker| walker.list(condition, io));
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
        // Only one of them is shown.
        if outputs.len() > 1 && self.in_substitution {
            return HOLE.to_string();
        }
        outputs.concat()
    }

    fn branch(&mut self, body: &List, io: &Io, changes: &mut Vec<Changes>) -> String {
        let mark = self.env.mark();
        let output = self.conditionally(|walker| walker.list(body, io));
        changes.push(self.env.take_back(mark));
        output
    }

    /// Walks a loop's body, and once more if the first round has changed something that the second
    /// would see.
    fn repeated(&mut self, mut walk: impl FnMut(&mut Self) -> String) -> String {
        let from = self.recorder.run_count();
        let mark = self.env.mark();
        let output = self.conditionally(&mut walk);
        let changes = self.env.take_back(mark);
        if changes.is_empty() {
            return output;
        }
        self.env.merge(&[changes], false);
        if self.recorder.begin_second_round(from) {
            let mark = self.env.mark();
            self.conditionally(&mut walk);
            let changes = self.env.take_back(mark);
            self.env.merge(&[changes], false);
            self.recorder.end_second_round();
        }
        output
    }

    fn for_loop(&mut self, name: &str, words: Option<&[Word]>, body: &List, io: &Io) -> String {
        let mut values: Vec<Value> = match words {
            // For a glob, only the literal parts of the file names are known.
            Some(words) => {
                let fields = self.fields(words);
                fields.iter().map(|field| Value::Text(with_holes(&field.text))).collect()
            }
            None => match self.positional() {
                Some(words) => words.into_iter().map(Value::Text).collect(),
                None => vec![Value::hole()],
            },
        };
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

    pub(super) fn case(&mut self, subject: &Word, arms: &[Arm], io: &Io) -> String {
        let (subject, is_sure) = self.with_own_choices(|walker| {
            let subject = walker.text(subject);
            let is_sure = walker.choices.is_empty()
                && !subject.contains([HOLE, START])
                && !subject.starts_with('~');
            (subject, is_sure)
        });
        let characters: Vec<char> = subject.chars().collect();
        let falls_through = arms.iter().any(|arm| arm.falls_through);
        let mut output = String::new();
        let mut changes = Vec::new();
        let mut exhaustive = false;
        for arm in arms {
            let patterns: Vec<_> = arm.patterns.iter().map(|word| self.pattern(word)).collect();
            let mut left = STEPS;
            let mut fits = |text: &[char]| {
                patterns.iter().try_fold(false, |fits, pattern| {
                    Some(fits || pattern.matches(text, &mut left)?)
                })
            };
            // `None` if matching would take too long.
            let matches =
                if self.budget.spend(characters.len() / 8) { fits(&characters) } else { None };
            exhaustive |= fits(&['\0', '*', '\n']).unwrap_or(false);
            let known = is_sure
                && !falls_through
                && matches.is_some()
                && patterns.iter().all(|pattern| !pattern.unknown);
            if known && matches == Some(false) {
                continue;
            }
            if known && changes.is_empty() {
                // Only the first arm that matches.
                return self.list(&arm.body, io);
            }
            output.push_str(&self.branch(&arm.body, io, &mut changes));
        }
        self.env.merge(&changes, exhaustive);
        output
    }
}
