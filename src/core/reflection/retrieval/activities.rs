//! What one asks an agent to do, whatever the project: to commit, to open a pull request, to write
//! tests. `put it up for review` and `merge request for this ticket` share no word; the activity is
//! what they have in common.
//!
//! It is asked for where a clause begins with its verb, as wishes do, and names its object soon after
//! (`open the PR`, and not `the PR that is open`), or where something is said that says it wherever
//! it stands (`commit message`).

use super::{
    Query,
    cues::{ACTIVITIES, ALONE, Activity, Cue, NAME, PROSE, VERSION},
    places,
    said::{self, clauses},
    words::ends,
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

/// What may stand before the verb of a wish.
#[rustfmt::skip]
static BEFORE: &[&str] = &[
    "after", "afterwards", "ahead", "alright", "also", "be", "can", "cool", "could", "do",
    "finally", "fine", "first", "go", "good", "great", "have", "hey", "hi", "i", "i'd", "if", "just",
    "let", "let's", "lets", "lgtm", "like", "looks", "maybe", "me", "must", "need", "next", "nice", "no",
    "now", "ok", "okay", "once", "perfect", "please", "pls", "quick", "should", "still", "thanks",
    "that's", "thx", "to", "too", "want", "we", "well", "will", "would", "yes",
    "you", "your",
];

/// The term of an activity.
pub(super) fn term(name: &str) -> String {
    format!("{ACTIVITY}{name}")
}

/// What a query asks to be done.
pub(super) fn of_query(query: &Query) -> Vec<&'static str> {
    let mut found = Found::default();
    for text in [&query.text, &query.ticket_title, &query.ticket_description] {
        found.read(text);
    }
    if let Some((kind, rest)) = query.branch.split_once('/') {
        found.read(&rest.replace(['-', '_', '/'], " "));
        match kind {
            "docs" | "doc" => found.add("documentation"),
            "perf" => found.add("benchmark"),
            "refactor" => found.add("refactoring"),
            "release" => found.add("release"),
            _ => {}
        }
    }
    found.names().collect()
}

/// The terms of what a learning says that it is for; behind them, where there are any, [`ANY`].
pub(super) fn of_learning(learning: &Learning) -> Vec<String> {
    let relevance = learning.relevance.as_deref().filter(|it| !it.trim().is_empty());
    let mut found = Found::default();
    for (_, occasion) in places::occasions(relevance.unwrap_or(&learning.summary)) {
        let mut own = Found::default();
        own.read(occasion);
        // Whoever is to push and to request a review is told about the request.
        if own.has("pull-request") {
            own.remove("push");
        }
        found.0 |= own.0;
    }
    let mut terms: Vec<String> = found.names().map(term).collect();
    if !terms.is_empty() {
        terms.push(ANY.to_owned());
    }
    terms
}

/// Whether this is asked for in a clause.
pub(super) fn asks(name: &str, clause: &[String]) -> bool {
    ACTIVITIES.iter().any(|it| it.name == name && is_asked(it, clause))
}

/// A set of activities, a bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Found(u32);

impl Found {
    fn bit(name: &str) -> u32 {
        let bits = (0..u32::BITS).map(|it| 1 << it);
        bits.zip(ACTIVITIES).find(|(_, it)| it.name == name).map_or(0, |(bit, _)| bit)
    }

    fn add(&mut self, name: &str) {
        self.0 |= Self::bit(name);
    }

    fn remove(&mut self, name: &str) {
        self.0 &= !Self::bit(name);
    }

    fn has(self, name: &str) -> bool {
        self.0 & Self::bit(name) != 0
    }

    fn names(self) -> impl Iterator<Item = &'static str> {
        ACTIVITIES.iter().map(|it| it.name).filter(move |it| self.has(it))
    }

    fn read(&mut self, text: &str) {
        let clauses = clauses(text);
        let all: Vec<&[String]> = clauses.iter().map(|it| it.words.as_slice()).collect();
        for clause in ends(&all, MOST_CLAUSES) {
            ACTIVITIES.iter().filter(|it| is_asked(it, clause)).for_each(|it| self.add(it.name));
        }
    }
}

fn is_asked(activity: &Activity, clause: &[String]) -> bool {
    if activity.said.iter().any(|it| has(clause, it)) {
        return true;
    }
    let from = clause.iter().position(|it| !BEFORE.contains(&it.as_str()));
    let Some((verb, behind)) = from.and_then(|it| clause.get(it..)?.split_first()) else {
        return false;
    };
    let behind = &behind[..behind.len().min(REACH)];
    let is_named = |what: &[&str]| what.iter().any(|it| names(behind, it));
    let is = |cue: &Cue| (cue.what.is_empty() || is_named(cue.what)) && !is_named(cue.not);
    activity.cues.iter().any(|it| it.verbs.contains(&verb.as_str()) && is(it))
}

