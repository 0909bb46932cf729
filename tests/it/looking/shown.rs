//! What counts as a look, and what does not.

use serde_json::json;

use super::{numbered, project};
use crate::{client::SESSION, support::Roz};

fn two_files() -> Roz {
    let roz = project();
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("old.rs", &numbered(1..=40).replace("line 20\n", "new line\n"));
    roz
}

#[test]
fn whoever_has_read_nothing_approves_nothing() {
    let roz = two_files();
    let reviewer = roz.under_review();
    reviewer.has_to_see(&["a.rs", "old.rs"]);
    reviewer.runs("git status; ls; cat Cargo.lock; git log --stat");
    reviewer.has_to_see(&["a.rs", "old.rs"]);
    assert_eq!(roz.state(), "reviewing");
    reviewer.looks();
    reviewer.approves();
    roz.bash("gh pr merge 7").passes();
}

#[test]
fn findings_need_no_look() {
    let roz = two_files();
    roz.under_review().decides("ISSUES", "this cannot be right").succeeds();
}

#[test]
fn one_of_two_files_is_not_all() {
    let roz = two_files();
    let reviewer = roz.under_review();
    reviewer.looks_with(&["--diff", "a.rs"]);
    reviewer.has_to_see(&["old.rs"]);
    reviewer.runs("git diff old.rs");
    reviewer.approves();
}

#[test]
fn git_shows_the_work_as_well_as_roz_does() {
    for (before, look) in [
        ("git add -A", "git diff --cached"),
        ("git add -A", "git diff HEAD --color=always"),
        ("git add -A", "git -c diff.noprefix=true diff HEAD -U0"),
        ("git add -A; git commit -qm work", "git show"),
        ("git add -A; git commit -qm work", "git log -p -1"),
        ("git add -A; git commit -qm work", "git show --full-index HEAD -- a.rs old.rs"),
    ] {
        let roz = two_files();
        for line in before.split("; ") {
            roz.git(&line.split(' ').skip(1).collect::<Vec<_>>());
        }
        let reviewer = roz.under_review();
        reviewer.runs(look);
        reviewer.approves();
    }
}

#[test]
fn what_the_client_cut_was_not_shown() {
    let roz = project();
    roz.agent_writes("a.rs", "one\n");
    roz.agent_writes("big.rs", &numbered(1..=4000));
    roz.git(&["add", "-A"]);
    let reviewer = roz.under_review();
    let diff = roz.git(&["diff", "--cached"]);
    let kept = roz.dir().join("output.txt");
    reviewer.is_shown_the_beginning("git diff --cached", &diff, &kept);
    reviewer.has_to_see(&["big.rs"]);
    // The rest is in a file, and a look at it counts as far as it goes.
    let lines: Vec<&str> = diff.lines().collect();
    reviewer.reads(&kept, 1, &lines[..2000]);
    reviewer.has_to_see(&["big.rs"]);
    reviewer.reads(&kept, 2001, &lines[2000..]);
    reviewer.approves();
}

#[test]
fn a_page_that_goes_into_another_program_was_not_shown() {
    let roz = two_files();
    let reviewer = roz.under_review();
    let page = roz.run(&["context", SESSION, "--diff"]).succeeds().stdout;
    let beginning: String = page.split_inclusive('\n').take(9).collect();
    reviewer.is_shown("roz context s1 --diff | head -9", &json!({ "stdout": beginning }));
    reviewer.has_to_see(&["old.rs"]);
    reviewer.is_shown("roz context s1 --diff > /tmp/page", &json!({ "stdout": "" }));
    reviewer.is_shown(
        "roz context s1 --diff | grep -v new",
        &json!({ "stdout":
        page.lines().filter(|line| !line.contains("new line")).collect::<Vec<_>>().join("\n") }),
    );
    reviewer.has_to_see(&["old.rs"]);
}

#[test]
fn headers_alone_show_nothing() {
    let roz = two_files();
    roz.git(&["add", "-A"]);
    let reviewer = roz.under_review();
    reviewer.runs("git diff --cached --stat");
    reviewer.runs("git diff --cached --raw --summary");
    reviewer.runs("git diff --cached | grep -E '^(diff|index|---|[+][+][+]|@@)'");
    reviewer.has_to_see(&["a.rs", "old.rs"]);
}

#[test]
fn the_diff_of_an_old_commit_shows_nothing_of_the_present() {
    let roz = project();
    roz.agent_writes("a.rs", "one\n");
    roz.git(&["add", "-A"]);
    roz.git(&["commit", "-qm", "old"]);
    roz.agent_writes("a.rs", "two\n");
    roz.git(&["commit", "-qam", "new"]);
    let reviewer = roz.under_review();
    reviewer.runs("git show HEAD~1");
    reviewer.runs("git show HEAD~1:a.rs");
    reviewer.has_to_see(&["a.rs"]);
    // The newest commit is in it, and its content is the present one.
    reviewer.runs("git log -p");
    reviewer.approves();
}

#[test]
fn an_edit_after_the_look_has_to_be_seen_again() {
    let roz = two_files();
    let reviewer = roz.under_review();
    reviewer.looks();
    roz.agent_writes("a.rs", "one and more\n");
    reviewer.has_to_see(&["a.rs"]);
    reviewer.looks_with(&["--diff", "a.rs"]);
    reviewer.approves();
    roz.bash("gh pr merge 7").passes();
}

#[test]
fn a_large_change_is_shown_in_pages() {
    let roz = project();
    roz.agent_writes("a.rs", &numbered(1..=3000));
    roz.agent_writes("b.rs", &numbered(1..=1500));
    let reviewer = roz.under_review();
    let first = reviewer.looks();
    let (_, last) = first.rsplit_once("Page 1 of ").unwrap();
    let last: usize = last.split('.').next().unwrap().parse().unwrap();
    for page in 2..=last {
        reviewer.decides("COMPLETE", "fine").fails();
        let shown = reviewer.looks_with(&["--diff", "--page", &page.to_string()]);
        assert!(shown.chars().count() < 21_000);
        assert_eq!(shown.contains("The next one"), page < last, "{page}");
    }
    reviewer.approves();
    let told = roz.run(&["context", SESSION, "--diff", "--page", "99"]).fails();
    assert!(told.contains("there is no page 99"), "{told}");
}

#[test]
fn no_more_is_shown_at_once_than_a_client_shows() {
    let roz = project();
    roz.prompt(&"a long wish ".repeat(1_000)).objects_to_nothing();
    roz.agent_writes("a.rs", &numbered(1..=3000));
    let reviewer = roz.under_review();
    let overview = reviewer.looks();
    assert!(overview.chars().count() < 30_000 && !overview.contains("+line 1\n"), "{overview}");
    assert!(overview.contains(&format!("roz context {SESSION} --diff\n")), "{overview}");
}

#[test]
fn each_reviewer_has_to_look_for_itself() {
    let roz = two_files();
    let first = roz.under_review();
    first.looks();
    for _ in 0..3 {
        first.ends().blocks();
    }
    first.ends().passes();
    roz.reviewer("a2").has_to_see(&["a.rs", "old.rs"]);
    // Nor is what the agent was shown a look of the reviewer's.
    let mut call = roz.call("Bash", &json!({ "command": "git diff" }));
    call["tool_response"] = json!({ "stdout": roz.git(&["diff"]) });
    roz.hook("post-tool-use", call).passes();
    roz.run(&["context", SESSION]).succeeds();
    let args = ["decide", SESSION, "COMPLETE", "fine", "--token", &first.token];
    roz.run(&args).fails();
}
