//! What runs again and again: loops, and functions that call themselves. The first rounds are walked;
//! a variable that is another one after each of them stands for anything from then on.

use super::super::syntax::{List, Word};
use super::super::{HOLE, Write};
use super::env::{Changes, Value};
use super::field::Field;
use super::find::Becomes;
use super::groups::with_hidden;
use super::origin::found_by;
use super::{Io, Walker, expand, limit};
use std::ops::Range;

/// A loop over at most so many words is gone through word by word for what it shows.
const ROUNDS: usize = limit::CHOICES;

/// A loop over at most so many words runs its body with each of them.
const LISTED: usize = 64;

/// Words whose text changes from round to round are taken over so many readings of them.
const READINGS: usize = limit::CHOICES;

impl Walker<'_> {
    /// Walks a loop's body: once, and once more where the first round has changed something that
    /// the second would see; a third time where that is changed once more.
    pub(super) fn repeated(&mut self, mut walk: impl FnMut(&mut Self) -> String) -> String {
        let from = self.reading.runs.len();
        let begun = self.env.mark();
        let mut walk = |walker: &mut Self| walker.again(true, &mut walk);
        let most = std::mem::replace(&mut self.env.most, limit::VALUES);
        self.begins(true);
        let output = self.perhaps(&mut walk);
        let changes = self.env.take_back(begun);
        if changes.is_empty() {
            self.scopes.pop();
            self.env.most = most;
            return output;
        }
        self.env.merge(&[changes], false);
        self.rejoins();
        let outer = self.repeated_from.replace(from);
        // Within a loop that is itself walked again, once is enough: the rounds would multiply.
        if outer.is_none() {
            let mut rounds = 1;
            loop {
                let mark = self.env.mark();
                self.perhaps(&mut walk);
                let changes = self.env.take_back(mark);
                let is_new = self.env.has_new_values(&changes);
                self.env.merge(&[changes], false);
                self.rejoins();
                if rounds == 2 || !is_new {
                    break;
                }
                rounds += 1;
                self.env.widen(begun);
            }
        }
        self.repeated_from = outer;
        self.env.most = most;
        self.ends();
        output
    }

    /// Walks a loop that may read lines: as many as a variable may be at once, and then those behind
    /// them.
    pub(super) fn line_by_line(&mut self, mut walk: impl FnMut(&mut Self) -> String) -> String {
        let outer = (std::mem::take(&mut self.lines_read), std::mem::take(&mut self.more_lines));
        let mut output = walk(self);
        while self.more_lines && self.lines_read < LISTED && !self.is_spent() {
            self.more_lines = false;
            self.lines_read += limit::VALUES;
            output.push_str(&walk(self));
        }
        (self.lines_read, self.more_lines) = outer;
        output
    }

    /// What a loop asks comes last, unless it is left before: `until x=git; do x=a; done`.
    pub(super) fn comes_last(&mut self, condition: &List, io: &Io) {
        // Within another loop that is walked again, the rounds would multiply.
        if self.repeated_from.is_some() || self.muted > 0 {
            return;
        }
        let mark = self.env.mark();
        self.muted(|walker| walker.list(condition, io));
        let changes = self.env.take_back(mark);
        self.env.merge(&[changes], false);
    }

    pub(super) fn each(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &List,
        io: &Io,
    ) -> String {
        let finds = self.reading.finds.len();
        let runs = self.reading.runs.len();
        let values: Vec<Field> = if let Some(words) = words {
            self.values(words)
        } else {
            let words = self.positional().unwrap_or(vec![HOLE.to_string()]);
            words.iter().map(|it| Field::literal(it)).collect()
        };
        if values.is_empty() {
            // It goes round zero times, unless a word that is empty here is not so in truth.
            return String::new();
        }
        for value in values.iter().filter(|value| value.glob) {
            self.goes_over(&value.text);
            self.loop_over(&value.text);
        }
        let patterns = finds..self.reading.finds.len();
        // A file name that a pattern will find is not known here, its folder may be.
        let globs: Vec<String> =
            values.iter().filter(|it| it.glob).map(|it| it.text.clone()).collect();
        let finds_hidden = self.finds_hidden;
        let values = values.into_iter().flat_map(|it| {
            // Below a folder of its own nothing is hidden that anybody guards.
            let folder = it.text.rsplit_once('/').map_or("", |(folder, _)| folder);
            let is_own = !folder.starts_with(['~', '/', '.', HOLE]) && !folder.is_empty();
            let hidden = Some(&it.text).filter(|_| it.glob && finds_hidden && !is_own);
            let hidden = hidden.and_then(|it| with_hidden(it)).unwrap_or_default();
            let own = if it.glob { found_by(&it.text) } else { it.text };
            std::iter::once(own).chain(hidden.into_iter().map(|it| found_by(&it)))
        });
        let values: Vec<Value> = values.map(Value::Text).collect();
        self.keeps(name, &values, runs);
        let (found, writes) = (self.reading.finds.len(), self.reading.writes.len());
        let begun = self.env.mark();
        // As many as a variable may have at once; of a list that nobody types the rest is unknown.
        let at_once = if values.len() > LISTED { values.len() } else { limit::VALUES };
        let output = self.repeated(|walker| {
            let mut output = String::new();
            for values in values.chunks(at_once) {
                walker.given_value(name, values.to_vec());
                output.push_str(&walker.list(body, io));
            }
            output
        });
        let unrolled = if output.is_empty() && !self.env.gathers(begun, name) {
            None
        } else {
            // From where the loop began.
            let changes = self.env.take_back(begun);
            let (unrolled, gathered) = self.unrolled(name, &values, body, io);
            self.env.redo(changes);
            self.env.put_first(gathered);
            unrolled
        };
        self.becomes(finds..found, Becomes::since(writes));
        self.patterns_become(patterns.clone(), writes);
        let is_open = |it: &Write| it.path.starts_with(HOLE);
        if self.reading.writes.get(writes..).unwrap_or_default().iter().any(is_open) {
            self.tried(name, &globs, patterns, body, io);
        }
        if let Some(output) = unrolled {
            return output;
        }
        if !output.is_empty() {
            let unknown = |value: &Value| value.scalar().contains(HOLE);
            self.doubt.silent |= values.iter().all(unknown);
            self.doubt.again |= values.len() > 1 || values.iter().any(unknown);
        }
        output
    }

    /// What a loop over a few known words shows, round by round. Nothing else of it is recorded: that
    /// has been done.
    fn unrolled(
        &mut self,
        name: &str,
        values: &[Value],
        body: &List,
        io: &Io,
    ) -> (Option<String>, Changes) {
        let is_known = |it: &Value| !it.scalar().contains(HOLE);
        if self.trying || self.muted > 0 || values.len() > ROUNDS || !values.iter().all(is_known) {
            return (None, Changes::default());
        }
        let kept = std::mem::take(&mut self.reading);
        let (scripts, files) = (self.scripts.clone(), self.env.files.clone());
        let (found, traps, sinks) = (self.found.clone(), self.traps.clone(), self.sinks.clone());
        let outer = (self.repeated_from.take(), self.doubt);
        let (lists, suspects) = (self.fed_lists.len(), self.suspects.halt());
        let mark = self.env.mark();
        self.trying = true;
        let mut output = String::new();
        self.begins(true);
        for value in values {
            self.env.set(name, vec![value.clone()]);
            output.push_str(&self.list(body, io));
        }
        self.scopes.pop();
        self.trying = false;
        // What it has gathered in their order.
        let changes = self.env.take_back(mark);
        let tried = std::mem::replace(&mut self.reading, kept);
        self.reading.unreadable = self.reading.unreadable.take().or(tried.unreadable);
        (self.scripts, self.env.files) = (scripts, files);
        (self.found, self.traps, self.sinks) = (found, traps, sinks);
        self.fed_lists.truncate(lists);
        self.suspects.go_on(suspects);
        self.repeated_from = outer.0;
        let is_sure = self.doubt == outer.1;
        self.doubt = outer.1;
        let output = (is_sure && io.capture && !output.contains(HOLE)).then_some(output);
        (output, changes)
    }

    /// Whether a loop writes what its patterns find, where what it writes may be anything: its body
    /// is walked once more, the pattern standing for what it finds. Nothing of that is recorded.
    fn tried(&mut self, name: &str, globs: &[String], finds: Range<usize>, body: &List, io: &Io) {
        if self.trying || self.muted > 0 {
            return;
        }
        for glob in globs.iter().filter(|it| found_by(it).starts_with(HOLE)) {
            let kept = std::mem::take(&mut self.reading);
            let (scripts, doubt) = (self.scripts.clone(), self.doubt);
            let (found, traps) = (self.found.clone(), self.traps.clone());
            let from = self.repeated_from.take();
            let mark = self.env.mark();
            self.trying = true;
            self.env.set(name, vec![Value::Text(glob.clone())]);
            self.begins(true);
            self.list(body, io);
            self.scopes.pop();
            self.trying = false;
            self.env.take_back(mark);
            let located = self.located(glob);
            let tried = std::mem::replace(&mut self.reading, kept);
            self.reading.unreadable = self.reading.unreadable.take().or(tried.unreadable);
            (self.scripts, self.doubt, self.repeated_from) = (scripts, doubt, from);
            (self.found, self.traps) = (found, traps);
            let is_it = |it: &Write| located.iter().any(|glob| it.path.starts_with(glob));
            let shown = found_by(glob.trim_end_matches('/'));
            for find in &mut self.reading.finds[finds.clone()] {
                find.is_written |= find.shows.contains(&shown) && tried.writes.iter().any(is_it);
            }
        }
    }

    /// The words that a loop goes over, in each reading of them.
    fn values(&mut self, words: &[Word]) -> Vec<Field> {
        let outer = std::mem::take(&mut self.choices);
        let repeating = self.repeating;
        let mut values: Vec<Field> = Vec::new();
        for _ in 0..READINGS {
            for field in self.fields(words) {
                // Twice the same is one value, as far as its neighbours can tell.
                if !self.repeating || !values.iter().any(|it| it.text == field.text) {
                    values
                        .push(Field { glob: field.glob && expand::has_glob(&field.text), ..field });
                }
            }
            if !self.next_choice() || values.len() > LISTED || self.is_spent() {
                break;
            }
            self.repeating = true;
        }
        self.repeating = repeating;
        self.choices = outer;
        values
    }
}
