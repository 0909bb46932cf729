//! What ends an approval, and is named.

use std::{fs, os::unix::fs::PermissionsExt as _};

use serde_json::json;

use super::{LINES, cloned, gated_in, local, with_upstream};
use crate::{client::SESSION, support::Roz};

fn approved() -> Roz {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("b.rs", "two\n");
    roz.approved();
    roz.git(&["add", "-A"]);
    roz
}

#[test]
fn every_change_of_the_work_ends_an_approval_and_is_named() {
    type Change = fn(&Roz);
    let changes: &[(&str, Change)] = &[
        ("a.rs", |roz| roz.write("a.rs", "0ne\n")),
        ("new.rs", |roz| roz.agent_writes("new.rs", "new\n")),
        ("added.rs", |roz| {
            roz.write("added.rs", "new\n");
            roz.git(&["add", "added.rs"]);
        }),
        ("b.rs", |roz| fs::remove_file(roz.project().join("b.rs")).unwrap()),
        ("README.md", |roz| fs::remove_file(roz.project().join("README.md")).unwrap()),
        ("a.rs", |roz| {
            let file = roz.project().join("a.rs");
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }),
    ];
    for (path, change) in changes {
        let roz = approved();
        change(&roz);
        let reason = roz.denies_naming(&format!("changed since the approval: {path}"));
        assert!(!reason.contains("lines.txt"), "{reason}");
        roz.stop().blocks();
        // Whatever else is changed, it stays closed.
        roz.commits_all("a commit changes nothing");
        roz.denies_naming(path);
        roz.reviewed("COMPLETE", "fine again");
        roz.merge().passes();
    }
}

#[test]
fn who_changed_a_file_is_named_with_it() {
    let roz = approved();
    roz.session_starts("other", "startup");
    roz.session_writes("other", "a.rs", "changed\n");
    roz.git(&["commit", "-qam", "by another session"]);
    let reason = roz.denies_naming("a.rs (by session other)");
    assert!(!reason.contains("b.rs"), "{reason}");
    roz.write("b.rs", "changed\n");
    roz.denies_naming("b.rs (not by this session's tools: `#roz:approve` if it was you)");
    roz.agent_writes("README.md", "changed\n");
    let reason = roz.merge().denies();
    assert!(!reason.contains("README.md ("), "{reason}");
}

#[test]
fn commits_of_before_the_review_are_part_of_the_work() {
    let roz = with_upstream(local());
    roz.git(&["checkout", "-qb", "feature"]);
    roz.write("before.rs", "before any session\n");
    roz.commits_all("before any session");
    roz.session_starts("earlier", "startup");
    roz.session_writes("earlier", "earlier.rs", "in an earlier session\n");
    roz.commits_all("in an earlier session");
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("now.rs", "before the denied call\n");
    roz.commits_all("before the denied call");
    roz.merge().denies();
    let reviewer = roz.reviewer("a1");
    let refused = reviewer.decides("COMPLETE", "fine").fails();
    for file in ["before.rs", "earlier.rs", "now.rs"] {
        assert!(refused.contains(file), "`{file}` is not in: {refused}");
    }
    let shown = reviewer.looks();
    for text in ["+before any session", "+in an earlier session", "+before the denied call"] {
        assert!(shown.contains(text), "`{text}` is not in: {shown}");
    }
    reviewer.decides("COMPLETE", "fine").succeeds();
    roz.merge().passes();
}

#[test]
fn without_a_remote_the_work_begins_where_the_first_session_did() {
    let roz = local();
    roz.session_starts("earlier", "startup");
    roz.session_writes("earlier", "earlier.rs", "one\n");
    roz.commits_all("in an earlier session");
    roz.session_starts(SESSION, "startup");
    roz.merge().denies();
    let shown = roz.reviewer("a1").looks();
    assert!(shown.contains("earlier.rs") && !shown.contains("lines.txt"), "{shown}");
}

