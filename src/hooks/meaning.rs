//! What the changes of a call mean, into its record and into the map.

use std::time::Instant;

use serde_json::Value;

use crate::{
    core::intent::{
        blame,
        ledger::{FileChange, MutationClass, Record},
        mutation::{self, File, Meaning},
        ranges::{Changed, content_hash},
    },
    open::Roz,
    sidecar,
    world::in_a_line,
};

/// A file's text before and after a call; none: there was, or is, no such file.
pub(super) struct Texts {
    pub(super) before: Option<Vec<u8>>,
    /// Whether the text before is known at all.
    pub(super) is_before_known: bool,
    pub(super) after: Option<Vec<u8>>,
}

/// So many files of a call are looked into.
const MOST: usize = 50;

/// Puts into each change what it means. `texts` are those of the same files.
pub(super) fn weigh(files: &mut [FileChange], texts: &[Texts]) {
    let all: Vec<(&str, &Changed, &Texts)> =
        files.iter().zip(texts).map(|(it, texts)| (&*it.path, &it.changed, texts)).collect();
    let meanings = meanings(&all);
    for (file, meaning) in files.iter_mut().zip(meanings) {
        file.mutation_class = Some(meaning.class);
        file.evidence = serde_json::to_value(&meaning.evidence).ok();
    }
}

/// What the changes mean, of the first [`MOST`] files.
pub(super) fn meanings(files: &[(&str, &Changed, &Texts)]) -> Vec<Meaning> {
    let files = files.get(..MOST).unwrap_or(files);
    let known = files.iter().map(|(path, _, it)| File {
        path,
        before: if it.is_before_known { it.before.as_deref() } else { it.after.as_deref() },
        after: it.after.as_deref(),
    });
    let mut meanings = mutation::settle(&known.collect::<Vec<_>>());
    for ((path, changed, texts), meaning) in files.iter().zip(&mut meanings) {
        let after = texts.after.as_deref();
        if !texts.is_before_known {
            *meaning = mutation::unseen(path, after);
        }
        let marks = blame::marks(after.unwrap_or_default(), &changed.ranges);
        meaning.evidence.lines = Some(marks).filter(|it| !it.is_empty());
    }
    meanings
}

/// The text before an Edit or a Write, as its answer tells: whole, or by the
/// patch that is taken back.
pub(super) fn before_by_tool(answer: &Value, after: Option<&[u8]>) -> Option<Vec<u8>> {
    if let Some(text) = answer.get("originalFile").and_then(Value::as_str) {
        return Some(text.as_bytes().to_vec());
    }
    let after: Vec<&[u8]> = after?.split_inclusive(|it| *it == b'\n').collect();
    let mut before: Vec<u8> = Vec::new();
    let mut at = 0;
    let hunks = answer.get("structuredPatch")?.as_array().filter(|it| !it.is_empty())?;
    for hunk in hunks {
        let start = usize::try_from(hunk.get("newStart")?.as_u64()?).ok()?.saturating_sub(1);
        let is_empty = hunk.get("newLines")?.as_u64()? == 0;
        let start = if is_empty && at == 0 && start == 0 { 0 } else { start };
        before.extend(after.get(at..start)?.concat());
        at = start;
        for line in hunk.get("lines")?.as_array()? {
            let line = line.as_str()?;
            match line.as_bytes().first() {
                Some(b'-') => {
                    before.extend_from_slice(&line.as_bytes()[1..]);
                    before.push(b'\n');
                }
                Some(b'+') => at += 1,
                Some(b'\\') => (),
                _ => {
                    before.extend_from_slice(after.get(at)?);
                    at += 1;
                }
            }
        }
    }
    before.extend(after.get(at..)?.concat());
    Some(before)
}

/// Whether the ranges of a change are those of the text: each says what stands
/// there.
pub(super) fn fits(changed: &Changed, after: Option<&[u8]>) -> bool {
    let Some(after) = after else { return true };
    let lines: Vec<&[u8]> = after.split_inclusive(|it| *it == b'\n').collect();
    changed.ranges.iter().all(|it| {
        let from = usize::try_from(it.start_line.saturating_sub(1)).unwrap_or(usize::MAX);
        let to = usize::try_from(it.end_line).unwrap_or(usize::MAX);
        let found = lines.get(from..to).unwrap_or_default();
        !found.is_empty() && content_hash(found.iter().copied()) == it.content_hash
    })
}

/// Puts what is new into the map; answers what went wrong.
pub(super) fn map(record: &Record, roz: &Roz, until: Instant) -> Option<String> {
    let classes = record.metadata.roz.files.iter().filter_map(|it| it.mutation_class);
    let has_news = |it: MutationClass| match it {
        MutationClass::IntentEvolution => true,
        // A name in the map may be another one now.
        MutationClass::AstRefactor => sidecar::map::path(&roz.project).exists(),
    };
    if !classes.into_iter().any(has_news) {
        return None;
    }
    let catalogue = sidecar::load(&roz.project, &roz.home)?;
    let add = |mut map: crate::core::intent::map::Map| map.add(record).then_some(map);
    let updated = sidecar::map::update(&roz.project, &roz.home, &catalogue, until, add);
    updated.err().map(|err| in_a_line(&err))
}