fn names(words: &[String], what: &str) -> bool {
    let is_prose = |it: &String| {
        let endings = [".md", ".rst", ".adoc"];
        it.starts_with("docs/") || endings.iter().any(|ending| it.ends_with(ending))
    };
    match what {
        ALONE => words.is_empty(),
        NAME => words.iter().any(|it| it == said::NAME),
        PROSE => words.iter().any(is_prose),
        VERSION => words.iter().any(|it| is_version(it)),
        _ => has(words, what),
    }
}

/// Whether the words of `what` stand there, one behind the other, in the singular or not.
fn has(words: &[String], what: &str) -> bool {
    let count = what.split(' ').count();
    words.windows(count).any(|it| it.iter().map(|it| singular(it)).eq(what.split(' ')))
}

fn singular(word: &str) -> &str {
    let stem = word.strip_suffix('s');
    stem.filter(|it| it.len() > 1 && !it.ends_with(['s', 'i', 'u'])).unwrap_or(word)
}

fn is_version(word: &str) -> bool {
    let numbers = word.strip_prefix('v').unwrap_or(word);
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    numbers.contains('.') && numbers.split('.').all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Vec<&'static str> {
        of_query(&Query { text: text.into(), ..Query::default() })
    }

    #[test]
    fn there_are_no_more_of_them_than_bits_and_each_has_its_own() {
        assert!(ACTIVITIES.len() <= 32);
        let all = ACTIVITIES.iter().fold(0, |all, it| all | Found::bit(it.name));
        assert_eq!(all.count_ones() as usize, ACTIVITIES.len());
    }

    #[test]
    fn cues_are_in_the_singular_and_lower_case() {
        for it in ACTIVITIES {
            let cues = it.cues.iter().flat_map(|it| it.what.iter().chain(it.not).chain(it.verbs));
            for word in cues.chain(it.said).flat_map(|it| it.split(' ')) {
                assert_eq!(singular(word), word, "of {}", it.name);
                assert_eq!(word.to_lowercase(), word, "of {}", it.name);
            }
        }
    }

    #[test]
    fn an_activity_is_asked_for_in_many_words() {
        for (text, wanted) in [
            ("ok, commit it", "commit"),
            ("put the fix and the docs in separate commits", "commit"),
            ("thx lgtm. squash n push", "commit"),
            ("could you open the merge request, Jana can review it", "pull-request"),
            ("commit that, then put it up for review", "pull-request"),
            ("Please make a PR against main", "pull-request"),
            ("push it", "push"),
            ("rebase onto main", "rebase"),
            ("write tests for all the bad urls", "tests"),
            ("units.ts has no tests at all", "tests"),
            ("run the whole test suite", "run-tests"),
            ("check I haven't broken anything else", "run-tests"),
            ("update the changelog please", "documentation"),
            ("write docs/operations/restore.md: one page", "documentation"),
            ("Rename PvBuffer to PvCollector", "refactoring"),
            ("split src/main.rs, it has 1500 lines", "refactoring"),
            ("move all the callers", "refactoring"),
            ("replace our slugify by the `slug` crate", "dependency"),
            ("bump aws-sdk-s3 to the latest", "upgrade"),
            ("`docker compose up` says cannot connect", "containers"),
            ("write a small bash script", "script"),
            ("add the API key of the new provider", "secrets"),
            ("get 0.19.0 ready to go out", "release"),
            ("deploy it to staging", "deploy"),
            ("add a nullable column, and a migration", "migration"),
            ("benchmark it against the current flags", "benchmark"),
            ("fix the clippy warnings", "lint"),
            ("review the diff of this branch", "review"),
            ("close the ticket", "issue"),
            ("translate the size guide into Polish", "translation"),
        ] {
            assert!(asked(text).contains(&wanted), "{text}: {:?}", asked(text));
        }
    }

    #[test]
    fn what_only_speaks_of_it_does_not_ask_for_it() {
        for text in [
            "which jobs does the CI run for a pull request? just list them",
            "explain how git bisect works",
            "the PR that is open has a conflict",
            "Two builds of the same commit differ",
            "commit the transaction before the ack",
            "the image does not boot",
            "rename the menu item Bookings to Movements",
            "their message never arrives",
            "",
        ] {
            assert_eq!(asked(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn a_branch_says_what_is_done_on_it() {
        let of = |it: &str| of_query(&Query { branch: it.into(), ..Query::default() });
        assert_eq!(of("docs/typos"), ["documentation"]);
        assert_eq!(of("chore/bump-serde"), ["upgrade"]);
        assert_eq!(of("main"), [""; 0]);
    }
}
