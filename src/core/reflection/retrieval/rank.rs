//! How relevant each learning of an index is to a query.
//!
//! ```text
//! score(d)  = Σ over words w of asked(w) × rarity(w) × strength(w, d)  +  the best file in common
//! asked(w)  = 1 + ln(how often the query has it)
//! rarity(w) = ln(1 + (N - n(w) + ½) / (n(w) + ½)), in units of that of a word that one learning has
//! ```
//!
//! `strength` is BM25F's saturated term weight (see `build`), `rarity` its inverse document
//! frequency. So a score counts in words that no other learning has.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use super::{
    Query,
    build::STRONGEST,
    index::{Index, Posting},
    path_terms,
    words::{Words, chunks, is_identifier, is_path},
};

const MOST_FILES: usize = 100;
const MOST_FILE_WORDS: usize = 20;
const MOST_REASONS: usize = 5;

/// A word is rare if at most one learning in this many has it, or so few that all their titles fit.
/// A query without a rare word finds nothing: words that half the project shares do not say what is
/// wanted.
const RARE_SHARE: usize = 8;
const RARE_COUNT: usize = 5;
/// At a failure nobody has asked, so words have to be rarer.
const RARER_SHARE: usize = 30;
const RARER_COUNT: usize = 2;

/// Words of any error message.
const OF_ANY_ERROR: &str = "\
    error fail failed failure fatal warning exit code status command line file found directory";

pub(super) struct Asked<'a> {
    index: &'a Index,
    words: Vec<Word<'a>>,
    ways: Vec<Met<'a>>,
}

struct Word<'a> {
    typed: &'a str,
    postings: &'a [Posting],
    /// `asked × rarity`.
    worth: f32,
    is_identifier: bool,
    /// Neither a program's name nor a word of any error message.
    is_telling: bool,
}

struct Met<'a> {
    path: String,
    postings: &'a [Posting],
    worth: f32,
    is_file: bool,
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) score: f32,
    file: f32,
    /// The learning names a file or has an identifier of the query.
    pub(super) is_named: bool,
    pub(super) has_rarer: bool,
}

