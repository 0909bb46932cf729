//! A session's trace as a file: numbered without gaps even if a process is killed, and limited in
//! length.
//!
//! Events are written before the state that counts them, so if a process is killed in between, the
//! file is longer than the state says. The next save compares the lengths under the lock. It keeps
//! those events, adds a [`Mark::Interrupted`], and continues counting after them.

use chrono::{DateTime, Utc};

use crate::{
    core::trace::{Mark, Trace, TraceEvent},
    storage::{Result, file::Files, json_lines},
    world::{
        files::{self, Access, At as _, Replacement},
        log::Log,
    },
};

/// How many of a session's first events are kept for good.
const KEPT_FIRST: usize = 10;

const COMPACTED: &str = "trace_compacted";

/// Events on their way into the trace.
pub(super) struct Batch {
    /// They are numbered when they are added.
    pub(super) events: Vec<TraceEvent>,
    /// The time of the events that the store itself adds.
    pub(super) at: DateTime<Utc>,
    pub(super) durable: bool,
}

/// Removes the events again if the state cannot be saved after them.
#[must_use]
pub(super) struct Undo(Option<(Log, u64)>);

/// Appends a batch, and counts it in `trace`.
///
/// `trace.seq` is the number of the last event that the saved state counts. The caller holds the
/// session's lock.
pub(super) fn add(
    files: &Files,
    trace: &mut Trace,
    batch: Batch,
    max_events: usize,
) -> Result<Undo> {
    let Batch { mut events, at, durable } = batch;
    if max_events == 0 {
        return keep_none(files, trace, events.len());
    }
    let length = || files.trace.symlink_metadata().map_or(0, |meta| meta.len());
    if events.is_empty() && length() == trace.bytes {
        return Ok(Undo(None));
    }
    let log = Log::open(&files.trace, Access::Private)?;
    let before = log.len()?;
    if before != trace.bytes {
        events.splice(0..0, recover(trace, &log.tail(before)?, at));
    }
    for event in &mut events {
        trace.seq += 1;
        event.seq = trace.seq;
    }
    trace.events += events.len() as u64;
    if trace.events > 2 * max_events as u64 {
        let batch = Batch { events, at, durable };
        rewrite(files, trace, &log.tail(before)?, batch, max_events)?;
        return Ok(Undo(None));
    }
    let mut new = json_lines::lines(&events).at(&files.trace)?;
    tell_apart(&mut new, log.end()?, trace.bytes);
    let written = log.add(&new).and_then(|()| if durable { log.sync() } else { Ok(()) });
    let length = written.and_then(|()| log.len());
    let undo = Undo(Some((log, before)));
    match length {
        Ok(length) => trace.bytes = length,
        Err(err) => {
            undo.carry_out();
            return Err(err.into());
        }
    }
    Ok(undo)
}

/// `trace.max_events`, limited so that twice as many can be counted.
pub(super) fn bound(max_events: u64) -> usize {
    usize::try_from(max_events).unwrap_or(usize::MAX).min(usize::MAX / 4)
}

/// What a reader is shown of `events`: all of them, or the first and the newest with a marker in
/// between that says how many were dropped. The marker has the number of the last event that it
/// stands for, so that numbers keep increasing.
pub(super) fn bounded(mut events: Vec<TraceEvent>, max_events: usize) -> Vec<TraceEvent> {
    if max_events == 0 {
        return Vec::new();
    }
    let count = events.iter().filter(|event| !is_marker(event)).count();
    let Some(surplus @ 1..) = count.checked_sub(max_events) else {
        return events;
    };
    let dropped = dropped_before(&events) + surplus as u64;
    events.retain(|event| !is_marker(event));
    let first = KEPT_FIRST.min(max_events / 2);
    let last_dropped = &events[first + surplus - 1];
    let marker = Mark::TraceCompacted { dropped }.at(last_dropped.seq, last_dropped.timestamp);
    events.splice(first..first + surplus, [marker]);
    events
}

/// How many events the markers among `events` stand for.
fn dropped_before(events: &[TraceEvent]) -> u64 {
    let dropped = |trace_event: &TraceEvent| trace_event.payload.get("dropped")?.as_u64();
    events.iter().filter(|event| is_marker(event)).filter_map(dropped).max().unwrap_or(0)
}

fn is_marker(event: &TraceEvent) -> bool {
    event.event_type == COMPACTED
}

/// Counts what is in the file instead of using the counts in the state. Returns the mark for events
/// that the state does not count.
fn recover(trace: &mut Trace, found: &[u8], at: DateTime<Utc>) -> Option<TraceEvent> {
    let events: Vec<TraceEvent> = json_lines::entries(found).collect();
    let after_seq = trace.seq;
    let beyond =
        events.iter().filter(|event| event.seq > after_seq && !is_marker(event)).count() as u64;
    let is_torn = found.last().is_some_and(|byte| *byte != b'\n');
    let was_cut_off = is_torn && found.len() as u64 > trace.bytes;
    trace.seq = events.iter().fold(after_seq, |seq, trace_event| seq.max(trace_event.seq));
    trace.events = events.iter().filter(|event| !is_marker(event)).count() as u64;
    trace.dropped = trace.dropped.max(dropped_before(&events));
    (beyond > 0 || was_cut_off).then(|| Mark::Interrupted { after_seq, events: beyond }.at(0, at))
}

/// Compacts the trace to its limit. This is rare, so that the cost of a hook does not grow.
fn rewrite(
    files: &Files,
    trace: &mut Trace,
    found: &[u8],
    batch: Batch,
    max_events: usize,
) -> Result<()> {
    let mut events: Vec<TraceEvent> = json_lines::entries(found).collect();
    events.extend(batch.events);
    let events = bounded(events, max_events);
    let mut bytes = json_lines::lines(&events).at(&files.trace)?;
    tell_apart(&mut bytes, 0, trace.bytes);
    let new = Replacement { bytes: &bytes, modified: None, durable: batch.durable, mode: None };
    files::replace(&files.trace, &files.tmp, &new)?;
    trace.bytes = bytes.len() as u64;
    trace.events = events.iter().filter(|event| !is_marker(event)).count() as u64;
    trace.dropped = dropped_before(&events);
    Ok(())
}

/// Adds an empty line if the file would be as long as the saved state says, because then a kill
/// before the new state is saved could not be detected. Only a trace that was compacted or cut can
/// have the same length again.
fn tell_apart(new: &mut Vec<u8>, before: u64, remembered: u64) {
    if before + new.len() as u64 == remembered {
        new.push(b'\n');
    }
}

fn keep_none(files: &Files, trace: &mut Trace, new: usize) -> Result<Undo> {
    trace.seq += new as u64;
    trace.dropped += trace.events + new as u64;
    if trace.bytes > 0 {
        files::remove(&files.trace)?;
    }
    (trace.events, trace.bytes) = (0, 0);
    Ok(Undo(None))
}

impl Undo {
    /// Best effort: if it fails, the next save finds the events.
    pub(super) fn carry_out(self) {
        if let Some((log, before)) = self.0 {
            let _ = log.cut(before);
        }
    }
}
