//! `git push` is judged by what it pushes.

use super::cloned;

#[test]
fn a_part_of_what_was_approved_may_be_pushed_and_other_content_may_not() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("b.rs", "two\n");
    roz.approved();
    roz.git(&["add", "a.rs"]);
    roz.git(&["commit", "-qm", "the first half"]);
    roz.bash("git push origin feature").passes();
    // Another content is committed, and the approved one is in the work tree.
    roz.write("b.rs", "evil\n");
    roz.commits_all("the second half");
    roz.write("b.rs", "two\n");
    roz.merge().passes();
    let reason = roz.bash("git push origin feature").denies();
    assert!(reason.contains("the approved version of `b.rs` is not committed yet"), "{reason}");
    roz.git(&["commit", "-qa", "--amend", "--no-edit"]);
    roz.bash("git push origin feature").passes();
}

#[test]
fn named_refs_are_judged_by_their_own_trees() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.commits_all("work");
    roz.git(&["branch", "good"]);
    roz.git(&["checkout", "-qb", "other"]);
    roz.write("evil.rs", "evil\n");
    roz.commits_all("not approved");
    roz.git(&["tag", "v1"]);
    roz.git(&["checkout", "-q", "feature"]);
    for line in [
        "git push",
        "git push origin HEAD",
        "git push -u origin feature:main",
        "git push origin good",
        "git push origin :other",
        "git push origin --delete other",
        "git push origin refs/notes/commits",
    ] {
        roz.bash(line).passes();
    }
    for line in [
        "git push origin other",
        "git push origin +other:main",
        "git push origin feature other",
        "git push origin v1",
        "git push origin tag v1",
        "git push origin good && git push origin other",
    ] {
        let reason = roz.bash(line).denies();
        assert!(reason.contains("evil.rs"), "{line}: {reason}");
    }
    roz.git(&["checkout", "-q", "other"]);
    roz.bash("git push --all").denies();
    roz.bash("git push").denies();
}

#[test]
fn what_is_not_committed_is_not_pushed() {
    let roz = cloned();
    roz.agent_writes("a.rs", "one\n");
    roz.approved();
    roz.commits_all("work");
    roz.agent_writes("a.rs", "the next idea\n");
    roz.bash("git push origin feature").passes();
    roz.denies_naming("a.rs");
}
