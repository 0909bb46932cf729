//! Which of the relevant learnings are put before an agent, and which of those
//! that were asked for come first.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use chrono::{DateTime, TimeDelta, Utc};

use super::{
    Filters, Found, Query,
    build::{TAG, tag_key},
    chatter, clauses,
    index::{Document, Index},
    likelihood::{self, Best, Other},
    paths::{FILE, NAME, WITHIN},
    rank::{Asked, Ranked, rarity},
};
use crate::core::{
    policy::{RetrievalPolicy, Strategy},
    reflection::{
        learning::{Scope, Status},
        usage::Tally,
    },
};

/// The most relevant learning is shown from this likelihood on; if it is less,
/// nothing is.
const FIRST: f32 = 0.425;
/// Another one from this on. Less, for the likelihood that it helps is one that
/// labels which are never complete have taught.
const BESIDE: f32 = 0.25;
/// A long query meets more by chance: beyond this length, in rarities of a new word, the log odds of
/// another one have to be better by the second for each time that it is e times as long. It is the
/// neighbours that a story names in passing. By the development projects it took the noise from 0.142
/// to 0.127, and nothing was lost. (The first has to be as good as ever: in the simulated
/// years more would starve.)
const LONG: f32 = 4.0;
const LONG_BESIDE: f32 = 0.5;
/// Of this many that rank next to the best each is looked at.
const MOST_BESIDE: usize = 10;
/// So often it is looked anew at those that are left when some have sunk.
const MOST_ROUNDS: usize = 8;
/// What takes the place of the best, when that has sunk, is no further behind it, in log odds. (In
/// the simulated years fewer starve by that than where anything may, and more is of use.)
const NEAR: f32 = 0.3;
/// What is this near to the best, in log odds, says the same: how far the best is ahead is
/// measured against the others.
const EQUAL: f32 = 0.01;
/// The log odds of the next one, where there is none.
const NO_NEXT: f32 = -5.0;
/// What has sunk this far, of the odds that it needs, is no longer shown: odds
/// grow with the square of what a score would, and so the boost is squared. Once
/// in vain is 0.64, so that whatever was shown once is shown again.
const SUNK: f64 = 0.6;

/// The prior of the reference boost: before anything is known, a learning is
/// taken to be referred to once in four times that it is shown.
const PRIOR_REFERENCED: f64 = 1.0;
const PRIOR_SHOWN: f64 = 4.0;
const MOST_BOOST: f64 = 2.0;
const LEAST_RECENCY: f64 = 0.1;

/// What is known when learnings are wanted for a session.
#[derive(Debug, Clone, Copy)]
pub struct Occasion<'a> {
    pub query: &'a Query,
    /// By learning; one that is not there was never shown.
    pub tallies: &'a BTreeMap<String, Tally>,
    /// Learnings that this session has already.
    pub shown: &'a BTreeSet<String>,
    pub policy: &'a RetrievalPolicy,
    pub now: DateTime<Utc>,
}

/// A learning to be put before an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Chosen {
    pub id: String,
    /// `relevance × recency × reference boost`.
    pub score: f64,
    /// The words (as they were typed) and paths that it was found by, the
    /// strongest first.
    pub why: Vec<String>,
}

/// What the models of likelihood are fitted to, of one query: by learning what
/// speaks for it (see [`Index::traits`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    pub learnings: Vec<(String, [f32; 9])>,
    /// The same of each clause of the query that says anything, where there are
    /// two at least.
    pub clauses: Vec<Vec<(String, [f32; 9])>>,
    /// How much the query asks for, in rarities of a new word.
    pub length: f32,
}

