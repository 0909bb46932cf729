//! How relevant each learning of an index is to a query.
//!
//! For a word `w` that a query asks for and a learning `d`:
//!
//! ```text
//! evidence(w, d) = asked(w) × max over t, w and what means about the same, of
//!                  alike(w, t) × min(rarity(w), rarity(t)) × strength(t, d)
//! rarity(t)      = ln((N + M + 1) / (n(t) + M·p(t) + ½)) ^ SHARPNESS
//! score(d)       = Σ evidence(w, d) / attainable, and the files it names
//! attainable     = TYPICAL × min(Σ asked(w) × rarity(w), ENOUGH × rarity of a new word)
//! ```
//!
//! `strength` is BM25F's saturated term weight (see `build`), `rarity` its
//! inverse document frequency with a prior: as if there were `M` more texts, of
//! which the share `p` has the term, more for a word that any ticket has. A
//! project has fifty learnings, and frequencies among fifty say little; nor
//! must five learnings about one thing make its name worthless.
//!
//! A word counts once for a learning, however many words there are in it that
//! mean about the same; and one that was not used counts no more than the one
//! that was could have.
//!
//! `attainable` makes one scale of it: a short query wants most of its words, a
//! long one as much as says enough. It is the first of the [`Traits`] by which
//! the likelihood of a learning is judged.

use std::borrow::Cow;

use super::{
    Query, activities,
    build::of_tags_key,
    index::{Entry, Index},
    languages::{self, Languages},
    likelihood::{self, Traits},
    lists, paths, places,
    wishes::{self, Wishes},
    words::{Is, chunks},
};
use crate::core::reflection::learning::Scope;

/// The texts that frequencies are pretended to be of, besides the learnings.
const BACKGROUND: f32 = 100.0;
/// Their share that has a word of any ticket, and one of this project's.
const GENERIC_SHARE: f32 = 0.03;
const SPECIAL_SHARE: f32 = 0.005;
/// How much more a rare word counts than a common one.
const SHARPNESS: f32 = 1.2;
/// How strong a term is in a learning that is about it.
const TYPICAL: f32 = 0.6;
/// As many rare words as say what a query is about.
const ENOUGH: f32 = 2.2;
/// What a changed file that a learning names counts, in words.
const FILE: f32 = 1.5;
/// The most reasons that are given.
const MOST_REASONS: usize = 5;

/// A learning that has something in common with the query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ranked {
    pub(super) document: u32,
    pub(super) traits: Traits,
    /// The log odds that it helps, by itself.
    pub(super) alone: f32,
    /// Which of those that are asked for it is for, a bit each.
    pub(super) activities: u32,
}

/// A query, looked up.
pub(super) struct Asked<'a> {
    index: &'a Index,
    words: Vec<Word>,
    ways: Vec<Met>,
    /// What the tags of learnings are met by.
    of_tags: Vec<Entry>,
    /// What it asks to be done.
    activities: Vec<(&'static str, Entry)>,
    any_activity: Option<Entry>,
    /// What is known of words that mean about the same as its own.
    groups: Vec<&'static str>,
    /// What it may be written in, besides English.
    languages: Languages,
    attainable: f32,
    /// How much its own words ask for, in rarities of a new word.
    pub(super) length: f32,
}

struct Word {
    /// As it was typed.
    typed: String,
    entry: Option<Entry>,
    /// `asked × rarity`.
    worth: f32,
    /// Of words with the same number, those that mean about the same, only the
    /// strongest counts.
    meaning: usize,
    /// What was asked for itself, in words.
    is_exact: bool,
    /// It stands in a path only.
    is_path: bool,
}

/// What a query adds up to for one learning.
#[derive(Clone, Copy, Default)]
struct Sum {
    all: f32,
    exact: f32,
    files: f32,
    tagged: f32,
    activity: f32,
    activities: u32,
    has_activity: bool,
    /// The meaning that was added last, and how much it was.
    last: Option<usize>,
    had: f32,
    places: places::Sums,
}

impl Sum {
    /// Words of one meaning follow each other.
    fn add(&mut self, word: &Word, evidence: f32) {
        if self.last != Some(word.meaning) {
            self.last = Some(word.meaning);
            self.had = 0.0;
            self.places.close();
        }
        self.all += (evidence - self.had).max(0.0);
        self.had = self.had.max(evidence);
        if word.is_exact {
            self.exact += evidence;
        }
    }
}

struct Met {
    path: String,
    entry: Entry,
    worth: f32,
}

