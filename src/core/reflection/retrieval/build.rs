//! Learnings into an [`Index`]: terms are counted by field, weighted and
//! saturated here, once, so that a search only adds up.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    activities,
    index::{Built, DOCUMENT, HEAD, Index, MAGIC, Place, TERM, VERSION, checksum},
    lists, paths, places,
    words::{Is, Words, chunks},
};
use crate::core::reflection::learning::Learning;

/// A field of a learning: how much a word in it counts, and how much a long
/// one takes from that. BM25F: Robertson, Zaragoza, Taylor, "Simple BM25
/// extension to multiple weighted fields" (2004); `w` and `b` there.
struct Field {
    weight: f32,
    length: f32,
}

const SUMMARY: usize = 0;
const TAGS: usize = 1;
const RELEVANCE: usize = 2;
const DETAIL: usize = 3;
const FILES: usize = 4;
const FIELDS: [Field; 5] = [
    Field { weight: 2.0, length: 0.3 },
    Field { weight: 2.0, length: 0.3 },
    Field { weight: 3.5, length: 0.3 },
    Field { weight: 1.0, length: 0.3 },
    Field { weight: 1.2, length: 0.3 },
];
/// How soon more of a word adds nothing: `k1` of BM25.
const SATURATION: f32 = 1.0;
/// A piece of an identifier says less than a word.
const PART: f32 = 0.8;

/// A term of a document: its number, the field, how much it counts, its place.
type Seen = (u32, u8, f32, u8);

/// A term's document: how strongly it has it, and in which places.
type Posting = (u32, u8, u8);

#[derive(Default)]
struct Terms<'a> {
    numbers: HashMap<String, u32>,
    /// What a chunk was taken apart into, so that it is done once.
    known: HashMap<&'a str, Vec<(u32, f32)>>,
}

impl Terms<'_> {
    fn number(&mut self, key: &str) -> u32 {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(key.to_owned(), number);
        number
    }
}

struct Counted {
    seen: Vec<Seen>,
    lengths: [f32; FIELDS.len()],
    /// Terms that stand for the whole learning, with their strength; in no place.
    marks: Vec<(u32, u8)>,
}

pub(super) fn build(learnings: &[Learning]) -> Built {
    let words = Words::new();
    let mut terms = Terms::default();
    let counted: Vec<Counted> = learnings.iter().map(|it| count(it, &words, &mut terms)).collect();

    let mut average = [0.0_f32; FIELDS.len()];
    for (field, average) in average.iter_mut().enumerate() {
        let with: Vec<f32> =
            counted.iter().map(|it| it.lengths[field]).filter(|it| *it > 0.0).collect();
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let mean = with.iter().sum::<f32>() / with.len().max(1) as f32;
        *average = mean.max(1.0);
    }

    let mut postings: Vec<Vec<Posting>> = vec![Vec::new(); terms.numbers.len()];
    for (number, it) in (0..).zip(&counted) {
        for (term, strength, places) in strengths(it, &average) {
            if let Some(list) = postings.get_mut(term as usize) {
                list.push((number, strength, places));
            }
        }
    }
    encode(learnings, &terms, &postings)
}

fn count<'a>(learning: &'a Learning, words: &Words, terms: &mut Terms<'a>) -> Counted {
    let mut it = Counted { seen: Vec::new(), lengths: [0.0; FIELDS.len()], marks: Vec::new() };
    let mut read = |field: usize, place: u8, text: &'a str, terms: &mut Terms<'a>| {
        for chunk in chunks(text) {
            if !terms.known.contains_key(chunk) {
                let found = words.terms(chunk);
                let found = found.into_iter().map(|it| (terms.number(&it.key), worth(it.is)));
                let found: Vec<(u32, f32)> = found.collect();
                terms.known.insert(chunk, found);
            }
            let found = terms.known.get(chunk).map(Vec::as_slice).unwrap_or_default();
            let field_number = u8::try_from(field).unwrap_or(u8::MAX);
            it.seen.extend(found.iter().map(|(term, worth)| (*term, field_number, *worth, place)));
            it.lengths[field] += if found.is_empty() { 0.0 } else { 1.0 };
        }
    };
    // One that names no occasion is for what its summary says.
    let names_none = learning.relevance.as_deref().is_none_or(|it| it.trim().is_empty());
    let summary = places::SUMMARY | if names_none { places::FIRST } else { 0 };
    read(SUMMARY, summary, &learning.summary, terms);
    read(DETAIL, places::DETAIL, &learning.detail, terms);
    learning.tags.iter().for_each(|it| read(TAGS, 0, it, terms));
    for (place, occasion) in learning.relevance.iter().flat_map(|it| places::occasions(it)) {
        read(RELEVANCE, place, occasion, terms);
    }
    learning.context_files.iter().for_each(|it| read(FILES, 0, it, terms));
    let mut tagged: BTreeMap<String, usize> = BTreeMap::new();
    for tag in &learning.tags {
        it.marks.push((terms.number(&tag_key(tag)), u8::MAX));
        let keys: BTreeSet<String> =
            chunks(tag).flat_map(|it| words.terms(it)).map(|it| it.key).collect();
        for key in keys {
            *tagged.entry(key).or_default() += 1;
        }
    }
    for (key, tags) in tagged {
        let share = tags.saturating_mul(255) / learning.tags.len().max(1);
        let strength = u8::try_from(share.max(1)).unwrap_or(u8::MAX);
        it.marks.push((terms.number(&of_tags_key(&key)), strength));
    }
    for key in activities::of_learning(learning) {
        it.marks.push((terms.number(&key), u8::MAX));
    }
    for file in &learning.context_files {
        for (key, strength) in paths::of_learning(file) {
            it.marks.push((terms.number(&key), strength));
        }
    }
    it.seen.sort_unstable_by_key(|(term, field, ..)| (*term, *field));
    it
}

