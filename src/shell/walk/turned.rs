//! What programs may make of text that nobody follows: other letters, another order, what is packed
//! in it; and what the line has told git or the disk before, where one of them is asked.

use super::super::{Run, last_part};
use super::suspect::PIECES;
use super::{Walker, filter};
use std::ops::Range;

impl Walker<'_> {
    /// What the line has told git or the disk before, where one of them is asked: a message, a name.
    pub(super) fn told_before(&self, runs: Range<usize>) -> Vec<String> {
        let asking = self.reading.runs.get(runs.clone()).unwrap_or_default();
        let has = |run: &Run, verbs: &[&str]| {
            run.argv.iter().skip(1).take(4).any(|it| verbs.contains(&it.as_str()))
        };
        let asks_git = asking.iter().any(|run| {
            let verbs = ["log", "show", "tag", "notes", "for-each-ref", "cat-file", "branch"];
            run.program == "git" && has(run, &verbs)
        });
        let lists = asking
            .iter()
            .any(|it| matches!(it.program.as_str(), "ls" | "find" | "fd" | "stat" | "basename"));
        let before = self.reading.runs.get(..runs.end).unwrap_or_default().iter();
        let tells = |run: &&Run| match run.program.as_str() {
            "git" => asks_git && has(run, &["commit", "tag", "notes", "branch", "stash"]),
            "touch" | "mkdir" | "cp" | "mv" | "ln" => lists,
            _ => false,
        };
        let words = before.filter(tells).flat_map(|run| run.argv.iter().skip(1));
        let words = words.map(|it| last_part(it).trim_start_matches("--message="));
        let words = words.flat_map(str::lines).filter(|it| it.contains(char::is_whitespace));
        words.take(PIECES).map(str::to_owned).collect()
    }

    /// What programs may make of text besides: other letters, another order, what is packed in it.
    pub(super) fn turned(&self, runs: Range<usize>, pieces: &mut Vec<String>) {
        const SHORT: usize = 6;
        let runs = self.reading.runs.get(runs).unwrap_or_default();
        let says = |signs: &[&str]| {
            let mut words = runs.iter().flat_map(|it| &it.argv);
            words.any(|word| signs.iter().any(|sign| word.contains(sign)))
        };
        let mut more = Vec::new();
        if says(&["lower", "lc", "\\L", "downcase"]) {
            more.extend(pieces.iter().map(|it| it.to_lowercase()));
        }
        if says(&["\\2", "$2", "$F", "h;", "G;", "rev", "tac", "NR", "NF"]) {
            let few = pieces.iter().map(|it| it.split_whitespace().collect::<Vec<_>>());
            let few = few.filter(|it| (2..=SHORT).contains(&it.len()));
            more.extend(few.map(|it| it.into_iter().rev().collect::<Vec<_>>().join(" ")));
            // Lines that become one.
            let all = pieces.iter().take(SHORT).map(|it| it.trim()).collect::<Vec<_>>();
            more.push(all.join(" "));
            more.push(all.into_iter().rev().collect::<Vec<_>>().join(" "));
        }
        if says(&["64"]) {
            let words = pieces.iter().flat_map(|it| it.split(|c: char| !is_packed(c)));
            let words = words.filter(|it| it.len() > 7).take(PIECES);
            more.extend(words.filter_map(|it| filter::unpacked("b64decode", it)));
        }
        pieces.extend(
            more.into_iter().flat_map(|it| it.lines().map(str::to_owned).collect::<Vec<String>>()),
        );
    }
}

/// Whether a sign is one of base64.
fn is_packed(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=' | '-' | '_')
}
