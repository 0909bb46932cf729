//! What keeps an approval.

use serde_json::json;

use super::{LINES, cloned, local};
use crate::client::SESSION;

#[test]
fn staging_committing_amending_and_stashing_keep_an_approval() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("lines.txt", &LINES.replace("20", "twenty"));
    roz.approved();
    roz.git(&["add", "-A"]);
    roz.merge().passes();
    roz.git(&["stash", "-q"]);
    roz.merge().denies();
    roz.git(&["stash", "pop", "-q"]);
    roz.merge().passes();
    roz.commits_all("work");
    roz.merge().passes();
    roz.bash("git push origin feature").passes();
    roz.git(&["commit", "-q", "--amend", "-m", "a better message"]);
    roz.bash("git push --force origin feature").passes();
    roz.merge().passes();
    roz.write("lines.txt", "something else\n");
    roz.merge().denies();
    roz.git(&["restore", "lines.txt"]);
    roz.merge().passes();
    roz.stop().passes();
}

#[test]
fn a_new_session_and_one_that_was_cleared_find_the_work_approved() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    for (session, source) in [("s2", "clear"), ("s3", "startup"), ("s4", "resume"), ("s5", "fork")]
    {
        roz.session_starts(session, source);
        roz.bash_with("gh pr merge 7", &json!({ "session_id": session })).passes();
        assert_eq!(roz.debug(session)["state"]["review"], "approved", "{source}");
    }
    roz.prompt("and now?").passes();
    roz.merge().passes();
}

#[test]
fn another_work_tree_of_the_repository_shares_its_approvals() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.commits_all("work");
    roz.git(&["worktree", "add", "-q", "-b", "second", "../second"]);
    let there = json!({ "cwd": roz.dir().join("second") });
    roz.bash_with("gh pr merge 7", &there).passes();
    roz.bash_with("git push origin second", &there).passes();
    std::fs::write(roz.dir().join("second/a.rs"), "two\n").unwrap();
    let reason = roz.bash_with("gh pr merge 7", &there).denies();
    assert!(reason.contains("a.rs"), "{reason}");
    roz.merge().passes();
}

#[test]
fn what_comes_from_upstream_into_other_files_is_not_new_work() {
    for pull in [
        &["pull", "-q", "--rebase", "origin", "main"][..],
        &["pull", "-q", "--no-rebase", "origin", "main"],
    ] {
        let roz = cloned();
        roz.agent_writes("a.rs", "one\n");
        roz.approved();
        roz.commits_all("work");
        roz.colleague_pushes("theirs.rs", "theirs\n");
        roz.git(pull);
        roz.merge().passes();
        roz.bash("git push origin feature").passes();
    }
}

#[test]
fn what_comes_from_upstream_into_other_lines_of_the_same_file_is_not_new_work() {
    for pull in [
        &["pull", "-q", "--rebase", "origin", "main"][..],
        &["pull", "-q", "--no-rebase", "origin", "main"],
    ] {
        let roz = cloned();
        roz.agent_writes("lines.txt", &LINES.replace("20", "twenty"));
        roz.approved();
        roz.commits_all("work");
        roz.colleague_pushes("lines.txt", &LINES.replace("2\n3\n", "2\nbetween\n3\n"));
        roz.git(pull);
        assert!(roz.git(&["show", "HEAD:lines.txt"]).contains("between"));
        roz.merge().passes();
        roz.bash("git push origin feature").passes();
        // A conflict that is resolved in another way is new work.
        roz.agent_writes("lines.txt", &LINES.replace("20", "twenty one"));
        roz.denies_naming("lines.txt");
    }
}

#[test]
fn what_a_test_run_leaves_behind_ends_nothing() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.write("coverage.xml", "<coverage/>\n");
    roz.merge().passes();
    roz.stop().passes();
    let context = roz.run(&["context", SESSION]).succeeds().stdout;
    assert!(
        context.contains("not part of the work") && context.contains("coverage.xml"),
        "{context}"
    );
}

#[test]
fn records_of_roz_and_of_a_ticket_system_are_no_work_and_a_configuration_is() {
    let roz = local();
    std::fs::create_dir(roz.project().join(".beads")).unwrap();
    std::fs::create_dir(roz.project().join(".roz")).unwrap();
    roz.write(".beads/issues.jsonl", "{}\n");
    roz.commits_all("tickets");
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.write(".beads/issues.jsonl", "{}\n{}\n");
    roz.write(".roz/learnings.md", "# Learnings\n");
    roz.commits_all("work and records");
    roz.merge().passes();
    roz.write(".roz/config.toml", "review.mode = 'always'\n");
    roz.git(&["add", "."]);
    roz.denies_naming(".roz/config.toml");
}

#[test]
fn what_was_dirty_before_the_session_is_part_of_the_work_once_it_changes() {
    let roz = local();
    roz.write("README.md", "half done by a person\n");
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    let context = roz.run(&["context", SESSION]).succeeds().stdout;
    assert!(context.contains("a.rs") && !context.contains("README.md"), "{context}");
    roz.approved();
    // One that goes on from this session takes that over.
    roz.session_starts("s2", "clear");
    roz.bash_with("gh pr merge 7", &json!({ "session_id": "s2" })).passes();
    roz.write("README.md", "done by a person\n");
    let reason = roz.denies_naming("README.md");
    assert!(
        reason.contains("not by this session's tools: `#roz:approve` if it was you"),
        "{reason}"
    );
}

#[test]
fn what_was_dirty_before_the_session_is_part_of_the_work_once_it_is_committed() {
    let roz = local();
    roz.write("README.md", "half done by a person\n");
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.commits_all("everything");
    roz.denies_naming("README.md");
}
