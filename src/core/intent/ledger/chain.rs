//! How a ledger's records hold together: each names the hash of its session's
//! record before, and of each session on this machine the last one is known.
//!
//! So a line that was edited, removed, moved or put in is found; one that is there
//! twice, as a merge of picked commits leaves it, is told of and does no harm, but
//! one that was just put behind itself is found. Each also names the line that was the ledger's last when it was written, of
//! whatever session: where both are there, that one stands before it. Branches
//! that are merged or rebased put lines of different sessions in another order,
//! and keep that of each side, so what was seen when a line was written still
//! stands before it.
//!
//! One session may write on two branches. Then the record before is perhaps not
//! in the file when the next is written, and that one says so (`elsewhere`): the
//! record before has to be somewhere, and no order of these two was ever seen.
//!
//! What is not found: the end of a session of another machine that was cut
//! off, and a session that somebody made up whole. [`Verdict::unanchored`]
//! names these sessions.
//!
//! Long because what may be wrong, how it is found and its words are one list.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::bounded;

pub type Hash = [u8; 32];

/// The last record of a session, as it was written here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    pub session_id: String,
    /// Of the line, in hexadecimal digits.
    pub hash: String,
    /// The record's id.
    pub id: String,
    pub seq: u64,
}

/// What is known here of a session.
#[derive(Debug, Clone, Default)]
pub struct Anchor {
    /// None before the first.
    pub last: Option<Head>,
    /// One that was about to be written when its writer was killed: it may be
    /// there or not.
    pub pending: Option<Head>,
}

/// What a ledger is found to be.
#[derive(Debug, Default, Serialize)]
pub struct Verdict {
    pub lines: u64,
    pub records: u64,
    pub sessions: u64,
    pub problems: Vec<Problem>,
    /// Ends of lines that a writer was killed at: kept, and vouched for by the
    /// record that came after, or the last of all.
    pub torn: Vec<u64>,
    /// Lines that are there twice, as they were written: where both branches
    /// have a picked commit, the union merge of an older roz may have kept both.
    pub copies: Vec<Copied>,
    /// Sessions whose last record nobody knows here.
    pub unanchored: Vec<String>,
}

/// `line` is the same as `of`, which stands before it. Lines count from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Copied {
    pub line: u64,
    pub of: u64,
}

impl std::fmt::Display for Copied {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "line {}: the same as line {}", self.line, self.of)
    }
}

/// Something that is not as roz wrote it. Lines count from 1.
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
    /// No record of roz's.
    Unreadable { line: u64 },
    /// Not behind the line that it follows.
    Moved { line: u64, follows: u64 },
    /// Two lines follow the same one.
    Forked { line: u64, beside: u64, follows: u64 },
    /// Before a line that was there when it was written.
    OutOfOrder { line: u64, after: u64 },
    /// A second beginning of the session.
    BegunAgain { line: u64 },
    /// The line above once more, which stands where it was written: no merge
    /// leaves that.
    Doubled { line: u64, of: u64 },
    /// Lines between `after` (0: the beginning) and `before` are gone, as many
    /// as their numbers tell.
    Removed { after: u64, before: u64, records: u64, hash: String },
    /// The line is not what the next one was written behind.
    Changed { line: u64 },
    /// The last lines are gone.
    EndRemoved { after: u64, records: u64, hash: String },
    /// The last line is not the one that was written.
    EndChanged { line: u64 },
    /// Lines behind the last one that was written.
    Added { lines: Vec<u64>, after: u64 },
    /// No line of the session is left.
    SessionRemoved { records: u64, hash: String },
    /// What was left of a line, and vouched for, is gone or changed.
    TornRemoved { vouched_by: u64 },
    /// The same, in notes: of records that are in no file here.
    InNotes { what: String },
}

/// Reads a ledger line by line.
#[derive(Debug, Default)]
pub struct Chains {
    lines: u64,
    links: Vec<Link>,
    numbers: HashMap<String, u32>,
    strays: Vec<(u64, Hash)>,
    vouched: Vec<(u64, Hash)>,
    has_open_end: bool,
    is_unordered: bool,
}

#[derive(Debug)]
struct Link {
    line: u64,
    session: u32,
    seq: u64,
    hash: Hash,
    prev: Prev,
    /// `prev` was not in the file.
    elsewhere: bool,
    after: Option<Hash>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prev {
    None,
    Hash(Hash),
    /// Something, but no hash.
    Nonsense,
}

/// What a line says of its place.
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
    after: Option<String>,
    #[serde(default)]
    torn: Option<String>,
}

