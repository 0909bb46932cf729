//! How a ledger's records are chained: each has the hash of the previous record of its session, and
//! roz keeps the last hash of each session of this machine.
//!
//! So edited, removed, moved and inserted lines are found. A repeated line, as from a union merge
//! by an older roz, does no harm. Sessions are independent, so merged branches may mix the lines of
//! different sessions.
//!
//! Two fields occur only in records of an older roz: `elsewhere` (the previous record was on
//! another branch, so it may be missing above) and `torn` (the hash of an unfinished line above).
//!
//! Not found: a truncated session of another machine, and a session that is invented as a whole.
//! [`Verdict::unanchored`] lists these sessions.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
};

use serde::{Deserialize, Serialize};

use crate::core::bounded;

/// The last record of a session that was written on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub session_id: String,
    /// The hash of the line, in hexadecimal digits.
    pub hash: String,
    pub id: String,
    pub seq: u64,
}

#[derive(Debug, Default, Serialize)]
pub struct Verdict {
    pub lines: u64,
    pub records: u64,
    pub sessions: u64,
    pub problems: Vec<Problem>,
    /// Unfinished lines of a writer that was killed; the record after each confirms it.
    pub torn: Vec<u64>,
    /// Sessions whose last record is not known on this machine.
    pub unanchored: Vec<String>,
}

/// A deviation from what roz wrote. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    #[serde(flatten)]
    pub what: What,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "problem", rename_all = "snake_case")]
pub enum What {
    /// Not a record of roz's.
    Unreadable { line: u64 },
    /// Not after the line that it follows, or a second line that follows the same one; 0: a second
    /// beginning of the session.
    Moved { line: u64, follows: u64 },
    /// Records are missing between the lines `after` (0: the beginning) and `before`; `records` is
    /// how many, according to their numbers.
    Removed { after: u64, before: u64, records: u64 },
    /// The line does not have the hash that the next record or the machine's last one names.
    Changed { line: u64 },
    /// The last records are missing; with `after` 0, the whole session.
    EndRemoved { after: u64, records: u64 },
    /// Lines after the last record that was written.
    Added { lines: Vec<u64>, after: u64 },
    /// An unfinished line that this one confirms is missing or changed.
    TornRemoved { vouched_by: u64 },
    /// A problem in git notes, with records that no file here has.
    InNotes { what: String },
}

#[derive(Debug, Default)]
pub struct Chains {
    lines: u64,
    links: Vec<Link>,
    sessions: Vec<String>,
    numbers: HashMap<String, usize>,
    strays: Vec<(u64, String)>,
    vouched: Vec<(u64, String)>,
}

#[derive(Debug)]
struct Link {
    line: u64,
    session: usize,
    seq: u64,
    hash: String,
    prev: Option<String>,
    elsewhere: bool,
}

/// The fields of a record that say where it belongs.
#[derive(Debug, Deserialize)]
pub struct Place<'a> {
    #[serde(borrow)]
    pub session_id: Cow<'a, str>,
    id: Cow<'a, str>,
    metadata: PlaceMetadata,
}

#[derive(Debug, Deserialize)]
struct PlaceMetadata {
    #[serde(rename = "dev.roz")]
    roz: PlaceDetails,
}

#[derive(Debug, Deserialize)]
struct PlaceDetails {
    seq: u64,
    #[serde(default)]
    prev: Option<String>,
    #[serde(default)]
    elsewhere: bool,
    #[serde(default)]
    torn: Option<String>,
}

impl<'a> Place<'a> {
    /// `None` if the line is not a record of roz's.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn seq(&self) -> u64 {
        self.metadata.roz.seq
    }

    /// The head of the session, if this line is its last.
    pub fn head(&self, line: &[u8]) -> Head {
        Head {
            session_id: self.session_id.clone().into_owned(),
            hash: bounded::sha256(line),
            id: self.id.clone().into_owned(),
            seq: self.metadata.roz.seq,
        }
    }
}