impl Index {
    /// The learnings to put before an agent now, best first: active, relevant,
    /// not yet shown, at most as many as the policy says. None, where nothing
    /// is clearly relevant.
    pub fn choose(&self, on: &Occasion) -> Vec<Chosen> {
        let query = chatter::without(on.query);
        let asked = Asked::new(self, &query).with_activities(on.query);
        // Asked only where something is relevant at all, and once.
        let clauses = OnceCell::new();
        let mut ranked: Vec<(Ranked, Document)> = Vec::new();
        for it in asked.ranked() {
            let document = self.document(it.document);
            ranked.extend(document.filter(|it| it.status == Status::Active).map(|own| (it, own)));
        }
        // Of equal ones that which was shown less.
        let shown = |it: &Document| on.tallies.get(it.id).map_or(0, |it| it.surfaced);
        ranked.sort_unstable_by(|(a, of_a), (b, of_b)| {
            let by_relevance = b.alone.total_cmp(&a.alone);
            let by_turn = || shown(of_a).cmp(&shown(of_b));
            by_relevance.then_with(by_turn).then_with(|| a.document.cmp(&b.document))
        });
        // How the user wants a thing to be done has no rivals.
        let is_own =
            |(it, of): &(Ranked, Document)| of.scope == Scope::Personal && it.traits.activity > 0.0;
        let (own, mut ranked): (Vec<_>, Vec<_>) = ranked.into_iter().partition(is_own);
        let mut likely = Likely::default();
        for _ in 0..MOST_ROUNDS {
            likely = self.likely(&asked, &query, &clauses, &ranked, on);
            if likely.sunk.is_empty() {
                break;
            }
            // What has sunk makes room. Where that was the best, for what is nearly as good: the
            // others were wanted beside it, if at all.
            let best = ranked.first().map(|(it, _)| *it);
            let best = best.filter(|it| likely.sunk.contains(&it.document));
            let least = best.map_or(f32::NEG_INFINITY, |it| it.alone - NEAR);
            ranked.retain(|(it, _)| it.alone >= least && !likely.sunk.contains(&it.document));
        }
        // Half of the places, and what the project leaves.
        let limit = on.policy.limit();
        let mut scored = of_user(&own, on);
        scored.truncate(limit.div_ceil(2).max(limit.saturating_sub(likely.scored.len())));
        scored.extend(likely.scored);
        let by_score =
            |a: &Scored, b: &Scored| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(b.id));
        // What a clause is about has its place, however many there are of another.
        scored.sort_by(|a, b| b.is_wanted.cmp(&a.is_wanted).then_with(|| by_score(a, b)));
        scored.truncate(limit);
        scored.sort_by(by_score);
        let documents: Vec<u32> = scored.iter().map(|it| it.document).collect();
        let reasons = asked.reasons(&documents);
        let chosen = |(it, why): (Scored, Vec<String>)| Chosen {
            id: it.id.to_owned(),
            score: it.score,
            why,
        };
        scored.into_iter().zip(reasons).map(chosen).collect()
    }

    /// Which of those that rank first are likely enough to help.
    fn likely<'a>(
        &self,
        asked: &Asked<'a>,
        query: &Query,
        clauses: &OnceCell<Vec<Asked<'a>>>,
        ranked: &[(Ranked, Document<'a>)],
        on: &Occasion,
    ) -> Likely<'a> {
        let mut likely = Likely::default();
        let Some(((best, of_best), others)) = ranked.split_first() else { return likely };
        let next = others.iter().map(|(it, _)| it.alone).find(|it| best.alone - it > EQUAL);
        let context = Best {
            alone: best.alone,
            score: best.traits.score,
            lead: best.alone - next.unwrap_or(NO_NEXT),
        };
        let strictness = strictness(on.policy.strategy);
        let scarcity = likelihood::scarcity(self.active());
        let surplus = likelihood::first(&context) - log_odds(FIRST) - strictness - scarcity;
        if surplus < 0.0 {
            return likely;
        }
        let clauses = clauses.get_or_init(|| clauses::asked(asked, query));
        let is_new = |it: &&(Ranked, Document)| !on.shown.contains(it.1.id);
        let others: Vec<_> = others.iter().filter(is_new).take(MOST_BESIDE).collect();
        let of_others = others.iter().map(|(it, _)| it.document);
        let documents: Vec<u32> = std::iter::once(best.document).chain(of_others).collect();
        let odds = |it: &Asked| it.ranked_of(&documents).iter().map(|it| it.alone).collect();
        let leads = clauses::leads(&clauses.iter().map(odds).collect::<Vec<_>>());
        let kinship = self.kinship(best.document);
        if !on.shown.contains(of_best.id) {
            likely.add(best, of_best, surplus, true, on);
        }
        let long = (asked.length / LONG).max(1.0).ln();
        for (at, (it, document)) in others.into_iter().enumerate() {
            // The user's own learnings are there in every project: those have
            // to be meant themselves.
            let is_project = document.scope != Scope::Personal;
            let kin = kinship.get(it.document as usize).filter(|_| is_project).unwrap_or(&0.0);
            let lead = leads.get(at + 1);
            let other = Other {
                alone: it.alone,
                score: it.traits.score,
                kinship: *kin,
                ahead: lead.map(|it| it.ahead),
            };
            // What says the same as the best is no further answer.
            let is_same = best.alone - it.alone <= EQUAL;
            let scarcity = if is_same { 0.0 } else { scarcity };
            let least = log_odds(BESIDE) + LONG_BESIDE * long + scarcity;
            let surplus = likelihood::beside(&context, &other) - least - strictness;
            if surplus >= 0.0 {
                likely.add(it, document, surplus, lead.is_some_and(|it| it.is_first), on);
            }
        }
        likely
    }

    /// How many learnings come into question, counted no further than it matters.
    fn active(&self) -> usize {
        let documents = (0..).take(self.len()).filter_map(|it| self.document(it));
        documents.filter(|it| it.status == Status::Active).take(likelihood::MANY).count()
    }

    /// Those that the filters admit and that fit the query, best first, by
    /// relevance alone.
    pub fn search(&self, query: &Query, filters: &Filters) -> Vec<Found> {
        self.find_by(query, filters, |_| 1.0)
    }

    /// Those, by relevance, recency and use: for whoever asks, who is shown all that fits. What the
    /// session was shown is shown again.
    pub fn look(&self, on: &Occasion, filters: &Filters) -> Vec<Found> {
        let unknown = Tally::default();
        self.find_by(on.query, filters, |of| {
            standing(of, on.tallies.get(of.id).unwrap_or(&unknown), on)
        })
    }

    fn find_by(
        &self,
        query: &Query,
        filters: &Filters,
        weigh: impl Fn(&Document) -> f64,
    ) -> Vec<Found> {
        let asked = Asked::new(self, query).with_activities(query);
        let mut ranked = asked.ranked();
        let tagged = self.tagged(&filters.tags);
        ranked.retain(|it| {
            let has_tag = tagged.as_ref().is_none_or(|all| all.contains(&it.document));
            has_tag && self.document(it.document).is_some_and(|it| admits(filters, &it))
        });
        let scored = ranked.iter().filter_map(|it| {
            let of = self.document(it.document)?;
            let score = f64::from(likelihood::probability(it.alone)) * weigh(&of);
            Some(Scored { score, document: it.document, id: of.id, is_wanted: true })
        });
        let mut scored: Vec<Scored> = scored.collect();
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(b.id)));
        scored.truncate(filters.max_results);
        let documents: Vec<u32> = scored.iter().map(|it| it.document).collect();
        let reasons = asked.reasons(&documents);
        let found = |(it, why): (&Scored, _)| Found { id: it.id.to_owned(), score: it.score, why };
        scored.iter().zip(reasons).map(found).collect()
    }

    /// What the models of likelihood are fitted to: for each learning that has
    /// anything in common with the query its id and traits.
    pub fn traits(&self, query: &Query) -> Evidence {
        let all = query;
        let query = &*chatter::without(all);
        let asked = Asked::new(self, query).with_activities(all);
        let name =
            |it: &Ranked| Some((self.document(it.document)?.id.to_owned(), it.traits.numbers()));
        let named = |all: &Vec<Ranked>| all.iter().filter_map(name).collect();
        let clauses = clauses::asked(&asked, query);
        Evidence {
            learnings: named(&asked.ranked()),
            clauses: clauses.iter().map(|it| named(&it.ranked())).collect(),
            length: asked.length,
        }
    }

    /// For each learning, in the order of the index, its kinship to each.
    pub fn kinships(&self) -> Vec<Vec<f32>> {
        (0..).take(self.len()).map(|it| self.kinship(it)).collect()
    }

    /// How much each learning has in common with this one: the tags, files and
    /// folders that both have, in rare words.
    fn kinship(&self, with: u32) -> Vec<f32> {
        let mut common = vec![0.0_f32; self.len()];
        let new = rarity(self.len(), 0, false);
        for entry in self.beginning(&[TAG, FILE, NAME, WITHIN]) {
            if entry.documents < 2 || !self.postings(entry).any(|(it, _)| it == with) {
                continue;
            }
            let rarity = rarity(self.len(), entry.documents as usize, false) / new;
            for (document, strength) in self.postings(entry).filter(|(it, _)| *it != with) {
                common[document as usize] += rarity * strength;
            }
        }
        common
    }

    /// The learnings that have any of the tags; none: no tag is asked for.
    fn tagged(&self, tags: &[String]) -> Option<BTreeSet<u32>> {
        let entries = tags.iter().filter_map(|it| self.find(&tag_key(it)));
        let all = entries.flat_map(|it| self.postings(it)).map(|(document, _)| document);
        (!tags.is_empty()).then(|| all.collect())
    }
}