impl<'a> Place<'a> {
    /// None if the line is no record of roz's.
    pub fn read(line: &'a [u8]) -> Option<Self> {
        serde_json::from_slice(line).ok()
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// The record's number in its session.
    pub fn seq(&self) -> u64 {
        self.metadata.roz.seq
    }

    /// What the line is the head of, if it is its session's last.
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
    /// Of lines that stand in their sessions' order alone, as notes have them.
    pub fn unordered() -> Self {
        Self { is_unordered: true, ..Self::default() }
    }

    /// The next line, without its end.
    pub fn add(&mut self, line: &[u8]) {
        self.lines += 1;
        let hash = Sha256::digest(line).into();
        let Some(place) = Place::read(line) else {
            self.strays.push((self.lines, hash));
            return;
        };
        let PlaceDetails { seq, prev, elsewhere, after, torn } = place.metadata.roz;
        let prev = match prev {
            None => Prev::None,
            Some(text) => from_hex(&text).map_or(Prev::Nonsense, Prev::Hash),
        };
        if let Some(torn) = torn.as_deref().and_then(from_hex) {
            self.vouched.push((self.lines, torn));
        }
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        let session = match self.numbers.get(&*place.session_id) {
            Some(number) => *number,
            None => *self.numbers.entry(place.session_id.into_owned()).or_insert(next),
        };
        let after = after.as_deref().and_then(from_hex);
        self.links.push(Link { line: self.lines, session, seq, hash, prev, elsewhere, after });
    }

    /// What stands behind the last end of a line.
    pub fn add_rest(&mut self, rest: &[u8]) {
        if !rest.is_empty() {
            self.add(rest);
            self.has_open_end = true;
        }
    }

    /// `anchors` are those of all sessions that are known here.
    pub fn verdict(self, anchors: &[Anchor]) -> Verdict {
        let mut verdict = Verdict {
            lines: self.lines,
            records: self.links.len() as u64,
            sessions: self.numbers.len() as u64,
            ..Verdict::default()
        };
        self.judge_strays(anchors, &mut verdict);
        let mut names: Vec<(&str, u32)> =
            self.numbers.iter().map(|(name, number)| (name.as_str(), *number)).collect();
        names.sort_by_key(|(_, number)| *number);
        let mut chains: Vec<Vec<&Link>> = vec![Vec::new(); names.len()];
        for link in &self.links {
            if let Some(chain) = chains.get_mut(link.session as usize) {
                chain.push(link);
            }
        }
        let mut anchors: BTreeMap<&str, &Anchor> =
            anchors.iter().filter_map(|it| Some((it.session_id()?, it))).collect();
        for ((name, _), chain) in names.into_iter().zip(&chains) {
            let mut found = Vec::new();
            let walked = walk(chain, &mut verdict.copies, &mut found);
            match anchors.remove(name) {
                Some(anchor) => judge_end(&walked, anchor, &mut found),
                None => verdict.unanchored.push(name.to_owned()),
            }
            let name = || Some(name.to_owned());
            verdict
                .problems
                .extend(found.into_iter().map(|what| Problem { what, session_id: name() }));
        }
        for (name, anchor) in anchors {
            let Some(last) = &anchor.last else { continue };
            verdict.problems.push(Problem {
                what: What::SessionRemoved { records: last.seq, hash: last.hash.clone() },
                session_id: Some(name.to_owned()),
            });
        }
        if !self.is_unordered {
            self.judge_order(&mut verdict);
        }
        verdict.records = verdict.records.saturating_sub(verdict.copies.len() as u64);
        self.judge_copies(&mut verdict);
        verdict.unanchored.sort_unstable();
        verdict.problems.sort_by_key(|it| it.what.line());
        verdict
    }

    /// Whether each line stands behind the one that was the last when it was
    /// written, if that is there.
    fn judge_order(&self, verdict: &mut Verdict) {
        let of_links = self.links.iter().map(|it| (it.hash, (it.line, Some(it.session))));
        let strays = self.strays.iter().map(|(line, hash)| (*hash, (*line, None)));
        let mut first: HashMap<Hash, (u64, Option<u32>)> = HashMap::with_capacity(self.links.len());
        for (hash, place) in of_links.chain(strays) {
            let known = first.entry(hash).or_insert(place);
            *known = (*known).min(place);
        }
        let names: HashMap<u32, &str> =
            self.numbers.iter().map(|(name, number)| (*number, name.as_str())).collect();
        let branched: HashSet<u32> =
            self.links.iter().filter(|it| it.elsewhere).map(|it| it.session).collect();
        for link in &self.links {
            let Some((after, session)) = link.after.and_then(|it| first.get(&it).copied()) else {
                continue;
            };
            // Of its own session it has been told, unless that is on two branches.
            let is_told = session == Some(link.session) && !branched.contains(&link.session);
            if after > link.line && !is_told {
                verdict.problems.push(Problem {
                    what: What::OutOfOrder { line: link.line, after },
                    session_id: names.get(&link.session).map(|it| (*it).to_owned()),
                });
            }
        }
    }

    /// A merge of branches that both have a line may leave it twice. Right behind
    /// itself it is then only where the first stands behind lines of its branch
    /// that were not there when it was written.
    fn judge_copies(&self, verdict: &mut Verdict) {
        let of_links = self.links.iter().map(|it| (it.line, it.hash));
        let hashes: HashMap<u64, Hash> = of_links.chain(self.strays.iter().copied()).collect();
        let links: HashMap<u64, &Link> = self.links.iter().map(|it| (it.line, it)).collect();
        let names: HashMap<u32, &str> =
            self.numbers.iter().map(|(name, number)| (*number, name.as_str())).collect();
        verdict.copies.sort_unstable_by_key(|it| it.line);
        let mut doubled: HashSet<u64> = HashSet::new();
        let (links, problems) = (&links, &mut verdict.problems);
        verdict.copies.retain(|Copied { line, of }| {
            let Some(first) = links.get(of) else { return true };
            let is_behind = line - 1 == *of || doubled.contains(&(line - 1));
            let above = of.checked_sub(1).and_then(|it| hashes.get(&it)).copied();
            let is_doubled = is_behind && above == first.written_behind();
            if is_doubled {
                doubled.insert(*line);
                problems.push(Problem {
                    what: What::Doubled { line: *line, of: *of },
                    session_id: names.get(&first.session).map(|it| (*it).to_owned()),
                });
            }
            !is_doubled
        });
    }

    fn judge_strays(&self, anchors: &[Anchor], verdict: &mut Verdict) {
        let vouched: HashSet<Hash> = self.vouched.iter().map(|(_, hash)| *hash).collect();
        let was_cut_off = anchors.iter().any(|it| it.pending.is_some());
        // Who goes on behind a torn line may be killed at it as well, and its own
        // half vouches for nobody: the one behind that does, for all of them.
        let mut torn_behind = None;
        for (line, hash) in self.strays.iter().rev() {
            let is_last = self.has_open_end && *line == self.lines;
            let is_before_torn = torn_behind == Some(*line + 1);
            if vouched.contains(hash) || is_last && was_cut_off || is_before_torn {
                torn_behind = Some(*line);
                verdict.torn.insert(0, *line);
            } else {
                let what = What::Unreadable { line: *line };
                verdict.problems.push(Problem { what, session_id: None });
            }
        }
        let strays: HashSet<Hash> = self.strays.iter().map(|(_, hash)| *hash).collect();
        for (line, hash) in &self.vouched {
            if !strays.contains(hash) {
                let what = What::TornRemoved { vouched_by: *line };
                verdict.problems.push(Problem { what, session_id: None });
            }
        }
    }
}

impl Link {
    /// The line that was the ledger's last when this one was written; one of its
    /// own session is named once.
    fn written_behind(&self) -> Option<Hash> {
        self.after.or(match self.prev {
            Prev::Hash(prev) if !self.elsewhere => Some(prev),
            Prev::Hash(_) | Prev::None | Prev::Nonsense => None,
        })
    }
}

impl Anchor {
    pub fn session_id(&self) -> Option<&str> {
        let head = self.last.as_ref().or(self.pending.as_ref())?;
        Some(&head.session_id)
    }
}

/// Follows a session's records in the order of their lines; answers those that
/// are no doubles.
fn walk<'a>(chain: &[&'a Link], copies: &mut Vec<Copied>, found: &mut Vec<What>) -> Vec<&'a Link> {
    let mut by_hash: HashMap<Hash, usize> = HashMap::with_capacity(chain.len());
    let mut kept: Vec<&Link> = Vec::with_capacity(chain.len());
    for link in chain {
        if let Some(at) = by_hash.get(&link.hash) {
            copies.push(Copied { line: link.line, of: kept[*at].line });
            continue;
        }
        by_hash.insert(link.hash, kept.len());
        kept.push(link);
    }
    let is_branched = kept.iter().any(|it| it.elsewhere);
    let mut by_seq = if is_branched { kept.clone() } else { Vec::new() };
    by_seq.sort_by_key(|it| it.seq);
    let mut followed: HashMap<Hash, u64> = HashMap::with_capacity(kept.len());
    let mut has_begun = false;
    for (at, link) in kept.iter().enumerate() {
        let known = match link.prev {
            Prev::Hash(prev) => by_hash.get(&prev).copied(),
            Prev::None | Prev::Nonsense => None,
        };
        let above = at.checked_sub(1).map(|it| kept[it]);
        let is_in_place = match link.prev {
            _ if !is_branched => link.prev == above.map_or(Prev::None, |it| Prev::Hash(it.hash)),
            Prev::Hash(prev) => {
                !followed.contains_key(&prev)
                    && known.is_some_and(|prev| prev < at || link.elsewhere)
            }
            Prev::None => !has_begun,
            Prev::Nonsense => false,
        };
        has_begun |= link.prev == Prev::None;
        if !is_in_place {
            // On two branches the line above says nothing, its number does.
            let earlier = by_seq.partition_point(|it| it.seq < link.seq).checked_sub(1);
            let before = if is_branched { earlier.map(|it| by_seq[it]) } else { above };
            found.push(match (known, link.prev, before) {
                (Some(prev), _, _) => {
                    let follows = kept[prev].line;
                    match followed.get(&kept[prev].hash) {
                        Some(beside) if prev < at || link.elsewhere => {
                            What::Forked { line: link.line, beside: *beside, follows }
                        }
                        _ => What::Moved { line: link.line, follows },
                    }
                }
                (None, Prev::None, _) => What::BegunAgain { line: link.line },
                (None, _, Some(before)) if link.seq <= before.seq.saturating_add(1) => {
                    What::Changed { line: before.line }
                }
                (None, prev, before) => What::Removed {
                    after: before.map_or(0, |it| it.line),
                    before: link.line,
                    records: link
                        .seq
                        .saturating_sub(before.map_or(0, |it| it.seq))
                        .saturating_sub(1)
                        .max(1),
                    hash: match prev {
                        Prev::Hash(hash) => bounded::hex(&hash),
                        Prev::None | Prev::Nonsense => String::new(),
                    },
                },
            });
        }
        if let Prev::Hash(prev) = link.prev {
            followed.entry(prev).or_insert(link.line);
        }
    }
    kept
}