impl Chains {
    /// `line` comes without its line end.
    pub fn add(&mut self, line: &[u8]) {
        self.lines += 1;
        let hash = bounded::sha256(line);
        let Some(place) = Place::read(line) else {
            self.strays.push((self.lines, hash));
            return;
        };
        let PlaceDetails { seq, prev, elsewhere, torn } = place.metadata.roz;
        self.vouched.extend(torn.map(|torn| (self.lines, torn)));
        let session = if let Some(number) = self.numbers.get(&*place.session_id) {
            *number
        } else {
            let name = place.session_id.into_owned();
            self.sessions.push(name.clone());
            *self.numbers.entry(name).or_insert(self.sessions.len() - 1)
        };
        self.links.push(Link { line: self.lines, session, seq, hash, prev, elsewhere });
    }

    /// Adds what follows the last line end: an unfinished line.
    pub fn add_rest(&mut self, rest: &[u8]) {
        if !rest.is_empty() {
            self.add(rest);
        }
    }

    pub fn verdict(self, heads: &[Head]) -> Verdict {
        let mut verdict = Verdict {
            lines: self.lines,
            sessions: self.sessions.len() as u64,
            ..Verdict::default()
        };
        self.judge_strays(&mut verdict);
        let mut chains: Vec<Vec<&Link>> = vec![Vec::new(); self.sessions.len()];
        for link in &self.links {
            chains[link.session].push(link);
        }
        let mut heads: BTreeMap<&str, &Head> =
            heads.iter().map(|head| (head.session_id.as_str(), head)).collect();
        for (name, chain) in self.sessions.iter().zip(&chains) {
            let mut found = Vec::new();
            let kept = walk(chain, &mut found);
            verdict.records += kept.len() as u64;
            match heads.remove(name.as_str()) {
                Some(head) => judge_end(&kept, head, &mut found),
                None => verdict.unanchored.push(name.clone()),
            }
            let of_session = |what| Problem { what, session_id: Some(name.clone()) };
            verdict.problems.extend(found.into_iter().map(of_session));
        }
        for (name, head) in heads {
            let what = What::EndRemoved { after: 0, records: head.seq };
            verdict.problems.push(Problem { what, session_id: Some(name.to_owned()) });
        }
        verdict.unanchored.sort_unstable();
        verdict.problems.sort_by_key(|problem| problem.what.line());
        verdict
    }

    fn judge_strays(&self, verdict: &mut Verdict) {
        let vouched: HashSet<&str> = self.vouched.iter().map(|(_, hash)| &**hash).collect();
        // The writer after a torn line may be killed, too. Its own half confirms nothing: the first
        // whole record after them confirms all.
        let mut torn_behind = None;
        for (line, hash) in self.strays.iter().rev() {
            if vouched.contains(&**hash) || torn_behind == Some(*line + 1) {
                torn_behind = Some(*line);
                verdict.torn.insert(0, *line);
            } else {
                let what = What::Unreadable { line: *line };
                verdict.problems.push(Problem { what, session_id: None });
            }
        }
        for (line, hash) in &self.vouched {
            if !self.strays.iter().any(|(_, stray)| stray == hash) {
                let what = What::TornRemoved { vouched_by: *line };
                verdict.problems.push(Problem { what, session_id: None });
            }
        }
    }
}

/// Follows a session's records by their lines. Returns them without copies.
fn walk<'a>(chain: &[&'a Link], found: &mut Vec<What>) -> Vec<&'a Link> {
    let mut by_hash: HashMap<&str, &Link> = HashMap::with_capacity(chain.len());
    let mut kept: Vec<&Link> = Vec::with_capacity(chain.len());
    for link in chain {
        if !by_hash.contains_key(&*link.hash) {
            by_hash.insert(&link.hash, link);
            kept.push(link);
        }
    }
    let mut by_seq = kept.clone();
    by_seq.sort_by_key(|link| link.seq);
    let mut followed: HashSet<&str> = HashSet::with_capacity(kept.len());
    let mut has_begun = false;
    for link in &kept {
        let Some(prev) = &link.prev else {
            if has_begun {
                found.push(What::Moved { line: link.line, follows: 0 });
            }
            has_begun = true;
            continue;
        };
        let is_first = followed.insert(prev);
        match by_hash.get(&**prev) {
            Some(prev) if is_first && (prev.line < link.line || link.elsewhere) => (),
            Some(prev) => found.push(What::Moved { line: link.line, follows: prev.line }),
            None => found.push(gap(link, &by_seq)),
        }
    }
    kept
}

