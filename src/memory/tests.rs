//! What several backends' tests need, and writers that are processes.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use super::{Markdown, MemoryBackend as _};
use crate::{core::reflection::learning::Status, memory::contract::learning};

/// Enough for a machine that does other things too.
pub(super) const PATIENCE: Duration = Duration::from_mins(1);

const EACH: usize = 5;

#[test]
#[expect(clippy::disallowed_methods, reason = "this very program, twenty times")]
fn twenty_processes_side_by_side_lose_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let writers: Vec<_> = (0..20)
        .map(|n| {
            let folder = dir.path().join(format!("{n}"));
            std::fs::create_dir(&folder).unwrap();
            Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "memory::tests::one_of_twenty", "--ignored"])
                .current_dir(folder)
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut writer in writers {
        assert!(writer.wait().unwrap().success());
    }
    let backend = Markdown::of_project(dir.path().join("learnings.md"), PATIENCE);
    let reading = backend.all().unwrap();
    assert_eq!(reading.problems, []);
    let status = |n: usize| if n.is_multiple_of(EACH) { Status::Archived } else { Status::Active };
    let expected: Vec<_> = (0..20 * EACH)
        .map(|n| {
            let mut item = learning(n);
            item.status = status(n);
            item
        })
        .collect();
    assert_eq!(reading.learnings, expected);
}

#[test]
#[ignore = "a process of `twenty_processes_side_by_side_lose_nothing`"]
fn one_of_twenty() {
    let here = std::env::current_dir().unwrap();
    let Some(n) = here.file_name().and_then(|name| name.to_str()?.parse::<usize>().ok()) else {
        return;
    };
    let backend = Markdown::of_project(here.join("../learnings.md"), PATIENCE);
    for count in n * EACH..(n + 1) * EACH {
        backend.write(&learning(count)).unwrap();
        backend.mark(&learning(n * EACH).id, Status::Archived).unwrap();
    }
}