/// Compares the end of a session with what is known of it here.
fn judge_end(chain: &[&Link], anchor: &Anchor, found: &mut Vec<What>) {
    let position = |head: &Option<Head>| {
        let hash = from_hex(&head.as_ref()?.hash)?;
        chain.iter().rposition(|it| it.hash == hash)
    };
    // A record that was to be written counts if it was.
    let end = position(&anchor.pending).or_else(|| position(&anchor.last));
    let is_branched = chain.iter().any(|it| it.elsewhere);
    let newest = if is_branched { chain.iter().max_by_key(|it| it.seq) } else { chain.last() };
    let last_line = newest.map_or(0, |it| it.line);
    match (end, &anchor.last) {
        (Some(end), _) => {
            let lines: Vec<u64> = if is_branched {
                behind(chain[end], chain)
            } else {
                chain[end + 1..].iter().map(|it| it.line).collect()
            };
            // Lines in another order have been told of.
            if !lines.is_empty() && !found.iter().any(|it| matches!(it, What::Moved { .. })) {
                found.push(What::Added { lines, after: chain[end].line });
            }
        }
        (None, Some(last)) => {
            let seq = newest.map_or(0, |it| it.seq);
            found.push(if seq < last.seq {
                let records = last.seq - seq;
                What::EndRemoved { after: last_line, records, hash: last.hash.clone() }
            } else {
                What::EndChanged { line: last_line }
            });
        }
        // Its first record was to be written, and others are there.
        (None, None) => {
            let lines = chain.iter().map(|it| it.line).collect();
            found.push(What::Added { lines, after: 0 });
        }
    }
}

