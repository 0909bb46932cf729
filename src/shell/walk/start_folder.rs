//! Where the line starts, as its own words name it: `D=$PWD; cd src; echo > $D/f`.
//!
//! Nobody here knows what that folder is called. Relative paths are joined to where the line is by
//! then, so a path that was asked for before a `cd` begins with a mark that says where it starts.

use crate::shell::{HOLE, Reading};

/// Stands for where the line starts, before a path from there. No name has it: it is no letter.
pub(super) const START: char = '\u{FDD0}';

/// A folder as `$PWD` and `pwd` name it.
pub(super) fn since_start(folder: &str) -> String {
    match folder {
        folder if folder.starts_with(['/', '~', HOLE]) => folder.to_owned(),
        "" | "." => START.to_string(),
        folder => format!("{START}/{folder}"),
    }
}

/// The reading without the mark: its paths are relative to where the line starts.
pub(super) fn without_mark(reading: &mut Reading) {
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
