//! What the changes of several files in one call mean together: what is gone
//! here and there again was moved, and a name that one file gives to something
//! is used in the others.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::{
    Meaning, MutationClass,
    evidence::{How, Step},
    judge, moved,
};

/// A file of a call, with what it held before and after.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    pub path: &'a str,
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
}

/// What each of the changes means, in the light of the others.
pub fn settle(files: &[File]) -> Vec<Meaning> {
    let mut meanings: Vec<Meaning> =
        files.iter().map(|it| judge(it.path, it.before, it.after)).collect();
    moved_whole(files, &mut meanings);
    moved_parts(files, &mut meanings);
    renamed_elsewhere(files, &mut meanings);
    meanings
}

/// A file that is gone, and is there again under another name as it was.
fn moved_whole(files: &[File], meanings: &mut [Meaning]) {
    let mut gone: HashMap<[u8; 32], Vec<usize>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        if let (Some(before), None) = (file.before, file.after) {
            gone.entry(Sha256::digest(before).into()).or_default().push(at);
        }
    }
    for (at, file) in files.iter().enumerate() {
        let (None, Some(after)) = (file.before, file.after) else { continue };
        let found = gone.get_mut(&<[u8; 32]>::from(Sha256::digest(after))).and_then(Vec::pop);
        for at in found.into_iter().flat_map(|it| [it, at]) {
            if let Some(meaning) = meanings.get_mut(at) {
                meaning.evidence.step = Step::Move;
                meaning.weigh();
            }
        }
    }
}

/// Files in which nothing differs but definitions that went from one to another.
fn moved_parts(files: &[File], meanings: &mut [Meaning]) {
    let is_open =
        |(at, _): &(usize, File)| meanings.get(*at).is_some_and(|it| !it.evidence.step.is_proof());
    let open: Vec<(usize, File)> = files.iter().copied().enumerate().filter(is_open).collect();
    if open.len() < 2 {
        return;
    }
    for (at, moved) in moved::proved(&open) {
        if let Some(meaning) = meanings.get_mut(at) {
            meaning.evidence.step = Step::Move;
            meaning.evidence.moved = moved;
            meaning.weigh();
        }
    }
}

/// A file in which nothing differs but names that another file of the same
/// call, which defines them, has renamed so.
fn renamed_elsewhere(files: &[File], meanings: &mut [Meaning]) {
    let mut names: Vec<(String, String)> = Vec::new();
    for meaning in meanings.iter().filter(|it| it.evidence.step == Step::Rename) {
        let defines = |name: &str| {
            meaning.evidence.definitions.iter().any(|it| {
                it.change == How::Modified && it.name.rsplit([':', '.']).next() == Some(name)
            })
        };
        names.extend(meaning.evidence.renamed.iter().filter(|(_, new)| defines(new)).cloned());
    }
    if names.is_empty() {
        return;
    }
    for (file, meaning) in files.iter().zip(meanings) {
        let (Some(before), Some(after)) = (file.before, file.after) else { continue };
        if meaning.evidence.step.is_proof() || meaning.evidence.language.is_none() {
            continue;
        }
        let mut text = before.to_vec();
        let mut used = Vec::new();
        for (old, new) in &names {
            // What it had of the new name would be taken for the old one's.
            if has_word(before, new.as_bytes()) {
                continue;
            }
            let next = replaced(&text, old.as_bytes(), new.as_bytes());
            if next != text {
                used.push((old.clone(), new.clone()));
                text = next;
            }
        }
        if !used.is_empty() && judge(file.path, Some(&text), Some(after)).evidence.proved {
            meaning.evidence.step = Step::Rename;
            meaning.evidence.renamed = used;
            meaning.weigh();
            debug_assert_eq!(meaning.class, MutationClass::AstRefactor);
        }
    }
}

fn is_part(it: Option<&u8>) -> bool {
    it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_' || *it >= 0x80)
}

/// Where `word` stands next, as a whole one.
fn next_word(text: &[u8], word: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    let is_word = |at: usize| {
        !is_part(at.checked_sub(1).and_then(|it| text.get(it)))
            && !is_part(text.get(at + word.len()))
    };
    let found = |(at, it): (usize, &[u8])| (it == word && is_word(from + at)).then_some(from + at);
    rest.windows(word.len().max(1)).enumerate().find_map(found)
}

fn has_word(text: &[u8], word: &[u8]) -> bool {
    next_word(text, word, 0).is_some()
}

fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut res = Vec::with_capacity(text.len());
    let mut done = 0;
    while let Some(at) = next_word(text, old, done) {
        res.extend_from_slice(&text[done..at]);
        res.extend_from_slice(new);
        done = at + old.len();
    }
    res.extend_from_slice(&text[done..]);
    res
}