/// The lines that follow `link`, wherever they stand.
fn behind(link: &Link, chain: &[&Link]) -> Vec<u64> {
    let mut followers: HashMap<Hash, Vec<&Link>> = HashMap::new();
    for it in chain {
        if let Prev::Hash(prev) = it.prev {
            followers.entry(prev).or_default().push(it);
        }
    }
    let mut lines = Vec::new();
    let mut open = vec![link.hash];
    while let Some(hash) = open.pop() {
        for it in followers.remove(&hash).unwrap_or_default() {
            lines.push(it.line);
            open.push(it.hash);
        }
    }
    lines.sort_unstable();
    lines
}

fn from_hex(text: &str) -> Option<Hash> {
    let mut hash = [0; 32];
    let bytes = text.as_bytes();
    if bytes.len() != 64 {
        return None;
    }
    // In lower case alone: each hash has one spelling.
    let digit = |it: u8| match it {
        b'0'..=b'9' => Some(it - b'0'),
        b'a'..=b'f' => Some(it - b'a' + 10),
        _ => None,
    };
    for (to, pair) in hash.iter_mut().zip(bytes.chunks_exact(2)) {
        *to = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(hash)
}

impl What {
    /// The first line that it is about.
    pub fn line(&self) -> u64 {
        match self {
            Self::Unreadable { line }
            | Self::Moved { line, .. }
            | Self::Forked { line, .. }
            | Self::OutOfOrder { line, .. }
            | Self::BegunAgain { line }
            | Self::Doubled { line, .. }
            | Self::Changed { line }
            | Self::EndChanged { line } => *line,
            Self::Removed { before, .. } => *before,
            Self::EndRemoved { after, .. } => *after,
            Self::Added { lines, .. } => lines.first().copied().unwrap_or(0),
            Self::SessionRemoved { .. } | Self::InNotes { .. } => u64::MAX,
            Self::TornRemoved { vouched_by } => *vouched_by,
        }
    }

    /// The hash of a line that ought to be there and is not: with it, all is
    /// well. It may be on another branch.
    pub fn missing(&self) -> Option<&str> {
        match self {
            Self::Removed { hash, .. }
            | Self::EndRemoved { hash, .. }
            | Self::SessionRemoved { hash, .. } => Some(hash),
            Self::Unreadable { .. }
            | Self::Moved { .. }
            | Self::Forked { .. }
            | Self::OutOfOrder { .. }
            | Self::BegunAgain { .. }
            | Self::Doubled { .. }
            | Self::Changed { .. }
            | Self::EndChanged { .. }
            | Self::Added { .. }
            | Self::TornRemoved { .. }
            | Self::InNotes { .. } => None,
        }
    }
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Self::Unreadable { line } => write!(f, "line {line}: no record, or a damaged one"),
            Self::Moved { line, follows } => {
                write!(f, "line {line}: not in its place, which is behind line {follows}")
            }
            Self::Forked { line, beside, follows } => {
                write!(
                    f,
                    "line {line}: follows line {follows}, as line {beside} does: one of them was put in"
                )
            }
            Self::Doubled { line, of } => write!(f, "line {line}: line {of} once more"),
            Self::OutOfOrder { line, after } => write!(
                f,
                "line {line}: not in its place: line {after} was there when it was written"
            ),
            Self::BegunAgain { line } => {
                write!(f, "line {line}: begins the session again: put in, or lines before are gone")
            }
            Self::Removed { after: 0, before, records, .. } => {
                write!(f, "line {before}: {} before it", gone(*records))
            }
            Self::Removed { after, before, records, .. } => {
                write!(f, "line {before}: {} between line {after} and this one", gone(*records))
            }
            Self::Changed { line } => write!(
                f,
                "line {line}: changed since it was written, or put in the place of another"
            ),
            Self::EndRemoved { after, records, .. } => {
                write!(f, "line {after}: {} after it, at the session's end", gone(*records))
            }
            Self::EndChanged { line } => {
                write!(f, "line {line}: the session's last, changed since it was written")
            }
            Self::Added { lines, after } => {
                let lines: Vec<String> = lines.iter().take(10).map(u64::to_string).collect();
                let lines = lines.join(", ");
                write!(
                    f,
                    "line {lines}: behind line {after}, which is the last that was written here"
                )
            }
            Self::InNotes { what } => write!(f, "in git's notes: {what}"),
            Self::SessionRemoved { records, .. } => {
                write!(f, "{}: the whole session", gone(*records))
            }
            Self::TornRemoved { vouched_by } => {
                write!(
                    f,
                    "line {vouched_by}: the unfinished line that it tells of is gone or changed"
                )
            }
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
