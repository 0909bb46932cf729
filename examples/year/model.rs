//! A year of sessions on one project, as a model: what is shown is what roz
//! chooses, whether it is opened is thrown with loaded dice.
//!
//! - There are 60 topics in 12 areas, and words for each. A session works on
//!   one topic, the common ones more often; its ticket has words of the topic,
//!   of the area, and of any ticket.
//! - Every second session leaves a learning on its topic. One in three is
//!   useful (opened seven times in ten when its title is shown on its topic), one
//!   in three middling (two in ten), one in three useless (never). Shown on
//!   another topic, none is opened.
//! - Decay runs each day, as it does for users.

use std::collections::{BTreeMap, BTreeSet};

use chrono::{DateTime, TimeDelta, Utc};
use roz::core::{
    policy::{DecayPolicy, RetrievalPolicy},
    reflection::{
        decay,
        learning::{Category, Confidence, Learning, Scope, Status},
        retrieval::{self, Occasion, Query},
        usage::Tally,
    },
};

const AREAS: usize = 12;
const TOPICS: usize = 60;
const MONTHS: usize = 12;
const DAYS: i64 = 30;
const SESSIONS_A_DAY: usize = 3;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Month {
    pub(crate) sessions: u32,
    pub(crate) shown: u32,
    pub(crate) opened: u32,
    /// Of what was shown.
    pub(crate) useful: u32,
    pub(crate) useless: u32,
    /// Active learnings at its end.
    pub(crate) learnings: u32,
    /// Useful learnings whose topic came up five times or more.
    pub(crate) wanted: u32,
    /// Those of them that were not shown once.
    pub(crate) starved: u32,
}

impl Month {
    pub(crate) fn hit_rate(&self) -> f64 {
        ratio(self.opened, self.shown)
    }

    pub(crate) fn useful_share(&self) -> f64 {
        ratio(self.useful, self.shown)
    }

    pub(crate) fn useless_share(&self) -> f64 {
        ratio(self.useless, self.shown)
    }
}

/// What happened in several months; as many learnings as after the last.
pub(crate) fn sum(months: &[Month]) -> Month {
    let mut all = Month::default();
    for it in months {
        all.sessions += it.sessions;
        all.shown += it.shown;
        all.opened += it.opened;
        all.useful += it.useful;
        all.useless += it.useless;
        all.learnings = it.learnings;
        all.wanted += it.wanted;
        all.starved += it.starved;
    }
    all
}

fn ratio(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole.max(1))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Worth {
    Useful,
    Middling,
    Useless,
}

struct Known {
    topic: usize,
    worth: Worth,
}

/// The months of the year that this seed makes.
pub(crate) fn year(seed: u64) -> Vec<Month> {
    let mut dice = Dice(seed);
    let words: Vec<Vec<String>> =
        (0..TOPICS + AREAS).map(|_| (0..5).map(|_| dice.word()).collect()).collect();
    let start = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
    let policy = RetrievalPolicy::default();
    let mut learnings: Vec<Learning> = Vec::new();
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    let mut months = Vec::new();
    for month in 0..MONTHS {
        let mut it = Month::default();
        let mut asked: BTreeMap<usize, u32> = BTreeMap::new();
        let mut shown_before: BTreeSet<String> = BTreeSet::new();
        let before: BTreeSet<String> = known.keys().cloned().collect();
        for day in 0..DAYS {
            let now = start + TimeDelta::days(i64::try_from(month).unwrap_or(0) * DAYS + day);
            for gone in decay::due(&learnings, &tallies, &DecayPolicy::default(), now) {
                let archived = learnings.iter_mut().filter(|it| it.id == gone.id);
                archived.for_each(|it| it.status = Status::Archived);
            }
            let index = retrieval::build(&learnings).index;
            for _ in 0..SESSIONS_A_DAY {
                it.sessions += 1;
                // The smaller of two throws: some topics are more common.
                let topic = dice.below(TOPICS).min(dice.below(TOPICS));
                *asked.entry(topic).or_default() += 1;
                let query = ticket(topic, &words, &mut dice);
                let on = Occasion {
                    query: &query,
                    tallies: &tallies,
                    shown: &BTreeSet::new(),
                    policy: &policy,
                    now,
                };
                for chosen in index.choose(&on) {
                    let Some(what) = known.get(&chosen.id) else { continue };
                    it.shown += 1;
                    it.useful += u32::from(what.worth == Worth::Useful);
                    it.useless += u32::from(what.worth == Worth::Useless);
                    let chance = match what.worth {
                        Worth::Useful => 70,
                        Worth::Middling => 20,
                        Worth::Useless => 0,
                    };
                    let is_opened = what.topic == topic && dice.below(100) < chance;
                    it.opened += u32::from(is_opened);
                    shown_before.insert(chosen.id.clone());
                    count(tallies.entry(chosen.id).or_default(), is_opened, now);
                }
                if it.sessions % 2 == 0 {
                    let made = lesson(topic, &words, now, &mut dice);
                    let worth = [Worth::Useful, Worth::Middling, Worth::Useless][dice.below(3)];
                    known.insert(made.id.clone(), Known { topic, worth });
                    learnings.push(made);
                }
            }
        }
        for id in before {
            let Some(what) = known.get(&id) else { continue };
            let came_up = asked.get(&what.topic).copied().unwrap_or(0);
            let is_active = learnings.iter().any(|it| it.id == id && it.is_active());
            if is_active && what.worth == Worth::Useful && came_up >= 5 {
                it.wanted += 1;
                it.starved += u32::from(!shown_before.contains(&id));
            }
        }
        let active = learnings.iter().filter(|it| it.is_active()).count();
        it.learnings = u32::try_from(active).unwrap_or(u32::MAX);
        months.push(it);
    }
    months
}

