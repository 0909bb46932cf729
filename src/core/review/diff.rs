//! git's unified diff: read from text, and written in pages.
//!
//! [`parse`] reads the output of `git diff`, `git show` and `git log -p`, also in the middle of other
//! text and when it was cut. It never fails: it skips lines that it does not know.

mod pages;
#[cfg(test)]
pub(super) mod tests;

use std::borrow::Cow;

pub use self::pages::pages;

/// What a diff says about one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The path after the change (of a deleted file: before it), without the prefix `b/`. Empty
    /// where the text does not tell.
    pub path: String,
    /// The path before a rename or a copy.
    pub old_path: Option<String>,
    /// The id of the file after the change (`index 1a2b3c4..5d6e7f8`), as printed, maybe
    /// abbreviated. Empty without that line.
    pub post: String,
    pub change: Change,
    pub is_binary: bool,
    /// The lines between `diff --git` and `---`, as printed: modes, names, `index`.
    pub header: Vec<String>,
    pub hunks: Vec<Hunk>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Change {
    Added,
    Deleted,
    #[default]
    Modified,
}

/// Lines that changed, and those around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// As in `@@ -old_start,old_lines +new_start,new_lines @@ section`.
    pub old_start: u64,
    pub old_lines: u64,
    pub new_start: u64,
    pub new_lines: u64,
    pub section: String,
    /// Each begins with ` `, `+`, `-` or `\`; with `diff.suppressBlankEmpty` a blank line of
    /// context is empty.
    pub lines: Vec<String>,
    pub extent: Extent,
}

/// How much of a hunk the text has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// The text ends within the hunk, so its first lines are there.
    Cut,
    /// Other text follows too early: some program left lines out, and nobody knows which.
    Filtered,
}

/// The files of a diff, in their order. Combined diffs (`diff --cc`) are left out, and so are those
/// without a line `diff --git`.
pub fn parse(text: &str) -> Vec<FileDiff> {
    let mut reader = Reader::default();
    text.split_terminator('\n').for_each(|line| reader.read(line));
    if let Some(hunk) = reader.hunk() {
        hunk.drop_blank_end();
    }
    reader.files
}

