//! What is said between two tasks, and asks for nothing that a learning could be about: `thanks,
//! looks good`, `continue with the next one`, `rebase onto main and take theirs`.

use std::borrow::Cow;

use super::{
    Query, activities, lists,
    said::{Clause, clauses},
};

/// A longer text is no chatter as a whole, and is not gone through for it.
const LONGEST: usize = 4096;

/// Words that say how to go on, and not with what. Sorted.
#[rustfmt::skip]
static GOING_ON: &[&str] = &[
    "afternoon", "awesome", "backlog", "board", "break", "carry", "continue", "cool", "day",
    "enough", "evening", "excellent", "fine", "finished", "fourth", "good", "great", "green", "hour",
    "hours", "idea", "it's", "item", "later", "let's", "lgtm", "list", "lunch", "minute", "minutes",
    "moment", "morning", "nice", "option", "perfect", "point", "previous", "proceed", "queue", "remaining",
    "rest", "second", "step", "stop", "suggestion", "super", "task", "tasks", "that's", "third", "thx", "time",
    "today", "tomorrow", "tonight", "variant", "wait", "weekend", "wonderful", "work", "worked", "works",
    "yep", "yesterday",
];
/// What a rebase is about beside itself.
const OF_REBASE: &[&str] =
    &["conflict", "conflicts", "theirs", "ours", "lock", "lockfile", "reinstall", "main", "master"];

/// The query without what its text says between two tasks.
pub(super) fn without(query: &Query) -> Cow<'_, Query> {
    if query.text.len() > LONGEST {
        return Cow::Borrowed(query);
    }
    let all = clauses(&query.text);
    let is_rebased = all.iter().any(|it| activities::asks("rebase", &it.words));
    let says = |it: &&Clause| !(is_chatter(it) || is_rebased && is_of_rebase(it));
    let telling: Vec<&Clause> = all.iter().filter(says).collect();
    if telling.len() == all.len() {
        return Cow::Borrowed(query);
    }
    let text = telling.iter().map(|it| it.text.trim_end()).collect::<Vec<_>>().join("\n");
    Cow::Owned(Query { text, ..query.clone() })
}

fn is_chatter(clause: &Clause) -> bool {
    let says_nothing =
        |it: &String| lists::is_stop(it) || GOING_ON.binary_search(&it.as_str()).is_ok();
    clause.words.iter().all(says_nothing)
}

fn is_of_rebase(clause: &Clause) -> bool {
    activities::asks("rebase", &clause.words)
        || clause.words.iter().any(|it| OF_REBASE.contains(&it.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> String {
        without(&Query { text: text.into(), ..Query::default() }).text.clone()
    }

    #[test]
    fn the_words_are_sorted() {
        assert!(GOING_ON.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn what_is_said_between_two_tasks_asks_for_nothing() {
        for text in [
            "thanks, looks good. continue with the next one",
            "ok, go on with the second one",
            "perfect, that's it for today",
            "rebase onto main please, conflicts in pnpm-lock.yaml just take theirs and reinstall",
        ] {
            assert_eq!(left(text), "", "{text}");
        }
    }

    #[test]
    fn what_is_wanted_stays_as_it_was_said() {
        assert_eq!(
            left("thanks! now split the `Parser` (src/parse.rs) please"),
            "now split the `Parser`\n(src/parse.rs)"
        );
        for text in [
            "the upload does not continue after a break",
            "Print the list of tasks, with users",
            "",
        ] {
            assert_eq!(left(text), text);
        }
    }
}
