//! How verbs speak to people: colour, columns, times, and what takes its time.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
    sync::mpsc,
    thread,
    time::Duration,
};

use chrono::{DateTime, Local, Utc};
use serde::Serialize;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(super) use crate::core::bounded::counted;
use crate::{core::bounded, world::World};

/// Standard output, and whether it likes colour.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) colour: bool,
    pub(super) width: usize,
    /// There is an edge to run over: a terminal's, or one that was named.
    has_edge: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Tone {
    Bold,
    Dim,
    Good,
    Bad,
    Warn,
}

impl Out {
    pub(super) fn new(world: &World) -> Self {
        let is_terminal = io::stdout().is_terminal();
        let dumb = world.var("TERM") == Some("dumb");
        // A terminal that does not know its width says 0.
        let width = world.var("COLUMNS").and_then(|it| it.parse().ok()).filter(|it| *it > 0);
        let width = width.or_else(|| is_terminal.then(terminal_width)?);
        Self {
            colour: is_terminal && !dumb && world.var("NO_COLOR").is_none(),
            width: width.unwrap_or(100),
            has_edge: width.is_some(),
        }
    }

    /// A line of so many columns that somebody else shows.
    pub(super) fn of_line(width: usize, colour: bool) -> Self {
        Self { colour, width, has_edge: true }
    }

    /// Where the lines of whole sentences end: nowhere, if nobody looks.
    pub(super) fn edge(&self) -> usize {
        if self.has_edge { self.width } else { usize::MAX }
    }

    pub(super) fn paint(&self, tone: Tone, text: &str) -> String {
        if !self.colour {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Bold => 1,
            Tone::Dim => 2,
            Tone::Good => 32,
            Tone::Bad => 31,
            Tone::Warn => 33,
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// Rows under a heading, in columns as wide as they need to be. The last
    /// column is cut to the width of the terminal; on a narrow one the widest
    /// of the others are too.
    pub(super) fn table(&self, heading: &[&str], rows: &[Vec<String>]) -> String {
        let rows: Vec<Vec<String>> =
            rows.iter().map(|row| row.iter().map(|it| bounded::plain_line(it)).collect()).collect();
        let mut widths: Vec<usize> = heading.iter().map(|it| it.width()).collect();
        for row in &rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.width());
            }
        }
        self.narrow(&mut widths);
        let mut text = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = &str>, tone: Option<Tone>| {
            let mut res = String::new();
            for (width, cell) in widths.iter().zip(cells) {
                res.push_str(&padded(&fitted(cell, *width), width + 2));
            }
            let res = res.trim_end();
            // So many columns that none can be narrow enough.
            let res = if self.has_edge { fitted(res, self.width) } else { res.to_owned() };
            let res = tone.map_or_else(|| res.clone(), |tone| self.paint(tone, &res));
            let _ = writeln!(text, "{res}");
        };
        line(&mut heading.iter().copied(), Some(Tone::Bold));
        for row in &rows {
            line(&mut row.iter().map(String::as_str), None);
        }
        text
    }

    fn narrow(&self, widths: &mut [usize]) {
        const LAST: usize = 10;
        /// Less says nothing.
        const OTHERS: usize = 4;
        let Some((last, others)) = widths.split_last_mut() else { return };
        let before = |others: &[usize]| others.iter().map(|it| it + 2).sum::<usize>();
        if !self.has_edge {
            return;
        }
        *last = (*last).min(self.width.saturating_sub(before(others)).max(LAST));
        while before(others) + *last > self.width {
            let Some(widest) = others.iter_mut().max().filter(|it| **it > OTHERS) else { break };
            *widest -= 1;
        }
    }
}

/// At most so many columns of it, and an ellipsis where something is missing.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut room = columns.saturating_sub(1);
    let kept = text.chars().take_while(|it| {
        let width = it.width().unwrap_or(0);
        let fits = width <= room;
        room = room.saturating_sub(width);
        fits
    });
    kept.chain(['…']).collect()
}

/// With blanks up to so many columns.
pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// In lines no wider than the terminal, each but the first indented. What fits
/// stays as it is.
pub(super) fn folded(text: &str, width: usize, indent: &str) -> String {
    let room = width.saturating_sub(indent.width()).max(12);
    if text.width() <= room && !text.contains('\n') {
        return text.to_owned();
    }
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one from the start");
        if line.is_empty() {
            line.push_str(word);
        } else if line.width() + 1 + word.width() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join(&format!("\n{indent}"))
}

/// Says on the user's terminal what takes its time, from the first second on,
/// and for how long it has been at it, until this is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct Working {
    /// Dropping it ends the thread.
    until: Option<mpsc::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

