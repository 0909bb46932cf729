//! Classifies the changes of a call, file by file.

use super::{
    blame,
    changed_lines::Changed,
    ledger::FileDetails,
    mutation::{self, File, Meaning},
};

/// A file before and after a call; `None`: there is no such file.
pub struct Texts {
    pub before: Option<Vec<u8>>,
    /// Whether the text before is known at all.
    pub is_before_known: bool,
    pub after: Option<Vec<u8>>,
}

const MOST: usize = 50;

/// `texts` belong to `files` by position.
pub fn weigh(files: &mut [FileDetails], texts: &[Texts]) {
    let all: Vec<(&str, &Changed, &Texts)> = files
        .iter()
        .zip(texts)
        .map(|(file_change, texts)| (&*file_change.path, &file_change.changed, texts))
        .collect();
    let meanings = meanings(&all);
    for (file, meaning) in files.iter_mut().zip(meanings) {
        file.mutation_class = Some(meaning.class);
        file.evidence = serde_json::to_value(&meaning.evidence).ok();
    }
}

/// Only for the first [`MOST`] files.
pub fn meanings(files: &[(&str, &Changed, &Texts)]) -> Vec<Meaning> {
    let files = files.get(..MOST).unwrap_or(files);
    let known = files.iter().map(|(path, _, texts)| File {
        path,
        before: if texts.is_before_known {
            texts.before.as_deref()
        } else {
            texts.after.as_deref()
        },
        after: texts.after.as_deref(),
    });
    let known: Vec<File> = known.collect();
    let mut meanings = mutation::judge_all(&known);
    for ((path, changed, texts), meaning) in files.iter().zip(&mut meanings) {
        let after = texts.after.as_deref();
        if !texts.is_before_known {
            *meaning = mutation::unseen(path);
        }
        let marks = blame::marks(after.unwrap_or_default(), &changed.ranges);
        meaning.evidence.lines = Some(marks).filter(|text| !text.is_empty());
    }
    for (from, meaning) in former_names(files).into_iter().zip(&mut meanings) {
        meaning.evidence.from = from;
    }
    meanings
}

/// For each file, the name of a vanished file that had the same content.
fn former_names(files: &[(&str, &Changed, &Texts)]) -> Vec<Option<String>> {
    /// Short texts, which many files have in common, do not identify a file.
    const SHORTEST: usize = 16;
    let says =
        |line: &[u8]| line.iter().filter(|byte| byte.is_ascii_alphanumeric()).count() >= SHORTEST;
    let is_known = |texts: &&Texts| texts.is_before_known && texts.before != texts.after;
    let known =
        files.iter().map(|(path, _, texts)| (*path, *texts)).filter(|(_, texts)| is_known(texts));
    let gone = known
        .filter_map(|(path, texts)| Some((path, texts.before.as_ref()?, texts.after.is_none())));
    let mut gone: Vec<(&str, &Vec<u8>, bool)> = gone.collect();
    // Prefer files that no longer exist.
    gone.sort_by_key(|(.., is_no_more)| !is_no_more);
    let mut from = |path: &str, changed: &Changed, texts: &Texts| {
        let after = texts.after.as_ref().filter(|_| is_known(&texts))?;
        // A similar file at the same path is the same file, edited.
        let lines = after.split(|byte| *byte == b'\n').count() as u64;
        let is_another = texts.before.is_none() || says(after) && changed.added > lines / 2;
        let at = gone.iter().position(|(old, text, is_no_more)| {
            *old != path && *text == after && is_another && (*is_no_more || says(after))
        })?;
        Some(gone.remove(at).0.to_owned())
    };
    files.iter().map(|(path, changed, texts)| from(path, changed, texts)).collect()
}