/// Why the record before `link` is missing: another is in its place, or none. `by_seq` has the
/// session's records by their numbers.
fn gap(link: &Link, by_seq: &[&Link]) -> What {
    let earlier = by_seq.partition_point(|other| other.seq < link.seq).checked_sub(1);
    let (after, seq) = earlier.map_or((0, 0), |at| (by_seq[at].line, by_seq[at].seq));
    if after > 0 && link.seq <= seq.saturating_add(1) {
        return What::Changed { line: after };
    }
    let records = link.seq.saturating_sub(seq).saturating_sub(1).max(1);
    What::Removed { after, before: link.line, records }
}

/// Compares the end of a session with its stored head.
fn judge_end(chain: &[&Link], head: &Head, found: &mut Vec<What>) {
    if let Some(end) = chain.iter().find(|link| link.hash == head.hash) {
        let lines = behind(end, chain);
        // A wrong order has been reported already.
        if !lines.is_empty() && !found.iter().any(|what| matches!(what, What::Moved { .. })) {
            found.push(What::Added { lines, after: end.line });
        }
        return;
    }
    let newest = chain.iter().max_by_key(|link| link.seq);
    let (line, seq) = newest.map_or((0, 0), |link| (link.line, link.seq));
    found.push(if seq < head.seq {
        What::EndRemoved { after: line, records: head.seq - seq }
    } else {
        What::Changed { line }
    });
}

fn behind(end: &Link, chain: &[&Link]) -> Vec<u64> {
    let mut hashes = HashSet::from([&*end.hash]);
    let mut lines = Vec::new();
    for link in chain {
        if link.prev.as_deref().is_some_and(|prev| hashes.contains(prev)) {
            hashes.insert(&link.hash);
            lines.push(link.line);
        }
    }
    lines
}

impl What {
    pub fn line(&self) -> u64 {
        match self {
            Self::Unreadable { line } | Self::Moved { line, .. } | Self::Changed { line } => *line,
            Self::Removed { before, .. } => *before,
            Self::EndRemoved { after, .. } => *after,
            Self::Added { lines, .. } => lines.first().copied().unwrap_or(0),
            Self::InNotes { .. } => u64::MAX,
            Self::TornRemoved { vouched_by } => *vouched_by,
        }
    }
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Unreadable { line } => write!(f, "line {line}: no record, or a damaged one"),
            Self::Moved { line, follows: 0 } => write!(f, "line {line}: begins the session again"),
            Self::Moved { line, follows } => {
                write!(f, "line {line}: out of order, it belongs after line {follows}")
            }
            Self::Removed { after: 0, before, records } => {
                write!(f, "line {before}: {} before it", gone(*records))
            }
            Self::Removed { after, before, records } => {
                write!(f, "line {before}: {} between line {after} and this one", gone(*records))
            }
            Self::Changed { line } => write!(
                f,
                "line {line}: changed since it was written, or put in the place of another"
            ),
            Self::EndRemoved { after: 0, records } => {
                write!(f, "{}: the whole session", gone(*records))
            }
            Self::EndRemoved { after, records } => {
                write!(f, "line {after}: {} after it, at the session's end", gone(*records))
            }
            Self::Added { lines, after } => {
                let lines: Vec<String> = lines.iter().take(10).map(u64::to_string).collect();
                let lines = lines.join(", ");
                write!(f, "line {lines}: after line {after}, the last one that was written here")
            }
            Self::InNotes { what } => write!(f, "in git's notes: {what}"),
            Self::TornRemoved { vouched_by } => write!(
                f,
                "line {vouched_by}: the unfinished line that it refers to is missing or changed"
            ),
        }
    }
}

fn gone(records: u64) -> String {
    match records {
        1 => "a record is gone".to_owned(),
        _ => format!("{records} records are gone"),
    }
}

#[cfg(test)]
mod tests;
