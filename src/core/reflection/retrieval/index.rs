//! Learnings, ready to be searched: what a session start needs of 10,000 of them without reading
//! them.
//!
//! An index knows the terms of each learning, and where its text is in the `texts` that were made
//! with it. It is kept as JSON, so a posting is one number.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::core::reflection::learning::Learning;

/// A searchable view of learnings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    pub(super) documents: Vec<Document>,
    /// Each term with the learnings that have it, sorted.
    pub(super) terms: Vec<(String, Vec<Posting>)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    pub index: Index,
    /// Every learning as JSON, one behind the other.
    pub texts: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Document {
    pub(super) id: String,
    pub(super) is_active: bool,
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub(super) created_at: DateTime<Utc>,
    pub(super) place: Place,
}

/// Where the JSON of a learning is in the texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub offset: u64,
    pub length: u32,
    pub(super) checksum: u64,
}

/// A learning's number, and how strongly it has a term: from 1 to 255, in the last eight bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Posting(u32);

impl Posting {
    pub(super) fn new(document: u32, strength: u8) -> Self {
        Self(document << 8 | u32::from(strength))
    }

    pub(super) fn document(self) -> usize {
        (self.0 >> 8) as usize
    }

    /// Above 0, at most 1.
    pub(super) fn strength(self) -> f32 {
        f32::from(self.0.to_le_bytes()[0]) / 255.0
    }
}

impl Index {
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    pub fn place(&self, id: &str) -> Option<Place> {
        self.documents.iter().find(|document| document.id == id).map(|document| document.place)
    }

    pub(super) fn postings(&self, term: &str) -> &[Posting] {
        let found = self.terms.binary_search_by(|(known, _)| known.as_str().cmp(term));
        found.map_or(&[], |at| &self.terms[at].1)
    }
}

impl Place {
    /// The learning whose JSON these bytes are, if they are what was written.
    pub fn read(self, text: &[u8]) -> Option<Learning> {
        let is_whole = checksum(text) == self.checksum;
        is_whole.then(|| serde_json::from_slice(text).ok())?
    }
}

/// Tells a broken file from a whole one; no proof against a forger, who could as well write the
/// learnings. Eight bytes a step, in the manner of FNV-1a.
pub fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let all = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
    let seed = 0xcbf2_9ce4_8422_2325 ^ bytes.len() as u64;
    all.fold(seed, |hash, word| {
        let hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ (hash >> 29)
    })
}