/// What may be shown, and what has been shown too often for nothing.
#[derive(Default)]
struct Likely<'a> {
    scored: Vec<Scored<'a>>,
    sunk: BTreeSet<u32>,
}

struct Scored<'a> {
    score: f64,
    document: u32,
    id: &'a str,
    /// It is the best of all, or of a clause.
    is_wanted: bool,
}

impl<'a> Scored<'a> {
    fn of(it: &Ranked, of: &Document<'a>, is_wanted: bool, on: &Occasion) -> Self {
        let unknown = Tally::default();
        let tally = on.tallies.get(of.id).unwrap_or(&unknown);
        let score = f64::from(likelihood::probability(it.alone)) * standing(of, tally, on);
        Scored { score, document: it.document, id: of.id, is_wanted }
    }
}

impl<'a> Likely<'a> {
    /// `surplus` says by how much its log odds are better than they must be.
    fn add(
        &mut self,
        it: &Ranked,
        of: &Document<'a>,
        surplus: f32,
        is_wanted: bool,
        on: &Occasion,
    ) {
        let boost = reference_boost(on.tallies.get(of.id).unwrap_or(&Tally::default()));
        if f64::from(surplus.exp()) * boost.min(1.0).powi(2) < SUNK {
            self.sunk.insert(it.document);
            return;
        }
        self.scored.push(Scored::of(it, of, is_wanted, on));
    }
}

