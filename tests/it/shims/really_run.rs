//! Lines that reach `git push` in a way that no reading of the line shows. Each is run twice: without
//! shims, where a stub sees the push, and with them, where it must not.

use std::{fs, path::PathBuf};

use super::{House, has};
use crate::support::{Ran, feed};

const ROWS: &str = include_str!("../commands/really_run.tsv");
/// Rows that must have run here; those whose programs are missing do not count.
const AT_LEAST: usize = 100;

#[test]
fn no_line_of_the_corpus_reaches_the_gated_verb() {
    let house = House::new("");
    let log = house.roz.dir().join("pushed");
    let stub = format!(
        "#!/bin/sh\ncase \" $* \" in *\" push\"*) echo \"$*\" >> {} ;; *) exec {} \"$@\" ;; esac\n",
        log.display(),
        real_git().display()
    );
    house.program("git", &stub);
    let reaches = |at: usize, line: &str, has_shims: bool| {
        let folder = house.roz.project().join(format!("row{at}{has_shims}"));
        fs::create_dir_all(&folder).expect("a folder for the row");
        let line = format!("cd {} || exit; {line}", folder.display());
        let mut command = if has_shims { house.command(&line) } else { house.unwatched(&line) };
        Ran::of(feed(&mut command, b""));
        fs::remove_file(&log).is_ok()
    };
    let (mut ran, mut missed) = (0, Vec::new());
    for (at, row) in ROWS.lines().filter(|row| !row.starts_with('#')).skip(1).enumerate() {
        let (line, kind) = row.split_once('\t').expect("a line and its kind");
        let line = line.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\");
        if !reaches(at, &line, false) {
            continue;
        }
        ran += 1;
        if reaches(at, &line, true) {
            missed.push(format!("{kind}: {line}"));
        }
    }
    assert!(missed.is_empty(), "{} rows pushed:\n{}", missed.len(), missed.join("\n"));
    assert!(ran >= AT_LEAST || !has("make") || !has("python3"), "only {ran} rows ran");
}

fn real_git() -> PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    let mut found = std::env::split_paths(&path).map(|folder| folder.join("git"));
    found.find(|git| git.exists()).expect("git")
}
