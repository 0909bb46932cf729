//! What runs at the same time: the stages of a pipeline, jobs in the background. They share the disk,
//! and nobody knows who comes first: a file that one of them writes may hold that text when another
//! one runs it, or what it held before.

use super::super::HOLE;
use super::super::syntax::{Item, Node};
use super::find::Becomes;
use super::origin::normal;
use super::shape::is_xargs;
use super::{Io, Walker};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// How many stages and jobs are open. What is written and run outside of all is not noted.
    open: usize,
    /// Paths in the order in which they were written, and those in which they were run.
    wrote: Vec<String>,
    ran: Vec<String>,
    /// What others may be writing meanwhile: for each open stage those of its pipeline, and below
    /// them the jobs, which nobody waits for.
    others: Vec<BTreeSet<String>>,
    jobs: BTreeSet<String>,
    /// A job was begun, so that something may still run.
    pub(super) has_jobs: bool,
}

/// Where a lane begins or ends in what was written and run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    wrote: usize,
    ran: usize,
}

impl Lanes {
    pub(super) fn place(&self) -> Place {
        Place { wrote: self.wrote.len(), ran: self.ran.len() }
    }

    /// Whether another lane may be writing to a path at this moment.
    fn is_shared(&self, path: &str) -> bool {
        self.jobs.contains(path) || self.others.iter().any(|paths| paths.contains(path))
    }

    fn written(&self, places: Range<usize>) -> BTreeSet<String> {
        self.wrote.get(places).unwrap_or_default().iter().cloned().collect()
    }
}

impl Walker<'_> {
    pub(super) fn pipeline(&mut self, stages: &[Node], io: &Io) -> String {
        let begun = self.lanes.place();
        let (output, places) = self.stages(stages, io, begun);
        // What a later stage writes an earlier one may come to run.
        if places.windows(2).any(|it| self.is_overtaken(it[0], it[1])) {
            self.perhaps(|walker| walker.stages(stages, io, begun));
        }
        output
    }

    /// Walks the stages of a pipeline, and says where each of them began. What was written since
    /// `begun` others may be writing.
    fn stages(&mut self, stages: &[Node], io: &Io, begun: Place) -> (String, Vec<Place>) {
        let mut stdin = io.stdin.clone();
        let mut output = String::new();
        let finds = self.reading.finds.len();
        let mut places = Vec::with_capacity(stages.len());
        // How many filters what the first stage has found came through.
        let mut through = None;
        // What other pipelines have shown, does not go through this one.
        let part = self.doubt.part;
        self.doubt.part &= stdin.is_some();
        for (index, stage) in stages.iter().enumerate() {
            let (found, writes) = (self.reading.finds.len(), self.reading.writes.len());
            let last = index + 1 == stages.len();
            let stage_io = Io { stdin, capture: !last || io.capture };
            let mark = self.env.mark();
            places.push(self.lanes.place());
            let others = self.written_since(begun);
            let doubt = self.doubt;
            self.doubt.again = false;
            let sinks = self.sinks.clone();
            let declared = self.env.declared();
            let hidden = self.hidden();
            if !last {
                self.sinks.out = None;
            }
            output =
                self.feeding(|walker| walker.lane(others, |walker| walker.node(stage, &stage_io)));
            // Who makes words of it sees how often it was shown.
            if self.doubt.again && stages.get(index + 1).is_some_and(is_xargs) {
                output.push(HOLE);
            }
            self.doubt.again |= doubt.again;
            self.sinks = sinks;
            self.env.put_declared(declared);
            self.hidden_again(&hidden);
            let changes = self.env.take_back(mark);
            // Zsh, and bash with `lastpipe`, run the last stage in the shell itself.
            if last && !changes.is_empty() {
                self.env.merge(&[changes], false);
            } else {
                self.env.keep_settings(changes);
            }
            let takes = through.filter(|_| self.takes_names(stage));
            let overwrites = is_xargs(stage);
            let becomes = Becomes { overwrites, through: takes, ..Becomes::since(writes) };
            self.becomes(finds..found, becomes);
            through = match index {
                0 => self.shows_finds(stage, finds..self.reading.finds.len()),
                _ => through.and_then(|it| self.goes_through(stage, it, finds..found)),
            };
            // What `ls` shows is what lies there, whatever is left of it on the way.
            if let ([first, ..], true) = (stages, index > 0) {
                self.listed(first, writes);
            }
            stdin = Some(Rc::from(output.as_str()));
            if self.is_spent() {
                break;
            }
        }
        self.doubt.part |= part;
        (output, places)
    }

    /// Walks one stage of a pipeline, beside which others write what they do.
    pub(super) fn lane<T>(
        &mut self,
        others: BTreeSet<String>,
        walk: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.lanes.open += 1;
        self.lanes.others.push(others);
        let walked = walk(self);
        self.lanes.others.pop();
        self.lanes.open -= 1;
        walked
    }

    /// The paths that were written since a place.
    pub(super) fn written_since(&self, place: Place) -> BTreeSet<String> {
        self.lanes.written(place.wrote..self.lanes.wrote.len())
    }

    /// Whether something was run between two places that was written after the second.
    pub(super) fn is_overtaken(&self, from: Place, to: Place) -> bool {
        let ran = self.lanes.ran.get(from.ran..to.ran).unwrap_or_default();
        if ran.is_empty() {
            return false;
        }
        let later = self.lanes.wrote.get(to.wrote..).unwrap_or_default();
        ran.iter().any(|path| later.contains(path))
    }

    /// Walks a job in the background. What it writes stays in doubt from then on.
    pub(super) fn job(&mut self, chain: &[Item], io: &Io) -> (String, (Place, Place)) {
        self.lanes.has_jobs = true;
        self.feeds_itself();
        let from = self.lanes.place();
        let output =
            self.lane(BTreeSet::new(), |walker| walker.isolated(|walker| walker.chain(chain, io)));
        let written = self.written_since(from);
        self.lanes.jobs.extend(written);
        (output, (from, self.lanes.place()))
    }

    /// A file is given a text. Whether what it was given before may stand there as well.
    pub(super) fn lane_writes(&mut self, path: &str) -> bool {
        let is_shared = self.lanes.is_shared(path);
        if (self.lanes.open > 0 || self.lanes.has_jobs) && self.spend(1) {
            self.lanes.wrote.push(path.to_owned());
        }
        is_shared
    }

    /// A file is run. Whether it may hold something else than what the line gave it.
    pub(super) fn lane_runs(&mut self, path: &str) -> bool {
        let paths: Vec<String> =
            self.located(path).iter().map(|path| normal(path).into_owned()).collect();
        let is_shared = paths.iter().any(|path| self.lanes.is_shared(path));
        if self.lanes.open > 0 && self.spend(1) {
            self.lanes.ran.extend(paths);
        }
        is_shared
    }

    /// What a file holds that others may be writing: that, or something else.
    pub(super) fn in_doubt(&self, path: &str, text: String) -> String {
        let is_shared = self.located(path).iter().any(|it| self.lanes.is_shared(&normal(it)));
        if is_shared && !text.starts_with(HOLE) { format!("{HOLE}\n{text}") } else { text }
    }
}
