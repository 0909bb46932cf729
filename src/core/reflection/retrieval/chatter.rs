//! What is said between two tasks, and asks for nothing that a learning could be about: `thanks,
//! looks good`, `continue with the next one`, `rebase onto main and take theirs`. A clause is left
//! out only where it is that as a whole: `next step does nothing` is a bug.

use std::{borrow::Cow, ops::Range};

use super::{
    Query, activities, lists,
    said::{self, Clause, clauses},
};

/// A longer text is not gone through for it. A prompt that is looked at is no longer than 8 KiB.
const LONGEST: usize = 16 * 1024;

/// A clause of these and of words that say nothing is a courtesy. Sorted.
#[rustfmt::skip]
static POLITE: &[&str] = &[
    "alright", "approved", "awesome", "cheers", "cool", "excellent", "fine", "good", "great", "lgtm", "nice",
    "ok", "okay", "perfect", "please", "pls", "sounds", "super", "sure", "thank", "thanks", "thx", "ty",
    "wonderful", "yeah", "yep", "yes",
];
/// What tells to go on, or to stop.
const GOING_ON: &[&str] =
    &["carry", "continue", "go", "move", "proceed", "next", "stop", "that's", "enough"];
/// With what, where nothing is said of it. Sorted.
#[rustfmt::skip]
static WITH: &[&str] = &[
    "ahead", "evening", "fourth", "list", "lunch", "morning", "night", "one", "ones", "order", "plan",
    "planned", "point", "remaining", "rest", "second", "step", "task", "third", "today", "tomorrow",
    "tonight",
];
/// What one takes next.
const TAKING: &[&str] = &["do", "start", "take", "tackle"];
const TAKEN: &[&str] = &["next", "second", "third", "fourth", "last", "other", "remaining"];
/// What a rebase is about, beside itself. Sorted.
#[rustfmt::skip]
static OF_REBASE: &[&str] = &[
    "branch", "conflict", "conflicts", "develop", "file", "files", "git", "lock", "lockfile", "main",
    "master", "merge", "origin", "ours", "pull", "rebase", "reinstall", "remote", "resolve", "sides",
    "theirs", "trivial", "trunk", "upstream", "yesterday",
];
const DENYING: &[&str] = &["doesn't", "don't", "isn't", "no", "not", "never", "does", "off"];

/// The query without what its text says between two tasks.
pub(super) fn without(query: &Query) -> Cow<'_, Query> {
    let text = &query.text;
    if text.len() > LONGEST {
        return Cow::Borrowed(query);
    }
    let all = clauses(text);
    let is_rebased = all.iter().any(|it| activities::asks("rebase", &it.words));
    let is_left_out = |it: &&Clause| {
        let is_denied = it.words.iter().any(|it| DENYING.contains(&it.as_str()));
        let is_chatter = !is_denied && (is_courtesy(it) || goes_on(it));
        !it.is_quoted && (is_chatter || is_rebased && is_of_rebase(it))
    };
    let left_out: Vec<Range<usize>> =
        all.iter().filter(is_left_out).map(|it| it.place.clone()).collect();
    if left_out.is_empty() {
        return Cow::Borrowed(query);
    }
    let mut rest = String::with_capacity(text.len());
    let mut end = 0;
    for place in left_out {
        rest.push_str(text.get(end..place.start).unwrap_or_default());
        end = place.end;
    }
    rest.push_str(text.get(end..).unwrap_or_default());
    Cow::Owned(Query { text: rest, ..query.clone() })
}

fn is_in(sorted: &[&str], word: &str) -> bool {
    sorted.binary_search(&word).is_ok()
}

fn is_courtesy(clause: &Clause) -> bool {
    let is = |it: &String| is_in(POLITE, it);
    clause.words.iter().any(is) && clause.words.iter().all(|it| is(it) || lists::is_stop(it))
}

fn goes_on(clause: &Clause) -> bool {
    let is = |of: &[&str], it: &String| of.contains(&it.as_str());
    let is_before = |it: &&String| {
        is_in(POLITE, it) || lists::is_stop(it) && !is(GOING_ON, it) && !is(TAKING, it)
    };
    let before = clause.words.iter().take_while(is_before).count();
    let Some((verb, behind)) = clause.words.get(before..).and_then(<[_]>::split_first) else {
        return false;
    };
    let is_begun = is(GOING_ON, verb) || is(TAKING, verb) && behind.iter().any(|it| is(TAKEN, it));
    is_begun && behind.iter().all(|it| is_in(WITH, it) || is_in(POLITE, it) || lists::is_stop(it))
}

fn is_of_rebase(clause: &Clause) -> bool {
    let is_lock = |it: &str| it.contains("lock") && it.contains('.');
    let is_mark = |it: &str| it == said::NAME || it == said::PATH;
    let is = |it: &String| is_in(OF_REBASE, it) || lists::is_stop(it) || is_lock(it) || is_mark(it);
    clause.words.iter().all(is)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        without(&Query { text: text.into(), ..Query::default() }).text.trim().to_owned()
    }

    #[test]
    fn the_words_are_sorted() {
        for words in [POLITE, WITH, OF_REBASE] {
            assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
        }
    }

    #[test]
    fn what_is_said_between_two_tasks_asks_for_nothing() {
        for text in [
            "thanks, looks good. continue with the next one",
            "ok, go on with the second one",
            "yes, go ahead",
            "sounds good!",
            "perfect, that's it for today",
            "then take the next one from the list",
            "rebase onto main please, conflicts in pnpm-lock.yaml just take theirs and reinstall",
            "rebase onto main, there was a conflict in the lock file yesterday, take theirs",
        ] {
            let says_nothing = left(text).split_whitespace().all(lists::is_stop);
            assert!(says_nothing, "{text}: {}", left(text));
        }
    }

    #[test]
    fn what_is_wanted_stays_as_it_was_said() {
        for text in [
            "the upload does not continue after a break",
            "Stop the task queue",
            "next step does nothing",
            "off by one hour again",
            "time is off by one hour",
            "tasks due today are not in the list",
            "go back to the previous step",
            "the second suggestion is off",
            "make it a REST option",
            "take the second list apart",
            "resolve conflicts between offline edits and the server",
            "merge the duplicate customers into the master record",
            "rename \"Next step\" to \"Continue\"",
            "queue?",
            "",
        ] {
            assert_eq!(left(text), text);
        }
        let text = "rebase onto main, then fix the lock timeout in the scheduler";
        assert_eq!(left(text), "then fix the lock timeout in the scheduler");
        let text = "ok, thanks. Split the `Parser` (src/parse.rs) and open a PR";
        assert_eq!(left(text), "Split the `Parser` (src/parse.rs) and open a PR");
    }
}
