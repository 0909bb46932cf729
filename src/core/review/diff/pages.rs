//! Splits a diff into pages that can be read and parsed independently.

use std::borrow::Cow;

use super::{Extent, FileDiff, Hunk, first};

/// Characters for the header of a split hunk and a note about a missing final newline.
const RESERVED: usize = 240;

/// The diff in pages of at most `max_chars` characters. A page ends between two files, else between
/// two hunks, else between two lines. The next page repeats the header of the file that it
/// continues.
///
/// A line that is longer than a page is cut, and says how long it is.
pub fn pages(files: &[FileDiff], max_chars: usize) -> Vec<String> {
    let (mut full, mut page) = (Vec::new(), String::new());
    let mut turn = |page: &mut String| {
        if !page.is_empty() {
            full.push(std::mem::take(page));
        }
    };
    for file in files {
        let head = file.header.join("\n") + "\n";
        let room = max_chars.saturating_sub(chars(&head));
        let hunks = file.hunks.iter().flat_map(|hunk| hunk.split(room));
        let hunks: Vec<String> = hunks.map(|hunk| hunk.text()).collect();
        if chars(&page) + chars(&head) + chars(&hunks.concat()) > max_chars {
            turn(&mut page);
        }
        page += &head;
        for (at, hunk) in hunks.iter().enumerate() {
            if at > 0 && chars(&page) + chars(hunk) > max_chars {
                turn(&mut page);
                page += &head;
            }
            page += hunk;
        }
    }
    turn(&mut page);
    full
}

impl Hunk {
    fn text(&self) -> String {
        let Self { old_start, old_lines, new_start, new_lines, section, .. } = self;
        let title = format!("@@ -{old_start},{old_lines} +{new_start},{new_lines} @@ {section}");
        let lines = self.lines.iter().map(String::as_str);
        std::iter::once(title.trim_end()).chain(lines).flat_map(|line| [line, "\n"]).collect()
    }

    /// Each part has at most `room` characters.
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
            // `\ No newline at end of file` belongs to the previous line.
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

    /// Makes a complete hunk. `next` is the number of its first line on each side, and is advanced
    /// past its last.
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

fn shortened(line: &str, room: usize) -> Cow<'_, str> {
    let count = chars(line);
    if count < room {
        return Cow::Borrowed(line);
    }
    let note = format!(" [… this line has {} characters]", count.saturating_sub(1));
    let kept = room.saturating_sub(chars(&note) + 1).max(1);
    Cow::Owned(line.chars().take(kept).chain(note.chars()).collect())
}

fn chars(text: &str) -> usize {
    text.chars().count()
}
