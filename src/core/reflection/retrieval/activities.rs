//! What one asks an agent to do, whatever the project: to commit, to open a pull request, to write
//! tests. `put it up for review` and `merge request for this ticket` share no word; the activity is
//! what they have in common.
//!
//! It is asked for where a clause begins with its verb, as wishes do, and names its object soon after
//! (`open the PR`, and not `the PR that is open`), or where something is said that says it wherever
//! it stands (`commit message`).

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    Query,
    cues::{
        ACTIVITIES, ALONE, Activity, Cue, ISSUE, NAME, NUMBER, ONE, PATH, PROSE, TESTS, THIS,
        VERSION,
    },
    places,
    said::{self, clauses},
    words::{ends, is_number},
};
use crate::core::reflection::learning::Learning;

/// What the terms of activities begin with.
const ACTIVITY: char = '@';
/// The term of whatever is for some activity.
pub(super) const ANY: &str = "@";
/// So many clauses of a text are looked at.
const MOST_CLAUSES: usize = 64;
/// So many words behind its verb an object is looked for.
const REACH: usize = 10;

/// What may stand before the verb of a wish. No verb of a cue is among them.
#[rustfmt::skip]
static BEFORE: &[&str] = &[
    "actually", "afterwards", "ahead", "alright", "also", "always", "be", "btw", "can", "claude", "cool",
    "could", "do", "done", "finally", "fine", "first", "go", "good", "great", "have", "hey", "hi", "i'd",
    "just", "kindly", "lastly", "let", "let's", "lets", "lgtm", "like", "looks", "maybe", "me", "must",
    "need", "next", "nice", "now", "ok", "okay", "once", "perfect", "please", "pls", "quick", "should",
    "still", "sure", "thanks", "that's", "thx", "to", "too", "u", "want", "we", "well", "when", "will",
    "would", "yeah", "yep", "yes", "you", "your", "yup",
];
/// And in what somebody has written down.
const IN_LEARNINGS: &[&str] = &[
    "a", "an", "any", "before", "do", "don't", "each", "every", "for", "i", "if", "in", "never",
    "new", "not", "on", "prefer", "the", "whenever", "while",
];
/// Nouns of one word that mean nothing else.
const OF_THE_TRADE: &[&str] = &["pr", "mr", "readme", "changelog", "docstring", "dockerfile"];
/// What leads in a wish in the midst of a clause.
const LEADING_IN: &[&str] = &[
    "you to",
    "sure to",
    "sure you",
    "forget to",
    "remember to",
    "time to",
    "we should",
    "you should",
    "free to",
    "need to",
    "have to",
    "has to",
    "try to",
    "can u",
    "can you",
    "could you",
    "after that",
    "the end",
    "last step",
    "you're done",
    "of all",
    "for now",
    "you mind",
    "start by",
    "finish by",
];
/// What work comes to, in a clause that says when: `once the tests pass open a PR`.
const WHEN: &[&str] = &["if", "once", "when", "after", "as"];
const COME_TO: &[&str] = &["pass", "passes", "green", "done", "works", "ready", "finished"];
/// A clause that begins so asks a question, or tells of a case.
const ASKING: &[&str] = &[
    "are", "did", "does", "explain", "had", "has", "how", "is", "was", "were", "what", "where",
    "which", "who", "why",
];
const ASKING_OF: &[&str] = &[
    "do we",
    "do i",
    "do you",
    "should we",
    "should i",
    "will we",
    "will it",
    "can we",
    "can i",
    "when we",
    "when i",
    "when you",
    "if we",
    "if you",
    "shall we",
];
const DENYING: &[&str] = &[
    "don't", "needn't", "never", "no", "not", "without", "doesn't", "didn't", "skip", "ignore",
    "leave",
];
/// What is the matter with a thing, and nothing to be done.
const SYMPTOMS: &[&str] = &[
    "fail", "fails", "failed", "failing", "hang", "hangs", "broke", "broken", "missing", "slow",
    "empty", "rejects", "say", "says",
];

/// The term of an activity.
pub(super) fn term(name: &str) -> String {
    format!("{ACTIVITY}{name}")
}