impl<'a> Asked<'a> {
    pub(super) fn new(index: &'a Index, query: &Query) -> Self {
        let texts = [&query.text, &query.ticket_title, &query.ticket_description];
        let languages = languages::spoken(texts.into_iter().flat_map(|it| chunks(it)));
        Self::of(index, query, languages, None)
    }

    /// What `query` asks to be done is asked for, too.
    pub(super) fn with_activities(self, query: &Query) -> Self {
        let activities = activities::of_query(query).into_iter();
        let known = |name| Some((name, self.index.find(&activities::term(name))?));
        Self { activities: activities.filter_map(known).collect(), ..self }
    }

    /// A clause of what was asked, by itself. Words that mean about the same are
    /// not looked for anew.
    pub(super) fn clause(&self, text: &str) -> Self {
        let query = Query { text: text.to_owned(), ..Query::default() };
        Self::of(self.index, &query, self.languages, Some(&self.groups))
    }

    fn of(
        index: &'a Index,
        query: &Query,
        languages: Languages,
        groups: Option<&[&'static str]>,
    ) -> Self {
        let files = wishes::files(query);
        let mut wishes = Wishes::of(query, languages);
        wishes.halve(index);
        let groups = wishes.relate(index, groups);
        look_up(index, wishes, &files, groups)
    }

    /// The learnings that have anything of what was asked for, in their order
    /// in the index.
    pub(super) fn ranked(&self) -> Vec<Ranked> {
        let sums = self.sums(self.index.len(), |document| Some(document as usize));
        let some = (0..).zip(&sums).filter(|(_, sum)| sum.all + sum.files + sum.activity > 0.0);
        some.map(|(document, sum)| self.rank(document, sum)).collect()
    }

    /// Each of these few, in their order, whether it has anything of it or not.
    pub(super) fn ranked_of(&self, documents: &[u32]) -> Vec<Ranked> {
        let place = |document| documents.iter().position(|it| *it == document);
        let sums = self.sums(documents.len(), place);
        documents.iter().zip(&sums).map(|(document, sum)| self.rank(*document, sum)).collect()
    }

    /// `place` says which of the sums is a document's.
    fn sums(&self, count: usize, place: impl Fn(u32) -> Option<usize>) -> Vec<Sum> {
        let new = rarity(self.index.len(), 0, false);
        let mut sums = vec![Sum::default(); count];
        for word in &self.words {
            let Some(entry) = word.entry else { continue };
            for (document, strength, places) in self.index.placed(entry) {
                let Some(sum) = place(document).and_then(|it| sums.get_mut(it)) else { continue };
                sum.add(word, word.worth * strength / new);
                if !word.is_path {
                    sum.places.add(places, word.worth / new);
                }
            }
        }
        for way in &self.ways {
            for (document, strength) in self.index.postings(way.entry) {
                let Some(sum) = place(document).and_then(|it| sums.get_mut(it)) else { continue };
                sum.files = sum.files.max(way.worth * strength / new);
            }
        }
        for entry in &self.of_tags {
            for (document, share) in self.index.postings(*entry) {
                let Some(sum) = place(document).and_then(|it| sums.get_mut(it)) else { continue };
                sum.tagged += share;
            }
        }
        for (document, _) in self.any_activity.iter().flat_map(|it| self.index.postings(*it)) {
            if let Some(sum) = place(document).and_then(|it| sums.get_mut(it)) {
                sum.has_activity = true;
            }
        }
        for (bit, (_, entry)) in (0..u32::BITS).map(|it| 1 << it).zip(&self.activities) {
            let worth = rarity(self.index.len(), entry.documents as usize, false) / new;
            for (document, _) in self.index.postings(*entry) {
                let Some(sum) = place(document).and_then(|it| sums.get_mut(it)) else { continue };
                sum.activity = sum.activity.max(worth);
                sum.activities |= bit;
            }
        }
        sums
    }

    fn rank(&self, document: u32, sum: &Sum) -> Ranked {
        let new = rarity(self.index.len(), 0, false);
        let of = self.index.document(document);
        let is_personal = || of.is_some_and(|it| it.scope == Scope::Personal);
        let traits = Traits {
            score: (sum.all + sum.files) * new / self.attainable,
            files: sum.files,
            exact: sum.exact,
            occasion: sum.places.occasion(),
            summary: sum.places.summary(),
            detail: sum.places.detail(),
            tagged: sum.tagged.min(1.0),
            activity: sum.activity,
            is_unasked: sum.has_activity && sum.activity <= 0.0 && is_personal(),
        };
        let alone = likelihood::alone(&traits);
        Ranked { document, traits, alone, activities: sum.activities }
    }

    /// For each of `documents` by what it was found: words as they were typed
    /// and paths, the strongest first.
    pub(super) fn reasons(&self, documents: &[u32]) -> Vec<Vec<String>> {
        let mut found: Vec<Vec<(f32, &str)>> = vec![Vec::new(); documents.len()];
        let words = self.words.iter().map(|it| (it.entry, it.worth, it.typed.as_str()));
        let ways = self.ways.iter().map(|it| (Some(it.entry), it.worth, it.path.as_str()));
        let activities = self.activities.iter().map(|(name, entry)| (Some(*entry), 1.0, *name));
        for (entry, worth, typed) in words.chain(ways).chain(activities) {
            let Some(entry) = entry else { continue };
            for (document, strength) in self.index.postings(entry) {
                if let Some(at) = documents.iter().position(|it| *it == document) {
                    found[at].push((worth * strength, typed));
                }
            }
        }
        let name = |mut all: Vec<(f32, &str)>| {
            all.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
            let mut names: Vec<String> = Vec::new();
            for (_, typed) in all {
                if !names.iter().any(|it| it.eq_ignore_ascii_case(typed)) {
                    names.push(typed.to_owned());
                }
            }
            names.truncate(MOST_REASONS);
            names
        };
        found.into_iter().map(name).collect()
    }
}

fn look_up<'a>(
    index: &'a Index,
    wishes: Wishes,
    files: &[Cow<str>],
    groups: Vec<&'static str>,
) -> Asked<'a> {
    let count = index.len();
    let languages = wishes.languages;
    let new = rarity(count, 0, false);
    let rarity_of = |key: &str| {
        let entry = index.find(key);
        let is_generic = entry.map_or_else(|| lists::is_generic(key), |it| it.is_generic);
        let have = entry.map_or(0, |it| it.documents as usize);
        (entry, rarity(count, have, is_generic))
    };
    let found: Vec<(Option<Entry>, f32)> =
        wishes.list.iter().map(|it| rarity_of(&it.key)).collect();
    let mut mass = 0.0;
    let mut words = Vec::with_capacity(wishes.list.len());
    let asked_for = wishes.list.iter().filter(|it| it.means.is_none());
    let of_tags = asked_for.filter_map(|it| index.find(&of_tags_key(&it.key))).collect();
    for (number, (wish, (entry, own))) in wishes.list.into_iter().zip(&found).enumerate() {
        let of_meaning = wish.means.and_then(|it| found.get(it)).map_or(*own, |(_, it)| *it);
        let worth = wish.asked * own.min(of_meaning);
        // An identifier that nobody has written down is asked for by its parts;
        // a number that nobody knows is a ticket's.
        let is_number = wish.key.bytes().all(|it| it.is_ascii_digit() || it == b'.');
        let is_known = entry.is_some() || (wish.is == Is::Word && !is_number);
        if is_known && wish.means.is_none() && !wish.is_path {
            mass += worth;
        }
        let meaning = wish.means.unwrap_or(number);
        let is_exact = wish.means.is_none() && !wish.is_path;
        let (typed, entry, is_path) = (wish.typed, *entry, wish.is_path);
        words.push(Word { typed, entry, worth, meaning, is_exact, is_path });
    }
    // What means about the same stands together.
    words.sort_by_key(|it| it.meaning);
    let mut ways: Vec<Met> = Vec::new();
    for path in files.iter().take(100) {
        for way in paths::of_query(path) {
            let Some(entry) = index.find(&way.key) else { continue };
            let worth = FILE * way.worth * rarity(count, entry.documents as usize, false);
            ways.push(Met { path: path.to_string(), entry, worth });
        }
    }
    // `Node.js` and `e.g` look like files.
    let is_file = |it: &Cow<str>| it.contains(['/', '\\']);
    let by_files = if ways.is_empty() && !files.iter().any(is_file) { 0.0 } else { FILE * new };
    let attainable = TYPICAL * (mass + by_files).clamp(new, ENOUGH * new);
    let length = mass / new;
    let activities = Vec::new();
    let any_activity = index.find(activities::ANY);
    Asked {
        index,
        words,
        ways,
        of_tags,
        activities,
        any_activity,
        groups,
        languages,
        attainable,
        length,
    }
}

/// See the head of this module; of a term that `have` of `count` learnings have.
#[expect(clippy::cast_precision_loss, reason = "counts of learnings")]
pub(super) fn rarity(count: usize, have: usize, is_generic: bool) -> f32 {
    let share = if is_generic { GENERIC_SHARE } else { SPECIAL_SHARE };
    let have = have as f32 + BACKGROUND * share;
    ((count as f32 + BACKGROUND + 1.0) / (have + 0.5)).ln().max(0.0).powf(SHARPNESS)
}
