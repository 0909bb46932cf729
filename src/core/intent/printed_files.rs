//! Which files a command line prints. A part counts as the whole file, as for the client's own
//! tool.

use crate::{
    core::name_words::is_one,
    shell::{HOLE, Reading, Run},
};

const SHOWS: &str = "cat tac nl bat batcat less more most head tail sed gsed awk gawk grep egrep \
    fgrep rg sort column expand fmt fold pr xxd hexdump od jq yq zcat";
/// As the line names them.
pub fn shown(reading: &Reading) -> Vec<&str> {
    let shows = |run: &&Run| is_one(SHOWS, &run.program);
    let paths = reading.reads.iter().map(|read| read.path.as_str());
    let is_shown = |path: &&str| {
        let mut by = reading.runs.iter().filter(|run| names(run, path)).peekable();
        // `head < a.rs` does not name the file.
        let is_named = by.peek().is_some();
        by.any(|run| shows(&run)) || !is_named && reading.runs.iter().any(|run| shows(&run))
    };
    paths.filter(|path| !path.contains(HOLE)).filter(is_shown).collect()
}

fn names(run: &Run, path: &str) -> bool {
    let plain = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
    let path = plain(path);
    run.argv.iter().skip(1).map(|text| plain(text)).any(|word| {
        word == path || path.strip_suffix(&word).is_some_and(|rest| rest.ends_with('/'))
    })
}

#[cfg(test)]
mod tests;
