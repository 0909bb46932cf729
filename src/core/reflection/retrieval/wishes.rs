//! What a query asks for, term by term, before it is looked up.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use super::{
    Query,
    index::Index,
    languages::Languages,
    related::{groups_of, related},
    words::{Is, Term, Words, chunks, ends, is_path},
};

/// What a word that means about the same is worth.
const RELATED: f32 = 0.4;
/// What a piece of an identifier is worth, and a half of a word.
const PIECE: f32 = 0.8;
const HALF: f32 = 0.7;
/// The most terms that are looked up for a query.
const MOST_TERMS: usize = 300;
/// The most files of a text that are looked for.
const MOST_NAMED: usize = 20;
/// Of a longer text each word counts less.
const LONG: f32 = 40.0;

/// How much a word counts by where in the query it stands.
const TEXT: f32 = 1.0;
const TITLE: f32 = 1.0;
const TAG: f32 = 1.0;
const BRANCH: f32 = 1.0;
const DESCRIPTION: f32 = 0.6;
const PATH: f32 = 0.8;

/// A term of the query before it is looked up.
pub(super) struct Wish {
    pub(super) key: String,
    pub(super) typed: String,
    pub(super) asked: f32,
    pub(super) is: Is,
    pub(super) is_path: bool,
    /// It is not what was asked for, but means about the same as the wish with
    /// this number.
    pub(super) means: Option<usize>,
}

/// The files that a query names, and those that were changed.
pub(super) fn files(query: &Query) -> Vec<Cow<'_, str>> {
    let mut files: Vec<Cow<str>> = query.paths.iter().map(Cow::from).collect();
    for text in [&query.text, &query.ticket_title, &query.ticket_description] {
        let named = distinct(chunks(text).filter(|it| is_path(it)));
        files.extend(ends(&named, MOST_NAMED).into_iter().map(Cow::from));
    }
    files
}

/// Each once, in their order.
fn distinct<'a>(all: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    all.filter(|it| seen.insert(*it)).collect()
}

pub(super) struct Wishes {
    words: Words,
    pub(super) languages: Languages,
    pub(super) list: Vec<Wish>,
    /// Where in the list a key is.
    numbers: HashMap<String, usize>,
}

impl Wishes {
    /// What was asked for itself.
    pub(super) fn of(query: &Query, languages: Languages) -> Self {
        let words = Words::new();
        let mut wishes = Wishes { words, languages, list: Vec::new(), numbers: HashMap::new() };
        wishes.add(&query.text, TEXT);
        wishes.add(&query.ticket_title, TITLE);
        query.tags.iter().for_each(|it| wishes.add(it, TAG));
        wishes.add(of_branch(&query.branch), BRANCH);
        wishes.add(&query.ticket_description, DESCRIPTION);
        query.paths.iter().take(30).for_each(|it| wishes.add_path(it));
        wishes.join(&[&query.text, &query.ticket_title]);
        wishes
    }

    fn add(&mut self, text: &str, asked: f32) {
        let telling = chunks(text).filter(|it| !self.languages.pass_over(it));
        let mut all = ends(&distinct(telling), MOST_TERMS);
        // Where not all may have room, what stands at either end has it first.
        if all.len() > MOST_TERMS / 3 {
            let (first, last) = all.split_at(all.len() / 2);
            let last = last.iter().rev().map(Some).chain([None]);
            let both = last.zip(first.iter().map(Some).chain([None]));
            all = both.flat_map(|(a, b)| [a, b]).flatten().copied().collect();
        }
        #[expect(clippy::cast_precision_loss, reason = "at most MOST_TERMS")]
        let damping = (LONG / (all.len().max(1) as f32)).sqrt().min(1.0);
        for chunk in all {
            for Term { key, is } in self.words.terms(chunk) {
                let asked = asked * damping * if is == Is::Word { 1.0 } else { PIECE };
                // What people would call it: the piece that was looked up.
                let typed = chunk.to_owned();
                self.want(Wish { key, typed, asked, is, is_path: false, means: None });
            }
        }
    }

    /// The words in a path: a hint, never a reason alone.
    fn add_path(&mut self, path: &str) {
        let from = path.char_indices().rev().filter(|(_, c)| matches!(c, '/' | '\\')).nth(1);
        let tail = from.map_or(path, |(at, _)| &path[at..]);
        // Not the dot of a folder's name, nor one that a name begins with.
        let ending = tail.rfind('.').filter(|at| {
            let (stem, ending) = tail.split_at(*at);
            !ending.contains(['/', '\\']) && !matches!(stem.chars().last(), None | Some('/' | '\\'))
        });
        let tail = ending.map_or(tail, |at| &tail[..at]);
        for chunk in tail.split(['/', '\\']) {
            for Term { key, is } in self.words.terms(chunk) {
                let typed = path.to_owned();
                self.want(Wish { key, typed, asked: PATH, is, is_path: true, means: None });
            }
        }
    }

