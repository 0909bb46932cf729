//! Parses a file into entries.
//!
//! A line belongs to the entry whose mark it ends in. A line without a mark belongs to the entry
//! around it, if that was written by hand. Everything else is somebody's text, and is kept.

use std::{collections::HashMap, ops::Range, path::Path};

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};

use super::{
    foreign_format,
    format::{mark, unescaped},
};
use crate::{
    core::reflection::learning::{Category, Confidence, Criterion, Learning, Scope, Status},
    memory::{Problem, Reading, is_id},
};

/// The kind of file that contains the entries.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(in crate::memory) enum Style {
    /// A `learnings.md`.
    #[default]
    File,
    /// A log of another program: lines without a mark are not ours, an entry begins with the time
    /// of day, and the last of several statuses applies.
    Log,
}

/// The content of a file.
#[derive(Debug, Default)]
pub(in crate::memory) struct Parsed {
    /// In the order of their headings, each id once.
    pub(in crate::memory) entries: Vec<Entry>,
    /// Lines that belong to no entry but look as if they should.
    pub(in crate::memory) problems: Vec<(usize, String)>,
}

#[derive(Debug)]
pub(in crate::memory) struct Entry {
    /// The line of its heading, from 1.
    pub(in crate::memory) line: usize,
    pub(in crate::memory) id: String,
    /// The learning, or a clause that says what is wrong with it.
    pub(in crate::memory) learning: Result<Learning, String>,
    /// The positions of the words of its status: more than one after a merge.
    pub(in crate::memory) statuses: Vec<Range<usize>>,
    /// The offset of the line after its heading.
    pub(in crate::memory) after_heading: usize,
    /// The beginning and the end of a status line for it.
    pub(in crate::memory) frame: (String, String),
}

impl Entry {
    /// The file with another status in this entry, and no other change.
    pub(in crate::memory) fn with_status(&self, bytes: &[u8], status: Status) -> Vec<u8> {
        let mut res = Vec::with_capacity(bytes.len() + 64);
        let mut from = 0;
        for range in &self.statuses {
            res.extend_from_slice(&bytes[from..range.start]);
            res.extend_from_slice(status.word().as_bytes());
            from = range.end;
        }
        if self.statuses.is_empty() {
            res.extend_from_slice(&bytes[..self.after_heading]);
            if !res.ends_with(b"\n") {
                res.push(b'\n');
            }
            let (before, after) = &self.frame;
            res.extend_from_slice(format!("{before}{status}{after}\n").as_bytes());
            from = self.after_heading;
        }
        res.extend_from_slice(&bytes[from..]);
        res
    }
}

/// A line without its newline, and its position.
#[derive(Debug, Clone, Copy)]
pub(in crate::memory) struct Line<'a> {
    /// From 1.
    pub(in crate::memory) number: usize,
    /// `None` if it is not UTF-8.
    pub(in crate::memory) text: Option<&'a str>,
    pub(in crate::memory) start: usize,
    /// The offset of the next line.
    pub(in crate::memory) next: usize,
}

pub(in crate::memory) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    let mut next = 0;
    bytes.split_inclusive(|byte| *byte == b'\n').enumerate().map(move |(at, line)| {
        let start = next;
        next += line.len();
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Line { number: at + 1, text: std::str::from_utf8(text).ok(), start, next }
    })
}

impl Style {
    /// The rest of a heading after its prefix.
    fn heading(self, text: &str) -> Option<&str> {
        match self {
            Self::File => text.strip_prefix("## "),
            Self::Log => {
                let (time, rest) = text.strip_prefix('[')?.split_once("] ")?;
                let is_time = time.len() == 5 && time.as_bytes()[2] == b':';
                is_time.then_some(rest)
            }
        }
    }
}

/// The ids of the headings, without parsing the rest.
pub(in crate::memory) fn ids(bytes: &[u8], style: Style) -> impl Iterator<Item = &str> {
    let headings = lines(bytes).filter_map(move |line| style.heading(line.text?));
    headings.filter_map(|text| heading(text).map(|(_, id)| id).or_else(|| foreign_format::id(text)))
}

