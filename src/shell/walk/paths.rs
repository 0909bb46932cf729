//! Paths relative to where the line starts, whatever folder it has changed to.
//!
//! The name of the first folder is unknown. Relative paths are joined to the line's current folder,
//! so a path from before a `cd` begins with a mark that says where it starts:
//! `D=$PWD; cd src; echo > $D/f` writes `f`, not `src/f`.

use crate::shell::{HOLE, Reading};

/// At the beginning of a path: the folder where the line starts. Unicode reserves this code point
/// as a noncharacter, so no file has it in its name.
pub(super) const START: char = '\u{FDD0}';

/// A folder as `$PWD` and `pwd` print it.
pub(super) fn since_start(folder: &str) -> String {
    match folder {
        folder if folder.starts_with(['/', '~', HOLE]) => folder.to_owned(),
        "" | "." => START.to_string(),
        folder => format!("{START}/{folder}"),
    }
}

/// `path` in `directory`, which is "" for the folder where the line starts.
pub(super) fn join(directory: &str, path: &str) -> String {
    if let Some(rest) = path.strip_prefix(START) {
        let rest = rest.trim_start_matches('/');
        return if rest.is_empty() { ".".to_owned() } else { rest.to_owned() };
    }
    let is_absolute = path.starts_with(['/', '~']);
    // A path that begins with a hole may also be absolute: the hole stands for either.
    if is_absolute || directory.is_empty() || path.starts_with(HOLE) {
        return path.to_owned();
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    match path {
        "." | "" => directory.to_owned(),
        path if directory.ends_with('/') => format!("{directory}{path}"),
        path => format!("{directory}/{path}"),
    }
}

/// A directory with `..` resolved lexically, as `cd` does.
pub(super) fn logical(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." if parts
                .last()
                .is_some_and(|last| !matches!(*last, ".." | "" | "~" | "\u{FFFC}")) =>
            {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Removes the marks from the paths of a reading, which are then relative to where the line starts.
pub(super) fn remove_marks(reading: &mut Reading) {
    let clean = |text: &mut String| {
        if text.contains(START) {
            *text = text.replace(START, ".");
        }
    };
    for run in &mut reading.runs {
        run.argv.iter_mut().for_each(clean);
        clean(&mut run.program);
        run.assignments.iter_mut().for_each(|assignment| clean(&mut assignment.1));
        run.folders.iter_mut().for_each(clean);
    }
    reading.writes.iter_mut().for_each(|write| clean(&mut write.path));
    reading.reads.iter_mut().for_each(|read| clean(&mut read.path));
    for script in &mut reading.scripts {
        clean(&mut script.path);
        script.arguments.iter_mut().for_each(clean);
    }
    reading.code.iter_mut().for_each(|code| clean(&mut code.text));
}