/// What a query asks to be done.
pub(super) fn of_query(query: &Query) -> BTreeSet<&'static str> {
    let texts = [&query.text, &query.ticket_title, &query.ticket_description];
    let mut found: BTreeSet<_> = texts.iter().flat_map(|it| read(it, By::Query)).collect();
    if let Some((kind, rest)) = query.branch.split_once('/') {
        found.extend(read(&rest.replace(['-', '_', '/'], " "), By::Query));
        found.extend(match kind {
            "docs" | "doc" => Some("documentation"),
            "perf" => Some("benchmark"),
            "refactor" => Some("refactoring"),
            "release" => Some("release"),
            _ => None,
        });
    }
    found
}

/// The terms of what a learning says that it is for; behind them, where there are any, [`ANY`].
pub(super) fn of_learning(learning: &Learning) -> Vec<String> {
    let relevance = learning.relevance.as_deref().filter(|it| !it.trim().is_empty());
    // A summary says when it matters somewhere (`run the linter before committing`).
    let by = if relevance.is_none() { By::Summary } else { By::Relevance };
    let mut found = BTreeSet::new();
    for (_, occasion) in places::occasions(relevance.unwrap_or(&learning.summary)) {
        let mut own = read(occasion, by);
        // Whoever is to push and to request a review is told about the request.
        if own.contains("pull-request") {
            own.remove("push");
        }
        found.extend(own);
    }
    let mut terms: Vec<String> = found.into_iter().map(term).collect();
    if !terms.is_empty() {
        terms.push(ANY.to_owned());
    }
    terms
}

/// Whether this is asked for in a clause.
pub(super) fn asks(name: &str, clause: &[String]) -> bool {
    ACTIVITIES.iter().any(|it| it.name == name && is_asked(it, clause))
}

/// Who says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Query,
    Relevance,
    Summary,
}

/// What a text asks for.
fn read(text: &str, by: By) -> BTreeSet<&'static str> {
    let clauses = clauses(text);
    let all: Vec<&[String]> = clauses.iter().map(|it| it.words.as_slice()).collect();
    let seen = ends(&all, MOST_CLAUSES);
    let is = |it: &&Activity| match by {
        By::Query => seen.iter().any(|clause| is_asked(it, clause)),
        By::Relevance => seen.iter().any(|clause| is_named(it, clause, by)),
        // What a summary says besides is not what it is for (`…; the changelog is written before`).
        By::Summary => {
            seen.first().is_some_and(|clause| begins_with_noun(it, clause))
                || seen.iter().any(|clause| is_done(it, clause, by))
        }
    };
    ACTIVITIES.iter().filter(is).map(|it| it.name).collect()
}

/// Most words begin with another letter, which is soon seen.
fn is_near(one: &str, other: &str) -> bool {
    one.bytes().next() == other.bytes().next()
}

fn is_one_of(of: &[&str], word: &str) -> bool {
    of.iter().any(|it| is_near(it, word) && *it == word)
}

fn is_asked(activity: &Activity, clause: &[String]) -> bool {
    let is_question = clause.first().is_some_and(|it| is_one_of(ASKING, it));
    if is_question || ASKING_OF.iter().any(|it| begins_with(clause, it)) {
        return false;
    }
    is_said(activity, clause)
        || starts(clause).into_iter().any(|(at, is_doing)| {
            let is_verb = |verb: &str, it: &str| verb == it || is_doing && is_gerund(verb, it);
            begins(activity, clause.get(at..).unwrap_or_default(), is_verb)
        })
}