/// Those of the user that are for what is asked for, one for each activity first, and of those for
/// the same the one that helped more. None sinks so far that it is gone: whoever asks for a pull
/// request every day is told every day how it is wanted, and refers to it never.
fn of_user<'a>(ranked: &[(Ranked, Document<'a>)], on: &Occasion) -> Vec<Scored<'a>> {
    if likelihood::OWN < log_odds(FIRST) + strictness(on.policy.strategy) {
        return Vec::new();
    }
    let is_new = |it: &&(Ranked, Document)| !on.shown.contains(it.1.id);
    let scored = |(it, of): &(Ranked, Document<'a>)| {
        (it.activities, Scored::of(&Ranked { alone: likelihood::OWN, ..*it }, of, true, on))
    };
    let mut all: Vec<(u32, Scored)> = ranked.iter().filter(is_new).map(scored).collect();
    // Of equal ones that which has more of the words, as they are ranked.
    all.sort_by(|(_, a), (_, b)| b.score.total_cmp(&a.score));
    let mut have = 0;
    let (first, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|(activities, _)| {
        let is_more = activities & !have != 0;
        have |= activities;
        is_more
    });
    first.into_iter().chain(others).map(|(_, it)| it).collect()
}

fn admits(filters: &Filters, it: &Document) -> bool {
    (filters.statuses.is_empty() || filters.statuses.contains(&it.status))
        && (filters.scopes.is_empty() || filters.scopes.contains(&it.scope))
        && (filters.categories.is_empty() || filters.categories.contains(&it.category))
        && filters.created_after.is_none_or(|after| it.created_at > after)
}

/// By how much the odds have to be better, as a logarithm.
fn strictness(strategy: Strategy) -> f32 {
    match strategy {
        Strategy::Conservative => 0.5,
        Strategy::Moderate => 0.0,
        Strategy::Aggressive => -0.5,
    }
}

fn log_odds(probability: f32) -> f32 {
    (probability / (1.0 - probability)).ln()
}

/// `recency × reference boost`: what a learning's relevance is multiplied by. What was referred to is
/// as fresh as that.
fn standing(of: &Document, tally: &Tally, on: &Occasion) -> f64 {
    let fresh = tally.last_referenced.map_or(of.created_at, |used| used.max(of.created_at));
    let age = on.now.signed_duration_since(fresh);
    recency(age, on.policy.recency_half_life_days) * reference_boost(tally)
}

/// 1 for what is new, half after each half-life, never below a tenth.
fn recency(age: TimeDelta, half_life_days: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "seconds and days of years")]
    let half_lives = age.num_seconds() as f64 / 86_400.0 / half_life_days.max(1) as f64;
    0.5_f64.powf(half_lives.max(0.0)).max(LEAST_RECENCY)
}

/// The mean of a Beta posterior over how often a learning is referred to when
/// it is shown, beside that of its prior: `((r + 1) / (s + 4)) / (1 / 4)`, at
/// most 2. So 1 for what was never shown, 0.8 after one time in vain, 0.29
/// after ten. A rating counts as a time shown, and a useful one as a reference.
fn reference_boost(tally: &Tally) -> f64 {
    let referenced = f64::from(tally.referenced) + f64::from(tally.rated_useful);
    let rated = f64::from(tally.rated_useful) + f64::from(tally.rated_useless);
    // One can refer to what was found by a search and never shown.
    let shown = (f64::from(tally.surfaced) + rated).max(referenced);
    let posterior = (referenced + PRIOR_REFERENCED) / (shown + PRIOR_SHOWN);
    (posterior / (PRIOR_REFERENCED / PRIOR_SHOWN)).min(MOST_BOOST)
}
