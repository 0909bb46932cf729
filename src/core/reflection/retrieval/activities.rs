//! What one asks an agent to do, whatever the project: to commit, to open a pull request, to write
//! tests. `put it up for review` and `merge request for this ticket` share no word; the activity is
//! what they have in common.
//!
//! It is asked for where a clause begins with its verb, as wishes do, and names its object soon after
//! (`open the PR`, and not `the PR that is open`), or where something is said that says it wherever
//! it stands (`commit message`).

use std::borrow::Cow;

use super::{
    Query,
    cues::{ACTIVITIES, ALONE, Activity, Cue, NAME, NUMBER, PATH, PROSE, VERSION},
    places,
    said::{self, clauses},
    words::{Words, ends},
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
    "actually", "afterwards", "ahead", "alright", "also", "always", "be", "can", "cool", "could", "do", "done",
    "finally", "fine", "first", "go", "good", "great", "have", "hey", "hi", "i'd", "just", "kindly", "let",
    "let's", "lets", "lgtm", "like", "looks", "maybe", "me", "must", "need", "nice", "now", "ok", "okay",
    "once", "perfect", "please", "pls", "quick", "should", "still", "sure", "thanks", "that's", "thx", "to",
    "too", "want", "we", "well", "when", "will", "would", "yeah", "yep", "yes", "you", "your",
];
/// And in what somebody has written down.
const IN_LEARNINGS: &[&str] = &[
    "a", "any", "before", "do", "don't", "every", "i", "if", "never", "not", "prefer", "the",
    "while",
];
/// A clause that begins so asks a question.
const ASKING: &[&str] = &[
    "are", "did", "do", "does", "explain", "had", "has", "how", "is", "was", "were", "what",
    "when", "where", "which", "who", "why",
];
const DENYING: &[&str] = &[
    "don't", "needn't", "never", "no", "not", "without", "doesn't", "didn't", "isn't", "wasn't",
    "won't",
];

/// The term of an activity.
pub(super) fn term(name: &str) -> String {
    format!("{ACTIVITY}{name}")
}

