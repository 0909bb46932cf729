//! Output of commands: colours, tables, times, JSON, progress.

use std::io::{self, IsTerminal as _, Write as _};

use chrono::{DateTime, Local, Utc};
use serde::Serialize;
use textwrap::{Options, WordSplitter};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

pub(super) use crate::core::bounded::counted;
use crate::{core::bounded, world::World};

/// Standard output: its width, and whether it shows colours.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) colour: bool,
    pub(super) width: usize,
    /// Whether the width is known, from the terminal or from the caller.
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
        // A terminal that does not know its width reports 0.
        let width =
            world.var("COLUMNS").and_then(|value| value.parse().ok()).filter(|value| *value > 0);
        let width = width.or_else(|| is_terminal.then(terminal_width)?);
        Self {
            colour: is_terminal && !dumb && world.var("NO_COLOR").is_none(),
            width: width.unwrap_or(100),
            has_edge: width.is_some(),
        }
    }

    /// For a line of this width that another program shows.
    pub(super) fn of_line(width: usize, colour: bool) -> Self {
        Self { colour, width, has_edge: true }
    }

    /// The width to which sentences are wrapped; unlimited if the output is not a terminal.
    pub(super) fn edge(&self) -> usize {
        if self.has_edge { self.width } else { usize::MAX }
    }

    /// A name, and a text next to it from the column `at` on.
    pub(super) fn field(&self, name: &str, at: usize, text: &str) -> String {
        format!("{name:<at$}{}\n", folded(text, self.width, &" ".repeat(at)))
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

    /// Rows under a heading, in columns as wide as needed. The last column is cut to the width of
    /// the terminal, and on a narrow one also the widest other columns.
    pub(super) fn table(
        &self,
        heading: &[&str],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> String {
        let heading: Vec<String> = heading.iter().map(ToString::to_string).collect();
        let plain = |row: Vec<String>| row.iter().map(|text| bounded::plain_line(text)).collect();
        let lines: Vec<Vec<String>> =
            std::iter::once(heading).chain(rows.into_iter().map(plain)).collect();
        let mut widths = vec![0; lines[0].len()];
        for cells in &lines {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = cell.width().max(*width);
            }
        }
        self.narrow(&mut widths);
        let mut text = String::new();
        for (at, cells) in lines.iter().enumerate() {
            let cells = widths.iter().zip(cells);
            let line: String =
                cells.map(|(&width, cell)| padded(&fitted(cell, width), width + 2)).collect();
            // There are too many columns to fit.
            let line = fitted(line.trim_end(), self.edge());
            text += &if at == 0 { self.paint(Tone::Bold, &line) } else { line };
            text.push('\n');
        }
        text
    }

    fn narrow(&self, widths: &mut [usize]) {
        const LAST: usize = 10;
        /// The smallest useful width of another column.
        const OTHERS: usize = 4;
        while self.has_edge && widths.iter().map(|width| width + 2).sum::<usize>() > self.width + 2
        {
            let Some((last, others)) = widths.split_last_mut() else { return };
            let widest = others.iter_mut().max().filter(|width| **width > OTHERS);
            let Some(cut) = Some(last).filter(|last| **last > LAST).or(widest) else { return };
            *cut -= 1;
        }
    }
}

/// The text cut to this many columns, with an ellipsis if something is missing.
pub(super) fn fitted(text: &str, columns: usize) -> String {
    if text.width() <= columns {
        return text.to_owned();
    }
    let mut room = columns.saturating_sub(1);
    let kept = text.chars().take_while(|c| {
        let width = c.width().unwrap_or(0);
        let fits = width <= room;
        room = room.saturating_sub(width);
        fits
    });
    kept.chain(['…']).collect()
}

pub(super) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// The text in lines no wider than `width`, all but the first indented. Words are not broken, so
/// that paths and commands can be copied.
pub(super) fn folded(text: &str, width: usize, indent: &str) -> String {
    let room = width.saturating_sub(indent.width()).max(12);
    let options = Options::new(room).break_words(false).word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(text, options).join(&format!("\n{indent}"))
}

/// Shows on a terminal what is in progress, until this is dropped.
#[derive(Debug)]
#[must_use]
pub(super) struct Working {
    is_shown: bool,
}

pub(super) fn working(what: &str) -> Working {
    let is_shown = io::stderr().is_terminal();
    if is_shown {
        let _ = write!(io::stderr().lock(), "{what} …");
    }
    Working { is_shown }
}

impl Drop for Working {
    fn drop(&mut self) {
        if self.is_shown {
            // Move to the beginning of the line, and erase it.
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }
}

fn terminal_width() -> Option<usize> {
    rustix::termios::tcgetwinsize(io::stdout())
        .ok()
        .map(|size| size.ws_col.into())
        .filter(|columns| *columns > 0)
}

/// Prints. An error may be a closed pipe.
pub(super) fn print(text: &str) -> io::Result<()> {
    io::stdout().lock().write_all(text.as_bytes())
}

pub(super) fn warn(text: &str) {
    let _ = writeln!(io::stderr().lock(), "roz: warning: {}", bounded::plain_line(text));
}

pub(super) fn print_json(value: &impl Serialize) -> super::Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    Ok(print(&text)?)
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
mod tests;