impl<'a> Asked<'a> {
    pub(super) fn new(index: &'a Index, query: &'a Query) -> Self {
        let mut counts: Vec<(String, &'a str, f32, bool)> = Vec::new();
        let mut place: HashMap<String, usize> = HashMap::new();
        let words = Words::new();
        for (text, is_prose) in texts(query) {
            for chunk in chunks(text) {
                let terms = words.terms(chunk);
                let last = terms.len().saturating_sub(1);
                for (at, term) in terms.into_iter().enumerate() {
                    // Of an identifier with several parts, only the whole is a name.
                    let is_name = is_prose && at == last && is_identifier(chunk);
                    let at = *place.entry(term.clone()).or_insert_with(|| {
                        counts.push((term, chunk, 0.0, false));
                        counts.len() - 1
                    });
                    counts[at].2 += 1.0;
                    counts[at].3 |= is_name;
                }
            }
        }
        let unit = rarity(index.len(), 1);
        let of_any = query.programs.iter().flat_map(|name| chunks(name));
        let of_any = of_any.chain(OF_ANY_ERROR.split(' '));
        let of_any: BTreeSet<String> = of_any.flat_map(|chunk| words.terms(chunk)).collect();
        let known = counts.into_iter().filter_map(|(term, typed, count, is_identifier)| {
            let postings = Some(index.postings(&term)).filter(|postings| !postings.is_empty())?;
            let rarity = rarity(index.len(), postings.len()) / unit;
            let (worth, is_telling) = ((1.0 + count.ln()) * rarity, !of_any.contains(&term));
            Some(Word { typed, postings, worth, is_identifier, is_telling })
        });
        let words = known.collect();
        let mut ways = Vec::new();
        for path in files(query) {
            for way in path_terms::of_query(&path) {
                let postings = index.postings(&way.term);
                if !postings.is_empty() {
                    let worth = way.worth * rarity(index.len(), postings.len()) / unit;
                    let path = path.clone().into_owned();
                    ways.push(Met { path, postings, worth, is_file: way.is_file });
                }
            }
        }
        Self { index, words, ways }
    }

    pub(super) fn is_telling(&self) -> bool {
        let most = RARE_COUNT.max(self.index.len() / RARE_SHARE);
        !self.ways.is_empty() || self.words.iter().any(|word| word.postings.len() <= most)
    }

    /// One per learning, in the order of the index.
    pub(super) fn sums(&self) -> Vec<Sum> {
        let mut sums = vec![Sum::default(); self.index.len()];
        let rarer = RARER_COUNT.max(self.index.len() / RARER_SHARE);
        for word in &self.words {
            let count = word.postings.len();
            let is_name = word.is_telling && word.is_identifier && count <= RARE_COUNT;
            let is_rarer = word.is_telling && count <= rarer;
            for posting in word.postings {
                let Some(sum) = sums.get_mut(posting.document()) else { continue };
                sum.score += word.worth * posting.strength() * STRONGEST;
                sum.is_named |= is_name;
                sum.has_rarer |= is_rarer;
            }
        }
        for way in &self.ways {
            for posting in way.postings {
                let Some(sum) = sums.get_mut(posting.document()) else { continue };
                sum.file = sum.file.max(way.worth);
                sum.is_named |= way.is_file;
            }
        }
        for sum in &mut sums {
            sum.score += sum.file;
        }
        sums
    }

    /// Words as typed, and paths; strongest first.
    pub(super) fn reasons(&self, document: usize) -> Vec<String> {
        let words = self.words.iter().map(|word| (word.postings, word.worth, word.typed));
        let ways = self.ways.iter().map(|way| (way.postings, way.worth, way.path.as_str()));
        let all: Vec<(&[Posting], f32, &str)> = words.chain(ways).collect();
        let strength = |(postings, worth, typed): &(&[Posting], f32, &'_ str)| {
            let at = postings.binary_search_by_key(&document, |posting| posting.document()).ok()?;
            Some((worth * postings[at].strength(), (*typed).to_owned()))
        };
        let mut met: Vec<(f32, String)> = all.iter().filter_map(strength).collect();
        met.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let mut distinct = BTreeSet::new();
        let names = met.into_iter().map(|(_, typed)| typed);
        names.filter(|typed| distinct.insert(typed.to_lowercase())).take(MOST_REASONS).collect()
    }
}

/// Each with whether a person wrote it. A ticket's title counts twice.
fn texts(query: &Query) -> Vec<(&str, bool)> {
    let mut texts = vec![
        (query.ticket_title.as_str(), true),
        (&query.ticket_title, true),
        (&query.ticket_description, true),
        (&query.text, true),
    ];
    texts.extend(query.tags.iter().map(|tag| (tag.as_str(), true)));
    texts.extend(query.paths.iter().take(MOST_FILE_WORDS).map(|path| (path.as_str(), false)));
    if !TRUNKS.contains(&query.branch.as_str()) {
        // `SHOP-2400` is a ticket's name.
        let parts = query.branch.split(|c: char| !c.is_alphanumeric());
        let is_word = |part: &&str| part.chars().any(char::is_lowercase);
        texts.extend(parts.filter(is_word).map(|part| (part, false)));
    }
    texts
}

/// Branch names that say nothing about the work.
const TRUNKS: [&str; 5] = ["main", "master", "trunk", "develop", "dev"];

fn files(query: &Query) -> impl Iterator<Item = Cow<'_, str>> {
    let texts = [&query.text, &query.ticket_title, &query.ticket_description];
    let named = texts.into_iter().flat_map(|text| chunks(text)).filter(|chunk| is_path(chunk));
    let listed = query.paths.iter().map(|path| Cow::from(path.as_str()));
    listed.chain(named.map(Cow::from)).take(MOST_FILES)
}

/// See the formula above, for a word that `have` of `count` learnings contain.
#[expect(clippy::cast_precision_loss, reason = "counts of learnings")]
fn rarity(count: usize, have: usize) -> f32 {
    let (count, have) = (count.max(have) as f32, have as f32);
    (1.0 + (count - have + 0.5) / (have + 0.5)).ln()
}