/// The summary and the id of a heading, still escaped.
fn heading(text: &str) -> Option<(&str, &str)> {
    marked(text)
        .or_else(|| text.strip_prefix('^').filter(|rest| is_id(rest)).map(|rest| ("", rest)))
}

/// A line's text and the mark at its end.
fn marked(text: &str) -> Option<(&str, &str)> {
    // Searching for one character is faster than for two, and there are many lines.
    let (before, mark) = text.rsplit_once('^')?;
    Some((before.strip_suffix(' ')?, mark)).filter(|(_, mark)| is_id(mark))
}

pub(in crate::memory) fn parse(bytes: &[u8], style: Style) -> Parsed {
    let mut parsed = Parsed::default();
    let mut drafts: Vec<Draft> = Vec::new();
    // The latest entry with each mark.
    let mut by_mark: HashMap<&str, usize> = HashMap::new();
    // The entry that a line without a mark belongs to.
    let mut current: Option<usize> = None;
    let mut foreign: Option<foreign_format::Draft> = None;
    let mut orphans: Vec<&str> = Vec::new();
    // Lines without a mark, and the entry around them.
    let mut strays: Vec<(usize, usize)> = Vec::new();
    for line in lines(bytes) {
        let Some(text) = line.text else {
            if let Some(draft) = &mut foreign {
                draft.breaks("it is not UTF-8");
            } else if let Some(at) =
                owner_of_bytes(&bytes[line.start..line.next], &by_mark).or(current)
            {
                drafts[at].breaks("it is not UTF-8");
            }
            continue;
        };
        if let Some(rest) = style.heading(text) {
            if let Some((summary, id)) = heading(rest) {
                parsed.entries.extend(foreign.take().map(foreign_format::Draft::finish));
                let open = by_mark.get(mark(id)).copied();
                let open = open.filter(|at| drafts[*at].id == id && drafts[*at].end.is_none());
                match open {
                    // Two branches changed the heading of the same entry.
                    Some(at) => drafts[at].summary = unescaped(summary),
                    None => drafts.push(Draft::begin(line, id, unescaped(summary), style)),
                }
                let at = open.unwrap_or(drafts.len() - 1);
                by_mark.insert(mark(id), at);
                current = Some(at).filter(|_| style == Style::File);
                continue;
            }
            if let Some(id) = foreign_format::id(rest)
                && style == Style::File
            {
                parsed.entries.extend(
                    foreign
                        .replace(foreign_format::Draft::begin(line, id))
                        .map(foreign_format::Draft::finish),
                );
                current = None;
                continue;
            }
        }
        let Some((part, at)) = part(text) else {
            if let Some(draft) = &mut foreign {
                draft.take(line, text);
            } else if text.starts_with('#') {
                current = None;
            } else if style == Style::File
                && let Some((_, mark)) = marked(text).filter(|(_, mark)| by_mark.contains_key(mark))
            {
                let what = format!(
                    "it ends in `^{mark}` and is not part of that entry: begin it with `> `"
                );
                parsed.problems.push((line.number, what));
            } else if !text.trim().is_empty() {
                strays.extend(current.map(|current| (current, line.number)));
            }
            continue;
        };
        let marked = marked(text);
        if let Some((_, mark)) = marked
            && let Some(at_draft) = by_mark.get(mark)
        {
            let end = text.len() - mark.len() - " ^".len();
            let value = text.get(at..end).unwrap_or_default();
            let from = line.start + at.min(end);
            drafts[*at_draft].is_marked = true;
            drafts[*at_draft].take(line.number, part, value, from..line.start + end);
        } else if let Some(draft) = &mut foreign {
            draft.take(line, text);
        } else if let Some(at_draft) = current.filter(|current| !drafts[*current].is_marked) {
            let range = line.start + at..line.start + text.len();
            drafts[at_draft].take(line.number, part, &text[at..], range);
        } else if let Some((_, mark)) = marked
            && style == Style::File
            && !orphans.contains(&mark)
        {
            orphans.push(mark);
            parsed.problems.push((line.number, format!("the heading of `^{mark}` is not there")));
        } else {
            strays.extend(current.map(|current| (current, line.number)));
        }
    }
    parsed.entries.extend(foreign.map(foreign_format::Draft::finish));
    let lost = strays.into_iter().filter_map(|(at, line)| drafts[at].lost(line));
    parsed.problems.extend(lost);
    parsed.entries.extend(drafts.into_iter().map(Draft::finish));
    parsed.entries.sort_by_key(|entry| entry.line);
    once(parsed)
}

