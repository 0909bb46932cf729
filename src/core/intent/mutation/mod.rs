//! Whether a change is a refactoring or a new behaviour: a small ladder of steps over the
//! definitions and tokens of the texts before and after.
//!
//! | step | class | proved |
//! |---|---|---|
//! | `identical`, `comment_only`: no token differs | refactoring | yes |
//! | `reorder`, `move`: the same definitions in another order or file | refactoring | yes |
//! | `rename`: one consistent renaming makes both texts equal | refactoring | yes |
//! | `same_surface`: the same public definitions, no more control flow | refactoring | no |
//! | all else | evolution | no |
//!
//! The first step that applies decides. A proof compares texts and does not run them: after a
//! `reorder`, imports may take effect in another order; after a `rename`, a string may still
//! contain the old name.

mod change;
pub mod evidence;
mod meaning;
mod moves;
mod rename;
mod reorder;

pub use self::meaning::{File, Meaning};
use self::{change::Change, evidence::Step};
use crate::outline::{self, Source, Unread};

/// Files of one call are judged together, because definitions move between them.
pub fn judge_all(files: &[File]) -> Vec<Meaning> {
    let sources: Vec<Result<(Source, Source), Unread>> = files.iter().map(parse).collect();
    let changes: Vec<Result<Change, Unread>> = sources
        .iter()
        .map(|sources| match sources {
            Ok((before, after)) => Ok(Change::new(before, after)),
            Err(why) => Err(*why),
        })
        .collect();
    let meaning = |(file, change): (&File, &Result<Change, Unread>)| {
        let mut meaning = match change {
            _ if file.before == file.after => Meaning::of(Step::Identical),
            Ok(change) => climb(file, change),
            Err(why) => Meaning::unread(*why),
        };
        meaning.evidence.language = language(file.path);
        meaning
    };
    let mut meanings: Vec<Meaning> = files.iter().zip(&changes).map(meaning).collect();
    moves::find(files, &changes, &mut meanings);
    meanings
}

/// Without looking at other files.
fn climb(file: &File, change: &Change) -> Meaning {
    let has_same_pieces = change.removed.is_empty() && change.added.is_empty();
    let step = if file.before.is_none() {
        Step::NewFile
    } else if file.after.is_none() {
        Step::DeletedFile
    } else if has_same_pieces && change.old_order == change.new_order {
        Step::CommentOnly
    } else if has_same_pieces && reorder::means_the_same(change) {
        Step::Reorder
    } else if let Some(names) = rename::names(change) {
        return change.concluded(Step::Rename, names);
    } else if !change.keeps_public_definitions() {
        Step::PublicSurface
    } else if change.net().flow > 0 {
        Step::ControlFlow
    } else {
        Step::SameSurface
    };
    change.concluded(step, Vec::new())
}

/// For a change whose text before is unknown.
pub fn unseen(path: &str) -> Meaning {
    let mut meaning = Meaning::of(Step::Unseen);
    meaning.evidence.why = Some("the text before is not known".to_owned());
    meaning.evidence.language = language(path);
    meaning
}

fn language(path: &str) -> Option<String> {
    outline::language_of(path).map(|language| language.name.to_owned())
}

/// A missing file is an empty text.
fn parse<'a>(file: &File<'a>) -> Result<(Source<'a>, Source<'a>), Unread> {
    let (before, after) = (file.before.unwrap_or_default(), file.after.unwrap_or_default());
    let Some(language) = outline::language_of(file.path) else {
        let is_binary = outline::is_binary(before) || outline::is_binary(after);
        return Err(if is_binary { Unread::Binary } else { Unread::NoGrammar });
    };
    let before = Source::parse(before, language)?;
    let after = Source::parse_after(&before, after)?;
    Ok((before, after))
}