/// Where a wish may begin, and whether as a gerund.
fn starts(clause: &[String]) -> Vec<(usize, bool)> {
    let is_before = |it: &&String| is_one_of(BEFORE, it) || is_number(it);
    let mut starts = vec![(clause.iter().take_while(is_before).count(), false)];
    let opens = clause.iter().find(|it| !is_one_of(BEFORE, it) || is_one_of(WHEN, it));
    let is_when = opens.is_some_and(|it| is_one_of(WHEN, it));
    for at in 1..clause.len() {
        let before = clause.get(at.wrapping_sub(2)..at);
        let led_in = before.and_then(|it| LEADING_IN.iter().find(|by| begins_with(it, by)));
        let is_denied = |by: &str| {
            let from = at.saturating_sub(by.split(' ').count());
            let before = clause.get(from.saturating_sub(2)..from).unwrap_or_default();
            by != "forget to" && before.iter().any(|it| is_one_of(DENYING, it))
        };
        if let Some(by) = led_in.filter(|it| !is_denied(it)) {
            let rest = clause.get(at..).unwrap_or_default();
            let passed = rest.iter().take_while(|it| is_one_of(BEFORE, it)).count();
            starts.push((at + passed, by.ends_with(" by") || by.ends_with(" mind")));
        }
        if is_when && clause.get(at - 1).is_some_and(|it| is_one_of(COME_TO, it)) {
            starts.push((at, false));
        }
    }
    starts
}

/// `opening` of `open`, `committing` of `commit`, `writing` of `write`.
fn is_gerund(word: &str, verb: &str) -> bool {
    let Some(stem) = word.strip_suffix("ing") else { return false };
    let mut letters = stem.chars();
    let is_doubled = letters.next_back() == stem.chars().rev().nth(1);
    stem == verb || verb.strip_suffix('e') == Some(stem) || is_doubled && letters.as_str() == verb
}

/// The same for a clause of a learning, which names it in more ways: `opening a PR`, `never push`,
/// `when a PR is opened`.
fn is_named(activity: &Activity, clause: &[String], by: By) -> bool {
    let said = clause.get(opening(clause)..).unwrap_or_default();
    let ends = said.iter().position(|it| is_one_of(&["is", "are", "gets", "get"], it));
    let noun = said.get(..ends.unwrap_or(said.len())).unwrap_or_default();
    let is_noun = |it: &&str| begins_with(noun, it) && it.split(' ').count() == noun.len();
    activity.nouns.iter().any(is_noun) || is_done(activity, clause, by)
}

/// `Pull requests start as drafts`. Of a single word it takes one of the trade alone: `releases` are
/// locks', too.
fn begins_with_noun(activity: &Activity, clause: &[String]) -> bool {
    let said = clause.get(opening(clause)..).unwrap_or_default();
    let is_clear = |it: &&&str| it.contains(' ') || OF_THE_TRADE.contains(it);
    activity.nouns.iter().filter(is_clear).any(|it| begins_with(said, it))
        || is_named(activity, clause, By::Summary)
}

/// How many words only lead in.
fn opening(clause: &[String]) -> usize {
    let is_before = |it: &&String| is_one_of(BEFORE, it) || is_one_of(IN_LEARNINGS, it);
    clause.iter().take_while(is_before).count()
}

/// Its words, or its verb with an object.
fn is_done(activity: &Activity, clause: &[String], by: By) -> bool {
    let from = opening(clause);
    let is_verb = |verb: &str, it: &str| verb == it || is_gerund(verb, it);
    let is_doing =
        |at: usize| by == By::Summary && clause.get(at).is_some_and(|it| it.ends_with("ing"));
    activity.said.iter().any(|it| has(clause, it))
        || (0..clause.len())
            .filter(|at| *at == from || is_doing(*at))
            .any(|at| begins(activity, clause.get(at..).unwrap_or_default(), is_verb))
}

/// Something is said that says it, and neither denied nor what is the matter.
fn is_said(activity: &Activity, clause: &[String]) -> bool {
    // `there is no docker.sock` is a symptom of just that.
    let is_symptom = activity.name == "containers";
    let is_matter = clause.iter().any(|it| is_one_of(SYMPTOMS, it));
    let is_denied = |said: &str| {
        let is_here = |at: &usize| clause.get(*at..).is_some_and(|it| begins_with(it, said));
        let denies = |at: usize| {
            let before = clause.get(at.saturating_sub(2)..at).unwrap_or_default();
            before.iter().any(|it| is_one_of(DENYING, it))
        };
        (0..clause.len()).filter(is_here).all(denies)
    };
    let counts = |it: &str| is_symptom || !(is_matter && !it.contains(" no ") || is_denied(it));
    activity.said.iter().any(|it| has(clause, it) && counts(it))
}

