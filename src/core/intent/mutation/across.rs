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

/// The words by which the rest of the project may say what was moved; none, if
/// nothing was, or if it cannot be known what says it: then it is not proved.
pub fn said_of_moves(files: &[File], meanings: &[Meaning]) -> Option<Vec<String>> {
    let moves = || meanings.iter().filter(|it| it.evidence.step == Step::Move);
    moves().next()?;
    let mut words = Vec::new();
    for (file, meaning) in files.iter().zip(meanings) {
        if meaning.evidence.step != Step::Move {
            continue;
        }
        let is_whole =
            meaning.evidence.moved.is_empty() && (file.before.is_none() || file.after.is_none());
        // Whatever finds a file finds it by its path.
        if is_whole && !moved::is_go_of_one_folder(files, meanings) {
            return None;
        }
        for it in &meaning.evidence.moved {
            let name = it.name.rsplit([':', '.']).next().unwrap_or(&it.name);
            if !moved::is_one_scope(&it.from, &it.to) {
                words.extend(name.split(", ").map(str::to_owned));
            }
        }
    }
    words.sort();
    words.dedup();
    Some(words)
}

/// The rest of the project says nothing of what was moved.
pub fn confirm(meanings: &mut [Meaning]) {
    for meaning in meanings.iter_mut().filter(|it| it.evidence.step == Step::Move) {
        meaning.evidence.proved = true;
        meaning.evidence.why = None;
    }
}

/// Why a move is not proved, until [`confirm`] says that it is.
const UNCONFIRMED: &str = "others may name what was moved";

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
                meaning.evidence.why = Some(UNCONFIRMED.to_owned());
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
            meaning.evidence.why = Some(UNCONFIRMED.to_owned());
            meaning.weigh();
        }
    }
}

/// A file in which nothing differs but names that another file of the same
/// call, which defines them, has renamed so.
fn renamed_elsewhere(files: &[File], meanings: &mut [Meaning]) {
    let mut names: Vec<(String, String, &str)> = Vec::new();
    for (file, meaning) in files.iter().zip(&*meanings) {
        if meaning.evidence.step != Step::Rename {
            continue;
        }
        let defines = |name: &str| {
            meaning.evidence.definitions.iter().any(|it| {
                it.change == How::Modified && it.name.rsplit([':', '.']).next() == Some(name)
            })
        };
        let own = meaning.evidence.renamed.iter().filter(|(_, new)| defines(new));
        names.extend(own.map(|(old, new)| (old.clone(), new.clone(), file.path)));
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
        for (old, new, definer) in &names {
            // What it had of the new name would be taken for the old one's, and
            // what is not from there goes by the name by chance.
            if has_word(before, new.as_bytes()) || !has_from(before, old, definer) {
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

/// Whether a line of the text imports the name from that file.
fn has_from(text: &[u8], name: &str, definer: &str) -> bool {
    let file = definer.rsplit('/').next().unwrap_or(definer);
    let module = file.split('.').next().unwrap_or(file);
    text.split(|it| *it == b'\n').any(|line| {
        let is_import =
            [&b"import"[..], b"use", b"require"].iter().any(|it| next_word(line, it, 0).is_some());
        is_import && has_word(line, name.as_bytes()) && has_word(line, module.as_bytes())
    })
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
