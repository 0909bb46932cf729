//! Where the line starts, as its own words name it: `D=$PWD; cd src; echo > $D/f`.
//!
//! Nobody here knows what that folder is called. What is relative is joined to where the line stands,
//! so a path that has been asked for before a `cd` bears a mark that says from where it goes.

use super::super::{HOLE, Reading};
use super::Walker;
use super::field::Field;
use super::origin::join;

/// Stands for where the line starts, before a path from there. No name has it, for it is no letter.
pub(super) const START: char = '\u{FDD0}';

impl Walker<'_> {
    /// A folder as `$PWD` names it.
    pub(super) fn since_start(&self, folder: &str) -> String {
        match folder {
            it if it.starts_with(['/', '~', HOLE]) => it.to_owned(),
            // Where nobody goes elsewhere, it is simply here.
            _ if !self.goes => ".".to_owned(),
            "" | "." => START.to_string(),
            it => format!("{START}/{it}"),
        }
    }

    /// What `realpath` and its like show of paths: what they are from anywhere.
    pub(super) fn made_absolute(&self, paths: &str) -> String {
        if !self.goes {
            return paths.to_owned();
        }
        let [only] = self.env.directories() else { return paths.to_owned() };
        let absolute = |it: &str| match it {
            it if it.starts_with(['/', '~', HOLE, START]) => it.to_owned(),
            it => self.since_start(&join(only, it)),
        };
        paths.lines().map(|it| absolute(it) + "\n").collect()
    }
}

/// Whether a line may go elsewhere than where it starts.
pub(super) fn goes(line: &str) -> bool {
    ["cd", "pushd", "chdir"].iter().any(|it| line.contains(it))
}

/// The reading without the mark: its paths go from where the line starts.
pub(super) fn without_mark(reading: &mut Reading) {
    // Most texts have no character of that kind, which a look at the bytes tells sooner.
    let first = START.encode_utf8(&mut [0; 4]).as_bytes()[0];
    let clean = |it: &mut String| {
        if it.as_bytes().contains(&first) {
            *it = it.replace(START, ".");
        }
    };
    for run in &mut reading.runs {
        run.argv.iter_mut().for_each(clean);
        clean(&mut run.program);
        run.assignments.iter_mut().for_each(|it| clean(&mut it.1));
    }
    let writes = reading.writes.iter_mut().chain(&mut reading.perhaps);
    writes.chain(&mut reading.untracked).for_each(|it| clean(&mut it.path));
    for text in &mut reading.texts {
        clean(&mut text.path);
        text.text.iter_mut().for_each(clean);
    }
    reading.reads.iter_mut().for_each(|it| clean(&mut it.path));
    for script in &mut reading.scripts {
        clean(&mut script.path);
        script.arguments.iter_mut().for_each(clean);
    }
    for link in &mut reading.links {
        clean(&mut link.path);
        clean(&mut link.target);
    }
    for find in &mut reading.finds {
        for (written, from) in &mut find.starts {
            clean(written);
            clean(from);
        }
        find.words.iter_mut().for_each(clean);
        find.shows.iter_mut().for_each(clean);
    }
    reading.code.iter_mut().for_each(|it| clean(&mut it.text));
}

/// Whether `readlink` follows: without these options it shows what a link says.
pub(super) fn follows(name: &str, words: &[Field]) -> bool {
    let is_it = |it: &Field| {
        it.text.starts_with("--canon")
            || it.text.starts_with('-') && it.text.contains(['f', 'e', 'm'])
    };
    name.ends_with("realpath") || words.iter().any(is_it)
}