fn begins(activity: &Activity, clause: &[String], is_verb: impl Fn(&str, &str) -> bool) -> bool {
    let Some((verb, behind)) = clause.split_first() else { return false };
    let behind = &behind[..behind.len().min(REACH)];
    let is_any = |of: &[&str], words: &[String]| of.iter().any(|it| names(words, it));
    let is = |cue: &Cue| {
        let is_whatever = cue.next.is_empty() && cue.what.is_empty();
        (is_whatever || cue.next.iter().any(|it| follows(behind, it)) || is_any(cue.what, behind))
            && !is_any(cue.not, behind)
    };
    activity
        .cues
        .iter()
        .any(|it| it.verbs.iter().any(|it| is_near(verb, it) && is_verb(verb, it)) && is(it))
}

/// Directly behind the verb.
fn follows(behind: &[String], next: &str) -> bool {
    let is_whole = matches!(next, ONE | THIS | ALONE);
    names(if is_whole { behind } else { &behind[..behind.len().min(1)] }, next)
}

fn names(words: &[String], what: &str) -> bool {
    let is_prose = |it: &String| {
        let endings = [".md", ".rst", ".adoc"];
        it.starts_with("docs/") || endings.iter().any(|ending| it.ends_with(ending))
    };
    match what {
        ALONE => words.is_empty(),
        NAME => words.iter().any(|it| it == said::NAME || it == said::PATH),
        PATH => words.iter().any(|it| it == said::PATH),
        PROSE => words.iter().any(is_prose),
        TESTS => are_tests(words),
        ONE => words.len() == 1,
        THIS => {
            let behind = ["please", "now", "as", "with", "in", "before", "first", "one", "too"];
            words.first().is_some_and(|it| is_one_of(&["this", "these"], it))
                && words.get(1).is_none_or(|it| is_one_of(&behind, it))
        }
        VERSION => words.iter().any(|it| is_version(it, 3)),
        ISSUE => words.iter().any(|it| is_number(it)),
        NUMBER => words.iter().any(|it| is_version(it, 2)),
        _ => has(words, what),
    }
}

/// Tests, or a test of something; `a test card` is none.
fn are_tests(words: &[String]) -> bool {
    const BEHIND: &[&str] = &[
        "as", "case", "cases", "coverage", "file", "first", "for", "in", "of", "that", "to", "too",
        "where", "which",
    ];
    let is = |at: usize| match words.get(at).map(String::as_str) {
        Some("tests" | "specs") => true,
        Some("test") => words.get(at + 1).is_none_or(|it| is_one_of(BEHIND, it)),
        _ => false,
    };
    (0..words.len()).any(is)
}

/// Whether the words of `what` stand there, one behind the other, in the singular or not.
fn has(words: &[String], what: &str) -> bool {
    (0..words.len()).any(|at| words.get(at..).is_some_and(|it| begins_with(it, what)))
}

fn begins_with(words: &[String], what: &str) -> bool {
    let may_be = words.first().is_some_and(|it| is_near(it, what));
    let mut words = words.iter();
    may_be && what.split(' ').all(|it| words.next().is_some_and(|word| singular(word) == it))
}

fn singular(word: &str) -> Cow<'_, str> {
    if matches!(word, "has" | "was" | "its") {
        return Cow::Borrowed(word);
    }
    if let Some(stem) = word.strip_suffix("ies").filter(|it| it.len() > 2) {
        return Cow::Owned(format!("{stem}y"));
    }
    let stem = word.strip_suffix('s').filter(|it| it.len() > 1 && !it.ends_with(['s', 'i', 'u']));
    Cow::Borrowed(stem.unwrap_or(word))
}

/// `v2`, or so many numbers.
fn is_version(word: &str, numbers: usize) -> bool {
    let (least, rest) = word.strip_prefix('v').map_or((numbers, word), |it| (1, it));
    rest.split('.').count() >= least && rest.split('.').all(is_number)
}

#[cfg(test)]
mod tests;