impl Parsed {
    /// Adds the content of the file at `path`.
    pub(in crate::memory) fn read_into(self, reading: &mut Reading, path: &Path) {
        let place = |line: usize| format!("{}:{line}", path.display());
        for (line, what) in self.problems {
            reading.problems.push(Problem { place: place(line), what });
        }
        for entry in self.entries {
            match entry.learning {
                Ok(learning) => reading.learnings.push(learning),
                Err(what) => {
                    let what = format!("`{}` cannot be read: {what}", entry.id);
                    reading.problems.push(Problem { place: place(entry.line), what });
                }
            }
        }
    }
}

/// Keeps only the first of several entries with the same id. The others stay in the file, and are
/// reported if they differ.
fn once(mut parsed: Parsed) -> Parsed {
    let mut first: HashMap<String, (usize, Option<Learning>)> = HashMap::new();
    parsed.entries.retain(|entry| {
        let learning = entry.learning.as_ref().ok();
        let Some((line, other)) = first.get(&entry.id) else {
            first.insert(entry.id.clone(), (entry.line, learning.cloned()));
            return true;
        };
        if other.as_ref() != learning || learning.is_none() {
            let what = format!(
                "`{}` is the id of the entry in line {line} too: give this one another",
                entry.id
            );
            parsed.problems.push((entry.line, what));
        }
        false
    });
    parsed
}

