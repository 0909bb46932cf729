//! Files that are read instead of their diffs, and kinds of change.

use std::fs;

use serde_json::json;

use super::{GATE, numbered, project, project_with};
use crate::support::Roz;

#[test]
fn a_file_that_is_read_is_seen_where_its_changes_are() {
    let lines: Vec<String> = (1..=40).map(|n| format!("line {n}")).collect();
    let mut lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    lines[19] = "new line";
    let text = lines.join("\n") + "\n";
    let look = |first: usize, last: usize| {
        let roz = project();
        roz.agent_writes("old.rs", &text);
        let reviewer = roz.under_review();
        reviewer.reads(&roz.project().join("old.rs"), first, &lines[first - 1..last]);
        reviewer.decides("COMPLETE", "fine").code
    };
    assert_eq!(look(1, 40), Some(0));
    assert_eq!(look(20, 20), Some(0));
    assert_eq!(look(1, 19), Some(1));
    assert_eq!(look(21, 40), Some(1));
}

#[test]
fn a_command_that_shows_a_file_shows_the_lines_that_it_prints() {
    for (command, is_enough) in [
        ("cat old.rs", true),
        ("sed -n 15,25p old.rs", true),
        ("head -n 30 old.rs", true),
        ("nl -ba old.rs", true),
        ("tail -n 25 old.rs", true),
        ("head -n 10 old.rs", false),
        ("sed -n 30,40p old.rs", false),
        ("cat old.rs > /dev/null", false),
        ("cat old.rs | wc -l", false),
        ("git show HEAD:old.rs", false),
    ] {
        let roz = project();
        roz.agent_writes("old.rs", &numbered(1..=40).replace("line 20\n", "new line\n"));
        let reviewer = roz.under_review();
        reviewer.runs(command);
        let ran = reviewer.decides("COMPLETE", "fine");
        assert_eq!(ran.code == Some(0), is_enough, "{command}: {ran:?}");
    }
}

#[test]
fn one_new_file_of_three_thousand_lines_may_be_read_in_parts() {
    let roz = project();
    let text = numbered(1..=3000);
    roz.agent_writes("big.rs", &text);
    let lines: Vec<&str> = text.lines().collect();
    let file = roz.project().join("big.rs");
    let reviewer = roz.under_review();
    reviewer.reads(&file, 1, &lines[..2000]);
    reviewer.has_to_see(&["big.rs"]);
    reviewer.reads(&file, 2001, &lines[2000..]);
    reviewer.approves();
}

#[test]
fn a_rename_a_mode_and_an_empty_file_are_seen_in_their_headers() {
    let roz = project();
    roz.git(&["mv", "old.rs", "renamed.rs"]);
    roz.git(&["update-index", "--chmod=+x", "README.md"]);
    let readme = roz.project().join("README.md");
    fs::set_permissions(&readme, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    roz.agent_writes("empty.rs", "");
    let reviewer = roz.under_review();
    reviewer.has_to_see(&["README.md", "empty.rs", "renamed.rs"]);
    let shown = reviewer.looks();
    assert!(shown.contains("rename to renamed.rs") && shown.contains("new mode 100755"), "{shown}");
    reviewer.approves();
}

#[test]
fn lock_files_binary_files_and_deleted_files_need_no_look() {
    let roz = project();
    roz.write("Cargo.lock", "two\n");
    roz.write("image.png", "\0\u{2}\0");
    fs::remove_file(roz.project().join("old.rs")).unwrap();
    roz.agent_writes("web/app.min.js", "x\n");
    let reviewer = roz.under_review();
    reviewer.approves();
    roz.bash("gh pr merge 7").passes();

    let roz = project_with("review.generated = ['*.snap']\n");
    roz.agent_writes("a.snap", "x\n");
    roz.write("Cargo.lock", "two\n");
    let reviewer = roz.under_review();
    reviewer.has_to_see(&["Cargo.lock"]);
}

#[test]
fn above_a_hundred_files_what_was_not_seen_is_told_instead() {
    let roz = project();
    for n in 0..300 {
        roz.write(&format!("n{n}.rs"), "x\n");
    }
    roz.git(&["add", "-A"]);
    let reviewer = roz.under_review();
    let (ran, told) = reviewer.decides_aloud("COMPLETE", "fine", &[]);
    ran.succeeds();
    let told = told.tells_user();
    assert!(told.contains("and 292 more") && told.contains("n0.rs"), "{told}");
    roz.bash("gh pr merge 7").passes();
}

#[test]
fn a_reviewer_may_leave_files_out_for_a_reason() {
    let roz = project();
    roz.agent_writes("gen/a.rs", "1\n");
    roz.agent_writes("gen/deep/b.rs", "2\n");
    roz.agent_writes("data.json", "{}\n");
    roz.agent_writes("src/main.rs", "fn main() {}\n");
    let reviewer = roz.under_review();
    reviewer.decides_with("COMPLETE", "fine", &["--unseen", "gen"]).fails();
    reviewer.decides_with("COMPLETE", "fine", &["--unseen", "gen: "]).fails();
    let excuses = ["--unseen", "gen: by the compiler", "--unseen", "*.json: data"];
    let refused = reviewer.decides_with("COMPLETE", "fine", &excuses).fails();
    assert!(refused.contains("src/main.rs") && !refused.contains("gen/a.rs"), "{refused}");
    reviewer.looks_with(&["--diff", "src"]);
    let (ran, told) = reviewer.decides_aloud("COMPLETE", "fine", &excuses);
    ran.succeeds();
    let told = told.tells_user();
    assert!(told.contains("gen/a.rs: by the compiler"), "{told}");
    let posted = roz.trace("roz_decision").pop().unwrap();
    assert_eq!(
        posted["payload"]["unseen"],
        json!(["data.json: data", "gen/a.rs: by the compiler", "gen/deep/b.rs: by the compiler"])
    );
}

#[test]
fn a_look_may_be_told_of_instead_of_required_or_not_be_asked_for() {
    let roz = project_with("review.coverage = 'tell'\n");
    roz.agent_writes("a.rs", "1\n");
    let (ran, told) = roz.under_review().decides_aloud("COMPLETE", "fine", &[]);
    ran.succeeds();
    let told = told.tells_user();
    assert!(told.contains("a.rs"), "{told}");

    let roz = project_with("review.coverage = 'off'\n");
    roz.agent_writes("a.rs", "1\n");
    let (ran, told) = roz.under_review().decides_aloud("COMPLETE", "fine", &[]);
    ran.succeeds();
    assert_eq!(told.tells_user(), "roz: approved by the reviewer: fine");
}

#[test]
fn without_a_repository_the_files_that_were_written_have_to_be_read() {
    let roz = Roz::with_config(GATE);
    roz.write("not-ours.rs", "x\n");
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("b.rs", "two\n");
    let reviewer = roz.under_review();
    for more in [&[][..], &["--diff"]] {
        let shown = reviewer.looks_with(more);
        let listed = shown.replace("\n    ", "\n  ");
        assert!(listed.contains("Read what the session wrote:\n  a.rs\n  b.rs\n"), "{shown}");
        assert_eq!(shown.matches("a.rs").count(), 1, "{shown}");
    }
    let refused = reviewer.is_refused_for(&["a.rs", "b.rs"]);
    assert!(refused.contains("Read them") && !refused.contains("roz context"), "{refused}");
    reviewer.reads(&roz.project().join("a.rs"), 1, &["one"]);
    reviewer.is_refused_for(&["b.rs"]);
    reviewer.runs("cat b.rs");
    reviewer.approves();
    roz.bash("gh pr merge 7").passes();
}