/// Where nobody watches, nothing is said.
pub(super) fn working(what: &'static str) -> Working {
    if !io::stderr().is_terminal() {
        return Working { until: None, thread: None };
    }
    let (until, is_over) = mpsc::channel();
    let tell = move || {
        let second = Duration::from_secs(1);
        let mut seconds = 0_u64;
        while is_over.recv_timeout(second) == Err(mpsc::RecvTimeoutError::Timeout) {
            seconds = seconds.saturating_add(1);
            let _ = write!(io::stderr().lock(), "\r{what}: {seconds} s");
        }
        if seconds > 0 {
            let blank = " ".repeat(what.width() + 24);
            let _ = write!(io::stderr().lock(), "\r{blank}\r");
        }
    };
    let thread = thread::Builder::new().spawn(tell).ok();
    Working { until: Some(until), thread }
}

impl Drop for Working {
    fn drop(&mut self) {
        drop(self.until.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn terminal_width() -> Option<usize> {
    rustix::termios::tcgetwinsize(io::stdout()).ok().map(|it| it.ws_col.into()).filter(|it| *it > 0)
}

/// Prints what an agent or a user has written, without its control characters.
pub(super) fn print_plain(text: &str) -> io::Result<()> {
    print(&bounded::plain(text))
}

/// Prints, and answers what went wrong with that: a closed pipe among others.
pub(super) fn print(text: &str) -> io::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())
}

/// Something went wrong beside what was asked for.
pub(super) fn warn(text: &str) {
    let _ = writeln!(io::stderr().lock(), "roz: warning: {}", bounded::plain_line(text));
}

pub(super) fn print_json(value: &impl Serialize) -> super::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(print(&text)?)
}

/// `once`, `3 times`.
pub(super) fn times(count: u32) -> String {
    if count == 1 { "once".to_owned() } else { format!("{count} times") }
}

/// `2026-01-02 03:04:05 (5m ago)`, in local time.
pub(super) fn when(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    format!("{} ({})", at.with_timezone(&Local).format("%Y-%m-%d %H:%M:%S"), ago(at, now))
}

/// `just now`, `5m ago`, `3h ago`, `2d ago`.
pub(super) fn ago(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let seconds = (now - at).num_seconds();
    match seconds {
        ..0 => "in the future".to_owned(),
        0..60 => "just now".to_owned(),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_are_folded_between_words_only() {
        assert_eq!(folded("a bb  ccc", 100, "    "), "a bb  ccc", "what fits stays as it is");
        let text = "word ".repeat(12);
        let folded = folded(&text, 34, "  ");
        assert!(folded.lines().all(|it| it.chars().count() <= 34), "{folded}");
        assert_eq!(folded.split_whitespace().count(), 12);
    }

    #[test]
    fn no_text_is_wider_than_its_column() {
        for (text, columns, fits) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"),
            ("a🦀b", 4, "a🦀b"),
            ("a🦀bc", 3, "a…"),
            ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"),
            ("ab", 0, "…"),
        ] {
            assert_eq!(fitted(text, columns), fits, "{text} in {columns}");
        }
        assert_eq!(padded("日本", 6), "日本  ");
    }

    #[test]
    fn a_table_of_many_columns_is_no_wider_than_the_terminal() {
        let heading: Vec<String> = (0..9).map(|it| format!("COLUMN {it}")).collect();
        let heading: Vec<&str> = heading.iter().map(String::as_str).collect();
        let rows = [heading.iter().map(|it| it.repeat(3)).collect()];
        for width in [1, 40, 60, 80] {
            let text = Out { colour: false, width, has_edge: true }.table(&heading, &rows);
            assert!(text.lines().all(|it| it.width() <= width), "{width}:\n{text}");
        }
    }

    /// What a table looks like, whatever stands in it.
    #[test]
    fn tables_fit_the_terminal_and_their_columns_stay_straight() {
        let rows: Vec<Vec<String>> = [
            [
                "6f0c1f7e-0000-4000-8000-000000000001",
                "pending",
                "2026-01-02 03:04:05 (3h ago)",
                "fix the bug in the parser, and then all the others too",
            ],
            [
                "s2",
                "idle",
                "2026-01-02 03:04:06 (just now)",
                "日本語のテキストが長くてもここで切れる。そして続く",
            ],
            ["🦀", "tripped", "never", "tab\there, a line\nbreak and \u{1b}[31mred"],
        ]
        .map(|row| row.map(str::to_owned).to_vec())
        .to_vec();
        let mut all = String::new();
        for width in [40, 80, 200] {
            let out = Out { colour: false, width, has_edge: true };
            let text = out.table(&["SESSION", "REVIEW", "UPDATED", "WHAT"], &rows);
            assert!(text.lines().all(|it| it.width() <= width), "{text}");
            let _ = writeln!(all, "{width}:\n{text}");
        }
        // Into a pipe no column but the last is cut.
        let out = Out { colour: false, width: 100, has_edge: false };
        assert!(out.table(&["SESSION", "WHAT"], &rows).contains("000000000001"));
        insta::assert_snapshot!(all.trim_end());
    }
}