/// The entry whose mark is at the end of a line that is not UTF-8.
fn owner_of_bytes(line: &[u8], by_mark: &HashMap<&str, usize>) -> Option<usize> {
    let line = line.trim_ascii_end();
    let at = line.windows(2).rposition(|window| window == b" ^")?;
    by_mark.get(std::str::from_utf8(&line[at + 2..]).ok()?).copied()
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part<'a> {
    Field(&'a str),
    Detail,
}

/// Which part of an entry a line is, and the offset of its value.
fn part(text: &str) -> Option<(Part<'_>, usize)> {
    if let Some(rest) = text.strip_prefix('>') {
        return Some((Part::Detail, if rest.starts_with(' ') { 2 } else { 1 }));
    }
    let (label, rest) = text.strip_prefix("- **")?.split_once(':')?;
    let rest = rest.strip_prefix("**")?;
    let blank = usize::from(rest.starts_with(' '));
    Some((Part::Field(label), text.len() - rest.len() + blank))
}

/// An entry that is being parsed.
#[derive(Debug, Default)]
struct Draft {
    style: Style,
    line: usize,
    id: String,
    summary: String,
    /// The last value of each label, in lower case.
    fields: HashMap<String, String>,
    detail: Option<String>,
    statuses: Vec<Range<usize>>,
    status: Option<Status>,
    after_heading: usize,
    is_marked: bool,
    /// The position of its last line, `Written`.
    end: Option<usize>,
    broken: Option<String>,
}

impl Draft {
    fn begin(line: Line, id: &str, summary: String, style: Style) -> Self {
        Self {
            style,
            line: line.number,
            id: id.to_owned(),
            summary,
            after_heading: line.next,
            ..Self::default()
        }
    }

    fn breaks(&mut self, why: impl Into<String>) {
        self.broken.get_or_insert(why.into());
    }

    fn take(&mut self, line: usize, part: Part, value: &str, range: Range<usize>) {
        match part {
            Part::Detail => match &mut self.detail {
                Some(detail) => {
                    detail.push('\n');
                    detail.push_str(&unescaped(value));
                }
                None => self.detail = Some(unescaped(value)),
            },
            Part::Field(label) => {
                let label = label.to_lowercase();
                match &*label {
                    "status" => {
                        self.statuses.push(range);
                        match Status::find(value) {
                            // After a merge of two branches the stronger status applies.
                            Some(status) if self.style == Style::File => {
                                self.status = self.status.max(Some(status));
                            }
                            Some(insert) => self.status = Some(insert),
                            None => self.breaks(Status::unknown(value)),
                        }
                    }
                    "written" => self.end = Some(line),
                    _ => (),
                }
                self.fields.insert(label, value.to_owned());
            }
        }
    }

    /// The problem with a line without a mark between lines with one: someone wrapped or added it,
    /// and would not notice that it is ignored.
    fn lost(&self, line: usize) -> Option<(usize, String)> {
        let is_within = self.is_marked && self.end.is_some_and(|end| line < end);
        let mark = mark(&self.id);
        let what =
            || format!("it is inside `{}` but not part of it: end it with ` ^{mark}`", self.id);
        is_within.then(|| (line, what()))
    }

    fn finish(mut self) -> Entry {
        let learning = self.learning();
        let mark = mark(&self.id);
        let end = if self.is_marked { format!(" ^{mark}") } else { String::new() };
        Entry {
            line: self.line,
            learning,
            statuses: self.statuses,
            after_heading: self.after_heading,
            frame: ("- **Status:** ".to_owned(), end),
            id: self.id,
        }
    }

    fn learning(&mut self) -> Result<Learning, String> {
        if let Some(why) = self.broken.take() {
            return Err(why);
        }
        if self.is_marked && self.end.is_none() {
            return Err("it ends before its last line, `Written`".to_owned());
        }
        let text = |label: &str| self.fields.get(label).map(|field| unescaped(field));
        let texts = |label: &str| {
            let value = self.fields.get(label)?;
            Some(value.split(", ").map(unescaped).collect::<Vec<_>>())
        };
        let (created_at, roz_version) = match self.fields.get("written") {
            Some(written) => {
                let (time, version) = match written.split_once(" by roz ") {
                    Some((time, version)) => (time, Some(unescaped(version))),
                    None => (written.as_str(), None),
                };
                let time = self::time(time).ok_or_else(|| format!("`{time}` is not a time"))?;
                (time, version)
            }
            None => (day(&self.id).unwrap_or(DateTime::UNIX_EPOCH), None),
        };
        let criteria = texts("criteria").unwrap_or_default();
        let criterion =
            |name: &String| Criterion::find(name).ok_or(format!("`{name}` is not a criterion"));
        Ok(Learning {
            id: self.id.clone(),
            category: word(&self.fields, "category", Category::find)?
                .ok_or("it has no category")?,
            summary: self.summary.clone(),
            detail: self.detail.take().ok_or("it has no detail")?,
            scope: word(&self.fields, "scope", Scope::find)?.unwrap_or_default(),
            confidence: word(&self.fields, "confidence", Confidence::find)?.unwrap_or_default(),
            status: self.status.unwrap_or_default(),
            criteria: criteria.iter().map(criterion).collect::<Result<_, _>>()?,
            tags: texts("tags").unwrap_or_default(),
            context_files: texts("files").unwrap_or_default(),
            relevance: text("relevance"),
            ticket_id: text("ticket"),
            session_id: text("session"),
            supersedes: text("supersedes"),
            created_at,
            roz_version,
        })
    }
}

fn word<T>(
    fields: &HashMap<String, String>,
    label: &str,
    find: fn(&str) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(value) = fields.get(label) else { return Ok(None) };
    find(value).map(Some).ok_or_else(|| format!("`{value}` is not a {label}"))
}

/// Parses RFC 3339, or what people write instead.
pub(in crate::memory) fn time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    let text = text.trim_end_matches("UTC").trim_end();
    let formats = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    let parse = |format| chrono::NaiveDateTime::parse_from_str(text, format).ok();
    let day = || Some(NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_time(NaiveTime::MIN));
    Some(formats.into_iter().find_map(parse).or_else(day)?.and_utc())
}

/// The date in an id.
pub(in crate::memory) fn day(id: &str) -> Option<DateTime<Utc>> {
    let day = id.split('_').find(|part| part.len() == 8)?;
    let day = NaiveDate::parse_from_str(day, "%Y%m%d").ok()?;
    Some(day.and_time(NaiveTime::MIN).and_utc())
}
