//! A diff as text in pages that can each be read, and parsed, without the others.

use std::{borrow::Cow, fmt::Write as _};

use super::{Change, Extent, FileDiff, Hunk, first};

/// Characters of a piece of a hunk that are not its lines: the title, and a note that the file does
/// not end in a newline.
const RESERVED: usize = 240;

const LONGEST_SECTION: usize = 80;

/// The diff in pages of at most `max_chars` characters. A page ends between two files, else between
/// two hunks, else between two lines, and repeats the header of the file that it goes on with.
///
/// A line that is longer than a page is cut, and says how long it is.
pub fn pages(files: &[FileDiff], max_chars: usize) -> Vec<String> {
    let mut pages = Pages { full: Vec::new(), page: String::new(), used: 0, max: max_chars };
    for file in files {
        let head = file.head();
        let room = max_chars.saturating_sub(chars(&head));
        let hunks = file.hunks.iter().flat_map(|hunk| hunk.split(room));
        let hunks: Vec<String> = hunks.map(|hunk| hunk.text()).collect();
        if !pages.has_room(chars(&head) + hunks.iter().map(|hunk| chars(hunk)).sum::<usize>()) {
            pages.turn();
        }
        pages.add(&head);
        let mut is_begun = false;
        for hunk in hunks {
            if is_begun && !pages.has_room(chars(&hunk)) {
                pages.turn();
                pages.add(&head);
            }
            pages.add(&hunk);
            is_begun = true;
        }
    }
    pages.turn();
    pages.full
}

struct Pages {
    full: Vec<String>,
    page: String,
    used: usize,
    max: usize,
}

impl Pages {
    fn has_room(&self, size: usize) -> bool {
        self.used + size <= self.max
    }

    fn add(&mut self, text: &str) {
        self.page.push_str(text);
        self.used += chars(text);
    }

    fn turn(&mut self) {
        if !self.page.is_empty() {
            self.full.push(std::mem::take(&mut self.page));
            self.used = 0;
        }
    }
}

impl FileDiff {
    /// The lines above the first hunk.
    fn head(&self) -> String {
        let old = name('a', self.old_path.as_deref().unwrap_or(&self.path));
        let new = name('b', &self.path);
        let mut head = format!("diff --git {old} {new}\n");
        self.header.iter().for_each(|line| head.extend([line, "\n"]));
        let old = if self.change == Change::Added { "/dev/null" } else { &old };
        let new = if self.change == Change::Deleted { "/dev/null" } else { &new };
        if self.is_binary {
            let _ = writeln!(head, "Binary files {old} and {new} differ");
        } else if !self.hunks.is_empty() {
            let _ = writeln!(head, "--- {old}\n+++ {new}");
        }
        head
    }
}

impl Hunk {
    fn text(&self) -> String {
        let section: String = self.section.chars().take(LONGEST_SECTION).collect();
        let mut text = format!(
            "@@ -{},{} +{},{} @@ {section}",
            self.old_start, self.old_lines, self.new_start, self.new_lines
        );
        text.truncate(text.trim_end().len());
        text.push('\n');
        self.lines.iter().for_each(|line| text.extend([line, "\n"]));
        text
    }

    /// The hunk as several, each of at most `room` characters.
    fn split(&self, room: usize) -> Vec<Self> {
        if self.extent == Extent::Whole && chars(&self.text()) <= room {
            return vec![self.clone()];
        }
        let room = room.saturating_sub(RESERVED);
        let mut next = (first(self.old_start, self.old_lines), self.first_new());
        let mut pieces = Vec::new();
        let mut lines: Vec<String> = Vec::new();
        let mut used = 0;
        for line in &self.lines {
            let line = shortened(line, room);
            let size = chars(&line) + 1;
            // `\ No newline at end of file` belongs to the line above.
            if used + size > room && !lines.is_empty() && !line.starts_with('\\') {
                pieces.push(self.piece(std::mem::take(&mut lines), &mut next));
                used = 0;
            }
            lines.push(line.into_owned());
            used += size;
        }
        if !lines.is_empty() {
            pieces.push(self.piece(lines, &mut next));
        }
        pieces
    }

    /// A whole hunk of these lines; `next` is the number of its first line on each side, and then
    /// of the line after its last one.
    fn piece(&self, lines: Vec<String>, next: &mut (u64, u64)) -> Self {
        let section = self.section.clone();
        let mut piece = Self { lines, section, extent: Extent::Whole, ..*self };
        (piece.old_lines, piece.new_lines) = piece.counts();
        piece.old_start = next.0.saturating_sub(u64::from(piece.old_lines == 0));
        piece.new_start = next.1.saturating_sub(u64::from(piece.new_lines == 0));
        next.0 = next.0.saturating_add(piece.old_lines);
        next.1 = next.1.saturating_add(piece.new_lines);
        piece
    }
}

/// `line`, or what fits of it, with a note.
fn shortened(line: &str, room: usize) -> Cow<'_, str> {
    let count = chars(line);
    if count < room {
        return Cow::Borrowed(line);
    }
    let note = format!(" [… this line has {} characters]", count.saturating_sub(1));
    let kept = room.saturating_sub(chars(&note) + 1).max(1);
    Cow::Owned(line.chars().take(kept).chain(note.chars()).collect())
}

/// A path as git prints it in a header.
fn name(side: char, path: &str) -> String {
    let plain = format!("{side}/{path}");
    if !plain.contains(|c: char| c.is_ascii_control() || matches!(c, '"' | '\\')) {
        return plain;
    }
    let mut quoted = String::from("\"");
    for c in plain.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_ascii_control() => {
                let _ = write!(quoted, "\\{:03o}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

fn chars(text: &str) -> usize {
    text.chars().count()
}