/// `line` without the escape sequences that colour it.
pub(super) fn without_colours(line: &str) -> Cow<'_, str> {
    if !line.contains('\x1b') {
        return Cow::Borrowed(line);
    }
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.trim_end_matches('\x1b'); // cut within a sequence
    while let Some((before, after)) = rest.split_once("\x1b[") {
        plain.push_str(before);
        let end = after.find(|c: char| matches!(c, '@'..='~'));
        rest = end.map_or("", |end| &after[end + 1..]);
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

#[derive(Default)]
struct Reader {
    files: Vec<FileDiff>,
    place: Place,
    /// How many lines the last hunk still lacks on its old and its new side.
    left: (u64, u64),
    is_coloured: bool,
}

/// What the lines read last belong to.
#[derive(Default, PartialEq)]
enum Place {
    /// No file's diff.
    #[default]
    Outside,
    Header,
    Hunk,
}

impl Reader {
    fn read(&mut self, raw: &str) {
        let plain = without_colours(raw);
        if let Some(names) = plain.strip_prefix("diff --git ") {
            self.leave_hunk();
            self.files.push(FileDiff::named(names.trim_end_matches('\r')));
            self.place = Place::Header;
            self.is_coloured = raw.starts_with('\x1b');
            return;
        }
        if self.place == Place::Outside {
            return;
        }
        // Escape sequences in a diff without colours are the file's own.
        self.is_coloured |= raw.starts_with('\x1b');
        if self.place == Place::Hunk && self.take(if self.is_coloured { &plain } else { raw }) {
            return;
        }
        self.leave_hunk();
        let Some(file) = self.files.last_mut() else { return };
        let plain = plain.trim_end_matches('\r');
        if let Some(hunk) = Hunk::titled(plain) {
            self.left = (hunk.old_lines, hunk.new_lines);
            file.hunks.push(hunk);
            self.place = Place::Hunk;
        } else if self.place != Place::Header || !file.read_header(plain) {
            self.place = Place::Outside;
        }
    }

    /// Takes a line into the last hunk, if it belongs there. The counts decide, since a removed `--
    /// a` looks like a header.
    fn take(&mut self, line: &str) -> bool {
        let (old, new) = match line.as_bytes() {
            [] | [b' ', ..] => (1, 1),
            [b'-', ..] => (1, 0),
            [b'+', ..] => (0, 1),
            [b'\\', ..] => (0, 0),
            _ => return false,
        };
        let left = (self.left.0.checked_sub(old), self.left.1.checked_sub(new));
        let Some(hunk) = self.hunk() else { return false };
        let (Some(old), Some(new)) = left else {
            // The blank end of a text that was cut.
            return line.is_empty() && hunk.extent == Extent::Cut;
        };
        hunk.lines.push(line.to_owned());
        if (old, new) == (0, 0) {
            hunk.extent = Extent::Whole;
        }
        self.left = (old, new);
        true
    }

    fn leave_hunk(&mut self) {
        if let Some(hunk) = self.hunk().filter(|hunk| hunk.extent == Extent::Cut) {
            hunk.extent = Extent::Filtered;
            hunk.drop_blank_end();
        }
    }

    fn hunk(&mut self) -> Option<&mut Hunk> {
        self.files.last_mut()?.hunks.last_mut()
    }
}

impl FileDiff {
    /// With the path in `a/src/x.rs b/src/x.rs`, where both sides have the same; a rename has lines
    /// of its own.
    fn named(names: &str) -> Self {
        let same = || {
            let (old, new) = names.split_at_checked(names.len() / 2)?;
            let (old, new) = (unquoted(old), unquoted(new.strip_prefix(' ')?));
            if old == new {
                return Some(new); // `diff.noprefix`
            }
            let (old, new) = (old.split_once('/')?.1, new.split_once('/')?.1);
            (old == new).then(|| new.to_owned())
        };
        Self { path: same().unwrap_or_default(), ..Self::default() }
    }

    /// Reads a line above the hunks; false if it is not one.
    fn read_header(&mut self, line: &str) -> bool {
        let rest = |prefix: &str| line.strip_prefix(prefix);
        if let Some(ids) = rest("index ") {
            let ids = ids.split(' ').next().unwrap_or_default();
            let (_, post) = ids.split_once("..").unwrap_or_default();
            post.clone_into(&mut self.post);
        } else if let Some(path) = rest("rename from ").or_else(|| rest("copy from ")) {
            self.old_path = Some(unquoted(path));
        } else if let Some(path) = rest("rename to ").or_else(|| rest("copy to ")) {
            self.path = unquoted(path);
        } else if line.starts_with("new file mode ") {
            self.change = Change::Added;
        } else if line.starts_with("deleted file mode ") {
            self.change = Change::Deleted;
        } else if let Some(name) = rest("+++ ") {
            // Two names, and no rename: `git diff --no-index one two`.
            if self.path.is_empty() {
                let name = unquoted(name.trim_end_matches('\t'));
                let path = name.split_once('/').filter(|(prefix, _)| prefix.len() == 1);
                self.path = path.map_or(name.clone(), |(_, path)| path.to_owned());
            }
            return true;
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            self.is_binary = true;
            return true;
        } else if line.starts_with("--- ") {
            return true;
        } else if !["old mode ", "new mode ", "similarity index ", "dissimilarity index "]
            .iter()
            .any(|prefix| line.starts_with(prefix))
        {
            return false;
        }
        self.header.push(line.to_owned());
        true
    }
}

impl Hunk {
    /// The hunk that a line `@@ -1,2 +3,4 @@ section` begins.
    fn titled(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, section) = rest.split_once(" @@")?;
        let range = |text: &str| -> Option<(u64, u64)> {
            let (start, lines) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, lines.parse().ok()?))
        };
        let ((old_start, old_lines), (new_start, new_lines)) = (range(old)?, range(new)?);
        let section = section.trim().to_owned();
        let extent = if (old_lines, new_lines) == (0, 0) { Extent::Whole } else { Extent::Cut };
        Some(Self { old_start, old_lines, new_start, new_lines, section, lines: vec![], extent })
    }

    /// The number of its first line on the new side; where it has none, of the line that follows.
    pub fn first_new(&self) -> u64 {
        first(self.new_start, self.new_lines)
    }

    /// How many of its lines the text has on the old and on the new side.
    pub fn counts(&self) -> (u64, u64) {
        let count = |other: char| {
            self.lines.iter().filter(|line| !line.starts_with([other, '\\'])).count() as u64
        };
        (count('+'), count('-'))
    }

    /// An empty line at the end of what was cut or filtered may be context or not be part of it.
    fn drop_blank_end(&mut self) {
        while self.extent != Extent::Whole && self.lines.last().is_some_and(String::is_empty) {
            self.lines.pop();
        }
    }
}

/// A title names the line before where a side has no lines.
fn first(start: u64, lines: u64) -> u64 {
    start.saturating_add(u64::from(lines == 0))
}

/// A path as git prints it: `"\303\244.txt"` is `ä.txt`.
fn unquoted(text: &str) -> String {
    let Some(text) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) else {
        return text.to_owned();
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let escaped = if byte == b'\\' { rest.next() } else { None };
        bytes.push(match escaped {
            None => byte,
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b't') => b'\t',
            Some(b'n') => b'\n',
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(b'r') => b'\r',
            Some(digit @ b'0'..=b'7') => {
                let more = rest.by_ref().take(2);
                more.fold(digit & 7, |value, digit| value.wrapping_shl(3) | (digit & 7))
            }
            Some(other) => other,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