#[test]
fn a_push_of_the_branch_first_is_no_way_round() {
    let roz = with_upstream(gated_in("review.gates.tools = ['Bash:gh pr merge*']"));
    roz.git(&["checkout", "-qb", "feature"]);
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    roz.commits_all("work");
    roz.bash("git push -u origin feature").passes();
    roz.git(&["push", "-q", "-u", "origin", "feature"]);
    roz.merge().denies();
}

#[test]
fn an_ungated_push_to_the_default_branch_does_not_empty_the_work() {
    let roz = with_upstream(gated_in("review.gates.tools = ['Bash:gh pr merge*']"));
    roz.session_starts(SESSION, "startup");
    roz.agent_writes("a.rs", "one\n");
    roz.commits_all("work");
    roz.git(&["push", "-q", "origin", "main"]);
    roz.merge().denies();
    let shown = roz.reviewer("a1").looks();
    assert!(shown.contains("a.rs"), "{shown}");
    // What others pushed there is no work of ours.
    roz.colleague_pushes("theirs.rs", "theirs\n");
    roz.git(&["pull", "-q", "origin", "main"]);
    let shown = roz.run(&["context", SESSION]).succeeds().stdout;
    assert!(!shown.contains("theirs.rs"), "{shown}");
}

#[test]
fn the_next_review_is_of_what_changed_since_the_approval() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("lines.txt", &LINES.replace("20", "twenty"));
    roz.approved();
    roz.commits_all("work");
    roz.agent_writes("lines.txt", &LINES.replace("20", "twenty").replace("1\n2\n", "one\n2\n"));
    roz.denies_naming("lines.txt");
    let reviewer = roz.reviewer("a1");
    let shown = reviewer.looks();
    assert!(shown.contains("since the last approval") && shown.contains("+one"), "{shown}");
    assert!(!shown.contains("a.rs") && !shown.contains("+twenty"), "{shown}");
    let whole = reviewer.looks_with(&["--diff", "--whole"]);
    assert!(whole.contains("+++ b/a.rs") && whole.contains("+twenty"), "{whole}");
    reviewer.decides("COMPLETE", "fine").succeeds();
    roz.merge().passes();
}

#[test]
fn what_git_cannot_tell_is_asked_about() {
    let roz = cloned();
    roz.agent_writes("lines.txt", &LINES.replace("20", "twenty"));
    roz.approved();
    roz.commits_all("work");
    roz.colleague_pushes("lines.txt", &LINES.replace("20", "vingt"));
    roz.git(&["fetch", "-q", "origin"]);
    let mut merge = roz.program(&["git", "merge", "-q", "origin/main"]);
    assert!(!merge.output().unwrap().status.success(), "a conflict");
    let asked = roz.merge().asks();
    assert!(asked.contains("conflict") || asked.contains("unmerged"), "{asked}");
}

#[test]
fn untracked_files_that_are_too_large_are_asked_about_with_their_folder() {
    let roz = cloned();
    roz.agent_writes("data/big.bin", "x");
    let file = fs::OpenOptions::new().write(true).open(roz.project().join("data/big.bin"));
    file.unwrap().set_len(65 << 20).unwrap();
    let asked = roz.merge().asks();
    assert!(asked.contains("Have git ignore `data`"), "{asked}");
    roz.write(".gitignore", "/data/\n");
    roz.merge().denies();
}

#[test]
fn without_a_repository_an_approval_lasts_until_the_next_prompt() {
    let roz = Roz::with_config(super::GATES);
    roz.prompt("write it").passes();
    roz.agent_writes("a.rs", "one\n");
    roz.merge().denies();
    let reviewer = roz.reviewer("a1");
    assert!(reviewer.decides("COMPLETE", "fine").fails().contains("a.rs"));
    reviewer.reads(&roz.project().join("a.rs"), 1, &["one"]);
    reviewer.decides("COMPLETE", "fine").succeeds();
    reviewer.ends().passes();
    roz.merge().passes();
    roz.merge().passes();
    roz.prompt("and the next thing").passes();
    roz.merge().denies();
    assert_eq!(roz.run(&["status", "--check"]).code, Some(2), "nobody can tell");
    let other = json!({ "session_id": "s2" });
    roz.bash_with("gh pr merge 7", &other).denies();
}
