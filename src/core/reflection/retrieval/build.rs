//! Learnings into an [`Index`]: terms are counted by field, weighted and
//! saturated here, once, so that a search only adds up.

use std::collections::{BTreeMap, HashMap};

use super::{
    index::{Built, DOCUMENT, HEAD, Index, MAGIC, Place, TERM, VERSION, checksum},
    paths,
    words::{Words, chunks},
};
use crate::core::reflection::learning::Learning;

/// A field of a learning: how much a word in it counts, and how many words it usually has. BM25F:
/// Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields" (2004). The
/// weights are the usual ones, fitted to nothing.
struct Field {
    weight: f32,
    usual_length: f32,
}

const SUMMARY: Field = Field { weight: 2.0, usual_length: 8.0 };
const TAGS: Field = Field { weight: 1.5, usual_length: 4.0 };
const RELEVANCE: Field = Field { weight: 1.5, usual_length: 35.0 };
const DETAIL: Field = Field { weight: 1.0, usual_length: 30.0 };
const FILES: Field = Field { weight: 1.0, usual_length: 6.0 };

/// How soon more of a word adds nothing, and how much a long field takes from it: `k1` and `b` of
/// BM25.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.5;

/// The most that a term can count in a learning; a term that stands once in a detail of usual
/// length counts 1.
pub(super) const STRONGEST: f32 = 1.0 + SATURATION;

/// What the terms of tags begin with. No word does.
const TAG: char = '#';

/// The term of a tag as such, for filters.
pub(super) fn tag_term(tag: &str) -> String {
    format!("{TAG}{}", tag.to_lowercase())
}

/// How strongly each learning has a term, by its number.
type Postings = Vec<(u32, u8)>;

pub fn build(learnings: &[Learning]) -> Built {
    let words = Words::new();
    let mut terms_of_chunk: HashMap<&str, Vec<String>> = HashMap::new();
    let mut postings: BTreeMap<String, Postings> = BTreeMap::new();
    for (number, learning) in (0..).zip(learnings) {
        for (term, strength) in strengths(learning, &words, &mut terms_of_chunk) {
            match postings.get_mut(&term) {
                Some(list) => list.push((number, strength)),
                None => _ = postings.insert(term, vec![(number, strength)]),
            }
        }
    }
    encode(learnings, &postings)
}

/// Each term of a learning with its saturated weight, from 1 to 255.
fn strengths<'a>(
    learning: &'a Learning,
    words: &Words,
    terms_of_chunk: &mut HashMap<&'a str, Vec<String>>,
) -> Vec<(String, u8)> {
    let mut weights: HashMap<String, f32> = HashMap::new();
    let mut read = |field: Field, texts: &mut dyn Iterator<Item = &'a str>| {
        let mut found: Vec<String> = Vec::new();
        for chunk in texts.flat_map(chunks) {
            found.extend_from_slice(
                terms_of_chunk.entry(chunk).or_insert_with(|| words.terms(chunk)),
            );
        }
        #[expect(clippy::cast_precision_loss, reason = "a number of words")]
        let length = found.len() as f32 / field.usual_length;
        let weight = field.weight / (1.0 - LENGTH + LENGTH * length);
        for term in found {
            *weights.entry(term).or_default() += weight;
        }
    };
    read(SUMMARY, &mut std::iter::once(learning.summary.as_str()));
    read(TAGS, &mut learning.tags.iter().map(String::as_str));
    read(RELEVANCE, &mut learning.relevance.iter().map(String::as_str));
    read(DETAIL, &mut std::iter::once(learning.detail.as_str()));
    read(FILES, &mut learning.context_files.iter().map(String::as_str));
    let saturated = |weight: f32| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 255")]
        let strength = (weight / (SATURATION + weight) * 255.0).round().clamp(1.0, 255.0) as u8;
        strength
    };
    let mut strengths: Vec<(String, u8)> =
        weights.into_iter().map(|(term, weight)| (term, saturated(weight))).collect();
    let mut whole: Vec<String> = learning.tags.iter().map(|tag| tag_term(tag)).collect();
    whole.extend(learning.context_files.iter().flat_map(|file| paths::of_learning(file)));
    whole.sort_unstable();
    whole.dedup();
    strengths.extend(whole.into_iter().map(|term| (term, u8::MAX)));
    strengths
}

fn encode(learnings: &[Learning], postings: &BTreeMap<String, Postings>) -> Built {
    let mut strings: Vec<u8> = Vec::new();
    let mut texts: Vec<u8> = Vec::new();
    let mut documents: Vec<u8> = Vec::with_capacity(learnings.len() * DOCUMENT);
    for learning in learnings {
        let begin = texts.len();
        // A learning is strings and words: it is always JSON.
        let _ = serde_json::to_writer(&mut texts, learning);
        let place = Place::of(begin as u64, &texts[begin..]);
        documents.extend(string(&mut strings, &learning.id));
        documents.extend(learning.created_at.timestamp_micros().to_le_bytes());
        documents.extend(place.offset.to_le_bytes());
        documents.extend(place.length.to_le_bytes());
        documents.extend(place.checksum().to_le_bytes());
        documents.extend([learning.scope as u8, learning.status as u8, learning.category as u8]);
    }
    let mut table: Vec<u8> = Vec::with_capacity(postings.len() * TERM);
    let mut lists: Vec<u8> = Vec::new();
    for (term, list) in postings {
        table.extend(string(&mut strings, term));
        table.extend(length(lists.len()).to_le_bytes());
        table.extend(length(list.len()).to_le_bytes());
        for (document, strength) in list {
            lists.extend(document.to_le_bytes());
            lists.push(*strength);
        }
    }
    let counts = [learnings.len(), postings.len(), strings.len(), lists.len()];
    let counts = counts.iter().flat_map(|count| length(*count).to_le_bytes());
    let body: Vec<u8> = counts.chain(documents).chain(table).chain(strings).chain(lists).collect();
    let mut bytes = Vec::with_capacity(HEAD + body.len());
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend(checksum(&body).to_le_bytes());
    bytes.extend(body);
    Built { index: Index::read(bytes).unwrap_or_else(Index::nothing), texts }
}

/// Where the string was put, and how long it is.
fn string(strings: &mut Vec<u8>, text: &str) -> [u8; 6] {
    // An id or a term is short; one that is not is not found by its end.
    let text = crate::core::bounded::cut(text, u16::MAX.into());
    let mut place = [0; 6];
    place[..4].copy_from_slice(&length(strings.len()).to_le_bytes());
    place[4..].copy_from_slice(&u16::try_from(text.len()).unwrap_or(0).to_le_bytes());
    strings.extend(text.as_bytes());
    place
}

fn length(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