fn count(tally: &mut Tally, is_opened: bool, now: DateTime<Utc>) {
    tally.surfaced += 1;
    tally.last_surfaced = Some(now);
    if is_opened {
        tally.opened += 1;
        tally.used += 1;
        tally.hits += 1;
        tally.last_used = Some(now);
    } else {
        tally.dismissed += 1;
    }
}

fn ticket(topic: usize, words: &[Vec<String>], dice: &mut Dice) -> Query {
    let chatter = ["add", "support", "when", "the", "page", "wrong", "after", "update", "broken"];
    let mut title = vec![chatter[dice.below(chatter.len())].to_owned()];
    title.extend(some(&words[topic], 3, dice));
    title.extend(some(&words[TOPICS + topic % AREAS], 1, dice));
    title.push(chatter[dice.below(chatter.len())].to_owned());
    Query { ticket_title: title.join(" "), ..Query::default() }
}

fn lesson(topic: usize, words: &[Vec<String>], now: DateTime<Utc>, dice: &mut Dice) -> Learning {
    let own = [dice.word(), dice.word(), dice.word()];
    let topical = some(&words[topic], 3, dice).join(" ");
    let area = some(&words[TOPICS + topic % AREAS], 1, dice).join(" ");
    // What the work looks like that needs it.
    let occasion = || some(&words[topic], 2, dice).join(" ");
    let occasions: Vec<String> = std::iter::repeat_with(occasion).take(3).collect();
    let mut it = Learning {
        id: String::new(),
        category: Category::Pitfall,
        summary: format!("{topical} {} {}", own[0], own[1]),
        detail: format!("It is {} that made the {area} fail here, not the {}.", own[2], own[0]),
        scope: Scope::Project,
        confidence: Confidence::Medium,
        status: Status::Active,
        criteria: Vec::new(),
        tags: vec![words[topic][0].clone(), area],
        context_files: Vec::new(),
        relevance: Some(occasions.join("; ")),
        ticket_id: None,
        session_id: None,
        supersedes: None,
        created_at: now,
        roz_version: None,
    };
    it.id = it.make_id(u32::try_from(dice.below(1 << 30)).unwrap_or(0));
    it
}

/// So many of them, in their order.
fn some(words: &[String], count: usize, dice: &mut Dice) -> Vec<String> {
    let mut left: Vec<String> = words.to_vec();
    while left.len() > count {
        left.remove(dice.below(left.len()));
    }
    left
}

/// `SplitMix64`: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators" (2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let end = u64::try_from(end.max(1)).unwrap_or(1);
        usize::try_from((it ^ (it >> 31)) % end).unwrap_or(0)
    }

    /// A word that nobody has ever used.
    fn word(&mut self) -> String {
        const HEADS: [&str; 12] = ["b", "br", "d", "dr", "f", "g", "k", "kl", "m", "p", "st", "tr"];
        const TAILS: [&str; 10] = ["a", "e", "i", "o", "u", "al", "om", "ub", "ak", "it"];
        let mut syllable = || format!("{}{}", HEADS[self.below(12)], TAILS[self.below(10)]);
        format!("{}{}{}", syllable(), syllable(), syllable())
    }
}
