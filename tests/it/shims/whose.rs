//! A program that is not an agent's work in this session runs as if there were no shim.

use serde_json::json;

use super::{House, PUSH, has};
use crate::{
    client::SESSION,
    support::{Ran, feed, skip},
};

#[test]
fn a_session_that_has_ended_or_is_unknown_binds_nobody() {
    let house = House::new("");
    house.denies(PUSH);
    let mut unknown = house.command("git push -n origin HEAD:main");
    unknown.env("CLAUDE_CODE_SESSION_ID", "s9");
    assert_eq!(Ran::of(feed(&mut unknown, b"")).code, Some(0));
    house.roz.hook("session-end", json!({ "reason": "other" })).objects_to_nothing();
    house.shell("git push -n origin HEAD:main").succeeds();
    // It goes on.
    house.starts(SESSION, &json!({ "source": "resume" }));
    house.denies(PUSH);
}

#[test]
fn a_test_that_pushes_between_folders_for_temporary_files_is_none_of_rozs_business() {
    let house = House::new("");
    let elsewhere = tempfile::tempdir().unwrap();
    let there = elsewhere.path().display();
    house
        .shell(&format!(
            "cd {there} && git init -q a && git init -q --bare b.git && cd a && \
             git commit -q --allow-empty -m x && git push -q ../b.git HEAD:main"
        ))
        .succeeds();
    house.shell(&format!("git -C {there}/a push -q ../b.git HEAD:other")).succeeds();
    // The session's own repository, by another way than the folder.
    house.denies(&format!(
        "cd {there} && git --git-dir={}/.git push origin HEAD:main",
        house.roz.project().display()
    ));
    assert_eq!(house.denials(), 1);
}

#[test]
fn a_repository_in_an_ignored_folder_is_none_of_rozs_business() {
    let house = House::new("");
    // A project outside temporary folders is a separate project, wherever it is.
    house.roz.write(".gitignore", "target\n");
    house
        .shell(
            "mkdir -p target/t && cd target/t && git init -q a && git init -q --bare b.git && \
             cd a && git commit -q --allow-empty -m x && git push -q ../b.git HEAD:main",
        )
        .succeeds();
}

#[test]
fn a_persons_own_terminal_that_an_agent_opened_is_not_bound() {
    let is_agents = roz::world::parent_processes::ancestors().iter().any(|it| it.is_agent(&[]));
    if !has("script") || is_agents {
        return skip("a_persons_own_terminal", "there is no `script`, or the tests are an agent's");
    }
    let house = House::new("");
    // A terminal of its own, as tmux makes one; no agent is among its ancestors.
    let line = format!(". {}; {PUSH}", house.environment().display());
    house.shell(&format!("script -qec '{line}' /dev/null")).succeeds();
    assert!(house.is_pushed());
}
