//! Text that is not known and that a variable keeps: `c=$(sed -n 2p f); $c`. What has made it ran
//! before the command that runs it, so it is remembered with the variable's name, and looked at
//! where a shell runs something unknown in whose words the variable stands.

use super::super::HOLE;
use super::env::Value;
use super::expand::Expansion;
use super::{Walker, limit};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// So many are looked at for one command.
const MOST: usize = limit::VALUES * limit::VALUES;

#[derive(Debug, Default)]
pub(super) struct Kept {
    /// The runs that have made what a variable may hold.
    by_name: BTreeMap<String, Vec<Range<usize>>>,
    /// Those of the variables in the words of what is being walked.
    near: Vec<Range<usize>>,
    /// The same of those that have been walked, for whoever takes in what they show.
    shown: Vec<Range<usize>>,
    /// Where the runs begin of the innermost command that is being walked.
    inner: usize,
    /// And where its words have been expanded: behind those runs is what it runs itself.
    called: usize,
    /// Such as have been looked at.
    done: BTreeSet<(usize, usize)>,
}

impl Kept {
    /// A command or a pipeline begins at a run. Gives what [`Self::ends`] wants to know.
    pub(super) fn begins(&mut self, at: usize, is_outermost: bool) -> (usize, usize, usize) {
        if is_outermost {
            self.near.clear();
        }
        let before = (self.inner, self.called, self.near.len());
        (self.inner, self.called) = (at, at);
        before
    }

    pub(super) fn ends(&mut self, (inner, called, near): (usize, usize, usize)) {
        (self.inner, self.called) = (inner, called);
        let ended = self.near.split_off(near.min(self.near.len()));
        self.shown.extend(ended);
        self.shown.truncate(MOST);
    }

    /// The words of the innermost command have been expanded.
    pub(super) fn is_called(&mut self, at: usize) {
        self.called = at;
    }

    /// What ran while they were.
    pub(super) fn of_words(&self) -> Range<usize> {
        self.inner..self.called
    }

    /// What has made the unknown texts in the words of what is being walked.
    pub(super) fn near(&self) -> &[Range<usize>] {
        &self.near
    }

    /// The same, of which nothing has been looked at so far.
    pub(super) fn new_ones(&mut self) -> Vec<Range<usize>> {
        let near = self.near.iter().filter(|it| self.done.insert((it.start, it.end)));
        near.cloned().collect()
    }
}

impl Walker<'_> {
    /// A variable gets a value that is not known, from the runs of the command that gives it.
    pub(super) fn keeps(&mut self, name: &str, values: &[Value], from: usize) {
        let is_unknown = |value: &Value| match value {
            Value::Text(text) => text.contains(HOLE),
            Value::Array(elements) => elements.iter().any(|(_, text)| text.contains(HOLE)),
        };
        if self.muted > 0 || self.trying || !values.iter().any(is_unknown) {
            return;
        }
        let made = from..self.reading.runs.len();
        let kept = &mut self.suspects.kept;
        let own = Some(made).filter(|it| !it.is_empty());
        let ranges: Vec<Range<usize>> = kept.near.iter().cloned().chain(own).collect();
        if ranges.is_empty() {
            return;
        }
        let known = kept.by_name.entry(name.to_owned()).or_default();
        for range in ranges {
            if known.contains(&range) {
                continue;
            }
            if known.len() < limit::VALUES {
                known.push(range);
            } else if let Some(last) = known.last_mut() {
                *last = last.start.min(range.start)..last.end.max(range.end);
            }
        }
    }

    /// [`Self::keeps`], of the command that is being walked.
    pub(super) fn keeps_own(&mut self, name: &str, values: &[Value]) {
        let runs = self.reading.runs.len();
        let from = self.suspects.from.map_or(runs, |_| self.suspects.kept.inner);
        self.keeps(name, values, from);
    }

    /// Walks what shows something to the command that is being walked: what stands in the words there
    /// may be what it shows.
    pub(super) fn feeding<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::take(&mut self.suspects.kept.shown);
        let walked = walk(self);
        let kept = &mut self.suspects.kept;
        let shown = std::mem::replace(&mut kept.shown, outer);
        kept.near.extend(shown);
        kept.near.truncate(MOST);
        walked
    }

    /// A variable stands in the words of what is being walked, and is not known.
    pub(super) fn brings(&mut self, name: &str, is_indirect: bool, expansion: &Expansion) {
        let kept = &mut self.suspects.kept;
        let is_unknown = match expansion {
            Expansion::One(text) => text.contains(HOLE),
            Expansion::Many(texts) => texts.iter().any(|it| it.contains(HOLE)),
            Expansion::Number => false,
        };
        if kept.by_name.is_empty() || !is_unknown {
            return;
        }
        // Which one another one names is not known.
        let ranges: Vec<Range<usize>> = if is_indirect {
            kept.by_name.values().take(limit::VALUES).flatten().cloned().collect()
        } else {
            let is_positional = name.bytes().all(|it| it.is_ascii_digit() || it == b'*');
            let name = if is_positional { "@" } else { name };
            kept.by_name.get(name).cloned().unwrap_or_default()
        };
        for range in ranges {
            if !kept.near.contains(&range) && kept.near.len() < MOST {
                kept.near.push(range);
            }
        }
    }

    /// A program that is not known runs: what has made its name is in its words, or in the variables
    /// that stand there.
    pub(super) fn suspect_named(&mut self) {
        if self.suspects.from.is_some() {
            self.suspect(self.suspects.kept.of_words());
        }
        self.suspect_kept();
    }

    pub(super) fn suspect_kept(&mut self) {
        if !self.may_guess() {
            return;
        }
        for range in self.suspects.kept.new_ones() {
            self.suspect(range);
        }
    }
}
