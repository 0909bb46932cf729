//! Learnings, ready to be searched: what a session start needs of 10,000 of
//! them without reading them.
//!
//! An index is one run of bytes, read where it lies: a table of documents, a
//! sorted table of terms, and for each term the documents that have it and how
//! strongly. The text of a learning is not in it; it says where that lies in
//! the `texts` that were made with it.
//!
//! ```text
//! magic, version, checksum of what follows | counts
//! documents: id, created, text's place and checksum, scope, status, category
//! terms:     text, where its postings begin, number of documents
//! strings | postings: (document, strength), …
//! ```
//!
//! All numbers are little-endian. Nothing here trusts a byte: a reader that is
//! given nonsense finds nothing.

use chrono::{DateTime, Utc};

use crate::core::reflection::learning::{Category, Learning, Scope, Status};

/// Changes with whatever changes what the bytes mean, or which terms a text
/// has.
pub(super) const VERSION: u32 = 6;
pub(super) const MAGIC: [u8; 8] = *b"roz\0find";
pub(super) const HEAD: usize = 8 + 4 + 8 + 4 * 4;
pub(super) const DOCUMENT: usize = 4 + 2 + 8 + 8 + 4 + 8 + 3;
pub(super) const TERM: usize = 4 + 2 + 4 + 4;
/// A document's number, and how strongly it has the term.
const POSTING: usize = 4 + 1;

/// A searchable view of learnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    bytes: Vec<u8>,
    documents: u32,
    terms: u32,
    strings_at: usize,
    postings_at: usize,
}

/// An index and what it points into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    pub index: Index,
    /// Every learning as JSON, one behind the other.
    pub texts: Vec<u8>,
}

/// Where the JSON of a learning lies in the texts, and what it adds up to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub offset: u64,
    pub length: u32,
    checksum: u64,
}

/// What the index knows of a learning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Document<'a> {
    pub(super) id: &'a str,
    pub(super) scope: Scope,
    pub(super) status: Status,
    pub(super) category: Category,
    pub(super) created_at: DateTime<Utc>,
}

/// What the index knows of a term.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// How many documents have it.
    pub(super) documents: u32,
    postings_at: u32,
}

impl Index {
    /// An index from its bytes; none if they are not just what [`Self::bytes`]
    /// gave.
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let is_ours = bytes.starts_with(&MAGIC) && u32_at(&bytes, 8)? == VERSION;
        if !is_ours || u64_at(&bytes, 12)? != checksum(bytes.get(20..)?) {
            return None;
        }
        let documents = u32_at(&bytes, 20)?;
        let terms = u32_at(&bytes, 24)?;
        let strings = u32_at(&bytes, 28)? as usize;
        let postings = u32_at(&bytes, 32)? as usize;
        let strings_at = (documents as usize)
            .checked_mul(DOCUMENT)?
            .checked_add((terms as usize).checked_mul(TERM)?)?
            .checked_add(HEAD)?;
        let postings_at = strings_at.checked_add(strings)?;
        let is_whole = postings_at.checked_add(postings)? == bytes.len();
        is_whole.then_some(Self { bytes, documents, terms, strings_at, postings_at })
    }

    /// An index of no learnings.
    pub(super) fn nothing() -> Self {
        let bytes = Vec::new();
        Self { bytes, documents: 0, terms: 0, strings_at: HEAD, postings_at: HEAD }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many learnings it is of.
    pub fn len(&self) -> usize {
        self.documents as usize
    }

    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Where the text of the learning with this id lies.
    pub fn place(&self, id: &str) -> Option<Place> {
        let number = (0..self.documents).find(|it| self.id(*it) == Some(id))?;
        let at = document_at(number) + 14;
        Some(Place {
            offset: u64_at(&self.bytes, at)?,
            length: u32_at(&self.bytes, at + 8)?,
            checksum: u64_at(&self.bytes, at + 12)?,
        })
    }

    fn id(&self, number: u32) -> Option<&str> {
        let at = document_at(number);
        self.string(u32_at(&self.bytes, at)?, u16_at(&self.bytes, at + 4)?)
    }

    pub(super) fn document(&self, number: u32) -> Option<Document<'_>> {
        if number >= self.documents {
            return None;
        }
        let at = document_at(number);
        let micros = u64_at(&self.bytes, at + 6)?.cast_signed();
        let word = |offset: usize| Some(usize::from(*self.bytes.get(at + 34 + offset)?));
        Some(Document {
            id: self.id(number)?,
            created_at: DateTime::from_timestamp_micros(micros)?,
            scope: *Scope::ALL.get(word(0)?)?,
            status: *Status::ALL.get(word(1)?)?,
            category: *Category::ALL.get(word(2)?)?,
        })
    }

    pub(super) fn find(&self, key: &str) -> Option<Entry> {
        let term = self.first_from(key);
        if term >= self.terms {
            return None;
        }
        self.entry(term).filter(|(found, _)| *found == key).map(|(_, entry)| entry)
    }

    /// The numbers of the documents that have the term, each with how strongly: above 0, at most 1.
    pub(super) fn postings(&self, entry: Entry) -> impl Iterator<Item = (u32, f32)> {
        let from = self.postings_at.saturating_add(entry.postings_at as usize);
        let length = (entry.documents as usize).saturating_mul(POSTING);
        let bytes = self.bytes.get(from..from.saturating_add(length)).unwrap_or_default();
        let (postings, _) = bytes.as_chunks::<POSTING>();
        let posting = |[number @ .., strength]: &[u8; POSTING]| {
            (u32::from_le_bytes(*number), f32::from(*strength) / 255.0)
        };
        postings.iter().map(posting).filter(|(number, _)| *number < self.documents)
    }

    /// The number of the first term that is not before `key`.
    fn first_from(&self, key: &str) -> u32 {
        let (mut low, mut high) = (0, self.terms);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.entry(middle) {
                Some((found, _)) if found < key => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    fn entry(&self, term: u32) -> Option<(&str, Entry)> {
        let at = self.term_at(term);
        let entry = Entry {
            postings_at: u32_at(&self.bytes, at + 6)?,
            documents: u32_at(&self.bytes, at + 10)?,
        };
        Some((self.string(u32_at(&self.bytes, at)?, u16_at(&self.bytes, at + 4)?)?, entry))
    }

    fn term_at(&self, number: u32) -> usize {
        document_at(self.documents) + number as usize * TERM
    }

    fn string(&self, at: u32, length: u16) -> Option<&str> {
        let from = self.strings_at.checked_add(at as usize)?;
        str::from_utf8(self.bytes.get(from..from.checked_add(length.into())?)?).ok()
    }
}

impl Place {
    pub(super) fn of(offset: u64, text: &[u8]) -> Self {
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        Self { offset, length, checksum: checksum(text) }
    }

    pub(super) fn checksum(self) -> u64 {
        self.checksum
    }

    /// The learning that lies there, if these are its bytes.
    pub fn read(self, text: &[u8]) -> Option<Learning> {
        let is_it = checksum(text) == self.checksum;
        is_it.then(|| serde_json::from_slice(text).ok())?
    }
}

fn document_at(number: u32) -> usize {
    HEAD + number as usize * DOCUMENT
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Tells a broken file from a whole one; no proof against a forger, who could
/// as well write the learnings. Eight bytes a step, in the manner of FNV-1a.
pub fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().chain([&last]).map(|it| u64::from_le_bytes(*it));
    let seed = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    all.fold(seed, |hash, word| {
        let hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ (hash >> 29)
    })
}
