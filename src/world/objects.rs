//! What git has at paths of a commit: the texts of files and the entries of folders. One process
//! answers any number of paths.

use std::{path::Path, time::Instant};

use super::{
    git::{self, Error},
    process,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    Text(Vec<u8>),
    Folder(Vec<Entry>),
    /// It exists, but its text is not available: it is too long or not text.
    Other,
}

/// An entry of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub is_folder: bool,
}

/// The objects at paths of commits, in their order; paths begin at `root`, which need not be the
/// repository's. None where there is no such path. What git prints beyond a bound is
/// [`Object::Other`]: small ones ought to come first.
pub fn named(
    root: &Path,
    names: &[(&str, &str)],
    until: Instant,
) -> Result<Vec<Option<Object>>, Error> {
    // Git reads one path per line.
    let can_be_asked = |path: &str| !path.contains('\n');
    let asked = names.iter().filter(|(_, path)| can_be_asked(path));
    let line = |(commit, path): &(&str, &str)| [commit, ":./", path, "\n"].concat();
    let input = asked.map(line).collect::<Vec<_>>().concat();
    let args = ["cat-file", "--batch"];
    let ran = process::feed(git::prepared(root, &args, &[]), input.as_bytes(), until);
    let said = git::checked(&args, ran)?;
    let mut rest = said.as_slice();
    let answers = names.iter().map(|(commit, path)| {
        if can_be_asked(path) { next(&mut rest, commit.len() / 2) } else { Some(Object::Other) }
    });
    Ok(answers.collect())
}

/// Reads `<id> <kind> <size>`, the object, an end of line; or `<name> missing`.
pub(crate) fn next(rest: &mut &[u8], id_length: usize) -> Option<Object> {
    // Beyond the limit nothing is known.
    let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
        *rest = &[];
        return Some(Object::Other);
    };
    let head = String::from_utf8_lossy(&rest[..end]).into_owned();
    *rest = &rest[end + 1..];
    let mut words = head.rsplitn(3, ' ');
    let (size, kind) = (words.next()?, words.next()?);
    let Ok(size) = size.parse::<usize>() else {
        // The commit of a submodule is known, but its object is in another repository.
        return (size == "submodule").then_some(Object::Other);
    };
    let Some(bytes) = rest.get(..size) else {
        *rest = &[];
        return Some(Object::Other);
    };
    *rest = rest.get(size + 1..).unwrap_or_default();
    Some(match kind {
        "blob" => Object::Text(bytes.to_vec()),
        "tree" => Object::Folder(names(bytes, id_length)),
        _ => Object::Other,
    })
}

/// `<mode> <name>`, a NUL, the id in bytes.
fn names(mut tree: &[u8], id_length: usize) -> Vec<Entry> {
    let mut names = Vec::new();
    while let Some(end) = tree.iter().position(|byte| *byte == 0) {
        let entry = String::from_utf8_lossy(&tree[..end]).into_owned();
        if let Some((mode, name)) = entry.split_once(' ') {
            // A submodule is not a file.
            if mode != "160000" {
                names.push(Entry { name: name.to_owned(), is_folder: mode == "40000" });
            }
        }
        tree = tree.get(end + 1 + id_length..).unwrap_or_default();
    }
    names
}
