//! Builds an [`Index`] of learnings. Terms are counted by field, weighted and saturated once here,
//! so that a search only adds.

use std::collections::{BTreeMap, HashMap};

use super::{
    index::{Built, Document, Index, Place, Posting},
    path_terms,
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

/// BM25's `k1` (how soon more of a word adds nothing) and `b` (how much long fields are
/// discounted).
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.5;

/// The maximum weight of a term; a term that occurs once in a detail of usual length counts 1.
pub(super) const STRONGEST: f32 = 1.0 + SATURATION;

pub fn build(learnings: &[Learning]) -> Built {
    let words = Words::new();
    let mut terms_of_chunk: HashMap<&str, Vec<String>> = HashMap::new();
    let mut terms: BTreeMap<String, Vec<Posting>> = BTreeMap::new();
    let mut texts: Vec<u8> = Vec::new();
    let mut documents: Vec<Document> = Vec::with_capacity(learnings.len());
    for (number, learning) in (0..).zip(learnings) {
        for (term, strength) in strengths(learning, &words, &mut terms_of_chunk) {
            terms.entry(term).or_default().push(Posting::new(number, strength));
        }
        let begin = texts.len();
        // Learnings contain only strings and enums, which serialise without errors.
        let _ = serde_json::to_writer(&mut texts, learning);
        let text = &texts[begin..];
        documents.push(Document {
            id: learning.id.clone(),
            is_active: learning.is_active(),
            created_at: learning.created_at,
            place: Place {
                offset: begin as u64,
                length: u32::try_from(text.len()).unwrap_or(u32::MAX),
            },
        });
    }
    Built { index: Index { documents, terms: terms.into_iter().collect() }, texts }
}

/// From 1 to 255.
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
    let files = learning.context_files.iter();
    let mut whole: Vec<String> = files.flat_map(|file| path_terms::of_learning(file)).collect();
    whole.sort_unstable();
    whole.dedup();
    strengths.extend(whole.into_iter().map(|term| (term, u8::MAX)));
    strengths
}