fn worth(is: Is) -> f32 {
    match is {
        Is::Word | Is::Whole => 1.0,
        Is::Part => PART,
    }
}

/// What the terms of tags begin with.
pub(super) const TAG: char = '#';

/// The term of a tag as such, for filters.
pub(super) fn tag_key(tag: &str) -> String {
    format!("{TAG}{}", tag.to_lowercase())
}

/// What the words of tags begin with.
const OF_TAGS: char = '=';

/// The term of a word in tags: as strong as the share of tags that have it.
pub(super) fn of_tags_key(word: &str) -> String {
    format!("{OF_TAGS}{word}")
}

/// Each term of a document once, ascending, with its saturated weight, 1 to
/// 255, and its places.
fn strengths(it: &Counted, average: &[f32; FIELDS.len()]) -> Vec<(u32, u8, u8)> {
    let mut res: Vec<(u32, u8, u8)> = Vec::new();
    for of_term in it.seen.chunk_by(|a, b| a.0 == b.0) {
        let mut weight = 0.0;
        let mut places = 0;
        for (_, field, worth, place) in of_term {
            places |= place;
            let field = usize::from(*field);
            let Field { weight: of_field, length } = FIELDS[field];
            let long = 1.0 - length + length * it.lengths[field] / average[field];
            weight += of_field * worth / long.max(0.1);
        }
        let saturated = weight / (SATURATION + weight);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1 to 255")]
        let strength = (saturated * 255.0).round().clamp(1.0, 255.0) as u8;
        res.extend(of_term.first().map(|(term, ..)| (*term, strength, places)));
    }
    let mut marks = it.marks.clone();
    marks.sort_unstable_by_key(|(term, strength)| (*term, std::cmp::Reverse(*strength)));
    marks.dedup_by_key(|(term, _)| *term);
    res.extend(marks.into_iter().map(|(term, strength)| (term, strength, 0)));
    res
}

fn encode(learnings: &[Learning], terms: &Terms, postings: &[Vec<Posting>]) -> Built {
    let mut strings: Vec<u8> = Vec::new();
    let mut texts: Vec<u8> = Vec::new();
    let mut documents: Vec<u8> = Vec::with_capacity(learnings.len() * DOCUMENT);
    for it in learnings {
        let begin = texts.len();
        // A learning is strings and words: it is always JSON.
        let _ = serde_json::to_writer(&mut texts, it);
        let place = Place::of(begin as u64, &texts[begin..]);
        documents.extend(string(&mut strings, &it.id));
        documents.extend(it.created_at.timestamp_micros().to_le_bytes());
        documents.extend(place.offset.to_le_bytes());
        documents.extend(place.length.to_le_bytes());
        documents.extend(place.checksum().to_le_bytes());
        documents.extend([it.scope as u8, it.status as u8, it.category as u8]);
    }
    let mut sorted: Vec<(&String, u32)> =
        terms.numbers.iter().map(|(key, it)| (key, *it)).collect();
    sorted.sort_unstable();
    let mut table: Vec<u8> = Vec::with_capacity(sorted.len() * TERM);
    let mut lists: Vec<u8> = Vec::new();
    for (key, number) in &sorted {
        let list = postings.get(*number as usize).map(Vec::as_slice).unwrap_or_default();
        let begin = lists.len();
        let mut before = 0;
        for (document, strength, places) in list {
            number_of(document - before, &mut lists);
            lists.extend([*strength, *places]);
            before = *document;
        }
        table.extend(string(&mut strings, key));
        table.extend(length(begin).to_le_bytes());
        table.extend(length(lists.len() - begin).to_le_bytes());
        table.extend(length(list.len()).to_le_bytes());
        table.push(u8::from(lists::is_generic(key)));
    }
    let counts = [learnings.len(), sorted.len(), strings.len(), lists.len()];
    let body: Vec<u8> = counts
        .iter()
        .flat_map(|it| length(*it).to_le_bytes())
        .chain(documents)
        .chain(table)
        .chain(strings)
        .chain(lists)
        .collect();
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
    let mut res = [0; 6];
    res[..4].copy_from_slice(&length(strings.len()).to_le_bytes());
    res[4..].copy_from_slice(&u16::try_from(text.len()).unwrap_or(0).to_le_bytes());
    strings.extend(text.as_bytes());
    res
}

fn length(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
fn number_of(mut number: u32, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(u8::try_from(number & 0x7f).unwrap_or(0) | 0x80);
        number >>= 7;
    }
    out.push(u8::try_from(number).unwrap_or(0));
}
