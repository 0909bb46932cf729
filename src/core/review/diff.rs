//! git's unified diff: read from text, and written in pages.
//!
//! [`parse`] reads the output of `git diff`, `git show` and `git log -p`, also in the middle of other
//! text and when it was cut. It never fails: it skips lines that it does not know.

mod pages;
#[cfg(test)]
pub(super) mod tests;

use std::borrow::Cow;

pub use self::pages::pages;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// The path after the change (of a deleted file: before it), without the prefix `b/`. Empty
    /// where the text does not tell.
    pub path: String,
    /// The id of the file after the change (`index 1a2b3c4..5d6e7f8`), as printed, maybe
    /// abbreviated. Empty without that line.
    pub post: String,
    pub is_deleted: bool,
    pub is_binary: bool,
    /// The lines above the hunks, as printed: names, modes, `index`.
    pub header: Vec<String>,
    pub hunks: Vec<Hunk>,
}

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

/// How much of a hunk a text contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    Whole,
    /// The text ends within the hunk: its first lines are complete.
    Cut,
    /// Other text begins too early, so unknown lines are missing.
    Filtered,
}

/// In their order. Combined diffs (`diff --cc`) and diffs without a line `diff --git` are left out.
pub fn parse(text: &str) -> Vec<FileDiff> {
    // In a diff without colours, escape sequences belong to the file.
    let is_coloured = text.lines().any(|line| line.starts_with('\x1b'));
    let text = if is_coloured { without_colours(text) } else { Cow::Borrowed(text) };
    let mut reader = Reader::default();
    // The last blank line may or may not be context.
    for line in text.trim_end_matches('\n').split('\n') {
        reader.read(line);
    }
    reader.files
}

pub(super) fn without_colours(text: &str) -> Cow<'_, str> {
    if !text.contains('\x1b') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.trim_end_matches('\x1b'); // cut within a sequence
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
    /// Missing lines of the last hunk on its old and its new side.
    left: (u64, u64),
}

#[derive(Default, PartialEq)]
enum Place {
    /// No file's diff.
    #[default]
    Outside,
    Header,
    Hunk,
}

impl Reader {
    fn read(&mut self, line: &str) {
        if self.place == Place::Hunk && self.take(line) {
            return;
        }
        self.leave_hunk();
        let line = line.trim_end_matches('\r');
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.files.push(FileDiff::named(names, line));
            self.place = Place::Header;
            return;
        }
        let Some(file) = self.files.last_mut().filter(|_| self.place != Place::Outside) else {
            return;
        };
        if let Some(hunk) = Hunk::titled(line) {
            self.left = (hunk.old_lines, hunk.new_lines);
            file.hunks.push(hunk);
            self.place = Place::Hunk;
        } else if self.place != Place::Header || !file.read_header(line) {
            self.place = Place::Outside;
        }
    }

    /// The counts decide whether a line belongs to the hunk, since a removed `-- a` looks like a
    /// header.
    fn take(&mut self, line: &str) -> bool {
        let (old, new) = match line.as_bytes() {
            [] | [b' ', ..] => (1, 1),
            [b'-', ..] => (1, 0),
            [b'+', ..] => (0, 1),
            [b'\\', ..] => (0, 0),
            _ => return false,
        };
        let left = (self.left.0.checked_sub(old), self.left.1.checked_sub(new));
        let ((Some(old), Some(new)), Some(hunk)) = (left, self.hunk()) else { return false };
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
        }
    }

    fn hunk(&mut self) -> Option<&mut Hunk> {
        self.files.last_mut()?.hunks.last_mut()
    }
}

impl FileDiff {
    /// Reads the path of `a/src/x.rs b/src/x.rs`, the same on both sides; renames have lines of
    /// their own.
    fn named(names: &str, line: &str) -> Self {
        let same = || {
            let (old, new) = names.split_at_checked(names.len() / 2)?;
            let (old, new) = (unquoted(old), unquoted(new.strip_prefix(' ')?));
            if old == new {
                return Some(new); // `diff.noprefix`
            }
            let (old, new) = (old.split_once('/')?.1, new.split_once('/')?.1);
            (old == new).then(|| new.to_owned())
        };
        Self { path: same().unwrap_or_default(), header: vec![line.to_owned()], ..Self::default() }
    }

    /// Returns false if it is not a header.
    fn read_header(&mut self, line: &str) -> bool {
        const OTHERS: &str = "--- |+++ |old mode |new mode |new file mode |similarity index |\
                              dissimilarity index |rename from |copy from ";
        let rest = |prefix: &str| line.strip_prefix(prefix);
        if let Some(ids) = rest("index ") {
            let ids = ids.split(' ').next().unwrap_or_default();
            let (_, post) = ids.split_once("..").unwrap_or_default();
            post.clone_into(&mut self.post);
        } else if let Some(path) = rest("rename to ").or_else(|| rest("copy to ")) {
            self.path = unquoted(path);
        } else if line.starts_with("deleted file mode ") {
            self.is_deleted = true;
        } else if let Some(name) = rest("+++ ").filter(|_| self.path.is_empty()) {
            // Different names without a rename: `git diff --no-index one two`.
            let name = unquoted(name.trim_end_matches('\t'));
            let path = name.split_once('/').filter(|(prefix, _)| prefix.len() == 1);
            self.path = path.map_or(name.clone(), |(_, path)| path.to_owned());
        } else if line.starts_with("Binary files ") || line == "GIT binary patch" {
            self.is_binary = true;
        } else if !OTHERS.split('|').any(|begin| line.starts_with(begin)) {
            return false;
        }
        self.header.push(line.to_owned());
        true
    }
}

impl Hunk {
    /// Parses `@@ -1,2 +3,4 @@ section`.
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

    /// If the new side is empty: the number of the next line.
    pub fn first_new(&self) -> u64 {
        first(self.new_start, self.new_lines)
    }

    /// Lines in the text on the old and on the new side.
    pub fn counts(&self) -> (u64, u64) {
        let count = |other: char| {
            self.lines.iter().filter(|line| !line.starts_with([other, '\\'])).count() as u64
        };
        (count('+'), count('-'))
    }
}

/// For an empty side, a hunk header names the line before it.
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