/// What a query asks to be done.
pub(super) fn of_query(query: &Query) -> Vec<&'static str> {
    let mut found = Found::default();
    for text in [&query.text, &query.ticket_title, &query.ticket_description] {
        found.read(text, None);
    }
    if let Some((kind, rest)) = query.branch.split_once('/') {
        found.read(&rest.replace(['-', '_', '/'], " "), None);
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
pub(super) fn of_learning(learning: &Learning, words: &Words) -> Vec<String> {
    let relevance = learning.relevance.as_deref().filter(|it| !it.trim().is_empty());
    // A summary says when it matters somewhere (`run the linter before committing`).
    let by = Written { words, is_summary: relevance.is_none() };
    let mut found = Found::default();
    for (_, occasion) in places::occasions(relevance.unwrap_or(&learning.summary)) {
        let mut own = Found::default();
        own.read(occasion, Some(by));
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

/// What somebody has written down is read by.
#[derive(Clone, Copy)]
struct Written<'a> {
    words: &'a Words,
    is_summary: bool,
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

    /// What a text asks for. One that somebody has written down names it in more ways (`opening a
    /// PR`, `never push`), for which its words are compared by their stems.
    fn read(&mut self, text: &str, written: Option<Written>) {
        let clauses = clauses(text);
        let all: Vec<&[String]> = clauses.iter().map(|it| it.words.as_slice()).collect();
        for clause in ends(&all, MOST_CLAUSES) {
            for it in ACTIVITIES {
                let is =
                    written.map_or_else(|| is_asked(it, clause), |by| is_named(it, clause, by));
                if is {
                    self.add(it.name);
                }
            }
        }
    }
}

fn is_asked(activity: &Activity, clause: &[String]) -> bool {
    is_said(activity, clause) || {
        let is_before = |it: &String| BEFORE.contains(&it.as_str()) || is_number(it);
        let from = clause.iter().take_while(|it| is_before(it)).count();
        begins(activity, clause.get(from..).unwrap_or_default(), |verb, it| verb == it)
    }
}

/// The same for a clause of a learning.
fn is_named(activity: &Activity, clause: &[String], by: Written) -> bool {
    let is_before =
        |it: &String| BEFORE.contains(&it.as_str()) || IN_LEARNINGS.contains(&it.as_str());
    let is_verb = |verb: &str, it: &str| {
        verb == it || verb.ends_with("ing") && by.words.stem(verb) == by.words.stem(it)
    };
    let from = clause.iter().take_while(|it| is_before(it)).count();
    let is_doing =
        |at: usize| by.is_summary && clause.get(at).is_some_and(|it| it.ends_with("ing"));
    activity.said.iter().any(|it| has(clause, it))
        || (0..clause.len())
            .filter(|at| *at == from || is_doing(*at))
            .any(|at| begins(activity, clause.get(at..).unwrap_or_default(), is_verb))
}

/// Something is said that says it, and neither asked about nor denied.
fn is_said(activity: &Activity, clause: &[String]) -> bool {
    let is = |of: &[&str], it: &String| of.contains(&it.as_str());
    let is_question = clause.first().is_some_and(|it| is(ASKING, it));
    // `there is no docker.sock` is a symptom, and `no tests` says what is missing.
    let is_denied = |said: &str| {
        let before = |at: usize| at.checked_sub(1).and_then(|it| clause.get(it));
        let is_here = |at: &usize| clause.get(*at..).is_some_and(|it| begins_with(it, said));
        let mut places = (0..clause.len()).filter(is_here);
        activity.name != "containers"
            && places.all(|at| before(at).is_some_and(|it| is(DENYING, it)))
    };
    !is_question && activity.said.iter().any(|it| has(clause, it) && !is_denied(it))
}

fn begins(activity: &Activity, clause: &[String], is_verb: impl Fn(&str, &str) -> bool) -> bool {
    let Some((verb, behind)) = clause.split_first() else { return false };
    let behind = &behind[..behind.len().min(REACH)];
    let first = &behind[..behind.len().min(1)];
    let is_any = |of: &[&str], words: &[String]| of.iter().any(|it| names(words, it));
    let is = |cue: &Cue| {
        let is_whatever = cue.next.is_empty() && cue.what.is_empty();
        (is_whatever || is_any(cue.next, first) || is_any(cue.what, behind))
            && !is_any(cue.not, behind)
    };
    activity.cues.iter().any(|it| it.verbs.iter().any(|it| is_verb(verb, it)) && is(it))
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
        VERSION => words.iter().any(|it| is_version(it, 3)),
        NUMBER => words.iter().any(|it| is_version(it, 2)),
        _ => has(words, what),
    }
}

/// Whether the words of `what` stand there, one behind the other, in the singular or not.
fn has(words: &[String], what: &str) -> bool {
    (0..words.len()).any(|at| words.get(at..).is_some_and(|it| begins_with(it, what)))
}

fn begins_with(words: &[String], what: &str) -> bool {
    let count = what.split(' ').count();
    let begin = words.get(..count).unwrap_or_default();
    begin.iter().map(|it| singular(it)).eq(what.split(' '))
}

fn singular(word: &str) -> Cow<'_, str> {
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

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|it| it.is_ascii_digit())
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
            let of = |it: &'static Cue| it.what.iter().chain(it.next).chain(it.not).chain(it.verbs);
            let cues = it.cues.iter().flat_map(of);
            for word in cues.chain(it.said).flat_map(|it| it.split(' ')) {
                assert!(word.is_empty() || !word.starts_with(' '), "of {}", it.name);
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
            ("make a commit", "commit"),
            ("yep commit", "commit"),
            ("commit+push", "push"),
            ("#12 when done open a PR", "pull-request"),
            ("can you kindly raise a PR", "pull-request"),
            ("open the “PR”", "pull-request"),
            ("ok, PR it", "pull-request"),
            ("let’s commit it", "commit"),
            ("fix the csv export and\nopen a PR", "pull-request"),
            ("go test ./...", "run-tests"),
            ("merge main into this branch", "rebase"),
            ("update the dependencies", "upgrade"),
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
    fn what_only_speaks_of_it_or_means_something_else_does_not_ask_for_it() {
        for text in [
            "which jobs does the CI run for a pull request? just list them",
            "explain how git bisect works",
            "explain what the commit message convention is",
            "why was the commit message so odd?",
            "no need to push",
            "don't commit yet",
            "without unit tests please",
            "the PR that is open has a conflict",
            "Two builds of the same commit differ",
            "commit the transaction before the ack",
            "we commit to nothing here",
            "squash the hero image",
            "amend the invoice total",
            "the image does not boot",
            "rename the menu item Bookings to Movements",
            "move the package to another locker",
            "move PayPal to the top",
            "their message never arrives",
            "format the price with two decimals",
            "fix the warning about low stock",
            "Profile picture upload fails",
            "make the line-height 1.5",
            "release the connection when the version changes",
            "update the tax rate to 19.5",
            "upgrade the user to the pro plan",
            "add a column to the csv export",
            "make the column sortable",
            "set the container width to 100%",
            "add a password field to the signup form",
            "create a ticket when a mail arrives",
            "close tickets automatically after 7 days",
            "add a manual override for the valve",
            "document upload is broken",
            "add the book to the library",
            "push notifications to all users",
            "push all updates through the websocket",
            "add a test mode to the gateway",
            "add a script tag to the page",
            "resolve booking conflicts when two rooms overlap",
            "pull the main menu out of the layout",
            "rebase the price index to 2021",
            "",
        ] {
            assert_eq!(asked(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn no_verb_of_a_cue_is_passed_over() {
        let verbs = ACTIVITIES.iter().flat_map(|it| it.cues).flat_map(|it| it.verbs);
        assert_eq!(verbs.filter(|it| BEFORE.contains(it)).collect::<Vec<_>>(), [&""; 0]);
    }

    #[test]
    fn a_learning_names_it_in_more_ways() {
        let words = Words::new();
        let read = |text: &str, is_summary| {
            let mut found = Found::default();
            found.read(text, Some(Written { words: &words, is_summary }));
            found.names().collect::<Vec<_>>()
        };
        let of = |text| read(text, true);
        assert_eq!(of("opening a pull request"), ["pull-request"]);
        assert_eq!(of("Never push to main"), ["push"]);
        assert_eq!(of("Always run the linter before committing"), ["commit", "lint"]);
        assert_eq!(of("Use pnpm, never npm install"), ["dependency"]);
        assert_eq!(of("a renamed file is lost"), [""; 0]);
        assert_eq!(read("run the tests before pushing it", false), ["run-tests"]);
    }

    #[test]
    fn a_branch_says_what_is_done_on_it() {
        let of = |it: &str| of_query(&Query { branch: it.into(), ..Query::default() });
        assert_eq!(of("docs/typos"), ["documentation"]);
        assert_eq!(of("chore/bump-serde"), ["upgrade"]);
        assert_eq!(of("main"), [""; 0]);
    }
}
