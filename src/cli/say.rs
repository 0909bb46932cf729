//! How verbs speak to people: colour, columns, times.

use std::{
    fmt::Write as _,
    io::{self, IsTerminal as _, Write as _},
};

use chrono::{DateTime, Local, Utc};
use serde::Serialize;

use crate::{core::bounded, world::World};

/// Standard output, and whether it likes colour.
#[derive(Debug)]
pub(super) struct Out {
    pub(super) colour: bool,
    pub(super) width: usize,
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
        let width = world.var("COLUMNS").and_then(|it| it.parse().ok());
        Self {
            colour: is_terminal && !dumb && world.var("NO_COLOR").is_none(),
            width: width.or_else(|| is_terminal.then(terminal_width)?).unwrap_or(100),
        }
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

    /// Rows under a heading, in columns as wide as they need to be; the last
    /// column is cut to the width of the terminal.
    pub(super) fn table(&self, heading: &[&str], rows: &[Vec<String>]) -> String {
        let columns = heading.len();
        let mut widths: Vec<usize> = heading.iter().map(|it| it.chars().count()).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let before: usize = widths.iter().take(columns.saturating_sub(1)).map(|it| it + 2).sum();
        let last = self.width.saturating_sub(before).max(10);
        let mut text = String::new();
        let mut line = |cells: &mut dyn Iterator<Item = &str>, tone: Option<Tone>| {
            let mut res = String::new();
            for (at, cell) in cells.enumerate() {
                if at + 1 == columns {
                    res.push_str(&bounded::chars(&bounded::plain_line(cell), last));
                } else {
                    let _ = write!(res, "{cell:<0$}", widths[at] + 2);
                }
            }
            let res = res.trim_end();
            let res = tone.map_or_else(|| res.to_owned(), |tone| self.paint(tone, res));
            let _ = writeln!(text, "{res}");
        };
        line(&mut heading.iter().copied(), Some(Tone::Bold));
        for row in rows {
            line(&mut row.iter().map(String::as_str), None);
        }
        text
    }
}

/// In lines no wider than the terminal, each but the first indented.
pub(super) fn folded(text: &str, width: usize, indent: &str) -> String {
    let room = width.saturating_sub(indent.len()).max(30);
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is one from the start");
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= room {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines.join(&format!("\n{indent}"))
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
        assert_eq!(folded("a bb  ccc", 100, "    "), "a bb ccc");
        let text = "word ".repeat(12);
        let folded = folded(&text, 34, "  ");
        assert!(folded.lines().all(|it| it.chars().count() <= 34), "{folded}");
        assert_eq!(folded.split_whitespace().count(), 12);
    }
}