    /// A word that is wished for twice is one word.
    fn want(&mut self, wish: Wish) {
        if let Some(known) = self.numbers.get(&wish.key).and_then(|it| self.list.get_mut(*it)) {
            // What was asked for stays what was asked for.
            if wish.means.is_none() {
                known.is_path &= wish.is_path;
                known.asked = known.asked.max(wish.asked);
            }
        } else if self.list.len() < MOST_TERMS {
            self.numbers.insert(wish.key.clone(), self.list.len());
            self.list.push(wish);
        }
    }

    /// `time zone` asks for `timezone` too, and `back up` for `backup`.
    fn join(&mut self, texts: &[&String]) {
        for text in texts {
            let all = ends(&chunks(text).collect::<Vec<_>>(), MOST_TERMS);
            for pair in all.windows(2) {
                let is_plain =
                    pair.iter().all(|it| it.len() > 1 && it.chars().all(char::is_alphanumeric));
                let is_said = pair.iter().any(|it| !self.words.terms(it).is_empty());
                if is_plain && is_said {
                    let key = self.words.stem(&pair.concat().to_lowercase()).into_owned();
                    let typed = pair.join(" ");
                    let is = Is::Whole;
                    self.want(Wish { key, typed, asked: TEXT, is, is_path: false, means: None });
                }
            }
        }
    }

    /// `timezone` asks for `time` and `zone`, where nobody has written it in one.
    pub(super) fn halve(&mut self, index: &Index) {
        let mut halves = Vec::new();
        for wish in self.list.iter().filter(|it| it.is == Is::Word && !it.is_path) {
            if index.find(&wish.key).is_some() || !wish.typed.is_ascii() || wish.typed.len() < 7 {
                continue;
            }
            let word = wish.typed.to_lowercase();
            let split = (3..word.len() - 2).find_map(|at| {
                let (one, other) = word.split_at(at);
                let keys = [self.words.stem(one).into_owned(), self.words.stem(other).into_owned()];
                keys.iter().all(|it| index.find(it).is_some()).then_some(keys)
            });
            for key in split.into_iter().flatten() {
                halves.push(Wish {
                    key,
                    typed: wish.typed.clone(),
                    asked: wish.asked * HALF,
                    is: Is::Part,
                    is_path: false,
                    means: None,
                });
            }
        }
        for wish in halves {
            self.want(wish);
        }
    }

    /// What means about the same, where it is written anywhere, by these groups
    /// or by all that there are.
    pub(super) fn relate(
        &mut self,
        index: &Index,
        groups: Option<&[&'static str]>,
    ) -> Vec<&'static str> {
        let keys: Vec<&str> = self.list.iter().map(|it| it.key.as_str()).collect();
        let groups = groups.map_or_else(|| groups_of(&keys), <[_]>::to_vec);
        for (at, key) in related(&keys, &groups) {
            let Some(wish) = self.list.get(at).filter(|_| index.find(key).is_some()) else {
                continue;
            };
            let wish = Wish {
                key: key.to_owned(),
                typed: wish.typed.clone(),
                asked: wish.asked * RELATED,
                is: wish.is,
                is_path: wish.is_path,
                means: Some(at),
            };
            self.want(wish);
        }
        groups
    }
}

/// What a branch is about: not the main one, nor the kind of work.
fn of_branch(branch: &str) -> &str {
    const KINDS: &[&str] = &[
        "feature",
        "feat",
        "fix",
        "bugfix",
        "hotfix",
        "chore",
        "refactor",
        "docs",
        "test",
        "perf",
        "release",
        "wip",
        "build",
        "ci",
        "style",
        "revert",
        "task",
        "bug",
        "improvement",
    ];
    const MAIN: &[&str] =
        &["main", "master", "develop", "dev", "trunk", "staging", "production", "head", "next"];
    if MAIN.iter().any(|it| branch.eq_ignore_ascii_case(it)) {
        return "";
    }
    match branch.split_once('/') {
        Some((kind, rest)) if KINDS.iter().any(|it| kind.eq_ignore_ascii_case(it)) => rest,
        _ => branch,
    }
}
