//! What the name of a file says: its folder is its package, its ending what it
//! is built for.

use super::super::{File, Meaning, evidence::Step};
use crate::outline;

/// Of these languages what one file of a folder defines, the others see.
pub(in super::super) fn is_one_scope(from: &str, to: &str) -> bool {
    let folder = |it: &str| it.rsplit_once('/').map_or(String::new(), |(it, _)| it.to_owned());
    let ending = |it: &str| it.rsplit_once('.').map_or(String::new(), |(_, it)| it.to_owned());
    ending(from) == ending(to)
        && matches!(ending(from).as_str(), "go" | "java")
        && folder(from) == folder(to)
}

/// Whether all whole files that went and came are Go's, of one folder, and
/// built for the same.
pub(in super::super) fn is_go_of_one_folder(files: &[File], meanings: &[Meaning]) -> bool {
    let whole: Vec<&File> = files
        .iter()
        .zip(meanings)
        .filter(|(it, meaning)| {
            meaning.evidence.step == Step::Move && (it.before.is_none() || it.after.is_none())
        })
        .map(|(it, _)| it)
        .collect();
    whole.iter().all(|one| {
        outline::language_of(one.path).is_some_and(|it| it.name == "go")
            && !says_of_build(text_of(one))
            && whole.iter().all(|other| {
                is_one_scope(one.path, other.path) && target(one.path) == target(other.path)
            })
    })
}

fn text_of<'a>(file: &File<'a>) -> &'a [u8] {
    file.before.or(file.after).unwrap_or_default()
}

/// Lines that the compiler, or `go generate`, reads with the file's name.
pub(super) fn says_of_build(text: &[u8]) -> bool {
    [&b"//go:"[..], b"+build"].iter().any(|word| text.windows(word.len()).any(|it| it == *word))
}

/// `test` of `a_test.go`, `linux` of `a_linux.go`: what it is built for.
pub(super) fn target(path: &str) -> Option<&str> {
    let file = path.rsplit('/').next().unwrap_or(path);
    let stem = file.strip_suffix(".go").unwrap_or(file);
    if file.starts_with(['_', '.']) {
        return Some("none");
    }
    stem.split_once('_').map(|(_, it)| it)
}
